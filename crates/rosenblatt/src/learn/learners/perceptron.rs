//! The perceptron: move only on a mistake, by a rate that does not look at the margin.
//!
//! Given (x, y): if sign(w·x) ≠ y then w ← w + η y x.              Rosenblatt 1958
//!
//! If ‖x‖ ≤ R and a unit vector has y(u·x) ≥ γ for all examples, then from w = 0 the number of mistakes k satisfies
//! kγ ≤ u·w ≤ ‖w‖ ≤ √k R, so **k ≤ (R/γ)²**, in any order, for any constant rate.      Block 1962, Novikoff 1962

use super::{Blueprint, Entry};
use crate::learn::keep::KeepKind;
use crate::learn::machine::Judgement;
use crate::learn::naive::{self, Naive, plus};
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
    fn tau(&self, judgement: Judgement, k: u64, _sq_len: impl FnOnce() -> f64) -> f64 {
        if judgement.mistake { self.rate.at(k) } else { 0.0 }
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

/// What the four have in common: they are one rule, and differ in what they keep.
const RULE: Entry = Entry {
    name: "perceptron",
    type_name: "Perceptron",
    summary: "the textbook's: the last weight vector",
    guarantee: "separable data: separates them after at most (R/γ)² mistakes",
    bound: "(R/γ)²",
    paper: "Rosenblatt 1958",
    params: PARAMS,
    keep: KeepKind::Last,
    other_keeps: true,
    mistake_bound: true,
    exact_on_integers: true,
    not_mixed: None,
    naive: Naive::Example(|observed, params, _| {
        if !observed.wrong {
            return None;
        }
        Some(plus(observed.w, naive::rate(params, observed.k) * observed.weight, observed.z))
    }),
    build,
};

pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        name: "averaged",
        type_name: "AveragedPerceptron",
        summary: "the mean of all weight vectors",
        guarantee: "separable data: at most (R/γ)² mistakes while learning; the mean smooths out the last ones",
        paper: "Freund and Schapire 1999",
        keep: KeepKind::Average,
        ..RULE
    },
    RULE,
    Entry {
        name: "voted",
        type_name: "VotedPerceptron",
        summary: "every weight vector votes, by how long it survived",
        guarantee: "separable data: at most (R/γ)² mistakes while learning; votes add up to the examples presented",
        paper: "Freund and Schapire 1999",
        keep: KeepKind::Vote,
        ..RULE
    },
    Entry {
        name: "pocket",
        type_name: "PocketPerceptron",
        summary: "the weight vector that got most training examples right",
        guarantee: "never worse on the training data than any vector it counted",
        paper: "Gallant 1990",
        keep: KeepKind::Pocket,
        ..RULE
    },
];
