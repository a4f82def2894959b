//! JSON: `{"features": {"word": 1, "colour": "red", "age": 41}, "label": "spam"}`, an array of them, or arrays of numbers.
//!
//! A number is the value of its name, a text a category (`colour=red`, value 1), true and false are 1 and 0, a list of
//! texts is a set of categories, and a nested object has dotted names. Numbers without names are called x1, x2, …. The words
//! of a `text` beside the features, or in place of them, are counted, and so are those of features that are [`Texts`].

use std::fmt::Write;

use super::json_row::Written;
use super::{BadRow, Lines, Texts, check_weight, text};
use crate::http::Problem;

/// A body: one example, or several.
pub(super) fn lines(body: &[u8], texts: &Texts) -> Result<Lines, Problem> {
    let body = text(body)?;
    let bad = |error: serde_json::Error| Problem::new(400, "bad-json", error.to_string());
    match body.trim_start().as_bytes().first() {
        Some(b'{') => {
            let line = ndjson_line(body, texts).map_err(|bad| bad.at(1))?;
            Ok(Lines { lines: vec![line], single: true })
        }
        Some(b'[') => {
            let rows: Vec<&serde_json::value::RawValue> = serde_json::from_str(body).map_err(bad)?;
            let is_number = |row: &&serde_json::value::RawValue| !row.get().starts_with(['{', '[', '"', 'n', 't', 'f']);
            if !rows.is_empty() && rows.iter().all(is_number) {
                let line = ndjson_line(body, texts).map_err(|bad| bad.at(1))?;
                return Ok(Lines { lines: vec![line], single: true });
            }
            let row = |(number, row): (usize, &&serde_json::value::RawValue)| {
                ndjson_line(row.get(), texts).map_err(|bad| bad.at(number + 1))
            };
            Ok(Lines::many(rows.iter().enumerate().map(row).collect::<Result<_, _>>()?))
        }
        _ => Err(Problem::new(400, "bad-json", "expected an object or an array")),
    }
}

/// One JSON value a line.
pub(super) fn many(body: &[u8], texts: &Texts) -> Result<Lines, Problem> {
    let mut lines = Vec::new();
    for line in text(body)?.lines().map(str::trim).filter(|line| !line.is_empty()) {
        lines.push(ndjson_line(line, texts).map_err(|bad| bad.at(lines.len() + 1))?);
    }
    Ok(Lines::many(lines))
}

/// The row of one JSON value.
pub fn ndjson_line(json: &str, texts: &Texts) -> Result<String, BadRow> {
    let Written { features, words, label, weight } = Written::read(json, texts)?;
    let mut line = String::with_capacity(features.len() + words.len() + label.as_ref().map_or(0, String::len) + 8);
    match (&label, weight) {
        (None, Some(_)) => return Err(BadRow::field("weight", "a weight without a label: it belongs to learning")),
        (None, None) => {}
        (Some(label), _) => line.push_str(label),
    }
    if let Some(weight) = weight {
        check_weight(weight)?;
        let _ = write!(line, " {weight}");
    }
    if words.is_empty() || !features.is_empty() {
        line.push_str(" |");
        line.push_str(&features);
    }
    line.push_str(&words);
    Ok(line)
}
