//! One pass over a file of any size: learning goes on while later blocks are still being read, and nothing is kept.
//!
//! The model has the same bytes as if the whole file had been in memory. What a stream cannot know when it begins it
//! takes for granted: that the first block of the presentation shows all classes, and whether the file counts features
//! from 0. When a later line proves it wrong, the rest is read for what it can tell, and the pass begins anew.
//! Features that come later are no such surprise: their weights were zero.

use std::ops::ControlFlow;

use super::block_assembler::{BlockAssembler, order_within};
use super::order::Order;
use super::report::Report;
use super::trainer::{ClassWeights, Trainer};
use super::{Now, Observer, overflowed};
use crate::error::{Error, Result};
use crate::io::{Input, Pace, Pool, Want};
use crate::learn::keep::KeepKind;
use crate::learn::{AnyLearner, Geometry, Progress, Stop};
use crate::map::{Chain, Preparation};
use crate::model::{Facts, Model};
use crate::read::{Block, Format, Guess, Passed, ReadOptions, stream};
use crate::rows::{LabelCollector, Labels, check_classes, too_long_row};

/// A model that was trained on a stream, with its story.
#[derive(Debug)]
pub struct Streamed {
    /// What predicts.
    pub model: Model,
    /// What happened; what only a second look at the data could tell is not a number in it.
    pub report: Report,
    /// How often each example was a mistake; empty where they went by only once.
    pub failures: Vec<u32>,
    /// What messages call the file.
    pub name: String,
    /// The format it was in.
    pub format: Format,
    /// How the format was guessed, if it was.
    pub guessed: Option<Guess>,
    /// What a user may want to know of the file.
    pub notes: Vec<String>,
}

/// What must be known of a file before its first row is learned from.
#[derive(Debug, Clone)]
pub(super) struct Known {
    /// The index that features are counted from.
    first: u32,
    /// All labels, if they are known for certain.
    labels: Option<LabelCollector>,
}

impl Known {
    /// Most files count from 1.
    pub(super) fn little() -> Self {
        Known { first: 1, labels: None }
    }
}

/// What an attempt at a pass came to.
enum Attempt {
    /// It was learned from beginning to end.
    Learned(Box<PassState>, Passed),
    /// Something was not as taken for granted; now it is known.
    Surprised(Known),
    /// The data are of one block: better kept in memory.
    Small,
}

impl Trainer {
    /// Whether these settings allow to learn from rows that go by once.
    pub fn can_stream(&self) -> bool {
        self.plan.epochs == 1 && self.learns_by_blocks()
    }

    /// Whether these settings allow to learn from a block of rows at a time, without a look at the others.
    pub fn learns_by_blocks(&self) -> bool {
        matches!(self.plan.order, Order::Cyclic | Order::Shuffled { .. })
            && self.class_weights != ClassWeights::Balanced
            && self.start == super::trainer::Start::Zero
            && self.preparation == Preparation::default()
            && self.recipe.kernel.is_none()
            && self.recipe.keep().is_ok_and(|keep| keep != KeepKind::Pocket)
    }

    /// Trains in one pass over a file that need not fit in memory; `None` if the settings or the format do not allow it
    /// ([`can_stream`](Self::can_stream)), or if the data are too few for it to matter.
    pub fn fit_stream(
        &self,
        input: &Input,
        options: &ReadOptions,
        observer: &mut dyn Observer,
    ) -> Result<Option<Streamed>> {
        self.fit_stream_at(input, options, Pace::default(), true, observer)
    }

