//! Reads a file to a table: the one entry point for every format.

mod almost;
mod answers;
mod apply;
mod array;
mod arrays;
mod assemble_rows;
mod bare;
mod block;
mod body;
mod bucket_names;
pub mod cache;
mod categories;
mod chunk_records;
mod columns;
mod csv;
mod dense;
mod dictionary;
mod fasttext;
#[cfg(feature = "parquet")]
mod guard;
mod hashed;
#[cfg(test)]
mod hashed_tests;
pub(super) mod idx;
mod join;
mod json;
pub(crate) mod key;
mod late;
mod libsvm;
pub(super) mod npy;
mod npy_header;
pub(crate) mod npy_writer;
mod number;
mod opened;
#[cfg(feature = "parquet")]
mod parquet;
mod parts;
mod raw;
mod records;
mod simd_csv;
mod sniff;
mod splitter;
mod stream;
mod survey;
mod table;
mod table_rows;
mod texts;
pub mod toy;
mod vw;
mod vw_example;

pub(crate) use answers::answers_of_table;
pub(crate) use array::Integers;
pub(crate) use arrays::{each_block as each_array_block, integers, refuse_rounded};
pub(crate) use block::Block;
pub use bucket_names::bucket_names;
#[cfg(feature = "parquet")]
pub use guard::panic_is_caught;
pub use join::join;
pub(crate) use number::number;
pub(crate) use opened::Opened;
pub(crate) use raw::{TableAsWritten, each_raw, refuse_stream, refuse_unwritten, table_as_written};
pub use sniff::Format;
pub use stream::{Answered, memory_needed};
pub(crate) use stream::{ModelFeatures, Passed, Prediction, answers, first_rows, stream, streamable};
pub(crate) use survey::{Survey, survey};
pub use toy::iris;
pub use vw_example::VwExample;

use std::collections::HashMap;

use crate::error::{Error, Result};
use crate::io::{Fault, Found, Input, Lines, Pace, Pool, Want, show};
use crate::message::Message;
use crate::named::named;
use crate::rows::{CharGrams, Delimiter, Dialect, Fill, HashedWords, LabelCollector, Labels, Schema, Table, list};
use columns::TrainedTable;
use hashed::HashedTable;
use late::Lates;
use records::Records;
use table_rows::TableRows;

/// Whether the first row of a csv or tsv file names the columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Header {
    /// Detected: it has no number where later rows have one, or it holds the name given for the label.
    #[default]
    Auto,
    /// It is a header.
    Yes,
    /// It is a row of data.
    No,
}

named!(Header: Auto = "auto", Yes = "yes", No = "no");

/// How to read a file. By default everything is detected.
///
/// ```
/// use rosenblatt::{Fill, Header, ReadOptions};
/// let options = ReadOptions {
///     header: Header::Yes,
///     label: Some("species".into()),
///     drop: vec!["id".into()],
///     missing: Some(Fill::Mean),
///     ..ReadOptions::default()
/// };
/// assert_eq!(options.format, None); // by name, then by content
/// # Ok::<(), rosenblatt::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadOptions {
    /// The format; `None`: by name, then by content.
    pub format: Option<Format>,
    /// Whether there is a header.
    pub header: Header,
    /// The label column, by name or number from 1; `None`: one called label, class, target or y, else the last.
    pub label: Option<String>,
    /// Columns to leave out.
    pub drop: Vec<String>,
    /// Columns that hold categories even where they look like numbers.
    pub category: Vec<String>,
    /// Columns that hold text, read as bags of words.
    pub text: Vec<String>,
    /// The most words of an n-gram: 2 adds pairs of consecutive words.
    pub ngrams: u32,
    /// How many characters the n-grams within words have; `None`: there are none.
    pub chars: Option<CharGrams>,
    /// What divides the fields of csv and tsv, and what stands for a missing value, where that is unusual.
    pub dialect: Dialect,
    /// How words are hashed while rows are read, where all columns are texts; `None`: every n-gram is a feature with a name.
    pub hashed: Option<HashedWords>,
    /// What missing values become; `None`: an error.
    pub missing: Option<Fill>,
    /// The column with the weight of each example.
    pub weight: Option<String>,
    /// Which of two classes is the positive one.
    pub positive: Option<String>,
    /// The label file, for formats without labels: idx and npy.
    pub labels: Option<Input>,
    /// Whether numbers may be kept as short decimals, in half the memory, where that is exact; for callers that only use
    /// rows.
    pub compact: bool,
}

