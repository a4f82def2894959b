//! The two dot products, with a specified order of summation.
//!
//! **Dense**: sixteen accumulators; lane `l` takes the elements `l, l+16, l+32, …`; the tail fills the first
//! lanes; lanes are joined by the tree `l + (l+8)`, then `+4`, `+2`, `+1`.
//! **Sparse**: four accumulators over the stored entries in order; joined as `(0+2) + (1+3)`.
//!
//! No fused multiply-add. Vector units of any width give the same bits.

use super::indices::Indices;
use super::row::Value;

const LANES: usize = 16;

/// Calls the version of a sum for the widest vectors of the processor.
macro_rules! at_full_width {
    (plain::$sum:ident($($argument:expr),*)) => {{
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") {
            #[expect(
                unsafe_code,
                reason = "twenty passes over a million rows of a hundred decimals took 1.9 s instead of 2.6"
            )]
            // SAFETY: AVX2 was detected just above.
            return unsafe { wide::$sum($($argument),*) };
        }
        apart(|| plain::$sum($($argument),*))
    }};
}

/// Keeps the version that is not chosen out of the loops that call a sum: each would hold a copy of it.
#[inline(never)]
fn apart<T>(sum: impl FnOnce() -> T) -> T {
    sum()
}

/// Σ a·b over two dense slices of equal length, in the sixteen-lane order.
#[inline]
pub fn dot<V: Value>(a: &[V], b: &[f64]) -> f64 {
    dot_read(a, b, V::to_f64)
}

/// The same over cells that `read` makes numbers of.
#[inline]
pub fn dot_read<C: Copy, F: Fn(C) -> f64>(a: &[C], b: &[f64], read: F) -> f64 {
    assert_eq!(a.len(), b.len(), "a row and its weights have the same length");
    at_full_width!(plain::dot(a, b, read))
}

/// Σ a² over a dense slice, in the sixteen-lane order.
#[inline]
pub fn sq_norm<V: Value>(a: &[V]) -> f64 {
    sq_norm_read(a, V::to_f64)
}

/// The same over cells that `read` makes numbers of.
#[inline]
pub fn sq_norm_read<C: Copy, F: Fn(C) -> f64>(a: &[C], read: F) -> f64 {
    at_full_width!(plain::sq_norm(a, read))
}

/// w += scale·a over two dense slices of equal length.
#[inline]
pub fn add<V: Value>(a: &[V], w: &mut [f64], scale: f64) {
    add_read(a, w, scale, V::to_f64);
}

/// The same over cells that `read` makes numbers of.
#[inline]
pub fn add_read<C: Copy, F: Fn(C) -> f64>(a: &[C], w: &mut [f64], scale: f64, read: F) {
    assert_eq!(a.len(), w.len(), "a row and its weights have the same length");
    at_full_width!(plain::add(a, w, scale, read))
}

/// Updates two vectors at once, each with its own scale, so that the row is loaded once.
#[inline]
pub fn sparse_add_both_read<I: Indices, C: Copy, F: Fn(C) -> f64>(
    indices: I,
    cells: &[C],
    one: (&mut [f64], f64),
    other: (&mut [f64], f64),
    read: F,
) {
    at_full_width!(plain::sparse_add_both(indices, cells, one, other, read))
}

/// Σ vᵢ·term(i, vᵢ) over the stored entries of a sparse row, in the four-lane order.
#[inline]
pub fn sparse_sum<V: Value>(indices: &[u32], values: &[V], term: impl Fn(usize, f64) -> f64) -> f64 {
    sparse_sum_read(indices, values, V::to_f64, term)
}

/// The same over cells that `read` makes numbers of.
#[inline]
pub fn sparse_sum_read<I: Indices, C: Copy, F: Fn(C) -> f64, T: Fn(usize, f64) -> f64>(
    indices: I,
    cells: &[C],
    read: F,
    term: T,
) -> f64 {
    at_full_width!(plain::sparse_sum(indices, cells, read, term))
}

/// w += scale·v at the stored entries of a sparse row, over cells that `read` makes numbers of.
#[inline]
pub fn sparse_add_read<I: Indices, C: Copy, F: Fn(C) -> f64>(
    indices: I,
    cells: &[C],
    w: &mut [f64],
    scale: f64,
    read: F,
) {
    at_full_width!(plain::sparse_add(indices, cells, w, scale, read))
}

/// The sums in portable code: compiled once for every processor and once for 256-bit vectors.
mod plain {
    use super::{Indices, LANES, join};

