//! One example of JSON, written as tokens of Vowpal Wabbit text while it is parsed: nothing is kept in between.

use std::collections::HashSet;
use std::fmt::{self, Write};

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use super::names::{readable, write_label, write_name};
use super::texts::TEXT;
use super::{BadRow, Texts};

/// How deep objects may be nested.
const DEEPEST: usize = 8;

/// What was read of an example.
#[derive(Default)]
pub(super) struct Written {
    /// ` name:value name=category …`
    pub(super) features: String,
    /// ` |namespace word:count …`
    pub(super) words: String,
    /// The token of the label.
    pub(super) label: Option<String>,
    pub(super) weight: Option<f64>,
}

impl Written {
    /// Reads an object, or an array of numbers.
    pub(super) fn read(json: &str, texts: &Texts) -> Result<Written, BadRow> {
        let (names, groups) = Default::default();
        let mut row = Row { written: Written::default(), texts, names, groups, seen: [false; 4], bad: None };
        row.written.features.reserve(json.len());
        let mut reader = serde_json::Deserializer::from_str(json);
        let read = match json.trim_start().starts_with('[') {
            true => Features(&mut row).deserialize(&mut reader),
            false => Whole(&mut row).deserialize(&mut reader),
        };
        match read.and_then(|()| reader.end()) {
            Ok(()) => row.names_differ().map(|()| row.written),
            Err(error) => Err(row.bad.take().unwrap_or_else(|| BadRow::new(error.to_string()))),
        }
    }
}

struct Row<'t> {
    written: Written,
    texts: &'t Texts,
    /// Where the name of each feature is in the text.
    names: Vec<(usize, usize)>,
    /// The names of texts, lists and objects.
    groups: Vec<String>,
    /// Whether features, label, weight and text were there.
    seen: [bool; 4],
    bad: Option<BadRow>,
}

impl Row<'_> {
    fn name(&self, (start, end): (usize, usize)) -> &str {
        &self.written.features[start..end]
    }

    /// Keeps the reason, and ends the parser.
    fn fail<E: Error>(&mut self, bad: BadRow) -> E {
        self.bad = Some(bad);
        E::custom("refused")
    }

    fn fail_at<E: Error>(&mut self, name: (usize, usize), message: impl Into<String>) -> E {
        let bad = BadRow::field(&readable(self.name(name)), message);
        self.fail(bad)
    }

    /// The reason, where the parser stops at a number before its value is seen.
    fn too_large(&mut self, field: &str, error: &impl Error) {
        if self.bad.is_none() && error.to_string().starts_with("number out of range") {
            self.bad = Some(BadRow::field(field, "too large for a 64-bit number"));
        }
    }

    fn names_differ(&self) -> Result<(), BadRow> {
        let twice =
            |name: &str| Err(BadRow::field(&readable(name), format!("the name {:?} comes twice", readable(name))));
        let names = || self.names.iter().map(|&name| self.name(name));
        let all = || names().chain(self.groups.iter().map(String::as_str));
        if self.names.len() + self.groups.len() <= 16 {
            for (at, one) in all().enumerate() {
                if all().take(at).any(|other| other == one) {
                    return twice(one);
                }
            }
        } else if let Some(name) = repeated(all().collect()) {
            return twice(name);
        }
        // The category `colour=red` may also be the name of a number.
        if names().any(|name| name.contains('=')) {
            let tokens = self.written.features.split(' ').map(|token| token.split(':').next().unwrap_or_default());
            if let Some(name) = repeated(tokens.collect()) {
                return twice(name);
            }
        }
        Ok(())
    }

    /// A list is a set: of its tokens, which begin at `from`, one that comes again counts once.
    fn drop_repeated(&mut self, from: usize) {
        let features = &mut self.written.features;
        let mut seen = HashSet::new();
        let tokens = features[from..].split(' ').skip(1);
        let once: String = tokens.filter(|token| seen.insert(*token)).flat_map(|token| [" ", token]).collect();
        if once.len() < features.len() - from {
            features.truncate(from);
            features.push_str(&once);
        }
    }

    /// The number, so that it is read back the same.
    fn number(&mut self, value: f64) {
        let plain = value == 0.0 || (1e-5..1e15).contains(&value.abs());
        let out = &mut self.written.features;
        let _ = match value as i32 {
            // Counts are most of all numbers.
            small @ 1..=9 if f64::from(small) == value => {
                out.extend([':', char::from(b'0' + small as u8)]);
                Ok(())
            }
            whole if f64::from(whole) == value && (whole != 0 || value.is_sign_positive()) => write!(out, ":{whole}"),
            _ if plain => write!(out, ":{value}"),
            _ => write!(out, ":{value:e}"),
        };
    }
}

