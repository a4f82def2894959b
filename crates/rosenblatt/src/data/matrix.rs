//! Many rows: owned, borrowed, and the one enum that knows all their kinds.

use std::ops::Range;

use rayon::prelude::*;

use super::decimals::{Decimals, Gathered};
use crate::base::decimal::{DenseDecimals, SparseDecimals, Unit};
use crate::base::lanes::prefetch;
use crate::base::row::{Dense, Row, Sparse, Value};
use crate::error::{Error, Result};

/// The first number below `count` that is `bad`, looked for on all threads; a stretch of numbers is looked at one by one
/// only if it is `suspect`.
pub(crate) fn first_of(
    count: usize,
    suspect: impl Fn(std::ops::Range<usize>) -> bool + Sync,
    bad: impl Fn(usize) -> bool + Sync,
) -> Option<usize> {
    const STRETCH: usize = 1 << 12;
    (0..count.div_ceil(STRETCH)).into_par_iter().find_map_first(|stretch| {
        let mut own = stretch * STRETCH..count.min((stretch + 1) * STRETCH);
        if suspect(own.clone()) { own.find(|&i| bad(i)) } else { None }
    })
}

/// Whether all are finite, without a branch for each.
fn all_finite<V: Value>(values: &[V]) -> bool {
    values.iter().fold(true, |all, v| all & v.to_f64().is_finite())
}

/// Borrowed rows of one kind: what loops are generic over.
pub trait Rows: Copy + Send + Sync {
    /// A borrowed row.
    type Row: Row;
    /// How many rows.
    fn len(self) -> usize;
    /// How many features.
    fn features(self) -> usize;
    /// The row at `i`, from 0.
    fn row(self, i: usize) -> Self::Row;
    /// Whether there is none.
    fn is_empty(self) -> bool {
        self.len() == 0
    }
    /// Says that it will soon be asked where the row at `i` lies, where that is a look at memory itself.
    #[inline]
    fn prefetch_place(self, _i: usize) {}
}

/// Dense rows, borrowed: row-major, or each in its own place.
#[derive(Debug, Clone, Copy)]
pub struct DenseRows<'a, V> {
    values: DenseValues<'a, V>,
    features: usize,
    rows: usize,
}

#[derive(Debug, Clone, Copy)]
enum DenseValues<'a, V> {
    Together(&'a [V]),
    /// What a stream has in hand.
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
        if let Some(bad) =
            first_of(values.len(), |some| !all_finite(&values[some]), |i| !values[i].to_f64().is_finite())
        {
            return Err(Error::bad_data(format!(
                "row {}, feature {}: {} is not a finite number",
                bad / features + 1,
                bad % features + 1,
                values[bad].to_f64()
            )));
        }
        let rows = values.len().checked_div(features).unwrap_or(0);
        Ok(DenseRows { values: DenseValues::Together(values), features, rows })
    }

    /// Rows of `features` finite numbers each, as their maker has checked.
    pub(crate) fn apart(rows: &'a [Dense<'a, V>], features: usize) -> Self {
        DenseRows { values: DenseValues::Apart(rows), features, rows: rows.len() }
    }

    fn slice(self, range: Range<usize>) -> Self {
        let values = match self.values {
            DenseValues::Together(all) => {
                DenseValues::Together(&all[range.start * self.features..range.end * self.features])
            }
            DenseValues::Apart(rows) => DenseValues::Apart(&rows[range.clone()]),
        };
        DenseRows { values, rows: range.len(), ..self }
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

    #[inline]
    fn row(self, i: usize) -> Dense<'a, V> {
        match self.values {
            DenseValues::Together(all) => Dense(&all[i * self.features..][..self.features]),
            DenseValues::Apart(rows) => rows[i],
        }
    }
}

/// Sparse rows, borrowed: compressed (CSR), or each in its own place.
#[derive(Debug, Clone, Copy)]
pub struct SparseRows<'a, V> {
    entries: SparseEntries<'a, V>,
    features: usize,
}

