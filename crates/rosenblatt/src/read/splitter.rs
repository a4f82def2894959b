//! Splits lines into records: those of a whole file, or of a part of it on its own.

use memchr::{memchr, memchr_iter};

use super::records::{Field, Record, is_space, split_plain, split_quoted, split_tabbed};
use crate::error::{Error, Result};
use crate::io::{Fault, Lines, MAX_LINE, lines};
use crate::limits;

/// The lines that records are split from: those of a file, or of a part of it.
pub(crate) trait TextLines {
    /// Why there is no next line or record.
    type Stop;
    /// Moves to the next line; `false` at the end.
    fn advance(&mut self) -> std::result::Result<bool, Self::Stop>;
    /// The current line, without its end.
    fn line(&self) -> &[u8];
    /// Its number, from 1.
    fn number(&self) -> u64;
    /// A record is refused.
    fn fault(&self, fault: Fault) -> Self::Stop;
    /// The lines end within a quoted field, which opens at this fault.
    fn ends_open(&self, fault: Fault) -> Self::Stop;
    /// There is no room for a record.
    fn no_room(&self, error: Error) -> Self::Stop;
}

impl TextLines for Lines<'_> {
    type Stop = Error;

    fn advance(&mut self) -> Result<bool> {
        Lines::advance(self)
    }

    fn line(&self) -> &[u8] {
        Lines::line(self)
    }

    fn number(&self) -> u64 {
        Lines::number(self)
    }

    fn fault(&self, fault: Fault) -> Error {
        fault.of(self.name())
    }

    fn ends_open(&self, fault: Fault) -> Error {
        fault.of(self.name())
    }

    fn no_room(&self, error: Error) -> Error {
        error.in_file(self.name())
    }
}

/// Splits lines into records. Blank lines are skipped.
#[derive(Debug)]
pub(crate) struct Splitter {
    pub(super) delimiter: u8,
    fields: Vec<Field>,
    text: Vec<u8>,
    /// The first line so far whose field starts with an unclosed quote, read as text.
    pub(super) loose: Option<u64>,
    /// How many fields a record has: from the first lines between tabs, else from the first record.
    pub(super) width: Option<usize>,
}

impl Splitter {
    pub(crate) fn new(delimiter: u8, width: Option<usize>) -> Self {
        Splitter { delimiter, fields: Vec::new(), text: Vec::new(), loose: None, width }
    }

    /// The next record; invalidates the previous one.
    pub(crate) fn next<'s, L: TextLines>(
        &'s mut self,
        lines: &'s mut L,
    ) -> std::result::Result<Option<Record<'s>>, L::Stop> {
        loop {
            if !lines.advance()? {
                return Ok(None);
            }
            if !lines.line().iter().all(|&b| is_space(b, self.delimiter)) {
                break;
            }
        }
        self.check_width(lines.line()).map_err(|error| lines.no_room(error))?;
        self.fields.clear();
        let line = lines.number();
        if memchr(b'"', lines.line()).is_none() {
            split_plain(lines.line(), line, self.delimiter, &mut self.fields);
            self.width.get_or_insert(self.fields.len());
            return Ok(Some(Record::new(lines.line(), &self.fields, line)));
        }
        self.text.clear();
        if self.delimiter == b'\t' {
            let loose = split_tabbed(lines.line(), line, &mut self.text, &mut self.fields);
            if !loose || self.fields.len() >= *self.width.get_or_insert(self.fields.len()) {
                self.loose = self.loose.or(loose.then_some(line));
                return Ok(Some(Record::new(&self.text, &self.fields, line)));
            }
            self.text.clear();
            self.fields.clear();
        }
        let mut open = None;
        loop {
            let at = lines.number();
            split_quoted(lines.line(), at, self.delimiter, &mut open, &mut self.text, &mut self.fields)
                .map_err(|fault| lines.fault(fault))?;
            let Some((line, column)) = open else { break };
            let message = "the quote that opens here is never closed: close it, or double a quote that is meant";
            if self.text.len() > MAX_LINE {
                return Err(lines.fault(Fault::at(line, column, message)));
            }
            if !lines.advance()? {
                return Err(lines.ends_open(Fault::at(line, column, message)));
            }
        }
        Ok(Some(Record::new(&self.text, &self.fields, line)))
    }

    /// Refuses a long line with more fields than there is memory for: a table describes each column several times over
    /// while it is read.
    fn check_width(&self, line: &[u8]) -> Result<()> {
        const LONG: usize = 1 << 16;
        type Described = [u64; 80];
        if line.len() < LONG {
            return Ok(());
        }
        let fields = memchr_iter(self.delimiter, line).count() + 1;
        limits::room_for::<Described>(fields as u128, || format!("{fields} columns").into())
    }
}

/// The lines of a part of a text, which begins with a record.
pub(crate) struct ChunkLines<'t> {
    text: &'t [u8],
    line: std::ops::Range<usize>,
    /// Where the next line starts.
    next: usize,
    number: u64,
    /// Whether the text goes on behind this part.
    last: bool,
}

/// Why a part of a text has no next record.
#[derive(Debug)]
pub(crate) enum ChunkStop {
    /// It is refused; lines count from the start of the part.
    Fault(Fault),
    /// It goes on behind this part.
    Open,
    /// There is no room for it.
    NoRoom(Error),
}

impl<'t> ChunkLines<'t> {
    /// The lines of a part; `last`: nothing follows.
    pub(crate) fn new(text: &'t [u8], last: bool) -> Self {
        ChunkLines { text, line: 0..0, next: 0, number: 0, last }
    }

    /// Where the next line starts, and how many lines are before it.
    pub(crate) fn place(&self) -> (usize, u64) {
        (self.next, self.number)
    }
}

impl TextLines for ChunkLines<'_> {
    type Stop = ChunkStop;

    fn advance(&mut self) -> std::result::Result<bool, ChunkStop> {
        let start = self.next;
        if start >= self.text.len() {
            return Ok(false);
        }
        let end = memchr(b'\n', &self.text[start..]).map_or(self.text.len(), |n| start + n);
        self.number += 1;
        self.next = (end + 1).min(self.text.len());
        let text = &self.text[start..end];
        self.line = start..end - usize::from(text.ends_with(b"\r"));
        lines::refuse_nul(text, self.number).map_err(ChunkStop::Fault)?;
        Ok(true)
    }

    fn line(&self) -> &[u8] {
        &self.text[self.line.clone()]
    }

    fn number(&self) -> u64 {
        self.number
    }

    fn fault(&self, fault: Fault) -> ChunkStop {
        ChunkStop::Fault(fault)
    }

    fn ends_open(&self, fault: Fault) -> ChunkStop {
        if self.last { ChunkStop::Fault(fault) } else { ChunkStop::Open }
    }

    fn no_room(&self, error: Error) -> ChunkStop {
        ChunkStop::NoRoom(error)
    }
}
