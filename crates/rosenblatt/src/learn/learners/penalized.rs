//! The perceptron with a penalty on its weights, l₁‖w‖₁ + l₂‖w‖²/2: they shrink with every example, and an l₁ makes
//! many of them exactly zero.
//!
//! Given (x, y), with d = ηl₂ (at most 1) and c = ηl₁, each weight, but not the bias:      Langford, Li, Zhang 2009
//!
//! > w ← sign(w)·max(0, (1 − d)|w| − c),  and then w ← w + η y x if sign(w·x) ≠ y before
//!
//! What reaches zero stays there until the next step, so m examples shrink a weight by one formula:
//!
//! > w ← sign(w)·max(0, (1 − d)ᵐ|w| − c(1 + (1 − d) + … + (1 − d)ᵐ⁻¹))
//!
//! Each feature remembers how many examples it has shrunk for, and catches up when a row has it: an example takes the time
//! of its entries, however many features there are.

use super::{Blueprint, Design, Entry, assemble};
use crate::error::{Error, Result};
use crate::learn::keep::KeepKind;
use crate::learn::machine::Machine;
use crate::learn::naive::{Naive, Observed};
use crate::learn::{Array, Geometry, Hypothesis, Learner, Outputs, Param, Params, RATE, State, Step, Weights};
use crate::rows::Row;

/// How a weight shrinks with one example: to `keep`·|w| − `cut`.
#[derive(Debug, Clone, Copy)]
struct Shrinkage {
    keep: f64,
    cut: f64,
}

/// How a weight shrinks with several.
#[derive(Debug, Clone, Copy)]
struct Shrunk {
    keep: f64,
    cut: f64,
}

impl Shrinkage {
    fn new(params: &Params) -> Self {
        let rate = params.number("rate");
        Shrinkage { keep: 1.0 - (rate * params.number("l2")).min(1.0), cut: rate * params.number("l1") }
    }

    /// By m examples, in log m steps: with p = kᵐ and g = 1 + k + … + kᵐ⁻¹, twice as many have p² and g(1 + p), and one
    /// more has pk and gk + 1. Only positive numbers are added: nothing cancels.
    fn by(self, examples: u64) -> Shrunk {
        let (mut power, mut sum) = (1.0, 0.0);
        for bit in (0..u64::BITS - examples.leading_zeros()).rev() {
            (power, sum) = (power * power, sum * (1.0 + power));
            if examples >> bit & 1 == 1 {
                (power, sum) = (power * self.keep, sum * self.keep + 1.0);
            }
        }
        Shrunk { keep: power, cut: self.cut * sum }
    }
}

impl Shrunk {
    fn of(self, w: f64) -> f64 {
        let size = self.keep * w.abs() - self.cut;
        // What is not a number stays one: the trainer must see it.
        if size <= 0.0 { 0.0 } else { size.copysign(w) }
    }
}

/// The learner.
pub struct Penalized<M> {
    machine: M,
    /// Each as it was when its feature last caught up.
    weights: Weights,
    /// How many examples the weights of each feature have shrunk for.
    shrunk: Vec<u64>,
    presented: u64,
    shrinkage: Shrinkage,
    rate: f64,
}

impl<M: Machine> Penalized<M> {
    /// Shrinks the weights of a row's features for all of the first `examples`.
    #[inline]
    fn catch_up<X: Row>(&mut self, x: X, examples: u64) {
        let (weights, shrinkage) = (&mut self.weights, self.shrinkage);
        let outputs = weights.outputs();
        x.each(|j, _| {
            let behind = examples - self.shrunk[j];
            if behind > 0 {
                let shrunk = shrinkage.by(behind);
                (0..outputs).for_each(|k| *weights.at(j, k) = shrunk.of(*weights.at(j, k)));
                self.shrunk[j] = examples;
            }
        });
    }

    /// These weights of these features, as they are after all examples.
    fn caught_up(&self, mut weights: Weights, features: impl Iterator<Item = usize>) -> Weights {
        let outputs = weights.outputs();
        for (place, j) in features.enumerate() {
            let shrunk = self.shrinkage.by(self.presented - self.shrunk[j]);
            (0..outputs).for_each(|k| *weights.at(place, k) = shrunk.of(*weights.at(place, k)));
        }
        weights
    }
}

