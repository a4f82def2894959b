//! Parses a delimited file whose features are all numbers, on all threads.
//!
//! The column reader reads the first rows and determines the kind of each column. From there on each chunk of text is
//! parsed to a block of dense rows. Anything unexpected (a quote, a missing value, a row that is too short) ends this fast
//! path: the column reader then reads the file from its start, and handles it or reports the error.

use super::block::Block;
use super::columns::{Role, is_missing};
use super::csv::{Builder, FirstRows};
use super::late::Lates;
use super::number::{Shape, number, shaped};
use super::records::split_plain;
use super::sniff::Format;
use super::{Parts, ReadOptions};
use crate::error::Result;
use crate::io::{Broken, Chunk, Lines, Pace, Pool, Want, in_order, lines};
use crate::read::{records, simd_csv};
use crate::rows::{Gathered, Matrix, Schema};

/// Parses rows of numbers and a label.
#[derive(Debug)]
struct RowParser {
    /// The role of each field.
    roles: Vec<Role>,
    /// The same, run-length encoded.
    runs: Vec<(Role, usize)>,
    features: usize,
    delimiter: u8,
}

/// A table of numbers whose first rows were read.
pub(super) struct Numbers<'a> {
    builder: Builder,
    parser: RowParser,
    rest: Lines<'a>,
}

/// Whether the options ask for nothing but numbers and a label.
fn suits(options: &ReadOptions) -> bool {
    let ReadOptions { format, header, label, drop, positive, compact, dialect, hashed, .. } = options.clone();
    let plain = dialect.na.is_empty();
    plain
        && *options
            == ReadOptions { format, header, label, drop, positive, compact, dialect, hashed, ..ReadOptions::default() }
}

/// The file holds something that the fast path does not handle.
#[derive(Debug)]
pub(crate) struct Unusual;

impl<'a> Numbers<'a> {
    /// Opens a file and reads its first rows; `None` if it is no table of numbers.
    pub(super) fn open(lines: Lines<'a>, format: Format, options: &ReadOptions) -> Result<Option<Self>> {
        if !matches!(format, Format::Csv | Format::Tsv) || !suits(options) {
            return Ok(None);
        }
        let rows = records(lines, format, options.dialect.delimiter, None)?;
        Ok(Numbers::new(FirstRows::read(rows, options, Lates::Collect)?, options).ok())
    }