    /// The same at any pace, and of small data too if `small` is false.
    pub(crate) fn fit_stream_at(
        &self,
        input: &Input,
        options: &ReadOptions,
        pace: Pace,
        leave_small: bool,
        observer: &mut dyn Observer,
    ) -> Result<Option<Streamed>> {
        if !self.can_stream() || !input.opens_again() || !crate::read::can_stream(input, options)? {
            return Ok(None);
        }
        let mut known = Known::little();
        let pool = Pool::new();
        loop {
            let mut pass = Pass::new(self, options.positive.as_deref(), known.clone(), leave_small, &pool);
            let mut collector = known.labels.clone().unwrap_or_default();
            let passed = stream(input, options, known.first, pace, &pool, |mut block| {
                block.collect_labels(&mut collector);
                pass.take(block, &collector, observer)
            })?;
            let Some(passed) = passed else { return Ok(None) };
            match pass.end(passed, collector, observer)? {
                Attempt::Learned(pupil, passed) => {
                    return self.streamed(input, options, pace, &known, *pupil, passed).map(Some);
                }
                Attempt::Surprised(more) => known = more,
                Attempt::Small => return Ok(None),
            }
        }
    }

    /// Ends the pass and the training.
    fn streamed(
        &self,
        input: &Input,
        options: &ReadOptions,
        pace: Pace,
        known: &Known,
        mut pupil: PassState,
        passed: Passed,
    ) -> Result<Streamed> {
        let schema = passed.schema(known.first)?;
        let learner = &mut pupil.learner;
        learner.grow(schema.features());
        let mut stop = pupil.stopped.unwrap_or(Stop::MaxEpochs);
        let course = &mut pupil.course;
        if pupil.stopped.is_none() {
            // The rows are asked once more only if nothing erred but something moved: from zero this hardly ever happens.
            close_pass(&mut **learner, course, |learner| {
                Ok(measure(input, options, pace, known, &pupil.class_of, learner)?.margin > 0.0)
            })?;
            stop = course.ended.unwrap_or(stop);
        }
        let hypothesis = pupil.learner.hypothesis();
        if !hypothesis.hyperplane().is_finite() {
            return Err(overflowed(&pupil.course));
        }
        let mut facts = Facts::new(self, pupil.examples as usize, &pupil.course, stop)?;
        facts.data = Some(passed.fingerprint);
        let notes = passed.notes();
        let model =
            Model { hypothesis, labels: pupil.labels, schema, chain: Chain::default(), facts, calibration: None };
        let report = Report::streamed(&model, (pupil.sq_radius + self.recipe.bias.squared()).sqrt());
        let failures = Vec::new();
        Ok(Streamed {
            model,
            report,
            failures,
            name: input.name(),
            format: passed.format,
            guessed: passed.guessed,
            notes,
        })
    }
}

/// Closes a whole pass, as [`fit`](super::fit()) does; `separates` is asked only if it matters.
pub(super) fn close_pass(
    learner: &mut dyn AnyLearner,
    course: &mut Progress,
    separates: impl FnOnce(&dyn AnyLearner) -> Result<bool>,
) -> Result<()> {
    let end = learner.end_pass(course.position);
    course.add_late_updates(end.updates);
    let (mistakes, updates) = course.end_pass();
    if !learner.is_finite() {
        return Err(overflowed(course));
    }
    if mistakes == 0 && (updates == 0 || !learner.wants_margin() && separates(learner)?) {
        course.ended = Some(Stop::Separated);
    } else if end.small_step {
        course.ended = Some(Stop::SmallStep);
    }
    Ok(())
}

/// The learner, and all that it was told and has gone through.
pub(super) struct PassState {
    pub(super) learner: Box<dyn AnyLearner>,
    labels: Labels,
    /// The class of each collected label.
    class_of: Vec<u32>,
    weight_of: Option<Vec<f64>>,
    pub(super) course: Progress,
    pub(super) stopped: Option<Stop>,
    /// Blocks of the presentation so far.
    blocks: u64,
    examples: u64,
    sq_radius: f64,
}

/// One attempt at a pass.
pub(super) struct Pass<'a> {
    trainer: &'a Trainer,
    positive: Option<&'a str>,
    known: Known,
    leave_small: bool,
    pool: &'a Pool<Block>,
    hand: BlockAssembler,
    pupil: Option<Box<PassState>>,
    /// How many labels there were when the pupil was made.
    labels: usize,
    /// How often each example was a mistake, for those who want to know.
    failures: Option<Vec<u32>>,
    /// Only read to know more.
    surprised: bool,
    zero: bool,
    examples: u64,
    sq_radius: f64,
    /// The first row whose squares overflow.
    too_long: Option<u64>,
    order: Vec<u32>,
}

