//! Rows copied to lie one after the other, in any order that is asked for. Decimals become floats on the way: whoever
//! learns from the copies need not read them.

use super::rows::{AnyRows, DenseRows, Rows, SparseRows};
use crate::base::row::Row;

/// Room for rows of any kind, filled again and again.
#[derive(Debug, Default)]
pub(crate) struct Shelf {
    rows: usize,
    /// Where sparse rows end, from 0 on.
    offsets: Vec<usize>,
    indices: Vec<u32>,
    f64s: Vec<f64>,
    f32s: Vec<f32>,
    bytes: Vec<u8>,
}

/// How many rows before its turn a row is asked for, and how many before that its place.
const AHEAD: usize = 4;
const FAR_AHEAD: usize = 12;

/// Calls `copy` with each row that `order` numbers, having asked memory for it in time.
fn each<R: Rows>(rows: R, order: &[u32], mut copy: impl FnMut(R::Row)) {
    for (at, &i) in order.iter().enumerate() {
        if let Some(&later) = order.get(at + FAR_AHEAD) {
            rows.prefetch_place(later as usize);
        }
        if let Some(&soon) = order.get(at + AHEAD) {
            rows.row(soon as usize).prefetch();
        }
        copy(rows.row(i as usize));
    }
}

impl Shelf {
    /// Lays out the rows that `order` numbers.
    pub(crate) fn fill(&mut self, rows: AnyRows<'_>, order: &[u32]) {
        self.rows = order.len();
        self.offsets.clear();
        self.offsets.push(0);
        self.indices.clear();
        self.f64s.clear();
        self.f32s.clear();
        self.bytes.clear();
        let Shelf { offsets, indices, f64s, f32s, bytes, .. } = self;
        let mut entries = |more: &[u32]| {
            indices.extend_from_slice(more);
            offsets.push(indices.len());
        };
        match rows {
            AnyRows::DenseF64(rows) => each(rows, order, |row| f64s.extend_from_slice(row.0)),
            AnyRows::DenseF32(rows) => each(rows, order, |row| f32s.extend_from_slice(row.0)),
            AnyRows::DenseU8(rows) => each(rows, order, |row| bytes.extend_from_slice(row.0)),
            AnyRows::DenseDecimal(rows) => each(rows, order, |row| f64s.extend(row.floats())),
            AnyRows::SparseF64(rows) => each(rows, order, |row| {
                entries(row.indices);
                f64s.extend_from_slice(row.values);
            }),
            AnyRows::SparseF32(rows) => each(rows, order, |row| {
                entries(row.indices);
                f32s.extend_from_slice(row.values);
            }),
            AnyRows::SparseDecimal(rows) => each(rows, order, |row| {
                entries(row.indices);
                f64s.extend(row.floats());
            }),
        }
    }

    /// What was laid out last, which were rows of `like`.
    pub(crate) fn rows(&self, like: AnyRows<'_>) -> AnyRows<'_> {
        let (features, rows) = (like.features(), self.rows);
        let (offsets, indices) = (&self.offsets[..], &self.indices[..]);
        match like {
            AnyRows::DenseF64(_) | AnyRows::DenseDecimal(_) => {
                AnyRows::DenseF64(DenseRows::checked(&self.f64s, features, rows))
            }
            AnyRows::DenseF32(_) => AnyRows::DenseF32(DenseRows::checked(&self.f32s, features, rows)),
            AnyRows::DenseU8(_) => AnyRows::DenseU8(DenseRows::checked(&self.bytes, features, rows)),
            AnyRows::SparseF64(_) | AnyRows::SparseDecimal(_) => {
                AnyRows::SparseF64(SparseRows::checked(offsets, indices, &self.f64s, features))
            }
            AnyRows::SparseF32(_) => AnyRows::SparseF32(SparseRows::checked(offsets, indices, &self.f32s, features)),
        }
    }
}
