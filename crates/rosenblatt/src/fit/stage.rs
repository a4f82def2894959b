//! Examples in the order of their presentation, laid out ahead of the learner by a second thread.
//!
//! In shuffled order every row of CSR arrays comes from two other places of memory, and waiting for them takes as long as
//! learning from them. So while the learner is at one stretch of the order, the rows of the next ones are copied side by
//! side. A stretch that is not ready when its turn comes is learned from where it lies. Either way the learner meets the same
//! numbers in the same order: the model has the same bytes. (Rows of decimals lie in one place and are half as long: they
//! are learned from where they are, which takes as long and spares a processor.)
//!
//! ```text
//!  order ──► lay out ══ stretches ══► learn ──► observer
//!               ▲                       │
//!               └──────── spent ◄───────┘
//! ```

use std::cmp::Ordering::{Equal, Greater, Less};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};

use super::{Order, Stop};
use crate::base::learner::{AnyLearner, Tally};
use crate::base::row::{Row, Value};
use crate::data::{AnyRows, Examples, Pool, Rows, SparseRows};

/// Data of fewer values stay in the processor's own memory.
const MANY_VALUES: usize = 1 << 20;
/// Values of a stretch: enough to pay for handing it over, few enough to be still at hand when it is learned from.
const STRETCH_VALUES: usize = 1 << 16;
/// Stretches that may wait for the learner.
const AHEAD: usize = 2;

/// Where examples are presented from.
pub(super) enum Stage<'a> {
    /// Where they lie.
    There(Examples<'a>),
    /// Copies of CSR rows.
    F64(Copies<'a, f64>),
    /// The same of single precision.
    F32(Copies<'a, f32>),
}

impl<'a> Stage<'a> {
    /// A second thread is taken where there is one to take and enough to do for it.
    pub(super) fn new(examples: Examples<'a>, order: &Order, learner: &dyn AnyLearner) -> Self {
        let alone = rayon::current_num_threads() == 1 || rayon::current_thread_index().is_some();
        let rows = match order {
            Order::Cyclic => 0,
            _ if alone || learner.looks_beyond() => 0,
            _ => stretch_rows(examples),
        };
        match examples.rows {
            AnyRows::SparseF64(sparse) if rows > 0 => Copies::new(sparse, examples, rows).into(),
            AnyRows::SparseF32(sparse) if rows > 0 => Copies::new(sparse, examples, rows).into(),
            _ => Stage::There(examples),
        }
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
        match self {
            Stage::F64(copies) if order.len() > stride => copies.present(learner, order, stride, failures, seen),
            Stage::F32(copies) if order.len() > stride => copies.present(learner, order, stride, failures, seen),
            Stage::There(examples) | Stage::F64(Copies { examples, .. }) | Stage::F32(Copies { examples, .. }) => {
                order.chunks(stride).try_for_each(|some| {
                    let tally = learner.run(*examples, some, Some(failures));
                    seen(learner, some, tally)
                })
            }
        }
    }
}

impl<'a> From<Copies<'a, f64>> for Stage<'a> {
    fn from(copies: Copies<'a, f64>) -> Self {
        Stage::F64(copies)
    }
}

impl<'a> From<Copies<'a, f32>> for Stage<'a> {
    fn from(copies: Copies<'a, f32>) -> Self {
        Stage::F32(copies)
    }
}

/// Rows of a stretch; none where there is too little to lay out.
fn stretch_rows(examples: Examples<'_>) -> usize {
    let values: usize = (0..examples.len()).map(|i| examples.rows.stored(i)).sum();
    if values < MANY_VALUES { 0 } else { (STRETCH_VALUES * examples.len() / values).max(1) }
}

/// CSR rows of which stretches are copied.
pub(super) struct Copies<'a, V> {
    sparse: SparseRows<'a, V>,
    examples: Examples<'a>,
    /// Rows of a stretch.
    rows: usize,
    /// Stretches to be filled anew.
    spent: Pool<Stretch<V>>,
    learning: Learning,
}

