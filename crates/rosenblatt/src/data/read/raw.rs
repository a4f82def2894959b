//! The values of a file as they are written: texts, not floats. For those who need a value exactly.

use super::columns::Body;
use super::rows::Rows;
use super::{Header, Opened, ReadOptions, records};
use crate::data::fault::Fault;
use crate::data::schema::{Column, ColumnKind, Schema};
use crate::data::sniff::{self, Format};
use crate::data::source::Input;
use crate::error::{Error, Result};

/// A feature, from 0, and the text of its value.
pub(crate) type RawEntry<'r> = (usize, &'r [u8]);

/// Calls `visit(row, entries)` for each data row of a file that was read before, with this format and schema; rows
/// count from 0, features come in increasing order, and a category is the text `1`. Ends when `visit` says `false`.
pub(crate) fn each_raw(
    input: &Input,
    format: Format,
    schema: &Schema,
    mut visit: impl FnMut(usize, &[RawEntry<'_>]) -> Result<bool>,
) -> Result<()> {
    if !matches!(format, Format::Libsvm | Format::Csv | Format::Tsv) {
        let told = "separability is proved of numbers as they are written in libsvm, csv or tsv";
        return Err(Error::settings(format!("{told}, and the file is {format}")));
    }
    if !schema.is_as_written() {
        return Err(Error::settings(
            "separability is proved of numbers and categories as they stand in the file: leave out --text and --missing",
        ));
    }
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
            let mut body = Body::new(Rows::Text(records(lines, format)), header, &[], |_| false)?;
            let name = body.file.clone();
            while let Some(record) = body.next()? {
                let mut entries = Vec::with_capacity(columns.len());
                let mut first = 0;
                for column in columns {
                    let text = record.text(column.at);
                    match place(column, text) {
                        Some(None) => entries.push((first, text)),
                        Some(Some(at)) => entries.push((first + at, &b"1"[..])),
                        None => {
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
        _ => Ok(()),
    }
}

/// Where a value goes within its column's features: `Some(None)` for numbers, `None` for an unknown category.
fn place(column: &Column, text: &[u8]) -> Option<Option<usize>> {
    match &column.kind {
        ColumnKind::Number => Some(None),
        ColumnKind::Category { values } => values.binary_search_by(|v| v.as_bytes().cmp(text)).ok().map(Some),
        ColumnKind::Text { .. } => None,
    }
}

/// The entries of a LIBSVM line that was read before; `None` if it holds no row.
fn indexed(line: &[u8], first: u32) -> Option<Vec<RawEntry<'_>>> {
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
