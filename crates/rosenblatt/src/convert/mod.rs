//! Converts a table to another format without losing a digit.
//!
//! Numbers are written as the shortest text that reads back as the same `f64`, or with all digits of the file where it
//! has more. The output is read back and compared before it is returned, so that a label with a space or a name that
//! looks like a number is refused and not garbled.

mod array;
mod columns;
mod indexed;
#[cfg(test)]
mod tests;
mod values;

use crate::certify::exact::Written;
use crate::error::{Error, ErrorKind, Result};
use crate::io::Input;
use crate::limits;
use crate::message::{Message, Setting};
use crate::read::{Dataset, Format, Header, ReadOptions, integers, npy_writer as npy, read};
use crate::rows::{AnyRows, Row, Rows, Schema, Table};
use values::{Digits, Values};

/// A converted table.
#[derive(Debug, Clone)]
pub struct Converted {
    /// The file.
    pub bytes: Vec<u8>,
    /// The label file, for formats that keep labels separately.
    pub labels: Option<Vec<u8>>,
    /// Notes for the user: how to read it, what it cannot hold.
    pub notes: Vec<Message>,
}

/// Bytes that a column of a table takes while it is written: measured with 200 million of them.
const COLUMN: usize = 128;

/// The most cells of a dense output; more belong in a sparse format.
const MOST_CELLS: usize = 1 << 29;

/// Writes a table that was read from this input in another format.
pub fn convert(input: &Input, dataset: &Dataset, to: Format) -> Result<Converted> {
    let table = &dataset.table;
    if table.weights.is_some() {
        let why = ": the weights of examples cannot be converted; leave it out";
        return Err(Error::settings(Setting::Weight.named().text(why)));
    }
    // Named features (Vowpal Wabbit) become columns.
    if !table.schema.is_as_written() && !matches!(table.schema, Schema::Named { .. }) {
        return Err(Error::settings(
            Message::new("a text, or what stands for a missing value, is no number to be written: ")
                .leave_out(&[Setting::Text, Setting::Missing]),
        ));
    }
    let features = table.matrix.features();
    if to != Format::Libsvm {
        // A name of each column, its place, and a row with all its values as text.
        limits::room_for::<[u8; COLUMN]>(features as u128, || format!("a table of {features} columns").into())?;
    }
    let cells = table.matrix.len().saturating_mul(features);
    if to != Format::Libsvm && cells > MOST_CELLS {
        return Err(Error::settings(format!(
            "{} rows of {} features are {cells} cells, most of them zero: too many for {to}; keep it libsvm",
            table.matrix.len(),
            table.matrix.features()
        )));
    }
    // A text, a Parquet table or an array of 64-bit integers may hold more digits than a float.
    let digits = match dataset.format {
        Format::Idx => Digits::Float,
        Format::Npy => integers(input)?.map_or(Digits::Float, Digits::Integers),
        _ => Digits::Written(Written::of_any_format(input, dataset)?),
    };
    let values = &Values::new(table.matrix.rows()?, &digits);
    let (bytes, mut notes) = match to {
        Format::Libsvm => indexed::write(table, values)?,
        Format::Csv => columns::write(table, values, b',')?,
        Format::Tsv => columns::write(table, values, b'\t')?,
        Format::Npy => {
            values.refuse_rounded_integers()?;
            let (bytes, labels) = (npy::matrix(table)?, npy::labels(table));
            let (bytes, notes) = array::check(table, bytes, &labels)?;
            return Ok(Converted { bytes, labels: Some(labels), notes });
        }
        other => {
            return Err(Error::settings(format!("{other} is read, not written: convert to libsvm, csv, tsv or npy")));
        }
    };
    let (bytes, note) = check(table, bytes, to)?;
    notes.extend(note);
    Ok(Converted { bytes, labels: None, notes })
}

/// Reads the output back; returns it with a note on the options needed, if any.
fn check(table: &Table, bytes: Vec<u8>, to: Format) -> Result<(Vec<u8>, Option<Message>)> {
    let input = Input::memory(format!("converted.{to}"), bytes);
    let note = how_to_read(table, &input, to)?;
    match input {
        Input::Memory { bytes, .. } => Ok((bytes, note)),
        _ => unreachable!("it is in memory"),
    }
}

/// Whether the output is read back as the same table: the options that it takes, if any.
fn how_to_read(table: &Table, input: &Input, to: Format) -> Result<Option<Message>> {
    let plain = ReadOptions { format: Some(to), ..ReadOptions::default() };
    if reads_back(input, &plain, table)? {
        return Ok(None);
    }
    if let Schema::Columns { label, header, .. } = columns::schema(table) {
        let label = label.unwrap_or_else(|| "label".into());
        let header = if header { Header::Yes } else { Header::No };
        let given = ReadOptions { header, label: (header == Header::Yes).then(|| label.clone()), ..plain };
        if to != Format::Libsvm && reads_back(input, &given, table)? {
            let message = Message::new("read it with ");
            let message = match header {
                Header::Yes => message.set(Setting::Header, "yes").text(" ").set(Setting::Label, label),
                _ => message.set(Setting::Header, "no"),
            };
            return Ok(Some(message));
        }
    }
    Err(Error::bad_data(format!(
        "{to} cannot hold these data so that they read back the same: a label or a category looks like something else"
    )))
}

/// Whether an input is this table again. That there is no memory or time to tell is an error.
fn reads_back(input: &Input, options: &ReadOptions, table: &Table) -> Result<bool> {
    match read(input, options) {
        Ok(again) => Ok(same(table, &again.table)),
        Err(error) if matches!(error.kind(), ErrorKind::Memory | ErrorKind::Time | ErrorKind::Interrupted) => {
            Err(error)
        }
        Err(_) => Ok(false),
    }
}

/// Whether every row has the same label and the same numbers. Trailing features may be missing if all are zero.
fn same(a: &Table, b: &Table) -> bool {
    let shapes = a.matrix.len() == b.matrix.len() && b.matrix.features() <= a.matrix.features();
    let labels = || a.classes.iter().zip(&b.classes).all(|(&c, &d)| a.labels.name(c) == b.labels.name(d));
    let (Ok(first), Ok(second)) = (a.matrix.rows(), b.matrix.rows()) else { return false };
    let entries = |rows: AnyRows<'_>, i: usize, all: &mut Vec<(usize, u64)>| {
        all.clear();
        rows.row(i).each(|j, v| {
            if v != 0.0 {
                all.push((j, v.to_bits()));
            }
        });
    };
    let (mut left, mut right) = (Vec::new(), Vec::new());
    let mut rows = || {
        (0..first.len()).all(|i| {
            entries(first, i, &mut left);
            entries(second, i, &mut right);
            left == right
        })
    };
    shapes && a.classes.len() == b.classes.len() && labels() && rows()
}
