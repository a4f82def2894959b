//! `read`: any text that the library reads, as CSV with all its digits.

use rosenblatt::convert::convert;
use rosenblatt::read::{ReadOptions, read};
use rosenblatt::{ColumnKind, Error, Fill, Format, Input, Result, Schema, Table};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::settings::check_size;
use crate::{steps, words};

/// The most numbers of a table whose columns are written as features.
const MOST_NUMBERS: usize = 2_000_000;

/// A file that was pasted, dropped, or named on the command line.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// Its text.
    text: String,
    /// Its name, which may tell the format.
    #[serde(default)]
    name: Option<String>,
    /// The column of labels.
    #[serde(default)]
    label: Option<String>,
    /// What replaces missing values.
    #[serde(default)]
    missing: Option<String>,
}

pub fn answer(request: &Request) -> Result<Value> {
    let name = request.name.clone().unwrap_or_else(|| "the text".into());
    let options = ReadOptions {
        label: request.label.clone(),
        missing: request.missing.as_deref().map(str::parse::<Fill>).transpose()?,
        ..ReadOptions::default()
    };
    read_any(&Input::memory(name, request.text.as_bytes()), &options)
}

/// The table of any input as CSV, with what is known about it.
pub(crate) fn read_any(input: &Input, options: &ReadOptions) -> Result<Value> {
    let dataset = read(input, options)?;
    let table = &dataset.table;
    check_size(table)?;
    if table.matrix.is_empty() {
        return Err(Error::bad_data("there are no examples in it").in_file(&dataset.name));
    }
    let mut notes: Vec<String> = dataset.notes.iter().map(words::message).collect();
    let csv = if is_plain(&table.schema) {
        let converted = convert(input, &dataset, Format::Csv)?;
        notes.extend(converted.notes.iter().map(words::message));
        String::from_utf8(converted.bytes).map_err(|_| Error::bad_data("the text is not UTF-8"))?
    } else {
        notes.push("Columns with words are shown as the learner has them: a column of 0 and 1 for each word.".into());
        features(table)?
    };
    Ok(json!({
        "csv": csv, "name": dataset.name, "format": dataset.format.to_string(), "examples": table.matrix.len(),
        "features": table.matrix.features(), "classes": table.labels.names(), "notes": notes,
    }))
}

/// Whether every column is one number, which the page can show and move.
fn is_plain(schema: &Schema) -> bool {
    let Schema::Columns { columns, .. } = schema else { return true };
    columns.iter().all(|column| matches!(column.kind, ColumnKind::Number) && column.width() == 1)
}

/// The features as columns: what a word or a missing value has become is a number that can be seen.
fn features(table: &Table) -> Result<String> {
    let names = table.schema.feature_names();
    let numbers = names.len().saturating_mul(table.matrix.len());
    if numbers > MOST_NUMBERS {
        return Err(Error::bad_data(format!(
            "its words make {} columns, and {numbers} numbers with {} examples: the lab takes at most {MOST_NUMBERS}; the \
             command line has no such limit",
            names.len(),
            table.matrix.len()
        )));
    }
    let label = if names.iter().any(|name| name == "label") { "class" } else { "label" };
    let mut csv: String = names.iter().map(|name| cell(name) + ",").collect();
    csv.push_str(label);
    csv.push('\n');
    for (i, &class) in table.classes.iter().enumerate() {
        csv.extend(steps::row(&table.matrix, i).iter().map(|v| format!("{v},")));
        csv.push_str(&cell(&table.labels.names()[class as usize]));
        csv.push('\n');
    }
    Ok(csv)
}

/// A text as a field of CSV.
fn cell(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_string() }
}
