//! LIBSVM: the nonzero entries, by index.

use super::values::Values;
use crate::error::{Error, Result};
use crate::limits;
use crate::message::Message;
use crate::rows::{Schema, Table};

/// What an index takes at most, with a space and a colon.
const INDEX: usize = 12;

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
    let mut text: Vec<u8> = Vec::new();
    let mut seen = 0;
    for (i, &class) in table.classes.iter().enumerate() {
        let entries = values.row(i)?;
        let most =
            entries.iter().map(|(_, value)| value.len() + INDEX).sum::<usize>() + table.labels.name(class).len() + 1;
        limits::reserve(&mut text, most, &|| "the converted rows".into())?;
        if i.is_multiple_of(1024) {
            limits::check()?;
        }
        text.extend_from_slice(table.labels.name(class).as_bytes());
        for (j, value) in entries {
            seen = seen.max(j + 1);
            text.extend_from_slice(format!(" {}:{value}", j + first).as_bytes());
        }
        text.push(b'\n');
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
    Ok((text, notes))
}
