//! Streams a training file, block by block and in order, without keeping it in memory.

use std::io::Read as _;

use super::block::{Block, LineFacts};
use super::dense::Numbers;
use super::dictionary::Ranked;
use super::hashed::{self, HashedEnd, HashedTable};
use super::sniff::Format;
use super::{Guess, NeedLabels, Opened, ReadOptions};
use crate::error::{Error, Result};
use crate::io::{Broken, Chunk, Input, Lines, Pace, Pool, Want, in_order};
use crate::learn::Scratch;
use crate::map::Entries;
use crate::message::Message;
use crate::read::{libsvm, records, sniff, vw};
use crate::rows::{Schema, Table};

/// The outcome of streaming a file, to its end or until the callback stopped it.
#[derive(Debug)]
pub(crate) struct Passed {
    /// The format it was in.
    pub(crate) format: Format,
    /// How the format was guessed, if it was.
    pub(crate) guessed: Option<Guess>,
    /// XXH3-64 of the decompressed bytes read.
    pub(crate) fingerprint: u64,
    /// What the lines hold besides rows.
    pub(crate) facts: LineFacts,
    /// The columns or the names, where the file has some.
    columns: Option<Schema>,
    /// The feature of each number that blocks hold, where names are numbered in order of appearance.
    pub(crate) places: Option<Vec<u32>>,
    /// What else a user may want to know.
    notes: Vec<Message>,
}

impl Passed {
    /// Notes for the user.
    pub(crate) fn notes(&self) -> Vec<Message> {
        let facts = if self.format == Format::Vw { vw::notes(&self.facts) } else { libsvm::notes(&self.facts) };
        facts.into_iter().chain(self.notes.iter().cloned()).collect()
    }
}

/// The file that predictions were made for.
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

/// The rows of one chunk, and the text of their predictions.
#[derive(Debug, Default)]
pub(crate) struct Prediction {
    pub(crate) block: Block,
    pub(crate) text: String,
    pub(crate) scratch: Scratch,
    /// The current row, mapped, and a spare one.
    pub(crate) mapped: (Entries, Entries),
    /// The current row with its zeros.
    pub(crate) dense: Vec<f64>,
}

/// The format of a file that can be streamed, as far as its first rows show, and how it was guessed; `None` if it cannot.
pub(crate) fn streamable(input: &Input, options: &ReadOptions) -> Result<Option<(Format, Option<Guess>)>> {
    let Opened { lines, format, guessed } = Opened::new(input, options, None)?;
    let streams = match options.hashed {
        Some(_) => hashed_table(input, lines, format, options)?.is_some(),
        None => matches!(format, Format::Libsvm | Format::Vw) || numbers(input, lines, format, options)?.is_some(),
    };
    Ok(streams.then_some((format, guessed)))
}

/// A table of texts whose words are hashed while it is read; `None` if it is anything else. The fields of objects are known
/// only at the end of their file, so such a file is read whole.
fn hashed_table<'a>(
    input: &Input,
    lines: Lines<'a>,
    format: Format,
    options: &ReadOptions,
) -> Result<Option<HashedTable<'a>>> {
    if !input.opens_again() || !matches!(format, Format::Csv | Format::Tsv | Format::FastText) {
        return Ok(None);
    }
    let rows = records(lines, format, options.dialect.delimiter, None);
    let body = rows.and_then(|rows| hashed::body(rows, options));
    let table = body.and_then(|body| HashedTable::new(body, options)).map_err(|e| e.in_file(&input.name()))?;
    Ok(table.ok())
}

