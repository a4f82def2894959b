//! Answers for the rows of a table while it is read: chunks of lines on all threads, in bounded memory.

use super::apply::{ModelTable, RowScratch, unknown_note};
use super::body::Body;
use super::chunk_records::{Carried, ChunkRecords, Next};
use super::columns::TrainedTable;
use super::json::RowBuffer;
use super::sniff::Format;
use super::stream::{Answered, Prediction};
use super::{Guess, NeedLabels, Opened, ReadOptions, json, not_of_the_model, records};
use crate::error::{Error, Result};
use crate::io::{Broken, Chunk, Pace, Pool, Want, in_order};
use crate::message::Message;
use crate::rows::Schema;

/// The rows of a chunk, and what is needed to parse it again.
#[derive(Default)]
struct TableChunk {
    prediction: Prediction,
    scratch: RowScratch,
    row: RowBuffer,
    /// The text, where records may go on over lines.
    text: Vec<u8>,
    /// Where the first record begins that the text does not complete.
    open: Option<usize>,
}

/// Parses text to the rows of a model, and answers them.
struct Parser<'m, A> {
    table: ModelTable<'m>,
    records: ChunkRecords,
    answer: A,
}

impl<A: Fn(&mut Prediction)> Parser<'_, A> {
    /// Answers the rows of a text. `last`: no text follows.
    fn parse(&self, text: &[u8], last: bool, found: &mut TableChunk) {
        let TableChunk { prediction, scratch, row, open, .. } = found;
        let block = &mut prediction.block;
        self.table.begin(block);
        scratch.restart();
        let ended = self.records.each(text, last, row, |record| {
            self.table.push(record, scratch, block)?;
            Ok(block.refused.is_none())
        });
        (block.lines, block.fault, *open) = (ended.lines, ended.fault, ended.open);
        block.refused = block.refused.take().or(ended.no_room);
        (self.answer)(prediction);
    }
}

/// Predicts every row of an open table for a model, in order.
pub(crate) fn answers_of_table(
    opened: Opened<'_>,
    options: &ReadOptions,
    schema: &Schema,
    pace: Pace,
    answer: impl Fn(&mut Prediction) + Sync,
    mut write: impl FnMut(&str) -> Result<()>,
) -> Result<Answered> {
    let Opened { lines, format, guessed } = opened;
    let name = lines.name().to_string();
    let Some(trained) = TrainedTable::of(schema) else { return Err(not_of_the_model(&name, format, schema)) };
    let rows = match format {
        Format::Jsonl => json::rows_for(lines, trained, options),
        _ => records(lines, format, options.dialect.delimiter, trained.dialect.delimiter)?,
    };
    let mut notes = Vec::new();
    let (mut body, table) = ModelTable::open(rows, options, trained, NeedLabels::No, &mut notes)?;
    let (head, refused) = some_rows(&mut body, &table, &answer, TableChunk::default(), |body| body.is_past_head())?;
    let empty = body.no_examples();
    let mut stream = Stream { name: &name, before: 0, rows: 0, unknown: 0, first_unknown: None, write: &mut write };
    stream.deliver(head)?;
    if let Some(error) = refused {
        return Err(error);
    }
    if format == Format::Parquet {
        // Its rows are decoded one by one.
        let mut found = TableChunk::default();
        loop {
            found.scratch.restart();
            let (some, refused) = some_rows(&mut body, &table, &answer, found, |_| false)?;
            let ended = some.prediction.block.len() < AT_ONCE;
            found = stream.deliver(some)?;
            match refused {
                Some(error) => return Err(error),
                None if ended => break,
                None => {}
            }
        }
        return stream.answered(format, guessed, notes, empty);
    }
    let (records, rest) = ChunkRecords::behind(body)?;
    stream.before = rest.number();
    let parser = Parser { table, records, answer };
    let (pool, mut carried) = (Pool::<TableChunk>::new(), Carried::default());
    let parse = |chunk: &Chunk, found: &mut TableChunk| {
        parser.parse(chunk.text(), false, found);
        if parser.records.go_on() {
            found.text.clear();
            found.text.extend_from_slice(chunk.text());
        }
    };
    in_order(rest, pace, &pool, parse, |result| {
        let mut found = match result {
            Ok(found) => found,
            Err(Broken::Source(error)) => return Err(error),
            Err(Broken::Text(fault)) => return Err(fault.after(stream.before + carried.lines()).of(&name)),
        };
        let next = carried.join(&mut found.text);
        if next == Next::Again {
            let text = std::mem::take(&mut found.text);
            parser.parse(&text, false, &mut found);
            found.text = text;
        }
        if next != Next::Wait {
            carried.keep(&found.text, found.open);
            found = stream.deliver(found)?;
        }
        pool.put(found);
        Ok(Want::More)
    })?;
    if let Some(text) = carried.rest() {
        let mut found = pool.get();
        parser.parse(&text, true, &mut found);
        stream.deliver(found)?;
    }
    stream.answered(format, guessed, notes, empty)
}

