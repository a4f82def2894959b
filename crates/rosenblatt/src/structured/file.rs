//! Taggers as files: what FORMAT.md calls the content of kind `tagger`.
//!
//! All parts of a file are checked against each other, so that tagging can rely on them: a feature of no template, a weight
//! of no tag, an unused value are refused.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::features::Vocabulary;
use super::interner::{Keys, Strings};
use super::rows::{Entry, Rows};
use super::scheme::Scheme;
use super::tagger::{AVERAGED, LAST, Tagger, TaggerFacts, Words, bars};
use super::trainer::MOST_TAGS;
use crate::error::{Error, Result};
use crate::io::write_file;
use crate::learn::{Array, MOST, State};
use crate::message::Message;
use crate::model::{Frame, Kind, Versioned, check, pack, pack_json, read_model};
use crate::structured::chain::{Chain, Reach, Search, Weights};
use crate::structured::read::{Layout, SequenceFormat};
use crate::structured::template::{Part, Template, Templates, parse};

/// The content of a tagger's file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TaggerContent {
    kind: Kind,
    labels: Vec<String>,
    templates: Option<String>,
    layout: Layout,
    search: Search,
    scheme: Option<Scheme>,
    written: Option<Scheme>,
    facts: TaggerFacts,
}

/// The arrays of a tagger's file.
const NAMES: [&str; 15] = [
    "values",
    "values.ends",
    "emissions",
    "emissions.ends",
    "emissions.tags",
    "emissions.weights",
    "edges",
    "edges.ends",
    "edges.tags",
    "edges.weights",
    "transitions",
    "transitions.second",
    "words",
    "words.ends",
    "words.tags",
];

impl Versioned for TaggerContent {
    fn version(&self) -> u32 {
        if self.facts.validation.is_some() { 3 } else { 2 }
    }
}

fn parts(tagger: &Tagger) -> (TaggerContent, State) {
    let mut arrays = State::default();
    put_strings(&mut arrays, "values", &tagger.vocabulary.values);
    put_features(&mut arrays, "emissions", &tagger.vocabulary.emissions, &tagger.weights.emissions);
    put_features(&mut arrays, "edges", &tagger.vocabulary.edges, &tagger.weights.edges);
    arrays.put("transitions", Array::F64(tagger.weights.transitions()));
    arrays.put("transitions.second", Array::F64(tagger.weights.second_order()));
    put_strings(&mut arrays, "words", &tagger.dictionary.words);
    arrays.put("words.tags", Array::U32(tagger.dictionary.tags.clone()));
    let content = TaggerContent {
        kind: Kind::Tagger,
        labels: tagger.labels.clone(),
        templates: tagger.templates.as_ref().map(Templates::to_text),
        layout: tagger.layout.clone(),
        search: tagger.chain.search,
        scheme: tagger.scheme,
        written: tagger.written,
        facts: tagger.facts.clone(),
    };
    (content, arrays)
}

fn put_strings(arrays: &mut State, name: &str, strings: &Strings) {
    let mut end = 0;
    let ends = strings.iter().map(|text| {
        end += text.len() as u64;
        end
    });
    arrays.put(&format!("{name}.ends"), Array::U64(ends.collect()));
    arrays.put(name, Array::U8(strings.iter().flatten().copied().collect()));
}

fn put_features(arrays: &mut State, name: &str, keys: &Keys, rows: &Rows) {
    let (mut ends, mut tags, mut weights) = (Vec::new(), Vec::new(), Vec::new());
    for feature in 0..keys.len() as u32 {
        tags.extend(rows.row(feature).iter().map(|entry| entry.slot));
        weights.extend(rows.row(feature).iter().map(|entry| entry.weight));
        ends.push(tags.len() as u64);
    }
    arrays.put(name, Array::U32(keys.iter().flatten().copied().collect()));
    arrays.put(&format!("{name}.ends"), Array::U64(ends));
    arrays.put(&format!("{name}.tags"), Array::U32(tags));
    arrays.put(&format!("{name}.weights"), Array::F64(weights));
}

fn refuse<T>(why: impl Into<Message>) -> Result<T> {
    Err(Error::bad_model(why))
}

