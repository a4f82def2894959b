//! Vowpal Wabbit text: `label importance 'tag |namespace:weight feature:value … |other …`, one example a line.
//!
//! A feature is named `namespace^feature`, or `feature` without a namespace (`Feature::write_name`). An omitted value is 1;
//! values of a repeated feature are added. A token that touches the first bar, or starts with a `'`, is a tag, which is
//! ignored.

use std::borrow::Cow;
use std::collections::HashMap;

use super::number::number;
use super::{KnownLabels, NeedLabels, Parts};
use crate::error::{Error, Result};
use crate::io::{Fault, Found, Lines, count, show};
use crate::limits;
use crate::message::Message;
use crate::rows::{LabelCollector, Labels, MAX_FEATURES, Matrix, Schema, SparseMatrix, Table, the_rows};

/// Reads labelled examples and collects the names of their features.
pub(crate) fn read(mut lines: Lines<'_>, positive: Option<&str>) -> Result<Parts> {
    let file = lines.name().to_string();
    let mut collector = LabelCollector::default();
    let (mut rows, mut label_ids) = (Rows::new(HashMap::new(), true), Vec::new());
    while lines.advance()? {
        let Some(line) = Line::split(lines.line(), lines.number()).map_err(|f| f.of(&file))? else { continue };
        let Some(label) = line.label else { return Err(line.no_label().of(&file)) };
        collector.reserve(1)?;
        limits::reserve(&mut label_ids, 1, &the_rows)?;
        label_ids.push(collector.collect(label));
        rows.reserve(&line)?;
        rows.push(&line).map_err(|f| f.of(&file))?;
    }
    let fingerprint = lines.fingerprint();
    if label_ids.is_empty() {
        return Err(Error::bad_data("no examples: no line holds one"));
    }
    let (names, matrix) = rows.sorted();
    if names.is_empty() {
        return Err(Error::bad_data("no features: nothing follows the bars"));
    }
    if names.len() > MAX_FEATURES {
        return Err(Error::bad_data(format!("{} features are more than {MAX_FEATURES}", names.len())));
    }
    let (labels, order) = collector.finish(positive)?;
    let classes = label_ids.iter().map(|&id| order[id as usize]).collect();
    let weights = rows.weighed.then_some(rows.weights);
    let table = Table { matrix: Matrix::Sparse(matrix), classes, labels, weights, schema: Schema::Named { names } };
    Ok(Parts { table, notes: rows.notes, fingerprint })
}

/// Reads examples for a model of these features.
pub(crate) fn read_for(mut lines: Lines<'_>, names: &[String], labels: &Labels, need: NeedLabels) -> Result<Parts> {
    let file = lines.name().to_string();
    let ids = names.iter().zip(0..).map(|(name, id)| (name.as_bytes().into(), id)).collect();
    let (mut rows, mut classes) = (Rows::new(ids, false), Vec::new());
    let mut known = KnownLabels::new(labels);
    while lines.advance()? {
        let Some(line) = Line::split(lines.line(), lines.number()).map_err(|f| f.of(&file))? else { continue };
        if need == NeedLabels::Yes {
            let Some(label) = line.label else { return Err(line.no_label().of(&file)) };
            limits::reserve(&mut classes, 1, &the_rows)?;
            classes.push(known.class(label.as_bytes()).map_err(|message| Fault::line(line.number, message).of(&file))?);
        }
        rows.reserve(&line)?;
        rows.push(&line).map_err(|f| f.of(&file))?;
    }
    let fingerprint = lines.fingerprint();
    if rows.weights.is_empty() {
        return Err(Error::bad_data("no examples: no line holds one"));
    }
    let mut notes = rows.notes;
    if rows.unknown > 0 {
        let values = count(rows.unknown, "value");
        notes.push(format!("ignored {values} of features that the model does not know").into());
    }
    let weights = rows.weighed.then_some(rows.weights);
    let matrix = SparseMatrix { features: names.len(), ..rows.matrix };
    let schema = Schema::Named { names: names.to_vec() };
    let table = Table { matrix: Matrix::Sparse(matrix), classes, labels: labels.clone(), weights, schema };
    Ok(Parts { table, notes, fingerprint })
}

