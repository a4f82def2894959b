//! Why a token got its tag: what its features and its neighbours' tags add to the score, against the next best tag.
//!
//! The other tags of the sentence stay as they were predicted. With y the prediction and y' the same but for one token, the
//! difference w·φ(x, y) − w·φ(x, y') is a sum over the features of the token and the transitions to it and from it. The tag
//! that makes it smallest is the next best.

use serde::Serialize;

use super::structure::Structure;
use super::tagger::{Tagger, Worker};
use crate::error::Result;
use crate::limits;
use crate::structured::chain::{FREE, Key, Sentence};
use crate::structured::read::{Batch, Token};

/// A feature or a pair of tags, and what it adds to the score of the tag against the next best.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Reason {
    /// The feature; for the tags around it `between X and Y`.
    pub feature: String,
    /// What it adds.
    pub adds: f64,
}

/// Why a token got its tag.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TagExplanation {
    /// The token: its first column, or its attributes.
    pub token: String,
    /// The predicted tag, in the scheme that is learned.
    pub tag: String,
    /// The next best tag, if another is allowed here.
    pub next: Option<String>,
    /// By how much the tag scores higher than the next best; a beam may miss a better one.
    pub ahead: Option<f64>,
    /// The strongest reasons, for and against.
    pub reasons: Vec<Reason>,
    /// Whether the word always has this tag, by the dictionary.
    pub fixed: bool,
}

impl Worker<'_> {
    /// Explains every token of a batch, sentence by sentence, with at most `top` reasons each.
    pub(super) fn explain(&mut self, batch: &Batch, top: usize) -> Result<Vec<Vec<TagExplanation>>> {
        self.prepare(batch)?;
        let mut all = Vec::new();
        for number in 0..batch.sentences() {
            let (sentence, tokens) = (self.prepared.sentence(number), batch.sentence(number));
            self.tagger.chain.check(sentence, &self.scratch)?;
            self.tagger.chain.decode(&self.tagger.weights, sentence, &mut self.scratch, &mut self.answer);
            limits::check()?;
            let names = tokens.iter().map(|token| self.tagger.shown(batch, token));
            let explained =
                (0..).zip(names).map(|(i, name)| self.tagger.explain_token(sentence, &self.answer, i, name, top));
            all.push(explained.collect());
        }
        Ok(all)
    }
}

impl Tagger {
    /// Why each token of a batch got its tag, sentence by sentence: at most `top` reasons each, the strongest first.
    ///
    /// ```
    /// use rosenblatt::structured::read::Batch;
    /// use rosenblatt::{Input, SequenceOptions, TaggerTrainer};
    /// let trainer = TaggerTrainer::default();
    /// let corpus = trainer.read(&Input::memory("toy.conll", "the D\ndog N\n\na D\ncat N\n"), &SequenceOptions::default())?;
    /// let tagger = trainer.fit(corpus, &mut ())?;
    /// let why = tagger.explain(&Batch::of(&[["the"], ["cat"]]), usize::MAX)?;
    /// let cat = &why[0][1];
    /// assert_eq!((cat.tag.as_str(), cat.next.as_deref()), ("N", Some("D")));
    /// let sum: f64 = cat.reasons.iter().map(|reason| reason.adds).sum();
    /// assert!((sum - cat.ahead.unwrap()).abs() < 1e-9);
    /// # Ok::<(), rosenblatt::Error>(())
    /// ```
    pub fn explain(&self, batch: &Batch, top: usize) -> Result<Vec<Vec<TagExplanation>>> {
        Worker::new(self).explain(batch, top)
    }

    /// A token as it is shown.
    fn shown(&self, batch: &Batch, token: &Token) -> String {
        if self.layout.columns > 0 {
            return String::from_utf8_lossy(batch.field(token, 0)).into_owned();
        }
        let attributes: Vec<_> = batch.attributes(token).map(|(name, _)| String::from_utf8_lossy(name)).collect();
        attributes.join(" ")
    }

    fn explain_token(&self, x: Sentence<'_>, tags: &[u32], i: usize, token: String, top: usize) -> TagExplanation {
        let mut other = tags.to_vec();
        let mut next: Option<(f64, u32)> = None;
        for tag in (0..self.chain.tags as u32).filter(|&tag| tag != tags[i]) {
            other[i] = tag;
            if !self.chain.allows(&other) {
                continue;
            }
            let mut ahead = 0.0;
            self.chain.difference(x, tags, &other, |key, sign| ahead += sign * self.weights.at(key));
            if next.is_none_or(|(least, _)| ahead < least) {
                next = Some((ahead, tag));
            }
        }
        let name = |tag: u32| self.labels[tag as usize].clone();
        let mut reasons: Vec<Reason> = Vec::new();
        if let Some((_, tag)) = next {
            other[i] = tag;
            let mut add = |feature: String, adds: f64| match reasons.iter_mut().find(|r| r.feature == feature) {
                Some(reason) => reason.adds += adds,
                None => reasons.push(Reason { feature, adds }),
            };
            self.chain.difference(x, tags, &other, |key, sign| {
                let weight = self.weights.at(key);
                if weight != 0.0 {
                    add(self.name_of(key, tags, i), sign * weight);
                }
            });
        }
        reasons.retain(|reason| reason.adds != 0.0);
        reasons.sort_by(|a, b| b.adds.abs().total_cmp(&a.adds.abs()));
        reasons.truncate(top);
        let fixed = x.fixed.get(i).is_some_and(|&tag| tag != FREE);
        TagExplanation {
            token,
            tag: name(tags[i]),
            next: next.map(|(_, tag)| name(tag)),
            ahead: next.map(|(ahead, _)| ahead),
            reasons,
            fixed,
        }
    }

    /// What a weight belongs to, without the tag of token `i` itself.
    fn name_of(&self, key: Key, tags: &[u32], i: usize) -> String {
        let tag = |at: Option<usize>, edge: &str| {
            at.and_then(|at| tags.get(at)).map_or(edge.to_string(), |&tag| self.labels[tag as usize].clone())
        };
        match key {
            Key::Emission(feature, _) => self.emission_name(feature),
            Key::Edge(feature, _) => format!("tag[-1] {}", self.edge_name(feature)),
            Key::First(_) | Key::Second(_) => {
                format!("between {} and {}", tag(i.checked_sub(1), "the start"), tag(Some(i + 1), "the end"))
            }
        }
    }
}
