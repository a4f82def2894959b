//! Splits delimited text into records: quotes, doubled quotes, line ends within quotes, spaces around fields.
//!
//! Between tabs a quote is a character like any other, as people write text there, unless it opens a field and another
//! one closes it on the same line: then both are taken off, as spreadsheets put them on. If it opens a field of a row
//! that would otherwise have too few, the field goes on over the next lines, as in csv.

use memchr::memchr;

use super::splitter::Splitter;
use crate::error::Result;
use crate::io::{Fault, Found, Lines};
use crate::limits;

/// The range of a field's text, and its position in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Field {
    start: usize,
    end: usize,
    /// Its line, from 1.
    pub(crate) line: u64,
    /// Its first byte, from 1.
    pub(crate) column: u64,
}

impl Field {
    /// Its text, in the line that it was found in.
    pub(crate) fn text<'l>(&self, line: &'l [u8]) -> &'l [u8] {
        &line[self.start..self.end]
    }
}

/// Texts from this length on are copied only where there is room.
const HUGE: usize = 1 << 20;

/// A row that waits, and a value beside its key.
const COPIES: usize = 4;

/// Whether a text may be kept: a huge one needs room for its copies.
#[inline]
pub(crate) fn has_room(text: &[u8]) -> bool {
    text.len() < HUGE || limits::room_for::<[u8; COPIES]>(text.len() as u128, || "a text".into()).is_ok()
}

/// One record, borrowed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Record<'r> {
    text: &'r [u8],
    fields: &'r [Field],
    /// The line on which it starts, from 1.
    pub(crate) line: u64,
}

impl Field {
    /// The field at these bytes of a record's text, found at a line and a byte of it, both from 1.
    pub(crate) fn new(range: std::ops::Range<usize>, line: u64, column: u64) -> Self {
        Field { start: range.start, end: range.end, line, column }
    }

    /// Moves the end of the field.
    pub(crate) fn ends(&mut self, end: usize) {
        self.end = end;
    }
}

impl<'r> Record<'r> {
    /// A record of these fields of a text.
    pub(crate) fn new(text: &'r [u8], fields: &'r [Field], line: u64) -> Self {
        Record { text, fields, line }
    }

    /// How many fields.
    pub(crate) fn len(self) -> usize {
        self.fields.len()
    }

    /// The text of a field, without the spaces around it.
    #[inline]
    pub(crate) fn text(self, i: usize) -> &'r [u8] {
        let field = &self.fields[i];
        &self.text[field.start..field.end]
    }

    /// All texts.
    pub(crate) fn texts(self) -> impl Iterator<Item = &'r [u8]> {
        self.fields.iter().map(move |f| &self.text[f.start..f.end])
    }

    /// An error if this is a huge row, and there is no room for the copies that are made of it as categories and labels.
    #[inline]
    pub(crate) fn room(self) -> Result<()> {
        if self.text.len() < HUGE { Ok(()) } else { self.room_for_copies() }
    }

    #[cold]
    fn room_for_copies(self) -> Result<()> {
        let bytes: u128 = self.texts().map(|text| text.len() as u128).sum();
        limits::room_for::<[u8; COPIES]>(bytes, || "the texts of a row".into())
    }

    /// The line and the column of a field.
    pub(crate) fn place(self, i: usize) -> (u64, u64) {
        (self.fields[i].line, self.fields[i].column)
    }

    /// A fault at a field.
    #[cold]
    pub(crate) fn fault(self, i: usize, message: impl Into<crate::message::Message>) -> Fault {
        Fault::at(self.fields[i].line, self.fields[i].column, message)
    }
}

/// A record that owns its text.
#[derive(Debug, Clone)]
pub(crate) struct OwnedRecord {
    text: Vec<u8>,
    fields: Vec<Field>,
    line: u64,
}

impl OwnedRecord {
    pub(crate) fn new(record: Record<'_>) -> Self {
        OwnedRecord { text: record.text.to_vec(), fields: record.fields.to_vec(), line: record.line }
    }

    pub(crate) fn record(&self) -> Record<'_> {
        Record { text: &self.text, fields: &self.fields, line: self.line }
    }
}

/// Iterates over the records of a text.
#[derive(Debug)]
pub(crate) struct Records<'a> {
    lines: Lines<'a>,
    splitter: Splitter,
}

