//! Online learning from batches.
//!
//! All batches together are one pass: in cyclic order the model equals that of one pass over all of them, wherever they
//! were cut. In shuffled order each batch is shuffled like a block of the presentation ([`Order`]). A learner that steps
//! at the end of a pass steps at the end of each batch. New classes may appear at any time.

use std::ops::ControlFlow;

use super::fitted::{Description, assemble};
use super::order::order_within;
use super::row_trainee::{LabelledRows, RowTrainee};
use super::source::{Block, BlockSource, Numbers, Passed, Present, Visit};
use super::train::{Trainee, Training, overflowed};
use super::{Borrowed, Checkpoint, ClassWeights, Observer, Order, Start, Trainer};
use crate::error::{Error, Result};
use crate::learn::machine::Tie;
use crate::learn::{AddedClasses, Progress, Step, Stop, Weights};
use crate::map::{Chain, Preparation};
use crate::model::Model;
use crate::rows::{AnyRows, Examples, Labels, Row, Rows, Schema, Sparse, SparseRows, check_classes};

/// A learner that is trained batch by batch.
///
/// ```
/// use rosenblatt::{OnlineTrainer, Table, Trainer};
/// let table = Table::dense(&[[2.0, 1.0], [1.0, 3.0], [-1.0, -2.0], [-2.0, 0.5]], &["spam", "spam", "ham", "ham"])?;
/// let mut online = OnlineTrainer::new(Trainer::new("averaged"), table.labels.clone(), table.schema.clone())?;
/// for batch in [table.select(&[0, 2]), table.select(&[1, 3])] {
///     online.learn(batch.examples()?, &mut ())?;
/// }
/// assert_eq!(online.model()?.predict(&[1.5, 1.0])?, "spam");
/// # Ok::<(), rosenblatt::Error>(())
/// ```
pub struct OnlineTrainer {
    trainee: RowTrainee<'static>,
    labels: Labels,
    schema: Schema,
    /// Fitted maps, through which every batch passes.
    chain: Chain,
    progress: Progress,
    batches: u64,
    /// Examples of each class so far.
    counts: Vec<u64>,
}

impl OnlineTrainer {
    /// Starts with no examples; ignores the trainer's number of passes.
    pub fn new(trainer: Trainer, labels: Labels, schema: Schema) -> Result<Self> {
        if trainer.preparation != Preparation::default() {
            return Err(Error::settings("batches are learned from as they are: prepare them beforehand"));
        }
        Self::with_maps(trainer, labels, schema, Chain::default())
    }

    /// The same for rows whose features come by and by, numbered as they come: these first. Maps apply where they need no
    /// other rows ([`Preparation::online`]).
    pub fn growing(trainer: Trainer, labels: Labels, names: &[impl AsRef<str>]) -> Result<Self> {
        let chain = trainer.preparation.online_for(names.iter().map(|name| name.as_ref()))?;
        let schema = Schema::Indexed { first: 0, features: names.len() };
        Self::with_maps(trainer, labels, schema, chain)
    }

    /// The same for rows that pass through maps which were fitted before, such as those of a trained model; its weights
    /// belong to the rows behind the maps.
    #[doc(hidden)]
    pub fn with_maps(trainer: Trainer, labels: Labels, schema: Schema, chain: Chain) -> Result<Self> {
        check_classes(&labels, 0)?;
        if matches!(trainer.plan.order, Order::Given(_)) {
            return Err(Error::settings("a given order needs all examples at once: batches have none"));
        }
        let trainee = RowTrainee::owning(trainer, chain.features(schema.features()), labels.len())?;
        let counts = vec![0; labels.len()];
        Ok(OnlineTrainer { trainee, labels, schema, chain, progress: Progress::default(), batches: 0, counts })
    }

    /// Resumes a training that was paused by [`checkpoint`](Self::checkpoint) and [`history`](Self::history), or at the
    /// end of [`Trainer::fit_with`], with the examples of each class.
    pub fn resume(trainer: Trainer, checkpoint: &Checkpoint, batches: u64, counts: &[u64]) -> Result<Self> {
        let Checkpoint { labels, schema, chain, .. } = checkpoint.clone();
        let mut online = OnlineTrainer::with_maps(trainer, labels, schema, chain)?;
        if counts.len() != online.counts.len() {
            return Err(Error::bad_model(format!("{} counts for {} classes", counts.len(), checkpoint.labels.len())));
        }
        online.trainee.restore(&checkpoint.learner)?;
        (online.batches, online.counts) = (batches, counts.to_vec());
        online.progress = Progress { ended: None, ..checkpoint.progress.clone() };
        Ok(online)
    }

    /// The names of the classes so far.
    pub fn labels(&self) -> &Labels {
        &self.labels
    }

    /// The batches and the examples of each class so far.
    pub fn history(&self) -> (u64, &[u64]) {
        (self.batches, &self.counts)
    }

    /// The weight of each class.
    pub fn class_weights(&self) -> &ClassWeights {
        &self.trainee.trainer.class_weights
    }

