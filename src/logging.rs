//! The log file, and what a panic leaves behind. Nothing here writes to the screen but the
//! panic hook's last words.

use std::io::{self, Write};
use std::panic;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock};

use tracing_appender::rolling::{RollingFileAppender, Rotation};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::MakeWriter;

use crate::caught::message_of;

const DAYS_KEPT: usize = 7;

/// Logs to a file a day in `dir`, which is made when the first line is written. The level is
/// `info`, or what `TENLEAF_LOG` says (`debug`, `tenleaf=trace,tantivy=info`, ...).
///
/// Call once, first of all.
pub fn start(dir: &Path) {
    let filter = EnvFilter::try_from_env("TENLEAF_LOG")
        .unwrap_or_else(|_| EnvFilter::new("warn,tenleaf=info"));
    let started = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(false)
        .with_writer(LogFile::new(dir))
        // On a full disk every line would be a complaint on the screen; `doctor` says it once.
        .log_internal_errors(false)
        .try_init();
    if started.is_err() {
        tracing::warn!("logging had been started before");
    }
}

/// Writes the panic with its backtrace to the log, and to stderr one sentence that names the log.
///
/// The workbench sets its own hook on top, which restores the terminal first.
pub fn catch_panics(dir: &Path) {
    let dir = dir.to_path_buf();
    panic::set_hook(Box::new(move |info| {
        let message = message_of(info.payload());
        let place = info
            .location()
            .map(|at| format!("{}:{}", at.file(), at.line()))
            .unwrap_or_default();
        let backtrace = std::backtrace::Backtrace::force_capture();
        tracing::error!("panic at {place}: {message}\n{backtrace}");
        let _ = writeln!(
            io::stderr(),
            "tenleaf: stopped by a mistake of its own ({message}, {place})\n  \
             what led to it is in the newest file of {}",
            dir.display()
        );
    }));
}

/// Opens the day's file at the first line, so that a command with nothing to say leaves no folder.
struct LogFile {
    dir: PathBuf,
    file: OnceLock<Option<Mutex<RollingFileAppender>>>,
}

impl LogFile {
    fn new(dir: &Path) -> LogFile {
        LogFile {
            dir: dir.to_path_buf(),
            file: OnceLock::new(),
        }
    }

    fn open(dir: &Path) -> Option<Mutex<RollingFileAppender>> {
        // The appender complains on stderr when it has to make the folder itself.
        std::fs::create_dir_all(dir).ok()?;
        RollingFileAppender::builder()
            .rotation(Rotation::DAILY)
            .filename_prefix("tenleaf")
            .filename_suffix("log")
            .max_log_files(DAYS_KEPT)
            .build(dir)
            .ok()
            .map(Mutex::new)
    }
}

impl<'a> MakeWriter<'a> for LogFile {
    type Writer = Box<dyn Write + 'a>;

    fn make_writer(&'a self) -> Self::Writer {
        // Without a writable folder there is no log, and that is no reason to stop.
        match self.file.get_or_init(|| LogFile::open(&self.dir)) {
            Some(file) => Box::new(file.make_writer()),
            None => Box::new(io::sink()),
        }
    }
}
