//! Two bounds of the best margin, as fractions that hold exactly.
//!
//! Lower: the margin of one hyperplane, min a·w / ‖w‖, rounded down. Upper, by weak duality: for weights p that sum to
//! 1 on each side, ‖Σ p y x‖ is a distance between two points of the two convex hulls, and no hyperplane is further
//! than half of it from both hulls; without a bias, for p that sum to 1, no margin exceeds ‖Σ p y x‖. Rounded up.

use std::collections::HashMap;

use dashu_int::ops::{SquareRoot, UnsignedAbs};
use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;

use super::approx::bits;
use super::decimal::dyadic;
use super::signs::Filter;
use crate::error::Result;
use crate::limits;

/// Significant digits of a bound.
const DIGITS: i64 = 15;

/// √q rounded down to `DIGITS` digits or more.
pub fn root_below(q: &RBig) -> RBig {
    root(q, false)
}

/// √q rounded up.
pub fn root_above(q: &RBig) -> RBig {
    root(q, true)
}

fn root(q: &RBig, up: bool) -> RBig {
    let (n, d) = (q.numerator().unsigned_abs(), q.denominator());
    if n.is_zero() {
        return RBig::ZERO;
    }
    // √(n/d) has about this many digits before the point.
    let size = (bits(q.numerator()) as i64 - bits(&IBig::from(d.clone())) as i64) * 30103 / 200_000;
    let places = DIGITS + 1 - size;
    let power = UBig::from(10u8).pow(places.unsigned_abs() as usize);
    let square = &power * &power;
    let (n, d) = if places >= 0 { (n * square, d.clone()) } else { (n, d * square) };
    let floor = (&n / &d).sqrt();
    let exact = &floor * &floor * d == n;
    let whole = IBig::from(if up && !exact { floor + UBig::ONE } else { floor });
    if places >= 0 { RBig::from_parts(whole, power) } else { RBig::from(whole * IBig::from(power)) }
}

/// The lower bound that w gives: min a·w / ‖w‖, the norm without the bias. `least` is min a·w or less, positive.
pub fn lower(filter: &Filter<'_>, w: &[IBig], least: &RBig) -> RBig {
    let features = filter.coordinates() - usize::from(filter.bias());
    let norm = w[..features].iter().fold(IBig::ZERO, |sum, v| sum + v * v);
    if norm.is_zero() {
        return RBig::ZERO;
    }
    root_below(&(least * least / RBig::from(norm)))
}

/// A bound, and the weights of examples that give it.
pub type Bound = (RBig, Vec<(usize, RBig)>);

/// The upper bound that integer weights of examples give once they sum to 1, on each side if there is a bias;
/// `None` if a side has none. With it the weights, so divided.
pub fn upper(filter: &Filter<'_>, weights: &[(usize, IBig)]) -> Result<Option<Bound>> {
    let weights: Vec<&(usize, IBig)> = weights.iter().filter(|(_, w)| *w > IBig::ZERO).collect();
    let side = |i: usize| usize::from(filter.bias() && filter.sign(i) < 0);
    let mut sums = [IBig::ZERO, IBig::ZERO];
    weights.iter().for_each(|(i, w)| sums[side(*i)] += w);
    if sums[0].is_zero() || (filter.bias() && sums[1].is_zero()) {
        return Ok(None);
    }
    let numbers: Vec<usize> = weights.iter().map(|(i, _)| *i).collect();
    // Σ w y x for each side, times the largest scale so far: scales are powers of one number.
    let mut scale = UBig::ONE;
    let mut totals = [HashMap::<usize, IBig>::new(), HashMap::new()];
    let mut shares = weights.iter();
    for block in filter.blocks(&numbers) {
        limits::check()?;
        for (row, (i, w)) in filter.exact().fetch(block)?.iter().zip(shares.by_ref()) {
            let common = lcm(&scale, &row.scale);
            if common != scale {
                let factor = IBig::from(&common / &scale);
                totals.iter_mut().flat_map(HashMap::values_mut).for_each(|v| *v *= &factor);
                scale = common;
            }
            let factor = w * IBig::from(&scale / &row.scale) * IBig::from(filter.sign(*i));
            for (j, v) in &row.entries {
                *totals[side(*i)].entry(*j).or_default() += v * &factor;
            }
        }
    }
    let [first, second] = &totals;
    let mut square = IBig::ZERO;
    let other = if filter.bias() { sums[1].clone() } else { IBig::ONE };
    for j in first.keys().chain(second.keys().filter(|j| !first.contains_key(j))) {
        let get = |side: &HashMap<usize, IBig>| side.get(j).cloned().unwrap_or_default();
        let v = get(first) * &other + get(second) * &sums[0];
        square += &v * &v;
    }
    let divisor = UBig::try_from(&sums[0] * &other).unwrap_or(UBig::ONE) * scale;
    let length = root_above(&RBig::from_parts(square, &divisor * &divisor));
    let bound = if filter.bias() { length / RBig::from(2) } else { length };
    let share = |(i, w): &(usize, IBig)| (*i, RBig::from_parts_signed(w.clone(), sums[side(*i)].clone()));
    Ok(Some((bound, weights.into_iter().map(share).collect())))
}

