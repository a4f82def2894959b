//! The loss of one prediction.

use crate::learn::margin;

/// The perceptron loss max(0, −margin), hinge at zero: what the perceptron's steps descend.
pub fn perceptron_loss(scores: &[f64], class: u32) -> f64 {
    f64::max(0.0, -margin(scores, class))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loss_is_how_far_the_truth_is_behind() {
        assert_eq!((perceptron_loss(&[-2.0], 1), perceptron_loss(&[-2.0], 0)), (2.0, 0.0));
        assert_eq!(perceptron_loss(&[1.0, 4.0, 3.0], 0), 3.0);
        assert_eq!(perceptron_loss(&[1.0, 4.0, 3.0], 1), 0.0);
        assert_eq!(margin(&[1.0, 4.0, 3.0], 1), 1.0);
    }
}
