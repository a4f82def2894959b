//! The columns of a delimited file: whether it has a header, what the columns are called, which one is meant.

use std::collections::HashMap;

use super::number::{NotFinite, number};
use super::raw_rows::Rows;
use super::records::{Held, Record};
use super::{Header, ReadOptions};
use crate::error::{Error, Place, Result};
use crate::io::{Fault, Found, count, show};
use crate::message::{Message, Setting};
use crate::rows::list;

/// How far to look for a number when the first row has none. Beyond that, the file has no header.
pub(crate) const LOOK_AHEAD: usize = 1 << 14;

/// A delimited file whose head has been read. Rows that were looked at are held and come first.
#[derive(Debug)]
pub(crate) struct Body<'a> {
    /// What messages call the file.
    pub(crate) file: String,
    /// Column names: from the header, else `x1`, `x2`, …
    pub(crate) names: Vec<String>,
    /// Whether the file has a header.
    pub(crate) header: bool,
    /// Whether a header was looked for in vain, because nothing is a number.
    pub(crate) wordy: bool,
    /// The line that settled how many fields a row has.
    first_line: u64,
    held: Vec<Held>,
    at: usize,
    records: Rows<'a>,
}

impl<'a> Body<'a> {
    /// Reads as much as it takes to know whether there is a header; `named` says whether a first row holds known
    /// names. Columns of text, whose `texts` may be numbers by accident, tell nothing.
    pub(crate) fn new(
        mut records: Rows<'a>,
        header: Header,
        texts: &[usize],
        named: impl FnOnce(Record<'_>) -> bool,
    ) -> Result<Self> {
        let file = records.name().to_string();
        if let Some(names) = records.names() {
            return Ok(Body {
                file,
                names,
                header: true,
                wordy: false,
                first_line: 0,
                held: Vec::new(),
                at: 0,
                records,
            });
        }
        let mut held = match records.next()? {
            Some(first) => vec![Held::new(first)],
            None => return Err(Error::data(Place::file(file), "no examples: the file is empty")),
        };
        let found = match header {
            Header::Yes => Some(true),
            Header::No => Some(false),
            Header::Auto if named(held[0].record()) => Some(true),
            Header::Auto if has_number(held[0].record(), texts) => Some(false),
            Header::Auto => look_ahead(&mut records, &mut held, texts)?,
        };
        let header = found == Some(true);
        let first = held[0].record();
        let first_line = first.line;
        let names = if header {
            header_names(first).map_err(|fault| fault.of(&file))?
        } else {
            (1..=first.len()).map(|n| format!("x{n}")).collect()
        };
        let at = usize::from(header);
        Ok(Body { file, names, header, wordy: found.is_none(), first_line, held, at, records })
    }

    /// Whether the file is a single row of words, before it has been read: a header with nothing below it.
    pub(crate) fn is_header_alone(&self) -> bool {
        self.wordy && self.held.len() == 1
    }

    /// Whether all rows that were looked at beforehand have been handed over.
    pub(crate) fn is_past_head(&self) -> bool {
        self.at >= self.held.len()
    }

    /// The rows behind the last one.
    pub(crate) fn into_rows(self) -> Rows<'a> {
        self.records
    }

    /// How many fields each row has.
    pub(crate) fn width(&self) -> usize {
        self.names.len()
    }

    /// The next row; one with another number of fields is an error.
    pub(crate) fn next(&mut self) -> Result<Option<Record<'_>>> {
        let record = if self.at < self.held.len() {
            self.at += 1;
            Some(self.held[self.at - 1].record())
        } else {
            self.held = Vec::new();
            self.at = 0;
            self.records.next()?
        };
        match record {
            Some(record) if record.len() != self.names.len() => {
                let (found, wanted) = (count(record.len() as u64, "field"), self.names.len());
                let told = format!("{found}, where line {} has {wanted}: mend the row", self.first_line);
                Err(Fault::line(record.line, told).of(&self.file))
            }
            other => Ok(other),
        }
    }

    /// The column that an option names: by its name, else by its number from 1.
    pub(crate) fn find(&self, option: Setting, wanted: &str) -> Result<usize> {
        if let Some(at) = self.names.iter().position(|n| n == wanted) {
            return Ok(at);
        }
        let width = self.width();
        let told = match wanted.parse::<usize>() {
            Ok(n) if (1..=width).contains(&n) => return Ok(n - 1),
            Ok(_) => Message::new(format!("the file has {}", count(width as u64, "column"))),
            Err(_) if self.header => {
                Message::new(format!("no column has this name; the file has {}", list(&self.names)))
            }
            Err(_) => {
                Message::new(format!("the file has no header, so name a column by its number, 1 to {width} (or pass "))
                    .set(Setting::Header, "yes")
                    .text(")")
            }
        };
        Err(Error::setting(option, wanted, told).in_file(&self.file))
    }

    /// That there was nothing to read.
    pub(crate) fn no_examples(&self) -> Error {
        Error::data(Place::file(&self.file), "no examples: the file has a header and nothing else")
    }

    /// The first line so far with a quote that opens a field and was read as text.
    pub(crate) fn loose_quote(&self) -> Option<u64> {
        self.records.loose_quote()
    }

    /// The fingerprint of the source, complete after the last row.
    pub(crate) fn fingerprint(&self) -> u64 {
        self.records.fingerprint()
    }
}

