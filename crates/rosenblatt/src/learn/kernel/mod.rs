//! Kernel perceptrons: linear in the space of a kernel, curved in that of the features.
//!
//! [`Kernel`] says what the space is, [`Dual`] learns in it with the same rules and ways to keep as the linear learners,
//! [`Reading`] is a way to score with a path. `tile` and `products` do the arithmetic in blocks, in a specified order: results are the same bits for any number of threads and any size of block.

pub mod budget;
mod cache;
mod choice;
mod function;
mod hypothesis;
mod path;
mod perceptron;
mod products;
mod reading;
mod score_judge;
mod sum;
mod support;
mod tile;

pub use choice::Choice;
pub use function::{Biased, Function, HIGHEST_DEGREE, Kernel};
pub use hypothesis::KernelMachine;
pub use path::Path;
pub use perceptron::Dual;
pub use reading::{PathReader, Reading};
pub use score_judge::{Apart, Joint, ScoreJudge};
pub use sum::{Summer, sq_norms};
pub use support::{Support, conflict};
pub use tile::{ROWS, Tile};

use crate::learn::kernel::budget::{BudgetPerceptron, Forgetron, Projectron, RandomRemoval, Way};
use crate::learn::learners::{Blueprint, Multiclass};
use crate::learn::machine::{Binary, Single, Spread};
use crate::learn::{AnyLearner, AnyRule};
use crate::parallel;
use crate::rows::{AnyRows, Row, Rows};

/// Builds a learner from a rule and the plan's kernel and machines.
pub fn build(plan: &Blueprint, choice: &Choice, rule: Box<dyn AnyRule>) -> Box<dyn AnyLearner> {
    let kernel = Biased::new(choice.function, plan.bias.is_learned());
    let single = |spread| Joint::new(Single::new(plan.classes, spread, plan.tie));
    match plan.multiclass {
        _ if plan.classes == 2 => assemble(plan, choice, kernel, Joint::new(Binary::new(plan.tie)), rule),
        Multiclass::Single => assemble(plan, choice, kernel, single(Spread::Worst), rule),
        Multiclass::Uniform => assemble(plan, choice, kernel, single(Spread::Uniform), rule),
        Multiclass::OneVsRest => assemble(plan, choice, kernel, Apart::new(plan.classes, plan.tie), rule),
    }
}

fn assemble(
    plan: &Blueprint,
    choice: &Choice,
    kernel: Biased,
    judge: impl ScoreJudge,
    rule: Box<dyn AnyRule>,
) -> Box<dyn AnyLearner> {
    let Some(budget) = choice.budget else {
        return Box::new(Dual::new(kernel, judge, rule, plan.keep, plan.tie, plan.features));
    };
    let (most, features) = (budget.most as usize, plan.features);
    match budget.policy {
        Way::Random => {
            Box::new(BudgetPerceptron::new(kernel, judge, rule, RandomRemoval::new(budget.seed), most, features))
        }
        Way::Forgetron => Box::new(BudgetPerceptron::new(kernel, judge, rule, Forgetron::default(), most, features)),
        Way::Projectron { eta } => {
            Box::new(BudgetPerceptron::new(kernel, judge, rule, Projectron::new(eta), most, features))
        }
    }
}

/// R: the greatest length of a row in the kernel's space.
pub fn radius(kernel: &impl Kernel, rows: AnyRows<'_>) -> f64 {
    let greatest = parallel::greatest(rows.len(), |i| {
        let mut sq = 0.0;
        rows.row(i).each(|_, v| sq += v * v);
        Some(kernel.value(sq, sq, sq))
    });
    greatest.unwrap_or(0.0).sqrt()
}
