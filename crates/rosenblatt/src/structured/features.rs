//! Feature extraction: from the fields of a sentence to feature numbers.
//!
//! A feature is a template and the values of its parts. Values are interned once, and features are lists of numbers: no
//! text is concatenated for any token. The functions of a word are computed once for each distinct word.

use super::interner::{Keys, Strings};
use crate::fit::Fingerprint;
use crate::limits;
use crate::structured::chain::{FREE, Lists, Sentence};
use crate::structured::read::{Batch, Token};
use crate::structured::template::{Outside, Part, Template, Templates};

/// No such value, or no such feature.
const NONE: u32 = u32::MAX;
/// Values of neighbours before and after a sentence.
const MARKS: [&str; 2] = ["⟨s⟩", "⟨/s⟩"];

/// The features that a model knows.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Vocabulary {
    /// What parts of features may be.
    pub values: Strings,
    /// Features that score a tag: a template, then values.
    pub emissions: Keys,
    /// Features that score a pair of tags.
    pub edges: Keys,
}

/// Feature lookup: in a growing vocabulary, or in a fixed one.
pub trait Lookup {
    /// The number of a value.
    fn value(&mut self, text: &[u8]) -> u32;
    /// The number of a feature that scores a tag.
    fn emission(&mut self, key: &[u32]) -> u32;
    /// The number of a feature that scores a pair.
    fn edge(&mut self, key: &[u32]) -> u32;
}

/// Numbers new features.
impl Lookup for &mut Vocabulary {
    fn value(&mut self, text: &[u8]) -> u32 {
        self.values.intern(text)
    }

    fn emission(&mut self, key: &[u32]) -> u32 {
        self.emissions.intern(key)
    }

    fn edge(&mut self, key: &[u32]) -> u32 {
        self.edges.intern(key)
    }
}

/// New features stay unknown.
impl Lookup for &Vocabulary {
    fn value(&mut self, text: &[u8]) -> u32 {
        self.values.find(text).unwrap_or(NONE)
    }

    fn emission(&mut self, key: &[u32]) -> u32 {
        self.emissions.find(key).unwrap_or(NONE)
    }

    fn edge(&mut self, key: &[u32]) -> u32 {
        self.edges.find(key).unwrap_or(NONE)
    }
}

/// Growable lists of features.
#[derive(Debug, Clone)]
pub struct Growing {
    ends: Vec<usize>,
    items: Vec<u32>,
    values: Vec<f64>,
}

impl Default for Growing {
    fn default() -> Self {
        Growing { ends: vec![0], items: Vec::new(), values: Vec::new() }
    }
}

impl Growing {
    fn clear(&mut self) {
        self.ends.truncate(1);
        self.items.clear();
        self.values.clear();
    }

    /// Adds a known feature with its value.
    fn push(&mut self, feature: u32, value: f64) {
        if feature == NONE {
            return;
        }
        if value != 1.0 || !self.values.is_empty() {
            self.values.resize(self.items.len(), 1.0);
            self.values.push(value);
        }
        self.items.push(feature);
    }

    /// Adds tokens of other lists, whose values are stored for all features or for none.
    fn copy(&mut self, from: &Growing, tokens: std::ops::Range<usize>) {
        let (start, items) = (from.ends[tokens.start], self.items.len());
        let range = start..from.ends[tokens.end];
        self.ends.extend(from.ends[tokens.start + 1..=tokens.end].iter().map(|end| end - start + items));
        self.items.extend_from_slice(&from.items[range.clone()]);
        self.values.extend(from.values.get(range).unwrap_or_default());
    }

    fn end_token(&mut self) {
        self.ends.push(self.items.len());
    }

    fn lists(&self, tokens: std::ops::Range<usize>) -> Lists<'_> {
        Lists { ends: &self.ends[tokens.start..=tokens.end], items: &self.items, values: &self.values }
    }

    /// Pads the values with ones: they are stored for all features or for none.
    fn pad_values(&mut self) {
        if !self.values.is_empty() {
            self.values.resize(self.items.len(), 1.0);
        }
    }
}

