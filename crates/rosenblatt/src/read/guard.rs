//! Calls into a decoder that panics where the bytes of a file lie to it.
//!
//! Nothing that a user gives may end in a panic. The decoder of Parquet has places where a damaged page does just that;
//! such a panic is caught and becomes what the file's error says. It is not shown on the way: a hook that is put in
//! place once passes on the panics of everyone else.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

thread_local! {
    /// Whether a panic of this thread will be caught and told as an error.
    static CAUGHT: Cell<bool> = const { Cell::new(false) };
}

/// The answer of `call`, or what it said when it panicked. Whatever it borrowed must not be used after a panic.
pub(super) fn guarded<T>(call: impl FnOnce() -> T) -> Result<T, String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |told| {
            if !CAUGHT.get() {
                before(told);
            }
        }));
    });
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
    use crate::read::guard::guarded;

    #[test]
    fn what_panics_is_told_and_what_does_not_is_passed_on() {
        assert_eq!(guarded(|| 7), Ok(7));
        assert_eq!(guarded(|| panic!("no page")), Err::<u8, _>("no page".to_string()));
        assert_eq!(guarded(|| panic!("page {}", 3)), Err::<u8, _>("page 3".to_string()));
    }
}
