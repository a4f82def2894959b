//! The best of all sequences, by dynamic programming.
//!
//! First order: s_i(t) = emission_i(t) + max_p s_{i−1}(p) + transition_i(p, t), in L·K² steps. Second order: a state is a
//! pair of tags, s_i(p, t) = emission_i(t) + transition_i(p, t) + max_q s_{i−1}(q, p) + c(q, p, t), in L·K³ steps.
//! Of equal scores the first tag wins.

use super::lattice::Lattice;
use super::{BLOCK, Chain, Reach, Sentence, Weights};
use crate::structured::meter::Meter;

/// Scores of the states at one token and the next, and back pointers.
#[derive(Debug, Default)]
pub(super) struct Trellis {
    scores: Vec<f64>,
    next: Vec<f64>,
    row: Vec<f64>,
    from: Vec<u16>,
    /// The previous tags that were not pruned, with their scores.
    alive: Vec<(f64, usize)>,
}

const NEVER: f64 = f64::NEG_INFINITY;

impl Trellis {
    /// Bytes held for back pointers.
    pub(super) fn bytes(&self) -> usize {
        self.from.capacity() * size_of::<u16>()
    }
}

/// Writes the best sequence; returns its score, −∞ if the search was stopped.
pub(super) fn best(
    chain: &Chain,
    w: &Weights,
    lattice: &mut Lattice,
    x: Sentence<'_>,
    (trellis, meter): (&mut Trellis, &mut Meter),
    answer: &mut Vec<u32>,
) -> f64 {
    answer.clear();
    answer.resize(x.len(), 0);
    if x.is_empty() {
        return 0.0;
    }
    match chain.reach {
        Reach::None if chain.bars.is_none() => independent(chain, lattice, answer),
        Reach::None | Reach::First => first(chain, w, lattice, x, (trellis, meter), answer),
        Reach::Second => second(chain, w, lattice, x, (trellis, meter), answer),
    }
}

/// The first of the highest scores.
fn arg_max(scores: &[f64]) -> (usize, f64) {
    let (mut at, mut best) = (0, scores[0]);
    for (i, &score) in scores.iter().enumerate().skip(1) {
        if score > best {
            (at, best) = (i, score);
        }
    }
    (at, best)
}

fn independent(chain: &Chain, lattice: &Lattice, answer: &mut [u32]) -> f64 {
    let mut total = 0.0;
    for (i, tag) in answer.iter_mut().enumerate() {
        let (best, score) = arg_max(&lattice.token(i)[..chain.tags]);
        *tag = best as u32;
        total += score;
    }
    total
}

fn first(
    chain: &Chain,
    w: &Weights,
    lattice: &mut Lattice,
    x: Sentence<'_>,
    (trellis, meter): (&mut Trellis, &mut Meter),
    answer: &mut [u32],
) -> f64 {
    let (tags, width, length) = (chain.tags, lattice.width, x.len());
    let Trellis { scores, next, from, alive, .. } = trellis;
    scores.clear();
    lattice.enter(chain, w, x, 0);
    scores.extend_from_slice(&lattice.transitions()[tags * width..][..width]);
    scores.iter_mut().zip(lattice.token(0)).for_each(|(s, e)| *s += e);
    next.resize(width, 0.0);
    from.resize((length * width).max(from.len()), 0);
    for i in 1..length {
        lattice.enter(chain, w, x, i);
        prune(&scores[..tags], &lattice.highs, &lattice.lows, alive);
        if !meter.go_on(width * (alive.len() + 1)) {
            return NEVER;
        }
        relax(alive, lattice.transitions(), width, &mut next[..width], &mut from[i * width..][..width]);
        next.iter_mut().zip(lattice.token(i)).for_each(|(s, e)| *s += e);
        std::mem::swap(scores, next);
    }
    let (mut tag, score) = arg_max(&scores[..tags]);
    for i in (0..length).rev() {
        answer[i] = tag as u32;
        tag = from[i * width + tag] as usize;
    }
    score
}

