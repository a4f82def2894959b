//! The state of a machine on a budget: a support that changes, and a block of rows whose scores follow every change.

use crate::learn::kernel::path::add;
use crate::learn::kernel::products::products;
use crate::learn::kernel::{Biased, Kernel, ROWS, Support, Tile};
use crate::parallel;
use crate::rows::{AnyRows, Sparse};

/// Some rows of a block: their kernel values with every slot, and their scores.
#[derive(Debug)]
pub(super) struct BlockScores {
    pub(super) tile: Tile,
    /// K(x, y) by `[slot][row]`.
    lines: Vec<f64>,
    /// By `[output][row]`.
    pub(super) scores: Vec<f64>,
}

/// Support vectors that come and go, and a block of rows at work.
///
/// A slot whose vector is gone keeps its place, with coefficients of zero, until the block ends.
#[derive(Debug)]
pub struct BudgetState {
    kernel: Biased,
    /// R²: the greatest K(x, x).
    sq_radius: f64,
    pub(super) support: Support,
    outputs: usize,
    /// By `[slot][output]`.
    pub(super) coefficients: Vec<f64>,
    pub(super) alive: Vec<bool>,
    /// When a slot's vector came in; the smallest is the oldest.
    pub(super) born: Vec<u64>,
    pub(super) next_birth: u64,
    living: usize,
    pub(super) blocks: Vec<BlockScores>,
    /// The row at hand: its number within the block.
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
            alive: Vec::new(),
            born: Vec::new(),
            next_birth: 0,
            living: 0,
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

    /// How many support vectors there are.
    pub fn living(&self) -> usize {
        self.living
    }

    /// How many slots there are, with those whose vector is gone.
    pub fn slots(&self) -> usize {
        self.alive.len()
    }

    /// The slots whose vector is there, in order.
    pub fn living_slots(&self) -> impl Iterator<Item = usize> {
        (0..self.slots()).filter(|&slot| self.alive[slot])
    }

    /// The slot whose vector came in first.
    pub fn oldest(&self) -> usize {
        self.living_slots().min_by_key(|&slot| self.born[slot]).expect("a support that is not empty")
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

    /// K(x, x) of the row at hand.
    pub fn own_sq_len(&self) -> f64 {
        let sq = self.blocks[self.at / ROWS].tile.sq()[self.at % ROWS];
        self.kernel.value(sq, sq, sq)
    }

    /// K(x, y) of the row at hand with the vector of each slot.
    pub fn own_values(&self, out: &mut Vec<f64>) {
        let block_scores = &self.blocks[self.at / ROWS];
        out.clear();
        out.extend((0..self.slots()).map(|slot| block_scores.lines[slot * ROWS + self.at % ROWS]));
    }

    /// The scores of the row at hand.
    pub(super) fn own_scores(&self) -> impl Iterator<Item = f64> {
        let (block_scores, r) = (&self.blocks[self.at / ROWS], self.at % ROWS);
        (0..self.outputs).map(move |k| block_scores.scores[k * ROWS + r])
    }

    /// The score of every output on a slot's vector: Σ coefficient · K, slot by slot.
    pub fn scores_of(&self, slot: usize) -> Vec<f64> {
        let mut tile = Tile::new(self.support.features());
        tile.load_each(std::iter::once(self.support.row(slot)), self.support.whole_sq());
        let mut scores = vec![0.0; self.outputs];
        let slots: Vec<u32> = self.living_slots().map(|s| s as u32).collect();
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

    /// Takes the row at hand into the support, with no coefficients yet. Returns its slot, which it may have had.
    pub fn take_in(&mut self) -> usize {
        let (block_scores, r) = (&self.blocks[self.at / ROWS], self.at % ROWS);
        let (indices, values) = block_scores.tile.row(r);
        let slot = self.support.slot(Sparse { indices: &indices, values: &values }) as usize;
        if slot == self.slots() {
            self.coefficients.resize(self.support.len() * self.outputs, 0.0);
            self.alive.push(false);
            self.born.push(0);
            let BudgetState { blocks, support, kernel, .. } = self;
            for block_scores in blocks {
                block_scores.line_of(slot, support, kernel);
            }
        }
        if !self.alive[slot] {
            self.alive[slot] = true;
            self.born[slot] = self.next_birth;
            self.next_birth += 1;
            self.living += 1;
        }
        slot
    }

    /// Changes a coefficient, and all scores with it.
    pub fn nudge(&mut self, slot: usize, output: usize, by: f64) {
        self.coefficients[slot * self.outputs + output] += by;
        for block_scores in &mut self.blocks {
            add(&mut block_scores.scores[output * ROWS..][..ROWS], &block_scores.lines[slot * ROWS..][..ROWS], by);
        }
    }

    /// Takes a vector out of the support.
    pub fn drop(&mut self, slot: usize) {
        for output in 0..self.outputs {
            let c = self.coefficients[slot * self.outputs + output];
            if c != 0.0 {
                self.nudge(slot, output, -c);
            }
            self.coefficients[slot * self.outputs + output] = 0.0;
        }
        self.living -= usize::from(std::mem::take(&mut self.alive[slot]));
    }

    /// Multiplies everything.
    pub fn shrink(&mut self, by: f64) {
        self.coefficients.iter_mut().for_each(|c| *c *= by);
        self.blocks.iter_mut().flat_map(|block_scores| &mut block_scores.scores).for_each(|s| *s *= by);
    }

    /// Lays out a block of rows, with kernel values and scores from the support as it is.
    pub(super) fn open(&mut self, rows: AnyRows<'_>, block: &[u32]) {
        self.tidy();
        let (features, outputs) = (self.support.features(), self.outputs);
        self.blocks.resize_with(block.len().div_ceil(ROWS), || BlockScores {
            tile: Tile::new(features),
            lines: Vec::new(),
            scores: vec![0.0; outputs * ROWS],
        });
        let BudgetState { blocks, support, kernel, coefficients, .. } = self;
        let load = |whole: Option<f64>, blocks: &mut [BlockScores]| {
            parallel::for_each(blocks, &|number, block_scores| {
                let part = &block[number * ROWS..block.len().min((number + 1) * ROWS)];
                block_scores.tile.load(rows, part.iter().map(|&i| i as usize), whole);
            });
        };
        load(support.whole_sq(), blocks);
        if !blocks.iter().all(|s| s.tile.all_whole) && blocks.iter().any(|s| s.tile.all_whole) {
            load(None, blocks);
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

    /// Turns to a row of the block.
    pub(super) fn turn_to(&mut self, at: usize) {
        self.at = at;
    }

    /// Gives back the places of vectors that are gone.
    pub(super) fn tidy(&mut self) {
        if self.living == self.slots() {
            return;
        }
        let living: Vec<usize> = self.living_slots().collect();
        let (kept, _) = self.support.keeping(|slot| self.alive[slot]);
        self.coefficients = living.iter().flat_map(|&slot| self.coefficients(slot).to_vec()).collect();
        self.born = living.iter().map(|&slot| self.born[slot]).collect();
        self.alive = vec![true; living.len()];
        self.support = kept;
    }

    /// Begins again with this support.
    pub(super) fn reset(&mut self, support: Support, coefficients: Vec<f64>, born: Vec<u64>) {
        (self.living, self.alive) = (support.len(), vec![true; support.len()]);
        self.next_birth = born.iter().max().map_or(0, |b| b + 1);
        (self.support, self.coefficients, self.born) = (support, coefficients, born);
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
