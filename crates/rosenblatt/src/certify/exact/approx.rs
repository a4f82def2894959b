//! Integers of any size as floats, without overflow.

use dashu_int::IBig;
use dashu_int::ops::{BitTest, UnsignedAbs};

/// How many bits an integer has.
pub fn bits(x: &IBig) -> usize {
    x.unsigned_abs().bit_len()
}

/// x / 2^shift to the nearest float, within 2 parts in 2⁵³; 0 where it would be below 2⁻¹⁰⁰⁰.
pub fn scaled(x: &IBig, shift: usize) -> f64 {
    let bits = bits(x);
    if bits == 0 || bits + 1000 < shift {
        return 0.0;
    }
    let cut = bits.saturating_sub(64);
    let mantissa = (x >> cut).to_f64().value();
    let power = cut as i64 - shift as i64;
    // In two steps: the power alone may be no normal float.
    let half = (power / 2) as i32;
    mantissa * 2f64.powi(half) * 2f64.powi((power - i64::from(half)) as i32)
}

/// The integers divided by a power of two such that the largest is between 1/2 and 1, and that power.
pub fn mantissas(all: &[&IBig]) -> (Vec<f64>, usize) {
    let top = all.iter().map(|v| bits(v)).max().unwrap_or(0);
    (all.iter().map(|v| scaled(v, top)).collect(), top)
}
