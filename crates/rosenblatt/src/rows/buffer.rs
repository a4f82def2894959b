//! Copies rows into one contiguous buffer, in any order.

use super::any::AnyRows;
use super::decimal::SparseDecimals;
use super::kinds::{DenseRows, Rows, SparseDecimalRows, SparseRows};
use super::row::{Dense, Row, Sparse, Value};

/// Rows that can be copied into a contiguous buffer.
pub(crate) trait Buffered: Rows {
    /// The buffer; reused for every block.
    type RowBuffer: Default + Send;

    fn clear(buffer: &mut Self::RowBuffer);
    fn put(row: Self::Row, buffer: &mut Self::RowBuffer);
    /// The `count` copied rows, of this kind or of one that is faster to read.
    fn copies(self, buffer: &Self::RowBuffer, count: usize) -> AnyRows<'_>;
}

impl<V: Value> Buffered for DenseRows<'_, V>
where
    for<'s> AnyRows<'s>: From<DenseRows<'s, V>>,
{
    type RowBuffer = Vec<V>;

    fn clear(buffer: &mut Vec<V>) {
        buffer.clear();
    }

    fn put(row: Dense<'_, V>, buffer: &mut Vec<V>) {
        buffer.extend_from_slice(row.0);
    }

    fn copies(self, buffer: &Vec<V>, count: usize) -> AnyRows<'_> {
        DenseRows::checked(buffer, self.features(), count).into()
    }
}

/// CSR arrays.
pub(crate) struct SparseBuffer<V> {
    offsets: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<V>,
}

impl<V> Default for SparseBuffer<V> {
    fn default() -> Self {
        SparseBuffer { offsets: vec![0], indices: Vec::new(), values: Vec::new() }
    }
}

impl<V: Value> SparseBuffer<V> {
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
    type RowBuffer = SparseBuffer<V>;

    fn clear(buffer: &mut SparseBuffer<V>) {
        buffer.clear();
    }

    fn put(row: Sparse<'_, V>, buffer: &mut SparseBuffer<V>) {
        buffer.indices.extend_from_slice(row.indices);
        buffer.values.extend_from_slice(row.values);
        buffer.end_row();
    }

    fn copies(self, buffer: &SparseBuffer<V>, _count: usize) -> AnyRows<'_> {
        buffer.rows(self.features()).into()
    }
}

/// Decimals are copied as floats: larger, but faster to learn from.
impl Buffered for SparseDecimalRows<'_> {
    type RowBuffer = SparseBuffer<f64>;

    fn clear(buffer: &mut SparseBuffer<f64>) {
        buffer.clear();
    }

    fn put(row: SparseDecimals<'_>, buffer: &mut SparseBuffer<f64>) {
        row.unpack(&mut buffer.indices, &mut buffer.values);
        buffer.end_row();
    }

    fn copies(self, buffer: &SparseBuffer<f64>, _count: usize) -> AnyRows<'_> {
        buffer.rows(self.features()).into()
    }
}

/// How many rows ahead a row is prefetched, and how many rows ahead its offset.
const ROW_AHEAD: usize = 4;
const OFFSET_AHEAD: usize = 12;

/// Copies the rows in `order`. Stops and returns `false` as soon as `wanted` does.
pub(crate) fn lay_out<R: Buffered>(
    rows: R,
    order: &[u32],
    buffer: &mut R::RowBuffer,
    wanted: impl Fn() -> bool,
) -> bool {
    R::clear(buffer);
    for (at, &i) in order.iter().enumerate() {
        if !wanted() {
            return false;
        }
        if let Some(&later) = order.get(at + OFFSET_AHEAD) {
            rows.prefetch_place(later as usize);
        }
        if let Some(&soon) = order.get(at + ROW_AHEAD) {
            rows.row(soon as usize).prefetch();
        }
        R::put(rows.row(i as usize), buffer);
    }
    true
}
