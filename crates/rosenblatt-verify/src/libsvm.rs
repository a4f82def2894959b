//! LIBSVM text: `label index:value …`, one example a line, indices rising; `#` starts a comment, `qid:…` is skipped.

use crate::decimal::decimal;
use crate::refusal::{Checked, Refusal, show};
use crate::rows::Entry;

/// Iterates over the lines that hold an example.
#[derive(Debug)]
pub(crate) struct Libsvm<'a> {
    rest: &'a [u8],
    /// The current line, from 1.
    pub(crate) line: u64,
    /// Its label.
    pub(crate) label: &'a [u8],
    /// The text after the label.
    entries: &'a [u8],
    /// The least index so far, and the largest.
    least: Option<u64>,
    most: Option<u64>,
}

impl<'a> Libsvm<'a> {
    pub(crate) fn new(data: &'a [u8]) -> Self {
        let rest = data.strip_prefix(b"\xef\xbb\xbf").unwrap_or(data);
        Libsvm { rest, line: 0, label: b"", entries: b"", least: None, most: None }
    }

    /// Moves to the next example; `false` at the end.
    pub(crate) fn next(&mut self) -> Checked<bool> {
        while !self.rest.is_empty() {
            let end = self.rest.iter().position(|&b| b == b'\n').unwrap_or(self.rest.len());
            let line = &self.rest[..end];
            self.rest = &self.rest[(end + 1).min(self.rest.len())..];
            self.line += 1;
            let text = line.split(|&b| b == b'#').next().unwrap_or_default();
            let (label, entries) = token(text);
            if label.is_empty() {
                continue;
            }
            if label.contains(&b':') {
                return Err(Refusal::data(format!("line {} starts with {}, not a label", self.line, show(label))));
            }
            (self.label, self.entries) = (label, entries);
            return Ok(true);
        }
        Ok(false)
    }

    /// The nonzero features of the current example, counted from 0.
    pub(crate) fn entries(&mut self, first: u64, features: usize, out: &mut Vec<Entry>) -> Checked<()> {
        let line = self.line;
        let fault = |message: String| Refusal::data(format!("line {line}: {message}"));
        let mut least = first;
        let mut rest = self.entries;
        loop {
            let (text, after) = token(rest);
            if text.is_empty() {
                return Ok(());
            }
            rest = after;
            if text.starts_with(b"qid:") {
                continue;
            }
            let colon = text.iter().position(|&b| b == b':').unwrap_or(0);
            let (index, value) = (&text[..colon], &text[(colon + 1).min(text.len())..]);
            let Some(index) = number(index) else {
                return Err(fault(format!("{} is not index:value", show(text))));
            };
            if index < least {
                return Err(fault(format!("feature index {index}: indices start at {first} and must increase")));
            }
            if index - first >= features as u64 {
                return Err(fault(format!("feature index {index}, but the certificate has {features} features")));
            }
            least = index + 1;
            self.least = Some(self.least.map_or(index, |l| l.min(index)));
            self.most = self.most.max(Some(index));
            let value = decimal(value).map_err(|why| fault(format!("{} of feature {index} {why}", show(value))))?;
            if !value.digits.is_zero() {
                out.push(Entry { feature: (index - first) as usize, value });
            }
        }
    }

    /// After the last example: the certificate counts from 0 exactly if the data do, and has as many features.
    pub(crate) fn indices_fit(&self, first: u64, features: usize) -> Checked<()> {
        if first == 0 && self.least != Some(0) {
            return Err(Refusal::data("reading.first is 0, but no feature has the index 0"));
        }
        let found = self.most.map_or(0, |most| most + 1 - first);
        if found != features as u64 {
            return Err(Refusal::data(format!("reading.features is {features}, but there are {found}")));
        }
        Ok(())
    }
}

/// The first word of a text, and what follows it.
fn token(text: &[u8]) -> (&[u8], &[u8]) {
    let blank = |b: &u8| matches!(b, b' ' | b'\t' | b'\r' | 0x0b | 0x0c);
    let start = text.iter().position(|b| !blank(b)).unwrap_or(text.len());
    let text = &text[start..];
    text.split_at(text.iter().position(blank).unwrap_or(text.len()))
}

/// A whole number from 0; one beyond 10¹⁵ counts as that.
fn number(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    Some(digits.iter().fold(0, |n, d| (10 * n + u64::from(d - b'0')).min(1_000_000_000_000_000)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    type Rows = Vec<(u64, String, Vec<(usize, i64, i32)>)>;

    fn rows(text: &str, first: u64, features: usize) -> Result<Rows, String> {
        let mut lines = Libsvm::new(text.as_bytes());
        let mut out = Vec::new();
        while lines.next().map_err(|e| e.to_string())? {
            let mut entries = Vec::new();
            lines.entries(first, features, &mut entries).map_err(|e| e.to_string())?;
            let plain = |e: &Entry| match e.value.digits {
                crate::scaled::Digits::Word(word) => (e.feature, word, e.value.power),
                crate::scaled::Digits::Long(_) => panic!(),
            };
            let label = String::from_utf8_lossy(lines.label).into_owned();
            out.push((lines.line, label, entries.iter().map(plain).collect()));
        }
        Ok(out)
    }

    #[test]
    fn rows_with_all_that_is_allowed() {
        let got =
            rows("\u{feff}# head\n\n +1\t3:1  qid:7 007:-.5 9:0 12:1e2 # 4:4\r\nspam\n \r\n-1 1:2", 1, 12).unwrap();
        let first = (3, "+1".to_string(), vec![(2, 1, 0), (6, -5, -1), (11, 1, 2)]);
        assert_eq!(got, [first, (4, "spam".to_string(), vec![]), (6, "-1".to_string(), vec![(0, 2, 0)])]);
        assert_eq!(rows("x 0:5", 0, 1).unwrap()[0].2, [(0, 5, 0)]);
    }

    #[test]
    fn faults_name_their_line() {
        for (line, message) in [
            ("1 9:1 7:1", "feature index 7: indices start at 1 and must increase"),
            ("1 9:1 9:2", "feature index 9: indices start at 1 and must increase"),
            ("1 0:1", "feature index 0: indices start at 1 and must increase"),
            ("1 21:1", "feature index 21, but the certificate has 20 features"),
            ("1 99999999999999999999999:1", "feature index 1000000000000000, but the certificate has 20 features"),
            ("1 2", "\"2\" is not index:value"),
            ("1 :2", "\":2\" is not index:value"),
            ("1 -3:1", "\"-3:1\" is not index:value"),
            ("1 3:", "\"\" of feature 3 is not a decimal number"),
            ("1 3:1:2", "\"1:2\" of feature 3 is not a decimal number"),
            ("1 3:nan", "\"nan\" of feature 3 is not a decimal number"),
        ] {
            let got = rows(&format!("1\n{line}"), 1, 20).unwrap_err();
            assert!(got.ends_with(&format!("line 2: {message}")), "{got}");
        }
        assert!(rows("1:1 2:1", 1, 20).unwrap_err().ends_with("line 1 starts with \"1:1\", not a label"));
    }

    proptest! {
        #[test]
        fn arbitrary_text_never_panics(text in "[1a:#qid.\r\n \t-]{0,32}") {
            let _ = rows(&text, 1, 20);
        }
    }
}
