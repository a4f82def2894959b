//! Rows copied to lie one after the other, in any order that is asked for.

use super::decimal::SparseDecimals;
use super::kinds::{AnyRows, DenseRows, Rows, SparseDecimalRows, SparseRows};
use super::row::{Dense, Row, Sparse, Value};

/// Rows that can be copied side by side.
pub(crate) trait Buffered: Rows {
    /// Room for copies, filled again and again.
    type RowBuffer: Default + Send;

    fn clear(shelf: &mut Self::RowBuffer);
    fn put(row: Self::Row, shelf: &mut Self::RowBuffer);
    /// The copies, so many of them, as rows of this kind or of one that is faster to read.
    fn copies(self, shelf: &Self::RowBuffer, count: usize) -> AnyRows<'_>;
}

impl<V: Value> Buffered for DenseRows<'_, V>
where
    for<'s> AnyRows<'s>: From<DenseRows<'s, V>>,
{
    type RowBuffer = Vec<V>;

    fn clear(shelf: &mut Vec<V>) {
        shelf.clear();
    }

    fn put(row: Dense<'_, V>, shelf: &mut Vec<V>) {
        shelf.extend_from_slice(row.0);
    }

    fn copies(self, shelf: &Vec<V>, count: usize) -> AnyRows<'_> {
        DenseRows::checked(shelf, self.features(), count).into()
    }
}

/// CSR arrays.
pub(crate) struct SparseShelf<V> {
    offsets: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<V>,
}

impl<V> Default for SparseShelf<V> {
    fn default() -> Self {
        SparseShelf { offsets: vec![0], indices: Vec::new(), values: Vec::new() }
    }
}

impl<V: Value> SparseShelf<V> {
    fn clear(&mut self) {
        self.offsets.truncate(1);
        self.indices.clear();
        self.values.clear();
    }

    fn end_row(&mut self) {
        self.offsets.push(self.indices.len());
    }

    fn rows(&self, features: usize) -> SparseRows<'_, V> {
        SparseRows::checked(&self.offsets, &self.indices, &self.values, features)
    }
}

impl<V: Value> Buffered for SparseRows<'_, V>
where
    for<'s> AnyRows<'s>: From<SparseRows<'s, V>>,
{
    type RowBuffer = SparseShelf<V>;

    fn clear(shelf: &mut SparseShelf<V>) {
        shelf.clear();
    }

    fn put(row: Sparse<'_, V>, shelf: &mut SparseShelf<V>) {
        shelf.indices.extend_from_slice(row.indices);
        shelf.values.extend_from_slice(row.values);
        shelf.end_row();
    }

    fn copies(self, shelf: &SparseShelf<V>, _count: usize) -> AnyRows<'_> {
        shelf.rows(self.features()).into()
    }
}

/// Decimals become floats on the way: the copies are longer, but quicker to learn from.
impl Buffered for SparseDecimalRows<'_> {
    type RowBuffer = SparseShelf<f64>;

    fn clear(shelf: &mut SparseShelf<f64>) {
        shelf.clear();
    }

    fn put(row: SparseDecimals<'_>, shelf: &mut SparseShelf<f64>) {
        row.unpack(&mut shelf.indices, &mut shelf.values);
        shelf.end_row();
    }

    fn copies(self, shelf: &SparseShelf<f64>, _count: usize) -> AnyRows<'_> {
        shelf.rows(self.features()).into()
    }
}

/// How many rows before its turn a row is asked for, and how many its place.
const SOON: usize = 4;
const LATER: usize = 12;

/// Copies the rows that `order` numbers, unless they are not `wanted` any more; whether they were to the end.
pub(crate) fn lay_out<R: Buffered>(
    rows: R,
    order: &[u32],
    shelf: &mut R::RowBuffer,
    wanted: impl Fn() -> bool,
) -> bool {
    R::clear(shelf);
    for (at, &i) in order.iter().enumerate() {
        if !wanted() {
            return false;
        }
        if let Some(&later) = order.get(at + LATER) {
            rows.prefetch_place(later as usize);
        }
        if let Some(&soon) = order.get(at + SOON) {
            rows.row(soon as usize).prefetch();
        }
        R::put(rows.row(i as usize), shelf);
    }
    true
}
