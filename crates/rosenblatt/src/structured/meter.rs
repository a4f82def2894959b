//! Counts the steps of a search, so that a long one can be stopped.

use crate::limits;

/// Steps between two calls of [`limits::has_passed`]: a few milliseconds, and more than an ordinary sentence takes.
const MANY: usize = 1 << 22;

/// Counts the steps of a search.
#[derive(Debug, Default)]
pub(super) struct Meter {
    steps: usize,
    stopped: bool,
}

impl Meter {
    /// A new search begins.
    pub(super) fn start(&mut self) {
        *self = Meter::default();
    }

    /// Adds steps; `false`: the limits have passed, and the search must end.
    #[inline]
    pub(super) fn go_on(&mut self, steps: usize) -> bool {
        self.steps = self.steps.saturating_add(steps);
        if self.steps >= MANY {
            self.steps = 0;
            self.stopped |= limits::has_passed();
        }
        !self.stopped
    }

    /// Whether the search was stopped before its end.
    pub(super) fn stopped(&self) -> bool {
        self.stopped
    }
}
