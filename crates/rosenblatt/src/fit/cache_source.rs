//! A cache on disk as a source of blocks: the file is parsed once into binary blocks, and every pass reads those, one block
//! ahead of the learner. For data that do not fit in memory, or that are trained on repeatedly.

use std::ops::ControlFlow;
use std::sync::mpsc::sync_channel;

use super::Trainer;
use super::block_assembler::{BlockAssembler, ClassMap};
use super::fitted::Description;
use super::order::{BlockCutter, Cut, Order, order_within, shuffle_blocks};
use super::row_trainee::{LabelledRows, RowTrainee};
use super::source::{Block as SourceBlock, BlockSource, Numbers, Passed, Present, Visit};
use crate::error::{Error, Result};
use crate::io::{Input, Pace, Pool, Want};
use crate::map::Chain;
use crate::parallel;
use crate::read::cache::{Cache, CachePlace, Contents, Origin, Unusable, Writer};
use crate::read::{Block, Format, ReadOptions, stream};
use crate::rows::{LabelCollector, Labels, check_classes, too_long_row};

/// A cache that is reused if it matches the file, and built if it is missing, damaged or of another file.
pub(super) struct CacheSource<'a> {
    order: &'a Order,
    input: &'a Input,
    options: &'a ReadOptions,
    format: Format,
    place: CachePlace<'a>,
    pace: Pace,
    cache: Cache,
    /// Whether this run built it: then rebuilding does not help if it cannot be read back.
    fresh: bool,
    pool: Pool<Block>,
    labels: Labels,
    /// The class of each label of the cache.
    class_of: Vec<u32>,
    weight_of: Option<Vec<f64>>,
    /// How many rows come before each block.
    starts: Vec<u64>,
}

impl<'a> CacheSource<'a> {
    /// Opens the cache at `place`, or builds it. `None`: the format does not stream.
    pub(super) fn open(
        trainer: &'a Trainer,
        input: &'a Input,
        options: &'a ReadOptions,
        format: Format,
        place: CachePlace<'a>,
        pace: Pace,
    ) -> Result<Option<Self>> {
        let existing = match place {
            CachePlace::File(path) => Cache::open(path).ok(),
            CachePlace::Private(_) => None,
        };
        let usable = match existing {
            Some(mut cache) => {
                let mut cuts = CutCheck::default();
                let valid = cache.is_of(input, format, options, |block| cuts.add(block))? && cuts.holds();
                valid.then_some(cache)
            }
            None => None,
        };
        let fresh = usable.is_none();
        let cache = match usable {
            Some(cache) => cache,
            None => match build(input, options, format, place, pace)? {
                Some(cache) => cache,
                None => return Ok(None),
            },
        };
        let (labels, class_of) = cache.contents.collector().finish(options.positive.as_deref())?;
        let weight_of = trainer.class_weights.resolve(&labels, &[])?;
        let (starts, order, pool) = (cache.contents.starts(), &trainer.plan.order, Pool::new());
        Ok(Some(CacheSource {
            order,
            input,
            options,
            format,
            place,
            pace,
            cache,
            fresh,
            pool,
            labels,
            class_of,
            weight_of,
            starts,
        }))
    }

    /// What is known of the examples.
    pub(super) fn description(&self) -> Description {
        let Contents { schema, fingerprint, .. } = &self.cache.contents;
        Description {
            labels: self.labels.clone(),
            schema: schema.clone(),
            chain: Chain::default(),
            examples: self.cache.contents.examples(),
            data: Some(*fingerprint),
            targets: None,
        }
    }

    /// What a user may want to know of the file.
    pub(super) fn notes(&self) -> Vec<crate::message::Message> {
        self.cache.contents.notes.clone()
    }

    /// Whether all classes have weight 1.
    pub(super) fn weighs_equally(&self) -> bool {
        self.weight_of.is_none()
    }

