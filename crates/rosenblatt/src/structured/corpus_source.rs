//! Sentences as a source of blocks, and the structured perceptron as a trainee.

use std::ops::{ControlFlow, Range};

use super::chain::{Chain, FREE, Scratch, Weights};
use super::conlleval::{Counter, TagEvaluation};
use super::features::Prepared;
use super::perceptron::Perceptron;
use super::scheme::Scheme;
use super::structure::{Store, Structure};
use crate::error::Result;
use crate::fit::{Block, BlockSource, Numbers, Order, Passed, Present, Scored, Trainee, Visit};
use crate::learn::{LearnsFrom, PassEnd, Presentable, Step, Tally, run};
use crate::limits;
use crate::parallel;

/// Sentences with their features, and the tag of every token.
#[derive(Clone, Copy)]
pub(crate) struct Tagged<'a> {
    pub(super) sentences: &'a Prepared,
    pub(super) tags: &'a [u32],
    /// The names of the tags and the scheme of the output, if it is not the scheme that is learned.
    pub(super) output: Option<(&'a [String], Scheme)>,
}

impl Presentable for Tagged<'_> {}

impl Tagged<'_> {
    /// How many tags of an answer are wrong in the scheme of the output, which is the one of the file.
    fn wrong(&self, truth: &[u32], answer: &[u32]) -> u64 {
        let differ = |a: &[u32], b: &[u32]| a.iter().zip(b).filter(|(a, b)| a != b).count() as u64;
        match self.output {
            Some((labels, scheme)) if truth != answer => {
                let written = |tags: &[u32]| {
                    let names = tags.iter().map(|&tag| labels.get(tag as usize).map_or("", String::as_str));
                    scheme.convert(&names.collect::<Vec<_>>())
                };
                let pairs = written(truth).into_iter().zip(written(answer)).zip(truth);
                // An unknown tag is wrong, whatever it is in the other scheme.
                pairs.filter(|((a, b), tag)| **tag == FREE || a != b).count() as u64
            }
            _ => differ(truth, answer),
        }
    }

    /// The evaluation of these weights on the sentences; `None` if a tag is not among the labels.
    ///
    /// `new_words`: whether the word of each token is unknown; empty if tokens have attributes.
    pub(super) fn evaluate(
        self,
        chain: &Chain,
        weights: &Weights,
        labels: &[String],
        new_words: &[bool],
    ) -> Result<Option<TagEvaluation>> {
        if self.tags.contains(&FREE) {
            return Ok(None);
        }
        let some = |numbers: Range<usize>, scratch: &mut Scratch| -> Result<Counter> {
            let (mut counter, mut answer) = (Counter::default(), Vec::new());
            for number in numbers {
                let (sentence, tokens) = (self.sentences.sentence(number), self.sentences.tokens(number));
                chain.check(sentence, scratch)?;
                chain.decode(weights, sentence, scratch, &mut answer);
                if Chain::stopped(scratch) {
                    limits::check()?;
                }
                let names = |tags: &[u32]| -> Vec<&str> { tags.iter().map(|&t| labels[t as usize].as_str()).collect() };
                let (truth, answer) = (names(&self.tags[tokens.clone()]), names(&answer));
                let new = new_words.get(tokens).unwrap_or_default();
                match self.output {
                    None => counter.sentence(&truth, &answer, new, |_| true),
                    Some((_, scheme)) => {
                        let [truth, answer] = [scheme.convert(&truth), scheme.convert(&answer)];
                        counter.sentence(&texts(&truth), &texts(&answer), new, |_| true);
                    }
                }
            }
            limits::check().map(|()| counter)
        };
        let mut counted: Vec<Result<Counter>> = Vec::new();
        counted.resize_with(self.sentences.len().div_ceil(SOME), || Ok(Counter::default()));
        parallel::for_chunks_in(&mut counted, 1, &Scratch::default, &|scratch, chunk, counted| {
            counted[0] = some(chunk * SOME..self.sentences.len().min((chunk + 1) * SOME), scratch);
        });
        let mut all = Counter::default();
        counted.into_iter().try_for_each(|counter| counter.map(|counter| all.add(counter)))?;
        Ok(Some(all.finish(labels.iter().map(String::as_str))))
    }
}

/// Texts as slices.
fn texts(tags: &[String]) -> Vec<&str> {
    tags.iter().map(String::as_str).collect()
}

impl<'a> LearnsFrom<Tagged<'a>> for Perceptron<Chain> {
    fn learn_at(&mut self, examples: Tagged<'a>, place: usize) -> Step {
        let Tagged { sentences, tags, .. } = examples;
        let mistakes = u32::from(self.learn(sentences.sentence(place), &tags[sentences.tokens(place)]));
        // A structure has no margin here: the search finds only the best answer.
        Step { margin: if mistakes > 0 { -1.0 } else { 1.0 }, mistakes, updates: mistakes }
    }
}

