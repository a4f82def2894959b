//! From the fields of a record to its features.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::decimal::decimal;
use crate::reading::{Column, Kind, Missing};
use crate::refusal::{Checked, Refusal, show};
use crate::rows::Entry;
use crate::scaled::Scaled;
use crate::words;

/// The columns that are features, and which of their values have occurred.
#[derive(Debug)]
pub(crate) struct Columns<'c> {
    columns: &'c [Column],
    /// For each feature, whether an example has it; not used for numbers.
    met: Vec<bool>,
    /// For each column, whether a field of it is missing.
    absent: Vec<bool>,
}

/// Whether a field holds no value: nothing, `?`, `NA` or `nan`.
pub(crate) fn is_missing(text: &[u8]) -> bool {
    matches!(text, b"" | b"?") || text.eq_ignore_ascii_case(b"na") || text.eq_ignore_ascii_case(b"nan")
}

impl<'c> Columns<'c> {
    pub(crate) fn new(columns: &'c [Column]) -> Self {
        let features = columns.iter().map(Column::width).sum();
        Columns { columns, met: vec![false; features], absent: vec![false; columns.len()] }
    }

    /// Appends the features of a record that are not zero, in rising order.
    #[inline]
    pub(crate) fn read(&mut self, fields: &[Cow<'_, [u8]>], line: u64, out: &mut Vec<Entry>) -> Checked<()> {
        let mut first = 0;
        for (column, absent) in self.columns.iter().zip(&mut self.absent) {
            let Some(text) = fields.get(column.at) else {
                return Err(Refusal::data(format!("line {line} has no column {}", column.at + 1)));
            };
            let fault =
                |why: &str| Refusal::data(format!("line {line}, column {}: {} {why}", column.at + 1, show(text)));
            if let Some(missing) = column.missing
                && is_missing(text)
            {
                *absent = true;
                if missing == Missing::Indicator {
                    out.push(Entry { feature: first + column.width() - 1, value: Scaled::ONE });
                }
                first += column.width();
                continue;
            }
            match &column.kind {
                Kind::Number => {
                    let value = decimal(text).map_err(fault)?;
                    if !value.digits.is_zero() {
                        out.push(Entry { feature: first, value });
                    }
                }
                Kind::Category(values) => {
                    let place = std::str::from_utf8(text).ok().and_then(|text| values.get(text));
                    let place = place.ok_or_else(|| fault("is not among the values that the certificate lists"))?;
                    self.met[first + place] = true;
                    out.push(Entry { feature: first + place, value: Scaled::ONE });
                }
                Kind::Text { ngrams, runs } => {
                    let text = std::str::from_utf8(text).map_err(|_| fault("is not UTF-8"))?;
                    let unlisted = |run: String| {
                        let run = show(run.as_bytes());
                        fault(&format!("holds {run}, which is not among the words that the certificate lists"))
                    };
                    for (place, count) in words::count(text, *ngrams, runs).map_err(unlisted)? {
                        self.met[first + place] = true;
                        out.push(Entry { feature: first + place, value: Scaled::whole(count) });
                    }
                }
            }
            first += column.width();
        }
        Ok(())
    }

    /// After the last record: refuses if a listed value did not occur.
    pub(crate) fn all_occurred(&self) -> Checked<()> {
        let mut first = 0;
        for (column, &absent) in self.columns.iter().zip(&self.absent) {
            let at = column.at + 1;
            if column.missing.is_some() && !absent {
                return Err(Refusal::data(format!("no example lacks a value in column {at}")));
            }
            let (listed, what) = match &column.kind {
                Kind::Number => (None, ""),
                Kind::Category(values) => (Some(values), "has the value"),
                Kind::Text { runs, .. } => (Some(runs), "holds the words"),
            };
            let unmet = |(_, place): &(&String, &usize)| !self.met[first + **place];
            if let Some((value, _)) = listed.into_iter().flat_map(HashMap::iter).filter(unmet).min() {
                return Err(Refusal::data(format!("no example {what} {} in column {at}", show(value.as_bytes()))));
            }
            first += column.width();
        }
        Ok(())
    }
}
