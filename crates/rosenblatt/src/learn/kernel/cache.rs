//! The scores of all training examples, each as of the last time it was looked at.
//!
//! An example's score is a sum over all updates. It is looked at once a pass, and between two looks only what has
//! happened since has to be added: over a whole training every pair of update and example is met once at most, and
//! nothing but the scores themselves is kept: n × outputs numbers, whatever the number of support vectors.

use super::function::Kernel;
use super::path::Path;
use super::support::Support;
use super::tile::{ROWS, Tile};
use crate::parallel;
use crate::rows::AnyRows;

/// Scores by `[example][output]`, and how many updates each example has seen.
#[derive(Debug, Clone)]
pub(super) struct Cache {
    outputs: usize,
    scores: Vec<f64>,
    seen: Vec<u32>,
    /// Examples looked at since all were last brought up to date.
    looked: usize,
}

/// Some rows at work: a tile of them, their scores by `[output][row]`, and room for kernel values.
#[derive(Debug, Clone)]
pub(super) struct Work {
    pub(super) tile: Tile,
    pub(super) scores: Vec<f64>,
    pub(super) lines: Vec<f64>,
}

impl Work {
    pub(super) fn new(features: usize, outputs: usize) -> Self {
        Work { tile: Tile::new(features), scores: vec![0.0; outputs * ROWS], lines: Vec::new() }
    }
}

impl Cache {
    /// Zero scores, before any update.
    pub(super) fn new(examples: usize, outputs: usize) -> Self {
        Cache { outputs, scores: vec![0.0; examples * outputs], seen: vec![0; examples], looked: 0 }
    }

    /// Loads the rows of a block into tiles and brings their scores up to date. `works` are as many tiles as it takes.
    pub(super) fn open(
        &mut self,
        rows: AnyRows<'_>,
        block: &[u32],
        kernel: &impl Kernel,
        support: &Support,
        path: &Path,
        works: &mut [Work],
    ) {
        // In a new order examples that were looked at long ago and just now come together. One round in which all
        // catch up, those that have seen the same together, then costs less than to start each block at its oldest.
        let (oldest, newest) = self.ages(block);
        if oldest < newest && self.looked >= self.seen.len() {
            self.catch_up(rows, kernel, support, path);
        }
        self.looked += block.len();
        let part = |number: usize| &block[number * ROWS..block.len().min((number + 1) * ROWS)];
        let load = |whole: Option<f64>, works: &mut [Work]| {
            parallel::for_each(works, &|number, work| {
                work.tile.load(rows, part(number).iter().map(|&i| i as usize), whole);
            });
        };
        load(support.whole_sq(), works);
        // A support vector may come from any tile: whole numbers in one are of use only if all have them.
        if !works.iter().all(|w| w.tile.all_whole) && works.iter().any(|w| w.tile.all_whole) {
            load(None, works);
        }
        parallel::for_each(works, &|number, work| {
            self.read(part(number), work);
            self.add_missed(part(number), kernel, support, path, work);
        });
    }

    /// The least and the greatest number of updates that an example of the block has seen.
    fn ages(&self, block: &[u32]) -> (u32, u32) {
        let seen = block.iter().map(|&i| self.seen[i as usize]);
        (seen.clone().min().unwrap_or(0), seen.max().unwrap_or(0))
    }

    fn read(&self, part: &[u32], work: &mut Work) {
        for (r, &i) in part.iter().enumerate() {
            for k in 0..self.outputs {
                work.scores[k * ROWS + r] = self.scores[i as usize * self.outputs + k];
            }
        }
    }

    fn add_missed(&self, part: &[u32], kernel: &impl Kernel, support: &Support, path: &Path, work: &mut Work) {
        let (oldest, newest) = self.ages(part);
        let Work { tile, scores, lines } = work;
        if oldest == newest {
            path.add_to(oldest as usize..path.len(), kernel, support, tile, scores, lines);
            return;
        }
        // Rows of different ages: from one age to the next, and what is not for a row is taken back from a copy.
        let mut ages: Vec<u32> = part.iter().map(|&i| self.seen[i as usize]).collect();
        ages.sort_unstable();
        ages.dedup();
        ages.push(path.len() as u32);
        for span in ages.windows(2) {
            let before = scores.clone();
            path.add_to(span[0] as usize..span[1] as usize, kernel, support, tile, scores, lines);
            for (r, _) in part.iter().enumerate().filter(|(_, i)| self.seen[**i as usize] > span[0]) {
                (0..self.outputs).for_each(|k| scores[k * ROWS + r] = before[k * ROWS + r]);
            }
        }
    }

    /// Stores the scores of a block, which have seen everything.
    pub(super) fn close(&mut self, block: &[u32], path: &Path, works: &[Work]) {
        for (part, work) in block.chunks(ROWS).zip(works) {
            self.write(part, path.len() as u32, &work.scores);
        }
    }

    fn write(&mut self, part: &[u32], seen: u32, scores: &[f64]) {
        for (r, &i) in part.iter().enumerate() {
            for k in 0..self.outputs {
                self.scores[i as usize * self.outputs + k] = scores[k * ROWS + r];
            }
            self.seen[i as usize] = seen;
        }
    }

    /// Brings every example up to date.
    pub(super) fn catch_up(&mut self, rows: AnyRows<'_>, kernel: &impl Kernel, support: &Support, path: &Path) {
        let mut order: Vec<u32> =
            (0..self.seen.len() as u32).filter(|&i| self.seen[i as usize] < path.len() as u32).collect();
        order.sort_by_key(|&i| (self.seen[i as usize], i));
        // Some at a time, so that only their scores lie beside the old ones.
        for some in order.chunks(1 << 14) {
            let mut parts: Vec<(&[u32], Vec<f64>)> = some.chunks(ROWS).map(|part| (part, Vec::new())).collect();
            let work = || Work::new(support.features(), self.outputs);
            parallel::for_chunks_in(&mut parts, 1, &work, &|work, _, parts| {
                for (part, scores) in parts {
                    work.tile.load(rows, part.iter().map(|&i| i as usize), support.whole_sq());
                    self.read(part, work);
                    self.add_missed(part, kernel, support, path, work);
                    scores.clone_from(&work.scores);
                }
            });
            for (part, scores) in parts {
                self.write(part, path.len() as u32, &scores);
            }
        }
        self.looked = 0;
    }

    /// All scores, by `[example][output]`; up to date after [`catch_up`](Self::catch_up).
    pub(super) fn scores(&self) -> &[f64] {
        &self.scores
    }
}