#[derive(Debug, Clone, Copy)]
enum SparseEntries<'a, V> {
    Together {
        offsets: &'a [usize],
        indices: &'a [u32],
        values: &'a [V],
    },
    /// What a stream has in hand.
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
        let sound = |pair: &[usize]| {
            let (Some(row), Some(values)) = (indices.get(pair[0]..pair[1]), values.get(pair[0]..pair[1])) else {
                return false;
            };
            row.windows(2).all(|w| w[0] < w[1])
                && row.last().is_none_or(|&last| (last as usize) < features)
                && all_finite(values)
        };
        match first_of(offsets.len() - 1, |_| true, |i| !sound(&offsets[i..i + 2])) {
            None => Ok(SparseRows { entries: SparseEntries::Together { offsets, indices, values }, features }),
            Some(i) => bad(format!("row {}: {}", i + 1, unsound(&offsets[i..], indices, values, features))),
        }
    }

    /// Rows whose indices lie below `features`, as their maker has checked.
    pub(crate) fn apart(rows: &'a [Sparse<'a, V>], features: usize) -> Self {
        SparseRows { entries: SparseEntries::Apart(rows), features }
    }

    fn slice(self, range: Range<usize>) -> Self {
        let entries = match self.entries {
            SparseEntries::Together { offsets, indices, values } => {
                SparseEntries::Together { offsets: &offsets[range.start..=range.end], indices, values }
            }
            SparseEntries::Apart(rows) => SparseEntries::Apart(&rows[range]),
        };
        SparseRows { entries, ..self }
    }
}

/// What is wrong with a row that is not sound.
#[cold]
fn unsound<V: Value>(offsets: &[usize], indices: &[u32], values: &[V], features: usize) -> String {
    let Some(row) = indices.get(offsets[0]..offsets[1]) else {
        return format!("offsets decrease from {} to {}", offsets[0], offsets[1]);
    };
    if let Some(w) = row.windows(2).find(|w| w[0] >= w[1]) {
        return format!("feature {} after {}: indices must increase", w[1], w[0]);
    }
    if let Some(&last) = row.last().filter(|&&last| last as usize >= features) {
        return format!("feature {last} of {features}");
    }
    let odd = values[offsets[0]..offsets[1]].iter().find(|v| !v.to_f64().is_finite());
    format!("{} is not a finite number", odd.map_or(0.0, |v| v.to_f64()))
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

    #[inline]
    fn row(self, i: usize) -> Sparse<'a, V> {
        match self.entries {
            SparseEntries::Together { offsets, indices, values } => {
                let range = offsets[i]..offsets[i + 1];
                Sparse { indices: &indices[range.clone()], values: &values[range] }
            }
            SparseEntries::Apart(rows) => rows[i],
        }
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
    wholes: &'a [i32],
    unit: Unit,
    features: usize,
    rows: usize,
}

impl<'a> Rows for DenseDecimalRows<'a> {
    type Row = DenseDecimals<'a>;

    fn len(self) -> usize {
        self.rows
    }

    fn features(self) -> usize {
        self.features
    }

    #[inline]
    fn row(self, i: usize) -> DenseDecimals<'a> {
        DenseDecimals { wholes: &self.wholes[i * self.features..][..self.features], unit: self.unit }
    }
}

impl DenseDecimalRows<'_> {
    fn slice(self, range: Range<usize>) -> Self {
        let wholes = &self.wholes[range.start * self.features..range.end * self.features];
        DenseDecimalRows { wholes, rows: range.len(), ..self }
    }
}

/// Sparse rows of decimals, borrowed.
#[derive(Debug, Clone, Copy)]
pub struct SparseDecimalRows<'a> {
    offsets: &'a [usize],
    indices: &'a [u32],
    wholes: &'a [i32],
    unit: Unit,
    features: usize,
}

impl<'a> Rows for SparseDecimalRows<'a> {
    type Row = SparseDecimals<'a>;

