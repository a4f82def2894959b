//! A path as the list of updates that made it.

use super::add_classes::Outputs;
use super::state::{Array, State};
use crate::error::{Error, Result};
use crate::rows::{Row, Sparse};

/// Updates in order of time: at time t, each named output moved by `scale · x`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Updates {
    times: Vec<u64>,
    /// The entries of update `i` end at `row_ends[i]`, its moves at `move_ends[i]`.
    row_ends: Vec<u64>,
    indices: Vec<u32>,
    values: Vec<f64>,
    move_ends: Vec<u64>,
    outputs: Vec<u32>,
    scales: Vec<f64>,
}

/// The names of its arrays in a file.
pub(crate) const UPDATE_NAMES: [&str; 7] = ["times", "row_ends", "indices", "values", "move_ends", "outputs", "scales"];

/// One update, borrowed.
pub struct Update<'a> {
    /// When: presented examples, from 1.
    pub time: u64,
    /// The example.
    pub x: Sparse<'a, f64>,
    /// The outputs that moved, and by how many times x.
    pub moves: std::iter::Zip<std::slice::Iter<'a, u32>, std::slice::Iter<'a, f64>>,
}

impl Updates {
    /// The number of updates.
    pub fn len(&self) -> usize {
        self.times.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.times.is_empty()
    }

    /// How many values its rows have, and how many moves there are.
    pub(super) fn sizes(&self) -> (usize, usize) {
        (self.values.len(), self.outputs.len())
    }

    /// Bytes of its arrays.
    pub(super) fn bytes(&self) -> u128 {
        let (entries, moves) = self.sizes();
        12 * (entries + moves) as u128 + 24 * self.len() as u128
    }

    /// Appends an update. Zeros are not stored.
    pub fn push<X: Row>(&mut self, time: u64, x: X, moves: impl Iterator<Item = (u32, f64)>) {
        self.times.push(time);
        x.each(|j, v| {
            if v != 0.0 {
                self.indices.push(j as u32);
                self.values.push(v);
            }
        });
        self.row_ends.push(self.indices.len() as u64);
        for (output, scale) in moves {
            self.outputs.push(output);
            self.scales.push(scale);
        }
        self.move_ends.push(self.outputs.len() as u64);
    }

    /// Renumbers the features: feature j becomes `places[j]`; those of a row stay in increasing order.
    pub(super) fn renumber(&mut self, places: &[u32]) {
        self.indices.iter_mut().for_each(|index| *index = places[*index as usize]);
    }

    /// All updates in order.
    pub fn iter(&self) -> impl Iterator<Item = Update<'_>> {
        let start = |ends: &[u64], i: usize| if i == 0 { 0 } else { ends[i - 1] as usize };
        (0..self.len()).map(move |i| {
            let row = start(&self.row_ends, i)..self.row_ends[i] as usize;
            let moves = start(&self.move_ends, i)..self.move_ends[i] as usize;
            Update {
                time: self.times[i],
                x: Sparse { indices: &self.indices[row.clone()], values: &self.values[row] },
                moves: self.outputs[moves.clone()].iter().zip(&self.scales[moves]),
            }
        })
    }

    /// The lists of several single outputs as one list over all of them, ordered by time.
    pub fn merged(lists: &[&Updates]) -> Updates {
        let mut all: Vec<(u64, u32, Update<'_>)> = Vec::new();
        for (k, list) in (0u32..).zip(lists) {
            all.extend(list.iter().map(|u| (u.time, k, u)));
        }
        all.sort_by_key(|(time, k, _)| (*time, *k));
        let mut merged = Updates::default();
        for (time, k, update) in all {
            merged.push(time, update.x, update.moves.map(|(_, scale)| (k, *scale)));
        }
        merged
    }

    /// The same path for other outputs: each move is copied along all routes that leave its output.
    pub(super) fn carried(&self, to: &Outputs) -> Updates {
        let (mut outputs, mut scales, mut move_ends) = (Vec::new(), Vec::new(), Vec::new());
        for update in self.iter() {
            for (&output, &scale) in update.moves {
                for route in to.routes_from(output as usize) {
                    outputs.push(route.to as u32);
                    scales.push(route.by * scale);
                }
            }
            move_ends.push(outputs.len() as u64);
        }
        Updates { outputs, scales, move_ends, ..self.clone() }
    }

    /// Writes the list.
    pub fn save(&self, state: &mut State) {
        state.put("times", Array::U64(self.times.clone()));
        state.put("row_ends", Array::U64(self.row_ends.clone()));
        state.put("indices", Array::U32(self.indices.clone()));
        state.put("values", Array::F64(self.values.clone()));
        state.put("move_ends", Array::U64(self.move_ends.clone()));
        state.put("outputs", Array::U32(self.outputs.clone()));
        state.put("scales", Array::F64(self.scales.clone()));
    }

    /// Reads it back and refuses inconsistent data. `presented`: no update is later than this.
    pub fn restore(state: &State, features: usize, outputs: usize, presented: u64) -> Result<Updates> {
        let list = Updates {
            times: state.u64s("times")?.to_vec(),
            row_ends: state.u64s("row_ends")?.to_vec(),
            indices: state.u32s("indices")?.to_vec(),
            values: state.f64s("values")?.to_vec(),
            move_ends: state.u64s("move_ends")?.to_vec(),
            outputs: state.u32s("outputs")?.to_vec(),
            scales: state.f64s("scales")?.to_vec(),
        };
        list.contradiction(features, outputs, presented)
            .map_or(Ok(list), |why| Err(Error::bad_model(format!("the list of updates contradicts itself: {why}"))))
    }

    /// What is wrong with the list, if anything. Ends are checked first: they locate everything else.
    fn contradiction(&self, features: usize, outputs: usize, presented: u64) -> Option<&'static str> {
        let whole = |ends: &[u64], len: usize| {
            ends.len() == self.len() && ends.is_sorted() && ends.last().copied().unwrap_or(0) == len as u64
        };
        let ascending = |u: Update<'_>| u.x.indices.is_sorted_by(|a, b| a < b);
        if !whole(&self.row_ends, self.indices.len()) || self.values.len() != self.indices.len() {
            Some("its rows do not end where they should")
        } else if !whole(&self.move_ends, self.outputs.len()) || self.scales.len() != self.outputs.len() {
            Some("its moves do not end where they should")
        } else if !self.times.is_sorted() || self.times.first() == Some(&0) {
            Some("times must begin at 1 and not go back")
        } else if self.times.last().is_some_and(|&t| t > presented) {
            Some("an update after the last example")
        } else if self.outputs.iter().any(|&k| k as usize >= outputs) {
            Some("an output that the model does not have")
        } else if self.indices.iter().any(|&j| j as usize >= features) {
            Some("a feature that the model does not have")
        } else if !self.iter().all(ascending) {
            Some("features must increase within a row")
        } else if !self.values.iter().chain(&self.scales).all(|v| v.is_finite()) {
            Some("a number that is not finite")
        } else {
            None
        }
    }
}
