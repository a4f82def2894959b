//! The packing: weights λ ≥ 0 of witnesses such that no item's witnesses weigh more than the item costs.
//!
//! Every hyperplane errs on an item of every witness, so its mistakes cost at least Σ λ:
//!
//! ```text
//! Σ_{i ∈ M} cᵢ ≥ Σ_{i ∈ M} Σ_{W ∋ i} λ_W ≥ Σ_W λ_W   for the mistakes M of any hyperplane.
//! ```
//!
//! The best packing of a pool of witnesses is a linear program; its dual solution z (0 ≤ z, Σ z ≥ 1 on every witness) is the
//! cover by which [further witnesses](super::witness) are found. The weights that count are fractions with a small common
//! denominator, which are compared with the costs in whole numbers (Parker and Ryan 1996).

use std::collections::{HashMap, HashSet};

use super::lp::{Columns, End, Goal, Simplex};
use crate::random::Stream;

/// The most items in the program: its inverse is dense.
pub(super) const MAX_ITEMS: usize = 2400;
/// Common denominators of the weights, the simplest first.
const DENOMINATORS: [u64; 11] = [1, 2, 3, 4, 6, 12, 24, 60, 840, 27_720, 1 << 24];

/// Witnesses and their weights.
pub(super) struct Packing<'c> {
    costs: &'c [u64],
    pool: Pool,
    method: Simplex,
    /// The equation of an item.
    equations: HashMap<usize, usize>,
    known: HashSet<Vec<usize>>,
    random: Stream,
}

#[derive(Default)]
struct Pool {
    /// The items of each witness.
    items: Vec<Vec<usize>>,
    /// Their equations.
    entries: Vec<Vec<usize>>,
    /// Witnesses that are none: their weight is not counted.
    refuted: Vec<bool>,
}

impl Columns for Pool {
    fn count(&self) -> usize {
        self.items.len()
    }

    fn cost(&self, column: usize) -> f64 {
        if self.refuted[column] { 1.0 } else { -1.0 }
    }

    fn dot(&self, column: usize, dual: &[f64]) -> f64 {
        self.entries[column].iter().map(|&i| dual[i]).sum()
    }

    fn each(&self, column: usize, visit: &mut dyn FnMut(usize, f64)) {
        self.entries[column].iter().for_each(|&i| visit(i, 1.0));
    }
}

/// Weights of witnesses as whole numbers over a common denominator.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Shares {
    /// (witness, numerator), numerators positive.
    pub(super) shares: Vec<(usize, u64)>,
    pub(super) denominator: u64,
}

impl Shares {
    /// ⌈Σ λ⌉.
    pub(super) fn bound(&self) -> u64 {
        let sum: u128 = self.shares.iter().map(|(_, n)| u128::from(*n)).sum();
        sum.div_ceil(u128::from(self.denominator.max(1))) as u64
    }
}

impl<'c> Packing<'c> {
    pub(super) fn new(costs: &'c [u64]) -> Self {
        Packing {
            costs,
            pool: Pool::default(),
            method: Simplex::new(Vec::new(), false),
            equations: HashMap::new(),
            known: HashSet::new(),
            random: Stream::new(0, &[20]),
        }
    }

    /// Adds a witness by its items; false if it is known, or there is no room.
    pub(super) fn add(&mut self, items: Vec<usize>) -> bool {
        let lacking = items.iter().filter(|i| !self.equations.contains_key(i)).count();
        if self.method.equations() + lacking > MAX_ITEMS || !self.known.insert(items.clone()) {
            return false;
        }
        let mut entries = Vec::with_capacity(items.len());
        for &i in &items {
            let next = self.method.equations();
            let equation = *self.equations.entry(i).or_insert(next);
            if equation == next {
                // Slightly different right sides: without ties the method does not stall.
                self.method.add_equation(self.costs[i] as f64 * (1.0 + 1e-7 * self.random.unit()));
            }
            entries.push(equation);
        }
        self.pool.items.push(items);
        self.pool.entries.push(entries);
        self.pool.refuted.push(false);
        true
    }

    /// How many witnesses.
    pub(super) fn len(&self) -> usize {
        self.pool.items.len()
    }

    #[cfg(test)]
    fn items(&self, witness: usize) -> &[usize] {
        &self.pool.items[witness]
    }

    /// Leaves a witness out that proved to be none.
    pub(super) fn refute(&mut self, witness: usize) {
        self.pool.refuted[witness] = true;
    }

    /// Whether a witness proved to be none.
    pub(super) fn is_refuted(&self, witness: usize) -> bool {
        self.pool.refuted[witness]
    }

