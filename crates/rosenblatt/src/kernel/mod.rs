//! Where no line will do: perceptrons in the space of a kernel.
//!
//! [`Kernel`] says what the space is, [`Dual`] learns in it with the same rules and ways to keep as the linear learners,
//! [`Reading`] is how a path answers. `tile` and `products` do the arithmetic in blocks, in an order that is a
//! specification: results are the same bits for any number of threads and any size of block.

pub mod budget;
mod cache;
mod choice;
mod function;
mod jury;
mod path;
mod perceptron;
mod products;
mod reading;
mod sum;
mod support;
mod tile;

use budget::{Forgetron, Frugal, Projectron, RandomRemoval, Way};
pub use choice::Choice;
pub use function::{Biased, Function, HIGHEST_DEGREE, Kernel};
pub use jury::{Apart, Joint, Jury};
pub use path::{NAMES as PATH_NAMES, Path};
pub use perceptron::Dual;
pub use reading::{Reading, Story};
pub use sum::{Summer, sq_norms};
pub use support::{NAMES as SUPPORT_NAMES, Support, conflict};
pub use tile::{ROWS, Tile};

use crate::base::learner::AnyLearner;
use crate::base::row::Row;
use crate::base::rule::Rule;
use crate::data::{AnyRows, Rows};
use crate::each_kind;
use crate::learner::{Blueprint, Multiclass};
use crate::machine::{Binary, Single, Spread};
use crate::parallel;

/// Pairs a rule with the kernel and the jury that the plan asks for.
pub fn build<R: Rule>(plan: &Blueprint, choice: &Choice, rule: R) -> Box<dyn AnyLearner> {
    let kernel = Biased::new(choice.function, plan.bias.is_learned());
    let single = |spread| Joint::new(Single::new(plan.classes, spread, plan.tie));
    match plan.multiclass {
        _ if plan.classes == 2 => assemble(plan, choice, kernel, Joint::new(Binary::new(plan.tie)), rule),
        Multiclass::Single => assemble(plan, choice, kernel, single(Spread::Worst), rule),
        Multiclass::Uniform => assemble(plan, choice, kernel, single(Spread::Uniform), rule),
        Multiclass::OneVsRest => assemble(plan, choice, kernel, Apart::new(plan.classes, plan.tie), rule),
    }
}

fn assemble<J: Jury, R: Rule>(
    plan: &Blueprint,
    choice: &Choice,
    kernel: Biased,
    jury: J,
    rule: R,
) -> Box<dyn AnyLearner> {
    let Some(budget) = choice.budget else {
        return Box::new(Dual::new(kernel, jury, rule, plan.keep, plan.tie, plan.features));
    };
    let (most, features) = (budget.most as usize, plan.features);
    match budget.policy {
        Way::Random => Box::new(Frugal::new(kernel, jury, rule, RandomRemoval::new(budget.seed), most, features)),
        Way::Forgetron => Box::new(Frugal::new(kernel, jury, rule, Forgetron::default(), most, features)),
        Way::Projectron { eta } => Box::new(Frugal::new(kernel, jury, rule, Projectron::new(eta), most, features)),
    }
}

/// R: the greatest length of a row in the kernel's space.
pub fn radius(kernel: &impl Kernel, rows: AnyRows<'_>) -> f64 {
    let greatest = each_kind!(rows, rows => parallel::greatest(rows.len(), |i| {
        let mut sq = 0.0;
        rows.row(i).each(|_, v| sq += v * v);
        Some(kernel.value(sq, sq, sq))
    }));
    greatest.unwrap_or(0.0).sqrt()
}
