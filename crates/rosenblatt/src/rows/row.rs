//! A row: the features of one example, borrowed.

use super::prefetch::prefetch;
use crate::rows::dot;

/// A number type of rows. Rows are never converted; numbers are widened to `f64` on use.
pub trait Value: Copy + Send + Sync + 'static {
    /// The number, widened without loss.
    fn to_f64(self) -> f64;
}

impl Value for f64 {
    #[inline]
    fn to_f64(self) -> f64 {
        self
    }
}

impl Value for f32 {
    #[inline]
    fn to_f64(self) -> f64 {
        f64::from(self)
    }
}

impl Value for u8 {
    #[inline]
    fn to_f64(self) -> f64 {
        f64::from(self)
    }
}

/// A borrowed feature vector: one or two slices, copied freely.
///
/// The code that builds a row has checked that its indices lie below the number of features.
pub trait Row: Copy {
    /// Calls `f(index, value)` for each stored entry, in increasing order of index.
    fn each(self, f: impl FnMut(usize, f64));
    /// The dot product with a dense vector as long as the feature space.
    fn dot(self, w: &[f64]) -> f64;
    /// w += scale · x.
    fn add_to(self, w: &mut [f64], scale: f64);
    /// Updates two vectors at once, each with its own scale.
    #[inline]
    fn add_to_both(self, one: (&mut [f64], f64), other: (&mut [f64], f64)) {
        self.add_to(one.0, one.1);
        self.add_to(other.0, other.1);
    }
    /// ‖x‖².
    fn sq_norm(self) -> f64;
    /// Its first `count` stored entries, or all if there are fewer.
    fn head(self, count: usize) -> Self;
    /// Prefetches the row.
    fn prefetch(self);
}

/// A dense row: one value for each feature.
#[derive(Debug, Clone, Copy)]
pub struct Dense<'a, V>(pub &'a [V]);

impl<V: Value> Row for Dense<'_, V> {
    #[inline]
    fn each(self, mut f: impl FnMut(usize, f64)) {
        for (j, v) in self.0.iter().enumerate() {
            f(j, v.to_f64());
        }
    }

    #[inline(always)]
    fn dot(self, w: &[f64]) -> f64 {
        dot::dot(self.0, w)
    }

    #[inline]
    fn add_to(self, w: &mut [f64], scale: f64) {
        dot::add(self.0, w, scale);
    }

    #[inline]
    fn sq_norm(self) -> f64 {
        dot::sq_norm(self.0)
    }

    fn head(self, count: usize) -> Self {
        Dense(&self.0[..count.min(self.0.len())])
    }

    #[inline]
    fn prefetch(self) {
        prefetch(self.0);
    }
}

/// A sparse row: the stored entries, indices strictly increasing.
#[derive(Debug, Clone, Copy)]
pub struct Sparse<'a, V> {
    /// Feature numbers, from 0, strictly increasing.
    pub indices: &'a [u32],
    /// The value of each.
    pub values: &'a [V],
}

impl<V: Value> Row for Sparse<'_, V> {
    #[inline]
    fn each(self, mut f: impl FnMut(usize, f64)) {
        for (&j, v) in self.indices.iter().zip(self.values) {
            f(j as usize, v.to_f64());
        }
    }

    #[inline(always)]
    fn dot(self, w: &[f64]) -> f64 {
        dot::sparse_sum(self.indices, self.values, |j, _| w[j])
    }

    #[inline]
    fn add_to(self, w: &mut [f64], scale: f64) {
        dot::sparse_add_read(self.indices, self.values, w, scale, V::to_f64);
    }

    #[inline]
    fn add_to_both(self, one: (&mut [f64], f64), other: (&mut [f64], f64)) {
        dot::sparse_add_both_read(self.indices, self.values, one, other, V::to_f64);
    }

    #[inline]
    fn sq_norm(self) -> f64 {
        dot::sparse_sum(self.indices, self.values, |_, v| v)
    }

    fn head(self, count: usize) -> Self {
        let count = count.min(self.indices.len());
        Sparse { indices: &self.indices[..count], values: &self.values[..count] }
    }

    #[inline]
    fn prefetch(self) {
        prefetch(self.indices);
        prefetch(self.values);
    }
}