    /// Builds a damaged cache again, once.
    fn rebuild(&mut self) -> Result<()> {
        let lost = || Error::bad_data("the cache cannot be read back: name another place for it");
        if self.fresh {
            return Err(lost());
        }
        self.cache = build(self.input, self.options, self.format, self.place, self.pace)?.ok_or_else(lost)?;
        (self.fresh, self.starts) = (true, self.cache.contents.starts());
        Ok(())
    }

    /// Calls `visit` with the blocks of these numbers until it breaks. Each block is read while the one before is in use.
    fn each<T>(
        &mut self,
        numbers: &[u64],
        mut visit: impl FnMut(u64, LabelledRows<'_>) -> ControlFlow<T>,
    ) -> std::result::Result<ControlFlow<T>, Unusable> {
        let CacheSource { cache, pool, class_of, weight_of, labels, pace, .. } = self;
        let (features, classes) = (cache.contents.schema.features(), labels.len());
        let map = ClassMap { class_of, weight_of: weight_of.as_deref() };
        let mut visit_block = |number: u64, block: Block| {
            let mut assembler = BlockAssembler::of(block);
            let flow = assembler.with_rows(map, features, |examples| visit(number, LabelledRows { examples, classes }));
            assembler.release(pool);
            flow
        };
        let mut read = |number: u64| -> std::result::Result<Block, Unusable> {
            let mut block = pool.get();
            cache.read(number as usize, &mut block)?;
            Ok(block)
        };
        if pace.threads == 1 {
            for &number in numbers {
                let flow = visit_block(number, read(number)?);
                if flow.is_break() {
                    return Ok(flow);
                }
            }
            return Ok(ControlFlow::Continue(()));
        }
        std::thread::scope(|scope| {
            let (sender, receiver) = sync_channel(1);
            parallel::spawn(scope, move || {
                for &number in numbers {
                    // The receiver was dropped: no more blocks are wanted.
                    if sender.send((number, read(number))).is_err() {
                        return;
                    }
                }
            });
            for (number, block) in receiver {
                let flow = visit_block(number, block?);
                if flow.is_break() {
                    return Ok(flow);
                }
            }
            Ok(ControlFlow::Continue(()))
        })
    }
}

impl<'t> BlockSource<RowTrainee<'t>> for CacheSource<'_> {
    fn length(&mut self, _epoch: u32) -> Option<u64> {
        // Examples of weight zero are skipped: then the length is unknown before the pass.
        self.weighs_equally().then(|| self.cache.contents.examples())
    }

    fn pass(&mut self, epoch: u32, _stride: usize, present: &mut Present<'_, RowTrainee<'t>>) -> Result<Passed> {
        let mut blocks: Vec<u64> = (0..self.cache.contents.blocks() as u64).collect();
        if let Order::Shuffled { seed } = self.order {
            shuffle_blocks(*seed, epoch, &mut blocks);
        }
        let (starts, kind, mut order) = (self.starts.clone(), self.order, Vec::new());
        let flow = self.each(&blocks, |number, examples| {
            order_within(kind, epoch, number, examples.examples, &mut order);
            let numbers = Numbers::From(starts[number as usize]);
            match present(SourceBlock { examples, order: &order, upcoming: &[], numbers }) {
                Ok(ControlFlow::Continue(())) => ControlFlow::Continue(()),
                Ok(ControlFlow::Break(stop)) => ControlFlow::Break(Ok(stop)),
                Err(error) => ControlFlow::Break(Err(error)),
            }
        });
        match flow {
            Ok(ControlFlow::Continue(())) => Ok(Passed::Whole),
            Ok(ControlFlow::Break(stop)) => stop.map(Passed::Stopped),
            // Damaged: rebuild, and discard what was learned from it.
            Err(Unusable) => self.rebuild().map(|()| Passed::Restart),
        }
    }