    /// Continues after the first rows; returns them if not all features are numbers.
    #[expect(clippy::result_large_err, reason = "made once per file, and not an error")]
    pub(super) fn new(first: FirstRows<'a>, options: &ReadOptions) -> std::result::Result<Self, FirstRows<'a>> {
        if !suits(options) {
            return Err(first);
        }
        let (builder, records) = first.all_numbers()?;
        let roles = builder.columns().roles();
        let features = builder.columns().features.len();
        let runs = roles.chunk_by(|a, b| a == b).map(|run| (run[0], run.len())).collect();
        let parser = RowParser { roles, runs, features, delimiter: records.delimiter() };
        Ok(Numbers { builder, parser, rest: records.into_lines() })
    }

    /// The rows that were read already, as a block.
    fn head(&self) -> Block {
        let mut block = Block::default();
        let (values, labels, names) = self.builder.rows();
        block.clear(values.len());
        block.values[..values.len()].copy_from_slice(values);
        (block.stored, block.width) = (values.len(), Some(self.parser.features));
        block.ends.extend((1..=labels.len()).map(|row| (row * self.parser.features) as u32));
        block.labels.extend_from_slice(labels);
        names.iter().for_each(|name| {
            block.names.insert(name.as_bytes(), 0, 0);
        });
        block
    }

    /// Calls `take` with all rows in order; returns the schema and the fingerprint.
    pub(super) fn each_block(
        self,
        pace: Pace,
        pool: &Pool<Block>,
        mut take: impl FnMut(Block) -> Result<Want>,
    ) -> Result<std::result::Result<(Schema, u64), Unusual>> {
        let mut head = self.head();
        head.measure();
        take(head)?;
        let Numbers { builder, parser, rest } = self;
        let mut unusual = false;
        let parse = |chunk: &_, block: &mut Block| {
            parser.parse(chunk, block);
            block.measure();
        };
        let fingerprint = in_order(rest, pace, pool, parse, |result| match result.and_then(Block::checked) {
            Ok(block) if block.unusual => {
                unusual = true;
                Ok(Want::Nothing)
            }
            // Blank lines alone are no block: a caller may keep blocks until there are rows.
            Ok(block) if block.len() == 0 => {
                pool.put(block);
                Ok(Want::More)
            }
            Ok(block) => take(block),
            Err(Broken::Source(error)) => Err(error),
            Err(Broken::Text(_)) => {
                unusual = true;
                Ok(Want::Nothing)
            }
        })?;
        Ok(if unusual { Err(Unusual) } else { Ok((builder.schema(), fingerprint)) })
    }

    /// Reads the whole file.
    pub(super) fn read(self, options: &ReadOptions, pace: Pace) -> Result<Option<Parts>> {
        let Numbers { mut builder, parser, rest } = self;
        let pool = Pool::new();
        let mut unusual = false;
        let mut numbers = Gathered::new(options.compact);
        numbers.extend(&builder.take_numbers())?;
        let parse = |chunk: &_, block: &mut Block| parser.parse(chunk, block);
        let fingerprint = in_order(rest, pace, &pool, parse, |result| match result.and_then(Block::checked) {
            Ok(block) if !block.unusual => {
                numbers.extend(&block.values[..block.stored])?;
                builder.extend_labels(&block)?;
                pool.put(block);
                Ok(Want::More)
            }
            Err(Broken::Source(error)) => Err(error),
            _ => {
                unusual = true;
                Ok(Want::Nothing)
            }
        })?;
        if unusual {
            return Ok(None);
        }
        let mut notes = Vec::new();
        let mut table = builder.finish(options.positive.as_deref(), &mut notes)?;
        table.matrix = Matrix::dense(numbers, parser.features);
        Ok(Some(Parts { table, notes, fingerprint }))
    }
}

impl RowParser {
    /// Parses all rows of a chunk, up to the first that is unusual.
    fn parse(&self, chunk: &Chunk, block: &mut Block) {
        let (text, length) = (chunk.padded(), chunk.text().len());
        // A value takes at least a digit and a delimiter.
        if !block.clear_checked(length / 2 + 1) {
            return;
        }
        block.width = Some(self.features);
        let mut shape = Shape::default();
        let mut fields = Vec::new();
        let mut at = 0;
        while at < length {
            block.lines += 1;
            let stored = block.stored;
            let next = self.plain_row(text, at, &mut shape, block).or_else(|| {
                block.stored = stored;
                self.any_row(&text[..length], at, &mut fields, block)
            });
            match next {
                Some(next) => at = next,
                None => {
                    block.unusual = true;
                    return;
                }
            }
        }
    }

    /// Parses a row of short decimals and a known label; returns the start of the next row.
    #[inline]
    fn plain_row(&self, text: &[u8], start: usize, shape: &mut Shape, block: &mut Block) -> Option<usize> {
        let ends = |b: u8| b == self.delimiter || b == b'\n' || b == b'\r';
        let next = |end: Option<usize>| end.map_or(Some(start), |end| self.behind(text, end));
        let mut values = block.values.get_mut(block.stored..block.stored + self.features)?;
        let (mut label, mut end) = (None, None);
        for &(role, count) in &self.runs {
            if role == Role::Number {
                let (own, others) = values.split_at_mut(count);
                end = Some(self.plain_numbers(text, next(end)?, shape, own)?);
                values = others;
                continue;
            }
            for _ in 0..count {
                let from = next(end)?;
                let to = from + text[from..].iter().position(|&b| ends(b))?;
                let found = &text[from..to];
                end = Some(to);
                if role == Role::Label {
                    label = Some(block.names.find(found)?);
                } else if memchr::memchr2(b'"', 0, found).is_some() {
                    return None;
                }
            }
        }
        let end = end?;
        let next = match text[end] {
            b'\n' => end + 1,
            b'\r' if text[end + 1] == b'\n' => end + 2,
            _ => return None,
        };
        block.stored += self.features;
        block.ends.push(block.stored as u32);
        block.labels.push(label?);
        Some(next)
    }

