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
    pub fn or_when(mut self, asked: Arc<AtomicBool>) -> Self {
        self.asked = Some(asked);
        self
    }

    /// Whether there is a time to stop at: then more work is worth its while until then.
    pub(crate) fn is_timed(&self) -> bool {
        #[cfg(feature = "clock")]
        return self.at.is_some();
        #[cfg(not(feature = "clock"))]
        false
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

    /// When half of the time that is left is over.
    pub fn half_way(&self) -> Self {
        Deadline {
            #[cfg(feature = "clock")]
            at: self.at.map(|at| {
                let now = Instant::now();
                now + at.saturating_duration_since(now) / 2
            }),
            asked: self.asked.clone(),
        }
    }

    /// Whichever of two comes first.
    pub fn sooner(&self, other: &Deadline) -> Self {
        Deadline {
            #[cfg(feature = "clock")]
            at: self.at.into_iter().chain(other.at).min(),
            asked: self.asked.clone().or_else(|| other.asked.clone()),
        }
    }

    /// The same, with at least so many milliseconds from now on.
    #[cfg_attr(not(feature = "clock"), expect(unused_variables, unused_mut, reason = "there is no time to add to"))]
    pub(crate) fn granting(&self, milliseconds: u64) -> Self {
        let mut later = self.clone();
        #[cfg(feature = "clock")]
        {
            later.at = later.at.map(|at| at.max(Instant::now() + Duration::from_millis(milliseconds)));
        }
        later
    }
}

#[cfg(feature = "clock")]
impl From<Instant> for Deadline {
    fn from(at: Instant) -> Self {
        Deadline { at: Some(at), asked: None }
    }
}
