//! The font: text widths and glyph outlines.
//!
//! Roboto, reduced to Latin, Greek, Cyrillic and mathematical symbols (`font/`, with its licence). Missing glyphs count as
//! wide as they are high: an SVG viewer has other fonts for them.

use std::sync::OnceLock;

use ttf_parser::{Face, GlyphId};

/// How bold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Weight {
    Regular,
    Medium,
}

/// The height of a capital letter, for a size of 1.
pub(crate) const CAPITAL: f64 = 0.711;

const REGULAR: &[u8] = include_bytes!("../font/Roboto-Regular.ttf");
const MEDIUM: &[u8] = include_bytes!("../font/Roboto-Medium.ttf");

pub(crate) fn face(weight: Weight) -> &'static Face<'static> {
    static FACES: OnceLock<[Face<'static>; 2]> = OnceLock::new();
    let faces = FACES.get_or_init(|| [REGULAR, MEDIUM].map(|f| Face::parse(f, 0).expect("the font is sound")));
    match weight {
        Weight::Regular => &faces[0],
        Weight::Medium => &faces[1],
    }
}

/// The glyph of a character, and its advance width for a size of 1.
pub(crate) fn glyph(letter: char, weight: Weight) -> (Option<GlyphId>, f64) {
    let face = face(weight);
    let id = face.glyph_index(letter);
    let advance = id.and_then(|id| face.glyph_hor_advance(id));
    (id, advance.map_or(1.0, |a| f64::from(a) / f64::from(face.units_per_em())))
}

/// The width of a text.
pub(crate) fn width(text: &str, size: f64, weight: Weight) -> f64 {
    text.chars().map(|c| glyph(c, weight).1).sum::<f64>() * size
}

/// The text, or the longest prefix that fits, with an ellipsis.
pub(crate) fn fit(text: &str, size: f64, weight: Weight, room: f64) -> String {
    // Bounds the time for a text of any length.
    const LONGEST: usize = 2000;
    let text: String = text.chars().take(LONGEST).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if width(&text, size, weight) <= room {
        return text;
    }
    let mut left = room - width("…", size, weight);
    let mut end = 0;
    for (i, c) in text.char_indices() {
        left -= glyph(c, weight).1 * size;
        if left < 0.0 {
            break;
        }
        end = i + c.len_utf8();
    }
    format!("{}…", text[..end].trim_end())
}

/// The text wrapped at spaces; a word that is too long is cut.
pub(crate) fn wrap(text: &str, size: f64, weight: Weight, room: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if width(line, size, weight) + width(" ", size, weight) + width(word, size, weight) <= room => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(fit(word, size, weight, room)),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_font_has_all_glyphs_of_the_pictures() {
        for letter in "γλπ≤≥√‖·²×−–—…“”’±∞ηÄéßŁжЯ⁻¹⁰³⁴⁵⁶⁷⁸⁹ %,.()".chars()
        {
            assert!(glyph(letter, Weight::Regular).0.is_some(), "{letter}");
            assert!(glyph(letter, Weight::Medium).0.is_some(), "{letter}");
        }
    }

    #[test]
    fn a_text_that_fits_is_kept_and_one_that_does_not_is_cut() {
        let room = width("abcdef", 10.0, Weight::Regular);
        assert_eq!(fit("abcdef", 10.0, Weight::Regular, room + 0.01), "abcdef");
        let cut = fit("abcdefghij", 10.0, Weight::Regular, room);
        assert!(cut.ends_with('…') && width(&cut, 10.0, Weight::Regular) <= room, "{cut}");
        assert_eq!(fit("日本語", 10.0, Weight::Regular, 25.0), "日…");
        let lines = wrap("one two three four", 10.0, Weight::Regular, 40.0);
        assert!(lines.len() > 1 && lines.iter().all(|l| width(l, 10.0, Weight::Regular) <= 40.0), "{lines:?}");
        assert_eq!(lines.join(" "), "one two three four");
    }
}