    /// Parses consecutive short decimals; returns the end of the last one.
    #[inline]
    fn plain_numbers(&self, text: &[u8], start: usize, shape: &mut Shape, values: &mut [f64]) -> Option<usize> {
        let ends = |b: u8| b == self.delimiter || b == b'\n' || b == b'\r';
        let (mut at, mut alike) = (start, true);
        let mut values = values;
        loop {
            if alike {
                let (count, end) = simd_csv::read(text, at, self.delimiter, shape, values);
                values = &mut values[count..];
                if values.is_empty() {
                    return Some(end);
                }
                if count > 0 {
                    at = self.behind(text, end)?;
                }
            }
            // The vector path stopped: fewer than four are left, or one has another shape, which is learned here.
            alike = true;
            for _ in 0..4 {
                let before = shape.form();
                let (value, end) = shaped(text, at, shape, ends)?;
                alike &= shape.form() == before;
                let (first, others) = values.split_first_mut()?;
                (*first, values) = (value, others);
                if values.is_empty() {
                    return Some(end);
                }
                at = self.behind(text, end)?;
            }
        }
    }

    /// The start of the next field, if the delimiter is at `end`.
    #[inline]
    fn behind(&self, text: &[u8], end: usize) -> Option<usize> {
        (text[end] == self.delimiter).then_some(end + 1)
    }

