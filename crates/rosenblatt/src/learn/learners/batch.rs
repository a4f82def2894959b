//! The batch perceptron: look at all examples, then take one step.
//!
//! > Δ = Σ y x over the examples with y(w·x) ≤ 0   (÷ n if averaged),   w ← w + αΔ,   until ‖Δ‖ < ε
//!
//! Gradient descent on J(w) = Σ max(0, −y w·x). α = 1 with the plain sum is the fixed-increment rule.
//! Separable with margin γ: with mₖ mistakes in step k, γ Σ mₖ ≤ R √(Σ mₖ²) ≤ R √(n Σ mₖ), so from zero at most
//! **n R²/γ² mistakes in all**, whatever α. While any example errs ‖Δ‖ ≥ γ (÷ n if averaged), so a larger ε may stop
//! before separation: "small-step" and "separated" are different results.

use super::{Blueprint, Design, Entry, assemble};
use crate::error::Result;
use crate::learn::keep::KeepKind;
use crate::learn::machine::Machine;
use crate::learn::naive::{self, Naive, plus};
use crate::learn::{
    Geometry, Hypothesis, Learner, Outputs, Param, PassEnd, RATE, Rate, SCHEDULE, State, Step, Weights,
};
use crate::rows::Row;

/// How a step's direction is formed from the misclassified examples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Direction {
    Sum,
    Mean,
}

/// The learner.
pub struct Batch<M> {
    machine: M,
    weights: Weights,
    delta: Weights,
    rate: Rate,
    direction: Direction,
    epsilon: f64,
    steps: u64,
    erred: bool,
    /// The most examples in a pass so far.
    longest: u64,
}

impl<M: Machine> Learner for Batch<M> {
    #[inline]
    fn learn<X: Row>(&mut self, x: X, class: u32, weight: f64) -> Step {
        let judgement = self.machine.judge(&self.weights, x, class);
        if judgement.mistake {
            self.erred = true;
            for step in self.machine.moves() {
                self.delta.add(x, step.output, weight * step.by);
            }
        }
        Step { margin: judgement.margin, mistakes: u32::from(judgement.mistake), updates: 0 }
    }

    fn end_pass(&mut self, presented: u64) -> PassEnd {
        self.longest = self.longest.max(presented);
        if !std::mem::take(&mut self.erred) {
            return PassEnd::default();
        }
        if self.direction == Direction::Mean {
            self.delta.map(|d| d / presented as f64);
        }
        self.steps += 1;
        let rate = self.rate.at(self.steps);
        self.weights.combine(&self.delta, |w, d| w + rate * d);
        let small_step = self.delta.norm() < self.epsilon;
        self.delta.map(|_| 0.0);
        PassEnd { updates: 1, small_step }
    }

    fn grow(&mut self, features: usize) {
        self.weights.grow(features, 0.0);
        self.delta.grow(features, 0.0);
    }

    fn current(&self) -> Weights {
        self.weights.clone()
    }

    fn hypothesis(&self) -> Hypothesis {
        Hypothesis::Linear(self.weights.clone())
    }

    fn bound(&self, geometry: &Geometry) -> Option<f64> {
        let sq_radius = geometry.radius * geometry.radius * self.machine.max_stretch();
        let converges = geometry.margin > 0.0 && self.rate.is_constant();
        // A given order may present an example many times in a pass.
        let examples = self.longest.max(geometry.examples as u64);
        converges.then(|| examples as f64 * sq_radius / (geometry.margin * geometry.margin))
    }

    fn save(&self, state: &mut State) {
        state.put_weights("weights", &self.weights);
        state.put_weights("delta", &self.delta);
        state.put_count("steps", self.steps);
        state.put_count("erred", u64::from(self.erred));
        state.put_count("longest", self.longest);
    }

    fn restore(&mut self, state: &State) -> Result<()> {
        self.weights = state.weights_like("weights", &self.weights)?;
        self.delta = state.weights_like("delta", &self.delta)?;
        self.steps = state.count("steps")?;
        self.erred = state.flag("erred")?;
        self.longest = state.count("longest")?;
        Ok(())
    }

    fn save_for(&self, _machine: usize, outputs: &Outputs, state: &mut State) -> Result<()> {
        self.save(state);
        state.put_weights("weights", &outputs.of_weights(&self.weights));
        state.put_weights("delta", &outputs.of_weights(&self.delta));
        Ok(())
    }
}

struct BatchDesign {
    rate: Rate,
    direction: Direction,
    epsilon: f64,
}

impl Design for BatchDesign {
    type Learner<M: Machine> = Batch<M>;

    fn make<M: Machine>(&self, machine: M, start: Weights) -> Batch<M> {
        let delta = Weights::zeros(start.features(), start.outputs(), start.constant());
        let BatchDesign { rate, direction, epsilon } = *self;
        Batch { machine, weights: start, delta, rate, direction, epsilon, steps: 0, erred: false, longest: 0 }
    }
}

fn design(plan: &Blueprint) -> BatchDesign {
    BatchDesign {
        rate: Rate::new(&plan.params),
        direction: if plan.params.choice("step") == "mean" { Direction::Mean } else { Direction::Sum },
        epsilon: plan.params.number("epsilon"),
    }
}

pub(super) const ENTRIES: &[Entry] = &[Entry {
    name: "batch",
    type_name: "BatchPerceptron",
    summary: "looks at all examples, then takes one step",
    guarantee: "separable data: separates them after at most n·R²/γ² mistakes in all, whatever the rate",
    bound: "n(R/γ)²",
    paper: "Duda and Hart 1973",
    params: &[
        RATE,
        SCHEDULE,
        Param::non_negative("epsilon", 0.0, "stop once the step's direction is shorter than this"),
        Param::choice("step", &["sum", "mean"], "whether the direction is the sum or the mean over all examples"),
    ],
    keep: KeepKind::Last,
    other_keeps: false,
    mistake_bound: true,
    exact_on_integers: true,
    not_mixed: Some("it takes one step for all examples"),
    naive: Naive::Pass(|all, params| {
        let mut sum = vec![0.0; all.first()?.w.len()];
        for observed in all.iter().filter(|observed| observed.wrong) {
            sum = plus(&sum, observed.weight, observed.z);
        }
        if params.choice("step") == "mean" {
            sum = sum.iter().map(|s| s / all.len() as f64).collect();
        }
        all.iter().any(|observed| observed.wrong).then(|| plus(all[0].w, naive::rate(params, all[0].k), &sum))
    }),
    build: |plan| assemble(plan, design(plan)),
}];
