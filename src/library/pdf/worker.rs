//! Reading a PDF in a process of its own: what a hostile file can do there (run out of memory or
//! stack, go on for ever) costs the page it happens on, not the program.
//!
//! The program starts itself again with a first argument only it knows; the worker writes one
//! JSON message a line and its parent goes on from the next page when it dies.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{PdfError, Step, extract, read_pages, unreadable};
use crate::library::job::Cancel;
use crate::library::{PageQuality, PageText};

/// The first argument that makes the program a worker.
const ARGUMENT: &str = "--tenleaf-pdf-worker";
/// Address space of a worker. Reading a filing of 589 pages takes 40 MB.
const MEMORY_BYTES: u64 = 1 << 30;
/// CPU time for opening a file, and for each page. A filing of 589 pages takes 0.4 s.
const PAGE_CPU: Duration = Duration::from_secs(3);
/// A file that kills this many workers is given up.
const MAX_DEATHS: usize = 2;
/// Exit codes of a worker that stops itself.
const TOOK_TOO_LONG: i32 = 75;

static PROGRAM: OnceLock<PathBuf> = OnceLock::new();

/// To be called first thing in `main`: serves, and returns the exit code, if this process was
/// started as a worker; if not, remembers that this program can be one.
pub fn serve_if_asked() -> Option<ExitCode> {
    let mut args = std::env::args_os().skip(1);
    if args.next().is_some_and(|arg| arg == ARGUMENT) {
        return Some(serve(args.next(), args.next()));
    }
    if let Ok(program) = std::env::current_exe() {
        use_program(program);
    }
    None
}

/// Names the program whose `main` calls [`serve_if_asked`]; the first call counts. Without one,
/// [`extract_file`] works in this process.
pub fn use_program(program: PathBuf) {
    let _ = PROGRAM.set(program);
}

#[derive(Serialize, Deserialize)]
enum Message {
    Opened {
        count: u32,
    },
    Page {
        page: u32,
        quality: PageQuality,
        text: String,
        failed: Option<String>,
    },
    Error(PdfError),
    Done,
}

/// Like [`extract`], of a file, in a worker. `cancelled` is looked at between pages; a cancelled
/// extraction is `Ok(None)`.
///
/// # Errors
///
/// `Err` is what is wrong with the document, or that it cannot be read from disk.
pub fn extract_file(path: &Path, cancelled: &Cancel) -> Result<Option<Vec<PageText>>, PdfError> {
    let Some(program) = PROGRAM.get() else {
        let bytes = read_file(path)?;
        return extract(&bytes).map(Some);
    };
    let mut read = Progress::default();
    let mut deaths = 0;
    loop {
        let child = Command::new(program)
            .arg(ARGUMENT)
            .arg(path)
            .arg(read.pages.len().to_string())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        let Ok(child) = child else {
            // The program was replaced under us, or the system is out of processes.
            let bytes = read_file(path)?;
            return extract(&bytes).map(Some);
        };
        match read.take_from(child, cancelled)? {
            Ended::Done => break,
            Ended::Cancelled => return Ok(None),
            Ended::Died(what) => {
                let failed = PdfError::Failed {
                    page: if read.count == 0 {
                        0
                    } else {
                        read.pages.len() as u32 + 1
                    },
                    what,
                };
                deaths += 1;
                if read.count == 0 || deaths > MAX_DEATHS {
                    return Err(failed);
                }
                tracing::warn!("{}: {failed}", path.display());
                read.failed.get_or_insert(failed);
                read.pages.push(unreadable());
                if read.pages.len() as u32 >= read.count {
                    break;
                }
            }
        }
    }
    match read.failed {
        Some(error) if read.pages.iter().all(|page| page.text.is_empty()) => Err(error),
        _ => Ok(Some(read.pages)),
    }
}

/// What of a document is known so far.
#[derive(Default)]
struct Progress {
    /// Number of pages; 0 until the file is open.
    count: u32,
    pages: Vec<PageText>,
    failed: Option<PdfError>,
}

/// How a worker ended.
enum Ended {
    Done,
    Cancelled,
    Died(String),
}

