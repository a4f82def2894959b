//! The perceptron: move only on a mistake, by a rate that does not look at the margin.
//!
//! Given (x, y): if sign(w·x) ≠ y then w ← w + η y x.              Rosenblatt 1958
//!
//! If ‖x‖ ≤ R and a unit vector has y(u·x) ≥ γ for all examples, then from w = 0 the number of mistakes k satisfies
//! kγ ≤ u·w ≤ ‖w‖ ≤ √k R, so **k ≤ (R/γ)²**, in any order, for any constant rate.      Block 1962, Novikoff 1962

use super::{Blueprint, Entry};
use crate::learn::keep::KeepKind;
use crate::learn::machine::Judgement;
use crate::learn::{AnyLearner, Param, RATE, Rate, Rule, SCHEDULE};

/// The rule.
#[derive(Debug, Clone)]
pub struct Perceptron {
    rate: Rate,
}

impl Perceptron {
    /// At a constant rate.
    pub fn new(rate: f64) -> Self {
        Perceptron { rate: Rate::Constant(rate) }
    }
}

impl Rule for Perceptron {
    #[inline]
    fn tau(&self, seen: Judgement, k: u64, _sq_len: impl FnOnce() -> f64) -> f64 {
        if seen.mistake { self.rate.at(k) } else { 0.0 }
    }

    fn bound(&self, radius: f64, margin: f64) -> Option<f64> {
        self.rate.is_constant().then(|| (radius / margin).powi(2))
    }

    fn bounded_on_any_data(&self) -> bool {
        self.rate.is_constant()
    }
}

fn build(plan: &Blueprint) -> Box<dyn AnyLearner> {
    crate::learn::build(plan, Perceptron { rate: Rate::new(&plan.params) })
}

const PARAMS: &[Param] = &[RATE, SCHEDULE];

const fn entry(name: &'static str, keep: KeepKind, summary: &'static str, guarantee: &'static str) -> Entry {
    Entry { name, summary, guarantee, params: PARAMS, keep, other_keeps: true, build }
}

pub(super) const ENTRIES: &[Entry] = &[
    entry(
        "averaged",
        KeepKind::Average,
        "the mean of all weight vectors: the safe default",
        "separable data: at most (R/γ)² mistakes while learning; the mean smooths out the last ones",
    ),
    entry(
        "perceptron",
        KeepKind::Last,
        "the textbook's: the last weight vector",
        "separable data: separates them after at most (R/γ)² mistakes",
    ),
    entry(
        "voted",
        KeepKind::Vote,
        "every weight vector votes, by how long it survived",
        "separable data: at most (R/γ)² mistakes while learning; votes add up to the examples presented",
    ),
    entry(
        "pocket",
        KeepKind::Pocket,
        "the weight vector that got most training examples right",
        "never worse on the training data than any vector it counted",
    ),
];
