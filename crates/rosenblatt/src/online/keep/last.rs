//! Keep nothing: the last weights are the answer.

use crate::base::keep::Keep;
use crate::base::machine::Machine;
use crate::base::state::State;
use crate::base::weights::Weights;
use crate::error::Result;
use crate::model::Hypothesis;

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

    fn save(&self, _state: &mut State) {}

    fn restore(&mut self, _state: &State, _t: u64) -> Result<()> {
        Ok(())
    }
}
