//! Borrowed rows: the trait that loops are generic over, and its kinds.

use std::ops::Range;
use std::sync::OnceLock;

use super::decimal::{DenseDecimals, Shape, SparseDecimals, Unit};
use super::prefetch::prefetch;
use super::row::{Dense, Row, Sparse, Value};
use crate::error::{Error, Result};
use crate::message::Message;
use crate::parallel::greatest;

/// Whether all are finite, without a branch for each.
fn all_finite<V: Value>(values: &[V]) -> bool {
    values.iter().fold(true, |all, v| all & v.to_f64().is_finite())
}

/// Borrowed rows of one kind; loops are generic over it.
pub trait Rows: Copy + Send + Sync {
    /// A borrowed row.
    type Row: Row;
    /// How many rows.
    fn len(self) -> usize;
    /// How many features.
    fn features(self) -> usize;
    /// The row at `i`, from 0.
    fn row(self, i: usize) -> Self::Row;
    /// A range of consecutive rows.
    ///
    /// # Panics
    /// If the range is out of bounds.
    #[must_use]
    fn slice(self, range: Range<usize>) -> Self;
    /// Whether there is none.
    fn is_empty(self) -> bool {
        self.len() == 0
    }
    /// Whether only some entries of a row are stored.
    fn is_sparse(self) -> bool {
        false
    }
    /// How many values are stored in row `i`: all features of a dense row, the entries of a sparse one.
    fn stored(self, _i: usize) -> usize {
        self.features()
    }
    /// Whether the numbers are too small for the squares of a row to overflow.
    fn is_bounded(self) -> bool {
        false
    }
    /// The greatest ‖x‖², infinite if its squares overflow.
    fn sq_longest(self) -> f64 {
        sq_longest(self)
    }
    /// Prefetches the offset of row `i`, where rows have offsets in memory.
    #[inline]
    fn prefetch_place(self, _i: usize) {}
}

/// The greatest ‖x‖², measured.
fn sq_longest<R: Rows>(rows: R) -> f64 {
    greatest(rows.len(), |i| Some(rows.row(i).sq_norm())).unwrap_or_default()
}

/// Dense rows, borrowed: one row-major slice, or a slice per row.
#[derive(Debug, Clone, Copy)]
pub struct DenseRows<'a, V> {
    values: DenseValues<'a, V>,
    features: usize,
    rows: usize,
    /// The greatest ‖x‖², if it is known.
    sq_longest: Option<f64>,
}

#[derive(Debug, Clone, Copy)]
enum DenseValues<'a, V> {
    Together(&'a [V]),
    /// The rows of a stream's current blocks.
    Apart(&'a [Dense<'a, V>]),
}

impl<'a, V: Value> DenseRows<'a, V> {
    /// Views `values` as rows of `features` numbers each. Refuses numbers that are not finite.
    pub fn new(values: &'a [V], features: usize) -> Result<Self> {
        let whole = if features == 0 { values.is_empty() } else { values.len().is_multiple_of(features) };
        if !whole {
            return Err(Error::bad_data(format!(
                "{} values do not fill whole rows of {features} features",
                values.len()
            )));
        }
        let rows = values.len().checked_div(features).unwrap_or(0);
        let row = |i: usize| &values[i * features..][..features];
        let measured = greatest(rows, |i| {
            let sq_norm = Dense(row(i)).sq_norm();
            // Squares overflow where a number is not finite, but not only there.
            (sq_norm.is_finite() || all_finite(row(i))).then_some(sq_norm)
        });
        match measured {
            Ok(longest) => {
                Ok(DenseRows { values: DenseValues::Together(values), features, rows, sq_longest: Some(longest) })
            }
            Err(i) => {
                let odd = row(i).iter().enumerate().find(|(_, v)| !v.to_f64().is_finite());
                let (feature, value) = odd.map_or((0, 0.0), |(j, v)| (j, v.to_f64()));
                let place = Message::of_row(i).text(", ").feature(feature);
                Err(Error::bad_data(place.text(format!(": {value} is not a finite number"))))
            }
        }
    }

    /// Rows of `features` finite numbers each; the caller has checked them.
    pub(super) fn checked(values: &'a [V], features: usize, rows: usize) -> Self {
        DenseRows { values: DenseValues::Together(values), features, rows, sq_longest: None }
    }

    /// Rows of `features` finite numbers each, by slice; the caller has checked them.
    pub(crate) fn apart(rows: &'a [Dense<'a, V>], features: usize) -> Self {
        DenseRows { values: DenseValues::Apart(rows), features, rows: rows.len(), sq_longest: None }
    }
}

