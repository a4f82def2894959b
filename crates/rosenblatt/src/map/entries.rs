//! An owned sparse row, refilled for each row that goes through the maps.

use crate::rows::{Row, Sparse};

/// The entries of a row that are not zero, indices strictly increasing; nothing is allocated once it has grown.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Entries {
    /// Feature numbers, from 0.
    pub indices: Vec<u32>,
    /// The value of each.
    pub values: Vec<f64>,
    /// Buffer for unsorted entries.
    pub(super) pairs: Vec<(u32, f64)>,
}

impl Entries {
    /// Copies a row without its zeros.
    pub fn fill<X: Row>(&mut self, x: X) {
        self.clear();
        x.each(|j, v| self.push(j as u32, v));
    }

    /// Removes all entries.
    pub fn clear(&mut self) {
        self.indices.clear();
        self.values.clear();
    }

    /// Appends an entry, unless it is zero; indices must increase.
    #[inline]
    pub fn push(&mut self, index: u32, value: f64) {
        if value != 0.0 {
            self.indices.push(index);
            self.values.push(value);
        }
    }

    /// The row, borrowed.
    pub fn row(&self) -> Sparse<'_, f64> {
        Sparse { indices: &self.indices, values: &self.values }
    }
}
