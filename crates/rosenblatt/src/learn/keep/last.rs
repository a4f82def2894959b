//! Keep nothing: the last weights are the result.

use super::Keep;
use crate::error::Result;
use crate::learn::machine::Machine;
use crate::learn::{Hypothesis, Outputs, State, Weights};

/// The textbook's choice.
#[derive(Debug, Clone)]
pub struct Last;

impl Keep for Last {
    fn new(_start: &Weights) -> Self {
        Last
    }

    fn grow(&mut self, _features: usize) {}

    fn hypothesis<M: Machine>(&self, last: &Weights, _machine: &M, _t: u64) -> Hypothesis {
        Hypothesis::Linear(last.clone())
    }

    fn kept_at(&self, last: &Weights, features: &[u32], _t: u64) -> Option<Weights> {
        Some(last.pick(features))
    }

    fn save(&self, _state: &mut State) {}

    fn save_for(&self, _outputs: &Outputs, _state: &mut State) {}

    fn restore(&mut self, _state: &State, _t: u64) -> Result<()> {
        Ok(())
    }
}