impl<'a, V: Value> Rows for DenseRows<'a, V> {
    type Row = Dense<'a, V>;

    fn len(self) -> usize {
        self.rows
    }

    fn features(self) -> usize {
        self.features
    }

    #[inline(always)]
    fn row(self, i: usize) -> Dense<'a, V> {
        match self.values {
            DenseValues::Together(all) => Dense(&all[i * self.features..][..self.features]),
            DenseValues::Apart(rows) => rows[i],
        }
    }

    fn slice(self, range: Range<usize>) -> Self {
        let values = match self.values {
            DenseValues::Together(all) => {
                DenseValues::Together(&all[range.start * self.features..range.end * self.features])
            }
            DenseValues::Apart(rows) => DenseValues::Apart(&rows[range.clone()]),
        };
        DenseRows { values, rows: range.len(), sq_longest: None, ..self }
    }

    fn sq_longest(self) -> f64 {
        self.sq_longest.unwrap_or_else(|| sq_longest(self))
    }
}

/// Sparse rows, borrowed: compressed (CSR), or slices per row.
#[derive(Debug, Clone, Copy)]
pub struct SparseRows<'a, V> {
    entries: SparseEntries<'a, V>,
    features: usize,
    /// The greatest ‖x‖², if it is known.
    sq_longest: Option<f64>,
}

#[derive(Debug, Clone, Copy)]
enum SparseEntries<'a, V> {
    Together {
        offsets: &'a [usize],
        indices: &'a [u32],
        values: &'a [V],
    },
    /// The rows of a stream's current blocks.
    Apart(&'a [Sparse<'a, V>]),
}

impl<'a, V: Value> SparseRows<'a, V> {
    /// Views CSR arrays as rows: row `i` is `offsets[i]..offsets[i + 1]` of the other two.
    /// Refuses offsets that decrease or overrun, indices that do not increase within a row or reach `features`,
    /// and numbers that are not finite.
    pub fn new(offsets: &'a [usize], indices: &'a [u32], values: &'a [V], features: usize) -> Result<Self> {
        let bad = |what: String| Err(Error::bad_data(what));
        if indices.len() != values.len() {
            return bad(format!("{} indices beside {} values", indices.len(), values.len()));
        }
        if offsets.first() != Some(&0) || offsets.last() != Some(&indices.len()) {
            return bad(format!("row offsets must run from 0 to {}", indices.len()));
        }
        let sq_norm = |i: usize| {
            let range = offsets[i]..offsets[i + 1];
            let (indices, values) = (indices.get(range.clone())?, values.get(range)?);
            let increase = indices.windows(2).all(|w| w[0] < w[1]);
            let within = indices.last().is_none_or(|&last| (last as usize) < features);
            let sq_norm = Sparse { indices, values }.sq_norm();
            // Squares overflow where a number is not finite, but not only there.
            (increase && within && (sq_norm.is_finite() || all_finite(values))).then_some(sq_norm)
        };
        match greatest(offsets.len() - 1, sq_norm) {
            Ok(longest) => {
                let entries = SparseEntries::Together { offsets, indices, values };
                Ok(SparseRows { entries, features, sq_longest: Some(longest) })
            }
            Err(i) => Err(Error::bad_data(Message::of_row(i).then(unsound(&offsets[i..], indices, values, features)))),
        }
    }

    /// CSR arrays that satisfy [`new`](Self::new); the caller has checked them.
    pub(super) fn checked(offsets: &'a [usize], indices: &'a [u32], values: &'a [V], features: usize) -> Self {
        SparseRows { entries: SparseEntries::Together { offsets, indices, values }, features, sq_longest: None }
    }

    /// Rows whose indices lie below `features`; the caller has checked them.
    pub(crate) fn apart(rows: &'a [Sparse<'a, V>], features: usize) -> Self {
        SparseRows { entries: SparseEntries::Apart(rows), features, sq_longest: None }
    }
}

/// What is wrong with an invalid row.
#[cold]
fn unsound<V: Value>(offsets: &[usize], indices: &[u32], values: &[V], features: usize) -> Message {
    let Some(row) = indices.get(offsets[0]..offsets[1]) else {
        return Message::new(format!(": offsets decrease from {} to {}", offsets[0], offsets[1]));
    };
    if let Some(w) = row.windows(2).find(|w| w[0] >= w[1]) {
        return Message::new(format!(": feature {} after {}: indices must increase", w[1], w[0]));
    }
    if let Some(&last) = row.last().filter(|&&last| last as usize >= features) {
        return Message::new(format!(": feature {last} of {features}"));
    }
    let odd = row.iter().zip(&values[offsets[0]..offsets[1]]).find(|(_, v)| !v.to_f64().is_finite());
    let (feature, value) = odd.map_or((0, 0.0), |(&j, v)| (j as usize, v.to_f64()));
    Message::new(", ").feature(feature).text(format!(": {value} is not a finite number"))
}

