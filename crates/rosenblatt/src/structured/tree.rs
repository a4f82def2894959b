//! Dependency trees: a head for each token. The second structure, beside sequences.
//!
//! A tree over tokens 1…n with the root 0 scores Σ w·φ(head, token) over its arcs. Eisner's algorithm (1996) finds the best
//! **projective** one, whose arcs do not cross, in n³ steps: spans grow from halves, a complete one (its head has all
//! its dependents on that side) and an incomplete one (an arc between its ends, still open inside).
//!
//! > incomplete(i → j) = w·φ(i, j) + max_{i ≤ k < j} complete(i → k) + complete(j ← k + 1)
//! > complete(i → j)   = max_{i < k ≤ j} incomplete(i → k) + complete(k → j)
//!
//! ```
//! use rosenblatt::structured::{ArcFeatures, Dense, Perceptron, Trees};
//!
//! // One feature for each pair of parts of speech: a verb (1) heads nouns (0), the root (2) heads verbs.
//! let sentence = |pos: &[usize]| {
//!     let pos: Vec<usize> = std::iter::once(2).chain(pos.iter().copied()).collect();
//!     ArcFeatures::new(pos.len() - 1, |head, token| vec![(3 * pos[head] + pos[token]) as u32])
//! };
//! let (x, truth) = (sentence(&[0, 1, 0]), [2, 0, 2]);
//! let mut learner = Perceptron::new(Trees, Dense::new(9));
//! while learner.learn(&x, &truth) {}
//! assert_eq!(*learner.answer(&sentence(&[1, 0, 0])), [0, 1, 1]);
//! ```

use super::structure::{Dense, Structure};

/// Projective trees, scored arc by arc.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Trees;

/// The features of every possible arc of a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArcFeatures {
    tokens: usize,
    ends: Vec<usize>,
    items: Vec<u32>,
}

impl ArcFeatures {
    /// Calls `features` for every arc from a head (0 is the root) to a token (from 1).
    pub fn new(tokens: usize, mut features: impl FnMut(usize, usize) -> Vec<u32>) -> Self {
        let (mut ends, mut items) = (vec![0], Vec::new());
        for head in 0..=tokens {
            for token in 0..=tokens {
                if token > 0 && token != head {
                    items.extend(features(head, token));
                }
                ends.push(items.len());
            }
        }
        ArcFeatures { tokens, ends, items }
    }

    /// How many tokens.
    pub fn len(&self) -> usize {
        self.tokens
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.tokens == 0
    }

    fn arc(&self, head: usize, token: usize) -> &[u32] {
        let at = head * (self.tokens + 1) + token;
        &self.items[self.ends[at]..self.ends[at + 1]]
    }
}

/// Which end of a span is its head.
#[derive(Debug, Clone, Copy)]
enum Head {
    Left = 0,
    Right = 1,
}

/// Scores of spans, and their split points.
#[derive(Debug, Default)]
pub struct Chart {
    width: usize,
    /// `[span][head]`, of incomplete and of complete spans.
    scores: [Vec<[f64; 2]>; 2],
    splits: [Vec<[usize; 2]>; 2],
    arcs: Vec<f64>,
}

const OPEN: usize = 0;
const CLOSED: usize = 1;

impl Chart {
    fn at(&self, i: usize, j: usize) -> usize {
        i * self.width + j
    }

    fn begin(&mut self, w: &Dense, x: &ArcFeatures) {
        self.width = x.len() + 1;
        let spans = self.width * self.width;
        for part in [OPEN, CLOSED] {
            self.scores[part].clear();
            self.scores[part].resize(spans, [f64::NEG_INFINITY; 2]);
            self.splits[part].clear();
            self.splits[part].resize(spans, [0; 2]);
        }
        self.arcs.clear();
        for head in 0..self.width {
            for token in 0..self.width {
                self.arcs.push(x.arc(head, token).iter().map(|&f| w.weights()[f as usize]).sum());
            }
        }
        for i in 0..self.width {
            let own = self.at(i, i);
            self.scores[CLOSED][own] = [0.0; 2];
        }
    }

    /// Keeps the better score.
    fn offer(&mut self, part: usize, span: usize, head: Head, score: f64, split: usize) {
        let best = &mut self.scores[part][span][head as usize];
        if score > *best {
            *best = score;
            self.splits[part][span][head as usize] = split;
        }
    }

    fn fill(&mut self) {
        for length in 1..self.width {
            for i in 0..self.width - length {
                let (j, span) = (i + length, self.at(i, i + length));
                for k in i..j {
                    let halves = self.scores[CLOSED][self.at(i, k)][Head::Left as usize]
                        + self.scores[CLOSED][self.at(k + 1, j)][Head::Right as usize];
                    self.offer(OPEN, span, Head::Left, halves + self.arcs[self.at(i, j)], k);
                    // The root has no head.
                    if i > 0 {
                        self.offer(OPEN, span, Head::Right, halves + self.arcs[self.at(j, i)], k);
                    }
                }
                for k in i + 1..=j {
                    let score = self.scores[OPEN][self.at(i, k)][Head::Left as usize]
                        + self.scores[CLOSED][self.at(k, j)][Head::Left as usize];
                    self.offer(CLOSED, span, Head::Left, score, k);
                }
                for k in i..j {
                    let score = self.scores[CLOSED][self.at(i, k)][Head::Right as usize]
                        + self.scores[OPEN][self.at(k, j)][Head::Right as usize];
                    self.offer(CLOSED, span, Head::Right, score, k);
                }
            }
        }
    }

    /// Follows the split points of a span, and writes the heads.
    fn heads(&self, i: usize, j: usize, head: Head, part: usize, heads: &mut [u32]) {
        if i == j {
            return;
        }
        let k = self.splits[part][self.at(i, j)][head as usize];
        match (part, head) {
            (OPEN, _) => {
                let (token, of) = if matches!(head, Head::Left) { (j, i) } else { (i, j) };
                heads[token - 1] = of as u32;
                self.heads(i, k, Head::Left, CLOSED, heads);
                self.heads(k + 1, j, Head::Right, CLOSED, heads);
            }
            (_, Head::Left) => {
                self.heads(i, k, Head::Left, OPEN, heads);
                self.heads(k, j, Head::Left, CLOSED, heads);
            }
            (_, Head::Right) => {
                self.heads(i, k, Head::Right, CLOSED, heads);
                self.heads(k, j, Head::Right, OPEN, heads);
            }
        }
    }
}

impl Structure for Trees {
    type Input<'a> = &'a ArcFeatures;
    /// `heads[token − 1]`, 0 for the root.
    type Output = [u32];
    type Store = Dense;
    type Scratch = Chart;

    fn decode(&self, w: &Dense, x: &ArcFeatures, chart: &mut Chart, answer: &mut Vec<u32>) {
        chart.begin(w, x);
        chart.fill();
        answer.clear();
        answer.resize(x.len(), 0);
        chart.heads(0, x.len(), Head::Left, CLOSED, answer);
    }

    fn difference(&self, x: &ArcFeatures, truth: &[u32], answer: &[u32], mut each: impl FnMut(usize, f64)) {
        for (i, (&right, &wrong)) in truth.iter().zip(answer).enumerate().filter(|(_, (a, b))| a != b) {
            x.arc(right as usize, i + 1).iter().for_each(|&f| each(f as usize, 1.0));
            x.arc(wrong as usize, i + 1).iter().for_each(|&f| each(f as usize, -1.0));
        }
    }
}
