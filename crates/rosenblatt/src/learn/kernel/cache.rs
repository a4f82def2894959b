//! Cached scores of all training examples, each as of its last visit.
//!
//! An example's score is a sum over all updates. It is visited once a pass, and a visit adds the updates since the last:
//! over a whole training each pair of update and example is computed at most once. The cache holds n × outputs numbers,
//! whatever the number of support vectors.

use super::function::Kernel;
use super::path::Path;
use super::support::Support;
use super::tile::{ROWS, SupportShape, Tile};
use crate::limits;
use crate::parallel;
use crate::rows::AnyRows;

/// Scores by `[example][output]`, and how many updates each example includes.
#[derive(Debug, Clone)]
pub(super) struct Cache {
    outputs: usize,
    scores: Vec<f64>,
    included: Vec<u32>,
    /// Visits since all examples were last brought up to date.
    visited: usize,
}

/// A tile of rows, their scores by `[output][row]`, and a buffer for kernel values.
#[derive(Debug, Clone)]
pub(super) struct TileScores {
    pub(super) tile: Tile,
    pub(super) scores: Vec<f64>,
    pub(super) lines: Vec<f64>,
}

impl TileScores {
    pub(super) fn new(features: usize, outputs: usize) -> Self {
        TileScores { tile: Tile::new(features), scores: vec![0.0; outputs * ROWS], lines: Vec::new() }
    }
}

impl Cache {
    /// Zero scores, before any update.
    pub(super) fn new(examples: usize, outputs: usize) -> Self {
        Cache { outputs, scores: vec![0.0; examples * outputs], included: vec![0; examples], visited: 0 }
    }

    /// Loads the rows of a block into tiles and brings their scores up to date. `works`: one for each tile.
    pub(super) fn open(
        &mut self,
        rows: AnyRows<'_>,
        block: &[u32],
        kernel: &impl Kernel,
        support: &Support,
        path: &Path,
        works: &mut [TileScores],
    ) {
        // A new order mixes examples of different ages. One catch-up of all, grouped by age, then costs less than starting
        // each block at its oldest.
        let (oldest, newest) = self.ages(block);
        if oldest < newest && self.visited >= self.included.len() {
            self.catch_up(rows, kernel, support, path);
        }
        self.visited += block.len();
        let part = |number: usize| &block[number * ROWS..block.len().min((number + 1) * ROWS)];
        let load = |shape: SupportShape, works: &mut [TileScores]| {
            parallel::for_each(works, &|number, work| {
                work.tile.load(rows, part(number).iter().map(|&i| i as usize), shape);
            });
        };
        load(support.shape(), works);
        // A support vector may come from any tile: the layout of whole numbers needs them in all tiles.
        if !works.iter().all(|w| w.tile.all_whole) && works.iter().any(|w| w.tile.all_whole) {
            load(SupportShape { whole: None, ..support.shape() }, works);
        }
        parallel::for_each(works, &|number, work| {
            self.read(part(number), work);
            self.add_missed(part(number), kernel, support, path, work);
        });
    }

    /// The least and the greatest number of updates that an example of the block includes.
    fn ages(&self, block: &[u32]) -> (u32, u32) {
        let ages = block.iter().map(|&i| self.included[i as usize]);
        (ages.clone().min().unwrap_or(0), ages.max().unwrap_or(0))
    }

    fn read(&self, part: &[u32], work: &mut TileScores) {
        for (r, &i) in part.iter().enumerate() {
            for k in 0..self.outputs {
                work.scores[k * ROWS + r] = self.scores[i as usize * self.outputs + k];
            }
        }
    }

    fn add_missed(&self, part: &[u32], kernel: &impl Kernel, support: &Support, path: &Path, work: &mut TileScores) {
        let (oldest, newest) = self.ages(part);
        let TileScores { tile, scores, lines } = work;
        if oldest == newest {
            path.add_to(oldest as usize..path.len(), kernel, support, tile, scores, lines);
            return;
        }
        // Rows of different ages: go from one age to the next, and restore the rows that include that span already.
        let mut ages: Vec<u32> = part.iter().map(|&i| self.included[i as usize]).collect();
        ages.sort_unstable();
        ages.dedup();
        ages.push(path.len() as u32);
        for span in ages.windows(2) {
            let before = scores.clone();
            path.add_to(span[0] as usize..span[1] as usize, kernel, support, tile, scores, lines);
            for (r, _) in part.iter().enumerate().filter(|(_, i)| self.included[**i as usize] > span[0]) {
                (0..self.outputs).for_each(|k| scores[k * ROWS + r] = before[k * ROWS + r]);
            }
        }
    }

    /// Stores the scores of a block, which include all updates.
    pub(super) fn close(&mut self, block: &[u32], path: &Path, works: &[TileScores]) {
        for (part, work) in block.chunks(ROWS).zip(works) {
            self.write(part, path.len() as u32, &work.scores);
        }
    }

    fn write(&mut self, part: &[u32], included: u32, scores: &[f64]) {
        for (r, &i) in part.iter().enumerate() {
            for k in 0..self.outputs {
                self.scores[i as usize * self.outputs + k] = scores[k * ROWS + r];
            }
            self.included[i as usize] = included;
        }
    }

    /// Brings every example up to date; only some of them if the limits have passed.
    pub(super) fn catch_up(&mut self, rows: AnyRows<'_>, kernel: &impl Kernel, support: &Support, path: &Path) {
        let mut order: Vec<u32> =
            (0..self.included.len() as u32).filter(|&i| self.included[i as usize] < path.len() as u32).collect();
        order.sort_by_key(|&i| (self.included[i as usize], i));
        // In chunks, to bound the temporary scores.
        for chunk in order.chunks(1 << 14) {
            let mut parts: Vec<(&[u32], Vec<f64>)> = chunk.chunks(ROWS).map(|part| (part, Vec::new())).collect();
            let work = || TileScores::new(support.features(), self.outputs);
            parallel::for_chunks_in(&mut parts, 1, &work, &|work, _, parts| {
                if limits::has_passed() {
                    return;
                }
                for (part, scores) in parts {
                    work.tile.load(rows, part.iter().map(|&i| i as usize), support.shape());
                    self.read(part, work);
                    self.add_missed(part, kernel, support, path, work);
                    scores.clone_from(&work.scores);
                }
            });
            for (part, scores) in parts.into_iter().filter(|(_, scores)| !scores.is_empty()) {
                self.write(part, path.len() as u32, &scores);
            }
        }
        self.visited = 0;
    }

    /// All scores, by `[example][output]`; up to date after [`catch_up`](Self::catch_up).
    pub(super) fn scores(&self) -> &[f64] {
        &self.scores
    }
}