impl Progress {
    fn take_from(&mut self, mut child: Child, cancelled: &Cancel) -> Result<Ended, PdfError> {
        let stdout = child.stdout.take().expect("it is piped");
        for line in BufReader::new(stdout).lines() {
            if cancelled.is_cancelled() {
                let _ = child.kill();
                let _ = child.wait();
                return Ok(Ended::Cancelled);
            }
            let message = line.ok().and_then(|line| serde_json::from_str(&line).ok());
            match message {
                Some(Message::Opened { count }) => self.count = count,
                Some(Message::Page {
                    page,
                    quality,
                    text,
                    failed,
                }) => {
                    if let Some(what) = failed {
                        let page = page + 1;
                        self.failed.get_or_insert(PdfError::Failed { page, what });
                    }
                    self.pages.push(PageText { text, quality });
                }
                Some(Message::Error(error)) => {
                    let _ = child.wait();
                    return Err(error);
                }
                Some(Message::Done) => {
                    let _ = child.wait();
                    return Ok(Ended::Done);
                }
                // Half a line: it died while writing.
                None => break,
            }
        }
        let mut report = String::new();
        if let Some(stderr) = child.stderr.take() {
            let _ = stderr.take(4096).read_to_string(&mut report);
        }
        let status = child.wait();
        if cancelled.is_cancelled() {
            return Ok(Ended::Cancelled);
        }
        Ok(Ended::Died(match status {
            Ok(status) if status.code() == Some(TOOK_TOO_LONG) => {
                format!("took more than {} s of computing", PAGE_CPU.as_secs())
            }
            _ if report.contains("memory allocation") => {
                format!("needs more than {} MB of memory", MEMORY_BYTES >> 20)
            }
            _ if report.contains("stack") => "is nested too deeply".to_string(),
            Ok(status) => format!("the reader ended ({status})"),
            Err(error) => error.to_string(),
        }))
    }
}

fn read_file(path: &Path) -> Result<Vec<u8>, PdfError> {
    std::fs::read(path).map_err(|error| super::failed_opening(error.to_string()))
}

/// CPU time, in ms, at which what the worker does now will have taken too long.
static DEADLINE: AtomicU64 = AtomicU64::new(u64::MAX);

fn serve(path: Option<OsString>, first: Option<OsString>) -> ExitCode {
    let first = first.and_then(|n| n.to_str()?.parse().ok());
    let (Some(path), Some(first)) = (path, first) else {
        return ExitCode::FAILURE;
    };
    limit_memory();
    std::thread::spawn(|| {
        loop {
            std::thread::sleep(Duration::from_millis(100));
            if cpu_ms() > DEADLINE.load(Ordering::Relaxed) {
                std::process::exit(TOOK_TOO_LONG);
            }
        }
    });
    let mut out = BufWriter::new(std::io::stdout());
    let sent = read_and_send(Path::new(&path), first, &mut out);
    // A parent that is gone wants nothing more.
    match sent.and_then(|()| out.flush()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn read_and_send(path: &Path, first: u32, out: &mut (impl Write + Send)) -> std::io::Result<()> {
    next_deadline();
    let mut sent = Ok(());
    let result = read_file(path).and_then(|bytes| {
        read_pages(&bytes, first, |step| {
            let message = match step {
                Step::Opened { count } => Message::Opened { count },
                Step::Page { page, text } => {
                    let (text, failed) = match text {
                        Ok(text) => (text, None),
                        Err(what) => (unreadable(), Some(what)),
                    };
                    let PageText { text, quality } = text;
                    Message::Page {
                        page,
                        quality,
                        text,
                        failed,
                    }
                }
            };
            if sent.is_ok() {
                // Flushed, so that what was read is not lost with the worker.
                sent = send(out, &message).and_then(|()| out.flush());
            }
            if sent.is_err() {
                std::process::exit(1);
            }
            next_deadline();
        })
    });
    sent?;
    send(
        out,
        &match result {
            Ok(()) => Message::Done,
            Err(error) => Message::Error(error),
        },
    )
}

fn send(out: &mut impl Write, message: &Message) -> std::io::Result<()> {
    serde_json::to_writer(&mut *out, message)?;
    out.write_all(b"\n")
}

fn next_deadline() {
    DEADLINE.store(cpu_ms() + PAGE_CPU.as_millis() as u64, Ordering::Relaxed);
}

/// CPU time this process has used, in ms.
fn cpu_ms() -> u64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `time` is a valid place for the answer.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    time.tv_sec as u64 * 1000 + time.tv_nsec as u64 / 1_000_000
}

fn limit_memory() {
    let limit = |bytes| libc::rlimit {
        rlim_cur: bytes,
        rlim_max: bytes,
    };
    // SAFETY: both read a valid struct; failing leaves the limits as they were.
    unsafe {
        libc::setrlimit(libc::RLIMIT_AS, &limit(MEMORY_BYTES as libc::rlim_t));
        libc::setrlimit(libc::RLIMIT_CORE, &limit(0));
    }
}
