//! Sequences: a tag for each token, scored by the token's features and by neighbouring tags.
//!
//! ```text
//! w·φ(x, y) = Σᵢ  Σ_{f ∈ x[i]} e[f][yᵢ]  +  a[yᵢ₋₁][yᵢ]  +  Σ_{g ∈ x[i]} b[g][yᵢ₋₁][yᵢ]  +  c[yᵢ₋₂][yᵢ₋₁][yᵢ]
//! ```
//!
//! with e the emissions, a the transitions, b the transitions with features, and c those of second order. The tag before
//! the first token is `start`, numbered after the others.

mod beam;
mod lattice;
mod marginals;
pub(crate) mod state;
mod viterbi;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::limits;
use crate::message::Message;
use crate::named::named;
use crate::structured::meter::Meter;
use crate::structured::{Dense, Rows, Store, Structure};
use lattice::Lattice;

/// No tag: a token that may have any.
pub const FREE: u32 = u32::MAX;

/// How far a tag looks back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reach {
    /// Not at all: tokens are independent.
    None,
    /// To the tag before.
    First,
    /// To the two tags before.
    Second,
}

/// The search for the best sequence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Search {
    /// All sequences, by dynamic programming.
    Viterbi,
    /// The best few prefixes at each token; 1 is greedy search.
    Beam {
        /// How many.
        width: u32,
        /// Which violation to learn from.
        update: Update,
    },
}

/// Which violation a beam learns from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Update {
    /// The prefix where the truth is furthest behind.
    MaxViolation,
    /// The first prefix without the truth.
    Early,
}

named!(Update: MaxViolation = "max-violation", Early = "early");

impl fmt::Display for Search {
    /// As it is typed; without the update of a beam.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Search::Viterbi => f.write_str("viterbi"),
            Search::Beam { width: 1, .. } => f.write_str("greedy"),
            Search::Beam { width, .. } => write!(f, "beam:{width}"),
        }
    }
}

impl FromStr for Search {
    type Err = Error;

    /// `viterbi`, `greedy` or `beam:N`; the update is [`Update::MaxViolation`].
    fn from_str(text: &str) -> Result<Self> {
        let beam = |width| Search::Beam { width, update: Update::MaxViolation };
        match text {
            "viterbi" => Ok(Search::Viterbi),
            "greedy" => Ok(beam(1)),
            _ => {
                let width = text.strip_prefix("beam:").and_then(|width| width.parse().ok()).filter(|&width| width > 0);
                width.map(beam).ok_or_else(|| Error::settings(format!("{text}: expected viterbi, greedy or beam:N")))
            }
        }
    }
}

/// The features of each token of a sentence: those of token i are `items[ends[i]..ends[i + 1]]`.
#[derive(Debug, Clone, Copy)]
pub struct Lists<'a> {
    /// One more than there are tokens.
    pub ends: &'a [usize],
    /// The features of all tokens, one after the other.
    pub items: &'a [u32],
    /// The value of each; empty if all are 1.
    pub values: &'a [f64],
}

impl<'a> Lists<'a> {
    /// The features of token i and their values.
    #[inline]
    fn token(self, i: usize) -> (&'a [u32], &'a [f64]) {
        let range = self.ends[i]..self.ends[i + 1];
        (&self.items[range.clone()], if self.values.is_empty() { &[] } else { &self.values[range] })
    }

    /// Calls `each` with every feature of token i and its value.
    #[inline]
    fn each(self, i: usize, mut each: impl FnMut(u32, f64)) {
        let (items, values) = self.token(i);
        if values.is_empty() {
            items.iter().for_each(|&f| each(f, 1.0));
        } else {
            items.iter().zip(values).for_each(|(&f, &v)| each(f, v));
        }
    }
}

/// A sentence with its features.
#[derive(Debug, Clone, Copy)]
pub struct Sentence<'a> {
    /// Features that score a tag.
    pub emissions: Lists<'a>,
    /// Features that score a pair of tags; empty `ends` if there are none.
    pub edges: Lists<'a>,
    /// The tag that each token must have, or [`FREE`]; empty if all are free.
    pub fixed: &'a [u32],
}

