//! Reads tables of texts whose words are hashed while rows are parsed, on all threads: no n-gram is kept, nor its name.
//!
//! The first rows, which show whether there is a header, are read one by one; the others by chunks, each to a block of sparse
//! rows, as [`answers`](super::answers) reads them for a model. Training and models hash a row by the same columns.

use super::block::Block;
use super::body::{Body, names_given, places_given};
use super::chunk_records::{Carried, ChunkRecords, Next};
use super::columns::{Columns, FeatureColumn, Kind, Refused, Value, label_of, not_utf8};
use super::csv::no_label;
use super::json::{RowBuffer, members};
use super::number::number;
use super::records::Record;
use super::table_rows::TableRows;
use super::texts::Texts;
use super::{Parts, ReadOptions};
use crate::error::{Error, Result};
use crate::io::{Broken, Chunk, Found, Pace, Pool, Want, in_order};
use crate::limits;
use crate::map::{RowHasher, Units};
use crate::message::Message;
use crate::rows::{Column, ColumnKind, HashedWords, LabelCollector, Matrix, Schema, SparseMatrix, Table, the_rows};

/// How many rows make a block where rows are read one by one.
const AT_ONCE: usize = 4096;

/// The columns of a table of texts, and how their words are hashed.
#[derive(Debug)]
pub(super) struct HashedColumns {
    how: HashedWords,
    columns: Columns<(), Units>,
    /// What stands before the words of each column.
    prefixes: Vec<String>,
}

impl HashedColumns {
    /// `None`: not all columns are texts.
    pub(super) fn of<C, T>(columns: &Columns<C, T>, how: HashedWords, units: impl Fn(&T) -> Units) -> Option<Self> {
        let Columns { width, header, label, weight, ref na, ref features } = *columns;
        if !features.iter().all(|column| matches!(column.kind, Kind::Text(_) | Kind::Set(_))) {
            return None;
        }
        let alone = features.len() == 1;
        let prefix = |name: &str| if alone { String::new() } else { format!("{name}:") };
        let prefixes = features.iter().map(|column| prefix(&column.name)).collect();
        let features = features.iter().map(|column| FeatureColumn {
            name: column.name.clone(),
            at: column.at,
            kind: column.kind.map(|_| (), &units),
            missing: None,
            first: 0,
        });
        let columns = Columns { width, header, label, weight, na: na.clone(), features: features.collect() };
        Some(HashedColumns { how, columns, prefixes })
    }

    /// A hasher of rows.
    pub(super) fn hasher(&self) -> RowHasher {
        RowHasher::new(self.how)
    }

    /// Clears a block for rows of these columns.
    pub(super) fn begin(&self, block: &mut Block) {
        block.clear(0);
        // Features count from 1 in the facts of a file.
        block.facts.end = self.how.buckets() as u32 + 1;
    }

    /// Appends a row to a block.
    pub(super) fn push(&self, record: Record<'_>, hasher: &mut RowHasher, block: &mut Block) -> Found<()> {
        if let Err(error) = self.hash(record, hasher)? {
            block.refused = Some(error);
            return Ok(());
        }
        if !block.make_room(hasher.len()) {
            return Ok(());
        }
        let start = block.stored;
        block.stored += hasher.finish(&mut block.indices[start..], &mut block.values[start..]);
        block.ends.push(block.stored as u32);
        Ok(())
    }

    /// Gives the texts of a row to the hasher, unless there is no room for them.
    fn hash(&self, record: Record<'_>, hasher: &mut RowHasher) -> Found<Result<()>> {
        hasher.begin();
        for (column, prefix) in self.columns.features.iter().zip(&self.prefixes) {
            let (text, gaps) = (record.text(column.at), column.gaps(&[]));
            let hashed = match column.kind.as_ref().read(text, gaps, number) {
                Ok(Value::Text(&units, text)) => hasher.text(units, prefix, text),
                Ok(Value::Set(_, set)) => hasher.set(prefix, members(set).into_iter().flatten()),
                Err(Refused::Encoding) => return Err(record.fault(column.at, not_utf8(text))),
                // Neither numbers nor categories are among these columns.
                Ok(Value::Number(_) | Value::NoNumber | Value::Category(..) | Value::NoCategory) | Err(_) => Ok(()),
            };
            if hashed.is_err() {
                return Ok(hashed);
            }
        }
        Ok(Ok(()))
    }
}

/// A training table of texts whose columns are known.
pub(super) struct HashedTable<'a> {
    body: Body<'a>,
    columns: HashedColumns,
    label: usize,
    schema: Schema,
}

/// The rows of a chunk.
#[derive(Default)]
struct HashedChunk {
    block: Block,
    hasher: Option<RowHasher>,
    row: RowBuffer,
    /// The text, where records may go on over lines.
    text: Vec<u8>,
    /// Where the first record begins that the text does not complete.
    open: Option<usize>,
}

