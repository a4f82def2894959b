//! Training of a tagger on batches of sentences.
//!
//! All batches together are one pass: in cyclic order the tagger equals that of one pass over all of them, wherever they
//! were cut. In shuffled order each batch is shuffled by itself. Features and tags may appear at any time.

use std::ops::ControlFlow;

use super::corpus::Reading;
use super::corpus_source::{Tagged, TaggerTrainee};
use super::features::Vocabulary;
use super::perceptron::Perceptron;
use super::scheme::Scheme;
use super::tagger::{AVERAGED, Tagger, Words};
use super::trainer::{Constrain, Facts, TaggerTrainer, compact};
use crate::error::{Error, Result};
use crate::fit::{Block, BlockSource, Numbers, Observer, Order, Passed, Present, Scored, Training, Visit, overflowed};
use crate::learn::{Progress, Stop};
use crate::limits;
use crate::message::{Message, Setting};
use crate::rows::list;
use crate::structured::chain::{Chain, Reach, Weights};
use crate::structured::read::{Batch, Layout, SequenceFormat};
use crate::structured::template::Templates;

/// A tagger that is trained batch by batch.
///
/// ```
/// use rosenblatt::structured::read::Batch;
/// use rosenblatt::structured::OnlineTagger;
/// use rosenblatt::TaggerTrainer;
/// let mut online = OnlineTagger::new(TaggerTrainer::default(), &["D", "N", "V"])?;
/// let mut batch = Batch::default();
/// for (word, tag) in [("the", "D"), ("dog", "N"), ("barks", "V")] {
///     batch.put(word);
///     batch.end_token(Some(tag));
/// }
/// batch.end_sentence();
/// online.learn("the sentences", &batch, 1, &mut ())?;
/// online.learn("the sentences", &batch, 1, &mut ())?;
/// assert_eq!(online.tagger()?.tag(&[["the"], ["dog"]]), ["D", "N"]);
/// # Ok::<(), rosenblatt::Error>(())
/// ```
pub struct OnlineTagger {
    trainer: TaggerTrainer,
    /// The tags and features so far.
    reading: Reading,
    /// The perceptron, and the layout of the first sentences; `None` before the first batch.
    begun: Option<(TaggerTrainee, Layout)>,
    /// The scheme that constrains the tags.
    scheme: Option<Scheme>,
    progress: Progress,
    batches: u32,
    tokens: u64,
}

impl OnlineTagger {
    /// Starts at zero; ignores the trainer's number of passes. These tags are known from the beginning.
    pub fn new(trainer: TaggerTrainer, tags: &[impl AsRef<str>]) -> Result<Self> {
        let needs = |setting: Setting| {
            Err(Error::settings(setting.named().text(" needs all sentences at once: leave it out for batches")))
        };
        if trainer.dictionary.is_some() {
            return needs(Setting::TagDictionary);
        }
        let scheme = match (trainer.constrain, trainer.encode) {
            (Constrain::No, _) => None,
            (Constrain::By(scheme), _) | (Constrain::Found, Some(scheme)) => Some(scheme),
            (Constrain::Found, None) => {
                let why = "needs all sentences at once: name a scheme for batches";
                return Err(Error::setting(Setting::Constrain, "auto", why));
            }
        };
        let mut reading = Reading::new(trainer.templates.clone(), trainer.encode, false);
        tags.iter().for_each(|tag| _ = reading.labels.intern(tag.as_ref().as_bytes()));
        let progress = Progress::default();
        Ok(OnlineTagger { trainer, reading, begun: None, scheme, progress, batches: 0, tokens: 0 })
    }

    /// Starts from the weights of a tagger, with its templates and its scheme. Its sentences count for nothing: the average is
    /// that of the batches to come.
    pub fn from_tagger(trainer: TaggerTrainer, tagger: &Tagger) -> Result<Self> {
        if tagger.written.is_some() && trainer.encode.is_none() {
            let why = ": the tagger learned its tags in another scheme, which has to be named again";
            return Err(Error::settings(Setting::Encode.named().text(why)));
        }
        if !tagger.dictionary.tags.is_empty() {
            let why = ": a tagger with a dictionary of words cannot be trained on";
            return Err(Error::settings(Setting::TagDictionary.named().text(why)));
        }
        let constrain = tagger.scheme.map_or(Constrain::No, Constrain::By);
        let trainer = TaggerTrainer { templates: tagger.templates.clone(), constrain, ..trainer };
        let averaged = trainer.averaged;
        let mut online = OnlineTagger::new(trainer, &tagger.labels)?;
        online.reading.vocabulary = tagger.vocabulary.clone();
        let perceptron = Perceptron::new(tagger.chain.clone(), tagger.weights.in_training(1.0));
        online.begun = Some((TaggerTrainee { perceptron, averaged }, tagger.layout.clone()));
        Ok(online)
    }

