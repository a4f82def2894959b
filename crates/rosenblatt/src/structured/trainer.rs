//! Trains a tagger on sentences.

use std::collections::HashSet;
use std::str::FromStr;

use super::corpus_source::{CorpusSource, Tagged};
use super::features::{Extractor, Prepared, Vocabulary};
use super::interner::Strings;
use super::perceptron::Perceptron;
use super::rows::{Entry, Rows};
use super::scheme::{Scheme, are_chunk_tags};
use super::tagger::{Tagger, TaggerFacts, Words, bars};
use crate::error::{Error, Result};
use crate::fit::{After, Observer, Order, Training};
use crate::io::{Fault, Input, show};
use crate::learn::{Progress, Stop};
use crate::message::Setting;
use crate::rows::list;
use crate::structured::chain::{Chain, FREE, Reach, Search, Weights};
use crate::structured::read::{Batch, Layout, Sentences, SequenceFormat, SequenceOptions};
use crate::structured::template::Templates;

/// The most distinct tags; a column with more is not a tag column.
pub const MOST_TAGS: usize = 4096;
/// The most weights of second order: 1 GiB.
const MOST_SECOND: usize = 1 << 27;

/// Trains taggers: set options, fit.
///
/// ```
/// use rosenblatt::{Input, SequenceOptions, TaggerTrainer};
/// let text = "the D\ndog N\nbarks V\n\na D\ncat N\nruns V\n";
/// let trainer = TaggerTrainer { epochs: 5, ..TaggerTrainer::default() };
/// let corpus = trainer.read(&Input::memory("toy.conll", text), &SequenceOptions::default())?;
/// let tagger = trainer.fit(corpus, &mut ())?;
/// assert_eq!(tagger.tag(&[["the"], ["cat"], ["barks"]]), ["D", "N", "V"]);
/// # Ok::<(), rosenblatt::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct TaggerTrainer {
    /// The feature templates; `None`: a built-in set that suits the file.
    pub templates: Option<Templates>,
    /// At most so many passes.
    pub epochs: u32,
    /// The order of each pass.
    pub order: Order,
    /// Whether the average of the weights is kept, or the last.
    pub averaged: bool,
    /// The search for the best tags.
    pub search: Search,
    /// Whether invalid tags are forbidden, by this scheme or by the one found in the file.
    pub constrain: Constrain,
    /// The scheme to learn in; output is in the file's own.
    pub encode: Option<Scheme>,
    /// A word that occurs at least so often, always with one tag, gets it without a search.
    pub dictionary: Option<u32>,
}

/// What constrains the tags.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Constrain {
    /// Nothing.
    #[default]
    No,
    /// The scheme of the training file.
    Found,
    /// This scheme.
    By(Scheme),
}

impl FromStr for Constrain {
    type Err = Error;

    /// `auto`, or the name of a scheme.
    fn from_str(text: &str) -> Result<Self> {
        if text == "auto" { Ok(Constrain::Found) } else { text.parse().map(Constrain::By) }
    }
}

impl Default for TaggerTrainer {
    fn default() -> Self {
        TaggerTrainer {
            templates: None,
            epochs: 10,
            order: Order::Shuffled { seed: 0 },
            averaged: true,
            search: Search::Viterbi,
            constrain: Constrain::No,
            encode: None,
            dictionary: None,
        }
    }
}

/// Sentences to learn from, with their features.
#[derive(Debug)]
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
    vocabulary: Vocabulary,
    dictionary: Words,
    written: Option<Scheme>,
    fingerprint: Option<u64>,
}

/// A longer sentence is probably several, without blank lines.
const LONG: usize = 10_000;

impl TaggerTrainer {
    /// Reads sentences and extracts their features.
    pub fn read(&self, input: &Input, options: &SequenceOptions) -> Result<Corpus> {
        let mut sentences = Sentences::open(input, options)?;
        let layout = sentences.cut().layout.clone();
        let mut reading = self.reading(&layout).map_err(|e| e.in_file(sentences.name()))?;
        let mut batch = Batch::default();
        while sentences.fill(&mut batch)? {
            sentences.divide(&mut batch)?;
            reading.batch(&batch, &layout).map_err(|fault| fault.of(sentences.name()))?;
        }
        let (name, fingerprint) = (sentences.name().to_string(), sentences.fingerprint());
        reading.finish(name, layout, Some(fingerprint), self.dictionary)
    }

    /// Extracts the features of sentences in memory. Tokens have so many columns beside the tag, or 0 if they have
    /// attributes.
    pub fn gather(&self, name: &str, batch: &Batch, columns: usize) -> Result<Corpus> {
        let format = if columns == 0 { SequenceFormat::Crfsuite } else { SequenceFormat::Conll };
        let layout = Layout { format, columns, tag_at: columns };
        let mut reading = self.reading(&layout).map_err(|e| e.in_file(name))?;
        reading.batch(batch, &layout).map_err(|fault| fault.of(name))?;
        reading.finish(name.to_string(), layout, None, self.dictionary)
    }

