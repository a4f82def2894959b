//! Exact numbers: decimals as written, floats as dyadic rationals.
//!
//! A decimal of at most 15 significant digits, away from the ends of the range, survives the conversion to `f64` and
//! back: no two of them share the nearest `f64`, so the shortest decimal of that `f64` is the number as written. Rows
//! of such numbers are not read again.

use dashu_int::{IBig, UBig};
use memchr::memchr2_iter;

/// digits · 10^exponent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decimal {
    /// The significant digits as an integer.
    pub digits: IBig,
    /// The power of ten.
    pub exponent: i64,
}

/// Exponents beyond this are refused: the number alone would fill memory.
const MAX_EXPONENT: i64 = 100_000;

/// Significant digits that an `f64` always keeps.
const KEPT_DIGITS: usize = 15;
/// Powers of ten of the leading digit for which it keeps them.
const KEPT_RANGE: std::ops::RangeInclusive<i64> = -290..=290;

/// The parts of a decimal's text.
struct Parts<'t> {
    negative: bool,
    whole: &'t [u8],
    fraction: &'t [u8],
    exponent: i64,
}

fn parts(text: &[u8]) -> Option<Parts<'_>> {
    let negative = text.first() == Some(&b'-');
    let rest = &text[usize::from(negative || text.first() == Some(&b'+'))..];
    let end = rest.iter().position(|b| matches!(b, b'e' | b'E')).unwrap_or(rest.len());
    let exponent = match rest.get(end + 1..) {
        None => 0,
        Some(power) => {
            let below = power.first() == Some(&b'-');
            let power = &power[usize::from(below || power.first() == Some(&b'+'))..];
            if power.is_empty() || !power.iter().all(u8::is_ascii_digit) {
                return None;
            }
            let size = power.iter().fold(0i64, |n, d| (n * 10 + i64::from(d - b'0')).min(1 << 40));
            if below { -size } else { size }
        }
    };
    let mantissa = &rest[..end];
    let point = mantissa.iter().position(|&b| b == b'.').unwrap_or(mantissa.len());
    let (whole, fraction) = (&mantissa[..point], mantissa.get(point + 1..).unwrap_or_default());
    let digits = |t: &[u8]| t.iter().all(u8::is_ascii_digit);
    let sound = digits(whole) && digits(fraction) && !(whole.is_empty() && fraction.is_empty());
    sound.then_some(Parts { negative, whole, fraction, exponent })
}

impl Decimal {
    /// Parses a text; `None` if it is not a number, or its exponent is too large.
    pub fn parse(text: &[u8]) -> Option<Decimal> {
        let Parts { negative, whole, fraction, exponent } = parts(text)?;
        let digits: Vec<u8> = [whole, fraction].concat();
        let kept = digits.iter().rposition(|&d| d != b'0').map_or(0, |last| last + 1);
        if kept == 0 {
            return Some(Decimal { digits: IBig::ZERO, exponent: 0 });
        }
        let cut = (digits.len() - kept) as i64;
        let exponent = exponent - fraction.len() as i64 + cut;
        if exponent.abs() > MAX_EXPONENT || kept as i64 > MAX_EXPONENT {
            return None;
        }
        let size = UBig::from_str_radix(std::str::from_utf8(&digits[..kept]).ok()?, 10).ok()?;
        let size = IBig::from(size);
        Some(Decimal { digits: if negative { -size } else { size }, exponent })
    }

    /// The shortest decimal whose nearest `f64` this is.
    pub fn shortest(value: f64) -> Decimal {
        if value == value.trunc() && value.abs() < 9e15 {
            return Decimal { digits: IBig::from(value as i64), exponent: 0 };
        }
        Decimal::parse(format!("{value:e}").as_bytes()).expect("a finite float prints as a decimal")
    }
}

/// Whether [`Decimal::shortest`] of the nearest `f64` is the text's number.
pub fn survives(text: &[u8]) -> bool {
    let Some(Parts { whole, fraction, exponent, .. }) = parts(text) else { return false };
    let digits = || whole.iter().chain(fraction);
    let Some(lead) = digits().position(|&d| d != b'0') else { return true };
    let last = digits().count() - digits().rev().position(|&d| d != b'0').unwrap_or(0);
    last - lead <= KEPT_DIGITS && KEPT_RANGE.contains(&(exponent + whole.len() as i64 - lead as i64 - 1))
}

/// Significant digits, and the power of ten either way, of a number that a certificate can be about (FORMAT.md).
pub const MAX_PROVABLE: usize = 5_000;

/// Whether a certificate can be about a number: its digits and its power of ten are within [`MAX_PROVABLE`].
pub fn is_provable(text: &[u8]) -> bool {
    let Some(Parts { whole, fraction, exponent, .. }) = parts(text) else { return true };
    let digits = || whole.iter().chain(fraction);
    let Some(lead) = digits().position(|&d| d != b'0') else { return true };
    let zeros = digits().rev().position(|&d| d != b'0').unwrap_or(0);
    let power = exponent - fraction.len() as i64 + zeros as i64;
    digits().count() - zeros - lead <= MAX_PROVABLE && power.unsigned_abs() <= MAX_PROVABLE as u64
}

/// A quick sufficient test that every number in a line is provable.
pub fn plainly_provable(line: &[u8]) -> bool {
    line.len() <= MAX_PROVABLE && !line.iter().any(|b| matches!(b, b'e' | b'E'))
}

