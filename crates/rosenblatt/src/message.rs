//! Messages for users, as data: plain text with the settings, the advice and the tools that it names as values.
//!
//! The library does not know how its user sets anything: a flag, a parameter, a JSON field or a button.
//! A message therefore holds a [`Setting`] as a value, and each front end words it. [`Display`](fmt::Display) is neutral.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::escape::one_line;

/// Declares the settings, each with its plain name.
macro_rules! settings {
    ($($(#[$what:meta])* $setting:ident = $name:literal,)*) => {
        /// Something that a user can set.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Setting {
            $($(#[$what])* $setting,)*
        }

        impl Setting {
            /// All of them.
            pub const ALL: &'static [Setting] = &[$(Setting::$setting,)*];

            /// The plain name, its words joined by hyphens.
            pub fn name(self) -> &'static str {
                match self {
                    $(Setting::$setting => $name,)*
                }
            }
        }
    };
}

settings! {
    /// The format of a file.
    Format = "format",
    /// Whether the first row names the columns.
    Header = "header",
    /// The column of labels.
    Label = "label",
    /// Columns to leave out.
    Drop = "drop",
    /// Columns of categories.
    Category = "category",
    /// Columns of text.
    Text = "text",
    /// The longest run of words that is a feature.
    Ngrams = "ngrams",
    /// How many characters of a word are a feature.
    CharNgrams = "char-ngrams",
    /// What divides the fields of a row.
    Delimiter = "delimiter",
    /// What stands for a missing value.
    Na = "na",
    /// What replaces missing values.
    Missing = "missing",
    /// The column of weights.
    Weight = "weight",
    /// The file of labels.
    Labels = "labels",
    /// The positive label.
    Positive = "positive",
    /// Which learner.
    Learner = "learner",
    /// The maximum number of passes.
    Epochs = "epochs",
    /// The order of the examples.
    Order = "order",
    /// Which weights are kept: the last, the average, all voters, the best.
    Keep = "keep",
    /// How the step length decreases.
    Schedule = "schedule",
    /// The constant of the bias.
    Bias = "bias",
    /// To learn no bias.
    NoBias = "no-bias",
    /// The initial weights.
    Init = "init",
    /// The weights of classes.
    ClassWeight = "class-weight",
    /// The kernel.
    Kernel = "kernel",
    /// The maximum number of support vectors.
    Budget = "budget",
    /// The maximum degree of products of features.
    Degree = "degree",
    /// The minimum number of rows that contain a feature.
    MinCount = "min-count",
    /// How the count of a word becomes a value.
    Tf = "tf",
    /// To weight words by their inverse document frequency.
    TfIdf = "tf-idf",
    /// The number of bits of hashed features.
    HashBits = "hash-bits",
    /// How features are scaled.
    Scale = "scale",
    /// The cache on disk.
    Cache = "cache",
    /// The most memory to use.
    Memory = "memory",
    /// The most time to take.
    TimeLimit = "time-limit",
    /// The checkpoint to write.
    Checkpoint = "checkpoint",
    /// The checkpoint to resume from.
    Resume = "resume",
    /// The share of examples that is held out.
    Holdout = "holdout",
    /// To learn probabilities.
    Calibrate = "calibrate",
    /// How many folds.
    Folds = "folds",
    /// The settings to try.
    Grid = "grid",
    /// How many settings to draw.
    Random = "random",
    /// The column of tags.
    Tag = "tag",
    /// The feature templates of tokens.
    Templates = "templates",
    /// How often a word must occur with one tag to get it without a search.
    TagDictionary = "tag-dictionary",
    /// The scheme whose invalid tag sequences are forbidden.
    Constrain = "constrain",
    /// The scheme that tags are learned in.
    Encode = "encode",
    /// To pass over tokens without a tag.
    SkipUntagged = "skip-untagged",
}

impl Setting {
    /// A message that begins with this setting.
    pub fn named(self) -> Message {
        Message::default().name(self)
    }

    /// A message that begins with this setting and its value.
    pub fn given(self, value: impl fmt::Display) -> Message {
        Message::default().given(self, value)
    }
}

/// The value of a setting in a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// None: only the setting is named.
    Unsaid,
    /// Any value of the user's choice: a number, a file.
    Open,
    /// This value.
    One(String),
    /// One of these.
    OneOf(&'static [&'static str]),
}

/// What to do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Advice {
    /// Give a setting a value. The text before it holds the verb.
    Set(Setting, Value),
    /// Leave these settings at their defaults.
    LeaveOut(Vec<(Setting, Value)>),
    /// Use another part of the program.
    Use(Tool),
}

/// Parts of the program that a message may refer to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Tool {
    /// Decides whether a hyperplane separates the classes.
    Separable,
    /// Writes data in another format.
    Convert,
    /// Replaces blanks between values by commas.
    Commas,
    /// Resumes a training that was paused.
    Resume,
}

