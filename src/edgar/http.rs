//! Asking EDGAR the way it wants to be asked: a contact in the User-Agent and a limited rate; and a cache.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant, SystemTime};

use reqwest::StatusCode;
use thiserror::Error;

use super::client::EdgarConfig;
use super::html::MAX_BYTES;
use crate::library::checksum::sha256;
use crate::library::http::{Http, Patience, Trouble, sleep};
use crate::library::job::Cancel;
use crate::library::store::write_atomic;

/// EDGAR's own limit.
const MAX_PER_SECOND: u32 = 10;
/// How patiently it is asked.
const PATIENCE: Patience = Patience {
    connect_timeout: Duration::from_secs(20),
    stall_timeout: Duration::from_secs(30),
    retries: 5,
    first_pause: Duration::from_millis(500),
};

/// Why EDGAR did not answer.
#[derive(Debug, Error)]
pub enum EdgarError {
    /// No contact is set.
    #[error(
        "EDGAR asks every client for a contact address and none is set: put `contact = \"Your Name you@example.com\"` under [edgar] in your config file (`tenleaf config` names it)"
    )]
    NoContact,
    /// A contact that cannot stand in a header.
    #[error("[edgar] contact {0:?} cannot be sent: use plain letters, with an e-mail address")]
    BadContact(String),
    /// There is no such thing.
    #[error("EDGAR has no {0}")]
    NotFound(String),
    /// It answers, but not to us.
    #[error(
        "EDGAR refuses to answer ({status}) for {url}; it wants a User-Agent with a real contact: check [edgar] contact"
    )]
    Refused {
        /// HTTP status.
        status: u16,
        /// What was asked for.
        url: String,
    },
    /// It did not answer, many times.
    #[error("{url}: {last}, {tries} times; try again later: what was fetched is kept")]
    GaveUp {
        /// What was asked for.
        url: String,
        /// What the last try failed by.
        last: Trouble,
        /// How often it was asked.
        tries: u32,
    },
    /// The answer is too large.
    #[error("{0} is larger than {mb} MB", mb = MAX_BYTES >> 20)]
    TooLarge(String),
    /// The answer cannot be understood.
    #[error("{url}: the answer is not what EDGAR sends: {what}")]
    Unexpected {
        /// What was asked for.
        url: String,
        /// What is wrong with it.
        what: String,
    },
    /// Ctrl-C.
    #[error("stopped")]
    Cancelled,
    /// The cache cannot be written, or no HTTP client be made.
    #[error("{0}")]
    Local(String),
}

pub(super) struct Edgar {
    http: Http,
    cache: PathBuf,
    interval: Duration,
    next: Mutex<Instant>,
}

impl Edgar {
    pub(super) fn new(config: &EdgarConfig, cache: &Path) -> Result<Edgar, EdgarError> {
        let contact = config.contact.trim();
        if contact.is_empty() {
            return Err(EdgarError::NoContact);
        }
        if !contact.contains('@') || !contact.bytes().all(|b| (32..127).contains(&b)) {
            return Err(EdgarError::BadContact(contact.to_string()));
        }
        let agent = format!("tenleaf/{} {contact}", env!("CARGO_PKG_VERSION"));
        let http = Http::new(&agent, PATIENCE, true)
            .map_err(|error| EdgarError::Local(error.to_string()))?;
        let per_second = config.requests_per_second.clamp(1, MAX_PER_SECOND);
        Ok(Edgar {
            http,
            cache: cache.to_path_buf(),
            interval: Duration::from_secs(1) / per_second,
            next: Mutex::new(Instant::now()),
        })
    }

    /// Where the cache keeps an address.
    pub(super) fn cached(&self, url: &str) -> PathBuf {
        self.cache.join(&sha256(url.as_bytes())[..32])
    }