/// An example, split at its first bar.
struct Line<'l> {
    number: u64,
    label: Option<&'l str>,
    importance: Option<f64>,
    /// Whether there is a third number.
    base: bool,
    tagged: bool,
    /// The text after the first bar, and its byte offset.
    features: &'l [u8],
    at: usize,
}

impl<'l> Line<'l> {
    /// `None` for a blank line.
    fn split(line: &'l [u8], number: u64) -> Found<Option<Self>> {
        if line.trim_ascii().is_empty() {
            return Ok(None);
        }
        let Some(bar) = memchr::memchr(b'|', line) else {
            return Err(Fault::line(number, "no bar: expected label |namespace features"));
        };
        let before = &line[..bar];
        let mut tokens: Vec<&[u8]> = before.split(u8::is_ascii_whitespace).filter(|t| !t.is_empty()).collect();
        let touches = before.last().is_some_and(|b| !b.is_ascii_whitespace());
        let tagged = touches || tokens.last().is_some_and(|t| t.starts_with(b"'"));
        if tagged {
            tokens.pop();
        }
        let fault = |token: &[u8], message: String| {
            Fault::at(number, (token.as_ptr() as usize - line.as_ptr() as usize) as u64 + 1, message)
        };
        let label = match tokens.first() {
            Some(token) => match std::str::from_utf8(token) {
                Ok(label) if !label.contains([':', ',']) => Some(label),
                _ => {
                    let message =
                        format!("label {}: one label for an example is read, costs and lists are not", show(token));
                    return Err(fault(token, message));
                }
            },
            None => None,
        };
        let importance = match tokens.get(1) {
            None => None,
            Some(token) => match self::number(token) {
                Ok(weight) if weight >= 0.0 => Some(weight),
                _ => {
                    let message = format!("importance {}: expected a finite number, not negative", show(token));
                    return Err(fault(token, message));
                }
            },
        };
        if let Some(token) = tokens.get(3) {
            return Err(fault(
                token,
                format!("{} before the bar: expected label, importance, base and tag", show(token)),
            ));
        }
        let base = tokens.len() > 2;
        Ok(Some(Line { number, label, importance, base, tagged, features: &line[bar + 1..], at: bar + 1 }))
    }

    /// Calls `take` with each feature, in the order of the line.
    fn each_feature(&self, mut take: impl FnMut(Feature<'l>) -> Found<()>) -> Found<()> {
        let text = self.features;
        let (mut namespace, mut scale, mut from): (&[u8], f64, usize) = (b"", 1.0, 0);
        // The first token of each section, if it touches the bar, is the namespace.
        let mut opens = true;
        while from < text.len() {
            let end = text[from..]
                .iter()
                .position(|&b| b.is_ascii_whitespace() || b == b'|')
                .map_or(text.len(), |n| from + n);
            let token = &text[from..end];
            let fault = |message: String| Fault::at(self.number, (self.at + from) as u64 + 1, message);
            if opens {
                (namespace, scale, _) = pair(token, "namespace").map_err(fault)?;
            } else if !token.is_empty() {
                let (name, value, written) = pair(token, "feature").map_err(fault)?;
                if name.is_empty() {
                    return Err(fault(format!("{}: a feature without a name", show(token))));
                }
                if std::str::from_utf8(name).is_err() || std::str::from_utf8(namespace).is_err() {
                    return Err(fault(format!("{} is not UTF-8 text: save the file as UTF-8", show(name))));
                }
                take(Feature { namespace, scale, name, value, written, token, at: from })?;
            }
            opens = text.get(end) == Some(&b'|');
            if opens {
                (namespace, scale) = (b"", 1.0);
            }
            from = end + 1;
        }
        Ok(())
    }

    fn fault(&self, feature: &Feature<'_>, message: String) -> Fault {
        Fault::at(self.number, (self.at + feature.at) as u64 + 1, message)
    }

    fn no_label(&self) -> Fault {
        let message = if self.tagged {
            "no label: what touches the bar is a tag; put a space between the label and the bar"
        } else {
            "no label before the bar"
        };
        Fault::line(self.number, message)
    }
}

/// A feature of a line.
struct Feature<'l> {
    namespace: &'l [u8],
    /// The weight of the namespace.
    scale: f64,
    name: &'l [u8],
    value: f64,
    /// The text of the value.
    written: &'l [u8],
    token: &'l [u8],
    /// The byte after the first bar where it starts.
    at: usize,
}

