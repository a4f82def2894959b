//! An axis: a range of numbers and its ticks.

use crate::number::{fixed, power_of_ten, thousands};

/// The least range of an axis. Below about 1e-307 numbers are subnormal: positions and tick labels lose their digits.
/// Points that are closer than this coincide.
const LEAST_RANGE: f64 = 1e-290;

/// One side of a picture.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Axis {
    pub low: f64,
    pub high: f64,
    pub log: bool,
    /// Ticks at whole numbers only.
    pub whole: bool,
    pub ticks: Vec<Tick>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Tick {
    pub at: f64,
    pub label: String,
}

impl Axis {
    /// From `low` to `high`; a range that is empty or not finite is replaced by a valid one.
    pub fn linear(low: f64, high: f64) -> Axis {
        let bound = |v: f64| if v.is_nan() { 0.0 } else { v.clamp(-f64::MAX / 4.0, f64::MAX / 4.0) };
        let (mut low, mut high) = (bound(low.min(high)), bound(high.max(low)));
        let largest = high.abs().max(low.abs());
        if high - low <= largest * 1e-13 || high - low < LEAST_RANGE {
            let pad = (largest * 0.1).max(LEAST_RANGE);
            let pad = if high == 0.0 && low == 0.0 { 1.0 } else { pad };
            (low, high) = (low - pad, high + pad);
        }
        Axis { low, high, log: false, whole: false, ticks: Vec::new() }
    }

    /// Around values, with a margin of a share of their range on both sides.
    pub fn around(values: impl Iterator<Item = f64> + Clone, pad: f64) -> Axis {
        let low = values.clone().fold(f64::INFINITY, f64::min);
        let high = values.fold(f64::NEG_INFINITY, f64::max);
        if low > high {
            return Axis::linear(0.0, 1.0);
        }
        let tight = Axis::linear(low, high);
        let more = (tight.high - tight.low) * pad;
        Axis::linear(tight.low - more, tight.high + more)
    }

    /// Logarithmic, for positive numbers.
    pub fn log(low: f64, high: f64) -> Axis {
        let low = low.max(LEAST_RANGE);
        Axis { log: true, ..Axis::linear(low, high.max(low * 10.0)) }
    }

    pub fn whole(self, whole: bool) -> Axis {
        Axis { whole, ..self }
    }

    /// Labels the low end of a logarithmic axis as zero.
    pub fn with_zero(mut self) -> Axis {
        let mut ticks = std::mem::take(&mut self.ticks);
        ticks.retain(|t| self.place(t.at) > 0.06);
        ticks.insert(0, Tick { at: self.low, label: "0".into() });
        Axis { ticks, ..self }
    }

    /// The place of a value: 0 at the low end, 1 at the high end.
    pub fn place(&self, v: f64) -> f64 {
        if self.log {
            let (low, high) = (self.low.ln(), self.high.ln());
            return (v.max(LEAST_RANGE).ln() - low) / (high - low);
        }
        (v - self.low) / (self.high - self.low)
    }

    /// The value at a place.
    pub fn value(&self, place: f64) -> f64 {
        if self.log {
            let (low, high) = (self.low.ln(), self.high.ln());
            return (low + (high - low) * place).exp();
        }
        self.low + (self.high - self.low) * place
    }

    /// Sets as many ticks as fit in `length` pixels, where a label takes `needs`.
    pub fn tick(&mut self, length: f64, needs: impl Fn(&str) -> f64) {
        let fits = |ticks: &[Tick], axis: &Axis| {
            let places: Vec<f64> = ticks.iter().map(|t| axis.place(t.at) * length).collect();
            let wide: Vec<f64> = ticks.iter().map(|t| needs(&t.label)).collect();
            (1..ticks.len()).all(|i| (places[i] - places[i - 1]).abs() >= (wide[i] + wide[i - 1]) / 2.0)
        };
        let choices: Vec<Vec<Tick>> =
            if self.log { self.log_ticks() } else { (2..=12).rev().map(|n| self.linear_ticks(n)).collect() };
        let fitting = choices.iter().find(|ticks| ticks.len() >= 2 && fits(ticks, self));
        self.ticks = fitting.or(choices.last()).cloned().unwrap_or_default();
    }

