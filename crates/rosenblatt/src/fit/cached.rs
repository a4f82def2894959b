//! Many passes over data that do not fit in memory: the file is read once, into a cache of binary blocks, and every
//! pass reads those, one ahead of the learner. The model has the same bytes as if all had been in memory.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::mpsc::sync_channel;

use super::block_assembler::{BlockAssembler, order_within};
use super::order::Order;
use super::report::{Report, signed};
use super::stream::{Streamed, close_pass};
use super::trainer::Trainer;
use super::{Now, Observer, overflowed};
use crate::error::{Error, Result};
use crate::io::{Input, Pace, Pool, Want};
use crate::learn::{AnyLearner, Geometry, Progress, Stop, decide};
use crate::map::Chain;
use crate::model::{Facts, Model};
use crate::random::Stream;
use crate::read::cache::{Cache, Contents, Origin, Unusable, Writer, check_cache_place};
use crate::read::{Block, ReadOptions, format_of, stream};
use crate::rows::{Examples, LabelCollector, Labels, Schema, check_classes, too_long_row};

impl Trainer {
    /// Trains in any number of passes through a cache at `place`, which is used if it is of this very file, and made if
    /// it is not there, is of another or is damaged. `None` if the settings or the format do not allow it.
    pub fn fit_cached(
        &self,
        input: &Input,
        options: &ReadOptions,
        place: &Path,
        observer: &mut dyn Observer,
    ) -> Result<Option<Streamed>> {
        self.fit_cached_at(input, options, place, Pace::default(), observer)
    }

    pub(crate) fn fit_cached_at(
        &self,
        input: &Input,
        options: &ReadOptions,
        place: &Path,
        pace: Pace,
        observer: &mut dyn Observer,
    ) -> Result<Option<Streamed>> {
        if !self.learns_by_blocks() || !input.opens_again() || !crate::read::can_stream(input, options)? {
            return Ok(None);
        }
        check_cache_place(place)?;
        let (format, guessed) = format_of(input, options)?;
        let mut made = false;
        loop {
            let cache = match Cache::open(place) {
                Ok(cache) if made || cache.is_of(input, format, options)? => cache,
                _ if made => return Err(Error::bad_data("the cache cannot be read back: name another place for it")),
                _ => {
                    if build(input, options, place, pace, Origin::of(input, format, options)?)?.is_none() {
                        return Ok(None);
                    }
                    made = true;
                    continue;
                }
            };
            let name = input.name();
            let notes = cache.contents.notes.clone();
            match Passes::new(self, cache, options.positive.as_deref(), pace)?.run(observer)? {
                Ok((model, report, failures)) => {
                    return Ok(Some(Streamed { model, report, failures, name, format, guessed, notes }));
                }
                // Damaged, and noticed in time: what was learned from it is thrown away.
                Err(Unusable) if !made => {
                    if build(input, options, place, pace, Origin::of(input, format, options)?)?.is_none() {
                        return Ok(None);
                    }
                    made = true;
                }
                Err(Unusable) => {
                    return Err(Error::bad_data("the cache cannot be read back: name another place for it"));
                }
            }
        }
    }
}

