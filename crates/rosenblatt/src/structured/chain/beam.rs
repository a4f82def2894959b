//! Beam search: the best few prefixes at each token, and the violation to learn from.
//!
//! Of two prefixes with the same last tags (one, or two with transitions of second order) only the better is kept: their
//! continuations score the same. A prefix is a **violation** if it scores at least as well as the truth's: the early update
//! takes the first token where the truth is not in the beam, max-violation the token where it is furthest behind.

use super::lattice::Lattice;
use super::{Chain, Reach, Sentence, Update, Weights};
use crate::structured::meter::Meter;

/// Bytes of a prefix.
pub(super) const ITEM: usize = size_of::<Item>();
/// Sorting a candidate takes as long as so many steps.
const SORTING: usize = 32;

#[derive(Debug, Clone, Copy)]
struct Item {
    score: f64,
    tag: u32,
    /// The tag before.
    before: u32,
    /// Its place in the beam one token earlier.
    parent: u32,
    /// Whether it equals the truth so far.
    true_so_far: bool,
}

/// The beams of all tokens, concatenated.
#[derive(Debug, Default)]
pub(super) struct Beam {
    items: Vec<Item>,
    starts: Vec<usize>,
    candidates: Vec<Item>,
    gold: Vec<f64>,
}

impl Beam {
    /// Bytes held for prefixes and candidates.
    pub(super) fn bytes(&self) -> usize {
        (self.items.capacity() + self.candidates.capacity()) * ITEM
    }

    /// Writes the best sequence in the beam; returns its score.
    pub(super) fn best(
        &mut self,
        chain: &Chain,
        w: &Weights,
        lattice: &mut Lattice,
        x: Sentence<'_>,
        (beam, meter): (u32, &mut Meter),
        answer: &mut Vec<u32>,
    ) -> f64 {
        self.begin(chain);
        for i in 0..x.len() {
            self.step(chain, w, lattice, x, i, (beam, meter), None);
            if meter.stopped() {
                return f64::NEG_INFINITY;
            }
        }
        self.path(x.len(), answer);
        self.top(x.len()).score
    }

    /// Writes a violation, or the truth.
    #[expect(clippy::too_many_arguments, reason = "what a search needs, and the truth")]
    pub(super) fn violate(
        &mut self,
        chain: &Chain,
        w: &Weights,
        lattice: &mut Lattice,
        x: Sentence<'_>,
        (beam, update, meter): (u32, Update, &mut Meter),
        truth: &[u32],
        answer: &mut Vec<u32>,
    ) {
        self.begin(chain);
        self.gold.clear();
        let mut gold = 0.0;
        // The largest violation so far: where it ends, and by how much.
        let mut worst: Option<(usize, f64)> = None;
        for i in 0..x.len() {
            self.step(chain, w, lattice, x, i, (beam, meter), Some(truth));
            if meter.stopped() {
                return;
            }
            gold += self.one(chain, w, lattice, i, truth);
            let top = self.top(i + 1);
            let lost = !self.beam(i + 1).iter().any(|item| item.true_so_far);
            // At the last token the truth must be the first in the beam.
            let wrong = !top.true_so_far && (lost || i + 1 == x.len() || update == Update::MaxViolation);
            let behind = top.score - gold;
            if wrong && behind >= 0.0 && worst.is_none_or(|(_, most)| behind > most) {
                worst = Some((i + 1, behind));
            }
            if update == Update::Early && lost {
                break;
            }
        }
        match worst {
            Some((end, _)) => self.path(end, answer),
            None => answer.clone_from(&truth.to_vec()),
        }
    }

    /// The score of the truth at token i, after [`Lattice::enter`].
    fn one(&self, chain: &Chain, w: &Weights, lattice: &Lattice, i: usize, truth: &[u32]) -> f64 {
        let back = |by: usize| if i >= by { truth[i - by] } else { chain.tags as u32 };
        score(chain, w, lattice, i, (back(2), back(1), truth[i]))
    }

    fn begin(&mut self, chain: &Chain) {
        let start = chain.tags as u32;
        self.items.clear();
        self.starts.clear();
        self.items.push(Item { score: 0.0, tag: start, before: start, parent: 0, true_so_far: true });
        self.starts.extend([0, 1]);
    }

    /// The beam after so many tokens.
    fn beam(&self, tokens: usize) -> &[Item] {
        &self.items[self.starts[tokens]..self.starts[tokens + 1]]
    }

    /// The best of it.
    fn top(&self, tokens: usize) -> Item {
        self.beam(tokens)[0]
    }

    #[expect(clippy::too_many_arguments, reason = "what a search needs, and the token")]
    fn step(
        &mut self,
        chain: &Chain,
        w: &Weights,
        lattice: &mut Lattice,
        x: Sentence<'_>,
        i: usize,
        (width, meter): (u32, &mut Meter),
        truth: Option<&[u32]>,
    ) {
        lattice.enter(chain, w, x, i);
        let mut candidates = std::mem::take(&mut self.candidates);
        candidates.clear();
        for (parent, item) in self.beam(i).iter().enumerate() {
            for tag in 0..chain.tags as u32 {
                candidates.push(Item {
                    score: item.score + score(chain, w, lattice, i, (item.before, item.tag, tag)),
                    tag,
                    before: item.tag,
                    parent: parent as u32,
                    true_so_far: item.true_so_far && truth.is_some_and(|truth| truth[i] == tag),
                });
            }
        }
        // Ties keep the order of parents, then of tags.
        candidates.sort_by(|a, b| b.score.total_cmp(&a.score));
        let start = self.items.len();
        for item in &candidates {
            let same =
                |kept: &Item| kept.tag == item.tag && (chain.reach < Reach::Second || kept.before == item.before);
            if !meter.go_on(self.items.len() - start + SORTING) {
                break;
            }
            if !self.items[start..].iter().any(same) {
                self.items.push(*item);
            }
            if self.items.len() - start == width as usize {
                break;
            }
        }
        self.starts.push(self.items.len());
        self.candidates = candidates;
    }

    /// The tags of the best prefix of so many tokens.
    fn path(&self, tokens: usize, answer: &mut Vec<u32>) {
        answer.clear();
        answer.resize(tokens, 0);
        let mut at = 0;
        for i in (0..tokens).rev() {
            let item = self.beam(i + 1)[at];
            answer[i] = item.tag;
            at = item.parent as usize;
        }
    }
}

/// The score of token i for three tags, after [`Lattice::enter`].
#[inline]
fn score(chain: &Chain, w: &Weights, lattice: &Lattice, i: usize, (before2, before1, tag): (u32, u32, u32)) -> f64 {
    let first = lattice.transitions()[before1 as usize * lattice.width + tag as usize];
    let second = match chain.reach {
        Reach::Second => w.second.weights()[chain.second_at(before2, before1) + tag as usize],
        _ => 0.0,
    };
    lattice.token(i)[tag as usize] + first + second
}