impl<'a> Records<'a> {
    pub(crate) fn new(lines: Lines<'a>, delimiter: u8) -> Self {
        let width = if delimiter == b'\t' { usual_width(lines.head(), lines.head_is_all()) } else { None };
        Records { lines, splitter: Splitter::new(delimiter, width) }
    }

    /// The first line so far whose field starts with an unclosed quote, read as text.
    pub(crate) fn loose_quote(&self) -> Option<u64> {
        self.splitter.loose
    }

    /// The next record; invalidates the previous one.
    #[inline]
    pub(crate) fn next(&mut self) -> Result<Option<Record<'_>>> {
        self.splitter.next(&mut self.lines)
    }

    /// The delimiter of fields.
    pub(crate) fn delimiter(&self) -> u8 {
        self.splitter.delimiter
    }

    /// How many fields a record has, as far as it is known.
    pub(crate) fn width(&self) -> Option<usize> {
        self.splitter.width
    }

    /// Whether each record is wanted as soon as it comes.
    pub(crate) fn is_live(&self) -> bool {
        self.lines.is_live()
    }

    /// The lines after the last record.
    pub(crate) fn into_lines(self) -> Lines<'a> {
        self.lines
    }

    /// What messages call the source.
    pub(crate) fn name(&self) -> &str {
        self.lines.name()
    }

    /// The fingerprint of the source, complete after the last record.
    pub(crate) fn fingerprint(&self) -> u64 {
        self.lines.fingerprint()
    }
}

/// A space around a field; a tab is one where it is not the delimiter.
#[inline]
pub(super) fn is_space(byte: u8, delimiter: u8) -> bool {
    byte == b' ' || (byte == b'\t' && delimiter != b'\t')
}

/// The part of `start..end` without the spaces at both ends.
#[inline]
fn trim(text: &[u8], mut start: usize, mut end: usize, delimiter: u8) -> (usize, usize) {
    while start < end && is_space(text[start], delimiter) {
        start += 1;
    }
    while start < end && is_space(text[end - 1], delimiter) {
        end -= 1;
    }
    (start, end)
}

/// Splits a line without quotes.
pub(super) fn split_plain(line: &[u8], at: u64, delimiter: u8, fields: &mut Vec<Field>) {
    let mut from = 0;
    loop {
        let end = line[from..].iter().position(|&b| b == delimiter).map_or(line.len(), |n| from + n);
        let (start, trimmed) = trim(line, from, end, delimiter);
        fields.push(Field { start, end: trimmed, line: at, column: start as u64 + 1 });
        if end == line.len() {
            return;
        }
        from = end + 1;
    }
}

/// The most frequent number of fields of the first lines between tabs, without those whose quotes are open: the first
/// record may be quoted over lines, and then does not show how many fields it has. `None` if its line has no open quote.
fn usual_width(head: &[u8], whole: bool) -> Option<usize> {
    const LINES: usize = 50;
    let (mut text, mut fields) = (Vec::new(), Vec::new());
    let mut width = |line: &[u8]| {
        text.clear();
        fields.clear();
        let open = split_tabbed(line.strip_suffix(b"\r").unwrap_or(line), 0, &mut text, &mut fields);
        (!open).then_some(fields.len())
    };
    let complete = if whole { head.len() } else { memchr::memrchr(b'\n', head)? };
    let lines = head[..complete].split(|&b| b == b'\n').filter(|line| !line.trim_ascii().is_empty());
    let mut lines = lines.take(LINES).peekable();
    if lines.peek().is_none_or(|first| width(first).is_some()) {
        return None;
    }
    let widths: Vec<usize> = lines.filter_map(width).collect();
    widths.iter().copied().max_by_key(|width| (widths.iter().filter(|other| *other == width).count(), *width))
}

