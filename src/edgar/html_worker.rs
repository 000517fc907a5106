//! Reading HTML in a process of its own ([`crate::library::worker`]): a tag of a million attributes takes
//! the tokenizer for ever.

use std::ffi::OsString;
use std::fs;
use std::io::BufWriter;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use super::html::{self, Document, HtmlError};
use crate::library::job::Cancel;
use crate::library::worker::{Job, Next, Worker, allow, send};

/// A worker that reads HTML. The largest file takes about six times its size.
pub const JOB: Job = Job {
    argument: "--tenleaf-html-worker",
    memory_bytes: 2 << 30,
    serve,
};
/// CPU time for a file, and for each MB of it. A filing takes 0.1 s, and 0.02 s for each MB.
const FILE_CPU: Duration = Duration::from_secs(6);
const MB_CPU: Duration = Duration::from_millis(200);

/// Like [`html::read`], of a file, in a worker; a cancelled reading is `Ok(None)`.
pub fn read_file(path: &Path, cancel: &Cancel) -> Result<Option<Document>, HtmlError> {
    let Some(mut worker) = Worker::start(&JOB, path, None) else {
        return read_here(path).map(Some);
    };
    match worker.next::<Result<Document, HtmlError>>(cancel) {
        Next::Message(read) => read.map(Some),
        Next::Cancelled => Ok(None),
        Next::Ended => Err(HtmlError::Failed(worker.died_of())),
    }
}

fn read_here(path: &Path) -> Result<Document, HtmlError> {
    let bytes = fs::read(path).map_err(|error| HtmlError::Failed(error.to_string()))?;
    html::read(&bytes)
}

fn serve(args: Vec<OsString>) -> ExitCode {
    let [path] = args.as_slice() else {
        return ExitCode::FAILURE;
    };
    let path = Path::new(path);
    let bytes = fs::metadata(path).map_or(0, |there| there.len());
    allow(FILE_CPU + MB_CPU * (bytes >> 20) as u32);
    let mut out = BufWriter::new(std::io::stdout());
    // A parent that is gone wants nothing more.
    match send(&mut out, &read_here(path)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}
