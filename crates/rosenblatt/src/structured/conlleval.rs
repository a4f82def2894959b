//! Evaluation of tags: by token, and by chunk as conlleval counts.
//!
//! A chunk is correct if its first token, its last token and its type are. With c correct chunks, g true and p predicted
//! ones: precision c/p, recall c/g, F1 = 2c/(g + p).

use std::collections::BTreeMap;

use serde::Serialize;

use super::scheme::{are_chunk_tags, chunks};

/// Precision, recall and F1 of chunks, or of tokens by their tag.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct ChunkScore {
    /// The share of the predicted chunks that are correct.
    pub precision: f64,
    /// The share of the true chunks that were found.
    pub recall: f64,
    /// Their harmonic mean.
    pub f1: f64,
    /// True chunks.
    pub support: u64,
    /// Predicted chunks.
    pub found: u64,
    /// Correct chunks.
    pub right: u64,
}

impl ChunkScore {
    /// Shares of these counts; 0/0 is 0, as in conlleval.
    pub fn new(support: u64, found: u64, right: u64) -> Self {
        let share = |part: u64, whole: u64| if whole == 0 { 0.0 } else { part as f64 / whole as f64 };
        let (precision, recall) = (share(right, found), share(right, support));
        ChunkScore { precision, recall, f1: share(2 * right, support + found), support, found, right }
    }
}

/// The evaluation of a tagger.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TagEvaluation {
    /// Sentences.
    pub sentences: u64,
    /// Their tokens.
    pub tokens: u64,
    /// The share of the tokens with the right tag.
    pub token_accuracy: f64,
    /// The share of the sentences with no wrong tag.
    pub sentence_accuracy: f64,
    /// All chunks; `None` if the tags are not chunk tags.
    pub chunks: Option<ChunkScore>,
    /// Chunks of each type.
    pub per_type: BTreeMap<String, ChunkScore>,
    /// Tokens of each tag, true or predicted.
    pub per_tag: BTreeMap<String, ChunkScore>,
    /// True tags that the tagger does not know, with their tokens: each is an error.
    pub unknown_tags: BTreeMap<String, u64>,
    /// Tokens whose word is in no training sentence, if the words of those are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unknown_words: Option<UnknownWords>,
    /// Tokens without a tag that were passed over.
    #[serde(skip_serializing_if = "is_zero")]
    pub untagged: u64,
    /// How many tokens of each true tag were given each tag; `(true, given)`.
    #[serde(skip)]
    pub confusion: BTreeMap<(String, String), u64>,
}

/// How a tagger does on words that it has not seen.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct UnknownWords {
    /// Tokens whose word is in no training sentence.
    pub tokens: u64,
    /// The share of them with the right tag.
    pub accuracy: f64,
}

fn is_zero(n: &u64) -> bool {
    *n == 0
}

/// Counts sentence by sentence.
#[derive(Debug, Clone, Default)]
pub(crate) struct Counter {
    sentences: u64,
    right_sentences: u64,
    tokens: u64,
    right_tokens: u64,
    /// Of each type: true, predicted, correct.
    types: BTreeMap<String, [u64; 3]>,
    /// Tokens of each pair of a true tag and a given one.
    pairs: BTreeMap<(String, String), u64>,
    unknown: BTreeMap<String, u64>,
    /// Tokens with unknown words, and those of them with the right tag; `None` if nothing is known about words.
    unknown_words: Option<[u64; 2]>,
    untagged: u64,
}

/// Counts one in a place of a kind.
fn count(counts: &mut BTreeMap<String, [u64; 3]>, kind: &str, place: usize) {
    match counts.get_mut(kind) {
        Some(counts) => counts[place] += 1,
        None => counts.entry(kind.to_string()).or_default()[place] += 1,
    }
}

/// Adds counts of one kind after the other.
fn add(own: &mut BTreeMap<String, [u64; 3]>, other: BTreeMap<String, [u64; 3]>) {
    for (kind, counts) in other {
        let own = own.entry(kind).or_default();
        own.iter_mut().zip(counts).for_each(|(own, count)| *own += count);
    }
}