/// Builds a tagger from a checked frame.
fn restore(arrays: &State, c: TaggerContent) -> Result<Tagger> {
    let TaggerContent { labels, templates, layout, search, scheme, written, facts, .. } = c;
    check::nothing_else(arrays, |name| NAMES.contains(&name))?;
    check_labels(&labels, scheme)?;
    let templates = check_templates(templates, &layout)?;
    check_facts(&facts, search)?;
    let tags = labels.len();
    let reach = templates.as_ref().map_or(Reach::First, Templates::reach);
    if scheme.is_some() && reach == Reach::None {
        return refuse("a scheme, but no transitions between tags");
    }
    let values = strings(arrays, "values")?;
    let mut used = vec![false; values.len()];
    let lists = templates.as_ref().map(|set| (&set.emissions[..], &set.edges[..]));
    let attributes = [Template { parts: vec![Part::View { view: 0, offset: 0 }], reach: Reach::None }];
    let (emission, edge) = lists.unwrap_or((&attributes, &[]));
    let (emissions, emission_rows) = features(arrays, "emissions", emission, tags as u64, &mut used)?;
    let pairs = (tags as u64 + 1) * tags as u64;
    let (edges, edge_rows) = features(arrays, "edges", edge, pairs, &mut used)?;
    if let Some(at) = used.iter().position(|used| !used) {
        return refuse(format!("value {} belongs to no feature", at + 1));
    }
    let first = transitions(arrays, "transitions", reach >= Reach::First, pairs)?;
    let second = transitions(arrays, "transitions.second", reach >= Reach::Second, pairs * (tags as u64 + 1))?;
    let dictionary = dictionary(arrays, tags, &layout)?;
    let chain = Chain { tags, reach, bars: scheme.map(|scheme| bars(scheme, &labels)), search };
    let weights = Weights::fixed(tags, emission_rows, edge_rows, first, second);
    let vocabulary = Vocabulary { values, emissions, edges };
    Ok(Tagger { labels, templates, layout, vocabulary, weights, chain, scheme, written, dictionary, facts })
}

/// The tagger in a frame, or an error.
pub(super) fn from_frame(frame: Frame<'_>) -> Result<Tagger> {
    let content = match frame.kind {
        Kind::Tagger => frame.content().and_then(|c: TaggerContent| frame.check_version(&c).map(|()| c)),
        Kind::Checkpoint | Kind::TaggerCheckpoint | Kind::Mixture | Kind::Delta => {
            Err(Error::bad_model("a checkpoint, not a tagger: its training is not finished"))
        }
        Kind::Linear | Kind::Voted | Kind::Kernel => Err(Error::bad_model("a classifier, not a tagger")),
    };
    content.and_then(|c| restore(&frame.arrays, c)).map_err(|e| frame.fault(e))
}

pub(super) fn check_labels(labels: &[String], scheme: Option<Scheme>) -> Result<()> {
    if !(2..=MOST_TAGS).contains(&labels.len()) {
        return refuse(format!("{} tags: a tagger has 2 to {MOST_TAGS}", labels.len()));
    }
    let mut sorted: Vec<&String> = labels.iter().collect();
    sorted.sort();
    if sorted[0].is_empty() || sorted.windows(2).any(|pair| pair[0] == pair[1]) {
        return refuse("a tag without a name, or two of one name");
    }
    if scheme.is_some() && !labels.iter().any(|label| label == "O") {
        return refuse("a scheme, but no tag O");
    }
    Ok(())
}

/// The templates, in canonical form, for a file that has their columns.
pub(super) fn check_templates(text: Option<String>, layout: &Layout) -> Result<Option<Templates>> {
    let attributes = layout.format == SequenceFormat::Crfsuite;
    if attributes != (layout.columns == 0) || attributes != text.is_none() || layout.columns > 1 << 20 {
        return refuse("the layout and the templates contradict each other");
    }
    let tag_outside = match layout.format {
        SequenceFormat::Conllu => layout.columns != 8 || !(1..10).contains(&layout.tag_at),
        _ => layout.tag_at > layout.columns,
    };
    if tag_outside {
        return refuse("the tag's column is outside the file");
    }
    let Some(text) = text else { return Ok(None) };
    let set = parse("templates", &text).map_err(|e| Error::bad_model(e.to_string()))?;
    if set.to_text() != text {
        return refuse("the templates are not in canonical form");
    }
    if set.width() > layout.columns {
        return refuse("the templates use a column that is not there");
    }
    Ok(Some(set))
}

fn check_facts(facts: &TaggerFacts, search: Search) -> Result<()> {
    let counts = [facts.sentences, facts.tokens, facts.presented, facts.mistakes];
    let by_epoch: u128 = facts.mistakes_by_epoch.iter().map(|&m| u128::from(m)).sum();
    if counts.iter().any(|&c| c > MOST) || by_epoch > u128::from(facts.mistakes) || facts.mistakes > facts.presented {
        return refuse("the counts of sentences and mistakes contradict each other");
    }
    if !facts.order.suits(facts.seed) {
        return refuse("a shuffled order has a seed, and no other order has one");
    }
    if let Some(validation) = &facts.validation {
        validation.check(facts.tokens, facts.mistakes_by_epoch.len())?;
    }
    check_learner(&facts.learner)?;
    check_search(search)
}

pub(super) fn check_learner(learner: &str) -> Result<()> {
    match learner {
        AVERAGED | LAST => Ok(()),
        _ => refuse("the learner of a tagger is averaged or perceptron"),
    }
}

pub(super) fn check_search(search: Search) -> Result<()> {
    match search {
        Search::Beam { width: 0, .. } => refuse("a beam of no width"),
        _ => Ok(()),
    }
}

