//! Trains a tagger on sentences.

use std::str::FromStr;

use super::checkpoint::TaggerCheckpoint;
use super::corpus::{Corpus, Held, HeldSentences, Reading};
use super::corpus_source::{CorpusSource, Tagged, TaggerTrainee};
use super::features::Vocabulary;
use super::online::layout_of;
use super::perceptron::Perceptron;
use super::rows::{Entry, Rows};
use super::scheme::Scheme;
use super::tagger::{AVERAGED, LAST, Tagger, TaggerFacts, bars};
use crate::error::{Error, ErrorKind, Result};
use crate::fit::{Observer, Order, Training, Validator, end_pass, overflowed};
use crate::io::Input;
use crate::learn::{Progress, Stop};
use crate::limits;
use crate::message::Setting;
use crate::model::Validation;
use crate::structured::chain::{Chain, Reach, Search, Weights};
use crate::structured::read::{Batch, Layout, Sentences, SequenceOptions};
use crate::structured::template::Templates;

/// The most distinct tags; a column with more is not a tag column.
pub const MOST_TAGS: usize = 4096;
/// The most weights of second order: 1 GiB.
pub(super) const MOST_SECOND: usize = 1 << 27;

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
#[derive(Debug, Clone, PartialEq)]
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

/// Optional parts of a tagger's training. The default is none.
#[derive(Default)]
pub struct TaggerWith<'a> {
    /// Sentences that are held back, and scored after every pass.
    pub held: Option<HeldSentences<'a>>,
    /// Stop after so many passes in a row without fewer wrong tags in the held-back sentences, and keep the best pass (the
    /// first of equal ones). `None`: they are only scored, and the last pass is kept.
    pub patience: Option<u32>,
    /// Resumes from here.
    pub resume: Option<&'a TaggerCheckpoint>,
    /// Is called during training.
    pub observer: Option<&'a mut dyn Observer<Perceptron<Chain>>>,
}