impl<'a, V: Value> Copies<'a, V>
where
    for<'s> AnyRows<'s>: From<SparseRows<'s, V>>,
{
    fn new(sparse: SparseRows<'a, V>, examples: Examples<'a>, rows: usize) -> Self {
        Copies { sparse, examples, rows, spent: Pool::new(), learning: Learning::new(rows) }
    }

    fn present(
        &mut self,
        learner: &mut dyn AnyLearner,
        order: &[u32],
        stride: usize,
        failures: &mut [u32],
        mut seen: impl FnMut(&dyn AnyLearner, &[u32], Tally) -> ControlFlow<Stop>,
    ) -> ControlFlow<Stop> {
        let Copies { sparse, examples, rows, spent, learning } = self;
        let (sparse, examples, rows, spent) = (*sparse, *examples, *rows, &*spent);
        // The number of the stretch that the learner is at. Nothing but time hangs on who sees it when.
        let at = &AtomicUsize::new(0);
        std::thread::scope(|scope| {
            let (sender, stretches) = sync_channel(AHEAD);
            scope.spawn(move || {
                for (number, part) in order.chunks(stride).flat_map(|some| some.chunks(rows)).enumerate() {
                    let mut stretch = spent.get();
                    if !stretch.fill(sparse, examples, part, || at.load(Ordering::Relaxed) < number) {
                        spent.put(stretch);
                    } else if sender.send((number, stretch)).is_err() {
                        // Nobody is there to be told once enough was seen.
                        return;
                    }
                }
            });
            let mut ready = Ready { stretches, early: None, spent };
            let mut number = 0;
            order.chunks(stride).try_for_each(|some| {
                let mut tally = Tally::default();
                for part in some.chunks(rows) {
                    at.store(number, Ordering::Relaxed);
                    tally.add(match ready.take(number) {
                        Some(stretch) => {
                            let tally = learning.learn_from(learner, &stretch, sparse.features(), part, failures);
                            spent.put(stretch);
                            tally
                        }
                        // To wait for the copies would take longer than to do without them.
                        None => learner.run(examples, part, Some(failures)),
                    });
                    number += 1;
                }
                seen(learner, some, tally)
            })
        })
    }
}

/// The stretches that are laid out, in increasing order of their numbers; some numbers are left out.
struct Ready<'s, V> {
    stretches: Receiver<(usize, Stretch<V>)>,
    /// Came before its turn.
    early: Option<(usize, Stretch<V>)>,
    spent: &'s Pool<Stretch<V>>,
}

impl<V> Ready<'_, V> {
    /// The stretch of this number, if it is there by now. Those before it came too late.
    fn take(&mut self, number: usize) -> Option<Stretch<V>> {
        loop {
            let (next, stretch) = self.early.take().or_else(|| self.stretches.try_recv().ok())?;
            match next.cmp(&number) {
                Less => self.spent.put(stretch),
                Equal => return Some(stretch),
                Greater => {
                    self.early = Some((next, stretch));
                    return None;
                }
            }
        }
    }
}

/// What learning from copies needs.
struct Learning {
    /// 0, 1, 2, …: the order in which a stretch is learned from.
    in_order: Vec<u32>,
    /// How often each example of a stretch was a mistake.
    missed: Vec<u32>,
}

impl Learning {
    fn new(rows: usize) -> Self {
        Learning { in_order: (0..rows as u32).collect(), missed: vec![0; rows] }
    }

    /// Learns from a stretch of those examples that `part` numbers.
    fn learn_from<V: Value>(
        &mut self,
        learner: &mut dyn AnyLearner,
        stretch: &Stretch<V>,
        features: usize,
        part: &[u32],
        failures: &mut [u32],
    ) -> Tally
    where
        for<'s> AnyRows<'s>: From<SparseRows<'s, V>>,
    {
        let tally = learner.run(stretch.examples(features), &self.in_order[..part.len()], Some(&mut self.missed));
        for (&i, missed) in part.iter().zip(&mut self.missed).filter(|(_, missed)| **missed > 0) {
            failures[i as usize] = failures[i as usize].saturating_add(std::mem::take(missed));
        }
        tally
    }
}

/// A stretch of examples, side by side.
struct Stretch<V> {
    offsets: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<V>,
    classes: Vec<u32>,
    weights: Option<Vec<f64>>,
}

