//! The margin perceptron: move whenever the margin is at most b, right or wrong.
//!
//! Given (x, y): if y(w·x) ≤ b then w ← w + η y x.                  Krauth and Mézard 1987
//!
//! After t updates ‖w‖² ≤ t(η²R² + 2ηb) and u·w ≥ ηtγ, so t ≤ R²/γ² + 2b/(ηγ²) with a constant rate.
//! When nothing moves any more the margin is at least γ·b/(2b + ηR²): towards half of the best for large b.

use super::Entry;
use crate::learn::keep::KeepKind;
use crate::learn::machine::Judgement;
use crate::learn::naive::{self, Naive, plus};
use crate::learn::{Param, RATE, Rate, Rule, SCHEDULE};

/// The rule.
#[derive(Debug, Clone)]
pub struct Margin {
    margin: f64,
    rate: Rate,
}

impl Rule for Margin {
    const WANTS_MARGIN: bool = true;

    #[inline]
    fn tau(&self, judgement: Judgement, k: u64, _sq_len: impl FnOnce() -> f64) -> f64 {
        if judgement.mistake || judgement.margin <= self.margin { self.rate.at(k) } else { 0.0 }
    }

    fn bound(&self, radius: f64, margin: f64) -> Option<f64> {
        let Rate::Constant(rate) = self.rate else { return None };
        Some((radius * radius + 2.0 * self.margin / rate) / (margin * margin))
    }
}

pub(super) const ENTRIES: &[Entry] = &[Entry {
    name: "margin",
    type_name: "MarginPerceptron",
    summary: "moves until every margin exceeds b; averaged, with a b that suits the rows, the default",
    guarantee: "separable data: at most R²/γ² + 2b/(ηγ²) updates, then a margin of at least γ·b/(2b + ηR²)",
    bound: "(R² + 2b/η)/γ²",
    paper: "Krauth and Mézard 1987",
    params: &[Param::non_negative("margin", 1.0, "b: move while y(w·x) is at most this"), RATE, SCHEDULE],
    keep: KeepKind::Last,
    other_keeps: true,
    mistake_bound: true,
    exact_on_integers: true,
    not_mixed: None,
    naive: Naive::Example(|observed, params, _| {
        if observed.margin > params.number("margin") {
            return None;
        }
        Some(plus(observed.w, naive::rate(params, observed.k) * observed.weight, observed.z))
    }),
    build: |plan| {
        let rule = Margin { margin: plan.params.number("margin"), rate: Rate::new(&plan.params) };
        crate::learn::build(plan, rule)
    },
}];
