//! Scores of a sum over the support: s_k = Σ coefficient · K(x_slot, x), slot by slot.

use std::ops::Range;

use super::function::Kernel;
use super::path::add;
use super::products::products;
use super::support::Support;
use super::tile::{ROWS, Tile};
use crate::error::Result;
use crate::limits;
use crate::parallel;
use crate::rows::{AnyRows, Row};

/// Support vectors whose kernel values are computed together.
const TOGETHER: usize = 96;

/// Computes the scores of one tile of rows at a time.
pub struct Summer<'a, K> {
    kernel: &'a K,
    support: &'a Support,
    coefficients: &'a [f64],
    outputs: usize,
    tile: Tile,
    lines: Vec<f64>,
    sums: Vec<f64>,
}

impl<'a, K: Kernel> Summer<'a, K> {
    /// For coefficients by `[slot][output]`.
    pub fn new(kernel: &'a K, support: &'a Support, coefficients: &'a [f64], outputs: usize) -> Self {
        let tile = Tile::new(support.features());
        Summer { kernel, support, coefficients, outputs, tile, lines: Vec::new(), sums: vec![0.0; outputs * ROWS] }
    }

    /// The scores of up to [`ROWS`] rows, row by row.
    pub fn scores(&mut self, rows: AnyRows<'_>, numbers: Range<usize>, out: &mut [f64]) {
        self.tile.load(rows, numbers, self.support.shape());
        self.sum(out);
    }

    /// The scores of up to [`ROWS`] rows of an iterator.
    pub fn scores_of<X: Row>(&mut self, rows: impl ExactSizeIterator<Item = X>, out: &mut [f64]) {
        self.tile.load_each(rows, self.support.shape());
        self.sum(out);
    }

    fn sum(&mut self, out: &mut [f64]) {
        let Summer { kernel, support, outputs, tile, lines, sums, .. } = self;
        sums.fill(0.0);
        let slots: Vec<u32> = (0..support.len() as u32).collect();
        for (slots, own) in slots.chunks(TOGETHER).zip(self.coefficients.chunks(TOGETHER * *outputs)) {
            lines.resize(slots.len() * ROWS, 0.0);
            products(tile, support, slots, lines);
            for ((line, &slot), own) in lines.chunks_mut(ROWS).zip(slots).zip(own.chunks(*outputs)) {
                kernel.apply(&mut line[..tile.len()], tile.sq(), support.sq(slot as usize));
                for (k, &c) in own.iter().enumerate().filter(|(_, c)| **c != 0.0) {
                    add(&mut sums[k * ROWS..][..ROWS], line, c);
                }
            }
        }
        for (r, scores) in out.chunks_mut(*outputs).enumerate() {
            scores.iter_mut().enumerate().for_each(|(k, s)| *s = sums[k * ROWS + r]);
        }
    }
}

/// ‖v_k‖² = Σ_slot coefficient · s_k(x_slot) for each output: the support scored by itself.
pub fn sq_norms(kernel: &impl Kernel, support: &Support, coefficients: &[f64], outputs: usize) -> Result<Vec<f64>> {
    let mut scores = vec![0.0; coefficients.len()];
    let summer = || Summer::new(kernel, support, coefficients, outputs);
    parallel::for_chunks_in(&mut scores, ROWS * outputs, &summer, &|summer, number, out| {
        if limits::has_passed() {
            return;
        }
        let first = number * ROWS;
        summer.scores_of((first..first + out.len() / outputs).map(|slot| support.row(slot)), out);
    });
    limits::check()?;
    let mut sums = vec![0.0; outputs];
    for (scores, own) in scores.chunks(outputs).zip(coefficients.chunks(outputs)) {
        for k in 0..outputs {
            sums[k] += scores[k] * own[k];
        }
    }
    // Rounding may leave slightly negative sums.
    sums.iter_mut().for_each(|s| *s = s.max(0.0));
    Ok(sums)
}
