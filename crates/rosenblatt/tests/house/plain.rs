//! Sources without what only looks like code: comments and the insides of strings become spaces, and lines stay where
//! they are.

/// Rust without comments, strings and characters.
pub fn rust(text: &str) -> String {
    let mut plain = Plain::new(text);
    while let Some(byte) = plain.peek(0) {
        let after_word = plain.at > 0 && is_word(plain.bytes[plain.at - 1]);
        match (byte, plain.peek(1)) {
            (b'/', Some(b'/')) => plain.blank_until_line_end(),
            (b'/', Some(b'*')) => plain.blank_nested_comment(),
            (b'"', _) => plain.blank_quoted(b"\""),
            (b'b' | b'c', Some(b'"')) if !after_word => plain.keep(1),
            (b'b' | b'c' | b'r', _) if !after_word && plain.raw_hashes().is_some() => plain.blank_raw(),
            (b'\'', Some(next)) if next == b'\\' || plain.is_character() => plain.blank_quoted(b"'"),
            _ => plain.keep(1),
        }
    }
    plain.finish()
}

/// Python without comments and strings.
pub fn python(text: &str) -> String {
    let mut plain = Plain::new(text);
    while let Some(byte) = plain.peek(0) {
        let rest = &plain.bytes[plain.at..];
        match byte {
            b'#' => plain.blank_until_line_end(),
            _ if rest.starts_with(b"\"\"\"") => plain.blank_quoted(b"\"\"\""),
            _ if rest.starts_with(b"'''") => plain.blank_quoted(b"'''"),
            b'"' => plain.blank_quoted(b"\""),
            b'\'' => plain.blank_quoted(b"'"),
            _ => plain.keep(1),
        }
    }
    plain.finish()
}

/// True for what a name may have in it.
pub fn is_word(byte: u8) -> bool {
    byte == b'_' || byte.is_ascii_alphanumeric() || !byte.is_ascii()
}

/// A text that is gone through once, and what is left of it.
struct Plain<'a> {
    bytes: &'a [u8],
    at: usize,
    kept: Vec<u8>,
}

impl<'a> Plain<'a> {
    fn new(text: &'a str) -> Self {
        Plain { bytes: text.as_bytes(), at: 0, kept: Vec::with_capacity(text.len()) }
    }

    fn finish(self) -> String {
        String::from_utf8(self.kept).unwrap()
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.at + ahead).copied()
    }

    fn keep(&mut self, count: usize) {
        self.kept.extend(self.bytes[self.at..].iter().take(count));
        self.at += count;
    }

    fn blank(&mut self, count: usize) {
        let gone = self.bytes[self.at..].iter().take(count);
        self.kept.extend(gone.map(|&byte| if byte == b'\n' { b'\n' } else { b' ' }));
        self.at = (self.at + count).min(self.bytes.len());
    }

    fn blank_until_line_end(&mut self) {
        while self.peek(0).is_some_and(|byte| byte != b'\n') {
            self.blank(1);
        }
    }

    fn blank_nested_comment(&mut self) {
        let mut depth = 0;
        while self.at < self.bytes.len() {
            match (self.peek(0), self.peek(1)) {
                (Some(b'/'), Some(b'*')) => depth += 1,
                (Some(b'*'), Some(b'/')) => depth -= 1,
                _ => {
                    self.blank(1);
                    continue;
                }
            }
            self.blank(2);
            if depth == 0 {
                break;
            }
        }
    }

    /// Blanks up to and with the closing quote; a backslash takes the next character with it.
    fn blank_quoted(&mut self, quote: &[u8]) {
        self.blank(quote.len());
        while self.at < self.bytes.len() {
            if self.bytes[self.at..].starts_with(quote) {
                return self.blank(quote.len());
            }
            self.blank(if self.peek(0) == Some(b'\\') { 2 } else { 1 });
        }
    }

    /// The number of `#` of the raw string that begins here, after `r`, `br` or `cr`.
    fn raw_hashes(&self) -> Option<usize> {
        let rest = &self.bytes[self.at..];
        let rest = rest.strip_prefix(b"b").or_else(|| rest.strip_prefix(b"c")).unwrap_or(rest).strip_prefix(b"r")?;
        let hashes = rest.iter().take_while(|&&byte| byte == b'#').count();
        (rest.get(hashes) == Some(&b'"')).then_some(hashes)
    }

    fn blank_raw(&mut self) {
        let hashes = self.raw_hashes().unwrap();
        while self.peek(0) != Some(b'"') {
            self.keep(1);
        }
        self.blank(1);
        let end = [&b"\""[..], &vec![b'#'; hashes]].concat();
        while self.at < self.bytes.len() && !self.bytes[self.at..].starts_with(&end) {
            self.blank(1);
        }
        self.blank(end.len());
    }

    /// True where a quote begins a character, and not a lifetime: another quote follows one character later.
    fn is_character(&self) -> bool {
        let text = std::str::from_utf8(&self.bytes[self.at + 1..]).unwrap();
        let mut characters = text.chars();
        characters.next().is_some_and(|first| first != '\'') && characters.next() == Some('\'')
    }
}

#[test]
fn comments_and_strings_of_rust_become_spaces() {
    let cases = [
        ("a // fn b\nc", "a        \nc"),
        ("a /* x /* y */\n } */ c", "a             \n      c"),
        (r#"f("fn \" {") ;"#, "f(         ) ;"),
        ("x = '{'; y: &'a str; '\\'' '\\\\' }", "x =    ; y: &'a str;           }"),
        ("r##\"a\"# }\"## + b\"{\" + var\"\"", "r##          + b    + var  "),
        ("for 'outer: loop { break 'outer; }", "for 'outer: loop { break 'outer; }"),
        ("'é' + 'λ'", "     +     "),
    ];
    for (text, expected) in cases {
        let found = rust(text);
        assert_eq!(found.trim_end(), expected.trim_end(), "{text}");
        assert_eq!(found.len(), text.len(), "{text}: bytes keep their places");
    }
}

#[test]
fn comments_and_strings_of_python_become_spaces() {
    let cases = [
        ("a # def\nb", "a      \nb"),
        ("x = \"\"\"def f():\n# \"\" a\"\"\"\nc", "x =            \n         \nc"),
        ("f('#\\'', \"'\") # '", "f(     ,    )    "),
    ];
    for (text, expected) in cases {
        assert_eq!(python(text).trim_end(), expected.trim_end(), "{text}");
    }
}