    /// Parses any row without quotes whose features are numbers; returns the start of the next one.
    #[inline(never)]
    fn any_row(
        &self,
        text: &[u8],
        start: usize,
        fields: &mut Vec<super::records::Field>,
        block: &mut Block,
    ) -> Option<usize> {
        let end = memchr::memchr(b'\n', &text[start..]).map_or(text.len(), |n| start + n);
        let next = (end + 1).min(text.len());
        let line = &text[start..end];
        lines::refuse_nul(line, 0).ok()?;
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.iter().all(|&b| super::records::is_space(b, self.delimiter)) {
            return Some(next);
        }
        if memchr::memchr(b'"', line).is_some() {
            return None;
        }
        fields.clear();
        split_plain(line, 0, self.delimiter, fields);
        if fields.len() != self.roles.len() {
            return None;
        }
        let mut label = None;
        for (role, found) in self.roles.iter().zip(&*fields) {
            let text = found.text(line);
            match role {
                Role::Number => {
                    *block.values.get_mut(block.stored)? = number(text).ok()?;
                    block.stored += 1;
                }
                Role::Label if is_missing(text) => return None,
                Role::Label => {
                    std::str::from_utf8(text).ok()?;
                    label = Some(block.names.insert(text, block.lines, 1));
                }
                Role::Weight | Role::Category | Role::Text | Role::Unused => {}
            }
        }
        block.ends.push(block.stored as u32);
        block.labels.push(label?);
        Some(next)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::read::{Header, csv_twin, *};

    /// Values as bits, classes, labels, schema, notes, fingerprint.
    type Contents = (Vec<u64>, Vec<u32>, Vec<String>, Schema, Vec<crate::message::Message>, u64);

    fn contents(parts: Option<Parts>) -> Option<Contents> {
        let parts = parts?;
        let Matrix::Dense(dense) = &parts.table.matrix else { panic!("all numbers, and not dense") };
        let values = dense.values.iter().map(|v| v.to_bits()).collect();
        let names = parts.table.labels.names().to_vec();
        Some((values, parts.table.classes, names, parts.table.schema, parts.notes, parts.fingerprint))
    }

    /// The fast path reads what the column reader reads. Whether the fast path was taken.
    fn compare(text: &str, options: &ReadOptions) -> bool {
        let input = Input::memory("m.csv", text);
        let twin = csv_twin(&input, options);
        let mut fast = false;
        for (chunk, threads) in [(1, 1), (7, 2), (400, 2), (1 << 18, 3)] {
            let Ok(Opened { lines, format, .. }) = Opened::new(&input, options, None) else { continue };
            let Ok(Some(numbers)) = Numbers::open(lines, format, options) else { continue };
            match numbers.read(options, Pace { chunk, threads }) {
                Ok(None) => {}
                Ok(parts) => {
                    fast = true;
                    let twin = twin.as_ref().map(|p| contents(Some(p.clone()))).map_err(ToString::to_string);
                    assert_eq!(Ok(contents(parts)), twin, "{chunk} {threads}\n{text}");
                }
                Err(error) => assert_eq!(Some(error.to_string()), twin.as_ref().err().map(ToString::to_string)),
            }
        }
        fast
    }

    #[test]
    fn tables_of_numbers_are_read_alike() {
        let plain = ReadOptions::default();
        assert!(compare("1,2,a\n3.5,-4,b\n 5 ,1e3,a\n\n+6,.5,b\r\n7,8,a", &plain));
        assert!(compare("x,y,label\n1,2,1\n3,-0.25,-1\n5,6,1.0\n", &plain));
        let dropping = ReadOptions { drop: vec!["name".into()], ..ReadOptions::default() };
        assert!(compare("name,x,y\nann,1,0\nbob o,2,1\n,3,0\n", &dropping));
        for odd in ["1,2,a\n3,\"4\",b\n", "1,2,a\n3,b\n", "1,2,a\n3,,b\n", "1,2,a\n3,x,b\n", "1,2,a\n1,2,NA\n"] {
            assert!(!compare(odd, &plain), "{odd}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn any_table_is_read_alike(
            rows in prop::collection::vec(r"-?[0-9]{1,3}(\.[0-9]{1,5})?,[ ]?-?[0-9]\.[0-9]{5},[ab1]\r?", 1..12),
        ) {
            prop_assert!(compare(&rows.join("\n"), &ReadOptions::default()));
        }

        /// Enough numbers in a row to be read four at a time, most of one shape.
        #[test]
        fn wide_tables_are_read_alike(
            rows in prop::collection::vec(prop::collection::vec(-99_999i32..99_999, 13), 1..8),
            (places, every, how) in (0usize..6, 1usize..20, 0..5),
            label in 0usize..13,
        ) {
            let mut text = String::new();
            for (row, numbers) in rows.iter().enumerate() {
                for (at, number) in numbers.iter().enumerate() {
                    let value = f64::from(*number) / 1e4;
                    let odd = (13 * row + at) % every == 0;
                    text += &match how {
                        _ if at == label => format!("{}", row % 2),
                        0 if odd => format!("{value}"),
                        1 if odd => format!("{value:e}"),
                        2 if odd => format!("-0.{:0places$}", 0),
                        3 if odd => format!("{number}"),
                        _ => format!("{value:.places$}"),
                    };
                    text.push(if at < 12 { ',' } else { '\n' });
                }
            }
            let options = ReadOptions { label: Some((label + 1).to_string()), header: Header::No, ..ReadOptions::default() };
            prop_assert!(compare(&text, &options), "{}", text);
        }

        /// A changed byte is noticed wherever it is.
        #[test]
        fn a_wrong_byte_is_read_alike(
            rows in prop::collection::vec(prop::collection::vec(-99_999i32..99_999, 9), 6..12),
            (at, byte) in (any::<prop::sample::Index>(), prop::sample::select(&b"0,.-\n\r\t/:a9+ \"\x00"[..])),
        ) {
            let line = |row: &Vec<i32>| row.iter().map(|n| format!("{:.4},", f64::from(*n) / 1e4)).collect::<String>();
            let text: String = rows.iter().enumerate().map(|(i, row)| format!("{}{}\n", line(row), i % 2)).collect();
            let mut text = text.into_bytes();
            let at = at.index(text.len());
            text[at] = byte;
            compare(&String::from_utf8_lossy(&text), &ReadOptions { header: Header::No, ..ReadOptions::default() });
        }
    }
}
