//! Reads a training table on all threads, once the first rows have shown the kind of each column.
//!
//! A chunk has categories and words of its own, numbered as they appear in it; in order, they get the numbers of the file
//! ([`Builder::join`](super::csv::Builder::join)), which are the same however the text is cut. A fault ends this path: the column reader then reads
//! the file from its start, and reports it.

use super::assemble_rows::NO_CATEGORY;
use super::chunk_records::{Carried, ChunkRecords, Next};
use super::columns::{Columns, Kind, Value, is_marked, is_missing};
use super::csv::FirstRows;
use super::dictionary::{Dictionary, hash};
use super::json::{RowBuffer, members};
use super::number::number;
use super::records::{Record, has_room};
use super::texts::{Texts, Units};
use super::{Parts, ReadOptions};
use crate::error::Result;
use crate::io::{Broken, Chunk, Fault, Pace, Pool, Want, in_order};

/// The rows of a chunk.
#[derive(Default)]
pub(super) struct TrainingChunk {
    /// One for each feature column; numbers have nothing.
    pub(super) columns: Vec<ChunkColumn>,
    /// The values of the number columns, row by row; NaN where one is missing.
    pub(super) numbers: Vec<f64>,
    /// The values of the category columns, row by row, by their numbers in the chunk.
    pub(super) ids: Vec<u32>,
    /// The label of each row, by its number among the labels of the chunk.
    pub(super) labels: Vec<u32>,
    pub(super) names: Dictionary,
    pub(super) weights: Vec<f64>,
    row: RowBuffer,
    text: Vec<u8>,
    open: Option<usize>,
    /// Whether only the column reader can tell what it holds.
    unusual: bool,
}

/// What a chunk knows of a column.
pub(super) struct ChunkColumn {
    pub(super) kind: Kind<ChunkCategories, Texts>,
    /// How many of its values are missing.
    pub(super) gaps: u64,
}

/// The categories of a chunk.
#[derive(Default)]
pub(super) struct ChunkCategories {
    pub(super) names: Dictionary,
    /// How many rows have each.
    pub(super) times: Vec<u64>,
}

impl ChunkColumn {
    fn restart(&mut self) {
        self.gaps = 0;
        match &mut self.kind {
            Kind::Number => {}
            Kind::Category(categories) => {
                categories.names.clear();
                categories.times.clear();
            }
            Kind::Text(texts) | Kind::Set(texts) => texts.clear(),
        }
    }
}

/// What every chunk is parsed by.
struct Parser {
    /// The features of each text column.
    columns: Columns<(), Units>,
    label: usize,
    records: ChunkRecords,
}

impl Parser {
    fn parse(&self, text: &[u8], last: bool, chunk: &mut TrainingChunk) {
        let TrainingChunk { columns, numbers, ids, labels, names, weights, row, open, unusual, .. } = chunk;
        if columns.is_empty() {
            columns.extend(self.columns.features.iter().map(|column| {
                let kind = column.kind.map(|_| ChunkCategories::default(), |&units| Texts::new(units));
                ChunkColumn { kind, gaps: 0 }
            }));
        }
        columns.iter_mut().for_each(ChunkColumn::restart);
        numbers.clear();
        ids.clear();
        labels.clear();
        names.clear();
        weights.clear();
        let ended = self.records.each(text, last, row, |record| {
            for (column, own) in self.columns.features.iter().zip(&mut *columns) {
                let (text, gaps) = (record.text(column.at), column.gaps(&self.columns.na));
                match own.kind.as_mut().read(text, gaps, number).map_err(|_| odd(record))? {
                    Value::Number(value) => numbers.push(value),
                    Value::NoNumber => {
                        numbers.push(f64::NAN);
                        own.gaps += 1;
                    }
                    Value::Category(categories, text) => ids.push(categories.id(text).ok_or_else(|| odd(record))?),
                    Value::NoCategory => {
                        ids.push(NO_CATEGORY);
                        own.gaps += 1;
                    }
                    // No room: the reader of one thread says so, with its place.
                    Value::Text(texts, text) => texts.push(text).map_err(|_| odd(record))?,
                    Value::Set(texts, set) => {
                        texts.push_set(members(set).into_iter().flatten()).map_err(|_| odd(record))?;
                    }
                }
            }
            if let Some(at) = self.columns.weight {
                let weight = number(record.text(at)).ok().filter(|weight| *weight >= 0.0);
                weights.push(weight.ok_or_else(|| odd(record))?);
            }
            let label = record.text(self.label);
            let hash = hash(label);
            labels.push(match names.find(hash, label) {
                Some(id) => id,
                None if is_missing(label) || is_marked(label, &self.columns.na) => return Err(odd(record)),
                None if std::str::from_utf8(label).is_err() || !has_room(label) => return Err(odd(record)),
                None => names.insert(hash, label),
            });
            Ok(true)
        });
        *open = ended.open;
        *unusual = ended.fault.is_some() || ended.no_room.is_some();
    }
}

