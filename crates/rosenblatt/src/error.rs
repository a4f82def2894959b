//! The error type: a kind, a place, and a message that says what to do.

use std::fmt;
use std::path::Path;

use crate::escape::one_line;
use crate::message::{Message, Part, Setting};

/// The result of everything in this crate that can fail.
pub type Result<T> = std::result::Result<T, Error>;

/// An error, one pointer wide. Prints as `file:line:column: sentence`.
#[derive(Debug)]
pub struct Error(Box<Inner>);

#[derive(Debug)]
struct Inner {
    kind: ErrorKind,
    place: Option<Place>,
    message: Message,
    source: Option<std::io::Error>,
}

/// The kinds of failure, for callers that treat them differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A file could not be opened, read or written.
    Io,
    /// The data are invalid: a bad number, a ragged row, a single class.
    Data,
    /// A model file is damaged or inconsistent, or does not fit the data.
    Model,
    /// A parameter or option is unknown or out of range.
    Settings,
    /// The caller interrupted the work before there was a result.
    Interrupted,
    /// The work needs more memory than it may use.
    Memory,
    /// The time limit ended the work before there was a result.
    Time,
}

/// Where in a file: lines and columns count from 1; a column counts bytes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Place {
    /// The file as the user named it.
    pub file: String,
    /// The line, from 1.
    pub line: Option<u64>,
    /// The byte within the line, from 1.
    pub column: Option<u64>,
}

impl Place {
    /// A whole file.
    pub fn file(file: impl Into<String>) -> Self {
        Place { file: file.into(), line: None, column: None }
    }

    /// A line of a file, counted from 1.
    pub fn line(file: impl Into<String>, line: u64) -> Self {
        Place { file: file.into(), line: Some(line), column: None }
    }

    /// A byte of a line of a file, both counted from 1.
    pub fn at(file: impl Into<String>, line: u64, column: u64) -> Self {
        Place { file: file.into(), line: Some(line), column: Some(column) }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&one_line(self.file.clone()))?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
            if let Some(column) = self.column {
                write!(f, ":{column}")?;
            }
        }
        Ok(())
    }
}

impl Error {
    fn new(kind: ErrorKind, place: Option<Place>, message: impl Into<Message>) -> Self {
        Error(Box::new(Inner { kind, place, message: message.into().each_text(one_line), source: None }))
    }

    /// Bad data at a place.
    pub fn data(place: Place, message: impl Into<Message>) -> Self {
        Self::new(ErrorKind::Data, Some(place), message)
    }

    /// Bad data in memory, without a place.
    pub fn bad_data(message: impl Into<Message>) -> Self {
        Self::new(ErrorKind::Data, None, message)
    }

    /// An invalid model file.
    pub fn model(file: impl Into<String>, message: impl Into<Message>) -> Self {
        Self::new(ErrorKind::Model, Some(Place::file(file)), message)
    }

    /// A model that cannot be used as asked.
    pub fn bad_model(message: impl Into<Message>) -> Self {
        Self::new(ErrorKind::Model, None, message)
    }

    /// A parameter or option that is unknown or out of range.
    pub fn settings(message: impl Into<Message>) -> Self {
        Self::new(ErrorKind::Settings, None, message)
    }

    /// A value of a setting that is out of range, or does not fit the data.
    pub fn setting(setting: Setting, value: impl fmt::Display, why: impl Into<Message>) -> Self {
        Self::settings(setting.given(value).text(": ").then(why))
    }

    /// The caller interrupted the work before there was a result.
    pub fn interrupted() -> Self {
        Self::new(ErrorKind::Interrupted, None, "interrupted before there was a result")
    }

    /// The work needs more memory than it may use.
    pub fn out_of_memory(message: impl Into<Message>) -> Self {
        Self::new(ErrorKind::Memory, None, message)
    }

    /// The time limit ended the work before there was a result.
    pub fn out_of_time() -> Self {
        let message =
            Message::new("the time is over, and there is no result yet: allow more by ").name(Setting::TimeLimit);
        Self::new(ErrorKind::Time, None, message)
    }

    /// The operating system reports an error, or a compressed stream is damaged.
    pub fn io(path: impl AsRef<Path>, source: std::io::Error) -> Self {
        let place = Some(Place::file(path.as_ref().display().to_string()));
        let message = match source.kind() {
            std::io::ErrorKind::NotFound => "no such file".to_string(),
            std::io::ErrorKind::PermissionDenied => "permission denied".to_string(),
            _ => source.to_string(),
        };
        Error(Box::new(Inner { kind: ErrorKind::Io, place, message: one_line(message).into(), source: Some(source) }))
    }

    /// The kind of failure.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Where it happened, if it happened in a file.
    pub fn place(&self) -> Option<&Place> {
        self.0.place.as_ref()
    }

    /// The message without its place; the settings and the advice in it are values.
    pub fn message(&self) -> &Message {
        &self.0.message
    }

    /// One line in a front end's terms: `word` renders settings and advice, as in [`Message::worded`].
    pub fn worded(&self, word: impl Fn(&[Part]) -> String) -> String {
        let text = self.0.message.worded(word);
        match &self.0.place {
            Some(place) => format!("{place}: {text}"),
            None => text,
        }
    }

    /// The same error at another place.
    pub(crate) fn moved_to(mut self, place: Place) -> Self {
        self.0.place = Some(place);
        self
    }

    /// The same error with a file as its place, unless it has one.
    pub fn in_file(mut self, file: &str) -> Self {
        if self.0.place.is_none() {
            self.0.place = Some(Place::file(file));
        }
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0.place {
            Some(place) => write!(f, "{place}: {}", self.0.message),
            None => write!(f, "{}", self.0.message),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source.as_ref().map(|e| e as _)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_one_printable_line() {
        let error = Error::model("a\nb", "class \"x\r\n\u{1b}[2J\u{202e}\" again");
        assert_eq!(error.to_string(), r#"a\nb: class "x\r\n\u{1b}[2J\u{202e}" again"#);
        let long = Error::bad_data("é".repeat(10_000)).to_string();
        assert_eq!(long.chars().count(), crate::escape::LONGEST + 1);
        let value = Error::setting(Setting::Label, "a\nb", "no column has this name");
        assert_eq!(value.in_file("d.csv").to_string(), r"d.csv: label a\nb: no column has this name");
    }
}
