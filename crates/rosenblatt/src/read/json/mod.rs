//! JSON Lines: one object a line; its fields are the columns of a table.
//!
//! - `walk`: parses an object, and hands over its values by the names of their fields.
//! - `fields`: the fields of a training file, found on all threads before its rows are read.
//! - `rows`: each object as a row of fields, read like one of csv: `null` or no field is a missing value.
//!
//! An object has no order and may lack fields, so the whole file is looked through first. A field that holds strings or
//! truth values alone is a category; an array of strings is a set of words.

mod fields;
mod rows;
#[cfg(test)]
mod twin;
mod walk;

pub(super) use fields::Hint;
pub(super) use rows::{Layout, Records, RowBuffer, members};

use super::columns::TrainedTable;
use super::hashed::{self, HashedTable};
use super::late::{self, Lates};
use super::table_rows::TableRows;
use super::{Parts, ReadOptions, csv, parts};
use crate::error::Result;
use crate::io::{Input, Lines, Pace};

/// Reads labelled objects and learns their schema.
pub(super) fn read(input: &Input, lines: Lines<'_>, options: &ReadOptions, pace: Pace) -> Result<Parts> {
    if !input.opens_again() {
        let kept = Input::memory(input.name(), lines.rest()?.0);
        let lines = Lines::new(kept.open()?)?;
        return read(&kept, lines, options, pace);
    }
    let (layout, options) = fields::find(lines, options, pace)?;
    let rows = |layout: Layout| -> Result<TableRows<'_>> {
        Ok(TableRows::Json(Box::new(Records::new(Lines::new(input.open()?)?, layout))))
    };
    let body = match HashedTable::new(hashed::body(rows(layout.clone())?, &options)?, &options)? {
        Ok(table) => return table.read(&options, pace),
        Err(body) => body,
    };
    match parts::read(csv::FirstRows::of(body, &options, Lates::Collect)?, &options, pace)? {
        Some(parts) => Ok(parts),
        None => late::read(|| rows(layout.clone()), &options, pace),
    }
}

/// The objects of a file for a model: its columns and label, and what the options name.
pub(super) fn rows_for<'a>(lines: Lines<'a>, trained: TrainedTable<'_>, options: &ReadOptions) -> TableRows<'a> {
    TableRows::Json(Box::new(Records::new(lines, layout_for(trained, options))))
}

/// The fields that a model reads.
pub(super) fn layout_for(trained: TrainedTable<'_>, options: &ReadOptions) -> Layout {
    let mut names: Vec<String> = trained.columns.iter().map(|column| column.name.clone()).collect();
    let label = options.label.as_deref().or(trained.label);
    for name in label.into_iter().chain(options.weight.as_deref()) {
        if !names.iter().any(|known| known == name) {
            names.push(name.to_string());
        }
    }
    let hints = names.iter().map(|name| hint_of(trained, name)).collect();
    Layout::new(names, hints)
}

/// The objects of a file that was read before, each column at its place.
pub(super) fn rows_again<'a>(lines: Lines<'a>, trained: TrainedTable<'_>) -> TableRows<'a> {
    let mut names = vec![String::new(); trained.width];
    for column in trained.columns {
        names[column.at] = column.name.clone();
    }
    let hints = names.iter().map(|name| hint_of(trained, name)).collect();
    TableRows::Json(Box::new(Records::new(lines, Layout::new(names, hints))))
}

/// Whether a column of a model holds sets of words.
fn hint_of(trained: TrainedTable<'_>, name: &str) -> Hint {
    let text = |column: &crate::rows::Column| matches!(column.kind, crate::rows::ColumnKind::Text { .. });
    match trained.columns.iter().any(|column| column.name == name && text(column)) {
        true => Hint::Sets,
        false => Hint::Any,
    }
}
