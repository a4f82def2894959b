//! Names and labels as tokens of Vowpal Wabbit text. What such a token cannot hold is written as `%` and two
//! hexadecimal digits for each byte, and so is `%`.

use std::borrow::Cow;
use std::fmt::Write;

/// A reader of files takes it away at the start, so a label must not begin with it.
pub(super) const BYTE_ORDER_MARK: char = '\u{feff}';

/// Appends the token of a name.
pub fn write_name(name: &str, out: &mut String) {
    write(name, out, |byte| matches!(byte, b'%' | b'|' | b':'));
}

/// Appends the token of a label.
pub fn write_label(label: &str, out: &mut String) {
    write(label, out, |byte| matches!(byte, b'%' | b'|' | b':' | b',' | b'\''));
}

fn write(name: &str, out: &mut String, special: impl Fn(u8) -> bool) {
    for c in name.chars() {
        if c.is_ascii() && (c <= ' ' || c == '\x7f' || special(c as u8)) {
            let _ = write!(out, "%{:02X}", c as u8);
        } else if c == BYTE_ORDER_MARK {
            out.push_str("%EF%BB%BF");
        } else {
            out.push(c);
        }
    }
}

/// The name or label of a token.
pub fn readable(token: &str) -> Cow<'_, str> {
    if !token.contains('%') {
        return Cow::Borrowed(token);
    }
    let digit = |byte: Option<&u8>| byte.and_then(|&byte| (byte as char).to_digit(16));
    let (bytes, mut out, mut at) = (token.as_bytes(), Vec::new(), 0);
    while at < bytes.len() {
        match (bytes[at], digit(bytes.get(at + 1)), digit(bytes.get(at + 2))) {
            (b'%', Some(high), Some(low)) => {
                out.push((16 * high + low) as u8);
                at += 3;
            }
            (byte, _, _) => {
                out.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8(out).map_or(Cow::Borrowed(token), Cow::Owned)
}
