//! Examples in the order of their presentation, laid out ahead of the learner by a second thread.
//!
//! In shuffled order every sparse row comes from another place of memory, and waiting for it takes as long as learning from it.
//! So while the learner is at one stretch of the order, the rows of the next ones are copied side by side. The learner
//! meets the same numbers in the same order: the model has the same bytes.
//!
//! ```text
//!  order ──► lay out ══ stretches ══► learn ──► observer
//!               ▲                       │
//!               └──────── spent ◄───────┘
//! ```

use std::ops::ControlFlow;
use std::sync::mpsc::sync_channel;

use super::{Order, Stop};
use crate::base::learner::{AnyLearner, Tally};
use crate::data::{Examples, Pool, Shelf};

/// Data of fewer values stay in the processor's own memory.
const MANY_VALUES: usize = 1 << 20;
/// Values of a stretch: enough to pay for handing it over, few enough to be still at hand when it is learned from.
const STRETCH_VALUES: usize = 1 << 16;
/// Stretches that may wait for the learner.
const AHEAD: usize = 2;

/// Where examples are presented from.
pub(super) struct Stage<'a> {
    examples: Examples<'a>,
    /// Rows of a stretch; `None`: each row is learned from where it lies.
    stretch: Option<usize>,
    /// Stretches to be filled anew.
    spent: Pool<Stretch>,
    /// 0, 1, 2, …: the order in which a stretch is learned from.
    in_order: Vec<u32>,
    /// How often each example of a stretch was a mistake.
    missed: Vec<u32>,
}

/// A stretch of examples, side by side.
#[derive(Default)]
struct Stretch {
    shelf: Shelf,
    classes: Vec<u32>,
    weights: Option<Vec<f64>>,
}

impl Stretch {
    fn fill(&mut self, examples: Examples<'_>, order: &[u32]) {
        self.shelf.fill(examples.rows, order);
        self.classes.clear();
        self.classes.extend(order.iter().map(|&i| examples.classes[i as usize]));
        self.weights = examples.weights.map(|weights| order.iter().map(|&i| weights[i as usize]).collect());
    }

    fn examples(&self, like: Examples<'_>) -> Examples<'_> {
        let rows = self.shelf.rows(like.rows);
        Examples { rows, classes: &self.classes, weights: self.weights.as_deref() }
    }
}

impl<'a> Stage<'a> {
    /// A second thread is taken where there is one to take and enough to do for it.
    pub(super) fn new(examples: Examples<'a>, order: &Order, learner: &dyn AnyLearner) -> Self {
        let mut stage = Stage { examples, stretch: None, spent: Pool::new(), in_order: Vec::new(), missed: Vec::new() };
        let alone = rayon::current_num_threads() == 1 || rayon::current_thread_index().is_some();
        // Dense rows take less time to learn from than to copy.
        let pays = examples.rows.is_sparse() && !matches!(order, Order::Cyclic);
        if pays && !alone && !learner.looks_beyond() {
            let values: usize = (0..examples.len()).map(|i| examples.rows.stored(i)).sum();
            if values >= MANY_VALUES {
                stage.stretch = Some((STRETCH_VALUES * examples.len() / values).max(1));
            }
        }
        stage
    }

