//! Colours and shapes that are distinct for any kind of colour vision.

use crate::scene::{Color, Point, Shape};

/// Okabe and Ito (2008), in an order in which neighbours contrast, also in print.
pub(crate) const BLUE: Color = Color(0x00, 0x72, 0xb2);
pub(crate) const VERMILION: Color = Color(0xd5, 0x5e, 0x00);
pub(crate) const GREEN: Color = Color(0x00, 0x9e, 0x73);
pub(crate) const PURPLE: Color = Color(0xcc, 0x79, 0xa7);
pub(crate) const ORANGE: Color = Color(0xe6, 0x9f, 0x00);
pub(crate) const SKY: Color = Color(0x56, 0xb4, 0xe9);
const YELLOW: Color = Color(0xd9, 0xcb, 0x1e);
const BLACK: Color = Color(0x40, 0x40, 0x40);

const COLORS: [Color; 8] = [VERMILION, BLUE, GREEN, PURPLE, ORANGE, SKY, BLACK, YELLOW];

/// The colour of a class. With two, the positive one is blue.
pub(crate) fn color(class: usize) -> Color {
    COLORS[class % COLORS.len()]
}

/// The marker of a class: seven shapes and eight colours make 56 combinations.
pub(crate) fn marker(class: usize, at: Point, radius: f64) -> Shape {
    let star = |points: usize, inner: f64, turn: f64, grow: f64| {
        let corner = |i: usize| {
            let angle = std::f64::consts::PI * (i as f64 / points as f64 + turn);
            let r = grow * radius * if i.is_multiple_of(2) { 1.0 } else { inner };
            [at[0] + r * angle.sin(), at[1] - r * angle.cos()]
        };
        Shape::polygon((0..2 * points).map(corner).collect())
    };
    let regular = |corners: usize, turn: f64, grow: f64| {
        let corner = |i: usize| {
            let angle = std::f64::consts::TAU * (i as f64 / corners as f64 + turn);
            [at[0] + grow * radius * angle.sin(), at[1] - grow * radius * angle.cos()]
        };
        Shape::polygon((0..corners).map(corner).collect())
    };
    match class % 7 {
        0 => Shape::Circle { at, radius },
        1 => regular(4, 0.125, 1.25),
        2 => regular(3, 0.0, 1.35),
        3 => regular(4, 0.0, 1.3),
        4 => regular(3, 0.5, 1.35),
        5 => star(5, 0.45, 0.0, 1.45),
        _ => star(4, 0.42, 0.25, 1.4),
    }
}

/// A cross, for mistakes.
pub(crate) fn cross(at: Point, arm: f64) -> [Shape; 2] {
    let [x, y] = at;
    [
        Shape::Line(vec![[x - arm, y - arm], [x + arm, y + arm]]),
        Shape::Line(vec![[x - arm, y + arm], [x + arm, y - arm]]),
    ]
}
