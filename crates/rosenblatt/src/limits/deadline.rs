//! When to stop: at a time, or when the caller asks.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
#[cfg(feature = "clock")]
use std::time::{Duration, Instant};

/// When to stop: at a time, or when the caller asks.
#[derive(Debug, Clone, Default)]
pub struct Deadline {
    #[cfg(feature = "clock")]
    at: Option<Instant>,
    asked: Option<Arc<AtomicBool>>,
}

/// Why work has to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Passed {
    /// The caller asked for it.
    Asked,
    /// The time is over.
    Time,
}

impl Deadline {
    /// None: work goes on until there is an answer.
    pub const NEVER: Deadline = Deadline {
        #[cfg(feature = "clock")]
        at: None,
        asked: None,
    };

    /// After so many milliseconds; without a clock at once.
    pub(super) fn after(_milliseconds: u64) -> Self {
        #[cfg(feature = "clock")]
        return (Instant::now() + Duration::from_millis(_milliseconds)).into();
        #[cfg(not(feature = "clock"))]
        Deadline { asked: Some(Arc::new(AtomicBool::new(true))) }
    }

    /// The same, and also as soon as `asked` becomes true.
    pub fn or_when(self, asked: Arc<AtomicBool>) -> Self {
        Deadline { asked: Some(asked), ..self }
    }

    /// Whether to stop now. The limits of the thread count, too.
    pub fn has_passed(&self) -> bool {
        self.passed().is_some() || super::has_passed()
    }

    /// Whether this deadline alone has passed, and why.
    pub(super) fn passed(&self) -> Option<Passed> {
        if self.asked.as_ref().is_some_and(|asked| asked.load(Ordering::Relaxed)) {
            return Some(Passed::Asked);
        }
        #[cfg(feature = "clock")]
        if self.at.is_some_and(|at| Instant::now() >= at) {
            return Some(Passed::Time);
        }
        None
    }

    /// The same, with at least so many milliseconds from now on.
    pub(crate) fn granting(&self, _milliseconds: u64) -> Self {
        Deadline {
            #[cfg(feature = "clock")]
            at: self.at.map(|at| at.max(Instant::now() + Duration::from_millis(_milliseconds))),
            ..self.clone()
        }
    }
}

#[cfg(feature = "clock")]
impl From<Instant> for Deadline {
    fn from(at: Instant) -> Self {
        Deadline { at: Some(at), asked: None }
    }
}
