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
    Cut { layout: layout.clone(), separator: Separator::Tab, width: COLUMNS.len(), tagged: true, skips: false }
}

/// Whether the first line of a token has one column: words that are in no columns.
pub(super) fn is_bare(head: &[u8]) -> bool {
    let mut lines = head.split(|b| *b == b'\n').filter(|line| !line.trim_ascii().is_empty() && !line.starts_with(b"#"));
    lines.next().is_some_and(|line| !line.contains(&b'\t'))
}

/// The first column of a line.
enum Id {
    /// `3`.
    Token(usize),
    /// `3-4`: the words of a multi-word token, which follow.
    Words(usize, usize),
    /// `8.1`: a node that is not in the text.
    Empty(usize),
}

fn parse_id(id: &[u8]) -> Option<Id> {
    let number = |part: &[u8]| -> Option<usize> {
        let digits = !part.is_empty() && part.iter().all(u8::is_ascii_digit);
        if digits { std::str::from_utf8(part).ok()?.parse().ok() } else { None }
    };
    let Some(at) = id.iter().position(|b| matches!(b, b'-' | b'.')) else { return number(id).map(Id::Token) };
    let (first, second) = (number(&id[..at])?, number(&id[at + 1..])?);
    Some(if id[at] == b'-' { Id::Words(first, second) } else { Id::Empty(first) })
}

pub(super) fn line(cut: &Cut, batch: &mut Batch, line: usize) -> Found<()> {
    let range = batch.range(line);
    let (text, number) = (&batch.text[range.clone()], batch.number(line));
    if text.starts_with(b"#") {
        return Ok(());
    }
    let id = &text[..text.iter().position(|b| *b == b'\t').unwrap_or(text.len())];
    // Tokens are numbered 1, 2, 3 … within a sentence.
    let due = batch.tokens.len() - batch.sentences.last().copied().unwrap_or(0) + 1;
    match parse_id(id) {
        Some(Id::Token(at)) if at == due => {}
        Some(Id::Words(first, last)) if first == due && last > first => return Ok(()),
        Some(Id::Empty(after)) if after + 1 == due => return Ok(()),
        Some(Id::Token(1)) => {
            let why = format!("token 1 after token {}: is a blank line missing between sentences?", due - 1);
            return Err(Fault::at(number, 1, why));
        }
        Some(_) => {
            let why = format!("{} where token {due} is due: CoNLL-U numbers the tokens of a sentence", show(id));
            return Err(Fault::at(number, 1, why));
        }
        None => {
            let why = format!("{} is not the number of a token, as CoNLL-U wants it first", show(id));
            return Err(Fault::at(number, 1, why));
        }
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
