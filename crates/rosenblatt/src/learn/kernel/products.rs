//! Products of the rows of a tile with support vectors: nearly all of the training time.

use super::support::Support;
use super::tile::{Layout, REAL_LANES, ROWS, Tile, WHOLE_LANES};
use crate::rows::Row;

/// Support vectors that are multiplied together: with 16 rows they fill the registers.
const TOGETHER: usize = 6;

/// x·y for every row x of the tile and every support vector y of `slots`: `out[y][x]`, with [`ROWS`] numbers a line.
pub(super) fn products(tile: &Tile, support: &Support, slots: &[u32], out: &mut [f64]) {
    assert_eq!(out.len(), slots.len() * ROWS, "a line of products for each support vector");
    match tile.layout {
        Layout::Whole => whole(tile, support, slots, out),
        Layout::Real => real(tile, support, slots, out),
        Layout::Sparse => {
            for (line, &slot) in out.chunks_mut(ROWS).zip(slots) {
                line.fill(0.0);
                support.row(slot as usize).each(|j, v| {
                    for &(_, r, x) in tile.having(j) {
                        line[r as usize] += v * x;
                    }
                });
            }
        }
    }
}

/// Calls `$group::<N>` for this number of support vectors.
macro_rules! by_count {
    ($n:expr, $group:ident($($arg:expr),*)) => {
        match $n {
            1 => $group::<1>($($arg),*),
            2 => $group::<2>($($arg),*),
            3 => $group::<3>($($arg),*),
            4 => $group::<4>($($arg),*),
            5 => $group::<5>($($arg),*),
            _ => $group::<TOGETHER>($($arg),*),
        }
    };
}

fn whole(tile: &Tile, support: &Support, slots: &[u32], out: &mut [f64]) {
    for (lines, slots) in out.chunks_mut(TOGETHER * ROWS).zip(slots.chunks(TOGETHER)) {
        by_count!(slots.len(), whole_group(tile, support, slots, lines));
    }
}

fn whole_group<const N: usize>(tile: &Tile, support: &Support, slots: &[u32], lines: &mut [f64]) {
    let pairs = support.features().div_ceil(2);
    let y: [&[i32]; N] = std::array::from_fn(|n| support.whole(slots[n] as usize));
    for (group, x) in tile.whole.chunks(pairs.max(1)).enumerate() {
        let sums = whole_sums(x, y);
        for (line, sums) in lines.chunks_mut(ROWS).zip(sums) {
            for (v, s) in line[group * WHOLE_LANES..].iter_mut().zip(sums) {
                *v = f64::from(s);
            }
        }
    }
}

/// Σ over pairs of features, for 16 rows and N support vectors. Integers are exact in any order.
fn whole_sums<const N: usize>(x: &[[i32; WHOLE_LANES]], y: [&[i32]; N]) -> [[i32; WHOLE_LANES]; N] {
    #[cfg(target_arch = "x86_64")]
    if std::is_x86_feature_detected!("avx2") {
        #[expect(unsafe_code, reason = "vpmaddwd makes training on MNIST several times faster (bench/svc)")]
        // SAFETY: the processor has AVX2.
        return unsafe { avx2::whole_sums(x, y) };
    }
    whole_sums_anywhere(x, y)
}

fn whole_sums_anywhere<const N: usize>(x: &[[i32; WHOLE_LANES]], y: [&[i32]; N]) -> [[i32; WHOLE_LANES]; N] {
    let mut sums = [[0; WHOLE_LANES]; N];
    let low = |pair: i32| i32::from(pair as i16);
    for (q, x) in x.iter().enumerate() {
        for (sums, y) in sums.iter_mut().zip(y) {
            for (s, x) in sums.iter_mut().zip(x) {
                *s += low(*x) * low(y[q]) + (x >> 16) * (y[q] >> 16);
            }
        }
    }
    sums
}

