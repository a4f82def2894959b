//! A histogram of margins.

use crate::axis::Axis;
use crate::header::{self, Sign};
use crate::number::{short, thousands};
use crate::palette::{BLUE, VERMILION};
use crate::panel::Panel;
use crate::scene::{Anchor, Color, Dash, Picture, Rect, Shape, Style};

/// A histogram of margins; mistakes are left of zero.
pub struct Margins<'a> {
    /// The title.
    pub title: String,
    /// Notes below the title.
    pub notes: Vec<String>,
    /// The name of the horizontal axis.
    pub unit: String,
    /// The margin of each example.
    pub values: &'a [f64],
    /// The number of mistakes; a margin of zero may count as one or not.
    pub wrong: u64,
}

impl Margins<'_> {
    /// Draws it.
    pub fn draw(&self) -> Picture {
        let mut sorted: Vec<f64> = self.values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let at = |share: f64| {
            sorted.get((share * (sorted.len().max(1) - 1) as f64).round() as usize).copied().unwrap_or(0.0)
        };
        let right = self.values.len() as u64 - self.wrong;
        let range = format!("least {}, median {}, greatest {}", short(at(0.0)), short(at(0.5)), short(at(1.0)));
        let description = format!("{} of {} examples wrong; margins: {range}.", self.wrong, self.values.len());
        let mut picture = Picture::new(720.0, 480.0, &self.title, description);
        let legend = [
            (Sign::Area(Style::fill(VERMILION)), format!("wrong side ({})", thousands(self.wrong))),
            (Sign::Area(Style::fill(BLUE)), format!("right side ({})", thousands(right))),
            (Sign::Line(Style::line(Color::INK, 1.4).dashed(Dash::Dashed)), format!("median {}", short(at(0.5)))),
        ];
        let notes: Vec<String> = self.notes.iter().cloned().chain([range]).collect();
        let area = header::draw(&mut picture, &self.title, &notes, &legend);
        let bins = Bins::new(&sorted);
        let most = bins.counts.iter().copied().max().unwrap_or(0) as f64;
        let x = Axis::around([bins.low, bins.low + bins.step * bins.counts.len() as f64, 0.0].into_iter(), 0.03);
        let panel = Panel::new(area, x, Axis::linear(0.0, most * 1.06).whole(true), &self.unit, "examples");
        panel.grid(&mut picture);
        for (i, &count) in bins.counts.iter().enumerate().filter(|(_, n)| **n > 0) {
            let low = bins.low + bins.step * i as f64;
            let ([x0, y0], [x1, y1]) = (panel.at([low, 0.0]), panel.at([low + bins.step, count as f64]));
            // A bin of one example among a million is still visible.
            let height = (y0 - y1).max(2.0);
            let bar = Rect { x: x0, y: y0 - height, width: (x1 - x0).max(1.0), height };
            let color = if low + bins.step / 2.0 < 0.0 { VERMILION } else { BLUE };
            picture.shape(Style::fill(color).outlined(Color::WHITE, 0.8), Shape::Rect(bar));
        }
        let vertical = |v: f64| Shape::Line(vec![panel.at([v, 0.0]), panel.at([v, panel.y.high])]);
        picture.shape(Style::line(Color::INK, 1.6), vertical(0.0));
        picture.shape(Style::line(Color::INK, 1.4).dashed(Dash::Dashed), vertical(at(0.5)));
        let [x, y] = panel.at([0.0, panel.y.high]);
        if x > panel.rect.x + 60.0 {
            let label = picture.text([x - 7.0, y + 16.0], "wrong", 12.0, Anchor::End);
            (label.color, label.halo) = (VERMILION, true);
        }
        panel.frame(&mut picture);
        picture
    }
}

/// Bins of equal width, one of which begins at zero.
struct Bins {
    low: f64,
    step: f64,
    counts: Vec<u64>,
}

impl Bins {
    /// The width of Freedman and Diaconis (1981), 2·IQR/∛n, limited to between 8 and 60 bins.
    fn new(sorted: &[f64]) -> Bins {
        let (Some(&least), Some(&most)) = (sorted.first(), sorted.last()) else {
            return Bins { low: 0.0, step: 1.0, counts: Vec::new() };
        };
        let range = most - least;
        if !(range > 0.0 && range.is_finite()) {
            let step = if least == 0.0 { 1.0 } else { least.abs() / 10.0 };
            let at = (least / step).floor();
            return Bins { low: at * step, step, counts: vec![sorted.len() as u64] };
        }
        let n = sorted.len();
        let middle = sorted[n * 3 / 4] - sorted[n / 4];
        let step = (2.0 * middle / (n as f64).cbrt()).clamp(range / 60.0, range / 8.0);
        let first = (least / step).floor();
        let last = (most / step).floor();
        let mut counts = vec![0; (last - first) as usize + 1];
        for v in sorted {
            counts[((v / step).floor() - first) as usize] += 1;
        }
        Bins { low: first * step, step, counts }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_example_is_in_a_bin_and_none_straddles_zero() {
        for values in [vec![-1.0, -0.5, 0.0, 0.1, 2.0], vec![3.0; 4], vec![0.0], vec![1e-300, 1e300], vec![]] {
            let bins = Bins::new(&values);
            assert_eq!(bins.counts.iter().sum::<u64>(), values.len() as u64);
            let left: u64 = (0..bins.counts.len())
                .filter(|&i| bins.low + bins.step * (i as f64 + 0.5) < 0.0)
                .map(|i| bins.counts[i])
                .sum();
            assert_eq!(left, values.iter().filter(|v| **v < 0.0).count() as u64, "{values:?}");
        }
    }
}
