//! Sentences from text: one token per line, a blank line between sentences.
//!
//! Lines are collected into [`Batch`]es of whole sentences, and a [`Cut`] splits each into tokens and fields. A batch can be
//! cut on any thread, and keeps its lines, which a tagger repeats in its output.

mod conll;
mod conllu;
mod crfsuite;
mod guess;
mod memory;
mod plain;

pub use guess::{by_content, by_name};
pub use plain::Plain;

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::io::{Fault, Found, Input, Lines, count};
use crate::limits;
use crate::message::{Message, Setting};
use crate::named::named;

/// The formats that hold sentences.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SequenceFormat {
    /// Columns separated by spaces or tabs, the tag last.
    Conll,
    /// The ten columns of Universal Dependencies.
    Conllu,
    /// The tag first, then attributes separated by tabs.
    Crfsuite,
}

named!(SequenceFormat: Conll = "conll", Conllu = "conllu", Crfsuite = "crfsuite");

/// The layout of a model's sentences.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Layout {
    /// The format.
    pub format: SequenceFormat,
    /// Columns beside the tag; 0 where there are attributes.
    pub columns: usize,
    /// The place of the tag's column, from 0.
    pub tag_at: usize,
}

/// Whether tags are required.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tags {
    /// Every token must have one.
    Needed,
    /// They may be there or not.
    Optional,
    /// Tokens without one are passed over, and counted.
    Skipped,
}

/// The separator of columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Separator {
    /// One tab; a field may hold spaces.
    Tab,
    /// Any number of spaces and tabs.
    Blanks,
}

/// What was found, and how words are tagged that are in no columns.
fn or_bare(found: Message) -> Message {
    let text = found.text("; pass ").set(Setting::Format, "text");
    text.text(" for sentences as they are written, or ").set(Setting::Format, "tokens").text(" for a word on each line")
}

/// How lines are split into tokens.
#[derive(Debug, Clone)]
pub struct Cut {
    /// The layout of the file.
    pub layout: Layout,
    separator: Separator,
    /// Fields of each line.
    width: usize,
    /// Whether the tag is among them.
    tagged: bool,
    /// Whether tokens without a tag are passed over.
    skips: bool,
}

/// A token: its line, its fields without the tag, and its tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// The number of its line in the batch, from 0.
    pub line: usize,
    fields: Range<usize>,
    tag: Option<Range<usize>>,
}

/// Lines of whole sentences.
#[derive(Debug, Default)]
pub struct Batch {
    text: Vec<u8>,
    ends: Vec<usize>,
    first: u64,
    fields: Vec<Range<usize>>,
    values: Vec<f64>,
    tokens: Vec<Token>,
    sentences: Vec<usize>,
    passed_over: PassedOver,
}

/// Tokens that were passed over because they have no tag.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PassedOver {
    /// How many.
    pub tokens: u64,
    /// The line of the first, if there is one.
    pub first: Option<u64>,
}

impl PassedOver {
    /// Adds those of a later batch.
    pub(crate) fn add(&mut self, other: PassedOver) {
        self.tokens += other.tokens;
        self.first = self.first.or(other.first);
    }

    /// A sentence about them, if there are any.
    pub fn note(self) -> Option<String> {
        let tokens = count(self.tokens, "token");
        let were = if self.tokens == 1 { "was" } else { "were" };
        let at = if self.tokens == 1 { "in" } else { "the first in" };
        self.first.map(|line| format!("{tokens} without a tag {were} passed over, {at} line {line}"))
    }
}

impl Batch {
    fn clear(&mut self, first: u64) {
        self.text.clear();
        self.ends.clear();
        self.first = first;
    }

    fn push(&mut self, line: &[u8]) {
        self.text.extend_from_slice(line);
        self.ends.push(self.text.len());
    }

    fn range(&self, line: usize) -> Range<usize> {
        let start = if line == 0 { 0 } else { self.ends[line - 1] };
        start..self.ends[line]
    }

    /// How many lines.
    pub fn lines(&self) -> usize {
        self.ends.len()
    }

    /// A line, without its end.
    pub fn line(&self, line: usize) -> &[u8] {
        &self.text[self.range(line)]
    }

    /// The number of a line in its file.
    pub fn number(&self, line: usize) -> u64 {
        self.first + line as u64
    }

