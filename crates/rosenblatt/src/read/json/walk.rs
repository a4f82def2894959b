//! Parses one JSON object, and hands over each value with the name of its field.
//!
//! A field of a nested object has a dotted name: `{"user": {"age": 7}}` holds `user.age`. The numbers of an array are
//! fields, numbered from 1: `{"x": [2, 3]}` holds `x.1` and `x.2`. An array of strings is one value, a set.
//!
//! No tree is built: a number is handed over as it is written, a string as a part of the line unless it has escapes.

use memchr::memchr2;

use crate::io::{Fault, Found, show};

/// A single value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Single {
    Null,
    Number,
    Text,
    Truth,
}

/// Takes the values of an object, in the order of the line. Positions count bytes of the line from 0.
pub(super) trait Take {
    /// Whether an array or an object of this name is passed over.
    fn skips(&mut self, name: &[u8]) -> bool;
    /// A single value: the text of a number as it is written, that of a string without escapes.
    fn single(&mut self, name: &[u8], is: Single, text: &[u8], at: usize) -> Found<()>;
    /// The start of an array of strings, which may be empty.
    fn set(&mut self, name: &[u8], at: usize, empty: bool) -> Found<()>;
    /// The next string of that array.
    fn member(&mut self, text: &[u8]);
}

/// Buffers that are reused from line to line.
#[derive(Debug, Default)]
pub(super) struct Buffers {
    name: Vec<u8>,
    text: Vec<u8>,
}

/// Arrays and objects within each other.
const DEEPEST: usize = 100;

/// Hands over the values of the object on a line.
pub(super) fn walk(line: &[u8], number: u64, buffers: &mut Buffers, take: &mut impl Take) -> Found<()> {
    if let Err(error) = std::str::from_utf8(line) {
        let at = error.valid_up_to();
        let message = format!("{} is not UTF-8 text: save the file as UTF-8", show(&line[at..]));
        return Err(Fault::at(number, at as u64 + 1, message));
    }
    let least = line.iter().fold(u8::MAX, |least, &b| least.min(b));
    let Buffers { name, text } = buffers;
    name.clear();
    let mut walker = Walker { line, number, at: 0, controls: least < b' ', name, text, take };
    walker.space();
    if walker.peek() != Some(b'{') {
        return Err(walker.expected("an object, { … }, on each line"));
    }
    walker.object(1)?;
    walker.space();
    if walker.at < line.len() { Err(walker.expected("the end of the line after the object")) } else { Ok(()) }
}

struct Walker<'l, 'b, T> {
    line: &'l [u8],
    number: u64,
    at: usize,
    /// Whether the line holds control characters, which strings must not.
    controls: bool,
    /// The name of the current field.
    name: &'b mut Vec<u8>,
    text: &'b mut Vec<u8>,
    take: &'b mut T,
}

/// A string: a part of the line, or in the buffer because it has escapes.
enum Quoted {
    Part(usize, usize),
    Buffer,
}

impl<T: Take> Walker<'_, '_, T> {
    #[inline]
    fn peek(&self) -> Option<u8> {
        self.line.get(self.at).copied()
    }

