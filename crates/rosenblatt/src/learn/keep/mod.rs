//! What to remember of the path that the weights take.

mod average;
mod last;
mod pocket;
mod vote;

pub use average::Average;
pub use last::Last;
pub use pocket::Pocket;
pub use vote::Vote;

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::learn::machine::{Machine, Move};
use crate::learn::{Hypothesis, Outputs, State, View, Weights};
use crate::named::named;
use crate::rows::{Row, Rows};

/// The ways to keep, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum KeepKind {
    /// The last weights.
    Last,
    /// The mean of the weights after every example.
    Average,
    /// Every weight vector, each with as many votes as examples it survived.
    Vote,
    /// The weights that got most training examples right.
    Pocket,
}

named!(KeepKind: Last = "last", Average = "average", Vote = "vote", Pocket = "pocket");

/// What to remember of the path: the last point, its average, every voter, the best.
///
/// Time `t` counts presented examples from 1. Only updates cost anything, except in the pocket, which counts.
pub trait Keep: Send + Sync + 'static {
    /// True if [`review`](Self::review) must be called after each step.
    const REVIEWS_ALL_ROWS: bool = false;

    /// Starts at these weights.
    fn new(start: &Weights) -> Self;

    /// Called before example `t` moves each output in `moves` by `tau · by · x`.
    #[inline]
    fn correcting<X: Row>(&mut self, _x: X, _moves: &[Move], _tau: f64, _t: u64) {}

    /// Calls [`correcting`](Self::correcting), then moves the weights. Override it to move other state in the same loop.
    #[inline]
    fn correct<X: Row>(&mut self, weights: &mut Weights, x: X, moves: &[Move], tau: f64, t: u64) {
        self.correcting(x, moves, tau, t);
        for step in moves {
            weights.add(x, step.output, tau * step.by);
        }
    }

    /// Called when an example does not move the weights.
    #[inline]
    fn surviving(&mut self) {}

    /// Called after each step with all training examples, if `REVIEWS_ALL_ROWS`. Only the pocket uses it.
    #[inline]
    fn review<M: Machine, R: Rows>(&mut self, _weights: &Weights, _machine: &mut M, _all: View<'_, R>) {}

    /// Grows to this many features.
    fn grow(&mut self, features: usize);

    /// An error if copies of what is kept do not fit in memory: for ways to keep that grow with the updates.
    fn reserve(&self) -> Result<()> {
        Ok(())
    }

    /// What is kept after `t` examples; `last` are the current weights.
    fn hypothesis<M: Machine>(&self, last: &Weights, machine: &M, t: u64) -> Hypothesis;

    /// What is kept after `t` examples, of these features alone: [`Weights::pick`]. `None`: it is not one hyperplane.
    fn kept_at(&self, last: &Weights, features: &[u32], t: u64) -> Option<Weights>;

    /// Writes what resuming needs.
    fn save(&self, state: &mut State);

    /// Writes what a learner for other outputs resumes from.
    fn save_for(&self, outputs: &Outputs, state: &mut State);

    /// Reads it back into a keep that started at weights of the same shape, after `t` examples.
    fn restore(&mut self, state: &State, t: u64) -> Result<()>;
}