    /// How many sentences, after cutting.
    pub fn sentences(&self) -> usize {
        self.sentences.len()
    }

    /// The tokens of a sentence.
    pub fn sentence(&self, number: usize) -> &[Token] {
        let start = if number == 0 { 0 } else { self.sentences[number - 1] };
        &self.tokens[start..self.sentences[number]]
    }

    /// All tokens.
    pub fn tokens(&self) -> &[Token] {
        &self.tokens
    }

    /// A field of a token; empty if it has fewer.
    pub fn field(&self, token: &Token, column: usize) -> &[u8] {
        let fields = &self.fields[token.fields.clone()];
        fields.get(column).map_or(&[], |range| &self.text[range.clone()])
    }

    /// The attributes of a token, with their values.
    pub fn attributes(&self, token: &Token) -> impl Iterator<Item = (&[u8], f64)> {
        let values = if self.values.is_empty() { None } else { Some(&self.values[token.fields.clone()]) };
        let fields = self.fields[token.fields.clone()].iter().map(|range| &self.text[range.clone()]);
        fields.enumerate().map(move |(i, field)| (field, values.map_or(1.0, |values| values[i])))
    }

    /// The tag of a token.
    pub fn tag(&self, token: &Token) -> Option<&[u8]> {
        token.tag.clone().map(|range| &self.text[range])
    }

    /// The tokens without a tag that were passed over.
    pub fn passed_over(&self) -> PassedOver {
        self.passed_over
    }

    /// Leaves out the tokens without a tag, and sentences without others.
    fn pass_over_untagged(&mut self) {
        let sentences = std::mem::take(&mut self.sentences);
        let mut tokens = std::mem::take(&mut self.tokens).into_iter();
        let mut before = 0;
        for end in sentences {
            for token in tokens.by_ref().take(end - before) {
                match self.tag(&token) {
                    Some([_, ..]) => self.tokens.push(token),
                    _ => self.passed_over.add(PassedOver { tokens: 1, first: Some(self.number(token.line)) }),
                }
            }
            before = end;
            self.end_sentence();
        }
    }

    /// Whether a line separates documents.
    pub(crate) fn is_between_documents(&self, line: usize) -> bool {
        self.line(line).starts_with(BETWEEN_DOCUMENTS)
    }
}

/// Starts a line that separates documents.
const BETWEEN_DOCUMENTS: &[u8] = b"-DOCSTART-";

impl Cut {
    /// The separator before an added column.
    pub(crate) fn column_end(&self) -> u8 {
        if self.separator == Separator::Tab { b'\t' } else { b' ' }
    }

    /// The column that a tagger fills in, where lines have a place for the tag whether it is known or not.
    pub(crate) fn filled_column(&self) -> Option<usize> {
        (self.layout.format == SequenceFormat::Conllu).then_some(self.layout.tag_at)
    }

    /// Splits the lines of a batch into tokens.
    pub(crate) fn divide(&self, batch: &mut Batch) -> Found<()> {
        batch.fields.clear();
        batch.values.clear();
        batch.tokens.clear();
        batch.sentences.clear();
        batch.passed_over = PassedOver::default();
        for line in 0..batch.lines() {
            let text = batch.line(line);
            if text.trim_ascii().is_empty() || text.starts_with(BETWEEN_DOCUMENTS) {
                batch.end_sentence();
                continue;
            }
            if let Err(bad) = std::str::from_utf8(text) {
                let message = "this is not UTF-8: save the file as UTF-8";
                return Err(Fault::at(batch.number(line), bad.valid_up_to() as u64 + 1, message));
            }
            match self.layout.format {
                SequenceFormat::Conll => conll::line(self, batch, line)?,
                SequenceFormat::Conllu => conllu::line(self, batch, line)?,
                SequenceFormat::Crfsuite => crfsuite::line(batch, line)?,
            }
        }
        batch.end_sentence();
        if self.skips {
            batch.pass_over_untagged();
        }
        Ok(())
    }
}

/// Options for reading sentences.
#[derive(Debug, Clone, Default)]
pub struct SequenceOptions {
    /// The format; `None`: by name, then by content.
    pub format: Option<SequenceFormat>,
    /// The tag's column: by number from 1, for CoNLL-U by name; `None`: the last, for CoNLL-U `upos`.
    pub tag: Option<String>,
    /// Whether tokens without a tag are passed over; otherwise they are an error.
    pub skip_untagged: bool,
}

