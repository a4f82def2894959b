//! Ways to score with a path: Freund and Schapire (1999, §2 and §4).
//!
//! Let v_j be the vectors of one output, ‖v_j‖ their lengths, c_j the number of examples in the lifetime of v_j (the one
//! that made it included), s_j = v_j·φ(x), T = Σ c_j.
//!
//! | reading | score | normalised |
//! |---|---|---|
//! | last | s_k | s_k/‖v_k‖ |
//! | average | Σ c_j s_j / T | Σ (c_j/‖v_j‖) s_j / T |
//! | vote | Σ c_j sign(s_j) | the same |
//! | random | s_J, J drawn with P(J = j) = c_j/T | s_J/‖v_J‖ |
//!
//! The first two are linear in K(x_j, x), so they are coefficients of the support vectors, and cost no more than one
//! vector. The other two follow the path: one kernel value for each support vector, one addition for each update.

use super::function::Kernel;
use super::path::{Path, add};
use super::products::products;
use super::support::Support;
use super::tile::{ROWS, Tile};
use crate::learn::machine::{Ballot, POSITIVE, Tie};
use crate::limits;
use crate::parallel;
use crate::random::Stream;
use crate::rows::{AnyRows, Row};

/// A way to score.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reading {
    /// The last vector.
    Last {
        /// Divided by its length, to compare outputs.
        normalised: bool,
    },
    /// The mean of the vectors after every example.
    Average {
        /// Each divided by its length.
        normalised: bool,
    },
    /// Every vector votes.
    Vote,
    /// One vector, drawn for each row and output.
    Random {
        /// Divided by its length, to compare outputs.
        normalised: bool,
        /// The seed of the draws.
        seed: u64,
    },
}

/// A path with all that scoring needs: its support, its kernel, and the length of every vector on it.
pub struct PathReader<'a, K> {
    /// The kernel.
    pub kernel: &'a K,
    /// The support vectors.
    pub support: &'a Support,
    /// The updates.
    pub path: &'a Path,
    /// ‖v‖² of the moved output after each move; empty if nothing is normalised.
    pub sq_norms: &'a [f64],
    /// T: examples presented.
    pub presented: u64,
    /// How many outputs.
    pub outputs: usize,
    /// How votes are counted.
    pub ballot: Ballot,
    /// What a score of zero votes for.
    pub tie: Tie,
}

