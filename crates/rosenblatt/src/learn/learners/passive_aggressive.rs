//! Passive-aggressive: stay if the margin is at least 1, else move just far enough.
//!
//! Given (x, y), with the loss l = max(0, 1 − y w·x):                Crammer et al. 2006, JMLR 7, §3
//!
//! | | find w' = argmin ½‖w' − w‖² + … | answer: w' = w + τ y x |
//! |---|---|---|
//! | PA | s.t. y(w'·x) ≥ 1 | τ = l/‖x‖² |
//! | PA-I | + C ξ s.t. y(w'·x) ≥ 1 − ξ, ξ ≥ 0 | τ = min(C, l/‖x‖²) |
//! | PA-II | + C ξ² s.t. y(w'·x) ≥ 1 − ξ | τ = l/(‖x‖² + 1/2C) |
//!
//! Mistakes on data that a unit vector separates with margin γ, from w = 0: with u scaled to margin 1,
//! ‖w − u‖² falls by at least τ(2l − τ‖x‖²) ≥ τl each step and begins at 1/γ². A mistake has l ≥ 1, so τl is at
//! least 1/R² (PA), min(C, 1/R²) (PA-I), 1/(R² + 1/2C) (PA-II). A row of zeros makes no step.
//!
//! An example of weight c has the loss cCξ or cCξ²: the weight multiplies C, and not the step, which would overshoot. PA has
//! no C: any positive weight is the same.
//!
//! Training goes on until nothing moves, as the problem asks for margins and not for signs. A margin that rounding keeps
//! below 1 is 1: a loss of at most [`NONE`] makes no step.

use super::Entry;
use crate::learn::keep::KeepKind;
use crate::learn::machine::Judgement;
use crate::learn::naive::{Naive, dot, plus};
use crate::learn::{Param, Rule, build};

/// The rule, by how the step is limited.
#[derive(Debug, Clone)]
pub enum PassiveAggressive {
    /// PA: not at all.
    Uncapped,
    /// PA-I: never longer than C.
    Capped {
        /// C.
        c: f64,
    },
    /// PA-II: every step shortened.
    Softened {
        /// C.
        c: f64,
    },
}

/// The greatest loss that counts as none.
const NONE: f64 = 1e-9;

impl Rule for PassiveAggressive {
    const WANTS_MARGIN: bool = true;

    #[inline]
    fn tau(&self, judgement: Judgement, k: u64, sq_len: impl FnOnce() -> f64) -> f64 {
        self.weighted_tau(judgement, k, sq_len, 1.0)
    }

    #[inline]
    fn weighted_tau(&self, judgement: Judgement, _k: u64, sq_len: impl FnOnce() -> f64, weight: f64) -> f64 {
        let loss = 1.0 - judgement.margin;
        if loss <= NONE {
            return 0.0;
        }
        let sq_len = sq_len();
        if sq_len == 0.0 {
            return 0.0;
        }
        match *self {
            PassiveAggressive::Uncapped => loss / sq_len,
            PassiveAggressive::Capped { c } => f64::min(weight * c, loss / sq_len),
            PassiveAggressive::Softened { c } => loss / (sq_len + 0.5 / (weight * c)),
        }
    }

    fn bound(&self, radius: f64, margin: f64) -> Option<f64> {
        let sq_radius = match *self {
            PassiveAggressive::Uncapped => radius * radius,
            PassiveAggressive::Capped { c } => f64::max(radius * radius, 1.0 / c),
            PassiveAggressive::Softened { c } => radius * radius + 0.5 / c,
        };
        Some(sq_radius / (margin * margin))
    }
}

const C: Param = Param::positive("c", 1.0, "C: larger trusts a single example more");

/// PA, with what the three have in common.
const PA: Entry = Entry {
    name: "pa",
    type_name: "PassiveAggressiveClassifier",
    summary: "passive-aggressive: just far enough to a margin of 1",
    guarantee: "separable data: at most (R/γ)² mistakes",
    bound: "(R/γ)²",
    paper: "Crammer et al. 2006",
    params: &[],
    keep: KeepKind::Last,
    other_keeps: true,
    mistake_bound: true,
    exact_on_integers: false,
    not_mixed: None,
    naive: Naive::Example(|observed, _, _| {
        let loss = 1.0 - observed.margin;
        let tau = loss / dot(observed.z, observed.z);
        (loss > NONE).then(|| plus(observed.w, tau, observed.z))
    }),
    build: |plan| build(plan, PassiveAggressive::Uncapped),
};

pub(super) const ENTRIES: &[Entry] = &[
    PA,
    Entry {
        name: "pa1",
        summary: "PA-I: a step no longer than C, for noisy labels",
        guarantee: "separable data: at most max(R², 1/C)/γ² mistakes",
        bound: "max(R², 1/C)/γ²",
        params: &[C],
        naive: Naive::Example(|observed, params, _| {
            let loss = 1.0 - observed.margin;
            let tau = (observed.weight * params.number("c")).min(loss / dot(observed.z, observed.z));
            (loss > NONE).then(|| plus(observed.w, tau, observed.z))
        }),
        build: |plan| build(plan, PassiveAggressive::Capped { c: plan.params.number("c") }),
        ..PA
    },
    Entry {
        name: "pa2",
        summary: "PA-II: every step softened by C",
        guarantee: "separable data: at most (R² + 1/2C)/γ² mistakes",
        bound: "(R² + 1/2C)/γ²",
        params: &[C],
        naive: Naive::Example(|observed, params, _| {
            let loss = 1.0 - observed.margin;
            let tau = loss / (dot(observed.z, observed.z) + 1.0 / (2.0 * observed.weight * params.number("c")));
            (loss > NONE).then(|| plus(observed.w, tau, observed.z))
        }),
        build: |plan| build(plan, PassiveAggressive::Softened { c: plan.params.number("c") }),
        ..PA
    },
];