/// Sentences with their features: the flat arrays that training reads.
#[derive(Debug, Clone, Default)]
pub struct Prepared {
    emissions: Growing,
    edges: Option<Growing>,
    fixed: Vec<u32>,
    sentences: Vec<usize>,
}

impl Prepared {
    /// Clears, and keeps the capacity.
    pub fn clear(&mut self) {
        self.emissions.clear();
        self.edges.iter_mut().for_each(Growing::clear);
        self.fixed.clear();
        self.sentences.clear();
    }

    /// How many sentences.
    pub fn len(&self) -> usize {
        self.sentences.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.sentences.is_empty()
    }

    /// The tokens of a sentence.
    pub fn tokens(&self, sentence: usize) -> std::ops::Range<usize> {
        let start = if sentence == 0 { 0 } else { self.sentences[sentence - 1] };
        start..self.sentences[sentence]
    }

    /// A sentence.
    pub fn sentence(&self, sentence: usize) -> Sentence<'_> {
        let tokens = self.tokens(sentence);
        let nothing = Lists { ends: &[], items: &[], values: &[] };
        Sentence {
            emissions: self.emissions.lists(tokens.clone()),
            edges: self.edges.as_ref().map_or(nothing, |edges| edges.lists(tokens.clone())),
            fixed: if self.fixed.is_empty() { &[] } else { &self.fixed[tokens] },
        }
    }

    /// How many tokens.
    pub fn token_count(&self) -> usize {
        self.emissions.ends.len() - 1
    }

    /// A copy of these sentences.
    pub(super) fn select(&self, numbers: &[u32]) -> Prepared {
        let mut some = Prepared { edges: self.edges.as_ref().map(|_| Growing::default()), ..Prepared::default() };
        for &number in numbers {
            let tokens = self.tokens(number as usize);
            some.emissions.copy(&self.emissions, tokens.clone());
            if let (Some(to), Some(from)) = (&mut some.edges, &self.edges) {
                to.copy(from, tokens.clone());
            }
            some.fixed.extend(self.fixed.get(tokens).unwrap_or_default());
            some.sentences.push(some.emissions.ends.len() - 1);
        }
        some
    }

    /// Adds all arrays to a fingerprint.
    pub(super) fn fingerprint(&self, print: &mut Fingerprint) {
        for lists in std::iter::once(&self.emissions).chain(&self.edges) {
            print.u64s(&lists.ends.iter().map(|&end| end as u64).collect::<Vec<_>>());
            print.u32s(&lists.items);
            print.f64s(&lists.values);
        }
        print.u32s(&self.fixed);
        print.u64s(&self.sentences.iter().map(|&end| end as u64).collect::<Vec<_>>());
    }

    /// Fixes tags: one for each token, or [`FREE`].
    pub(super) fn fix(&mut self, tags: Vec<u32>) {
        self.fixed = tags;
    }

    /// Takes out the number that the [`Dictionary`] gave the word of every token.
    pub(super) fn take_fixed(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.fixed)
    }
}

/// The distinct words of a column, with what was computed for each.
#[derive(Debug, Default)]
struct Column {
    views: Vec<usize>,
    words: Strings,
    /// `values[word·views + view]`: the value of each view of a word.
    values: Vec<u32>,
    /// How many templates use only this column of one token.
    singles: usize,
    /// `features[word·singles + single]`: their features, cached.
    features: Vec<u32>,
    /// The tag that a word must have, by the dictionary.
    fixed: Vec<u32>,
}

/// A feature that is not cached yet.
const UNCACHED: u32 = NONE - 1;

/// How the feature of a template is found.
#[derive(Debug, Clone, Copy)]
enum Plan {
    /// One view of one token: cached by word.
    Single { column: usize, single: usize, place: usize, offset: i32 },
    /// A key made of its parts.
    Parts,
}

/// The cache is cleared when it holds more words than this.
const MOST_CACHED: usize = 1 << 20;

