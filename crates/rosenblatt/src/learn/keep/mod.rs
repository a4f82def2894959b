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
/// Time `t` counts presented examples from 1. Nothing here costs anything while no mistake is made,
/// except for the pocket, which counts.
pub trait Keep: Send + Sync + 'static {
    /// Whether it wants to be shown all examples by [`review`](Self::review).
    const LOOKS_BEYOND: bool = false;

    /// Begins at these weights.
    fn new(start: &Weights) -> Self;

    /// Example `t` is about to move each output in `moves` by `tau · by · x`.
    #[inline]
    fn correcting<X: Row>(&mut self, _x: X, _moves: &[Move], _tau: f64, _t: u64) {}

    /// Moves the weights as example `t` wants it, having looked on ([`correcting`](Self::correcting)): for those who would
    /// rather move something of their own along with them.
    #[inline]
    fn correct<X: Row>(&mut self, weights: &mut Weights, x: X, moves: &[Move], tau: f64, t: u64) {
        self.correcting(x, moves, tau, t);
        for step in moves {
            weights.add(x, step.output, tau * step.by);
        }
    }

    /// The weights stayed as they were on an example.
    #[inline]
    fn surviving(&mut self) {}

    /// All training examples in view, after each step. Only the pocket looks. The machine is lent to judge with.
    #[inline]
    fn review<M: Machine, R: Rows>(&mut self, _weights: &Weights, _machine: &mut M, _all: View<'_, R>) {}

    /// From now on rows have up to so many features.
    fn grow(&mut self, features: usize);

    /// What is kept after `t` examples, the weights now being `last`.
    fn hypothesis<M: Machine>(&self, last: &Weights, machine: &M, t: u64) -> Hypothesis;

    /// Writes what resuming needs.
    fn save(&self, state: &mut State);

    /// Writes what a learner for other outputs resumes from.
    fn save_for(&self, outputs: &Outputs, state: &mut State);

    /// Reads it back into a keep that began at weights of the same shape, after `t` examples.
    fn restore(&mut self, state: &State, t: u64) -> Result<()>;
}
