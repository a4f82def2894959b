//! Calls into a decoder that panics where the bytes of a file lie to it.
//!
//! Nothing that a user gives may end in a panic. The decoder of Parquet has places where a damaged page does just that;
//! such a panic is caught here and becomes the file's error.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};

thread_local! {
    /// Whether a panic of this thread will be caught and become an error.
    static CAUGHT: Cell<bool> = const { Cell::new(false) };
}

/// Whether a panic of this thread, now, is caught by a reader and becomes an error. The library installs no panic hook;
/// a program's own hook may ask this, to stay silent about what the error will say.
pub fn panic_is_caught() -> bool {
    CAUGHT.get()
}

/// The answer of `call`, or what it said when it panicked. Whatever it borrowed must not be used after a panic.
pub(super) fn guarded<T>(call: impl FnOnce() -> T) -> Result<T, String> {
    CAUGHT.set(true);
    let answer = panic::catch_unwind(AssertUnwindSafe(call));
    CAUGHT.set(false);
    answer.map_err(|payload| {
        let text = payload.downcast_ref::<&str>().map(ToString::to_string);
        text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_else(|| "it makes no sense".into())
    })
}

#[cfg(test)]
mod tests {
    use super::{guarded, panic_is_caught};

    #[test]
    fn what_panics_is_told_and_what_does_not_is_passed_on() {
        assert_eq!(guarded(|| 7), Ok(7));
        assert_eq!(guarded(|| panic!("no page")), Err::<u8, _>("no page".to_string()));
        assert_eq!(guarded(|| panic!("page {}", 3)), Err::<u8, _>("page 3".to_string()));
    }

    #[test]
    fn a_hook_can_ask_whether_a_panic_is_caught() {
        assert_eq!(guarded(panic_is_caught), Ok(true));
        assert!(!panic_is_caught());
        assert!(guarded(|| panic!("no page")).map(|(): ()| ()).is_err());
        assert!(!panic_is_caught(), "and not after one was caught");
    }
}