/// Splits a tab-separated line with quotes; returns whether a field starts with a quote that does not enclose it.
pub(super) fn split_tabbed(line: &[u8], at: u64, text: &mut Vec<u8>, fields: &mut Vec<Field>) -> bool {
    let (mut from, mut loose) = (0, false);
    loop {
        let (start, _) = trim(line, from, line.len(), b'\t');
        let (begin, column) = (text.len(), start as u64 + 1);
        let end = match quoted(line, start, text) {
            Some(end) => end,
            None => {
                loose |= line.get(start) == Some(&b'"');
                text.truncate(begin);
                let end = memchr(b'\t', &line[from..]).map_or(line.len(), |n| from + n);
                let (start, trimmed) = trim(line, from, end, b'\t');
                text.extend_from_slice(&line[start..trimmed]);
                end
            }
        };
        // Within quotes a tab is a space, as in other tables.
        let (start, trimmed) = trim(text, begin, text.len(), b',');
        fields.push(Field { start, end: trimmed, line: at, column });
        if end >= line.len() {
            return loose;
        }
        from = end + 1;
    }
}

/// Appends the text of a quoted field that starts at `start`; returns the field's end, or `None` if it is not quoted as a
/// whole.
fn quoted(line: &[u8], start: usize, text: &mut Vec<u8>) -> Option<usize> {
    if line.get(start) != Some(&b'"') {
        return None;
    }
    let mut from = start + 1;
    loop {
        let n = memchr(b'"', &line[from..])?;
        text.extend_from_slice(&line[from..from + n]);
        from += n + 1;
        if line.get(from) != Some(&b'"') {
            let (next, _) = trim(line, from, line.len(), b'\t');
            return matches!(line.get(next), None | Some(b'\t')).then_some(next);
        }
        text.push(b'"');
        from += 1;
    }
}

