//! Linear algebra modulo the prime P = 2⁶¹ − 1: fast, and a lower bound on what holds over the rationals.
//!
//! A minor that is not 0 mod P is not 0: rows and columns found independent here are independent. The converse may
//! fail, so a caller that concludes dependence checks it exactly.

use dashu_int::IBig;

use crate::error::Result;
use crate::limits;

/// 2⁶¹ − 1, prime.
pub const P: u64 = (1 << 61) - 1;

/// x mod P.
#[inline]
fn fold(x: u128) -> u64 {
    let x = (x as u64 & P) + (x >> 61) as u64;
    if x >= P { x - P } else { x }
}

/// a·b mod P, for a, b < P.
#[inline]
pub fn mul(a: u64, b: u64) -> u64 {
    fold(u128::from(a) * u128::from(b))
}

/// a − b mod P, for a, b < P.
#[inline]
pub fn sub(a: u64, b: u64) -> u64 {
    if a >= b { a - b } else { a + P - b }
}

/// 1/a mod P, for 0 < a < P: a^(P−2).
pub fn inverse(a: u64) -> u64 {
    let (mut result, mut square, mut power) = (1, a, P - 2);
    while power > 0 {
        if power & 1 == 1 {
            result = mul(result, square);
        }
        square = mul(square, square);
        power >>= 1;
    }
    result
}

/// An integer mod P, in 0..P.
pub fn residue(x: &IBig) -> u64 {
    let r = i64::try_from(x % IBig::from(P)).expect("a remainder mod P fits");
    if r < 0 { (r + P as i64) as u64 } else { r as u64 }
}

/// The rows and columns, equally many, of a submatrix that is regular mod P and as large as any.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profile {
    /// Independent rows, in order.
    pub rows: Vec<usize>,
    /// The column in which each of them was eliminated, in the same order.
    pub columns: Vec<usize>,
}

/// Picks independent rows greedily, the first ones first.
pub fn profile(matrix: &[Vec<u64>]) -> Result<Profile> {
    let mut kept: Vec<(usize, Vec<u64>)> = Vec::new();
    let mut rows = Vec::new();
    for (i, row) in matrix.iter().enumerate() {
        limits::check()?;
        let mut row = row.clone();
        for (column, pivot) in &kept {
            let factor = row[*column];
            if factor != 0 {
                row.iter_mut().zip(pivot).for_each(|(v, p)| *v = sub(*v, mul(factor, *p)));
            }
        }
        if let Some(column) = row.iter().position(|&v| v != 0) {
            let scale = inverse(row[column]);
            row.iter_mut().for_each(|v| *v = mul(*v, scale));
            kept.push((column, row));
            rows.push(i);
        }
    }
    Ok(Profile { rows, columns: kept.into_iter().map(|(c, _)| c).collect() })
}

/// The inverse of a square matrix mod P; `None` if it is singular there.
pub fn invert(matrix: &[Vec<u64>]) -> Result<Option<Vec<Vec<u64>>>> {
    let n = matrix.len();
    let mut work: Vec<Vec<u64>> = matrix.to_vec();
    for (i, row) in work.iter_mut().enumerate() {
        row.extend((0..n).map(|j| u64::from(i == j)));
    }
    for c in 0..n {
        limits::check()?;
        let Some(at) = (c..n).find(|&i| work[i][c] != 0) else { return Ok(None) };
        work.swap(c, at);
        let scale = inverse(work[c][c]);
        work[c].iter_mut().for_each(|v| *v = mul(*v, scale));
        let pivot = std::mem::take(&mut work[c]);
        for row in work.iter_mut().filter(|r| !r.is_empty()) {
            let factor = row[c];
            if factor != 0 {
                row[c..].iter_mut().zip(&pivot[c..]).for_each(|(v, p)| *v = sub(*v, mul(factor, *p)));
            }
        }
        work[c] = pivot;
    }
    Ok(Some(work.into_iter().map(|row| row[n..].to_vec()).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic() {
        assert_eq!(mul(P - 1, P - 1), 1);
        assert_eq!(mul(inverse(12345), 12345), 1);
        assert_eq!(residue(&IBig::from(-1)), P - 1);
        assert_eq!(residue(&(IBig::from(P) * IBig::from(7) + IBig::from(5))), 5);
    }

    #[test]
    fn independent_rows_and_columns() {
        let m = vec![vec![0, 0, 0], vec![0, 2, 4], vec![0, 1, 2], vec![3, 1, 2]];
        assert_eq!(profile(&m).unwrap(), Profile { rows: vec![1, 3], columns: vec![1, 0] });
        let inverse = invert(&[vec![0, 2], vec![3, 1]]).unwrap().unwrap();
        assert_eq!(mul(inverse[0][1], 3), 1);
        assert_eq!(invert(&[vec![1, 2], vec![2, 4]]).unwrap(), None);
    }
}
