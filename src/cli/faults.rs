//! What ends the program at once, by a signal of the system: the terminal is given back first, and a mapped
//! file that another program changed in place is told in one line.
//!
//! All that is done once such a signal has come is async-signal-safe: atomics, `write`, `dup`, `open`, `dup2`, `tcsetattr`, `_exit`.

use std::ffi::{c_int, c_void};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::tui::{ended_by, give_back_at_once};

/// A mapped file that is shorter than it was, a mistake in memory (or a stack that is full), an abort.
const FAULTS: [c_int; 3] = [libc::SIGBUS, libc::SIGSEGV, libc::SIGABRT];

const CHANGED: &str = "tenleaf: another program changed a file of the data folder in place while it was read \
    (or the disk failed). Nothing of yours is lost: start again; `tenleaf data verify` looks at every file\n";

/// What handled them before; Rust's own handler, which tells of a full stack, among them.
static BEFORE: OnceLock<[libc::sigaction; FAULTS.len()]> = OnceLock::new();

/// The thread that ends the program.
static ENDING: AtomicUsize = AtomicUsize::new(0);

/// Catches them from now on. Call once, first of all.
pub fn catch() {
    BEFORE.get_or_init(|| {
        FAULTS.map(|signal| {
            // SAFETY: an all-zero sigaction is a valid value, and the pointer is to it.
            unsafe {
                let mut before: libc::sigaction = std::mem::zeroed();
                libc::sigaction(signal, std::ptr::null(), &raw mut before);
                before
            }
        })
    });
    let handler: extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void) = end;
    for signal in FAULTS {
        // SAFETY: the action is filled in before it is installed, the pointers are to it, and the handler does
        // only what a handler may. It runs on the stack that Rust keeps for handlers: the other may be full.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = handler as usize;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
            libc::sigfillset(&raw mut action.sa_mask);
            libc::sigaction(signal, &raw const action, std::ptr::null_mut());
        }
    }
}

extern "C" fn end(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: asks for a number.
    let me = unsafe { libc::pthread_self() } as usize;
    let ending = ENDING.compare_exchange(0, me, Ordering::SeqCst, Ordering::SeqCst);
    if ending.is_err_and(|other| other != me) {
        // Several threads read the same file: the first one says it, and ends us all.
        loop {
            // SAFETY: waits.
            unsafe { libc::pause() };
        }
    }
    give_back_at_once();
    let at = FAULTS.iter().position(|fault| *fault == signal);
    if let Some(before) = BEFORE.get().zip(at).map(|(before, at)| before[at])
        && ![libc::SIG_DFL, libc::SIG_IGN].contains(&before.sa_sigaction)
        && before.sa_flags & libc::SA_SIGINFO != 0
    {
        // SAFETY: with this flag, and none of the two values above, it is a function of this signature.
        let before = unsafe {
            std::mem::transmute::<usize, extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void)>(
                before.sa_sigaction,
            )
        };
        // Of a full stack it tells, and aborts.
        before(signal, info, context);
    }
    // SAFETY: the system hands over a valid `info`; the bytes written live as long as the program; what ends
    // it touches no memory of ours.
    unsafe {
        // Else it was sent by someone, not caused by a map.
        if signal == libc::SIGBUS && (*info).si_code == libc::BUS_ADRERR {
            libc::write(libc::STDERR_FILENO, CHANGED.as_ptr().cast(), CHANGED.len());
            libc::_exit(ended_by(signal));
        }
        // The usual end by this signal, once this handler returns.
        libc::signal(signal, libc::SIG_DFL);
        libc::raise(signal);
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;
    use std::process::Command;

    use super::*;

    /// Not a test: the program the next one runs.
    #[test]
    #[ignore = "run by a_full_stack_is_told_as_ever"]
    fn program_whose_stack_is_full() {
        fn deeper(n: u64) -> u64 {
            std::hint::black_box([n; 64])[7] + if n == 0 { 0 } else { deeper(n - 1) + 1 }
        }
        catch();
        std::process::exit((deeper(u64::MAX) % 2) as i32);
    }

    #[test]
    fn a_full_stack_is_told_as_ever() {
        let name = "cli::faults::tests::program_whose_stack_is_full";
        let run = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", name, "--ignored", "--nocapture"])
            .output()
            .unwrap();
        let words = String::from_utf8_lossy(&run.stderr);
        assert!(words.contains("has overflowed its stack"), "{words}");
        assert_eq!(run.status.signal(), Some(libc::SIGABRT));
    }
}