    #[inline]
    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
    }

    #[cold]
    fn fault(&self, at: usize, message: impl Into<crate::message::Message>) -> Fault {
        Fault::at(self.number, at as u64 + 1, message)
    }

    /// The fault that something else was expected here.
    #[cold]
    fn expected(&self, what: &str) -> Fault {
        let found = match &self.line[self.at.min(self.line.len())..] {
            [] => "the line ends".to_string(),
            rest => format!("found {}", show(rest)),
        };
        self.fault(self.at, format!("expected {what}: {found}"))
    }

    /// Passes over a byte; `false` if another one stands here.
    #[inline]
    fn eat(&mut self, byte: u8) -> bool {
        let is = self.peek() == Some(byte);
        self.at += usize::from(is);
        is
    }

    /// Passes over an opening bracket.
    fn open(&mut self, depth: usize) -> Found<()> {
        if depth > DEEPEST {
            return Err(self.fault(self.at, format!("more than {DEEPEST} arrays and objects within each other")));
        }
        self.at += 1;
        self.space();
        Ok(())
    }

    /// After an element: whether another one follows.
    #[inline]
    fn more(&mut self, close: u8, what: &str) -> Found<bool> {
        self.space();
        if self.eat(b',') {
            self.space();
            return Ok(true);
        }
        if self.eat(close) { Ok(false) } else { Err(self.expected(what)) }
    }

    /// A key and the colon behind it; the name of the field becomes `parent` and the key.
    #[inline]
    fn key(&mut self, parent: usize) -> Found<()> {
        if self.peek() != Some(b'"') {
            return Err(self.expected("a name in quotes"));
        }
        let key = self.string()?;
        self.name.truncate(parent);
        if parent > 0 {
            self.name.push(b'.');
        }
        match key {
            Quoted::Part(from, to) => self.name.extend_from_slice(&self.line[from..to]),
            Quoted::Buffer => self.name.extend_from_slice(self.text),
        }
        self.space();
        if !self.eat(b':') {
            return Err(self.expected("a colon after the name"));
        }
        self.space();
        Ok(())
    }

    /// The fields of an object, which begins here.
    fn object(&mut self, depth: usize) -> Found<()> {
        let parent = self.name.len();
        self.open(depth)?;
        if self.eat(b'}') {
            return Ok(());
        }
        loop {
            self.key(parent)?;
            match self.peek() {
                Some(b'{' | b'[') if self.take.skips(self.name) => self.skip(depth + 1)?,
                Some(b'{') => self.object(depth + 1)?,
                Some(b'[') => self.array(depth + 1)?,
                _ => self.single()?,
            }
            if !self.more(b'}', "a comma or }")? {
                self.name.truncate(parent);
                return Ok(());
            }
        }
    }

    /// A value that is neither array nor object.
    #[inline]
    fn single(&mut self) -> Found<()> {
        let at = self.at;
        let (is, text) = match self.peek() {
            Some(b'"') => match self.string()? {
                Quoted::Part(from, to) => (Single::Text, &self.line[from..to]),
                Quoted::Buffer => (Single::Text, &**self.text),
            },
            Some(b'-' | b'0'..=b'9') => {
                let end = self.number()?;
                (Single::Number, &self.line[at..end])
            }
            _ => self.word()?,
        };
        self.take.single(self.name, is, text, at)
    }

    /// `true`, `false` or `null`.
    fn word(&mut self) -> Found<(Single, &'static [u8])> {
        const WORDS: [(Single, &[u8]); 3] =
            [(Single::Truth, b"true"), (Single::Truth, b"false"), (Single::Null, b"null")];
        let rest = &self.line[self.at..];
        let Some((is, word)) = WORDS.into_iter().find(|(_, word)| rest.starts_with(word)) else {
            return Err(self.expected("a value: a number, a string, true, false, null, an array or an object"));
        };
        self.at += word.len();
        Ok((is, word))
    }

    /// Passes over a number; returns its end.
    #[inline]
    fn number(&mut self) -> Found<usize> {
        let digits = |walker: &mut Self| {
            let from = walker.at;
            while walker.peek().is_some_and(|b| b.is_ascii_digit()) {
                walker.at += 1;
            }
            walker.at > from
        };
        self.eat(b'-');
        let whole = self.eat(b'0') || digits(self);
        let whole = whole && (!self.eat(b'.') || digits(self));
        let whole = whole
            && match self.peek() {
                Some(b'e' | b'E') => {
                    self.at += 1;
                    if !self.eat(b'+') {
                        self.eat(b'-');
                    }
                    digits(self)
                }
                _ => true,
            };
        if whole { Ok(self.at) } else { Err(self.expected("a digit of a number")) }
    }

    /// Passes over a string, which begins here.
    #[inline]
    fn string(&mut self) -> Found<Quoted> {
        let start = self.at + 1;
        let end = plain_end(self.line, start);
        if self.controls
            && let Some(n) = self.line[start..end].iter().position(|&b| b < b' ')
        {
            return Err(self.fault(start + n, "a control character within a string: write it as an escape"));
        }
        match self.line.get(end) {
            Some(b'"') => {
                self.at = end + 1;
                Ok(Quoted::Part(start, end))
            }
            Some(_) => self.escaped(start, end),
            None => Err(self.fault(start - 1, "the quote that opens here is never closed")),
        }
    }

    /// The rest of a string with escapes, of which the first stands at `end`.
    #[inline(never)]
    fn escaped(&mut self, start: usize, mut end: usize) -> Found<Quoted> {
        self.text.clear();
        let mut from = start;
        loop {
            self.text.extend_from_slice(&self.line[from..end]);
            if self.controls
                && let Some(n) = self.line[from..end].iter().position(|&b| b < b' ')
            {
                return Err(self.fault(from + n, "a control character within a string: write it as an escape"));
            }
            match self.line.get(end) {
                None => return Err(self.fault(start - 1, "the quote that opens here is never closed")),
                Some(b'"') => {
                    self.at = end + 1;
                    return Ok(Quoted::Buffer);
                }
                Some(_) => {
                    self.at = end;
                    self.escape()?;
                    from = self.at;
                    end = from + memchr2(b'"', b'\\', &self.line[from..]).unwrap_or(self.line.len() - from);
                }
            }
        }
    }

    /// Appends the character of an escape, which begins here.
    fn escape(&mut self) -> Found<()> {
        let at = self.at;
        let plain = match self.line.get(at + 1) {
            Some(&b @ (b'"' | b'\\' | b'/')) => b,
            Some(b'b') => 8,
            Some(b'f') => 12,
            Some(b'n') => b'\n',
            Some(b'r') => b'\r',
            Some(b't') => b'\t',
            Some(b'u') => return self.unicode(),
            _ => return Err(self.expected("one of the escapes \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u")),
        };
        self.text.push(plain);
        self.at += 2;
        Ok(())
    }

    /// Appends the character of an escape `\uXXXX`, or of two that are a surrogate pair.
    fn unicode(&mut self) -> Found<()> {
        let at = self.at;
        let unit = |from: usize| {
            let digits = self.line.get(from..from + 6)?.strip_prefix(b"\\u")?;
            digits.iter().try_fold(0, |code, &b| Some(code << 4 | char::from(b).to_digit(16)?))
        };
        let Some(first) = unit(at) else { return Err(self.expected("four hexadecimal digits after \\u")) };
        let (code, length) = match (first, unit(at + 6)) {
            (0xd800..0xdc00, Some(second @ 0xdc00..0xe000)) => {
                (0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00), 12)
            }
            (code, _) => (code, 6),
        };
        let Some(letter) = char::from_u32(code) else {
            return Err(self.fault(at, "half of a surrogate pair, which is no character"));
        };
        if letter == '\0' {
            return Err(self.fault(at, "a NUL character: this is not text"));
        }
        self.text.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
        self.at += length;
        Ok(())
    }

    /// An array of numbers or of strings, which begins here.
    fn array(&mut self, depth: usize) -> Found<()> {
        let (at, parent) = (self.at, self.name.len());
        self.open(depth)?;
        if self.eat(b']') {
            return self.take.set(self.name, at, true);
        }
        let strings = self.peek() == Some(b'"');
        if strings {
            self.take.set(self.name, at, false)?;
        }
        for place in 1u64.. {
            match self.peek() {
                Some(b'"') if strings => match self.string()? {
                    Quoted::Part(from, to) => self.take.member(&self.line[from..to]),
                    Quoted::Buffer => self.take.member(self.text),
                },
                Some(b'-' | b'0'..=b'9' | b'n') if !strings => {
                    write_place(self.name, place);
                    self.single()?;
                    self.name.truncate(parent);
                }
                Some(b'"' | b'-' | b'0'..=b'9' | b'n' | b't' | b'f' | b'[' | b'{') => {
                    let name = show(self.name);
                    let message = format!("the array {name} holds more than numbers or more than strings: ");
                    let name = String::from_utf8_lossy(self.name);
                    let message = crate::message::Message::new(message).text("leave it out with ");
                    return Err(self.fault(at, message.set(crate::message::Setting::Drop, name)));
                }
                _ => return Err(self.expected("a value of an array")),
            }
            if !self.more(b']', "a comma or ]")? {
                break;
            }
        }
        Ok(())
    }

    /// Passes over any value.
    fn skip(&mut self, depth: usize) -> Found<()> {
        let (close, is_object) = match self.peek() {
            Some(b'{') => (b'}', true),
            Some(b'[') => (b']', false),
            Some(b'"') => return self.string().map(|_| ()),
            Some(b'-' | b'0'..=b'9') => return self.number().map(|_| ()),
            _ => return self.word().map(|_| ()),
        };
        self.open(depth)?;
        if self.eat(close) {
            return Ok(());
        }
        loop {
            if is_object {
                let own = self.name.len();
                self.key(own)?;
                self.name.truncate(own);
            }
            self.skip(depth + 1)?;
            if !self.more(close, if is_object { "a comma or }" } else { "a comma or ]" })? {
                return Ok(());
            }
        }
    }
}

/// The first quote or backslash from `from` on, or the end: eight bytes at a time, as most strings are short.
#[inline]
fn plain_end(line: &[u8], from: usize) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let zero = |word: u64| word.wrapping_sub(ONES) & !word & (ONES << 7);
    let mut at = from;
    while let Some(eight) = line.get(at..).and_then(|rest| rest.first_chunk::<8>()) {
        let word = u64::from_le_bytes(*eight);
        let found = zero(word ^ (ONES * b'"' as u64)) | zero(word ^ (ONES * b'\\' as u64));
        if found != 0 {
            return at + (found.trailing_zeros() / 8) as usize;
        }
        at += 8;
    }
    at + line[at..].iter().position(|b| matches!(b, b'"' | b'\\')).unwrap_or(line.len() - at)
}

/// Appends a point and a place to a name.
fn write_place(name: &mut Vec<u8>, place: u64) {
    name.push(b'.');
    let start = name.len();
    let mut rest = place;
    while rest > 0 {
        name.push(b'0' + (rest % 10) as u8);
        rest /= 10;
    }
    name[start..].reverse();
}
