//! Delimited text, record by record.
//!
//! Fields are separated by delimiters. Spaces and tabs around a field do not belong to it (a tab that is the delimiter
//! divides). A field that starts with a quote ends with the next single quote; a doubled quote within is one quote,
//! delimiters and line ends within belong to it (CR LF as LF), and spaces at its ends do not. Lines end with LF or
//! CR LF. Blank lines are skipped, and so is a byte order mark at the start. Every record has equally many fields.

use std::borrow::Cow;

use crate::refusal::{Checked, Refusal};

/// Iterates over the records of a text.
#[derive(Debug)]
pub(crate) struct Table<'a> {
    data: &'a [u8],
    at: usize,
    delimiter: u8,
    /// The line of `at`, from 1.
    here: u64,
    /// The line on which the current record starts.
    pub(crate) line: u64,
    /// Its fields.
    pub(crate) fields: Vec<Cow<'a, [u8]>>,
    /// How many fields the first record had.
    width: Option<usize>,
}

impl<'a> Table<'a> {
    pub(crate) fn new(data: &'a [u8], delimiter: u8) -> Self {
        let data = data.strip_prefix(b"\xef\xbb\xbf").unwrap_or(data);
        Table { data, at: 0, delimiter, here: 1, line: 1, fields: Vec::new(), width: None }
    }

    /// Moves to the next record; `false` at the end.
    pub(crate) fn next(&mut self) -> Checked<bool> {
        loop {
            let start = self.past_spaces(self.at);
            match self.line_end(start) {
                Some(_) if start == self.data.len() => return Ok(false),
                Some(next) => self.go(next),
                None => break,
            }
        }
        self.line = self.here;
        self.fields.clear();
        while !self.field()? {}
        let width = *self.width.get_or_insert(self.fields.len());
        if self.fields.len() != width {
            return Err(Refusal::data(format!(
                "line {} has {} fields, the first has {width}",
                self.line,
                self.fields.len()
            )));
        }
        Ok(true)
    }

    /// Reads one field; `true` if the record ends with it.
    fn field(&mut self) -> Checked<bool> {
        let start = self.past_spaces(self.at);
        if self.data.get(start) == Some(&b'"') {
            return self.quoted(start + 1);
        }
        let rest = &self.data[self.at..];
        let length = first_of(rest, [self.delimiter, b'\n']);
        let text = &rest[..length];
        if rest.get(length) == Some(&self.delimiter) {
            self.fields.push(Cow::Borrowed(trim(text)));
            self.at += length + 1;
            return Ok(false);
        }
        self.fields.push(Cow::Borrowed(trim(text.strip_suffix(b"\r").unwrap_or(text))));
        self.go(self.at + length + 1);
        Ok(true)
    }

    /// Reads a field after its opening quote.
    fn quoted(&mut self, start: usize) -> Checked<bool> {
        let opened = self.here;
        let mut text = Vec::new();
        let (mut from, mut at) = (start, start);
        loop {
            match (self.data.get(at), self.data.get(at + 1)) {
                (None, _) => {
                    return Err(Refusal::data(format!("the quote that opens on line {opened} is never closed")));
                }
                (Some(b'"'), Some(b'"')) => {
                    text.extend_from_slice(&self.data[from..=at]);
                    at += 2;
                    from = at;
                }
                (Some(b'"'), _) => break,
                (Some(b'\r'), Some(b'\n')) => {
                    text.extend_from_slice(&self.data[from..at]);
                    at += 1;
                    from = at;
                }
                (Some(&byte), _) => {
                    self.here += u64::from(byte == b'\n');
                    at += 1;
                }
            }
        }
        let last = &self.data[from..at];
        self.fields.push(if text.is_empty() {
            Cow::Borrowed(trim(last))
        } else {
            text.extend_from_slice(last);
            Cow::Owned(trim(&text).to_vec())
        });
        let after = self.past_spaces(at + 1);
        if self.data.get(after) == Some(&self.delimiter) {
            self.at = after + 1;
            return Ok(false);
        }
        match self.line_end(after) {
            Some(next) => self.go(next),
            None => return Err(Refusal::data(format!("line {}: text after a closing quote", self.here))),
        }
        Ok(true)
    }

    /// Where the spaces that start at `at` end.
    fn past_spaces(&self, mut at: usize) -> usize {
        while self.data.get(at).is_some_and(|&b| is_space(b) && b != self.delimiter) {
            at += 1;
        }
        at
    }

    /// Where the next line starts, if a line ends at `at`.
    fn line_end(&self, at: usize) -> Option<usize> {
        match (self.data.get(at), self.data.get(at + 1)) {
            (None, _) => Some(at),
            (Some(b'\n'), _) | (Some(b'\r'), None) => Some(at + 1),
            (Some(b'\r'), Some(b'\n')) => Some(at + 2),
            _ => None,
        }
    }

    /// Moves to the start of the next line.
    fn go(&mut self, next: usize) {
        self.at = next.min(self.data.len());
        self.here += 1;
    }
}

