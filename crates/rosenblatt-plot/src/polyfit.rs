//! Polynomials through noisy points, from under-fitting to over-fitting, and their errors.

use crate::axis::Axis;
use crate::font::Weight;
use crate::header::{self, Sign};
use crate::palette::{self, BLUE, GREEN, VERMILION};
use crate::panel::Panel;
use crate::scene::{Anchor, Color, Dash, Picture, Point, Rect, Shape, Style};

/// Points, fitted curves, and errors by degree.
pub struct Polyfit<'a> {
    /// The title.
    pub title: String,
    /// Notes below the title.
    pub notes: Vec<String>,
    /// The names of x and y.
    pub axes: [String; 2],
    /// The training points.
    pub train: &'a [[f64; 2]],
    /// The test points.
    pub test: &'a [[f64; 2]],
    /// The true function and its name, if known.
    pub truth: Option<(&'a dyn Fn(f64) -> f64, String)>,
    /// The fitted curves, each in its own frame; the layout is for at most four.
    pub fits: Vec<Fit<'a>>,
    /// Degree, training error and test error, for the second part of the picture.
    pub errors: Vec<(u32, f64, Option<f64>)>,
}

/// One fitted polynomial.
pub struct Fit<'a> {
    /// Its name.
    pub name: String,
    /// Its value at x.
    pub value: &'a dyn Fn(f64) -> f64,
}

const GAP: f64 = 26.0;
const FEW: usize = 40;