impl<V> Default for Stretch<V> {
    fn default() -> Self {
        Stretch { offsets: Vec::new(), indices: Vec::new(), values: Vec::new(), classes: Vec::new(), weights: None }
    }
}

/// How many rows before its turn a row is asked for, and how many before that its place.
const SOON: usize = 4;
const LATER: usize = 12;

impl<V: Value> Stretch<V> {
    /// Lays out these examples, unless they are not `wanted` any more; whether they were.
    fn fill(
        &mut self,
        sparse: SparseRows<'_, V>,
        examples: Examples<'_>,
        order: &[u32],
        wanted: impl Fn() -> bool,
    ) -> bool {
        self.offsets.clear();
        self.offsets.push(0);
        self.indices.clear();
        self.values.clear();
        for (at, &i) in order.iter().enumerate() {
            if !wanted() {
                return false;
            }
            if let Some(&later) = order.get(at + LATER) {
                sparse.prefetch_place(later as usize);
            }
            if let Some(&soon) = order.get(at + SOON) {
                sparse.row(soon as usize).prefetch();
            }
            let row = sparse.row(i as usize);
            self.indices.extend_from_slice(row.indices);
            self.values.extend_from_slice(row.values);
            self.offsets.push(self.indices.len());
        }
        self.classes.clear();
        self.classes.extend(order.iter().map(|&i| examples.classes[i as usize]));
        self.weights = examples.weights.map(|weights| order.iter().map(|&i| weights[i as usize]).collect());
        true
    }

