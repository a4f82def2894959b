//! Assembles rows from columns.

use super::texts::Bag;
use crate::error::Result;
use crate::limits;
use crate::rows::{Column, ColumnKind, DenseMatrix, Fill, Matrix, SparseMatrix, the_rows, with_features};

/// The id of a missing category.
pub(crate) const NO_CATEGORY: u32 = u32::MAX;

/// Assembles rows from number, category and text columns; dense if all columns are numbers.
pub(crate) fn assemble_rows(
    columns: &[Column],
    numbers: &[f64],
    (ids, moved): (&[u32], &[Vec<u32>]),
    texts: &[Bag],
    rows: usize,
) -> Result<Matrix> {
    let features = columns.iter().map(Column::width).sum();
    if columns.iter().all(|column| column.kind == ColumnKind::Number) {
        let mut values = limits::filled(0.0, rows.saturating_mul(features), the_rows)?;
        let mut numbers = numbers.iter();
        for row in values.chunks_mut(features) {
            for ((column, features), &value) in with_features(columns).zip(&mut numbers) {
                if let Some((place, value)) = of_number(value, column.missing) {
                    row[features.start + place as usize] = value;
                }
            }
        }
        return Ok(Matrix::Dense(DenseMatrix { values, features }));
    }
    let mut out = SparseMatrix { features, ..SparseMatrix::default() };
    let (mut numbers, mut ids) = (numbers.iter(), ids.iter());
    limits::reserve(&mut out.offsets, rows, &the_rows)?;
    for i in 0..rows {
        let words: usize = texts.iter().map(|bag| bag.ends[i] - if i == 0 { 0 } else { bag.ends[i - 1] }).sum();
        limits::reserve(&mut out.indices, columns.len() + words, &the_rows)?;
        limits::reserve(&mut out.values, columns.len() + words, &the_rows)?;
        let (mut moved, mut texts) = (moved.iter(), texts.iter());
        for (column, features) in with_features(columns) {
            let first = features.start as u32;
            let entry = match &column.kind {
                ColumnKind::Number => numbers.next().and_then(|&value| of_number(value, column.missing)),
                ColumnKind::Category { values } => match (ids.next(), moved.next()) {
                    (Some(&NO_CATEGORY), _) => column.marks_missing().then_some((values.len() as u32, 1.0)),
                    (Some(&id), Some(places)) => Some((places[id as usize], 1.0)),
                    _ => None,
                },
                ColumnKind::Text { .. } => {
                    if let Some(bag) = texts.next() {
                        let range = if i == 0 { 0 } else { bag.ends[i - 1] }..bag.ends[i];
                        out.indices.extend(bag.words[range.clone()].iter().map(|word| first + word));
                        out.values.extend(bag.counts[range].iter().map(|&n| f64::from(n)));
                    }
                    None
                }
            };
            if let Some((place, value)) = entry {
                out.indices.push(first + place);
                out.values.push(value);
            }
        }
        out.end_row();
    }
    Ok(Matrix::Sparse(out))
}

/// The entry of a number within its column: the number, or the indicator that it is missing.
fn of_number(value: f64, missing: Option<Fill>) -> Option<(u32, f64)> {
    match missing {
        Some(fill) if value.is_nan() && fill.marks() => Some((1, 1.0)),
        _ => (value != 0.0 && !value.is_nan()).then_some((0, value)),
    }
}
