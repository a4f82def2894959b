//! A decision in floating point: for pictures, not for proofs.

use dashu_int::ops::Abs;
use dashu_ratio::RBig;

use super::decide::{Decision, Hyperplane};
use crate::rows::{AnyRows, Row, Rows};

impl Hyperplane {
    /// w and b, scaled so that the largest |weight| is 1: no weight overflows.
    pub fn floats(&self) -> (Vec<f64>, f64) {
        let most = self.weights.iter().map(|w| w.clone().abs()).max().unwrap_or_default();
        let most = if most > RBig::ZERO { most } else { RBig::ONE };
        let float = |v: &RBig| (v / &most).to_f64().value();
        (self.weights.iter().map(float).collect(), float(&self.bias))
    }
}

impl Decision {
    /// A point in the hulls of both classes, if the support proves that they meet: the weighted mean of the positive part
    /// of the support, which equals that of the negative part. Needs a bias and degree 1.
    pub fn meeting_point(&self, rows: AnyRows<'_>, signs: &[i8]) -> Option<Vec<f64>> {
        if !self.verdict.is_refuted() || !self.bias || self.degree != 1 {
            return None;
        }
        let positive: Vec<&(usize, RBig)> = self.support.iter().filter(|(i, _)| signs.get(*i) == Some(&1)).collect();
        let total = positive.iter().fold(RBig::ZERO, |sum, (_, p)| sum + p);
        if total == RBig::ZERO {
            return None;
        }
        let mut point = vec![0.0; rows.features()];
        for (i, p) in positive {
            let share = (p / &total).to_f64().value();
            rows.row(*i).each(|j, v| point[j] += share * v);
        }
        Some(point)
    }
}

#[cfg(test)]
mod tests {
    use crate::certify::decide::{Options, Question, Verdict, decide};
    use crate::read::toy;
    use crate::rows::Table;

    #[test]
    fn the_diagonals_of_a_square_meet_in_its_middle() {
        let table = toy::boolean(|a, b| a != b).unwrap();
        let question = Question::from_memory(table.examples().unwrap()).unwrap();
        let decision = decide(&question, &Options::default()).unwrap();
        assert_eq!(decision.meeting_point(question.rows, &question.signs), Some(vec![0.5, 0.5]));
    }

    #[test]
    fn a_hyperplane_of_huge_numbers_is_one_of_ordinary_numbers() {
        let table = Table::dense(&[[1e300, 0.0], [3e300, 1e-300]], &["a", "b"]).unwrap();
        let question = Question::from_memory(table.examples().unwrap()).unwrap();
        let decision = decide(&question, &Options::default()).unwrap();
        assert_eq!(decision.verdict, Verdict::Separable);
        assert_eq!(decision.meeting_point(question.rows, &question.signs), None);
        let (w, b) = decision.hyperplane.unwrap().floats();
        assert_eq!(w[0], 1.0);
        assert!((b / -2e300 - 1.0).abs() < 1e-5, "{b}");
    }
}
