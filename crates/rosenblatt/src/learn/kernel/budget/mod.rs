//! Budgets: kernel perceptrons with a limited number of support vectors.
//!
//! [`BudgetPerceptron`] judges and corrects as [`Dual`](crate::learn::kernel::Dual) does; a [`Policy`] decides which of its
//! support vectors a correction removes. Policies that weigh lengths against margins of one divide by R², the greatest K(x, x): so they mean the
//! same for every kernel, and the perceptron's own decisions do not change by it.

mod budget_state;
mod choice;
mod forgetron;
mod learner;
mod projectron;
mod random;

pub use budget_state::BudgetState;
pub use choice::{Budget, ETA, Way};
pub use forgetron::Forgetron;
pub use learner::BudgetPerceptron;
pub use projectron::Projectron;
pub use random::RandomRemoval;

use crate::error::Result;
use crate::learn::State;

/// The correction of one example: how far each output moves along it.
pub struct Correction<'a> {
    /// Output and scale.
    pub moves: &'a [(u32, f64)],
    /// Margins that are right but short of one, R² being the unit: (output, direction, margin, stretch), for policies that mend them.
    pub short: &'a [Short],
}

/// An output whose margin is right but less than one, in units of R².
#[derive(Debug, Clone, Copy)]
pub struct Short {
    /// Which output.
    pub output: u32,
    /// In which direction, and by how many times x, it would move.
    pub by: f64,
    /// The margin.
    pub margin: f64,
    /// ‖z‖²/‖x‖² of the whole correction.
    pub stretch: f64,
}

/// Decides which support vectors a correction costs.
pub trait Policy: Send + Sync + 'static {
    /// Whether margins short of one are mended too.
    const MENDS_SHORT: bool = false;

    /// Applies the correction of the current row, within `most` support vectors.
    fn correct(&mut self, budget: &mut BudgetState, correction: &Correction<'_>, most: usize);

    /// An error if what the policy holds for a support of this size does not fit in memory.
    fn reserve(&self, _support: usize) -> Result<()> {
        Ok(())
    }

    /// Writes what resuming needs.
    fn save(&self, state: &mut State);

    /// Reads it back, for a support of this size.
    fn restore(&mut self, state: &State, support: usize) -> Result<()>;
}