    #[inline(always)]
    pub(super) fn dot<C: Copy, F: Fn(C) -> f64>(a: &[C], b: &[f64], read: F) -> f64 {
        let mut lanes = [0.0; LANES];
        let (a_blocks, a_tail) = a.as_chunks::<LANES>();
        let (b_blocks, b_tail) = b.as_chunks::<LANES>();
        for (x, w) in a_blocks.iter().zip(b_blocks) {
            for l in 0..LANES {
                lanes[l] += read(x[l]) * w[l];
            }
        }
        for (l, (x, w)) in a_tail.iter().zip(b_tail).enumerate() {
            lanes[l] += read(*x) * w;
        }
        join(lanes)
    }

    #[inline(always)]
    pub(super) fn sq_norm<C: Copy, F: Fn(C) -> f64>(a: &[C], read: F) -> f64 {
        let mut lanes = [0.0; LANES];
        let (blocks, tail) = a.as_chunks::<LANES>();
        for x in blocks {
            for l in 0..LANES {
                lanes[l] += read(x[l]) * read(x[l]);
            }
        }
        for (l, x) in tail.iter().enumerate() {
            lanes[l] += read(*x) * read(*x);
        }
        join(lanes)
    }

    #[inline(always)]
    pub(super) fn add<C: Copy, F: Fn(C) -> f64>(a: &[C], w: &mut [f64], scale: f64, read: F) {
        for (w, x) in w.iter_mut().zip(a) {
            *w += scale * read(*x);
        }
    }

    #[inline(always)]
    pub(super) fn sparse_sum<I: Indices, C: Copy, F: Fn(C) -> f64, T: Fn(usize, f64) -> f64>(
        indices: I,
        cells: &[C],
        read: F,
        term: T,
    ) -> f64 {
        let mut lanes = [0.0; 4];
        let (fours, last) = cells.as_chunks::<4>();
        for (i, c) in indices.fours().zip(fours) {
            for l in 0..4 {
                let v = read(c[l]);
                lanes[l] += v * term(i[l] as usize, v);
            }
        }
        for (l, &c) in last.iter().enumerate() {
            let v = read(c);
            lanes[l] += v * term(indices.at(4 * fours.len() + l) as usize, v);
        }
        (lanes[0] + lanes[2]) + (lanes[1] + lanes[3])
    }

    #[inline(always)]
    pub(super) fn sparse_add_both<I: Indices, C: Copy, F: Fn(C) -> f64>(
        indices: I,
        cells: &[C],
        (one, one_scale): (&mut [f64], f64),
        (other, other_scale): (&mut [f64], f64),
        read: F,
    ) {
        let (fours, last) = cells.as_chunks::<4>();
        for (i, c) in indices.fours().zip(fours) {
            let v = [read(c[0]), read(c[1]), read(c[2]), read(c[3])];
            for l in 0..4 {
                one[i[l] as usize] += one_scale * v[l];
                other[i[l] as usize] += other_scale * v[l];
            }
        }
        for (l, &c) in last.iter().enumerate() {
            let (at, v) = (indices.at(4 * fours.len() + l) as usize, read(c));
            one[at] += one_scale * v;
            other[at] += other_scale * v;
        }
    }

    #[inline(always)]
    pub(super) fn sparse_add<I: Indices, C: Copy, F: Fn(C) -> f64>(
        indices: I,
        cells: &[C],
        w: &mut [f64],
        scale: f64,
        read: F,
    ) {
        let (fours, last) = cells.as_chunks::<4>();
        for (i, c) in indices.fours().zip(fours) {
            let more = [scale * read(c[0]), scale * read(c[1]), scale * read(c[2]), scale * read(c[3])];
            for l in 0..4 {
                w[i[l] as usize] += more[l];
            }
        }
        for (l, &c) in last.iter().enumerate() {
            w[indices.at(4 * fours.len() + l) as usize] += scale * read(c);
        }
    }
}

/// The same with 256-bit vectors. Multiplications and additions stay separate, so the bits are the same.
#[cfg(target_arch = "x86_64")]
mod wide {
    use std::arch::x86_64::{
        __m256d, _mm_add_pd, _mm_cvtsd_f64, _mm_unpackhi_pd, _mm256_add_pd, _mm256_castpd256_pd128,
        _mm256_extractf128_pd, _mm256_mul_pd, _mm256_set_pd, _mm256_setzero_pd,
    };

    use super::{Indices, LANES, plain};

    /// Lanes of a vector.
    const WIDTH: usize = 4;