impl Counter {
    /// Counts one sentence.
    ///
    /// `new_words`: whether the word of each token is unknown; empty if that is not known.
    pub(crate) fn sentence(
        &mut self,
        truth: &[&str],
        answer: &[&str],
        new_words: &[bool],
        known: impl Fn(&str) -> bool,
    ) {
        self.sentences += 1;
        self.tokens += truth.len() as u64;
        let right = truth.iter().zip(answer).filter(|(a, b)| a == b).count() as u64;
        self.right_tokens += right;
        self.right_sentences += u64::from(right == truth.len() as u64);
        for tag in truth.iter().filter(|tag| !known(tag)) {
            *self.unknown.entry((*tag).to_string()).or_default() += 1;
        }
        for (truth, answer) in truth.iter().zip(answer) {
            *self.pairs.entry(((*truth).to_string(), (*answer).to_string())).or_default() += 1;
        }
        if !new_words.is_empty() {
            let [all, right] = self.unknown_words.get_or_insert_default();
            for ((truth, answer), _) in truth.iter().zip(answer).zip(new_words).filter(|(_, is_new)| **is_new) {
                *all += 1;
                *right += u64::from(truth == answer);
            }
        }
        let (truth, answer) = (chunks(truth), chunks(answer));
        truth.iter().for_each(|chunk| count(&mut self.types, chunk.kind, 0));
        answer.iter().for_each(|chunk| count(&mut self.types, chunk.kind, 1));
        // Both are sorted by start, and no two start at one token.
        let mut others = answer.iter().peekable();
        for chunk in &truth {
            while others.next_if(|other| other.start < chunk.start).is_some() {}
            if others.peek() == Some(&chunk) {
                count(&mut self.types, chunk.kind, 2);
            }
        }
    }

    /// Adds the counts of another.
    pub(crate) fn add(&mut self, other: Counter) {
        self.sentences += other.sentences;
        self.right_sentences += other.right_sentences;
        self.tokens += other.tokens;
        self.right_tokens += other.right_tokens;
        add(&mut self.types, other.types);
        for (pair, count) in other.pairs {
            *self.pairs.entry(pair).or_default() += count;
        }
        if let Some(counts) = other.unknown_words {
            self.unknown_words.get_or_insert_default().iter_mut().zip(counts).for_each(|(own, count)| *own += count);
        }
        self.untagged += other.untagged;
        for (tag, count) in other.unknown {
            *self.unknown.entry(tag).or_default() += count;
        }
    }

    /// Counts tokens without a tag that were passed over.
    pub(crate) fn pass_over(&mut self, tokens: u64) {
        self.untagged += tokens;
    }

    /// The evaluation. Chunks are counted if all labels of the model are chunk tags.
    pub(crate) fn finish<'a>(self, labels: impl IntoIterator<Item = &'a str>) -> TagEvaluation {
        let share = |part: u64, whole: u64| if whole == 0 { 0.0 } else { part as f64 / whole as f64 };
        let score = |[support, found, right]: [u64; 3]| ChunkScore::new(support, found, right);
        let are_chunks = are_chunk_tags(labels);
        let mut all = [0; 3];
        for counts in self.types.values() {
            all.iter_mut().zip(counts).for_each(|(all, count)| *all += count);
        }
        let mut tags: BTreeMap<String, [u64; 3]> = BTreeMap::new();
        for ((truth, answer), times) in &self.pairs {
            tags.entry(truth.clone()).or_default()[0] += times;
            tags.entry(answer.clone()).or_default()[1] += times;
            if truth == answer {
                tags.entry(truth.clone()).or_default()[2] += times;
            }
        }
        let types = self.types.into_iter().filter(|_| are_chunks).map(|(kind, counts)| (kind, score(counts)));
        TagEvaluation {
            sentences: self.sentences,
            tokens: self.tokens,
            token_accuracy: share(self.right_tokens, self.tokens),
            sentence_accuracy: share(self.right_sentences, self.sentences),
            chunks: are_chunks.then(|| score(all)),
            per_type: types.collect(),
            per_tag: tags.into_iter().map(|(tag, counts)| (tag, score(counts))).collect(),
            unknown_tags: self.unknown,
            unknown_words: self
                .unknown_words
                .map(|[tokens, right]| UnknownWords { tokens, accuracy: share(right, tokens) }),
            untagged: self.untagged,
            confusion: self.pairs,
        }
    }
}