    /// Learns from one batch, once; why it stopped before its end, if it did. Tokens have so many columns beside the tag, or 0
    /// if they have attributes; `name` is what errors call the sentences.
    pub fn learn(
        &mut self,
        name: &str,
        batch: &Batch,
        columns: usize,
        observer: &mut dyn Observer<Perceptron<Chain>>,
    ) -> Result<Option<Stop>> {
        self.learn_from(name, batch, columns, observer).map_err(|e| e.in_file(name))
    }

    fn learn_from(
        &mut self,
        name: &str,
        batch: &Batch,
        columns: usize,
        observer: &mut dyn Observer<Perceptron<Chain>>,
    ) -> Result<Option<Stop>> {
        if batch.tokens().is_empty() {
            return Err(Error::bad_data("no sentences"));
        }
        self.check_kind(columns)?;
        let layout = layout_of(columns);
        self.reading.forget_sentences();
        self.reading.batch(batch, &layout).map_err(|fault| fault.of(name))?;
        limits::check()?;
        self.grow(layout)?;
        let Some((trainee, _)) = &mut self.begun else { unreachable!("grow begins") };
        let mut order = Vec::new();
        self.trainer.order.fill_whole(self.batches, self.reading.prepared.len(), &mut order);
        self.batches = self.batches.wrapping_add(1);
        self.tokens += self.reading.tags.len() as u64;
        let sentences = Tagged { sentences: &self.reading.prepared, tags: &self.reading.tags, output: None };
        let mut source = SentenceBatch { sentences, order: &order };
        let mut training = Training::new(trainee, observer);
        training.progress = std::mem::take(&mut self.progress);
        let passed = training.pass(&mut source, 0);
        let ended = match passed {
            Ok(Passed::Stopped(stop)) => Ok(Some(stop)),
            Ok(_) => training.end_block(order.len() as u64).map(|_| None),
            Err(error) => Err(error),
        };
        self.progress = training.progress;
        ended
    }

    /// Refuses words after attributes, and attributes after words.
    fn check_kind(&self, columns: usize) -> Result<()> {
        match &self.begun {
            Some((_, first)) if (first.columns == 0) != (columns == 0) => {
                Err(Error::bad_data("all tokens are words, or all have attributes, in every batch"))
            }
            None if columns == 0 && self.trainer.templates.is_some() => {
                Err(Error::settings(Setting::Templates.named().text(": the tokens have attributes instead")))
            }
            _ => Ok(()),
        }
    }

    /// Makes room for new features and tags.
    fn grow(&mut self, layout: Layout) -> Result<()> {
        let Reading { labels, templates, .. } = &mut self.reading;
        if self.scheme.is_some() {
            // As for a whole corpus: O is always allowed.
            labels.intern(b"O");
            if let Some(set) = templates {
                set.first |= set.reach() == Reach::None;
            }
        }
        let reach = templates.as_ref().map_or(Reach::First, Templates::reach);
        let names = self.reading.tag_names();
        if names.len() < 2 {
            let why = format!("every token so far has the tag {}: name all tags in the first batch", list(&names));
            return Err(Error::bad_data(why));
        }
        let known = self.begun.as_ref().map(|(trainee, _)| trainee.perceptron.structure().tags);
        let Vocabulary { emissions, edges, .. } = &self.reading.vocabulary;
        let (emissions, edges) = (emissions.len(), edges.len());
        if known == Some(names.len()) {
            if let Some((trainee, _)) = &mut self.begun {
                trainee.perceptron.parts_mut().1.grow(names.len(), reach, emissions, edges);
            }
            return Ok(());
        }
        let chain = self.trainer.chain(&names, reach, self.scheme)?;
        Weights::check_memory(names.len(), reach)?;
        match &mut self.begun {
            Some((trainee, _)) => {
                let (structure, weights) = trainee.perceptron.parts_mut();
                weights.grow(names.len(), reach, emissions, edges);
                *structure = chain;
            }
            None => {
                let perceptron = Perceptron::new(chain, Weights::new(names.len(), reach, emissions, edges));
                self.begun = Some((TaggerTrainee { perceptron, averaged: self.trainer.averaged }, layout));
            }
        }
        Ok(())
    }

    /// The tags so far, in order of first occurrence.
    pub fn labels(&self) -> Vec<String> {
        self.reading.tag_names()
    }

    /// How far training has come.
    pub fn progress(&self) -> &Progress {
        &self.progress
    }

    /// The tagger so far, as if the pass ended here.
    pub fn tagger(&self) -> Result<Tagger> {
        let (trainee, _) = self.begun()?;
        self.tagger_of(&trainee.hypothesis())
    }

    fn begun(&self) -> Result<(&TaggerTrainee, &Layout)> {
        let nothing = || Error::bad_data("no sentences were learned from yet");
        self.begun.as_ref().map(|(trainee, layout)| (trainee, layout)).ok_or_else(nothing)
    }

