//! Two features: the examples, and the decision regions of a classifier.

use crate::axis::Axis;
use crate::contour::Map;
use crate::header::{self, Sign};
use crate::hull::hull;
use crate::palette;
use crate::panel::Panel;
use crate::scene::{Color, Dash, Picture, Point, Rect, Shape, Style};

/// Examples of named classes in the plane, with regions, margin, mistakes and support.
pub struct Boundary<'a> {
    /// The title.
    pub title: String,
    /// Notes below the title.
    pub notes: Vec<String>,
    /// The names of the two features.
    pub axes: [String; 2],
    /// The examples.
    pub points: &'a [[f64; 2]],
    /// The class of each.
    pub classes: &'a [u32],
    /// The names of the classes.
    pub names: &'a [String],
    /// The predicted class of any point.
    pub regions: Option<&'a dyn Fn([f64; 2]) -> u32>,
    /// The margin between two classes.
    pub band: Option<Band<'a>>,
    /// Examples (from 0) that are on the wrong side.
    pub mistakes: Vec<usize>,
    /// Examples (from 0) that determine the margin, or prove that no line separates the classes.
    pub support: Vec<usize>,
    /// The name of the support in the legend.
    pub support_name: String,
    /// A point in the hulls of both classes.
    pub crossing: Option<Crossing>,
}

/// The points with |score| < `level`.
pub struct Band<'a> {
    /// The score of a point.
    pub score: &'a dyn Fn([f64; 2]) -> f64,
    /// The score at the edge of the band.
    pub level: f64,
    /// The name in the legend.
    pub name: String,
}

/// A point in the hulls of both classes, which proves that no line separates them.
pub struct Crossing {
    /// The point.
    pub at: [f64; 2],
    /// For each class, examples (from 0) whose hull contains the point.
    pub between: [Vec<usize>; 2],
}

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 600.0;
/// The cell size of the contour grid, in pixels.
const CELL: f64 = 3.0;
const SHADE: f64 = 0.82;