impl<'a> Pass<'a> {
    pub(super) fn new(
        trainer: &'a Trainer,
        positive: Option<&'a str>,
        known: Known,
        leave_small: bool,
        pool: &'a Pool<Block>,
    ) -> Self {
        Pass {
            trainer,
            positive,
            known,
            leave_small,
            pool,
            hand: BlockAssembler::default(),
            pupil: None,
            labels: 0,
            failures: None,
            surprised: false,
            zero: false,
            examples: 0,
            sq_radius: 0.0,
            too_long: None,
            order: Vec::new(),
        }
    }

    /// Counts how often each example is a mistake.
    pub(super) fn counting(self) -> Self {
        Pass { failures: Some(Vec::new()), ..self }
    }

    /// Takes in the next rows of the file, whose labels were collected, and learns from each block of the presentation
    /// that they fill.
    pub(super) fn take(
        &mut self,
        block: Block,
        collector: &LabelCollector,
        observer: &mut dyn Observer,
    ) -> Result<Want> {
        self.zero |= block.seen.zero;
        if self.too_long.is_none() {
            self.too_long = block.too_long().map(|row| self.examples + row as u64);
        }
        self.sq_radius = self.sq_radius.max(block.sq_radius);
        self.examples += block.len() as u64;
        let new_label = self.pupil.is_some() && collector.len() > self.labels;
        let new_base = self.zero && self.known.first == 1;
        self.surprised |= new_label || new_base || self.too_long.is_some();
        if self.surprised {
            self.pool.put(block);
            return Ok(Want::More);
        }
        self.hand.push(block);
        while self.hand.is_full() {
            if let Want::Nothing = self.present(collector, observer)? {
                return Ok(Want::Nothing);
            }
            if self.surprised {
                break;
            }
        }
        Ok(Want::More)
    }

    /// Makes the learner, if what is known allows it.
    fn begin(&mut self, collector: &LabelCollector) -> Result<()> {
        if self.pupil.is_some() {
            return Ok(());
        }
        self.labels = collector.len();
        let Ok((labels, class_of)) = collector.clone().finish(self.positive) else {
            self.surprised = true;
            return Ok(());
        };
        if labels.len() < 2 {
            self.surprised = true;
            return Ok(());
        }
        let weight_of = self.trainer.class_weights.resolve(&labels, &[]);
        let Ok(weight_of) = weight_of else {
            self.surprised = true;
            return Ok(());
        };
        let learner = self.trainer.learner(0, labels.len())?;
        self.pupil = Some(Box::new(PassState {
            learner,
            labels,
            class_of,
            weight_of,
            course: Progress::default(),
            stopped: None,
            blocks: 0,
            examples: 0,
            sq_radius: 0.0,
        }));
        Ok(())
    }

    /// Presents the rows in hand.
    fn present(&mut self, collector: &LabelCollector, observer: &mut dyn Observer) -> Result<Want> {
        self.begin(collector)?;
        let Some(pupil) = self.pupil.as_mut().filter(|_| !self.surprised) else { return Ok(Want::More) };
        let PassState { learner, class_of, weight_of, course, blocks, .. } = &mut **pupil;
        let features = self.hand.features(self.known.first);
        learner.grow(features);
        let (order, kind, failures) = (&mut self.order, &self.trainer.plan.order, &mut self.failures);
        let before = course.position as u32;
        let stopped = self.hand.show(class_of, weight_of.as_deref(), features, |examples| {
            order_within(kind, 0, *blocks, examples, order);
            let mut failures = failures.as_mut().map(|all| {
                let start = all.len();
                all.resize(start + examples.len(), 0);
                &mut all[start..]
            });
            let mut numbers = Vec::new();
            for some in order.chunks(observer.stride().max(1)) {
                let tally = learner.run(examples, some, failures.as_deref_mut());
                course.add(tally);
                numbers.clear();
                numbers.extend(some.iter().map(|&i| i.wrapping_add(before)));
                let now = Now { course, total: 0, examples: &numbers, tally, learner: &**learner };
                if let ControlFlow::Break(stop) = observer.advanced(&now) {
                    return Some(stop);
                }
            }
            None
        });
        *blocks += 1;
        self.hand.let_go(self.pool);
        pupil.stopped = stopped;
        Ok(if stopped.is_some() { Want::Nothing } else { Want::More })
    }

