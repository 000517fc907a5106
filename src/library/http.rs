//! Asking a server over a connection that may fail: time limits, tries with growing pauses, Ctrl-C, and what went
//! wrong in words.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use reqwest::header::RETRY_AFTER;
use reqwest::{Client, RequestBuilder, Response, StatusCode};
use thiserror::Error;

use super::job::Cancel;

/// Tries after the first while the server cannot be reached and has never been: two or three seconds in all.
pub const OFFLINE_RETRIES: u32 = 2;
/// The longest pause of our own between two tries.
const MAX_PAUSE: Duration = Duration::from_secs(30);
/// The longest pause that a server asks for and gets.
const MAX_ASKED: Duration = Duration::from_secs(120);
/// How often what goes on looks whether it is to stop.
const TICK: Duration = Duration::from_millis(100);

/// How patiently a server is asked.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// Time to connect in.
    pub connect_timeout: Duration,
    /// A transfer that brings nothing for so long is cut.
    pub stall_timeout: Duration,
    /// Tries after the first.
    pub retries: u32,
    /// The pause before the second try; it doubles with every further one.
    pub first_pause: Duration,
}

/// What a request failed by.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Trouble {
    /// Ctrl-C.
    #[error("stopped")]
    Cancelled,
    /// Its name is not known, or it refuses: told at once, where a time-out is not.
    #[error("cannot reach the server: {0}")]
    Unreachable(String),
    /// It could not be reached in time.
    #[error("cannot reach the server: {0}")]
    Connect(String),
    /// It answers with an error; and how long it asks us to wait, where it does.
    #[error("the server answers {0}")]
    Status(StatusCode, Option<Duration>),
    /// The connection ended.
    #[error("the transfer broke off: {0}")]
    Broken(String),
    /// Nothing came.
    #[error("nothing came for {} s", .0.as_secs_f64())]
    Stall(Duration),
}

impl Trouble {
    /// The answer of a server as what went wrong.
    pub fn of_status(response: &Response) -> Trouble {
        let asked = response.headers().get(RETRY_AFTER);
        let asked = asked.and_then(|value| value.to_str().ok()?.parse().ok());
        Trouble::Status(response.status(), asked.map(Duration::from_secs))
    }

    /// Whether another try may go better.
    pub fn passes(&self) -> bool {
        match self {
            Trouble::Cancelled => false,
            Trouble::Status(status, _) => {
                status.is_server_error()
                    || [StatusCode::REQUEST_TIMEOUT, StatusCode::TOO_MANY_REQUESTS].contains(status)
            }
            _ => true,
        }
    }
}

/// A client of one server.
pub struct Http {
    client: Client,
    patience: Patience,
    /// The server has answered something.
    answered: AtomicBool,
}

impl Http {
    /// A client that says who it is.
    ///
    /// # Errors
    ///
    /// If none can be made.
    pub fn new(user_agent: &str, patience: Patience, gzip: bool) -> reqwest::Result<Http> {
        let client = Client::builder()
            .user_agent(user_agent)
            .connect_timeout(patience.connect_timeout)
            .gzip(gzip)
            .build()?;
        Ok(Http {
            client,
            patience,
            answered: AtomicBool::new(false),
        })
    }

    /// Whether the server has ever answered.
    pub fn has_answered(&self) -> bool {
        self.answered.load(Ordering::Relaxed)
    }

    /// A request for what is at an address.
    pub fn get(&self, url: &str) -> RequestBuilder {
        self.client.get(url)
    }

    /// The head of the answer, whatever its status.
    ///
    /// # Errors
    ///
    /// If there is no answer.
    pub async fn send(
        &self,
        request: RequestBuilder,
        cancel: &Cancel,
    ) -> Result<Response, Trouble> {
        let response = self.unless_stopped(request.send(), cancel).await?;
        let response = response.map_err(|error| match cause(&error) {
            cause if error.is_timeout() => Trouble::Connect(cause),
            cause if error.is_connect() => Trouble::Unreachable(cause),
            cause => Trouble::Broken(cause),
        })?;
        self.answered.store(true, Ordering::Relaxed);
        Ok(response)
    }

    /// The next bytes of an answer; none at its end.
    ///
    /// # Errors
    ///
    /// If none come.
    pub async fn chunk(
        &self,
        response: &mut Response,
        cancel: &Cancel,
    ) -> Result<Option<impl AsRef<[u8]> + use<>>, Trouble> {
        let chunk = self.unless_stopped(response.chunk(), cancel).await?;
        chunk.map_err(|error| Trouble::Broken(cause(&error)))
    }

