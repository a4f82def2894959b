//! The rows of a file exactly as written.
//!
//! One survey of the file notes which rows hold a number that its nearest `f64` does not tell (see
//! [`decimal`](super::decimal)). Those are read again when they are asked for; all others come from the table in
//! memory.

use std::collections::{HashMap, HashSet};
use std::sync::Mutex;

use rayon::prelude::*;

use super::decimal::{Decimal, survives};
use super::rows::{ExactRow, ExactRows};
use crate::base::row::Row;
use crate::data::{AnyRows, ColumnKind, Dataset, Format, Input, Rows, Schema, each_raw, refuse_stream};
use crate::each_kind;
use crate::error::{Error, Result};

/// A file that was read, and its numbers as written.
#[derive(Debug)]
pub struct Written<'a> {
    input: &'a Input,
    format: Format,
    schema: &'a Schema,
    rows: AnyRows<'a>,
    name: &'a str,
    /// Rows that must be read again.
    long: HashSet<usize>,
    /// Those that were.
    read: Mutex<HashMap<usize, ExactRow>>,
}

impl<'a> Written<'a> {
    /// Surveys the file that `dataset` was read from.
    pub fn new(input: &'a Input, dataset: &'a Dataset) -> Result<Self> {
        refuse_stream(input)?;
        let rows = dataset.table.matrix.rows()?;
        let mut long = HashSet::new();
        let mut count = 0;
        each_raw(input, dataset.format, &dataset.table.schema, |row, entries| {
            if !entries.iter().all(|(_, text)| survives(text)) {
                long.insert(row);
            }
            count = row + 1;
            Ok(true)
        })?;
        if count != rows.len() {
            return Err(
                Error::bad_data(format!("{count} rows, where {} were read before", rows.len())).in_file(&dataset.name)
            );
        }
        let (format, schema, name) = (dataset.format, &dataset.table.schema, dataset.name.as_str());
        Ok(Written { input, format, schema, rows, name, long, read: Mutex::default() })
    }

    /// Whether the file holds more digits of a row than its floats tell.
    pub fn holds_more(&self, row: usize) -> bool {
        self.long.contains(&row)
    }

    /// Reads rows again that are not in the table exactly.
    fn read_again(&self, wanted: &HashSet<usize>) -> Result<HashMap<usize, ExactRow>> {
        let mut found = HashMap::new();
        each_raw(self.input, self.format, self.schema, |row, entries| {
            if wanted.contains(&row) {
                let exact = |(j, text): &(usize, &[u8])| Decimal::parse(text).map(|d| (*j, d));
                let Some(decimals) = entries.iter().map(exact).collect::<Option<Vec<_>>>() else {
                    let told =
                        format!("example {}: a number that cannot be had exactly: its exponent is too large", row + 1);
                    return Err(Error::bad_data(told).in_file(self.name));
                };
                found.insert(row, ExactRow::of_decimals(self.with_words(row, decimals)));
            }
            Ok(found.len() < wanted.len())
        })?;
        if found.len() < wanted.len() {
            return Err(Error::bad_data("the file has changed while it was read").in_file(self.name));
        }
        Ok(found)
    }
}

impl Written<'_> {
    /// The entries of a row that was read again, and those of its texts: counts, which floats hold.
    fn with_words(&self, row: usize, mut entries: Vec<(usize, Decimal)>) -> Vec<(usize, Decimal)> {
        let Schema::Columns { columns, .. } = self.schema else { return entries };
        let (mut first, mut words) = (0, Vec::new());
        for column in columns {
            let range = first..first + column.width();
            first = range.end;
            if matches!(column.kind, ColumnKind::Text { .. }) {
                words.push(range);
            }
        }
        if !words.is_empty() {
            each_kind!(self.rows, rows => rows.row(row).each(|j, v| {
                if v != 0.0 && words.iter().any(|range| range.contains(&j)) {
                    entries.push((j, Decimal::shortest(v)));
                }
            }));
            entries.sort_by_key(|entry| entry.0);
        }
        entries
    }

    /// Those of the rows that must be read again, read.
    fn again(&self, rows: &[usize]) -> Result<HashMap<usize, ExactRow>> {
        let wanted: HashSet<usize> = rows.iter().filter(|i| self.long.contains(i)).copied().collect();
        if wanted.is_empty() {
            return Ok(HashMap::new());
        }
        let mut read = self.read.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let lacking: HashSet<usize> = wanted.iter().filter(|i| !read.contains_key(i)).copied().collect();
        if !lacking.is_empty() {
            // A few rows are kept for the next time, many are not.
            if read.len() + lacking.len() > KEPT {
                read.retain(|i, _| wanted.contains(i));
            }
            read.extend(self.read_again(&lacking)?);
        }
        Ok(wanted.iter().filter_map(|i| Some((*i, read.get(i)?.clone()))).collect())
    }
}

impl ExactRows for Written<'_> {
    fn features(&self) -> usize {
        self.rows.features()
    }

    fn fetch(&self, rows: &[usize]) -> Result<Vec<ExactRow>> {
        let again = self.again(rows)?;
        Ok(each_kind!(self.rows, all => rows.par_iter().map(|i| match again.get(i) {
            Some(row) => row.clone(),
            None => {
                let mut entries = Vec::new();
                all.row(*i).each(|j, v| if v != 0.0 { entries.push((j, Decimal::shortest(v))) });
                ExactRow::of_decimals(entries)
            }
        }).collect()))
    }
}

/// How many rows are kept once they were read again.
const KEPT: usize = 1 << 14;