    /// Starts reading sentences of this layout.
    fn reading(&self, layout: &Layout) -> Result<Reading> {
        let brings_attributes = layout.columns == 0;
        if brings_attributes && self.templates.is_some() {
            let why = ": the tokens of a crfsuite file have attributes instead";
            return Err(Error::settings(Setting::Templates.named().text(why)));
        }
        let reading = Reading {
            templates: self.templates.clone(),
            encode: self.encode,
            counting: self.dictionary.is_some(),
            ..Reading::default()
        };
        if brings_attributes && reading.counting {
            let why = ": a crfsuite file has attributes, and no words";
            return Err(Error::settings(Setting::TagDictionary.named().text(why)));
        }
        Ok(reading)
    }

    /// Learns from a corpus.
    pub fn fit(&self, mut corpus: Corpus, observer: &mut dyn Observer<Perceptron<Chain>>) -> Result<Tagger> {
        let here = |error: Error| error.in_file(&corpus.name);
        let scheme = match self.constrain {
            Constrain::No => None,
            Constrain::By(scheme) => Some(scheme),
            Constrain::Found => Some(corpus.scheme.ok_or_else(|| {
                let why = ": the tags are valid in none of iob1, iob2, ioe1, ioe2 and iobes; name one to force it";
                here(Error::bad_data(Setting::Constrain.named().text(why)))
            })?),
        };
        if scheme.is_some() && !corpus.labels.iter().any(|label| label == "O") {
            // O is always allowed: with it, every sentence has a valid sequence.
            corpus.labels.push("O".into());
        }
        if let (Some(_), Some(set)) = (scheme, &mut corpus.templates) {
            // Constraints need transitions.
            set.first |= set.reach() == Reach::None;
        }
        let tags = corpus.labels.len();
        let reach = corpus.templates.as_ref().map_or(Reach::First, Templates::reach);
        if reach == Reach::Second && (tags + 1) * (tags + 1) * tags > MOST_SECOND {
            let message =
                format!("{tags} tags are too many for transitions of second order: leave out tag[-2] tag[-1]");
            return Err(here(Error::bad_data(message)));
        }
        self.order.check(corpus.prepared.len()).map_err(here)?;
        let bars = scheme.map(|scheme| bars(scheme, &corpus.labels));
        let chain = Chain { tags, reach, bars, search: self.search };
        let (emissions, edges) = (corpus.vocabulary.emissions.len(), corpus.vocabulary.edges.len());
        let learner = Perceptron::new(chain, Weights::new(tags, reach, emissions, edges));
        let mut training = Training::new(learner, observer);
        let tagged = Tagged { sentences: &corpus.prepared, tags: &corpus.tags };
        let mut source = CorpusSource { corpus: tagged, kind: &self.order, order: Vec::new() };
        let stopped = training.run(&mut source, self.epochs, &mut |training, _| {
            Ok(training.notify_pass_ended()?.break_value().map_or(After::Go, After::Stop))
        });
        let stopped = stopped.map_err(here)?.unwrap_or(Stop::MaxEpochs);
        let Training { trainee: learner, progress: Progress { mistakes_by_epoch, .. }, .. } = training;
        let facts = TaggerFacts {
            learner: if self.averaged { "averaged" } else { "perceptron" }.into(),
            sentences: corpus.prepared.len() as u64,
            tokens: corpus.tags.len() as u64,
            presented: learner.presented(),
            mistakes: learner.mistakes(),
            mistakes_by_epoch,
            stopped,
            order: self.order.kind(),
            seed: if let Order::Shuffled { seed } = self.order { Some(seed) } else { None },
            data: corpus.fingerprint,
        };
        let (chain, weights) = if self.averaged { learner.averaged() } else { learner.last() };
        let (vocabulary, weights) = compact(&corpus.vocabulary, &weights, tags);
        let Corpus { layout, templates, labels, dictionary, written, .. } = corpus;
        Ok(Tagger { labels, templates, layout, vocabulary, weights, chain, scheme, written, dictionary, facts })
    }
}

/// The state of reading a corpus.
#[derive(Default)]
struct Reading {
    templates: Option<Templates>,
    encode: Option<Scheme>,
    counting: bool,
    extractor: Extractor,
    prepared: Prepared,
    vocabulary: Vocabulary,
    tags: Vec<u32>,
    labels: Strings,
    /// Pairs of adjacent tags in the file; the start and the end are [`FREE`].
    pairs: HashSet<(u32, u32)>,
    written: Strings,
    words: Strings,
    /// The word of every token, where they are counted.
    text: Vec<u32>,
    longest: usize,
}

impl Reading {
    fn batch(&mut self, batch: &Batch, layout: &Layout) -> std::result::Result<(), Fault> {
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
        let Reading { templates, vocabulary, extractor, prepared, .. } = self;
        extractor.batch(batch, templates.as_ref(), vocabulary, None, prepared);
        Ok(())
    }

