//! Columns separated by spaces or tabs. The tag is the last, or the one that was named.

use super::{BETWEEN_DOCUMENTS, Batch, Cut, Layout, Separator, SequenceFormat, Tags, Token, or_bare};
use crate::error::{Error, Result};
use crate::io::{Fault, Found, count, show};
use crate::message::{Message, Setting};

/// Lines inspected to detect the separator.
const LOOK: usize = 200;

/// The token lines at the beginning of the file.
fn tokens(head: &[u8]) -> impl Iterator<Item = &[u8]> {
    let lines = head.split(|b| *b == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    lines.filter(|line| !line.trim_ascii().is_empty() && !line.starts_with(BETWEEN_DOCUMENTS)).take(LOOK)
}

/// Tabs between fields.
fn tabs(line: &[u8]) -> usize {
    line.trim_ascii().iter().filter(|b| **b == b'\t').count()
}

/// Tabs, if each line has the same number; else any blanks. The last line of `head` may be incomplete.
pub(super) fn separator(head: &[u8]) -> Separator {
    let mut counts: Vec<usize> = tokens(head).map(tabs).collect();
    if counts.len() > 1 {
        counts.pop();
    }
    let steady = counts.first().is_some_and(|first| *first > 0 && counts.iter().all(|c| c == first));
    if steady { Separator::Tab } else { Separator::Blanks }
}

/// The fields of a line, each with its place in it.
pub(super) fn fields(line: &[u8], separator: Separator) -> impl Iterator<Item = (usize, &[u8])> {
    // A line without a tab in a file of tabs was edited by hand: accept blanks.
    let tab = separator == Separator::Tab && line.contains(&b'\t');
    let line = if tab { line.trim_ascii_end() } else { line };
    let mut at = 0;
    line.split(move |b| if tab { *b == b'\t' } else { matches!(b, b' ' | b'\t') }).filter_map(move |field| {
        let start = at;
        at += field.len() + 1;
        if tab {
            let trimmed = field.trim_ascii();
            return Some((start + (field.len() - field.trim_ascii_start().len()).min(field.len()), trimmed));
        }
        (!field.is_empty()).then_some((start, field))
    })
}

/// The columns of the first token; if tokens may lack a tag, the most of a token.
fn width(head: &[u8], separator: Separator, skips: bool) -> Result<usize> {
    let looked_at = if skips { LOOK } else { 1 };
    match tokens(head).take(looked_at).map(|line| fields(line, separator).count()).max() {
        Some(width) => Ok(width),
        None => Err(Error::bad_data("no sentences: the file is empty")),
    }
}

/// For training: every line is as wide as the first, and one column is the tag.
pub(super) fn cut(head: &[u8], tag: Option<&str>, skips: bool) -> Result<Cut> {
    let separator = separator(head);
    let width = width(head, separator, skips)?;
    if width < 2 {
        return Err(Error::bad_data(
            "only one column: expected a word and its tag on each line, a blank line between sentences",
        ));
    }
    let tag_at = match tag.map(str::parse::<usize>) {
        None => width - 1,
        Some(Ok(number)) if (1..=width).contains(&number) => number - 1,
        Some(_) => {
            let why = format!("the file has columns 1 to {width}");
            return Err(Error::setting(Setting::Tag, tag.unwrap_or(""), why));
        }
    };
    let layout = Layout { format: SequenceFormat::Conll, columns: width - 1, tag_at };
    Ok(Cut { layout, separator, width, tagged: true, skips })
}

/// For a model: with or without the tag; columns that the model does not use may be missing, too.
pub(super) fn cut_for(head: &[u8], layout: &Layout, needed: usize, tags: Tags) -> Result<Cut> {
    let separator = separator(head);
    let width = match width(head, separator, tags == Tags::Skipped) {
        Err(_) if tags == Tags::Optional => layout.columns,
        width => width?,
    };
    let tagged = width == layout.columns + 1;
    let enough = width == layout.columns || (width >= needed && needed <= layout.tag_at && width < layout.columns);
    let columns = count(layout.columns as u64, "column");
    if enough && tags != Tags::Optional {
        let columns = count(width as u64, "column");
        return Err(Error::bad_data(format!("{columns} and no tags to compare with")));
    }
    if !tagged && !enough {
        let found = count(width as u64, "column");
        let why =
            Message::new(format!("the first token has {found}, but the model was trained on {columns} and a tag"));
        return Err(Error::bad_data(if tags == Tags::Optional { or_bare(why) } else { why }));
    }
    Ok(Cut { layout: layout.clone(), separator, width, tagged, skips: tags == Tags::Skipped })
}

pub(super) fn line(cut: &Cut, batch: &mut Batch, line: usize) -> Found<()> {
    let range = batch.range(line);
    let (number, first, mut tag) = (batch.number(line), batch.fields.len(), None);
    let mut found = 0;
    for (at, field) in fields(&batch.text[range.clone()], cut.separator) {
        if field.is_empty() && !(cut.skips && cut.tagged && found == cut.layout.tag_at) {
            return Err(Fault::at(number, at as u64 + 1, format!("column {} is empty", found + 1)));
        }
        let place = range.start + at..range.start + at + field.len();
        if cut.tagged && found == cut.layout.tag_at {
            tag = Some(place);
        } else {
            batch.fields.push(place);
        }
        found += 1;
    }
    // Without its tag a token has one column less. Which one it is does not matter: it is passed over.
    if cut.skips && cut.tagged && found + 1 == cut.width {
        tag = None;
        found += 1;
    }
    if found != cut.width {
        let text = show(&batch.text[range]);
        let (found, width) = (count(found as u64, "column"), cut.width);
        return Err(Fault::line(number, format!("{found} in {text}, where the lines before have {width}")));
    }
    batch.tokens.push(Token { line, fields: first..batch.fields.len(), tag });
    Ok(())
}
