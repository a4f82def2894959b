//! The state of a machine on a budget: a support that changes, and a block of rows whose scores are kept up to date.

use crate::learn::kernel::path::add;
use crate::learn::kernel::products::products;
use crate::learn::kernel::tile::SupportShape;
use crate::learn::kernel::{Biased, Kernel, ROWS, Support, Tile};
use crate::parallel;
use crate::rows::{AnyRows, Sparse};

/// A tile of a block: its kernel values with every slot, and its scores.
#[derive(Debug)]
pub(super) struct BlockScores {
    pub(super) tile: Tile,
    /// K(x, y) by `[slot][row]`.
    lines: Vec<f64>,
    /// By `[output][row]`.
    pub(super) scores: Vec<f64>,
}

/// Support vectors that are added and removed, and the current block of rows.
///
/// The slot of a removed vector stays, with coefficients of zero, until the block ends.
#[derive(Debug)]
pub struct BudgetState {
    kernel: Biased,
    /// R²: the greatest K(x, x).
    sq_radius: f64,
    pub(super) support: Support,
    outputs: usize,
    /// By `[slot][output]`.
    pub(super) coefficients: Vec<f64>,
    pub(super) active: Vec<bool>,
    /// The insertion number of a slot's vector; the smallest is the oldest.
    pub(super) inserted: Vec<u64>,
    pub(super) next_insertion: u64,
    active_count: usize,
    pub(super) blocks: Vec<BlockScores>,
    /// The current row: its number within the block.
    at: usize,
}

impl BudgetState {
    pub(super) fn new(kernel: Biased, features: usize, outputs: usize) -> Self {
        BudgetState {
            kernel,
            sq_radius: 1.0,
            support: Support::new(features),
            outputs,
            coefficients: Vec::new(),
            active: Vec::new(),
            inserted: Vec::new(),
            next_insertion: 0,
            active_count: 0,
            blocks: Vec::new(),
            at: 0,
        }
    }

    /// R²: the greatest K(x, x). Policies that weigh lengths against margins of one divide by it.
    pub fn sq_radius(&self) -> f64 {
        self.sq_radius
    }

    pub(super) fn set_sq_radius(&mut self, sq_radius: f64) {
        self.sq_radius = if sq_radius > 0.0 && sq_radius.is_finite() { sq_radius } else { 1.0 };
    }

    /// The number of support vectors.
    pub fn active_count(&self) -> usize {
        self.active_count
    }

    /// The number of slots, those of removed vectors included.
    pub fn slots(&self) -> usize {
        self.active.len()
    }

    /// The slots of current vectors, in order.
    pub fn active_slots(&self) -> impl Iterator<Item = usize> {
        (0..self.slots()).filter(|&slot| self.active[slot])
    }

    /// The slot of the oldest vector.
    pub fn oldest(&self) -> usize {
        self.active_slots().min_by_key(|&slot| self.inserted[slot]).expect("a support that is not empty")
    }

    /// The coefficients of a slot, one for each output.
    pub fn coefficients(&self, slot: usize) -> &[f64] {
        &self.coefficients[slot * self.outputs..][..self.outputs]
    }

    /// K(y, y) of a slot's vector.
    pub fn sq_len(&self, slot: usize) -> f64 {
        let sq = self.support.sq(slot);
        self.kernel.value(sq, sq, sq)
    }

    /// K(x, x) of the current row.
    pub fn current_sq_len(&self) -> f64 {
        let sq = self.blocks[self.at / ROWS].tile.sq()[self.at % ROWS];
        self.kernel.value(sq, sq, sq)
    }

    /// K(x, y) of the current row with the vector of each slot.
    pub fn current_values(&self, out: &mut Vec<f64>) {
        let block_scores = &self.blocks[self.at / ROWS];
        out.clear();
        out.extend((0..self.slots()).map(|slot| block_scores.lines[slot * ROWS + self.at % ROWS]));
    }

    /// The scores of the current row.
    pub(super) fn current_scores(&self) -> impl Iterator<Item = f64> {
        let (block_scores, r) = (&self.blocks[self.at / ROWS], self.at % ROWS);
        (0..self.outputs).map(move |k| block_scores.scores[k * ROWS + r])
    }

    /// The score of every output on a slot's vector: Σ coefficient · K, slot by slot.
    pub fn scores_of(&self, slot: usize) -> Vec<f64> {
        let mut tile = Tile::new(self.support.features());
        tile.load_each(std::iter::once(self.support.row(slot)), self.support.shape());
        let mut scores = vec![0.0; self.outputs];
        let slots: Vec<u32> = self.active_slots().map(|s| s as u32).collect();
        let mut lines = vec![0.0; slots.len() * ROWS];
        products(&tile, &self.support, &slots, &mut lines);
        for (line, &s) in lines.chunks_mut(ROWS).zip(&slots) {
            self.kernel.apply(&mut line[..1], tile.sq(), self.support.sq(s as usize));
            for (score, c) in scores.iter_mut().zip(self.coefficients(s as usize)) {
                *score += c * line[0];
            }
        }
        scores
    }