    fn tagger_of(&self, weights: &Weights) -> Result<Tagger> {
        let (trainee, layout) = self.begun()?;
        let mut progress = self.progress.clone();
        progress.end_pass();
        let chain = trainee.perceptron.structure().clone();
        let (vocabulary, weights) = compact(&self.reading.vocabulary, weights, chain.tags);
        if !weights.is_finite() {
            return Err(overflowed(&progress));
        }
        let counts = Facts { sentences: progress.presented, tokens: self.tokens, data: None };
        Ok(Tagger {
            labels: self.reading.tag_names(),
            templates: self.reading.templates.clone(),
            layout: layout.clone(),
            vocabulary,
            weights,
            chain,
            scheme: self.scheme,
            written: self.reading.output_scheme(),
            dictionary: Words::default(),
            facts: self.trainer.facts(&counts, &progress, Stop::MaxEpochs, None),
        })
    }

    /// The state as two taggers: one has the last weights, the other the sums that the average needs as its weights. With the
    /// number of batches and the scheme to learn in, [`resume`](Self::resume) goes on from them.
    pub fn state(&self) -> Result<([Tagger; 2], u32, Option<Scheme>)> {
        let (trainee, _) = self.begun()?;
        let weights = trainee.perceptron.weights();
        Ok(([self.tagger_of(weights)?, self.tagger_of(&weights.sums())?], self.batches, self.trainer.encode))
    }

    /// Goes on from a [`state`](Self::state).
    pub fn resume([last, sums]: &[Tagger; 2], batches: u32, encode: Option<Scheme>) -> Result<Self> {
        if last.labels != sums.labels || last.templates != sums.templates || last.facts != sums.facts {
            return Err(Error::bad_model(Message::new("the two parts of a paused training contradict each other")));
        }
        let facts = &last.facts;
        let trainer = TaggerTrainer {
            averaged: facts.learner == AVERAGED,
            order: facts.seed.map_or(Order::Cyclic, |seed| Order::Shuffled { seed }),
            search: last.chain.search,
            encode,
            ..TaggerTrainer::default()
        };
        let mut online = OnlineTagger::from_tagger(trainer, last)?;
        online.reading.written_before = last.written;
        let Some((trainee, _)) = &mut online.begun else { unreachable!("it starts from a tagger") };
        let mut weights = last.weights.in_training(0.0);
        join(&mut online.reading.vocabulary, &mut weights, sums);
        let chain = last.chain.clone();
        trainee.perceptron = Perceptron::resumed(chain, weights, facts.presented, facts.mistakes);
        online.progress = Progress {
            position: facts.presented,
            presented: facts.presented,
            mistakes: facts.mistakes,
            updates: facts.mistakes,
            pass_mistakes: facts.mistakes,
            pass_updates: facts.mistakes,
            ..Progress::default()
        };
        (online.batches, online.tokens) = (batches, facts.tokens);
        Ok(online)
    }
}

/// Gives weights their sums, which another tagger has as its weights. Features of either may be missing in the other.
fn join(vocabulary: &mut Vocabulary, weights: &mut Weights, sums: &Tagger) {
    for (edge, keys) in [&sums.vocabulary.emissions, &sums.vocabulary.edges].into_iter().enumerate() {
        for (feature, key) in (0..).zip(keys.iter()) {
            let values = key[1..].iter().map(|&value| vocabulary.values.intern(sums.vocabulary.values.get(value)));
            let key: Vec<u32> = std::iter::once(key[0]).chain(values).collect();
            let (known, rows, from) = if edge == 0 {
                (&mut vocabulary.emissions, &mut weights.emissions, &sums.weights.emissions)
            } else {
                (&mut vocabulary.edges, &mut weights.edges, &sums.weights.edges)
            };
            let own = known.intern(&key);
            rows.grow_to(known.len());
            from.row(feature).iter().for_each(|entry| rows.add(own, entry.slot, 0.0, entry.weight));
        }
    }
    weights.take_sums_of_transitions(&sums.weights);
}

/// The layout of sentences in memory.
pub(super) fn layout_of(columns: usize) -> Layout {
    let format = if columns == 0 { SequenceFormat::Crfsuite } else { SequenceFormat::Conll };
    Layout { format, columns, tag_at: columns }
}

/// One batch, as a source of one block.
struct SentenceBatch<'a> {
    sentences: Tagged<'a>,
    order: &'a [u32],
}

impl<'b> BlockSource<&'b mut TaggerTrainee> for SentenceBatch<'_> {
    fn length(&mut self, _epoch: u32) -> Option<u64> {
        // All batches together are one pass of unknown length.
        None
    }

    fn pass(&mut self, _: u32, _: usize, present: &mut Present<'_, &'b mut TaggerTrainee>) -> Result<Passed> {
        let block = Block { examples: self.sentences, order: self.order, upcoming: &[], numbers: Numbers::From(0) };
        Ok(match present(block)? {
            ControlFlow::Continue(()) => Passed::Whole,
            ControlFlow::Break(stop) => Passed::Stopped(stop),
        })
    }

    fn scan<'s>(&mut self, visit: &'s mut Visit<'s, &'b mut TaggerTrainee>) -> Result<bool>
    where
        'b: 's,
    {
        visit(self.sentences)?;
        Ok(true)
    }
}
