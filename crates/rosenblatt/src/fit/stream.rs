//! A file as a source of blocks while it is read: the learner works on parsed blocks while later text is parsed.
//!
//! Either no rows are kept, for one pass over a file of any size, or they are kept in memory for later passes. The model
//! has the same bytes as one trained in memory.
//!
//! A stream assumes that the first block of the presentation contains all classes, and that the file counts features
//! from 1. When a later line contradicts this, the rest is only read, and the pass restarts with the facts. Features that
//! first appear later need no restart: their weights were zero.

use std::ops::ControlFlow;

use super::Trainer;
use super::block_assembler::{BlockAssembler, ClassMap};
use super::fitted::Description;
use super::order::order_within;
use super::row_trainee::{LabelledRows, RowTrainee};
use super::source::{Block as SourceBlock, BlockSource, Numbers, Passed, Present, Visit};
use crate::error::{Error, Result};
use crate::io::{Input, Pace, Pool, Want};
use crate::learn::Stop;
use crate::map::Chain;
use crate::read::{self, Block, Dataset, Format, Guess, ReadOptions, read_passing_on, stream};
use crate::rows::{LabelCollector, Labels, check_classes, too_long_row};

/// What is assumed about a file before its first row is learned from.
#[derive(Debug, Clone)]
struct Assumptions {
    /// The index that features are counted from.
    first: u32,
    /// All labels, if the whole file was read before.
    labels: Option<LabelCollector>,
}

/// The classes of a file.
#[derive(Debug)]
struct Classes {
    labels: Labels,
    /// The class of each collected label.
    class_of: Vec<u32>,
    weight_of: Option<Vec<f64>>,
}

/// What is known about the file after a pass.
pub(super) struct StreamEnd {
    /// The format it was in.
    pub(super) format: Format,
    /// How the format was guessed, if it was.
    pub(super) guessed: Option<Guess>,
    /// What a user may want to know.
    pub(super) notes: Vec<crate::message::Message>,
    pub(super) description: Description,
    /// The greatest ‖x‖².
    pub(super) sq_radius: f64,
    /// The feature of each number that was learned, if they differ.
    pub(super) places: Option<Vec<u32>>,
}

/// A file while it is read.
pub(super) struct StreamSource<'a> {
    trainer: &'a Trainer,
    input: &'a Input,
    options: &'a ReadOptions,
    pace: Pace,
    /// Keeps the rows in memory.
    keeps: bool,
    /// Does not present data of a single block: these are better kept in memory.
    skips_small: bool,
    assumptions: Assumptions,
    classes: Option<Classes>,
    /// The rows that were kept.
    dataset: Option<Dataset>,
    end: Option<StreamEnd>,
}

impl<'a> StreamSource<'a> {
    /// A file whose rows are not kept. `skips_small`: does not present data of a single block.
    pub(super) fn streaming(
        trainer: &'a Trainer,
        input: &'a Input,
        options: &'a ReadOptions,
        pace: Pace,
        skips_small: bool,
    ) -> Self {
        let assumptions = Assumptions { first: 1, labels: None };
        let (classes, dataset, end) = (None, None, None);
        StreamSource { trainer, input, options, pace, keeps: false, skips_small, assumptions, classes, dataset, end }
    }

    /// A LIBSVM file whose rows are kept.
    pub(super) fn keeping(trainer: &'a Trainer, input: &'a Input, options: &'a ReadOptions, pace: Pace) -> Self {
        StreamSource { keeps: true, ..StreamSource::streaming(trainer, input, options, pace, true) }
    }

    /// The rows that were kept, if the file was read to its end.
    pub(super) fn into_dataset(self) -> Option<Dataset> {
        self.dataset
    }

    /// What is known about the file, after a pass.
    pub(super) fn into_end(self) -> Option<StreamEnd> {
        self.end
    }

    /// Presents blocks while the file is read, and keeps the rows.
    fn pass_keeping(
        &mut self,
        mut pass: Pass<'_>,
        pool: &Pool<Block>,
        present: &mut Present<'_, RowTrainee<'_>>,
    ) -> Result<Passed> {
        let read = read_passing_on(self.input, self.options, self.pace, pool, |block, collector| {
            pass.take(block, collector, present)
        })?;
        let Some((dataset, collector)) = read else {
            return Ok(Passed::Stopped(pass.stopped.unwrap_or(Stop::Interrupted)));
        };
        let ended = pass.present_last(&collector, present).map_err(|e| e.in_file(&dataset.name));
        self.dataset = Some(dataset);
        ended?;
        Ok(match pass.stopped {
            _ if pass.assumption_failed => Passed::Restart,
            Some(stop) => Passed::Stopped(stop),
            None => Passed::Whole,
        })
    }

