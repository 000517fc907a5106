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
    /// This signal says that it is time to leave; a terminal that is gone, that SIGHUP does.
    End(i32),
    /// SIGTSTP, sent from outside: the terminal is given back, and then it stops us.
    Stop,
    /// The process was stopped from outside and continued.
    Resumed,
}

/// The exit code by which who waits for us knows the signal that ended us: the shells' convention.
pub fn ended_by(signal: i32) -> i32 {
    128 + signal
}

/// The signals the loop waits for.
pub struct Signals {
    hang_up: Signal,
    terminate: Signal,
    interrupt: Signal,
    quit: Signal,
    stop: Signal,
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
            quit: catch(SignalKind::quit())?,
            stop: catch(SignalKind::from_raw(libc::SIGTSTP))?,
            resume: catch(SignalKind::from_raw(libc::SIGCONT))?,
            lost: watch_terminal(),
        })
    }

    /// Waits for the next one.
    pub async fn next(&mut self) -> Happened {
        tokio::select! {
            _ = self.hang_up.recv() => Happened::End(libc::SIGHUP),
            _ = self.terminate.recv() => Happened::End(libc::SIGTERM),
            _ = self.interrupt.recv() => Happened::End(libc::SIGINT),
            _ = self.quit.recv() => Happened::End(libc::SIGQUIT),
            Some(()) = self.lost.recv() => Happened::End(libc::SIGHUP),
            _ = self.stop.recv() => Happened::Stop,
            _ = self.resume.recv() => Happened::Resumed,
        }
    }

    /// Forgets Ctrl-C and Ctrl-\ pressed in a child that had the terminal.
    pub fn forget_interrupts(&mut self) {
        for signal in [&mut self.interrupt, &mut self.quit, &mut self.resume] {
            while signal.recv().now_or_never().is_some() {}
        }
    }

    /// Stops, and returns when it is continued.
    pub async fn stop(&mut self, stopped: Stopped) {
        let stoppable = Stoppable::new();
        // SAFETY: no memory is touched; process group 0 is our own, which the shell started as one job.
        unsafe {
            match stopped {
                Stopped::Job => libc::kill(0, libc::SIGTSTP),
                Stopped::Ourselves => libc::raise(libc::SIGTSTP),
            };
        }
        drop(stoppable);
        // Where no shell could continue us (an orphaned group) the system does not stop us: go on.
        let _ = tokio::time::timeout(Duration::from_millis(200), self.resume.recv()).await;
    }
}

/// Who is stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// Everyone the shell started with us, as its own Ctrl-Z does.
    Job,
    /// This process alone, as the sender of the signal wished.
    Ourselves,
}

/// While it lives SIGTSTP is not caught: it stops the process at once.
pub struct Stoppable(libc::sigaction);

impl Stoppable {
    /// From now on.
    pub fn new() -> Stoppable {
        // SAFETY: an all-zero sigaction is a valid value (SIG_DFL, no flags, an empty mask), and both
        // pointers are to values that outlive the call.
        unsafe {
            let stop: libc::sigaction = std::mem::zeroed();
            let mut caught = stop;
            libc::sigaction(libc::SIGTSTP, &raw const stop, &raw mut caught);
            Stoppable(caught)
        }
    }
}

impl Drop for Stoppable {
    fn drop(&mut self) {
        // SAFETY: the action is the one that was installed before, unchanged.
        unsafe {
            libc::sigaction(libc::SIGTSTP, &raw const self.0, std::ptr::null_mut());
        }
    }
}

/// True when the terminal is gone by now.
pub fn is_gone() -> bool {
    let mut terminal = hang_up_of_terminal();
    // SAFETY: the pointer is to one pollfd that outlives the call.
    unsafe { libc::poll(&raw mut terminal, 1, 0) > 0 }
}

fn hang_up_of_terminal() -> libc::pollfd {
    libc::pollfd {
        fd: libc::STDIN_FILENO,
        // Nothing asked for: only a hang-up or an error ends the wait.
        events: 0,
        revents: 0,
    }
}

/// Tells when the terminal is gone. The key reader of crossterm reads on at its end without a pause,
/// so its own thread watches for the hang-up; when the loop does not end by itself, it is ended.
fn watch_terminal() -> UnboundedReceiver<()> {
    let (send, lost) = unbounded_channel();
    thread::spawn(move || {
        let mut terminal = hang_up_of_terminal();
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
        std::process::exit(ended_by(libc::SIGHUP));
    });
    lost
}