/// How many rows are answered at once where they are read one by one.
const AT_ONCE: usize = 4096;

/// Some rows, answered, up to where they `end`, and the error that ended them.
fn some_rows(
    body: &mut Body<'_>,
    table: &ModelTable<'_>,
    answer: &impl Fn(&mut Prediction),
    mut found: TableChunk,
    end: impl Fn(&Body<'_>) -> bool,
) -> Result<(TableChunk, Option<Error>)> {
    let TableChunk { prediction, scratch, .. } = &mut found;
    table.begin(&mut prediction.block);
    let (mut error, file) = (None, body.file.clone());
    while !end(body) && prediction.block.len() < AT_ONCE {
        let record = match body.next() {
            Ok(Some(record)) => record,
            Ok(None) => break,
            Err(fault) => {
                error = Some(fault);
                break;
            }
        };
        if let Err(fault) = table.push(record, scratch, &mut prediction.block) {
            error = Some(fault.of(&file));
            break;
        }
    }
    answer(prediction);
    Ok((found, error))
}

/// What was delivered so far.
struct Stream<'s, W> {
    name: &'s str,
    /// Lines before the next chunk, or before the text that is carried to it.
    before: u64,
    rows: usize,
    unknown: u64,
    first_unknown: Option<(u64, String)>,
    write: &'s mut W,
}

impl<W: FnMut(&str) -> Result<()>> Stream<'_, W> {
    /// What is told of the file at its end; `empty` if it has no rows.
    fn answered(
        self,
        format: Format,
        guessed: Option<Guess>,
        mut notes: Vec<Message>,
        empty: Error,
    ) -> Result<Answered> {
        let Stream { name, rows, unknown, first_unknown, .. } = self;
        if rows == 0 {
            return Err(empty);
        }
        notes.extend(first_unknown.map(|(line, first)| unknown_note(unknown, line, &first)));
        Ok(Answered { name: name.to_string(), format, guessed, notes })
    }

    /// Writes the answers of a chunk, and reports its fault after them; returns the chunk to be reused.
    fn deliver(&mut self, mut found: TableChunk) -> Result<TableChunk> {
        let Prediction { block, text, .. } = &mut found.prediction;
        if let Some(error) = block.refused.take() {
            return Err(error);
        }
        (self.write)(text)?;
        if let Some(fault) = block.fault.take() {
            return Err(fault.after(self.before).of(self.name));
        }
        self.unknown += found.scratch.unknown;
        if self.first_unknown.is_none() {
            let first = found.scratch.first_unknown.take();
            self.first_unknown = first.map(|(line, text)| (line + self.before, text));
        }
        (self.before, self.rows) = (self.before + block.lines, self.rows + block.len());
        Ok(found)
    }
}
