//! A process of its own for reading what others wrote: what a hostile file can do there (run out of
//! memory or stack, go on for ever) costs the file or a page of it, not the program.
//!
//! The program starts itself again with a first argument only it knows; the worker writes one JSON
//! message a line. Its parent looks at the messages and at whether it is asked to stop.

use std::ffi::{OsStr, OsString};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::job::Cancel;

/// How often a parent looks whether it is asked to stop.
const LOOK: Duration = Duration::from_millis(50);
/// Messages read ahead.
const AHEAD: usize = 16;
/// Exit code of a worker that stops itself.
const TOOK_TOO_LONG: i32 = 75;

static PROGRAM: OnceLock<PathBuf> = OnceLock::new();

/// A kind of file that is read by a worker.
pub struct Job {
    /// The first argument of such a worker.
    pub argument: &'static str,
    /// Address space it may take.
    pub memory_bytes: u64,
    /// What it does with its other arguments.
    pub serve: fn(Vec<OsString>) -> ExitCode,
}

/// To be called first thing in `main`: serves, and returns the exit code, if this process was
/// started as a worker; if not, remembers that this program can be one.
pub fn serve_if_asked(jobs: &[&Job]) -> Option<ExitCode> {
    let mut args = std::env::args_os().skip(1);
    let first = args.next();
    if let Some(job) = jobs
        .iter()
        .find(|job| first.as_deref() == Some(OsStr::new(job.argument)))
    {
        end_with_parent();
        limit_memory(job.memory_bytes);
        watch_time();
        return Some((job.serve)(args.collect()));
    }
    if let Ok(program) = std::env::current_exe() {
        use_program(program);
    }
    None
}

/// Names the program whose `main` calls [`serve_if_asked`]; the first call counts. Without one
/// there are no workers.
pub fn use_program(program: PathBuf) {
    let _ = PROGRAM.set(program);
}

/// A running worker, as its parent sees it. Dropped, it is ended.
pub struct Worker {
    child: Child,
    lines: Receiver<String>,
    memory_bytes: u64,
}

/// What comes of a worker next.
pub enum Next<M> {
    /// A message.
    Message(M),
    /// Its parent is asked to stop.
    Cancelled,
    /// Nothing more.
    Ended,
}

impl Worker {
    /// Starts one; `None` when there is no program to start, it was replaced under us, or the system
    /// is out of processes.
    pub fn start(job: &Job, path: &Path, more: Option<String>) -> Option<Worker> {
        let mut command = Command::new(PROGRAM.get()?);
        command.arg(job.argument).arg(path).args(more);
        Worker::run(command, job.memory_bytes).ok()
    }