/// A part of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Part {
    /// Plain text.
    Text(String),
    /// A setting that the message names.
    Setting(Setting, Value),
    /// What to do.
    Advice(Advice),
    /// A row of a table in memory, counted from 0; in words from 1, unless the front end counts otherwise.
    Row(usize),
    /// A feature, counted likewise.
    Feature(usize),
}

/// A message for the user: parts in order.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(into = "String", from = "String")]
pub struct Message(Vec<Part>);

impl Message {
    /// A message that begins with plain text.
    pub fn new(text: impl Into<String>) -> Self {
        Message::default().text(text)
    }

    /// Appends plain text.
    pub fn text(mut self, text: impl Into<String>) -> Self {
        match self.0.last_mut() {
            Some(Part::Text(before)) => before.push_str(&text.into()),
            _ => self.0.push(Part::Text(text.into())),
        }
        self
    }

    fn part(mut self, part: Part) -> Self {
        self.0.push(part);
        self
    }

    /// A message that begins with a row, counted from 0.
    pub(crate) fn of_row(row: usize) -> Self {
        Message::from(Part::Row(row))
    }

    /// Appends a feature, counted from 0.
    pub(crate) fn feature(self, feature: usize) -> Self {
        self.part(Part::Feature(feature))
    }

    /// Appends the name of a setting.
    pub fn name(self, setting: Setting) -> Self {
        self.part(Part::Setting(setting, Value::Unsaid))
    }

    /// Appends a setting and its value.
    pub fn given(self, setting: Setting, value: impl fmt::Display) -> Self {
        self.part(Part::Setting(setting, Value::One(value.to_string())))
    }

    /// Appends the advice to give a setting a value.
    pub fn set(self, setting: Setting, value: impl fmt::Display) -> Self {
        self.part(Part::Advice(Advice::Set(setting, Value::One(value.to_string()))))
    }

    /// Appends the advice to use a setting, without a value.
    pub fn with(self, setting: Setting) -> Self {
        self.part(Part::Advice(Advice::Set(setting, Value::Unsaid)))
    }

    /// Appends the advice to give a setting a value of the user's own choice.
    pub fn open(self, setting: Setting) -> Self {
        self.part(Part::Advice(Advice::Set(setting, Value::Open)))
    }

    /// Appends the advice to give a setting one of these values.
    pub fn one_of(self, setting: Setting, values: &'static [&'static str]) -> Self {
        self.part(Part::Advice(Advice::Set(setting, Value::OneOf(values))))
    }

    /// Appends the advice to leave settings out.
    pub fn leave_out(self, settings: &[Setting]) -> Self {
        self.part(Part::Advice(Advice::LeaveOut(settings.iter().map(|&s| (s, Value::Unsaid)).collect())))
    }

    /// Appends the advice to leave out this value of a setting.
    pub fn leave_out_given(self, setting: Setting, value: impl fmt::Display) -> Self {
        self.part(Part::Advice(Advice::LeaveOut(vec![(setting, Value::One(value.to_string()))])))
    }

    /// Appends a part of the program.
    pub fn tool(self, tool: Tool) -> Self {
        self.part(Part::Advice(Advice::Use(tool)))
    }

    /// Appends another message.
    pub fn then(mut self, other: impl Into<Message>) -> Self {
        for part in other.into().0 {
            self = match part {
                Part::Text(text) => self.text(text),
                part => self.part(part),
            };
        }
        self
    }

    /// The same message with every text and every value in it changed.
    pub(crate) fn each_text(mut self, change: impl Fn(String) -> String) -> Self {
        let value = |value: &mut Value| {
            if let Value::One(text) = value {
                *text = change(std::mem::take(text));
            }
        };
        for part in &mut self.0 {
            match part {
                Part::Text(text) => *text = change(std::mem::take(text)),
                Part::Setting(_, one) | Part::Advice(Advice::Set(_, one)) => value(one),
                Part::Advice(Advice::LeaveOut(settings)) => settings.iter_mut().for_each(|(_, one)| value(one)),
                Part::Advice(Advice::Use(_)) | Part::Row(_) | Part::Feature(_) => {}
            }
        }
        self
    }

    /// The parts in order.
    pub fn parts(&self) -> &[Part] {
        &self.0
    }

    /// The setting that the message begins with, and its value: its subject.
    pub fn subject(&self) -> Option<(Setting, &Value)> {
        match self.0.first() {
            Some(Part::Setting(setting, value)) => Some((*setting, value)),
            _ => None,
        }
    }

    /// The advice in the message.
    pub fn advice(&self) -> impl Iterator<Item = &Advice> {
        self.0.iter().filter_map(|part| if let Part::Advice(advice) = part { Some(advice) } else { None })
    }

    /// The message in a front end's terms: `word` renders a part that is not text, given the parts from there on.
    pub fn worded(&self, word: impl Fn(&[Part]) -> String) -> String {
        let mut text = String::new();
        for (at, part) in self.0.iter().enumerate() {
            match part {
                Part::Text(plain) => text.push_str(&one_line(plain.clone())),
                _ => {
                    let words = one_line(word(&self.0[at..]));
                    let begins = text.ends_with(". ") && words.starts_with(|c: char| c.is_ascii_lowercase());
                    text.push_str(&if begins { capitalized(&words) } else { words });
                }
            }
        }
        text
    }
}

