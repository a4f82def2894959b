//! The header of a picture: title, notes and legend. Marks are never drawn there, so nothing overlaps, however long the
//! names are.

use crate::font::{self, CAPITAL, Weight};
use crate::palette;
use crate::scene::{Anchor, Color, Picture, Point, Rect, Shape, Style};

const MARGIN: f64 = 18.0;
const TITLE: f64 = 17.0;
const NOTE: f64 = 13.0;
const LEGEND: f64 = 12.5;
/// The most lines of a legend; further entries are counted.
const MOST_LINES: usize = 6;

/// A symbol of the legend.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Sign {
    /// The mark of a class.
    Class(usize),
    /// A line.
    Line(Style),
    /// A line with a mark on it.
    Dots(Style, usize),
    /// A filled area.
    Area(Style),
    /// A cross.
    Cross,
    /// A ring.
    Ring,
    /// A star.
    Star,
}

/// Draws the header; returns the area below it.
pub(crate) fn draw(picture: &mut Picture, title: &str, notes: &[String], legend: &[(Sign, String)]) -> Rect {
    let room = picture.width - 2.0 * MARGIN;
    let mut y = MARGIN + 2.0;
    y += TITLE * CAPITAL;
    let title = font::fit(title, TITLE, Weight::Medium, room);
    picture.text([MARGIN, y], title, TITLE, Anchor::Start).weight = Weight::Medium;
    y += 3.0;
    for note in notes {
        for line in font::wrap(note, NOTE, Weight::Regular, room) {
            y += 18.0;
            picture.text([MARGIN, y], line, NOTE, Anchor::Start).color = Color::GREY;
        }
    }
    if !legend.is_empty() {
        y = self::legend(picture, legend, y + 23.0, room);
    }
    let top = y + 14.0;
    Rect { x: MARGIN, y: top, width: room, height: (picture.height - MARGIN - top).max(60.0) }
}

fn legend(picture: &mut Picture, entries: &[(Sign, String)], first: f64, room: f64) -> f64 {
    const SIGN: f64 = 24.0;
    const GAP: f64 = 18.0;
    const LINE: f64 = 20.0;
    let (mut x, mut y, mut line) = (0.0, first, 1);
    for (i, (sign, name)) in entries.iter().enumerate() {
        let left = entries.len() - i;
        let name = font::fit(name, LEGEND, Weight::Regular, (room - SIGN).min(340.0));
        let wide = SIGN + font::width(&name, LEGEND, Weight::Regular);
        if x > 0.0 && x + wide > room {
            (x, y, line) = (0.0, y + LINE, line + 1);
        }
        // The last line says how many more there are.
        let more = format!("and {left} more");
        let rest = font::width(&more, LEGEND, Weight::Regular) + GAP;
        if line == MOST_LINES && left > 1 && x + wide + GAP + rest > room {
            picture.text([MARGIN + x, y], more, LEGEND, Anchor::Start).color = Color::GREY;
            return y;
        }
        self::sign(picture, *sign, [MARGIN + x + 9.0, y - LEGEND * CAPITAL / 2.0]);
        picture.text([MARGIN + x + SIGN, y], name, LEGEND, Anchor::Start);
        x += wide + GAP;
    }
    y
}

fn sign(picture: &mut Picture, sign: Sign, at: Point) {
    let [x, y] = at;
    let across = Shape::Line(vec![[x - 9.0, y], [x + 9.0, y]]);
    match sign {
        Sign::Class(class) => {
            let style = Style::fill(palette::color(class)).outlined(Color::WHITE, 0.6);
            picture.shape(style, palette::marker(class, at, 5.0));
        }
        Sign::Line(style) => picture.shape(style, across),
        Sign::Dots(style, class) => {
            picture.shape(style, across);
            let color = style.stroke.map_or(Color::INK, |s| s.color);
            picture.shape(Style::fill(color), palette::marker(class, at, 3.4));
        }
        Sign::Area(style) => {
            picture.shape(style, Shape::Rect(Rect { x: x - 8.0, y: y - 5.5, width: 16.0, height: 11.0 }))
        }
        Sign::Cross => picture.shapes(Style::line(Color::INK, 1.6), palette::cross(at, 4.2).into()),
        Sign::Ring => picture.shape(Style::line(Color::INK, 1.6), Shape::Circle { at, radius: 5.6 }),
        Sign::Star => {
            let style = Style::fill(Color::INK).outlined(Color::WHITE, 1.0);
            picture.shape(style, palette::marker(5, at, 6.0));
        }
    }
}