/// The first `rows` rows of a text, or a few more. `None` if they cannot be read by themselves: reading the whole file says
/// why.
pub(crate) fn first_rows(input: &Input, options: &ReadOptions, format: Format, rows: usize) -> Result<Option<Table>> {
    /// Lines that may be blank, comments, or the names of columns.
    const SPARE: usize = 64;
    const AT_ONCE: u64 = 1 << 18;
    const MOST: usize = 1 << 26;
    let (mut text, mut source) = (Vec::new(), input.open()?);
    let (mut lines, mut seen, mut end) = (0, 0, None);
    while end.is_none() && text.len() < MOST {
        if source.by_ref().take(AT_ONCE).read_to_end(&mut text).map_err(|e| Error::io(input.name(), e))? == 0 {
            end = Some(text.len());
        }
        for at in memchr::memchr_iter(b'\n', &text[seen..]) {
            lines += 1;
            if lines == rows + SPARE {
                end = Some(seen + at + 1);
                break;
            }
        }
        seen = text.len();
    }
    let Some(end) = end else { return Ok(None) };
    text.truncate(end);
    let options = ReadOptions { format: Some(format), compact: true, ..options.clone() };
    Ok(super::read(&Input::memory(input.name(), text), &options).ok().map(|dataset| dataset.table))
}

/// A table of numbers whose first rows were read; `None` if it is anything else, or cannot be opened again for the column
/// reader.
fn numbers<'a>(input: &Input, lines: Lines<'a>, format: Format, options: &ReadOptions) -> Result<Option<Numbers<'a>>> {
    if !input.opens_again() {
        return Ok(None);
    }
    Numbers::open(lines, format, options).map_err(|e| e.in_file(&input.name()))
}

/// An estimate of the memory for the rows of a file, in bytes, from its size and its first lines.
pub fn memory_needed(input: &Input, options: &ReadOptions) -> Result<u64> {
    /// The expansion of a compressed text of numbers.
    const UNPACKED: u64 = 5;
    let Some(size) = input.size()? else { return Ok(0) };
    let Opened { lines, format, .. } = Opened::new(input, options, None)?;
    let size = if lines.is_compressed() { size.saturating_mul(UNPACKED) } else { size };
    let head = lines.head();
    // Bytes of a sparse entry (index and value) or a field (value), and of a row (end and label).
    let (mark, each, row) = match format {
        Format::Libsvm => (b':', 12, 12),
        // An n-gram, of about six letters, may be a feature by itself.
        _ if options.hashed.is_some() => return Ok(size.saturating_mul(2 * u64::from(options.ngrams))),
        Format::Csv | Format::Tsv => {
            let given = (options.dialect.delimiter, None);
            (sniff::delimiter(format, head, lines.head_is_all(), given), 8, 12)
        }
        _ => return Ok(size),
    };
    let count = |mark| memchr::memchr_iter(mark, head).count() as u64;
    let bytes = each * count(mark) + row * count(b'\n');
    Ok((size as f64 * bytes.max(1) as f64 / head.len().max(1) as f64) as u64)
}

/// Calls `take` with the rows of a file in order. `first` is the assumed first index; a block with `facts.zero` where it
/// is 1 disproves it. `None`: a table holds more than numbers, and must be read whole.
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
    if format == Format::Vw {
        let read = vw::each_block(lines, pace, pool, Block::measure, take).map_err(|e| e.in_file(&name))?;
        let (vw::Names { schema, places }, facts, fingerprint) = read;
        let (columns, places) = (Some(schema), Some(places));
        return Ok(Some(Passed { format, guessed, fingerprint, facts, columns, places, notes: Vec::new() }));
    }
    if options.hashed.is_some() {
        let Some(table) = hashed_table(input, lines, format, options)? else { return Ok(None) };
        let end = table.each_block(options.positive.as_deref(), pace, pool, take).map_err(|e| e.in_file(&name))?;
        let HashedEnd { schema, fingerprint, notes } = end;
        let (facts, columns, places) = (LineFacts::default(), Some(schema), None);
        return Ok(Some(Passed { format, guessed, fingerprint, facts, columns, places, notes }));
    }
    if format != Format::Libsvm {
        let Some(numbers) = numbers(input, lines, format, options)? else { return Ok(None) };
        let Ok((schema, fingerprint)) = numbers.each_block(pace, pool, take)? else { return Ok(None) };
        let (facts, columns, places) = (LineFacts::default(), Some(schema), None);
        return Ok(Some(Passed { format, guessed, fingerprint, facts, columns, places, notes: Vec::new() }));
    }
    let mut rows = 0;
    let (facts, fingerprint) =
        libsvm::each_block(lines, &libsvm::TRAINING, first, pace, Block::measure, pool, |block, _| {
            rows += block.len();
            take(block)
        })
        .map_err(|e| e.in_file(&name))?;
    if rows == 0 {
        return Err(libsvm::no_examples(&name));
    }
    Ok(Some(Passed { format, guessed, fingerprint, facts, columns: None, places: None, notes: Vec::new() }))
}