impl Feature<'_> {
    /// Its name among all features: `namespace^feature`, or `feature` without a namespace. Two features have one name
    /// only if they are one: `^` and `\` in a namespace are escaped by a `\`, and a feature without a namespace whose name
    /// holds a `^` has one more `^` in front.
    fn write_name(&self, name: &mut Vec<u8>) {
        name.clear();
        for &byte in self.namespace {
            if matches!(byte, b'^' | b'\\') {
                name.push(b'\\');
            }
            name.push(byte);
        }
        if !self.namespace.is_empty() || memchr::memchr(b'^', self.name).is_some() {
            name.push(b'^');
        }
        name.extend_from_slice(self.name);
    }
}

/// Calls `visit(row, entries)` for each example of a file that was read before with these features, as
/// [`each_raw`](super::raw::each_raw) does. A value that the file does not write as one number, because its namespace has a
/// weight or the feature comes twice, is the float that was read.
pub(crate) fn each_written(
    mut lines: Lines<'_>,
    names: &[String],
    mut visit: impl FnMut(usize, &[(usize, &[u8])]) -> Result<bool>,
) -> Result<()> {
    let file = lines.name().to_string();
    let mut name = Vec::new();
    let mut row = 0;
    while lines.advance()? {
        let Some(line) = Line::split(lines.line(), lines.number()).map_err(|f| f.of(&file))? else { continue };
        let mut entries: Vec<(usize, Cow<'_, [u8]>, f64)> = Vec::new();
        line.each_feature(|feature| {
            feature.write_name(&mut name);
            let Ok(place) = names.binary_search_by(|known| known.as_bytes().cmp(&name)) else {
                return Err(line.fault(&feature, "a feature that was not there before: the file has changed".into()));
            };
            let value = feature.scale * feature.value;
            let written = match feature.scale == 1.0 {
                true => Cow::Borrowed(feature.written),
                false => Cow::Owned(format!("{value:e}").into_bytes()),
            };
            entries.push((place, written, value));
            Ok(())
        })
        .map_err(|fault| fault.of(&file))?;
        entries.sort_by_key(|entry| entry.0);
        let once: Vec<(usize, Cow<'_, [u8]>)> = entries
            .chunk_by(|a, b| a.0 == b.0)
            .map(|same| match same {
                [(place, written, _)] => (*place, written.clone()),
                _ => {
                    let sum: f64 = same.iter().map(|entry| entry.2).sum();
                    (same[0].0, Cow::Owned(format!("{sum:e}").into_bytes()))
                }
            })
            .collect();
        let once: Vec<(usize, &[u8])> = once.iter().map(|(place, written)| (*place, &**written)).collect();
        if !visit(row, &once)? {
            break;
        }
        row += 1;
    }
    Ok(())
}

struct Rows {
    ids: HashMap<Box<[u8]>, u32>,
    /// Whether new names are added.
    learning: bool,
    matrix: SparseMatrix,
    weights: Vec<f64>,
    weighed: bool,
    unknown: u64,
    notes: Vec<Message>,
    row: Vec<(u32, f64)>,
    name: Vec<u8>,
}

impl Rows {
    fn new(ids: HashMap<Box<[u8]>, u32>, learning: bool) -> Self {
        let (matrix, weights, notes, row, name) = Default::default();
        Rows { ids, learning, matrix, weights, weighed: false, unknown: 0, notes, row, name }
    }

    /// Makes room for a line, or returns an error if there is none.
    fn reserve(&mut self, line: &Line<'_>) -> Result<()> {
        let most = line.features.iter().filter(|b| b.is_ascii_whitespace() || **b == b'|').count() + 1;
        limits::reserve(&mut self.matrix.offsets, 1, &the_rows)?;
        limits::reserve(&mut self.matrix.indices, most, &the_rows)?;
        limits::reserve(&mut self.matrix.values, most, &the_rows)?;
        limits::reserve(&mut self.weights, 1, &the_rows)?;
        let names = if self.learning { most } else { 0 };
        limits::reserve_keys(&mut self.ids, names, &|| "the names of the features".into())
    }

    fn push(&mut self, line: &Line<'_>) -> Found<()> {
        self.row.clear();
        line.each_feature(|feature| {
            let value = feature.scale * feature.value;
            if !value.is_finite() {
                return Err(
                    line.fault(&feature, format!("{} times its namespace's weight overflows", show(feature.token)))
                );
            }
            self.add(&feature, value);
            Ok(())
        })?;
        self.row.sort_by_key(|&(id, _)| id);
        for same in self.row.chunk_by(|a, b| a.0 == b.0) {
            let value: f64 = same.iter().map(|(_, v)| v).sum();
            if !value.is_finite() {
                return Err(Fault::line(line.number, "a feature that comes several times adds up to infinity"));
            }
            if value != 0.0 {
                self.matrix.indices.push(same[0].0);
                self.matrix.values.push(value);
            }
        }
        self.matrix.end_row();
        if line.base && self.notes.is_empty() {
            let message = format!("a base prediction (the third number) is ignored, first on line {}", line.number);
            self.notes.push(message.into());
        }
        self.weighed |= line.importance.is_some();
        self.weights.push(line.importance.unwrap_or(1.0));
        Ok(())
    }

    fn add(&mut self, feature: &Feature<'_>, value: f64) {
        feature.write_name(&mut self.name);
        match self.ids.get(&self.name[..]) {
            Some(&id) => self.row.push((id, value)),
            None if self.learning => {
                let id = self.ids.len() as u32;
                self.ids.insert(self.name[..].into(), id);
                self.row.push((id, value));
            }
            None => self.unknown += 1,
        }
    }

    /// The sorted names, and the rows with features renumbered to match.
    fn sorted(&mut self) -> (Vec<String>, SparseMatrix) {
        let mut names: Vec<(Box<[u8]>, u32)> = std::mem::take(&mut self.ids).into_iter().collect();
        names.sort_unstable();
        let mut places = vec![0; names.len()];
        (0..).zip(&names).for_each(|(place, (_, id))| places[*id as usize] = place);
        let mut matrix = std::mem::take(&mut self.matrix);
        matrix.features = names.len();
        let mut row: Vec<(u32, f64)> = Vec::new();
        for ends in matrix.offsets.windows(2) {
            let range = ends[0]..ends[1];
            row.clear();
            row.extend(range.clone().map(|at| (places[matrix.indices[at] as usize], matrix.values[at])));
            row.sort_unstable_by_key(|&(place, _)| place);
            for (at, &(place, value)) in range.zip(&row) {
                (matrix.indices[at], matrix.values[at]) = (place, value);
            }
        }
        let text = |(name, _): (Box<[u8]>, u32)| String::from_utf8_lossy(&name).into_owned();
        (names.into_iter().map(text).collect(), matrix)
    }
}

/// `name` or `name:number`: the name, the number and its text. An omitted number is 1.
fn pair<'t>(token: &'t [u8], what: &str) -> std::result::Result<(&'t [u8], f64, &'t [u8]), String> {
    match token.iter().rposition(|&b| b == b':') {
        None => Ok((token, 1.0, b"1")),
        Some(colon) => match number(&token[colon + 1..]) {
            Ok(value) => Ok((&token[..colon], value, &token[colon + 1..])),
            Err(why) => Err(format!("{what} {}: {} {}", show(token), show(&token[colon + 1..]), why.why())),
        },
    }
}