/// Tokens between two calls of [`limits::has_passed`].
const SOME_TOKENS: usize = 4096;

/// Extracts features; one per thread.
#[derive(Debug, Default)]
pub struct Extractor {
    columns: Vec<Column>,
    /// How each template's feature is found: those that score a tag, then those that score a pair.
    plans: [Vec<Plan>; 2],
    /// `cells[token·columns + column]`: the words of the current sentence.
    cells: Vec<u32>,
    /// `row[token·views + view]` of the current sentence.
    row: Vec<u32>,
    key: Vec<u32>,
    text: String,
}

/// The tag that a word must have, or [`FREE`]; or its place in a list. Asked once for each distinct word.
pub type Dictionary<'a> = &'a dyn Fn(&[u8]) -> u32;

impl Extractor {
    /// Adds the sentences of a batch. Stops when the limits have passed: ask [`limits::check`] afterwards.
    pub fn batch(
        &mut self,
        batch: &Batch,
        templates: Option<&Templates>,
        mut vocabulary: impl Lookup,
        dictionary: Option<Dictionary<'_>>,
        out: &mut Prepared,
    ) {
        for number in 0..batch.sentences() {
            let tokens = batch.sentence(number);
            match templates {
                Some(templates) => {
                    self.words(batch, tokens, templates, &mut vocabulary, dictionary, out);
                    if tokens.len() >= SOME_TOKENS && limits::has_passed() {
                        return;
                    }
                    self.sentence(tokens.len(), templates, &mut vocabulary, out);
                }
                None => attributes(batch, tokens, &mut vocabulary, out),
            }
            out.sentences.push(out.emissions.ends.len() - 1);
        }
        out.emissions.pad_values();
    }

    /// Interns the words of a sentence.
    fn words(
        &mut self,
        batch: &Batch,
        tokens: &[Token],
        templates: &Templates,
        vocabulary: &mut impl Lookup,
        dictionary: Option<Dictionary<'_>>,
        out: &mut Prepared,
    ) {
        if self.columns.is_empty() || self.columns.iter().any(|column| column.words.len() > MOST_CACHED) {
            self.reset(templates);
        }
        let views = templates.views.len();
        self.cells.clear();
        self.row.clear();
        self.row.resize(tokens.len() * views, NONE);
        for (i, token) in tokens.iter().enumerate() {
            if i % SOME_TOKENS == SOME_TOKENS - 1 && limits::has_passed() {
                return;
            }
            let row = &mut self.row[i * views..][..views];
            for (at, column) in self.columns.iter_mut().enumerate() {
                if column.views.is_empty() && !(at == 0 && dictionary.is_some()) {
                    self.cells.push(0);
                    continue;
                }
                let text = batch.field(token, at);
                let word = column.words.intern(text) as usize;
                if word == column.fixed.len() {
                    let readable = std::str::from_utf8(text).unwrap_or("");
                    for &view in &column.views {
                        let has = templates.views[view].function.apply(readable, &mut self.text);
                        column.values.push(if has { vocabulary.value(self.text.as_bytes()) } else { NONE });
                    }
                    column.features.resize((word + 1) * column.singles, UNCACHED);
                    column.fixed.push(if at == 0 { dictionary.map_or(FREE, |tag| tag(text)) } else { FREE });
                }
                let values = &column.values[word * column.views.len()..];
                column.views.iter().zip(values).for_each(|(&view, &value)| row[view] = value);
                if at == 0 && dictionary.is_some() {
                    out.fixed.push(column.fixed[word]);
                }
                self.cells.push(word as u32);
            }
        }
    }

