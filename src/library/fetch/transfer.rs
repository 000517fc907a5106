//! One file from the server, with tries, pauses and parts that go on.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};
use reqwest::{Client, StatusCode, header};

use super::FetchPlan;
use super::fault::{Fault, InARow, cause, fault_of, is_web_page};
use crate::library::checksum::Expected;
use crate::library::import::{failed, is_disk_full};
use crate::library::job::{Cancel, Event};
use crate::library::store;

/// A PDF of unknown length is not longer than this.
const MAX_BYTES: u64 = 256 << 20;
/// Tries after the first while the server cannot be reached and has never been: two or three seconds in all.
const OFFLINE_RETRIES: u32 = 2;
/// The longest pause between two tries.
const MAX_PAUSE: Duration = Duration::from_secs(30);
/// How often a transfer looks at the flag that stops it.
const TICK: Duration = Duration::from_millis(100);

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
    client: Client,
    plan: &'a FetchPlan,
    tell: &'a (dyn Fn(Event) + Sync),
    cancel: &'a Cancel,
    /// Nothing more can be written.
    full: &'a AtomicBool,
    /// The server has answered something.
    answered: AtomicBool,
    /// It never did, through all tries of a file: the others need not wait as long.
    unreachable: AtomicBool,
    in_a_row: Mutex<InARow>,
}

impl<'a> Transfers<'a> {
    pub(super) fn new(
        plan: &'a FetchPlan,
        tell: &'a (dyn Fn(Event) + Sync),
        full: &'a AtomicBool,
        cancel: &'a Cancel,
    ) -> Result<Self> {
        Ok(Transfers {
            client: client(plan)?,
            plan,
            tell,
            full,
            cancel,
            answered: AtomicBool::new(false),
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
            Err(Fault::Cancelled) => false,
            // It was under way when others showed that it is of no use.
            Err(_) if self.given_up().is_some() => false,
            Err(fault) => {
                self.in_a_row.lock().expect("not poisoned").failed(&fault);
                let connecting = matches!(fault, Fault::Connect(_) | Fault::Unreachable(_));
                let mut error = anyhow!(fault);
                if connecting && !self.answered.load(Ordering::Relaxed) {
                    if self.unreachable.swap(true, Ordering::Relaxed) {
                        return false;
                    }
                    error = error.context(format!(
                        "no file could be fetched; check the connection and the address under [fetch] or [model] in the config \
                         ({})",
                        self.plan.base
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
        let mut tries = 0;
        loop {
            let fault = match self.once(wanted).await {
                Ok(()) => return Ok(()),
                Err(fault) => fault,
            };
            if !fault.passes() || tries >= self.retries(&fault) || self.is_hopeless() {
                return Err(fault);
            }
            let after = pause(self.plan.first_pause, tries);
            tries += 1;
            (self.tell)(Event::Retry {
                what: wanted.path.clone(),
                error: fault.to_string(),
                after,
            });
            self.sleep(after).await?;
        }
    }

    /// How many more tries a fault is worth. A server that has answered before will be back.
    fn retries(&self, fault: &Fault) -> u32 {
        match fault {
            Fault::Unreachable(_) if !self.answered.load(Ordering::Relaxed) => {
                self.plan.retries.min(OFFLINE_RETRIES)
            }
            _ => self.plan.retries,
        }
    }

    async fn sleep(&self, time: Duration) -> Result<(), Fault> {
        let until = Instant::now() + time;
        while Instant::now() < until && !self.is_hopeless() {
            if self.cancel.is_cancelled() {
                return Err(Fault::Cancelled);
            }
            let left = until.saturating_duration_since(Instant::now());
            tokio::time::sleep(TICK.min(left)).await;
        }
        Ok(())
    }

    /// One try: brings in what is missing of the `.part`, checks it and gives it its name.
    async fn once(&self, wanted: &Wanted) -> Result<(), Fault> {
        let part = part_path(&wanted.to);
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
        let mut request = self
            .client
            .get(format!("{}/{}", self.plan.base, wanted.path));
        if have > 0 {
            request = request.header(header::RANGE, format!("bytes={have}-"));
        }
        let mut response = self
            .unless_stopped(request.send())
            .await?
            .map_err(fault_of)?;
        self.answered.store(true, Ordering::Relaxed);
        let status = response.status();
        if status == StatusCode::RANGE_NOT_SATISFIABLE {
            // The part is longer than the file: it is of something else.
            fs::remove_file(part).map_err(disk)?;
        }
        if !status.is_success() {
            return Err(Fault::Status(status));
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
            match self.unless_stopped(response.chunk()).await {
                Err(fault) => break Some(fault),
                Ok(Err(error)) => break Some(Fault::Broken(cause(&error))),
                Ok(Ok(None)) => break None,
                Ok(Ok(Some(bytes))) => {
                    if got + bytes.len() as u64 > limit {
                        break Some(Fault::TooLong(limit));
                    }
                    file.write_all(&bytes).map_err(disk)?;
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

    /// The outcome of `work`, or a fault when it takes longer than a stall may, or is stopped.
    async fn unless_stopped<T>(&self, work: impl Future<Output = T>) -> Result<T, Fault> {
        // Bytes that come faster than the ticks leave no other moment to look.
        if self.cancel.is_cancelled() {
            return Err(Fault::Cancelled);
        }
        let mut work = std::pin::pin!(work);
        let started = Instant::now();
        loop {
            match tokio::time::timeout(TICK, &mut work).await {
                Ok(outcome) => return Ok(outcome),
                Err(_) if self.cancel.is_cancelled() => return Err(Fault::Cancelled),
                Err(_) if started.elapsed() >= self.plan.stall_timeout => {
                    return Err(Fault::Stall(self.plan.stall_timeout));
                }
                Err(_) => {}
            }
        }
    }
}

/// Where a file is while it comes in.
fn part_path(to: &Path) -> PathBuf {
    let mut name = to.as_os_str().to_os_string();
    name.push(".part");
    name.into()
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

/// Doubles with every try, with up to half of it more or less, so that transfers that failed
/// together do not come back together.
fn pause(first: Duration, tries: u32) -> Duration {
    let clock = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(0, |time| time.subsec_nanos());
    let jitter = 0.5 + f64::from(clock % 1000) / 1000.0;
    (first * 2_u32.saturating_pow(tries))
        .min(MAX_PAUSE)
        .mul_f64(jitter)
}

fn client(plan: &FetchPlan) -> Result<Client> {
    Ok(Client::builder()
        .user_agent(concat!("tenleaf/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(plan.connect_timeout)
        // Ranges and hashes are of the file itself.
        .no_gzip()
        .build()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_and_stay_bounded() {
        let first = Duration::from_millis(500);
        for tries in 0..40 {
            let pause = pause(first, tries);
            let doubled = (first * 2_u32.saturating_pow(tries)).min(MAX_PAUSE);
            assert!(
                pause >= doubled / 2 && pause <= doubled * 3 / 2,
                "{tries}: {pause:?}"
            );
        }
    }

    /// What a fetch from here tells of, and how often it tried.
    fn tries_at(base: String, retries: u32) -> (usize, String) {
        let dir = tempfile::tempdir().unwrap();
        let config = &crate::config::Config::shipped().fetch;
        let plan = FetchPlan {
            base,
            retries,
            first_pause: Duration::from_millis(1),
            connect_timeout: Duration::from_millis(200),
            ..FetchPlan::new(dir.path(), config)
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
        let failures = super::super::files(&plan, &[wanted], &tell, &Cancel::new()).unwrap();
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