fn real(tile: &Tile, support: &Support, slots: &[u32], out: &mut [f64]) {
    for (lines, slots) in out.chunks_mut(TOGETHER * ROWS).zip(slots.chunks(TOGETHER)) {
        by_count!(slots.len(), real_group(tile, support, slots, lines));
    }
}

fn real_group<const N: usize>(tile: &Tile, support: &Support, slots: &[u32], lines: &mut [f64]) {
    let y: [&[f64]; N] = std::array::from_fn(|n| support.real(slots[n] as usize));
    if support.features() == 0 {
        lines.fill(0.0);
    }
    for (group, x) in tile.real.chunks(support.features().max(1)).enumerate() {
        let sums = real_sums(x, y);
        for (line, sums) in lines.chunks_mut(ROWS).zip(sums) {
            line[group * REAL_LANES..][..REAL_LANES].copy_from_slice(&sums);
        }
    }
}

/// Σ over features in increasing order, for 8 rows and N support vectors; no fused multiply-add.
fn real_sums<const N: usize>(x: &[[f64; REAL_LANES]], y: [&[f64]; N]) -> [[f64; REAL_LANES]; N] {
    #[cfg(target_arch = "x86_64")]
    if std::is_x86_feature_detected!("avx2") {
        #[expect(unsafe_code, reason = "vectors of four make the same sums twice as fast")]
        // SAFETY: the processor has AVX2.
        return unsafe { avx2::real_sums(x, y) };
    }
    real_sums_anywhere(x, y)
}

#[inline(always)]
fn real_sums_anywhere<const N: usize>(x: &[[f64; REAL_LANES]], y: [&[f64]; N]) -> [[f64; REAL_LANES]; N] {
    let mut sums = [[0.0; REAL_LANES]; N];
    let y = y.map(|y| &y[..x.len()]);
    for (j, x) in x.iter().enumerate() {
        for n in 0..N {
            for r in 0..REAL_LANES {
                sums[n][r] += x[r] * y[n][j];
            }
        }
    }
    sums
}