impl Default for ReadOptions {
    fn default() -> Self {
        ReadOptions {
            format: None,
            header: Header::Auto,
            label: None,
            drop: Vec::new(),
            category: Vec::new(),
            text: Vec::new(),
            ngrams: 1,
            chars: None,
            dialect: Dialect::default(),
            hashed: None,
            missing: None,
            weight: None,
            positive: None,
            labels: None,
            compact: false,
        }
    }
}

/// Whether labels are required.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NeedLabels {
    /// Every row must have one that the model knows.
    Yes,
    /// They may be absent, and are not kept.
    No,
}

/// How a format was guessed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Guess {
    /// By the name of the file.
    ByName,
    /// By its content.
    ByContent,
}

/// A file that was read.
#[derive(Debug, Clone)]
pub struct Dataset {
    /// The examples.
    pub table: Table,
    /// The format it was in.
    pub format: Format,
    /// XXH3-64 of the decompressed bytes.
    pub fingerprint: u64,
    /// How the format was guessed, if it was.
    pub guessed: Option<Guess>,
    /// Notes for the user: what was ignored, what was assumed.
    pub notes: Vec<Message>,
    /// The name of the file in messages.
    pub name: String,
}

/// The result of the reader of one format.
#[derive(Debug, Clone)]
pub(crate) struct Parts {
    table: Table,
    notes: Vec<Message>,
    fingerprint: u64,
}

/// Reads labelled examples for training. [`Table::check_learnable`] checks whether they can be learned from.
///
/// ```
/// use rosenblatt::io::Input;
/// use rosenblatt::read::{ReadOptions, read};
/// let input = Input::memory("fruit.csv", "weight,colour,label\n120,red,apple\n9,red,cherry\n");
/// let dataset = read(&input, &ReadOptions::default())?;
/// assert_eq!(dataset.table.schema.feature_names(), ["weight", "colour=red"]);
/// # Ok::<(), rosenblatt::Error>(())
/// ```
pub fn read(input: &Input, options: &ReadOptions) -> Result<Dataset> {
    read_at(input, options, Pace::default())
}

/// The same at any pace.
pub(crate) fn read_at(input: &Input, options: &ReadOptions, pace: Pace) -> Result<Dataset> {
    let name = input.name();
    let Opened { lines, format, guessed } = Opened::new(input, options, None)?;
    let parts = match format {
        Format::Libsvm => {
            let pool = Pool::new();
            let read = libsvm::read(lines, options.positive.as_deref(), options.compact, pace, &pool, |block, _| {
                pool.put(block);
                Ok(Want::More)
            });
            read.and_then(|read| read.map(|(parts, _)| parts).ok_or_else(|| libsvm::no_examples(&name)))
        }
        Format::Csv | Format::Tsv | Format::FastText => read_text(input, lines, format, options, pace),
        Format::Jsonl => {
            let pace = pace_for(&lines, pace);
            json::read(input, lines, options, pace)
        }
        Format::Vw => vw::read(lines, options.positive.as_deref(), pace),
        Format::Idx | Format::Npy => arrays::read(input, lines, format, options),
        Format::Parquet => TableRows::parquet(lines)
            .map(|rows| without_dropped(rows, options))
            .and_then(|rows| HashedTable::new(hashed::body(rows, options)?, options))
            .and_then(|found| match found {
                Ok(table) => table.read(options, pace),
                Err(body) => csv::FirstRows::of(body, options, Lates::Refuse)?.read_all(options),
            }),
    };
    parts.map_err(|e| input.locate(e.in_file(&name))).map(|parts| parts.dataset(format, name, guessed))
}

