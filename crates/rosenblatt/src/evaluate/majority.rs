//! The simplest classifier: always the most frequent class. Any other should do better.

use crate::rows::Table;

/// How many examples each class has, and the error of always answering the most frequent one.
#[derive(Debug, Clone, PartialEq)]
pub struct Majority {
    /// The examples of each class.
    pub counts: Vec<u64>,
    /// The most frequent class; the first of equal ones.
    pub class: usize,
    /// The share of examples of other classes.
    pub error: f64,
}

impl Majority {
    /// Counts the examples of a table.
    pub fn of(table: &Table) -> Majority {
        let mut counts = vec![0u64; table.labels.len()];
        table.classes.iter().for_each(|&class| counts[class as usize] += 1);
        let class = (0..counts.len()).rev().max_by_key(|&class| counts[class]).unwrap_or(0);
        let most = counts.get(class).copied().unwrap_or(0);
        let error = 1.0 - most as f64 / table.classes.len().max(1) as f64;
        Majority { counts, class, error }
    }
}
