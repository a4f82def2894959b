//! A text column while it is being read.

use crate::map::Grams;
use crate::rows::ColumnKind;

/// The runs of words of each row.
pub(crate) struct Texts {
    ngrams: u32,
    grams: Grams,
    /// Each run that a row holds, once.
    runs: Vec<u32>,
    /// How often it holds it.
    counts: Vec<u32>,
    /// Where the runs of each row end.
    ends: Vec<usize>,
    row: Vec<u32>,
}

/// The rows of a text column: features within the column, in order, and how often.
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

    /// Takes in the text of one row.
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

    /// The column, its words in order, and its rows.
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
