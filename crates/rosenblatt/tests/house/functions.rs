//! How long functions are.
//!
//! Rust: from the line of `fn` to the line of the brace that closes its body. Python: from the line of `def` to the last
//! line that is indented more deeply. Comments and empty lines inside count, attributes and documentation above do not;
//! a function inside another counts for both.

use crate::plain::{self, is_word};

/// A function of a file.
#[derive(Debug, PartialEq, Eq)]
pub struct Function {
    pub name: String,
    /// The line that it begins in, from 1.
    pub line: usize,
    pub lines: usize,
}

/// The functions of a Rust file that have a body.
pub fn rust(text: &str) -> Vec<Function> {
    let code = plain::rust(text);
    let bytes = code.as_bytes();
    let line_ends: Vec<usize> = code.match_indices('\n').map(|(at, _)| at).collect();
    let line_of = |at: usize| line_ends.partition_point(|&end| end < at) + 1;
    let mut found = Vec::new();
    for (at, _) in code.match_indices("fn") {
        let is_keyword = (at == 0 || !is_word(bytes[at - 1])) && bytes.get(at + 2).is_some_and(u8::is_ascii_whitespace);
        let rest = code[at + 2..].trim_start();
        let name: String = rest.chars().take_while(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | '#')).collect();
        // Without a name it is the type of a function.
        if !is_keyword || name.is_empty() {
            continue;
        }
        if let Some(end) = body_of(bytes, at).map(|open| closing(bytes, open)) {
            let line = line_of(at);
            found.push(Function { name, line, lines: line_of(end) - line + 1 });
        }
    }
    found
}

/// Where the body opens, if a body follows rather than a semicolon.
fn body_of(code: &[u8], from: usize) -> Option<usize> {
    let mut depth = 0;
    for (at, byte) in (from..).zip(&code[from..]) {
        match byte {
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth -= 1,
            b'{' if depth == 0 => return Some(at),
            b';' if depth == 0 => return None,
            _ => {}
        }
        // The end of a macro's argument: a signature that is only quoted.
        if depth < 0 {
            return None;
        }
    }
    None
}

/// Where the brace that opens at `open` closes.
fn closing(code: &[u8], open: usize) -> usize {
    let mut depth = 0;
    for (at, byte) in (open..).zip(&code[open..]) {
        match byte {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at;
        }
    }
    panic!("a brace that does not close: {}", String::from_utf8_lossy(&code[open..code.len().min(open + 200)]));
}

/// The functions of a Python file.
pub fn python(text: &str) -> Vec<Function> {
    let mut found: Vec<Function> = Vec::new();
    // The functions that are open, by their places in `found`, with their indentation.
    let mut open: Vec<(usize, usize)> = Vec::new();
    let code = plain::python(text);
    let mut depth = 0;
    for ((number, line), original) in (1..).zip(code.lines()).zip(text.lines()) {
        let indent = line.len() - line.trim_start().len();
        let is_continued = depth > 0;
        depth += line.matches(['(', '[', '{']).count();
        depth -= line.matches([')', ']', '}']).count();
        // A line of a string or of brackets that opened before belongs to the function whatever its indentation.
        if original.trim().is_empty() {
            continue;
        }
        if !is_continued && !line.trim().is_empty() {
            open.retain(|&(_, of)| of < indent);
            let rest = line.trim_start();
            if let Some(rest) = rest.strip_prefix("async ").unwrap_or(rest).strip_prefix("def ") {
                let name = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                open.push((found.len(), indent));
                found.push(Function { name, line: number, lines: 1 });
            }
        }
        let is_code = is_continued || !line.trim().is_empty() || !original.trim_start().starts_with('#');
        for &(place, _) in open.iter().filter(|_| is_code) {
            found[place].lines = number - found[place].line + 1;
        }
    }
    found
}

#[cfg(test)]
fn lengths(found: &[Function]) -> Vec<(&str, usize, usize)> {
    found.iter().map(|function| (function.name.as_str(), function.line, function.lines)).collect()
}

#[test]
fn functions_of_rust_are_measured() {
    let text = r##"
/// fn not_this() {
pub(crate) fn one() -> char { '{' }
trait T {
    fn declared(&self, x: [u8; 3]) -> Vec<u8>;
    fn given(&self) -> &'static str {
        // }
        "}}"
    }
}
fn long<F: Fn(usize) -> [u8; 2]>(
    f: F,
    g: fn(u8) -> u8,
) where
    F: Copy,
{
    fn inner() {
        let _ = r#"fn no() { " "#;
    }
    match '}' { _ => {} }

}
macro_rules! m { ($name:ident) => { fn $name() {
} } }
let fnord = 1;
"##;
    let expected = [("one", 3, 1), ("given", 6, 4), ("long", 11, 12), ("inner", 17, 3), ("$name", 23, 2)];
    assert_eq!(lengths(&rust(text)), expected);
}

#[test]
fn functions_of_python_are_measured() {
    let text = r#"
def one(): return 1

class A:
    def method(
        self,
    ) -> int:
        """def no():
of a text
"""
        async def inner(x):
            return [
    x
            ]
        # a comment

        return 1
    # after it

    value = "def"

def last():
    return """
text
"""
"#;
    let expected = [("one", 2, 1), ("method", 5, 13), ("inner", 11, 4), ("last", 22, 4)];
    assert_eq!(lengths(&python(text)), expected);
}
