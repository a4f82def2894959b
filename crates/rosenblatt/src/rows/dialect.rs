//! What a text with fields does not show of itself: what divides its fields, and what stands for a missing value.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::message::Setting;

/// How the fields of a table are written, where the text does not show it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Dialect {
    /// What divides the fields; `None`: it is seen in the text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delimiter: Option<Delimiter>,
    /// Texts that stand for a missing value, as they are written, beside the usual ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub na: Vec<String>,
}

impl Dialect {
    /// Whether it says nothing.
    pub(crate) fn is_plain(&self) -> bool {
        *self == Dialect::default()
    }
}

/// A character that divides fields.
///
/// ```
/// let bar: rosenblatt::rows::Delimiter = "|".parse()?;
/// assert_eq!(bar.to_string(), "|");
/// assert!("10".parse::<rosenblatt::rows::Delimiter>().is_err());
/// # Ok::<(), rosenblatt::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "char", into = "char")]
pub struct Delimiter(u8);

impl Delimiter {
    /// This character, if it can be no part of a number or a quote, and no end of a line.
    pub fn new(character: char) -> Result<Self> {
        // Spaces around a field do not belong to it, so they divide nothing.
        let divides = |byte: u8| byte == b'\t' || byte.is_ascii_punctuation();
        match u8::try_from(character) {
            Ok(byte) if divides(byte) && !b"\".+-_".contains(&byte) => Ok(Delimiter(byte)),
            _ => Err(refused(&character.to_string())),
        }
    }

    /// The byte.
    pub(crate) fn byte(self) -> u8 {
        self.0
    }
}

fn refused(text: &str) -> Error {
    let message = "expected one character that divides fields, as , ; | or \\t: no letter, digit, space or quote";
    Error::setting(Setting::Delimiter, format!("{text:?}"), message)
}

impl FromStr for Delimiter {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        if matches!(text, "\\t" | "tab") {
            return Ok(Delimiter(b'\t'));
        }
        let mut characters = text.chars();
        match (characters.next(), characters.next()) {
            (Some(character), None) => Delimiter::new(character),
            _ => Err(refused(text)),
        }
    }
}

impl fmt::Display for Delimiter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            b'\t' => f.write_str("tab"),
            byte => write!(f, "{}", char::from(byte)),
        }
    }
}

impl TryFrom<char> for Delimiter {
    type Error = String;

    fn try_from(character: char) -> std::result::Result<Self, String> {
        Delimiter::new(character).map_err(|_| format!("{character:?} divides no fields"))
    }
}

impl From<Delimiter> for char {
    fn from(delimiter: Delimiter) -> Self {
        delimiter.0.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_divides_fields() {
        for text in [",", ";", "|", ":", "^", "tab", "~"] {
            let delimiter: Delimiter = text.parse().unwrap();
            assert_eq!(delimiter.to_string().parse::<Delimiter>().unwrap(), delimiter, "{text}");
            let json = serde_json::to_string(&delimiter).unwrap();
            assert_eq!(serde_json::from_str::<Delimiter>(&json).unwrap(), delimiter, "{json}");
        }
        assert_eq!("\\t".parse::<Delimiter>().unwrap(), "tab".parse().unwrap());
        for text in ["", "::", "a", "1", " ", "\"", ".", "-", "+", "\n", "\u{1}", "é"] {
            let message = text.parse::<Delimiter>().unwrap_err().to_string();
            assert!(message.starts_with("delimiter ") && message.contains("one character"), "{message}");
        }
    }
}
