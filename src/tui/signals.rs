//! Signals and a lost terminal. Whatever ends the connection ends the process, within a second.

use std::io;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};
use futures_util::FutureExt;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::run::PATIENCE;

/// What a signal says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Happened {
    /// It is time to leave: SIGHUP, SIGTERM, SIGINT, or the terminal is gone.
    End,
    /// The process was stopped from outside and continued.
    Resumed,
}

/// The signals the loop waits for.
pub struct Signals {
    hang_up: Signal,
    terminate: Signal,
    interrupt: Signal,
    resume: Signal,
    lost: UnboundedReceiver<()>,
}

impl Signals {
    /// Catches them from now on. Call inside the runtime.
    ///
    /// # Errors
    /// When the system refuses a handler.
    pub fn catch() -> Result<Signals> {
        let catch = |kind| signal(kind).context("catching signals");
        Ok(Signals {
            hang_up: catch(SignalKind::hangup())?,
            terminate: catch(SignalKind::terminate())?,
            interrupt: catch(SignalKind::interrupt())?,
            resume: catch(SignalKind::from_raw(libc::SIGCONT))?,
            lost: watch_terminal(),
        })
    }

    /// Waits for the next one.
    pub async fn next(&mut self) -> Happened {
        tokio::select! {
            _ = self.hang_up.recv() => Happened::End,
            _ = self.terminate.recv() => Happened::End,
            _ = self.interrupt.recv() => Happened::End,
            Some(()) = self.lost.recv() => Happened::End,
            _ = self.resume.recv() => Happened::Resumed,
        }
    }

    /// Forgets Ctrl-C pressed in a child that had the terminal.
    pub fn forget_interrupts(&mut self) {
        while self.interrupt.recv().now_or_never().is_some() {}
        while self.resume.recv().now_or_never().is_some() {}
    }

    /// Stops the whole job, as the shell's Ctrl-Z does, and returns when it is continued.
    pub async fn stop(&mut self) {
        // SAFETY: no memory is touched; process group 0 is our own, which the shell started as one job.
        unsafe {
            libc::kill(0, libc::SIGTSTP);
        }
        // Where no shell could continue us (an orphaned group) the system does not stop us: go on.
        let _ = tokio::time::timeout(Duration::from_millis(200), self.resume.recv()).await;
    }
}

/// Tells when the terminal is gone. The key reader of crossterm reads on at its end without a pause,
/// so its own thread watches for the hang-up; when the loop does not end by itself, it is ended.
fn watch_terminal() -> UnboundedReceiver<()> {
    let (send, lost) = unbounded_channel();
    thread::spawn(move || {
        let mut terminal = libc::pollfd {
            fd: libc::STDIN_FILENO,
            // Nothing asked for: only a hang-up or an error ends the wait.
            events: 0,
            revents: 0,
        };
        loop {
            // SAFETY: the pointer is to one pollfd that outlives the call.
            let ready = unsafe { libc::poll(&raw mut terminal, 1, -1) };
            let interrupted =
                ready < 0 && io::Error::last_os_error().kind() == io::ErrorKind::Interrupted;
            if !interrupted {
                break;
            }
        }
        // The receiver is gone when the loop has ended by itself.
        let _ = send.send(());
        thread::sleep(PATIENCE);
        super::terminal::restore();
        std::process::exit(1);
    });
    lost
}
