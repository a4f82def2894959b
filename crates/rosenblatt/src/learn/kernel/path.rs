//! The path of a kernel machine: every update in order of time, each by a support vector.
//!
//! The hypothesis after update j is v_j = v_{j−1} + scale · φ(x_j) for each output that moved. Its score on x is
//! **defined** as the sum over the updates in order of time, each term scale · K(x_j, x) rounded once: so it does not
//! depend on blocks, threads, or how often training was interrupted.

use super::function::Kernel;
use super::products::products;
use super::support::Support;
use super::tile::{ROWS, Tile};
use crate::error::{Error, Result};
use crate::learn::{Array, State};

/// Updates of one or more outputs, in order of time.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Path {
    times: Vec<u64>,
    slots: Vec<u32>,
    /// The moves of update `i` end at `ends[i]`.
    ends: Vec<u64>,
    outputs: Vec<u32>,
    scales: Vec<f64>,
}

/// The names of its arrays in a file.
pub const NAMES: [&str; 5] = ["times", "slots", "move_ends", "outputs", "scales"];

/// Products that are computed together.
const TOGETHER: usize = 96;

impl Path {
    /// How many updates.
    pub fn len(&self) -> usize {
        self.times.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.times.is_empty()
    }

    /// How many times some output moved.
    pub fn moves(&self) -> usize {
        self.outputs.len()
    }

    /// Appends an update: at this time, each output moves by scale · φ(the row of the slot).
    pub fn push(&mut self, time: u64, slot: u32, moves: impl Iterator<Item = (u32, f64)>) {
        self.times.push(time);
        self.slots.push(slot);
        for (output, scale) in moves {
            self.outputs.push(output);
            self.scales.push(scale);
        }
        self.ends.push(self.outputs.len() as u64);
    }

    fn range(&self, i: usize) -> std::ops::Range<usize> {
        let start = if i == 0 { 0 } else { self.ends[i - 1] as usize };
        start..self.ends[i] as usize
    }

    /// The outputs that update `i` moved, and how far.
    pub(super) fn moves_of(&self, i: usize) -> impl Iterator<Item = (usize, f64)> {
        let range = self.range(i);
        self.outputs[range.clone()].iter().zip(&self.scales[range]).map(|(&k, &scale)| (k as usize, scale))
    }

    /// Every move in order: time, slot, output, scale.
    pub(super) fn each_move(&self) -> impl DoubleEndedIterator<Item = (u64, usize, usize, f64)> {
        (0..self.len()).flat_map(move |i| {
            let (time, slot) = (self.times[i], self.slots[i] as usize);
            self.range(i).map(move |m| (time, slot, self.outputs[m] as usize, self.scales[m]))
        })
    }

    /// When update `i` happened.
    pub(super) fn time(&self, i: usize) -> u64 {
        self.times[i]
    }

    /// The slot of the support vector of update `i`.
    pub(super) fn slot(&self, i: usize) -> usize {
        self.slots[i] as usize
    }

    /// Adds the updates of `range`, in order, to the scores of a tile's rows: `scores[output][row]`.
    pub(super) fn add_to(
        &self,
        range: std::ops::Range<usize>,
        kernel: &impl Kernel,
        support: &Support,
        tile: &Tile,
        scores: &mut [f64],
        lines: &mut Vec<f64>,
    ) {
        let mut from = range.start;
        while from < range.end {
            let to = range.end.min(from + TOGETHER);
            let slots = &self.slots[from..to];
            lines.resize(TOGETHER * ROWS, 0.0);
            let lines = &mut lines[..slots.len() * ROWS];
            products(tile, support, slots, lines);
            for (line, i) in lines.chunks_mut(ROWS).zip(from..to) {
                kernel.apply(&mut line[..tile.len()], tile.sq(), support.sq(self.slot(i)));
                for (k, scale) in self.moves_of(i) {
                    add(&mut scores[k * ROWS..][..ROWS], line, scale);
                }
            }
            from = to;
        }
    }

    /// Writes the list.
    pub fn save(&self, state: &mut State) {
        state.put(NAMES[0], Array::U64(self.times.clone()));
        state.put(NAMES[1], Array::U32(self.slots.clone()));
        state.put(NAMES[2], Array::U64(self.ends.clone()));
        state.put(NAMES[3], Array::U32(self.outputs.clone()));
        state.put(NAMES[4], Array::F64(self.scales.clone()));
    }

    /// Reads it back and refuses inconsistent data. `presented`: no update is later than this.
    pub fn restore(state: &State, support: usize, outputs: usize, presented: u64) -> Result<Path> {
        let path = Path {
            times: state.u64s(NAMES[0])?.to_vec(),
            slots: state.u32s(NAMES[1])?.to_vec(),
            ends: state.u64s(NAMES[2])?.to_vec(),
            outputs: state.u32s(NAMES[3])?.to_vec(),
            scales: state.f64s(NAMES[4])?.to_vec(),
        };
        match path.contradiction(support, outputs, presented) {
            None => Ok(path),
            Some(why) => Err(Error::bad_model(format!("the list of updates contradicts itself: {why}"))),
        }
    }

    fn contradiction(&self, support: usize, outputs: usize, presented: u64) -> Option<&'static str> {
        if self.slots.len() != self.len() || self.ends.len() != self.len() {
            return Some("not one support vector for each update");
        }
        let whole = self.ends.is_sorted() && self.ends.last().copied().unwrap_or(0) == self.outputs.len() as u64;
        if !whole || self.scales.len() != self.outputs.len() {
            Some("its moves do not end where they should")
        } else if !self.times.is_sorted_by(|a, b| a < b) || self.times.first() == Some(&0) {
            Some("times must begin at 1 and increase")
        } else if self.times.last().is_some_and(|&t| t > presented) {
            Some("an update after the last example")
        } else if self.slots.iter().any(|&slot| slot as usize >= support) {
            Some("a support vector that is not there")
        } else if self.outputs.iter().any(|&k| k as usize >= outputs) {
            Some("an output that the model does not have")
        } else if !self.scales.iter().all(|v| v.is_finite()) {
            Some("a number that is not finite")
        } else {
            None
        }
    }
}

/// scores += scale · line.
#[inline]
pub(super) fn add(scores: &mut [f64], line: &[f64], scale: f64) {
    for (s, v) in scores.iter_mut().zip(line) {
        *s += scale * v;
    }
}
