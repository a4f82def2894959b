//! Numbers as people write them, to the nearest `f64`.

/// Why a text is no number that can be learned from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NotFinite {
    /// Not a number at all.
    Text,
    /// `nan`.
    Nan,
    /// `inf`, `-Infinity`.
    Infinite,
    /// Digits, but beyond what an `f64` can hold: `1e999`.
    Overflow,
}

impl NotFinite {
    /// The end of a sentence that starts with the text in question.
    pub(crate) fn why(self) -> &'static str {
        match self {
            NotFinite::Text => "is not a number",
            NotFinite::Nan => "is not a number that can be learned from: values must be finite",
            NotFinite::Infinite => "is infinite: values must be finite",
            NotFinite::Overflow => "is too large for a 64-bit number: values must be finite",
        }
    }
}

/// The finite number that `text` is, all of it, correctly rounded.
#[inline]
pub(crate) fn number(text: &[u8]) -> Result<f64, NotFinite> {
    match short(text) {
        Some((value, used)) if used == text.len() => Ok(value),
        _ => long(text),
    }
}

/// Any number in any notation; the general road.
#[inline(never)]
fn long(text: &[u8]) -> Result<f64, NotFinite> {
    match fast_float2::parse::<f64, _>(text) {
        Err(_) => Err(NotFinite::Text),
        Ok(value) if value.is_finite() => Ok(value),
        Ok(value) if value.is_nan() => Err(NotFinite::Nan),
        Ok(_) if text.iter().any(u8::is_ascii_digit) => Err(NotFinite::Overflow),
        Ok(_) => Err(NotFinite::Infinite),
    }
}

/// The short decimal at the start of `text`, and how many bytes it takes; `None` sends the caller to the general road.
///
/// m / 10ᵏ with m ≤ 2⁵³ and k ≤ 22 is a quotient of two exact `f64`, so one division rounds correctly (Clinger 1990).
#[inline]
pub(crate) fn short(text: &[u8]) -> Option<(f64, usize)> {
    const POWERS: [f64; 19] =
        [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18];
    let negative = text.first() == Some(&b'-');
    let start = usize::from(negative || text.first() == Some(&b'+'));
    let mut mantissa = 0u64;
    let mut at = start;
    let mut point = None;
    while let Some(&byte) = text.get(at) {
        let digit = byte.wrapping_sub(b'0');
        if digit <= 9 {
            mantissa = mantissa.wrapping_mul(10).wrapping_add(u64::from(digit));
        } else if byte == b'.' && point.is_none() {
            point = Some(at);
        } else {
            break;
        }
        at += 1;
    }
    let digits = at - start - usize::from(point.is_some());
    // 18 digits cannot wrap around.
    if digits == 0 || digits > 18 || mantissa > 1 << 53 {
        return None;
    }
    let places = point.map_or(0, |p| at - p - 1);
    let value = if places == 0 { mantissa as f64 } else { mantissa as f64 / POWERS[places] };
    Some((if negative { -value } else { value }, at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The naive twin: the standard library, which is correctly rounded too.
    fn twin(text: &str) -> Option<u64> {
        text.parse::<f64>().ok().filter(|v| v.is_finite()).map(f64::to_bits)
    }

    #[test]
    fn the_forms_that_files_hold() {
        for text in
            ["1", "+1", "-0", ".28", "5.", "1e5", "-1E-7", "0.1", "9007199254740993", "1e-400", "123456789.123456789"]
        {
            assert_eq!(number(text.as_bytes()).ok().map(f64::to_bits), twin(text), "{text}");
        }
        for text in ["", "+", "-", ".", "1x", "1 ", " 1", "--1", "1e", "1.2.3", "0x10", "1,5", "é"] {
            assert_eq!(number(text.as_bytes()), Err(NotFinite::Text), "{text}");
        }
        assert_eq!(number(b"NaN"), Err(NotFinite::Nan));
        assert_eq!(number(b"-inf"), Err(NotFinite::Infinite));
        assert_eq!(number(b"Infinity"), Err(NotFinite::Infinite));
        assert_eq!(number(b"-1e999"), Err(NotFinite::Overflow));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn decimals_agree_with_the_twin(text in r"[+-]?[0-9]{0,20}(\.[0-9]{0,22})?([eE][+-]?[0-9]{1,3})?") {
            prop_assert_eq!(number(text.as_bytes()).ok().map(f64::to_bits), twin(&text), "{}", text);
        }

        #[test]
        fn short_decimals_agree_with_the_twin(text in r"-?[0-9]{1,8}\.[0-9]{1,9}") {
            prop_assert_eq!(number(text.as_bytes()).ok().map(f64::to_bits), twin(&text), "{}", text);
        }

        #[test]
        fn any_double_survives_printing(bits in any::<u64>()) {
            let value = f64::from_bits(bits);
            prop_assume!(value.is_finite());
            prop_assert_eq!(number(format!("{value:e}").as_bytes()).map(f64::to_bits), Ok(bits));
            prop_assert_eq!(number(format!("{value}").as_bytes()).map(f64::to_bits), Ok(bits));
        }

        #[test]
        fn any_text_agrees_with_the_twin(text in r"[-+0-9.eEinfaNty ]{0,12}") {
            prop_assert_eq!(number(text.as_bytes()).ok().map(f64::to_bits), twin(&text), "{}", text);
        }
    }
}