/// The rows without the columns that are dropped, each by its name, else its number.
fn without_dropped<'a>(mut rows: TableRows<'a>, options: &ReadOptions) -> TableRows<'a> {
    let names = rows.names().unwrap_or_default();
    let drops = |at: usize, name: &str| {
        options.drop.iter().any(|drop| drop == name || (!names.contains(drop) && drop.parse() == Ok(at + 1)))
    };
    rows.keep_only(&|at, name| !drops(at, name));
    rows
}

/// Reads a LIBSVM file like [`read`], and calls `then` with each block as soon as it is parsed, and the labels collected so
/// far; returns `None` if `then` wants no more.
pub(crate) fn read_passing_on(
    input: &Input,
    options: &ReadOptions,
    pace: Pace,
    pool: &Pool<Block>,
    then: impl FnMut(Block, &LabelCollector) -> Result<Want>,
) -> Result<Option<(Dataset, LabelCollector)>> {
    let name = input.name();
    let Opened { lines, format, guessed } = Opened::new(input, options, None)?;
    let read = libsvm::read(lines, options.positive.as_deref(), options.compact, pace, pool, then);
    let read = read.map_err(|e| e.in_file(&name))?;
    Ok(read.map(|(parts, collector)| (parts.dataset(format, name, guessed), collector)))
}

/// The twin of the fast path for numbers: the column reader.
#[cfg(test)]
pub(crate) fn csv_twin(input: &Input, options: &ReadOptions) -> Result<Parts> {
    late::read(|| open_table(input, options), options, Pace { threads: 1, ..Pace::default() })
}

/// Opens a delimited file from its start.
fn open_table<'a>(input: &'a Input, options: &ReadOptions) -> Result<TableRows<'a>> {
    let Opened { lines, format, .. } = Opened::new(input, options, None)?;
    records(lines, format, options.dialect.delimiter, None)
}

/// Reads a delimited file on all threads: a faster way if its features are all numbers, another for all others.
fn read_text(input: &Input, lines: Lines<'_>, format: Format, options: &ReadOptions, given: Pace) -> Result<Parts> {
    let pace = pace_for(&lines, given);
    let rows = records(lines, format, options.dialect.delimiter, None)?;
    let body = match HashedTable::new(hashed::body(rows, options)?, options)? {
        Ok(table) => return table.read(options, pace),
        Err(body) => body,
    };
    // The fast path may fail midway, and then the file is read again from its start.
    if !input.opens_again() {
        return csv::FirstRows::of(body, options, Lates::Refuse)?.read_all(options);
    }
    let fast = match dense::Numbers::new(csv::FirstRows::of(body, options, Lates::Collect)?, options) {
        Err(first) => parts::read(first, options, pace)?,
        Ok(numbers) => numbers.read(options, given)?,
    };
    match fast {
        Some(parts) => Ok(parts),
        None => late::read(|| open_table(input, options), options, pace),
    }
}

/// The pace, with one thread for a text that is read already and is no more than a chunk.
fn pace_for(lines: &Lines<'_>, pace: Pace) -> Pace {
    let short = lines.head_is_all() && lines.head().len() <= pace.chunk;
    if short { Pace { threads: 1, ..pace } } else { pace }
}

/// Reads examples for a model, by its schema.
pub fn read_for(
    input: &Input,
    options: &ReadOptions,
    schema: &Schema,
    labels: &Labels,
    need: NeedLabels,
) -> Result<Dataset> {
    let opened = match need {
        NeedLabels::Yes => Opened::new(input, options, Some(expected_format(schema)))?,
        NeedLabels::No => Opened::without_labels(input, options, schema, labels)?,
    };
    read_opened_for(opened, input, options, schema, labels, need)
}

/// The text format that rows of a schema come in, where the content does not tell.
pub(crate) fn expected_format(schema: &Schema) -> Format {
    match schema {
        Schema::Indexed { .. } => Format::Libsvm,
        Schema::Named { .. } => Format::Vw,
        Schema::Columns { .. } => Format::Csv,
    }
}