/// Reads the whole file into a cache; `None` if it can only be read otherwise.
fn build(
    input: &Input,
    options: &ReadOptions,
    place: &Path,
    pace: Pace,
    origin: Option<Origin>,
) -> Result<Option<Contents>> {
    let pool = Pool::new();
    let mut writer = Writer::new(place)?;
    let mut collector = LabelCollector::default();
    let mut hand = BlockAssembler::default();
    let (mut examples, mut too_long, mut zero, mut width) = (0, None, false, None);
    // Features are taken to count from 1; where they do not, every index is one too small, and is mended on reading.
    let passed = stream(input, options, 1, pace, &pool, |mut block| {
        block.collect_labels(&mut collector);
        if too_long.is_none() {
            too_long = block.too_long().map(|row| examples + row as u64);
        }
        examples += block.len() as u64;
        zero |= block.seen.zero;
        width = block.width;
        hand.push(block);
        while hand.is_full() {
            hand.write(&mut writer)?;
            hand.let_go(&pool);
        }
        Ok(Want::More)
    })?;
    let Some(passed) = passed else { return Ok(None) };
    if !hand.is_empty() {
        hand.write(&mut writer)?;
    }
    let (labels, _) = collector.clone().finish(options.positive.as_deref())?;
    let schema = passed.schema(u32::from(!zero))?;
    check_classes(&labels, examples)?;
    if let Some(row) = too_long {
        return Err(too_long_row(row));
    }
    let (names, notes) = (collector.names().to_vec(), passed.notes());
    writer.finish(origin, passed.fingerprint, schema, names, notes, width, u32::from(zero)).map(Some)
}

type Outcome = (Model, Report, Vec<u32>);

/// All passes of a training over one cache.
struct Passes<'a> {
    trainer: &'a Trainer,
    cache: Cache,
    pace: Pace,
    pool: Pool<Block>,
    labels: Labels,
    /// The class of each label of the cache.
    class_of: Vec<u32>,
    weight_of: Option<Vec<f64>>,
    schema: Schema,
    starts: Vec<u64>,
}

impl<'a> Passes<'a> {
    fn new(trainer: &'a Trainer, cache: Cache, positive: Option<&str>, pace: Pace) -> Result<Self> {
        let (labels, class_of) = cache.contents.collector().finish(positive)?;
        let weight_of = trainer.class_weights.resolve(&labels, &[])?;
        let (schema, starts) = (cache.contents.schema.clone(), cache.contents.starts());
        Ok(Passes { trainer, cache, pace, pool: Pool::new(), labels, class_of, weight_of, schema, starts })
    }

    /// The numbers of the blocks, in the order of a pass: see [`Order`].
    fn order_of_blocks(&self, epoch: u32) -> Vec<u64> {
        let mut blocks: Vec<u64> = (0..self.cache.contents.blocks() as u64).collect();
        if let Order::Shuffled { seed } = self.trainer.plan.order
            && epoch > 0
        {
            Stream::new(seed, &[u64::from(epoch)]).shuffle(&mut blocks);
        }
        blocks
    }