    /// Learns from the rows that are left, unless there were no others.
    fn learn_last(&mut self, collector: &LabelCollector, observer: &mut dyn Observer) -> Result<()> {
        let stopped = self.pupil.as_ref().is_some_and(|pupil| pupil.stopped.is_some());
        let small = self.leave_small && self.pupil.is_none();
        if !self.surprised && !stopped && !self.hand.is_empty() && !small {
            self.present(collector, observer)?;
        }
        Ok(())
    }

    /// The text has ended, or nobody wanted more: who has learned so far, and how often each example was a mistake.
    /// `None` if something was not as taken for granted, or the data are of one block.
    pub(super) fn so_far(
        mut self,
        collector: &LabelCollector,
        observer: &mut dyn Observer,
    ) -> Result<Option<(Box<PassState>, Vec<u32>)>> {
        self.learn_last(collector, observer)?;
        let failures = self.failures.unwrap_or_default();
        Ok(self.pupil.filter(|_| !self.surprised).map(|pupil| (pupil, failures)))
    }

    /// The text has ended, or nobody wanted more.
    fn end(mut self, passed: Passed, collector: LabelCollector, observer: &mut dyn Observer) -> Result<Attempt> {
        self.learn_last(&collector, observer)?;
        if self.surprised {
            // What cannot be learned from is said in the order in which a reader of the whole would say it.
            let (labels, class_of) = collector.clone().finish(self.positive)?;
            let first = u32::from(!self.zero);
            passed.schema(first)?;
            check_classes(&labels, self.examples)?;
            if let Some(row) = self.too_long {
                return Err(too_long_row(row));
            }
            self.trainer.class_weights.resolve(&labels, &class_of)?;
            return Ok(Attempt::Surprised(Known { first, labels: Some(collector) }));
        }
        match self.pupil {
            Some(mut pupil) => {
                (pupil.examples, pupil.sq_radius) = (self.examples, self.sq_radius);
                if pupil.course.presented == 0 {
                    return Err(Error::bad_data("every example has weight zero: nothing can be learned"));
                }
                Ok(Attempt::Learned(pupil, passed))
            }
            None => Ok(Attempt::Small),
        }
    }
}

/// Reads the file once more to see how the last weights lie.
fn measure(
    input: &Input,
    options: &ReadOptions,
    pace: Pace,
    known: &Known,
    class_of: &[u32],
    learner: &dyn AnyLearner,
) -> Result<Geometry> {
    let weights = learner.hyperplane()?;
    let pool = Pool::new();
    let mut collector = known.labels.clone().unwrap_or_default();
    let mut all: Option<Geometry> = None;
    stream(input, options, known.first, pace, &pool, |mut block| {
        block.collect_labels(&mut collector);
        let mut hand = BlockAssembler::default();
        hand.push(block);
        loop {
            let full = hand.is_full();
            if !hand.is_empty() {
                let one = hand.show(class_of, None, weights.features(), |rows| Geometry::measure(&weights, rows));
                match &mut all {
                    Some(all) => all.join(&one),
                    None => all = Some(one),
                }
                hand.let_go(&pool);
            }
            if !full {
                return Ok(Want::More);
            }
        }
    })?;
    all.ok_or_else(|| Error::bad_data("the file has changed while it was read"))
}
