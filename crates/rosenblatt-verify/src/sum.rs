//! Exact sums of products, and the linear forms made of them.

use dashu_int::IBig;
use dashu_int::ops::{BitTest, Gcd};

use crate::limits;
use crate::rational::Rational;
use crate::refusal::{Checked, Refusal};
use crate::rows::Row;
use crate::scaled::{Base, Digits, Scaled};

/// A sum that is exact: in 128 bits as long as they suffice, which every step checks, and in big integers beyond.
#[derive(Debug, Default, Clone)]
pub(crate) struct Sum {
    small: i128,
    big: IBig,
}

impl Sum {
    /// Adds a · b · base^power.
    #[inline]
    pub(crate) fn add(&mut self, a: &Digits, b: &Digits, base: Base, power: u32) {
        let product = match (a, b) {
            // The product of two words is below 2¹²⁶ in size.
            (Digits::Word(a), Digits::Word(b)) => Some(i128::from(*a) * i128::from(*b)),
            _ => a.small().zip(b.small()).and_then(|(a, b)| a.checked_mul(b)),
        };
        let scaled = match power {
            0 => product,
            _ => product.zip(base.word(power)).and_then(|(p, word)| p.checked_mul(i128::from(word))),
        };
        match scaled.and_then(|s| self.small.checked_add(s)) {
            Some(total) => self.small = total,
            None => self.big += a.big() * b.big() * base.power(power),
        }
    }

    pub(crate) fn total(self) -> IBig {
        self.big + self.small
    }

    pub(crate) fn is_zero(&self) -> bool {
        if self.big.is_zero() { self.small == 0 } else { &self.big + self.small == IBig::ZERO }
    }
}

/// The power of the base that makes a row whole: the least among its values, at most 0.
pub(crate) fn scale(row: &Row<'_>) -> i32 {
    row.entries.iter().map(|e| e.value.power).min().unwrap_or(0).min(0)
}

/// By how many powers of the base a value is above the row's scale.
#[inline]
pub(crate) fn above(value: &Scaled, scale: i32) -> u32 {
    value.power.abs_diff(scale)
}

/// Rationals over one common denominator.
#[derive(Debug)]
pub(crate) struct Common {
    pub(crate) numerators: Vec<IBig>,
    pub(crate) denominator: IBig,
}

impl Common {
    pub(crate) fn new<'a>(rationals: impl ExactSizeIterator<Item = &'a Rational> + Clone, of: &str) -> Checked<Self> {
        let count = rationals.len() as u64;
        let mut denominator = IBig::ONE;
        for rational in rationals.clone() {
            if rational.denominator != IBig::ONE && &denominator % &rational.denominator != IBig::ZERO {
                let shared = IBig::from((&denominator).gcd(&rational.denominator));
                denominator *= &rational.denominator / shared;
            }
            // Each numerator will be about as long as this.
            if (denominator.bit_len() as u64).saturating_mul(count) > limits::BITS {
                return Err(Refusal::size(format!("{of} over a common denominator would fill more than 1 GiB")));
            }
        }
        let numerators = rationals.map(|r| &r.numerator * (&denominator / &r.denominator)).collect();
        Ok(Common { numerators, denominator })
    }
}

/// q · (w·x + b), all of it whole: a linear form with integer weights.
#[derive(Debug)]
pub(crate) struct Linear {
    weights: Vec<Digits>,
    bias: Digits,
    base: Base,
}

impl Linear {
    /// For rows in this base; the last of the numbers is the bias.
    pub(crate) fn new(mut numbers: Vec<IBig>, base: Base) -> Self {
        let bias = Digits::new(numbers.pop().unwrap_or_default());
        Linear { weights: numbers.into_iter().map(Digits::new).collect(), bias, base }
    }

    /// Σ wᵢ².
    pub(crate) fn norm_squared(&self) -> IBig {
        let mut sum = Sum::default();
        self.weights.iter().for_each(|w| sum.add(w, w, self.base, 0));
        sum.total()
    }

    /// y · (w·x + b) = score · base^scale.
    #[inline]
    pub(crate) fn score(&self, row: &Row<'_>) -> (IBig, i32) {
        let scale = scale(row);
        let mut sum = Sum::default();
        for entry in row.entries {
            sum.add(&self.weights[entry.feature], &entry.value.digits, self.base, above(&entry.value, scale));
        }
        sum.add(&self.bias, &Digits::Word(1), self.base, scale.unsigned_abs());
        let total = sum.total();
        (if row.positive { total } else { -total }, scale)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// The twin: big integers throughout.
        #[test]
        fn sums_do_not_overflow(
            terms in prop::collection::vec((any::<i64>(), any::<i64>(), 0u32..80), 0..8),
            base in prop::sample::select(vec![Base::Two, Base::Ten]),
        ) {
            let mut sum = Sum::default();
            let mut twin = IBig::ZERO;
            for &(a, b, power) in &terms {
                sum.add(&Digits::Word(a), &Digits::Word(b), base, power);
                twin += IBig::from(a) * b * IBig::from(base.number()).pow(power as usize);
            }
            prop_assert_eq!(sum.is_zero(), twin.is_zero());
            prop_assert_eq!(sum.total(), twin);
        }
    }
}
