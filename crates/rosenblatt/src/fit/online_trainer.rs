//! Learning from batches as they come, for as long as they come.
//!
//! All batches together are one pass: in the order given, they leave the very model that one pass over all of them
//! leaves, wherever they were cut. Shuffled, each is shuffled within, as a block of the presentation ([`Order`]) is. A
//! learner that steps at the end of a pass steps at the end of each batch. Classes may come at any time.

use std::ops::ControlFlow;

use super::fitted::{Description, assemble};
use super::order::order_within;
use super::source::{Block, BlockSource, Numbers, Passed, Present, See};
use super::student::{Shown, Student};
use super::train::Training;
use super::{Borrowed, Checkpoint, ClassWeights, Observer, Order, Start, Trainer};
use crate::error::{Error, Result};
use crate::learn::{AddedClasses, Progress, Stop};
use crate::map::{Chain, Preparation};
use crate::model::Model;
use crate::rows::{Examples, Labels, Schema, check_classes};

/// A learner that takes what it is given, batch by batch.
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
    student: Student<'static>,
    labels: Labels,
    schema: Schema,
    progress: Progress,
    batches: u64,
    /// Examples of each class so far.
    counts: Vec<u64>,
}

impl OnlineTrainer {
    /// Has seen nothing yet; the trainer's number of passes does not matter.
    pub fn new(trainer: Trainer, labels: Labels, schema: Schema) -> Result<Self> {
        check_classes(&labels, 0)?;
        if trainer.preparation != Preparation::default() {
            return Err(Error::settings("batches are learned from as they are: prepare them beforehand"));
        }
        if matches!(trainer.plan.order, Order::Given(_)) {
            return Err(Error::settings("a given order is for examples that are all there: batches are as they come"));
        }
        let student = Student::owning(trainer, schema.features(), labels.len())?;
        let counts = vec![0; labels.len()];
        Ok(OnlineTrainer { student, labels, schema, progress: Progress::default(), batches: 0, counts })
    }

