//! Stopping when the mistakes of a pass no longer become fewer.

use std::ops::ControlFlow;

use super::{Now, Observer};
use crate::error::Result;
use crate::learn::{AnyLearner, Progress, Stop};

/// Looks over another observer's shoulder, and ends training after `patience` passes in a row whose share of mistakes was
/// not lower than the best before by more than `tolerance`.
pub struct StopOnPlateau<'a> {
    observer: &'a mut dyn Observer,
    tolerance: f64,
    patience: u32,
    best: f64,
    waited: u32,
}

impl<'a> StopOnPlateau<'a> {
    /// Waits for nothing yet.
    pub fn new(tolerance: f64, patience: u32, observer: &'a mut dyn Observer) -> Self {
        StopOnPlateau { observer, tolerance, patience, best: f64::INFINITY, waited: 0 }
    }
}

impl Observer for StopOnPlateau<'_> {
    fn stride(&self) -> usize {
        self.observer.stride()
    }

    fn advanced(&mut self, now: &Now<'_>) -> ControlFlow<Stop> {
        self.observer.advanced(now)
    }

    fn pass_ended(
        &mut self,
        course: &Progress,
        learner: &dyn AnyLearner,
        failures: &[u32],
    ) -> Result<ControlFlow<Stop>> {
        let flow = self.observer.pass_ended(course, learner, failures)?;
        let passes = course.mistakes_by_epoch.len() as f64;
        let mistakes = course.mistakes_by_epoch.last().map_or(0.0, |&m| m as f64);
        let share = mistakes * passes / course.presented.max(1) as f64;
        self.waited = if share > self.best - self.tolerance { self.waited + 1 } else { 0 };
        self.best = self.best.min(share);
        Ok(if flow.is_continue() && self.waited >= self.patience { ControlFlow::Break(Stop::NoProgress) } else { flow })
    }
}
