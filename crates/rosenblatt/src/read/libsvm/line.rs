//! The reference parser of one LIBSVM line; it reports every fault.

use memchr::memchr;

use super::super::block::LineFacts;
use super::super::number::{NotFinite, number, short};
use crate::io::{Fault, Found, show};
use crate::rows::SparseMatrix;

/// The rules for a line.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rules {
    /// Whether a line must start with a label.
    pub(crate) label: bool,
    /// The smallest index allowed.
    pub(crate) least: u32,
    /// Indices from here on are too large.
    pub(crate) end: u64,
    /// How those are handled.
    pub(crate) beyond: Beyond,
}

/// How indices that are too large are handled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Beyond {
    /// They are an error.
    Refuse,
    /// They are counted and dropped.
    Drop,
}

/// The content of a line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Parsed<'l> {
    /// Blank, or only a comment.
    Nothing,
    /// An example, with its label if it has one.
    Row(Option<&'l [u8]>),
}

/// Parses one line and appends its row, with the file's indices.
pub(crate) fn parse_line<'l>(
    line: &'l [u8],
    at_line: u64,
    rules: &Rules,
    rows: &mut SparseMatrix,
    facts: &mut LineFacts,
) -> Found<Parsed<'l>> {
    let text = &line[..memchr(b'#', line).unwrap_or(line.len())];
    let mut at = skip_blank(text, 0);
    if at == text.len() {
        return Ok(Parsed::Nothing);
    }
    let first = token(text, at);
    let label = if memchr(b':', first).is_none() {
        if rules.label {
            check_label(first, at_line, at)?;
        }
        at += first.len();
        Some(first)
    } else if rules.label {
        let message = format!("the line starts with {}, not with a label: expected label index:value …", show(first));
        return Err(Fault::at(at_line, at as u64 + 1, message));
    } else {
        None
    };
    let mut before: Option<u32> = None;
    loop {
        at = skip_blank(text, at);
        if at == text.len() {
            break;
        }
        let start = at;
        let Some((index, colon)) = index(text, at) else {
            let token = token(text, at);
            if token.starts_with(b"qid:") {
                facts.qids += 1;
                at += token.len();
                continue;
            }
            return Err(bad_index(token, at_line, start));
        };
        at = colon + 1;
        let value = match short(&text[at..]) {
            Some((value, used)) if text.get(at + used).is_none_or(|&b| is_blank(b)) => {
                at += used;
                value
            }
            _ => {
                let token = token(text, at);
                let value = number(token).map_err(|why| bad_value(token, why, index, at_line, at))?;
                at += token.len();
                value
            }
        };
        if before.is_some_and(|b| index <= b) || index < rules.least {
            return Err(bad_order(index, before, at_line, start));
        }
        before = Some(index);
        if u64::from(index) >= rules.end {
            if rules.beyond == Beyond::Refuse {
                let message = format!(
                    "feature index {index} is larger than {}, the most that can be learned: hash the features",
                    rules.end - 1
                );
                return Err(Fault::at(at_line, start as u64 + 1, message));
            }
            facts.dropped += 1;
            facts.first_dropped.get_or_insert((index, at_line));
            continue;
        }
        facts.zero |= index == 0;
        facts.end = facts.end.max(index + 1);
        if value != 0.0 {
            rows.indices.push(index);
            rows.values.push(value);
        }
    }
    rows.end_row();
    Ok(Parsed::Row(label))
}

/// The entries of a line that was parsed before, with the text of each value; `None` if it holds no row. Indices count
/// from `first`.
pub(in crate::read) fn written(line: &[u8], first: u32) -> Option<Vec<(usize, &[u8])>> {
    let text = &line[..memchr(b'#', line).unwrap_or(line.len())];
    let mut at = skip_blank(text, 0);
    if at == text.len() {
        return None;
    }
    at += token(text, at).len();
    let mut entries = Vec::new();
    loop {
        at = skip_blank(text, at);
        if at == text.len() {
            return Some(entries);
        }
        let token = token(text, at);
        if let Some((index, colon)) = index(text, at)
            && let Some(feature) = index.checked_sub(first)
        {
            entries.push((feature as usize, &token[colon + 1 - at..]));
        }
        at += token.len();
    }
}

