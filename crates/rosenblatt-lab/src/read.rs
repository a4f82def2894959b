//! `read`: any text that the library reads, as CSV with all its digits.

use rosenblatt::convert::convert;
use rosenblatt::read::{ReadOptions, read};
use rosenblatt::{Error, Fill, Format, Input, Result};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::settings::check_size;
use crate::words;

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
    let converted = convert(input, &dataset, Format::Csv)?;
    let csv = String::from_utf8(converted.bytes).map_err(|_| Error::bad_data("the text is not UTF-8"))?;
    let notes: Vec<String> = dataset.notes.iter().chain(&converted.notes).map(words::message).collect();
    Ok(json!({
        "csv": csv, "name": dataset.name, "format": dataset.format.to_string(), "examples": table.matrix.len(),
        "features": table.matrix.features(), "classes": table.labels.names(), "notes": notes,
    }))
}