    /// What a score of zero means.
    pub fn tie(&self) -> Tie {
        self.trainee.trainer.recipe.tie
    }

    /// Whether rows of so many features are learned from as they are, without maps.
    pub fn takes(&self, features: usize) -> bool {
        self.chain.is_empty() && self.schema.features() == features
    }

    /// How far training has come.
    pub fn progress(&self) -> &Progress {
        &self.progress
    }

    /// Adds classes: `labels` holds all so far, and the new ones.
    pub fn admit(&mut self, labels: Labels) -> Result<()> {
        let place = |name: &String| labels.names().iter().position(|new| new == name);
        let Some(places) = self.labels.names().iter().map(place).collect::<Option<Vec<usize>>>() else {
            return Err(Error::settings("a known class is missing: classes can be added, not removed"));
        };
        if labels.len() == self.labels.len() {
            return if labels == self.labels {
                Ok(())
            } else {
                Err(Error::settings("the classes changed their order"))
            };
        }
        // Initial weights are part of the state that is carried over.
        let trainer = Trainer { start: Start::Zero, ..self.trainee.trainer.clone().into_owned() };
        let mut trainee = RowTrainee::owning(trainer, self.chain.features(self.schema.features()), labels.len())?;
        let added = AddedClasses { places: &places, classes: labels.len(), presented: self.progress.presented };
        trainee.learner.add_classes(&*self.trainee.learner, &added)?;
        let mut counts = vec![0; labels.len()];
        places.iter().zip(&self.counts).for_each(|(&place, &count)| counts[place] = count);
        (self.trainee, self.labels, self.counts) = (trainee, labels, counts);
        Ok(())
    }