    fn scan<'s>(&mut self, visit: &'s mut Visit<'s, RowTrainee<'t>>) -> Result<bool>
    where
        't: 's,
    {
        let blocks: Vec<u64> = (0..self.cache.contents.blocks() as u64).collect();
        let scanned = self.each(&blocks, |_, examples| match visit(examples) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => ControlFlow::Break(error),
        });
        match scanned {
            Ok(ControlFlow::Continue(())) => Ok(true),
            Ok(ControlFlow::Break(error)) => Err(error),
            Err(Unusable) => self.rebuild().map(|()| false),
        }
    }
}

/// Reads the whole file into a cache; `None` if the format does not stream.
fn build(
    input: &Input,
    options: &ReadOptions,
    format: Format,
    place: CachePlace<'_>,
    pace: Pace,
) -> Result<Option<Cache>> {
    let origin = Origin::of(input, format, options)?;
    let pool = Pool::new();
    let mut writer = Writer::new(place)?;
    let mut collector = LabelCollector::default();
    let mut assembler = BlockAssembler::default();
    let (mut examples, mut too_long, mut zero, mut width) = (0, None, false, None);
    // Assumes that features count from 1. Where they count from 0, every index is one too small; reading the cache corrects it.
    let read = stream(input, options, 1, pace, &pool, |mut block| {
        block.collect_labels(&mut collector);
        if too_long.is_none() {
            too_long = block.too_long().map(|row| examples + row as u64);
        }
        examples += block.len() as u64;
        zero |= block.facts.zero;
        width = block.width;
        assembler.push(block);
        while assembler.assemble() {
            assembler.write(&mut writer)?;
            assembler.release(&pool);
        }
        Ok(Want::More)
    })?;
    let Some(read) = read else { return Ok(None) };
    if !assembler.is_empty() {
        assembler.write(&mut writer)?;
    }
    let (labels, _) = collector.clone().finish(options.positive.as_deref())?;
    let schema = read.schema(u32::from(!zero))?;
    check_classes(&labels, examples)?;
    if let Some(row) = too_long {
        return Err(too_long_row(row));
    }
    let (names, notes) = (collector.names().to_vec(), read.notes());
    writer.finish(origin, read.fingerprint, schema, names, notes, width, u32::from(zero)).map(Some)
}

/// Checks that the blocks of a cache end where [`BlockCutter`] ends them.
struct CutCheck {
    /// Cuts blocks of the usual size; `None` if blocks are small.
    usual: Option<BlockCutter>,
    small: BlockCutter,
    /// Whether all blocks so far end where this cutter ends them.
    usual_holds: bool,
    small_holds: bool,
    /// Whether the last block was full, so that another may follow.
    usual_full: bool,
    small_full: bool,
}

impl Default for CutCheck {
    fn default() -> Self {
        CutCheck {
            usual: Some(BlockCutter::default()),
            small: BlockCutter::small(),
            usual_holds: true,
            small_holds: true,
            usual_full: true,
            small_full: true,
        }
    }
}

impl CutCheck {
    /// Counts the rows of the next block; `false` if blocks end in other places.
    fn add(&mut self, block: &Block) -> bool {
        self.usual_holds &= self.usual_full;
        self.small_holds &= self.small_full;
        for row in 0..block.len() {
            let (stored, last) = (block.stored_in(row), row + 1 == block.len());
            self.small_full = self.small.add(stored) == Cut::End;
            self.small_holds &= last || !self.small_full;
            if let Some(usual) = &mut self.usual {
                match usual.add(stored) {
                    Cut::Recount => self.usual = None,
                    cut => {
                        self.usual_full = cut == Cut::End;
                        self.usual_holds &= last || !self.usual_full;
                    }
                }
            }
        }
        self.small_holds || self.holds()
    }

    /// Whether all blocks ended where they should.
    fn holds(&self) -> bool {
        if self.usual.is_some() { self.usual_holds } else { self.small_holds }
    }
}
