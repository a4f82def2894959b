//! Keep every weight vector, as the list of updates that made them (Freund and Schapire 1999).
//!
//! A vector made at time tⱼ votes once for each example of its lifetime, the one that made it included:
//! tⱼ₊₁ − tⱼ times, the last one T + 1 − tₖ times, the start vector t₁ − 1 times. Votes add up to T.

use super::Keep;
use crate::error::Result;
use crate::learn::machine::{Machine, Move};
use crate::learn::{Hypothesis, Outputs, State, Updates, Voted, Weights};
use crate::limits;
use crate::rows::Row;

/// The voted perceptron's memory.
#[derive(Debug, Clone)]
pub struct Vote {
    start: Weights,
    updates: Updates,
}

impl Keep for Vote {
    fn new(start: &Weights) -> Self {
        Vote { start: start.clone(), updates: Updates::default() }
    }

    #[inline]
    fn correcting<X: Row>(&mut self, x: X, moves: &[Move], tau: f64, t: u64) {
        self.updates.push(t, x, moves.iter().map(|m| (m.output as u32, tau * m.by)));
    }

    fn grow(&mut self, features: usize) {
        self.start.grow(features, 0.0);
    }

    fn reserve(&self) -> Result<()> {
        // The model's, the checkpoint's, and those of the file.
        let copies = 4 * self.updates.bytes();
        limits::room_for::<u8>(copies, || format!("the votes of {} updates", self.updates.len()).into())
    }

    fn hypothesis<M: Machine>(&self, _last: &Weights, machine: &M, t: u64) -> Hypothesis {
        Hypothesis::Voted(Voted::new(self.start.clone(), self.updates.clone(), t, machine.ballot()))
    }

    fn kept_at(&self, _last: &Weights, _features: &[u32], _t: u64) -> Option<Weights> {
        None
    }

    fn save(&self, state: &mut State) {
        state.put_weights("start", &self.start);
        self.updates.save(state);
    }

    fn save_for(&self, outputs: &Outputs, state: &mut State) {
        state.put_weights("start", &outputs.of_weights(&self.start));
        self.updates.carried(outputs).save(state);
    }

    fn restore(&mut self, state: &State, t: u64) -> Result<()> {
        self.start = state.weights_like("start", &self.start)?;
        self.updates = Updates::restore(state, self.start.features(), self.start.outputs(), t)?;
        Ok(())
    }
}
