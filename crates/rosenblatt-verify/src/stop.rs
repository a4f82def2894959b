//! A request to stop, for callers that must stay responsive. The check of a large file may take minutes.

use std::cell::RefCell;

use crate::refusal::{Checked, Refusal};

type Stop = Box<dyn Fn() -> bool>;

thread_local! {
    static STOP: RefCell<Option<Stop>> = const { RefCell::new(None) };
}

/// Removes the request at the end, also after a panic.
struct Restore(Option<Stop>);

impl Drop for Restore {
    fn drop(&mut self) {
        STOP.set(self.0.take());
    }
}

/// Does `work`, whose checks on this thread are refused as stopped ([`Check::Stopped`](crate::Check)) once `stop` is true.
///
/// ```
/// use rosenblatt_verify::{Check, until, verify};
///
/// assert_eq!(until(|| false, || verify(b"{}", b"")).unwrap_err().check(), Check::Form);
/// assert_eq!(until(|| true, || verify(b"{}", b"")).unwrap_err().check(), Check::Stopped);
/// ```
pub fn until<T>(stop: impl Fn() -> bool + 'static, work: impl FnOnce() -> T) -> T {
    let _restore = Restore(STOP.replace(Some(Box::new(stop))));
    work()
}

/// Whether the caller wants the check to stop.
pub(crate) fn is_requested() -> bool {
    STOP.with_borrow(|stop| stop.as_ref().is_some_and(|stop| stop()))
}

pub(crate) fn check() -> Checked<()> {
    if is_requested() { Err(Refusal::stopped()) } else { Ok(()) }
}
