//! The certificate: strict reading, canonical rationals, its own digest.
//!
//! Everything that stands in a certificate is used by some check, and nothing else may stand there: no unknown keys,
//! no second way to write the same number. So whoever holds one knows that there is nothing in it to be misled by.

use std::collections::{BTreeMap, HashMap};

use dashu_int::IBig;
use sha2::{Digest, Sha256};

use crate::columns::is_missing;
use crate::json::{self, Value};
use crate::limits;
use crate::rational::Rational;
use crate::refusal::{Checked, Refusal, show};
use crate::scaled::Base;

/// A certificate as it is written, its digest checked.
#[derive(Debug)]
pub(crate) struct Certificate {
    pub(crate) sha256: String,
    /// The SHA-256 of the labels, where they are in a file of their own.
    pub(crate) labels: Option<String>,
    pub(crate) examples: u64,
    pub(crate) reading: Reading,
    pub(crate) claim: Claim,
}

/// How the data are to be read.
#[derive(Debug)]
pub(crate) struct Reading {
    pub(crate) format: Format,
    pub(crate) positive: Vec<String>,
    pub(crate) negative: Vec<String>,
    pub(crate) bias: bool,
    pub(crate) degree: usize,
}

#[derive(Debug)]
pub(crate) enum Format {
    /// Delimited text. The label's place is from 0, as are those of the columns.
    Table { delimiter: u8, header: bool, label: usize, columns: Vec<Column> },
    /// `label index:value …`, the first feature having this index.
    Libsvm { first: u64, features: usize },
    /// A binary array of NumPy, the labels beside it.
    Npy { features: usize },
}

impl Format {
    /// What the numbers' powers are powers of.
    pub(crate) fn base(&self) -> Base {
        match self {
            Format::Table { .. } | Format::Libsvm { .. } => Base::Ten,
            Format::Npy { .. } => Base::Two,
        }
    }
}

#[derive(Debug)]
pub(crate) struct Column {
    pub(crate) at: usize,
    pub(crate) kind: Kind,
    /// What a field without a value means; `None`: there is none.
    pub(crate) missing: Option<Missing>,
}

/// What the fields of a column are. Values and runs of words have their places among the column's features.
#[derive(Debug)]
pub(crate) enum Kind {
    Number,
    Category(HashMap<String, usize>),
    Text { ngrams: usize, runs: HashMap<String, usize> },
}

/// What a field without a value means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Missing {
    /// All features of the column are 0.
    Zero,
    /// One more feature, the column's last, is 1.
    Indicator,
}

impl Column {
    /// How many features it gives.
    #[inline]
    pub(crate) fn width(&self) -> usize {
        let marks = usize::from(self.missing == Some(Missing::Indicator));
        match &self.kind {
            Kind::Number => 1 + marks,
            Kind::Category(places) | Kind::Text { runs: places, .. } => places.len() + marks,
        }
    }
}

impl Reading {
    /// How many features there are before monomials are formed.
    pub(crate) fn base_features(&self) -> usize {
        match &self.format {
            Format::Libsvm { features, .. } | Format::Npy { features } => *features,
            Format::Table { columns, .. } => columns.iter().map(Column::width).sum(),
        }
    }
}

/// What is claimed, with the numbers that prove it.
#[derive(Debug)]
pub(crate) enum Claim {
    Separable { plane: Plane, margin: Margin, support: Vec<Share> },
    Inseparable { support: Vec<Share> },
    Weakly { plane: Plane, support: Vec<Share> },
}

#[derive(Debug)]
pub(crate) struct Plane {
    pub(crate) weights: Vec<Rational>,
    pub(crate) bias: Rational,
}

#[derive(Debug)]
pub(crate) struct Margin {
    pub(crate) lower: Rational,
    pub(crate) upper: Rational,
}

/// An example's part in a convex combination.
#[derive(Debug)]
pub(crate) struct Share {
    pub(crate) example: u64,
    pub(crate) weight: Rational,
}