/// Where the first of two bytes is; the length of the text if neither is there.
#[inline]
fn first_of(text: &[u8], bytes: [u8; 2]) -> usize {
    const ONES: u64 = u64::from_le_bytes([0x01; 8]);
    const HIGH: u64 = u64::from_le_bytes([0x80; 8]);
    // Eight bytes at a time. A byte that is zero gets its high bit; above it others may, so only the lowest counts.
    let zeros = |word: u64| word.wrapping_sub(ONES) & !word & HIGH;
    let [one, other] = bytes.map(|byte| u64::from(byte) * ONES);
    let (words, rest) = text.as_chunks::<8>();
    for (i, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        let found = zeros(word ^ one) | zeros(word ^ other);
        if found != 0 {
            return 8 * i + found.trailing_zeros() as usize / 8;
        }
    }
    let found = rest.iter().position(|byte| bytes.contains(byte));
    8 * words.len() + found.unwrap_or(rest.len())
}

fn is_space(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

/// The text without spaces at its ends. A tab that is the delimiter cannot be there, but within quotes.
fn trim(mut text: &[u8]) -> &[u8] {
    while let [first, rest @ ..] = text
        && is_space(*first)
    {
        text = rest;
    }
    while let [rest @ .., last] = text
        && is_space(*last)
    {
        text = rest;
    }
    text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn records(text: &[u8], delimiter: u8) -> Result<Vec<(u64, Vec<String>)>, String> {
        let mut table = Table::new(text, delimiter);
        let mut out = Vec::new();
        while table.next().map_err(|e| e.to_string())? {
            let fields = table.fields.iter().map(|f| String::from_utf8_lossy(f).into_owned());
            out.push((table.line, fields.collect()));
        }
        Ok(out)
    }

    fn fields(text: &[u8], delimiter: u8) -> Vec<Vec<String>> {
        records(text, delimiter).unwrap().into_iter().map(|(_, fields)| fields).collect()
    }

    #[test]
    fn quotes_spaces_blank_lines_and_line_ends() {
        let text = b"\xef\xbb\xbf a , \"b, \"\"c\"\"\" ,5\" x\r\n\r\n  \n\"two\r\nlines\",,\"\"\n\t\n1 ,\" 2\t\", 3\r";
        let got = records(text, b',').unwrap();
        let want: [(u64, [&str; 3]); 3] =
            [(1, ["a", "b, \"c\"", "5\" x"]), (4, ["two\nlines", "", ""]), (7, ["1", "2", "3"])];
        assert_eq!(got, want.map(|(line, fields)| (line, fields.map(String::from).to_vec())));
        assert_eq!(fields(b"a\t\"b\tc\"\t d \n\t\t\n", b'\t'), [["a", "b\tc", "d"], ["", "", ""]]);
        assert_eq!(fields(b"a;b\r\n1,5;", b';'), [["a", "b"], ["1,5", ""]]);
        assert_eq!(fields(b"a\rb\r\r\n", b','), [["a\rb\r"]]);
        assert_eq!(fields(b"", b','), Vec::<Vec<String>>::new());
        assert_eq!(fields(b"\n \r\n\r", b','), Vec::<Vec<String>>::new());
    }

    #[test]
    fn faults_name_their_line() {
        let message = records(b"a,b\n1,\"x\n2,y\n", b',').unwrap_err();
        assert!(message.ends_with("the quote that opens on line 2 is never closed"), "{message}");
        let message = records(b"a,\"b\nb\"c\n", b',').unwrap_err();
        assert!(message.ends_with("line 2: text after a closing quote"), "{message}");
        let message = records(b"a,b\n\n1,2,3\n", b',').unwrap_err();
        assert!(message.ends_with("line 3 has 3 fields, the first has 2"), "{message}");
    }

    proptest! {
        #[test]
        fn what_is_quoted_is_read_back(rows in prop::collection::vec(prop::collection::vec("[ab,\"\n]{0,4}", 2), 0..5)) {
            let quoted = |f: &String| format!("\"{}\"", f.replace('"', "\"\""));
            let line = |row: &Vec<String>| row.iter().map(quoted).collect::<Vec<_>>().join(" , ") + "\n";
            let text: String = rows.iter().map(line).collect();
            prop_assert_eq!(fields(text.as_bytes(), b','), rows);
        }

        #[test]
        fn the_first_of_two_bytes(text in prop::collection::vec(any::<u8>(), 0..40), bytes in any::<[u8; 2]>()) {
            let twin = text.iter().position(|byte| bytes.contains(byte));
            prop_assert_eq!(first_of(&text, bytes), twin.unwrap_or(text.len()));
        }

        #[test]
        fn the_first_of_two_neighbouring_bytes(text in prop::collection::vec(0x2au8..0x2e, 0..40)) {
            let twin = text.iter().position(|byte| b",+".contains(byte));
            prop_assert_eq!(first_of(&text, *b",+"), twin.unwrap_or(text.len()));
        }

        #[test]
        fn arbitrary_text_never_panics(text in "[a,\"\r\n \t\u{feff}]{0,24}") {
            let _ = records(text.as_bytes(), b',');
        }
    }
}
