//! The records of a part of a table's text, on any thread.
//!
//! A record may go on over lines, within quotes. A part whose last record is not complete hands the rest of its text to the
//! next one, which is then split again, with it, in order ([`Carried`]):
//!
//! ```text
//!  on all threads   chunk 1 ──► rows, open at byte 900      chunk 2 ──► rows (split as if it began a record)
//!  in order         rows of 1 ──► bytes 900… of 1 + chunk 2 ──► rows
//! ```

use super::body::{Body, check_fields};
use super::fasttext;
use super::json::{Layout, RowBuffer};
use super::records::Record;
use super::splitter::{ChunkLines, ChunkStop, Splitter};
use super::table_rows::TableRows;
use crate::error::{Error, Result};
use crate::io::{Fault, Found, Lines, lines};

/// How text becomes records.
pub(super) enum ChunkRecords {
    /// Delimited text: the delimiter, the width that the splitter assumes, the fields of a row, and the line that shows those.
    Text { delimiter: u8, assumed: Option<usize>, width: usize, first_line: u64 },
    /// One object a line.
    Json(Layout),
    /// A label and a text on each line.
    FastText,
}

/// How the records of a part end.
#[derive(Default)]
pub(super) struct Ended {
    /// How many lines the complete records take.
    pub(super) lines: u64,
    /// Where the first record begins that the text does not complete.
    pub(super) open: Option<usize>,
    /// The fault that ended them; lines count from the start of the part.
    pub(super) fault: Option<Fault>,
    /// There was no room for a record.
    pub(super) no_room: Option<Error>,
}

impl ChunkRecords {
    /// The records behind those that a body has read.
    pub(super) fn behind(body: Body<'_>) -> Result<(Self, Lines<'_>)> {
        let (width, first_line) = (body.width(), body.first_line());
        Ok(match body.into_rows() {
            TableRows::Text(records) => {
                let (delimiter, assumed) = (records.delimiter(), records.width());
                (ChunkRecords::Text { delimiter, assumed, width, first_line }, records.into_lines())
            }
            TableRows::Json(records) => {
                let (layout, lines) = records.into_parts();
                (ChunkRecords::Json(layout), lines)
            }
            TableRows::FastText(records) => (ChunkRecords::FastText, records.into_lines()),
            #[cfg(feature = "parquet")]
            TableRows::Parquet(_) => return Err(Error::bad_data("a Parquet table is no text")),
        })
    }

    /// Whether a record may go on over lines.
    pub(super) fn go_on(&self) -> bool {
        matches!(self, ChunkRecords::Text { .. })
    }

    /// Calls `push` with each record until it returns `false` or a fault. `last`: no text follows.
    pub(super) fn each(
        &self,
        text: &[u8],
        last: bool,
        row: &mut RowBuffer,
        mut push: impl FnMut(Record<'_>) -> Found<bool>,
    ) -> Ended {
        let mut ended = Ended::default();
        let done = match self {
            ChunkRecords::Text { delimiter, assumed, width, first_line } => {
                let mut splitter = Splitter::new(*delimiter, *assumed);
                each_record(text, last, &mut splitter, &mut ended, |record| {
                    check_fields(record, *width, *first_line)?;
                    push(record)
                })
            }
            ChunkRecords::Json(layout) => {
                each_line(text, &mut ended.lines, |line, number| push(row.read(layout, line, number)?))
            }
            ChunkRecords::FastText => each_line(text, &mut ended.lines, |line, number| {
                let fields = fasttext::split(line, number)?;
                push(Record::new(line, &fields, number))
            }),
        };
        ended.fault = done.err();
        ended
    }
}

/// Splits delimited text.
fn each_record(
    text: &[u8],
    last: bool,
    splitter: &mut Splitter,
    ended: &mut Ended,
    mut push: impl FnMut(Record<'_>) -> Found<bool>,
) -> Found<()> {
    let mut lines = ChunkLines::new(text, last);
    loop {
        let (from, number) = lines.place();
        ended.lines = number;
        match splitter.next(&mut lines) {
            Ok(Some(record)) => {
                if !push(record)? {
                    return Ok(());
                }
            }
            Ok(None) => {
                ended.lines = lines.place().1;
                return Ok(());
            }
            Err(ChunkStop::Fault(fault)) => return Err(fault),
            Err(ChunkStop::Open) => ended.open = Some(from),
            Err(ChunkStop::NoRoom(error)) => ended.no_room = Some(error),
        }
        if ended.open.is_some() || ended.no_room.is_some() {
            return Ok(());
        }
    }
}

/// Calls `push` with each line that is not blank, and its number.
fn each_line(text: &[u8], number: &mut u64, mut push: impl FnMut(&[u8], u64) -> Found<bool>) -> Found<()> {
    let mut at = 0;
    while at < text.len() {
        let end = memchr::memchr(b'\n', &text[at..]).map_or(text.len(), |n| at + n);
        let line = &text[at..end];
        *number += 1;
        lines::refuse_nul(line, *number)?;
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if !line.trim_ascii().is_empty() && !push(line, *number)? {
            break;
        }
        at = end + 1;
    }
    Ok(())
}

/// Text that is carried from one part to the next: a record that is not complete.
#[derive(Default)]
pub(super) struct Carried {
    text: Vec<u8>,
    /// Its length when it was last split.
    tried: usize,
}

/// What is to be done with a part.
#[derive(PartialEq, Eq)]
pub(super) enum Next {
    /// Nothing is carried: its records are right.
    Deliver,
    /// Its text was put behind what is carried: split it again.
    Again,
    /// Its text was carried along.
    Wait,
}

impl Carried {
    /// How many lines are carried.
    pub(super) fn lines(&self) -> u64 {
        memchr::memchr_iter(b'\n', &self.text).count() as u64
    }

    /// Puts what is carried before the text of the next part.
    pub(super) fn join(&mut self, text: &mut Vec<u8>) -> Next {
        if self.text.is_empty() {
            return Next::Deliver;
        }
        self.text.extend_from_slice(text);
        // A record that stays open is split again when its text has doubled, so that all attempts together take
        // linear time.
        if self.text.len() < 2 * self.tried {
            return Next::Wait;
        }
        std::mem::swap(&mut self.text, text);
        self.text.clear();
        Next::Again
    }

    /// Keeps the text from here on for the next part.
    pub(super) fn keep(&mut self, text: &[u8], open: Option<usize>) {
        if let Some(open) = open {
            self.text.extend_from_slice(&text[open..]);
            self.tried = self.text.len();
        }
    }

    /// The text that is still carried when no other follows.
    pub(super) fn rest(&mut self) -> Option<Vec<u8>> {
        if self.text.is_empty() { None } else { Some(std::mem::take(&mut self.text)) }
    }
}
