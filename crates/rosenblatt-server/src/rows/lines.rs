//! LIBSVM and Vowpal Wabbit text, one example a line.

use super::{BadRow, Lines, text};
use crate::http::Problem;

/// The lines of Vowpal Wabbit text, as they are.
pub(super) fn vw(body: &[u8]) -> Result<Lines, Problem> {
    let lines = text(body)?.lines().map(|line| line.trim_end_matches('\r'));
    Ok(Lines::many(lines.filter(|line| !line.trim().is_empty()).map(str::to_string).collect()))
}

/// `label index:value …`: features are called by their index. To predict, the label may be absent.
pub(super) fn libsvm(body: &[u8], labelled: bool) -> Result<Lines, Problem> {
    let mut lines = Vec::new();
    for text in text(body)?.lines() {
        let text = text.split('#').next().unwrap_or("").trim();
        if !text.is_empty() {
            lines.push(libsvm_line(text, labelled).map_err(|bad| bad.at(lines.len() + 1))?);
        }
    }
    Ok(Lines::many(lines))
}

fn libsvm_line(text: &str, labelled: bool) -> Result<String, BadRow> {
    let mut tokens = text.split_ascii_whitespace().peekable();
    let mut line = String::with_capacity(text.len() + 4);
    if let Some(label) = tokens.next_if(|token| labelled || !token.contains(':')) {
        if label.contains([':', ',', '|', '\'']) {
            return Err(BadRow::field("label", format!("{label:?}: expected a label, then index:value")));
        }
        line.push_str(label);
    }
    line.push_str(" |");
    let mut before: Option<u64> = None;
    for token in tokens {
        let Some((index, value)) = token.split_once(':') else {
            return Err(BadRow::new(format!("{token:?}: expected index:value")));
        };
        if index == "qid" {
            continue;
        }
        let number: u64 = match index.parse() {
            Ok(number) if index.bytes().all(|b| b.is_ascii_digit()) => number,
            _ => return Err(BadRow::field(index, "expected a whole number before the colon")),
        };
        if before.is_some_and(|before| number <= before) {
            return Err(BadRow::field(index, "indices must increase within a row"));
        }
        if value.contains([':', '|']) {
            return Err(BadRow::field(index, format!("{value:?} is not a number")));
        }
        before = Some(number);
        line.push_str(&format!(" {number}:{value}"));
    }
    Ok(line)
}
