//! A frame with two axes.

use crate::axis::Axis;
use crate::font::{self, CAPITAL, Weight};
use crate::scene::{Anchor, Color, Picture, Point, Rect, Shape, Style};

const SIZE: f64 = 12.0;
const TITLE: f64 = 13.0;

/// Two axes around a rectangle.
#[derive(Debug, Clone)]
pub(crate) struct Panel {
    pub rect: Rect,
    pub x: Axis,
    pub y: Axis,
    names: [String; 2],
}

impl Panel {
    /// A frame that fills `area`, with room for labels on the left and below.
    pub fn new(area: Rect, mut x: Axis, mut y: Axis, x_name: &str, y_name: &str) -> Panel {
        let below = 22.0 + if x_name.is_empty() { 0.0 } else { 20.0 };
        let height = (area.height - below).max(40.0);
        y.tick(height, |_| 34.0);
        let widest = y.ticks.iter().map(|t| font::width(&t.label, SIZE, Weight::Regular)).fold(0.0, f64::max);
        let left = widest + 10.0 + if y_name.is_empty() { 0.0 } else { 22.0 };
        let width = (area.width - left).max(40.0);
        x.tick(width, |text| font::width(text, SIZE, Weight::Regular) + 26.0);
        // The last label may extend beyond the edge.
        let over = x
            .ticks
            .last()
            .map_or(0.0, |t| x.place(t.at) * width + font::width(&t.label, SIZE, Weight::Regular) / 2.0 - width);
        let width = width - over.clamp(0.0, 40.0);
        let rect = Rect { x: area.x + left, y: area.y, width, height };
        Panel { rect, x, y, names: [x_name.to_string(), y_name.to_string()] }
    }

    /// The pixel of a pair of numbers.
    pub fn at(&self, [x, y]: Point) -> Point {
        [self.rect.x + self.x.place(x) * self.rect.width, self.rect.bottom() - self.y.place(y) * self.rect.height]
    }

    /// The pair of numbers at a pixel.
    pub fn value(&self, [x, y]: Point) -> Point {
        [self.x.value((x - self.rect.x) / self.rect.width), self.y.value((self.rect.bottom() - y) / self.rect.height)]
    }

    /// Faint grid lines behind the marks.
    pub fn grid(&self, picture: &mut Picture) {
        let Rect { x: left, y: top, .. } = self.rect;
        let (right, bottom) = (self.rect.right(), self.rect.bottom());
        let mut lines = Vec::new();
        for tick in &self.x.ticks {
            let x = left + self.x.place(tick.at) * self.rect.width;
            lines.push(Shape::Line(vec![[x, top], [x, bottom]]));
        }
        for tick in &self.y.ticks {
            let y = bottom - self.y.place(tick.at) * self.rect.height;
            lines.push(Shape::Line(vec![[left, y], [right, y]]));
        }
        picture.shapes(Style::line(Color::INK, 1.0).opacity(0.1), lines);
    }

    /// The frame, its ticks and axis names, over the marks.
    pub fn frame(&self, picture: &mut Picture) {
        picture.shape(Style::line(Color::GREY, 1.0), Shape::Rect(self.rect));
        let (left, bottom) = (self.rect.x, self.rect.bottom());
        let mut ticks = Vec::new();
        for tick in &self.x.ticks {
            let x = left + self.x.place(tick.at) * self.rect.width;
            ticks.push(Shape::Line(vec![[x, bottom], [x, bottom + 4.0]]));
            picture.text([x, bottom + 17.0], tick.label.clone(), SIZE, Anchor::Middle);
        }
        for tick in &self.y.ticks {
            let y = bottom - self.y.place(tick.at) * self.rect.height;
            ticks.push(Shape::Line(vec![[left - 4.0, y], [left, y]]));
            picture.text([left - 8.0, y + CAPITAL * SIZE / 2.0], tick.label.clone(), SIZE, Anchor::End);
        }
        picture.shapes(Style::line(Color::GREY, 1.0), ticks);
        let [x_name, y_name] = &self.names;
        if !x_name.is_empty() {
            let name = font::fit(x_name, TITLE, Weight::Regular, self.rect.width);
            picture.text([left + self.rect.width / 2.0, bottom + 38.0], name, TITLE, Anchor::Middle);
        }
        if !y_name.is_empty() {
            let widest = self.y.ticks.iter().map(|t| font::width(&t.label, SIZE, Weight::Regular)).fold(0.0, f64::max);
            let name = font::fit(y_name, TITLE, Weight::Regular, self.rect.height);
            let at = [left - widest - 18.0, self.rect.y + self.rect.height / 2.0];
            picture.text(at, name, TITLE, Anchor::Middle).upward = true;
        }
    }
}