    /// Adds the tags of a sentence.
    fn sentence(&mut self, batch: &Batch, number: usize) -> std::result::Result<(), Fault> {
        let tokens = batch.sentence(number);
        self.longest = self.longest.max(tokens.len());
        let mut before = FREE;
        let mut texts: Vec<&str> = Vec::new();
        for token in tokens {
            let Some(tag) = batch.tag(token) else {
                return Err(Fault::line(
                    batch.number(token.line),
                    "a token without a tag: there is nothing to learn from",
                ));
            };
            let written = self.written.intern(tag);
            if self.written.len() > MOST_TAGS {
                let message =
                    format!("more than {MOST_TAGS} different tags, {} the last: is this the tag's column?", show(tag));
                return Err(Fault::line(batch.number(token.line), message));
            }
            self.pairs.insert((before, written));
            before = written;
            match self.encode {
                None => self.tags.push(self.labels.intern(tag)),
                Some(_) => texts.push(std::str::from_utf8(tag).unwrap_or("")),
            }
            if self.counting {
                self.text.push(self.words.intern(batch.field(token, 0)));
            }
        }
        self.pairs.insert((before, FREE));
        if let Some(scheme) = self.encode {
            self.tags.extend(scheme.convert(&texts).iter().map(|tag| self.labels.intern(tag.as_bytes())));
        }
        Ok(())
    }

    fn finish(self, name: String, layout: Layout, fingerprint: Option<u64>, dictionary: Option<u32>) -> Result<Corpus> {
        let Reading { templates, encode, mut prepared, vocabulary, tags, labels, pairs, written, words, text, .. } =
            self;
        if prepared.is_empty() {
            return Err(Error::bad_data("no sentences: the file is empty").in_file(&name));
        }
        let texts = |strings: &Strings| -> Vec<String> {
            strings.iter().map(|label| String::from_utf8_lossy(label).into_owned()).collect()
        };
        let (labels, written) = (texts(&labels), texts(&written));
        let found = find_scheme(&written, &pairs);
        if labels.len() < 2 {
            let message = format!("every token has the tag {}: there is nothing to tell apart", list(&labels));
            return Err(Error::bad_data(message).in_file(&name));
        }
        if encode.is_some() && !are_chunk_tags(written.iter().map(String::as_str)) {
            let message = Setting::Encode.named().text(" is for chunks, with tags such as B-X, I-X and O");
            return Err(Error::bad_data(message).in_file(&name));
        }
        let mut notes = Vec::new();
        if self.longest > LONG {
            notes.push(format!("a sentence of {} tokens: is a blank line missing between sentences?", self.longest));
        }
        let dictionary = dictionary.map(|least| unambiguous(&words, &text, &tags, least)).unwrap_or_default();
        if !dictionary.tags.is_empty() {
            let fixed =
                |&word: &u32| dictionary.words.find(words.get(word)).map_or(FREE, |at| dictionary.tags[at as usize]);
            prepared.fix(text.iter().map(fixed).collect());
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
            dictionary,
            // The default, for tags that are valid in no scheme.
            written: encode.map(|_| found.unwrap_or(Scheme::Iob2)),
            fingerprint,
        })
    }
}

/// The built-in templates for a file.
fn suitable(batch: &Batch, layout: &Layout) -> &'static str {
    let tags = batch.tokens().iter().filter_map(|token| batch.tag(token)).filter_map(|t| std::str::from_utf8(t).ok());
    match (are_chunk_tags(tags), layout.columns) {
        (false, _) => "pos",
        (true, 1) => "entity",
        (true, _) => "chunk",
    }
}

/// The first scheme that allows every pair of adjacent tags.
fn find_scheme(labels: &[String], pairs: &HashSet<(u32, u32)>) -> Option<Scheme> {
    if !are_chunk_tags(labels.iter().map(String::as_str)) {
        return None;
    }
    let text = |tag: u32| labels.get(tag as usize).map(String::as_str);
    Scheme::ALL.iter().copied().find(|scheme| pairs.iter().all(|&(before, tag)| scheme.allows(text(before), text(tag))))
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

/// Drops features without weights; renumbers features and values; sorts slots.
fn compact(vocabulary: &Vocabulary, weights: &Weights, tags: usize) -> (Vocabulary, Weights) {
    let mut kept = Vocabulary::default();
    let mut rows = [Rows::default(), Rows::default()];
    for (edge, (keys, from)) in
        [(&vocabulary.emissions, &weights.emissions), (&vocabulary.edges, &weights.edges)].into_iter().enumerate()
    {
        for (feature, key) in (0..).zip(keys.iter()) {
            let mut entries: Vec<Entry> = from.row(feature).iter().copied().filter(|e| e.weight != 0.0).collect();
            if entries.is_empty() {
                continue;
            }
            entries.sort_by_key(|entry| entry.slot);
            let values = key[1..].iter().map(|&value| kept.values.intern(vocabulary.values.get(value)));
            let key: Vec<u32> = std::iter::once(key[0]).chain(values).collect();
            let list = if edge == 0 { &mut kept.emissions } else { &mut kept.edges };
            list.intern(&key);
            rows[edge].push(entries.into_iter());
        }
    }
    let [emissions, edges] = rows;
    let weights = Weights::fixed(tags, emissions, edges, &weights.transitions(), &weights.second_order());
    (kept, weights)
}