/// SHA-256 in lowercase hexadecimal digits.
pub(crate) fn sha256(parts: &[&[u8]]) -> String {
    let mut hash = Sha256::new();
    parts.iter().for_each(|part| hash.update(part));
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Reads a certificate and checks its form and its digest.
pub(crate) fn read(bytes: &[u8]) -> Checked<Certificate> {
    let mut top = Fields::of(json::parse(bytes)?, "the certificate")?;
    let (kind, _) = top.text("rosenblatt")?;
    let version = top.count("version")?;
    if kind != "certificate" || version != 1 {
        return Err(Refusal::form("it is no rosenblatt certificate of version 1"));
    }
    let (digest, at) = top.text("digest")?;
    check_digest(bytes, &digest, at)?;

    let reading = reading(top.object("reading")?)?;
    let mut data = top.object("data")?;
    let mut hash = |key: &str| {
        let (hash, _) = data.text(key)?;
        if is_hash(&hash) {
            Ok(hash)
        } else {
            Err(Refusal::form(format!("data.{key} is not 64 hexadecimal digits in lower case")))
        }
    };
    let sha256 = hash("sha256")?;
    let labels = if matches!(reading.format, Format::Npy { .. }) { Some(hash("labels")?) } else { None };
    let examples = data.count("examples")?;
    data.end()?;
    let (verdict, _) = top.text("verdict")?;
    let claim = match verdict.as_str() {
        "separable" => {
            let plane = plane(top.object("hyperplane")?, reading.bias)?;
            let margin = margin(top.object("margin")?, reading.bias)?;
            Claim::Separable { plane, margin, support: support(top.list("support")?, examples)? }
        }
        "inseparable" => Claim::Inseparable { support: support(top.list("support")?, examples)? },
        "weakly-separable" => {
            let plane = plane(top.object("hyperplane")?, reading.bias)?;
            Claim::Weakly { plane, support: support(top.list("support")?, examples)? }
        }
        other => return Err(Refusal::form(format!("unknown verdict {}", show(other.as_bytes())))),
    };
    top.end()?;
    Ok(Certificate { sha256, labels, examples, reading, claim })
}

fn is_hash(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

/// The digest is the SHA-256 of all the bytes, with 64 zeros in place of the digest itself.
fn check_digest(bytes: &[u8], digest: &str, at: usize) -> Checked<()> {
    // Without escapes: what is read is what stands there.
    if !is_hash(digest) || bytes.get(at..at + 64) != Some(digest.as_bytes()) {
        return Err(Refusal::form("the digest is not 64 hexadecimal digits in lower case"));
    }
    let found = sha256(&[&bytes[..at], &[b'0'; 64], &bytes[at + 64..]]);
    if found == digest {
        Ok(())
    } else {
        Err(Refusal::digest(format!("its digest says {digest}, but its bytes give {found}")))
    }
}

fn reading(mut fields: Fields) -> Checked<Reading> {
    let (format, _) = fields.text("format")?;
    let format = match format.as_str() {
        "table" => table(&mut fields)?,
        "libsvm" => {
            let first = fields.count("first")?;
            if first > 1 {
                return Err(Refusal::form("reading.first is neither 0 nor 1"));
            }
            Format::Libsvm { first, features: features(&mut fields)? }
        }
        "npy" => Format::Npy { features: features(&mut fields)? },
        other => return Err(Refusal::form(format!("unknown reading.format {}", show(other.as_bytes())))),
    };
    let (positive, negative) = (fields.texts("positive")?, fields.texts("negative")?);
    let bias = fields.flag("bias")?;
    let degree = fields.count("degree")?;
    if degree == 0 {
        return Err(Refusal::form("reading.degree is 0"));
    }
    if degree > limits::DEGREE {
        return Err(Refusal::size(format!("reading.degree is above {}", limits::DEGREE)));
    }
    fields.end()?;
    Ok(Reading { format, positive, negative, bias, degree: degree as usize })
}

fn features(fields: &mut Fields) -> Checked<usize> {
    let features = fields.count("features")?;
    if features > limits::FEATURES {
        return Err(Refusal::size(format!("reading.features is above {}", limits::FEATURES)));
    }
    Ok(features as usize)
}

fn table(fields: &mut Fields) -> Checked<Format> {
    let (delimiter, _) = fields.text("delimiter")?;
    let delimiter = match delimiter.as_bytes() {
        &[byte] if byte.is_ascii() && !matches!(byte, b'"' | b'\r' | b'\n' | b' ') => byte,
        _ => return Err(Refusal::form("reading.delimiter is not one character that can divide fields")),
    };
    let header = fields.flag("header")?;
    let label = place(fields.count("label")?, "reading.label")?;
    let mut columns: Vec<Column> = Vec::new();
    for fields in fields.list("columns")? {
        let column = column(Fields::of(fields, "reading.columns")?)?;
        let at = column.at;
        if at == label || columns.last().is_some_and(|before| before.at >= at) {
            return Err(Refusal::form(format!(
                "column {} in reading.columns: columns must be in order, each once, and not the label",
                at + 1
            )));
        }
        columns.push(column);
    }
    Ok(Format::Table { delimiter, header, label, columns })
}

fn column(mut fields: Fields) -> Checked<Column> {
    let at = place(fields.count("at")?, "reading.columns.at")?;
    let (kind, _) = fields.text("kind")?;
    let kind = match kind.as_str() {
        "number" => Kind::Number,
        "category" => Kind::Category(places(fields.texts("values")?, "value", at)?),
        "text" => {
            let ngrams = fields.count("ngrams")?;
            if !(1..=limits::NGRAMS).contains(&ngrams) {
                return Err(Refusal::form(format!("ngrams of column {} is not 1 to {}", at + 1, limits::NGRAMS)));
            }
            Kind::Text { ngrams: ngrams as usize, runs: places(fields.texts("words")?, "run of words", at)? }
        }
        other => return Err(Refusal::form(format!("unknown kind of column {}", show(other.as_bytes())))),
    };
    let missing = match fields.optional_text("missing")?.as_deref() {
        None => None,
        Some("zero") => Some(Missing::Zero),
        Some("indicator") => Some(Missing::Indicator),
        Some(other) => return Err(Refusal::form(format!("unknown word for missing {}", show(other.as_bytes())))),
    };
    fields.end()?;
    match &kind {
        Kind::Text { .. } if missing.is_some() => {
            return Err(Refusal::form(format!("column {} is a text, where nothing is missing", at + 1)));
        }
        Kind::Category(values) if missing.is_some() => {
            if let Some(value) = values.keys().filter(|value| is_missing(value.as_bytes())).min() {
                let told = format!("{} of column {} is a value, and a missing one", show(value.as_bytes()), at + 1);
                return Err(Refusal::form(told));
            }
        }
        _ => {}
    }
    Ok(Column { at, kind, missing })
}

/// A column's place, counted from 1 in the certificate and from 0 here.
fn place(from_one: u64, of: &str) -> Checked<usize> {
    let place = from_one.checked_sub(1).and_then(|place| usize::try_from(place).ok());
    place.ok_or_else(|| Refusal::form(format!("{of} is no column: columns are counted from 1")))
}

/// The place of each text of a list, in which none may stand twice.
fn places(texts: Vec<String>, what: &str, at: usize) -> Checked<HashMap<String, usize>> {
    let mut places = HashMap::new();
    for (place, text) in texts.into_iter().enumerate() {
        let told = show(text.as_bytes());
        if places.insert(text, place).is_some() {
            return Err(Refusal::form(format!("the {what} {told} of column {} is listed twice", at + 1)));
        }
    }
    Ok(places)
}

fn plane(mut fields: Fields, with_bias: bool) -> Checked<Plane> {
    let mut weights = Vec::new();
    for (i, weight) in fields.texts("weights")?.iter().enumerate() {
        weights.push(rational(weight, || format!("hyperplane.weights, number {}", i + 1))?);
    }
    let bias = rational(&fields.text("bias")?.0, || "hyperplane.bias".to_string())?;
    fields.end()?;
    if !with_bias && !bias.is_zero() {
        return Err(Refusal::form("hyperplane.bias is not 0, though reading.bias is false"));
    }
    Ok(Plane { weights, bias })
}

fn margin(mut fields: Fields, with_bias: bool) -> Checked<Margin> {
    let wanted = if with_bias { "hull" } else { "origin" };
    if fields.text("kind")?.0 != wanted {
        return Err(Refusal::form(format!("margin.kind is not {wanted:?}, though reading.bias is {with_bias}")));
    }
    let lower = rational(&fields.text("lower")?.0, || "margin.lower".to_string())?;
    let upper = rational(&fields.text("upper")?.0, || "margin.upper".to_string())?;
    fields.end()?;
    if lower.numerator < IBig::ZERO {
        return Err(Refusal::proof("margin.lower is negative"));
    }
    if &lower.numerator * &upper.denominator > &upper.numerator * &lower.denominator {
        return Err(Refusal::proof("margin.lower is above margin.upper"));
    }
    Ok(Margin { lower, upper })
}

/// The support, in order of examples.
fn support(list: Vec<Value>, examples: u64) -> Checked<Vec<Share>> {
    let mut support = Vec::with_capacity(list.len());
    for share in list {
        let mut fields = Fields::of(share, "support")?;
        let example = fields.count("example")?;
        let weight = rational(&fields.text("weight")?.0, || format!("the weight of support example {example}"))?;
        fields.end()?;
        if example == 0 || example > examples {
            return Err(Refusal::form(format!("support example {example} is not among 1 to {examples}")));
        }
        if !weight.is_positive() {
            return Err(Refusal::proof(format!("the weight of support example {example} is not positive")));
        }
        support.push(Share { example, weight });
    }
    support.sort_by_key(|share| share.example);
    if let Some(pair) = support.windows(2).find(|pair| pair[0].example == pair[1].example) {
        return Err(Refusal::proof(format!("example {} is twice in the support", pair[0].example)));
    }
    Ok(support)
}

fn rational(text: &str, of: impl Fn() -> String) -> Checked<Rational> {
    Rational::parse(text).map_err(|why| Refusal::form(format!("{}: {} {why}", of(), show(text.as_bytes()))))
}

/// The fields of an object, taken out one by one: whatever is left at the end does not belong there.
struct Fields {
    name: &'static str,
    map: BTreeMap<String, Value>,
}

impl Fields {
    fn of(value: Value, name: &'static str) -> Checked<Self> {
        match value {
            Value::Object(map) => Ok(Fields { name, map }),
            _ => Err(Refusal::form(format!("{name} is not an object in braces"))),
        }
    }

    fn take(&mut self, key: &str) -> Checked<Value> {
        self.map.remove(key).ok_or_else(|| Refusal::form(format!("{} has no key {key:?}", self.name)))
    }

    fn wrong(&self, key: &str, kind: &str) -> Refusal {
        Refusal::form(format!("{key:?} of {} is not {kind}", self.name))
    }

    fn text(&mut self, key: &str) -> Checked<(String, usize)> {
        match self.take(key)? {
            Value::Text(text, at) => Ok((text, at)),
            _ => Err(self.wrong(key, "a text")),
        }
    }

    fn optional_text(&mut self, key: &str) -> Checked<Option<String>> {
        if self.map.contains_key(key) { self.text(key).map(|(text, _)| Some(text)) } else { Ok(None) }
    }

    fn count(&mut self, key: &str) -> Checked<u64> {
        match self.take(key)? {
            Value::Count(count) => Ok(count),
            _ => Err(self.wrong(key, "a whole number")),
        }
    }

    fn flag(&mut self, key: &str) -> Checked<bool> {
        match self.take(key)? {
            Value::Flag(flag) => Ok(flag),
            _ => Err(self.wrong(key, "true or false")),
        }
    }

    fn list(&mut self, key: &str) -> Checked<Vec<Value>> {
        match self.take(key)? {
            Value::List(list) => Ok(list),
            _ => Err(self.wrong(key, "a list")),
        }
    }

    fn texts(&mut self, key: &str) -> Checked<Vec<String>> {
        let list = self.list(key)?;
        let text = |value| match value {
            Value::Text(text, _) => Ok(text),
            _ => Err(self.wrong(key, "a list of texts")),
        };
        list.into_iter().map(text).collect()
    }

    fn object(&mut self, key: &'static str) -> Checked<Fields> {
        Fields::of(self.take(key)?, key)
    }

    fn end(self) -> Checked<()> {
        match self.map.keys().next() {
            None => Ok(()),
            Some(key) => Err(Refusal::form(format!("{} has an unknown key {}", self.name, show(key.as_bytes())))),
        }
    }
}
