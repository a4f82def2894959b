//! Rows of any kind behind one type: the enum of all kinds, and the choice of one of them for a loop.
//!
//! A loop that decides how long training or scoring takes is compiled once for each kind (`each_kind!`). All other code
//! treats [`AnyRows`] as one more kind of rows, and is compiled once: each of its rows is matched when it is used.

use std::ops::Range;

use super::decimal::{DenseDecimals, SparseDecimals};
use super::kinds::{DenseDecimalRows, DenseRows, Rows, SparseDecimalRows, SparseRows};
use super::row::{Dense, Row, Sparse};

/// Borrowed rows of any kind; `each_kind!` is the one place that lists them.
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

/// Converts rows of one kind to [`AnyRows`].
macro_rules! any_of {
    ($($kind:ident($rows:ty)),*) => {$(
        impl<'a> From<$rows> for AnyRows<'a> {
            fn from(rows: $rows) -> Self {
                AnyRows::$kind(rows)
            }
        }
    )*};
}

any_of!(
    DenseF64(DenseRows<'a, f64>),
    DenseF32(DenseRows<'a, f32>),
    DenseU8(DenseRows<'a, u8>),
    SparseF64(SparseRows<'a, f64>),
    SparseF32(SparseRows<'a, f32>),
    DenseDecimal(DenseDecimalRows<'a>),
    SparseDecimal(SparseDecimalRows<'a>)
);

/// Matches an [`AnyRows`] once, outside the loop: `each_kind!(rows, r => expression generic over r)`. The expression is
/// compiled seven times: for the few loops where the time of a match per row is noticed.
macro_rules! each_kind {
    ($any:expr, $rows:ident => $body:expr) => {
        match $any {
            $crate::rows::AnyRows::DenseF64($rows) => $body,
            $crate::rows::AnyRows::DenseF32($rows) => $body,
            $crate::rows::AnyRows::DenseU8($rows) => $body,
            $crate::rows::AnyRows::SparseF64($rows) => $body,
            $crate::rows::AnyRows::SparseF32($rows) => $body,
            $crate::rows::AnyRows::DenseDecimal($rows) => $body,
            $crate::rows::AnyRows::SparseDecimal($rows) => $body,
        }
    };
}
pub(crate) use each_kind;

/// The same for rows that are worth copying ([`Buffered`](crate::rows::Buffered)); `None` for dense rows of bytes and of
/// decimals, which are short and contiguous already.
macro_rules! each_buffered_kind {
    ($any:expr, $rows:ident => $body:expr) => {
        match $any {
            $crate::rows::AnyRows::DenseF64($rows) => $body,
            $crate::rows::AnyRows::DenseF32($rows) => $body,
            $crate::rows::AnyRows::SparseF64($rows) => $body,
            $crate::rows::AnyRows::SparseF32($rows) => $body,
            $crate::rows::AnyRows::SparseDecimal($rows) => $body,
            $crate::rows::AnyRows::DenseU8(_) | $crate::rows::AnyRows::DenseDecimal(_) => None,
        }
    };
}
pub(crate) use each_buffered_kind;

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

    /// A range of consecutive rows.
    ///
    /// # Panics
    /// If the range is out of bounds.
    pub fn slice(self, range: Range<usize>) -> Self {
        each_kind!(self, rows => rows.slice(range).into())
    }

    /// How many values are stored in row `i`: all features of a dense row, the entries of a sparse one.
    pub fn stored(self, i: usize) -> usize {
        each_kind!(self, rows => rows.stored(i))
    }

    /// Whether the numbers are too small for the squares of a row to overflow.
    pub(crate) fn is_bounded(self) -> bool {
        each_kind!(self, rows => rows.is_bounded())
    }

    /// The greatest ‖x‖², infinite if its squares overflow.
    pub fn sq_longest(self) -> f64 {
        each_kind!(self, rows => rows.sq_longest())
    }

    /// Whether only some entries of a row are stored.
    pub fn is_sparse(self) -> bool {
        each_kind!(self, rows => rows.is_sparse())
    }

    /// A hash of the entries of row `i` that are not zero. Equal rows have the same; others seldom do, so compare them.
    pub(crate) fn hash(self, i: usize) -> u64 {
        // An odd number, so that every step is one to one: the multiplier of FxHash.
        let mix = |hash: u64, word: u64| (hash.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95);
        let mut hash = 0;
        each_kind!(self, rows => rows.row(i).each(|j, v| {
            if v != 0.0 {
                hash = mix(mix(hash, j as u64), v.to_bits());
            }
        }));
        hash
    }
}

impl<'a> Rows for AnyRows<'a> {
    type Row = AnyRow<'a>;

    fn len(self) -> usize {
        AnyRows::len(self)
    }

    fn features(self) -> usize {
        AnyRows::features(self)
    }

    fn row(self, i: usize) -> AnyRow<'a> {
        match self {
            AnyRows::DenseF64(rows) => AnyRow::DenseF64(rows.row(i)),
            AnyRows::DenseF32(rows) => AnyRow::DenseF32(rows.row(i)),
            AnyRows::DenseU8(rows) => AnyRow::DenseU8(rows.row(i)),
            AnyRows::SparseF64(rows) => AnyRow::SparseF64(rows.row(i)),
            AnyRows::SparseF32(rows) => AnyRow::SparseF32(rows.row(i)),
            AnyRows::DenseDecimal(rows) => AnyRow::DenseDecimal(rows.row(i)),
            AnyRows::SparseDecimal(rows) => AnyRow::SparseDecimal(rows.row(i)),
        }
    }

    fn slice(self, range: Range<usize>) -> Self {
        AnyRows::slice(self, range)
    }

    fn is_sparse(self) -> bool {
        AnyRows::is_sparse(self)
    }

    fn stored(self, i: usize) -> usize {
        AnyRows::stored(self, i)
    }

    fn is_bounded(self) -> bool {
        AnyRows::is_bounded(self)
    }

    fn sq_longest(self) -> f64 {
        AnyRows::sq_longest(self)
    }

    fn prefetch_place(self, i: usize) {
        each_kind!(self, rows => rows.prefetch_place(i));
    }
}

/// A row of any kind.
#[derive(Debug, Clone, Copy)]
pub enum AnyRow<'a> {
    /// Dense `f64`.
    DenseF64(Dense<'a, f64>),
    /// Dense `f32`.
    DenseF32(Dense<'a, f32>),
    /// Dense bytes.
    DenseU8(Dense<'a, u8>),
    /// Sparse `f64`.
    SparseF64(Sparse<'a, f64>),
    /// Sparse `f32`.
    SparseF32(Sparse<'a, f32>),
    /// Dense decimals of 32 bits.
    DenseDecimal(DenseDecimals<'a>),
    /// Sparse decimals of 32 bits.
    SparseDecimal(SparseDecimals<'a>),
}

/// Matches an [`AnyRow`].
macro_rules! each_row {
    ($any:expr, $row:ident => $body:expr) => {
        match $any {
            AnyRow::DenseF64($row) => $body,
            AnyRow::DenseF32($row) => $body,
            AnyRow::DenseU8($row) => $body,
            AnyRow::SparseF64($row) => $body,
            AnyRow::SparseF32($row) => $body,
            AnyRow::DenseDecimal($row) => $body,
            AnyRow::SparseDecimal($row) => $body,
        }
    };
}

impl AnyRow<'_> {
    /// [`Row::each`] with a pointer to the function: this is compiled once for all functions.
    fn each_through(self, f: &mut dyn FnMut(usize, f64)) {
        each_row!(self, row => row.each(f));
    }
}

impl Row for AnyRow<'_> {
    fn each(self, mut f: impl FnMut(usize, f64)) {
        self.each_through(&mut f);
    }

    fn dot(self, w: &[f64]) -> f64 {
        each_row!(self, row => row.dot(w))
    }

    fn add_to(self, w: &mut [f64], scale: f64) {
        each_row!(self, row => row.add_to(w, scale));
    }

    fn add_to_both(self, one: (&mut [f64], f64), other: (&mut [f64], f64)) {
        each_row!(self, row => row.add_to_both(one, other));
    }

    fn sq_norm(self) -> f64 {
        each_row!(self, row => row.sq_norm())
    }

    fn head(self, count: usize) -> Self {
        match self {
            AnyRow::DenseF64(row) => AnyRow::DenseF64(row.head(count)),
            AnyRow::DenseF32(row) => AnyRow::DenseF32(row.head(count)),
            AnyRow::DenseU8(row) => AnyRow::DenseU8(row.head(count)),
            AnyRow::SparseF64(row) => AnyRow::SparseF64(row.head(count)),
            AnyRow::SparseF32(row) => AnyRow::SparseF32(row.head(count)),
            AnyRow::DenseDecimal(row) => AnyRow::DenseDecimal(row.head(count)),
            AnyRow::SparseDecimal(row) => AnyRow::SparseDecimal(row.head(count)),
        }
    }

    fn prefetch(self) {
        each_row!(self, row => row.prefetch());
    }
}
