//! Reading a PDF in a process of its own ([`crate::library::worker`]); the parent goes on from the next
//! page when it dies.

use std::ffi::OsString;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{PdfError, Step, extract, read_pages, unreadable};
use crate::library::job::Cancel;
use crate::library::worker::{Job, Next, Worker, allow, send};
use crate::library::{PageQuality, PageText};

/// A worker that reads PDFs. Reading a filing of 589 pages takes 40 MB.
pub const JOB: Job = Job {
    argument: "--tenleaf-pdf-worker",
    memory_bytes: 1 << 30,
    serve,
};
/// CPU time for opening a file, and for each page. A filing of 589 pages takes 0.4 s.
const PAGE_CPU: Duration = Duration::from_secs(3);
/// A file that kills this many workers is given up.
const MAX_DEATHS: usize = 2;

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
    let mut read = Progress::default();
    let mut deaths = 0;
    loop {
        let first = read.pages.len().to_string();
        let Some(worker) = Worker::start(&JOB, path, Some(first)) else {
            let bytes = read_file(path)?;
            return extract(&bytes).map(Some);
        };
        match read.take_from(worker, cancelled)? {
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
    fn take_from(&mut self, mut worker: Worker, cancelled: &Cancel) -> Result<Ended, PdfError> {
        loop {
            match worker.next(cancelled) {
                Next::Message(Message::Opened { count }) => self.count = count,
                Next::Message(Message::Page {
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
                Next::Message(Message::Error(error)) => return Err(error),
                Next::Message(Message::Done) => return Ok(Ended::Done),
                Next::Cancelled => return Ok(Ended::Cancelled),
                Next::Ended => return Ok(Ended::Died(worker.died_of())),
            }
        }
    }
}

fn read_file(path: &Path) -> Result<Vec<u8>, PdfError> {
    std::fs::read(path).map_err(|error| super::failed_opening(error.to_string()))
}

fn serve(args: Vec<OsString>) -> ExitCode {
    let [path, first] = args.as_slice() else {
        return ExitCode::FAILURE;
    };
    let Some(first) = first.to_str().and_then(|n| n.parse().ok()) else {
        return ExitCode::FAILURE;
    };
    let mut out = BufWriter::new(std::io::stdout());
    // A parent that is gone wants nothing more.
    match read_and_send(Path::new(path), first, &mut out) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn read_and_send(path: &Path, first: u32, out: &mut (impl Write + Send)) -> std::io::Result<()> {
    allow(PAGE_CPU);
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
                sent = send(out, &message);
            }
            if sent.is_err() {
                std::process::exit(1);
            }
            allow(PAGE_CPU);
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
