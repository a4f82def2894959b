//! The header of an NPY file: a Python dictionary of `descr`, `fortran_order` and `shape`, each once and nothing else.
//!
//! NumPy evaluates the header as a Python literal and refuses other keys. A search for the keys would also accept a key
//! within a text, a second `fortran_order`, `Falsehood`, or code after the closing brace; this parser accepts none.

use crate::error::{Error, Result};
use crate::io::show;

/// The most dimensions that NumPy allows.
const MAX_DIMENSIONS: usize = 64;

/// A parsed header.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Header<'h> {
    pub(super) descr: &'h str,
    pub(super) fortran: bool,
    pub(super) shape: Vec<usize>,
}

/// The rest of a header.
struct Cursor<'h>(&'h str);

fn refuse<T>(message: impl Into<String>) -> Result<T> {
    Err(Error::bad_data(message.into()))
}

impl<'h> Header<'h> {
    /// Parses all of a header.
    pub(super) fn parse(header: &'h str) -> Result<Self> {
        let mut rest = Cursor(header);
        if !rest.takes('{') {
            return refuse("the NPY header is no dictionary");
        }
        let (mut descr, mut fortran, mut shape) = (None, None, None);
        while !rest.takes('}') {
            let key = rest.text().filter(|_| rest.takes(':'));
            let Some(key) = key else {
                return refuse("the NPY header is no dictionary of descr, fortran_order and shape");
            };
            let repeated = match key {
                "descr" => descr.replace(rest.descr()?).is_some(),
                "fortran_order" => fortran.replace(rest.truth()?).is_some(),
                "shape" => shape.replace(rest.shape()?).is_some(),
                _ => return refuse(format!("the NPY header has an unknown key {}", show(key.as_bytes()))),
            };
            if repeated {
                return refuse(format!("the NPY header has two {key} keys"));
            }
            if !rest.takes(',') && !rest.starts_with('}') {
                return refuse(format!("the NPY header has text after the value of {key}"));
            }
        }
        if !rest.trimmed().is_empty() {
            return refuse("the NPY header has text after its closing brace");
        }
        match (descr, fortran, shape) {
            (Some(descr), Some(fortran), Some(shape)) => Ok(Header { descr, fortran, shape }),
            (None, _, _) => refuse("the NPY header has no descr"),
            (_, None, _) => refuse("the NPY header has no fortran_order"),
            (_, _, None) => refuse("the NPY header has no shape"),
        }
    }
}

impl<'h> Cursor<'h> {
    fn trimmed(&mut self) -> &'h str {
        self.0 = self.0.trim_start_matches([' ', '\t', '\n', '\r', '\x0c']);
        self.0
    }

    fn starts_with(&mut self, c: char) -> bool {
        self.trimmed().starts_with(c)
    }

    /// Whether this character is next; skips it.
    fn takes(&mut self, c: char) -> bool {
        let rest = self.trimmed().strip_prefix(c);
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }

    /// A text in quotes, without escapes and line ends.
    fn text(&mut self) -> Option<&'h str> {
        let rest = self.trimmed();
        let quote = rest.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
        let (text, rest) = rest[1..].split_once(quote)?;
        self.0 = rest;
        (!text.contains(['\\', '\n', '\r'])).then_some(text)
    }

    fn descr(&mut self) -> Result<&'h str> {
        self.text().ok_or_else(|| {
            Error::bad_data("the NPY file holds records of several fields: save a plain array of one type of number")
        })
    }

    /// `True` or `False`.
    fn truth(&mut self) -> Result<bool> {
        let rest = self.trimmed();
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        let (word, rest) = rest.split_at(end);
        self.0 = rest;
        match word {
            "True" => Ok(true),
            "False" => Ok(false),
            _ => refuse(format!("the NPY header has fortran_order {}: expected True or False", show(word.as_bytes()))),
        }
    }

    /// A tuple of integers: `()`, `(2,)`, `(2, 3)`.
    fn shape(&mut self) -> Result<Vec<usize>> {
        self.sizes().map_or_else(|| refuse("the NPY header has a shape that is no tuple of integers"), Ok)
    }

    fn sizes(&mut self) -> Option<Vec<usize>> {
        let mut sizes = Vec::new();
        let mut comma = true;
        self.takes('(').then_some(())?;
        while !self.takes(')') {
            let digits = self.trimmed().len() - self.0.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            let (size, rest) = self.0.split_at(digits);
            // Python has no integers like 07, and `(7)` is no tuple.
            let plain = comma && sizes.len() < MAX_DIMENSIONS && (size == "0" || !size.starts_with('0'));
            sizes.push(size.parse().ok().filter(|_| plain)?);
            self.0 = rest;
            comma = self.takes(',');
        }
        (comma || sizes.len() > 1).then_some(sizes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(text: &str) -> std::result::Result<(&str, bool, Vec<usize>), String> {
        Header::parse(text).map(|h| (h.descr, h.fortran, h.shape)).map_err(|e| e.to_string())
    }

    #[test]
    fn headers_of_numpy_are_read() {
        let numpy = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }            \n";
        assert_eq!(header(numpy), Ok(("<f8", false, vec![2, 3])));
        assert_eq!(header("{\"shape\":(7,),'fortran_order':True ,'descr':'|S3'}"), Ok(("|S3", true, vec![7])));
        assert_eq!(header(" {'descr': 'f4', 'fortran_order': False, 'shape': ()}"), Ok(("f4", false, vec![])));
        assert_eq!(header("{'descr': 'f4', 'fortran_order': False, 'shape': (0, 10,)}").unwrap().2, [0, 10]);
    }

    /// NumPy refuses each of these. All but the last three were read: the second `fortran_order` gave transposed data.
    #[test]
    fn headers_that_numpy_refuses_are_refused() {
        let good = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }";
        for (from, to, message) in [
            ("False,", "False, 'fortran_order': True,", "two fortran_order keys"),
            ("(2, 3),", "(2, 3), 'shape': (3, 2),", "two shape keys"),
            ("False", "Falsehood", "fortran_order \"Falsehood\""),
            ("False", "False or True", "text after the value of fortran_order"),
            (", }", ", }.__class__", "text after its closing brace"),
            (", }", ", }; import os", "text after its closing brace"),
            ("{'descr'", "[{'descr'", "is no dictionary"),
            ("(2, 3)", "(2, 3)[:1]", "text after the value of shape"),
            ("(2, 3)", "(2, 3, ", "no tuple of integers"),
            ("(2, 3)", "(2 3)", "no tuple of integers"),
            ("(2, 3)", "(2,, 3)", "no tuple of integers"),
            ("(2, 3)", "(02, 3)", "no tuple of integers"),
            ("(2, 3)", "(6)", "no tuple of integers"),
            ("(2, 3)", "(,)", "no tuple of integers"),
            ("'<f8'", "'<f8' 'x'", "text after the value of descr"),
            ("'descr'", "'descr': 'f4', 'desc'", "unknown key \"desc\""),
            ("'<f8'", "'\\x3cf8'", "several fields"),
            (", }", "", "text after the value of shape"),
            ("'descr': '<f8', ", "", "no descr"),
            ("'fortran_order': False, ", "", "no fortran_order"),
            ("'shape': (2, 3), ", "", "no shape"),
        ] {
            let text = good.replacen(from, to, 1);
            let refused = header(&text).unwrap_err();
            assert!(refused.contains(message), "{text}: {refused}");
        }
        assert!(header(&good.replace("(2, 3)", &format!("({})", "1,".repeat(65)))).is_err());
        assert!(header(&good.replace("(2, 3)", "(99999999999999999999, 3)")).is_err());
    }
}