/// A trained tagger, and what resuming its training needs.
#[derive(Debug)]
pub struct FittedTagger {
    /// The tagger.
    pub tagger: Tagger,
    /// What resuming needs; `None` unless the observer wants checkpoints.
    pub checkpoint: Option<TaggerCheckpoint>,
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
            limits::check()?;
        }
        let (name, fingerprint) = (sentences.name().to_string(), sentences.fingerprint());
        reading.finish(name, layout, Some(fingerprint))
    }

    /// Extracts the features of sentences in memory. Tokens have so many columns beside the tag, or 0 if they have
    /// attributes.
    pub fn gather(&self, name: &str, batch: &Batch, columns: usize) -> Result<Corpus> {
        let layout = layout_of(columns);
        let mut reading = self.reading(&layout).map_err(|e| e.in_file(name))?;
        reading.batch(batch, &layout).map_err(|fault| fault.of(name))?;
        limits::check()?;
        reading.finish(name.to_string(), layout, None)
    }

    /// Starts reading sentences of this layout.
    fn reading(&self, layout: &Layout) -> Result<Reading> {
        let brings_attributes = layout.columns == 0;
        if brings_attributes && self.templates.is_some() {
            let why = ": the tokens of a crfsuite file have attributes instead";
            return Err(Error::settings(Setting::Templates.named().text(why)));
        }
        let counting = self.dictionary.is_some();
        if brings_attributes && counting {
            let why = ": a crfsuite file has attributes, and no words";
            return Err(Error::settings(Setting::TagDictionary.named().text(why)));
        }
        Ok(Reading::new(self.templates.clone(), self.encode, counting))
    }

    /// Learns from a corpus.
    pub fn fit(&self, corpus: Corpus, observer: &mut dyn Observer<Perceptron<Chain>>) -> Result<Tagger> {
        let with = TaggerWith { observer: Some(observer), ..TaggerWith::default() };
        self.fit_with(corpus, with).map(|fitted| fitted.tagger)
    }

    /// Learns from a corpus, with validation, or from a checkpoint.
    ///
    /// ```
    /// use rosenblatt::structured::{HeldSentences, TaggerWith};
    /// use rosenblatt::{Input, SequenceOptions, TaggerTrainer};
    /// let text = "the D\ndog N\nbarks V\n\na D\ncat N\nruns V\n\n".repeat(5);
    /// let trainer = TaggerTrainer::default();
    /// let corpus = trainer.read(&Input::memory("toy.conll", text), &SequenceOptions::default())?;
    /// let with = TaggerWith { held: Some(HeldSentences::Share(0.2, 7)), patience: Some(2), ..TaggerWith::default() };
    /// let fitted = trainer.fit_with(corpus, with)?;
    /// assert_eq!(fitted.tagger.facts.validation.unwrap().error(), Some(0.0));
    /// # Ok::<(), rosenblatt::Error>(())
    /// ```
    pub fn fit_with(&self, corpus: Corpus, with: TaggerWith<'_>) -> Result<FittedTagger> {
        let name = corpus.name.clone();
        self.fit_corpus(corpus, with).map_err(|e| if e.kind() == ErrorKind::Model { e } else { e.in_file(&name) })
    }

    fn fit_corpus(&self, mut corpus: Corpus, with: TaggerWith<'_>) -> Result<FittedTagger> {
        let TaggerWith { held, patience, resume, observer } = with;
        if held.is_some() && resume.is_some() {
            return Err(Error::settings(
                "a checkpoint does not hold the best pass: resume without held-back sentences",
            ));
        }
        let scheme = self.constrain(&mut corpus)?;
        let held = hold_back(&mut corpus, held, self.dictionary)?;
        self.order.check(corpus.prepared.len())?;
        let learner = self.learner(&corpus, scheme, resume)?;
        let mut silent = ();
        let observer: &mut dyn Observer<Perceptron<Chain>> = match observer {
            Some(observer) => observer,
            None => &mut silent,
        };
        let mut training = Training::new(TaggerTrainee { perceptron: learner, averaged: self.averaged }, observer);
        let saves = training.observer.wants_checkpoints();
        if let Some(checkpoint) = resume {
            training.progress = checkpoint.progress.clone();
        }
        let fingerprint = if saves { corpus.fingerprint() } else { 0 };
        let save = |training: &Training<'_, TaggerTrainee>| {
            TaggerCheckpoint::new(self, scheme, &corpus, fingerprint, &training.trainee.perceptron, &training.progress)
        };
        let output = corpus.written.map(|scheme| (&corpus.labels[..], scheme));
        let tagged = Tagged { sentences: &corpus.prepared, tags: &corpus.tags, output };
        let mut source = CorpusSource { corpus: tagged, kind: &self.order, order: Vec::new() };
        let held = held.as_ref().map(|held| Tagged { sentences: &held.prepared, tags: &held.tags, output });
        let mut validator = held.map(|held| Validator::new(held, patience));
        let stopped = training.run(&mut source, self.epochs, &mut |training, source| {
            end_pass(training, source, validator.as_mut(), &save)
        })?;
        let stopped = stopped.unwrap_or(Stop::MaxEpochs);
        let checkpoint = saves.then(|| save(&training));
        let (best, validation) = validator.map(Validator::finish).unzip();
        let Training { trainee, progress, .. } = training;
        let counts =
            Facts { sentences: corpus.prepared.len() as u64, tokens: corpus.tags.len() as u64, data: corpus.data };
        let facts = self.facts(&counts, &progress, stopped, validation);
        let (chain, last) = trainee.finish();
        let (vocabulary, weights) = compact(&corpus.vocabulary, &best.flatten().unwrap_or(last), chain.tags);
        // An average can overflow where the weights do not.
        if !weights.is_finite() {
            return Err(overflowed(&progress));
        }
        let Corpus { layout, templates, labels, dictionary, written, .. } = corpus;
        let tagger =
            Tagger { labels, templates, layout, vocabulary, weights, chain, scheme, written, dictionary, facts };
        Ok(FittedTagger { tagger, checkpoint })
    }

    /// The scheme that constrains the tags. Adds what constraints need: a tag O, and transitions.
    fn constrain(&self, corpus: &mut Corpus) -> Result<Option<Scheme>> {
        let scheme = match self.constrain {
            Constrain::No => return Ok(None),
            Constrain::By(scheme) => scheme,
            Constrain::Found => corpus.scheme.ok_or_else(|| {
                let why = ": the tags are valid in none of iob1, iob2, ioe1, ioe2 and iobes; name one to force it";
                Error::bad_data(Setting::Constrain.named().text(why))
            })?,
        };
        if !corpus.labels.iter().any(|label| label == "O") {
            // O is always allowed: with it, every sentence has a valid sequence.
            corpus.labels.push("O".into());
        }
        if let Some(set) = &mut corpus.templates {
            set.first |= set.reach() == Reach::None;
        }
        Ok(Some(scheme))
    }

    /// The perceptron: new, or restored from a checkpoint.
    fn learner(
        &self,
        corpus: &Corpus,
        scheme: Option<Scheme>,
        resume: Option<&TaggerCheckpoint>,
    ) -> Result<Perceptron<Chain>> {
        let tags = corpus.labels.len();
        let reach = corpus.templates.as_ref().map_or(Reach::First, Templates::reach);
        let chain = self.chain(&corpus.labels, reach, scheme)?;
        if let Some(checkpoint) = resume {
            checkpoint.check_fits(self, scheme, corpus)?;
            return Ok(checkpoint.perceptron(chain));
        }
        Weights::check_memory(tags, reach)?;
        let (emissions, edges) = (corpus.vocabulary.emissions.len(), corpus.vocabulary.edges.len());
        Ok(Perceptron::new(chain, Weights::new(tags, reach, emissions, edges)))
    }

    /// What these tags are predicted by.
    pub(super) fn chain(&self, labels: &[String], reach: Reach, scheme: Option<Scheme>) -> Result<Chain> {
        let tags = labels.len();
        if tags > MOST_TAGS {
            return Err(Error::bad_data(format!("{tags} different tags: a tagger has at most {MOST_TAGS}")));
        }
        if reach == Reach::Second && (tags + 1) * (tags + 1) * tags > MOST_SECOND {
            return Err(Error::bad_data(format!(
                "{tags} tags are too many for transitions of second order: leave out tag[-2] tag[-1]"
            )));
        }
        let bars = scheme.map(|scheme| bars(scheme, labels));
        Ok(Chain { tags, reach, bars, search: self.search })
    }

    pub(super) fn facts(
        &self,
        counts: &Facts,
        progress: &Progress,
        stopped: Stop,
        validation: Option<Validation>,
    ) -> TaggerFacts {
        TaggerFacts {
            learner: if self.averaged { AVERAGED } else { LAST }.into(),
            sentences: counts.sentences,
            tokens: counts.tokens,
            presented: progress.presented,
            mistakes: progress.mistakes,
            mistakes_by_epoch: progress.mistakes_by_epoch.clone(),
            stopped,
            order: self.order.kind(),
            seed: if let Order::Shuffled { seed } = self.order { Some(seed) } else { None },
            data: counts.data,
            validation,
        }
    }
}

/// What was learned from.
pub(super) struct Facts {
    pub(super) sentences: u64,
    pub(super) tokens: u64,
    /// XXH3-64 of the file's (decompressed) bytes, if it came from a file.
    pub(super) data: Option<u64>,
}

/// Takes the sentences to validate on, and finds the words of the dictionary in the others.
fn hold_back(corpus: &mut Corpus, held: Option<HeldSentences<'_>>, dictionary: Option<u32>) -> Result<Option<Held>> {
    let mut apart = match held {
        Some(HeldSentences::Share(share, seed)) => Some(corpus.split_off(share, seed)?),
        _ => None,
    };
    corpus.find_words(dictionary);
    if let Some(apart) = &mut apart {
        corpus.fix_words(apart);
    }
    match held {
        Some(HeldSentences::File(input)) => corpus.read_held(input).map(Some),
        _ => Ok(apart),
    }
}

/// Drops features without weights; renumbers features and values; sorts slots.
pub(super) fn compact(vocabulary: &Vocabulary, weights: &Weights, tags: usize) -> (Vocabulary, Weights) {
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
