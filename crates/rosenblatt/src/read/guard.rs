//! Catches panics of a third-party decoder.
//!
//! No user input may cause a panic. The Parquet decoder panics on some damaged pages; such a panic is caught here and
//! becomes an error of the file.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};

thread_local! {
    /// Whether a panic of this thread is caught and becomes an error.
    static CAUGHT: Cell<bool> = const { Cell::new(false) };
}

/// Whether a panic of this thread would now be caught by a reader and become an error. The library installs no panic
/// hook; a program's own hook can check this, so as not to report the same failure twice.
pub fn panic_is_caught() -> bool {
    CAUGHT.get()
}

/// The result of `call`, or its panic message. What it borrowed mutably must not be used after a panic.
pub(super) fn catch_panic<T>(call: impl FnOnce() -> T) -> Result<T, String> {
    CAUGHT.set(true);
    let answer = panic::catch_unwind(AssertUnwindSafe(call));
    CAUGHT.set(false);
    answer.map_err(|payload| {
        let text = payload.downcast_ref::<&str>().map(ToString::to_string);
        text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_else(|| "invalid data".into())
    })
}

#[cfg(test)]
mod tests {
    use super::{catch_panic, panic_is_caught};

    #[test]
    fn a_panic_becomes_its_message_and_a_result_is_returned() {
        assert_eq!(catch_panic(|| 7), Ok(7));
        assert_eq!(catch_panic(|| panic!("no page")), Err::<u8, _>("no page".to_string()));
        assert_eq!(catch_panic(|| panic!("page {}", 3)), Err::<u8, _>("page 3".to_string()));
    }

    #[test]
    fn a_hook_can_check_whether_a_panic_is_caught() {
        assert_eq!(catch_panic(panic_is_caught), Ok(true));
        assert!(!panic_is_caught());
        assert!(catch_panic(|| panic!("no page")).map(|(): ()| ()).is_err());
        assert!(!panic_is_caught(), "and not after one was caught");
    }
}
