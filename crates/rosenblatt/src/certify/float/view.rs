//! The geometry that the solvers see: signed rows, perhaps scaled by powers of two and moved to their centre.
//!
//! A row x with the sign y becomes the point  **a = y·z,  z = s∘x − c**.
//!
//! * Without a bias there is one *group* of points and c = 0. The margin of a direction w is minᵢ aᵢ·w / ‖w‖.
//! * With a bias the positive and the negative points are two groups. The bias is free, so that the margin is half
//!   the street between them, (min₊ a·w + min₋ a·w) / 2‖w‖, and c changes nothing but the rounding.
//!
//! One formula for both, with G groups:  margin(w) = Σ_g min_{i∈g} aᵢ·w / (G‖w‖).

use crate::parallel;
use crate::rows::{Row, Rows};

/// Rows of a pass that go to one thread at a time. Fixed: the bits must not depend on the number of threads.
const BLOCK: usize = 1024;
/// Parts of a pass that keeps a whole vector for each part, and the most numbers of all these vectors together.
const PARTS: usize = 16;
const PART_NUMBERS: usize = 1 << 24;

/// z = scale∘x − shift, one entry for each feature. The scales are powers of two, hence exact.
pub(super) struct Map {
    pub scale: Vec<f64>,
    pub shift: Vec<f64>,
}

/// Signed points. Cheap to copy: everything in it is borrowed.
pub(super) struct View<'a, R> {
    pub rows: R,
    /// +1 and −1; 0 = left out.
    pub signs: &'a [i8],
    pub bias: bool,
    /// `None`: z = x, and the dot products of the library are used as they are.
    pub map: Option<&'a Map>,
}

impl<R: Copy> Clone for View<'_, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R: Copy> Copy for View<'_, R> {}

impl<R: Rows> View<'_, R> {
    /// How many groups: two with a bias, else one.
    pub fn groups(&self) -> usize {
        1 + usize::from(self.bias)
    }

    /// The group of row `i`.
    #[inline]
    pub fn group(&self, i: usize) -> usize {
        usize::from(self.bias && self.signs[i] < 0)
    }

    /// aᵢ·w
    #[inline]
    pub fn dot(&self, i: usize, w: &[f64]) -> f64 {
        let sign = f64::from(self.signs[i]);
        let row = self.rows.row(i);
        let Some(Map { scale, shift }) = self.map else { return sign * row.dot(w) };
        let mut sum = [0.0; 2];
        row.each(|j, v| sum[j & 1] += (v * scale[j] - shift[j]) * w[j]);
        sign * (sum[0] + sum[1])
    }

    /// out += factor·aᵢ
    #[inline]
    pub fn add(&self, i: usize, out: &mut [f64], factor: f64) {
        let factor = factor * f64::from(self.signs[i]);
        let row = self.rows.row(i);
        match self.map {
            None => row.add_to(out, factor),
            Some(Map { scale, shift }) => row.each(|j, v| out[j] += factor * (v * scale[j] - shift[j])),
        }
    }

    /// ‖aᵢ‖²
    #[inline]
    pub fn sq_norm(&self, i: usize) -> f64 {
        let row = self.rows.row(i);
        let Some(Map { scale, shift }) = self.map else { return row.sq_norm() };
        let mut sum = 0.0;
        row.each(|j, v| {
            let z = v * scale[j] - shift[j];
            sum += z * z;
        });
        sum
    }

    /// Σ weight·a
    pub fn combine(&self, terms: impl Iterator<Item = (usize, f64)>) -> Vec<f64> {
        let mut out = vec![0.0; self.rows.features()];
        terms.for_each(|(i, weight)| self.add(i, &mut out, weight));
        out
    }

    /// Calls `work` with each block of rows, in parallel; the answers come in the order of the rows.
    pub fn blocks<T: Send>(&self, work: impl Fn(std::ops::Range<usize>) -> T + Sync) -> Vec<T> {
        let n = self.rows.len();
        parallel::map(n.div_ceil(BLOCK), &|b| work(b * BLOCK..n.min((b + 1) * BLOCK)))
    }

    /// The same in a few large parts, for answers as long as a row.
    pub fn parts<T: Send>(&self, work: impl Fn(std::ops::Range<usize>) -> T + Sync) -> Vec<T> {
        let n = self.rows.len();
        let part = n.div_ceil(self.part_count()).max(1);
        parallel::map(n.div_ceil(part), &|p| work(p * part..n.min((p + 1) * part)))
    }

    /// How many parts there are at most.
    pub fn part_count(&self) -> usize {
        (PART_NUMBERS / self.rows.features().max(1)).clamp(1, PARTS)
    }

    /// The mean point of each group and the number of its rows.
    pub fn means(&self) -> [(Vec<f64>, usize); 2] {
        let zero = || [0; 2].map(|_| (vec![0.0; self.rows.features()], 0));
        let parts = self.parts(|range| {
            let mut sums = zero();
            for i in range.filter(|&i| self.signs[i] != 0) {
                let (sum, count) = &mut sums[self.group(i)];
                self.add(i, sum, 1.0);
                *count += 1;
            }
            sums
        });
        let mut total = zero();
        for part in parts {
            for ((sum, count), (more, rows)) in total.iter_mut().zip(part) {
                sum.iter_mut().zip(more).for_each(|(s, m)| *s += m);
                *count += rows;
            }
        }
        for (sum, count) in &mut total {
            let n = (*count).max(1) as f64;
            sum.iter_mut().for_each(|s| *s /= n);
        }
        total
    }

    /// R = max ‖aᵢ‖
    pub fn radius(&self) -> f64 {
        let largest = |range: std::ops::Range<usize>| {
            range.filter(|&i| self.signs[i] != 0).map(|i| self.sq_norm(i)).fold(0.0, f64::max)
        };
        self.blocks(largest).into_iter().fold(0.0, f64::max).sqrt()
    }
}

/// w·w
pub(super) fn sq_norm(w: &[f64]) -> f64 {
    crate::rows::sq_norm(w)
}

/// 2ᵏ with 2ᵏ ≤ v < 2ᵏ⁺¹, and its inverse where that is finite: a scale that rounds nothing. 1 for zero.
pub(super) fn power_below(v: f64) -> f64 {
    if v == 0.0 || !v.is_finite() {
        return 1.0;
    }
    // A subnormal number has the exponent field 0; 2⁻¹⁰²² serves it well enough.
    f64::from_bits(v.abs().to_bits() & 0x7ff0_0000_0000_0000).max(f64::MIN_POSITIVE)
}
