//! Sentences as a source of blocks, and a structured perceptron as what the loop trains.

use std::ops::ControlFlow;

use super::chain::Chain;
use super::features::Prepared;
use super::perceptron::Perceptron;
use crate::error::Result;
use crate::fit::{Block, BlockSource, Numbers, Order, Passed, Present, See, Trainee};
use crate::learn::{LearnsFrom, PassEnd, Presentable, Step, Tally, run};

/// Sentences with their features found, and the tag of every token.
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
        // A structure has no one margin: the best other answer is all that is looked for.
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
        soon: &[u32],
        failures: Option<&mut [u32]>,
    ) -> Result<Tally> {
        Ok(run(self, examples, order, soon, failures))
    }

    fn end_pass(&mut self, _presented: u64) -> PassEnd {
        PassEnd::default()
    }

    fn wants_margin(&self) -> bool {
        false
    }

    /// Every correction is by a whole number: weights do not overflow.
    fn is_finite(&self) -> bool {
        true
    }

    /// A pass without a mistake has moved nothing: it separates.
    fn separates(&self, _examples: Tagged<'_>) -> bool {
        true
    }

    /// A corpus never restarts: all of it was read before.
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
        Ok(match present(Block { examples: self.corpus, order: &self.order, soon: &[], numbers })? {
            ControlFlow::Continue(()) => Passed::Whole,
            ControlFlow::Break(stop) => Passed::Stopped(stop),
        })
    }

    fn scan<'s>(&mut self, see: &'s mut See<'s, Perceptron<Chain>>) -> Result<bool>
    where
        Perceptron<Chain>: 's,
    {
        see(self.corpus);
        Ok(true)
    }
}
