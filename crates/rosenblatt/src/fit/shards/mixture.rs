//! The mixed state between rounds.

use serde::Serialize;

use super::delta::Delta;
use super::local_round::averaged_in;
use super::mixing::{Mixing, check_mixes};
use super::momentum::{Momentum, has_direction};
use super::part::Part;
use crate::error::{Error, Result};
use crate::fit::fitted::{Description, assemble};
use crate::fit::train::overflowed;
use crate::fit::{Checkpoint, ClassWeights, Trainer};
use crate::learn::{Array, Geometry, Progress, State, Stop};
use crate::map::Chain;
use crate::model::Model;
use crate::rows::{Labels, Schema, check_classes};

/// A training on shards between two rounds: all that a shard needs for its pass, and that resuming needs.
///
/// ```
/// use rosenblatt::fit::{Mixing, Mixture};
/// use rosenblatt::{Table, Trainer};
///
/// let table = Table::dense(&[[2.0, 1.0], [1.0, 3.0], [-1.0, -2.0], [-2.0, 0.5]], &["spam", "spam", "ham", "ham"])?;
/// let shards = [table.select(&[0, 2]), table.select(&[1, 3])];
/// let (labels, schema) = (table.labels.clone(), table.schema.clone());
/// let mut mixture = Mixture::begin(&Trainer::new("averaged"), Mixing::Uniform, 2, labels, schema, &[2, 2])?;
/// while mixture.ended().is_none() && mixture.rounds() < 10 {
///     let deltas = (0..).zip(&shards).map(|(i, shard)| mixture.local_round(i, shard.examples()?, &mut ()));
///     let deltas = deltas.collect::<Result<Vec<_>, _>>()?;
///     mixture.mix(deltas)?;
/// }
/// assert_eq!(mixture.model()?.predict(&[1.5, 1.0])?, "spam");
/// # Ok::<(), rosenblatt::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Mixture {
    /// The state of a training whose learner is the mixture. It counts passes over all shards.
    pub(super) checkpoint: Checkpoint,
    pub(super) mixing: Mixing,
    pub(super) shards: u32,
    /// Examples of all shards.
    pub(super) examples: u64,
    /// Whether all examples and classes have weight 1.
    pub(super) equal: bool,
    pub(super) sq_radius: f64,
    /// γ of the last weights, if they separate all examples.
    pub(super) margin: Option<f64>,
    /// Mistakes by round and shard.
    pub(super) mistakes: Vec<Vec<u64>>,
    /// Σᵢ μᵢkᵢ of each round.
    pub(super) mixed_mistakes: Vec<f64>,
    /// With momentum; a state that was sent to a shard has none.
    pub(super) momentum: Option<Momentum>,
}

/// The rounds of a training on shards.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Rounds {
    /// How many shards.
    pub shards: u32,
    /// How they are mixed.
    pub mixing: Mixing,
    /// Mistakes by round and shard.
    pub mistakes: Vec<Vec<u64>>,
    /// Σᵢ μᵢkᵢ of each round: the mistakes of each shard times its weight.
    pub mixed_mistakes: Vec<f64>,
    /// Their sum, Σₙ Σᵢ μᵢₙkᵢₙ.
    pub mixed_mistakes_in_all: f64,
    /// R: the greatest length of an example, the bias's coordinate counted.
    pub radius: f64,
    /// γ of the last weights, if they separate the examples.
    pub margin: Option<f64>,
    /// R²/γ², which the sum cannot exceed; `None` if the examples were not separated, or the theorem does not apply.
    pub bound: Option<f64>,
}

impl Mixture {
    /// The state before the first round. `counts`: the examples of each class in all shards.
    pub fn begin(
        trainer: &Trainer,
        mixing: Mixing,
        shards: u32,
        labels: Labels,
        schema: Schema,
        counts: &[u64],
    ) -> Result<Self> {
        Self::begin_prepared(trainer, mixing, shards, (labels, schema, Chain::default()), counts)
    }

