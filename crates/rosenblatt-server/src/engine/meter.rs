//! Progressive error: each example is predicted, then learned from. All of them, the last 1,000 and the last 10,000.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The windows.
pub const SHORT: usize = 1_000;
/// The longer window.
pub const LONG: usize = 10_000;
/// Standard deviations that the recent error may lie above the long one.
const BAND: f64 = 4.0;

/// Counts of examples and mistakes.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Meter {
    examples: u64,
    wrong: u64,
    /// Whether each of the last examples was a mistake, as a ring: example n is at n mod `LONG`.
    recent: Vec<bool>,
    short_wrong: u64,
    long_wrong: u64,
    /// Examples and mistakes of each label.
    by_label: BTreeMap<String, (u64, u64)>,
}

impl Meter {
    /// Counts one example.
    pub fn add(&mut self, label: &str, mistake: bool) {
        let at = (self.examples % LONG as u64) as usize;
        if self.examples >= SHORT as u64 {
            let leaving = ((self.examples - SHORT as u64) % LONG as u64) as usize;
            self.short_wrong -= u64::from(self.recent[leaving]);
        }
        if self.recent.len() < LONG {
            self.recent.push(mistake);
        } else {
            self.long_wrong -= u64::from(self.recent[at]);
            self.recent[at] = mistake;
        }
        self.examples += 1;
        for count in [&mut self.wrong, &mut self.short_wrong, &mut self.long_wrong] {
            *count += u64::from(mistake);
        }
        // No text is copied for a label that is known.
        match self.by_label.get_mut(label) {
            Some((examples, wrong)) => {
                *examples += 1;
                *wrong += u64::from(mistake);
            }
            None => {
                self.by_label.insert(label.to_string(), (1, u64::from(mistake)));
            }
        }
    }

    /// Examples so far.
    pub fn examples(&self) -> u64 {
        self.examples
    }

    /// Mistakes so far.
    pub fn wrong(&self) -> u64 {
        self.wrong
    }

    /// The error of all examples.
    pub fn error(&self) -> Option<f64> {
        share(self.wrong, self.examples)
    }

    /// The error of the last 1,000, or of all if there are fewer.
    pub fn short_error(&self) -> Option<f64> {
        share(self.short_wrong, self.examples.min(SHORT as u64))
    }

    /// The error of the last 10,000.
    pub fn long_error(&self) -> Option<f64> {
        share(self.long_wrong, self.examples.min(LONG as u64))
    }

    /// Examples and mistakes of each label.
    pub fn by_label(&self) -> impl Iterator<Item = (&str, u64, u64)> {
        self.by_label.iter().map(|(label, &(examples, wrong))| (label.as_str(), examples, wrong))
    }

    /// Whether the last 1,000 went worse than chance allows: their error lies above p + 4·√(p(1 − p)/1000), where p is
    /// the error of all examples before them (with one more of each kind, so that p is neither 0 nor 1).
    pub fn drifts(&self) -> bool {
        let window = SHORT as u64;
        if self.examples < 2 * window {
            return false;
        }
        let before = (self.examples - window) as f64;
        let p = ((self.wrong - self.short_wrong) as f64 + 1.0) / (before + 2.0);
        let recent = self.short_wrong as f64 / window as f64;
        recent > p + BAND * (p * (1.0 - p) / window as f64).sqrt()
    }
}

fn share(wrong: u64, examples: u64) -> Option<f64> {
    (examples > 0).then(|| wrong as f64 / examples as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_count_as_a_list_does() {
        let (mut meter, mut all) = (Meter::default(), Vec::new());
        let mut state = 1u64;
        for n in 0..25_000u64 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let mistake = state >> 60 == 0;
            meter.add(if n % 3 == 0 { "a" } else { "b" }, mistake);
            all.push(mistake);
            if n % 997 == 0 || n == 24_999 {
                let naive = |last: usize| {
                    let window = &all[all.len().saturating_sub(last)..];
                    Some(window.iter().filter(|m| **m).count() as f64 / window.len() as f64)
                };
                assert_eq!(meter.error(), naive(usize::MAX));
                assert_eq!((meter.short_error(), meter.long_error()), (naive(SHORT), naive(LONG)));
            }
        }
        assert!(!meter.drifts());
        let total: u64 = meter.by_label().map(|(_, examples, _)| examples).sum();
        assert_eq!(total, 25_000);
        (0..1_000).for_each(|n| meter.add("a", n % 2 == 0));
        assert!(meter.drifts());
    }
}