/// The same sums with vectors of 256 bits.
#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::*;

    use super::{REAL_LANES, WHOLE_LANES};

    /// Two products of 16 bits and their sum in one instruction, for eight rows at a time.
    #[target_feature(enable = "avx2")]
    pub(super) fn whole_sums<const N: usize>(x: &[[i32; WHOLE_LANES]], y: [&[i32]; N]) -> [[i32; WHOLE_LANES]; N] {
        let mut sums = [[_mm256_setzero_si256(); 2]; N];
        let y = y.map(|y| &y[..x.len()]);
        for (q, x) in x.iter().enumerate() {
            let [low, high] = load(x);
            for n in 0..N {
                let both = _mm256_set1_epi32(y[n][q]);
                sums[n][0] = _mm256_add_epi32(sums[n][0], _mm256_madd_epi16(low, both));
                sums[n][1] = _mm256_add_epi32(sums[n][1], _mm256_madd_epi16(high, both));
            }
        }
        let mut stored = [[0; WHOLE_LANES]; N];
        for n in 0..N {
            stored[n] = store(sums[n]);
        }
        stored
    }

    #[target_feature(enable = "avx2")]
    #[expect(unsafe_code, reason = "there is no safe way to load a vector")]
    fn load(x: &[i32; WHOLE_LANES]) -> [__m256i; 2] {
        // SAFETY: 16 integers of 32 bits are the 64 bytes of two vectors, and any bits are both.
        unsafe { std::mem::transmute(*x) }
    }

    #[target_feature(enable = "avx2")]
    #[expect(unsafe_code, reason = "there is no safe way to store a vector")]
    fn store(sums: [__m256i; 2]) -> [i32; WHOLE_LANES] {
        // SAFETY: as above.
        unsafe { std::mem::transmute(sums) }
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn real_sums<const N: usize>(x: &[[f64; REAL_LANES]], y: [&[f64]; N]) -> [[f64; REAL_LANES]; N] {
        super::real_sums_anywhere(x, y)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;
    use crate::rows::{DenseRows, Rows};

    /// Σ over features, one by one.
    fn naive(x: &[f64], y: &[f64]) -> f64 {
        let mut sum = 0.0;
        for j in 0..x.len() {
            sum += x[j] * y[j];
        }
        sum
    }

    /// `n` rows with a share of zeros, whole or not.
    fn rows(n: usize, features: usize, filled: f64, whole: bool, seed: u64) -> Vec<f64> {
        let mut stream = Stream::new(seed, &[]);
        let mut draw = || match (stream.unit() < filled, whole) {
            (false, _) => 0.0,
            (true, true) => stream.below(511) as f64 - 255.0,
            (true, false) => stream.unit() * 2.0 - 1.0,
        };
        (0..n * features).map(|_| draw()).collect()
    }

    #[test]
    fn every_layout_is_the_naive_sum_bit_for_bit() {
        for (features, filled, whole, layout) in [
            (1, 1.0, true, Layout::Whole),
            (7, 0.9, true, Layout::Whole),
            (784, 0.2, true, Layout::Whole),
            (7, 0.9, false, Layout::Real),
            (300, 0.5, false, Layout::Real),
            (2000, 0.01, false, Layout::Sparse),
            (2000, 0.01, true, Layout::Sparse),
            ((1 << 20) + 1, 0.000_1, false, Layout::Sparse),
        ] {
            for n in [1, 15, 16, 17, 64].into_iter().filter(|n| n * features < 1 << 25) {
                let x = rows(n, features, filled, whole, n as u64);
                let y = rows(if features > 1 << 20 { 3 } else { 23 }, features, filled, whole, 99);
                let mut support = Support::new(features);
                y.chunks(features).for_each(|row| {
                    support.slot(crate::rows::Dense(row));
                });
                let slots: Vec<u32> = (0..support.len() as u32).rev().collect();
                let mut tile = Tile::new(features);
                let view = DenseRows::new(&x, features).unwrap();
                tile.load(view.into(), 0..n, support.shape());
                assert_eq!(tile.layout, layout);
                let mut out = vec![f64::NAN; slots.len() * ROWS];
                products(&tile, &support, &slots, &mut out);
                for (line, &slot) in out.chunks(ROWS).zip(&slots) {
                    let mut y = vec![0.0; features];
                    support.row(slot as usize).each(|j, v| y[j] = v);
                    for r in 0..n {
                        let dense = &x[r * features..][..features];
                        assert_eq!(line[r].to_bits(), naive(dense, &y).to_bits(), "{features} {filled} {n}");
                        assert_eq!(tile.sq()[r].to_bits(), naive(dense, dense).to_bits());
                    }
                }
                assert_eq!(view.len(), n);
            }
        }
    }

    #[test]
    fn the_portable_sums_are_those_of_the_vectors() {
        let pair = |a: i32, b: i32| (a & 0xffff) | (b << 16);
        let x: Vec<[i32; WHOLE_LANES]> =
            (0..50).map(|q| std::array::from_fn(|r| pair(q * 31 % 511 - 255, 255 - r as i32 * 29))).collect();
        let y: Vec<i32> = (0..50).map(|q| pair(q * 17 % 511 - 255, q - 25)).collect();
        assert_eq!(whole_sums(&x, [&y[..]; 3]), whole_sums_anywhere(&x, [&y[..]; 3]));
        let x: Vec<[f64; REAL_LANES]> = (0..50).map(|q| std::array::from_fn(|r| (q as f64 + r as f64).sin())).collect();
        let y: Vec<f64> = (0..50).map(|q| (q as f64).cos()).collect();
        assert_eq!(real_sums(&x, [&y[..]; 3]), real_sums_anywhere(&x, [&y[..]; 3]));
    }
}
