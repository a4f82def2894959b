//! The identity of labels: two labels are one if their texts are equal, or if both are decimal numbers of the same
//! value. Values are compared exactly, digit by digit, never as floats: `1`, `+1` and `1.0` are one label, `0` and
//! `1e-400` are two. FORMAT.md states this rule for every program that reads models or certificates.

use std::borrow::Cow;
use std::cmp::Ordering;

/// An exponent must be smaller in size; with a larger one a label is a text. So no sum of exponents overflows.
const EXPONENT_LIMIT: i64 = 1_000_000_000_000_000;

/// A decimal number in normal form: ± 0.d₁d₂…dₙ · 10^point with d₁ ≠ 0 and dₙ ≠ 0. Zero has no digits and no sign.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LabelNumber {
    negative: bool,
    point: i64,
    digits: Vec<u8>,
}

impl LabelNumber {
    /// The number of a label: an optional sign, digits with at most one point, an optional exponent. `None`: it is a
    /// text.
    pub(crate) fn of(label: &str) -> Option<Self> {
        let (negative, rest) = signed(label.as_bytes());
        let end = rest.iter().position(|b| b.eq_ignore_ascii_case(&b'e')).unwrap_or(rest.len());
        let (mantissa, exponent) = (&rest[..end], rest.get(end + 1..).map_or(Some(0), exponent)?);
        let whole = mantissa.iter().position(|&b| b == b'.').unwrap_or(mantissa.len());
        let mut digits = [&mantissa[..whole], mantissa.get(whole + 1..).unwrap_or_default()].concat();
        if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
            return None;
        }
        digits.truncate(digits.iter().rposition(|&d| d != b'0').map_or(0, |last| last + 1));
        let zeros = digits.iter().take_while(|&&d| d == b'0').count();
        digits.drain(..zeros);
        Some(match digits.is_empty() {
            true => LabelNumber { negative: false, point: 0, digits },
            false => LabelNumber { negative, point: exponent + whole as i64 - zeros as i64, digits },
        })
    }
}

fn signed(text: &[u8]) -> (bool, &[u8]) {
    match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    }
}

fn exponent(text: &[u8]) -> Option<i64> {
    let (negative, digits) = signed(text);
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let size = digits.iter().fold(0i64, |n, d| (10 * n + i64::from(d - b'0')).min(EXPONENT_LIMIT));
    (size < EXPONENT_LIMIT).then_some(if negative { -size } else { size })
}

impl Ord for LabelNumber {
    fn cmp(&self, other: &Self) -> Ordering {
        let sign = |n: &Self| if n.digits.is_empty() { 0 } else { 1 - 2 * i8::from(n.negative) };
        let size = self.point.cmp(&other.point).then_with(|| self.digits.cmp(&other.digits));
        sign(self).cmp(&sign(other)).then(if self.negative { size.reverse() } else { size })
    }
}

impl PartialOrd for LabelNumber {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The one text of a label's number, or the label itself if it is none: equal exactly if two labels are one.
///
/// ```
/// use rosenblatt::rows::canonical_label;
/// assert_eq!(canonical_label("+1.0"), canonical_label("1"));
/// assert_eq!(canonical_label("-0"), "0");
/// assert_ne!(canonical_label("9007199254740992"), canonical_label("9007199254740993"));
/// assert_ne!(canonical_label("0"), canonical_label("1e-400"));
/// assert_eq!(canonical_label("one"), "one");
/// ```
pub fn canonical_label(label: &str) -> Cow<'_, str> {
    let Some(LabelNumber { negative, point, digits }) = LabelNumber::of(label) else { return Cow::Borrowed(label) };
    let power = point - digits.len() as i64;
    let digits = String::from_utf8(digits).unwrap_or_default();
    let sign = if negative { "-" } else { "" };
    Cow::Owned(match (digits.is_empty(), power) {
        (true, _) => "0".into(),
        (_, 0) => format!("{sign}{digits}"),
        _ => format!("{sign}{digits}e{power}"),
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn equal_numbers_are_one_label_and_others_are_not() {
        for (a, b) in [("1", "+1"), ("1", "1.0"), ("1", "01"), ("-0", "0e7"), ("1e2", "100."), (".5", "0.50E0")] {
            assert_eq!(canonical_label(a), canonical_label(b), "{a} {b}");
        }
        let texts = ["", "+", ".", "e5", "1e", "1 ", "1_0", "0x1", "nan", "inf", "٣", "1e1000000000000000", "one"];
        texts.iter().for_each(|text| assert_eq!(canonical_label(text), *text));
        let apart =
            ["0", "1e-400", "9007199254740992", "9007199254740993", "1e999", "1e998", "0.1", "0.10000000000000001"];
        for (i, a) in apart.iter().enumerate() {
            apart[..i].iter().for_each(|b| assert_ne!(canonical_label(a), canonical_label(b)));
        }
    }

    proptest! {
        /// The twin: integers, shifted to one power of ten.
        #[test]
        fn order_is_that_of_the_integers(a in -999i64..999, b in -999i64..999, (ka, kb) in (0u32..5, 0u32..5)) {
            let text = |n: i64, k: u32| LabelNumber::of(&format!("{n}e-{k}")).unwrap();
            let whole = |n: i64, k: u32| n * 10i64.pow(5 - k);
            prop_assert_eq!(text(a, ka).cmp(&text(b, kb)), whole(a, ka).cmp(&whole(b, kb)));
        }

        #[test]
        fn the_canonical_text_is_its_own(text in r"[-+]?[0-9]{0,4}\.?[0-9]{0,4}([eE][-+]?[0-9]{0,3})?") {
            let once = canonical_label(&text).into_owned();
            prop_assert_eq!(canonical_label(&once), once.as_str());
            prop_assert_eq!(LabelNumber::of(&text), LabelNumber::of(&once));
        }
    }
}