fn lcm(a: &UBig, b: &UBig) -> UBig {
    use dashu_int::ops::Gcd;
    a * (b / a.gcd(b))
}

/// Floats as integers of about `bits` bits: round(v·2^bits / max). The maximum is over `v` alone, so that a bias,
/// given last, may be larger.
pub fn rounded(v: &[f64], bias: Option<f64>, bits: i32) -> Option<Vec<IBig>> {
    let largest = v.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
    let all = || v.iter().chain(bias.as_ref());
    if !(largest > 0.0 && largest.is_finite() && all().all(|v| v.is_finite())) {
        return None;
    }
    let exponent = bits - largest.log2().floor() as i32;
    let whole = |v: &f64| {
        let (m, e) = dyadic(*v);
        let shift = e + exponent;
        if shift >= 0 {
            IBig::from(m) << shift as usize
        } else if shift < -62 {
            IBig::ZERO
        } else {
            // To the nearest, halves up.
            IBig::from(((m >> (-shift - 1)) + 1) >> 1)
        }
    };
    Some(all().map(whole).collect())
}

/// Fractions as integers in the same proportion.
pub fn whole(weights: &[(usize, RBig)]) -> Vec<(usize, IBig)> {
    let common = weights.iter().fold(UBig::ONE, |c, (_, w)| lcm(&c, w.denominator()));
    weights.iter().map(|(i, w)| (*i, w.numerator() * IBig::from(&common / w.denominator()))).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn roots_of_squares_are_exact() {
        let q = RBig::from_parts(IBig::from(9), UBig::from(16u8));
        let want = RBig::from_parts(IBig::from(3), UBig::from(4u8));
        assert_eq!((root_below(&q), root_above(&q)), (want.clone(), want));
    }

    #[test]
    fn rounding_keeps_proportion() {
        let got = rounded(&[0.5, -0.25, 0.1], Some(3.0), 4).unwrap();
        assert_eq!(got, [16, -8, 3, 96].map(IBig::from));
        assert_eq!(rounded(&[0.0], None, 4), None);
        assert_eq!(rounded(&[1.0, f64::NAN], None, 4), None);
    }

    proptest! {
        #[test]
        fn roots_enclose(n in 1i64.., d in 1u64.., up in 0usize..400, down in 0usize..400) {
            let q = RBig::from_parts(IBig::from(n) << up, UBig::from(d) << down);
            let (low, high) = (root_below(&q), root_above(&q));
            prop_assert!(&low * &low <= q && q <= &high * &high);
            prop_assert!((&high - &low) * RBig::from(1_000_000_000_000u64) < high);
        }
    }
}
