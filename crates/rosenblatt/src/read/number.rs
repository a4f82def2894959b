//! Parses decimal numbers, correctly rounded to `f64`.

/// Why a text is no finite number.
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

/// Powers of ten, all exact.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
];

/// The finite number that `text` is, all of it, correctly rounded.
#[inline]
pub(crate) fn number(text: &[u8]) -> Result<f64, NotFinite> {
    match short(text) {
        Some((value, used)) if used == text.len() => Ok(value),
        Some((_, used)) => scientific(text, used).map_or_else(|| long(text), Ok),
        None => long(text),
    }
}

/// A short decimal of `used` bytes with an exponent: `6.27e-02`; `None`: take the general path.
///
/// As for [`short`], m · 10ᵏ with |k| ≤ 22 is one product or quotient of two exact `f64`.
#[inline]
fn scientific(text: &[u8], used: usize) -> Option<f64> {
    if !matches!(text[used], b'e' | b'E') {
        return None;
    }
    let signed = matches!(text.get(used + 1)?, b'-' | b'+');
    let digits = &text[used + 1 + usize::from(signed)..];
    if !(1..=3).contains(&digits.len()) || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let exponent = digits.iter().fold(0, |n, &b| 10 * n + i32::from(b - b'0'));
    let exponent = if text[used + 1] == b'-' { -exponent } else { exponent };
    let decimal = &text[..used];
    let places = decimal.iter().rposition(|&b| b == b'.').map_or(0, |point| used - point - 1);
    let digits = decimal.iter().filter(|b| b.is_ascii_digit()).fold(0u64, |m, &b| 10 * m + u64::from(b - b'0'));
    let shift = exponent - places as i32;
    let power = *POWERS.get(shift.unsigned_abs() as usize)?;
    let value = if shift < 0 { digits as f64 / power } else { digits as f64 * power };
    Some(if text[0] == b'-' { -value } else { value })
}

/// Any number in any notation: the general path.
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

/// The short decimal at the start of `text`, and its length in bytes; `None`: take the general path.
///
/// m / 10ᵏ with m ≤ 2⁵³ and k ≤ 22 is a quotient of two exact `f64`, so one division rounds correctly (Clinger 1990).
#[inline]
pub(crate) fn short(text: &[u8]) -> Option<(f64, usize)> {
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

/// Eight bytes of text as one number, the first byte lowest; `None` near the end.
#[inline(always)]
pub(crate) fn eight(text: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*text.get(at..)?.first_chunk()?))
}

const ZEROS: u64 = 0x3030_3030_3030_3030;
const HIGH: u64 = 0x8080_8080_8080_8080;

/// For eight bytes: each as a digit's value, and the high bit of each byte that is no digit.
/// (Above the first of those a bit may be wrong, because a sum may carry.)
#[inline(always)]
pub(crate) fn digits(eight: u64) -> (u64, u64) {
    let values = eight ^ ZEROS;
    (values, (values.wrapping_add(0x7676_7676_7676_7676) | values) & HIGH)
}

/// The number that eight digits are, the first in the lowest byte: two, four, eight of them at once.
#[inline(always)]
pub(crate) fn join_digits(values: u64) -> u64 {
    let twos = values.wrapping_mul(10).wrapping_add(values >> 8) & 0x00ff_00ff_00ff_00ff;
    let fours = twos.wrapping_mul(100).wrapping_add(twos >> 16) & 0x0000_ffff_0000_ffff;
    fours.wrapping_mul(10_000).wrapping_add(fours >> 32) & 0xffff_ffff
}

/// Constants and helpers for joining digits in vectors.
#[cfg(target_arch = "x86_64")]
pub(crate) mod join {
    use std::arch::x86_64::{__m256d, _mm_cvtsd_f64, _mm_unpackhi_pd, _mm256_castpd256_pd128, _mm256_extractf128_pd};

    /// XOR with this turns ASCII digits into their values.
    pub(crate) const ZERO: i8 = b'0' as i8;
    /// Factors of neighbouring digits: (10, 1), (100, 1), (10,000, 1).
    pub(crate) const TWOS: i16 = 0x010a;
    pub(crate) const FOURS: i32 = 0x0001_0064;
    pub(crate) const EIGHTS: i32 = 0x0001_2710;

    /// The numbers of a vector.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(crate) fn floats(vector: __m256d) -> [f64; 4] {
        let (low, high) = (_mm256_castpd256_pd128(vector), _mm256_extractf128_pd::<1>(vector));
        let second = |pair| _mm_cvtsd_f64(_mm_unpackhi_pd(pair, pair));
        [_mm_cvtsd_f64(low), second(low), _mm_cvtsd_f64(high), second(high)]
    }
}

