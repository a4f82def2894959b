//! The part of JSON that a certificate uses, read strictly: no duplicate keys, no nulls, only whole numbers from 0.
//!
//! Common JSON readers silently keep the last of two equal keys. A certificate that two programs can read differently
//! proves nothing, so here a duplicate is an error. Texts keep their byte position, which the digest needs.

use std::collections::BTreeMap;

use crate::limits;
use crate::refusal::{Checked, Refusal};

/// A JSON value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Value {
    Flag(bool),
    Count(u64),
    /// A text, and the byte where it starts, after the opening quote.
    Text(String, usize),
    List(Vec<Value>),
    Object(BTreeMap<String, Value>),
}

/// Reads one value that takes up all the bytes but white space.
pub(crate) fn parse(bytes: &[u8]) -> Checked<Value> {
    let text = std::str::from_utf8(bytes)
        .map_err(|e| Refusal::form(format!("byte {} is not UTF-8 text", e.valid_up_to() + 1)))?;
    let mut reader = Reader::new(text);
    let value = reader.value(0)?;
    reader.space();
    if reader.at < bytes.len() {
        return Err(reader.fault("text after the end of the certificate"));
    }
    Ok(value)
}

/// Reads from a place of a text.
pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
    text: &'a str,
    pub(crate) at: usize,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Reader { bytes: text.as_bytes(), text, at: 0 }
    }

    /// The text between a place before and here.
    pub(crate) fn since(&self, start: usize) -> &'a str {
        &self.text[start..self.at]
    }

    /// Passes over a word, if it comes next.
    pub(crate) fn word(&mut self, word: &str) -> bool {
        let found = self.bytes[self.at..].starts_with(word.as_bytes());
        self.at += if found { word.len() } else { 0 };
        found
    }

    fn fault(&self, message: &str) -> Refusal {
        Refusal::form(format!("at byte {}: {message}", self.at + 1))
    }

    pub(crate) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    pub(crate) fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    /// Skips white space and then `byte`, if it comes next.
    pub(crate) fn pass(&mut self, byte: u8) -> bool {
        self.space();
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn value(&mut self, depth: usize) -> Checked<Value> {
        if depth > limits::DEPTH {
            return Err(self.fault("brackets are nested too deeply"));
        }
        self.space();
        match self.peek() {
            Some(b'{') => self.object(depth),
            Some(b'[') => self.list(depth),
            Some(b'"') => {
                let start = self.at + 1;
                Ok(Value::Text(self.string()?, start))
            }
            Some(b'0'..=b'9') => self.count(),
            _ if self.word("true") => Ok(Value::Flag(true)),
            _ if self.word("false") => Ok(Value::Flag(false)),
            _ => Err(self.fault("expected a text, a whole number, true, false, [ or {")),
        }
    }

    fn object(&mut self, depth: usize) -> Checked<Value> {
        let mut object = BTreeMap::new();
        self.at += 1;
        if self.pass(b'}') {
            return Ok(Value::Object(object));
        }
        loop {
            self.space();
            let start = self.at;
            let key = self.string()?;
            if !self.pass(b':') {
                return Err(self.fault("expected a colon"));
            }
            let value = self.value(depth + 1)?;
            if object.insert(key, value).is_some() {
                self.at = start;
                return Err(self.fault("this key occurs twice"));
            }
            if self.pass(b'}') {
                return Ok(Value::Object(object));
            }
            if !self.pass(b',') {
                return Err(self.fault("expected a comma or }"));
            }
        }
    }

    fn list(&mut self, depth: usize) -> Checked<Value> {
        let mut list = Vec::new();
        self.at += 1;
        if self.pass(b']') {
            return Ok(Value::List(list));
        }
        loop {
            list.push(self.value(depth + 1)?);
            if self.pass(b']') {
                return Ok(Value::List(list));
            }
            if !self.pass(b',') {
                return Err(self.fault("expected a comma or ]"));
            }
        }
    }

    fn count(&mut self) -> Checked<Value> {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        let digits = &self.text[start..self.at];
        if digits.len() > 1 && digits.starts_with('0') {
            return Err(self.fault("a number starts with 0"));
        }
        if matches!(self.peek(), Some(b'.' | b'e' | b'E')) {
            return Err(self.fault("numbers outside of texts are whole"));
        }
        digits.parse().map(Value::Count).map_err(|_| self.fault("the number is too large"))
    }

    pub(crate) fn string(&mut self) -> Checked<String> {
        if self.peek() != Some(b'"') {
            return Err(self.fault("expected a text in quotes"));
        }
        self.at += 1;
        let mut out = String::new();
        loop {
            let from = self.at;
            while self.peek().is_some_and(|b| b >= b' ' && b != b'"' && b != b'\\') {
                self.at += 1;
            }
            // `from` and `at` stand beside ASCII bytes, so they are boundaries of characters.
            out.push_str(&self.text[from..self.at]);
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(out);
                }
                Some(b'\\') => out.push(self.escape()?),
                Some(_) => return Err(self.fault("a control character in a text: write it as an escape")),
                None => return Err(self.fault("the text never ends")),
            }
        }
    }

    fn escape(&mut self) -> Checked<char> {
        let kind = self.bytes.get(self.at + 1).copied();
        self.at += 2;
        Ok(match kind {
            Some(c @ (b'"' | b'\\' | b'/')) => char::from(c),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                let first = self.unit()?;
                let code = if (0xd800..0xdc00).contains(&first) && self.bytes[self.at..].starts_with(b"\\u") {
                    self.at += 2;
                    let second = self.unit()?;
                    if !(0xdc00..0xe000).contains(&second) {
                        return Err(self.fault("half of a surrogate pair"));
                    }
                    0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00)
                } else {
                    first
                };
                char::from_u32(code).ok_or_else(|| self.fault("half of a surrogate pair"))?
            }
            _ => {
                self.at = (self.at - 2).min(self.bytes.len());
                return Err(self.fault("an unknown escape"));
            }
        })
    }

    /// The four hexadecimal digits of an escape.
    fn unit(&mut self) -> Checked<u32> {
        let digits = self.bytes.get(self.at..self.at + 4).filter(|d| d.iter().all(u8::is_ascii_hexdigit));
        let Some(digits) = digits else {
            self.at = self.at.min(self.bytes.len());
            return Err(self.fault("expected four hexadecimal digits"));
        };
        self.at += 4;
        Ok(digits.iter().fold(0, |code, &d| 16 * code + char::from(d).to_digit(16).unwrap_or(0)))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn message(text: &str) -> String {
        parse(text.as_bytes()).unwrap_err().to_string()
    }

    #[test]
    fn what_a_certificate_holds() {
        let got = parse(br#" { "a" : [ 1, "x\u00e9\n\ud83d\ude00\/", true ], "b": {}, "c": [] } "#).unwrap();
        let Value::Object(got) = got else { panic!() };
        let text = Value::Text("xé\n😀/".to_string(), 15);
        assert_eq!(got["a"], Value::List(vec![Value::Count(1), text, Value::Flag(true)]));
        assert_eq!(got["b"], Value::Object(BTreeMap::new()));
    }

    #[test]
    fn what_it_may_not_hold() {
        assert!(message(r#"{"a":1,"\u0061":2}"#).contains("at byte 8: this key occurs twice"));
        for text in [
            "",
            "{",
            "[1,]",
            "{\"a\":1,}",
            "null",
            "-1",
            "01",
            "1.5",
            "1e3",
            "[1 2]",
            "{1:2}",
            "\"a",
            "\"\\x\"",
            "\"\t\"",
            "\"\\ud800\"",
            "\"\\ud800\\u0041\"",
            "\"\\u12\"",
            "\"\\",
            "1 2",
            "'a'",
            "99999999999999999999",
            "\u{feff}1",
        ] {
            assert!(parse(text.as_bytes()).is_err(), "{text}");
        }
        assert!(message(&"[".repeat(100_000)).contains("nested"));
        assert!(parse(b"\"\xff\"").is_err());
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
            let _ = parse(&bytes);
        }

        #[test]
        fn almost_json_never_panics(text in r#"[\[\]{}:,"\\u0-9a-d ]{0,32}"#) {
            let _ = parse(text.as_bytes());
        }
    }
}
