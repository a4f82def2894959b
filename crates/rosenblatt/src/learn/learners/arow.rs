//! AROW with a diagonal covariance: each weight has its own confidence, and rare features step further.
//!
//! Given (x, y), with margin m = y w·x and variance v = Σₖ σₖ xₖ²; if m < 1:        Crammer, Kulesza, Dredze 2009
//!
//! > β = 1/(v + r),  α = (1 − m)β,  wₖ ← wₖ + α y σₖ xₖ,  σₖ ← σₖ − β σₖ² xₖ²,  σ begins at 1
//!
//! r is the variance of one example's noise, so an example of weight c has r/c. More than two classes go by the
//! correction z of the machine: x in the right class, −x in the offending one, variances for both.

use super::{Blueprint, Design, Entry, assemble};
use crate::error::Result;
use crate::learn::keep::KeepKind;
use crate::learn::machine::Machine;
use crate::learn::naive::{Naive, Observed};
use crate::learn::{Geometry, Hypothesis, Learner, Outputs, Param, Params, State, Step, Weights};
use crate::rows::Row;

/// The learner.
pub struct Arow<M> {
    machine: M,
    weights: Weights,
    variance: Weights,
    r: f64,
}

impl<M: Machine> Learner for Arow<M> {
    #[inline]
    fn learn<X: Row>(&mut self, x: X, class: u32, weight: f64) -> Step {
        let judgement = self.machine.judge(&self.weights, x, class);
        let moved = judgement.margin < 1.0;
        if moved {
            let constant = self.weights.constant();
            let (weights, variance) = (&mut self.weights, &mut self.variance);
            let mut v = 0.0;
            for step in self.machine.moves() {
                let mut own = *variance.bias_at(step.output) * constant.squared();
                x.each(|j, x| own += *variance.at(j, step.output) * x * x);
                v += step.by * step.by * own;
            }
            let beta = 1.0 / (v + self.r / weight);
            let alpha = (1.0 - judgement.margin) * beta;
            for step in self.machine.moves() {
                let shift = |w: &mut f64, sigma: &mut f64, z: f64| {
                    let s = *sigma;
                    *w += alpha * s * z;
                    *sigma -= beta * s * s * z * z;
                };
                x.each(|j, x| shift(weights.at(j, step.output), variance.at(j, step.output), step.by * x));
                if constant.is_learned() {
                    let mut own = *weights.bias_at(step.output) / constant.beta();
                    shift(&mut own, variance.bias_at(step.output), step.by * constant.beta());
                    *weights.bias_at(step.output) = own * constant.beta();
                }
            }
        }
        Step { margin: judgement.margin, mistakes: u32::from(judgement.mistake), updates: u32::from(moved) }
    }

    fn grow(&mut self, features: usize) {
        self.weights.grow(features, 0.0);
        self.variance.grow(features, 1.0);
    }

    fn current(&self) -> Weights {
        self.weights.clone()
    }

    fn hypothesis(&self) -> Hypothesis {
        Hypothesis::Linear(self.weights.clone())
    }

    fn current_at(&self, features: &[u32]) -> Option<Weights> {
        Some(self.weights.pick(features))
    }

    fn kept_at(&self, features: &[u32]) -> Option<Weights> {
        self.current_at(features)
    }

    fn bound(&self, _geometry: &Geometry) -> Option<f64> {
        None
    }

    fn save(&self, state: &mut State) {
        state.put_weights("weights", &self.weights);
        state.put_weights("variance", &self.variance);
    }

    fn restore(&mut self, state: &State) -> Result<()> {
        self.weights = state.weights_like("weights", &self.weights)?;
        self.variance = state.weights_like("variance", &self.variance)?;
        Ok(())
    }

    fn save_for(&self, _machine: usize, outputs: &Outputs, state: &mut State) -> Result<()> {
        state.put_weights("weights", &outputs.of_weights(&self.weights));
        state.put_weights("variance", &outputs.of_scales(&self.variance, 1.0));
        Ok(())
    }
}

struct ArowDesign {
    r: f64,
}

impl Design for ArowDesign {
    type Learner<M: Machine> = Arow<M>;

    fn make<M: Machine>(&self, machine: M, start: Weights) -> Arow<M> {
        let mut variance = start.clone();
        variance.map(|_| 1.0);
        if !start.biased() {
            (0..start.outputs()).for_each(|k| *variance.bias_at(k) = 0.0);
        }
        Arow { machine, weights: start, variance, r: self.r }
    }
}

/// The formulas above, coordinate by coordinate; its memory is σ.
fn naive(observed: &Observed<'_>, params: &Params, sigma: &mut Vec<f64>) -> Option<Vec<f64>> {
    sigma.resize(observed.w.len(), 1.0);
    if observed.margin >= 1.0 {
        return None;
    }
    let mut v = 0.0;
    for (s, z) in sigma.iter().zip(observed.z) {
        v += s * z * z;
    }
    let beta = 1.0 / (v + params.number("r") / observed.weight);
    let alpha = (1.0 - observed.margin) * beta;
    let mut w = observed.w.to_vec();
    for (k, z) in observed.z.iter().enumerate() {
        w[k] += alpha * sigma[k] * z;
        sigma[k] -= beta * sigma[k] * sigma[k] * z * z;
    }
    Some(w)
}

pub(super) const ENTRIES: &[Entry] = &[Entry {
    name: "arow",
    type_name: "AROW",
    summary: "a confidence for each weight: rare features step further",
    guarantee: "none that we state as a number; robust to noisy labels by r",
    bound: "",
    paper: "Crammer, Kulesza and Dredze 2009",
    params: &[Param::positive("r", 1.0, "noise of one example: larger moves less")],
    keep: KeepKind::Last,
    other_keeps: false,
    mistake_bound: false,
    exact_on_integers: false,
    not_mixed: None,
    naive: Naive::Example(naive),
    build: |plan: &Blueprint| assemble(plan, ArowDesign { r: plan.params.number("r") }),
}];
