//! Ctrl-C during long work: the first asks it to stop at the next safe point, the second ends the program.

use std::sync::Once;
use std::{process, thread};

use crate::library::job::Cancel;

/// The flag that Ctrl-C raises from now on. One for the whole program.
pub fn cancelled_by_ctrl_c() -> &'static Cancel {
    static CANCEL: Cancel = Cancel::new();
    static LISTENING: Once = Once::new();
    LISTENING.call_once(|| {
        thread::spawn(|| {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_io()
                .build();
            let Ok(runtime) = runtime else { return };
            // Where signals cannot be had, Ctrl-C ends the program at once: that loses nothing that is on disk.
            while runtime.block_on(tokio::signal::ctrl_c()).is_ok() {
                if CANCEL.is_cancelled() {
                    process::exit(130);
                }
                CANCEL.cancel();
                eprintln!("\nstopping: what is done stays (Ctrl-C again ends at once)");
            }
        });
    });
    &CANCEL
}