/// Reads on until a row has a number: then the first row was a header. `None`: no number in sight.
fn look_ahead(records: &mut Rows<'_>, held: &mut Vec<Held>, texts: &[usize]) -> Result<Option<bool>> {
    while held.len() < LOOK_AHEAD {
        let Some(record) = records.next()? else { break };
        let found = has_number(record, texts);
        held.push(Held::new(record));
        if found {
            return Ok(Some(true));
        }
    }
    Ok(None)
}

/// Whether any field is a number, be it one that will be refused.
fn has_number(record: Record<'_>, texts: &[usize]) -> bool {
    let is_number = |text: &[u8]| !matches!(number(text), Err(NotFinite::Text | NotFinite::Nan));
    record.texts().enumerate().any(|(at, text)| !texts.contains(&at) && is_number(text))
}

/// Whether a first row holds one of the names given. A number is a place, and a row of data may well hold it.
pub(crate) fn names_given<'n>(mut given: impl Iterator<Item = &'n String>, first: Record<'_>) -> bool {
    given.any(|name| name.parse::<usize>().is_err() && holds(first, name))
}

/// The columns that are given by their place, from 0.
pub(crate) fn places_given(given: &[String]) -> Vec<usize> {
    given.iter().filter_map(|name| name.parse::<usize>().ok()?.checked_sub(1)).collect()
}

/// Whether a record holds this name.
pub(crate) fn holds(record: Record<'_>, name: &str) -> bool {
    record.texts().any(|text| text == name.as_bytes())
}

/// The names in a header; a column without one is called by its place.
fn header_names(record: Record<'_>) -> Found<Vec<String>> {
    let mut names: Vec<String> = Vec::with_capacity(record.len());
    let mut places = HashMap::with_capacity(record.len());
    for (i, text) in record.texts().enumerate() {
        let name = match std::str::from_utf8(text) {
            Ok("") => format!("x{}", i + 1),
            Ok(name) => name.to_string(),
            Err(_) => return Err(record.fault(i, not_utf8(text))),
        };
        if let Some(before) = places.insert(name.clone(), i) {
            let told = format!(
                "two columns are called {}, number {} and number {}: give each its own name",
                show(text),
                before + 1,
                i + 1
            );
            return Err(record.fault(i, told));
        }
        names.push(name);
    }
    Ok(names)
}

/// Whether a field holds no value: nothing, `NA`, `?` or `nan`.
pub(crate) fn is_missing(text: &[u8]) -> bool {
    matches!(text, b"" | b"?") || text.eq_ignore_ascii_case(b"na") || text.eq_ignore_ascii_case(b"nan")
}

/// The start of a sentence about a field without a value.
pub(crate) fn missing(name: &str, text: &[u8]) -> String {
    match text {
        b"" => format!("column \"{name}\" has no value here"),
        _ => format!("column \"{name}\" holds {}, a missing value", show(text)),
    }
}

/// What to say of bytes that are no UTF-8.
pub(crate) fn not_utf8(text: &[u8]) -> String {
    format!("{} is not UTF-8 text: save the file as UTF-8", show(text))
}

/// The column of weights.
#[derive(Debug)]
pub(crate) struct Weights {
    /// Where it stands, from 0.
    pub(crate) at: usize,
    name: String,
    values: Vec<f64>,
}

impl Weights {
    /// The column that the options name, if they name one.
    pub(crate) fn new(body: &Body<'_>, options: &ReadOptions) -> Result<Option<Self>> {
        let Some(wanted) = &options.weight else { return Ok(None) };
        let at = body.find(Setting::Weight, wanted)?;
        Ok(Some(Weights { at, name: body.names[at].clone(), values: Vec::new() }))
    }

    /// Takes in the weight of one row: a number, not negative.
    pub(crate) fn push(&mut self, record: Record<'_>) -> Found<()> {
        let text = record.text(self.at);
        match number(text) {
            Ok(value) if value >= 0.0 => {
                self.values.push(value);
                Ok(())
            }
            _ => {
                let (name, found) = (&self.name, show(text));
                let told = format!("weight column \"{name}\" holds {found}: expected a finite number, not negative");
                Err(record.fault(self.at, told))
            }
        }
    }

    /// The weight of each row.
    pub(crate) fn values(self) -> Vec<f64> {
        self.values
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_values() {
        for text in ["", "?", "NA", "na", "nan", "NaN"] {
            assert!(is_missing(text.as_bytes()), "{text}");
        }
        for text in ["0", "-", "??", "nano", "n/a"] {
            assert!(!is_missing(text.as_bytes()), "{text}");
        }
    }
}
