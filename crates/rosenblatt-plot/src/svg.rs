//! A picture as SVG text.

use std::fmt::Write;

use crate::font::Weight;
use crate::scene::{Anchor, Color, Mark, Picture, Point, Rect, Shape, Style, Text};

/// The font that is measured, then fonts of similar width.
const FONTS: &str = "Roboto, 'Helvetica Neue', Arial, 'Liberation Sans', sans-serif";

impl Picture {
    /// The picture as SVG; the same picture gives the same bytes.
    pub fn to_svg(&self) -> String {
        let (w, h) = (number(self.width), number(self.height));
        let mut out = String::new();
        // Writing to a string cannot fail.
        let _ = writeln!(
            out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\" \
             role=\"img\" font-family=\"{FONTS}\">"
        );
        let _ = writeln!(out, "<title>{}</title>", escape(&self.title));
        let _ = writeln!(out, "<desc>{}</desc>", escape(&self.description));
        let _ = writeln!(out, "<rect width=\"{w}\" height=\"{h}\" fill=\"{}\"/>", color(Color::WHITE));
        let mut clips = 0;
        marks(&self.marks, &mut clips, &mut out);
        out.push_str("</svg>\n");
        out
    }
}

fn marks(list: &[Mark], clips: &mut u32, out: &mut String) {
    for mark in list {
        match mark {
            Mark::Shapes(style, shapes) => self::shapes(style, shapes, out),
            Mark::Text(text) => self::text(text, out),
            Mark::Clipped(to, inner) => {
                *clips += 1;
                let id = *clips;
                let _ = writeln!(out, "<clipPath id=\"clip{id}\">{}</clipPath>", rect(*to, ""));
                let _ = writeln!(out, "<g clip-path=\"url(#clip{id})\">");
                marks(inner, clips, out);
                out.push_str("</g>\n");
            }
        }
    }
}

fn shapes(style: &Style, shapes: &[Shape], out: &mut String) {
    let attributes = self::style(style);
    if let [shape] = shapes {
        let _ = writeln!(out, "{}", self::shape(shape, &attributes));
        return;
    }
    let _ = writeln!(out, "<g{attributes}>");
    for shape in shapes {
        let _ = writeln!(out, "{}", self::shape(shape, ""));
    }
    out.push_str("</g>\n");
}

fn style(style: &Style) -> String {
    let mut text = format!(" fill=\"{}\"", style.fill.map_or("none".to_string(), color));
    if let Some(opacity) = style.opacity.map(number) {
        // `opacity` on a group would apply to the group as a whole, not to each shape.
        let _ = write!(text, " fill-opacity=\"{opacity}\" stroke-opacity=\"{opacity}\"");
    }
    if let Some(stroke) = style.stroke {
        let _ = write!(text, " stroke=\"{}\" stroke-width=\"{}\"", color(stroke.color), number(stroke.width));
        text.push_str(" stroke-linejoin=\"round\" stroke-linecap=\"round\"");
        if let Some([mark, gap]) = stroke.dash.pattern(stroke.width) {
            let _ = write!(text, " stroke-dasharray=\"{} {}\"", number(mark), number(gap));
        }
    }
    text
}

fn shape(shape: &Shape, attributes: &str) -> String {
    match shape {
        Shape::Circle { at: [x, y], radius } => {
            format!("<circle cx=\"{}\" cy=\"{}\" r=\"{}\"{attributes}/>", number(*x), number(*y), number(*radius))
        }
        Shape::Rect(r) => rect(*r, attributes),
        Shape::Line(points) => format!("<path d=\"{}\"{attributes}/>", path(points)),
        Shape::Loops(loops) => {
            let d: String = loops.iter().map(|points| path(points) + "Z").collect();
            let rule = if loops.len() > 1 { " fill-rule=\"evenodd\"" } else { "" };
            format!("<path d=\"{d}\"{rule}{attributes}/>")
        }
    }
}

fn rect(r: Rect, attributes: &str) -> String {
    let [x, y, w, h] = [r.x, r.y, r.width, r.height].map(number);
    format!("<rect x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\"{attributes}/>")
}

fn path(points: &[Point]) -> String {
    let place =
        |(i, [x, y]): (usize, &Point)| format!("{}{} {}", if i == 0 { "M" } else { "L" }, number(*x), number(*y));
    points.iter().enumerate().map(place).collect()
}

fn text(t: &Text, out: &mut String) {
    let [x, y] = t.at.map(number);
    let _ = write!(out, "<text x=\"{x}\" y=\"{y}\" font-size=\"{}\" fill=\"{}\"", number(t.size), color(t.color));
    if t.weight == Weight::Medium {
        out.push_str(" font-weight=\"500\"");
    }
    match t.anchor {
        Anchor::Start => {}
        Anchor::Middle => out.push_str(" text-anchor=\"middle\""),
        Anchor::End => out.push_str(" text-anchor=\"end\""),
    }
    if t.upward {
        let _ = write!(out, " transform=\"rotate(-90 {x} {y})\"");
    }
    if t.halo {
        out.push_str(" stroke=\"#ffffff\" stroke-width=\"3\" stroke-linejoin=\"round\" paint-order=\"stroke\"");
    }
    let _ = writeln!(out, ">{}</text>", escape(&t.text));
}

fn color(Color(r, g, b): Color) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

/// To a hundredth of a pixel.
fn number(v: f64) -> String {
    // Coordinates far outside the picture are clamped.
    let v = if v.is_nan() { 0.0 } else { v.clamp(-1e5, 1e5) };
    let text = format!("{v:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_string() } else { text.to_string() }
}

/// Escapes text for XML; characters that XML forbids become U+FFFD.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' => out.push(' '),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!(
            [1.0, -0.001, 2.5, 1.0 / 3.0, f64::NAN, f64::INFINITY].map(number),
            ["1", "0", "2.5", "0.33", "0", "100000"]
        );
    }

    #[test]
    fn any_text_is_valid_xml() {
        let mut picture = Picture::new(100.0, 50.0, "<&>\"'\u{0}\u{b}]]>", "\u{ffff}ü".into());
        picture.text([1.0, 2.0], "a<b & \"c\"\u{1f}", 10.0, Anchor::Start);
        let svg = picture.to_svg();
        let read = roxmltree::Document::parse(&svg).unwrap();
        let title = read.descendants().find(|n| n.has_tag_name("title")).unwrap();
        assert_eq!(title.text(), Some("<&>\"'\u{fffd}\u{fffd}]]>"));
    }
}