/// Prunes previous tags: p cannot be the best predecessor of any tag if for some q
///
/// > s(p) + max_t transition(p, t)  <  s(q) + min_t transition(q, t).
///
/// Rounding is monotonic, so pruning is exact, also for ties. Most words leave two or three tags.
#[inline]
fn prune(scores: &[f64], highs: &[f64], lows: &[f64], alive: &mut Vec<(f64, usize)>) {
    let floor = scores.iter().zip(lows).fold(NEVER, |most, (s, low)| most.max(s + low));
    alive.clear();
    let rows = scores.iter().zip(highs).enumerate();
    alive.extend(rows.filter(|(_, (s, high))| **s + **high >= floor).map(|(p, (s, _))| (*s, p)));
}

/// `best[t] = max_p s(p) + matrix[p·stride + t]` over the pairs (s(p), p), and the first p that has it, for a row of
/// whole blocks.
#[inline]
fn relax(pairs: &[(f64, usize)], matrix: &[f64], stride: usize, best: &mut [f64], from: &mut [u16]) {
    for (block, (best, from)) in best.as_chunks_mut::<BLOCK>().0.iter_mut().zip(from.as_chunks_mut().0).enumerate() {
        relax_block(pairs, &matrix[block * BLOCK..], stride, best, from);
    }
}

/// One block of tags stays in registers during the loop over previous tags. The index is a float, so that the same mask
/// selects it and the score.
#[inline]
fn relax_block(
    pairs: &[(f64, usize)],
    matrix: &[f64],
    stride: usize,
    best: &mut [f64; BLOCK],
    from: &mut [u16; BLOCK],
) {
    let (mut high, mut place) = ([NEVER; BLOCK], [0.0; BLOCK]);
    for &(score, p) in pairs {
        let row: &[f64; BLOCK] = matrix[p * stride..][..BLOCK].try_into().expect("a whole block");
        let number = p as f64;
        for l in 0..BLOCK {
            let candidate = score + row[l];
            let better = candidate > high[l];
            high[l] = if better { candidate } else { high[l] };
            place[l] = if better { number } else { place[l] };
        }
    }
    *best = high;
    *from = place.map(|p| p as u16);
}

fn second(
    chain: &Chain,
    w: &Weights,
    lattice: &mut Lattice,
    x: Sentence<'_>,
    (trellis, meter): (&mut Trellis, &mut Meter),
    answer: &mut [u32],
) -> f64 {
    let (tags, width, length) = (chain.tags, lattice.width, x.len());
    let (start, states) = (tags, tags * width);
    let c = w.second.weights();
    let Trellis { scores, next, row, from, alive } = trellis;
    next.resize(states, 0.0);
    from.resize((length * states).max(from.len()), 0);
    // `scores[t·width + q]`: the best path that ends in q, t. At the first token q is the start, stored as 0.
    scores.clear();
    scores.resize(states, NEVER);
    lattice.enter(chain, w, x, 0);
    let begin = &c[chain.second_at(start as u32, start as u32)..];
    for t in 0..tags {
        scores[t * width] = lattice.transitions()[start * width + t] + begin[t] + lattice.token(0)[t];
    }
    row.resize(width, 0.0);
    for i in 1..length {
        lattice.enter(chain, w, x, i);
        // The tags before p: at the second token only the start.
        let (before, count) = if i == 1 { (start, 1) } else { (0, tags) };
        for p in 0..tags {
            let rows = &c[chain.second_at(before as u32, p as u32)..];
            let came = &mut from[i * states + p * width..][..width];
            if !meter.go_on(width * count) {
                return NEVER;
            }
            alive.clear();
            alive.extend(scores[p * width..][..count].iter().copied().zip(0..));
            relax(alive, rows, (tags + 1) * width, row, came);
            let enter = &lattice.transitions()[p * width..][..tags];
            for (t, (a, e)) in enter.iter().zip(lattice.token(i)).enumerate() {
                next[t * width + p] = row[t] + (a + e);
            }
        }
        std::mem::swap(scores, next);
    }
    let (mut tag, mut before, mut score) = (0, 0, NEVER);
    for t in 0..tags {
        let (q, s) = arg_max(&scores[t * width..][..if length == 1 { 1 } else { tags }]);
        if s > score {
            (tag, before, score) = (t, q, s);
        }
    }
    for i in (0..length).rev() {
        answer[i] = tag as u32;
        let came = if i == 0 { 0 } else { from[i * states + before * width + tag] as usize };
        (tag, before) = (before, came);
    }
    score
}
