//! A trained tagger: sentences in, tags out.

use serde::{Deserialize, Serialize};

use super::features::{Extractor, Prepared, Vocabulary};
use super::interner::Strings;
use super::scheme::Scheme;
use super::structure::Structure;
use crate::error::Result;
use crate::fit::Validated;
use crate::io::Input;
use crate::learn::{OrderKind, Stop};
use crate::limits::{self, Limits};
use crate::model::Validation;
use crate::structured::chain::{Bars, Chain, FREE, Scratch, Weights};
use crate::structured::read::{Batch, Layout, Sentences, Tags};
use crate::structured::template::Templates;

/// Everything that tagging needs.
#[derive(Debug, Clone, PartialEq)]
pub struct Tagger {
    /// The tags, in order of first occurrence.
    pub labels: Vec<String>,
    /// The feature templates; `None` if tokens have attributes.
    pub templates: Option<Templates>,
    /// How sentences were laid out.
    pub layout: Layout,
    /// The features that have a weight.
    pub vocabulary: Vocabulary,
    /// Their weights.
    pub weights: Weights,
    /// The search for the best tags.
    pub chain: Chain,
    /// The scheme that constrains the tags, if any.
    pub scheme: Option<Scheme>,
    /// The scheme of the output, if it differs from the learned one.
    pub written: Option<Scheme>,
    /// Words that always have the same tag.
    pub dictionary: Words,
    /// How it was trained.
    pub facts: TaggerFacts,
}

/// A dictionary of words and their tags.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Words {
    /// The words.
    pub words: Strings,
    /// The tag of each.
    pub tags: Vec<u32>,
}

/// The learners of a tagger, by name: the average of the weights is kept, or the last.
pub(super) const AVERAGED: &str = "averaged";
pub(super) const LAST: &str = "perceptron";

impl Words {
    /// The tag of a word, or [`FREE`].
    pub(crate) fn tag_of(&self, word: &[u8]) -> u32 {
        self.words.find(word).map_or(FREE, |at| self.tags[at as usize])
    }
}

/// How a tagger was trained.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaggerFacts {
    /// `averaged` or `perceptron`.
    pub learner: String,
    /// Training sentences.
    pub sentences: u64,
    /// Their tokens.
    pub tokens: u64,
    /// Sentences presented, over all passes.
    pub presented: u64,
    /// Sentences with a wrong tag, before their update.
    pub mistakes: u64,
    /// Mistakes of each pass.
    pub mistakes_by_epoch: Vec<u64>,
    /// Why training stopped.
    pub stopped: Stop,
    /// The order of the sentences.
    pub order: OrderKind,
    /// The seed of a shuffled order.
    pub seed: Option<u64>,
    /// XXH3-64 of the training file's (decompressed) bytes, if it came from a file.
    pub data: Option<u64>,
    /// The wrong tags in held-back sentences and in training sentences after each pass, if some were held back. Its examples
    /// are tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub validation: Option<Validation>,
}

impl TaggerFacts {
    /// The token errors of each pass, if sentences were held back.
    pub fn validated(&self) -> Option<Validated> {
        self.validation.as_ref().map(|record| Validated::new(record, self.tokens))
    }
}

impl Tagger {
    /// How many columns it needs.
    pub fn needs(&self) -> usize {
        let dictionary = usize::from(!self.dictionary.tags.is_empty());
        self.templates.as_ref().map_or(0, Templates::width).max(dictionary)
    }

    /// Opens a file of sentences in the layout of the training file.
    pub fn open<'a>(&self, input: &'a Input, tags: Tags) -> Result<Sentences<'a>> {
        Sentences::open_for(input, &self.layout, self.needs(), tags)
    }

    /// The tags of one sentence, each token being its columns without the tag.
    ///
    /// For a model of attributes, each token is its attributes. No [`limits`] apply: use [`tag_batches`](Self::tag_batches) for
    /// sentences of any length.
    pub fn tag<T: AsRef<str>>(&self, sentence: &[impl AsRef<[T]>]) -> Vec<String> {
        let batch = Batch::of(sentence);
        let mut worker = Worker::new(self);
        match limits::within(&Limits::NONE, || worker.tag(&batch)) {
            Ok(()) => worker.tags().iter().map(|&tag| worker.name(tag).to_string()).collect(),
            Err(error) => unreachable!("nothing fails without limits: {error}"),
        }
    }

    /// The name of a feature that scores a tag.
    pub fn emission_name(&self, feature: u32) -> String {
        self.name(self.vocabulary.emissions.get(feature), false)
    }

    /// The name of a feature that scores a pair of tags.
    pub fn edge_name(&self, feature: u32) -> String {
        self.name(self.vocabulary.edges.get(feature), true)
    }

    fn name(&self, key: &[u32], edge: bool) -> String {
        let values: Vec<_> = key[1..].iter().map(|&v| String::from_utf8_lossy(self.vocabulary.values.get(v))).collect();
        match &self.templates {
            None => values.concat(),
            Some(set) => {
                let list = if edge { &set.edges } else { &set.emissions };
                set.feature_name(&list[key[0] as usize], values.iter().map(|v| &**v))
            }
        }
    }
}

