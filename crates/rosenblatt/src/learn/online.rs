//! Learner = Rule × Keep: every linear online learner is one rule paired with one way to keep.

use std::marker::PhantomData;

use super::add_classes::Outputs;
use super::geometry::Geometry;
use super::hypothesis::Hypothesis;
use super::keep::{self, Keep, KeepKind};
use super::learner::{AnyLearner, Learner, Step, View};
use super::rule::Rule;
use super::state::State;
use super::weights::Weights;
use crate::error::Result;
use crate::learn::learners::{Blueprint, Design, assemble};
use crate::learn::machine::Machine;
use crate::rows::{Row, Rows};

/// Weights that move along each correction as far as the rule says, and what is kept of their path.
pub struct Online<M, R, K> {
    machine: M,
    rule: R,
    keep: K,
    weights: Weights,
    presented: u64,
    updates: u64,
}

impl<M: Machine, R: Rule, K: Keep> Online<M, R, K> {
    /// Starts at `start`, whose outputs are those of the machine.
    pub fn new(machine: M, rule: R, start: Weights) -> Self {
        Online { machine, rule, keep: K::new(&start), weights: start, presented: 0, updates: 0 }
    }
}

impl<M: Machine, R: Rule, K: Keep> Learner for Online<M, R, K> {
    const REVIEWS_ALL_ROWS: bool = K::REVIEWS_ALL_ROWS;

    #[inline(always)]
    fn learn<X: Row>(&mut self, x: X, class: u32, weight: f64) -> Step {
        self.presented += 1;
        let judgement = self.machine.judge(&self.weights, x, class);
        let sq_len = || judgement.stretch * self.weights.sq_len(x);
        let tau = self.rule.weighted_tau(judgement, self.updates + 1, sq_len, weight);
        let moved = tau > 0.0;
        if moved {
            self.updates += 1;
            self.keep.correct(&mut self.weights, x, self.machine.moves(), tau, self.presented);
        } else {
            self.keep.surviving();
        }
        Step { margin: judgement.margin, mistakes: u32::from(judgement.mistake), updates: u32::from(moved) }
    }

    #[inline]
    fn review<D: Rows>(&mut self, all: View<'_, D>) {
        self.keep.review(&self.weights, &mut self.machine, all);
    }

    fn wants_margin(&self) -> bool {
        R::WANTS_MARGIN
    }

    fn grow(&mut self, features: usize) {
        self.weights.grow(features, 0.0);
        self.keep.grow(features);
    }

    fn current(&self) -> Weights {
        self.weights.clone()
    }

    fn hypothesis(&self) -> Hypothesis {
        self.keep.hypothesis(&self.weights, &self.machine, self.presented)
    }

    fn current_at(&self, features: &[u32]) -> Option<Weights> {
        Some(self.weights.pick(features))
    }

    fn kept_at(&self, features: &[u32]) -> Option<Weights> {
        self.keep.kept_at(&self.weights, features, self.presented)
    }

    fn bound(&self, geometry: &Geometry) -> Option<f64> {
        let radius = geometry.radius * self.machine.max_stretch().sqrt();
        if geometry.margin > 0.0 { self.rule.bound(radius, geometry.margin) } else { None }
    }

    fn bounded_on_any_data(&self) -> bool {
        self.rule.bounded_on_any_data()
    }

    fn save(&self, state: &mut State) {
        state.put_weights("weights", &self.weights);
        state.put_count("presented", self.presented);
        state.put_count("updates", self.updates);
        state.within("keep", |s| self.keep.save(s));
    }

    fn restore(&mut self, state: &State) -> Result<()> {
        self.weights = state.weights_like("weights", &self.weights)?;
        self.presented = state.count("presented")?;
        self.updates = state.count("updates")?;
        self.keep.restore(&state.below("keep"), self.presented)
    }

    fn save_for(&self, _machine: usize, outputs: &Outputs, state: &mut State) -> Result<()> {
        state.put_weights("weights", &outputs.of_weights(&self.weights));
        state.put_count("presented", self.presented);
        state.put_count("updates", self.updates);
        state.within("keep", |s| self.keep.save_for(outputs, s));
        Ok(())
    }

    fn reserve(&self) -> Result<()> {
        self.keep.reserve()
    }

    fn begin_late(&mut self, presented: u64) {
        self.presented = presented;
    }
}

struct OnlineDesign<R, K>(R, PhantomData<K>);

impl<R: Rule, K: Keep> Design for OnlineDesign<R, K> {
    type Learner<M: Machine> = Online<M, R, K>;

    fn make<M: Machine>(&self, machine: M, start: Weights) -> Online<M, R, K> {
        Online::new(machine, self.0.clone(), start)
    }
}

/// Builds a learner from a rule and the plan's way to keep: called by a rule's registry entry.
pub fn build<R: Rule>(plan: &Blueprint, rule: R) -> Box<dyn AnyLearner> {
    if let Some(choice) = &plan.kernel {
        return crate::learn::kernel::build(plan, choice, Box::new(rule));
    }
    match plan.keep {
        KeepKind::Last => assemble(plan, OnlineDesign(rule, PhantomData::<keep::Last>)),
        KeepKind::Average => assemble(plan, OnlineDesign(rule, PhantomData::<keep::Average>)),
        KeepKind::Vote => assemble(plan, OnlineDesign(rule, PhantomData::<keep::Vote>)),
        KeepKind::Pocket => assemble(plan, OnlineDesign(rule, PhantomData::<keep::Pocket>)),
    }
}
