//! The value of a field, by the kind of its column.

use crate::io::{Found, show};
use crate::read::json::members;
use crate::read::number::NotFinite;
use crate::read::records::Record;

/// The kind of a column, with its categories or words.
#[derive(Debug)]
pub(in crate::read) enum Kind<C, T> {
    /// Numbers: one feature.
    Number,
    /// Categories: one feature for each.
    Category(C),
    /// Text: one feature for each n-gram of words.
    Text(T),
    /// The same, or a set of words.
    Set(T),
}

/// The value of a field; `N` is a number, parsed or as text.
pub(in crate::read) enum Value<'t, N, C, T> {
    /// A number.
    Number(N),
    /// Nothing, in a column of numbers.
    NoNumber,
    /// A category, known or not.
    Category(C, &'t [u8]),
    /// Nothing, in a column of categories.
    NoCategory,
    /// A text, which may be empty.
    Text(T, &'t str),
    /// A set of words, for [`members`].
    Set(T, &'t [u8]),
}

/// The missing values of a column.
#[derive(Debug, Clone, Copy)]
pub(in crate::read) struct Gaps<'n> {
    /// Whether they are allowed.
    pub(in crate::read) fill: bool,
    /// Texts that stand for one, beside the usual.
    pub(in crate::read) na: &'n [String],
}

/// Whether a text stands for a missing value because an option says so.
#[inline]
pub(in crate::read) fn is_marked(text: &[u8], na: &[String]) -> bool {
    na.iter().any(|mark| mark.as_bytes() == text)
}

/// Why a field is refused.
pub(in crate::read) enum Refused {
    /// It is empty, and no option says how to fill it.
    Missing,
    /// It is not a finite number.
    Number(NotFinite),
    /// It is no UTF-8.
    Encoding,
}

impl<C, T> Kind<C, T> {
    /// The same kind, with borrowed categories or words.
    #[inline]
    pub(in crate::read) fn as_mut(&mut self) -> Kind<&mut C, &mut T> {
        match self {
            Kind::Number => Kind::Number,
            Kind::Category(categories) => Kind::Category(categories),
            Kind::Text(words) => Kind::Text(words),
            Kind::Set(words) => Kind::Set(words),
        }
    }

    /// The same kind, with other categories or words.
    pub(in crate::read) fn map<D, U>(&self, category: impl FnOnce(&C) -> D, words: impl FnOnce(&T) -> U) -> Kind<D, U> {
        match self {
            Kind::Number => Kind::Number,
            Kind::Category(categories) => Kind::Category(category(categories)),
            Kind::Text(text) => Kind::Text(words(text)),
            Kind::Set(set) => Kind::Set(words(set)),
        }
    }

    /// The same kind, with shared categories or words.
    #[inline]
    pub(in crate::read) fn as_ref(&self) -> Kind<&C, &T> {
        match self {
            Kind::Number => Kind::Number,
            Kind::Category(categories) => Kind::Category(categories),
            Kind::Text(words) => Kind::Text(words),
            Kind::Set(words) => Kind::Set(words),
        }
    }

    /// Interprets a field of this column.
    #[inline]
    pub(in crate::read) fn read<'t, N>(
        self,
        text: &'t [u8],
        gaps: Gaps<'_>,
        number: impl Fn(&'t [u8]) -> Result<N, NotFinite>,
    ) -> Result<Value<'t, N, C, T>, Refused> {
        match self {
            Kind::Number if is_marked(text, gaps.na) => if_allowed(Value::NoNumber, gaps),
            Kind::Number => match number(text) {
                Ok(value) => Ok(Value::Number(value)),
                Err(_) if is_gap(text) => if_allowed(Value::NoNumber, gaps),
                Err(why) => Err(Refused::Number(why)),
            },
            Kind::Category(_) if is_missing(text) || is_marked(text, gaps.na) => if_allowed(Value::NoCategory, gaps),
            Kind::Category(categories) => Ok(Value::Category(categories, text)),
            Kind::Set(words) if members(text).is_some() => Ok(Value::Set(words, text)),
            Kind::Text(words) | Kind::Set(words) => match std::str::from_utf8(text) {
                Ok(text) => Ok(Value::Text(words, text)),
                Err(_) => Err(Refused::Encoding),
            },
        }
    }
}

/// A missing value where missing values are allowed.
fn if_allowed<V>(missing: V, gaps: Gaps<'_>) -> Result<V, Refused> {
    if gaps.fill { Ok(missing) } else { Err(Refused::Missing) }
}

/// Whether a field holds no value: nothing, `NA`, `?` or `nan`.
pub(in crate::read) fn is_missing(text: &[u8]) -> bool {
    matches!(text, b"" | b"?") || text.eq_ignore_ascii_case(b"na") || text.eq_ignore_ascii_case(b"nan")
}

/// Whether a field of a column of numbers holds no value. A category may be called `none`; a number is not.
pub(in crate::read) fn is_gap(text: &[u8]) -> bool {
    const ALSO: [&[u8]; 5] = [b"n/a", b"#n/a", b"null", b"none", b"-"];
    is_missing(text) || ALSO.iter().any(|known| text.eq_ignore_ascii_case(known))
}

/// The start of a sentence about a field without a value.
pub(in crate::read) fn missing(name: &str, text: &[u8]) -> String {
    match text {
        b"" => format!("column \"{name}\" has no value here"),
        _ => format!("column \"{name}\" holds {}, a missing value", show(text)),
    }
}

/// The label of a row, or why it has none.
pub(in crate::read) fn label_of<'r>(record: Record<'r>, at: usize, name: &str, na: &[String]) -> Found<&'r str> {
    let text = record.text(at);
    if is_missing(text) || is_marked(text, na) {
        let message = format!("label {}: fill it in, or leave the row out", missing(name, text));
        return Err(record.fault(at, message));
    }
    std::str::from_utf8(text).map_err(|_| record.fault(at, not_utf8(text)))
}

/// The message for bytes that are not UTF-8.
pub(in crate::read) fn not_utf8(text: &[u8]) -> String {
    format!("{} is not UTF-8 text: save the file as UTF-8", show(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_values() {
        for text in ["", "?", "NA", "na", "nan", "NaN"] {
            assert!(is_missing(text.as_bytes()), "{text}");
        }
        for text in ["0", "-", "??", "nano", "n/a"] {
            assert!(!is_missing(text.as_bytes()), "{text}");
        }
        for text in ["", "NA", "N/A", "null", "NULL", "None", "-", "#N/A"] {
            assert!(is_gap(text.as_bytes()), "{text}");
        }
        for text in ["0", "-1", "--", "no", "nil", "unknown"] {
            assert!(!is_gap(text.as_bytes()), "{text}");
        }
    }
}