/// A quick sufficient test that every number in a line survives: no run of digits (a point counts as one) is too long,
/// and there is no exponent.
pub fn plainly_survives(line: &[u8]) -> bool {
    let is_part = |byte: &u8| byte.is_ascii_digit() || *byte == b'.';
    let is_exponent = |at: usize| at > 0 && is_part(&line[at - 1]);
    if memchr2_iter(b'e', b'E', line).any(is_exponent) {
        return false;
    }
    // A run that is too long covers one of the bytes at this distance.
    const STEP: usize = KEPT_DIGITS + 1;
    let mut at = KEPT_DIGITS;
    while let Some(byte) = line.get(at) {
        if is_part(byte) {
            let before = line[..at].iter().rev().take_while(|byte| is_part(byte)).count();
            let after = line[at + 1..].iter().take_while(|byte| is_part(byte)).count();
            if before + 1 + after > KEPT_DIGITS {
                return false;
            }
            // Nothing is part of a run just after this one.
            at += after + 1;
        }
        at += STEP;
    }
    true
}

/// A finite float as (m, e): m · 2^e, exactly.
pub fn dyadic(value: f64) -> (i64, i32) {
    let bits = value.to_bits();
    let fraction = (bits & ((1 << 52) - 1)) as i64;
    let (size, exponent) = match ((bits >> 52) & 0x7ff) as i32 {
        0 => (fraction, -1074),
        biased => (fraction | 1 << 52, biased - 1075),
    };
    if size == 0 {
        return (0, 0);
    }
    let zeros = size.trailing_zeros();
    let size = size >> zeros;
    (if value < 0.0 { -size } else { size }, exponent + zeros as i32)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn is(text: &str, digits: i64, exponent: i64) {
        let want = Decimal { digits: IBig::from(digits), exponent };
        assert_eq!(Decimal::parse(text.as_bytes()), Some(want), "{text}");
    }

    #[test]
    fn decimals_as_people_write_them() {
        is("0.1", 1, -1);
        is(".28", 28, -2);
        is("+5", 5, 0);
        is("7.", 7, 0);
        is("-1e-3", -1, -3);
        is("100", 1, 2);
        is("1.50E+2", 15, 1);
        is("-0.000", 0, 0);
        is("0e999999999999", 0, 0);
        for text in ["", ".", "e5", "1e", "1e+", "1.2.3", "nan", "inf", "1 ", "0x1", "1e-999999999999"] {
            assert_eq!(Decimal::parse(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn what_survives_an_f64() {
        for text in ["0", "0.1", "123456789012345", "0.000123456789012345", "1e290", "1.5000000000000000000000"] {
            assert!(survives(text.as_bytes()), "{text}");
        }
        for text in ["1234567890123456", "1e-300", "1e-400", "1e300", "0.1000000000000000055", "x"] {
            assert!(!survives(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn the_quick_test() {
        for line in ["-0.1234567890123,yes,+7.", "1 3:123456789012345", "", "red,"] {
            assert!(plainly_survives(line.as_bytes()), "{line}");
        }
        for line in ["1,0.123456789012345,2", "1e5", "2.E-3,1", "1234567890123456"] {
            assert!(!plainly_survives(line.as_bytes()), "{line}");
        }
    }

    #[test]
    fn floats_are_dyadic() {
        assert_eq!(dyadic(0.0), (0, 0));
        assert_eq!(dyadic(-0.75), (-3, -2));
        assert_eq!(dyadic(f64::from_bits(1)), (1, -1074));
        assert_eq!(dyadic(6.0), (3, 1));
    }

    /// The twin of [`plainly_survives`]: byte by byte.
    fn plainly_survives_slowly(line: &[u8]) -> bool {
        let (mut run, mut longest, mut exponent) = (0, 0, false);
        for &byte in line {
            exponent |= run > 0 && matches!(byte, b'e' | b'E');
            run = if byte.is_ascii_digit() || byte == b'.' { run + 1 } else { 0 };
            longest = longest.max(run);
        }
        longest <= KEPT_DIGITS && !exponent
    }

    proptest! {
        #[test]
        fn the_quick_test_is_its_twin(line in "([0-9.]{0,18}[,: e-]{0,2}){0,6}") {
            prop_assert_eq!(plainly_survives(line.as_bytes()), plainly_survives_slowly(line.as_bytes()));
        }

        #[test]
        fn the_quick_test_of_runs_is_its_twin(runs in prop::collection::vec((12usize..18, 0usize..18), 0..6)) {
            let line: String = runs.iter().map(|&(digits, others)| "7".repeat(digits) + &",".repeat(others)).collect();
            prop_assert_eq!(plainly_survives(line.as_bytes()), plainly_survives_slowly(line.as_bytes()));
        }

        #[test]
        fn short_decimals_come_back(digits in -999_999_999_999_999i64..=999_999_999_999_999, power in -270i64..270) {
            let text = format!("{digits}e{power}");
            prop_assert!(survives(text.as_bytes()));
            let back = Decimal::shortest(text.parse().unwrap());
            let want = Decimal::parse(text.as_bytes()).unwrap();
            let level = back.exponent.min(want.exponent);
            let at = |d: &Decimal| &d.digits * IBig::from(10).pow((d.exponent - level) as usize);
            prop_assert_eq!(at(&back), at(&want));
        }

        #[test]
        fn a_float_is_its_dyadic(value in any::<f64>().prop_filter("finite", |v| v.is_finite())) {
            let (m, e) = dyadic(value);
            let half = e / 2;
            prop_assert_eq!(m as f64 * 2f64.powi(half) * 2f64.powi(e - half), value);
        }
    }
}
