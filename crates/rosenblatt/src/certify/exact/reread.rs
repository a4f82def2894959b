//! The rows of a file exactly as written.
//!
//! One survey of the file notes which rows hold a number that its nearest `f64` does not determine (see
//! [`decimal`](crate::certify::exact::decimal)). Those are read again when they are asked for; all others come from the table in
//! memory.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Mutex;

use super::decimal::{Decimal, is_provable, plainly_provable, plainly_survives, survives};
use super::rows::{ExactRow, ExactRows};
use crate::error::{Error, Result};
use crate::io::{Input, Pace};
use crate::parallel;
use crate::read::{Dataset, Format, Survey, each_raw, refuse_stream, refuse_unwritten, survey};
use crate::rows::{AnyRows, ColumnKind, Row, Rows, Schema, with_features};

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
        refuse_unwritten(dataset.format, &dataset.table.schema)?;
        let written = Self::of_any_format(input, dataset)?;
        // Short numbers survive in floats: only files with longer ones are looked through again.
        if !written.long.is_empty()
            && let Some(&row) =
                surveyed(input, dataset, written.rows.len(), (plainly_provable, is_provable))?.rows.first()
        {
            let why = "a number of more than 5,000 digits, or with a power of ten beyond 5,000: too long for a proof";
            return Err(Error::bad_data(format!("example {}: {why}", row + 1)).in_file(&dataset.name));
        }
        Ok(written)
    }

    /// The same, also for formats that no certificate is about: Vowpal Wabbit and Parquet.
    pub(crate) fn of_any_format(input: &'a Input, dataset: &'a Dataset) -> Result<Self> {
        refuse_stream(input)?;
        let rows = dataset.table.matrix.rows()?;
        let Survey { rows: long, count } = surveyed(input, dataset, rows.len(), (plainly_survives, survives))?;
        if count != rows.len() {
            return Err(
                Error::bad_data(format!("{count} rows, where {} were read before", rows.len())).in_file(&dataset.name)
            );
        }
        let long = long.into_iter().collect();
        let (format, schema, name) = (dataset.format, &dataset.table.schema, dataset.name.as_str());
        Ok(Written { input, format, schema, rows, name, long, read: Mutex::default() })
    }

    /// Whether the file holds more digits of a row than its floats.
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
                    let why = format!("example {}: a number whose exponent is too large for exact arithmetic", row + 1);
                    return Err(Error::bad_data(why).in_file(self.name));
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
        let texts = with_features(columns).filter(|(column, _)| matches!(column.kind, ColumnKind::Text { .. }));
        let words: Vec<Range<usize>> = texts.map(|(_, features)| features).collect();
        if !words.is_empty() {
            self.rows.row(row).each(|j, v| {
                if v != 0.0 && words.iter().any(|range| range.contains(&j)) {
                    entries.push((j, Decimal::shortest(v)));
                }
            });
            entries.sort_by_key(|entry| entry.0);
        }
        entries
    }

    /// Reads again those of the rows that need it.
    fn again(&self, rows: &[usize]) -> Result<HashMap<usize, ExactRow>> {
        let wanted: HashSet<usize> = rows.iter().filter(|i| self.long.contains(i)).copied().collect();
        if wanted.is_empty() {
            return Ok(HashMap::new());
        }
        let mut read = self.read.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let lacking: HashSet<usize> = wanted.iter().filter(|i| !read.contains_key(i)).copied().collect();
        if !lacking.is_empty() {
            // A few rows are kept for the next time, many are not.
            if read.keys().chain(&lacking).map(|&i| self.rows.stored(i)).sum::<usize>() > KEPT {
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
        Ok(parallel::map(rows.len(), &|k| match again.get(&rows[k]) {
            Some(row) => row.clone(),
            None => {
                let mut entries = Vec::new();
                self.rows.row(rows[k]).each(|j, v| {
                    if v != 0.0 {
                        entries.push((j, Decimal::shortest(v)));
                    }
                });
                ExactRow::of_decimals(entries)
            }
        }))
    }
}

/// Which rows have a number that fails a test, as one with more digits than floats hold: line by line if lines are rows,
/// else by the reader. A line that passes the first test is skipped.
fn surveyed(input: &Input, dataset: &Dataset, expected: usize, tests: (Test, Test)) -> Result<Survey> {
    let (format, schema) = (dataset.format, &dataset.table.schema);
    if !matches!(format, Format::Libsvm | Format::Csv | Format::Tsv) {
        return surveyed_by_reader(input, dataset, tests.1);
    }
    let quick = survey(input, (format, schema), tests, Pace::default())?;
    match quick.filter(|survey| survey.count == expected) {
        Some(survey) => Ok(survey),
        None => surveyed_by_reader(input, dataset, tests.1),
    }
}

/// A predicate on a line, or on the text of a number.
type Test = fn(&[u8]) -> bool;

/// Whether a text is the shortest decimal of its nearest `f64`.
fn is_shortest(text: &[u8]) -> bool {
    let value = std::str::from_utf8(text).ok().and_then(|text| text.parse::<f64>().ok()).filter(|v| v.is_finite());
    value.is_some_and(|value| Some(Decimal::shortest(value)) == Decimal::parse(text))
}

fn surveyed_by_reader(input: &Input, dataset: &Dataset, test: Test) -> Result<Survey> {
    let mut survey = Survey::default();
    each_raw(input, dataset.format, &dataset.table.schema, |row, entries| {
        // Parquet's floats are written as their shortest decimals.
        let parquet = dataset.format == Format::Parquet;
        if !entries.iter().all(|(_, text)| test(text) || (parquet && is_shortest(text))) {
            survey.rows.push(row);
        }
        survey.count = row + 1;
        Ok(true)
    })?;
    Ok(survey)
}

/// The most numbers that are kept of rows read again.
const KEPT: usize = 1 << 20;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::read::{ReadOptions, read};

    fn both(input: &Input, pace: Pace) -> (Option<Survey>, Survey) {
        let dataset = read(input, &ReadOptions::default()).unwrap();
        let of = (dataset.format, &dataset.table.schema);
        let quick = survey(input, of, (plainly_survives, survives), pace).unwrap();
        (quick, surveyed_by_reader(input, &dataset, survives).unwrap())
    }

    #[test]
    fn a_quote_ends_the_quick_survey() {
        let input = Input::memory("t.csv", "1,\"a\nb\",y\n0.10000000000000000001,c,n\n");
        let (quick, slow) = both(&input, Pace::default());
        assert_eq!((quick, slow), (None, Survey { rows: vec![1], count: 2 }));
    }

    proptest! {
        /// The twin: the reader of the whole file. In small chunks, so that every line end is one of a chunk.
        #[test]
        fn the_quick_survey_is_that_of_the_reader(
            rows in prop::collection::vec(
                (prop::sample::select(vec!["1", "-0.5", "1e5", "2.5e-300", "0.12345678901234567", "000000000000000000.5"]),
                 prop::sample::select(vec!["7", " 8.25 ", "1234567890123456", "1E2"]),
                 prop::sample::select(vec!["", "\n", "  \n", "\r\n"])),
                2..12,
            ),
            header in any::<bool>(),
            chunk in 1usize..64,
        ) {
            let label = |i: usize| if i.is_multiple_of(2) { "yes" } else { "no" };
            let line = |(i, (a, b, blank)): (usize, &(&str, &str, &str))| format!("{a},{},{b}\n{blank}", label(i));
            let body: String = rows.iter().enumerate().map(line).collect();
            let text = format!("{}{body}", if header { "a,label,b\n" } else { "" });
            let text = if header { text } else { text.replace("yes", "1").replace("no", "0") };
            let input = Input::memory("t.csv", text);
            let (quick, slow) = both(&input, Pace { chunk, threads: 2 });
            prop_assert_eq!(quick, Some(slow));
            let svm = |(i, (a, b, blank)): (usize, &(&str, &str, &str))| format!("{} 1:{a} 3:{} # 1:1\n{blank}", label(i), b.trim());
            let input = Input::memory("t.svm", rows.iter().enumerate().map(svm).collect::<String>());
            let (quick, slow) = both(&input, Pace { chunk, threads: 2 });
            prop_assert_eq!(quick, Some(slow));
        }
    }
}