/// Reads examples for a model from an input that is open.
pub(crate) fn read_opened_for(
    opened: Opened<'_>,
    input: &Input,
    options: &ReadOptions,
    schema: &Schema,
    labels: &Labels,
    need: NeedLabels,
) -> Result<Dataset> {
    let name = input.name();
    let Opened { lines, format, guessed } = opened;
    let parts = match (schema, format) {
        (Schema::Indexed { first, features }, Format::Libsvm) => {
            libsvm::read_for(lines, (*first, *features), labels, need, Pace::default())
        }
        (Schema::Indexed { .. }, Format::Idx | Format::Npy) => {
            arrays::read_for(input, lines, format, options, schema, labels, need)
        }
        (Schema::Named { names }, Format::Vw) => vw::read_for(lines, names, labels, need, Pace::default()),
        (_, Format::Csv | Format::Tsv | Format::Jsonl | Format::FastText | Format::Parquet) => {
            let Some(trained) = TrainedTable::of(schema) else { return Err(not_of_the_model(&name, format, schema)) };
            let rows = match format {
                Format::Jsonl => Ok(json::rows_for(lines, trained, options)),
                _ => records(lines, format, options.dialect.delimiter, trained.dialect.delimiter),
            };
            rows.and_then(|rows| apply::read(rows, options, (schema, trained), labels, need))
        }
        (_, _) => return Err(not_of_the_model(&name, format, schema)),
    };
    parts.map_err(|e| e.in_file(&name)).map(|parts| parts.dataset(format, name, guessed))
}

/// The error that a file is not of the kind that a model was trained on.
fn not_of_the_model(name: &str, format: Format, schema: &Schema) -> Error {
    let trained = match schema {
        Schema::Indexed { .. } => "libsvm, idx or npy",
        Schema::Named { .. } => "vw",
        Schema::Columns { .. } => "csv, tsv, jsonl, fasttext or parquet",
    };
    Error::model(name, format!("the file is {format}, but the model was trained on {trained} data"))
}

/// The rows of a table in csv, tsv, Parquet or fastText's lines; with the delimiter given, or perhaps the usual one.
fn records(
    lines: Lines<'_>,
    format: Format,
    given: Option<Delimiter>,
    usual: Option<Delimiter>,
) -> Result<TableRows<'_>> {
    match format {
        Format::Parquet => return TableRows::parquet(lines),
        Format::FastText => return Ok(TableRows::FastText(Box::new(fasttext::Records::new(lines)))),
        _ => {}
    }
    let delimiter = sniff::delimiter(format, lines.head(), lines.head_is_all(), (given, usual));
    Ok(TableRows::Text(Box::new(Records::new(lines, delimiter))))
}

impl Parts {
    fn dataset(self, format: Format, name: String, guessed: Option<Guess>) -> Dataset {
        let Parts { table, notes, fingerprint } = self;
        Dataset { table, format, guessed, fingerprint, notes, name }
    }
}

/// The labels of a model, with a cache keyed by the bytes of a file.
struct KnownLabels<'a> {
    labels: &'a Labels,
    cache: HashMap<Box<[u8]>, u32>,
}

impl<'a> KnownLabels<'a> {
    fn new(labels: &'a Labels) -> Self {
        KnownLabels { labels, cache: HashMap::new() }
    }

    /// The class of a label, or the message that the model does not know it.
    fn class(&mut self, text: &[u8]) -> std::result::Result<u32, String> {
        if let Some(&class) = self.cache.get(text) {
            return Ok(class);
        }
        match std::str::from_utf8(text).ok().and_then(|t| self.labels.find(t)) {
            Some(class) => {
                self.cache.insert(text.into(), class);
                Ok(class)
            }
            None => {
                Err(format!("the model does not know the label {}: it knows {}", show(text), list(self.labels.names())))
            }
        }
    }

    /// The class of each row of a block after `before` lines; an unknown label is a fault at its first position.
    fn classes(&mut self, block: &Block, before: u64, classes: &mut Vec<u32>) -> Found<()> {
        let mut known = Vec::with_capacity(block.names.all().len());
        for name in block.names.all() {
            let class =
                self.class(&name.text).map_err(|message| Fault::at(name.line + before, name.column, message))?;
            known.push(class);
        }
        classes.extend(block.labels.iter().map(|&local| known[local as usize]));
        Ok(())
    }
}