/// A name that comes twice.
fn repeated(mut names: Vec<&str>) -> Option<&str> {
    names.sort_unstable();
    names.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0])
}

/// The object of an example.
struct Whole<'r, 't>(&'r mut Row<'t>);

impl<'de> DeserializeSeed<'de> for Whole<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Whole<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with features, and a label to learn from, or an array of numbers")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(field) = map.next_key_seed(Field)? {
            let row = &mut *self.0;
            let place = match field {
                Ok(place) => place,
                Err(name) => {
                    let message = "no such field: a row is {\"features\": {\"name\": value, …}, \"text\": …, \"label\": …, \"weight\": …}";
                    return Err(row.fail(BadRow::field(&name, message)));
                }
            };
            if std::mem::replace(&mut row.seen[place], true) {
                return Err(row.fail(BadRow::field(FIELDS[place], "this field comes twice")));
            }
            match place {
                0 => map.next_value_seed(Features(row))?,
                1 => map.next_value_seed(Label(row)).inspect_err(|error| self.0.too_large("label", error))?,
                3 => match map.next_value::<Text<'de>>() {
                    Ok(Text(text)) => row.texts.write(TEXT, &text, &mut row.written.words),
                    Err(_) => return Err(row.fail(BadRow::field(TEXT, "expected a text"))),
                },
                _ => match map.next_value::<f64>() {
                    Ok(weight) => row.written.weight = Some(weight),
                    Err(_) => return Err(row.fail(BadRow::field("weight", "expected a number"))),
                },
            }
        }
        if self.0.seen[0] || self.0.seen[3] { Ok(()) } else { Err(A::Error::missing_field("features")) }
    }
}

const FIELDS: [&str; 4] = ["features", "label", "weight", TEXT];

/// The name of a field of an example: its place, or a name that is none.
struct Field;

impl<'de> DeserializeSeed<'de> for Field {
    type Value = Result<usize, String>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_identifier(self)
    }
}

impl Visitor<'_> for Field {
    type Value = Result<usize, String>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Self::Value, E> {
        Ok(FIELDS.iter().position(|field| *field == name).ok_or_else(|| name.to_string()))
    }
}

/// The label: a text, a number, true or false; null is none.
struct Label<'r, 't>(&'r mut Row<'t>);

impl<'de> DeserializeSeed<'de> for Label<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl Label<'_, '_> {
    fn write(self, text: impl fmt::Display) {
        self.0.written.label = Some(text.to_string());
    }

    fn refuse<E: Error>(self) -> Result<(), E> {
        Err(self.0.fail(BadRow::field("label", "expected a text or a number")))
    }
}

impl<'de> Visitor<'de> for Label<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a label: a text or a number")
    }

    fn visit_str<E: Error>(self, label: &str) -> Result<(), E> {
        if label.is_empty() {
            return Err(self.0.fail(BadRow::field("label", "an empty label")));
        }
        let mut token = String::with_capacity(label.len());
        write_label(label, &mut token);
        self.0.written.label = Some(token);
        Ok(())
    }

    fn visit_bool<E: Error>(self, label: bool) -> Result<(), E> {
        self.write(label);
        Ok(())
    }

    fn visit_u64<E: Error>(self, label: u64) -> Result<(), E> {
        self.write(label);
        Ok(())
    }

    fn visit_i64<E: Error>(self, label: i64) -> Result<(), E> {
        self.write(label);
        Ok(())
    }

    fn visit_f64<E: Error>(self, label: f64) -> Result<(), E> {
        self.write(serde_json::Value::from(label));
        Ok(())
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, _: A) -> Result<(), A::Error> {
        self.refuse()
    }

    fn visit_map<A: MapAccess<'de>>(self, _: A) -> Result<(), A::Error> {
        self.refuse()
    }
}

/// All features: an object of names and values, or numbers.
struct Features<'r, 't>(&'r mut Row<'t>);

impl<'de> DeserializeSeed<'de> for Features<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Features<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("features: an object of names and values, or an array of numbers")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<(), A::Error> {
        fields(self.0, "", 0, map)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut numbers: A) -> Result<(), A::Error> {
        let mut at = 0;
        loop {
            match numbers.next_element::<f64>() {
                Ok(None) => break,
                Ok(Some(value)) => {
                    at += 1;
                    let _ = write!(self.0.written.features, " x{at}");
                    self.0.number(value);
                }
                Err(error) => {
                    let message = format!("expected a number: {error}");
                    return Err(self.0.fail(BadRow::field(&format!("x{}", at + 1), message)));
                }
            }
        }
        if at == 0 { Err(self.0.fail(BadRow::field("features", "no numbers"))) } else { Ok(()) }
    }
}