    /// Inserts the current row into the support, with no coefficients yet. Returns its slot, which may exist already.
    pub fn insert_current(&mut self) -> usize {
        let (block_scores, r) = (&self.blocks[self.at / ROWS], self.at % ROWS);
        let (indices, values) = block_scores.tile.row(r);
        let slot = self.support.slot(Sparse { indices: &indices, values: &values }) as usize;
        if slot == self.slots() {
            self.coefficients.resize(self.support.len() * self.outputs, 0.0);
            self.active.push(false);
            self.inserted.push(0);
            let BudgetState { blocks, support, kernel, .. } = self;
            for block_scores in blocks {
                block_scores.line_of(slot, support, kernel);
            }
        }
        if !self.active[slot] {
            self.active[slot] = true;
            self.inserted[slot] = self.next_insertion;
            self.next_insertion += 1;
            self.active_count += 1;
        }
        slot
    }

    /// Adds to a coefficient, and updates all scores.
    pub fn add_coefficient(&mut self, slot: usize, output: usize, by: f64) {
        self.coefficients[slot * self.outputs + output] += by;
        for block_scores in &mut self.blocks {
            add(&mut block_scores.scores[output * ROWS..][..ROWS], &block_scores.lines[slot * ROWS..][..ROWS], by);
        }
    }

    /// Removes a vector from the support.
    pub fn drop(&mut self, slot: usize) {
        for output in 0..self.outputs {
            let c = self.coefficients[slot * self.outputs + output];
            if c != 0.0 {
                self.add_coefficient(slot, output, -c);
            }
            self.coefficients[slot * self.outputs + output] = 0.0;
        }
        self.active_count -= usize::from(std::mem::take(&mut self.active[slot]));
    }

    /// Multiplies all coefficients and scores.
    pub fn shrink(&mut self, by: f64) {
        self.coefficients.iter_mut().for_each(|c| *c *= by);
        self.blocks.iter_mut().flat_map(|block_scores| &mut block_scores.scores).for_each(|s| *s *= by);
    }

    /// Loads a block of rows, with kernel values and scores from the current support.
    pub(super) fn open(&mut self, rows: AnyRows<'_>, block: &[u32]) {
        self.compact();
        let (features, outputs) = (self.support.features(), self.outputs);
        self.blocks.resize_with(block.len().div_ceil(ROWS), || BlockScores {
            tile: Tile::new(features),
            lines: Vec::new(),
            scores: vec![0.0; outputs * ROWS],
        });
        let BudgetState { blocks, support, kernel, coefficients, .. } = self;
        let load = |shape: SupportShape, blocks: &mut [BlockScores]| {
            parallel::for_each(blocks, &|number, block_scores| {
                let part = &block[number * ROWS..block.len().min((number + 1) * ROWS)];
                block_scores.tile.load(rows, part.iter().map(|&i| i as usize), shape);
            });
        };
        load(support.shape(), blocks);
        if !blocks.iter().all(|s| s.tile.all_whole) && blocks.iter().any(|s| s.tile.all_whole) {
            load(SupportShape { whole: None, ..support.shape() }, blocks);
        }
        let slots: Vec<u32> = (0..support.len() as u32).collect();
        parallel::for_each(blocks, &|_, block_scores| {
            let BlockScores { tile, lines, scores } = block_scores;
            lines.resize(slots.len() * ROWS, 0.0);
            products(tile, support, &slots, lines);
            scores.fill(0.0);
            for ((slot, line), own) in lines.chunks_mut(ROWS).enumerate().zip(coefficients.chunks(outputs)) {
                kernel.apply(&mut line[..tile.len()], tile.sq(), support.sq(slot));
                for (k, &c) in own.iter().enumerate().filter(|(_, c)| **c != 0.0) {
                    add(&mut scores[k * ROWS..][..ROWS], line, c);
                }
            }
        });
    }

    /// Makes a row of the block the current one.
    pub(super) fn set_current(&mut self, at: usize) {
        self.at = at;
    }

    /// Frees the slots of removed vectors.
    pub(super) fn compact(&mut self) {
        if self.active_count == self.slots() {
            return;
        }
        let active_count: Vec<usize> = self.active_slots().collect();
        let (kept, _) = self.support.keeping(|slot| self.active[slot]);
        self.coefficients = active_count.iter().flat_map(|&slot| self.coefficients(slot).to_vec()).collect();
        self.inserted = active_count.iter().map(|&slot| self.inserted[slot]).collect();
        self.active = vec![true; active_count.len()];
        self.support = kept;
    }

    /// Replaces the support.
    pub(super) fn reset(&mut self, support: Support, coefficients: Vec<f64>, inserted: Vec<u64>) {
        (self.active_count, self.active) = (support.len(), vec![true; support.len()]);
        self.next_insertion = inserted.iter().max().map_or(0, |b| b + 1);
        (self.support, self.coefficients, self.inserted) = (support, coefficients, inserted);
        self.blocks.clear();
    }
}

impl BlockScores {
    fn line_of(&mut self, slot: usize, support: &Support, kernel: &Biased) {
        let BlockScores { tile, lines, .. } = self;
        lines.resize((slot + 1) * ROWS, 0.0);
        let line = &mut lines[slot * ROWS..];
        products(tile, support, &[slot as u32], line);
        kernel.apply(&mut line[..tile.len()], tile.sq(), support.sq(slot));
    }
}
