//! An error of a line parser: a position within the text, not yet a file. Parsers know lines, not files.

use crate::error::{Error, Place};
use crate::message::Message;

/// The result of a line parser.
pub(crate) type Found<T> = std::result::Result<T, Fault>;

/// A fault at a line and a byte of it, both from 1; column 0 stands for the whole line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) line: u64,
    pub(crate) column: u64,
    pub(crate) message: Message,
}

impl Fault {
    /// A fault at a byte of a line.
    #[cold]
    pub(crate) fn at(line: u64, column: u64, message: impl Into<Message>) -> Self {
        Fault { line, column, message: message.into() }
    }

    /// A fault of a whole line.
    #[cold]
    pub(crate) fn line(line: u64, message: impl Into<Message>) -> Self {
        Fault { line, column: 0, message: message.into() }
    }

    /// The same fault, `lines` lines further down.
    pub(crate) fn after(mut self, lines: u64) -> Self {
        self.line += lines;
        self
    }

    /// The fault as an error in this file.
    pub(crate) fn of(self, file: &str) -> Error {
        let column = (self.column > 0).then_some(self.column);
        Error::data(Place { file: file.to_string(), line: Some(self.line), column }, self.message)
    }
}

/// Text from a file, for a message: quoted, made printable, cut where it gets long.
pub(crate) fn show(text: &[u8]) -> String {
    const SHOWN: usize = 40;
    // A character has at most four bytes: a huge field is not read to its end.
    let start = String::from_utf8_lossy(&text[..text.len().min(4 * SHOWN + 4)]);
    let mut out = String::from("\"");
    for c in start.chars().take(SHOWN) {
        if c.is_control() { out.extend(c.escape_default()) } else { out.push(c) }
    }
    if start.chars().count() > SHOWN {
        out.push('…');
    }
    out.push('"');
    out
}

/// `1 row`, `2 rows`.
pub(crate) fn count(n: u64, one: &str) -> String {
    if n == 1 { format!("1 {one}") } else { format!("{n} {one}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_shown_safely() {
        assert_eq!(show(b"a\x1b[0m\t"), "\"a\\u{1b}[0m\\t\"");
        assert_eq!(show(&[0xff]), "\"\u{fffd}\"");
        assert_eq!(show("é".repeat(500).as_bytes()), format!("\"{}…\"", "é".repeat(40)));
    }

    #[test]
    fn a_fault_becomes_an_error_in_a_file() {
        assert_eq!(Fault::at(3, 7, "odd").of("f").to_string(), "f:3:7: odd");
        assert_eq!(Fault::line(3, "odd").of("f").to_string(), "f:3: odd");
    }
}