    /// The best weights in floats; false if the time was over before.
    pub(super) fn solve(&mut self, late: &dyn Fn() -> bool) -> bool {
        let most = 20 * self.method.equations() + 1000;
        let end = self.method.run(&self.pool, Goal::Cost, most, &mut self.random, &mut |_, _| !late());
        if end == End::Broken && !self.method.refresh(&self.pool) {
            self.restart();
        }
        end == End::Optimal
    }

    fn restart(&mut self) {
        let mut rhs = vec![0.0; self.method.equations()];
        for (&item, &equation) in &self.equations {
            rhs[equation] = self.costs[item] as f64;
        }
        self.method = Simplex::new(rhs, false);
    }

    /// z of every item.
    pub(super) fn cover(&self) -> Vec<f64> {
        let dual = self.method.dual(&self.pool, Goal::Cost);
        let mut z = vec![0.0; self.costs.len()];
        self.equations.iter().for_each(|(&item, &equation)| z[item] = (-dual[equation]).max(0.0));
        z
    }

    /// The witnesses with weights in floats.
    pub(super) fn weights(&self) -> Vec<(usize, f64)> {
        let mut weights: Vec<(usize, f64)> =
            self.method.solution().filter(|(k, v)| *v > 1e-9 && !self.pool.refuted[*k]).collect();
        weights.sort_by_key(|(k, _)| *k);
        weights
    }

    /// Weights that fit exactly, of the highest bound, with the smallest denominator that reaches it.
    pub(super) fn shares(&self, weights: &[(usize, f64)]) -> Shares {
        let mut best = Shares { shares: Vec::new(), denominator: 1 };
        for denominator in DENOMINATORS {
            let whole = |v: f64| (v * denominator as f64 + 1e-4).floor() as u64;
            let mut shares: Vec<(usize, u64)> = weights.iter().map(|&(k, v)| (k, whole(v))).collect();
            shares.retain(|(_, n)| *n > 0);
            self.fit(&mut shares, denominator);
            let shares = Shares { shares, denominator };
            if shares.bound() > best.bound() {
                best = shares;
            }
        }
        best
    }

    /// Lowers weights until no item carries more than it costs, then raises those that have room.
    fn fit(&self, shares: &mut Vec<(usize, u64)>, denominator: u64) {
        let mut left: HashMap<usize, u64> = HashMap::new();
        let room = |i: usize| self.costs[i].saturating_mul(denominator);
        let mut take = |items: &[usize], wanted: u64| {
            let most = items.iter().map(|&i| *left.entry(i).or_insert_with(|| room(i))).min().unwrap_or(0);
            let taken = wanted.min(most);
            items.iter().for_each(|i| *left.entry(*i).or_default() -= taken);
            taken
        };
        for (k, n) in shares.iter_mut() {
            *n = take(&self.pool.items[*k], *n);
        }
        // What rounding left: some weights grow, and further witnesses find room.
        let mut extra: HashMap<usize, u64> = HashMap::new();
        for k in (0..self.len()).filter(|&k| !self.pool.refuted[k]) {
            let more = take(&self.pool.items[k], u64::MAX);
            if more > 0 {
                extra.insert(k, more);
            }
        }
        for (k, n) in shares.iter_mut() {
            *n += extra.remove(k).unwrap_or(0);
        }
        shares.extend(extra);
        shares.retain(|(_, n)| *n > 0);
        shares.sort_unstable();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_never_exceed_costs() {
        let mut random = Stream::new(3, &[]);
        for _ in 0..200 {
            let n = 3 + random.below(8) as usize;
            let costs: Vec<u64> = (0..n).map(|_| 1 + random.below(3)).collect();
            let mut packing = Packing::new(&costs);
            for _ in 0..2 + random.below(12) {
                let mut items: Vec<usize> = (0..n).filter(|_| random.below(3) == 0).collect();
                items.dedup();
                if !items.is_empty() {
                    packing.add(items);
                }
            }
            assert!(packing.solve(&|| false));
            let shares = packing.shares(&packing.weights());
            let mut load = vec![0; n];
            for (k, w) in &shares.shares {
                packing.items(*k).iter().for_each(|&i| load[i] += w);
            }
            assert!(load.iter().zip(&costs).all(|(l, c)| *l <= c * shares.denominator), "{shares:?} {costs:?}");
            // The cover is the dual: as cheap as the packing is heavy.
            let z = packing.cover();
            let cost: f64 = z.iter().zip(&costs).map(|(z, c)| z * *c as f64).sum();
            let weight: f64 = packing.weights().iter().map(|(_, w)| w).sum();
            assert!((cost - weight).abs() < 1e-5, "{cost} {weight}");
            assert!(shares.bound() as f64 > weight - 1e-3, "{shares:?} {weight}");
        }
    }
}
