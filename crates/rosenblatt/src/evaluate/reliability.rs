//! Calibration of probabilities: of all predictions with 80%, are 80% right?

use serde::Serialize;

/// The bins of a reliability table, equally wide.
pub const BINS: usize = 10;

/// Examples whose probability fell into one bin.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Bin {
    /// Probabilities from here …
    pub from: f64,
    /// … to here.
    pub to: f64,
    /// How many examples.
    pub examples: u64,
    /// The mean predicted probability.
    pub predicted: f64,
    /// The share of positives.
    pub observed: f64,
}

/// Bins pairs of a predicted probability and the outcome; empty bins are omitted.
pub fn reliability(predictions: impl Iterator<Item = (f64, bool)>) -> Vec<Bin> {
    let mut bins = [(0u64, 0.0, 0u64); BINS];
    for (p, came_true) in predictions {
        let (examples, sum, right) = &mut bins[((p * BINS as f64) as usize).min(BINS - 1)];
        *examples += 1;
        *sum += p;
        *right += u64::from(came_true);
    }
    let edge = |k: usize| k as f64 / BINS as f64;
    (0..BINS)
        .zip(bins)
        .filter(|(_, (examples, ..))| *examples > 0)
        .map(|(k, (examples, sum, right))| Bin {
            from: edge(k),
            to: edge(k + 1),
            examples,
            predicted: sum / examples as f64,
            observed: right as f64 / examples as f64,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_hold_their_own_and_the_ends() {
        let table = reliability([(0.0, false), (0.05, true), (0.95, true), (1.0, true)].into_iter());
        assert_eq!(table.len(), 2);
        assert_eq!((table[0].examples, table[0].predicted, table[0].observed), (2, 0.025, 0.5));
        assert_eq!((table[1].from, table[1].to, table[1].observed), (0.9, 1.0, 1.0));
    }
}
