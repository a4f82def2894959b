//! Many classes, one binary machine each: "l against not l", then the highest score.

use crate::error::Result;
use crate::learn::{
    AddedClasses, AnyLearner, Geometry, Hypothesis, Learner, Outputs, PassEnd, State, Step, View, Weights,
};
use crate::rows::{Row, Rows};

/// The margin of an example under one-vs-rest machines: the score of its own class less the best other's. Shared by
/// hyperplanes and kernels.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MarginOfRest {
    class: usize,
    own: f64,
    best_other: f64,
}

impl MarginOfRest {
    /// For an example of this class, before any machine has judged it.
    #[inline]
    pub(crate) fn new(class: u32) -> Self {
        MarginOfRest { class: class as usize, own: 0.0, best_other: f64::NEG_INFINITY }
    }

    /// Adds the margin of one machine. That of "not l" is minus its score.
    #[inline]
    pub(crate) fn add(&mut self, machine: usize, margin: f64) {
        if machine == self.class { self.own = margin } else { self.best_other = f64::max(self.best_other, -margin) }
    }

    /// The margin, once all machines have judged.
    #[inline]
    pub(crate) fn value(self) -> f64 {
        self.own - self.best_other
    }
}

/// One binary learner for each class; all learn from the same examples in the same order.
pub struct OneVsRest<L>(Vec<L>);

impl<L: Learner> OneVsRest<L> {
    /// From one learner a class.
    pub fn new(learners: Vec<L>) -> Self {
        OneVsRest(learners)
    }
}

impl<L: Learner> Learner for OneVsRest<L> {
    const REVIEWS_ALL_ROWS: bool = L::REVIEWS_ALL_ROWS;

    #[inline]
    fn learn<X: Row>(&mut self, x: X, class: u32, weight: f64) -> Step {
        let mut total = Step { margin: 0.0, mistakes: 0, updates: 0 };
        let mut margin = MarginOfRest::new(class);
        for (k, learner) in self.0.iter_mut().enumerate() {
            let step = learner.learn(x, u32::from(k == class as usize), weight);
            total.mistakes += step.mistakes;
            total.updates += step.updates;
            margin.add(k, step.margin);
        }
        total.margin = margin.value();
        total
    }

    #[inline]
    fn review<R: Rows>(&mut self, all: View<'_, R>) {
        for (k, learner) in (0u32..).zip(&mut self.0) {
            learner.review(all.against_rest(k));
        }
    }

    fn end_pass(&mut self, presented: u64) -> PassEnd {
        let ends: Vec<PassEnd> = self.0.iter_mut().map(|l| l.end_pass(presented)).collect();
        PassEnd { updates: ends.iter().map(|e| e.updates).sum(), small_step: ends.iter().all(|e| e.small_step) }
    }

    fn wants_margin(&self) -> bool {
        self.0.iter().any(Learner::wants_margin)
    }

    fn grow(&mut self, features: usize) {
        self.0.iter_mut().for_each(|learner| learner.grow(features));
    }

    fn current(&self) -> Weights {
        let each: Vec<Weights> = self.0.iter().map(Learner::current).collect();
        Weights::side_by_side(each.iter())
    }

    fn hypothesis(&self) -> Hypothesis {
        Hypothesis::side_by_side(self.0.iter().map(Learner::hypothesis).collect())
    }

    fn current_at(&self, features: &[u32]) -> Option<Weights> {
        let each: Vec<Weights> = self.0.iter().map(|learner| learner.current_at(features)).collect::<Option<_>>()?;
        Some(Weights::side_by_side(each.iter()))
    }

    fn kept_at(&self, features: &[u32]) -> Option<Weights> {
        let each: Vec<Weights> = self.0.iter().map(|learner| learner.kept_at(features)).collect::<Option<_>>()?;
        Some(Weights::side_by_side(each.iter()))
    }

    /// Each classifier by the margin of its own hyperplane; the sum of their bounds bounds the sum of their mistakes.
    fn bound(&self, geometry: &Geometry) -> Option<f64> {
        let each = self.0.iter().zip(&geometry.margins_against_rest);
        each.map(|(learner, &margin)| learner.bound(&Geometry { margin, ..geometry.clone() })).sum()
    }

    fn save(&self, state: &mut State) {
        for (k, learner) in self.0.iter().enumerate() {
            state.within(&k.to_string(), |s| learner.save(s));
        }
    }

    fn restore(&mut self, state: &State) -> Result<()> {
        self.0.iter_mut().enumerate().try_for_each(|(k, l)| l.restore(&state.below(&k.to_string())))
    }

    fn save_for(&self, machine: usize, outputs: &Outputs, state: &mut State) -> Result<()> {
        Learner::save_for(&self.0[machine], 0, outputs, state)
    }

    fn reserve(&self) -> Result<()> {
        self.0.iter().try_for_each(Learner::reserve)
    }

    fn add_classes(&mut self, old: &dyn AnyLearner, added: &AddedClasses<'_>) -> Result<()> {
        for (class, learner) in self.0.iter_mut().enumerate() {
            let Some((machine, outputs)) = added.apart(class) else {
                Learner::begin_late(learner, added.presented);
                continue;
            };
            let mut state = State::default();
            old.save_for(machine, &outputs, &mut state)?;
            Learner::restore(learner, &state)?;
        }
        Ok(())
    }
}
