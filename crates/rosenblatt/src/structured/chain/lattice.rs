//! The scores of one sentence, before any path is chosen.

use super::{Chain, Reach, Sentence, Weights, width};

/// Emissions of every token, and the matrix of transitions.
#[derive(Debug, Default)]
pub(super) struct Lattice {
    pub(super) width: usize,
    /// `emissions[token·width + tag]`; −∞ beyond the last tag and where a tag must not be.
    pub(super) emissions: Vec<f64>,
    /// `base[before·width + tag]`: what is the same at every token.
    base: Vec<f64>,
    /// The matrix of one token, where its features score pairs.
    local: Vec<f64>,
    looks: bool,
    /// Where the weights of the sentence's features lie.
    places: Vec<(u32, u32)>,
}

const NEVER: f64 = f64::NEG_INFINITY;

impl Lattice {
    /// Scores a sentence.
    pub(super) fn load(&mut self, chain: &Chain, w: &Weights, x: Sentence<'_>) {
        let (tags, width) = (chain.tags, width(chain.tags));
        self.width = width;
        self.emissions.clear();
        self.emissions.resize(x.len() * width, 0.0);
        w.emissions.find(x.emissions.all(), &mut self.places);
        let begin = x.emissions.ends[0];
        for (i, scores) in self.emissions.chunks_mut(width).enumerate() {
            scores[tags..].fill(NEVER);
            let places = &self.places[x.emissions.ends[i] - begin..x.emissions.ends[i + 1] - begin];
            let (_, values) = x.emissions.token(i);
            if values.is_empty() {
                for &place in places {
                    for entry in w.emissions.at(place) {
                        scores[entry.slot as usize] += entry.weight;
                    }
                }
            } else {
                for (&place, value) in places.iter().zip(values) {
                    for entry in w.emissions.at(place) {
                        scores[entry.slot as usize] += value * entry.weight;
                    }
                }
            }
            if let Some(&tag) = x.fixed.get(i).filter(|&&tag| (tag as usize) < tags) {
                let score = scores[tag as usize];
                scores.fill(NEVER);
                scores[tag as usize] = score;
            }
        }
        self.base.clear();
        if chain.reach >= Reach::First {
            self.base.extend_from_slice(w.first.weights());
        } else {
            self.base.resize((tags + 1) * width, 0.0);
        }
        if let Some(bars) = &chain.bars {
            for (row, allowed) in self.base.chunks_mut(width).zip(bars.follows.chunks(tags)) {
                row.iter_mut().zip(allowed).filter(|(_, allowed)| !**allowed).for_each(|(score, _)| *score = NEVER);
            }
            let last = self.emissions.len().saturating_sub(width);
            for (score, _) in self.emissions[last..].iter_mut().zip(&bars.ends).filter(|(_, ends)| !**ends) {
                *score = NEVER;
            }
        }
    }

    /// Makes ready the transitions into token i.
    #[inline]
    pub(super) fn enter(&mut self, chain: &Chain, w: &Weights, x: Sentence<'_>, i: usize) {
        self.looks = !x.edges.ends.is_empty() && !x.edges.token(i).0.is_empty();
        if !self.looks {
            return;
        }
        self.local.clone_from(&self.base);
        let (tags, width, local) = (chain.tags, self.width, &mut self.local);
        x.edges.each(i, |feature, value| {
            for entry in w.edges.row(feature) {
                let (before, tag) = (entry.slot as usize / tags, entry.slot as usize % tags);
                local[before * width + tag] += value * entry.weight;
            }
        });
    }

    /// The transitions into the token that was entered: `[before·width + tag]`.
    #[inline]
    pub(super) fn transitions(&self) -> &[f64] {
        if self.looks { &self.local } else { &self.base }
    }

    /// The emissions of token i.
    #[inline]
    pub(super) fn token(&self, i: usize) -> &[f64] {
        &self.emissions[i * self.width..][..self.width]
    }
}
