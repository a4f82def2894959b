//! A text column while it is being read.

use crate::error::Result;
use crate::limits;
pub(crate) use crate::map::Units;
use crate::map::{Grams, TextScratch};
use crate::rows::{ColumnKind, the_rows};

/// The n-grams of each row.
pub(crate) struct Texts {
    units: Units,
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
    pub(crate) fn new(units: Units) -> Self {
        let (runs, counts, ends, row) = Default::default();
        Texts { units, grams: Grams::new(units.ngrams, units.chars), runs, counts, ends, row }
    }

    /// Makes room for more rows, or returns an error if there is none.
    pub(crate) fn reserve(&mut self, more: usize) -> Result<()> {
        limits::reserve(&mut self.ends, more, &the_rows)
    }

    /// What its features are.
    pub(crate) fn units(&self) -> Units {
        self.units
    }

    /// Removes all rows and words.
    pub(crate) fn clear(&mut self) {
        self.grams.clear();
        self.runs.clear();
        self.counts.clear();
        self.ends.clear();
    }

    /// Appends the rows of a later part of the column.
    pub(crate) fn join(&mut self, later: &Texts) -> Result<()> {
        limits::reserve(&mut self.ends, later.ends.len(), &the_rows)?;
        limits::reserve(&mut self.runs, later.runs.len(), &the_rows)?;
        limits::reserve(&mut self.counts, later.counts.len(), &the_rows)?;
        let (numbers, before) = (self.grams.join(&later.grams)?, self.runs.len());
        self.ends.extend(later.ends.iter().map(|end| before + end));
        self.runs.extend(later.runs.iter().map(|&run| numbers[run as usize]));
        self.counts.extend_from_slice(&later.counts);
        Ok(())
    }

    /// Appends the text of one row, or returns an error if there is no room for its n-grams.
    pub(crate) fn push(&mut self, text: &str) -> Result<()> {
        self.row.clear();
        self.grams.learn(text, &mut self.row)?;
        self.row.sort_unstable();
        limits::reserve(&mut self.runs, self.row.len(), &the_rows)?;
        limits::reserve(&mut self.counts, self.row.len(), &the_rows)?;
        for same in self.row.chunk_by(|a, b| a == b) {
            self.runs.push(same[0]);
            self.counts.push(same.len() as u32);
        }
        self.ends.push(self.runs.len());
        Ok(())
    }

    /// Appends the set of words of one row, or returns an error if there is no room for it.
    pub(crate) fn push_set<'w>(&mut self, words: impl Iterator<Item = &'w [u8]>) -> Result<()> {
        self.row.clear();
        for word in words.filter(|word| !word.is_empty()) {
            self.row.push(self.grams.learn_word(&String::from_utf8_lossy(word))?);
        }
        self.row.sort_unstable();
        self.row.dedup();
        limits::reserve(&mut self.runs, self.row.len(), &the_rows)?;
        limits::reserve(&mut self.counts, self.row.len(), &the_rows)?;
        self.runs.extend_from_slice(&self.row);
        self.counts.resize(self.runs.len(), 1);
        self.ends.push(self.runs.len());
        Ok(())
    }

    /// The column with sorted n-grams, and its rows.
    pub(crate) fn sorted(mut self) -> Result<(ColumnKind, Bag)> {
        let (words, places) = self.grams.sorted()?;
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
        Ok((ColumnKind::Text { ngrams: self.units.ngrams, chars: self.units.chars, words }, bag))
    }
}

/// The words of a text column that a model knows.
pub(crate) struct KnownWords {
    units: Units,
    grams: Grams,
    /// The feature of each n-gram, within the column.
    places: Vec<Option<u32>>,
}

impl KnownWords {
    pub(crate) fn new(units: Units, words: &[String]) -> Result<Self> {
        let (grams, places) = Grams::from_names(units.ngrams, units.chars, words)?;
        Ok(KnownWords { units, grams, places })
    }

    /// What its features are.
    pub(crate) fn units(&self) -> Units {
        self.units
    }

    /// Calls `put` with each feature of a set of words, in order, and 1.
    pub(crate) fn count_set<'w>(
        &self,
        words: impl Iterator<Item = &'w [u8]>,
        TextScratch { found, .. }: &mut TextScratch,
        mut put: impl FnMut(u32, f64),
    ) {
        let place = |word: &[u8]| self.places[self.grams.find_word(std::str::from_utf8(word).ok()?)? as usize];
        found.clear();
        found.extend(words.filter_map(place));
        found.sort_unstable();
        found.dedup();
        found.iter().for_each(|&place| put(place, 1.0));
    }

    /// Calls `put` with each feature of a text, in order, and its count.
    pub(crate) fn count(&self, text: &str, scratch: &mut TextScratch, mut put: impl FnMut(u32, f64)) {
        self.grams.find(text, scratch);
        let TextScratch { runs, found, .. } = scratch;
        found.clear();
        found.extend(runs.iter().filter_map(|&run| self.places[run as usize]));
        found.sort_unstable();
        for same in found.chunk_by(|a, b| a == b) {
            put(same[0], same.len() as f64);
        }
    }
}
