//! When to give up.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// When to give up: at a time, or when somebody asks.
#[derive(Debug, Clone, Default)]
pub struct Deadline {
    at: Option<Instant>,
    asked: Option<Arc<AtomicBool>>,
}

impl Deadline {
    /// Goes on until there is an answer.
    pub const NEVER: Deadline = Deadline { at: None, asked: None };

    /// The same, or as soon as this becomes true.
    pub fn or_when(self, asked: Arc<AtomicBool>) -> Self {
        Deadline { asked: Some(asked), ..self }
    }

    /// Whether to give up now.
    pub fn has_passed(&self) -> bool {
        self.at.is_some_and(|at| Instant::now() >= at)
            || self.asked.as_ref().is_some_and(|asked| asked.load(Ordering::Relaxed))
    }

    /// The same, but not by the clock before so long.
    pub(super) fn granting(&self, least: Duration) -> Self {
        Deadline { at: self.at.map(|at| at.max(Instant::now() + least)), ..self.clone() }
    }
}

impl From<Instant> for Deadline {
    fn from(at: Instant) -> Self {
        Deadline { at: Some(at), asked: None }
    }
}