    /// Presents the examples that `order` numbers, `stride` at a time, until `seen` says stop.
    pub(super) fn present(
        &mut self,
        learner: &mut dyn AnyLearner,
        order: &[u32],
        stride: usize,
        failures: &mut [u32],
        mut seen: impl FnMut(&dyn AnyLearner, &[u32], Tally) -> ControlFlow<Stop>,
    ) -> ControlFlow<Stop> {
        let Some(stretch) = self.stretch.filter(|_| order.len() > stride) else {
            for some in order.chunks(stride) {
                let tally = learner.run(self.examples, some, Some(failures));
                seen(learner, some, tally)?;
            }
            return ControlFlow::Continue(());
        };
        let Stage { examples, spent, in_order, missed, .. } = self;
        let (examples, spent) = (*examples, &*spent);
        let rows = stretch.min(stride);
        in_order.extend(in_order.len() as u32..rows as u32);
        missed.resize(rows, 0);
        std::thread::scope(|scope| {
            let (sender, stretches) = sync_channel::<Stretch>(AHEAD);
            scope.spawn(move || {
                for some in order.chunks(stride).flat_map(|some| some.chunks(rows)) {
                    let mut stretch = spent.get();
                    stretch.fill(examples, some);
                    // Nobody is there to be told once enough was seen.
                    if sender.send(stretch).is_err() {
                        return;
                    }
                }
            });
            for some in order.chunks(stride) {
                let mut tally = Tally::default();
                for (part, stretch) in some.chunks(rows).zip(&stretches) {
                    tally.add(learner.run(stretch.examples(examples), &in_order[..part.len()], Some(missed)));
                    for (&i, missed) in part.iter().zip(&mut *missed).filter(|(_, missed)| **missed > 0) {
                        failures[i as usize] = failures[i as usize].saturating_add(std::mem::take(missed));
                    }
                    spent.put(stretch);
                }
                seen(learner, some, tally)?;
            }
            ControlFlow::Continue(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{AnyRows, DenseRows, Format, Input, ReadOptions, SparseRows, read};
    use crate::fit::Trainer;
    use crate::random::Stream;

    const ROWS: usize = 200;
    const FEATURES: usize = 5;

    /// What is left of a learner, its failures, and what was told on the way.
    type Left = (crate::base::state::State, Vec<u32>, Vec<(Vec<u32>, Tally)>);

    fn taught(name: &str, examples: Examples<'_>, stretch: Option<usize>, order: &[u32], stop_after: usize) -> Left {
        let mut learner = Trainer::new(name).learner(FEATURES, 2).unwrap();
        let mut stage = Stage { stretch, ..Stage::new(examples, &Order::Cyclic, &*learner) };
        let (mut failures, mut told) = (vec![0; examples.len()], Vec::new());
        for _ in 0..3 {
            let flow = stage.present(&mut *learner, order, 16, &mut failures, |_, some, tally| {
                told.push((some.to_vec(), tally));
                if told.len() < stop_after { ControlFlow::Continue(()) } else { ControlFlow::Break(Stop::Interrupted) }
            });
            if flow.is_break() {
                break;
            }
        }
        let mut state = Default::default();
        learner.save(&mut state);
        (state, failures, told)
    }

    fn same_either_way(rows: AnyRows<'_>) {
        let mut random = Stream::new(3, &[]);
        let classes: Vec<u32> = (0..ROWS).map(|_| random.below(2) as u32).collect();
        let weights: Vec<f64> = (0..ROWS).map(|_| 0.5 + random.below(4) as f64).collect();
        let mut order: Vec<u32> = (0..ROWS as u32).collect();
        random.shuffle(&mut order);
        for (name, weights) in [("averaged", None), ("arow", None), ("voted", None), ("pa1", Some(&weights[..]))] {
            let examples = Examples::new(rows, &classes, weights).unwrap();
            for stop_after in [usize::MAX, 1, 20] {
                let plain = taught(name, examples, None, &order, stop_after);
                assert!(plain.1.iter().any(|&times| times > 0), "{name} errs, or this would show little");
                for stretch in [1, 7, 16, 1000] {
                    assert_eq!(taught(name, examples, Some(stretch), &order, stop_after), plain, "{name} {stretch}");
                }
            }
        }
    }

    #[test]
    fn laid_out_or_not_a_learner_meets_the_same_numbers() {
        let mut random = Stream::new(4, &[]);
        let bytes: Vec<u8> = (0..ROWS * FEATURES).map(|_| random.below(9) as u8).collect();
        let floats: Vec<f32> = bytes.iter().map(|&b| f32::from(b) / 7.0 - 0.5).collect();
        let doubles: Vec<f64> = bytes.iter().map(|&b| f64::from(b) / 7.0 - 0.5).collect();
        same_either_way(AnyRows::DenseU8(DenseRows::new(&bytes, FEATURES).unwrap()));
        same_either_way(AnyRows::DenseF32(DenseRows::new(&floats, FEATURES).unwrap()));
        same_either_way(AnyRows::DenseF64(DenseRows::new(&doubles, FEATURES).unwrap()));
        // Some rows have one entry, some two.
        let stored = ROWS + ROWS / 2;
        let offsets: Vec<usize> = (0..=ROWS).map(|i| i + i / 2).collect();
        let indices: Vec<u32> = (0..stored).map(|k| u32::from(k % 3 == 2) * 4).collect();
        same_either_way(AnyRows::SparseF32(SparseRows::new(&offsets, &indices, &floats[..stored], FEATURES).unwrap()));
        same_either_way(AnyRows::SparseF64(SparseRows::new(&offsets, &indices, &doubles[..stored], FEATURES).unwrap()));
        let decimal = |i: usize, j: usize| (f64::from(bytes[i * FEATURES + j]) - 3.0) / 100.0;
        let libsvm: String =
            (0..ROWS).map(|i| format!("{} 1:{} 5:{}\n", i % 2, decimal(i, 0), decimal(i, 1))).collect();
        let csv: String = (0..ROWS)
            .map(|i| {
                format!(
                    "{},{}\n",
                    i % 2,
                    (0..FEATURES).map(|j| decimal(i, j).to_string()).collect::<Vec<_>>().join(",")
                )
            })
            .collect();
        for (text, format, label) in [(libsvm, Format::Libsvm, None), (csv, Format::Csv, Some("1".to_string()))] {
            let options = ReadOptions { format: Some(format), label, compact: true, ..ReadOptions::default() };
            let dataset = read(&Input::memory("m", text), &options).unwrap();
            let rows = dataset.table.matrix.rows().unwrap();
            assert!(matches!(rows, AnyRows::DenseDecimal(_) | AnyRows::SparseDecimal(_)), "{rows:?}");
            same_either_way(rows);
        }
    }
}