/// A fault that the column reader describes.
#[cold]
fn odd(record: Record<'_>) -> Fault {
    Fault::line(record.line, "")
}

impl ChunkCategories {
    /// The number of a category, a new one if it is new; `None` if it is no UTF-8, or there is no room for it.
    #[inline]
    fn id(&mut self, text: &[u8]) -> Option<u32> {
        let hash = hash(text);
        let id = match self.names.find(hash, text) {
            Some(id) => id,
            None => {
                std::str::from_utf8(text).ok().filter(|_| has_room(text))?;
                self.times.push(0);
                self.names.insert(hash, text)
            }
        };
        self.times[id as usize] += 1;
        Some(id)
    }
}

/// Reads the rows behind the first ones on all threads. `None`: the column reader must read the file from its start.
pub(super) fn read(first: FirstRows<'_>, options: &ReadOptions, pace: Pace) -> Result<Option<Parts>> {
    let (mut builder, body) = match first.settled()? {
        Ok(settled) => settled,
        Err(first) => return first.read_rest(options).map(std::result::Result::ok),
    };
    if builder.found_late() {
        return Ok(None);
    }
    let wordy = body.wordy;
    let (records, rest) = ChunkRecords::behind(body)?;
    let (columns, label) = builder.chunk_columns();
    let parser = Parser { columns, label, records };
    let (pool, mut carried, mut unusual) = (Pool::<TrainingChunk>::new(), Carried::default(), false);
    let parse = |chunk: &Chunk, found: &mut TrainingChunk| {
        parser.parse(chunk.text(), false, found);
        if parser.records.go_on() {
            found.text.clear();
            found.text.extend_from_slice(chunk.text());
        }
    };
    let fingerprint = in_order(rest, pace, &pool, parse, |result| {
        let mut found = match result {
            Ok(found) => found,
            Err(Broken::Source(error)) => return Err(error),
            Err(Broken::Text(_)) => {
                unusual = true;
                return Ok(Want::Nothing);
            }
        };
        let next = carried.join(&mut found.text);
        if next == Next::Again {
            let text = std::mem::take(&mut found.text);
            parser.parse(&text, false, &mut found);
            found.text = text;
        }
        if next != Next::Wait {
            if found.unusual {
                unusual = true;
                return Ok(Want::Nothing);
            }
            carried.keep(&found.text, found.open);
            builder.join(&found)?;
        }
        pool.put(found);
        Ok(Want::More)
    })?;
    if let Some(text) = carried.rest() {
        let mut found = pool.get();
        parser.parse(&text, true, &mut found);
        unusual |= found.unusual;
        builder.join(&found)?;
    }
    if unusual { Ok(None) } else { builder.parts(options, wordy, fingerprint).map(Some) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::io::Input;
    use crate::read::late::Lates;
    use crate::read::{Header, Opened, csv_twin, records};
    use crate::rows::Fill;

    /// Everything that was read, or the error.
    fn shown(parts: Result<Parts>) -> std::result::Result<String, String> {
        parts.map(|parts| format!("{parts:?}")).map_err(|error| error.to_string())
    }

    /// The twin is the column reader, on one thread. Whether all was read without it.
    fn compare(name: &str, text: &str, options: &ReadOptions) -> bool {
        let input = Input::memory(name, text);
        let expected = shown(csv_twin(&input, options).map_err(|error| error.in_file(name)));
        let mut all = true;
        for (chunk, threads) in [(1, 1), (9, 3), (60, 2), (1 << 18, 3)] {
            let Ok(Opened { lines, format, .. }) = Opened::new(&input, options, None) else { return false };
            let rows = records(lines, format, options.dialect.delimiter, None);
            let first = rows.and_then(|rows| FirstRows::read(rows, options, Lates::Collect));
            let found = first.and_then(|first| read(first, options, Pace { chunk, threads }));
            match found {
                Ok(None) => all = false,
                Ok(Some(parts)) => assert_eq!(shown(Ok(parts)), expected, "{chunk} {threads}\n{text}"),
                Err(error) => assert_eq!(Err(error.in_file(name).to_string()), expected, "{chunk} {threads}\n{text}"),
            }
        }
        all
    }

    fn options(texts: &[&str]) -> ReadOptions {
        let text = texts.iter().map(ToString::to_string).collect();
        let missing = Some(Fill::Indicator);
        ReadOptions {
            header: Header::Yes,
            label: Some("label".into()),
            text,
            ngrams: 2,
            missing,
            ..ReadOptions::default()
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(150))]

        #[test]
        fn tables_are_read_as_on_one_thread(
            rows in prop::collection::vec((
                "-?[0-9]{1,3}|[0-9]\\.[0-9]{4}|NA",
                "red|blue|\"green, dark\"||7",
                "[a-z ]{0,9}|\"[a-z\n, ]{0,30}(\"\")?[a-z\n]{0,9}\"|good day|5\" x",
                "up|down",
                "1|0.5|2",
            ), 1..30),
            odd in prop::option::of((0..30usize, "1,2|x,red,a,up,1|1,red,\"a\" b,c,1|1,red,\"a,b|1,red,a,,1|1,red,a,up,-1")),
        ) {
            let cells = |(n, colour, body, label, weight): &(String, String, String, String, String)| {
                format!("{n},{colour},{body},{label},{weight}")
            };
            let mut lines: Vec<String> = rows.iter().map(cells).collect();
            if let Some((at, odd)) = odd {
                lines.insert(at.min(lines.len()), odd);
            }
            let text = format!("n,colour,body,label,w\n{}\n", lines.join("\n"));
            compare("a.csv", &text, &options(&["body"]));
            let weighed = ReadOptions { weight: Some("w".into()), missing: None, ..options(&["body"]) };
            compare("a.csv", &text, &weighed);
            compare("a.tsv", &text.replace(',', "\t"), &options(&["body"]));
        }

        #[test]
        fn lines_with_labels_are_read_as_on_one_thread(lines in prop::collection::vec("__label__[ab] [a-z ]{0,20}|", 1..20)) {
            compare("a.fasttext", &format!("__label__a x\n{}\n", lines.join("\n")), &ReadOptions::default());
        }
    }

    #[test]
    fn what_is_usual_needs_no_second_reading() {
        let rows = "1,red,\"a\nb\",up\n,blue,c,down\n".repeat(50);
        assert!(compare("a.csv", &format!("n,colour,body,label\n{rows}"), &options(&["body"])));
        assert!(!compare("a.csv", &format!("n,colour,body,label\n{rows}x,red,a,up\n"), &options(&["body"])));
        assert!(compare("a.ft", &"__label__a x y\n\n__label__b y\n".repeat(50), &ReadOptions::default()));
    }
}