fn capitalized(words: &str) -> String {
    let (first, rest) = words.split_at(1);
    first.to_ascii_uppercase() + rest
}

/// `a, b or c`: names with a word before the last.
pub fn enumerated<T: AsRef<str>>(names: &[T], word: &str) -> String {
    match names {
        [] => String::new(),
        [one] => one.as_ref().to_string(),
        [some @ .., last] => {
            let some: Vec<&str> = some.iter().map(AsRef::as_ref).collect();
            format!("{} {word} {}", some.join(", "), last.as_ref())
        }
    }
}

impl From<String> for Message {
    fn from(text: String) -> Self {
        Message::new(text)
    }
}

impl From<&str> for Message {
    fn from(text: &str) -> Self {
        Message::new(text)
    }
}

impl From<Part> for Message {
    fn from(part: Part) -> Self {
        Message(vec![part])
    }
}

impl From<&Message> for Message {
    fn from(message: &Message) -> Self {
        message.clone()
    }
}

impl From<Message> for String {
    fn from(message: Message) -> Self {
        message.to_string()
    }
}

impl PartialEq<str> for Message {
    fn eq(&self, other: &str) -> bool {
        let text = self.to_string();
        text == other
    }
}

impl PartialEq<&str> for Message {
    fn eq(&self, other: &&str) -> bool {
        self == *other
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.worded(|parts| plain(&parts[0])))
    }
}

/// The neutral wording, of no front end.
fn plain(part: &Part) -> String {
    let one = |setting: Setting, value: &Value| match value {
        Value::Unsaid | Value::Open => format!("`{}`", setting.name()),
        Value::One(value) => format!("{} {value}", setting.name()),
        Value::OneOf(values) => format!("{} {}", setting.name(), enumerated(values, "or")),
    };
    match part {
        Part::Text(text) => text.clone(),
        Part::Setting(setting, value) | Part::Advice(Advice::Set(setting, value)) => one(*setting, value),
        Part::Advice(Advice::LeaveOut(settings)) => {
            let names: Vec<String> = settings.iter().map(|(setting, value)| one(*setting, value)).collect();
            format!("leave out {}", enumerated(&names, "and"))
        }
        Part::Advice(Advice::Use(Tool::Separable)) => "the test of separability".to_string(),
        Part::Advice(Advice::Use(Tool::Convert)) => "a conversion".to_string(),
        Part::Advice(Advice::Use(Tool::Resume)) => "a training that resumes it".to_string(),
        Part::Advice(Advice::Use(Tool::Commas)) => "put commas between them".to_string(),
        Part::Row(row) => format!("row {}", row + 1),
        Part::Feature(feature) => format!("feature {}", feature + 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_and_advice_are_values_in_the_text() {
        let message = Setting::Folds.given(7).text(": too many; use ").set(Setting::Folds, 3).text(" or fewer");
        assert_eq!(message, "folds 7: too many; use folds 3 or fewer");
        assert_eq!(message.subject(), Some((Setting::Folds, &Value::One("7".into()))));
        let advice: Vec<&Advice> = message.advice().collect();
        assert_eq!(advice, [&Advice::Set(Setting::Folds, Value::One("3".into()))]);
        let flags = message.worded(|parts| match &parts[0] {
            Part::Setting(setting, Value::One(value)) | Part::Advice(Advice::Set(setting, Value::One(value))) => {
                format!("<{}={value}>", setting.name())
            }
            other => unreachable!("{other:?}"),
        });
        assert_eq!(flags, "<folds=7>: too many; use <folds=3> or fewer");
    }

    #[test]
    fn advice_that_begins_a_sentence_is_capitalized() {
        let message = Message::new("In order. ").leave_out(&[Setting::Order, Setting::Init, Setting::Keep]);
        assert_eq!(message, "In order. Leave out `order`, `init` and `keep`");
        assert_eq!(Message::new("no: ").leave_out_given(Setting::Keep, "last"), "no: leave out keep last");
    }

    #[test]
    fn joined_messages_merge_their_texts() {
        let message = Message::new("a").text("b").then(Message::new("c").name(Setting::Text)).text("d");
        assert_eq!(message.parts().len(), 3);
        assert_eq!(message, "abc`text`d");
        assert_eq!(message.subject(), None);
    }

    #[test]
    fn names_are_plain_and_differ() {
        let mut names: Vec<&str> = Setting::ALL.iter().map(|setting| setting.name()).collect();
        assert!(names.iter().all(|name| name.chars().all(|c| c.is_ascii_lowercase() || c == '-')));
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Setting::ALL.len());
    }
}
