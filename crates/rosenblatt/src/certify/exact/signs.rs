//! On which side of a hyperplane is each row? In floats with a proved bound of the error, exactly where that is not
//! enough.
//!
//! Let s = Σ xⱼwⱼ be a sum of n products, computed in floats from values that are within half an ulp of the true ones
//! (a decimal's nearest float, a weight's nearest float; a monomial of degree D: 2D − 1 roundings). Then
//!
//! ```text
//! |computed − true| ≤ (n + 2D + 4)·u·(1 + small)·Σ|xⱼwⱼ| + n·2⁻¹⁰⁷⁰,     u = 2⁻⁵³,
//! ```
//!
//! in whatever order the sum is taken. The code doubles the factor, which covers the roundings of the bound itself.
//! First ‖x‖‖w‖ stands for Σ|xⱼwⱼ|, then the sum itself, then integers.

use std::collections::HashMap;

use dashu_int::IBig;
use dashu_ratio::RBig;

use super::approx::mantissas;
use super::margin::whole;
use super::rows::{ExactRows, IntRow};
use crate::error::Result;
use crate::message::Message;
use crate::rows::{AnyRows, Row, Rows};
use crate::{limits, parallel};

/// Rows of a block: fixed, so that results do not depend on the number of threads.
const BLOCK: usize = 1 << 12;
/// Numbers of a block of exact rows.
const BLOCK_NUMBERS: usize = 1 << 18;
/// Weights below 2^−this of the largest are computed exactly.
const LEAST_WEIGHT: f64 = 1e-150;

/// A score in floats and how far it may be off: the true one is in value ± error. In units of 2^shift.
#[derive(Debug, Clone, Copy)]
struct Score {
    value: f64,
    error: f64,
}

/// All rows with their signs.
pub struct Filter<'a> {
    rows: AnyRows<'a>,
    exact: &'a dyn ExactRows,
    signs: &'a [i8],
    bias: bool,
    degree: u32,
    /// Rows that need exact arithmetic; empty for none.
    wild: Vec<bool>,
    /// ‖x‖ or more, the bias counted.
    norms: Vec<f64>,
}

impl<'a> Filter<'a> {
    /// Measures the rows.
    pub fn new(
        rows: AnyRows<'a>,
        exact: &'a dyn ExactRows,
        signs: &'a [i8],
        (bias, degree): (bool, u32),
        wild: Vec<bool>,
    ) -> Self {
        let one = f64::from(u8::from(bias));
        let slack = 1.0 + 1e-12 + rows.features() as f64 * 1e-15;
        // Squares below 2⁻¹⁰⁷⁴ vanish: what they came from is below 2⁻⁵³⁶.
        let vanished = (rows.features() as f64).sqrt() * 1e-160;
        let norm = |i: usize| (rows.row(i).sq_norm() + one).sqrt() * slack + vanished;
        let norms = parallel::values(rows.len(), BLOCK, 0.0, &norm);
        Filter { rows, exact, signs, bias, degree, wild, norms }
    }