    /// What is at an address, from the cache where it is not older than `fresh` (`None`: however old).
    pub(super) async fn get(
        &self,
        url: &str,
        fresh: Option<Duration>,
        cancel: &Cancel,
    ) -> Result<Vec<u8>, EdgarError> {
        let path = self.cached(url);
        let age = std::fs::metadata(&path)
            .and_then(|meta| meta.modified())
            .ok()
            .map(|at| SystemTime::now().duration_since(at).unwrap_or_default());
        if let Some(age) = age
            && fresh.is_none_or(|fresh| age < fresh)
            && let Ok(bytes) = std::fs::read(&path)
        {
            return Ok(bytes);
        }
        let bytes = self.ask(url, cancel).await?;
        std::fs::create_dir_all(&self.cache)
            .and_then(|()| write_atomic(&path, &bytes).map_err(std::io::Error::other))
            .map_err(|error| {
                EdgarError::Local(format!("writing the cache {}: {error}", path.display()))
            })?;
        Ok(bytes)
    }

    async fn ask(&self, url: &str, cancel: &Cancel) -> Result<Vec<u8>, EdgarError> {
        let mut failed = 0;
        loop {
            let trouble = match self.once(url, cancel).await {
                Ok(bytes) => return Ok(bytes),
                Err(Miss::ForGood(error)) => return Err(error),
                Err(Miss::ForNow(trouble)) => trouble,
            };
            failed += 1;
            let Some(pause) = self.http.pause(failed, Some(&trouble)) else {
                return Err(EdgarError::GaveUp {
                    url: url.to_string(),
                    last: trouble,
                    tries: failed,
                });
            };
            tracing::info!("{url}: {trouble}; trying again");
            let slept = sleep(pause, cancel, || false).await;
            slept.map_err(|_| EdgarError::Cancelled)?;
        }
    }

    async fn once(&self, url: &str, cancel: &Cancel) -> Result<Vec<u8>, Miss> {
        self.wait_for_turn(cancel).await?;
        let mut response = self.http.send(self.http.get(url), cancel).await?;
        let status = response.status();
        if status == StatusCode::NOT_FOUND {
            return Err(EdgarError::NotFound(url.to_string()).into());
        }
        let mut bytes = Vec::new();
        while let Some(piece) = self.http.chunk(&mut response, cancel).await? {
            bytes.extend_from_slice(piece.as_ref());
            if bytes.len() > MAX_BYTES {
                return Err(EdgarError::TooLarge(url.to_string()).into());
            }
        }
        let throttled = || {
            String::from_utf8_lossy(&bytes[..bytes.len().min(20_000)])
                .contains("Request Rate Threshold")
        };
        Err(match (status.as_u16(), Trouble::of_status(&response)) {
            (200, _) => return Ok(bytes),
            (403, Trouble::Status(_, asked)) if throttled() => {
                Miss::ForNow(Trouble::Status(StatusCode::TOO_MANY_REQUESTS, asked))
            }
            (_, trouble) if trouble.passes() => Miss::ForNow(trouble),
            (status @ (401 | 403), _) => Miss::ForGood(EdgarError::Refused {
                status,
                url: url.to_string(),
            }),
            _ => Miss::ForGood(EdgarError::Unexpected {
                url: url.to_string(),
                what: format!("status {status}"),
            }),
        })
    }

    /// Waits until the rate allows one more request.
    async fn wait_for_turn(&self, cancel: &Cancel) -> Result<(), Trouble> {
        let at = {
            let mut next = self.next.lock().expect("not poisoned");
            let at = (*next).max(Instant::now());
            *next = at + self.interval;
            at
        };
        let wait = at.saturating_duration_since(Instant::now());
        sleep(wait, cancel, || false).await
    }
}

/// Why a try brought nothing.
enum Miss {
    /// Another may.
    ForNow(Trouble),
    ForGood(EdgarError),
}

impl From<Trouble> for Miss {
    fn from(trouble: Trouble) -> Miss {
        match trouble {
            Trouble::Cancelled => Miss::ForGood(EdgarError::Cancelled),
            trouble => Miss::ForNow(trouble),
        }
    }
}

impl From<EdgarError> for Miss {
    fn from(error: EdgarError) -> Miss {
        Miss::ForGood(error)
    }
}
