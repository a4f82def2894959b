//! Stopping when the mistakes of a pass no longer become fewer, or its updates, for a learner that wants a margin.

use std::ops::ControlFlow;

use super::{Now, Observer, Resumable};
use crate::error::Result;
use crate::learn::{AnyLearner, Progress, Stop};

/// Wraps an observer, and ends training after `patience` passes in a row whose share of mistakes was not lower than the
/// best before by more than `tolerance`. Of a learner that wants a margin, the share of updates counts: mistakes end long
/// before it has that margin.
pub struct StopOnPlateau<'a, L: ?Sized + Resumable = dyn AnyLearner> {
    observer: &'a mut dyn Observer<L>,
    tolerance: f64,
    patience: u32,
    best: f64,
    waited: u32,
    /// Updates of all passes before.
    updates: u64,
}

impl<'a, L: ?Sized + Resumable> StopOnPlateau<'a, L> {
    /// Wraps `observer`.
    pub fn new(tolerance: f64, patience: u32, observer: &'a mut dyn Observer<L>) -> Self {
        StopOnPlateau { observer, tolerance, patience, best: f64::INFINITY, waited: 0, updates: 0 }
    }
}

impl<L: ?Sized + Resumable> Observer<L> for StopOnPlateau<'_, L> {
    fn stride(&self) -> usize {
        self.observer.stride()
    }

    fn advanced(&mut self, now: &Now<'_, L>) -> ControlFlow<Stop> {
        self.observer.advanced(now)
    }

    fn wants_checkpoints(&self) -> bool {
        self.observer.wants_checkpoints()
    }

    fn checkpoint(&mut self, checkpoint: L::Checkpoint) -> Result<()> {
        self.observer.checkpoint(checkpoint)
    }

    fn rows_ready(&mut self) {
        self.observer.rows_ready();
    }

    fn restarted(&mut self) {
        (self.best, self.waited, self.updates) = (f64::INFINITY, 0, 0);
        self.observer.restarted();
    }

    fn pass_ended(&mut self, progress: &Progress, learner: &L, failures: &[u32]) -> Result<ControlFlow<Stop>> {
        let flow = self.observer.pass_ended(progress, learner, failures)?;
        let passes = progress.mistakes_by_epoch.len() as f64;
        let updates = progress.updates.saturating_sub(std::mem::replace(&mut self.updates, progress.updates));
        let mistakes = progress.mistakes_by_epoch.last().copied().unwrap_or(0);
        let share =
            if learner.wants_margin() { updates } else { mistakes } as f64 * passes / progress.presented.max(1) as f64;
        self.waited = if share > self.best - self.tolerance { self.waited + 1 } else { 0 };
        self.best = self.best.min(share);
        Ok(if flow.is_continue() && self.waited >= self.patience { ControlFlow::Break(Stop::NoProgress) } else { flow })
    }
}
