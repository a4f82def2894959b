//! Number formatting.

/// 1234567 as 1,234,567.
pub(crate) fn thousands(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// 10ⁿ as it is printed: `10⁵`, `10⁻³`.
pub(crate) fn power_of_ten(exponent: i32) -> String {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let digits = exponent.unsigned_abs().to_string();
    let raised = digits.bytes().map(|d| DIGITS[usize::from(d - b'0')]);
    format!("10{}{}", if exponent < 0 { "⁻" } else { "" }, raised.collect::<String>())
}

/// A number with `decimals` decimals, a true minus sign, and commas in the whole part.
pub(crate) fn fixed(v: f64, decimals: usize) -> String {
    let text = format!("{:.decimals$}", v.abs());
    let (whole, rest) = text.split_at(text.find('.').unwrap_or(text.len()));
    let whole =
        whole.parse::<u64>().map_or(whole.to_string(), |n| if n < 10_000 { n.to_string() } else { thousands(n) });
    let zero = text.bytes().all(|b| matches!(b, b'0' | b'.'));
    format!("{}{whole}{rest}", if v < 0.0 && !zero { "−" } else { "" })
}

/// A number to four significant digits, without needless zeros.
pub(crate) fn short(v: f64) -> String {
    if v == 0.0 || !v.is_finite() {
        return if v == 0.0 { "0".into() } else { v.to_string() };
    }
    let magnitude = v.abs().log10().floor() as i32;
    if !(-4..7).contains(&magnitude) {
        let mantissa = fixed(v / 10f64.powi(magnitude), 2);
        return format!("{mantissa}×{}", power_of_ten(magnitude));
    }
    let text = fixed(v, (3 - magnitude).max(0) as usize);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_string() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_formatted() {
        assert_eq!(fixed(-1234567.0, 0), "−1,234,567");
        assert_eq!(fixed(-0.001, 2), "0.00");
        assert_eq!(power_of_ten(-12), "10⁻¹²");
        assert_eq!(
            [0.5, 49323.4, 1e-7, -3.0, 0.0021, 1.5e300].map(short),
            ["0.5", "49,323", "1.00×10⁻⁷", "−3", "0.0021", "1.50×10³⁰⁰"]
        );
    }
}
