//! The confusion matrix: which class is predicted for which.

use serde::Serialize;

use crate::error::Result;
use crate::limits;

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
    /// No examples yet, for so many classes. An error if classes × classes do not fit in memory.
    pub(super) fn new(classes: usize) -> Result<Self> {
        let what = || format!("the confusion matrix of {classes} classes").into();
        limits::room_for::<u64>((classes as u128).pow(2), what)?;
        // One row at a time: another thread may have asked meanwhile.
        let rows = (0..classes).map(|_| limits::filled(0, classes, what));
        Ok(Confusion(rows.collect::<Result<_>>()?))
    }

    /// Counts one example.
    pub(super) fn add(&mut self, truth: u32, predicted: u32) {
        self.0[truth as usize][predicted as usize] += 1;
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

    fn count(classes: usize, truth: &[u32], predicted: &[u32]) -> Confusion {
        let mut confusion = Confusion::new(classes).unwrap();
        truth.iter().zip(predicted).for_each(|(&truth, &predicted)| confusion.add(truth, predicted));
        confusion
    }

    #[test]
    fn scores_follow_from_counts() {
        let confusion = count(2, &[1, 1, 1, 0, 0], &[1, 1, 0, 1, 0]);
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
        let score = count(3, &[0, 1], &[0, 1]).score(2);
        assert_eq!((score.precision, score.recall, score.f1, score.support), (0.0, 0.0, 0.0, 0));
    }
}