    /// Goes on where a training was paused: by [`checkpoint`](Self::checkpoint) and [`history`](Self::history), or at the
    /// end of [`Trainer::fit_with`], with the examples of each class.
    pub fn resume(trainer: Trainer, checkpoint: &Checkpoint, batches: u64, counts: &[u64]) -> Result<Self> {
        let mut online = OnlineTrainer::new(trainer, checkpoint.labels.clone(), checkpoint.schema.clone())?;
        if counts.len() != online.counts.len() {
            return Err(Error::bad_model(format!("{} counts for {} classes", counts.len(), checkpoint.labels.len())));
        }
        online.student.restore(&checkpoint.learner)?;
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

    /// How much each class counts.
    pub fn class_weights(&self) -> &ClassWeights {
        &self.student.trainer.class_weights
    }

    /// How far it has come.
    pub fn progress(&self) -> &Progress {
        &self.progress
    }

    /// Makes room for classes that were not there before: `labels` holds all so far, and more.
    pub fn admit(&mut self, labels: Labels) -> Result<()> {
        let place = |name: &String| labels.names().iter().position(|new| new == name);
        let Some(places) = self.labels.names().iter().map(place).collect::<Option<Vec<usize>>>() else {
            return Err(Error::settings("a class that was there before is missing: classes may come, not go"));
        };
        if labels.len() == self.labels.len() {
            return if labels == self.labels { Ok(()) } else { Err(Error::settings("the classes changed places")) };
        }
        // Where the weights began, they are in the memory that is carried over.
        let trainer = Trainer { start: Start::Zero, ..self.student.trainer.clone().into_owned() };
        let mut student = Student::owning(trainer, self.schema.features(), labels.len())?;
        let added = AddedClasses { places: &places, classes: labels.len(), presented: self.progress.presented };
        student.learner.add_classes(&*self.student.learner, &added)?;
        let mut counts = vec![0; labels.len()];
        places.iter().zip(&self.counts).for_each(|(&place, &count)| counts[place] = count);
        (self.student, self.labels, self.counts) = (student, labels, counts);
        Ok(())
    }

    /// Learns from one batch, once; why it stopped before its end, if it did.
    pub fn learn(&mut self, batch: Examples<'_>, observer: &mut dyn Observer) -> Result<Option<Stop>> {
        Borrowed { examples: batch, labels: &self.labels, schema: &self.schema }.check()?;
        let weights = self.weigh(batch)?;
        let batch = Examples { weights: weights.as_deref().or(batch.weights), ..batch };
        let mut order = Vec::new();
        order_within(&self.student.trainer.plan.order, 0, self.batches, batch, &mut order);
        self.batches += 1;
        let shown = Shown { examples: batch, classes: self.labels.len() };
        let mut source = Batch { shown, order: &order };
        let mut training = Training::new(&mut self.student, observer);
        training.progress = std::mem::take(&mut self.progress);
        let passed = training.pass(&mut source, 0);
        let ended = match passed {
            Ok(Passed::Whole) => training.end_block(order.len() as u64).map(|_| None),
            Ok(Passed::Stopped(stop)) => Ok(Some(stop)),
            Ok(Passed::Restart | Passed::Unsuitable) => Ok(None),
            Err(error) => Err(error),
        };
        self.progress = training.progress;
        ended
    }

    /// The weight of each example: its own times that of its class. Balanced, a class weighs n / (classes · its own), as
    /// counted up to and with the example, so that it does not matter where a batch ends.
    fn weigh(&mut self, batch: Examples<'_>) -> Result<Option<Vec<f64>>> {
        let OnlineTrainer { counts, labels, student, .. } = self;
        let trainer = &student.trainer;
        let mut met: u64 = counts.iter().sum();
        let classes = labels.len() as f64;
        let mut by_class = vec![1.0; labels.len()];
        if let ClassWeights::Given(given) = &trainer.class_weights {
            for (label, &weight) in given {
                if !(weight.is_finite() && weight >= 0.0) {
                    return Err(Error::settings(format!("class weight {label}={weight} must be zero or more")));
                }
                // The others may come later.
                if let Some(class) = labels.find(label) {
                    by_class[class as usize] = weight;
                }
            }
        }
        let mut weigh = |i: usize, class: usize| {
            met += 1;
            counts[class] += 1;
            let of_class = match trainer.class_weights {
                ClassWeights::Balanced => met as f64 / (classes * counts[class] as f64),
                _ => by_class[class],
            };
            batch.weight(i) * of_class
        };
        let weights: Vec<f64> = batch.classes.iter().enumerate().map(|(i, &class)| weigh(i, class as usize)).collect();
        Ok((trainer.class_weights != ClassWeights::Equal).then_some(weights))
    }

    /// What has been learned so far, as if the pass ended here.
    pub fn model(&self) -> Result<Model> {
        let mut progress = self.progress.clone();
        progress.end_pass();
        assemble(
            &self.student.trainer,
            self.student.learner.hypothesis(),
            &progress,
            Stop::MaxEpochs,
            &self.description(),
        )
    }

    /// What going on later needs, with the [`history`](Self::history) and the weights of the classes.
    pub fn checkpoint(&self) -> Checkpoint {
        let trainer = Trainer { class_weights: ClassWeights::Equal, ..self.student.trainer.clone().into_owned() };
        Checkpoint::new(&trainer, &self.description(), &*self.student.learner, &self.progress, &[])
    }

    fn description(&self) -> Description {
        let (labels, schema) = (self.labels.clone(), self.schema.clone());
        Description { labels, schema, chain: Chain::default(), examples: self.counts.iter().sum(), data: None }
    }
}

/// One batch, as a source of one block.
struct Batch<'a> {
    shown: Shown<'a>,
    order: &'a [u32],
}

impl<'b> BlockSource<&'b mut Student<'static>> for Batch<'_> {
    fn length(&mut self, _epoch: u32) -> Option<u64> {
        // All batches together are one pass, whose length is never known.
        None
    }

    fn pass(&mut self, _: u32, _: usize, present: &mut Present<'_, &'b mut Student<'static>>) -> Result<Passed> {
        let block = Block { examples: self.shown, order: self.order, soon: &[], numbers: Numbers::From(0) };
        Ok(match present(block)? {
            ControlFlow::Continue(()) => Passed::Whole,
            ControlFlow::Break(stop) => Passed::Stopped(stop),
        })
    }

    fn scan<'s>(&mut self, see: &'s mut See<'s, &'b mut Student<'static>>) -> Result<bool>
    where
        'b: 's,
    {
        see(self.shown);
        Ok(true)
    }
}