    fn linear_ticks(&self, most: usize) -> Vec<Tick> {
        let range = self.high - self.low;
        let rough = range / most as f64;
        let mut exponent = rough.log10().floor() as i32;
        let power = 10f64.powi(exponent);
        let mut factor = [1.0, 2.0, 5.0, 10.0].into_iter().find(|m| m * power >= rough).unwrap_or(10.0);
        if factor == 10.0 {
            (factor, exponent) = (1.0, exponent + 1);
        }
        if self.whole && exponent < 0 {
            (factor, exponent) = (1.0, 0);
        }
        // factor·10ⁿ by division where n is negative: 0.1 is 1/10, and 3·(1/10) is not 0.3.
        let multiple = |i: f64| {
            if exponent < 0 { i * factor / 10f64.powi(-exponent) } else { i * factor * 10f64.powi(exponent) }
        };
        let step = multiple(1.0);
        let (first, last) = ((self.low / step - 1e-9).ceil(), (self.high / step + 1e-9).floor());
        let largest = multiple(first).abs().max(multiple(last).abs());
        let at = (0..=(last - first) as u32).map(|i| multiple(first + f64::from(i)));
        at.map(|at| Tick { at, label: label(at, largest, exponent) }).collect()
    }

    /// Lists of ticks, the longest first.
    fn log_ticks(&self) -> Vec<Vec<Tick>> {
        let (first, last) = (self.low.log10().floor() as i32, self.high.log10().ceil() as i32);
        let within = |v: f64| v >= self.low * (1.0 - 1e-9) && v <= self.high * (1.0 + 1e-9);
        let with = |factors: &[f64], every: i32| -> Vec<Tick> {
            (first..=last)
                .filter(|n| n.rem_euclid(every) == 0)
                .flat_map(|n| factors.iter().map(move |f| (n, *f)))
                .map(|(n, f)| Tick { at: f * 10f64.powi(n), label: decade(f, n) })
                .filter(|t| within(t.at))
                .collect()
        };
        let mut lists = vec![with(&[1.0, 2.0, 5.0], 1), with(&[1.0, 3.0], 1)];
        lists.extend([1, 2, 3, 5, 10, 20, 50, 100].map(|every| with(&[1.0], every)));
        lists
    }
}

fn decade(factor: f64, n: i32) -> String {
    match n {
        0..=5 => thousands(factor as u64 * 10u64.pow(n as u32)),
        -3..=-1 => fixed(factor * 10f64.powi(n), n.unsigned_abs() as usize),
        _ if factor == 1.0 => power_of_ten(n),
        _ => format!("{factor}×{}", power_of_ten(n)),
    }
}

/// A tick's label, with the precision of the step.
fn label(v: f64, largest: f64, exponent: i32) -> String {
    const MOST_DECIMALS: i32 = 8;
    if v == 0.0 && exponent < -MOST_DECIMALS {
        return "0".to_string();
    }
    let magnitude = if largest > 0.0 { largest.log10().floor() as i32 } else { 0 };
    if magnitude >= 7 || (largest > 0.0 && magnitude < -4) {
        if v == 0.0 {
            return "0".to_string();
        }
        let mantissa = fixed(v / 10f64.powi(magnitude), (magnitude - exponent).max(0) as usize);
        return format!("{mantissa}×{}", power_of_ten(magnitude));
    }
    fixed(v, (-exponent).max(0) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(mut axis: Axis) -> Vec<String> {
        axis.tick(500.0, |text| 8.0 * text.chars().count() as f64 + 10.0);
        axis.ticks.into_iter().map(|t| t.label).collect()
    }

    #[test]
    fn ticks_are_round_numbers() {
        assert_eq!(
            labels(Axis::linear(0.0, 1.0)),
            ["0.0", "0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9", "1.0"]
        );
        assert_eq!(labels(Axis::linear(-3.2, 4.1)), ["−3", "−2", "−1", "0", "1", "2", "3", "4"]);
        assert_eq!(labels(Axis::linear(1.0, 4.0).whole(true)), ["1", "2", "3", "4"]);
        assert_eq!(labels(Axis::linear(0.0, 50_000.0)), ["0", "10,000", "20,000", "30,000", "40,000", "50,000"]);
        assert_eq!(labels(Axis::log(1.0, 50_000.0)), ["1", "10", "100", "1,000", "10,000"]);
        assert_eq!(labels(Axis::log(1e-9, 1e9)).len(), 9);
    }

    #[test]
    fn any_two_numbers_make_an_axis() {
        let ends = [
            0.0,
            -0.0,
            1.0,
            -1.0,
            1e300,
            -1e300,
            f64::MAX,
            f64::MIN,
            5e-324,
            6.5736266701279e-310,
            3e-308,
            1e-300,
            1e-289,
            1.0 + f64::EPSILON,
            1.0 + 2e-13,
            1e16,
        ];
        for low in ends {
            for high in ends {
                let axis = Axis::linear(low, high);
                assert!(axis.low < axis.high && axis.place(axis.low) == 0.0, "{low} {high} {axis:?}");
                let inside = axis.place(axis.low / 2.0 + axis.high / 2.0);
                assert!((0.0..=1.0).contains(&inside), "{low} {high} {inside}");
                let texts = labels(axis);
                assert!(
                    (2..=13).contains(&texts.len()) && texts.iter().all(|t| t.chars().count() < 18),
                    "{low} {high} {texts:?}"
                );
            }
        }
    }
}