impl Sentence<'_> {
    /// How many tokens.
    pub fn len(&self) -> usize {
        self.emissions.ends.len() - 1
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The allowed transitions.
#[derive(Debug, Clone, PartialEq)]
pub struct Bars {
    /// `follows[before·tags + tag]`, with `before = tags` for the start.
    pub follows: Vec<bool>,
    /// Which tags may be last.
    pub ends: Vec<bool>,
}

/// Rows of tags are padded to a multiple of this.
const BLOCK: usize = 8;

/// The weights of a chain.
#[derive(Debug, Clone, PartialEq)]
pub struct Weights {
    tags: usize,
    /// e\[feature\]\[tag\].
    pub emissions: Rows,
    /// b\[feature\]\[before·tags + tag\], with `before = tags` for the start.
    pub edges: Rows,
    /// a and c, with rows of [`Weights::width`].
    first: Dense,
    second: Dense,
}

impl Weights {
    /// All zero.
    pub fn new(tags: usize, reach: Reach, emissions: usize, edges: usize) -> Self {
        let (emissions, edges) = (Rows::new(emissions), Rows::new(edges));
        let [first, second] = sizes(tags, reach).map(Dense::new);
        Weights { tags, emissions, edges, first, second }
    }

    /// Refuses weights of transitions that do not fit in the memory that is left: those, their sums, those of the model and
    /// of a search.
    pub(crate) fn check_memory(tags: usize, reach: Reach) -> Result<()> {
        let [first, second] = sizes(tags, reach).map(|size| size as u128);
        limits::room_for::<f64>(4 * first + 3 * second, || {
            Message::new(format!("the weights of transitions between {tags} tags"))
        })
    }

    /// Makes room for more tags, whose numbers follow those so far, and for more features.
    pub(crate) fn grow(&mut self, tags: usize, reach: Reach, emissions: usize, edges: usize) {
        self.emissions.grow_to(emissions);
        self.edges.grow_to(edges);
        let old = std::mem::replace(&mut self.tags, tags);
        if old == tags {
            return;
        }
        // The start is numbered after the tags.
        let moved = |before: usize| if before == old { tags } else { before };
        self.edges.renumber(|slot| (moved(slot as usize / old) * tags + slot as usize % old) as u32);
        let [first, second] = sizes(tags, reach);
        let (from, to) = (width(old), width(tags));
        let place = |row: usize| moved(row) * to;
        self.first = self.first.moved(first, from, old, place);
        let place = |row: usize| (moved(row / (old + 1)) * (tags + 1) + moved(row % (old + 1))) * to;
        self.second = self.second.moved(second, from, old, place);
    }

    /// Final weights in training again, as if all of them had been added at this time: at time 1 they are their average.
    pub(crate) fn in_training(&self, time: f64) -> Weights {
        let dense = |from: &Dense| {
            Dense::resumed(from.weights().to_vec(), from.weights().iter().map(|weight| time * weight).collect())
        };
        Weights {
            tags: self.tags,
            emissions: self.emissions.in_training(time),
            edges: self.edges.in_training(time),
            first: dense(&self.first),
            second: dense(&self.second),
        }
    }

    /// The sums, as final weights.
    pub(crate) fn sums(&self) -> Weights {
        Weights {
            tags: self.tags,
            emissions: self.emissions.sums_as_weights(),
            edges: self.edges.sums_as_weights(),
            first: Dense::fixed(self.first.sums().to_vec()),
            second: Dense::fixed(self.second.sums().to_vec()),
        }
    }

    /// Takes the sums of transitions from other weights, which have them as weights.
    pub(crate) fn take_sums_of_transitions(&mut self, sums: &Weights) {
        for (own, sums) in [(&mut self.first, &sums.first), (&mut self.second, &sums.second)] {
            *own = Dense::resumed(own.weights().to_vec(), sums.weights().to_vec());
        }
    }

    /// Whether all weights and their sums are finite.
    pub(crate) fn is_finite(&self) -> bool {
        [&self.first, &self.second].iter().all(|dense| dense.is_finite())
            && self.emissions.is_finite()
            && self.edges.is_finite()
    }

    /// Final weights, `first` and `second` without padding.
    pub(crate) fn fixed(tags: usize, emissions: Rows, edges: Rows, first: &[f64], second: &[f64]) -> Self {
        let [first, second] = [first, second].map(|weights| Dense::fixed(pad(tags, weights)));
        Weights { tags, emissions, edges, first, second }
    }

    /// a\[before·tags + tag\], without padding; empty if there are none.
    pub fn transitions(&self) -> Vec<f64> {
        self.unpadded(self.first.weights())
    }

    /// c\[(before₂·(tags + 1) + before₁)·tags + tag\], without padding; empty if there are none.
    pub fn second_order(&self) -> Vec<f64> {
        self.unpadded(self.second.weights())
    }

    fn unpadded(&self, weights: &[f64]) -> Vec<f64> {
        weights.chunks(width(self.tags)).flat_map(|row| row[..self.tags].iter().copied()).collect()
    }
}

/// A search that takes fewer bytes is not checked.
const SMALL: u128 = 1 << 20;

/// The padded length of a row of tags.
fn width(tags: usize) -> usize {
    tags.next_multiple_of(BLOCK)
}

/// Rows of tags with their padding.
fn pad(tags: usize, weights: &[f64]) -> Vec<f64> {
    let rows = weights.chunks(tags.max(1));
    rows.flat_map(|row| (0..width(tags)).map(|t| row.get(t).copied().unwrap_or(0.0))).collect()
}

/// The numbers of transition weights of first and second order.
fn sizes(tags: usize, reach: Reach) -> [usize; 2] {
    let row = width(tags);
    [
        if reach >= Reach::First { (tags + 1) * row } else { 0 },
        if reach >= Reach::Second { (tags + 1) * (tags + 1) * row } else { 0 },
    ]
}

/// Names a weight of a chain.
#[derive(Debug, Clone, Copy)]
pub enum Key {
    /// A tag of a feature.
    Emission(u32, u32),
    /// A pair of tags of a feature.
    Edge(u32, u32),
    /// A pair of tags.
    First(usize),
    /// Three tags.
    Second(usize),
}

impl Store for Weights {
    type Key = Key;

    #[inline]
    fn correct(&mut self, key: Key, by: f64, t: u64) {
        match key {
            Key::Emission(feature, tag) => self.emissions.correct(feature, tag, by, t),
            Key::Edge(feature, pair) => self.edges.correct(feature, pair, by, t),
            Key::First(at) => self.first.correct(at, by, t),
            Key::Second(at) => self.second.correct(at, by, t),
        }
    }

    fn average(&mut self, t: u64) {
        self.emissions.average(t);
        self.edges.average(t);
        self.first.average(t);
        self.second.average(t);
    }
}

/// A tag for each token.
#[derive(Debug, Clone, PartialEq)]
pub struct Chain {
    /// How many tags.
    pub tags: usize,
    /// How far a tag looks back.
    pub reach: Reach,
    /// The allowed transitions; `None`: all.
    pub bars: Option<Bars>,
    /// The search.
    pub search: Search,
}

/// Buffers of a search.
#[derive(Debug, Default)]
pub struct Scratch {
    lattice: Lattice,
    viterbi: viterbi::Trellis,
    beam: beam::Beam,
    meter: Meter,
}

impl Structure for Chain {
    type Input<'a> = Sentence<'a>;
    type Output = [u32];
    type Store = Weights;
    type Scratch = Scratch;

    fn check(&self, x: Sentence<'_>, scratch: &Scratch) -> Result<()> {
        self.check_memory(x.len(), scratch)
    }

    fn stopped(scratch: &Scratch) -> bool {
        scratch.meter.stopped()
    }

    fn decode(&self, w: &Weights, x: Sentence<'_>, scratch: &mut Scratch, answer: &mut Vec<u32>) {
        let Scratch { lattice, viterbi, beam, meter } = scratch;
        meter.start();
        // If fixed tags and bars allow no sequence, the fixed tags are dropped.
        for fixed in [x.fixed, &[]] {
            lattice.load(self, w, Sentence { fixed, ..x }, meter);
            if meter.stopped() {
                return;
            }
            let score = match self.search {
                Search::Viterbi => viterbi::best(self, w, lattice, x, (viterbi, meter), answer),
                Search::Beam { width, .. } => beam.best(self, w, lattice, x, (width, meter), answer),
            };
            if score > f64::NEG_INFINITY || fixed.is_empty() || meter.stopped() {
                break;
            }
        }
    }

    fn violate(&self, w: &Weights, x: Sentence<'_>, truth: &[u32], scratch: &mut Scratch, answer: &mut Vec<u32>) {
        match self.search {
            Search::Viterbi => self.decode(w, x, scratch, answer),
            Search::Beam { width, update } => {
                let Scratch { lattice, beam, meter, .. } = scratch;
                meter.start();
                lattice.load(self, w, x, meter);
                if !meter.stopped() {
                    beam.violate(self, w, lattice, x, (width, update, meter), truth, answer);
                }
            }
        }
    }

    /// Only differences are visited: emissions where the tags differ, transitions where one of their tags differs.
    fn difference(&self, x: Sentence<'_>, truth: &[u32], answer: &[u32], mut each: impl FnMut(Key, f64)) {
        let back = |tags: &[u32], i: usize, by: usize| if i >= by { tags[i - by] } else { self.tags as u32 };
        for i in 0..answer.len() {
            let pair = [(truth, 1.0), (answer, -1.0)];
            if truth[i] != answer[i] {
                for (tags, sign) in pair {
                    x.emissions.each(i, |f, value| each(Key::Emission(f, tags[i]), sign * value));
                }
            }
            let same = |by: usize| back(truth, i, by) == back(answer, i, by);
            if self.reach >= Reach::First && !(same(0) && same(1)) {
                for (tags, sign) in pair {
                    let (before, tag) = (back(tags, i, 1), tags[i]);
                    each(Key::First(before as usize * width(self.tags) + tag as usize), sign);
                    if !x.edges.ends.is_empty() {
                        let slot = before * self.tags as u32 + tag;
                        x.edges.each(i, |f, value| each(Key::Edge(f, slot), sign * value));
                    }
                }
            }
            if self.reach >= Reach::Second && !(same(0) && same(1) && same(2)) {
                for (tags, sign) in pair {
                    each(Key::Second(self.second_at(back(tags, i, 2), back(tags, i, 1)) + tags[i] as usize), sign);
                }
            }
        }
    }
}

impl Chain {
    /// Refuses a sentence of so many tokens whose search does not fit in the memory that is left.
    fn check_memory(&self, tokens: usize, scratch: &Scratch) -> Result<()> {
        let (tags, row, tokens) = (self.tags as u128, width(self.tags) as u128, tokens as u128);
        // A back pointer for each state of each token, or a prefix; and the candidates for the next prefixes.
        let (states, candidates, each) = match self.search {
            Search::Viterbi if self.reach == Reach::Second => (tags * row, 0, size_of::<u16>()),
            Search::Viterbi => (row, 0, size_of::<u16>()),
            Search::Beam { width, .. } => {
                let different = if self.reach == Reach::Second { tags * tags } else { tags };
                let prefixes = different.min(width.into());
                (prefixes, prefixes * tags, beam::ITEM)
            }
        };
        let needed = tokens * row * size_of::<f64>() as u128 + (tokens * states + candidates) * each as u128;
        // Most sentences are short.
        if needed <= SMALL {
            return Ok(());
        }
        let held = scratch.lattice.bytes() + scratch.viterbi.bytes() + scratch.beam.bytes();
        limits::room_for::<u8>(needed.saturating_sub(held as u128), || {
            Message::new(format!("the search for the {} tags of a sentence of {tokens} tokens", self.tags))
        })
    }

    /// Where the row of c begins for the two previous tags.
    #[inline]
    fn second_at(&self, before2: u32, before1: u32) -> usize {
        (before2 as usize * (self.tags + 1) + before1 as usize) * width(self.tags)
    }

    /// Whether the bars allow this sequence.
    pub fn allows(&self, tags: &[u32]) -> bool {
        let Some(bars) = &self.bars else { return true };
        let mut before = self.tags;
        for &tag in tags {
            if !bars.follows[before * self.tags + tag as usize] {
                return false;
            }
            before = tag as usize;
        }
        tags.last().is_none_or(|&last| bars.ends[last as usize])
    }
}
