//! CRFsuite's files: the tag, then attributes separated by tabs, each `name` or `name:value`; `\:` and `\\` are escapes.

use super::{Batch, Cut, Layout, Separator, SequenceFormat, Token};
use crate::error::{Error, Result};
use crate::io::{Fault, Found, show};
use crate::message::Setting;

/// For training.
pub(super) fn cut(tag: Option<&str>) -> Result<Cut> {
    match tag {
        None | Some("1") => Ok(cut_for(&Layout { format: SequenceFormat::Crfsuite, columns: 0, tag_at: 0 })),
        Some(other) => Err(Error::setting(Setting::Tag, other, "in crfsuite's files the tag comes first")),
    }
}

/// For a model.
pub(super) fn cut_for(layout: &Layout) -> Cut {
    Cut { layout: layout.clone(), separator: Separator::Tab, width: 0, tagged: true, skips: false }
}

pub(super) fn line(batch: &mut Batch, line: usize) -> Found<()> {
    let (range, number) = (batch.range(line), batch.number(line));
    let first = batch.fields.len();
    let (mut at, mut tag) = (range.start, None);
    while at <= range.end {
        let rest = &batch.text[at..range.end];
        let end = at + rest.iter().position(|b| *b == b'\t').unwrap_or(rest.len());
        if tag.is_none() {
            if at == end {
                return Err(Fault::at(number, 1, "no tag: expected the tag first, then attributes between tabs"));
            }
            tag = Some(at..end);
        } else if at < end {
            attribute(batch, at..end, number, range.start)?;
        }
        at = end + 1;
    }
    batch.tokens.push(Token { line, fields: first..batch.fields.len(), tag });
    Ok(())
}

/// Adds one attribute. A name with escapes is appended to the text, unescaped.
fn attribute(batch: &mut Batch, place: std::ops::Range<usize>, number: u64, start: usize) -> Found<()> {
    let text = &batch.text[place.clone()];
    let (mut name, mut value, mut escaped) = (Vec::new(), 1.0, false);
    let mut end = text.len();
    let mut i = 0;
    while i < text.len() {
        match text[i] {
            b'\\' if matches!(text.get(i + 1), Some(b':' | b'\\')) => {
                escaped = true;
                name.push(text[i + 1]);
                i += 1;
            }
            b':' => {
                end = i;
                let digits = &text[i + 1..];
                let number_of = std::str::from_utf8(digits).ok().and_then(|t| t.parse::<f64>().ok());
                let Some(parsed) = number_of.filter(|v| v.is_finite()) else {
                    let column = (place.start - start + i) as u64 + 2;
                    let message =
                        format!("{} is not a number: expected name:value (write \\: for a colon)", show(digits));
                    return Err(Fault::at(number, column, message));
                };
                value = parsed;
                break;
            }
            other => name.push(other),
        }
        i += 1;
    }
    let field = if escaped {
        let from = batch.text.len();
        batch.text.extend_from_slice(&name);
        from..batch.text.len()
    } else {
        place.start..place.start + end
    };
    if value != 1.0 && batch.values.is_empty() {
        batch.values.resize(batch.fields.len(), 1.0);
    }
    batch.fields.push(field);
    // Values are stored once one differs from 1.
    if value != 1.0 || !batch.values.is_empty() {
        batch.values.resize(batch.fields.len() - 1, 1.0);
        batch.values.push(value);
    }
    Ok(())
}