impl<'a, V: Value> Rows for SparseRows<'a, V> {
    type Row = Sparse<'a, V>;

    fn len(self) -> usize {
        match self.entries {
            SparseEntries::Together { offsets, .. } => offsets.len() - 1,
            SparseEntries::Apart(rows) => rows.len(),
        }
    }

    fn features(self) -> usize {
        self.features
    }

    #[inline(always)]
    fn row(self, i: usize) -> Sparse<'a, V> {
        match self.entries {
            SparseEntries::Together { offsets, indices, values } => {
                let range = offsets[i]..offsets[i + 1];
                Sparse { indices: &indices[range.clone()], values: &values[range] }
            }
            SparseEntries::Apart(rows) => rows[i],
        }
    }

    fn slice(self, range: Range<usize>) -> Self {
        let entries = match self.entries {
            SparseEntries::Together { offsets, indices, values } => {
                SparseEntries::Together { offsets: &offsets[range.start..=range.end], indices, values }
            }
            SparseEntries::Apart(rows) => SparseEntries::Apart(&rows[range]),
        };
        SparseRows { entries, sq_longest: None, ..self }
    }

    fn is_sparse(self) -> bool {
        true
    }

    fn stored(self, i: usize) -> usize {
        self.row(i).indices.len()
    }

    fn sq_longest(self) -> f64 {
        self.sq_longest.unwrap_or_else(|| sq_longest(self))
    }

    #[inline]
    fn prefetch_place(self, i: usize) {
        match self.entries {
            SparseEntries::Together { offsets, .. } => prefetch(&offsets[i..i + 1]),
            SparseEntries::Apart(rows) => prefetch(&rows[i..i + 1]),
        }
    }
}

/// Dense rows of decimals, borrowed.
#[derive(Debug, Clone, Copy)]
pub struct DenseDecimalRows<'a> {
    pub(super) wholes: &'a [i32],
    pub(super) unit: Unit,
    pub(super) features: usize,
    pub(super) rows: usize,
}

impl<'a> Rows for DenseDecimalRows<'a> {
    type Row = DenseDecimals<'a>;

    fn len(self) -> usize {
        self.rows
    }

    fn features(self) -> usize {
        self.features
    }

    #[inline(always)]
    fn row(self, i: usize) -> DenseDecimals<'a> {
        DenseDecimals { wholes: &self.wholes[i * self.features..][..self.features], unit: self.unit }
    }

    fn slice(self, range: Range<usize>) -> Self {
        let wholes = &self.wholes[range.start * self.features..range.end * self.features];
        DenseDecimalRows { wholes, rows: range.len(), ..self }
    }

    fn is_bounded(self) -> bool {
        true
    }
}

/// Sparse rows of decimals, borrowed.
#[derive(Debug, Clone, Copy)]
pub struct SparseDecimalRows<'a> {
    pub(super) offsets: &'a [usize],
    pub(super) cells: &'a [u32],
    pub(super) shape: Shape,
    pub(super) unit: Unit,
    pub(super) features: usize,
    /// The greatest ‖x‖², computed on first use.
    pub(super) sq_longest: Option<&'a OnceLock<f64>>,
}

impl<'a> Rows for SparseDecimalRows<'a> {
    type Row = SparseDecimals<'a>;

    fn len(self) -> usize {
        self.offsets.len() - 1
    }

    fn features(self) -> usize {
        self.features
    }

    #[inline(always)]
    fn row(self, i: usize) -> SparseDecimals<'a> {
        SparseDecimals::new(&self.cells[self.offsets[i]..self.offsets[i + 1]], self.shape, self.unit)
    }

    fn slice(self, range: Range<usize>) -> Self {
        SparseDecimalRows { offsets: &self.offsets[range.start..=range.end], sq_longest: None, ..self }
    }

    fn is_sparse(self) -> bool {
        true
    }

    fn stored(self, i: usize) -> usize {
        self.row(i).entries()
    }

    fn is_bounded(self) -> bool {
        true
    }

    fn sq_longest(self) -> f64 {
        match self.sq_longest {
            Some(once) => *once.get_or_init(|| sq_longest(self)),
            None => sq_longest(self),
        }
    }

    #[inline]
    fn prefetch_place(self, i: usize) {
        prefetch(&self.offsets[i..i + 1]);
    }
}
