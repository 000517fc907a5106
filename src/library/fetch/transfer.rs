//! One file from the server: parts that go on, hashes, and when it is of no use to try.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Result, anyhow};
use reqwest::{StatusCode, header};

use super::fault::{Fault, InARow, is_web_page};
use crate::library::checksum::Expected;
use crate::library::http::{self, Http, Patience, Trouble};
use crate::library::import::{failed, is_disk_full};
use crate::library::job::{Cancel, Event};
use crate::library::{output, store};

/// A PDF of unknown length is not longer than this.
const MAX_BYTES: u64 = 256 << 20;
const AGENT: &str = concat!("tenleaf/", env!("CARGO_PKG_VERSION"));

/// A file to be had.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// Path below the base address.
    pub path: String,
    /// Where it goes.
    pub to: PathBuf,
    /// Its length, where known.
    pub bytes: Option<u64>,
    /// What it must hash to, where known.
    pub expected: Option<Expected>,
}

/// Brings in files, one at a time or some at once.
pub(super) struct Transfers<'a> {
    http: Http,
    base: &'a str,
    tell: &'a (dyn Fn(Event) + Sync),
    cancel: &'a Cancel,
    /// Nothing more can be written.
    full: &'a AtomicBool,
    /// It never did, through all tries of a file: the others need not wait as long.
    unreachable: AtomicBool,
    in_a_row: Mutex<InARow>,
}

impl<'a> Transfers<'a> {
    pub(super) fn new(
        base: &'a str,
        patience: Patience,
        tell: &'a (dyn Fn(Event) + Sync),
        full: &'a AtomicBool,
        cancel: &'a Cancel,
    ) -> Result<Self> {
        Ok(Transfers {
            // Ranges and hashes are of the file itself, so not compressed.
            http: Http::new(AGENT, patience, false)?,
            base,
            tell,
            full,
            cancel,
            unreachable: AtomicBool::new(false),
            in_a_row: Mutex::default(),
        })
    }

    /// Why the rest was not asked for, if it was not.
    pub(super) fn given_up(&self) -> Option<String> {
        self.in_a_row.lock().expect("not poisoned").given_up.clone()
    }

    fn is_hopeless(&self) -> bool {
        self.unreachable.load(Ordering::Relaxed) || self.given_up().is_some()
    }

    /// Whether the file is there now.
    pub(super) async fn one(&self, wanted: &Wanted) -> bool {
        if self.cancel.is_cancelled() || self.full.load(Ordering::Relaxed) {
            return false;
        }
        if self.is_here(wanted) {
            return true;
        }
        if self.is_hopeless() {
            return false;
        }
        match self.patiently(wanted).await {
            Ok(()) => {
                *self.in_a_row.lock().expect("not poisoned") = InARow::default();
                true
            }
            Err(Fault::Asking(Trouble::Cancelled)) => false,
            // It was under way when others showed that it is of no use.
            Err(_) if self.given_up().is_some() => false,
            Err(fault) => {
                self.in_a_row.lock().expect("not poisoned").failed(&fault);
                let connecting = matches!(
                    fault.trouble(),
                    Some(Trouble::Connect(_) | Trouble::Unreachable(_))
                );
                let mut error = anyhow!(fault);
                if connecting && !self.http.has_answered() {
                    if self.unreachable.swap(true, Ordering::Relaxed) {
                        return false;
                    }
                    error = error.context(format!(
                        "no file could be fetched; check the connection and the address under [fetch] or [model] in the config \
                         ({})",
                        self.base
                    ));
                }
                self.full.fetch_or(is_disk_full(&error), Ordering::Relaxed);
                (self.tell)(failed(&wanted.path, &error));
                false
            }
        }
    }

    /// Whether the file is there already, and right.
    fn is_here(&self, wanted: &Wanted) -> bool {
        let Ok(bytes) = store::read_file(&wanted.to) else {
            return false;
        };
        let expected = wanted.expected.as_ref();
        let right = expected.is_none_or(|hash| hash.matches(&bytes));
        if right {
            (self.tell)(Event::Corrected(bytes.len() as i64));
        }
        right
    }

    async fn patiently(&self, wanted: &Wanted) -> Result<(), Fault> {
        let mut failed = 0;
        loop {
            let fault = match self.once(wanted).await {
                Ok(()) => return Ok(()),
                Err(fault) => fault,
            };
            failed += 1;
            let after = self.http.pause(failed, fault.trouble());
            let Some(after) = after.filter(|_| fault.passes() && !self.is_hopeless()) else {
                return Err(fault);
            };
            (self.tell)(Event::Retry {
                what: wanted.path.clone(),
                error: fault.to_string(),
                after,
            });
            http::sleep(after, self.cancel, || self.is_hopeless()).await?;
        }
    }

    /// One try: brings in what is missing of the `.part`, checks it and gives it its name.
    async fn once(&self, wanted: &Wanted) -> Result<(), Fault> {
        let part = output::part_path(&wanted.to);
        let disk = |source| Fault::Disk {
            path: part.clone(),
            source,
        };
        let have = fs::metadata(&part).map_or(0, |there| there.len());
        if wanted.bytes.is_none_or(|bytes| have < bytes) {
            self.transfer(wanted, &part, have).await?;
        } else {
            (self.tell)(Event::Corrected(have as i64));
        }
        let bytes = fs::read(&part).map_err(disk)?;
        if wanted
            .expected
            .as_ref()
            .is_some_and(|hash| !hash.matches(&bytes))
        {
            // Nothing in it can be trusted: the next try starts over.
            fs::remove_file(&part).map_err(disk)?;
            (self.tell)(Event::Corrected(-(bytes.len() as i64)));
            return Err(match is_web_page(&bytes) {
                true => Fault::WebPage,
                false => Fault::WrongHash,
            });
        }
        fs::File::open(&part)
            .and_then(|file| file.sync_data())
            .map_err(disk)?;
        fs::rename(&part, &wanted.to).map_err(disk)
    }

