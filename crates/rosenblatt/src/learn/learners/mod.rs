//! The registry: every learner by name, with its parameters as data and its constructor.
//!
//! A learner is one file in this folder, with a `mod` line and a line in `FILES` below. Everything else follows from
//! the file's [`Entry`]: the command line, its help and completions, the Python class, the contract tests, the comparison
//! with the naive twin and the test of the mistake bound. (A module needs its `mod` line, and the list sets the order in
//! which users see learners: to make one line of the two takes a macro, which hides the files from `cargo fmt`.)

mod alma;
mod arow;
mod batch;
mod half_margin;
mod margin;
mod passive_aggressive;
mod penalized;
mod perceptron;

pub use perceptron::Perceptron;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::learn::keep::KeepKind;
use crate::learn::machine::{Binary, Machine, OneVsRest, Single, Spread, Tie};
use crate::learn::naive::Naive;
use crate::learn::{AnyLearner, Bias, CUSTOM, Learner, Param, Params, Weights, custom_name};
use crate::named::named;

/// The entries of each file, in the order in which users see them: the line to add for a new learner, beside its `mod`.
static FILES: &[&[Entry]] = &[
    perceptron::ENTRIES,
    margin::ENTRIES,
    half_margin::ENTRIES,
    passive_aggressive::ENTRIES,
    penalized::ENTRIES,
    arow::ENTRIES,
    batch::ENTRIES,
    alma::ENTRIES,
];

/// The registry entry of one learner.
#[derive(Debug)]
pub struct Entry {
    /// As the user writes it.
    pub name: &'static str,
    /// The name of its class in Python; learners that differ in a setting of one class share it.
    pub type_name: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
    /// What is proved about it, in one line.
    pub guarantee: &'static str,
    /// The bound on its mistakes for two classes, R being the radius and γ the margin; empty if no formula gives it.
    pub bound: &'static str,
    /// Who published it, and when.
    pub paper: &'static str,
    /// Its own parameters.
    pub params: &'static [Param],
    /// What it keeps by default.
    pub keep: KeepKind,
    /// Whether it can keep in all other ways too.
    pub other_keeps: bool,
    /// Whether [`Learner::bound`] states a number of mistakes for separable data at the default parameters: the tests
    /// require it where this is true, and none where it is false.
    pub mistake_bound: bool,
    /// Whether rows, parameters and start weights of whole numbers give weights of whole numbers (at a constant rate), so
    /// that nothing rounds: the tests then compare to the last bit.
    pub exact_on_integers: bool,
    /// Why the states of shards cannot be mixed; `None`: they can, at a constant rate.
    pub not_mixed: Option<&'static str>,
    /// The learner a second time, as a textbook writes it.
    #[doc(hidden)]
    pub naive: Naive,
    /// Its constructor.
    pub build: fn(&Blueprint) -> Box<dyn AnyLearner>,
}

/// All learners, in the order in which help lists them; the first is the default.
pub fn all() -> impl Iterator<Item = &'static Entry> {
    FILES.iter().copied().flatten()
}

/// The learner of this name.
pub fn find(name: &str) -> Result<&'static Entry> {
    all().find(|e| e.name == name).ok_or_else(|| {
        if name.starts_with(CUSTOM) {
            return Error::settings(match custom_name(name) {
                Some(_) => {
                    format!("\"{name}\" is a rule of the program that trained with it: only that one trains with it")
                }
                None => format!("\"{name}\": a rule's name has 1 to 64 letters, digits, \"-\", \"_\" and \".\""),
            });
        }
        let names: Vec<&str> = all().map(|e| e.name).collect();
        Error::settings(format!("there is no learner \"{name}\": choose one of {}", names.join(", ")))
    })
}

/// How more than two classes are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Multiclass {
    /// One machine; the highest-scoring wrong class gives way.
    #[default]
    Single,
    /// One machine; all classes that outscore the right one give way, in equal parts.
    Uniform,
    /// One binary machine for each class; the highest score wins.
    OneVsRest,
}

named!(Multiclass: Single = "single", Uniform = "uniform", OneVsRest = "one-vs-rest");

/// All that a constructor needs.
#[derive(Debug, Clone)]
pub struct Blueprint {
    /// The number of features.
    pub features: usize,
    /// The number of classes, at least 2.
    pub classes: usize,
    /// The bias, if one is learned.
    pub bias: Bias,
    /// What a score of zero means.
    pub tie: Tie,
    /// How more than two classes are told apart.
    pub multiclass: Multiclass,
    /// What is kept of the path.
    pub keep: KeepKind,
    /// The start weights; `None`: zeros. One output for two classes, else one for each.
    pub start: Option<Weights>,
    /// The learner's own parameters, checked.
    pub params: Params,
    /// The space in which to move; `None`: that of the features.
    pub kernel: Option<crate::learn::kernel::Choice>,
}

impl Blueprint {
    /// The number of outputs: one for two classes, else one for each.
    pub fn outputs(&self) -> usize {
        if self.classes == 2 { 1 } else { self.classes }
    }

    fn start(&self) -> Weights {
        match &self.start {
            Some(start) => start.clone(),
            None => Weights::zeros(self.features, self.outputs(), self.bias),
        }
    }
}

/// A learner that can be built on any machine.
pub trait Design {
    /// The learner on a machine.
    type Learner<M: Machine>: Learner;
    /// Builds it, starting at `start`.
    fn make<M: Machine>(&self, machine: M, start: Weights) -> Self::Learner<M>;
}

/// Builds a design on the machine that the plan needs. The only place that chooses a machine.
pub fn assemble(plan: &Blueprint, design: impl Design) -> Box<dyn AnyLearner> {
    let start = plan.start();
    let single = |spread| Single::new(plan.classes, spread, plan.tie);
    match plan.multiclass {
        _ if plan.classes == 2 => Box::new(design.make(Binary::new(plan.tie), start)),
        Multiclass::Single => Box::new(design.make(single(Spread::Worst), start)),
        Multiclass::Uniform => Box::new(design.make(single(Spread::Uniform), start)),
        Multiclass::OneVsRest => {
            let one = |k| {
                let bias = vec![start.bias()[k]];
                let start = Weights::from_parts(start.column(k).collect(), bias, start.constant());
                design.make(Binary::new(plan.tie), start)
            };
            Box::new(OneVsRest::new((0..plan.classes).map(one).collect()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::Recipe;

    /// So that a batch of one row takes the time of its entries: AROW, ALMA and the half margin looked at all weights.
    #[test]
    fn only_the_weights_of_a_row_need_be_finite() {
        // The batch perceptron moves by sums over all features.
        for entry in all().filter(|entry| entry.name != "batch") {
            let recipe = Recipe { learner: entry.name.to_string(), ..Recipe::default() };
            let start = Weights::from_parts(vec![0.0, 0.0, f64::NAN], vec![0.0], recipe.bias);
            let learner = (entry.build)(&recipe.blueprint(3, 2, Some(start)).unwrap());
            assert!(learner.is_finite_at(&[0, 1]), "{}", entry.name);
            assert!(!learner.is_finite_at(&[1, 2]), "{}", entry.name);
        }
    }
}