/// The transitions that a scheme forbids among these tags.
///
/// A tag from which no sentence can end is forbidden everywhere, so that no search reaches a dead end.
pub(crate) fn bars(scheme: Scheme, labels: &[String]) -> Bars {
    let tags = labels.len();
    let allows = |before: Option<usize>, tag: Option<usize>| {
        scheme.allows(before.map(|b| labels[b].as_str()), tag.map(|t| labels[t].as_str()))
    };
    let mut alive: Vec<bool> = (0..tags).map(|t| allows(Some(t), None)).collect();
    loop {
        let leads_on = |t: usize| (0..tags).any(|next| alive[next] && allows(Some(t), Some(next)));
        let now: Vec<bool> = (0..tags).map(|t| alive[t] || leads_on(t)).collect();
        if now == alive {
            break;
        }
        alive = now;
    }
    let befores = (0..tags).map(Some).chain([None]);
    let follows = befores.flat_map(|before| (0..tags).map(move |tag| (before, tag)));
    let follows = follows.map(|(before, tag)| alive[tag] && allows(before, Some(tag))).collect();
    Bars { follows, ends: (0..tags).map(|t| alive[t] && allows(Some(t), None)).collect() }
}

/// Tags batches; one per thread.
pub struct Worker<'a> {
    pub(super) tagger: &'a Tagger,
    extractor: Extractor,
    pub(super) prepared: Prepared,
    pub(super) scratch: Scratch,
    pub(super) answer: Vec<u32>,
    tags: Vec<u32>,
    names: Strings,
    /// The marginals of the last batch, if they were asked for.
    pub(super) shares: Vec<f64>,
}

impl<'a> Worker<'a> {
    /// A worker with empty buffers.
    pub fn new(tagger: &'a Tagger) -> Self {
        let mut names = Strings::default();
        tagger.labels.iter().for_each(|label| _ = names.intern(label.as_bytes()));
        Worker {
            tagger,
            extractor: Extractor::default(),
            prepared: Prepared::default(),
            scratch: Scratch::default(),
            answer: Vec::new(),
            tags: Vec::new(),
            names,
            shares: Vec::new(),
        }
    }

    /// Extracts the features of a batch, within the [`limits`].
    pub(super) fn prepare(&mut self, batch: &Batch) -> Result<()> {
        let Tagger { templates, vocabulary, dictionary, .. } = self.tagger;
        let known = |word: &[u8]| dictionary.tag_of(word);
        let asked: Option<super::features::Dictionary<'_>> =
            if dictionary.tags.is_empty() { None } else { Some(&known) };
        self.prepared.clear();
        self.extractor.batch(batch, templates.as_ref(), vocabulary, asked, &mut self.prepared);
        limits::check()
    }

    /// The marginals of every token of a batch: see [`Tagger::marginals`].
    pub(super) fn marginals(&mut self, batch: &Batch) -> Result<Vec<f64>> {
        self.prepare(batch)?;
        let mut shares = Vec::new();
        for number in 0..self.prepared.len() {
            let sentence = self.prepared.sentence(number);
            self.tagger.chain.marginals(&self.tagger.weights, sentence, &mut self.scratch, &mut shares)?;
        }
        Ok(shares)
    }

    /// Tags every token of a batch, within the [`limits`].
    pub fn tag(&mut self, batch: &Batch) -> Result<()> {
        let Tagger { chain, weights, written, .. } = self.tagger;
        self.prepare(batch)?;
        self.tags.clear();
        for number in 0..self.prepared.len() {
            let sentence = self.prepared.sentence(number);
            chain.check(sentence, &self.scratch)?;
            chain.decode(weights, sentence, &mut self.scratch, &mut self.answer);
            if Chain::stopped(&self.scratch) {
                limits::check()?;
            }
            match written {
                None => self.tags.extend_from_slice(&self.answer),
                Some(scheme) => {
                    let tags: Vec<&str> =
                        self.answer.iter().map(|&t| self.tagger.labels[t as usize].as_str()).collect();
                    let names = &mut self.names;
                    self.tags.extend(scheme.convert(&tags).iter().map(|tag| names.intern(tag.as_bytes())));
                }
            }
        }
        Ok(())
    }

    /// The tags of the last batch, token by token, as numbers for [`Worker::name`].
    pub fn tags(&self) -> &[u32] {
        &self.tags
    }

    /// Whether the tagger can predict this tag.
    pub fn knows(&self, tag: &str) -> bool {
        self.tagger.written.is_some() || self.names.find(tag.as_bytes()).is_some()
    }

    /// The name of a tag.
    pub fn name(&self, tag: u32) -> &str {
        std::str::from_utf8(self.names.get(tag)).unwrap_or("")
    }
}