impl<M: Machine> Learner for Penalized<M> {
    #[inline]
    fn learn<X: Row>(&mut self, x: X, class: u32, weight: f64) -> Step {
        self.catch_up(x, self.presented);
        let judgement = self.machine.judge(&self.weights, x, class);
        self.presented += 1;
        if judgement.mistake {
            self.catch_up(x, self.presented);
            for step in self.machine.moves() {
                self.weights.add(x, step.output, self.rate * weight * step.by);
            }
        }
        let mistakes = u32::from(judgement.mistake);
        Step { margin: judgement.margin, mistakes, updates: mistakes }
    }

    fn grow(&mut self, features: usize) {
        self.weights.grow(features, 0.0);
        self.shrunk.resize(features.max(self.shrunk.len()), self.presented);
    }

    fn current(&self) -> Weights {
        self.caught_up(self.weights.clone(), 0..self.weights.features())
    }

    fn current_at(&self, features: &[u32]) -> Option<Weights> {
        Some(self.caught_up(self.weights.pick(features), features.iter().map(|&j| j as usize)))
    }

    fn hypothesis(&self) -> Hypothesis {
        Hypothesis::Linear(self.current())
    }

    fn kept_at(&self, features: &[u32]) -> Option<Weights> {
        self.current_at(features)
    }

    fn bound(&self, _geometry: &Geometry) -> Option<f64> {
        None
    }

    fn save(&self, state: &mut State) {
        state.put_weights("weights", &self.weights);
        state.put("shrunk", Array::U64(self.shrunk.clone()));
        state.put_count("presented", self.presented);
    }

    fn restore(&mut self, state: &State) -> Result<()> {
        self.weights = state.weights_like("weights", &self.weights)?;
        self.presented = state.count("presented")?;
        let shrunk = state.u64s("shrunk")?;
        if shrunk.len() != self.weights.features() || shrunk.iter().any(|&examples| examples > self.presented) {
            return Err(Error::bad_model("\"shrunk\" does not count examples presented, one count for each feature"));
        }
        self.shrunk = shrunk.to_vec();
        Ok(())
    }

    fn begin_late(&mut self, presented: u64) {
        self.presented = presented;
        self.shrunk.fill(presented);
    }

    fn save_for(&self, _machine: usize, outputs: &Outputs, state: &mut State) -> Result<()> {
        // Half a weight does not shrink by half as much: all have to catch up first.
        state.put_weights("weights", &outputs.of_weights(&self.current()));
        state.put("shrunk", Array::U64(vec![self.presented; self.shrunk.len()]));
        state.put_count("presented", self.presented);
        Ok(())
    }
}

struct PenalizedDesign {
    shrinkage: Shrinkage,
    rate: f64,
}

impl Design for PenalizedDesign {
    type Learner<M: Machine> = Penalized<M>;

    fn make<M: Machine>(&self, machine: M, start: Weights) -> Penalized<M> {
        let shrunk = vec![0; start.features()];
        Penalized { machine, weights: start, shrunk, presented: 0, shrinkage: self.shrinkage, rate: self.rate }
    }
}

/// The formula for one example, weight by weight.
fn naive(observed: &Observed<'_>, params: &Params) -> Vec<f64> {
    let rate = params.number("rate");
    let (d, c) = ((rate * params.number("l2")).min(1.0), rate * params.number("l1"));
    let mut w = observed.w.to_vec();
    for (place, w) in w.iter_mut().enumerate() {
        let is_bias = observed.biased && (place + 1) % observed.block == 0;
        if !is_bias {
            *w = w.signum() * ((1.0 - d) * w.abs() - c).max(0.0);
        }
        if observed.wrong {
            *w += rate * observed.weight * observed.z[place];
        }
    }
    w
}

pub(super) const ENTRIES: &[Entry] = &[Entry {
    name: "penalized",
    type_name: "Perceptron",
    summary: "the perceptron with a penalty: weights shrink with every example, an l1 makes many of them zero",
    guarantee: "none that we state as a number: a penalty trades mistakes for smaller or fewer weights",
    bound: "",
    paper: "Langford, Li and Zhang 2009",
    params: &[
        RATE,
        Param::non_negative("l2", 0.0001, "part of a weight's size that an example takes away, times the rate"),
        Param::non_negative("l1", 0.0, "size that an example takes away from every weight, times the rate"),
    ],
    keep: KeepKind::Last,
    other_keeps: false,
    mistake_bound: false,
    exact_on_integers: false,
    not_mixed: Some("its weights have shrunk for other numbers of examples"),
    naive: Naive::Always(naive),
    build: |plan: &Blueprint| {
        let (shrinkage, rate) = (Shrinkage::new(&plan.params), plan.params.number("rate"));
        assemble(plan, PenalizedDesign { shrinkage, rate })
    },
}];
