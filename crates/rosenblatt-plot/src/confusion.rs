//! A confusion matrix.

use crate::font::{self, CAPITAL, Weight};
use crate::header::{self, Sign};
use crate::number::{fixed, thousands};
use crate::palette::{BLUE, VERMILION};
use crate::scene::{Anchor, Color, Picture, Rect, Shape, Style};

/// Counts by true class (down) and predicted class (across).
pub struct Confusion<'a> {
    /// The title.
    pub title: String,
    /// Notes below the title.
    pub notes: Vec<String>,
    /// The names of the classes.
    pub names: &'a [String],
    /// `counts[true][predicted]`.
    pub counts: &'a [Vec<u64>],
}

const LABEL: f64 = 12.0;
/// The longest label, in pixels.
const LONGEST: f64 = 130.0;

/// Sizes and positions.
struct Layout {
    cell: f64,
    left: f64,
    top: f64,
    width: f64,
    height: f64,
    upward: bool,
    label: f64,
}

impl Confusion<'_> {
    /// Draws it.
    pub fn draw(&self) -> Picture {
        let n = self.names.len();
        let layout = self.layout();
        let right: u64 = (0..n).map(|k| self.counts[k][k]).sum();
        let all: u64 = self.counts.iter().flatten().sum();
        let description = format!("{} of {} right, over {n} classes. {}", right, all, self.notes.join(" "));
        let mut picture = Picture::new(layout.width, 4000.0, &self.title, description);
        let legend = [
            (Sign::Area(Style::fill(BLUE)), "right (share of the row)".to_string()),
            (Sign::Area(Style::fill(VERMILION)), "wrong (share of the row)".to_string()),
        ];
        let area = header::draw(&mut picture, &self.title, &self.notes, &legend);
        picture.height = area.y + layout.top + n as f64 * layout.cell + 26.0 + layout.height;
        let origin = [(layout.width - layout.left - n as f64 * layout.cell - 60.0) / 2.0, area.y + layout.top];
        let origin = [origin[0].max(18.0) + layout.left, origin[1]];
        self.cells(&mut picture, &layout, origin);
        self.labels(&mut picture, &layout, origin);
        picture
    }

    fn layout(&self) -> Layout {
        let n = self.names.len().max(1) as f64;
        let longest = self.names.iter().map(|name| font::width(name, LABEL, Weight::Regular)).fold(0.0, f64::max);
        let longest = longest.min(LONGEST);
        let left = longest + 34.0;
        // Wide enough for counts and shares of a few classes, narrow enough for many on one page.
        let cell = ((720.0 - left - 78.0) / n).clamp(25.0, 104.0);
        let cell = if n * 25.0 > 1600.0 { (1600.0 / n).max(3.0) } else { cell };
        let upward = longest > cell - 6.0;
        let top = if upward { longest + 36.0 } else { 42.0 };
        let label = if cell >= LABEL { LABEL } else { cell * 0.9 };
        let width = (left + n * cell + 78.0).max(720.0);
        Layout { cell, left, top, width, height: 18.0, upward, label }
    }

    fn cells(&self, picture: &mut Picture, layout: &Layout, [x0, y0]: [f64; 2]) {
        let cell = layout.cell;
        let n = self.names.len();
        for (t, row) in self.counts.iter().enumerate() {
            let of_row: u64 = row.iter().sum();
            for (p, &count) in row.iter().enumerate() {
                let share = if of_row == 0 { 0.0 } else { count as f64 / of_row as f64 };
                let hue = if t == p { BLUE } else { VERMILION };
                // The square root keeps a few mistakes among many visible.
                let depth = if t == p { share } else { share.sqrt() };
                let ground = Color(0xf6, 0xf6, 0xf6).toward(hue, if count == 0 { 0.0 } else { 0.08 + 0.92 * depth });
                let (x, y) = (x0 + p as f64 * cell, y0 + t as f64 * cell);
                let gap = if cell > 8.0 { 1.0 } else { 0.0 };
                let rect = Rect { x: x + gap / 2.0, y: y + gap / 2.0, width: cell - gap, height: cell - gap };
                picture.shape(Style::fill(ground), Shape::Rect(rect));
                let ink = if luminance(ground) < 0.45 { Color::WHITE } else { Color::INK };
                let ink = if count == 0 { Color(0xb0, 0xb0, 0xb0) } else { ink };
                self.label_cell(picture, [x + cell / 2.0, y + cell / 2.0], cell, count, share, ink);
            }
        }
        let frame = Rect { x: x0, y: y0, width: n as f64 * cell, height: n as f64 * cell };
        picture.shape(Style::line(Color::GREY, 1.0), Shape::Rect(frame));
    }

    /// The count, and its share of the row if there is room for both.
    fn label_cell(&self, picture: &mut Picture, [x, y]: [f64; 2], cell: f64, count: u64, share: f64, ink: Color) {
        let text = thousands(count);
        let fits = |size: f64| (cell - 5.0) / font::width(&text, 1.0, Weight::Regular).max(0.1) >= size;
        let Some(size) = [15.0, 13.0, 11.0, 9.5, 8.0, 7.0].into_iter().find(|&s| fits(s) && s <= cell * 0.55) else {
            return;
        };
        let both = cell >= 44.0 && count > 0;
        let shift = if both { -2.0 } else { size * CAPITAL / 2.0 };
        picture.text([x, y + shift], text, size, Anchor::Middle).color = ink;
        if both {
            let percent = share * 100.0;
            let text = format!("{}%", fixed(percent, if percent < 10.0 { 1 } else { 0 }));
            picture.text([x, y + 15.0], text, 11.0, Anchor::Middle).color = ink;
        }
    }

    fn labels(&self, picture: &mut Picture, layout: &Layout, [x0, y0]: [f64; 2]) {
        let Layout { cell, label, .. } = *layout;
        let n = self.names.len() as f64;
        let rise = label * CAPITAL / 2.0;
        for (k, name) in self.names.iter().enumerate().filter(|_| cell >= 8.0) {
            let middle = (k as f64 + 0.5) * cell;
            let name = font::fit(name, label, Weight::Regular, LONGEST);
            picture.text([x0 - 8.0, y0 + middle + rise], name.clone(), label, Anchor::End);
            let above = if layout.upward { [x0 + middle + rise, y0 - 8.0] } else { [x0 + middle, y0 - 8.0] };
            let anchor = if layout.upward { Anchor::Start } else { Anchor::Middle };
            picture.text(above, name, label, anchor).upward = layout.upward;
            let row = &self.counts[k];
            let recall = match row.iter().sum::<u64>() {
                0 => "–".to_string(),
                sum => format!("{}%", fixed(100.0 * row[k] as f64 / sum as f64, 1)),
            };
            let text = picture.text([x0 + n * cell + 8.0, y0 + middle + rise], recall, label.min(11.5), Anchor::Start);
            text.color = Color::GREY;
        }
        let head = |picture: &mut Picture, at: [f64; 2], text: &str, anchor: Anchor| {
            let text = picture.text(at, text, 12.5, anchor);
            text.weight = Weight::Medium;
        };
        let over = y0 - layout.top + 16.0;
        head(picture, [x0 + n * cell / 2.0, over], "predicted", Anchor::Middle);
        if cell >= 8.0 {
            head(picture, [x0 + n * cell + 8.0, y0 - 8.0], "recall", Anchor::Start);
        }
        let side = [x0 - layout.left + 16.0, y0 + n * cell / 2.0];
        picture.text(side, "true", 12.5, Anchor::Middle).upward = true;
        if let Some(crate::scene::Mark::Text(text)) = picture.marks.last_mut() {
            text.weight = Weight::Medium;
        }
    }
}

fn luminance(Color(r, g, b): Color) -> f64 {
    (0.299 * f64::from(r) + 0.587 * f64::from(g) + 0.114 * f64::from(b)) / 255.0
}