/// What is known of a table at its end.
pub(super) struct HashedEnd {
    pub(super) schema: Schema,
    pub(super) fingerprint: u64,
    pub(super) notes: Vec<Message>,
}

/// The first rows of a table: whether it has a header, and the names of its columns.
pub(super) fn body<'a>(rows: TableRows<'a>, options: &ReadOptions) -> Result<Body<'a>> {
    let body = Body::new(rows, options.header, &places_given(&options.text), |first| {
        names_given(options.label.iter().chain(&options.text), first)
    })?;
    if body.is_header_alone() { Err(body.no_examples()) } else { Ok(body) }
}

impl<'a> HashedTable<'a> {
    /// A table whose words the options hash while it is read; else the body.
    pub(super) fn new(body: Body<'a>, options: &ReadOptions) -> Result<std::result::Result<Self, Body<'a>>> {
        let Some(how) =
            options.hashed.filter(|how| options.weight.is_none() && (1..=HashedWords::MAX_BITS).contains(&how.bits))
        else {
            return Ok(Err(body));
        };
        let (found, label, _) = Columns::to_train(&body, options)?;
        let Some(columns) = HashedColumns::of(&found, how, Texts::units) else { return Ok(Err(body)) };
        limits::room_for::<f64>(how.buckets() as u128, || format!("{} buckets of features", how.buckets()).into())?;
        let column = |column: &FeatureColumn<(), Units>| {
            let Units { ngrams, chars } = match column.kind {
                Kind::Text(units) | Kind::Set(units) => units,
                Kind::Number | Kind::Category(()) => Units::WORDS,
            };
            let kind = ColumnKind::Text { ngrams, chars, words: Vec::new() };
            Column { name: column.name.clone(), at: column.at, kind, missing: None }
        };
        let schema = Schema::Columns {
            columns: columns.columns.features.iter().map(column).collect(),
            label: found.header.then(|| body.names[label].clone()),
            label_at: label,
            width: found.width,
            header: found.header,
            dialect: options.dialect.clone(),
            hashed: Some(how),
        };
        Ok(Ok(HashedTable { body, columns, label, schema }))
    }

    /// Calls `take` with the rows in order, some at a time.
    pub(super) fn each_block(
        self,
        positive: Option<&str>,
        pace: Pace,
        pool: &Pool<Block>,
        mut take: impl FnMut(Block) -> Result<Want>,
    ) -> Result<HashedEnd> {
        let HashedTable { mut body, columns, label, schema } = self;
        let (file, label_name, empty) = (body.file.clone(), body.names[label].clone(), body.no_examples());
        let parser = RowParser { columns, label, label_name: label_name.clone() };
        let (mut rows, mut labels) = (0, LabelCollector::default());
        let mut count = |block: &Block| {
            rows += block.len();
            block.names.all().iter().for_each(|name| {
                labels.collect(&String::from_utf8_lossy(&name.text));
            });
        };
        let mut hasher = parser.columns.hasher();
        let mut next = |body: &mut Body<'_>, whole: bool| -> Result<(Block, bool)> {
            let mut block = pool.get();
            parser.columns.begin(&mut block);
            while block.len() < AT_ONCE && (whole || !body.is_past_head()) {
                let Some(record) = body.next()? else { return Ok((block.checked().map_err(of_source)?, true)) };
                record.room().map_err(|error| error.in_file(&file))?;
                parser.push(record, &mut hasher, &mut block).map_err(|fault| fault.of(&file))?;
                if block.refused.is_some() {
                    break;
                }
            }
            let mut block = block.checked().map_err(of_source)?;
            block.measure();
            Ok((block, !whole && body.is_past_head()))
        };
        let whole = body.is_parquet();
        loop {
            let (mut block, ended) = next(&mut body, whole)?;
            block.measure();
            count(&block);
            if block.len() == 0 {
                pool.put(block);
            } else if take(block)? == Want::Nothing {
                break;
            }
            if ended {
                break;
            }
        }
        let fingerprint = if whole {
            body.fingerprint()
        } else {
            each_chunk(body, &parser, (file.as_str(), pace, pool), &mut |block: Block| {
                count(&block);
                take(block)
            })?
        };
        if rows == 0 {
            return Err(empty);
        }
        let mut notes = Vec::new();
        if labels.len() * 2 > rows
            && rows > 20
            && let Ok((labels, _)) = labels.finish(positive)
        {
            notes.push(no_label(&label_name, &labels, rows, None));
        }
        Ok(HashedEnd { schema, fingerprint, notes })
    }

