//! Rational numbers as certificates write them, each in one form only.

use dashu_int::ops::Gcd;
use dashu_int::{IBig, UBig};

use crate::limits;

/// numerator / denominator in lowest terms, the denominator positive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Rational {
    pub(crate) numerator: IBig,
    pub(crate) denominator: IBig,
}

impl Rational {
    /// `-?[0-9]+` or `-?[0-9]+/[0-9]+`, in the one canonical way.
    pub(crate) fn parse(text: &str) -> Result<Rational, &'static str> {
        let unsigned = text.strip_prefix('-').unwrap_or(text);
        let (above, below) = unsigned.split_once('/').map_or((unsigned, None), |(a, b)| (a, Some(b)));
        for digits in [Some(above), below].into_iter().flatten() {
            if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
                return Err("is not a rational number like -3 or 2/5");
            }
            if digits.len() > 1 && digits.starts_with('0') {
                return Err("starts with 0");
            }
            if digits.len() > limits::RATIONAL_DIGITS {
                return Err("has more than 100,000 digits");
            }
        }
        let integer = |digits: &str| UBig::from_str_radix(digits, 10).map_err(|_| "is not a rational number");
        let (numerator, denominator) = (integer(above)?, integer(below.unwrap_or("1"))?);
        if below.is_some() && denominator <= UBig::ONE {
            return Err("has a denominator below 2");
        }
        if text.starts_with('-') && numerator == UBig::ZERO {
            return Err("is a negative zero");
        }
        // gcd(0, d) = d, so 0/5 is refused as well.
        if below.is_some() && (&numerator).gcd(&denominator) != UBig::ONE {
            return Err("is not in lowest terms");
        }
        let numerator = IBig::from(numerator);
        let numerator = if text.starts_with('-') { -numerator } else { numerator };
        Ok(Rational { numerator, denominator: IBig::from(denominator) })
    }

    pub(crate) fn is_positive(&self) -> bool {
        self.numerator > IBig::ZERO
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.numerator == IBig::ZERO
    }
}

impl std::fmt::Display for Rational {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.denominator == IBig::ONE {
            write!(f, "{}", self.numerator)
        } else {
            write!(f, "{}/{}", self.numerator, self.denominator)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rationals_have_one_form() {
        for text in ["0", "7", "-3", "1/2", "-10/3", "123456789012345678901234567891/7"] {
            assert_eq!(Rational::parse(text).unwrap().to_string(), text);
        }
        for text in [
            "", "-", "+1", "-0", "00", "01", "1/0", "1/1", "2/4", "0/3", "1/02", "1/-2", "1 /2", " 1", "1.5", "1e3",
            "1/", "/2", "1/2/3", "--1", "1_000", "٣",
        ] {
            assert!(Rational::parse(text).is_err(), "{text}");
        }
        assert_eq!(Rational::parse(&"9".repeat(100_001)), Err("has more than 100,000 digits"));
    }
}