/// The shape of the last decimal; those of a file are mostly alike.
///
/// A decimal of the predicted shape is read without finding its end first, so the processor can start on the next one
/// early. A misprediction only costs time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shape {
    /// Bytes without the sign, 1 to 8.
    length: u32,
    /// Masks of the digits before the point, and of those after it once the point is removed.
    before: u64,
    behind: u64,
    /// The non-digit marks of `digits`, within the length.
    marks: u64,
    /// The mask of the marks that are compared.
    looked: u64,
    /// The point at its position, zero if there is none, and its mask.
    point: u64,
    point_at: u64,
    /// The shift that moves the last digit to the highest byte.
    shift: u32,
    /// 10 to the digits behind the point.
    power: f64,
}

impl Shape {
    /// `whole` digits, and a point and `places` more if there are any.
    fn new(whole: u32, places: u32) -> Self {
        let length = if places == 0 { whole } else { whole + 1 + places };
        debug_assert!(whole >= 1 && length <= 8);
        let low = |bytes: u32| if bytes >= 8 { u64::MAX } else { (1 << (8 * bytes)) - 1 };
        let dot = places > 0;
        let point_at = if dot { 0xff << (8 * whole) } else { 0 };
        Shape {
            length,
            before: low(whole),
            behind: if dot { low(whole + places) & !low(whole) } else { 0 },
            marks: point_at & HIGH,
            looked: low(length) & HIGH,
            point: point_at & 0x2e2e_2e2e_2e2e_2e2e,
            point_at,
            shift: 64 - 8 * (whole + places),
            power: POWERS[places as usize],
        }
    }
}

impl Shape {
    /// Its identity.
    #[inline(always)]
    pub(crate) fn form(&self) -> (u32, u64) {
        (self.length, self.point_at)
    }
}

#[cfg(target_arch = "x86_64")]
impl Shape {
    /// Bytes without the sign.
    pub(crate) fn length(&self) -> usize {
        self.length as usize
    }

    /// How many digits there are before the point, and how many after it.
    pub(crate) fn digits(&self) -> (usize, usize) {
        if self.point_at == 0 {
            return (self.length(), 0);
        }
        let whole = self.point_at.trailing_zeros() as usize / 8;
        (whole, self.length() - whole - 1)
    }

    /// 10 to the digits behind the point.
    pub(crate) fn power(&self) -> f64 {
        self.power
    }
}

impl Default for Shape {
    fn default() -> Self {
        Shape::new(1, 0)
    }
}

/// The short decimal that starts at `at` and ends before a byte that `ends` accepts, and the position of that byte;
/// `None`: take the general path. Gives the same numbers as [`short`].
#[inline(always)]
pub(crate) fn shaped(text: &[u8], at: usize, shape: &mut Shape, ends: impl Fn(u8) -> bool) -> Option<(f64, usize)> {
    let negative = *text.get(at)? == b'-';
    let start = at + usize::from(negative);
    let bytes = eight(text, start)?;
    let (values, marks) = digits(bytes);
    let end = start + shape.length as usize;
    let alike = marks & shape.looked == shape.marks && bytes & shape.point_at == shape.point;
    if !(alike && ends(*text.get(end)?)) {
        return reshaped(text, start, negative, shape, ends);
    }
    let mantissa = join_digits(((values & shape.before) | ((values >> 8) & shape.behind)) << shape.shift);
    // At most eight digits are exact, and so is the power: one division rounds once.
    let value = mantissa as f64 / shape.power;
    Some((if negative { -value } else { value }, end))
}

/// Reads a decimal of another shape byte by byte, and remembers the shape.
#[inline(never)]
fn reshaped(
    text: &[u8],
    start: usize,
    negative: bool,
    shape: &mut Shape,
    ends: impl Fn(u8) -> bool,
) -> Option<(f64, usize)> {
    // One sign was consumed already; a second one is invalid.
    if !text.get(start)?.is_ascii_digit() {
        return None;
    }
    let (value, used) = short(&text[start..])?;
    let end = start + used;
    if !ends(*text.get(end)?) {
        return None;
    }
    if used <= 8 {
        let whole = text[start..end].iter().take_while(|b| b.is_ascii_digit()).count();
        // "5." is rare; it always takes this slow path.
        if whole + 1 != used {
            *shape = Shape::new(whole as u32, (used - whole).saturating_sub(1) as u32);
        }
    }
    Some((if negative { -value } else { value }, end))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

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
        fn shapes_agree_with_the_twin(texts in prop::collection::vec(r"[-+]?[0-9]{0,9}(\.[0-9]{0,9})?[e ]?", 1..6)) {
            let mut shape = Shape::default();
            let text = texts.join(",") + ",\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
            let mut at = 0;
            for one in &texts {
                // What it reads is right; what it refuses goes to the general path.
                if let Some((value, end)) = shaped(text.as_bytes(), at, &mut shape, |b| b == b',') {
                    prop_assert_eq!(end, at + one.len());
                    prop_assert_eq!(Some(value.to_bits()), twin(one), "{}", one);
                } else {
                    let plain = one.trim_start_matches('-').starts_with(|c: char| c.is_ascii_digit());
                    let short = one.len() <= 9 && one.bytes().all(|b| b.is_ascii_digit() || b == b'.' || b == b'-');
                    prop_assert!(!(plain && short), "{} was left", one);
                }
                at += one.len() + 1;
            }
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
