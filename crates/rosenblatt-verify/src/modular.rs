//! A guess at a null space, by elimination modulo the prime P = 2⁶¹ − 1. The caller must check it: see `span`.

use dashu_int::IBig;
use dashu_int::ops::Gcd;

use crate::limits;
use crate::scaled::{Base, Digits};
use crate::stop;

const P: u64 = (1 << 61) - 1;

fn times(a: u64, b: u64) -> u64 {
    (u128::from(a) * u128::from(b) % u128::from(P)) as u64
}

fn minus(a: u64, b: u64) -> u64 {
    if a >= b { a - b } else { a + P - b }
}

fn power(base: u64, mut exponent: u64) -> u64 {
    let (mut result, mut square) = (1, base);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = times(result, square);
        }
        square = times(square, square);
        exponent >>= 1;
    }
    result
}

fn residue(digits: &Digits, base: Base, exponent: u32) -> u64 {
    let digits = match digits {
        Digits::Word(word) => word.rem_euclid(P as i64) as u64,
        Digits::Long(long) => {
            let rest = i64::try_from(long % IBig::from(P)).unwrap_or(0);
            rest.rem_euclid(P as i64) as u64
        }
    };
    times(digits, power(base.number(), u64::from(exponent)))
}

/// A basis of the null space of these rows in lowest terms, if it can be guessed.
pub(crate) fn null_space(
    rows: impl Iterator<Item = Vec<(usize, Digits, u32)>>,
    width: usize,
    base: Base,
) -> Option<Vec<Vec<(usize, IBig)>>> {
    // Reduced: every pivot is 1 and alone in its column.
    let mut basis: Vec<(usize, Vec<u64>)> = Vec::new();
    for row in rows {
        if basis.len() == width {
            break;
        }
        // The exact elimination, which follows, refuses.
        if stop::is_requested() {
            return None;
        }
        let mut dense = vec![0; width];
        for (column, digits, exponent) in row {
            dense[column] = residue(&digits, base, exponent);
        }
        for (pivot, known) in &basis {
            eliminate(&mut dense, known, *pivot);
        }
        let Some(pivot) = dense.iter().position(|&v| v != 0) else { continue };
        let inverse = power(dense[pivot], P - 2);
        dense.iter_mut().for_each(|v| *v = times(*v, inverse));
        for (_, known) in &mut basis {
            eliminate(known, &dense, pivot);
        }
        basis.push((pivot, dense));
    }
    let mut free = vec![true; width];
    basis.iter().for_each(|(pivot, _)| free[*pivot] = false);
    let (mut null, mut values) = (Vec::new(), 0);
    for column in (0..width).filter(|&c| free[c]) {
        let mut fractions = vec![(column, 1, 1)];
        for (pivot, row) in basis.iter().filter(|(_, row)| row[column] != 0) {
            let (above, below) = fraction(minus(0, row[column]))?;
            fractions.push((*pivot, above, below));
        }
        values += fractions.len();
        if values > limits::NULL {
            return None;
        }
        let common = fractions.iter().fold(IBig::ONE, |lcm, (_, _, below)| {
            let below = IBig::from(*below);
            let shared = IBig::from((&lcm).gcd(&below));
            lcm / shared * below
        });
        null.push(fractions.into_iter().map(|(at, above, below)| (at, &common / below * above)).collect());
    }
    Some(null)
}

/// Subtracts the multiple of `by` that makes `row` zero at `pivot`.
fn eliminate(row: &mut [u64], by: &[u64], pivot: usize) {
    let factor = row[pivot];
    if factor == 0 {
        return;
    }
    for (value, &other) in row.iter_mut().zip(by) {
        if other != 0 {
            *value = minus(*value, times(factor, other));
        }
    }
}

/// The fraction with numerator and denominator below 2³⁰ that this residue is, by Euclid's algorithm.
fn fraction(residue: u64) -> Option<(i64, i64)> {
    const LIMIT: i64 = 1 << 30;
    let (mut before, mut rest) = (P as i64, residue as i64);
    let (mut old, mut times) = (0i64, 1i64);
    while rest >= LIMIT {
        let quotient = before / rest;
        (before, rest) = (rest, before % rest);
        (old, times) = (times, old.checked_sub(quotient.checked_mul(times)?)?);
    }
    if times == 0 || times.abs() >= LIMIT {
        return None;
    }
    Some(if times < 0 { (-rest, -times) } else { (rest, times) })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn fractions_are_recovered(above in -1_000_000i64..1_000_000, below in 1i64..1_000_000) {
            let modulo = times(above.rem_euclid(P as i64) as u64, power(below as u64, P - 2));
            let (a, b) = fraction(modulo).unwrap();
            prop_assert_eq!(i128::from(a) * i128::from(below), i128::from(above) * i128::from(b));
        }
    }
}
