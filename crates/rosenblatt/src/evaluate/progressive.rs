//! Progressive validation: predict, then learn. The error of the first pass, before any example is learned from twice.
//!
//! Every prediction is made on a new example by the current weights (not by their average or vote), so the error is
//! unbiased without a held-out set. A score of zero counts as wrong.

use std::ops::ControlFlow;

use serde::Serialize;

use crate::error::Result;
use crate::fit::{Now, Observer, Resumable};
use crate::learn::{AnyLearner, Progress, Stop};

/// The error after 1, 2, 4, 8, … examples, and after the last.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Milestone {
    /// Examples seen.
    pub examples: u64,
    /// The share of them that was predicted wrongly.
    pub error: f64,
    /// The same since the last milestone.
    pub error_since: f64,
}

/// Wraps another observer and records every step of the first pass.
pub struct Progressive<'a, L: ?Sized + Resumable = dyn AnyLearner> {
    observer: &'a mut dyn Observer<L>,
    first_pass: bool,
    examples: u64,
    wrong: u64,
    milestones: Vec<Milestone>,
    /// Examples and wrong ones at the last milestone.
    last: (u64, u64),
    due: u64,
}

impl<'a, L: ?Sized + Resumable> Progressive<'a, L> {
    /// Wraps the observer of a training from its start.
    pub fn new(observer: &'a mut dyn Observer<L>) -> Self {
        let milestones = Vec::new();
        Progressive { observer, first_pass: true, examples: 0, wrong: 0, milestones, last: (0, 0), due: 1 }
    }

    /// All milestones; the last is the error of the whole first pass.
    pub fn milestones(self) -> Vec<Milestone> {
        self.milestones
    }

    fn reach(&mut self) {
        let (examples, wrong) = self.last;
        if self.examples > examples {
            self.milestones.push(Milestone {
                examples: self.examples,
                error: self.wrong as f64 / self.examples as f64,
                error_since: (self.wrong - wrong) as f64 / (self.examples - examples) as f64,
            });
            self.last = (self.examples, self.wrong);
        }
    }
}

impl<L: ?Sized + Resumable> Observer<L> for Progressive<'_, L> {
    fn stride(&self) -> usize {
        if self.first_pass { 1 } else { self.observer.stride() }
    }

    fn advanced(&mut self, now: &Now<'_, L>) -> ControlFlow<Stop> {
        if self.first_pass {
            self.examples += 1;
            // Over many classes the mistakes of one-vs-rest are counted by classifier: the margin is the answer's own.
            self.wrong += u64::from(now.tally.last_margin <= 0.0);
            if self.examples == self.due {
                self.due *= 2;
                self.reach();
            }
            // The wrapped observer may be costly and have a longer stride.
            if !self.examples.is_multiple_of(self.observer.stride().max(1) as u64) {
                return ControlFlow::Continue(());
            }
        }
        self.observer.advanced(now)
    }

    fn wants_checkpoints(&self) -> bool {
        self.observer.wants_checkpoints()
    }

    fn checkpoint(&mut self, checkpoint: L::Checkpoint) -> Result<()> {
        self.observer.checkpoint(checkpoint)
    }

    fn rows_ready(&mut self) {
        self.observer.rows_ready();
    }

    fn restarted(&mut self) {
        (self.first_pass, self.examples, self.wrong, self.last, self.due) = (true, 0, 0, (0, 0), 1);
        self.milestones.clear();
        self.observer.restarted();
    }

    fn pass_ended(&mut self, progress: &Progress, learner: &L, failures: &[u32]) -> Result<ControlFlow<Stop>> {
        if self.first_pass {
            self.first_pass = false;
            self.reach();
        }
        self.observer.pass_ended(progress, learner, failures)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fit::{Data, Order, Trainer, With};
    use crate::learn::decide;
    use crate::learn::learners::Multiclass;
    use crate::random::Stream;
    use crate::rows::Table;

    /// Score with the current weights, count, then learn.
    #[test]
    fn every_example_is_predicted_before_it_is_learned() {
        let mut stream = Stream::new(5, &[]);
        let rows: Vec<[f64; 3]> = (0..100).map(|_| std::array::from_fn(|_| stream.unit() - 0.5)).collect();
        for (classes, multiclass) in [(2, Multiclass::Single), (3, Multiclass::Single), (3, Multiclass::OneVsRest)] {
            let labels: Vec<String> =
                rows.iter().map(|r| format!("c{}", (r[0] * 20.0).abs() as u64 % classes)).collect();
            let table = Table::dense(&rows, &labels).unwrap();
            let trainer = Trainer::new("perceptron").epochs(2).order(Order::Cyclic).multiclass(multiclass);
            let mut none = ();
            let mut watched = Progressive::new(&mut none);
            let report = trainer
                .fit_with(Data::Table(&table), With { observer: Some(&mut watched), ..With::default() })
                .unwrap()
                .report;
            let milestones = watched.milestones();

            let examples = table.examples().unwrap();
            let mut learner = trainer.learner(3, table.labels.len()).unwrap();
            let mut wrong = Vec::new();
            for i in 0..100u32 {
                let w = learner.current().unwrap();
                let mut scores = vec![0.0; w.outputs()];
                w.scores(crate::rows::Dense(&rows[i as usize][..]), &mut scores);
                let zero = scores.iter().all(|s| *s == 0.0);
                let answer = decide(&scores, trainer.recipe.tie);
                wrong.push(zero || answer != table.classes[i as usize]);
                learner.step(examples, i);
            }
            let share = |some: &[bool]| some.iter().filter(|w| **w).count() as f64 / some.len() as f64;
            let stops = [1, 2, 4, 8, 16, 32, 64, 100];
            assert_eq!(milestones.len(), stops.len());
            for (k, (m, &stop)) in milestones.iter().zip(&stops).enumerate() {
                let before = if k == 0 { 0 } else { stops[k - 1] };
                assert_eq!((m.examples, m.error), (stop as u64, share(&wrong[..stop])));
                assert_eq!(m.error_since, share(&wrong[before..stop]));
            }
            let known = classes == 2 || multiclass == Multiclass::Single;
            assert_eq!(report.progressive_error, known.then(|| share(&wrong)));
        }
    }
}
