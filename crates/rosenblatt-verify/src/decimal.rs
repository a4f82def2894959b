//! Numbers as the data write them, exactly: `-12.50e3` is −1250 · 10¹, and 0.1 is one tenth.
//!
//! The grammar: an optional sign, digits with at most one point among or beside them, an optional power of ten.

use dashu_int::IBig;

use crate::limits;
use crate::scaled::{Digits, Scaled};

/// Why a text is not a number that can be checked: the end of a sentence that starts with the text.
pub(crate) type Why = &'static str;

const NOT_A_NUMBER: Why = "is not a decimal number";
const TOO_LONG: Why = "has more than 5,000 digits, or a power of ten beyond 5,000";

/// Parses the whole of `text`.
#[inline]
pub(crate) fn decimal(text: &[u8]) -> Result<Scaled, Why> {
    let negative = text.first() == Some(&b'-');
    let start = usize::from(negative || text.first() == Some(&b'+'));
    // The fast path: at most 18 digits, no exponent.
    let (mut value, mut point) = (0i64, None);
    for (i, &byte) in text[start..].iter().enumerate() {
        let digit = byte.wrapping_sub(b'0');
        if digit <= 9 {
            value = value.wrapping_mul(10).wrapping_add(i64::from(digit));
        } else if byte == b'.' && point.is_none() {
            point = Some(i);
        } else {
            return general(text);
        }
    }
    let length = text.len() - start;
    let digits = length - usize::from(point.is_some());
    if digits == 0 || digits > 18 {
        return general(text);
    }
    let power = point.map_or(0, |p| p as i32 + 1 - length as i32);
    Ok(Scaled { digits: Digits::Word(if negative { -value } else { value }), power })
}

/// Any decimal number.
#[cold]
fn general(text: &[u8]) -> Result<Scaled, Why> {
    let parts = Parts::of(text).ok_or(NOT_A_NUMBER)?;
    if parts.digits.is_empty() {
        return Ok(Scaled::whole(0));
    }
    let power = i32::try_from(parts.power).map_err(|_| TOO_LONG)?;
    if parts.digits.len() > limits::DECIMAL || power.unsigned_abs() as usize > limits::DECIMAL {
        return Err(TOO_LONG);
    }
    let digits = String::from_utf8(parts.digits).map_err(|_| NOT_A_NUMBER)?;
    let value = IBig::from_str_radix(&digits, 10).map_err(|_| NOT_A_NUMBER)?;
    Ok(Scaled { digits: Digits::new(if parts.negative { -value } else { value }), power })
}

/// A number in its one normal form: ± digits · 10^power without zeros at either end; zero has no digits.
/// Two texts are the same number exactly if these are equal.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Parts {
    negative: bool,
    digits: Vec<u8>,
    power: i64,
}

impl Parts {
    /// Parses the whole of `text`; `None` if it is not a number.
    pub(crate) fn of(text: &[u8]) -> Option<Parts> {
        let negative = text.first() == Some(&b'-');
        let start = usize::from(negative || text.first() == Some(&b'+'));
        let rest = &text[start..];
        let end = rest.iter().position(|b| b.eq_ignore_ascii_case(&b'e')).unwrap_or(rest.len());
        let (mantissa, exponent) = rest.split_at(end);
        let whole = mantissa.iter().position(|&b| b == b'.').unwrap_or(mantissa.len());
        let places = &mantissa[(whole + 1).min(mantissa.len())..];
        let mut digits = [&mantissa[..whole], places].concat();
        if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
            return None;
        }
        let mut power = if exponent.is_empty() { 0 } else { self::exponent(&exponent[1..])? };
        power -= places.len() as i64;
        while digits.last() == Some(&b'0') {
            digits.pop();
            power += 1;
        }
        let zeros = digits.iter().take_while(|&&b| b == b'0').count();
        digits.drain(..zeros);
        Some(if digits.is_empty() {
            Parts { negative: false, digits, power: 0 }
        } else {
            Parts { negative, digits, power }
        })
    }

    /// The number of a label. With an exponent of 10¹⁵ or more in size a label is a text.
    pub(crate) fn of_label(text: &[u8]) -> Option<Parts> {
        let power = match text.iter().position(|b| b.eq_ignore_ascii_case(&b'e')) {
            Some(e) => exponent(&text[e + 1..])?,
            None => 0,
        };
        if power.abs() < EXPONENT_LIMIT { Parts::of(text) } else { None }
    }
}