impl Passed {
    /// The schema, given the first index.
    pub(crate) fn schema(&self, first: u32) -> Result<Schema> {
        if let Some(columns) = &self.columns {
            return Ok(columns.clone());
        }
        let features = (self.facts.end.max(first) - first) as usize;
        if features == 0 { Err(libsvm::no_features()) } else { Ok(Schema::Indexed { first, features }) }
    }
}

/// The features of a model, for readers on all threads.
#[derive(Debug)]
pub(crate) enum ModelFeatures {
    /// The first index, and how many.
    Indexed(u32, usize),
    /// Their names.
    Named(Ranked),
}

impl ModelFeatures {
    /// The features of a schema; `None` if its rows are not read on all threads.
    pub(crate) fn of(schema: &Schema) -> Result<Option<Self>> {
        Ok(match schema {
            Schema::Indexed { first, features } => Some(ModelFeatures::Indexed(*first, *features)),
            Schema::Named { names } => Some(ModelFeatures::Named(Ranked::of_model(names)?)),
            Schema::Columns { .. } => None,
        })
    }

    /// Parses a chunk of its format.
    fn parse(&self, chunk: &Chunk, need: NeedLabels, block: &mut Block) {
        match self {
            ModelFeatures::Indexed(first, features) => {
                libsvm::parse_chunk(chunk, &libsvm::rules_for(*first, *features, need), *first, block);
            }
            ModelFeatures::Named(names) => vw::parse_chunk(chunk, &vw::Lookup::Model(names), need, block),
        }
    }

    fn no_examples(&self, name: &str) -> Error {
        match self {
            ModelFeatures::Indexed(..) => libsvm::no_examples(name),
            ModelFeatures::Named(_) => vw::no_examples().in_file(name),
        }
    }

    fn notes(&self, facts: &LineFacts) -> Vec<Message> {
        match self {
            ModelFeatures::Indexed(..) => libsvm::notes(facts),
            ModelFeatures::Named(_) => vw::notes(facts),
        }
    }
}

/// Predicts every row of an open text for a model, in order.
pub(crate) fn answers(
    opened: Opened<'_>,
    model: &ModelFeatures,
    need: NeedLabels,
    pace: Pace,
    pool: &Pool<Prediction>,
    answer: impl Fn(&mut Prediction) + Sync,
    mut write: impl FnMut(&str) -> Result<()>,
) -> Result<Answered> {
    let Opened { lines, format, guessed } = opened;
    let name = lines.name().to_string();
    let parse = |chunk: &_, prediction: &mut Prediction| {
        model.parse(chunk, need, &mut prediction.block);
        answer(prediction);
    };
    let (mut before, mut rows, mut facts) = (0, 0, LineFacts::default());
    in_order(lines, pace, pool, parse, |result| {
        let mut prediction = match result {
            Ok(prediction) => prediction,
            Err(Broken::Source(error)) => return Err(error),
            Err(Broken::Text(fault)) => return Err(fault.after(before).of(&name)),
        };
        if let Some(error) = prediction.block.refused.take() {
            return Err(error);
        }
        write(&prediction.text)?;
        if let Some(fault) = prediction.block.fault.take() {
            return Err(fault.after(before).of(&name));
        }
        facts.join(&prediction.block.facts, before);
        (before, rows) = (before + prediction.block.lines, rows + prediction.block.len());
        pool.put(prediction);
        Ok(Want::More)
    })?;
    if rows == 0 {
        return Err(model.no_examples(&name));
    }
    Ok(Answered { name, format, guessed, notes: model.notes(&facts) })
}