    /// Presents blocks while the file is read, and keeps no rows.
    fn pass_streaming(
        &mut self,
        mut pass: Pass<'_>,
        pool: &Pool<Block>,
        present: &mut Present<'_, RowTrainee<'_>>,
    ) -> Result<Passed> {
        let mut collector = self.assumptions.labels.clone().unwrap_or_default();
        let read = stream(self.input, self.options, self.assumptions.first, self.pace, pool, |mut block| {
            block.collect_labels(&mut collector);
            pass.take(block, &collector, present)
        })?;
        let Some(read) = read else { return Ok(Passed::Unsuitable) };
        pass.present_last(&collector, present)?;
        let Pass { classes, assumption_failed, stopped, zero, examples, sq_radius, too_long, .. } = pass;
        if assumption_failed {
            self.assumptions = self.revise_assumptions(&read, collector, zero, examples, too_long)?;
            return Ok(Passed::Restart);
        }
        let Some(classes) = classes else { return Ok(Passed::Unsuitable) };
        let description = Description {
            labels: classes.labels.clone(),
            schema: read.schema(self.assumptions.first)?,
            chain: Chain::default(),
            examples,
            data: Some(read.fingerprint),
            targets: None,
        };
        let (format, guessed, notes) = (read.format, read.guessed, read.notes());
        self.end = Some(StreamEnd { format, guessed, notes, description, sq_radius, places: read.places });
        self.classes = Some(classes);
        Ok(stopped.map_or(Passed::Whole, Passed::Stopped))
    }

    /// The facts, after an assumption failed; or the error that reading the whole file would report first.
    fn revise_assumptions(
        &self,
        read: &read::Passed,
        collector: LabelCollector,
        zero: bool,
        examples: u64,
        too_long: Option<u64>,
    ) -> Result<Assumptions> {
        let (labels, class_of) = collector.clone().finish(self.options.positive.as_deref())?;
        let first = u32::from(!zero);
        read.schema(first)?;
        check_classes(&labels, examples)?;
        if let Some(row) = too_long {
            return Err(too_long_row(row));
        }
        self.trainer.class_weights.resolve(&labels, &class_of)?;
        Ok(Assumptions { first, labels: Some(collector) })
    }
}

impl<'t> BlockSource<RowTrainee<'t>> for StreamSource<'_> {
    fn length(&mut self, _epoch: u32) -> Option<u64> {
        None
    }

    fn pass(&mut self, _epoch: u32, _stride: usize, present: &mut Present<'_, RowTrainee<'t>>) -> Result<Passed> {
        let pool = Pool::new();
        let pass = Pass::new(self.trainer, self.options, self.assumptions.clone(), self.skips_small, &pool);
        if self.keeps { self.pass_keeping(pass, &pool, present) } else { self.pass_streaming(pass, &pool, present) }
    }

    /// Reads the file once more.
    fn scan<'s>(&mut self, visit: &'s mut Visit<'s, RowTrainee<'t>>) -> Result<bool>
    where
        't: 's,
    {
        let changed = || Error::bad_data("the file has changed while it was read");
        let (Some(classes), Some(end)) = (&self.classes, &self.end) else { return Err(changed()) };
        let features = end.description.schema.features();
        let map = ClassMap { class_of: &classes.class_of, weight_of: None };
        let mut collector = self.assumptions.labels.clone().unwrap_or_default();
        let (pool, mut rows) = (&Pool::new(), 0);
        let read = stream(self.input, self.options, self.assumptions.first, self.pace, pool, |mut block| {
            block.collect_labels(&mut collector);
            if collector.len() > classes.class_of.len() {
                return Err(changed());
            }
            rows += block.len() as u64;
            let mut assembler = BlockAssembler::of(block);
            assembler
                .with_rows(map, features, |examples| visit(LabelledRows { examples, classes: classes.labels.len() }))?;
            assembler.release(pool);
            Ok(Want::More)
        })?;
        let same = read.is_some_and(|read| Some(read.fingerprint) == end.description.data);
        if same && rows == end.description.examples { Ok(true) } else { Err(changed()) }
    }
}