    #[target_feature(enable = "avx2")]
    pub(super) fn dot<C: Copy, F: Fn(C) -> f64>(a: &[C], b: &[f64], read: F) -> f64 {
        sum(a, b, read, |w| w)
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn sq_norm<C: Copy, F: Fn(C) -> f64>(a: &[C], read: F) -> f64 {
        sum(a, a, &read, &read)
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn add<C: Copy, F: Fn(C) -> f64>(a: &[C], w: &mut [f64], scale: f64, read: F) {
        plain::add(a, w, scale, read);
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn sparse_add_both<I: Indices, C: Copy, F: Fn(C) -> f64>(
        indices: I,
        cells: &[C],
        one: (&mut [f64], f64),
        other: (&mut [f64], f64),
        read: F,
    ) {
        plain::sparse_add_both(indices, cells, one, other, read);
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn sparse_add<I: Indices, C: Copy, F: Fn(C) -> f64>(
        indices: I,
        cells: &[C],
        w: &mut [f64],
        scale: f64,
        read: F,
    ) {
        plain::sparse_add(indices, cells, w, scale, read);
    }

    /// Four entries at a time, the four accumulators being one vector.
    #[target_feature(enable = "avx2")]
    pub(super) fn sparse_sum<I: Indices, C: Copy, F: Fn(C) -> f64, T: Fn(usize, f64) -> f64>(
        indices: I,
        cells: &[C],
        read: F,
        term: T,
    ) -> f64 {
        let mut sum = _mm256_setzero_pd();
        let (fours, last) = cells.as_chunks::<WIDTH>();
        for (i, c) in indices.fours().zip(fours) {
            let v = [read(c[0]), read(c[1]), read(c[2]), read(c[3])];
            sum = more(sum, four(|l| v[l]), four(|l| term(i[l] as usize, v[l])));
        }
        if !last.is_empty() {
            // No lane is ever −0, so adding 0 to those beyond the end changes none.
            let (mut v, mut t) = ([0.0; WIDTH], [0.0; WIDTH]);
            for (l, &c) in last.iter().enumerate() {
                v[l] = read(c);
                t[l] = term(indices.at(WIDTH * fours.len() + l) as usize, v[l]);
            }
            sum = more(sum, four(|l| v[l]), four(|l| t[l]));
        }
        fold(sum)
    }

    /// Σ x(a)·y(b), with explicit vectors. Left to itself the compiler permutes the lanes in every iteration into the order
    /// of the final sum: a row of a hundred decimals took three times as long.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn sum<A: Copy, B: Copy>(a: &[A], b: &[B], x: impl Fn(A) -> f64, y: impl Fn(B) -> f64) -> f64 {
        let mut sums = [_mm256_setzero_pd(); LANES / WIDTH];
        let (a_blocks, a_tail) = a.as_chunks::<LANES>();
        let (b_blocks, b_tail) = b.as_chunks::<LANES>();
        for (a, b) in a_blocks.iter().zip(b_blocks) {
            for (v, sum) in sums.iter_mut().enumerate() {
                let (a, b) = (&a[v * WIDTH..][..WIDTH], &b[v * WIDTH..][..WIDTH]);
                *sum = more(*sum, four(|l| x(a[l])), four(|l| y(b[l])));
            }
        }
        let (a_fours, a_last) = a_tail.as_chunks::<WIDTH>();
        let (b_fours, b_last) = b_tail.as_chunks::<WIDTH>();
        // Unrolled vector by vector: one that is indexed by a variable could not stay in its register.
        for (v, sum) in sums.iter_mut().enumerate() {
            if let (Some(a), Some(b)) = (a_fours.get(v), b_fours.get(v)) {
                *sum = more(*sum, four(|l| x(a[l])), four(|l| y(b[l])));
            } else if v == a_fours.len() && !a_last.is_empty() {
                // No lane is ever −0, so adding 0 to those beyond the end changes none.
                let a = four(|l| a_last.get(l).map_or(0.0, |a| x(*a)));
                let b = four(|l| b_last.get(l).map_or(0.0, |b| y(*b)));
                *sum = more(*sum, a, b);
            }
        }
        join(sums)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn four(lane: impl Fn(usize) -> f64) -> __m256d {
        _mm256_set_pd(lane(3), lane(2), lane(1), lane(0))
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn more(sum: __m256d, x: __m256d, y: __m256d) -> __m256d {
        _mm256_add_pd(sum, _mm256_mul_pd(x, y))
    }

    /// The tree of the specification.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn join([a, b, c, d]: [__m256d; LANES / WIDTH]) -> f64 {
        fold(_mm256_add_pd(_mm256_add_pd(a, c), _mm256_add_pd(b, d)))
    }

    /// `(0+2) + (1+3)`.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn fold(four: __m256d) -> f64 {
        let two = _mm_add_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd::<1>(four));
        _mm_cvtsd_f64(two) + _mm_cvtsd_f64(_mm_unpackhi_pd(two, two))
    }
}

#[inline(always)]
fn join(mut lanes: [f64; LANES]) -> f64 {
    for l in 0..8 {
        lanes[l] += lanes[l + 8];
    }
    for l in 0..4 {
        lanes[l] += lanes[l + 4];
    }
    (lanes[0] + lanes[2]) + (lanes[1] + lanes[3])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::indices::Halves;

    /// The specification: one element at a time, one lane at a time.
    fn naive(a: &[f64], b: &[f64]) -> f64 {
        let mut lane = [0.0; LANES];
        for i in 0..a.len() {
            lane[i % LANES] += a[i] * b[i];
        }
        let eight: Vec<f64> = (0..8).map(|l| lane[l] + lane[l + 8]).collect();
        let four: Vec<f64> = (0..4).map(|l| eight[l] + eight[l + 4]).collect();
        let two: Vec<f64> = (0..2).map(|l| four[l] + four[l + 2]).collect();
        two[0] + two[1]
    }

    #[test]
    fn dense_dot_is_its_specification_bit_for_bit() {
        for n in 0..70 {
            let a: Vec<f64> = (0..n).map(|i| (i as f64 * 0.37).sin() * 1e3).collect();
            let b: Vec<f64> = (0..n).map(|i| (i as f64 * 1.71).cos() / 7.0).collect();
            assert_eq!(dot(&a, &b).to_bits(), naive(&a, &b).to_bits(), "n = {n}");
            assert_eq!(sq_norm(&a).to_bits(), naive(&a, &a).to_bits(), "n = {n}");
        }
    }

    /// The processor decides which version runs; both must follow the specification.
    #[test]
    fn every_width_gives_the_same_bits() {
        for n in 0..70u32 {
            let a: Vec<i32> = (0..n as i32).map(|i| (i * 7919) % 4001 - 2000).collect();
            let b: Vec<f64> = (0..n).map(|i| (f64::from(i) * 1.71).cos() / 7.0).collect();
            let read = |m: i32| f64::from(m) * 1e-3;
            assert_eq!(dot_read(&a, &b, read).to_bits(), plain::dot(&a, &b, read).to_bits());
            assert_eq!(sq_norm_read(&a, read).to_bits(), plain::sq_norm(&a, read).to_bits());
            let (mut wide, mut narrow) = (b.clone(), b.clone());
            add_read(&a, &mut wide, 0.3, read);
            plain::add(&a, &mut narrow, 0.3, read);
            assert_eq!(wide, narrow);
        }
    }

    #[test]
    fn sparse_sum_takes_lanes_in_turn() {
        let indices = [0, 3, 4, 9, 11, 12];
        let values = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6];
        let w: Vec<f64> = (0..13).map(|i| 1.0 / (i as f64 + 3.0)).collect();
        let p: Vec<f64> = indices.iter().zip(values).map(|(&i, v)| v * w[i as usize]).collect();
        let expected = ((0.0 + p[0] + p[4]) + (0.0 + p[2])) + ((0.0 + p[1] + p[5]) + (0.0 + p[3]));
        assert_eq!(sparse_sum(&indices, &values, |i, _| w[i]).to_bits(), expected.to_bits());
    }

    /// The processor decides which version runs, and the data how indices are stored.
    #[test]
    fn sparse_sums_are_the_same_in_every_width_and_shape() {
        for n in 0..30u32 {
            let indices: Vec<u32> = (0..n).map(|k| k * 7 % 31).collect();
            let halves: Vec<u32> = indices.chunks(2).map(|i| i[0] | i.get(1).unwrap_or(&0) << 16).collect();
            let wholes: Vec<i32> = (0..n as i32).map(|k| (k * 7919) % 4001 - 2000).collect();
            let w: Vec<f64> = (0..31).map(|j| (f64::from(j) * 1.71).cos() / 7.0).collect();
            let read = |m: i32| f64::from(m) * 1e-3;
            let plain = plain::sparse_sum(&indices[..], &wholes, read, |j, _| w[j]);
            assert_eq!(sparse_sum_read(&indices[..], &wholes, read, |j, _| w[j]).to_bits(), plain.to_bits());
            assert_eq!(sparse_sum_read(Halves(&halves), &wholes, read, |j, _| w[j]).to_bits(), plain.to_bits());
            let (mut expected, mut whole, mut half) = (w.clone(), w.clone(), w.clone());
            for (&j, &m) in indices.iter().zip(&wholes) {
                expected[j as usize] += 0.3 * read(m);
            }
            sparse_add_read(&indices[..], &wholes, &mut whole, 0.3, read);
            sparse_add_read(Halves(&halves), &wholes, &mut half, 0.3, read);
            assert_eq!((&whole, &half), (&expected, &expected));
            let (mut one, mut other) = (w.clone(), w.clone());
            sparse_add_both_read(Halves(&halves), &wholes, (&mut one, 0.3), (&mut other, 0.7), read);
            sparse_add_both_read(&indices[..], &wholes, (&mut other, 0.3), (&mut one, 0.7), read);
            sparse_add_read(&indices[..], &wholes, &mut whole, 0.7, read);
            assert_eq!(one, whole);
        }
    }
}
