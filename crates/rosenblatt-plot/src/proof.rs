//! The mistake bound at every update: kγ ≤ u·w ≤ ‖w‖ ≤ √k·R, and the k at which the outer curves meet.

use crate::axis::Axis;
use crate::header::{self, Sign};
use crate::number::{short, thousands};
use crate::palette::{self, BLUE, GREEN, PURPLE, VERMILION};
use crate::panel::Panel;
use crate::scene::{Anchor, Color, Dash, Picture, Point, Shape, Style};

/// Measurements after each update.
pub struct Proof<'a> {
    /// The title.
    pub title: String,
    /// Notes below the title.
    pub notes: Vec<String>,
    /// γ, times the rate: u·w grows by at least this at each update.
    pub gain: f64,
    /// R, times the rate: ‖w‖ ≤ √k times this.
    pub reach: f64,
    /// After each update: u·w and ‖w‖.
    pub path: &'a [[f64; 2]],
    /// Updates (from 1) on a support example.
    pub support: &'a [usize],
}

/// From this ratio of bound to mistakes on, the axes are logarithmic.
const FAR: f64 = 8.0;

impl Proof<'_> {
    /// (R/γ)²: from here on kγ would exceed √k·R.
    fn bound(&self) -> f64 {
        (self.reach / self.gain).powi(2)
    }

    /// Draws it.
    pub fn draw(&self) -> Picture {
        let (made, bound) = (self.path.len() as f64, self.bound());
        let description = format!(
            "After {made} updates u·w is {} and ‖w‖ is {}; kγ and √k·R meet at k = {}.",
            short(self.path.last().map_or(0.0, |p| p[0])),
            short(self.path.last().map_or(0.0, |p| p[1])),
            short(bound)
        );
        let mut picture = Picture::new(720.0, 560.0, &self.title, description);
        let line = |color: Color, dash: Dash| Style::line(color, 2.2).dashed(dash);
        let (upper, lower) = (line(VERMILION, Dash::Solid), line(GREEN, Dash::Solid));
        let (norm, along) = (line(PURPLE, Dash::Dashed), line(BLUE, Dash::Solid));
        let mut legend = vec![
            (Sign::Line(upper), "√k·R, at most".to_string()),
            (Sign::Dots(norm, 3), "‖w‖".into()),
            (Sign::Dots(along, 0), "u·w".into()),
            (Sign::Line(lower), "kγ, at least".into()),
        ];
        if !self.support.is_empty() {
            legend.push((Sign::Ring, "update on a support example".into()));
        }
        let area = header::draw(&mut picture, &self.title, &self.notes, &legend);
        let log = bound > FAR * made.max(1.0);
        let top = self.reach * bound.sqrt();
        let panel = if log {
            let low = self.gain.min(self.path.iter().map(|p| p[0]).fold(f64::INFINITY, f64::min));
            let low = if low > 0.0 { low } else { self.gain };
            Panel::new(
                area,
                Axis::log(0.8, bound * 4.0),
                Axis::log(low * 0.6, top * 3.0),
                "k, the mistakes so far",
                "length",
            )
        } else {
            let end = bound.max(made) * 1.12;
            let high = top.max(self.reach * end.sqrt()) * 1.06;
            Panel::new(area, Axis::linear(0.0, end), Axis::linear(0.0, high), "k, the mistakes so far", "length")
        };
        panel.grid(&mut picture);
        picture.clipped(panel.rect, |picture| self.curves(picture, &panel, [upper, norm, along, lower]));
        self.meeting(&mut picture, &panel);
        panel.frame(&mut picture);
        picture
    }

    fn curves(&self, picture: &mut Picture, panel: &Panel, [upper, norm, along, lower]: [Style; 4]) {
        const STEPS: usize = 240;
        let ks: Vec<f64> = (0..=STEPS).map(|i| panel.x.value(i as f64 / STEPS as f64)).collect();
        let above: Vec<Point> = ks.iter().map(|&k| panel.at([k, self.reach * k.sqrt()])).collect();
        let below: Vec<Point> = ks.iter().map(|&k| panel.at([k, self.gain * k])).collect();
        // The allowed region: between the two curves, up to where they meet.
        let inside: Vec<usize> = (0..ks.len()).filter(|&i| ks[i] <= self.bound()).collect();
        let tip = panel.at([self.bound(), self.reach * self.bound().sqrt()]);
        let allowed: Vec<Point> =
            inside.iter().map(|&i| above[i]).chain([tip]).chain(inside.iter().rev().map(|&i| below[i])).collect();
        picture.shape(Style::fill(Color::INK).opacity(0.05), Shape::polygon(allowed));
        picture.shape(upper, Shape::Line(above));
        picture.shape(lower, Shape::Line(below));
        for (style, which, class) in [(norm, 1, 3), (along, 0, 0)] {
            let points = self.thinned(panel, which);
            picture.shape(style, Shape::Line(points.clone()));
            if self.path.len() <= 60 {
                let color = style.stroke.map_or(Color::INK, |s| s.color);
                let dots = points.iter().map(|p| palette::marker(class, *p, 3.4)).collect();
                picture.shapes(Style::fill(color).outlined(Color::WHITE, 0.8), dots);
            }
        }
        let ring = |&k: &usize| {
            let [u_dot_w, _] = *self.path.get(k.checked_sub(1)?)?;
            Some(Shape::Circle { at: panel.at([k as f64, u_dot_w]), radius: 6.0 })
        };
        if self.path.len() <= 200 {
            picture.shapes(Style::line(Color::INK, 1.4), self.support.iter().filter_map(ring).collect());
        }
    }

    /// The path without points that fall on the pixel of their predecessor.
    fn thinned(&self, panel: &Panel, which: usize) -> Vec<Point> {
        let mut points: Vec<Point> = Vec::new();
        for (i, pair) in self.path.iter().enumerate() {
            let p = panel.at([i as f64 + 1.0, pair[which]]);
            if points.last().is_none_or(|q| (p[0] - q[0]).hypot(p[1] - q[1]) > 0.7) || i + 1 == self.path.len() {
                points.push(p);
            }
        }
        points
    }

    /// Marks the number of mistakes made, and the bound.
    fn meeting(&self, picture: &mut Picture, panel: &Panel) {
        let (made, bound) = (self.path.len() as f64, self.bound());
        let bottom = panel.rect.bottom();
        let places =
            [(made, 32.0, format!("{} made", whole(made))), (bound, 12.0, format!("(R/γ)² = {}", whole(bound)))];
        for (k, above, text) in places.into_iter().filter(|p| p.0 >= 1.0) {
            let [x, _] = panel.at([k, panel.y.low]);
            let line = vec![[x, panel.rect.y], [x, bottom]];
            picture.shape(Style::line(Color::GREY, 1.3).dashed(Dash::Dotted), Shape::Line(line));
            let left = x > panel.rect.x + panel.rect.width / 2.0;
            let (dx, anchor) = if left { (-7.0, Anchor::End) } else { (7.0, Anchor::Start) };
            // No curve runs through the lower right; each label has its own line, so both can be read.
            picture.text([x + dx, bottom - above], text, 12.5, anchor).halo = true;
        }
    }
}

/// A count or a bound on one, rounded down, unless it may be whole: its margin is known to nine digits.
fn whole(v: f64) -> String {
    const UNSURE: f64 = 4e-9;
    if v < 1e9 { thousands((v * (1.0 + UNSURE)) as u64) } else { short(v) }
}