/// One attempt at a pass.
struct Pass<'a> {
    trainer: &'a Trainer,
    positive: Option<&'a str>,
    assumptions: Assumptions,
    skips_small: bool,
    pool: &'a Pool<Block>,
    assembler: BlockAssembler,
    /// Known from the first full block on.
    classes: Option<Classes>,
    /// How many labels there were then.
    labels: usize,
    /// The rest of the file is only read.
    assumption_failed: bool,
    stopped: Option<Stop>,
    /// Whether index 0 occurred.
    zero: bool,
    examples: u64,
    /// Blocks and rows presented.
    blocks: u64,
    presented: u64,
    sq_radius: f64,
    /// The first row whose squares overflow.
    too_long: Option<u64>,
    order: Vec<u32>,
}

impl<'a> Pass<'a> {
    fn new(
        trainer: &'a Trainer,
        options: &'a ReadOptions,
        assumptions: Assumptions,
        skips_small: bool,
        pool: &'a Pool<Block>,
    ) -> Self {
        Pass {
            trainer,
            positive: options.positive.as_deref(),
            assumptions,
            skips_small,
            pool,
            assembler: BlockAssembler::default(),
            classes: None,
            labels: 0,
            assumption_failed: false,
            stopped: None,
            zero: false,
            examples: 0,
            blocks: 0,
            presented: 0,
            sq_radius: 0.0,
            too_long: None,
            order: Vec::new(),
        }
    }

    /// Adds parsed rows, whose labels were collected, and presents each block that becomes full.
    fn take(
        &mut self,
        block: Block,
        collector: &LabelCollector,
        present: &mut Present<'_, RowTrainee<'_>>,
    ) -> Result<Want> {
        self.zero |= block.facts.zero;
        if self.too_long.is_none() {
            self.too_long = block.too_long().map(|row| self.examples + row as u64);
        }
        self.sq_radius = self.sq_radius.max(block.sq_radius);
        self.examples += block.len() as u64;
        let new_label = self.classes.is_some() && collector.len() > self.labels;
        let new_base = self.zero && self.assumptions.first == 1;
        self.assumption_failed |= new_label || new_base || self.too_long.is_some();
        if self.assumption_failed {
            self.pool.put(block);
            return Ok(Want::More);
        }
        self.assembler.push(block);
        while self.assembler.assemble() {
            self.present(collector, present)?;
            if self.stopped.is_some() {
                return Ok(Want::Nothing);
            }
            if self.assumption_failed {
                break;
            }
        }
        Ok(Want::More)
    }

    /// Presents the last block, unless it is the only one and small data are skipped.
    fn present_last(&mut self, collector: &LabelCollector, present: &mut Present<'_, RowTrainee<'_>>) -> Result<()> {
        let small = self.skips_small && self.classes.is_none();
        if self.assumption_failed || self.stopped.is_some() || self.assembler.is_empty() || small {
            return Ok(());
        }
        self.present(collector, present)
    }

    /// Determines the classes from the first block.
    fn find_classes(&mut self, collector: &LabelCollector) {
        if self.classes.is_some() {
            return;
        }
        self.labels = collector.len();
        let found = collector.clone().finish(self.positive).ok().filter(|(labels, _)| labels.len() >= 2);
        let weighed = found.and_then(|(labels, class_of)| {
            let weight_of = self.trainer.class_weights.resolve(&labels, &[]).ok()?;
            Some(Classes { labels, class_of, weight_of })
        });
        self.assumption_failed |= weighed.is_none();
        self.classes = weighed;
    }

    /// Presents the full block.
    fn present(&mut self, collector: &LabelCollector, present: &mut Present<'_, RowTrainee<'_>>) -> Result<()> {
        self.find_classes(collector);
        let Some(Classes { labels, class_of, weight_of }) = &self.classes else { return Ok(()) };
        let features = self.assembler.features(self.assumptions.first);
        let (order, kind, number, start) = (&mut self.order, &self.trainer.plan.order, self.blocks, self.presented);
        let map = ClassMap { class_of, weight_of: weight_of.as_deref() };
        let (flow, rows) = self.assembler.with_rows(map, features, |examples| {
            order_within(kind, 0, number, examples, order);
            let labelled = LabelledRows { examples, classes: labels.len() };
            let numbers = Numbers::From(start);
            (present(SourceBlock { examples: labelled, order, upcoming: &[], numbers }), examples.len())
        });
        (self.blocks, self.presented) = (self.blocks + 1, self.presented + rows as u64);
        self.assembler.release(self.pool);
        if let ControlFlow::Break(stop) = flow? {
            self.stopped = Some(stop);
        }
        Ok(())
    }
}
