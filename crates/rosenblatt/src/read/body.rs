//! The rows of a table after its header: whether it has one, the names of the columns, and lookup of a column.

use std::collections::HashMap;

use super::Header;
use super::columns::not_utf8;
use super::fasttext;
use super::json::Hint;
use super::number::{NotFinite, number};
use super::records::{OwnedRecord, Record, Records};
use super::table_rows::TableRows;
use crate::error::{Error, Place, Result};
use crate::io::{Fault, Found, count, show};
use crate::message::{Message, Setting};
use crate::rows::list;

/// How many rows are searched for a number when the first has none. If there is none, the file has no header.
pub(crate) const LOOK_AHEAD: usize = 1 << 14;

/// A delimited file whose first rows have been read. Those are buffered and returned first.
#[derive(Debug)]
pub(crate) struct Body<'a> {
    /// What messages call the file.
    pub(crate) file: String,
    /// Column names: from the header, else `x1`, `x2`, …
    pub(crate) names: Vec<String>,
    /// Whether the file has a header.
    pub(crate) header: bool,
    /// Whether it is unknown if there is a header, because no field is a number.
    pub(crate) wordy: bool,
    /// What is known of each column, where rows are objects, whose fields have names and no order.
    pub(crate) hints: Option<Vec<Hint>>,
    /// The line that determined the number of fields.
    first_line: u64,
    buffered: Vec<OwnedRecord>,
    at: usize,
    records: TableRows<'a>,
}

impl<'a> Body<'a> {
    /// Reads until it is known whether there is a header; `named` tells whether the first row holds known names. The
    /// columns `texts` are ignored: a text may happen to be a number.
    pub(crate) fn new(
        mut records: TableRows<'a>,
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
                hints: records.hints().map(<[Hint]>::to_vec),
                first_line: 0,
                buffered: Vec::new(),
                at: 0,
                records,
            });
        }
        let mut buffered = match records.next()? {
            Some(first) => {
                first.room().map_err(|error| error.in_file(&file))?;
                vec![OwnedRecord::new(first)]
            }
            None => return Err(Error::data(Place::file(file), "no examples: the file is empty")),
        };
        let found = match header {
            Header::Yes => Some(true),
            Header::No => Some(false),
            Header::Auto if named(buffered[0].record()) => Some(true),
            // Whoever waits for an answer gets one to each row: the first is not held back for the next.
            Header::Auto if records.is_live() => Some(false),
            Header::Auto if has_number(buffered[0].record(), texts) => Some(false),
            Header::Auto => look_ahead(&mut records, &mut buffered, texts)?,
        };
        let header = found == Some(true);
        let first = buffered[0].record();
        let first_line = first.line;
        let names = if header {
            header_names(first).map_err(|fault| fault.of(&file))?
        } else {
            (1..=first.len()).map(|n| format!("x{n}")).collect()
        };
        let at = usize::from(header);
        Ok(Body { file, names, header, wordy: found.is_none(), hints: None, first_line, buffered, at, records })
    }

    /// Whether its columns are those of fastText's lines.
    pub(crate) fn is_label_and_text(&self) -> bool {
        self.hints.as_deref() == Some(&fasttext::HINTS) && self.names == fasttext::NAMES
    }

    /// Whether the file is a single row without numbers: a header and no data.
    pub(crate) fn is_header_alone(&self) -> bool {
        self.wordy && self.buffered.len() == 1
    }

    /// Whether all buffered rows have been returned.
    pub(crate) fn is_past_head(&self) -> bool {
        self.at >= self.buffered.len()
    }

    /// The remaining records of a text; `Err` with the unchanged body for any other table.
    #[expect(clippy::result_large_err, reason = "made once per file, and not an error")]
    pub(crate) fn into_text(self) -> std::result::Result<Records<'a>, Self> {
        match self.records {
            TableRows::Text(records) => Ok(*records),
            records => Err(Body { records, ..self }),
        }
    }

    /// How many fields each row has.
    pub(crate) fn width(&self) -> usize {
        self.names.len()
    }

    /// The next row; one with another number of fields is an error.
    pub(crate) fn next(&mut self) -> Result<Option<Record<'_>>> {
        let record = if self.at < self.buffered.len() {
            self.at += 1;
            Some(self.buffered[self.at - 1].record())
        } else {
            self.buffered = Vec::new();
            self.at = 0;
            self.records.next()?
        };
        match record {
            Some(record) => {
                let checked = check_fields(record, self.names.len(), self.first_line);
                checked.map(|()| Some(record)).map_err(|fault| fault.of(&self.file))
            }
            None => Ok(None),
        }
    }

    /// The line that determined the number of fields.
    pub(crate) fn first_line(&self) -> u64 {
        self.first_line
    }

    /// Whether its rows are decoded one by one.
    pub(crate) fn is_parquet(&self) -> bool {
        self.records.is_parquet()
    }

    /// The rows that were not read.
    pub(crate) fn into_rows(self) -> TableRows<'a> {
        self.records
    }

    /// The column that an option names: by its name, else by its number from 1.
    pub(crate) fn find(&self, option: Setting, wanted: &str) -> Result<usize> {
        if let Some(at) = self.names.iter().position(|n| n == wanted) {
            return Ok(at);
        }
        let width = self.width();
        let message = match wanted.parse::<usize>() {
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
        Err(Error::setting(option, wanted, message).in_file(&self.file))
    }

    /// What is known of a column before its values are read.
    pub(crate) fn hint(&self, at: usize) -> Hint {
        self.hints.as_ref().map_or(Hint::Any, |hints| hints[at])
    }

    /// The error that there are no rows.
    pub(crate) fn no_examples(&self) -> Error {
        let message = match self.hints {
            Some(_) => "no examples: no line holds one",
            None => "no examples: the file has a header and nothing else",
        };
        Error::data(Place::file(&self.file), message)
    }

    /// The first line so far whose field starts with an unclosed quote, read as text.
    pub(crate) fn loose_quote(&self) -> Option<u64> {
        self.records.loose_quote()
    }

    /// The fingerprint of the source, complete after the last row.
    pub(crate) fn fingerprint(&self) -> u64 {
        self.records.fingerprint()
    }
}

