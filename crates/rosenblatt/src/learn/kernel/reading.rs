//! What is read off a path: Freund and Schapire's ways to answer (1999, §2 and §4).
//!
//! Let v_j be the vectors of one output, ‖v_j‖ their lengths, c_j the number of examples that v_j was there for (the one
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
use crate::parallel;
use crate::random::Stream;
use crate::rows::{AnyRows, Row};

/// A way to answer.
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
    /// One vector, drawn anew for each row and output.
    Random {
        /// Divided by its length, to compare outputs.
        normalised: bool,
        /// Owns the draws.
        seed: u64,
    },
}

/// A path with what it takes to read it: its support, its kernel, and the length of every vector on it.
pub struct Story<'a, K> {
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

impl<K: Kernel> Story<'_, K> {
    /// The coefficient of each support vector in each output, `[slot][output]`, of a reading that is linear.
    pub fn coefficients(&self, reading: Reading) -> Option<Vec<f64>> {
        let Story { path, outputs, presented, .. } = *self;
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
            // An update is part of every vector from then on: from behind, Σ c_j/‖v_j‖ grows as it goes.
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
        let ways: Vec<Way> = readings.iter().map(|&r| self.coefficients(r).map_or(Way::Path(r), Way::Sum)).collect();
        self.score_rows(rows, &ways)
    }

    /// The scores of one row. For many, [`scores`](Self::scores) is far faster.
    pub fn score_one<X: Row>(&self, x: X, reading: Reading, out: &mut [f64]) {
        let mut room = Room::new(self.support.features(), self.outputs);
        room.tile.load_each(std::iter::once(x), self.support.whole_sq());
        self.fill_lines(&mut room);
        match self.coefficients(reading) {
            Some(coefficients) => room.sum(&coefficients, self.outputs),
            None => self.follow(reading, 0, &mut room),
        }
        room.write(out, self.outputs);
    }

    fn score_rows(&self, rows: AnyRows<'_>, ways: &[Way]) -> Vec<Vec<f64>> {
        let line = ROWS * self.outputs;
        let mut all: Vec<Vec<f64>> = ways.iter().map(|_| vec![0.0; rows.len() * self.outputs]).collect();
        let mut by_tile: Vec<Vec<&mut [f64]>> = (0..rows.len().div_ceil(ROWS)).map(|_| Vec::new()).collect();
        for one in &mut all {
            one.chunks_mut(line).zip(&mut by_tile).for_each(|(part, tile)| tile.push(part));
        }
        let room = || Room::new(self.support.features(), self.outputs);
        parallel::for_chunks_in(&mut by_tile, 1, &room, &|room, number, tiles| {
            let first = number * ROWS;
            room.tile.load(rows, first..rows.len().min(first + ROWS), self.support.whole_sq());
            self.fill_lines(room);
            for (way, out) in ways.iter().zip(tiles.iter_mut().flatten()) {
                room.answers.fill(0.0);
                match way {
                    Way::Sum(coefficients) => room.sum(coefficients, self.outputs),
                    Way::Path(reading) => self.follow(*reading, first, room),
                }
                room.write(out, self.outputs);
            }
        });
        drop(by_tile);
        all
    }

    /// K(x, y) for every row of the tile and every support vector.
    fn fill_lines(&self, room: &mut Room) {
        let slots: Vec<u32> = (0..self.support.len() as u32).collect();
        room.lines.resize(slots.len() * ROWS, 0.0);
        products(&room.tile, self.support, &slots, &mut room.lines);
        for (slot, line) in room.lines.chunks_mut(ROWS).enumerate() {
            self.kernel.apply(&mut line[..room.tile.len()], room.tile.sq(), self.support.sq(slot));
        }
    }

    fn follow(&self, reading: Reading, first: usize, room: &mut Room) {
        room.running.fill(0.0);
        room.since.fill(1);
        match (reading, self.ballot) {
            (Reading::Random { normalised, seed }, _) => self.draw(normalised, seed, first, room),
            (_, Ballot::Sign) => self.vote_by_sign(room),
            (_, Ballot::ArgMax) => self.vote_together(room),
        }
    }

    fn vote_by_sign(&self, room: &mut Room) {
        let Room { answers, running, since, lines, .. } = room;
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

    fn vote_together(&self, room: &mut Room) {
        let Room { answers, running, since, lines, .. } = room;
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

    /// A vector drawn by its votes is the one at a moment drawn evenly.
    fn draw(&self, normalised: bool, seed: u64, first: usize, room: &mut Room) {
        let Room { tile, answers, running, since, lines, .. } = room;
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

/// A reading, prepared.
enum Way {
    Sum(Vec<f64>),
    Path(Reading),
}

/// Buffers for one tile at a time.
struct Room {
    tile: Tile,
    lines: Vec<f64>,
    answers: Vec<f64>,
    running: Vec<f64>,
    since: Vec<u64>,
}

impl Room {
    fn new(features: usize, outputs: usize) -> Self {
        Room {
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
