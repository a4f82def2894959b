//! Mistakes or errors by pass.

use crate::axis::Axis;
use crate::header::{self, Sign};
use crate::palette::{self, BLUE, GREEN, VERMILION};
use crate::panel::Panel;
use crate::scene::{Color, Dash, Picture, Point, Shape, Style};

/// Curves over the passes of a training.
pub struct Curve<'a> {
    /// The title.
    pub title: String,
    /// Notes below the title.
    pub notes: Vec<String>,
    /// The name of the vertical axis.
    pub unit: String,
    /// The curves, all with the same unit.
    pub series: Vec<Series<'a>>,
}

/// One value after each pass.
pub struct Series<'a> {
    /// The name in the legend.
    pub name: String,
    /// The values, the first pass first; none is negative.
    pub values: &'a [f64],
}

const LOOKS: [(Color, Dash); 3] = [(VERMILION, Dash::Solid), (BLUE, Dash::Solid), (GREEN, Dash::Dashed)];
/// From this ratio of values on, the axis is logarithmic.
const STEEP: f64 = 300.0;
/// The most passes with a marker each.
const MOST_MARKS: usize = 60;

fn look(k: usize) -> Style {
    let (color, dash) = LOOKS[k % LOOKS.len()];
    Style::line(color, 2.2).dashed(dash)
}

impl Curve<'_> {
    /// Draws it.
    pub fn draw(&self) -> Picture {
        let mut picture = Picture::new(720.0, 480.0, &self.title, self.description());
        let legend: Vec<(Sign, String)> =
            self.series.iter().enumerate().map(|(k, s)| (Sign::Dots(look(k), k), s.name.clone())).collect();
        let area = header::draw(&mut picture, &self.title, &self.notes, &legend);
        let passes = self.series.iter().map(|s| s.values.len()).max().unwrap_or(0) as f64;
        // No tick beyond the last pass; a single pass is centred.
        let pad = if passes > 1.0 { (0.02 * passes).min(0.5) } else { 0.5 };
        let x = Axis::linear(1.0 - pad, passes.max(1.0) + pad);
        let mut panel = Panel::new(area, x.whole(true), self.y_axis(), "pass", &self.unit);
        if panel.y.log && self.series.iter().any(|s| s.values.contains(&0.0)) {
            panel.y = panel.y.with_zero();
        }
        panel.grid(&mut picture);
        picture.clipped(panel.rect.shrunk(-6.0), |picture| {
            for (k, series) in self.series.iter().enumerate() {
                self.line(picture, &panel, k, series.values);
            }
        });
        panel.frame(&mut picture);
        picture
    }

    fn description(&self) -> String {
        let each = |s: &Series<'_>| {
            let ends = s.values.first().zip(s.values.last());
            ends.map(|(a, b)| format!("{}: {a} after the first pass, {b} after the last", s.name)).unwrap_or_default()
        };
        format!("{} by pass. {}.", self.unit, self.series.iter().map(each).collect::<Vec<_>>().join("; "))
    }

    fn y_axis(&self) -> Axis {
        let all = || self.series.iter().flat_map(|s| s.values).copied();
        let most = all().fold(0.0, f64::max);
        let least = all().filter(|v| *v > 0.0).fold(f64::INFINITY, f64::min);
        let whole = all().all(|v| v.fract() == 0.0);
        if most > STEEP * least {
            return Axis::log(least / 2.0, most * 1.3).whole(whole);
        }
        Axis::linear(0.0, if most > 0.0 { most * 1.06 } else { 1.0 }).whole(whole)
    }

    fn line(&self, picture: &mut Picture, panel: &Panel, k: usize, values: &[f64]) {
        let at = |(i, &v): (usize, &f64)| panel.at([i as f64 + 1.0, v.max(panel.y.low)]);
        let points: Vec<Point> = values.iter().enumerate().map(at).collect();
        picture.shape(look(k), Shape::Line(points.clone()));
        if points.len() <= MOST_MARKS {
            let style = Style::fill(LOOKS[k % LOOKS.len()].0).outlined(Color::WHITE, 1.0);
            picture.shapes(style, points.iter().map(|p| palette::marker(k, *p, 4.0)).collect());
        }
    }
}
