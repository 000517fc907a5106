//! Being asked to stop during long work, by Ctrl-C, SIGTERM or a closed terminal: the first time it stops at the
//! next safe point, the second time the program ends at once.

use std::io::{self, Write};
use std::sync::Once;
use std::sync::atomic::{AtomicI32, Ordering};
use std::{process, thread};

use tokio::signal::unix::{SignalKind, signal};

use super::Exit;
use crate::library::job::Cancel;
use crate::tui::ended_by;

/// The signal that asked to stop first.
static SIGNAL: AtomicI32 = AtomicI32::new(libc::SIGINT);

/// The end of work that was stopped, and can go on from where it was: by the exit code who waits for us knows the
/// signal, as of the workbench.
pub fn stopped() -> Exit {
    let code = ended_by(SIGNAL.load(Ordering::SeqCst));
    Exit(u8::try_from(code).unwrap_or(u8::MAX))
}

/// The flag that a request to stop raises from now on. One for the whole program.
pub fn stop_asked() -> &'static Cancel {
    static CANCEL: Cancel = Cancel::new();
    static LISTENING: Once = Once::new();
    LISTENING.call_once(|| {
        thread::spawn(|| {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_io()
                .build();
            let Ok(runtime) = runtime else { return };
            // Where signals cannot be had, they end the program at once: that loses nothing that is on disk.
            let _ = runtime.block_on(listen(&CANCEL));
        });
    });
    &CANCEL
}

async fn listen(cancel: &Cancel) -> io::Result<()> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut hang_up = signal(SignalKind::hangup())?;
    loop {
        let signal = tokio::select! {
            _ = interrupt.recv() => libc::SIGINT,
            _ = terminate.recv() => libc::SIGTERM,
            _ = hang_up.recv() => libc::SIGHUP,
        };
        if cancel.is_cancelled() {
            process::exit(ended_by(signal));
        }
        SIGNAL.store(signal, Ordering::SeqCst);
        cancel.cancel();
        // Not `eprintln`: a terminal that is gone is no reason to panic.
        let words = "\nstopping: what is done stays (Ctrl-C again ends at once)";
        let _ = writeln!(io::stderr(), "{words}");
    }
}
