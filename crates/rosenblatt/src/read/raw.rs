//! The values of a file as text, for exact arithmetic.

use super::body::Body;
use super::columns::{Columns, Kind, TrainedTable, Value, as_written, category_place};
use super::sniff::Format;
use super::{Opened, ReadOptions};
use crate::error::{Error, Result};
use crate::io::{Fault, Input, Lines};
use crate::message::{Message, Setting, Tool};
use crate::read::{json, libsvm, records, sniff, vw};
use crate::rows::{Fill, Schema};

/// A feature, from 0, and the text of its value.
pub(crate) type RawEntry<'r> = (usize, &'r [u8]);

/// Calls `visit(row, entries)` for each data row of a file that was read before with this format and schema. Rows count
/// from 0, features come in increasing order, and a category or an indicator of a missing value is the text `1`. Words of
/// a text column are left out. Ends when `visit` returns `false`.
pub(crate) fn each_raw(
    input: &Input,
    format: Format,
    schema: &Schema,
    mut visit: impl FnMut(usize, &[RawEntry<'_>]) -> Result<bool>,
) -> Result<()> {
    let mut lines = open(input, format)?;
    let Some(trained) = TrainedTable::of(schema) else {
        let first = match schema {
            Schema::Named { names } => return vw::each_written(lines, names, visit),
            Schema::Indexed { first, .. } => first,
            Schema::Columns { .. } => return Ok(()),
        };
        let mut row = 0;
        while lines.advance()? {
            let Some(entries) = libsvm::written(lines.line(), *first) else { continue };
            if !visit(row, &entries)? {
                break;
            }
            row += 1;
        }
        return Ok(());
    };
    let (mut body, mut columns) = table(lines, format, trained)?;
    let name = body.file.clone();
    let (mut row, na) = (0, std::mem::take(&mut columns.na));
    while let Some(record) = body.next()? {
        let mut entries: Vec<RawEntry<'_>> = Vec::with_capacity(columns.features.len());
        for column in &mut columns.features {
            let (text, gaps) = (record.text(column.at), column.gaps(&na));
            let feature = match column.kind.as_mut().read(text, gaps, as_written) {
                Ok(Value::Number(text)) => {
                    entries.push((column.first, text));
                    continue;
                }
                Ok(Value::Text((), _) | Value::Set((), _)) => continue,
                Ok(Value::Category(values, text)) => category_place(values, text),
                Ok(Value::NoNumber | Value::NoCategory) => match column.missing_mark() {
                    Some(place) => Some(place),
                    None => continue,
                },
                Err(_) => None,
            };
            let Some(place) = feature else {
                let message = "a category that was not there before: the file has changed";
                return Err(record.fault(column.at, message).of(&name));
            };
            entries.push((column.first + place, &b"1"[..]));
        }
        if !visit(row, &entries)? {
            break;
        }
        row += 1;
    }
    Ok(())
}

/// Opens a file that was read before.
fn open(input: &Input, format: Format) -> Result<Lines<'_>> {
    let options = ReadOptions { format: Some(format), ..ReadOptions::default() };
    Ok(Opened::new(input, &options, None)?.lines)
}

/// The rows of a table that was read before, and its columns.
fn table<'a, 's>(
    lines: Lines<'a>,
    format: Format,
    trained: TrainedTable<'s>,
) -> Result<(Body<'a>, Columns<&'s [String], ()>)> {
    let mut rows = match format {
        Format::Jsonl => json::rows_again(lines, trained),
        _ => records(lines, format, trained.dialect.delimiter, None)?,
    };
    rows.keep_only(&|at, _| at == trained.label_at() || trained.columns.iter().any(|column| column.at == at));
    let body = Body::new(rows, trained.had_header(), &[], |_| false)?;
    if body.width() != trained.width {
        let message = format!("{} columns, where {} were read before", body.width(), trained.width);
        return Err(Error::bad_data(message).in_file(&body.file));
    }
    let mut columns = trained.columns(|_, _| Ok(()))?;
    if format == Format::Jsonl {
        // An array of strings is no text.
        for column in &mut columns.features {
            if matches!(column.kind, Kind::Text(())) {
                column.kind = Kind::Set(());
            }
        }
    }
    Ok((body, columns))
}

/// What a certificate records of a table besides its schema.
pub(crate) struct TableAsWritten {
    /// The delimiter of fields.
    pub(crate) delimiter: char,
    /// For each feature column, whether any value is missing.
    pub(crate) lacking: Vec<bool>,
    /// For each feature column, whether it holds arrays of strings.
    pub(crate) sets: Vec<bool>,
}

/// Scans a csv, tsv or jsonl file that was read before with this schema. Refuses a quote that the verifier would read otherwise.
pub(crate) fn table_as_written(input: &Input, format: Format, schema: &Schema) -> Result<TableAsWritten> {
    let lines = open(input, format)?;
    let given = schema.dialect().and_then(|dialect| dialect.delimiter);
    let delimiter = sniff::delimiter(format, lines.head(), lines.head_is_all(), (given, None)).into();
    let Some(trained) = TrainedTable::of(schema) else {
        return Ok(TableAsWritten { delimiter, lacking: Vec::new(), sets: Vec::new() });
    };
    let (mut lacking, mut sets) = (vec![false; trained.columns.len()], vec![false; trained.columns.len()]);
    if format == Format::Jsonl || delimiter == '\t' || trained.columns.iter().any(|column| column.missing.is_some()) {
        let (mut body, mut columns) = table(lines, format, trained)?;
        let na = std::mem::take(&mut columns.na);
        while let Some(record) = body.next()? {
            for ((lacks, set), column) in lacking.iter_mut().zip(&mut sets).zip(&mut columns.features) {
                let gaps = column.gaps(&na);
                let value = column.kind.as_mut().read(record.text(column.at), gaps, as_written);
                *lacks |= matches!(value, Ok(Value::NoNumber | Value::NoCategory));
                *set |= matches!(value, Ok(Value::Set(..)));
            }
        }
        // The verifier reads tables by the csv rules, where this quote would open a quoted field.
        if let Some(line) = body.loose_quote() {
            let message = "a quote opens a field that it does not close: take it out, or quote the field and double it";
            return Err(Fault::line(line, message).of(&body.file));
        }
    }
    Ok(TableAsWritten { delimiter, lacking, sets })
}

/// Refuses inputs that cannot be read twice.
pub(crate) fn refuse_stream(input: &Input) -> Result<()> {
    match input {
        Input::Stdin => Err(Error::settings("standard input cannot be read twice: keep its bytes in memory")),
        _ if input.opens_again() => Ok(()),
        _ => Err(Error::settings("a pipe cannot be read twice: keep its bytes in memory").in_file(&input.name())),
    }
}

/// Refuses features that are not written in the file as they are.
pub(crate) fn refuse_unwritten(format: Format, schema: &Schema) -> Result<()> {
    match format {
        Format::Libsvm | Format::Csv | Format::Tsv | Format::Jsonl => {}
        Format::FastText => {
            let why = "a certificate is of numbers as they are written in a table, libsvm, jsonl, npy or idx, not of words alone";
            return Err(Error::settings(why));
        }
        Format::Vw => {
            let why =
                "a certificate is of numbers as they are written in a table, libsvm, jsonl, npy or idx, not in vw: ";
            return Err(Error::settings(Message::new(why).tool(Tool::Convert).text(" makes libsvm of it")));
        }
        Format::Parquet => {
            return Err(Error::settings(
                Message::new(
                    "a certificate is of what anyone can read again, and parquet is no such simple format: ",
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
    if schema.dialect().is_some_and(|dialect| !dialect.na.is_empty()) {
        let message = "separability is proved of the usual missing values, which anyone recognises: leave out ";
        return Err(Error::settings(Message::new(message).with(Setting::Na)));
    }
    if schema.has_char_grams() {
        let message = "separability is proved of words and runs of words: leave out ";
        return Err(Error::settings(Message::new(message).with(Setting::CharNgrams)));
    }
    if let Some(trained) = TrainedTable::of(schema)
        && let Some(column) = trained.columns.iter().find(|column| column.missing == Some(Fill::Mean))
    {
        let message = format!(
            "separability is proved of what stands in the file, and the mean of column \"{}\" does not: choose ",
            column.name
        );
        return Err(Error::settings(Message::new(message).one_of(Setting::Missing, &["zero", "indicator"])));
    }
    Ok(())
}
