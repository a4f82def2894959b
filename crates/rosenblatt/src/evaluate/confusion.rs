//! The confusion matrix: which class is predicted for which.

use serde::Serialize;

/// Counts by true class, then by predicted class.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Confusion(Vec<Vec<u64>>);

/// Precision, recall and F1 of one class. A ratio with denominator zero is zero.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ClassScore {
    /// The name of the class; in JSON it is the key.
    #[serde(skip)]
    pub class: String,
    /// The share of the examples predicted to be of the class that are.
    pub precision: f64,
    /// The share of the examples of the class that are predicted to be.
    pub recall: f64,
    /// The harmonic mean of both.
    pub f1: f64,
    /// Examples of the class.
    pub support: u64,
}

impl ClassScore {
    /// The same, with the name of the class.
    pub(super) fn named(self, class: &str) -> Self {
        ClassScore { class: class.to_string(), ..self }
    }
}

impl Confusion {
    /// Counts pairs of true and predicted class, each below `classes`.
    ///
    /// # Panics
    /// If a class is not below `classes`.
    pub fn count(classes: usize, truth: &[u32], predicted: &[u32]) -> Self {
        let mut counts = vec![vec![0; classes]; classes];
        for (&t, &p) in truth.iter().zip(predicted) {
            counts[t as usize][p as usize] += 1;
        }
        Confusion(counts)
    }

    /// `rows()[true][predicted]`.
    pub fn rows(&self) -> &[Vec<u64>] {
        &self.0
    }

    /// How many predictions are right.
    pub fn right(&self) -> u64 {
        (0..self.0.len()).map(|k| self.0[k][k]).sum()
    }

    /// The scores of class `k`, without its name.
    pub fn score(&self, k: usize) -> ClassScore {
        let ratio = |a: u64, b: u64| if b == 0 { 0.0 } else { a as f64 / b as f64 };
        let hit = self.0[k][k];
        let support = self.0[k].iter().sum();
        let predicted = self.0.iter().map(|row| row[k]).sum();
        let f1 = ratio(2 * hit, support + predicted);
        ClassScore { class: String::new(), precision: ratio(hit, predicted), recall: ratio(hit, support), f1, support }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_follow_from_counts() {
        let confusion = Confusion::count(2, &[1, 1, 1, 0, 0], &[1, 1, 0, 1, 0]);
        assert_eq!(confusion.rows(), [[1, 1], [1, 2]]);
        assert_eq!(confusion.right(), 3);
        let positive = confusion.score(1);
        assert_eq!(
            (positive.precision, positive.recall, positive.f1, positive.support),
            (2.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0, 3)
        );
    }

    #[test]
    fn a_class_that_never_occurs_scores_zero_and_not_nan() {
        let score = Confusion::count(3, &[0, 1], &[0, 1]).score(2);
        assert_eq!((score.precision, score.recall, score.f1, score.support), (0.0, 0.0, 0.0, 0));
    }
}
