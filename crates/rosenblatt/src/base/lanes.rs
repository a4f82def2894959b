//! The two dot products that everything stands on, as specifications and not as accidents.
//!
//! **Dense**: sixteen accumulators; lane `l` takes the elements `l, l+16, l+32, …`; the tail fills the first
//! lanes; lanes are joined by the tree `l + (l+8)`, then `+4`, `+2`, `+1`.
//! **Sparse**: four accumulators over the stored entries in order; joined as `(0+2) + (1+3)`.
//!
//! No fused multiply-add. Any width of vector unit can follow these rules and give the same bits.

use super::row::Value;

const LANES: usize = 16;

/// Σ a·b over two dense slices of equal length, in the sixteen-lane order.
#[inline]
pub fn dot<V: Value>(a: &[V], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len(), "a row and its weights have the same length");
    let mut lanes = [0.0; LANES];
    let (a_blocks, a_tail) = a.as_chunks::<LANES>();
    let (b_blocks, b_tail) = b.as_chunks::<LANES>();
    for (x, w) in a_blocks.iter().zip(b_blocks) {
        for l in 0..LANES {
            lanes[l] += x[l].to_f64() * w[l];
        }
    }
    for (l, (x, w)) in a_tail.iter().zip(b_tail).enumerate() {
        lanes[l] += x.to_f64() * w;
    }
    join(lanes)
}

/// Σ a² over a dense slice, in the sixteen-lane order.
#[inline]
pub fn sq_norm<V: Value>(a: &[V]) -> f64 {
    let mut lanes = [0.0; LANES];
    let (blocks, tail) = a.as_chunks::<LANES>();
    for x in blocks {
        for l in 0..LANES {
            lanes[l] += x[l].to_f64() * x[l].to_f64();
        }
    }
    for (l, x) in tail.iter().enumerate() {
        lanes[l] += x.to_f64() * x.to_f64();
    }
    join(lanes)
}

/// w += scale·a over two dense slices of equal length.
#[inline]
pub fn add<V: Value>(a: &[V], w: &mut [f64], scale: f64) {
    assert_eq!(a.len(), w.len(), "a row and its weights have the same length");
    for (w, x) in w.iter_mut().zip(a) {
        *w += scale * x.to_f64();
    }
}

/// Σ vᵢ·term(i, vᵢ) over the stored entries of a sparse row, in the four-lane order.
#[inline]
pub fn sparse_sum<V: Value>(indices: &[u32], values: &[V], term: impl Fn(usize, f64) -> f64) -> f64 {
    let mut lanes = [0.0; 4];
    let (i_blocks, i_tail) = indices.as_chunks::<4>();
    let (v_blocks, v_tail) = values.as_chunks::<4>();
    for (i, v) in i_blocks.iter().zip(v_blocks) {
        for l in 0..4 {
            lanes[l] += v[l].to_f64() * term(i[l] as usize, v[l].to_f64());
        }
    }
    for (l, (&i, v)) in i_tail.iter().zip(v_tail).enumerate() {
        lanes[l] += v.to_f64() * term(i as usize, v.to_f64());
    }
    (lanes[0] + lanes[2]) + (lanes[1] + lanes[3])
}

/// Asks for a slice that will be needed soon: rows in shuffled order come from memory, and waiting for each would cost
/// more than all its arithmetic. Changes nothing but the time.
#[inline]
pub fn prefetch<T>(slice: &[T]) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        /// Bytes that come at once, and as many of them as are worth asking for.
        const LINE: usize = 64;
        const MOST: usize = 32;
        let lines = size_of_val(slice).div_ceil(LINE).min(MOST);
        for line in 0..lines {
            #[expect(
                unsafe_code,
                reason = "a hint to the processor: training on 54 million entries took 1.0 s of CPU time instead of 1.2"
            )]
            // SAFETY: a prefetch reads nothing and faults on no address; this one lies within the slice.
            unsafe {
                _mm_prefetch::<_MM_HINT_T0>(slice.as_ptr().cast::<i8>().wrapping_add(line * LINE));
            }
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = slice;
}

fn join(mut lanes: [f64; LANES]) -> f64 {
    let mut half = LANES / 2;
    while half > 0 {
        for l in 0..half {
            lanes[l] += lanes[l + half];
        }
        half /= 2;
    }
    lanes[0]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The specification, read aloud: one element at a time, one lane at a time.
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

    #[test]
    fn sparse_sum_takes_lanes_in_turn() {
        let indices = [0, 3, 4, 9, 11, 12];
        let values = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6];
        let w: Vec<f64> = (0..13).map(|i| 1.0 / (i as f64 + 3.0)).collect();
        let p: Vec<f64> = indices.iter().zip(values).map(|(&i, v)| v * w[i as usize]).collect();
        let expected = ((0.0 + p[0] + p[4]) + (0.0 + p[2])) + ((0.0 + p[1] + p[5]) + (0.0 + p[3]));
        assert_eq!(sparse_sum(&indices, &values, |i, _| w[i]).to_bits(), expected.to_bits());
    }
}