    /// Reads all rows.
    pub(super) fn read(self, options: &ReadOptions, pace: Pace) -> Result<Parts> {
        let mut matrix = SparseMatrix { features: self.schema.features(), ..SparseMatrix::default() };
        let (pool, mut collector, mut ids) = (Pool::new(), LabelCollector::default(), Vec::new());
        let end = self.each_block(options.positive.as_deref(), pace, &pool, |mut block| {
            limits::reserve(&mut matrix.offsets, block.len(), &the_rows)?;
            limits::reserve(&mut matrix.indices, block.stored, &the_rows)?;
            limits::reserve(&mut matrix.values, block.stored, &the_rows)?;
            limits::reserve(&mut ids, block.len(), &the_rows)?;
            let before = matrix.indices.len();
            matrix.offsets.extend(block.ends.iter().map(|&end| before + end as usize));
            matrix.indices.extend_from_slice(&block.indices[..block.stored]);
            matrix.values.extend_from_slice(&block.values[..block.stored]);
            block.collect_labels(&mut collector);
            ids.extend_from_slice(&block.labels);
            pool.put(block);
            Ok(Want::More)
        })?;
        let HashedEnd { schema, fingerprint, notes } = end;
        let (labels, order) = collector.finish(options.positive.as_deref())?;
        let classes = ids.iter().map(|&id: &u32| order[id as usize]).collect();
        let table = Table { matrix: Matrix::Sparse(matrix), classes, labels, weights: None, schema };
        Ok(Parts { table, notes, fingerprint })
    }
}

/// The error of a block that could not be made.
fn of_source(broken: Broken) -> Error {
    match broken {
        Broken::Source(error) => error,
        Broken::Text(fault) => fault.of(""),
    }
}

/// Parses rows with their labels.
struct RowParser {
    columns: HashedColumns,
    label: usize,
    label_name: String,
}

impl RowParser {
    fn push(&self, record: Record<'_>, hasher: &mut RowHasher, block: &mut Block) -> Found<()> {
        let stored = block.stored;
        self.columns.push(record, hasher, block)?;
        let (text, field) = (record.text(self.label), record.place(self.label));
        let id = match block.names.find(text) {
            Some(id) => id,
            None => {
                if let Err(fault) = label_of(record, self.label, &self.label_name, &self.columns.columns.na) {
                    block.ends.pop();
                    block.stored = stored;
                    return Err(fault);
                }
                block.names.insert(text, field.0, field.1)
            }
        };
        block.labels.push(id);
        Ok(())
    }

    /// Parses a text. `last`: no text follows.
    fn parse(&self, records: &ChunkRecords, text: &[u8], last: bool, found: &mut HashedChunk) {
        let HashedChunk { block, hasher, row, open, .. } = found;
        self.columns.begin(block);
        let hasher = hasher.get_or_insert_with(|| self.columns.hasher());
        let ended = records.each(text, last, row, |record| {
            self.push(record, hasher, block)?;
            Ok(block.refused.is_none())
        });
        (block.lines, block.fault, *open) = (ended.lines, ended.fault, ended.open);
        block.refused = block.refused.take().or(ended.no_room);
        block.measure();
    }
}

/// Calls `take` with the blocks behind the first rows; the fingerprint of the file.
fn each_chunk(
    body: Body<'_>,
    parser: &RowParser,
    (file, pace, blocks): (&str, Pace, &Pool<Block>),
    take: &mut dyn FnMut(Block) -> Result<Want>,
) -> Result<u64> {
    let (records, rest) = ChunkRecords::behind(body)?;
    let (mut before, mut carried, pool) = (rest.number(), Carried::default(), Pool::<HashedChunk>::new());
    let parse = |chunk: &Chunk, found: &mut HashedChunk| {
        found.block = blocks.get();
        parser.parse(&records, chunk.text(), false, found);
        if records.go_on() {
            found.text.clear();
            found.text.extend_from_slice(chunk.text());
        }
    };
    let mut deliver = |found: &mut HashedChunk, before: &mut u64| -> Result<Want> {
        let mut block = std::mem::take(&mut found.block);
        if let Some(error) = block.refused.take() {
            return Err(error.in_file(file));
        }
        if let Some(fault) = block.fault.take() {
            return Err(fault.after(*before).of(file));
        }
        *before += block.lines;
        if block.len() == 0 {
            // Blank lines alone are no block: a caller may keep blocks until there are rows.
            blocks.put(block);
            return Ok(Want::More);
        }
        take(block)
    };
    let fingerprint = in_order(rest, pace, &pool, parse, |result| {
        let mut found = match result {
            Ok(found) => found,
            Err(Broken::Source(error)) => return Err(error),
            Err(Broken::Text(fault)) => return Err(fault.after(before + carried.lines()).of(file)),
        };
        let (next, mut want) = (carried.join(&mut found.text), Want::More);
        if next == Next::Again {
            let text = std::mem::take(&mut found.text);
            parser.parse(&records, &text, false, &mut found);
            found.text = text;
        }
        if next != Next::Wait {
            carried.keep(&found.text, found.open);
            want = deliver(&mut found, &mut before)?;
        }
        pool.put(found);
        Ok(want)
    })?;
    if let Some(text) = carried.rest() {
        let mut found = pool.get();
        parser.parse(&records, &text, true, &mut found);
        deliver(&mut found, &mut before)?;
    }
    Ok(fingerprint)
}
