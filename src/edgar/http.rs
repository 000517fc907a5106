//! Asking EDGAR the way it wants to be asked: a contact in the User-Agent, a limited rate, patience.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime};

use futures_util::StreamExt;
use reqwest::StatusCode;
use reqwest::header::RETRY_AFTER;
use thiserror::Error;

use super::client::EdgarConfig;
use super::html::MAX_BYTES;
use crate::library::checksum::sha256;
use crate::library::job::Cancel;
use crate::library::store::write_atomic;

/// EDGAR's own limit.
const MAX_PER_SECOND: u32 = 10;
/// Tries in all.
const TRIES: u32 = 6;
/// Tries in all while EDGAR cannot be reached and has never been: a few seconds.
const OFFLINE_TRIES: u32 = 3;
/// Wait before the second try; it doubles with every other.
const FIRST_WAIT: Duration = Duration::from_millis(500);
/// Longest wait asked for that is waited.
const MAX_WAIT: Duration = Duration::from_secs(120);
/// What is said where EDGAR's name is not known, or it refuses.
const NO_CONNECTION: &str = "no connection";
/// How often what goes on looks whether it is to stop.
const TICK: Duration = Duration::from_millis(100);
/// A transfer that stands still is cut.
const STALL: Duration = Duration::from_secs(30);

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
    #[error("{url}: {what}, {tries} times; try again later: what was fetched is kept")]
    GaveUp {
        /// What was asked for.
        url: String,
        /// The last answer.
        what: String,
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

pub(super) struct Http {
    client: reqwest::Client,
    cache: PathBuf,
    interval: Duration,
    next: Mutex<Instant>,
    first_wait: Duration,
    /// EDGAR has answered something.
    answered: AtomicBool,
}

impl Http {
    pub(super) fn new(config: &EdgarConfig, cache: &Path) -> Result<Http, EdgarError> {
        let contact = config.contact.trim();
        if contact.is_empty() {
            return Err(EdgarError::NoContact);
        }
        if !contact.contains('@') || !contact.bytes().all(|b| (32..127).contains(&b)) {
            return Err(EdgarError::BadContact(contact.to_string()));
        }
        let client = reqwest::Client::builder()
            .user_agent(format!("tenleaf/{} {contact}", env!("CARGO_PKG_VERSION")))
            .connect_timeout(Duration::from_secs(20))
            .read_timeout(STALL)
            .build()
            .map_err(|error| EdgarError::Local(error.to_string()))?;
        let per_second = config.requests_per_second.clamp(1, MAX_PER_SECOND);
        Ok(Http {
            client,
            cache: cache.to_path_buf(),
            interval: Duration::from_secs(1) / per_second,
            next: Mutex::new(Instant::now()),
            first_wait: FIRST_WAIT,
            answered: AtomicBool::new(false),
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
        let mut last = String::new();
        let mut tries = 0;
        loop {
            if tries > 0 {
                tracing::info!("{url}: {last}; trying again");
            }
            self.wait_for_turn(cancel).await?;
            let wait = match unless_stopped(self.once(url), cancel).await?? {
                Answer::Is(bytes) => return Ok(bytes),
                Answer::Later(what, wait) => {
                    last = what;
                    wait.unwrap_or(self.first_wait * 2u32.pow(tries))
                        .min(MAX_WAIT)
                }
            };
            tries += 1;
            let most = match last.as_str() {
                NO_CONNECTION if !self.answered.load(Ordering::Relaxed) => OFFLINE_TRIES,
                _ => TRIES,
            };
            if tries >= most {
                return Err(EdgarError::GaveUp {
                    url: url.to_string(),
                    what: last,
                    tries,
                });
            }
            sleep(wait, cancel).await?;
        }
    }

    /// Waits until the rate allows one more request.
    async fn wait_for_turn(&self, cancel: &Cancel) -> Result<(), EdgarError> {
        let at = {
            let mut next = self.next.lock().expect("not poisoned");
            let at = (*next).max(Instant::now());
            *next = at + self.interval;
            at
        };
        sleep(at.saturating_duration_since(Instant::now()), cancel).await
    }

    async fn once(&self, url: &str) -> Result<Answer, EdgarError> {
        let response = match self.client.get(url).send().await {
            Ok(response) => response,
            Err(error) => return Ok(Answer::Later(plain(&error), None)),
        };
        self.answered.store(true, Ordering::Relaxed);
        let status = response.status();
        let wait = response
            .headers()
            .get(RETRY_AFTER)
            .and_then(|value| value.to_str().ok()?.parse().ok())
            .map(Duration::from_secs);
        if status == StatusCode::NOT_FOUND {
            return Err(EdgarError::NotFound(url.to_string()));
        }
        let mut bytes = Vec::new();
        let mut stream = response.bytes_stream();
        while let Some(piece) = stream.next().await {
            match piece {
                Ok(piece) => bytes.extend_from_slice(&piece),
                Err(error) => return Ok(Answer::Later(plain(&error), None)),
            }
            if bytes.len() > MAX_BYTES {
                return Err(EdgarError::TooLarge(url.to_string()));
            }
        }
        let throttled = || {
            String::from_utf8_lossy(&bytes[..bytes.len().min(20_000)])
                .contains("Request Rate Threshold")
        };
        match status.as_u16() {
            200 => Ok(Answer::Is(bytes)),
            403 if throttled() => Ok(Answer::Later("too many requests".to_string(), wait)),
            429 => Ok(Answer::Later("too many requests".to_string(), wait)),
            500..=599 => Ok(Answer::Later(format!("EDGAR answers {status}"), wait)),
            401 | 403 => Err(EdgarError::Refused {
                status: status.as_u16(),
                url: url.to_string(),
            }),
            _ => Err(EdgarError::Unexpected {
                url: url.to_string(),
                what: format!("status {status}"),
            }),
        }
    }
}

enum Answer {
    Is(Vec<u8>),
    /// Not now: why, and how long to wait where it says so.
    Later(String, Option<Duration>),
}

/// An error without the address, which stands beside it.
fn plain(error: &reqwest::Error) -> String {
    if error.is_timeout() {
        return "no answer in time".to_string();
    }
    if error.is_connect() {
        return NO_CONNECTION.to_string();
    }
    "the transfer broke off".to_string()
}

/// The outcome of `work`, or an error as soon as it is to stop.
async fn unless_stopped<T>(
    work: impl Future<Output = T>,
    cancel: &Cancel,
) -> Result<T, EdgarError> {
    let mut work = std::pin::pin!(work);
    while !cancel.is_cancelled() {
        if let Ok(done) = tokio::time::timeout(TICK, &mut work).await {
            return Ok(done);
        }
    }
    Err(EdgarError::Cancelled)
}

/// Sleeps in pieces, so that Ctrl-C is heard.
async fn sleep(wait: Duration, cancel: &Cancel) -> Result<(), EdgarError> {
    let until = Instant::now() + wait;
    loop {
        if cancel.is_cancelled() {
            return Err(EdgarError::Cancelled);
        }
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(());
        }
        tokio::time::sleep(left.min(TICK)).await;
    }
}