impl Boundary<'_> {
    /// Draws it.
    pub fn draw(&self) -> Picture {
        let mut picture = Picture::new(WIDTH, HEIGHT, &self.title, self.description());
        let area = header::draw(&mut picture, &self.title, &self.notes, &self.legend());
        let panel = self.panel(area);
        picture.clipped(panel.rect, |picture| {
            self.shade(picture, &panel);
            self.band(picture, &panel);
            self.hulls(picture, &panel);
        });
        panel.grid(&mut picture);
        picture.clipped(panel.rect, |picture| {
            self.meeting(picture, &panel, true);
            self.examples(picture, &panel);
            self.meeting(picture, &panel, false);
        });
        panel.frame(&mut picture);
        picture
    }

    /// A frame around the examples. Axes of similar range get the same scale, so that right angles look right.
    fn panel(&self, area: Rect) -> Panel {
        const ALIKE: f64 = 1.7;
        let [x, y] = [0, 1].map(|k| Axis::around(self.points.iter().map(move |p| p[k]), 0.07));
        let panel = Panel::new(area, x.clone(), y.clone(), &self.axes[0], &self.axes[1]);
        let unit = |axis: &Axis, pixels: f64| (axis.high - axis.low) / pixels;
        let (across, up) = (unit(&x, panel.rect.width), unit(&y, panel.rect.height));
        if across.max(up) > ALIKE * across.min(up) {
            return panel;
        }
        let grown = |axis: Axis, by: f64| {
            let more = (axis.high - axis.low) * (by - 1.0) / 2.0;
            if by > 1.0 { Axis::linear(axis.low - more, axis.high + more) } else { axis }
        };
        Panel::new(area, grown(x, up / across), grown(y, across / up), &self.axes[0], &self.axes[1])
    }

    fn description(&self) -> String {
        let many = |n: usize, what: &str| if n == 0 { String::new() } else { format!(", {n} {what}") };
        format!(
            "{} points by {} and {}, classes {}{}{}. {}",
            self.points.len(),
            self.axes[0],
            self.axes[1],
            self.names.join(", "),
            many(self.mistakes.len(), "mistakes marked by a cross"),
            many(self.support.len(), "marked by a ring"),
            self.notes.join(" ")
        )
    }

    fn legend(&self) -> Vec<(Sign, String)> {
        let mut legend: Vec<(Sign, String)> =
            self.names.iter().enumerate().map(|(k, name)| (Sign::Class(k), name.clone())).collect();
        if self.regions.is_some() && self.names.len() == 2 {
            legend.push((Sign::Line(Style::line(Color::INK, 2.0)), "boundary".into()));
        }
        if let Some(band) = &self.band {
            legend.push((Sign::Line(Style::line(Color::INK, 1.2).dashed(Dash::Dashed)), band.name.clone()));
        }
        if !self.support.is_empty() {
            legend.push((Sign::Ring, self.support_name.clone()));
        }
        if !self.mistakes.is_empty() {
            legend.push((Sign::Cross, format!("wrong ({})", crate::number::thousands(self.mistakes.len() as u64))));
        }
        if self.crossing.is_some() {
            legend.push((Sign::Star, "in both hulls".into()));
        }
        legend
    }

    /// The regions in the colours of their classes, and the lines between them.
    fn shade(&self, picture: &mut Picture, panel: &Panel) {
        let Some(regions) = self.regions else { return };
        let of = |p: Point| regions(panel.value(p));
        let map = Map::new(panel.rect, CELL, &of);
        let values = map.values();
        let loops: Vec<_> = values.iter().map(|&class| map.region(class)).collect();
        for (&class, loops) in values.iter().zip(&loops) {
            let color = palette::color(class as usize).toward(Color::WHITE, SHADE);
            // The outline covers the gap between neighbouring regions.
            picture.shape(Style::fill(color).outlined(color, 0.7), Shape::Loops(loops.clone()));
        }
        // Two regions share their boundary: it is drawn once.
        let lines = if values.len() == 2 { &loops[1..] } else { &loops[..] };
        let lines: Vec<Shape> = lines.iter().map(|l| Shape::Loops(l.clone())).collect();
        let width = if self.names.len() == 2 { 2.0 } else { 1.4 };
        if values.len() > 1 {
            picture.shapes(Style::line(Color::INK, width), lines);
        }
    }

    fn band(&self, picture: &mut Picture, panel: &Panel) {
        let Some(band) = &self.band else { return };
        for sign in [1.0, -1.0] {
            let beyond = |p: Point| u32::from(sign * (band.score)(panel.value(p)) > band.level);
            let loops = Map::new(panel.rect, CELL, &beyond).region(1);
            picture.shape(Style::line(Color::INK, 1.2).dashed(Dash::Dashed), Shape::Loops(loops));
        }
    }

    fn hulls(&self, picture: &mut Picture, panel: &Panel) {
        let Some(crossing) = &self.crossing else { return };
        let corners = [0, 1].map(|class| {
            let of_class = |(p, &c): (&[f64; 2], &u32)| (c == class).then(|| panel.at(*p));
            hull(self.points.iter().zip(self.classes).filter_map(of_class))
        });
        for (class, corners) in corners.iter().enumerate() {
            let style = Style::fill(palette::color(class).toward(Color::WHITE, SHADE)).opacity(0.75);
            picture.shape(style, Shape::polygon(corners.clone()));
        }
        for (class, corners) in corners.into_iter().enumerate() {
            let dash = if class == 0 { Dash::Dashed } else { Dash::Solid };
            picture.shape(Style::line(palette::color(class), 1.5).dashed(dash), Shape::polygon(corners));
        }
        for (class, between) in crossing.between.iter().enumerate() {
            let corners = hull(between.iter().map(|&i| panel.at(self.points[i])));
            picture.shape(Style::line(Color::WHITE, 5.0), Shape::polygon(corners.clone()));
            picture.shape(Style::line(palette::color(class), 3.0), Shape::polygon(corners));
        }
    }

    fn examples(&self, picture: &mut Picture, panel: &Panel) {
        let n = self.points.len().max(1) as f64;
        let radius = (5.0 * (120.0 / n).powf(0.25)).clamp(1.6, 5.0);
        let opacity = (0.9 * (400.0 / n).powf(0.2)).clamp(0.35, 0.9);
        // In mixed order, so that the class drawn last does not hide the others.
        let mut order: Vec<usize> = (0..self.points.len()).collect();
        order.sort_by_key(|&i| (i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32);
        const RUN: usize = 64;
        for run in order.chunks(RUN) {
            for class in 0..self.names.len() {
                let of_class = run.iter().filter(|&&i| self.classes[i] as usize == class);
                let marks = of_class.map(|&i| palette::marker(class, panel.at(self.points[i]), radius)).collect();
                let mut style = Style::fill(palette::color(class)).opacity(opacity);
                if n < 1000.0 {
                    style = style.outlined(Color::WHITE, 0.6);
                }
                picture.shapes(style, marks);
            }
        }
        let ring = |&i: &usize| Shape::Circle { at: panel.at(self.points[i]), radius: radius + 3.2 };
        picture.shapes(Style::line(Color::WHITE, 3.4).opacity(0.8), self.support.iter().map(ring).collect());
        picture.shapes(Style::line(Color::INK, 1.6), self.support.iter().map(ring).collect());
        let crosses = |arm: f64| {
            self.mistakes.iter().flat_map(|&i| palette::cross(panel.at(self.points[i]), arm)).collect::<Vec<_>>()
        };
        let width = (radius / 3.2).clamp(0.7, 1.5);
        picture.shapes(Style::line(Color::INK, width).opacity(0.85), crosses(radius * 1.15));
    }

    /// The point where the hulls meet: over the examples, or larger and below them if it coincides with one.
    fn meeting(&self, picture: &mut Picture, panel: &Panel, below: bool) {
        let Some(crossing) = &self.crossing else { return };
        let at = panel.at(crossing.at);
        let near = |&i: &usize| {
            let [x, y] = panel.at(self.points[i]);
            (x - at[0]).hypot(y - at[1]) < 4.0
        };
        let covered = crossing.between.iter().flatten().any(near);
        if covered == below {
            let style = Style::fill(Color::INK).outlined(Color::WHITE, 1.2);
            picture.shape(style, palette::marker(5, at, if below { 15.0 } else { 8.0 }));
        }
    }
}
