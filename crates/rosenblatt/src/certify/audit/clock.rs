//! The time of an audit: parts of it belong to its stages.

use std::time::Duration;
#[cfg(feature = "clock")]
use std::time::Instant;

use crate::limits::Deadline;

/// When an audit began, and how long it may take.
#[derive(Debug, Clone)]
pub(super) struct Clock {
    #[cfg(feature = "clock")]
    begin: Instant,
    #[cfg_attr(not(feature = "clock"), expect(dead_code, reason = "there is no time"))]
    limit: Option<Duration>,
    deadline: Deadline,
}

impl Clock {
    /// Begins now. Without a clock the steps alone are counted.
    pub(super) fn new(limit: Option<Duration>, deadline: Deadline) -> Self {
        Clock {
            #[cfg(feature = "clock")]
            begin: Instant::now(),
            limit,
            deadline,
        }
    }

    /// Whether this part of the time is over, or the caller asked to stop.
    pub(super) fn is_late(&self, _part: f64) -> bool {
        #[cfg(feature = "clock")]
        if self.limit.is_some_and(|limit| self.begin.elapsed() >= limit.mul_f64(_part)) {
            return true;
        }
        self.deadline.has_passed()
    }

    /// A deadline at this part of the time.
    pub(super) fn deadline(&self, _part: f64) -> Deadline {
        #[cfg(feature = "clock")]
        if let Some(limit) = self.limit {
            return self.deadline.sooner(&(self.begin + limit.mul_f64(_part)).into());
        }
        self.deadline.clone()
    }

    /// Seconds since the beginning.
    pub(super) fn seconds(&self) -> f64 {
        #[cfg(feature = "clock")]
        return self.begin.elapsed().as_secs_f64();
        #[cfg(not(feature = "clock"))]
        0.0
    }
}