/// A perceptron in training, and which of its weights are kept.
pub(crate) struct TaggerTrainee {
    pub(super) perceptron: Perceptron<Chain>,
    pub(super) averaged: bool,
}

impl TaggerTrainee {
    /// The weights that are kept.
    pub(super) fn finish(self) -> (Chain, Weights) {
        if self.averaged { self.perceptron.averaged() } else { self.perceptron.last() }
    }
}

impl Trainee for TaggerTrainee {
    type Examples<'a> = Tagged<'a>;
    type Learner = Perceptron<Chain>;
    // A sentence takes as long as many rows.
    const STRIDE: usize = 64;

    fn count(examples: Tagged<'_>) -> usize {
        examples.sentences.len()
    }

    fn learner(&self) -> &Perceptron<Chain> {
        &self.perceptron
    }

    fn present(
        &mut self,
        examples: Tagged<'_>,
        order: &[u32],
        _upcoming: &[u32],
        mut failures: Option<&mut [u32]>,
    ) -> Result<Tally> {
        let mut all = Tally::default();
        for one in order.chunks(1) {
            self.perceptron.check(examples.sentences.sentence(one[0] as usize))?;
            let tally = run(&mut self.perceptron, examples, one, &[], failures.as_deref_mut());
            if self.perceptron.stopped() {
                break;
            }
            all.presented += tally.presented;
            all.mistakes += tally.mistakes;
            all.updates += tally.updates;
            all.last_margin = tally.last_margin;
        }
        Ok(all)
    }

    fn end_pass(&mut self, _presented: u64) -> PassEnd {
        PassEnd::default()
    }

    fn wants_margin(&self) -> bool {
        false
    }

    fn is_finite(&self) -> bool {
        self.perceptron.weights().is_finite()
    }

    /// A pass without mistakes has no updates: the weights separate.
    fn separates(&self, _examples: Tagged<'_>) -> bool {
        true
    }

    /// Not called: a corpus never restarts.
    fn restart(&mut self) -> Result<()> {
        Ok(())
    }
}

/// Sentences that one thread tags at a time.
const SOME: usize = 64;

impl Scored for TaggerTrainee {
    type Hypothesis = Weights;

    fn hypothesis(&self) -> Weights {
        let mut weights = self.perceptron.weights().clone();
        if self.averaged {
            weights.average(self.perceptron.presented());
        }
        weights
    }

    /// One for each token.
    fn answers(examples: Tagged<'_>) -> u64 {
        examples.tags.len() as u64
    }

    fn wrong(&self, weights: &Weights, examples: Tagged<'_>) -> Result<u64> {
        let chain = self.perceptron.structure();
        let count = |number: usize, scratch: &mut Scratch, answer: &mut Vec<u32>| {
            let sentence = examples.sentences.sentence(number);
            chain.check(sentence, scratch)?;
            chain.decode(weights, sentence, scratch, answer);
            if Chain::stopped(scratch) {
                return Ok(0);
            }
            Ok(examples.wrong(&examples.tags[examples.sentences.tokens(number)], answer))
        };
        let mut wrong: Vec<Result<u64>> = Vec::new();
        wrong.resize_with(examples.sentences.len().div_ceil(SOME), || Ok(0));
        let room = || (Scratch::default(), Vec::new());
        parallel::for_chunks_in(&mut wrong, 1, &room, &|(scratch, answer), chunk, wrong| {
            let numbers = chunk * SOME..examples.sentences.len().min((chunk + 1) * SOME);
            wrong[0] = limits::check().and_then(|()| numbers.map(|number| count(number, scratch, answer)).sum());
        });
        let wrong: u64 = wrong.into_iter().sum::<Result<u64>>()?;
        limits::check()?;
        Ok(wrong)
    }
}

/// A corpus in memory.
pub(super) struct CorpusSource<'a> {
    pub(super) corpus: Tagged<'a>,
    pub(super) kind: &'a Order,
    pub(super) order: Vec<u32>,
}

impl BlockSource<TaggerTrainee> for CorpusSource<'_> {
    fn length(&mut self, epoch: u32) -> Option<u64> {
        self.kind.fill_whole(epoch, self.corpus.sentences.len(), &mut self.order);
        Some(self.order.len() as u64)
    }

    fn pass(&mut self, _epoch: u32, _stride: usize, present: &mut Present<'_, TaggerTrainee>) -> Result<Passed> {
        let numbers = Numbers::From(0);
        Ok(match present(Block { examples: self.corpus, order: &self.order, upcoming: &[], numbers })? {
            ControlFlow::Continue(()) => Passed::Whole,
            ControlFlow::Break(stop) => Passed::Stopped(stop),
        })
    }

    fn scan<'s>(&mut self, visit: &'s mut Visit<'s, TaggerTrainee>) -> Result<bool>
    where
        TaggerTrainee: 's,
    {
        visit(self.corpus)?;
        Ok(true)
    }
}
