//! LIBSVM: the nonzero entries, by index.

use super::values::Values;
use crate::error::{Error, Result};
use crate::message::Message;
use crate::rows::{Schema, Table};

/// Writes the text; returns it with notes on what the format cannot hold.
pub(super) fn write(table: &Table, values: &Values<'_>) -> Result<(Vec<u8>, Vec<Message>)> {
    let unfit = |name: &&String| {
        name.is_empty() || name.contains(|c: char| c.is_whitespace() || c.is_control() || matches!(c, '#' | ':'))
    };
    if let Some(name) = table.labels.names().iter().find(unfit) {
        return Err(Error::bad_data(format!(
            "the label \"{name}\" cannot be written in libsvm, where a label is one word: choose csv or tsv"
        )));
    }
    let first = match &table.schema {
        Schema::Indexed { first, .. } => *first as usize,
        _ => 1,
    };
    let mut text = String::new();
    let mut seen = 0;
    for (i, &class) in table.classes.iter().enumerate() {
        text.push_str(table.labels.name(class));
        for (j, value) in values.row(i)? {
            seen = seen.max(j + 1);
            text.push_str(&format!(" {}:{value}", j + first));
        }
        text.push('\n');
    }
    let mut notes = Vec::new();
    let numbered = || (1..).zip(table.schema.feature_names()).all(|(j, name)| name == format!("x{j}"));
    if matches!(table.schema, Schema::Columns { .. }) && !numbered() {
        notes.push("libsvm has no names: features are numbered from 1, categories one number for each value".into());
    }
    if seen < table.matrix.features() {
        let unseen = table.matrix.features() - seen;
        notes.push(format!("the last {unseen} features are zero in every row: libsvm does not show them").into());
    }
    Ok((text.into_bytes(), notes))
}
