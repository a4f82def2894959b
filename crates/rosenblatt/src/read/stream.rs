//! A file to train on, block by block and in order, without ever being whole in memory.

use super::block::{Block, Seen};
use super::dense::Numbers;
use super::sniff::Format;
use super::{Guess, NeedLabels, Opened, ReadOptions};
use crate::error::{Error, Result};
use crate::io::{Broken, Input, Pace, Pool, Want, in_order};
use crate::learn::Scratch;
use crate::message::Message;
use crate::read::{indexed, libsvm_block, sniff};
use crate::rows::Schema;

/// What reading a file to its end, or to where nobody wanted more, came to.
#[derive(Debug)]
pub(crate) struct Passed {
    /// The format it was in.
    pub(crate) format: Format,
    /// How the format was guessed, if it was.
    pub(crate) guessed: Option<Guess>,
    /// XXH3-64 of the decompressed bytes read.
    pub(crate) fingerprint: u64,
    /// What the lines held besides their rows.
    pub(crate) seen: Seen,
    /// The columns, where the file has some.
    columns: Option<Schema>,
}

impl Passed {
    /// What a user may want to know.
    pub(crate) fn notes(&self) -> Vec<Message> {
        indexed::notes(&self.seen)
    }
}

/// The file that was answered.
#[derive(Debug)]
pub struct Answered {
    /// What messages call it.
    pub name: String,
    /// The format it was in.
    pub format: Format,
    /// How the format was guessed, if it was.
    pub guessed: Option<Guess>,
    /// What a user may want to know of it.
    pub notes: Vec<Message>,
}

/// The rows of one chunk, and the text that answers them.
#[derive(Debug, Default)]
pub(crate) struct Prediction {
    pub(crate) block: Block,
    pub(crate) text: String,
    pub(crate) scratch: Scratch,
}

/// The format of a file, and how it was guessed.
pub(crate) fn format_of(input: &Input, options: &ReadOptions) -> Result<(Format, Option<Guess>)> {
    Opened::new(input, options, None).map(|opened| (opened.format, opened.guessed))
}

/// Whether a file like this can be read as a stream, as far as its head tells.
pub(crate) fn can_stream(input: &Input, options: &ReadOptions) -> Result<bool> {
    Ok(format_of(input, options)?.0 == Format::Libsvm || Numbers::open(input, options)?.is_some())
}

/// About how many bytes of memory the rows of a file will take, judged by its size and its first lines.
pub fn memory_needed(input: &Input, options: &ReadOptions) -> Result<u64> {
    /// What a compressed text of numbers grows to, if it grows well.
    const UNPACKED: u64 = 5;
    let size = match input {
        _ if !input.opens_again() => return Ok(0),
        Input::Path(path) => path.metadata().map_err(|e| Error::io(path, e))?.len(),
        Input::Memory { bytes, .. } => bytes.len() as u64,
        Input::Stdin => return Ok(0),
    };
    let Opened { lines, format, .. } = Opened::new(input, options, None)?;
    let size = if lines.is_compressed() { size.saturating_mul(UNPACKED) } else { size };
    let head = lines.head();
    // A sparse entry takes an index and a value, a field of a table a value, a row where it ends and its label.
    let (mark, each, row) = match format {
        Format::Libsvm => (b':', 12, 12),
        Format::Csv | Format::Tsv => (sniff::delimiter(format, head, lines.head_is_all()), 8, 12),
        _ => return Ok(size),
    };
    let count = |mark| memchr::memchr_iter(mark, head).count() as u64;
    let bytes = each * count(mark) + row * count(b'\n');
    Ok((size as f64 * bytes.max(1) as f64 / head.len().max(1) as f64) as u64)
}

/// Hands over the rows of a file in order. `first` is the index that the file is believed to count from: a block that
/// has `seen.zero` where it is 1 proves otherwise. `None`: somewhere in a table is more than numbers, and whoever wants
/// to learn from it must read it whole.
pub(crate) fn stream(
    input: &Input,
    options: &ReadOptions,
    first: u32,
    pace: Pace,
    pool: &Pool<Block>,
    mut take: impl FnMut(Block) -> Result<Want>,
) -> Result<Option<Passed>> {
    let name = input.name();
    let Opened { lines, format, guessed } = Opened::new(input, options, None)?;
    if format != Format::Libsvm {
        let Some(numbers) = Numbers::open(input, options)? else { return Ok(None) };
        let Ok((schema, fingerprint)) = numbers.each_block(pace, pool, take)? else { return Ok(None) };
        return Ok(Some(Passed { format, guessed, fingerprint, seen: Seen::default(), columns: Some(schema) }));
    }
    let mut rows = 0;
    let (seen, fingerprint) =
        indexed::each_block(lines, &indexed::TRAINING, first, pace, Block::measure, pool, |block, _| {
            rows += block.len();
            take(block)
        })
        .map_err(|e| e.in_file(&name))?;
    if rows == 0 {
        return Err(indexed::no_examples(&name));
    }
    Ok(Some(Passed { format, guessed, fingerprint, seen, columns: None }))
}

impl Passed {
    /// How the indices became features.
    pub(crate) fn schema(&self, first: u32) -> Result<Schema> {
        if let Some(columns) = &self.columns {
            return Ok(columns.clone());
        }
        let features = (self.seen.end.max(first) - first) as usize;
        if features == 0 { Err(indexed::no_features()) } else { Ok(Schema::Indexed { first, features }) }
    }
}

/// Answers every row that a model of numbered features can read, in order; `None` if the file is no LIBSVM text.
#[expect(clippy::too_many_arguments, reason = "what to read, how, and what to do with it")]
pub(crate) fn indexed_answers(
    input: &Input,
    options: &ReadOptions,
    (first, features): (u32, usize),
    need: NeedLabels,
    pace: Pace,
    pool: &Pool<Prediction>,
    answer: impl Fn(&mut Prediction) + Sync,
    mut write: impl FnMut(&str) -> Result<()>,
) -> Result<Option<Answered>> {
    let name = input.name();
    let Opened { lines, format, guessed } = Opened::new(input, options, Some(Format::Libsvm))?;
    if format != Format::Libsvm {
        return Ok(None);
    }
    let rules = indexed::rules_for(first, features, need);
    let parse = |chunk: &_, said: &mut Prediction| {
        libsvm_block::parse(chunk, &rules, first, &mut said.block);
        answer(said);
    };
    let (mut before, mut rows, mut seen) = (0, 0, Seen::default());
    in_order(lines, pace, pool, parse, |result| {
        let mut said = match result {
            Ok(said) => said,
            Err(Broken::Source(error)) => return Err(error),
            Err(Broken::Text(fault)) => return Err(fault.after(before).of(&name)),
        };
        write(&said.text)?;
        if let Some(fault) = said.block.fault.take() {
            return Err(fault.after(before).of(&name));
        }
        seen.join(&said.block.seen, before);
        (before, rows) = (before + said.block.lines, rows + said.block.len());
        pool.put(said);
        Ok(Want::More)
    })?;
    if rows == 0 {
        return Err(indexed::no_examples(&name));
    }
    Ok(Some(Answered { name, format, guessed, notes: indexed::notes(&seen) }))
}