    async fn transfer(&self, wanted: &Wanted, part: &Path, have: u64) -> Result<(), Fault> {
        let disk = |source| Fault::Disk {
            path: part.to_path_buf(),
            source,
        };
        let url = format!("{}/{}", self.base, wanted.path);
        let mut request = self.http.get(&url);
        if have > 0 {
            request = request.header(header::RANGE, format!("bytes={have}-"));
        }
        let mut response = self.http.send(request, self.cancel).await?;
        let status = response.status();
        if status == StatusCode::RANGE_NOT_SATISFIABLE {
            // The part is longer than the file: it is of something else.
            fs::remove_file(part).map_err(disk)?;
        }
        if !status.is_success() {
            return Err(Trouble::of_status(&response).into());
        }
        if says_web_page(&response) {
            // What is there of the file stays.
            return Err(Fault::WebPage);
        }
        let goes_on =
            have > 0 && status == StatusCode::PARTIAL_CONTENT && starts_at(&response, have);
        let mut got = if goes_on { have } else { 0 };
        let mut file = fs::OpenOptions::new()
            .create(true)
            .write(true)
            .append(goes_on)
            .truncate(!goes_on)
            .open(part)
            .map_err(disk)?;
        (self.tell)(Event::Corrected(got as i64));
        let limit = wanted.bytes.unwrap_or(MAX_BYTES);
        let broke_off = loop {
            match self.http.chunk(&mut response, self.cancel).await {
                Err(trouble) => break Some(trouble.into()),
                Ok(None) => break None,
                Ok(Some(bytes)) => {
                    let bytes = bytes.as_ref();
                    if got + bytes.len() as u64 > limit {
                        break Some(Fault::TooLong(limit));
                    }
                    file.write_all(bytes).map_err(disk)?;
                    got += bytes.len() as u64;
                    (self.tell)(Event::Received(bytes.len() as u64));
                }
            }
        };
        drop(file);
        let fault = match (broke_off, wanted.bytes) {
            (None, Some(want)) if got < want => Fault::Cut { got, want },
            (None, _) => return Ok(()),
            (Some(fault), _) => fault,
        };
        // What is there now is counted by the next try.
        (self.tell)(Event::Corrected(-(got as i64)));
        let web_page = !goes_on && fs::read(part).is_ok_and(|bytes| is_web_page(&bytes));
        if web_page || matches!(fault, Fault::TooLong(_)) {
            fs::remove_file(part).map_err(disk)?;
        }
        Err(if web_page { Fault::WebPage } else { fault })
    }
}

/// What the head of an answer says. No file that is fetched is HTML.
fn says_web_page(response: &reqwest::Response) -> bool {
    let kind = response.headers().get(header::CONTENT_TYPE);
    kind.is_some_and(|kind| {
        kind.as_bytes()
            .to_ascii_lowercase()
            .starts_with(b"text/html")
    })
}

fn starts_at(response: &reqwest::Response, have: u64) -> bool {
    let range = response.headers().get(header::CONTENT_RANGE);
    range
        .and_then(|range| {
            range
                .to_str()
                .ok()?
                .strip_prefix("bytes ")?
                .split('-')
                .next()?
                .parse()
                .ok()
        })
        .is_none_or(|start: u64| start == have)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::library::http::OFFLINE_RETRIES;

    /// What a fetch from here tells of, and how often it tried.
    fn tries_at(base: String, retries: u32) -> (usize, String) {
        let dir = tempfile::tempdir().unwrap();
        let patience = Patience {
            connect_timeout: Duration::from_millis(200),
            stall_timeout: Duration::from_secs(30),
            retries,
            first_pause: Duration::from_millis(1),
        };
        let wanted = Wanted {
            path: "x".to_string(),
            to: dir.path().join("x"),
            bytes: None,
            expected: None,
        };
        let tried = std::sync::atomic::AtomicUsize::new(1);
        let tell = |event: &Event| {
            if matches!(event, Event::Retry { .. }) {
                tried.fetch_add(1, Ordering::Relaxed);
            }
        };
        let failures =
            super::super::files(&base, patience, &[wanted], &tell, &Cancel::new()).unwrap();
        (tried.into_inner(), failures[0].error.clone())
    }

    #[test]
    fn a_server_that_is_not_there_is_given_up_early_and_one_that_stumbles_is_not() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let server = std::thread::spawn(move || {
            for stream in listener.incoming().take(6) {
                let mut stream = stream.unwrap();
                let _ = std::io::Read::read(&mut stream, &mut [0; 1024]);
                let answer = "HTTP/1.1 503 Busy\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
                stream.write_all(answer.as_bytes()).unwrap();
            }
        });
        let (tries, error) = tries_at(address.clone(), 5);
        assert_eq!(tries, 6);
        assert!(error.contains("503"), "{error}");
        server.join().unwrap();
        // Nobody listens there any more.
        let (tries, error) = tries_at(address, 5);
        assert_eq!(tries, 1 + OFFLINE_RETRIES as usize);
        assert!(error.contains("check the connection"), "{error}");
    }
}
