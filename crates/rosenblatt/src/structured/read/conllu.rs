//! CoNLL-U: ten columns separated by tabs. Lines of multi-word tokens (`3-4`) and empty nodes (`8.1`) are no tokens.

use super::{Batch, Cut, Layout, Separator, SequenceFormat, Tags, Token};
use crate::error::{Error, Result};
use crate::io::{Fault, Found, show};
use crate::message::Setting;

/// The ten columns, as templates may name them. The word comes first: the number of a token is no feature.
pub(crate) const COLUMNS: [&str; 10] =
    ["id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc"];

/// For training.
pub(super) fn cut(tag: Option<&str>) -> Result<Cut> {
    let tag = tag.unwrap_or("upos");
    let by_number = || tag.parse::<usize>().ok().filter(|n| (2..=COLUMNS.len()).contains(n)).map(|n| n - 1);
    let Some(tag_at) = COLUMNS.iter().skip(1).position(|name| *name == tag).map(|at| at + 1).or_else(by_number) else {
        let why = format!("expected upos, xpos or another of {}", COLUMNS[1..].join(", "));
        return Err(Error::setting(Setting::Tag, tag, why));
    };
    let layout = Layout { format: SequenceFormat::Conllu, columns: COLUMNS.len() - 2, tag_at };
    Ok(cut_for(&layout, Tags::Needed))
}

/// For a model.
pub(super) fn cut_for(layout: &Layout, _tags: Tags) -> Cut {
    Cut { layout: layout.clone(), separator: Separator::Tab, width: COLUMNS.len(), tagged: true }
}

pub(super) fn line(cut: &Cut, batch: &mut Batch, line: usize) -> Found<()> {
    let range = batch.range(line);
    let (text, number) = (&batch.text[range.clone()], batch.number(line));
    if text.starts_with(b"#") {
        return Ok(());
    }
    let id = &text[..text.iter().position(|b| *b == b'\t').unwrap_or(text.len())];
    let digits = |part: &[u8]| !part.is_empty() && part.iter().all(u8::is_ascii_digit);
    if !digits(id) {
        let parts = id.split(|b| matches!(b, b'-' | b'.')).collect::<Vec<_>>();
        if parts.len() == 2 && parts.iter().all(|part| digits(part)) {
            return Ok(());
        }
        return Err(Fault::at(
            number,
            1,
            format!("{} is not the number of a token, as CoNLL-U wants it first", show(id)),
        ));
    }
    let (first, mut tag, mut found, mut at) = (batch.fields.len(), None, 0, range.start);
    for field in text.split(|b| *b == b'\t') {
        let place = at..at + field.len();
        at += field.len() + 1;
        if found == cut.layout.tag_at {
            // An underscore means "unspecified".
            tag = (field != b"_").then_some(place);
        } else if found > 0 {
            batch.fields.push(place);
        }
        found += 1;
    }
    if found != COLUMNS.len() {
        return Err(Fault::line(number, format!("{found} columns between tabs, where CoNLL-U has ten")));
    }
    batch.tokens.push(Token { line, fields: first..batch.fields.len(), tag });
    Ok(())
}
