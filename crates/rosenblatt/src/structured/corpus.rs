//! Sentences to learn from: reading, feature extraction, and sentences to validate on.

use std::cell::RefCell;
use std::collections::BTreeSet;

use super::features::{Dictionary, Extractor, Prepared, Vocabulary};
use super::found_scheme::{EDGE, Pairs};
use super::interner::Strings;
use super::scheme::{Scheme, are_chunk_tags};
use super::tagger::Words;
use super::trainer::MOST_TAGS;
use crate::error::{Error, Result};
use crate::fit::Fingerprint;
use crate::io::{Fault, Input, show};
use crate::message::{Message, Setting};
use crate::random::Stream;
use crate::rows::list;
use crate::structured::chain::FREE;
use crate::structured::read::{Batch, Layout, PassedOver, Sentences, Tags};
use crate::structured::template::Templates;

/// Sentences to learn from, with their features.
#[derive(Debug, Clone)]
pub struct Corpus {
    /// What messages call the file.
    pub name: String,
    /// How it is laid out.
    pub layout: Layout,
    /// The templates; `None` if tokens have attributes.
    pub templates: Option<Templates>,
    /// What a user may want to know.
    pub notes: Vec<String>,
    /// The features of every token.
    pub prepared: Prepared,
    /// The tag of every token.
    pub tags: Vec<u32>,
    /// The names of the tags.
    pub labels: Vec<String>,
    /// The scheme in which all sentences are valid, if the tags are chunk tags.
    pub scheme: Option<Scheme>,
    pub(super) vocabulary: Vocabulary,
    pub(super) encode: Option<Scheme>,
    pub(super) written: Option<Scheme>,
    /// XXH3-64 of the file's (decompressed) bytes, if it came from a file.
    pub(super) data: Option<u64>,
    /// The words of the dictionary; empty until [`find_words`](Self::find_words).
    pub(super) dictionary: Words,
    /// The distinct words, and the word of every token; empty if tokens have attributes.
    words: Strings,
    text: Vec<u32>,
    /// Whether tokens without a tag are passed over.
    skips: bool,
}