impl<K: Kernel> PathReader<'_, K> {
    /// The coefficient of each support vector in each output, `[slot][output]`, of a reading that is linear.
    pub fn coefficients(&self, reading: Reading) -> Option<Vec<f64>> {
        let PathReader { path, outputs, presented, .. } = *self;
        let mut coefficients = vec![0.0; self.support.len() * outputs];
        let inverse = |sq: f64| if sq > 0.0 { 1.0 / sq.sqrt() } else { 0.0 };
        match reading {
            Reading::Last { normalised } => {
                let mut scale_of = vec![1.0; outputs];
                if normalised {
                    path.each_move().zip(self.sq_norms).for_each(|((_, _, k, _), &sq)| scale_of[k] = inverse(sq));
                }
                for (_, slot, k, scale) in path.each_move() {
                    coefficients[slot * outputs + k] += scale;
                }
                coefficients.iter_mut().enumerate().for_each(|(at, c)| *c *= scale_of[at % outputs]);
            }
            // As S_T = (T+1)·w − u with u = Σ t·δ: exact for whole numbers below 2⁵³.
            Reading::Average { normalised: false } => {
                let mut later = vec![0.0; coefficients.len()];
                for (time, slot, k, scale) in path.each_move() {
                    coefficients[slot * outputs + k] += scale;
                    later[slot * outputs + k] += time as f64 * scale;
                }
                let t = presented as f64;
                for (c, u) in coefficients.iter_mut().zip(later) {
                    *c = if presented == 0 { 0.0 } else { ((t + 1.0) * *c - u) / t };
                }
            }
            // An update is part of every later vector: iterating backwards accumulates Σ c_j/‖v_j‖.
            Reading::Average { normalised: true } => {
                let (mut next, mut weight) = (vec![presented + 1; outputs], vec![0.0; outputs]);
                let moves: Vec<_> = path.each_move().zip(self.sq_norms).collect();
                for &((time, slot, k, scale), &sq) in moves.iter().rev() {
                    weight[k] += (next[k] - time) as f64 * inverse(sq);
                    next[k] = time;
                    coefficients[slot * outputs + k] += scale * weight[k];
                }
                let t = presented.max(1) as f64;
                coefficients.iter_mut().for_each(|c| *c /= t);
            }
            Reading::Vote | Reading::Random { .. } => return None,
        }
        Some(coefficients)
    }

    /// The scores of every row under each reading, row by row: kernel values are computed once for all readings.
    pub fn scores(&self, rows: AnyRows<'_>, readings: &[Reading]) -> Vec<Vec<f64>> {
        let mut all: Vec<Vec<f64>> = readings.iter().map(|_| vec![0.0; rows.len() * self.outputs]).collect();
        self.score_into(rows, readings, &mut all.iter_mut().map(|one| &mut one[..]).collect::<Vec<_>>());
        all
    }

    /// Writes the scores of every row under each reading. Some are missing if the limits have passed.
    pub(super) fn score_into(&self, rows: AnyRows<'_>, readings: &[Reading], out: &mut [&mut [f64]]) {
        let method = |&reading: &Reading| self.coefficients(reading).map_or(Method::Path(reading), Method::Sum);
        let methods: Vec<Method> = readings.iter().map(method).collect();
        self.score_rows(rows, &methods, out);
    }

    /// The scores of one row. For many, [`scores`](Self::scores) is far faster.
    pub fn score_one<X: Row>(&self, x: X, reading: Reading, out: &mut [f64]) {
        let mut buffers = Buffers::new(self.support.features(), self.outputs);
        buffers.tile.load_each(std::iter::once(x), self.support.shape());
        self.fill_lines(&mut buffers);
        match self.coefficients(reading) {
            Some(coefficients) => buffers.sum(&coefficients, self.outputs),
            None => self.follow(reading, 0, &mut buffers),
        }
        buffers.write(out, self.outputs);
    }

    fn score_rows(&self, rows: AnyRows<'_>, methods: &[Method], all: &mut [&mut [f64]]) {
        let line = ROWS * self.outputs;
        let mut by_tile: Vec<Vec<&mut [f64]>> = (0..rows.len().div_ceil(ROWS)).map(|_| Vec::new()).collect();
        for one in all {
            one.chunks_mut(line).zip(&mut by_tile).for_each(|(part, tile)| tile.push(part));
        }
        let buffers = || Buffers::new(self.support.features(), self.outputs);
        parallel::for_chunks_in(&mut by_tile, 1, &buffers, &|buffers, number, tiles| {
            if limits::has_passed() {
                return;
            }
            let first = number * ROWS;
            buffers.tile.load(rows, first..rows.len().min(first + ROWS), self.support.shape());
            self.fill_lines(buffers);
            for (method, out) in methods.iter().zip(tiles.iter_mut().flatten()) {
                buffers.answers.fill(0.0);
                match method {
                    Method::Sum(coefficients) => buffers.sum(coefficients, self.outputs),
                    Method::Path(reading) => self.follow(*reading, first, buffers),
                }
                buffers.write(out, self.outputs);
            }
        });
    }

    /// K(x, y) for every row of the tile and every support vector.
    fn fill_lines(&self, buffers: &mut Buffers) {
        let slots: Vec<u32> = (0..self.support.len() as u32).collect();
        buffers.lines.resize(slots.len() * ROWS, 0.0);
        products(&buffers.tile, self.support, &slots, &mut buffers.lines);
        for (slot, line) in buffers.lines.chunks_mut(ROWS).enumerate() {
            self.kernel.apply(&mut line[..buffers.tile.len()], buffers.tile.sq(), self.support.sq(slot));
        }
    }

    fn follow(&self, reading: Reading, first: usize, buffers: &mut Buffers) {
        buffers.running.fill(0.0);
        buffers.since.fill(1);
        match (reading, self.ballot) {
            (Reading::Random { normalised, seed }, _) => self.draw(normalised, seed, first, buffers),
            (_, Ballot::Sign) => self.vote_by_sign(buffers),
            (_, Ballot::ArgMax) => self.vote_together(buffers),
        }
    }

    fn vote_by_sign(&self, buffers: &mut Buffers) {
        let Buffers { answers, running, since, lines, .. } = buffers;
        let count = |answers: &mut [f64], running: &[f64], votes: u64| {
            for (a, &s) in answers.iter_mut().zip(running) {
                *a += if self.tie.class_of(s) == POSITIVE { votes as f64 } else { -(votes as f64) };
            }
        };
        for (time, slot, k, scale) in self.path.each_move() {
            let own = k * ROWS..(k + 1) * ROWS;
            count(&mut answers[own.clone()], &running[own.clone()], time - since[k]);
            since[k] = time;
            add(&mut running[own], &lines[slot * ROWS..][..ROWS], scale);
        }
        for (k, &since) in since.iter().enumerate() {
            let own = k * ROWS..(k + 1) * ROWS;
            count(&mut answers[own.clone()], &running[own], self.presented + 1 - since);
        }
    }

    fn vote_together(&self, buffers: &mut Buffers) {
        let Buffers { answers, running, since, lines, .. } = buffers;
        let count = |answers: &mut [f64], running: &[f64], votes: u64| {
            for r in 0..ROWS {
                let mut best = 0;
                for k in 1..self.outputs {
                    if running[k * ROWS + r] > running[best * ROWS + r] {
                        best = k;
                    }
                }
                answers[best * ROWS + r] += votes as f64;
            }
        };
        for i in 0..self.path.len() {
            count(answers, running, self.path.time(i) - since[0]);
            since[0] = self.path.time(i);
            for (k, scale) in self.path.moves_of(i) {
                add(&mut running[k * ROWS..][..ROWS], &lines[self.path.slot(i) * ROWS..][..ROWS], scale);
            }
        }
        count(answers, running, self.presented + 1 - since[0]);
    }

    /// Draws a vector in proportion to its votes: the one at a uniformly drawn time.
    fn draw(&self, normalised: bool, seed: u64, first: usize, buffers: &mut Buffers) {
        let Buffers { tile, answers, running, since, lines, .. } = buffers;
        let mut moments = vec![0; self.outputs * ROWS];
        for r in 0..tile.len() {
            let mut stream = Stream::new(seed, &[(first + r) as u64]);
            for k in 0..self.outputs {
                moments[k * ROWS + r] = 1 + stream.below(self.presented.max(1));
            }
        }
        let mut norm = vec![1.0; self.outputs];
        let mut take = |k: usize, from: u64, to: u64, running: &[f64], norm: f64| {
            for r in 0..ROWS {
                if (from..to).contains(&moments[k * ROWS + r]) {
                    answers[k * ROWS + r] = running[k * ROWS + r] / norm;
                }
            }
        };
        for (m, (time, slot, k, scale)) in self.path.each_move().enumerate() {
            take(k, since[k], time, running, norm[k]);
            since[k] = time;
            add(&mut running[k * ROWS..][..ROWS], &lines[slot * ROWS..][..ROWS], scale);
            if normalised && self.sq_norms[m] > 0.0 {
                norm[k] = self.sq_norms[m].sqrt();
            }
        }
        for k in 0..self.outputs {
            take(k, since[k], self.presented + 1, running, norm[k]);
        }
    }
}