#[inline]
fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | 0x0b | 0x0c)
}

#[inline]
fn skip_blank(text: &[u8], mut at: usize) -> usize {
    while at < text.len() && is_blank(text[at]) {
        at += 1;
    }
    at
}

/// The token that starts here.
fn token(text: &[u8], at: usize) -> &[u8] {
    let rest = &text[at..];
    &rest[..rest.iter().position(|&b| is_blank(b)).unwrap_or(rest.len())]
}

/// The index that starts here and the position of its colon; `None` for anything else, including one that is too large.
#[inline]
fn index(text: &[u8], start: usize) -> Option<(u32, usize)> {
    let mut value = 0u64;
    let mut at = start;
    while let Some(digit) = text.get(at).map(|b| b.wrapping_sub(b'0')).filter(|d| *d <= 9) {
        value = (value * 10 + u64::from(digit)).min(1 << 40);
        at += 1;
    }
    if at == start || text.get(at) != Some(&b':') || value >= u64::from(u32::MAX) {
        return None;
    }
    Some((value as u32, at))
}

fn check_label(label: &[u8], line: u64, at: usize) -> Found<()> {
    match number(label) {
        Err(NotFinite::Nan | NotFinite::Infinite | NotFinite::Overflow) => {
            let message = format!("label {}: a label must be a finite number or a name", show(label));
            Err(Fault::at(line, at as u64 + 1, message))
        }
        Err(NotFinite::Text) if std::str::from_utf8(label).is_err() => {
            let message = format!("label {} is not UTF-8 text: save the file as UTF-8", show(label));
            Err(Fault::at(line, at as u64 + 1, message))
        }
        _ => Ok(()),
    }
}

#[cold]
fn bad_index(token: &[u8], line: u64, at: usize) -> Fault {
    let message = match memchr(b':', token) {
        None => format!("{} is not index:value", show(token)),
        Some(0) => format!("no feature index before {}: expected index:value", show(token)),
        Some(colon) => {
            let index = &token[..colon];
            if index.iter().all(u8::is_ascii_digit) {
                let index = String::from_utf8_lossy(index);
                format!("feature index {index} overflows: the largest is {}", u32::MAX - 1)
            } else {
                format!("feature index {} is not a whole number from 0", show(index))
            }
        }
    };
    Fault::at(line, at as u64 + 1, message)
}

#[cold]
fn bad_value(token: &[u8], why: NotFinite, index: u32, line: u64, at: usize) -> Fault {
    let message = if token.is_empty() {
        format!("no value after {index}: (expected index:value)")
    } else {
        format!("value {} of feature {index} {}", show(token), why.why())
    };
    Fault::at(line, at as u64 + 1, message)
}