    /// The same for rows that a chain of maps has prepared.
    pub(super) fn begin_prepared(
        trainer: &Trainer,
        mixing: Mixing,
        shards: u32,
        (labels, schema, chain): (Labels, Schema, Chain),
        counts: &[u64],
    ) -> Result<Self> {
        check_mixes(trainer)?;
        if shards == 0 {
            return Err(Error::settings("no shards: at least one is needed"));
        }
        if counts.len() != labels.len() {
            return Err(Error::settings(format!("{} counts for {} classes", counts.len(), labels.len())));
        }
        check_classes(&labels, counts.iter().sum())?;
        let mut trainer = trainer.clone();
        if trainer.class_weights == ClassWeights::Balanced {
            trainer.class_weights = balanced(&labels, counts);
        }
        let learner = trainer.learner(chain.features(schema.features()), labels.len())?;
        let description = Description { labels, schema, chain, examples: 0, data: None, targets: None };
        let checkpoint = Checkpoint::new(&trainer, &description, &*learner, &Progress::default(), &[]);
        let mixing =
            if mixing == Mixing::Momentum && !has_direction(&checkpoint.learner) { Mixing::Uniform } else { mixing };
        Ok(Mixture {
            checkpoint,
            mixing,
            shards,
            examples: 0,
            equal: true,
            sq_radius: 0.0,
            margin: None,
            mistakes: Vec::new(),
            mixed_mistakes: Vec::new(),
            momentum: (mixing == Mixing::Momentum).then(Momentum::default),
        })
    }

    /// Rounds done.
    pub fn rounds(&self) -> u32 {
        self.checkpoint.progress.epochs()
    }

    /// How many shards.
    pub fn shards(&self) -> u32 {
        self.shards
    }

    /// The names of the classes.
    pub fn labels(&self) -> &Labels {
        &self.checkpoint.labels
    }

    /// How raw columns become features.
    pub fn schema(&self) -> &Schema {
        &self.checkpoint.schema
    }

    /// How many weights there are: features × outputs.
    pub fn width(&self) -> usize {
        let outputs = if self.checkpoint.labels.len() == 2 { 1 } else { self.checkpoint.labels.len() };
        self.checkpoint.features() * outputs
    }

    /// Why training ended for good; `None` while more rounds could change something.
    pub fn ended(&self) -> Option<Stop> {
        self.checkpoint.progress.ended
    }

    /// Mixes the reports of all shards, or sums of them, in the order of the shards: one round more.
    pub fn mix(&mut self, deltas: Vec<Delta>) -> Result<()> {
        let mut next = 0;
        for delta in &deltas {
            let (first, end) = delta.shards();
            if delta.round != self.rounds() || first != next || delta.replaces != (self.shards == 1) {
                return Err(Error::bad_model(format!(
                    "a report of shard {first} in round {}, where shard {next} in round {} is due",
                    delta.round,
                    self.rounds()
                )));
            }
            next = end;
        }
        if next != self.shards {
            return Err(Error::bad_model(format!("reports of {next} shards, where there are {}", self.shards)));
        }
        if self.mixing == Mixing::Momentum && self.momentum.is_none() {
            return Err(Error::bad_model("a state that was sent to a shard has no momentum: only its driver can mix"));
        }
        let sum = Delta::tree(deltas)?;
        if sum.counts.iter().all(|counts| counts.presented == 0) {
            return Err(Error::bad_data("every example has weight zero: nothing can be learned"));
        }
        let weights = sum.counts.iter().map(|counts| self.mixing.weight(counts.presented, counts.updates)).sum();
        self.mix_arrays(&sum, weights)?;
        self.count(&sum);
        if self.ended().is_none() && weights > 1.0 {
            self.move_ahead(&sum, weights)?;
        }
        let Checkpoint { learner, progress, .. } = &self.checkpoint;
        let finite = |array: &Array| !matches!(array, Array::F64(values) if !values.iter().all(|v| v.is_finite()));
        if learner.arrays().all(|(_, array)| finite(array)) { Ok(()) } else { Err(overflowed(progress)) }
    }

    /// Moves the learner's state. `weights` is the sum of the weights of all shards.
    fn mix_arrays(&mut self, sum: &Delta, weights: f64) -> Result<()> {
        let presented: u64 = sum.counts.iter().map(|counts| counts.presented).sum();
        let horizon = (self.checkpoint.progress.presented + presented + 1) as f64;
        let lengths = |part: &Part, values: &[f64]| part.len() == values.len();
        let mut mixed = State::default();
        for (name, array) in std::mem::take(&mut self.checkpoint.learner).into_arrays() {
            let own = sum.parts.get(&name);
            let array = match array {
                Array::F64(mut values) => {
                    let moved = averaged_in(&name).and_then(|weights| sum.parts.get(&weights));
                    if !own.iter().chain(&moved).all(|part| lengths(part, &values)) {
                        return Err(Error::bad_model(format!("a report with an array \"{name}\" of another length")));
                    }
                    match (own, averaged_in(&name)) {
                        (Some(own), _) if sum.replaces => own.each(|j, v| values[j] = v),
                        (Some(own), None) if weights > 0.0 => own.each(|j, v| values[j] += v / weights),
                        (own, Some(_)) if weights > 0.0 => {
                            if let Some(moved) = moved {
                                moved.each(|j, v| values[j] += horizon * (v / weights));
                            }
                            if let Some(own) = own {
                                own.each(|j, v| values[j] -= v);
                            }
                        }
                        _ => {}
                    }
                    // −0 is written as 0, as in bytes.
                    values.iter_mut().for_each(|v| *v += 0.0);
                    Array::F64(values)
                }
                Array::U64(mut values) => {
                    let more = sum.increments.get(&name).copied().unwrap_or(0);
                    values.iter_mut().take(1).for_each(|v| *v += more);
                    Array::U64(values)
                }
                other => other,
            };
            mixed.insert(name, array);
        }
        self.checkpoint.learner = mixed;
        Ok(())
    }

