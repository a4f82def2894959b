//! The products of x with every row that ever made an update, all at once.
//!
//! The same example errs many times, and a sparse x shares few features with most rows. So equal rows are stored once
//! and transposed: for each feature, the rows that have it. One pass over the features of x then computes all products,
//! and touches no zeros.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::updates::Updates;
use crate::rows::{Row, Sparse};

/// The distinct rows of a list of updates, by feature.
#[derive(Debug)]
pub(crate) struct Products {
    /// The entries of feature j are `starts[j]..starts[j + 1]` of the other two.
    starts: Vec<usize>,
    rows: Vec<u32>,
    values: Vec<f64>,
    /// Every move of every update, in order of time.
    moves: Vec<Move>,
    distinct: usize,
}

/// One output that moved: when, by how many times x, and which distinct row x is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Move {
    pub(crate) time: u64,
    pub(crate) scale: f64,
    pub(crate) output: u32,
    pub(crate) row: u32,
}

impl Products {
    pub(crate) fn new(updates: &Updates, features: usize) -> Self {
        let mut by_hash: HashMap<u64, Vec<u32>> = HashMap::new();
        let mut distinct: Vec<Sparse<'_, f64>> = Vec::new();
        let mut moves = Vec::with_capacity(updates.len());
        for update in updates.iter() {
            let alike = by_hash.entry(hash(update.x)).or_default();
            let known = alike.iter().copied().find(|&id| same(distinct[id as usize], update.x));
            let row = known.unwrap_or_else(|| {
                let id = distinct.len() as u32;
                distinct.push(update.x);
                alike.push(id);
                id
            });
            let time = update.time;
            moves.extend(update.moves.map(|(&output, &scale)| Move { time, scale, output, row }));
        }
        let mut starts = vec![0; features + 1];
        distinct.iter().flat_map(|x| x.indices).for_each(|&j| starts[j as usize + 1] += 1);
        (0..features).for_each(|j| starts[j + 1] += starts[j]);
        let mut next = starts.clone();
        let (mut rows, mut values) = (vec![0; starts[features]], vec![0.0; starts[features]]);
        for (id, x) in (0u32..).zip(&distinct) {
            x.each(|j, v| {
                (rows[next[j]], values[next[j]]) = (id, v);
                next[j] += 1;
            });
        }
        Products { starts, rows, values, moves, distinct: distinct.len() }
    }

    /// Bytes that it takes to build it, at most.
    pub(crate) fn bytes(updates: &Updates, features: usize) -> u128 {
        let (entries, moves) = updates.sizes();
        // For each feature two offsets; for each update a hash with its list, and a borrowed row.
        16 * (features as u128 + 1) + 12 * entries as u128 + 24 * moves as u128 + 80 * updates.len() as u128
    }

    /// Stored values.
    pub(crate) fn entries(&self) -> usize {
        self.values.len()
    }

    /// x times each distinct row, written over `products`; features in increasing order, whatever the kind of row.
    pub(crate) fn fill<X: Row>(&self, x: X, products: &mut Vec<f64>) {
        products.clear();
        products.resize(self.distinct, 0.0);
        x.each(|j, v| {
            let range = self.starts[j]..self.starts[j + 1];
            if v != 0.0 {
                for (&row, value) in self.rows[range.clone()].iter().zip(&self.values[range]) {
                    products[row as usize] += v * value;
                }
            }
        });
    }

    /// Every move, in order of time.
    pub(crate) fn moves(&self) -> &[Move] {
        &self.moves
    }
}

fn hash(x: Sparse<'_, f64>) -> u64 {
    let mut hasher = DefaultHasher::new();
    x.indices.hash(&mut hasher);
    x.values.iter().for_each(|v| v.to_bits().hash(&mut hasher));
    hasher.finish()
}

fn same(a: Sparse<'_, f64>, b: Sparse<'_, f64>) -> bool {
    a.indices == b.indices && a.values == b.values
}