    fn len(self) -> usize {
        self.offsets.len() - 1
    }

    fn features(self) -> usize {
        self.features
    }

    #[inline]
    fn row(self, i: usize) -> SparseDecimals<'a> {
        let range = self.offsets[i]..self.offsets[i + 1];
        SparseDecimals { indices: &self.indices[range.clone()], wholes: &self.wholes[range], unit: self.unit }
    }

    #[inline]
    fn prefetch_place(self, i: usize) {
        prefetch(&self.offsets[i..i + 1]);
    }
}

impl SparseDecimalRows<'_> {
    fn slice(self, range: Range<usize>) -> Self {
        SparseDecimalRows { offsets: &self.offsets[range.start..=range.end], ..self }
    }
}

/// Borrowed rows of any kind. The one place that lists the kinds is [`each_kind!`](crate::each_kind).
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum AnyRows<'a> {
    /// Dense `f64`.
    DenseF64(DenseRows<'a, f64>),
    /// Dense `f32`.
    DenseF32(DenseRows<'a, f32>),
    /// Dense bytes: images.
    DenseU8(DenseRows<'a, u8>),
    /// Sparse `f64`.
    SparseF64(SparseRows<'a, f64>),
    /// Sparse `f32`.
    SparseF32(SparseRows<'a, f32>),
    /// Dense decimals of 32 bits.
    DenseDecimal(DenseDecimalRows<'a>),
    /// Sparse decimals of 32 bits.
    SparseDecimal(SparseDecimalRows<'a>),
}

/// Opens an [`AnyRows`] once, outside the loop: `each_kind!(rows, r => expression generic over r)`.
#[macro_export]
macro_rules! each_kind {
    ($any:expr, $rows:ident => $body:expr) => {
        match $any {
            $crate::data::AnyRows::DenseF64($rows) => $body,
            $crate::data::AnyRows::DenseF32($rows) => $body,
            $crate::data::AnyRows::DenseU8($rows) => $body,
            $crate::data::AnyRows::SparseF64($rows) => $body,
            $crate::data::AnyRows::SparseF32($rows) => $body,
            $crate::data::AnyRows::DenseDecimal($rows) => $body,
            $crate::data::AnyRows::SparseDecimal($rows) => $body,
        }
    };
}

impl AnyRows<'_> {
    /// How many rows.
    pub fn len(self) -> usize {
        each_kind!(self, rows => rows.len())
    }

    /// Whether there is none.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// How many features.
    pub fn features(self) -> usize {
        each_kind!(self, rows => rows.features())
    }

    /// Some rows that follow each other.
    ///
    /// # Panics
    /// If there are not so many.
    pub fn slice(self, range: Range<usize>) -> Self {
        match self {
            AnyRows::DenseF64(rows) => AnyRows::DenseF64(rows.slice(range)),
            AnyRows::DenseF32(rows) => AnyRows::DenseF32(rows.slice(range)),
            AnyRows::DenseU8(rows) => AnyRows::DenseU8(rows.slice(range)),
            AnyRows::SparseF64(rows) => AnyRows::SparseF64(rows.slice(range)),
            AnyRows::SparseF32(rows) => AnyRows::SparseF32(rows.slice(range)),
            AnyRows::DenseDecimal(rows) => AnyRows::DenseDecimal(rows.slice(range)),
            AnyRows::SparseDecimal(rows) => AnyRows::SparseDecimal(rows.slice(range)),
        }
    }

    /// How many values are stored in row `i`: all features of a dense row, the entries of a sparse one.
    pub fn stored(self, i: usize) -> usize {
        match self {
            AnyRows::SparseF64(rows) => rows.row(i).indices.len(),
            AnyRows::SparseF32(rows) => rows.row(i).indices.len(),
            AnyRows::SparseDecimal(rows) => rows.row(i).indices.len(),
            _ => self.features(),
        }
    }

    /// Whether only some entries of a row are stored.
    pub fn is_sparse(self) -> bool {
        matches!(self, AnyRows::SparseF64(_) | AnyRows::SparseF32(_) | AnyRows::SparseDecimal(_))
    }
}

/// Owned rows, as the readers make them.
#[derive(Debug, Clone)]
pub enum Matrix {
    /// Row-major values.
    Dense(DenseMatrix),
    /// Row-major values of 32 bits.
    DenseF32(DenseMatrix<f32>),
    /// Row-major bytes: images.
    DenseU8(DenseMatrix<u8>),
    /// Compressed sparse rows.
    Sparse(SparseMatrix),
    /// Row-major decimals.
    DenseDecimal(DecimalMatrix),
    /// Compressed sparse rows of decimals.
    SparseDecimal(SparseDecimalMatrix),
}

/// Owned dense rows of decimals, as a reader has gathered them.
#[derive(Debug, Clone)]
pub struct DecimalMatrix {
    values: Decimals,
    features: usize,
}

/// Owned sparse rows of decimals, as a reader has gathered and checked them.
#[derive(Debug, Clone)]
pub struct SparseDecimalMatrix {
    offsets: Vec<usize>,
    indices: Vec<u32>,
    values: Decimals,
    features: usize,
}

/// Owned dense rows.
#[derive(Debug, Clone, Default)]
pub struct DenseMatrix<V = f64> {
    /// Row-major values, all finite.
    pub values: Vec<V>,
    /// How many features a row has.
    pub features: usize,
}

impl<V: Copy> DenseMatrix<V> {
    fn len(&self) -> usize {
        self.values.len().checked_div(self.features).unwrap_or(0)
    }

    fn select(&self, rows: &[u32]) -> Self {
        let mut values = Vec::with_capacity(rows.len() * self.features);
        for &i in rows {
            values.extend_from_slice(&self.values[i as usize * self.features..][..self.features]);
        }
        DenseMatrix { values, features: self.features }
    }
}

/// Owned sparse rows.
#[derive(Debug, Clone)]
pub struct SparseMatrix {
    /// Row `i` is `offsets[i]..offsets[i + 1]`; starts as `[0]`.
    pub offsets: Vec<usize>,
    /// Feature numbers from 0, strictly increasing within a row.
    pub indices: Vec<u32>,
    /// The value of each, all finite.
    pub values: Vec<f64>,
    /// How many features there are.
    pub features: usize,
}

impl Default for SparseMatrix {
    fn default() -> Self {
        SparseMatrix { offsets: vec![0], indices: Vec::new(), values: Vec::new(), features: 0 }
    }
}

impl SparseMatrix {
    /// Ends the row whose entries were pushed last.
    pub fn end_row(&mut self) {
        self.offsets.push(self.indices.len());
    }
}

impl Matrix {
    /// Dense rows of numbers that a reader has gathered.
    pub(crate) fn dense(values: Gathered, features: usize) -> Self {
        match values {
            Gathered::Floats(values) => Matrix::Dense(DenseMatrix { values, features }),
            Gathered::Decimals(values) => Matrix::DenseDecimal(DecimalMatrix { values, features }),
        }
    }

    /// Sparse rows that a reader has gathered: offsets and indices are as [`SparseRows::new`] wants them.
    pub(crate) fn sparse(offsets: Vec<usize>, indices: Vec<u32>, values: Gathered, features: usize) -> Self {
        match values {
            Gathered::Floats(values) => Matrix::Sparse(SparseMatrix { offsets, indices, values, features }),
            Gathered::Decimals(values) => {
                Matrix::SparseDecimal(SparseDecimalMatrix { offsets, indices, values, features })
            }
        }
    }

    /// A checked view.
    pub fn rows(&self) -> Result<AnyRows<'_>> {
        Ok(match self {
            Matrix::Dense(m) => AnyRows::DenseF64(DenseRows::new(&m.values, m.features)?),
            Matrix::DenseF32(m) => AnyRows::DenseF32(DenseRows::new(&m.values, m.features)?),
            Matrix::DenseU8(m) => AnyRows::DenseU8(DenseRows::new(&m.values, m.features)?),
            Matrix::Sparse(m) => AnyRows::SparseF64(SparseRows::new(&m.offsets, &m.indices, &m.values, m.features)?),
            // Decimals are made by readers alone, which have checked them.
            Matrix::DenseDecimal(m) => AnyRows::DenseDecimal(DenseDecimalRows {
                wholes: m.values.wholes(),
                unit: m.values.unit(),
                features: m.features,
                rows: self.len(),
            }),
            Matrix::SparseDecimal(m) => AnyRows::SparseDecimal(SparseDecimalRows {
                offsets: &m.offsets,
                indices: &m.indices,
                wholes: m.values.wholes(),
                unit: m.values.unit(),
                features: m.features,
            }),
        })
    }

    /// Some of the rows, in the order given.
    ///
    /// # Panics
    /// If a number is not that of a row.
    pub fn select(&self, rows: &[u32]) -> Matrix {
        match self {
            Matrix::Dense(m) => Matrix::Dense(m.select(rows)),
            Matrix::DenseF32(m) => Matrix::DenseF32(m.select(rows)),
            Matrix::DenseU8(m) => Matrix::DenseU8(m.select(rows)),
            Matrix::Sparse(m) => {
                let mut some = SparseMatrix { features: m.features, ..SparseMatrix::default() };
                for &i in rows {
                    let range = m.offsets[i as usize]..m.offsets[i as usize + 1];
                    some.indices.extend_from_slice(&m.indices[range.clone()]);
                    some.values.extend_from_slice(&m.values[range]);
                    some.end_row();
                }
                Matrix::Sparse(some)
            }
            Matrix::DenseDecimal(m) => {
                let range = |&i: &u32| i as usize * m.features..(i as usize + 1) * m.features;
                Matrix::DenseDecimal(DecimalMatrix { values: m.values.select(rows.iter().map(range)), ..*m })
            }
            Matrix::SparseDecimal(m) => {
                let range = |&i: &u32| m.offsets[i as usize]..m.offsets[i as usize + 1];
                let (mut offsets, mut indices) = (vec![0], Vec::new());
                for range in rows.iter().map(range) {
                    indices.extend_from_slice(&m.indices[range]);
                    offsets.push(indices.len());
                }
                let values = m.values.select(rows.iter().map(range));
                Matrix::SparseDecimal(SparseDecimalMatrix { offsets, indices, values, features: m.features })
            }
        }
    }

    /// The same rows in floats: for what looks into a matrix and not at its rows.
    pub fn in_floats(self) -> Self {
        match self {
            Matrix::DenseDecimal(m) => Matrix::Dense(DenseMatrix { values: m.values.floats(), features: m.features }),
            Matrix::SparseDecimal(m) => {
                let SparseDecimalMatrix { offsets, indices, values, features } = m;
                Matrix::Sparse(SparseMatrix { offsets, indices, values: values.floats(), features })
            }
            other => other,
        }
    }

    /// How many rows.
    pub fn len(&self) -> usize {
        match self {
            Matrix::Dense(m) => m.len(),
            Matrix::DenseF32(m) => m.len(),
            Matrix::DenseU8(m) => m.len(),
            Matrix::Sparse(m) => m.offsets.len() - 1,
            Matrix::DenseDecimal(m) => m.values.len().checked_div(m.features).unwrap_or(0),
            Matrix::SparseDecimal(m) => m.offsets.len() - 1,
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many features.
    pub fn features(&self) -> usize {
        match self {
            Matrix::Dense(m) => m.features,
            Matrix::DenseF32(m) => m.features,
            Matrix::DenseU8(m) => m.features,
            Matrix::Sparse(m) => m.features,
            Matrix::DenseDecimal(m) => m.features,
            Matrix::SparseDecimal(m) => m.features,
        }
    }
}