    fn examples(&self, features: usize) -> Examples<'_>
    where
        for<'s> AnyRows<'s>: From<SparseRows<'s, V>>,
    {
        let rows = SparseRows::checked(&self.offsets, &self.indices, &self.values, features).into();
        Examples { rows, classes: &self.classes, weights: self.weights.as_deref() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::state::State;
    use crate::fit::Trainer;
    use crate::random::Stream;

    const ROWS: usize = 200;
    const FEATURES: usize = 5;

    /// What is left of a learner, its failures, and what was told on the way.
    type Left = (State, Vec<u32>, Vec<(Vec<u32>, Tally)>);

    /// Three passes over what lies there or, as it happens, over copies.
    fn taught(name: &str, mut stage: Stage<'_>, order: &[u32], stop_after: usize) -> Left {
        let mut learner = Trainer::new(name).learner(FEATURES, 2).unwrap();
        let (mut failures, mut told) = (vec![0; ROWS], Vec::new());
        for _ in 0..3 {
            let flow = stage.present(&mut *learner, order, 16, &mut failures, |_, some, tally| {
                told.push((some.to_vec(), tally));
                if told.len() < stop_after { ControlFlow::Continue(()) } else { ControlFlow::Break(Stop::Interrupted) }
            });
            if flow.is_break() {
                break;
            }
        }
        (state_of(&*learner), failures, told)
    }

    /// The same over copies alone.
    fn taught_by_copies<V: Value>(name: &str, rows: SparseRows<'_, V>, examples: Examples<'_>, order: &[u32]) -> Left
    where
        for<'s> AnyRows<'s>: From<SparseRows<'s, V>>,
    {
        let mut learner = Trainer::new(name).learner(FEATURES, 2).unwrap();
        let (mut failures, mut told) = (vec![0; ROWS], Vec::new());
        let (mut stretch, mut learning) = (Stretch::default(), Learning::new(16));
        for _ in 0..3 {
            for some in order.chunks(16) {
                assert!(stretch.fill(rows, examples, some, || true));
                let tally = learning.learn_from(&mut *learner, &stretch, FEATURES, some, &mut failures);
                told.push((some.to_vec(), tally));
            }
        }
        (state_of(&*learner), failures, told)
    }

    fn state_of(learner: &dyn AnyLearner) -> State {
        let mut state = State::default();
        learner.save(&mut state);
        state
    }

    fn same_either_way<V: Value>(values: &[V])
    where
        for<'s> AnyRows<'s>: From<SparseRows<'s, V>>,
        for<'s> Stage<'s>: From<Copies<'s, V>>,
    {
        // Some rows have one entry, some two.
        let offsets: Vec<usize> = (0..=ROWS).map(|i| i + i / 2).collect();
        let indices: Vec<u32> = (0..values.len() as u32).map(|k| u32::from(k % 3 == 2) * 4).collect();
        let rows = SparseRows::new(&offsets, &indices, values, FEATURES).unwrap();
        let mut random = Stream::new(3, &[]);
        let classes: Vec<u32> = (0..ROWS).map(|_| random.below(2) as u32).collect();
        let weights: Vec<f64> = (0..ROWS).map(|_| 0.5 + random.below(4) as f64).collect();
        let mut order: Vec<u32> = (0..ROWS as u32).collect();
        random.shuffle(&mut order);
        for (name, weights) in [("averaged", None), ("arow", None), ("voted", None), ("pa1", Some(&weights[..]))] {
            let examples = Examples::new(rows.into(), &classes, weights).unwrap();
            for stop_after in [usize::MAX, 1, 20] {
                let plain = taught(name, Stage::There(examples), &order, stop_after);
                assert!(plain.1.iter().any(|&times| times > 0), "{name} errs, or this would show little");
                if stop_after == usize::MAX {
                    assert_eq!(taught_by_copies(name, rows, examples, &order), plain, "{name}");
                }
                for stretch in [1, 7, 16, 1000] {
                    let copies = Copies::new(rows, examples, stretch).into();
                    assert_eq!(taught(name, copies, &order, stop_after), plain, "{name} {stretch}");
                }
            }
        }
    }

    #[test]
    fn laid_out_or_not_a_learner_meets_the_same_numbers() {
        let mut random = Stream::new(4, &[]);
        let doubles: Vec<f64> = (0..ROWS + ROWS / 2).map(|_| random.below(9) as f64 / 7.0 - 0.5).collect();
        let floats: Vec<f32> = doubles.iter().map(|&v| v as f32).collect();
        same_either_way(&doubles);
        same_either_way(&floats);
    }

    #[test]
    fn a_stretch_that_nobody_waits_for_is_given_up() {
        let rows = SparseRows::new(&[0, 1, 2], &[0, 0], &[1.0, 2.0], 1).unwrap();
        let examples = Examples::new(rows.into(), &[0, 1], None).unwrap();
        let left = std::cell::Cell::new(2);
        let wanted = || left.replace(left.get() - 1) > 1;
        assert!(!Stretch::default().fill(rows, examples, &[1, 0], wanted));
    }

    #[test]
    fn stretches_are_taken_in_their_turn_or_not_at_all() {
        let (sender, stretches) = sync_channel(9);
        let spent = Pool::new();
        let mut ready = Ready { stretches, early: None, spent: &spent };
        let lay_out = |number: u32| {
            let stretch = Stretch::<f64> { classes: vec![number], ..Stretch::default() };
            sender.send((number as usize, stretch)).unwrap();
        };
        let mut taken = |number| ready.take(number).map(|stretch| stretch.classes[0]);
        assert_eq!(taken(0), None);
        for number in [0, 1, 4] {
            lay_out(number);
        }
        assert_eq!([taken(1), taken(2), taken(3), taken(4), taken(5)], [Some(1), None, None, Some(4), None]);
        drop(sender);
        assert_eq!(taken(6), None);
        assert_eq!(spent.get().classes, [0], "the late one is filled anew");
    }

    #[test]
    fn rows_are_laid_out_only_where_it_pays() {
        let many = MANY_VALUES + 1;
        let (offsets, indices, values) = ((0..=many).collect::<Vec<_>>(), vec![0; many], vec![1.0; many]);
        let classes: Vec<u32> = (0..many).map(|i| (i % 2) as u32).collect();
        let rows = SparseRows::new(&offsets, &indices, &values, 1).unwrap();
        let all = Examples::new(rows.into(), &classes, None).unwrap();
        let laid_out = |name: &str, order: &Order| {
            let learner = Trainer::new(name).learner(1, 2).unwrap();
            !matches!(Stage::new(all, order, &*learner), Stage::There(_))
        };
        let shuffled = Order::Shuffled { seed: 0 };
        assert_eq!(laid_out("averaged", &shuffled), rayon::current_num_threads() > 1);
        assert!(!laid_out("averaged", &Order::Cyclic));
        assert!(!laid_out("pocket", &shuffled), "the pocket counts all examples");
    }
}
