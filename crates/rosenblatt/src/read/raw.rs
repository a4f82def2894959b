//! The values of a file as they are written: texts, not floats. For those who need a value exactly.

use super::columns::{Body, is_missing};
use super::sniff::Format;
use super::{Header, Opened, ReadOptions};
use crate::error::{Error, Result};
use crate::io::{Fault, Input};
use crate::message::{Message, Setting, Tool};
use crate::read::{records, sniff};
use crate::rows::{Column, ColumnKind, Fill, Schema};

/// A feature, from 0, and the text of its value.
pub(crate) type RawEntry<'r> = (usize, &'r [u8]);

/// Calls `visit(row, entries)` for each data row of a file that was read before, with this format and schema; rows
/// count from 0, features come in increasing order, and a category or a sign that a value is missing is the text `1`.
/// Words of a text are not among them. Ends when `visit` says `false`.
pub(crate) fn each_raw(
    input: &Input,
    format: Format,
    schema: &Schema,
    mut visit: impl FnMut(usize, &[RawEntry<'_>]) -> Result<bool>,
) -> Result<()> {
    refuse_unwritten(format, schema)?;
    let options = ReadOptions { format: Some(format), ..ReadOptions::default() };
    let Opened { mut lines, .. } = Opened::new(input, &options, None)?;
    let mut row = 0;
    match schema {
        Schema::Indexed { first, .. } => {
            while lines.advance()? {
                let Some(entries) = indexed(lines.line(), *first) else { continue };
                if !visit(row, &entries)? {
                    break;
                }
                row += 1;
            }
        }
        // Refused above.
        Schema::Named { .. } => {}
        Schema::Columns { columns, header, .. } => {
            let header = if *header { Header::Yes } else { Header::No };
            let mut body = Body::new(records(lines, format), header, &[], |_| false)?;
            let name = body.file.clone();
            while let Some(record) = body.next()? {
                let mut entries = Vec::with_capacity(columns.len());
                let mut first = 0;
                for column in columns {
                    let text = record.text(column.at);
                    match place(column, text) {
                        Place::Number => entries.push((first, text)),
                        Place::One(at) => entries.push((first + at, &b"1"[..])),
                        Place::Nowhere => {}
                        Place::Unknown => {
                            let told = "a category that was not there before: the file has changed".to_string();
                            return Err(record.fault(column.at, told).of(&name));
                        }
                    }
                    first += column.width();
                }
                if !visit(row, &entries)? {
                    break;
                }
                row += 1;
            }
            // A certificate is checked by the rule of csv, where this quote would open a quoted field.
            if let Some(line) = body.loose_quote() {
                let told =
                    "a quote opens a field that it does not close: take it out, or quote the field and double it";
                return Err(Fault::line(line, told).of(&name));
            }
        }
    }
    Ok(())
}

/// The character between the fields of a csv or tsv file.
pub(crate) fn raw_delimiter(input: &Input, format: Format) -> Result<char> {
    let options = ReadOptions { format: Some(format), ..ReadOptions::default() };
    let Opened { lines, .. } = Opened::new(input, &options, None)?;
    Ok(sniff::delimiter(format, lines.head(), lines.head_is_all()).into())
}

/// Refuses what cannot be read twice.
pub(crate) fn refuse_stream(input: &Input) -> Result<()> {
    match input {
        Input::Stdin => Err(Error::settings("standard input cannot be read twice: keep its bytes in memory")),
        _ if input.opens_again() => Ok(()),
        _ => Err(Error::settings("a pipe cannot be read twice: keep its bytes in memory").in_file(&input.name())),
    }
}

/// Refuses features that do not follow, number by number, from what stands in the file.
pub(crate) fn refuse_unwritten(format: Format, schema: &Schema) -> Result<()> {
    match format {
        Format::Libsvm | Format::Csv | Format::Tsv => {}
        Format::Vw => {
            return Err(Error::settings(
                Message::new(
                    "separability is proved of numbers as they are written in libsvm, csv or tsv, and the file is vw: ",
                )
                .tool(Tool::Convert)
                .text(" makes libsvm of it"),
            ));
        }
        Format::Parquet => {
            return Err(Error::settings(
                Message::new(
                    "separability is proved of what anyone can read again, and parquet is no such simple format: ",
                )
                .tool(Tool::Convert)
                .text(
                    " to npy keeps every number as it is (csv would hold the shortest decimals, and the proof would \
                     speak of those)",
                ),
            ));
        }
        Format::Idx | Format::Npy => return Err(Error::settings(format!("{format} is no text to be read again"))),
    }
    if let Schema::Columns { columns, .. } = schema
        && let Some(column) = columns.iter().find(|column| column.missing == Some(Fill::Mean))
    {
        let told = format!(
            "separability is proved of what stands in the file, and the mean of column \"{}\" does not: choose ",
            column.name
        );
        return Err(Error::settings(Message::new(told).one_of(Setting::Missing, &["zero", "indicator"])));
    }
    Ok(())
}

/// Of each column, whether a value is missing in a file that was read before, with this format and schema.
pub(crate) fn lacking(input: &Input, format: Format, schema: &Schema) -> Result<Vec<bool>> {
    let Schema::Columns { columns, header, .. } = schema else { return Ok(Vec::new()) };
    let mut lacking = vec![false; columns.len()];
    if columns.iter().all(|column| column.missing.is_none()) {
        return Ok(lacking);
    }
    let options = ReadOptions { format: Some(format), ..ReadOptions::default() };
    let Opened { lines, .. } = Opened::new(input, &options, None)?;
    let header = if *header { Header::Yes } else { Header::No };
    let mut body = Body::new(records(lines, format), header, &[], |_| false)?;
    while let Some(record) = body.next()? {
        for (lacks, column) in lacking.iter_mut().zip(columns) {
            *lacks |= column.missing.is_some() && is_missing(record.text(column.at));
        }
    }
    Ok(lacking)
}

/// Where a value goes within its column's features.
enum Place {
    Number,
    /// A category, or the sign that a value is missing.
    One(usize),
    /// A missing value without a sign, or a text.
    Nowhere,
    /// A category that nobody knows.
    Unknown,
}

fn place(column: &Column, text: &[u8]) -> Place {
    if column.missing.is_some() && is_missing(text) {
        return if column.marks_missing() { Place::One(column.width() - 1) } else { Place::Nowhere };
    }
    match &column.kind {
        ColumnKind::Number => Place::Number,
        ColumnKind::Category { values } => {
            values.binary_search_by(|v| v.as_bytes().cmp(text)).map_or(Place::Unknown, Place::One)
        }
        ColumnKind::Text { .. } => Place::Nowhere,
    }
}

/// The entries of a LIBSVM line that was read before; `None` if it holds no row.
pub(super) fn indexed(line: &[u8], first: u32) -> Option<Vec<RawEntry<'_>>> {
    let text = line.split(|&b| b == b'#').next()?;
    let blank = |b: &u8| matches!(b, b' ' | b'\t' | b'\r' | 0x0b | 0x0c);
    let mut tokens = text.split(blank).filter(|t| !t.is_empty());
    tokens.next()?;
    let entry = |token| -> Option<RawEntry<'_>> {
        let token: &[u8] = token;
        let colon = token.iter().position(|&b| b == b':')?;
        let index: usize = std::str::from_utf8(&token[..colon]).ok()?.parse().ok()?;
        Some((index.checked_sub(first as usize)?, &token[colon + 1..]))
    };
    Some(tokens.filter_map(entry).collect())
}