/// Splits one line of a record with quotes into `text`; `open` is the position of a quote that this line does not close.
pub(super) fn split_quoted(
    line: &[u8],
    at: u64,
    delimiter: u8,
    open: &mut Option<(u64, u64)>,
    text: &mut Vec<u8>,
    fields: &mut Vec<Field>,
) -> Found<()> {
    let mut from = 0;
    loop {
        if open.is_none() {
            let (start, _) = trim(line, from, line.len(), delimiter);
            if line.get(start) == Some(&b'"') {
                *open = Some((at, start as u64 + 1));
                fields.push(Field { start: text.len(), end: text.len(), line: at, column: start as u64 + 1 });
                from = start + 1;
            } else {
                let end = line[from..].iter().position(|&b| b == delimiter).map_or(line.len(), |n| from + n);
                let (start, trimmed) = trim(line, from, end, delimiter);
                let begin = text.len();
                text.extend_from_slice(&line[start..trimmed]);
                fields.push(Field { start: begin, end: text.len(), line: at, column: start as u64 + 1 });
                if end == line.len() {
                    return Ok(());
                }
                from = end + 1;
                continue;
            }
        }
        // Within quotes: up to the closing quote; a doubled quote is one quote of the text.
        loop {
            let Some(n) = memchr(b'"', &line[from..]) else {
                text.extend_from_slice(&line[from..]);
                text.push(b'\n');
                return Ok(());
            };
            text.extend_from_slice(&line[from..from + n]);
            from += n + 1;
            if line.get(from) != Some(&b'"') {
                break;
            }
            text.push(b'"');
            from += 1;
        }
        *open = None;
        if let Some(field) = fields.last_mut() {
            (field.start, field.end) = trim(text, field.start, text.len(), b',');
        }
        let (next, _) = trim(line, from, line.len(), delimiter);
        match line.get(next) {
            None => return Ok(()),
            Some(&byte) if byte == delimiter => from = next + 1,
            Some(_) => {
                let message = "text after a closing quote: double a quote that belongs to the text";
                return Err(Fault::at(at, next as u64 + 1, message));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::io::Input;

    fn records(text: &[u8], delimiter: u8) -> std::result::Result<Vec<Vec<String>>, String> {
        let input = Input::memory("m", text);
        let lines = Lines::new(input.open().unwrap()).unwrap();
        let mut records = Records::new(lines, delimiter);
        let mut out = Vec::new();
        while let Some(record) = records.next().map_err(|e| e.to_string())? {
            out.push(record.texts().map(|t| String::from_utf8_lossy(t).into_owned()).collect());
        }
        Ok(out)
    }

    #[test]
    fn quotes_spaces_and_blank_lines() {
        let got = records(b" a , \"b, \"\"c\"\"\" ,5\" x\r\n\r\n  \n\"two\nlines\",,\"\"\n", b',').unwrap();
        assert_eq!(got, [["a", "b, \"c\"", "5\" x"], ["two\nlines", "", ""]]);
        assert_eq!(records(b"a\t\"b\tc\"\t d \n\t\t\n", b'\t').unwrap(), [["a", "b\tc", "d"], ["", "", ""]]);
    }

    #[test]
    fn between_tabs_quotes_are_text_unless_they_hold_the_whole_field() {
        let got = |text: &str| records(text.as_bytes(), b'\t').unwrap();
        assert_eq!(
            got("ham\t\"Hi\" she said\nham\tthe 5\" disk\n"),
            [["ham", "\"Hi\" she said"], ["ham", "the 5\" disk"]]
        );
        assert_eq!(got("a\t\"never closed\nb\tx\n"), [["a", "\"never closed"], ["b", "x"]]);
        assert_eq!(got("\"a\tb\"\t \"say \"\"hi\"\"\" \n"), [["a\tb", "say \"hi\""]]);
        assert_eq!(got("p\tn\n\"two\nlines\"\t1\n"), [["p", "n"], ["two\nlines", "1"]]);
        assert_eq!(got("\"\"\t\"\n\"a\" \"b\"\tc\n"), [["", "\""], ["\"a\" \"b\"", "c"]]);
        // The first record was refused if it is quoted over lines, while the same was read between commas.
        assert_eq!(got("\"two\nlines\"\t1\na\t2\nb\t3\n"), [["two\nlines", "1"], ["a", "2"], ["b", "3"]]);
        assert_eq!(got("\"two\n\nlines\"\t\"\"\"1\"\r\n\"a\"\t2\r\n"), [["two\n\nlines", "\"1"], ["a", "2"]]);
        assert_eq!(got("\"odd\tx\nb\ty\n"), [["\"odd", "x"], ["b", "y"]]);
    }

    #[test]
    fn faults_of_quotes() {
        let message = "m:2:3: the quote that opens here is never closed: close it, or double a quote that is meant";
        assert_eq!(records(b"a,b\n1,\"x\n2,y\n", b',').unwrap_err(), message);
        let message = "m:1:6: text after a closing quote: double a quote that belongs to the text";
        assert_eq!(records(b"a,\"b\"c\n", b',').unwrap_err(), message);
    }

    #[test]
    fn fields_know_their_place() {
        let input = Input::memory("m", "x,\"a\nb\" , c,\n");
        let mut records = Records::new(Lines::new(input.open().unwrap()).unwrap(), b',');
        let record = records.next().unwrap().unwrap();
        let places: Vec<_> = record.fields.iter().map(|f| (f.line, f.column)).collect();
        assert_eq!(places, [(1, 1), (1, 3), (2, 6), (2, 8)]);
    }

    /// The twin: csv-core, a byte at a time, where spaces play no part.
    fn twin(text: &[u8]) -> Vec<Vec<String>> {
        let mut core = csv_core::ReaderBuilder::new().build();
        let (mut rows, mut row, mut field) = (Vec::new(), Vec::new(), Vec::new());
        let mut input = text;
        let mut buffer = [0; 64];
        loop {
            let (result, used, written) = core.read_field(input, &mut buffer);
            input = &input[used..];
            field.extend_from_slice(&buffer[..written]);
            match result {
                csv_core::ReadFieldResult::Field { record_end } => {
                    row.push(String::from_utf8(std::mem::take(&mut field)).unwrap());
                    if record_end {
                        rows.push(std::mem::take(&mut row));
                    }
                }
                csv_core::ReadFieldResult::End => return rows,
                _ => {}
            }
        }
    }

    proptest! {
        #[test]
        fn agree_with_the_twin(
            rows in prop::collection::vec(prop::collection::vec(r#"[ab,"\n]{0,4}"#, 1..4), 0..5),
            always in any::<bool>(),
        ) {
            let mut text = String::new();
            for row in &rows {
                let quoted = |f: &String| always || f.is_empty() || f.contains([',', '"', '\n']);
                let write = |f: &String| if quoted(f) { format!("\"{}\"", f.replace('"', "\"\"")) } else { f.clone() };
                text += &row.iter().map(write).collect::<Vec<_>>().join(",");
                text.push('\n');
            }
            let got = records(text.as_bytes(), b',').unwrap();
            prop_assert_eq!(&got, &rows);
            prop_assert_eq!(got, twin(text.as_bytes()));
        }
    }
}
