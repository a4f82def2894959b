//! CSV and TSV: a column for each number or category, the label last.

use super::values::Values;
use crate::error::Result;
use crate::limits;
use crate::message::Message;
use crate::rows::{Column, ColumnKind, Dialect, Schema, Table, with_features};

/// The columns that are written: those of the table, or one for each feature where a column gives more than its value
/// (words of a text, indicators of missing values).
pub(super) fn schema(table: &Table) -> Schema {
    let plain = |column: &Column| !matches!(column.kind, ColumnKind::Text { .. }) && column.missing.is_none();
    match &table.schema {
        whole @ Schema::Columns { columns, .. } if columns.iter().all(plain) => whole.clone(),
        other => {
            let names = other.feature_names();
            let column = |(at, name): (usize, &String)| {
                let name = name.clone();
                Column { name, at, kind: ColumnKind::Number, missing: None }
            };
            let columns: Vec<Column> = names.iter().enumerate().map(column).collect();
            let width = columns.len() + 1;
            Schema::Columns {
                columns,
                label: Some("label".into()),
                label_at: width - 1,
                width,
                header: true,
                dialect: Dialect::default(),
                hashed: None,
            }
        }
    }
}

/// Writes the text.
pub(super) fn write(table: &Table, values: &Values<'_>, between: u8) -> Result<(Vec<u8>, Vec<Message>)> {
    let schema = schema(table);
    let Schema::Columns { columns, label, header, .. } = &schema else { unreachable!("made just now") };
    let mut text = Vec::new();
    if *header {
        for column in columns {
            field(&mut text, &column.name, between);
            text.push(between);
        }
        field(&mut text, label.as_deref().unwrap_or("label"), between);
        text.push(b'\n');
    }
    for (i, &class) in table.classes.iter().enumerate() {
        let entries = values.row(i)?;
        let most = entries.iter().map(|(_, value)| value.len()).sum::<usize>() + 2 * columns.len();
        limits::reserve(&mut text, most, &|| "the converted table".into())?;
        if i.is_multiple_of(64) {
            limits::check()?;
        }
        let mut entries = entries.iter().peekable();
        for (column, features) in with_features(columns) {
            let held = entries.next_if(|(j, _)| *j < features.end);
            match (&column.kind, held) {
                (ColumnKind::Number, Some((_, value))) => text.extend_from_slice(value.as_bytes()),
                (ColumnKind::Number, None) => text.push(b'0'),
                (ColumnKind::Category { values }, Some((j, _))) => {
                    field(&mut text, &values[j - features.start], between)
                }
                (_, _) => {}
            }
            text.push(between);
        }
        field(&mut text, table.labels.name(class), between);
        text.push(b'\n');
    }
    Ok((text, Vec::new()))
}

/// Writes a text, in quotes if needed.
fn field(text: &mut Vec<u8>, value: &str, between: u8) {
    let special = |b: u8| b == between || matches!(b, b'"' | b'\n' | b'\r' | b';' | b'#');
    let spaced = value.starts_with(char::is_whitespace) || value.ends_with(char::is_whitespace);
    if value.bytes().any(special) || spaced {
        text.push(b'"');
        text.extend(value.bytes().flat_map(|b| if b == b'"' { vec![b, b] } else { vec![b] }));
        text.push(b'"');
    } else {
        text.extend_from_slice(value.as_bytes());
    }
}
