//! Rows of short decimals, four bytes per number.
//!
//! Text holds numbers like `-0.12345`. Such a number is m/10ᵏ with a whole m. If all numbers of a table share k, only m
//! is stored: half the memory traffic of each pass, and passes are memory-bound. The value of the text is the float
//! nearest to m/10ᵏ. A division would give it, but would cost more than the rest of a dot product. So 10⁻ᵏ is kept as
//! high + low, where high has so few bits that m·high is exact:
//!
//! > m/10ᵏ ≈ m·high + m·low
//!
//! has a relative error below 2⁻⁷⁰ before its one rounding, which nearly always gives the float nearest to m/10ᵏ. Because
//! of "nearly", every number is read back and compared before it is stored ([`Decimals`](super::decimals::Decimals)).

use super::indices::{Halves, Indices};
use super::prefetch::prefetch;
use super::row::Row;
use crate::rows::dot;

/// The most places after the point.
pub const MOST_PLACES: u32 = 9;
/// Bits of a float that `high` leaves empty, for those of m.
const SPARE_BITS: u32 = 31;

/// 10⁻ᵏ, the factor of the stored whole numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Unit {
    high: f64,
    low: f64,
    /// 10ᵏ.
    power: f64,
}

impl Unit {
    /// 10⁻ᵏ for k up to [`MOST_PLACES`].
    ///
    /// # Panics
    /// If k is greater.
    pub fn new(places: u32) -> Self {
        assert!(places <= MOST_PLACES, "at most {MOST_PLACES} places");
        let power = f64::from(10u32.pow(places));
        let high = f64::from_bits((1.0 / power).to_bits() >> SPARE_BITS << SPARE_BITS);
        // high·10ᵏ has at most 52 bits, and is so near to 1 that the difference is exact too.
        Unit { high, low: (1.0 - high * power) / power, power }
    }

    /// m/10ᵏ.
    #[inline(always)]
    pub fn read(self, m: i32) -> f64 {
        let m = f64::from(m);
        m * self.high + m * self.low
    }

    /// The m whose m/10ᵏ is nearest to v; unspecified if no m of 32 bits is near.
    #[inline(always)]
    pub fn nearest(self, v: f64) -> i32 {
        /// Adding this puts the rounded whole part in the lowest bits.
        const SHIFT: f64 = (3u64 << 51) as f64;
        (v * self.power + SHIFT).to_bits() as i32
    }

    /// The m whose m/10ᵏ is v, if there is one.
    pub fn whole_of(self, v: f64) -> Option<i32> {
        let m = self.nearest(v);
        (self.read(m) == v).then_some(m)
    }
}

/// A dense row of decimals.
#[derive(Debug, Clone, Copy)]
pub struct DenseDecimals<'a> {
    /// Each number times 10ᵏ.
    pub wholes: &'a [i32],
    /// 10⁻ᵏ.
    pub unit: Unit,
}

impl<'a> DenseDecimals<'a> {
    /// Its numbers.
    pub fn floats(self) -> impl ExactSizeIterator<Item = f64> + 'a {
        self.wholes.iter().map(move |&m| self.unit.read(m))
    }
}

impl Row for DenseDecimals<'_> {
    #[inline]
    fn each(self, mut f: impl FnMut(usize, f64)) {
        for (j, &m) in self.wholes.iter().enumerate() {
            f(j, self.unit.read(m));
        }
    }

    #[inline(always)]
    fn dot(self, w: &[f64]) -> f64 {
        dot::dot_read(self.wholes, w, |m| self.unit.read(m))
    }

    #[inline]
    fn add_to(self, w: &mut [f64], scale: f64) {
        dot::add_read(self.wholes, w, scale, |m| self.unit.read(m));
    }

    #[inline]
    fn sq_norm(self) -> f64 {
        dot::sq_norm_read(self.wholes, |m| self.unit.read(m))
    }

    fn head(self, count: usize) -> Self {
        DenseDecimals { wholes: &self.wholes[..count.min(self.wholes.len())], ..self }
    }

    #[inline]
    fn prefetch(self) {
        prefetch(self.wholes);
    }
}

/// How the indices of a sparse row are stored, after its numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Indices of 16 bits, two per cell, the first in the lower half.
    Halves,
    /// Indices of 32 bits, one per cell.
    Wholes,
}

impl Shape {
    /// How many cells `entries` entries take.
    pub fn cells(self, entries: usize) -> usize {
        match self {
            Shape::Halves => entries + entries.div_ceil(2),
            Shape::Wholes => 2 * entries,
        }
    }

    /// How many entries `cells` cells hold.
    #[inline]
    pub fn entries(self, cells: usize) -> usize {
        match self {
            Shape::Halves => 2 * cells / 3,
            Shape::Wholes => cells / 2,
        }
    }
}

