//! A picture as PNG: the same marks, drawn by tiny-skia, with text as glyph outlines.

use tiny_skia::{
    FillRule, LineCap, LineJoin, Mask, Paint, Path, PathBuilder, Pixmap, Rect as Frame, StrokeDash, Transform,
};
use ttf_parser::OutlineBuilder;

use crate::font::{self, Weight};
use crate::scene::{Anchor, Color, Mark, Picture, Rect, Shape, Stroke, Style, Text};

/// Pixels for each unit of the picture, for high-resolution screens and print.
const SCALE: f64 = 2.0;

impl Picture {
    /// The picture as PNG, two pixels for each unit, with title and description as text chunks.
    pub fn to_png(&self) -> Vec<u8> {
        let side = |length: f64| (length * SCALE).ceil().max(1.0) as u32;
        let mut canvas = Canvas {
            pixels: Pixmap::new(side(self.width), side(self.height)).expect("a picture has an ordinary size"),
            clip: None,
        };
        canvas.pixels.fill(tiny_skia::Color::WHITE);
        canvas.marks(&self.marks);
        encode(&canvas.pixels, &self.title, &self.description).expect("writing to memory does not fail")
    }
}

fn encode(pixels: &Pixmap, title: &str, description: &str) -> Result<Vec<u8>, png::EncodingError> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, pixels.width(), pixels.height());
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.add_itxt_chunk("Title".into(), title.into())?;
    encoder.add_itxt_chunk("Description".into(), description.into())?;
    let mut writer = encoder.write_header()?;
    // The white background makes every pixel opaque.
    let rgb: Vec<u8> = pixels.data().chunks(4).flat_map(|p| [p[0], p[1], p[2]]).collect();
    writer.write_image_data(&rgb)?;
    writer.finish()?;
    Ok(bytes)
}

struct Canvas {
    pixels: Pixmap,
    clip: Option<Mask>,
}

fn paint(Color(r, g, b): Color, opacity: f64) -> Paint<'static> {
    let mut paint = Paint::default();
    paint.set_color_rgba8(r, g, b, (opacity * 255.0).round() as u8);
    paint.anti_alias = true;
    paint
}

fn scale() -> Transform {
    Transform::from_scale(SCALE as f32, SCALE as f32)
}

impl Canvas {
    fn marks(&mut self, marks: &[Mark]) {
        for mark in marks {
            match mark {
                Mark::Shapes(style, shapes) => shapes.iter().for_each(|shape| self.shape(style, shape)),
                Mark::Text(text) => self.text(text),
                Mark::Clipped(to, inner) => {
                    let mut mask =
                        Mask::new(self.pixels.width(), self.pixels.height()).expect("as large as the picture");
                    if let Some(path) = self::rect(*to) {
                        mask.fill_path(&path, FillRule::Winding, false, scale());
                    }
                    let before = self.clip.replace(mask);
                    self.marks(inner);
                    self.clip = before;
                }
            }
        }
    }

    fn shape(&mut self, style: &Style, shape: &Shape) {
        let Some(path) = path(shape) else { return };
        let opacity = style.opacity.unwrap_or(1.0);
        if let Some(color) = style.fill {
            self.pixels.fill_path(&path, &paint(color, opacity), FillRule::EvenOdd, scale(), self.clip.as_ref());
        }
        if let Some(stroke) = style.stroke {
            self.stroke(&path, stroke, opacity, scale());
        }
    }

    fn stroke(&mut self, path: &Path, stroke: Stroke, opacity: f64, transform: Transform) {
        let dash = stroke.dash.pattern(stroke.width).map(|p| p.map(|v| v as f32).to_vec());
        let how = tiny_skia::Stroke {
            width: stroke.width as f32,
            line_cap: LineCap::Round,
            line_join: LineJoin::Round,
            dash: dash.and_then(|pattern| StrokeDash::new(pattern, 0.0)),
            ..tiny_skia::Stroke::default()
        };
        self.pixels.stroke_path(path, &paint(stroke.color, opacity), &how, transform, self.clip.as_ref());
    }

    fn text(&mut self, text: &Text) {
        let shift = match text.anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => -0.5,
            Anchor::End => -1.0,
        } * font::width(&text.text, text.size, text.weight);
        let Some(path) = outlines(&text.text, text.size, text.weight) else { return };
        let [x, y] = text.at.map(|v| v as f32);
        let mut place = scale().pre_translate(x, y);
        if text.upward {
            place = place.pre_rotate(-90.0);
        }
        place = place.pre_translate(shift as f32, 0.0);
        if text.halo {
            let halo = Stroke { color: Color::WHITE, width: 3.0, dash: crate::scene::Dash::Solid };
            self.stroke(&path, halo, 1.0, place);
        }
        self.pixels.fill_path(&path, &paint(text.color, 1.0), FillRule::Winding, place, self.clip.as_ref());
    }
}

fn rect(r: Rect) -> Option<Path> {
    let frame = Frame::from_xywh(r.x as f32, r.y as f32, r.width as f32, r.height as f32)?;
    Some(PathBuilder::from_rect(frame))
}

fn path(shape: &Shape) -> Option<Path> {
    // Coordinates far outside the picture are clamped.
    let near = |v: f64| if v.is_nan() { 0.0 } else { v.clamp(-1e5, 1e5) as f32 };
    let mut builder = PathBuilder::new();
    let mut trace = |points: &[[f64; 2]], closed: bool| {
        for (i, [x, y]) in points.iter().map(|p| p.map(near)).enumerate() {
            if i == 0 { builder.move_to(x, y) } else { builder.line_to(x, y) }
        }
        if closed {
            builder.close();
        }
    };
    match shape {
        Shape::Circle { at, radius } => return PathBuilder::from_circle(near(at[0]), near(at[1]), near(*radius)),
        Shape::Rect(r) => return self::rect(*r),
        Shape::Line(points) => trace(points, false),
        Shape::Loops(loops) => loops.iter().for_each(|points| trace(points, true)),
    }
    builder.finish()
}

/// The outlines of a text, the pen starting at the origin.
fn outlines(text: &str, size: f64, weight: Weight) -> Option<Path> {
    let face = font::face(weight);
    let unit = size / f64::from(face.units_per_em());
    let mut pen = Pen { builder: PathBuilder::new(), x: 0.0, unit: unit as f32 };
    for letter in text.chars() {
        let (id, advance) = font::glyph(letter, weight);
        // Glyph 0 is the box for missing characters.
        face.outline_glyph(id.unwrap_or(ttf_parser::GlyphId(0)), &mut pen);
        pen.x += (advance * size) as f32;
    }
    pen.builder.finish()
}

struct Pen {
    builder: PathBuilder,
    x: f32,
    unit: f32,
}

impl Pen {
    fn at(&self, x: f32, y: f32) -> (f32, f32) {
        (self.x + x * self.unit, -y * self.unit)
    }
}

impl OutlineBuilder for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.builder.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.builder.line_to(x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let ((x1, y1), (x, y)) = (self.at(x1, y1), self.at(x, y));
        self.builder.quad_to(x1, y1, x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let ((x1, y1), (x2, y2), (x, y)) = (self.at(x1, y1), self.at(x2, y2), self.at(x, y));
        self.builder.cubic_to(x1, y1, x2, y2, x, y);
    }

    fn close(&mut self) {
        self.builder.close();
    }
}