/// Distinct texts in UTF-8.
fn strings(arrays: &State, name: &str) -> Result<Strings> {
    let (bytes, ends) = (arrays.u8s(name)?, arrays.u64s(&format!("{name}.ends"))?);
    let Ok(text) = std::str::from_utf8(bytes) else { return refuse(format!("\"{name}\" is not UTF-8")) };
    let (mut strings, mut start) = (Strings::default(), 0);
    for (i, &end) in ends.iter().enumerate() {
        let found = usize::try_from(end).ok().filter(|&end| end >= start).and_then(|end| text.get(start..end));
        let Some(found) = found else { return refuse(format!("text {} of \"{name}\" has no such end", i + 1)) };
        if strings.intern(found.as_bytes()) as usize != i {
            return refuse(format!("\"{name}\" has a text twice"));
        }
        start += found.len();
    }
    if start != bytes.len() {
        return refuse(format!("{} bytes of \"{name}\" belong to no text", bytes.len() - start));
    }
    Ok(strings)
}

/// Features and their weights.
fn features(arrays: &State, name: &str, templates: &[Template], slots: u64, used: &mut [bool]) -> Result<(Keys, Rows)> {
    let numbers = arrays.u32s(name)?;
    let (ends, tags) = (arrays.u64s(&format!("{name}.ends"))?, arrays.u32s(&format!("{name}.tags"))?);
    let weights = arrays.f64s(&format!("{name}.weights"))?;
    if tags.len() != weights.len() {
        return refuse(format!("{} tags and {} weights of \"{name}\"", tags.len(), weights.len()));
    }
    let (mut keys, mut rows) = (Keys::default(), Rows::default());
    let (mut at, mut start) = (0, 0);
    for (i, &end) in ends.iter().enumerate() {
        let wrong = |why: &str| refuse(format!("feature {} of \"{name}\": {why}", i + 1));
        let Some(template) = numbers.get(at).and_then(|&t| templates.get(t as usize)) else {
            return wrong("no such template");
        };
        let views = template.parts.iter().filter(|part| matches!(part, Part::View { .. })).count();
        let Some(key) = numbers.get(at..at + 1 + views) else { return wrong("values are missing") };
        for &value in &key[1..] {
            match used.get_mut(value as usize) {
                Some(used) => *used = true,
                None => return wrong("no such value"),
            }
        }
        if keys.intern(key) as usize != i {
            return wrong("it is there twice");
        }
        at += key.len();
        let range = usize::try_from(end).ok().filter(|&end| end > start && end <= tags.len()).map(|end| start..end);
        let Some(range) = range else { return wrong("no weights, or weights that are not there") };
        let own = &tags[range.clone()];
        if !own.is_sorted_by(|a, b| a < b) || own.iter().any(|&tag| u64::from(tag) >= slots) {
            return wrong("its tags must exist and increase");
        }
        if weights[range.clone()].contains(&0.0) {
            return wrong("a weight of zero");
        }
        start = range.end;
        rows.push(own.iter().zip(&weights[range]).map(|(&slot, &weight)| Entry { slot, weight }));
    }
    if at != numbers.len() || start != tags.len() {
        return refuse(format!("\"{name}\" holds more than its features"));
    }
    Ok((keys, rows))
}

fn transitions<'a>(arrays: &'a State, name: &str, there: bool, wanted: u64) -> Result<&'a [f64]> {
    let found = arrays.f64s(name)?;
    let wanted = if there { wanted } else { 0 };
    if found.len() as u64 != wanted {
        return refuse(format!("{} weights of \"{name}\", where there must be {wanted}", found.len()));
    }
    Ok(found)
}

fn dictionary(arrays: &State, tags: usize, layout: &Layout) -> Result<Words> {
    let (words, of) = (strings(arrays, "words")?, arrays.u32s("words.tags")?);
    if of.len() != words.len() || of.iter().any(|&tag| tag as usize >= tags) {
        return refuse("each word of the dictionary must have one of the tags");
    }
    if !words.is_empty() && layout.columns == 0 {
        return refuse("a dictionary of words, where there are only attributes");
    }
    Ok(Words { words, tags: of.to_vec() })
}

impl Tagger {
    /// The bytes of its file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let (content, arrays) = parts(self);
        pack(content.version(), content, arrays)
    }

    /// Its JSON form: loss-free.
    pub fn to_json(&self) -> Vec<u8> {
        let (content, arrays) = parts(self);
        pack_json(content.version(), content, arrays)
    }

    /// A tagger from the bytes of a file in either form; `name` is what errors call it.
    pub fn from_bytes(name: &str, bytes: &[u8]) -> Result<Tagger> {
        Frame::open(name, bytes).and_then(from_frame)
    }

    /// Writes it: as JSON if the name ends in `.json`, else in the binary form. Refuses what could not be read again.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = path.as_ref();
        let json = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("json"));
        write_file(path, &self.checked_bytes(json)?)
    }

    /// The bytes of its file in either form; an error if they could not be read again.
    pub fn checked_bytes(&self, json: bool) -> Result<Vec<u8>> {
        let (content, arrays) = parts(self);
        restore(&arrays, content)?;
        Ok(if json { self.to_json() } else { self.to_bytes() })
    }

    /// Reads one.
    pub fn load(path: impl AsRef<Path>) -> Result<Tagger> {
        let path = path.as_ref();
        let bytes = read_model(path)?;
        Self::from_bytes(&path.display().to_string(), &bytes)
    }
}