/// An exponent of this size or more counts as this.
const EXPONENT_LIMIT: i64 = 1_000_000_000_000_000;

/// A signed integer, clamped to [`EXPONENT_LIMIT`].
fn exponent(text: &[u8]) -> Option<i64> {
    let negative = text.first() == Some(&b'-');
    let digits = &text[usize::from(negative || text.first() == Some(&b'+'))..];
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let value = digits.iter().fold(0i64, |v, d| (10 * v + i64::from(d - b'0')).min(EXPONENT_LIMIT));
    Some(if negative { -value } else { value })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> Option<(i64, i32)> {
        let Scaled { digits, power } = decimal(text.as_bytes()).ok()?;
        let Digits::Word(word) = digits else { panic!("{text}") };
        Some((word, power))
    }

    #[test]
    fn the_forms_that_files_hold() {
        for (text, want) in [
            ("5", (5, 0)),
            ("+5", (5, 0)),
            ("7.", (7, 0)),
            (".28", (28, -2)),
            ("-0.1", (-1, -1)),
            ("1e-3", (1, -3)),
            ("-12.50E+3", (-125, 2)),
            ("0.000", (0, -3)),
            ("0e99999999999999999999999", (0, 0)),
            ("0000000000000000000000000012", (12, 0)),
        ] {
            assert_eq!(read(text), Some(want), "{text}");
        }
        for text in
            ["", "+", "-", ".", "e5", "1e", "1e+", "1x", "1 ", " 1", "--1", "1.2.3", "0x10", "1,5", "nan", "inf", "1_0"]
        {
            assert_eq!(decimal(text.as_bytes()), Err(NOT_A_NUMBER), "{text}");
        }
        for text in ["1e5001", "1e-5001", "1e99999999999999999999999", &"7".repeat(5001)] {
            assert_eq!(decimal(text.as_bytes()), Err(TOO_LONG), "{text}");
        }
        let long = decimal(b"-123456789012345678901234.5").unwrap();
        assert_eq!((long.digits.big().to_string().as_str(), long.power), ("-1234567890123456789012345", -1));
    }

    #[test]
    fn the_same_number_has_the_same_parts() {
        for (a, b) in [("1", "+1"), ("1", "1.0"), ("-0", "0"), ("1e2", "100"), (".5", "0.50"), ("0e7", "0")] {
            assert_eq!(Parts::of(a.as_bytes()), Parts::of(b.as_bytes()), "{a} {b}");
        }
        assert_ne!(Parts::of(b"1"), Parts::of(b"-1"));
        assert_ne!(Parts::of(b"1"), Parts::of(b"10"));
        assert_eq!(Parts::of(b"one"), None);
        let label = |text: &str| Parts::of_label(text.as_bytes());
        assert_eq!(label("+1.0"), label("1"));
        assert_ne!(label("9007199254740992"), label("9007199254740993"));
        assert_ne!(label("0"), label("1e-400"));
        assert_eq!((label("1e1000000000000000"), label("one")), (None, None));
    }

    proptest! {
        /// The fast path and the general one agree on the number, up to trailing zeros.
        #[test]
        fn both_paths_agree(text in r"[-+]?[0-9]{0,9}\.?[0-9]{0,9}") {
            match (decimal(text.as_bytes()), general(text.as_bytes())) {
                (Ok(a), Ok(b)) => {
                    let low = a.power.min(b.power);
                    let up = |d: Scaled| d.digits.big() * IBig::from(10).pow((d.power - low) as usize);
                    prop_assert_eq!(up(a), up(b));
                }
                (a, b) => prop_assert_eq!(a, b),
            }
        }

        #[test]
        fn arbitrary_bytes_never_panic(text in prop::collection::vec(any::<u8>(), 0..24)) {
            let _ = (decimal(&text), Parts::of(&text));
        }
    }
}