impl Polyfit<'_> {
    /// Draws it.
    pub fn draw(&self) -> Picture {
        let two_parts = self.errors.len() > 1;
        let (width, height) = if two_parts { (1040.0, 600.0) } else { (720.0, 520.0) };
        let mut picture = Picture::new(width, height, &self.title, self.description());
        let area = header::draw(&mut picture, &self.title, &self.notes, &self.legend());
        let left = if two_parts { Rect { width: area.width * 0.6, ..area } } else { area };
        let columns = if self.fits.len() > 1 { 2 } else { 1 };
        let rows = self.fits.len().div_ceil(columns).max(1);
        for (i, fit) in self.fits.iter().enumerate() {
            let (w, h) = (left.width / columns as f64, left.height / rows as f64);
            let (c, r) = ((i % columns) as f64, (i / columns) as f64);
            let place = Rect {
                x: left.x + c * w,
                y: left.y + r * h,
                width: w - GAP,
                height: h - if rows > 1 { 8.0 } else { 0.0 },
            };
            self.fitted(&mut picture, place, fit, (i / columns + 1 == rows, i % columns == 0));
        }
        if two_parts {
            let x = left.right() + 6.0;
            self.by_degree(&mut picture, Rect { x, width: area.right() - x, ..area });
        }
        picture
    }

    fn description(&self) -> String {
        let names: Vec<&str> = self.fits.iter().map(|f| f.name.as_str()).collect();
        let errors: Vec<String> = self
            .errors
            .iter()
            .map(|(m, train, test)| {
                format!("degree {m}: {train:.4}{}", test.map(|t| format!(" and {t:.4}")).unwrap_or_default())
            })
            .collect();
        format!(
            "{} points, fitted by {}. Training and test errors: {}.",
            self.train.len(),
            names.join(", "),
            errors.join("; ")
        )
    }

    fn legend(&self) -> Vec<(Sign, String)> {
        let mut legend = vec![(Sign::Class(1), format!("training points ({})", self.train.len()))];
        if let Some((_, name)) = &self.truth {
            legend.push((Sign::Line(truth()), name.clone()));
        }
        legend.push((Sign::Line(curve()), "fitted polynomial".into()));
        if self.errors.len() > 1 {
            legend.push((Sign::Dots(Style::line(BLUE, 2.0), 1), "training error".into()));
            if self.errors.iter().any(|e| e.2.is_some()) {
                legend.push((
                    Sign::Dots(Style::line(VERMILION, 2.0), 0),
                    format!("test error ({} points)", self.test.len()),
                ));
            }
        }
        legend
    }

    fn fitted(&self, picture: &mut Picture, place: Rect, fit: &Fit<'_>, (last_row, first_column): (bool, bool)) {
        let x = Axis::around(self.train.iter().chain(self.test).map(|p| p[0]), 0.05);
        let y = Axis::around(self.train.iter().map(|p| p[1]), 0.35);
        let name = |show: bool, k: usize| if show { self.axes[k].as_str() } else { "" };
        let panel = Panel::new(place, x, y, name(last_row, 0), name(first_column, 1));
        panel.grid(picture);
        picture.clipped(panel.rect, |picture| {
            const STEPS: usize = 400;
            let trace = |of: &dyn Fn(f64) -> f64| -> Vec<Point> {
                (0..=STEPS)
                    .map(|i| panel.x.value(i as f64 / STEPS as f64))
                    .map(|x| panel.at([x, of(x)]))
                    .map(|[x, y]| [x, y.clamp(-9e3, 9e3)])
                    .collect()
            };
            if let Some((of, _)) = &self.truth {
                picture.shape(truth(), Shape::Line(trace(of)));
            }
            let n = self.train.len() as f64;
            let radius = (5.0 * (40.0 / n).powf(0.25)).clamp(1.8, 4.4);
            let dots = self.train.iter().map(|p| palette::marker(1, panel.at(*p), radius)).collect();
            let few = self.train.len() <= FEW;
            let style = Style::fill(BLUE).opacity(if few { 0.9 } else { 0.45 });
            // Few points are drawn over the curve; many would hide it.
            if few {
                picture.shape(curve(), Shape::Line(trace(fit.value)));
                picture.shapes(style.outlined(Color::WHITE, 0.8), dots);
            } else {
                picture.shapes(style, dots);
                picture.shape(curve(), Shape::Line(trace(fit.value)));
            }
        });
        panel.frame(picture);
        let label = picture.text([panel.rect.x + 9.0, panel.rect.y + 19.0], fit.name.clone(), 13.0, Anchor::Start);
        (label.weight, label.halo) = (Weight::Medium, true);
    }

    fn by_degree(&self, picture: &mut Picture, place: Rect) {
        let all = || self.errors.iter().flat_map(|(_, train, test)| [Some(*train), *test]).flatten();
        let mut sorted: Vec<f64> = all().collect();
        sorted.sort_by(f64::total_cmp);
        let (middle, most) = (sorted[sorted.len() / 2], sorted[sorted.len() - 1]);
        // Logarithmic if a few errors are very large. Errors far below the median are rounding, and drawn as zero.
        let log = middle > 0.0 && most > 12.0 * middle;
        let floor = sorted.iter().copied().find(|v| *v > middle * 1e-3).unwrap_or(most);
        let y = if log { Axis::log(floor * 0.7, most * 1.4) } else { Axis::linear(0.0, most * 1.08) };
        let (first, last) = (self.errors[0].0, self.errors[self.errors.len() - 1].0);
        let pad = f64::from(last - first) * 0.05;
        let x = Axis::linear(f64::from(first) - pad, f64::from(last) + pad).whole(true);
        let mut panel = Panel::new(place, x, y, "degree M", "root mean square error");
        if log && all().any(|v| v < floor * 0.7) {
            panel.y = panel.y.with_zero();
        }
        panel.grid(picture);
        let at = |(m, v): (u32, f64)| panel.at([f64::from(m), if log { v.max(panel.y.low) } else { v }]);
        let train: Vec<Point> = self.errors.iter().map(|e| at((e.0, e.1))).collect();
        let test: Vec<Point> = self.errors.iter().filter_map(|e| Some(at((e.0, e.2?)))).collect();
        for (points, color, class) in [(train, BLUE, 1), (test, VERMILION, 0)] {
            if points.is_empty() {
                continue;
            }
            picture.shape(Style::line(color, 2.0), Shape::Line(points.clone()));
            let dots = points.iter().map(|p| palette::marker(class, *p, 4.0)).collect();
            picture.shapes(Style::fill(color).outlined(Color::WHITE, 1.0), dots);
        }
        panel.frame(picture);
    }
}

fn truth() -> Style {
    Style::line(GREEN, 1.8).dashed(Dash::Dashed)
}

fn curve() -> Style {
    Style::line(VERMILION, 2.2)
}
