//! Relaxation: move to (or towards, or beyond) the hyperplane on which the margin would be b.
//!
//! Given (x, y): if y(w·x) < b then w ← w + λ (b − y w·x)/‖x‖² · y x.       Agmon 1954, Motzkin and Schoenberg 1954
//!
//! λ = 1 lands on the hyperplane, λ < 1 stops short of it, λ < 2 does not overshoot by more than the distance. Let u be
//! scaled so that y(u·x) ≥ b for all examples: ‖u‖ = b/γ. A step with d = b − y w·x lowers ‖w − u‖² by at least
//! λ(2 − λ)d²/‖x‖², and a mistake has d ≥ b: so from w = 0 at most R²/(λ(2 − λ)γ²) mistakes.

use super::Entry;
use crate::learn::keep::KeepKind;
use crate::learn::machine::Judgement;
use crate::learn::naive::{Naive, dot, plus};
use crate::learn::{Param, Rule, build};

/// The rule.
#[derive(Debug, Clone)]
pub struct Relaxation {
    margin: f64,
    lambda: f64,
}

impl Rule for Relaxation {
    const WANTS_MARGIN: bool = true;

    #[inline]
    fn tau(&self, seen: Judgement, _k: u64, sq_len: impl FnOnce() -> f64) -> f64 {
        let lack = self.margin - seen.margin;
        if lack <= 0.0 {
            return 0.0;
        }
        let sq_len = sq_len();
        if sq_len == 0.0 { 0.0 } else { self.lambda * lack / sq_len }
    }

    fn bound(&self, radius: f64, margin: f64) -> Option<f64> {
        Some((radius / margin).powi(2) / (self.lambda * (2.0 - self.lambda)))
    }
}

pub(super) const ENTRIES: &[Entry] = &[Entry {
    name: "relaxation",
    type_name: "RelaxationClassifier",
    summary: "moves a share of the way to the margin b",
    guarantee: "separable data: at most R²/(λ(2 − λ)γ²) mistakes",
    paper: "Agmon 1954; Motzkin and Schoenberg 1954",
    params: &[
        Param::positive("margin", 1.0, "b: the margin to reach"),
        Param::within("share", 0.0, 1.9, 1.0, "λ: the share of the way"),
    ],
    keep: KeepKind::Last,
    other_keeps: true,
    mistake_bound: true,
    exact_on_integers: false,
    naive: Naive::Example(|seen, params, _| {
        let lack = params.number("margin") - seen.margin;
        let tau = params.number("share") * lack / dot(seen.z, seen.z);
        (lack > 0.0).then(|| plus(seen.w, tau * seen.weight, seen.z))
    }),
    build: |plan| {
        let (margin, lambda) = (plan.params.number("margin"), plan.params.number("share"));
        build(plan, Relaxation { margin, lambda })
    },
}];