    fn run(mut command: Command, memory_bytes: u64) -> std::io::Result<Worker> {
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // Ctrl-C goes to this process, which ends its workers.
            .process_group(0)
            .spawn()?;
        let stdout = child.stdout.take().expect("it is piped");
        let (send, lines) = mpsc::sync_channel(AHEAD);
        // Ends with the worker, or when nobody listens any more.
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines() {
                let Ok(line) = line else { break };
                if send.send(line).is_err() {
                    break;
                }
            }
        });
        Ok(Worker {
            child,
            lines,
            memory_bytes,
        })
    }

    /// Waits for the next message. Half a message, written by a worker that died of it, is none.
    pub fn next<M: DeserializeOwned>(&mut self, cancel: &Cancel) -> Next<M> {
        loop {
            if cancel.is_cancelled() {
                return Next::Cancelled;
            }
            match self.lines.recv_timeout(LOOK) {
                Ok(line) => match serde_json::from_str(&line) {
                    Ok(message) => return Next::Message(message),
                    Err(_) => return Next::Ended,
                },
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Next::Ended,
            }
        }
    }

    /// What a worker died of that sent [`Next::Ended`] before it was done.
    pub fn died_of(&mut self) -> String {
        // After a line that is no message it lives on, and has what else it says to a full pipe: it would be waited
        // for without end. Of one that has ended nothing is lost by this.
        let _ = self.child.kill();
        let mut report = String::new();
        if let Some(stderr) = self.child.stderr.take() {
            let _ = stderr.take(4096).read_to_string(&mut report);
        }
        match self.child.wait() {
            Ok(status) if status.code() == Some(TOOK_TOO_LONG) => {
                let cpu: String = report.lines().last().unwrap_or_default().to_string();
                format!("took more than {cpu} s of computing")
            }
            _ if report.contains("memory allocation") => {
                format!("needs more than {} MB of memory", self.memory_bytes >> 20)
            }
            _ if report.contains("has overflowed its stack") => "is nested too deeply".to_string(),
            Ok(status) => format!("the reader ended ({status})"),
            Err(error) => error.to_string(),
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// In a worker: writes a message, and sees to it that it is not lost with the worker.
pub fn send(out: &mut impl Write, message: &impl Serialize) -> std::io::Result<()> {
    serde_json::to_writer(&mut *out, message)?;
    out.write_all(b"\n")?;
    out.flush()
}

/// CPU time, in ms, at which what the worker does now will have taken too long, and how long that is.
static DEADLINE: AtomicU64 = AtomicU64::new(u64::MAX);
static ALLOWED: AtomicU64 = AtomicU64::new(0);

/// In a worker: what comes now may take this much computing.
pub fn allow(cpu: Duration) {
    let cpu = cpu.as_millis() as u64;
    ALLOWED.store(cpu, Ordering::Relaxed);
    DEADLINE.store(cpu_ms() + cpu, Ordering::Relaxed);
}

fn watch_time() {
    std::thread::spawn(|| {
        loop {
            std::thread::sleep(Duration::from_millis(100));
            if cpu_ms() > DEADLINE.load(Ordering::Relaxed) {
                let seconds = ALLOWED.load(Ordering::Relaxed) / 1000;
                let _ = writeln!(std::io::stderr(), "{seconds}");
                std::process::exit(TOOK_TOO_LONG);
            }
        }
    });
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

/// A parent that is killed takes its workers along, where the system can do that.
fn end_with_parent() {
    #[cfg(target_os = "linux")]
    // SAFETY: asks for a signal, and touches no memory of ours.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
    }
}

fn limit_memory(bytes: u64) {
    let limit = |bytes| libc::rlimit {
        rlim_cur: bytes,
        rlim_max: bytes,
    };
    // SAFETY: both read a valid struct; failing leaves the limits as they were.
    unsafe {
        libc::setrlimit(libc::RLIMIT_AS, &limit(bytes as libc::rlim_t));
        libc::setrlimit(libc::RLIMIT_CORE, &limit(0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is said of a worker that does this, once it has sent no message; `None` after a while without an answer.
    fn died_of(script: &'static str) -> Option<String> {
        let (tell, told) = mpsc::channel();
        std::thread::spawn(move || {
            let mut command = Command::new("sh");
            command.args(["-c", script]);
            let mut worker = Worker::run(command, 1 << 20).unwrap();
            assert!(matches!(worker.next::<u32>(&Cancel::new()), Next::Ended));
            tell.send(worker.died_of()).unwrap();
        });
        told.recv_timeout(Duration::from_secs(60)).ok()
    }

    #[test]
    fn a_worker_that_goes_on_without_a_message_is_ended() {
        let said = died_of("while echo no message; do :; done");
        let said = said.expect("it is not waited for");
        assert!(said.contains("the reader ended (signal: 9"), "{said}");
    }

    #[test]
    fn what_a_worker_died_of_is_told_by_what_it_said() {
        for (script, says) in [
            ("exit 3", "the reader ended (exit status: 3)"),
            ("echo 90 >&2; exit 75", "took more than 90 s of computing"),
            (
                "echo a stack of papers >&2; exit 3",
                "the reader ended (exit status: 3)",
            ),
            (
                "echo \"thread 'main' has overflowed its stack\" >&2; exit 134",
                "is nested too deeply",
            ),
            (
                "echo memory allocation of 9 bytes failed >&2; exit 134",
                "needs more than 1 MB of memory",
            ),
        ] {
            assert_eq!(died_of(script).as_deref(), Some(says), "{script}");
        }
    }
}
