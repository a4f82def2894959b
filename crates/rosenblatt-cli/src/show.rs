//! Foreign text for the terminal. Labels, feature names, tags and file names come from data and models: they are escaped,
//! cut, and padded by display width. [`Output`](crate::output::Output) escapes whatever is left.

use std::path::Path;

use rosenblatt::escape::{escaped, is_control};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The most columns of a name.
const NAME: usize = 60;
/// The most columns of a path.
const PATH: usize = 240;

/// A label, a tag or the name of a feature.
pub fn name(text: &str) -> String {
    cut(text, NAME)
}

/// The name of a file, as it was given.
pub fn file(path: &str) -> String {
    cut(path, PATH)
}

/// A path.
pub fn path(path: &Path) -> String {
    file(&path.to_string_lossy())
}

/// Escaped, and cut to `most` columns. Marks without a width of their own count, so that no name is longer than it looks.
pub fn cut(text: &str, most: usize) -> String {
    const MARKS: usize = 8;
    let (mut shown, mut columns, mut length) = (String::new(), 0, 0);
    for c in text.chars() {
        let one: String = if is_control(c) { c.escape_default().collect() } else { c.into() };
        columns += if is_control(c) { one.len() } else { c.width().unwrap_or(0) };
        length += 1;
        if columns > most || length > MARKS * most {
            return shorten(&shown, most.saturating_sub(1)) + "…";
        }
        shown.push_str(&one);
    }
    shown
}

/// The beginning of a printable text, of at most `most` columns.
fn shorten(text: &str, most: usize) -> String {
    let mut columns = 0;
    let fits = |c: &char| {
        columns += c.width().unwrap_or(0);
        columns <= most
    };
    text.chars().take_while(fits).collect()
}

/// The columns that a text takes on a terminal.
pub fn width(text: &str) -> usize {
    escaped(text).width()
}

/// The widest of some texts, and at least `least`.
pub fn widest<'a>(texts: impl IntoIterator<Item = &'a String>, least: usize) -> usize {
    texts.into_iter().map(|text| width(text)).max().unwrap_or(0).max(least)
}

/// The text at the left of `columns` columns.
pub fn left(text: &str, columns: usize) -> String {
    format!("{text}{}", gap(text, columns))
}

/// The text at the right of `columns` columns.
pub fn right(text: &str, columns: usize) -> String {
    format!("{}{text}", gap(text, columns))
}

fn gap(text: &str, columns: usize) -> String {
    " ".repeat(columns.saturating_sub(width(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_escaped_and_cut() {
        assert_eq!(name("spam"), "spam");
        assert_eq!(name("a\u{1b}[31m\nb"), "a\\u{1b}[31m\\nb");
        assert_eq!(cut("abcdef", 6), "abcdef");
        assert_eq!(cut("abcdefg", 6), "abcde…");
        assert_eq!(cut("日本語です", 6), "日本…");
        assert_eq!(cut("ab\u{1b}", 6), "ab…");
        let long = name(&"x".repeat(100_000));
        assert_eq!(width(&long), 60);
        let marks = name(&"e\u{301}".repeat(100_000));
        assert!(marks.chars().count() < 600 && width(&marks) <= 60);
    }

    #[test]
    fn columns_are_those_of_the_terminal() {
        for text in ["", "ab", "日本", "é", "e\u{301}"] {
            assert_eq!(width(&left(text, 8)), 8, "{text}");
            assert_eq!(width(&right(text, 8)), 8, "{text}");
        }
        assert_eq!(left("日本", 6) + "|", "日本  |");
        assert_eq!(right("ab", 4), "  ab");
        assert_eq!(left("abc", 2), "abc");
        // Rust's own padding panics beyond 65,535.
        assert_eq!(left("a", 100_000).len(), 100_000);
        assert_eq!(widest(&["a".to_string(), "日本".to_string()], 1), 4);
    }
}