/// The features of an object whose names begin with a prefix.
fn fields<'de, A: MapAccess<'de>>(row: &mut Row<'_>, prefix: &str, depth: usize, mut map: A) -> Result<(), A::Error> {
    while let Some(name) = map.next_key_seed(Name { row: &mut *row, prefix })? {
        if let Err(error) = map.next_value_seed(Value { row: &mut *row, name, depth }) {
            let name = readable(row.written.features.get(name.0..name.1).unwrap_or_default()).into_owned();
            row.too_large(&name, &error);
            return Err(error);
        }
    }
    Ok(())
}

/// Writes a name; where it is.
struct Name<'r, 'p, 't> {
    row: &'r mut Row<'t>,
    prefix: &'p str,
}

impl<'de> DeserializeSeed<'de> for Name<'_, '_, '_> {
    type Value = (usize, usize);

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(usize, usize), D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Name<'_, '_, '_> {
    type Value = (usize, usize);

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<(usize, usize), E> {
        let out = &mut self.row.written.features;
        out.push(' ');
        let start = out.len();
        out.push_str(self.prefix);
        write_name(name, out);
        let place = (start, out.len());
        if place.0 == place.1 {
            return Err(self.row.fail(BadRow::field("", "a feature without a name")));
        }
        self.row.names.push(place);
        Ok(place)
    }
}

/// The value of a feature, after its name.
struct Value<'r, 't> {
    row: &'r mut Row<'t>,
    name: (usize, usize),
    depth: usize,
}

impl<'de> DeserializeSeed<'de> for Value<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl Value<'_, '_> {
    /// A number, unless the feature is a text.
    fn number<E: Error>(self, value: f64) -> Result<(), E> {
        if self.row.texts.has(self.row.name(self.name)) {
            return Err(self.row.fail_at(self.name, "a number: expected a text, whose words are counted"));
        }
        self.row.number(value);
        Ok(())
    }

    /// Takes the name back: none, or others, stand for it.
    fn unwrite(&mut self) -> String {
        let name = self.row.name(self.name).to_string();
        self.row.written.features.truncate(self.name.0 - 1);
        self.row.names.pop();
        name
    }
}

impl<'de> Visitor<'de> for Value<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number, a text, true or false, a list of texts, or an object")
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<(), E> {
        self.number(value)
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<(), E> {
        self.number(value as f64)
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<(), E> {
        self.number(value as f64)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<(), E> {
        self.number(f64::from(u8::from(value)))
    }

    fn visit_str<E: Error>(mut self, value: &str) -> Result<(), E> {
        if self.row.texts.has(self.row.name(self.name)) {
            let name = self.unwrite();
            self.row.texts.write(&name, value, &mut self.row.written.words);
            self.row.groups.push(name);
            return Ok(());
        }
        self.row.written.features.push('=');
        write_name(value, &mut self.row.written.features);
        Ok(())
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        Err(self.row.fail_at(self.name, "null: leave the feature out"))
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut values: A) -> Result<(), A::Error> {
        let name = self.unwrite();
        let from = self.row.written.features.len();
        while values.next_element_seed(Category { row: &mut *self.row, name: &name })?.is_some() {}
        self.row.drop_repeated(from);
        self.row.groups.push(name);
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(mut self, map: A) -> Result<(), A::Error> {
        if self.depth == DEEPEST {
            return Err(self.row.fail_at(self.name, format!("objects nested deeper than {DEEPEST}")));
        }
        let name = self.unwrite();
        let prefix = format!("{name}.");
        self.row.groups.push(name);
        fields(self.row, &prefix, self.depth + 1, map)
    }
}

/// One text of a list.
struct Category<'r, 'n, 't> {
    row: &'r mut Row<'t>,
    name: &'n str,
}

impl<'de> DeserializeSeed<'de> for Category<'_, '_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        let Category { row, name } = self;
        let text = match Text::deserialize(deserializer) {
            Ok(Text(text)) => text,
            Err(error) => {
                let message = "a list of a feature holds texts: give numbers names of their own";
                row.bad = Some(BadRow::field(&readable(name), message));
                return Err(error);
            }
        };
        if row.texts.has(name) {
            row.texts.write(name, &text, &mut row.written.words);
            return Ok(());
        }
        let out = &mut row.written.features;
        out.push(' ');
        out.push_str(name);
        out.push('=');
        write_name(&text, out);
        Ok(())
    }
}

#[derive(Deserialize)]
struct Text<'t>(#[serde(borrow)] std::borrow::Cow<'t, str>);