/// An open file of sentences.
#[derive(Debug)]
pub struct Sentences<'a> {
    lines: Lines<'a>,
    name: String,
    cut: Cut,
    waiting: bool,
}

/// The least bytes of a batch, except the last.
const BATCH: usize = 1 << 16;
/// Bytes or lines of a batch between two checks of the limits.
const CHECKED: usize = 1 << 20;

impl<'a> Sentences<'a> {
    /// Opens a file for training.
    pub fn open(input: &'a Input, options: &SequenceOptions) -> Result<Self> {
        let (name, lines) = (input.name(), Lines::new(input.open()?)?);
        let head = lines.head();
        let here = |e: Error| e.in_file(&name);
        let format = match options.format.or_else(|| by_name(&name)) {
            Some(format) => format,
            None => by_content(head, lines.head_is_all()).unwrap_or(SequenceFormat::Conll),
        };
        let skips = options.skip_untagged;
        let cut = match format {
            SequenceFormat::Conll => conll::cut(head, options.tag.as_deref(), skips).map_err(here)?,
            SequenceFormat::Conllu => conllu::cut(options.tag.as_deref()).map_err(here)?,
            SequenceFormat::Crfsuite => crfsuite::cut(options.tag.as_deref()).map_err(here)?,
        };
        Ok(Sentences { lines, name, cut: Cut { skips, ..cut }, waiting: false })
    }

    /// Opens a file for a model with this layout. `needed`: the columns that the model uses.
    pub fn open_for(input: &'a Input, layout: &Layout, needed: usize, tags: Tags) -> Result<Self> {
        let live = input.is_live() && tags == Tags::Optional;
        let (name, source) = (input.name(), input.open()?);
        let lines = if live { Lines::live(source)? } else { Lines::new(source)? };
        let cut = match layout.format {
            SequenceFormat::Conll => {
                conll::cut_for(lines.head(), layout, needed, tags).map_err(|e| e.in_file(&name))?
            }
            SequenceFormat::Conllu if tags == Tags::Optional && conllu::is_bare(lines.head()) => {
                let why = "the first line has no tab, and CoNLL-U divides its columns by tabs";
                return Err(Error::bad_data(or_bare(why.into())).in_file(&name));
            }
            SequenceFormat::Conllu => conllu::cut_for(layout, tags),
            SequenceFormat::Crfsuite => crfsuite::cut_for(layout),
        };
        Ok(Sentences { lines, name, cut: Cut { skips: tags == Tags::Skipped, ..cut }, waiting: false })
    }

    /// How its lines are cut.
    pub fn cut(&self) -> &Cut {
        &self.cut
    }

    /// What messages call it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// XXH3-64 of the decompressed bytes, once all were read.
    pub fn fingerprint(&self) -> u64 {
        self.lines.fingerprint()
    }

    /// Fills a batch with whole sentences, uncut; `false` at the end.
    pub fn fill(&mut self, batch: &mut Batch) -> Result<bool> {
        if !self.waiting {
            self.waiting = self.lines.advance()?;
        }
        batch.clear(self.lines.number());
        limits::check()?;
        while self.waiting {
            let line = self.lines.line();
            batch.push(line);
            if batch.text.len() / CHECKED > (batch.text.len() - line.len()) / CHECKED
                || batch.ends.len().is_multiple_of(CHECKED)
            {
                limits::check()?;
            }
            let blank = line.trim_ascii().is_empty();
            // Whoever waits for an answer gets it at the end of a sentence.
            if blank && (batch.text.len() + batch.ends.len() >= BATCH || self.pauses()) {
                self.waiting = false;
                return Ok(true);
            }
            self.waiting = self.lines.advance()?;
        }
        Ok(!batch.ends.is_empty())
    }

    /// Whether the next line of a pipe has not come yet.
    pub(crate) fn pauses(&self) -> bool {
        self.lines.is_live() && !self.lines.is_ready()
    }

    /// Splits a batch of this file into tokens.
    pub fn divide(&self, batch: &mut Batch) -> Result<()> {
        self.cut.divide(batch).map_err(|fault| fault.of(&self.name))
    }
}