    /// Learns from one batch, once; why it stopped before its end, if it did.
    pub fn learn(&mut self, batch: Examples<'_>, observer: &mut dyn Observer) -> Result<Option<Stop>> {
        Borrowed { examples: batch, labels: &self.labels, schema: &self.schema }.check()?;
        let weights = self.weigh(batch)?;
        let mapped;
        let rows = if self.chain.is_empty() {
            batch.rows
        } else {
            mapped = self.chain.matrix(batch.rows)?;
            mapped.rows()?
        };
        let batch = Examples { rows, weights: weights.as_deref().or(batch.weights), ..batch };
        let mut order = Vec::new();
        order_within(&self.trainee.trainer.plan.order, 0, self.batches, batch, &mut order);
        self.batches += 1;
        let labelled = LabelledRows { examples: batch, classes: self.labels.len() };
        let mut source = Batch { labelled, order: &order };
        let mut training = Training::new(&mut self.trainee, observer);
        training.progress = std::mem::take(&mut self.progress);
        let passed = training.pass(&mut source, 0);
        let ended = match passed {
            Ok(Passed::Whole) => {
                let is_finite = |trainee: &&mut RowTrainee<'_>| match features_of(rows) {
                    Some(touched) => trainee.learner.is_finite_at(&touched),
                    None => trainee.is_finite(),
                };
                training.end_block_if(order.len() as u64, is_finite).map(|_| None)
            }
            Ok(Passed::Stopped(stop)) => Ok(Some(stop)),
            Ok(Passed::Restart | Passed::Unsuitable) => Ok(None),
            Err(error) => Err(error),
        };
        self.progress = training.progress;
        ended
    }

    /// Learns from one example, in the time of its entries: [`learn`](Self::learn) without the checks of a batch. Maps are not
    /// applied: the row comes from behind them. Its entries may be numbered in any order, and only that order counts for
    /// sums; new numbers need [`grow`](Self::grow) first. The caller has checked that values and weight are finite, and the
    /// weight positive.
    pub fn learn_one(&mut self, x: Sparse<'_, f64>, class: u32, weight: f64) -> Result<Step> {
        let features = self.chain.features(self.schema.features());
        let rows = AnyRows::SparseF64(SparseRows::apart(std::slice::from_ref(&x), features));
        let examples = Examples { rows, classes: &[class], weights: Some(&[weight]) };
        let labelled = LabelledRows { examples, classes: self.labels.len() };
        let tally = self.trainee.present(labelled, &[0], &[], None)?;
        self.progress.add(tally);
        self.counts[class as usize] += 1;
        let step = Step { margin: tally.last_margin, mistakes: tally.mistakes as u32, updates: tally.updates as u32 };
        if step.margin.is_finite() { Ok(step) } else { Err(overflowed(&self.progress)) }
    }

    /// Makes room for features that are numbered up to `features`, where features are numbers.
    pub fn grow(&mut self, features: usize) -> Result<()> {
        if let Schema::Indexed { features: known, .. } = &mut self.schema {
            *known = features.max(*known);
        }
        self.trainee.grow(self.chain.features(self.schema.features()))
    }

    /// Makes room for all features of these names, in the order of their numbers; those that are known come first.
    pub fn grow_named(&mut self, names: &[impl AsRef<str>]) -> Result<()> {
        if !self.chain.is_empty() {
            let known = self.schema.features().min(names.len());
            names[known..].iter().for_each(|name| self.chain.grow(name.as_ref()));
        }
        self.grow(names.len())
    }

    /// The maps that [`learn_one`](Self::learn_one) and [`score_one`](Self::score_one) expect to have been applied.
    pub fn chain(&self) -> &Chain {
        &self.chain
    }

    /// The scores of one row by the hypothesis so far, as the model would give them, written over `scores`: one for two
    /// classes, else one for each. Takes the time of its entries. `false`: a vote or a kernel machine needs the model.
    pub fn score_one(&self, x: Sparse<'_, f64>, scores: &mut Vec<f64>) -> bool {
        let Some(kept) = self.trainee.learner.kept_at(x.indices) else { return false };
        let places: Vec<u32> = (0..x.indices.len() as u32).collect();
        scores.clear();
        scores.resize(kept.outputs(), 0.0);
        kept.scores(Sparse { indices: &places, values: x.values }, scores);
        true
    }

    /// The weights of the hypothesis for these features alone, and the biases; `None` as in [`score_one`](Self::score_one).
    pub fn kept_at(&self, features: &[u32]) -> Option<Weights> {
        self.trainee.learner.kept_at(features)
    }

    /// The weight of each example times that of its class. Balanced: n / (classes · examples of the class), counted up to
    /// and including the example, so that it does not matter where a batch ends.
    fn weigh(&mut self, batch: Examples<'_>) -> Result<Option<Vec<f64>>> {
        let OnlineTrainer { counts, labels, trainee, .. } = self;
        let trainer = &trainee.trainer;
        let mut seen: u64 = counts.iter().sum();
        let classes = labels.len() as f64;
        let mut by_class = vec![1.0; labels.len()];
        if let ClassWeights::Given(given) = &trainer.class_weights {
            for (label, &weight) in given {
                if !(weight.is_finite() && weight >= 0.0) {
                    return Err(Error::settings(format!("class weight {label}={weight} must be zero or more")));
                }
                // The other classes may appear later.
                if let Some(class) = labels.find(label) {
                    by_class[class as usize] = weight;
                }
            }
        }
        let mut weigh = |i: usize, class: usize| {
            seen += 1;
            counts[class] += 1;
            let of_class = match trainer.class_weights {
                ClassWeights::Balanced => seen as f64 / (classes * counts[class] as f64),
                _ => by_class[class],
            };
            batch.weight(i) * of_class
        };
        let weights: Vec<f64> = batch.classes.iter().enumerate().map(|(i, &class)| weigh(i, class as usize)).collect();
        Ok((trainer.class_weights != ClassWeights::Equal).then_some(weights))
    }

    /// The model so far, as if the pass ended here.
    pub fn model(&self) -> Result<Model> {
        let mut progress = self.progress.clone();
        progress.end_pass();
        assemble(
            &self.trainee.trainer,
            self.trainee.learner.hypothesis(),
            &progress,
            Stop::MaxEpochs,
            &self.description(),
        )
    }

    /// What resuming needs, together with the [`history`](Self::history) and the class weights.
    pub fn checkpoint(&self) -> Checkpoint {
        let trainer = Trainer { class_weights: ClassWeights::Equal, ..self.trainee.trainer.clone().into_owned() };
        Checkpoint::new(&trainer, &self.description(), &*self.trainee.learner, &self.progress, &[])
    }

    fn description(&self) -> Description {
        let (labels, schema) = (self.labels.clone(), self.schema.clone());
        Description {
            labels,
            schema,
            chain: self.chain.clone(),
            examples: self.counts.iter().sum(),
            data: None,
            targets: None,
        }
    }
}

/// The features that occur in rows, if they are fewer than all: a few sparse rows.
fn features_of(rows: AnyRows<'_>) -> Option<Vec<u32>> {
    let mut features = Vec::new();
    for i in 0..rows.len() {
        rows.row(i).each(|j, _| features.push(j as u32));
        if features.len() >= rows.features() {
            return None;
        }
    }
    Some(features)
}

/// One batch, as a source of one block.
struct Batch<'a> {
    labelled: LabelledRows<'a>,
    order: &'a [u32],
}

impl<'b> BlockSource<&'b mut RowTrainee<'static>> for Batch<'_> {
    fn length(&mut self, _epoch: u32) -> Option<u64> {
        // All batches together are one pass of unknown length.
        None
    }

    fn pass(&mut self, _: u32, _: usize, present: &mut Present<'_, &'b mut RowTrainee<'static>>) -> Result<Passed> {
        let block = Block { examples: self.labelled, order: self.order, upcoming: &[], numbers: Numbers::From(0) };
        Ok(match present(block)? {
            ControlFlow::Continue(()) => Passed::Whole,
            ControlFlow::Break(stop) => Passed::Stopped(stop),
        })
    }

    fn scan<'s>(&mut self, visit: &'s mut Visit<'s, &'b mut RowTrainee<'static>>) -> Result<bool>
    where
        'b: 's,
    {
        visit(self.labelled)?;
        Ok(true)
    }
}