    /// The rows in floats.
    pub fn rows(&self) -> AnyRows<'a> {
        self.rows
    }

    /// The same rows in some of the columns.
    pub fn narrowed<'n>(&'n self, rows: AnyRows<'n>, exact: &'n dyn ExactRows) -> Filter<'n> {
        Filter::new(rows, exact, self.signs, (self.bias, self.degree), self.wild.clone())
    }

    /// The signs of the rows.
    pub fn signs(&self) -> &'a [i8] {
        self.signs
    }

    /// Rows that need exact arithmetic; empty for none.
    pub fn wild(&self) -> &[bool] {
        &self.wild
    }

    /// Coordinates: the features, and one for the bias.
    pub fn coordinates(&self) -> usize {
        self.rows.features() + usize::from(self.bias)
    }

    /// Whether there is a bias.
    pub fn bias(&self) -> bool {
        self.bias
    }

    /// +1, −1, or 0 for a row that is left out.
    pub fn sign(&self, row: usize) -> i8 {
        self.signs[row]
    }

    /// How many rows, with those left out.
    pub fn count(&self) -> usize {
        self.signs.len()
    }

    /// The rows that take part.
    pub fn members(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.count()).filter(|&i| self.signs[i] != 0)
    }

    /// R: no row that takes part is longer, the bias counted.
    pub fn radius(&self) -> f64 {
        self.members().map(|i| self.norms[i]).fold(0.0, f64::max)
    }

    /// The source of exact rows.
    pub fn exact(&self) -> &'a dyn ExactRows {
        self.exact
    }

    /// The rows a = y·(x, 1) as integers.
    pub fn fetch(&self, rows: &[usize]) -> Result<Vec<IntRow>> {
        let bias = self.bias.then_some(self.rows.features());
        let fetched = self.exact.fetch(rows)?;
        Ok(parallel::map(fetched.len(), &|k| fetched[k].signed(self.signs[rows[k]], bias)))
    }

    /// The score of each row in floats; +∞ for those left out or skipped.
    fn scores(&self, w: &[IBig], skip: &[bool]) -> (Vec<Score>, usize) {
        let all: Vec<&IBig> = w.iter().collect();
        let (weights, shift) = mantissas(&all);
        let trusted = weights.iter().zip(w).all(|(f, w)| w.is_zero() || f.abs() > LEAST_WEIGHT);
        let features = self.rows.features();
        let (weights, bias) = weights.split_at(features);
        let bias = bias.first().copied().unwrap_or(0.0);
        let length = (weights.iter().map(|v| v * v).sum::<f64>() + bias * bias).sqrt() * (1.0 + 1e-9);
        let n = features as f64 + 1.0;
        let ulps = 2.0 * (n + 2.0 * f64::from(self.degree) + 8.0) * f64::EPSILON;
        let underflow = n * 1e-321 + f64::MIN_POSITIVE * f64::EPSILON;
        let score = |i: usize| {
            if self.signs[i] == 0 || skip.get(i) == Some(&true) {
                return Score { value: f64::INFINITY, error: 0.0 };
            }
            if !trusted || self.wild.get(i) == Some(&true) {
                return Score { value: 0.0, error: f64::INFINITY };
            }
            let value = self.rows.row(i).dot(weights) + bias;
            let value = if self.signs[i] < 0 { -value } else { value };
            let mut error = ulps * (self.norms[i] * length) + underflow;
            let clear = value.abs() > 4.0 * error;
            if !clear {
                let mut sum = bias.abs();
                self.rows.row(i).each(|j, v| sum += (v * weights[j]).abs());
                error = error.min(ulps * sum + underflow);
            }
            if value.is_finite() && error.is_finite() {
                Score { value, error }
            } else {
                Score { value: 0.0, error: f64::INFINITY }
            }
        };
        (parallel::values(self.count(), BLOCK, Score { value: 0.0, error: 0.0 }, &score), shift)
    }

    /// Consecutive parts of some rows, none of which holds many numbers.
    pub fn blocks<'r>(&self, rows: &'r [usize]) -> impl Iterator<Item = &'r [usize]> {
        let of = self.rows;
        let mut left = rows;
        std::iter::from_fn(move || {
            let mut numbers = 0;
            let fits = |&&i: &&usize| {
                numbers += of.stored(i) + 1;
                numbers <= BLOCK_NUMBERS
            };
            let count = left.iter().take(BLOCK).take_while(fits).count().max(1).min(left.len());
            let (block, rest) = left.split_at(count);
            left = rest;
            (!block.is_empty()).then_some(block)
        })
    }

    /// Calls `visit` with exact rows and their exact scores, block by block.
    fn each_exact(&self, rows: &[usize], w: &[IBig], mut visit: impl FnMut(usize, &IntRow, IBig)) -> Result<()> {
        for block in self.blocks(rows) {
            limits::check()?;
            let fetched = self.fetch(block)?;
            let scores = parallel::map(fetched.len(), &|i| fetched[i].dot(w));
            for ((&i, row), score) in block.iter().zip(&fetched).zip(scores) {
                visit(i, row, score);
            }
        }
        Ok(())
    }

    /// The rows with a·w ≤ 0 except those to skip, each with its depth (a·w)/‖a‖ in floats, in order.
    pub fn violations(&self, w: &[IBig], skip: &[bool]) -> Result<Vec<(usize, f64)>> {
        let (scores, _) = self.scores(w, skip);
        let mut found: Vec<(usize, f64)> = Vec::new();
        let mut open = Vec::new();
        for (i, s) in scores.iter().enumerate() {
            if s.value < -s.error {
                found.push((i, s.value / self.norms[i]));
            } else if s.value <= s.error {
                open.push(i);
            }
        }
        self.each_exact(&open, w, |i, _, score| {
            if score <= IBig::ZERO {
                found.push((i, scores[i].value.min(0.0) / self.norms[i]));
            }
        })?;
        found.sort_by_key(|(i, _)| *i);
        Ok(found)
    }

    /// Whether a·w ≥ 0 for every row, and > 0 for at least one.
    pub fn separates_weakly(&self, w: &[IBig]) -> Result<bool> {
        let (scores, _) = self.scores(w, &[]);
        if self.members().any(|i| scores[i].value < -scores[i].error) {
            return Ok(false);
        }
        let open: Vec<usize> = self.members().filter(|&i| scores[i].value <= scores[i].error).collect();
        let mut positive = self.members().count() > open.len();
        let mut negative = false;
        self.each_exact(&open, w, |_, _, score| {
            negative |= score < IBig::ZERO;
            positive |= score > IBig::ZERO;
        })?;
        Ok(positive && !negative)
    }

    /// Whether Σ weight·a = 0 in every coordinate.
    pub fn cancels(&self, weights: &[(usize, RBig)]) -> Result<bool> {
        let rows: Vec<usize> = weights.iter().map(|(i, _)| *i).collect();
        // The weights of the rows as integers first: a = row·common/scale.
        let mut factors = Vec::with_capacity(rows.len());
        for block in self.blocks(&rows) {
            for row in self.fetch(block)? {
                let (i, share) = &weights[factors.len()];
                factors.push((*i, share * RBig::from_parts(IBig::from(row.common), row.scale)));
            }
        }
        let mut factors = whole(&factors).into_iter();
        let mut sums: HashMap<usize, IBig> = HashMap::new();
        for block in self.blocks(&rows) {
            limits::check()?;
            for (row, (_, factor)) in self.fetch(block)?.iter().zip(factors.by_ref()) {
                row.entries.iter().for_each(|(j, v)| *sums.entry(*j).or_default() += v * &factor);
            }
        }
        Ok(sums.values().all(IBig::is_zero))
    }

    /// w with the value `at` in one coordinate, and 0 elsewhere.
    pub fn unit(&self, coordinate: usize, at: i8) -> Result<Vec<IBig>> {
        let what = || Message::new(format!("a hyperplane of {} weights", self.coordinates()));
        let mut w = limits::filled(IBig::ZERO, self.coordinates(), what)?;
        w[coordinate] = IBig::from(at);
        Ok(w)
    }

    /// Marks the rows that are orthogonal to every vector of a basis; the others in order.
    pub fn mark_orthogonal(&self, basis: &[Vec<IBig>], marked: &mut [bool]) -> Result<Vec<usize>> {
        // One combination of the basis decides most rows; the others are checked exactly.
        let mut mix = vec![IBig::ZERO; self.coordinates()];
        for (k, vector) in basis.iter().enumerate() {
            let factor = IBig::from(1 + (k as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) % 1009);
            mix.iter_mut().zip(vector).for_each(|(m, v)| *m += &factor * v);
        }
        let (scores, _) = self.scores(&mix, marked);
        let members = || self.members().filter(|&i| scores[i].value < f64::INFINITY);
        let open: Vec<usize> = members().filter(|&i| scores[i].value.abs() <= scores[i].error).collect();
        let mut zero = Vec::new();
        self.each_exact(&open, &mix, |i, row, score| {
            if score.is_zero() && basis.iter().all(|v| row.dot(v).is_zero()) {
                zero.push(i);
            }
        })?;
        zero.iter().for_each(|&i| marked[i] = true);
        Ok(members().filter(|&i| !marked[i]).collect())
    }

    /// min a·w over all rows, or a little less: by at most a part in 10⁹. Negative if a row is on the wrong side.
    pub fn least(&self, w: &[IBig]) -> Result<RBig> {
        let (scores, shift) = self.scores(w, &[]);
        let most = scores.iter().map(|s| s.value + s.error).fold(f64::INFINITY, f64::min);
        let enough = |s: &Score| s.value - s.error >= most * (1.0 - 1e-9) && s.value - s.error > 0.0;
        let unit = RBig::from(IBig::ONE << shift);
        let mut least: Option<RBig> = None;
        let mut take = |v: RBig| {
            if least.as_ref().is_none_or(|l| v < *l) {
                least = Some(v);
            }
        };
        let sure = scores.iter().filter(|s| enough(s)).map(|s| s.value - s.error).fold(f64::INFINITY, f64::min);
        if let Ok(sure) = RBig::try_from(sure) {
            take(sure * unit);
        }
        let open: Vec<usize> = self.members().filter(|&i| !enough(&scores[i])).collect();
        self.each_exact(&open, w, |_, row, score| {
            take(RBig::from_parts(score * IBig::from(row.common.clone()), row.scale.clone()));
        })?;
        Ok(least.unwrap_or_default())
    }
}