/// A sparse row of decimals, indices strictly increasing.
#[derive(Debug, Clone, Copy)]
pub struct SparseDecimals<'a> {
    /// The bits of each number times 10ᵏ.
    wholes: &'a [u32],
    /// The cells of the indices.
    indices: &'a [u32],
    shape: Shape,
    unit: Unit,
}

impl<'a> SparseDecimals<'a> {
    /// The row in these cells: first the numbers times 10ᵏ, then their indices.
    #[inline(always)]
    pub fn new(cells: &'a [u32], shape: Shape, unit: Unit) -> Self {
        let (wholes, indices) = cells.split_at(shape.entries(cells.len()));
        SparseDecimals { wholes, indices, shape, unit }
    }

    /// How many entries are stored.
    #[inline]
    pub fn entries(self) -> usize {
        self.wholes.len()
    }

    /// Appends its indices, and its numbers as floats.
    pub(crate) fn unpack(self, indices: &mut Vec<u32>, values: &mut Vec<f64>) {
        match self.shape {
            Shape::Halves => {
                let before = indices.len();
                indices.resize(before + 2 * self.indices.len(), 0);
                for (pair, cell) in indices[before..].as_chunks_mut().0.iter_mut().zip(self.indices) {
                    *pair = [cell & 0xffff, cell >> 16];
                }
                indices.truncate(before + self.wholes.len());
            }
            Shape::Wholes => indices.extend_from_slice(self.indices),
        }
        values.extend(self.wholes.iter().map(|&m| self.unit.read(m as i32)));
    }

    /// Each index with its number.
    pub fn iter(self) -> impl Iterator<Item = (u32, f64)> + 'a {
        let index = move |k| match self.shape {
            Shape::Halves => Halves(self.indices).at(k),
            Shape::Wholes => self.indices.at(k),
        };
        self.wholes.iter().enumerate().map(move |(k, &m)| (index(k), self.unit.read(m as i32)))
    }
}

/// Runs the body with the indices of either shape.
macro_rules! each_shape {
    ($row:expr, |$indices:ident| $body:expr) => {
        match $row.shape {
            Shape::Halves => {
                let $indices = Halves($row.indices);
                $body
            }
            Shape::Wholes => {
                let $indices = $row.indices;
                $body
            }
        }
    };
}

impl Row for SparseDecimals<'_> {
    #[inline]
    fn each(self, mut f: impl FnMut(usize, f64)) {
        each_shape!(self, |indices| for (k, &m) in self.wholes.iter().enumerate() {
            f(indices.at(k) as usize, self.unit.read(m as i32));
        });
    }

    #[inline(always)]
    fn dot(self, w: &[f64]) -> f64 {
        let read = |m: u32| self.unit.read(m as i32);
        each_shape!(self, |indices| dot::sparse_sum_read(indices, self.wholes, read, |j, _| w[j]))
    }

    #[inline]
    fn add_to(self, w: &mut [f64], scale: f64) {
        let read = |m: u32| self.unit.read(m as i32);
        each_shape!(self, |indices| dot::sparse_add_read(indices, self.wholes, w, scale, read));
    }

    #[inline]
    fn add_to_both(self, one: (&mut [f64], f64), other: (&mut [f64], f64)) {
        let read = |m: u32| self.unit.read(m as i32);
        each_shape!(self, |indices| dot::sparse_add_both_read(indices, self.wholes, one, other, read));
    }

    #[inline]
    fn sq_norm(self) -> f64 {
        let read = |m: u32| self.unit.read(m as i32);
        each_shape!(self, |indices| dot::sparse_sum_read(indices, self.wholes, read, |_, v| v))
    }

    fn head(self, count: usize) -> Self {
        let count = count.min(self.wholes.len());
        let indices = &self.indices[..self.shape.cells(count) - count];
        SparseDecimals { wholes: &self.wholes[..count], indices, ..self }
    }

    #[inline]
    fn prefetch(self) {
        prefetch(self.wholes);
        prefetch(self.indices);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;

    #[test]
    fn whole_numbers_over_a_power_of_ten_are_the_nearest_floats() {
        let mut stream = Stream::new(1, &[]);
        let mut off = 0;
        for places in 0..=MOST_PLACES {
            let (unit, power) = (Unit::new(places), f64::from(10u32.pow(places)));
            let random = (0..200_000).map(|_| stream.below(1 << 32) as u32 as i32);
            for m in random.chain(-1000..1000).chain([i32::MIN, i32::MAX]) {
                let (ours, nearest) = (unit.read(m), f64::from(m) / power);
                assert!((ours - nearest).abs() <= nearest.abs() * f64::EPSILON, "{m} / 10^{places}");
                off += u32::from(ours != nearest);
            }
        }
        // `Decimals` catches these when numbers are stored; they must be rare for the form to pay.
        assert!(off <= 2, "{off} of two million are the float beside the nearest");
    }
}