    /// Shows the blocks of these numbers, each read while the one before is looked at, until `see` has seen enough.
    fn each(
        &mut self,
        numbers: &[u64],
        mut see: impl FnMut(u64, Examples<'_>) -> ControlFlow<()>,
    ) -> std::result::Result<(), Unusable> {
        let Passes { cache, pool, class_of, weight_of, schema, pace, .. } = self;
        let features = schema.features();
        let mut show = |number: u64, block: Block| {
            let mut hand = BlockAssembler::of(block);
            let flow = hand.show(class_of, weight_of.as_deref(), features, |examples| see(number, examples));
            hand.let_go(pool);
            flow
        };
        let mut read = |number: u64| -> std::result::Result<Block, Unusable> {
            let mut block = pool.get();
            cache.read(number as usize, &mut block)?;
            Ok(block)
        };
        if pace.threads == 1 {
            for &number in numbers {
                if show(number, read(number)?).is_break() {
                    break;
                }
            }
            return Ok(());
        }
        std::thread::scope(|scope| {
            let (sender, receiver) = sync_channel(1);
            scope.spawn(move || {
                for &number in numbers {
                    // Nobody is there to be told once enough was seen.
                    if sender.send((number, read(number))).is_err() {
                        return;
                    }
                }
            });
            for (number, block) in receiver {
                if show(number, block?).is_break() {
                    break;
                }
            }
            Ok(())
        })
    }

    fn run(mut self, observer: &mut dyn Observer) -> Result<std::result::Result<Outcome, Unusable>> {
        let mut learner = self.trainer.learner(self.schema.features(), self.labels.len())?;
        let mut course = Progress::default();
        let mut failures = vec![0; self.cache.contents.examples() as usize];
        let mut stop = Stop::MaxEpochs;
        while course.epochs() < self.trainer.plan.epochs {
            let stopped = match self.pass(&mut *learner, &mut course, &mut failures, observer) {
                Ok(stopped) => stopped,
                Err(unusable) => return Ok(Err(unusable)),
            };
            if let Some(stopped) = stopped {
                stop = stopped;
                break;
            }
            if course.position == 0 {
                return Err(Error::bad_data("every example has weight zero: nothing can be learned"));
            }
            let mut unusable = false;
            close_pass(&mut *learner, &mut course, |learner| {
                let seen = self.measure(&learner.hyperplane()?);
                unusable = seen.is_err();
                Ok(seen.is_ok_and(|seen| seen.margin > 0.0))
            })?;
            if unusable {
                return Ok(Err(Unusable));
            }
            let flow = observer.pass_ended(&course, &*learner, &failures)?;
            match (course.ended, flow) {
                (Some(ended), _) | (None, ControlFlow::Break(ended)) => {
                    stop = ended;
                    break;
                }
                (None, ControlFlow::Continue(())) => {}
            }
        }
        let hypothesis = learner.hypothesis();
        if !hypothesis.hyperplane().is_finite() {
            return Err(overflowed(&course));
        }
        let mut facts = Facts::new(self.trainer, failures.len(), &course, stop)?;
        facts.data = Some(self.cache.contents.fingerprint);
        let model = Model {
            hypothesis,
            labels: self.labels.clone(),
            schema: self.schema.clone(),
            chain: Chain::default(),
            facts,
            calibration: None,
        };
        Ok(self.report(&model, &*learner).map(|report| (model, report, failures)))
    }

    /// One pass; why it stopped before its end, if it did.
    fn pass(
        &mut self,
        learner: &mut dyn AnyLearner,
        course: &mut Progress,
        failures: &mut [u32],
        observer: &mut dyn Observer,
    ) -> std::result::Result<Option<Stop>, Unusable> {
        let (epoch, total) = (course.epochs(), self.cache.contents.examples());
        let blocks = self.order_of_blocks(epoch);
        let (starts, kind) = (self.starts.clone(), self.trainer.plan.order.clone());
        let (mut order, mut numbers) = (Vec::new(), Vec::new());
        let mut stopped = None;
        self.each(&blocks, |number, examples| {
            let start = starts[number as usize] as usize;
            order_within(&kind, epoch, number, examples, &mut order);
            for some in order.chunks(observer.stride().max(1)) {
                let tally = learner.run(examples, some, Some(&mut failures[start..start + examples.len()]));
                course.add(tally);
                numbers.clear();
                numbers.extend(some.iter().map(|&i| i + start as u32));
                let now = Now { course, total, examples: &numbers, tally, learner };
                if let ControlFlow::Break(stop) = observer.advanced(&now) {
                    stopped = Some(stop);
                    return ControlFlow::Break(());
                }
            }
            ControlFlow::Continue(())
        })?;
        Ok(stopped)
    }

    fn measure(&mut self, weights: &crate::learn::Weights) -> std::result::Result<Geometry, Unusable> {
        let mut all: Option<Geometry> = None;
        let blocks: Vec<u64> = (0..self.cache.contents.blocks() as u64).collect();
        self.each(&blocks, |_, examples| {
            let one = Geometry::measure(weights, examples);
            match &mut all {
                Some(all) => all.join(&one),
                None => all = Some(one),
            }
            ControlFlow::Continue(())
        })?;
        all.ok_or(Unusable)
    }

    /// Measures the model on all examples.
    fn report(&mut self, model: &Model, learner: &dyn AnyLearner) -> std::result::Result<Report, Unusable> {
        let bounded = self.trainer.start == super::trainer::Start::Zero && self.weight_of.is_none();
        let outputs = model.hypothesis.outputs();
        let (mut wrong, mut margins) = (0, Vec::new());
        let blocks: Vec<u64> = (0..self.cache.contents.blocks() as u64).collect();
        self.each(&blocks, |_, examples| {
            let scores = model.hypothesis.score_all(examples.rows, model.tie());
            let predicted = scores.chunks(outputs).map(|s| decide(s, model.tie()));
            margins.extend(signed(&scores, examples.classes, outputs));
            wrong += predicted.zip(examples.classes).filter(|(p, c)| p != *c).count() as u64;
            ControlFlow::Continue(())
        })?;
        let kept = self.measure(&model.hypothesis.hyperplane())?;
        let last = match (model.facts.stopped, learner.current()) {
            (Stop::Separated, Some(last)) => self.measure(&last)?,
            _ => kept.clone(),
        };
        Ok(Report::from_parts(model, learner, wrong, margins, &kept, &last, bounded))
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;
    use crate::fit::file::Storage;
    use crate::fit::overlap_first_pass::Begun;
    use crate::read::{Header, read};

    /// More rows than two blocks of the presentation; a rare feature and a third label, if asked for, come late.
    fn text(rows: usize, first: usize, late_label: bool) -> String {
        let mut stream = Stream::new(11, &[]);
        let mut text = String::new();
        for i in 0..rows {
            let (a, b) = (stream.below(9) as f64 / 4.0 - 1.0, stream.below(7) as f64 - 3.0);
            let label = if late_label && i == rows - 5 {
                "3"
            } else if a + b / 3.0 > 0.1 {
                "+1"
            } else {
                "-1"
            };
            write!(text, "{label} {}:{a:.2} {}:{b}", first + 1, first + 3).unwrap();
            if i % 1000 == 999 {
                write!(text, " {}:{}", first + 4 + i / 1000, 0.001 * i as f64).unwrap();
            }
            text.push('\n');
            if i == rows / 2 && first == 0 {
                text += "-1 0:0.5 3:1\n";
            }
        }
        text
    }

    fn whole(trainer: &Trainer, input: &Input) -> (Vec<u8>, Report) {
        let dataset = read(input, &ReadOptions::default()).unwrap();
        let mut fitted = trainer.fit(&dataset.table).unwrap();
        fitted.model.facts.data = Some(dataset.fingerprint);
        (fitted.model.to_bytes(), fitted.report)
    }

    #[test]
    fn a_stream_a_cache_and_an_early_beginning_leave_the_same_bytes_as_the_whole() {
        let dir = tempfile::tempdir().unwrap();
        for (case, (first, late_label)) in [(1, false), (0, false), (1, true)].into_iter().enumerate() {
            let input = Input::memory("m.svm", text(140_000, first, late_label));
            for (learner, order) in [
                ("averaged", Order::Shuffled { seed: 5 }),
                ("arow", Order::Cyclic),
                ("voted", Order::Shuffled { seed: 0 }),
            ] {
                // A voted model of many updates is large: one pass will do.
                let epochs = if learner == "voted" { 1 } else { 3 };
                let mut trainer = Trainer::new(learner).epochs(epochs).order(order);
                let place = dir.path().join(format!("{case}-{learner}"));
                let (bytes, report) = whole(&trainer, &input);
                for (chunk, threads) in [(1 << 18, 2), (1 << 14, 1)] {
                    let pace = Pace { chunk, threads };
                    let cached =
                        trainer.fit_cached_at(&input, &ReadOptions::default(), &place, pace, &mut ()).unwrap().unwrap();
                    assert_eq!(cached.model.to_bytes(), bytes, "{learner} {case} {threads}");
                    assert_eq!(cached.report, report);
                    assert_eq!(cached.failures.iter().map(|&n| u64::from(n)).sum::<u64>(), report.mistakes);
                    let begun = trainer.read_and_begin_at(&input, &ReadOptions::default(), pace, &mut ()).unwrap();
                    let Begun::Read { dataset, after_first } = begun else { panic!("nobody stopped it") };
                    // Where a label or index 0 comes late, all begins when everything was read.
                    assert_eq!(after_first.is_some(), epochs > 1 && case == 0);
                    let mut fitted = trainer.fit_watched(&dataset.table, after_first.as_ref(), &mut ()).unwrap();
                    fitted.model.facts.data = Some(dataset.fingerprint);
                    assert_eq!(fitted.model.to_bytes(), bytes, "{learner} {case} {threads}");
                    assert_eq!((&fitted.report, &fitted.failures), (&report, &cached.failures));
                }
                trainer.plan.epochs = 1;
                let (bytes, report) = whole(&trainer, &input);
                for (chunk, threads) in [(1 << 18, 2), (1 << 14, 1), (4096, 3)] {
                    let pace = Pace { chunk, threads };
                    let streamed =
                        trainer.fit_stream_at(&input, &ReadOptions::default(), pace, true, &mut ()).unwrap().unwrap();
                    assert_eq!(streamed.model.to_bytes(), bytes, "{learner} {case} {threads}");
                    assert_eq!(streamed.report.radius, report.radius);
                    assert!(streamed.report.margin.is_nan() && streamed.report.train_error.is_nan());
                }
            }
        }
    }

    /// Short decimals are kept in four bytes: the model must not show it.
    #[test]
    fn decimals_leave_the_same_bytes_as_floats() {
        let (mut dense, mut sparse) = (String::from("x,y,z,label\n"), String::new());
        let mut stream = Stream::new(4, &[]);
        for _ in 0..5_000 {
            let (x, y, z) = (stream.unit() - 0.5, stream.unit() - 0.5, stream.below(9));
            let label = usize::from(x > y) + usize::from(z > 6);
            writeln!(dense, "{x:.5},{y:.3},{z},{}", ["a", "b", "c"][label]).unwrap();
            writeln!(sparse, "{label} {}:{x:.6} {}:{z}", z + 1, z + 3 + stream.below(40)).unwrap();
        }
        for input in [Input::memory("m.svm", sparse), Input::memory("m.csv", dense)] {
            let compact = read(&input, &ReadOptions { compact: true, ..ReadOptions::default() }).unwrap();
            let name = format!("{:?}", std::mem::discriminant(&compact.table.matrix));
            let floats = read(&input, &ReadOptions::default()).unwrap();
            assert_ne!(name, format!("{:?}", std::mem::discriminant(&floats.table.matrix)), "decimals are in use");
            for learner in ["averaged", "perceptron", "pa1", "arow", "batch", "voted", "pocket"] {
                let trainer = Trainer::new(learner).epochs(if learner == "pocket" { 1 } else { 2 });
                // A pocket counts mistakes on all examples again and again: a few will do.
                let some: Vec<u32> = (0..if learner == "pocket" { 300 } else { 5_000 }).collect();
                let (a, b) = (compact.table.select(&some), floats.table.select(&some));
                let (a, b) = (trainer.fit(&a).unwrap(), trainer.fit(&b).unwrap());
                assert_eq!(a.model.to_bytes(), b.model.to_bytes(), "{learner}");
                assert_eq!(a.report, b.report);
            }
        }
    }

    #[test]
    fn a_table_of_numbers_streams_too() {
        let mut stream = Stream::new(3, &[]);
        let mut text = String::from("x,y,label\n");
        for _ in 0..70_000 {
            let (x, y) = (stream.unit() - 0.5, stream.unit() - 0.5);
            writeln!(text, "{x:.5},{y:.5},{}", if x > y { "up" } else { "down" }).unwrap();
        }
        let input = Input::memory("m.csv", text);
        let trainer = Trainer::new("averaged").epochs(1);
        let streamed = trainer.fit_stream(&input, &ReadOptions::default(), &mut ()).unwrap().unwrap();
        assert_eq!(streamed.model.to_bytes(), whole(&trainer, &input).0);
    }

    /// Around the 2048 rows of 1024 values that let blocks end at a quarter of them.
    #[test]
    fn wide_rows_are_cut_finer_and_leave_the_same_bytes() {
        let dir = tempfile::tempdir().unwrap();
        let mut random = Stream::new(2, &[]);
        let mut row = || {
            let digits: Vec<u64> = (0..1024).map(|_| 1 + random.below(9)).collect();
            let label = if digits.iter().sum::<u64>() + random.below(60) > 5150 { "+1" } else { "-1" };
            let entries: String = (1..).zip(&digits).map(|(j, v)| format!(" {j}:{v}")).collect();
            format!("{label}{entries}\n")
        };
        let rows: Vec<String> = (0..2700).map(|_| row()).collect();
        for count in [2047, 2048, 2049, 2700] {
            let input = Input::memory("m.svm", rows[..count].concat());
            let mut trainer = Trainer::new("averaged").epochs(2);
            let place = dir.path().join(count.to_string());
            let (pace, options) = (Pace { chunk: 1 << 18, threads: 2 }, ReadOptions::default());
            let cached = trainer.fit_cached_at(&input, &options, &place, pace, &mut ()).unwrap().unwrap();
            assert!(cached.model.to_bytes() == whole(&trainer, &input).0, "{count}");
            trainer.plan.epochs = 1;
            for (chunk, threads) in [(1 << 18, 2), (1 << 20, 1), (1 << 22, 2)] {
                let pace = Pace { chunk, threads };
                let streamed = trainer.fit_stream_at(&input, &options, pace, false, &mut ()).unwrap().unwrap();
                assert!(streamed.model.to_bytes() == whole(&trainer, &input).0, "{count} {chunk} {threads}");
            }
        }
    }

    /// A good cache is used; one of the same file that was read in another way is not. Label, header and columns to drop
    /// were not looked at, and a second training with another label learned the first one's.
    #[test]
    fn a_cache_is_used_again_only_by_those_who_read_the_same() {
        let dir = tempfile::tempdir().unwrap();
        let (data, place) = (dir.path().join("m.csv"), dir.path().join("cache"));
        let mut random = Stream::new(5, &[]);
        let rows: String = (0..3000).map(|i| format!("{},{},{}\n", i % 2, random.below(3), i % 3 / 2)).collect();
        std::fs::write(&data, format!("1,2,0\n{rows}")).unwrap();
        let input = Input::Path(data);
        let trainer = Trainer::new("averaged").epochs(2);
        let long_ago = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000);
        let run = |options: &ReadOptions| {
            if let Ok(file) = std::fs::File::options().write(true).open(&place) {
                file.set_modified(long_ago).unwrap();
            }
            let cached = trainer.fit_cached(&input, options, &place, &mut ()).unwrap().unwrap();
            let made = place.metadata().unwrap().modified().unwrap() != long_ago;
            let dataset = read(&input, options).unwrap();
            let mut whole = trainer.fit(&dataset.table).unwrap();
            whole.model.facts.data = Some(dataset.fingerprint);
            assert!(cached.model.to_bytes() == whole.model.to_bytes(), "{options:?}");
            made
        };
        let plain = ReadOptions { header: Header::No, ..ReadOptions::default() };
        assert!(run(&plain), "there was none");
        for same in [plain.clone(), ReadOptions { positive: Some("0".into()), ..plain.clone() }] {
            assert!(!run(&same), "{same:?}");
        }
        for other in [
            ReadOptions { label: Some("1".into()), ..plain.clone() },
            ReadOptions { drop: vec!["2".into()], ..plain.clone() },
            ReadOptions { header: Header::Yes, ..plain.clone() },
        ] {
            assert!(run(&other), "{other:?}");
            assert!(!run(&other), "{other:?}");
        }
    }

    #[test]
    fn what_cannot_be_learned_is_told_as_the_reader_of_the_whole_tells_it() {
        let trainer = Trainer::new("averaged").epochs(1);
        let good = "+1 1:1\n".repeat(70_000);
        let cases = [
            good.clone(),
            format!("{good}-1 1:2 1:3\n{good}"),
            format!("{good}-1 2:1e300\n+1 3:1\n"),
            format!("{good}-1\n+1 3:x\n"),
        ];
        for text in cases {
            let input = Input::memory("m.svm", text);
            let twin = read(&input, &ReadOptions::default()).and_then(|dataset| {
                dataset.table.check_learnable()?;
                dataset.table.check_lengths()?;
                Ok(())
            });
            let twin = twin.unwrap_err().to_string();
            for (chunk, threads) in [(1 << 18, 2), (100, 1), (1000, 3)] {
                let pace = Pace { chunk, threads };
                let told = trainer.fit_stream_at(&input, &ReadOptions::default(), pace, true, &mut ());
                assert_eq!(told.unwrap_err().to_string(), twin);
            }
        }
    }

    #[test]
    fn a_damaged_or_stale_cache_is_made_anew_and_another_file_is_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let (data, place) = (dir.path().join("m.svm"), dir.path().join("cache"));
        std::fs::write(&data, text(70_000, 1, false)).unwrap();
        let input = Input::Path(data.clone());
        let trainer = Trainer::new("averaged").epochs(2);
        let run = || trainer.fit_cached(&input, &ReadOptions::default(), &place, &mut ());
        let model = |fitted: Result<Option<Streamed>>| fitted.unwrap().unwrap().model.to_bytes();
        let bytes = whole(&trainer, &input).0;
        assert!(model(run()) == bytes);
        let cache = std::fs::read(&place).unwrap();
        for at in [12, 20, cache.len() / 2, cache.len() - 30, cache.len() - 1] {
            let mut damaged = cache.clone();
            damaged[at] ^= 0x10;
            std::fs::write(&place, &damaged).unwrap();
            assert!(model(run()) == bytes, "byte {at}");
            assert!(std::fs::read(&place).unwrap() == cache, "byte {at}");
        }
        std::fs::write(&place, &cache[..cache.len() / 2]).unwrap();
        assert_eq!(model(run()), bytes);
        // The same size and the same time, but other bytes.
        let time = data.metadata().unwrap().modified().unwrap();
        let other = text(70_000, 1, false).replacen("+1 ", "-1 ", 1);
        std::fs::write(&data, other).unwrap();
        std::fs::File::options().write(true).open(&data).unwrap().set_modified(time).unwrap();
        assert_eq!(model(run()), whole(&trainer, &input).0);
        assert_ne!(whole(&trainer, &input).0, bytes);
        std::fs::write(&place, "precious").unwrap();
        let told = run().unwrap_err().to_string();
        assert!(told.ends_with("this is no cache, and would be overwritten: name another file with --cache"), "{told}");
        assert_eq!(std::fs::read(&place).unwrap(), b"precious");
        let left: Vec<_> = std::fs::read_dir(dir.path()).unwrap().collect();
        assert_eq!(left.len(), 2, "nothing half-written is left: {left:?}");
        // A cache that is not meant to stay is removed; what is none was removed with it.
        let through = Storage::Either { memory: 0, place: place.clone() };
        let run = || trainer.fit_unkept(&input, &ReadOptions::default(), &through, &mut ());
        assert!(run().is_err());
        assert_eq!(std::fs::read(&place).unwrap(), b"precious");
        std::fs::remove_file(&place).unwrap();
        assert_eq!(model(run()), whole(&trainer, &input).0);
        assert!(!place.exists());
    }
}
