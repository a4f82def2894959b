//! Kinds of features: which scaling each allows.

use crate::error::Result;
use crate::limits;
use crate::rows::{ColumnKind, Matrix, Schema, Table};

/// How a feature may be scaled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A column of numbers, where zero is an ordinary value: may be centred.
    Number,
    /// Mostly absent, and zero means absent: may be divided, never centred, so that sparse rows stay sparse.
    Count,
    /// How often a text has a word.
    Word,
    /// A category or a missing-value indicator: already scaled.
    Mark,
}

/// The kind of each feature of a table. An error if there is no room for them.
pub(crate) fn kinds(table: &Table) -> Result<Vec<Kind>> {
    let features = table.matrix.features();
    limits::room_for::<Kind>(features as u128, || format!("the kinds of {features} features").into())?;
    Ok(match &table.schema {
        Schema::Columns { hashed: Some(_), .. } => vec![Kind::Count; features],
        Schema::Columns { columns, .. } => {
            let each = columns.iter().flat_map(|column| {
                let (kind, n) = match &column.kind {
                    ColumnKind::Number => (Kind::Number, 1),
                    ColumnKind::Category { values } => (Kind::Mark, values.len()),
                    ColumnKind::Text { words, .. } => (Kind::Word, words.len()),
                };
                std::iter::repeat_n(kind, n).chain(std::iter::repeat_n(Kind::Mark, column.width() - n))
            });
            each.collect()
        }
        _ => {
            let kind = if matches!(table.matrix, Matrix::Sparse(_) | Matrix::SparseDecimal(_)) {
                Kind::Count
            } else {
                Kind::Number
            };
            vec![kind; features]
        }
    })
}
