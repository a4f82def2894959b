//! Owned rows, as the readers build them.

use std::sync::OnceLock;

use super::any::AnyRows;
use super::decimals::{Decimals, Gathered};
use super::kinds::{DenseDecimalRows, DenseRows, SparseRows};
use super::packed::Packed;
use crate::error::Result;

/// Owned rows, as the readers build them.
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

/// Matches a [`Matrix`]: `each_matrix!(matrix, m => expression that fits all kinds)`.
macro_rules! each_matrix {
    ($matrix:expr, $m:ident => $body:expr) => {
        match $matrix {
            Matrix::Dense($m) => $body,
            Matrix::DenseF32($m) => $body,
            Matrix::DenseU8($m) => $body,
            Matrix::Sparse($m) => $body,
            Matrix::DenseDecimal($m) => $body,
            Matrix::SparseDecimal($m) => $body,
        }
    };
}

/// Converts owned rows of one kind to a [`Matrix`].
macro_rules! matrix_of {
    ($($kind:ident($rows:ty)),*) => {$(
        impl From<$rows> for Matrix {
            fn from(rows: $rows) -> Self {
                Matrix::$kind(rows)
            }
        }
    )*};
}

matrix_of!(
    Dense(DenseMatrix),
    DenseF32(DenseMatrix<f32>),
    DenseU8(DenseMatrix<u8>),
    Sparse(SparseMatrix),
    DenseDecimal(DecimalMatrix),
    SparseDecimal(SparseDecimalMatrix)
);

/// Owned dense rows of decimals.
#[derive(Debug, Clone)]
pub struct DecimalMatrix {
    values: Decimals,
    features: usize,
}

impl DecimalMatrix {
    fn len(&self) -> usize {
        self.values.len().checked_div(self.features).unwrap_or(0)
    }

    fn select(&self, rows: &[u32]) -> Self {
        let range = |&i: &u32| i as usize * self.features..(i as usize + 1) * self.features;
        DecimalMatrix { values: self.values.select(rows.iter().map(range)), features: self.features }
    }
}

/// Owned sparse rows of decimals.
#[derive(Debug, Clone)]
pub struct SparseDecimalMatrix {
    rows: Packed,
    features: usize,
    /// The greatest ‖x‖², computed on first use.
    sq_longest: OnceLock<f64>,
}

impl SparseDecimalMatrix {
    fn new(rows: Packed, features: usize) -> Self {
        SparseDecimalMatrix { rows, features, sq_longest: OnceLock::new() }
    }

    fn len(&self) -> usize {
        self.rows.len()
    }

    fn select(&self, rows: &[u32]) -> Self {
        SparseDecimalMatrix::new(self.rows.select(rows), self.features)
    }
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

    fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    fn select(&self, rows: &[u32]) -> Self {
        let mut some = SparseMatrix { features: self.features, ..SparseMatrix::default() };
        for &i in rows {
            let range = self.offsets[i as usize]..self.offsets[i as usize + 1];
            some.indices.extend_from_slice(&self.indices[range.clone()]);
            some.values.extend_from_slice(&self.values[range]);
            some.end_row();
        }
        some
    }
}

impl Matrix {
    /// Dense rows of collected numbers.
    pub(crate) fn dense(values: Gathered, features: usize) -> Self {
        match values {
            Gathered::Floats(values) => Matrix::Dense(DenseMatrix { values, features }),
            Gathered::Decimals(values) => Matrix::DenseDecimal(DecimalMatrix { values, features }),
        }
    }

    /// Packed sparse rows; offsets and indices satisfy [`SparseRows::new`].
    pub(crate) fn packed(rows: Packed, features: usize) -> Self {
        SparseDecimalMatrix::new(rows, features).into()
    }

    /// A checked view.
    pub fn rows(&self) -> Result<AnyRows<'_>> {
        Ok(match self {
            Matrix::Dense(m) => AnyRows::DenseF64(DenseRows::new(&m.values, m.features)?),
            Matrix::DenseF32(m) => AnyRows::DenseF32(DenseRows::new(&m.values, m.features)?),
            Matrix::DenseU8(m) => AnyRows::DenseU8(DenseRows::new(&m.values, m.features)?),
            Matrix::Sparse(m) => AnyRows::SparseF64(SparseRows::new(&m.offsets, &m.indices, &m.values, m.features)?),
            // Only readers build decimals, and they have checked them.
            Matrix::DenseDecimal(m) => AnyRows::DenseDecimal(DenseDecimalRows {
                wholes: m.values.wholes(),
                unit: m.values.unit(),
                features: m.features,
                rows: m.len(),
            }),
            Matrix::SparseDecimal(m) => AnyRows::SparseDecimal(m.rows.rows(m.features, &m.sq_longest)),
        })
    }

    /// Some of the rows, in the order given.
    ///
    /// # Panics
    /// If a row number is out of bounds.
    pub fn select(&self, rows: &[u32]) -> Matrix {
        each_matrix!(self, m => m.select(rows).into())
    }

    /// The same rows as floats, for code that reads the arrays of a matrix.
    pub fn in_floats(self) -> Self {
        match self {
            Matrix::DenseDecimal(m) => Matrix::Dense(DenseMatrix { values: m.values.floats(), features: m.features }),
            Matrix::SparseDecimal(m) => {
                let (offsets, indices, values) = m.rows.into_floats();
                Matrix::Sparse(SparseMatrix { offsets, indices, values, features: m.features })
            }
            other => other,
        }
    }

    /// How many rows.
    pub fn len(&self) -> usize {
        each_matrix!(self, m => m.len())
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many features.
    pub fn features(&self) -> usize {
        each_matrix!(self, m => m.features)
    }
}
