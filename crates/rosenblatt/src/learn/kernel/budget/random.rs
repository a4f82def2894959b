//! Random removal: when the budget is used up, one support vector is removed, each equally likely, before the new one is added.
//!
//! Cesa-Bianchi and Gentile 2006; the simplest policy there is.

use super::budget_state::BudgetState;
use super::{Correction, Policy};
use crate::error::Result;
use crate::learn::State;
use crate::random::Stream;

/// The policy; each draw has a stream of its own, so that resuming needs only their number.
#[derive(Debug)]
pub struct RandomRemoval {
    seed: u64,
    removed: u64,
}

impl RandomRemoval {
    /// Draws with this seed.
    pub fn new(seed: u64) -> Self {
        RandomRemoval { seed, removed: 0 }
    }
}

impl Policy for RandomRemoval {
    fn correct(&mut self, budget: &mut BudgetState, correction: &Correction<'_>, most: usize) {
        let slot = budget.insert_current();
        if budget.active_count() > most {
            let others: Vec<usize> = budget.active_slots().filter(|&other| other != slot).collect();
            // A budget of one: the new vector takes the place of the only other.
            let drawn = Stream::new(self.seed, &[self.removed]).below(others.len() as u64) as usize;
            self.removed += 1;
            budget.drop(others[drawn]);
        }
        for &(output, scale) in correction.moves {
            budget.add_coefficient(slot, output as usize, scale);
        }
    }

    fn save(&self, state: &mut State) {
        state.put_count("removed", self.removed);
    }

    fn restore(&mut self, state: &State, _support: usize) -> Result<()> {
        self.removed = state.count("removed")?;
        Ok(())
    }
}
