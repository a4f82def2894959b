//! Cross-validation of a tagger: each fold is tagged by what was learned from the others.

use super::conlleval::TagEvaluation;
use super::corpus::{Corpus, HeldSentences};
use super::trainer::{TaggerTrainer, TaggerWith};
use crate::error::{Error, Result};
use crate::limits;
use crate::message::Setting;
use crate::random::Stream;

/// The sentences of each fold, counted from 0: shuffled by the seed, and dealt out in turn.
pub fn sentence_folds(sentences: usize, folds: u32, seed: u64) -> Result<Vec<Vec<u32>>> {
    if folds < 2 || folds as usize > sentences {
        let why = format!("expected 2 to {sentences}, the number of sentences");
        return Err(Error::setting(Setting::Folds, folds, why));
    }
    let mut order: Vec<u32> = (0..sentences as u32).collect();
    Stream::new(seed, &[]).shuffle(&mut order);
    let fold = |k: usize| {
        let mut own: Vec<u32> = order.iter().copied().skip(k).step_by(folds as usize).collect();
        own.sort_unstable();
        own
    };
    Ok((0..folds as usize).map(fold).collect())
}

impl TaggerTrainer {
    /// Learns from all sentences of a corpus but these, and evaluates the tagger on them; also the number of passes.
    ///
    /// ```
    /// use rosenblatt::structured::sentence_folds;
    /// use rosenblatt::{Input, SequenceOptions, TaggerTrainer};
    /// let text = "the D\ndog N\nbarks V\n\na D\ncat N\nruns V\n\n".repeat(3);
    /// let trainer = TaggerTrainer::default();
    /// let corpus = trainer.read(&Input::memory("toy.conll", text), &SequenceOptions::default())?;
    /// for fold in sentence_folds(corpus.prepared.len(), 3, 0)? {
    ///     assert_eq!(trainer.judge_on(&corpus, &fold)?.0.token_accuracy, 1.0);
    /// }
    /// # Ok::<(), rosenblatt::Error>(())
    /// ```
    pub fn judge_on(&self, corpus: &Corpus, held: &[u32]) -> Result<(TagEvaluation, u32)> {
        let with = TaggerWith { held: Some(HeldSentences::Numbers(held)), ..TaggerWith::default() };
        let fitted = self.fit_with(corpus.clone(), with)?;
        // A training that was interrupted says nothing about the fold.
        limits::check()?;
        let passes = fitted.tagger.facts.mistakes_by_epoch.len() as u32;
        let judged = fitted.held.ok_or_else(|| Error::settings("no sentences are held back"))?;
        Ok((judged, passes))
    }
}
