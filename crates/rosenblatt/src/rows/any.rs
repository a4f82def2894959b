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
        each_kind!(self, rows => hash(rows.row(i)))
    }
}

/// The same of any row: a sum over its entries, so that no entry waits for the one before.
fn hash(row: impl Row) -> u64 {
    let mut sum = 0u64;
    row.each(|j, v| {
        if v != 0.0 {
            // Both halves of the product: features whose numbers have the same sum are told apart, too.
            let entry = v.to_bits() ^ (j as u64 + 1).wrapping_mul(0x517c_c1b7_2722_0a95);
            let product = u128::from(entry) * 0x9e37_79b9_7f4a_7c15;
            sum = sum.wrapping_add(product as u64 ^ (product >> 64) as u64);
        }
    });
    sum
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

/// Some consecutive entries of a row.
enum Part<'p> {
    /// The first feature, and the values of it and those that follow.
    Dense(usize, &'p [f64]),
    /// Features and their values.
    Sparse(&'p [u32], &'p [f64]),
}

/// Entries that are widened together.
const TOGETHER: usize = 64;

impl AnyRow<'_> {
    /// Its entries, some at a time, through a pointer to a function: this is compiled once for all functions, and the
    /// pointer is followed once for many entries.
    fn parts(self, take: &mut dyn FnMut(Part<'_>)) {
        match self {
            AnyRow::DenseF64(Dense(values)) => take(Part::Dense(0, values)),
            AnyRow::DenseF32(Dense(values)) => dense_parts(values, f64::from, take),
            AnyRow::DenseU8(Dense(values)) => dense_parts(values, f64::from, take),
            AnyRow::DenseDecimal(row) => dense_parts(row.wholes, |m| row.unit.read(m), take),
            AnyRow::SparseF64(Sparse { indices, values }) => take(Part::Sparse(indices, values)),
            AnyRow::SparseF32(row) => sparse_parts(row, take),
            AnyRow::SparseDecimal(row) => sparse_parts(row, take),
        }
    }
}

fn dense_parts<T: Copy>(values: &[T], widen: impl Fn(T) -> f64, take: &mut dyn FnMut(Part<'_>)) {
    let mut floats = [0.0; TOGETHER];
    for (number, some) in values.chunks(TOGETHER).enumerate() {
        floats.iter_mut().zip(some).for_each(|(float, &value)| *float = widen(value));
        take(Part::Dense(number * TOGETHER, &floats[..some.len()]));
    }
}

fn sparse_parts(row: impl Row, take: &mut dyn FnMut(Part<'_>)) {
    let (mut indices, mut floats, mut held) = ([0; TOGETHER], [0.0; TOGETHER], 0);
    row.each(|j, v| {
        (indices[held], floats[held]) = (j as u32, v);
        held += 1;
        if held == TOGETHER {
            take(Part::Sparse(&indices, &floats));
            held = 0;
        }
    });
    take(Part::Sparse(&indices[..held], &floats[..held]));
}

impl Row for AnyRow<'_> {
    fn each(self, mut f: impl FnMut(usize, f64)) {
        self.parts(&mut |part| match part {
            Part::Dense(first, values) => values.iter().enumerate().for_each(|(k, &v)| f(first + k, v)),
            Part::Sparse(indices, values) => indices.iter().zip(values).for_each(|(&j, &v)| f(j as usize, v)),
        });
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::decimal::{Shape, Unit};

    fn entries(row: impl Row) -> Vec<(usize, f64)> {
        let mut all = Vec::new();
        row.each(|j, v| all.push((j, v)));
        all
    }

    #[test]
    fn a_row_of_any_kind_has_the_entries_of_its_kind() {
        for count in [0, 1, TOGETHER - 1, TOGETHER, TOGETHER + 1, 2 * TOGETHER, 150] {
            let bytes: Vec<u8> = (0..count).map(|k| (k * 7 % 200) as u8).collect();
            let doubles: Vec<f64> = bytes.iter().map(|&v| f64::from(v) / 10.0 - 3.0).collect();
            let floats: Vec<f32> = doubles.iter().map(|&v| v as f32).collect();
            let indices: Vec<u32> = (0..count as u32).map(|k| 3 * k + 1).collect();
            let wholes: Vec<i32> = bytes.iter().map(|&v| i32::from(v) - 30).collect();
            let cells: Vec<u32> = wholes.iter().map(|&m| m as u32).chain(indices.iter().copied()).collect();
            let unit = Unit::new(1);
            let (dense, sparse) = (Dense(&doubles[..]), Sparse { indices: &indices, values: &doubles[..] });
            assert_eq!(entries(AnyRow::DenseF64(dense)), entries(dense));
            assert_eq!(entries(AnyRow::SparseF64(sparse)), entries(sparse));
            let (dense, sparse) = (Dense(&floats[..]), Sparse { indices: &indices, values: &floats[..] });
            assert_eq!(entries(AnyRow::DenseF32(dense)), entries(dense));
            assert_eq!(entries(AnyRow::SparseF32(sparse)), entries(sparse));
            assert_eq!(entries(AnyRow::DenseU8(Dense(&bytes[..]))), entries(Dense(&bytes[..])));
            let (dense, sparse) =
                (DenseDecimals { wholes: &wholes, unit }, SparseDecimals::new(&cells, Shape::Wholes, unit));
            assert_eq!(entries(AnyRow::DenseDecimal(dense)), entries(dense));
            assert_eq!(entries(AnyRow::SparseDecimal(sparse)), entries(sparse));
            assert_eq!(entries(sparse).len(), count);
        }
    }

    #[test]
    fn hashes_tell_rows_apart() {
        let of = |indices: &[u32], values: &[f64]| hash(Sparse { indices, values });
        assert_eq!(hash(Dense(&[0.0, 1.0, -0.0, 2.5])), of(&[1, 3], &[1.0, 2.5]));
        assert_eq!(hash(Dense(&[0.0, 1.0, -0.0, 2.5])), hash(Dense(&[0.0f32, 1.0, 0.0, 2.5])));
        assert_ne!(of(&[1, 4], &[1.0, 1.0]), of(&[2, 3], &[1.0, 1.0]), "the numbers of the features have the same sum");
        assert_ne!(of(&[1, 2], &[1.0, 2.0]), of(&[1, 2], &[2.0, 1.0]));
        assert_ne!(of(&[1], &[1.0]), of(&[1], &[-1.0]));
        let mut all: Vec<u64> = (0..1u32 << 12)
            .map(|bits| {
                let set: Vec<u32> = (0..12).filter(|j| bits >> j & 1 == 1).collect();
                of(&set, &vec![1.0; set.len()])
            })
            .collect();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 1 << 12);
    }
}
