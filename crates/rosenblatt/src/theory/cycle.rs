//! A weight vector that repeats at the same place of a cyclic order proves that no hyperplane separates the data.
//!
//! Between the two visits the updates add up to nothing: Σ cᵢ yᵢ xᵢ = 0 with cᵢ ≥ 0 the number of updates on example
//! i, not all zero. If some u had yᵢ(u·xᵢ) > 0 for all i, then 0 = u·Σ cᵢ yᵢ xᵢ = Σ cᵢ yᵢ(u·xᵢ) > 0: a contradiction
//! (Gordan). The sum is exact when every number on the way is an integer below 2⁵³, so that is required: of the
//! weights, and of the examples, which might otherwise be rounded away beside large weights.

use std::collections::HashMap;

use dashu_int::IBig;
use dashu_ratio::RBig;

use crate::certify::Numbers;
use crate::certify::exact::ExactRows;
use crate::error::Result;
use crate::learn::{View, Weights};
use crate::rows::{Examples, Row, Rows};

/// The proof: how often each example was added between two visits of the same weights.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cycle {
    /// The pass after which the weights were first as they are now; 0 is the start.
    pub first_pass: u32,
    /// The pass after which they came back.
    pub again_pass: u32,
    /// Example numbers, from 0, and how often each was added between.
    pub counts: Vec<(usize, u64)>,
}

impl Cycle {
    /// Checks the proof against the data, in integers: Σ cᵢ yᵢ xᵢ = 0, with the bias's coordinate if there is one.
    /// Needs two classes and whole numbers, and shares no code with the learner.
    pub fn verify(&self, examples: Examples<'_>, biased: bool) -> bool {
        self.verify_in(View::new(examples.rows, examples), examples.rows.features(), biased)
    }

    /// Which numbers it is a proof of: those that `exact` holds, if their sum is zero too, else only the floats. `exact` is
    /// `None` where the learner's rows are not in the data: after maps.
    pub fn numbers(&self, exact: Option<&dyn ExactRows>, classes: &[u32], biased: bool) -> Result<Numbers> {
        let Some(exact) = exact else { return Ok(Numbers::Floats) };
        let mut sums = vec![RBig::ZERO; exact.features() + 1];
        let examples: Vec<usize> = self.counts.iter().map(|(i, _)| *i).collect();
        for (row, (i, count)) in exact.fetch(&examples)?.into_iter().zip(&self.counts) {
            let times = IBig::from(*count) * if classes[*i] == 1 { 1 } else { -1 };
            let last = (exact.features(), IBig::from(row.scale.clone()));
            for (j, value) in row.entries.into_iter().chain(biased.then_some(last)) {
                sums[j] += RBig::from_parts(value * &times, row.scale.clone());
            }
        }
        Ok(if sums.iter().all(|sum| *sum == RBig::ZERO) { Numbers::AsWritten } else { Numbers::Floats })
    }

    fn verify_in<R: Rows>(&self, view: View<'_, R>, features: usize, biased: bool) -> bool {
        let mut sums = vec![0i128; features + 1];
        let mut whole = !self.counts.is_empty();
        for &(i, count) in &self.counts {
            if i >= view.len() || count == 0 {
                return false;
            }
            let (x, class, _) = view.get(i);
            let times = if class == 1 { i128::from(count) } else { -i128::from(count) };
            x.each(|j, v| {
                whole &= v.fract() == 0.0 && v.abs() < EXACT;
                sums[j] += times * v as i128;
            });
            sums[features] += if biased { times } else { 0 };
        }
        whole && sums.iter().all(|&s| s == 0)
    }
}

/// Compares the weights at the ends of the passes of a cyclic order.
#[derive(Debug)]
pub struct CycleWatch {
    seen: HashMap<Vec<u64>, u32>,
    /// How often each example was added, at the end of each pass.
    counts: Vec<Vec<u64>>,
    exact: bool,
}

/// Integers below this are added without rounding.
const EXACT: f64 = 9_007_199_254_740_992.0;

fn key(weights: &Weights) -> Vec<u64> {
    // + 0.0 turns −0 into +0.
    weights.values().iter().chain(weights.bias()).map(|w| (w + 0.0).to_bits()).collect()
}

fn whole(v: f64) -> bool {
    v.fract() == 0.0 && v.abs() < EXACT
}

fn integral(weights: &Weights) -> bool {
    weights.values().iter().chain(weights.bias()).all(|&w| whole(w))
}

fn integral_rows<R: Rows>(rows: R) -> bool {
    let mut all = true;
    (0..rows.len()).for_each(|i| rows.row(i).each(|_, v| all &= whole(v)));
    all
}

impl CycleWatch {
    /// Starts with the initial weights and the examples.
    pub fn new(start: &Weights, examples: Examples<'_>) -> Self {
        let seen = HashMap::from([(key(start), 0)]);
        let exact = integral(start) && integral_rows(examples.rows);
        CycleWatch { seen, counts: vec![vec![0; examples.len()]], exact }
    }

    /// Records that an example, by its number from 0, was added once (a step of 1), with these weights as the result.
    pub fn added(&mut self, example: usize, weights: &Weights) {
        self.exact &= integral(weights);
        let now = self.counts.last_mut().expect("starts with one");
        now[example] += 1;
    }

    /// Records the weights at the end of a pass. Returns the proof if they occurred before.
    pub fn end_pass(&mut self, weights: &Weights) -> Option<Cycle> {
        let again = self.counts.len() as u32;
        if let Some(&first) = self.seen.get(&key(weights)) {
            // counts[p] runs to the end of pass p + 1, so the state after pass `first` is counts[first - 1].
            let now = self.counts.last().expect("starts with one");
            let before = |i: usize| if first == 0 { 0 } else { self.counts[first as usize - 1][i] };
            let counts: Vec<(usize, u64)> =
                now.iter().enumerate().map(|(i, &n)| (i, n - before(i))).filter(|(_, n)| *n > 0).collect();
            if self.exact && !counts.is_empty() {
                return Some(Cycle { first_pass: first, again_pass: again, counts });
            }
        }
        self.seen.insert(key(weights), again);
        let carry = self.counts.last().expect("starts with one").clone();
        self.counts.push(carry);
        None
    }
}