    /// Counts the round, and ends training if nothing moved.
    fn count(&mut self, sum: &Delta) {
        let total = |of: &dyn Fn(&super::delta::Counts) -> u64| sum.counts.iter().map(of).sum::<u64>();
        let weight = |counts: &super::delta::Counts| self.mixing.weight(counts.presented, counts.updates);
        let weights: f64 = sum.counts.iter().map(weight).sum();
        let mixed: f64 = sum.counts.iter().map(|counts| weight(counts) * counts.mistakes as f64).sum();
        self.mixed_mistakes.push(if weights > 0.0 { mixed / weights } else { 0.0 });
        self.mistakes.push(sum.counts.iter().map(|counts| counts.mistakes).collect());
        self.examples = total(&|counts| counts.examples);
        self.equal &= !sum.counts.iter().any(|counts| counts.weighted);
        self.sq_radius = sum.counts.iter().fold(self.sq_radius, |most, counts| most.max(counts.sq_radius));
        let (mistakes, updates) = (total(&|counts| counts.mistakes), total(&|counts| counts.updates));
        let progress = &mut self.checkpoint.progress;
        progress.presented += total(&|counts| counts.presented);
        progress.mistakes += mistakes;
        progress.updates += updates;
        progress.mistakes_by_epoch.push(mistakes);
        if mistakes == 0 && updates == 0 {
            // No shard moved, so every shard has measured the same weights.
            progress.ended = Some(Stop::Separated);
            self.margin = sum.counts.iter().filter_map(|counts| counts.margin).min_by(f64::total_cmp);
        }
    }

    /// The model so far.
    pub fn model(&self) -> Result<Model> {
        let Checkpoint { progress, labels, schema, chain, .. } = &self.checkpoint;
        let (labels, schema, chain) = (labels.clone(), schema.clone(), chain.clone());
        let description = Description { labels, schema, chain, examples: self.examples, data: None, targets: None };
        let stop = progress.ended.unwrap_or(Stop::MaxEpochs);
        assemble(&self.trainer(1), self.learner()?.hypothesis(), progress, stop, &description)
    }

    /// A trainer with its settings, for up to so many rounds in all.
    pub fn trainer(&self, rounds: u32) -> Trainer {
        self.checkpoint.trainer(rounds)
    }

    /// The learner at the mixed state, as the model shows it.
    pub(super) fn learner(&self) -> Result<Box<dyn crate::learn::AnyLearner>> {
        let state = &self.checkpoint;
        let mut learner = self.trainer(1).learner(state.features(), state.labels.len())?;
        learner.restore(&self.state_of_model()?)?;
        Ok(learner)
    }

    /// What happened, and what the theorem says of it.
    pub fn report(&self) -> Result<Rounds> {
        let (radius, learner) = (self.sq_radius.sqrt(), self.learner()?);
        let applies = self.equal && learner.bounded_on_any_data();
        let bound = self.margin.filter(|_| applies).and_then(|margin| {
            let examples = self.examples as usize;
            learner.bound(&Geometry { radius, margin, margins_against_rest: Vec::new(), examples })
        });
        Ok(Rounds {
            shards: self.shards,
            mixing: self.mixing,
            mistakes: self.mistakes.clone(),
            mixed_mistakes: self.mixed_mistakes.clone(),
            mixed_mistakes_in_all: self.mixed_mistakes.iter().sum(),
            radius,
            margin: self.margin,
            bound,
        })
    }
}

/// The weights of classes that make each count the same, from the counts of all shards.
fn balanced(labels: &Labels, counts: &[u64]) -> ClassWeights {
    let share = counts.iter().sum::<u64>() as f64 / labels.len() as f64;
    let weight = |&n: &u64| if n == 0 { 1.0 } else { share / n as f64 };
    ClassWeights::Given(labels.names().iter().cloned().zip(counts.iter().map(weight)).collect())
}
