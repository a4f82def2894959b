//! Many rows: owned, borrowed, and the one enum that knows all their kinds.

use std::ops::Range;

use crate::base::row::{Dense, Row, Sparse, Value};
use crate::error::{Error, Result};

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
}

/// A dense row-major matrix, borrowed.
#[derive(Debug, Clone, Copy)]
pub struct DenseRows<'a, V> {
    values: &'a [V],
    features: usize,
    rows: usize,
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
        if let Some(bad) = values.iter().position(|v| !v.to_f64().is_finite()) {
            return Err(Error::bad_data(format!(
                "row {}, feature {}: {} is not a finite number",
                bad / features + 1,
                bad % features + 1,
                values[bad].to_f64()
            )));
        }
        Ok(DenseRows { values, features, rows: values.len().checked_div(features).unwrap_or(0) })
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
        Dense(&self.values[i * self.features..][..self.features])
    }
}

/// A sparse matrix by rows (CSR), borrowed.
#[derive(Debug, Clone, Copy)]
pub struct SparseRows<'a, V> {
    offsets: &'a [usize],
    indices: &'a [u32],
    values: &'a [V],
    features: usize,
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
        for (i, pair) in offsets.windows(2).enumerate() {
            let Some(row) = indices.get(pair[0]..pair[1]) else {
                return bad(format!("row {}: offsets decrease from {} to {}", i + 1, pair[0], pair[1]));
            };
            if let Some(w) = row.windows(2).find(|w| w[0] >= w[1]) {
                return bad(format!("row {}: feature {} after {}: indices must increase", i + 1, w[1], w[0]));
            }
            if let Some(&last) = row.last().filter(|&&last| last as usize >= features) {
                return bad(format!("row {}: feature {last} of {features}", i + 1));
            }
            if let Some(v) = values[pair[0]..pair[1]].iter().find(|v| !v.to_f64().is_finite()) {
                return bad(format!("row {}: {} is not a finite number", i + 1, v.to_f64()));
            }
        }
        Ok(SparseRows { offsets, indices, values, features })
    }
}

impl<'a, V: Value> Rows for SparseRows<'a, V> {
    type Row = Sparse<'a, V>;

    fn len(self) -> usize {
        self.offsets.len() - 1
    }

    fn features(self) -> usize {
        self.features
    }

    #[inline]
    fn row(self, i: usize) -> Sparse<'a, V> {
        let range = self.offsets[i]..self.offsets[i + 1];
        Sparse { indices: &self.indices[range.clone()], values: &self.values[range] }
    }
}

impl<'a, V: Value> DenseRows<'a, V> {
    fn slice(self, range: Range<usize>) -> Self {
        let values = &self.values[range.start * self.features..range.end * self.features];
        DenseRows { values, rows: range.len(), ..self }
    }
}

impl<'a, V: Value> SparseRows<'a, V> {
    fn slice(self, range: Range<usize>) -> Self {
        SparseRows { offsets: &self.offsets[range.start..=range.end], ..self }
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
        }
    }

    /// How many values are stored in row `i`: all features of a dense row, the entries of a sparse one.
    pub fn stored(self, i: usize) -> usize {
        match self {
            AnyRows::SparseF64(rows) => rows.row(i).indices.len(),
            AnyRows::SparseF32(rows) => rows.row(i).indices.len(),
            _ => self.features(),
        }
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
    /// A checked view.
    pub fn rows(&self) -> Result<AnyRows<'_>> {
        Ok(match self {
            Matrix::Dense(m) => AnyRows::DenseF64(DenseRows::new(&m.values, m.features)?),
            Matrix::DenseF32(m) => AnyRows::DenseF32(DenseRows::new(&m.values, m.features)?),
            Matrix::DenseU8(m) => AnyRows::DenseU8(DenseRows::new(&m.values, m.features)?),
            Matrix::Sparse(m) => AnyRows::SparseF64(SparseRows::new(&m.offsets, &m.indices, &m.values, m.features)?),
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
        }
    }

    /// How many rows.
    pub fn len(&self) -> usize {
        match self {
            Matrix::Dense(m) => m.len(),
            Matrix::DenseF32(m) => m.len(),
            Matrix::DenseU8(m) => m.len(),
            Matrix::Sparse(m) => m.offsets.len() - 1,
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
        }
    }
}
