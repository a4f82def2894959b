//! The emission and transition scores of one sentence.

use super::{Chain, Reach, Sentence, Weights, width};
use crate::structured::meter::Meter;

/// Emissions of every token, and the matrix of transitions.
#[derive(Debug, Default)]
pub(super) struct Lattice {
    pub(super) width: usize,
    /// `emissions[token·width + tag]`; −∞ beyond the last tag and for forbidden tags.
    pub(super) emissions: Vec<f64>,
    /// `matrix[before·width + tag]`: the transitions into the current token.
    matrix: Vec<f64>,
    /// The highest and the lowest transition from each tag.
    pub(super) highs: Vec<f64>,
    pub(super) lows: Vec<f64>,
    /// What the features of the current token changed, to be undone: cells, then bounds of rows.
    cells: Vec<(usize, f64)>,
    bounds: Vec<(usize, f64, f64)>,
    /// The ranges of the weights of the sentence's features.
    places: Vec<(u32, u32)>,
}

const NEVER: f64 = f64::NEG_INFINITY;
/// Tokens whose features are looked up together, so that their cache misses overlap.
const AT_ONCE: usize = 256;
/// A feature takes as long as so many steps of a search.
const STEPS_OF_A_FEATURE: usize = 16;

/// The greatest and the least of some scores, four side by side.
fn extremes(scores: &[f64]) -> (f64, f64) {
    let greater = |a: f64, b: f64| if b > a { b } else { a };
    let less = |a: f64, b: f64| if b < a { b } else { a };
    let (mut high, mut low) = ([NEVER; 4], [f64::INFINITY; 4]);
    let (fours, rest) = scores.as_chunks::<4>();
    for four in fours {
        for k in 0..4 {
            (high[k], low[k]) = (greater(high[k], four[k]), less(low[k], four[k]));
        }
    }
    let all =
        |of: [f64; 4], start: f64, choose: fn(f64, f64) -> f64| of.iter().chain(rest).fold(start, |a, &b| choose(a, b));
    (all(high, NEVER, greater), all(low, f64::INFINITY, less))
}

impl Lattice {
    /// Computes the scores of a sentence.
    pub(super) fn load(&mut self, chain: &Chain, w: &Weights, x: Sentence<'_>, meter: &mut Meter) {
        let (tags, width) = (chain.tags, width(chain.tags));
        self.width = width;
        self.emissions.clear();
        self.emissions.resize(x.len() * width, 0.0);
        let (mut begin, mut found) = (0, 0);
        for (i, scores) in self.emissions.chunks_mut(width).enumerate() {
            if i == found {
                found = x.len().min(i + AT_ONCE);
                begin = x.emissions.ends[i];
                w.emissions.find(&x.emissions.items[begin..x.emissions.ends[found]], &mut self.places);
            }
            if !meter.go_on(width + STEPS_OF_A_FEATURE * (x.emissions.ends[i + 1] - x.emissions.ends[i])) {
                return;
            }
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
        self.matrix.clear();
        if chain.reach >= Reach::First {
            self.matrix.extend_from_slice(w.first.weights());
        } else {
            self.matrix.resize((tags + 1) * width, 0.0);
        }
        if let Some(bars) = &chain.bars {
            for (row, allowed) in self.matrix.chunks_mut(width).zip(bars.follows.chunks(tags)) {
                row.iter_mut().zip(allowed).filter(|(_, allowed)| !**allowed).for_each(|(score, _)| *score = NEVER);
            }
            let last = self.emissions.len().saturating_sub(width);
            for (score, _) in self.emissions[last..].iter_mut().zip(&bars.ends).filter(|(_, ends)| !**ends) {
                *score = NEVER;
            }
        }
        self.cells.clear();
        self.bounds.clear();
        self.highs.clear();
        self.lows.clear();
        for row in self.matrix.chunks(width) {
            let (high, low) = extremes(&row[..tags]);
            self.highs.push(high);
            self.lows.push(low);
        }
    }

    /// Makes token i current: undoes the changes of the token before, and adds its own transition features.
    #[inline]
    pub(super) fn enter(&mut self, chain: &Chain, w: &Weights, x: Sentence<'_>, i: usize) {
        while let Some((cell, old)) = self.cells.pop() {
            self.matrix[cell] = old;
        }
        while let Some((before, high, low)) = self.bounds.pop() {
            (self.highs[before], self.lows[before]) = (high, low);
        }
        if x.edges.ends.is_empty() {
            return;
        }
        x.edges.each(i, |feature, value| {
            for entry in w.edges.row(feature) {
                let (before, tag) = (entry.slot as usize / chain.tags, entry.slot as usize % chain.tags);
                let cell = before * self.width + tag;
                let (old, high, low) = (self.matrix[cell], self.highs[before], self.lows[before]);
                let new = old + value * entry.weight;
                self.cells.push((cell, old));
                self.matrix[cell] = new;
                if new > high || new < low {
                    self.bounds.push((before, high, low));
                    (self.highs[before], self.lows[before]) = (high.max(new), low.min(new));
                }
            }
        });
    }

    /// Bytes held for emissions.
    pub(super) fn bytes(&self) -> usize {
        self.emissions.capacity() * size_of::<f64>()
    }

    /// The transitions into the current token.
    #[inline]
    pub(super) fn transitions(&self) -> &[f64] {
        &self.matrix
    }

    /// The emissions of token i.
    #[inline]
    pub(super) fn token(&self, i: usize) -> &[f64] {
        &self.emissions[i * self.width..][..self.width]
    }
}
