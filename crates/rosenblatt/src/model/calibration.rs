//! From scores to probabilities.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// p(s) = 1/(1 + exp(−(slope·s + offset))).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sigmoid {
    /// The slope of the log-odds in the score.
    pub slope: f64,
    /// ln(p/(1 − p)) at a score of zero.
    pub offset: f64,
}

/// Probabilities from scores: one sigmoid for two classes, else one for each class.
///
/// Two classes: the probability of the positive one is p(s). More: pₖ is the sigmoid of how far class k's score is ahead of
/// the best other's, and the probability of k is pₖ/Σp. The label goes by the scores, not by these.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calibration {
    /// One for each output.
    pub sigmoids: Vec<Sigmoid>,
}

/// −ln(1 + e^(−z)): the logarithm of the logistic function, without overflow.
fn ln_logistic(z: f64) -> f64 {
    z.min(0.0) - (-z.abs()).exp().ln_1p()
}

impl Calibration {
    /// The same for scores that are `scale` times as large.
    pub fn scaled(mut self, scale: f64) -> Self {
        for sigmoid in &mut self.sigmoids {
            sigmoid.slope = sigmoid.slope / scale + 0.0;
        }
        self
    }

    /// The logarithm of each class's probability, given the scores of one row, written over `out`.
    pub fn ln_probabilities(&self, scores: &[f64], out: &mut Vec<f64>) {
        out.clear();
        if let ([score], [sigmoid]) = (scores, &self.sigmoids[..]) {
            let z = sigmoid.slope * score + sigmoid.offset;
            out.extend([ln_logistic(-z), ln_logistic(z)]);
            return;
        }
        for (k, sigmoid) in (0..).zip(&self.sigmoids) {
            let lead = crate::learn::margin(scores, k);
            out.push(ln_logistic(sigmoid.slope * lead + sigmoid.offset));
        }
        let most = out.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let sum = most + out.iter().map(|l| (l - most).exp()).sum::<f64>().ln();
        out.iter_mut().for_each(|l| *l -= sum);
    }

    /// The probability of each class, given the scores of one row.
    pub fn probabilities(&self, scores: &[f64]) -> Vec<f64> {
        let mut each = Vec::new();
        self.ln_probabilities(scores, &mut each);
        each.iter_mut().for_each(|l| *l = l.exp());
        each
    }

    /// Refuses what no fit writes.
    pub(super) fn check(&self, outputs: usize) -> Result<()> {
        if self.sigmoids.len() != outputs {
            return Err(Error::bad_model(format!(
                "{} sigmoids of probabilities, where there are {outputs} outputs",
                self.sigmoids.len()
            )));
        }
        if self.sigmoids.iter().any(|s| !(s.slope.is_finite() && s.offset.is_finite())) {
            return Err(Error::bad_model("a sigmoid of probabilities that is not finite"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_add_up_to_one_however_far_the_scores_are() {
        let one = Calibration { sigmoids: vec![Sigmoid { slope: 2.0, offset: -1.0 }] };
        let p = one.probabilities(&[1.5]);
        assert!((p[1] - 1.0 / (1.0 + (-2.0f64).exp())).abs() < 1e-15 && (p[0] + p[1] - 1.0).abs() < 1e-15);
        let three = Calibration { sigmoids: [0.5, 3.0, 1.0].map(|slope| Sigmoid { slope, offset: 0.3 }).to_vec() };
        for scores in [[0.0, 0.0, 0.0], [1.0, -2.0, 0.5], [1e9, -1e9, 0.0], [-1e300, -1e300, -1e300]] {
            let p = three.probabilities(&scores);
            assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-12 && p.iter().all(|p| *p >= 0.0), "{p:?}");
            let mut ln = Vec::new();
            three.ln_probabilities(&scores, &mut ln);
            assert!(ln.iter().all(|l| l.is_finite()), "{ln:?}");
        }
        assert_eq!(three.probabilities(&[1.0, 2.0, 3.0]), three.probabilities(&[5.0, 6.0, 7.0]));
    }
}
