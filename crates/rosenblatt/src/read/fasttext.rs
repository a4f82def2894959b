//! fastText's text: `__label__spam the words of a text`, one example a line.
//!
//! A line is a row of two columns, `label` and `text`, so a model of such lines reads any table with a column `text`, and a
//! model of such a table reads these lines. Where no labels are needed, a line without one is all text.

use super::json::Hint;
use super::records::{Field, Record};
use crate::error::Result;
use crate::io::{Fault, Found, Lines, show};

/// What a label begins with.
const PREFIX: &[u8] = b"__label__";
/// The columns, in the order of a line.
pub(super) const NAMES: [&str; 2] = ["label", "text"];
pub(super) const HINTS: [Hint; 2] = [Hint::Words, Hint::Text];

/// Whether a text begins as this format does.
pub(super) fn looks_like(head: &[u8]) -> bool {
    head.trim_ascii_start().starts_with(PREFIX)
}

/// The label and the text of a line.
pub(super) fn split(line: &[u8], number: u64) -> Found<[Field; 2]> {
    let word = |from: usize| {
        let start = from + line[from..].iter().position(|b| !b.is_ascii_whitespace()).unwrap_or(line.len() - from);
        start..start + line[start..].iter().position(u8::is_ascii_whitespace).unwrap_or(line.len() - start)
    };
    let first = word(0);
    let field = |range: std::ops::Range<usize>| Field::new(range.clone(), number, range.start as u64 + 1);
    if !line[first.clone()].starts_with(PREFIX) {
        return Ok([
            Field::new(first.start..first.start, number, first.start as u64 + 1),
            field(first.start..line.len()),
        ]);
    }
    let next = word(first.end);
    let rest = &line[next.start..];
    let begins = |at: &usize| *at == 0 || rest[at - 1].is_ascii_whitespace();
    let another = memchr::memmem::find_iter(rest, PREFIX).find(begins).map(|at| next.start + at);
    if let Some(at) = another {
        let found = show(&line[at..word(at).end]);
        let message = format!("{found} is a second label, and an example has one: keep one, or write a line for each");
        return Err(Fault::at(number, at as u64 + 1, message));
    }
    if first.len() == PREFIX.len() {
        return Err(Fault::at(number, first.start as u64 + 1, "a label without a name: write it after __label__"));
    }
    Ok([field(first.start + PREFIX.len()..first.end), field(next.start..line.len())])
}

/// Iterates over the rows of a text. Blank lines are skipped.
#[derive(Debug)]
pub(super) struct Records<'a> {
    lines: Lines<'a>,
    fields: [Field; 2],
}

impl<'a> Records<'a> {
    pub(super) fn new(lines: Lines<'a>) -> Self {
        Records { lines, fields: [Field::new(0..0, 0, 0); 2] }
    }

    /// The next row; invalidates the previous one.
    pub(super) fn next(&mut self) -> Result<Option<Record<'_>>> {
        loop {
            if !self.lines.advance()? {
                return Ok(None);
            }
            if !self.lines.line().trim_ascii().is_empty() {
                break;
            }
        }
        let number = self.lines.number();
        self.fields = split(self.lines.line(), number).map_err(|fault| fault.of(self.lines.name()))?;
        Ok(Some(Record::new(self.lines.line(), &self.fields, number)))
    }

    /// What messages call the source.
    pub(super) fn name(&self) -> &str {
        self.lines.name()
    }

    /// The fingerprint of the source, complete after the last record.
    pub(super) fn fingerprint(&self) -> u64 {
        self.lines.fingerprint()
    }

    /// The lines after the last record.
    pub(super) fn into_lines(self) -> Lines<'a> {
        self.lines
    }
}
