//! A text column while it is being read.

use crate::error::Result;
use crate::limits;
use crate::map::Grams;
use crate::rows::{ColumnKind, the_rows};

/// The n-grams of each row.
pub(crate) struct Texts {
    ngrams: u32,
    grams: Grams,
    /// The distinct n-grams of each row.
    runs: Vec<u32>,
    /// The count of each.
    counts: Vec<u32>,
    /// The end of each row's n-grams.
    ends: Vec<usize>,
    row: Vec<u32>,
}

/// The rows of a text column: features within the column, sorted, and their counts.
pub(crate) struct Bag {
    pub(crate) words: Vec<u32>,
    pub(crate) counts: Vec<u32>,
    pub(crate) ends: Vec<usize>,
}

impl Texts {
    pub(crate) fn new(ngrams: u32) -> Self {
        let (runs, counts, ends, row) = Default::default();
        Texts { ngrams, grams: Grams::new(ngrams), runs, counts, ends, row }
    }

    /// Makes room for more rows, or returns an error if there is none. A row has as many n-grams as the longest so far.
    pub(crate) fn reserve(&mut self, more: usize) -> Result<()> {
        let runs = more * self.row.capacity().max(16);
        limits::reserve(&mut self.ends, more, &the_rows)?;
        limits::reserve(&mut self.runs, runs, &the_rows)?;
        limits::reserve(&mut self.counts, runs, &the_rows)
    }

    /// Appends the text of one row.
    pub(crate) fn push(&mut self, text: &str) {
        self.row.clear();
        self.grams.learn(text, &mut self.row);
        self.row.sort_unstable();
        for same in self.row.chunk_by(|a, b| a == b) {
            self.runs.push(same[0]);
            self.counts.push(same.len() as u32);
        }
        self.ends.push(self.runs.len());
    }

    /// The column with sorted n-grams, and its rows.
    pub(crate) fn sorted(mut self) -> (ColumnKind, Bag) {
        let (words, places) = self.grams.sorted();
        let mut from = 0;
        let mut row: Vec<(u32, u32)> = Vec::new();
        for &end in &self.ends {
            row.clear();
            row.extend(
                self.runs[from..end].iter().zip(&self.counts[from..end]).map(|(&r, &n)| (places[r as usize], n)),
            );
            row.sort_unstable();
            for (at, &(place, n)) in (from..end).zip(&row) {
                (self.runs[at], self.counts[at]) = (place, n);
            }
            from = end;
        }
        let bag = Bag { words: self.runs, counts: self.counts, ends: self.ends };
        (ColumnKind::Text { ngrams: self.ngrams, words }, bag)
    }
}

/// The words of a text column that a model knows.
pub(crate) struct KnownWords {
    grams: Grams,
    /// The feature of each n-gram, within the column.
    places: Vec<Option<u32>>,
    /// Scratch: n-grams and features of the current text.
    runs: Vec<u32>,
    found: Vec<u32>,
}

impl KnownWords {
    pub(crate) fn new(ngrams: u32, words: &[String]) -> Self {
        let (grams, places) = Grams::from_names(ngrams, words);
        KnownWords { grams, places, runs: Vec::new(), found: Vec::new() }
    }

    /// Calls `put` with each feature of a text, in order, and its count.
    pub(crate) fn count(&mut self, text: &str, mut put: impl FnMut(u32, f64)) {
        self.runs.clear();
        self.grams.find(text, &mut self.runs);
        self.found.clear();
        self.found.extend(self.runs.iter().filter_map(|&run| self.places[run as usize]));
        self.found.sort_unstable();
        for same in self.found.chunk_by(|a, b| a == b) {
            put(same[0], same.len() as f64);
        }
    }
}