    /// Extracts the features of the sentence whose words were interned.
    fn sentence(&mut self, length: usize, templates: &Templates, vocabulary: &mut impl Lookup, out: &mut Prepared) {
        let marks = match templates.outside {
            Outside::Mark => MARKS.map(|mark| vocabulary.value(mark.as_bytes())),
            Outside::Skip => [NONE; 2],
        };
        let Prepared { emissions, edges, .. } = out;
        let Extractor { columns, plans, cells, row, key, .. } = self;
        let mut here = Position { columns, cells, row, views: templates.views.len(), key, marks, i: 0, length };
        for i in 0..length {
            if i % SOME_TOKENS == SOME_TOKENS - 1 && limits::has_passed() {
                return;
            }
            here.i = i;
            for ((template, &plan), number) in templates.emissions.iter().zip(&plans[0]).zip(0..) {
                emissions.push(here.feature(plan, template, number, |key| vocabulary.emission(key)), 1.0);
            }
            emissions.end_token();
            if templates.edges.is_empty() {
                continue;
            }
            let edges = edges.get_or_insert_default();
            for ((template, &plan), number) in templates.edges.iter().zip(&plans[1]).zip(0..) {
                edges.push(here.feature(plan, template, number, |key| vocabulary.edge(key)), 1.0);
            }
            edges.end_token();
        }
    }

    fn reset(&mut self, templates: &Templates) {
        self.columns = (0..templates.width().max(1)).map(|_| Column::default()).collect();
        for (number, view) in templates.views.iter().enumerate() {
            self.columns[view.column].views.push(number);
        }
        let columns = &mut self.columns;
        let mut plan = |template: &Template| match template.parts[..] {
            [Part::View { view, offset }] => {
                let column = templates.views[view].column;
                let own = &mut columns[column];
                let place = own.views.iter().position(|v| *v == view).expect("a view of this column");
                own.singles += 1;
                Plan::Single { column, single: own.singles - 1, place, offset }
            }
            _ => Plan::Parts,
        };
        self.plans = [&templates.emissions, &templates.edges].map(|list| list.iter().map(&mut plan).collect());
    }
}

/// A position in the sentence.
struct Position<'a> {
    columns: &'a mut [Column],
    cells: &'a [u32],
    row: &'a [u32],
    views: usize,
    key: &'a mut Vec<u32>,
    marks: [u32; 2],
    i: usize,
    length: usize,
}

impl Position<'_> {
    /// The feature of a template here: cached, or looked up by its key.
    #[inline]
    fn feature(&mut self, plan: Plan, template: &Template, number: u32, look_up: impl FnOnce(&[u32]) -> u32) -> u32 {
        if let Plan::Single { column, single, place, offset } = plan {
            let at = self.i as i64 + i64::from(offset);
            if (0..self.length as i64).contains(&at) {
                let word = self.cells[at as usize * self.columns.len() + column] as usize;
                let column = &mut self.columns[column];
                let known = &mut column.features[word * column.singles + single];
                if *known == UNCACHED {
                    let value = column.values[word * column.views.len() + place];
                    *known = if value == NONE { NONE } else { look_up(&[number, value]) };
                }
                return *known;
            }
        }
        if self.build_key(template, number) { look_up(self.key) } else { NONE }
    }

    /// Builds the key of a template's feature here; `false` if it has none.
    #[inline]
    fn build_key(&mut self, template: &Template, number: u32) -> bool {
        self.key.clear();
        self.key.push(number);
        for part in &template.parts {
            match *part {
                Part::View { view, offset } => {
                    let at = self.i as i64 + i64::from(offset);
                    let value = if at < 0 {
                        self.marks[0]
                    } else if at >= self.length as i64 {
                        self.marks[1]
                    } else {
                        self.row[at as usize * self.views + view]
                    };
                    if value == NONE {
                        return false;
                    }
                    self.key.push(value);
                }
                Part::First if self.i > 0 => return false,
                Part::Last if self.i + 1 < self.length => return false,
                Part::First | Part::Last | Part::Bias => {}
            }
        }
        true
    }
}

/// The features of tokens that have attributes.
fn attributes(batch: &Batch, tokens: &[Token], vocabulary: &mut impl Lookup, out: &mut Prepared) {
    for token in tokens {
        for (name, value) in batch.attributes(token) {
            let number = vocabulary.value(name);
            if number != NONE {
                out.emissions.push(vocabulary.emission(&[0, number]), value);
            }
        }
        out.emissions.end_token();
    }
}
