//! The elements of a picture, independent of the output format.

use crate::font::Weight;

/// A place in pixels: to the right, then down.
pub(crate) type Point = [f64; 2];

/// A colour: red, green, blue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Color(pub u8, pub u8, pub u8);

impl Color {
    pub const WHITE: Color = Color(255, 255, 255);
    /// Text and axes.
    pub const INK: Color = Color(0x26, 0x26, 0x26);
    /// Secondary text.
    pub const GREY: Color = Color(0x5f, 0x5f, 0x5f);

    /// A mix with another colour: 0 is this one, 1 the other.
    pub fn toward(self, other: Color, share: f64) -> Color {
        let mix = |a: u8, b: u8| (f64::from(a) + (f64::from(b) - f64::from(a)) * share).round() as u8;
        Color(mix(self.0, other.0), mix(self.1, other.1), mix(self.2, other.2))
    }
}

/// How a line is drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Stroke {
    pub color: Color,
    pub width: f64,
    pub dash: Dash,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dash {
    Solid,
    Dashed,
    Dotted,
}

impl Dash {
    /// Lengths of marks and gaps, in line widths.
    pub fn pattern(self, width: f64) -> Option<[f64; 2]> {
        match self {
            Dash::Solid => None,
            Dash::Dashed => Some([4.0 * width, 3.0 * width]),
            Dash::Dotted => Some([0.1, 2.2 * width]),
        }
    }
}

/// How shapes are filled and outlined. The outline is drawn over the fill.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Style {
    pub fill: Option<Color>,
    pub stroke: Option<Stroke>,
    /// The opacity of each shape: 0 is invisible, 1 is opaque.
    pub opacity: Option<f64>,
}

impl Style {
    pub fn fill(color: Color) -> Self {
        Style { fill: Some(color), ..Style::default() }
    }

    pub fn line(color: Color, width: f64) -> Self {
        Style { stroke: Some(Stroke { color, width, dash: Dash::Solid }), ..Style::default() }
    }

    pub fn outlined(mut self, color: Color, width: f64) -> Self {
        self.stroke = Some(Stroke { color, width, dash: Dash::Solid });
        self
    }

    pub fn dashed(mut self, dash: Dash) -> Self {
        if let Some(stroke) = &mut self.stroke {
            stroke.dash = dash;
        }
        self
    }

    pub fn opacity(mut self, opacity: f64) -> Self {
        self.opacity = Some(opacity);
        self
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Shape {
    Circle {
        at: Point,
        radius: f64,
    },
    Rect(Rect),
    Line(Vec<Point>),
    /// Closed loops, filled by the even-odd rule.
    Loops(Vec<Vec<Point>>),
}

impl Shape {
    pub fn polygon(points: Vec<Point>) -> Self {
        Shape::Loops(vec![points])
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Rect {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

impl Rect {
    pub fn right(&self) -> f64 {
        self.x + self.width
    }

    pub fn bottom(&self) -> f64 {
        self.y + self.height
    }

    /// Smaller by `by` on every side.
    pub fn shrunk(&self, by: f64) -> Rect {
        Rect { x: self.x + by, y: self.y + by, width: self.width - 2.0 * by, height: self.height - 2.0 * by }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

/// A line of text; `at` is on its baseline.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Text {
    pub at: Point,
    pub text: String,
    pub size: f64,
    pub weight: Weight,
    pub anchor: Anchor,
    pub color: Color,
    /// Rotated to read upwards.
    pub upward: bool,
    /// With a white outline, for text over other marks.
    pub halo: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Mark {
    Shapes(Style, Vec<Shape>),
    Text(Text),
    Clipped(Rect, Vec<Mark>),
}

/// A finished picture: marks in drawing order, with a title and a description for screen readers.
#[derive(Debug, Clone, PartialEq)]
pub struct Picture {
    pub(crate) width: f64,
    pub(crate) height: f64,
    pub(crate) title: String,
    pub(crate) description: String,
    pub(crate) marks: Vec<Mark>,
}

impl Picture {
    pub(crate) fn new(width: f64, height: f64, title: &str, description: String) -> Self {
        Picture { width, height, title: title.to_string(), description, marks: Vec::new() }
    }

    pub(crate) fn shape(&mut self, style: Style, shape: Shape) {
        self.marks.push(Mark::Shapes(style, vec![shape]));
    }

    pub(crate) fn shapes(&mut self, style: Style, shapes: Vec<Shape>) {
        if !shapes.is_empty() {
            self.marks.push(Mark::Shapes(style, shapes));
        }
    }

    /// Draws marks that are clipped to a rectangle.
    pub(crate) fn clipped(&mut self, to: Rect, draw: impl FnOnce(&mut Picture)) {
        let before = std::mem::take(&mut self.marks);
        draw(self);
        let marks = std::mem::replace(&mut self.marks, before);
        self.marks.push(Mark::Clipped(to, marks));
    }

    pub(crate) fn text(&mut self, at: Point, text: impl Into<String>, size: f64, anchor: Anchor) -> &mut Text {
        let text = Text {
            at,
            text: text.into(),
            size,
            weight: Weight::Regular,
            anchor,
            color: Color::INK,
            upward: false,
            halo: false,
        };
        self.marks.push(Mark::Text(text));
        match self.marks.last_mut() {
            Some(Mark::Text(text)) => text,
            _ => unreachable!("it was pushed just now"),
        }
    }
}
