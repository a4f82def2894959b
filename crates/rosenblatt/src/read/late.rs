//! Columns of numbers in which a text is found late: at row 20,000, say, after `2`, `3` and `4` a column holds `5more`.
//!
//! Such a column holds categories if it has few different values, and a mistake if it has many. Only the whole file shows
//! which, so it is read to its end once ([`Lates::Collect`]) and then again, with these columns as categories
//! ([`Lates::Known`]); [`Categories::check`](super::categories::Categories::check) judges them.

use super::almost::Almost;
use super::csv::FirstRows;
use super::records::Record;
use super::table_rows::TableRows;
use super::{Parts, ReadOptions, parts};
use crate::error::Result;
use crate::io::{Fault, Pace, count, show};
use crate::message::{Message, Setting};

/// The first text in a column of numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Late {
    /// The column, from 0.
    pub(super) at: usize,
    /// Where the text is, both from 1.
    pub(super) line: u64,
    pub(super) column: u64,
    /// The text, to be shown.
    pub(super) text: String,
    /// What it is to a person and what to do, if it is a number to a person.
    pub(super) almost: Option<(&'static str, &'static str)>,
    /// How many rows are before it.
    pub(super) before: u64,
}

impl Late {
    /// The text of a record in this column.
    pub(super) fn new(record: Record<'_>, at: usize, before: u64) -> Self {
        let fault = record.fault(at, "");
        let (field, line, column) = (record.text(at), fault.line, fault.column);
        let text = std::str::from_utf8(field).ok();
        let almost = text.and_then(|text| Some(Almost::of(text)?.described_as(text)));
        Late { at, line, column, text: show(field), almost, before }
    }

    /// The fault that a column holds it.
    #[cold]
    pub(super) fn refused(&self, name: &str) -> Fault {
        let before = match self.before {
            1 => "the value before is a number".to_string(),
            n => format!("the {} before are numbers", count(n, "value")),
        };
        let (kind, advice) = match self.almost {
            Some((kind, advice)) => (format!(" ({kind})"), advice),
            None => (String::new(), "correct it"),
        };
        let message = format!("column \"{name}\" holds {}{kind}, but {before}: {advice}, or pass ", self.text);
        Fault::at(self.line, self.column, Message::new(message).set(Setting::Category, name))
    }
}

/// What happens to a text in a column of numbers.
#[derive(Debug, Clone, Copy)]
pub(super) enum Lates<'l> {
    /// It is refused: the file cannot be read again.
    Refuse,
    /// It is kept for a second reading.
    Collect,
    /// It was found in a first reading, in these columns.
    Known(&'l [Late]),
}

/// Reads a table on one thread, or twice if columns turn out to hold categories late.
pub(super) fn read<'a>(open: impl Fn() -> Result<TableRows<'a>>, options: &ReadOptions, pace: Pace) -> Result<Parts> {
    let late = match FirstRows::read(open()?, options, Lates::Collect)?.read_rest(options)? {
        Ok(parts) => return Ok(parts),
        Err(late) => late,
    };
    let first = || FirstRows::read(open()?, options, Lates::Known(&late));
    if let Some(parts) = parts::read(first()?, options, pace)? {
        return Ok(parts);
    }
    first()?.read_all(options)
}
