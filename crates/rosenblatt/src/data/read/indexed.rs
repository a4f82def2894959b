//! A LIBSVM file, whole: to train on, or for a model.

use super::libsvm::{Beyond, MAX_FEATURES, Parsed, Rules, Seen, parse_line};
use super::{Known, NeedLabels, Parts};
use crate::data::fault::{Fault, count};
use crate::data::labels::{LabelCollector, Labels};
use crate::data::lines::Lines;
use crate::data::matrix::{Matrix, SparseMatrix};
use crate::data::schema::Schema;
use crate::data::table::Table;
use crate::error::{Error, Place, Result};

/// Reads labelled rows and learns how many features there are.
pub(crate) fn read(lines: Lines<'_>, positive: Option<&str>) -> Result<Parts> {
    let rules = Rules { label: true, least: 0, end: MAX_FEATURES as u64 + 1, beyond: Beyond::Refuse };
    let mut collector = LabelCollector::default();
    let mut met = Vec::new();
    let (mut rows, seen, fingerprint) = each_row(lines, &rules, |label| {
        if let Some(label) = label.and_then(|l| std::str::from_utf8(l).ok()) {
            met.push(collector.collect(label));
        }
        Ok(())
    })?;
    // Nothing was at 0: the file counts from 1.
    let first = u32::from(!seen.zero);
    if first == 1 {
        rows.indices.iter_mut().for_each(|index| *index -= 1);
    }
    rows.features = (seen.end.max(first) - first) as usize;
    if rows.features == 0 {
        return Err(Error::bad_data("no features: every line is a label alone, where label index:value … is expected"));
    }
    let (labels, order) = collector.finish(positive)?;
    let classes = met.iter().map(|&id| order[id as usize]).collect();
    let schema = Schema::Indexed { first, features: rows.features };
    let table = Table { matrix: Matrix::Sparse(rows), classes, labels, weights: None, schema };
    Ok(Parts { table, notes: notes(&seen), fingerprint })
}

/// Reads rows as a model expects them.
pub(crate) fn read_for(
    lines: Lines<'_>,
    (first, features): (u32, usize),
    labels: &Labels,
    need: NeedLabels,
) -> Result<Parts> {
    let label = need == NeedLabels::Yes;
    let rules = Rules { label, least: first, end: u64::from(first) + features as u64, beyond: Beyond::Drop };
    let mut known = Known::new(labels);
    let mut classes = Vec::new();
    let (mut rows, seen, fingerprint) = each_row(lines, &rules, |label| {
        if need == NeedLabels::Yes {
            classes.push(known.class(label.unwrap_or_default())?);
        }
        Ok(())
    })?;
    rows.indices.iter_mut().for_each(|index| *index -= first);
    rows.features = features;
    let schema = Schema::Indexed { first, features };
    let table = Table { matrix: Matrix::Sparse(rows), classes, labels: labels.clone(), weights: None, schema };
    Ok(Parts { table, notes: notes(&seen), fingerprint })
}

/// Parses every line and hands over the label of each row; what that refuses is said of the label's place.
fn each_row(
    mut lines: Lines<'_>,
    rules: &Rules,
    mut label_of: impl FnMut(Option<&[u8]>) -> std::result::Result<(), String>,
) -> Result<(SparseMatrix, Seen, u64)> {
    let mut rows = SparseMatrix::default();
    let mut seen = Seen::default();
    while lines.advance()? {
        let (line, number) = (lines.line(), lines.number());
        let done = parse_line(line, number, rules, &mut rows, &mut seen).and_then(|parsed| match parsed {
            Parsed::Nothing => Ok(()),
            Parsed::Row(label) => label_of(label).map_err(|told| {
                let column = line.len() - line.trim_ascii_start().len() + 1;
                Fault::at(number, column as u64, told)
            }),
        });
        done.map_err(|fault| fault.of(lines.name()))?;
    }
    if rows.offsets.len() == 1 {
        let place = Place::file(lines.name());
        return Err(Error::data(place, "no examples: the file holds only comments and blank lines"));
    }
    Ok((rows, seen, lines.fingerprint()))
}

fn notes(seen: &Seen) -> Vec<String> {
    let mut notes = Vec::new();
    if seen.qids > 0 {
        notes.push(format!("qid: passed over on {}", count(seen.qids, "line")));
    }
    if let Some((index, line)) = seen.first_dropped {
        notes.push(format!(
            "{} of features that the model does not know left out (the first: feature {index} on line {line})",
            count(seen.dropped, "value")
        ));
    }
    notes
}