/// Refuses a row with another number of fields than the line that shows it.
pub(crate) fn check_fields(record: Record<'_>, wanted: usize, first_line: u64) -> Found<()> {
    if record.len() == wanted {
        return Ok(());
    }
    let found = count(record.len() as u64, "field");
    Err(Fault::line(record.line, format!("{found}, where line {first_line} has {wanted}: correct the row")))
}

/// Reads until a row has a number: then the first row was a header. `None`: no number found.
fn look_ahead(records: &mut TableRows<'_>, buffered: &mut Vec<OwnedRecord>, texts: &[usize]) -> Result<Option<bool>> {
    let mut prose = Prose::default();
    while buffered.len() < LOOK_AHEAD {
        let Some(record) = records.next()? else { break };
        let found = numbers(record, texts).any(|at| !prose.fills(at));
        prose.see(record);
        record.room()?;
        buffered.push(OwnedRecord::new(record));
        if found {
            return Ok(Some(true));
        }
    }
    Ok(None)
}

/// Which columns hold texts: one of thousands of messages may be a number, and says nothing of the first row.
#[derive(Default)]
struct Prose {
    /// Of each column, how many values were seen, and how many of several words.
    seen: Vec<(usize, usize)>,
}

impl Prose {
    fn see(&mut self, record: Record<'_>) {
        self.seen.resize(self.seen.len().max(record.len()), (0, 0));
        for ((values, wordy), text) in self.seen.iter_mut().zip(record.texts()) {
            *values += usize::from(!text.is_empty());
            *wordy += usize::from(text.contains(&b' '));
        }
    }

    /// Whether most values of a column have several words.
    fn fills(&self, at: usize) -> bool {
        self.seen.get(at).is_some_and(|&(values, wordy)| 2 * wordy > values)
    }
}

/// Whether any field is a number, finite or not.
fn has_number(record: Record<'_>, texts: &[usize]) -> bool {
    numbers(record, texts).next().is_some()
}

/// The places of the fields that are numbers.
fn numbers<'r>(record: Record<'r>, texts: &'r [usize]) -> impl Iterator<Item = usize> + 'r {
    let is_number = |text: &[u8]| !matches!(number(text), Err(NotFinite::Text | NotFinite::Nan));
    record.texts().enumerate().filter(move |(at, text)| !texts.contains(at) && is_number(text)).map(|(at, _)| at)
}

/// Whether a first row holds one of the given names. Numbers are column positions and do not count.
pub(crate) fn names_given<'n>(mut given: impl Iterator<Item = &'n String>, first: Record<'_>) -> bool {
    given.any(|name| name.parse::<usize>().is_err() && holds(first, name))
}

/// The columns that are given by position, from 0.
pub(crate) fn places_given(given: &[String]) -> Vec<usize> {
    given.iter().filter_map(|name| name.parse::<usize>().ok()?.checked_sub(1)).collect()
}

/// Whether a record holds this name.
pub(crate) fn holds(record: Record<'_>, name: &str) -> bool {
    record.texts().any(|text| text == name.as_bytes())
}

/// The names in a header; a column without one is named by its position.
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
            let message = format!(
                "two columns are called {}, number {} and number {}: give each its own name",
                show(text),
                before + 1,
                i + 1
            );
            return Err(record.fault(i, message));
        }
        names.push(name);
    }
    Ok(names)
}
