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
use crate::error::{Error, Result};
use crate::io::Input;
use crate::message::{Message, Setting};
use crate::read::{Dataset, Format, Header, ReadOptions, integers, npy_writer as npy, read};
use crate::rows::{Row, Rows, Schema, Table, each_kind};
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
    let cells = table.matrix.len().saturating_mul(table.matrix.features());
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
            return array::check(table, &bytes, &labels).map(|notes| Converted { bytes, labels: Some(labels), notes });
        }
        other => {
            return Err(Error::settings(format!("{other} is read, not written: convert to libsvm, csv, tsv or npy")));
        }
    };
    notes.extend(check(table, &bytes, to)?);
    Ok(Converted { bytes, labels: None, notes })
}

/// Reads the output back; returns a note on the options needed, if any.
fn check(table: &Table, bytes: &[u8], to: Format) -> Result<Option<Message>> {
    let input = Input::memory(format!("converted.{to}"), bytes.to_vec());
    let plain = ReadOptions { format: Some(to), ..ReadOptions::default() };
    if read(&input, &plain).is_ok_and(|again| same(table, &again.table)) {
        return Ok(None);
    }
    if let Schema::Columns { label, header, .. } = columns::schema(table) {
        let label = label.unwrap_or_else(|| "label".into());
        let header = if header { Header::Yes } else { Header::No };
        let given = ReadOptions { header, label: (header == Header::Yes).then(|| label.clone()), ..plain };
        if to != Format::Libsvm && read(&input, &given).is_ok_and(|again| same(table, &again.table)) {
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

/// Whether every row has the same label and the same numbers. Trailing features may be missing if all are zero.
fn same(a: &Table, b: &Table) -> bool {
    let names = |t: &Table| t.classes.iter().map(|&c| t.labels.name(c).to_string()).collect::<Vec<_>>();
    let stored = |t: &Table| -> Result<Vec<Vec<(usize, u64)>>> {
        let rows = t.matrix.rows()?;
        Ok(each_kind!(rows, rows => (0..rows.len()).map(|i| {
            let mut entries = Vec::new();
            rows.row(i).each(|j, v| if v != 0.0 { entries.push((j, v.to_bits())) });
            entries
        }).collect()))
    };
    let shapes = a.matrix.len() == b.matrix.len() && b.matrix.features() <= a.matrix.features();
    shapes && names(a) == names(b) && matches!((stored(a), stored(b)), (Ok(a), Ok(b)) if a == b)
}