/// A prepared reading.
enum Method {
    Sum(Vec<f64>),
    Path(Reading),
}

/// Buffers for one tile at a time.
struct Buffers {
    tile: Tile,
    lines: Vec<f64>,
    answers: Vec<f64>,
    running: Vec<f64>,
    since: Vec<u64>,
}

impl Buffers {
    fn new(features: usize, outputs: usize) -> Self {
        Buffers {
            tile: Tile::new(features),
            lines: Vec::new(),
            answers: vec![0.0; outputs * ROWS],
            running: vec![0.0; outputs * ROWS],
            since: vec![1; outputs],
        }
    }

    fn sum(&mut self, coefficients: &[f64], outputs: usize) {
        for (line, own) in self.lines.chunks(ROWS).zip(coefficients.chunks(outputs)) {
            for (k, &c) in own.iter().enumerate().filter(|(_, c)| **c != 0.0) {
                add(&mut self.answers[k * ROWS..][..ROWS], line, c);
            }
        }
    }

    /// From `[output][row]` to rows of scores.
    fn write(&self, out: &mut [f64], outputs: usize) {
        for (r, scores) in out.chunks_mut(outputs).enumerate() {
            for (k, s) in scores.iter_mut().enumerate() {
                *s = self.answers[k * ROWS + r];
            }
        }
    }
}
