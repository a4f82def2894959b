//! Foreign text on one printable line.
//!
//! Labels, feature names, tags and paths come from files, and may hold terminal escapes, line breaks, bidirectional controls, or
//! a million characters. Every message and every front end shows them through these functions.

use std::borrow::Cow;

use serde::Serialize;

/// The most characters of a text in a message; a name may be as long as the file that it is from.
pub const LONGEST: usize = 600;

/// Whether a character can change more of a terminal or a line than its own place: control characters, line and paragraph
/// separators, bidirectional controls.
pub fn is_control(c: char) -> bool {
    let separates = matches!(c, '\u{2028}' | '\u{2029}');
    let turns = matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    c.is_control() || separates || turns
}

/// The text with control characters written as in Rust: `\n`, `\t`, `\u{1b}`.
///
/// ```
/// assert_eq!(rosenblatt::escape::escaped("spam\n\u{1b}[2J"), "spam\\n\\u{1b}[2J");
/// ```
pub fn escaped(text: &str) -> Cow<'_, str> {
    if !text.contains(is_control) {
        return Cow::Borrowed(text);
    }
    let mut line = String::with_capacity(text.len() + 8);
    text.chars().for_each(|c| push(&mut line, c));
    Cow::Owned(line)
}

/// The same, with backslashes doubled, so that the text can be restored: for lines and columns that programs read.
///
/// ```
/// assert_eq!(rosenblatt::escape::field("a\tb\\n"), "a\\tb\\\\n");
/// ```
pub fn field(text: &str) -> Cow<'_, str> {
    // Called once a row: most labels need no look at their characters.
    if text.bytes().all(|b| (b' '..=b'~').contains(&b) && b != b'\\') {
        return Cow::Borrowed(text);
    }
    if !text.contains(|c| is_control(c) || c == '\\') {
        return Cow::Borrowed(text);
    }
    let mut field = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if c == '\\' { field.push_str("\\\\") } else { push(&mut field, c) }
    }
    Cow::Owned(field)
}

/// The text, escaped and cut to [`LONGEST`] characters.
pub fn one_line(text: String) -> String {
    if text.len() <= LONGEST && !text.contains(is_control) {
        return text;
    }
    let mut line = String::new();
    let mut characters = text.chars();
    characters.by_ref().take(LONGEST).for_each(|c| push(&mut line, c));
    if characters.next().is_some() {
        line.push('…');
    }
    line
}

/// A line of JSON. Control characters are escaped, also those beyond ASCII that JSON allows in a string.
pub fn json_line(value: &impl Serialize) -> serde_json::Result<String> {
    let mut text = serde_json::to_string(value)?;
    if text.contains(is_control) {
        let mut escaped = String::with_capacity(text.len() + 16);
        for c in text.chars() {
            if is_control(c) { escaped.push_str(&format!("\\u{:04x}", c as u32)) } else { escaped.push(c) }
        }
        text = escaped;
    }
    text.push('\n');
    Ok(text)
}

fn push(line: &mut String, c: char) {
    if is_control(c) { line.extend(c.escape_default()) } else { line.push(c) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_moves_the_cursor_is_left() {
        let hostile =
            "a\u{0}\u{7}\u{8}\t\n\u{b}\r\u{1b}[31m\u{7f}\u{9b}2J\u{61c}\u{200f}\u{2028}\u{202e}\u{2066}é日\u{200d}";
        for shown in [escaped(hostile), field(hostile), one_line(hostile.to_string()).into()] {
            assert!(!shown.contains(is_control), "{shown:?}");
            assert!(shown.ends_with("é日\u{200d}"), "letters and joiners stay: {shown}");
        }
        assert_eq!(escaped("C:\\new"), "C:\\new");
    }

    #[test]
    fn a_field_is_one_field_and_can_be_restored() {
        let texts = ["a\tb", "a\\tb", "\\", "\\\\", "\u{1b}", "\\u{1b}", "a\nb", ""];
        let fields: std::collections::HashSet<String> = texts.iter().map(|text| field(text).into_owned()).collect();
        assert_eq!(fields.len(), texts.len());
    }

    #[test]
    fn json_is_complete_and_printable() {
        let hostile = "a\n\u{1b}\u{7f}\u{9b}2J\u{202e}\u{2028}\u{fe}\"\\";
        let line = json_line(&[hostile]).unwrap();
        assert!(!line.trim_end().contains(is_control), "{line}");
        assert_eq!(serde_json::from_str::<[String; 1]>(&line).unwrap(), [hostile]);
    }
}