    /// How long to wait after so many tries that failed, the last by this; none where another is not worth it.
    /// A server that has answered before will be back.
    pub fn pause(&self, failed: u32, last: Option<&Trouble>) -> Option<Duration> {
        let retries = match last {
            Some(Trouble::Unreachable(_)) if !self.has_answered() => {
                self.patience.retries.min(OFFLINE_RETRIES)
            }
            _ => self.patience.retries,
        };
        let asked = match last {
            Some(Trouble::Status(_, asked)) => *asked,
            _ => None,
        };
        (failed <= retries).then(|| match asked {
            Some(asked) => asked.min(MAX_ASKED),
            None => growing(self.patience.first_pause, failed - 1),
        })
    }

    /// The outcome of `work`, or an error when it takes longer than a stall may, or is stopped.
    async fn unless_stopped<T>(
        &self,
        work: impl Future<Output = T>,
        cancel: &Cancel,
    ) -> Result<T, Trouble> {
        let stall = self.patience.stall_timeout;
        let started = Instant::now();
        let mut work = std::pin::pin!(work);
        // Bytes that come faster than the ticks leave no other moment to look.
        while !cancel.is_cancelled() {
            match tokio::time::timeout(TICK, &mut work).await {
                Ok(outcome) => return Ok(outcome),
                Err(_) if started.elapsed() >= stall => return Err(Trouble::Stall(stall)),
                Err(_) => {}
            }
        }
        Err(Trouble::Cancelled)
    }
}

/// Waits, but no longer than it is of use.
///
/// # Errors
///
/// If it is stopped.
pub async fn sleep(
    time: Duration,
    cancel: &Cancel,
    is_useless: impl Fn() -> bool,
) -> Result<(), Trouble> {
    let until = Instant::now() + time;
    while !cancel.is_cancelled() {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() || is_useless() {
            return Ok(());
        }
        tokio::time::sleep(left.min(TICK)).await;
    }
    Err(Trouble::Cancelled)
}

/// Doubles with every try, with up to half of it more or less, so that transfers that failed
/// together do not come back together.
fn growing(first: Duration, tries: u32) -> Duration {
    let clock = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |time| time.subsec_nanos());
    let jitter = 0.5 + f64::from(clock % 1000) / 1000.0;
    (first * 2_u32.saturating_pow(tries))
        .min(MAX_PAUSE)
        .mul_f64(jitter)
}

/// The innermost cause: "Connection refused" rather than "error sending request".
fn cause(error: &dyn std::error::Error) -> String {
    let mut error = error;
    while let Some(source) = error.source() {
        error = source;
    }
    error.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATIENCE: Patience = Patience {
        connect_timeout: Duration::from_secs(1),
        stall_timeout: Duration::from_secs(1),
        retries: 5,
        first_pause: Duration::from_millis(500),
    };

    #[test]
    fn what_passes_is_tried_again() {
        let status = |code| Trouble::Status(StatusCode::from_u16(code).unwrap(), None);
        for (trouble, passes) in [
            (status(502), true),
            (status(429), true),
            (status(404), false),
            (Trouble::Stall(Duration::ZERO), true),
            (Trouble::Cancelled, false),
        ] {
            assert_eq!(trouble.passes(), passes, "{trouble}");
        }
    }

    #[test]
    fn pauses_grow_and_stay_bounded() {
        let first = Duration::from_millis(500);
        for tries in 0..40 {
            let pause = growing(first, tries);
            let doubled = (first * 2_u32.saturating_pow(tries)).min(MAX_PAUSE);
            assert!(
                pause >= doubled / 2 && pause <= doubled * 3 / 2,
                "{tries}: {pause:?}"
            );
        }
    }

    #[test]
    fn a_server_gets_the_pause_it_asks_for_within_bounds_and_no_more_tries_than_it_is_worth() {
        let http = Http::new("test", PATIENCE, false).unwrap();
        let asks = |seconds| {
            let asked = Some(Duration::from_secs(seconds));
            Trouble::Status(StatusCode::TOO_MANY_REQUESTS, asked)
        };
        let seconds = |pause: Option<Duration>| pause.map(|pause| pause.as_secs());
        assert_eq!(seconds(http.pause(1, Some(&asks(7)))), Some(7));
        assert_eq!(seconds(http.pause(5, Some(&asks(3600)))), Some(120));
        assert_eq!(http.pause(6, Some(&asks(7))), None);
        let away = Trouble::Unreachable("refused".into());
        assert!(http.pause(2, Some(&away)).is_some());
        assert_eq!(http.pause(3, Some(&away)), None);
        http.answered.store(true, Ordering::Relaxed);
        assert!(http.pause(3, Some(&away)).is_some());
    }
}
