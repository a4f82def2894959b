//! From the fields of a record to its features.

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

/// Whether a field of a column of numbers holds no value. A category may be called `none`; a number is not.
pub(crate) fn is_gap(text: &[u8]) -> bool {
    let known = [&b"n/a"[..], b"#n/a", b"null", b"none", b"-"];
    is_missing(text) || known.iter().any(|known| text.eq_ignore_ascii_case(known))
}

/// What a record holds in a column.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Field<'f> {
    Text(&'f [u8]),
    Set(&'f [String]),
}

impl<'c> Columns<'c> {
    pub(crate) fn new(columns: &'c [Column]) -> Self {
        let features = columns.iter().map(Column::width).sum();
        Columns { columns, met: vec![false; features], absent: vec![false; columns.len()] }
    }

    /// Appends the features of a record that are not zero, in rising order.
    #[inline]
    pub(crate) fn read<'f>(
        &mut self,
        field: impl Fn(usize) -> Option<Field<'f>>,
        line: u64,
        out: &mut Vec<Entry>,
    ) -> Checked<()> {
        let mut first = 0;
        for (column, absent) in self.columns.iter().zip(&mut self.absent) {
            let text = match (field(column.at), &column.kind) {
                (None, _) => return Err(Refusal::data(format!("line {line} has no {}", column.shown()))),
                (Some(Field::Text(text)), _) => text,
                (Some(Field::Set(members)), Kind::Set(values)) => {
                    for place in set(members, values)
                        .map_err(|why| Refusal::data(format!("line {line}, {}: {why}", column.shown())))?
                    {
                        self.met[first + place] = true;
                        out.push(Entry { feature: first + place, value: Scaled::ONE });
                    }
                    first += column.width();
                    continue;
                }
                (Some(Field::Set(_)), _) => {
                    return Err(Refusal::data(format!("line {line}, {}: a set", column.shown())));
                }
            };
            let fault = |why: &str| Refusal::data(format!("line {line}, {}: {} {why}", column.shown(), show(text)));
            let lacks = || if matches!(column.kind, Kind::Number) { is_gap(text) } else { is_missing(text) };
            if let Some(missing) = column.missing
                && lacks()
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
                Kind::Set(_) => return Err(fault("is not an array of strings")),
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
            let at = column.shown();
            if column.missing.is_some() && !absent {
                return Err(Refusal::data(format!("no example lacks a value in {at}")));
            }
            let (listed, what) = match &column.kind {
                Kind::Number => (None, ""),
                Kind::Category(values) => (Some(values), "has the value"),
                Kind::Text { runs, .. } => (Some(runs), "holds the words"),
                Kind::Set(values) => (Some(values), "holds the string"),
            };
            let unmet = |(_, place): &(&String, &usize)| !self.met[first + **place];
            if let Some((value, _)) = listed.into_iter().flat_map(HashMap::iter).filter(unmet).min() {
                return Err(Refusal::data(format!("no example {what} {} in {at}", show(value.as_bytes()))));
            }
            first += column.width();
        }
        Ok(())
    }
}

/// The places of the members of a set, each once and in order. An empty string is no member.
fn set(members: &[String], values: &HashMap<String, usize>) -> Result<Vec<usize>, String> {
    let place = |member: &String| {
        values
            .get(member)
            .copied()
            .ok_or_else(|| format!("{} is not among the values that the certificate lists", show(member.as_bytes())))
    };
    let mut places = members.iter().filter(|member| !member.is_empty()).map(place).collect::<Result<Vec<_>, _>>()?;
    places.sort_unstable();
    places.dedup();
    Ok(places)
}
