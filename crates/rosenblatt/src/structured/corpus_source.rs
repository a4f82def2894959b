//! Sentences as a source of blocks, and the structured perceptron as a trainee.

use std::ops::ControlFlow;

use super::chain::Chain;
use super::features::Prepared;
use super::perceptron::Perceptron;
use crate::error::Result;
use crate::fit::{Block, BlockSource, Numbers, Order, Passed, Present, Trainee, Visit};
use crate::learn::{LearnsFrom, PassEnd, Presentable, Step, Tally, run};

/// Sentences with their features, and the tag of every token.
#[derive(Clone, Copy)]
pub(crate) struct Tagged<'a> {
    pub(super) sentences: &'a Prepared,
    pub(super) tags: &'a [u32],
}

impl Presentable for Tagged<'_> {}

impl<'a> LearnsFrom<Tagged<'a>> for Perceptron<Chain> {
    fn learn_at(&mut self, examples: Tagged<'a>, place: usize) -> Step {
        let Tagged { sentences, tags } = examples;
        let mistakes = u32::from(self.learn(sentences.sentence(place), &tags[sentences.tokens(place)]));
        // A structure has no margin here: the search finds only the best answer.
        Step { margin: if mistakes > 0 { -1.0 } else { 1.0 }, mistakes, updates: mistakes }
    }
}

impl Trainee for Perceptron<Chain> {
    type Examples<'a> = Tagged<'a>;
    type Learner = Perceptron<Chain>;
    // A sentence takes as long as many rows.
    const STRIDE: usize = 64;

    fn count(examples: Tagged<'_>) -> usize {
        examples.sentences.len()
    }

    fn learner(&self) -> &Self {
        self
    }

    fn present(
        &mut self,
        examples: Tagged<'_>,
        order: &[u32],
        upcoming: &[u32],
        failures: Option<&mut [u32]>,
    ) -> Result<Tally> {
        Ok(run(self, examples, order, upcoming, failures))
    }

    fn end_pass(&mut self, _presented: u64) -> PassEnd {
        PassEnd::default()
    }

    fn wants_margin(&self) -> bool {
        false
    }

    /// Every update is by a whole number: weights do not overflow.
    fn is_finite(&self) -> bool {
        true
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

/// A corpus in memory.
pub(super) struct CorpusSource<'a> {
    pub(super) corpus: Tagged<'a>,
    pub(super) kind: &'a Order,
    pub(super) order: Vec<u32>,
}

impl BlockSource<Perceptron<Chain>> for CorpusSource<'_> {
    fn length(&mut self, epoch: u32) -> Option<u64> {
        self.kind.fill_whole(epoch, self.corpus.sentences.len(), &mut self.order);
        Some(self.order.len() as u64)
    }

    fn pass(&mut self, _epoch: u32, _stride: usize, present: &mut Present<'_, Perceptron<Chain>>) -> Result<Passed> {
        let numbers = Numbers::From(0);
        Ok(match present(Block { examples: self.corpus, order: &self.order, upcoming: &[], numbers })? {
            ControlFlow::Continue(()) => Passed::Whole,
            ControlFlow::Break(stop) => Passed::Stopped(stop),
        })
    }

    fn scan<'s>(&mut self, visit: &'s mut Visit<'s, Perceptron<Chain>>) -> Result<bool>
    where
        Perceptron<Chain>: 's,
    {
        visit(self.corpus)?;
        Ok(true)
    }
}