#[cold]
fn bad_order(index: u32, before: Option<u32>, line: u64, at: usize) -> Fault {
    let message = match before {
        Some(before) if index == before => format!("feature index {index} occurs twice in this row"),
        Some(before) if index < before => {
            format!("feature index {index} after {before}: indices must increase within a row")
        }
        _ => format!("feature index {index}, but the model counts features from 1"),
    };
    Fault::at(line, at as u64 + 1, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::MAX_FEATURES;

    const TRAIN: Rules = Rules { label: true, least: 0, end: MAX_FEATURES as u64 + 1, beyond: Beyond::Refuse };

    type Outcome = Result<(Option<String>, Vec<(u32, f64)>, LineFacts), String>;

    fn parse(line: &str, rules: &Rules) -> Outcome {
        let (mut rows, mut facts) = (SparseMatrix::default(), LineFacts::default());
        match parse_line(line.as_bytes(), 1, rules, &mut rows, &mut facts) {
            Ok(Parsed::Nothing) => Err("nothing".to_string()),
            Ok(Parsed::Row(label)) => {
                let entries = rows.indices.iter().copied().zip(rows.values).collect();
                Ok((label.map(|l| String::from_utf8(l.to_vec()).unwrap()), entries, facts))
            }
            Err(fault) => Err(format!("{}: {}", fault.column, fault.message)),
        }
    }

    #[test]
    fn rows_with_all_that_is_allowed() {
        let (label, entries, facts) = parse("  +1\t3:1  qid:7 007:-.5 9:0 12:1e2 # 4:4", &TRAIN).unwrap();
        assert_eq!(label.as_deref(), Some("+1"));
        assert_eq!(entries, [(3, 1.0), (7, -0.5), (12, 100.0)]);
        assert_eq!(facts, LineFacts { zero: false, end: 13, qids: 1, ..LineFacts::default() });
        assert_eq!(parse("spam", &TRAIN).unwrap().1, []);
        assert_eq!(parse("1 0:0", &TRAIN).unwrap().2, LineFacts { zero: true, end: 1, ..LineFacts::default() });
        assert_eq!(parse("  # only this", &TRAIN).unwrap_err(), "nothing");
        assert_eq!(parse(" \t", &TRAIN).unwrap_err(), "nothing");
    }

    #[test]
    fn each_fault_has_its_column_and_its_sentence() {
        let cases = [
            ("1 9:1 7:1", "7: feature index 7 after 9: indices must increase within a row"),
            ("1 9:1 9:2", "7: feature index 9 occurs twice in this row"),
            ("1:1 2:1", "1: the line starts with \"1:1\", not with a label: expected label index:value …"),
            ("1 2", "3: \"2\" is not index:value"),
            ("1 -3:1", "3: feature index \"-3\" is not a whole number from 0"),
            ("1 a:1", "3: feature index \"a\" is not a whole number from 0"),
            ("1 :1", "3: no feature index before \":1\": expected index:value"),
            ("1 3:", "5: no value after 3: (expected index:value)"),
            ("1 3: 4:1", "5: no value after 3: (expected index:value)"),
            ("1 3:x", "5: value \"x\" of feature 3 is not a number"),
            ("1 3:1:2", "5: value \"1:2\" of feature 3 is not a number"),
            (
                "1 3:nan",
                "5: value \"nan\" of feature 3 is not a number that can be learned from: values must be finite",
            ),
            ("1 3:-inf", "5: value \"-inf\" of feature 3 is infinite: values must be finite"),
            ("1 3:1e999", "5: value \"1e999\" of feature 3 is too large for a 64-bit number: values must be finite"),
            ("nan 3:1", "1: label \"nan\": a label must be a finite number or a name"),
            ("1 4294967295:1", "3: feature index 4294967295 overflows: the largest is 4294967294"),
            (
                "1 99999999999999999999999:1",
                "3: feature index 99999999999999999999999 overflows: the largest is 4294967294",
            ),
            (
                "1 4000000000:1",
                "3: feature index 4000000000 is larger than 268435456, the most that can be learned: hash the features",
            ),
        ];
        for (line, message) in cases {
            assert_eq!(parse(line, &TRAIN).unwrap_err(), message, "{line}");
        }
    }

    #[test]
    fn with_a_model_the_rest_is_left_out() {
        let rules = Rules { label: false, least: 1, end: 4, beyond: Beyond::Drop };
        let (label, entries, facts) = parse("1:1 3:2 4:1 90:1", &rules).unwrap();
        assert_eq!((label, entries), (None, vec![(1, 1.0), (3, 2.0)]));
        assert_eq!((facts.dropped, facts.first_dropped), (2, Some((4, 1))));
        assert_eq!(parse("x 0:1", &rules).unwrap_err(), "3: feature index 0, but the model counts features from 1");
        assert_eq!(parse("nan 2:1", &rules).unwrap().0.as_deref(), Some("nan"));
    }
}
