//! Weights by [feature][slot], where a slot is a tag or a pair of tags and most features have few of them.
//!
//! A row holds only the slots that were ever updated; all rows are in one arena, and a row that grows moves to its end.
//! So memory is proportional to the updated weights, and a row is a cache line or two.

use super::structure::mean;

/// One weight of a feature.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Entry {
    /// The tag, or the pair of tags.
    pub slot: u32,
    /// Its weight.
    pub weight: f64,
}

#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Row {
    start: u32,
    len: u32,
    capacity: u32,
}

/// Sparse rows of weights, with the sums that their average needs.
#[derive(Debug, Clone, Default)]
pub struct Rows {
    rows: Vec<Row>,
    entries: Vec<Entry>,
    sums: Vec<f64>,
}

const SMALLEST: u32 = 2;

/// The same weights and sums, wherever the rows are in the arena.
impl PartialEq for Rows {
    fn eq(&self, other: &Self) -> bool {
        let sums = |rows: &Rows, at: usize| {
            let Row { start, len, .. } = rows.rows[at];
            rows.sums.get(start as usize..(start + len) as usize).map(<[f64]>::to_vec)
        };
        let same = |at: usize| self.row(at as u32) == other.row(at as u32) && sums(self, at) == sums(other, at);
        self.len() == other.len() && (0..self.len()).all(same)
    }
}

impl Rows {
    /// So many features without weights.
    pub fn new(features: usize) -> Self {
        Rows { rows: vec![Row::default(); features], entries: Vec::new(), sums: Vec::new() }
    }

    /// How many features.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The weights of a feature.
    #[inline]
    pub fn row(&self, feature: u32) -> &[Entry] {
        let row = self.rows[feature as usize];
        &self.entries[row.start as usize..(row.start + row.len) as usize]
    }

    /// Whether all weights and sums are finite.
    pub(super) fn is_finite(&self) -> bool {
        self.entries.iter().all(|entry| entry.weight.is_finite()) && self.sums.iter().all(|sum| sum.is_finite())
    }

    /// The sums of a feature's weights, in the same order.
    pub(super) fn sums(&self, feature: u32) -> &[f64] {
        let row = self.rows[feature as usize];
        &self.sums[row.start as usize..(row.start + row.len) as usize]
    }

    /// Writes the ranges of the weights of features into `places`, and touches their first weights, so that all cache
    /// misses overlap.
    #[inline]
    pub(super) fn find(&self, features: &[u32], places: &mut Vec<(u32, u32)>) {
        places.clear();
        places.extend(features.iter().map(|&feature| {
            let row = self.rows[feature as usize];
            (row.start, row.start + row.len)
        }));
        let touched = places.iter().map(|&(start, _)| self.entries.get(start as usize).map_or(0, |e| e.slot));
        std::hint::black_box(touched.fold(0, |a, b| a ^ b));
    }

    /// The weights in a range that [`find`](Self::find) wrote.
    #[inline]
    pub(super) fn at(&self, (start, end): (u32, u32)) -> &[Entry] {
        &self.entries[start as usize..end as usize]
    }

    /// Adds a feature with these final weights.
    pub fn push(&mut self, entries: impl Iterator<Item = Entry>) {
        let start = self.entries.len();
        self.entries.extend(entries);
        let len = (self.entries.len() - start) as u32;
        self.rows.push(Row { start: start as u32, len, capacity: len });
    }

    /// Adds a feature in training: its weights, and their sums.
    pub(super) fn push_with_sums(&mut self, entries: impl Iterator<Item = Entry>, sums: &[f64]) {
        self.push(entries);
        self.sums.extend_from_slice(sums);
    }

    /// w\[feature\]\[slot\] += by, at time t.
    pub fn correct(&mut self, feature: u32, slot: u32, by: f64, t: u64) {
        self.add(feature, slot, by, t as f64 * by);
    }

    /// Adds to a weight and to its sum.
    #[inline]
    pub(super) fn add(&mut self, feature: u32, slot: u32, by: f64, sum: f64) {
        let row = self.rows[feature as usize];
        let at = match self.row(feature).iter().position(|e| e.slot == slot) {
            Some(found) => row.start as usize + found,
            None => self.grow(feature, slot),
        };
        self.entries[at].weight += by;
        self.sums[at] += sum;
    }

    /// Adds an entry to the row of a feature; returns its place.
    fn grow(&mut self, feature: u32, slot: u32) -> usize {
        let mut row = self.rows[feature as usize];
        if row.len == row.capacity {
            let old = row.start as usize..(row.start + row.len) as usize;
            row.capacity = (row.capacity * 2).max(SMALLEST);
            // 2³² entries would take 96 GiB.
            row.start = u32::try_from(self.entries.len()).expect("fewer than 2^32 weights");
            let end = self.entries.len() + row.capacity as usize;
            self.entries.extend_from_within(old.clone());
            self.sums.extend_from_within(old);
            self.entries.resize(end, Entry { slot: 0, weight: 0.0 });
            self.sums.resize(end, 0.0);
        }
        let at = (row.start + row.len) as usize;
        self.entries[at] = Entry { slot, weight: 0.0 };
        self.sums[at] = 0.0;
        row.len += 1;
        self.rows[feature as usize] = row;
        at
    }

    /// Makes room for so many features.
    pub(super) fn grow_to(&mut self, features: usize) {
        self.rows.resize(features.max(self.rows.len()), Row::default());
    }

    /// Gives every slot another number.
    pub(super) fn renumber(&mut self, number: impl Fn(u32) -> u32) {
        for row in &self.rows {
            let own = &mut self.entries[row.start as usize..(row.start + row.len) as usize];
            own.iter_mut().for_each(|entry| entry.slot = number(entry.slot));
        }
    }

    /// Final weights in training again; their sums are they times `time`.
    pub(super) fn in_training(&self, time: f64) -> Rows {
        Rows { sums: self.entries.iter().map(|entry| time * entry.weight).collect(), ..self.clone() }
    }

    /// The sums, as final weights.
    pub(super) fn sums_as_weights(&self) -> Rows {
        let with = |(entry, &sum): (&Entry, &f64)| Entry { slot: entry.slot, weight: sum };
        let entries = self.entries.iter().zip(&self.sums).map(with).collect();
        Rows { rows: self.rows.clone(), entries, sums: Vec::new() }
    }

    /// Replaces the weights by their average over t examples.
    pub fn average(&mut self, t: u64) {
        if t > 0 {
            self.entries.iter_mut().zip(&self.sums).for_each(|(e, u)| e.weight = mean(e.weight, *u, t));
        }
        self.sums = Vec::new();
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn agree_with_a_map(steps in prop::collection::vec((0u32..5, 0u32..7, -3i32..4), 0..200)) {
            let mut rows = Rows::new(5);
            let mut map: BTreeMap<(u32, u32), (f64, f64)> = BTreeMap::new();
            for (t, &(feature, slot, by)) in (1..).zip(&steps) {
                rows.correct(feature, slot, f64::from(by), t);
                let (w, u) = map.entry((feature, slot)).or_default();
                *w += f64::from(by);
                *u += t as f64 * f64::from(by);
            }
            let t = steps.len() as u64;
            rows.average(t);
            let mut found = BTreeMap::new();
            for feature in 0..5 {
                found.extend(rows.row(feature).iter().map(|e| ((feature, e.slot), e.weight)));
            }
            let wanted: BTreeMap<_, _> = map.into_iter().map(|(k, (w, u))| (k, mean(w, u, t))).collect();
            prop_assert_eq!(found, wanted);
        }
    }
}
