//! The round of one shard: the training loop, one pass from the mixed state.

use std::collections::BTreeMap;

use super::delta::{Counts, Delta};
use super::mixture::Mixture;
use super::part::Part;
use crate::error::{Error, Result};
use crate::fit::memory::MemorySource;
use crate::fit::row_trainee::RowTrainee;
use crate::fit::source::{BlockSource, Passed};
use crate::fit::train::Training;
use crate::fit::{Borrowed, Observer, Order, Trainer};
use crate::learn::{Array, Geometry, Progress, State};
use crate::random::Stream;
use crate::rows::Examples;

/// Separates the seeds of shards from all other random streams.
const PURPOSE: u64 = 0x5348_4152_4453;

/// The seed of a shard. The first has that of the user, so that one shard is a training without shards.
fn seed_of(seed: u64, shard: u32) -> u64 {
    if shard == 0 { seed } else { Stream::new(seed, &[PURPOSE, shard.into()]).below(u64::MAX) }
}

/// The array of weights whose average is kept in this one.
pub(super) fn averaged_in(name: &str) -> Option<String> {
    let start = name.strip_suffix("keep.u").map(|start| (start, ""));
    let (start, end) = start.or_else(|| name.strip_suffix("keep.u.bias").map(|start| (start, ".bias")))?;
    Some(format!("{start}weights{end}"))
}

impl Mixture {
    /// One pass of a shard from the mixed state: what it changed. The examples have the classes and the features of the
    /// mixture; there may be none, or of one class only.
    ///
    /// The bytes of the report depend on nothing but the state, the shard's number and its examples, so it can be made
    /// again anywhere.
    pub fn local_round(&self, shard: u32, examples: Examples<'_>, observer: &mut dyn Observer) -> Result<Delta> {
        if shard >= self.shards {
            return Err(Error::settings(format!("shard {shard} of {}: they count from 0", self.shards)));
        }
        let state = &self.checkpoint;
        let round = state.progress.epochs();
        let counts = Counts { examples: examples.len() as u64, ..Counts::default() };
        let (parts, increments) = (BTreeMap::new(), BTreeMap::new());
        let replaces = self.shards == 1;
        let empty = Delta { round, first: shard, counts: vec![counts], replaces, parts, increments };
        if examples.is_empty() {
            return Ok(empty);
        }
        if !state.chain.is_empty() && examples.rows.features() != state.features() {
            return Err(Error::bad_data("rows of a shard must be prepared before the first round"));
        }
        if state.chain.is_empty() {
            Borrowed { examples, labels: &state.labels, schema: &state.schema }.check()?;
        }
        let mut trainer = state.trainer(round + 1);
        if let Order::Shuffled { seed } = trainer.plan.order {
            trainer.plan.order = Order::Shuffled { seed: seed_of(seed, shard) };
        }
        let weights = trainer.weights(&state.labels, examples.classes, examples.weights)?;
        let examples = Examples { weights: weights.as_deref(), ..examples };
        self.pass(&trainer, examples, observer, empty)
    }

    /// The pass itself. `delta` is that of a shard without examples.
    fn pass(
        &self,
        trainer: &Trainer,
        examples: Examples<'_>,
        observer: &mut dyn Observer,
        mut delta: Delta,
    ) -> Result<Delta> {
        let (before, classes) = (&self.checkpoint, self.checkpoint.labels.len());
        let mut trainee = RowTrainee::new(trainer, before.features(), classes)?;
        trainee.restore(&before.learner)?;
        let copies = !trainee.learner.needs_other_rows();
        let mut source = MemorySource::new(examples, classes, &trainer.plan, copies)?;
        let length = BlockSource::<RowTrainee<'_>>::length(&mut source, delta.round).unwrap_or(0);
        let counts = &mut delta.counts[0];
        counts.weighted = examples.weights.is_some();
        counts.sq_radius = examples.rows.sq_longest() + trainer.recipe.bias.squared();
        if length == 0 {
            return Ok(delta);
        }
        let mut training = Training::new(trainee, observer);
        // The loop takes the number of the pass from the passes before it.
        let past = vec![0; delta.round as usize];
        let presented = length * u64::from(delta.round);
        training.progress = Progress { presented, mistakes_by_epoch: past, ..Progress::default() };
        match training.pass(&mut source, 0)? {
            Passed::Whole => training.end_block(length)?,
            _ => return Err(Error::interrupted()),
        };
        let progress = &training.progress;
        counts.presented = progress.presented - presented;
        (counts.mistakes, counts.updates) = (progress.mistakes, progress.updates);
        let learner = &training.trainee.learner;
        if counts.mistakes == 0 && counts.updates == 0 {
            counts.margin = Some(Geometry::measure(&learner.hyperplane()?, examples)?.margin);
        }
        let mut after = State::default();
        learner.save(&mut after);
        let weight = self.mixing.weight(counts.presented, counts.updates);
        let horizon = (before.progress.presented + counts.presented + 1) as f64;
        report(&before.learner, &after, weight, horizon, &mut delta)?;
        Ok(delta)
    }
}

/// Writes what changed: new values if there is one shard only, else weighted differences and the parts of averages.
/// `horizon` is T₀ + m + 1.
fn report(before: &State, after: &State, weight: f64, horizon: f64, delta: &mut Delta) -> Result<()> {
    for (name, array) in after.arrays() {
        match array {
            Array::F64(new) if delta.replaces => {
                let old = before.f64s(name)?;
                let new: Vec<f64> = new.iter().map(|v| v + 0.0).collect();
                let changed = |j: usize, v: f64| v.to_bits() != old[j].to_bits();
                delta.parts.insert(name.to_string(), Part::new(new, changed));
            }
            Array::F64(new) => {
                let own = difference(before, name, new)?;
                let part = match averaged_in(name) {
                    Some(weights) => {
                        let moved = difference(before, &weights, after.f64s(&weights)?)?;
                        Part::made(new.len(), |j| horizon * moved(j) - own(j))
                    }
                    None => Part::made(new.len(), |j| weight * own(j)),
                };
                delta.parts.insert(name.to_string(), part);
            }
            Array::U64(new) => {
                let more = new.iter().zip(before.u64s(name)?).map(|(new, old)| new.saturating_sub(*old)).sum();
                delta.increments.insert(name.to_string(), more);
            }
            Array::U32(_) | Array::U8(_) => {
                return Err(Error::settings(format!("\"{name}\" of this learner cannot be mixed")));
            }
        }
    }
    Ok(())
}

/// How much each number of an array has changed.
fn difference<'a>(before: &'a State, name: &str, new: &'a [f64]) -> Result<impl Fn(usize) -> f64 + use<'a>> {
    let old = before.f64s(name)?;
    if old.len() != new.len() {
        return Err(Error::bad_model(format!("\"{name}\" has changed its length")));
    }
    Ok(move |j: usize| new[j] - old[j])
}