/// Sentences that are held back from learning, and scored after every pass.
#[derive(Debug, Clone, Copy)]
pub enum HeldSentences<'a> {
    /// This share of the sentences, drawn by a seed.
    Share(f64, u64),
    /// These sentences, counted from 0, in increasing order.
    Numbers(&'a [u32]),
    /// Another file, in the layout of the one that is learned from.
    File(&'a Input),
}

/// Held-back sentences with their features. A tag that the corpus does not have is [`FREE`].
#[derive(Debug, Default)]
pub(super) struct Held {
    pub(super) prepared: Prepared,
    pub(super) tags: Vec<u32>,
    /// The word of every token, [`FREE`] if the corpus does not have it; empty if tokens have attributes.
    text: Vec<u32>,
}

/// A longer sentence is probably several, without blank lines.
const LONG: usize = 10_000;

impl Corpus {
    /// Fixes the tags of words that occur at least so often, always with the same tag.
    pub(super) fn find_words(&mut self, least: Option<u32>) {
        let Some(least) = least else { return };
        self.dictionary = unambiguous(&self.words, &self.text, &self.tags, least);
        if !self.dictionary.tags.is_empty() {
            self.prepared.fix(self.fixed(&self.text));
        }
    }

    /// The same in held-back sentences of the same file.
    pub(super) fn fix_words(&self, held: &mut Held) {
        if !self.dictionary.tags.is_empty() {
            held.prepared.fix(self.fixed(&held.text));
        }
    }

    fn fixed(&self, text: &[u32]) -> Vec<u32> {
        text.iter().map(|&word| self.dictionary.tag_of(self.words.get(word))).collect()
    }

    /// Removes a share of the sentences, at least one; at least one is left.
    pub(super) fn split_off_share(&mut self, share: f64, seed: u64) -> Result<Held> {
        let count = self.prepared.len();
        if !(share > 0.0 && share < 1.0) {
            let why = "expected a share of the sentences between 0 and 1, say 0.2";
            return Err(Error::setting(Setting::Holdout, share, why));
        }
        let some = (count as f64 * share).floor() as usize;
        if some == 0 {
            let why = format!("of {count} sentences none would be held back; name a larger share");
            return Err(Error::setting(Setting::Holdout, share, why));
        }
        let mut order: Vec<u32> = (0..count as u32).collect();
        Stream::new(seed, &[]).shuffle(&mut order);
        order.truncate(some);
        order.sort_unstable();
        self.split_off(&order)
    }

    /// Removes these sentences; at least one is left.
    pub(super) fn split_off(&mut self, held: &[u32]) -> Result<Held> {
        let train: Vec<u32> = (0..self.prepared.len() as u32).filter(|n| held.binary_search(n).is_err()).collect();
        if held.is_empty() || train.is_empty() || held.len() + train.len() != self.prepared.len() {
            return Err(Error::settings("expected some of the sentences to hold back, and some to learn from"));
        }
        let train = &train[..];
        let of = |numbers: &[u32], values: &[u32]| -> Vec<u32> {
            let tokens = numbers.iter().map(|&number| self.prepared.tokens(number as usize));
            tokens.flat_map(|tokens| values.get(tokens).unwrap_or_default()).copied().collect()
        };
        let apart =
            Held { prepared: self.prepared.select(held), tags: of(held, &self.tags), text: of(held, &self.text) };
        let (tags, text) = (of(train, &self.tags), of(train, &self.text));
        (self.prepared, self.tags, self.text) = (self.prepared.select(train), tags, text);
        Ok(apart)
    }

    /// Reads sentences to validate on.
    pub(super) fn read_held(&self, input: &Input) -> Result<Held> {
        let width = self.templates.as_ref().map_or(0, Templates::width);
        let needed = width.max(usize::from(!self.dictionary.tags.is_empty()));
        let tags = if self.skips { Tags::Skipped } else { Tags::Needed };
        let mut sentences = Sentences::open_for(input, &self.layout, needed, tags)?;
        let mut labels = Strings::default();
        self.labels.iter().for_each(|label| _ = labels.intern(label.as_bytes()));
        let fixed = |word: &[u8]| self.dictionary.tag_of(word);
        let dictionary: Option<Dictionary<'_>> = if self.dictionary.tags.is_empty() { None } else { Some(&fixed) };
        let (mut held, mut extractor, mut batch) = (Held::default(), Extractor::default(), Batch::default());
        while sentences.fill(&mut batch)? {
            sentences.divide(&mut batch)?;
            for number in 0..batch.sentences() {
                self.held_tags(&batch, number, &labels, &mut held.tags).map_err(|fault| fault.of(sentences.name()))?;
            }
            if self.layout.columns > 0 {
                let words = batch.tokens().iter().map(|token| self.words.find(batch.field(token, 0)));
                held.text.extend(words.map(|word| word.unwrap_or(FREE)));
            }
            extractor.batch(&batch, self.templates.as_ref(), &self.vocabulary, dictionary, &mut held.prepared);
        }
        if held.prepared.is_empty() {
            return Err(Error::bad_data("no sentences: the file is empty").in_file(sentences.name()));
        }
        Ok(held)
    }

    /// Adds the tags of a held-back sentence, in the scheme that is learned.
    fn held_tags(
        &self,
        batch: &Batch,
        number: usize,
        labels: &Strings,
        tags: &mut Vec<u32>,
    ) -> std::result::Result<(), Fault> {
        let mut texts: Vec<&str> = Vec::new();
        for token in batch.sentence(number) {
            let tag = batch.tag(token).filter(|tag| !tag.is_empty());
            let Some(tag) = tag.and_then(|tag| std::str::from_utf8(tag).ok()) else {
                return Err(Fault::line(batch.number(token.line), untagged("compare with")));
            };
            texts.push(tag);
        }
        let find = |tag: &str| labels.find(tag.as_bytes()).unwrap_or(FREE);
        match self.encode {
            Some(scheme) => tags.extend(scheme.convert(&texts).iter().map(|tag| find(tag))),
            None => tags.extend(texts.iter().map(|tag| find(tag))),
        }
        Ok(())
    }

    /// For each held-back token whether its word is in no sentence that is learned from; empty if tokens have attributes.
    pub(super) fn unknown_words(&self, held: &Held) -> Vec<bool> {
        let known: BTreeSet<u32> = self.text.iter().copied().collect();
        held.text.iter().map(|word| !known.contains(word)).collect()
    }

    /// A fingerprint of everything that is learned from: features, values, tags and their names.
    pub(super) fn fingerprint(&self) -> u64 {
        let mut print = Fingerprint::new();
        self.prepared.fingerprint(&mut print);
        print.u32s(&self.tags);
        self.labels.iter().for_each(|label| print.bytes(label.as_bytes()));
        let Vocabulary { values, emissions, edges } = &self.vocabulary;
        values.iter().for_each(|value| print.bytes(value));
        emissions.iter().for_each(|key| print.u32s(key));
        edges.iter().for_each(|key| print.u32s(key));
        print.finish()
    }
}

/// The state of reading a corpus.
#[derive(Default)]
pub(super) struct Reading {
    pub(super) templates: Option<Templates>,
    encode: Option<Scheme>,
    extractor: Extractor,
    pub(super) prepared: Prepared,
    pub(super) vocabulary: Vocabulary,
    pub(super) tags: Vec<u32>,
    pub(super) labels: Strings,
    /// Pairs of adjacent tags in the file.
    pairs: Pairs,
    passed_over: PassedOver,
    skips: bool,
    written: Strings,
    /// The label of each of these tags; empty if another scheme is learned.
    learned: Vec<u32>,
    /// The scheme of the output, if it was found before.
    pub(super) written_before: Option<Scheme>,
    words: Strings,
    /// The word of every token that has columns.
    text: Vec<u32>,
    longest: usize,
}

impl Reading {
    pub(super) fn new(templates: Option<Templates>, encode: Option<Scheme>, skips: bool) -> Self {
        Reading { templates, encode, skips, ..Reading::default() }
    }

    pub(super) fn batch(&mut self, batch: &Batch, layout: &Layout) -> std::result::Result<(), Fault> {
        self.passed_over.add(batch.passed_over());
        if batch.tokens().is_empty() {
            return Ok(());
        }
        if self.templates.is_none() && layout.columns > 0 {
            self.templates = Templates::built_in(suitable(batch, layout));
        }
        if let Some(set) = self.templates.as_ref().filter(|set| set.width() > layout.columns) {
            let columns = layout.columns;
            let message = format!(
                "the templates use column {}, but there {} beside the tag",
                set.column(set.width() - 1),
                if columns == 1 { "is only one column".to_string() } else { format!("are only {columns} columns") }
            );
            return Err(Fault::line(batch.number(batch.tokens()[0].line), message));
        }
        for number in 0..batch.sentences() {
            self.sentence(batch, number)?;
        }
        let Reading { templates, vocabulary, extractor, prepared, words, text, .. } = self;
        // The extractor looks every word up, and asks for the number of each distinct one.
        let words = RefCell::new(words);
        let number = |word: &[u8]| words.borrow_mut().intern(word);
        extractor.batch(batch, templates.as_ref(), vocabulary, Some(&number), prepared);
        text.append(&mut prepared.take_fixed());
        Ok(())
    }

    /// Adds the tags of a sentence.
    fn sentence(&mut self, batch: &Batch, number: usize) -> std::result::Result<(), Fault> {
        let tokens = batch.sentence(number);
        self.longest = self.longest.max(tokens.len());
        let mut before = EDGE;
        let mut texts: Vec<&str> = Vec::new();
        for token in tokens {
            let tag = match batch.tag(token) {
                Some([]) => return Err(Fault::line(batch.number(token.line), "an empty tag: every token needs one")),
                Some(tag) => tag,
                None => return Err(Fault::line(batch.number(token.line), untagged("learn from"))),
            };
            let written = self.written.intern(tag);
            if self.written.len() > MOST_TAGS {
                let message =
                    format!("more than {MOST_TAGS} different tags, {} the last: is this the tag's column?", show(tag));
                return Err(Fault::line(batch.number(token.line), message));
            }
            self.pairs.count(before, written, batch.number(token.line));
            before = written;
            match self.encode {
                None => {
                    // One tag is new, or more after a batch that was refused.
                    while self.learned.len() <= written as usize {
                        self.learned.push(self.labels.intern(self.written.get(self.learned.len() as u32)));
                    }
                    self.tags.push(self.learned[written as usize]);
                }
                Some(_) => texts.push(std::str::from_utf8(tag).unwrap_or("")),
            }
        }
        let last = tokens.last().map_or(0, |token| batch.number(token.line));
        self.pairs.count(before, EDGE, last);
        if let Some(scheme) = self.encode {
            self.tags.extend(scheme.convert(&texts).iter().map(|tag| self.labels.intern(tag.as_bytes())));
        }
        Ok(())
    }

    /// The tags so far, in order of first occurrence.
    pub(super) fn tag_names(&self) -> Vec<String> {
        texts(&self.labels)
    }

    /// The scheme of the output, if it differs from the learned one: that of the sentences so far.
    pub(super) fn output_scheme(&self) -> Option<Scheme> {
        let found = || self.written_before.or_else(|| self.pairs.scheme(&texts(&self.written)).0);
        self.encode.map(|_| found().unwrap_or(Scheme::Iob2))
    }

    /// Forgets the sentences, but not their features and tags.
    pub(super) fn forget_sentences(&mut self) {
        self.prepared.clear();
        self.tags.clear();
    }

    pub(super) fn finish(self, name: String, layout: Layout, data: Option<u64>) -> Result<Corpus> {
        let Reading { templates, encode, prepared, vocabulary, tags, labels, pairs, written, words, text, .. } = self;
        let (skips, passed_over) = (self.skips, self.passed_over);
        if prepared.is_empty() {
            return Err(Error::bad_data("no sentences: the file is empty").in_file(&name));
        }
        let (labels, written) = (texts(&labels), texts(&written));
        let (found, mut notes) = pairs.scheme(&written);
        notes.extend(passed_over.note());
        if labels.len() < 2 {
            let message = format!("every token has the tag {}: there is nothing to tell apart", list(&labels));
            return Err(Error::bad_data(message).in_file(&name));
        }
        if encode.is_some() && !are_chunk_tags(written.iter().map(String::as_str)) {
            let message = Setting::Encode.named().text(" is for chunks, with tags such as B-X, I-X and O");
            return Err(Error::bad_data(message).in_file(&name));
        }
        if self.longest > LONG {
            notes.push(format!("a sentence of {} tokens: is a blank line missing between sentences?", self.longest));
        }
        Ok(Corpus {
            name,
            layout,
            templates,
            notes,
            prepared,
            tags,
            labels,
            scheme: if encode.is_some() { encode } else { found },
            vocabulary,
            encode,
            // The default, for tags that are valid in no scheme.
            written: encode.map(|_| found.unwrap_or(Scheme::Iob2)),
            data,
            dictionary: Words::default(),
            words,
            text,
            skips,
        })
    }
}

/// The built-in templates for a file.
fn suitable(batch: &Batch, layout: &Layout) -> &'static str {
    let tags = batch.tokens().iter().filter_map(|token| batch.tag(token)).filter_map(|t| std::str::from_utf8(t).ok());
    let tags: Vec<&str> = tags.collect();
    if !are_chunk_tags(tags.iter().copied()) {
        return "pos";
    }
    // Names are few and far between; the chunks of a parse leave little outside.
    let outside = tags.iter().filter(|tag| **tag == "O").count();
    if layout.columns == 1 || 2 * outside > tags.len() { "entity" } else { "chunk" }
}

fn texts(strings: &Strings) -> Vec<String> {
    strings.iter().map(|label| String::from_utf8_lossy(label).into_owned()).collect()
}

/// A token has no tag, and there is nothing to do this with.
pub(super) fn untagged(what: &str) -> Message {
    let why = format!("a token without a tag: there is nothing to {what}; pass over such tokens with ");
    Message::new(why).with(Setting::SkipUntagged)
}

/// The words that occur at least so often, always with the same tag.
fn unambiguous(words: &Strings, text: &[u32], tags: &[u32], least: u32) -> Words {
    let mut seen = vec![(FREE, 0u64, true); words.len()];
    for (&word, &tag) in text.iter().zip(tags) {
        let (first, count, always) = &mut seen[word as usize];
        *always &= *count == 0 || *first == tag;
        (*first, *count) = (tag, *count + 1);
    }
    let mut found = Words::default();
    for (number, (tag, count, always)) in (0..).zip(seen) {
        if always && count >= u64::from(least.max(1)) {
            found.words.intern(words.get(number));
            found.tags.push(tag);
        }
    }
    found
}
