//! Panics in libraries that read damaged files: caught, they are errors like any other.

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

use anyhow::{Result, anyhow};

thread_local! {
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Runs `f`; a panic in it is an error that tells the panic's message.
pub fn caught<T>(f: impl FnOnce() -> T) -> Result<T, String> {
    quietly(|| catch_unwind(AssertUnwindSafe(f))).map_err(message)
}

/// Runs `f`; a panic in it is an error that tells the panic's message. The panic hook has its say: it is
/// a mistake of the program's own, and belongs in the log.
pub fn logged<T>(f: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(f)).map_err(message)
}

/// Work that others go on without, on a thread of its own say: a panic in it is its error, and its words are in the log.
pub fn guarded<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    let failed =
        |words| anyhow!("it failed by a mistake of ours ({words}): the log has the details");
    logged(work).unwrap_or_else(|words| Err(failed(words)))
}

/// Runs `f`, whose panics are caught and reported as errors, without the panic hook's own report
/// (which would draw over the workbench).
pub fn quietly<T>(f: impl FnOnce() -> T) -> T {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !is_quiet() {
                usual(info);
            }
        }));
    });
    let before = QUIET.replace(true);
    let result = f();
    QUIET.set(before);
    result
}

/// Whether this thread's panics are caught: a hook set after [`quietly`] first ran says nothing then.
pub fn is_quiet() -> bool {
    QUIET.get()
}

/// What a caught panic said.
pub fn message(panic: Box<dyn Any + Send>) -> String {
    message_of(&*panic)
}

/// What a panic says.
pub fn message_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or("no reason given").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_error_with_its_message() {
        assert_eq!(caught(|| 1), Ok(1));
        assert_eq!(
            caught(|| panic!("page {}", 7)),
            Err::<(), _>("page 7".to_string())
        );
        assert!(!is_quiet());
        assert_eq!(logged(|| 1), Ok(1));
        assert_eq!(
            logged(|| panic!("page 7")),
            Err::<(), _>("page 7".to_string())
        );
        let failed = guarded::<()>(|| panic!("page 7")).unwrap_err();
        assert!(failed.to_string().contains("(page 7)"), "{failed}");
    }
}
