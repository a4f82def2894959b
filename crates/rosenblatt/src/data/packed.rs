//! Sparse rows of short decimals, each in one stretch of memory.
//!
//! A row in shuffled order is waited for. Its indices and its numbers in two arrays would be waited for twice, so they lie
//! one after the other in one:
//!
//! ```text
//!  ┌──────── row 0 ────────┐┌──────────── row 1 ────────────┐
//!  indices … │ wholes …     indices …     │ wholes …
//! ```

use super::decimals::Decimals;
use super::rows::SparseDecimalRows;
use crate::base::decimal::{SparseDecimals, Unit};

/// Owned sparse rows of decimals, as a reader has gathered and checked them.
#[derive(Debug, Clone)]
pub struct Packed {
    /// Row `i` has the entries `offsets[i]..offsets[i + 1]`, and twice as many cells.
    offsets: Vec<usize>,
    cells: Vec<u32>,
    /// The numbers that came last, and how many places all have.
    last: Decimals,
}

impl Default for Packed {
    fn default() -> Self {
        Packed { offsets: vec![0], cells: Vec::new(), last: Decimals::default() }
    }
}

impl Packed {
    /// How many rows.
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Its rows, of so many features.
    pub(super) fn rows(&self, features: usize) -> SparseDecimalRows<'_> {
        SparseDecimalRows { offsets: &self.offsets, cells: &self.cells, unit: self.last.unit(), features }
    }

    /// Takes in rows that end at these entries; `false` if their numbers cannot be kept in this form, and then of these
    /// rows nothing was kept.
    pub(crate) fn extend(&mut self, ends: &[u32], indices: &[u32], numbers: &[f64]) -> bool {
        self.last.clear();
        let before = self.last.like();
        if !self.last.extend(numbers) || !self.widen(before.unit()) {
            self.last = before;
            return false;
        }
        let wholes = self.last.wholes();
        self.cells.reserve(2 * numbers.len());
        let (base, mut start) = (self.offsets[self.len()], 0);
        for end in ends.iter().map(|&end| end as usize) {
            self.cells.extend_from_slice(&indices[start..end]);
            self.cells.extend(wholes[start..end].iter().map(|&m| m as u32));
            self.offsets.push(base + end);
            start = end;
        }
        true
    }

    /// Gives all numbers as many places as the last ones; `false` if one has no room for them.
    fn widen(&mut self, before: Unit) -> bool {
        let after = self.last.unit();
        if before == after {
            return true;
        }
        let widened = |m: u32| after.whole_of(before.read(m as i32));
        if !self.halves().all(|(_, wholes)| wholes.iter().all(|&m| widened(m).is_some())) {
            return false;
        }
        for pair in self.offsets.windows(2) {
            for m in &mut self.cells[pair[0] + pair[1]..2 * pair[1]] {
                *m = widened(*m).unwrap_or_default() as u32;
            }
        }
        true
    }

    /// The indices and the wholes of each row.
    fn halves(&self) -> impl Iterator<Item = (&[u32], &[u32])> {
        self.offsets.windows(2).map(|pair| halves(&self.cells[2 * pair[0]..2 * pair[1]]))
    }

    /// Changes every index.
    pub(crate) fn map_indices(&mut self, f: impl Fn(u32) -> u32) {
        for pair in self.offsets.windows(2) {
            self.cells[2 * pair[0]..pair[0] + pair[1]].iter_mut().for_each(|index| *index = f(*index));
        }
    }

    /// Some of the rows, in the order given.
    pub(crate) fn select(&self, rows: &[u32]) -> Self {
        let mut some = Packed { last: self.last.like(), ..Packed::default() };
        for &i in rows {
            let range = self.offsets[i as usize]..self.offsets[i as usize + 1];
            some.cells.extend_from_slice(&self.cells[2 * range.start..2 * range.end]);
            some.offsets.push(some.cells.len() / 2);
        }
        some
    }

    /// The same in three arrays: offsets, indices, and numbers as floats.
    pub(crate) fn into_floats(self) -> (Vec<usize>, Vec<u32>, Vec<f64>) {
        let stored = self.cells.len() / 2;
        let (mut indices, mut values) = (Vec::with_capacity(stored), Vec::with_capacity(stored));
        let unit = self.last.unit();
        for (own, wholes) in self.halves() {
            indices.extend_from_slice(own);
            values.extend(wholes.iter().map(|&m| unit.read(m as i32)));
        }
        (self.offsets, indices, values)
    }
}

fn halves(cells: &[u32]) -> (&[u32], &[u32]) {
    cells.split_at(cells.len() / 2)
}

/// The row in these cells.
#[inline(always)]
pub(super) fn row(cells: &[u32], unit: Unit) -> SparseDecimals<'_> {
    let (indices, wholes) = halves(cells);
    SparseDecimals { indices, wholes, unit }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    type Blocks = Vec<Vec<Vec<(u32, f64)>>>;

    fn packed(blocks: &Blocks) -> Option<Packed> {
        let mut all = Packed::default();
        blocks.iter().all(|rows| all.extend(&ends(rows), &indices(rows), &values(rows))).then_some(all)
    }

    fn ends(rows: &[Vec<(u32, f64)>]) -> Vec<u32> {
        rows.iter()
            .scan(0, |end, row| {
                Some({
                    *end += row.len() as u32;
                    *end
                })
            })
            .collect()
    }

    fn indices(rows: &[Vec<(u32, f64)>]) -> Vec<u32> {
        rows.iter().flatten().map(|entry| entry.0).collect()
    }

    fn values(rows: &[Vec<(u32, f64)>]) -> Vec<f64> {
        rows.iter().flatten().map(|entry| entry.1).collect()
    }

    fn blocks(most: i32, places: u32) -> impl Strategy<Value = Blocks> {
        let entry =
            (0..100u32, (-most..=most), 0..=places).prop_map(|(j, m, k)| (j, f64::from(m) / 10f64.powi(k as i32)));
        let rows = prop::collection::vec(prop::collection::vec(entry, 0..6), 0..6);
        prop::collection::vec(rows, 0..5)
    }

    proptest! {
        /// Short decimals are packed, however many places come late, and come back as they were.
        #[test]
        fn rows_come_back(blocks in blocks(9999, 4), order in prop::collection::vec(any::<prop::sample::Index>(), 0..9)) {
            let all = packed(&blocks).unwrap();
            let rows = blocks.concat();
            let (offsets, own, floats) = all.clone().into_floats();
            prop_assert_eq!(&offsets[1..], ends(&rows).iter().map(|&e| e as usize).collect::<Vec<_>>());
            prop_assert_eq!((own, floats), (indices(&rows), values(&rows)));
            if !rows.is_empty() {
                let order: Vec<u32> = order.iter().map(|i| i.index(rows.len()) as u32).collect();
                let some: Vec<_> = order.iter().map(|&i| rows[i as usize].clone()).collect();
                let (_, own, floats) = all.select(&order).into_floats();
                prop_assert_eq!((own, floats), (indices(&some), values(&some)));
            }
        }

        /// Whatever is not a short decimal is refused, and what was there before is still there.
        #[test]
        fn what_has_no_room_is_refused(blocks in blocks(99_999_999, 3)) {
            let (mut all, mut kept) = (Packed::default(), Vec::new());
            for rows in &blocks {
                if !all.extend(&ends(rows), &indices(rows), &values(rows)) {
                    break;
                }
                kept.extend(rows.iter().cloned());
            }
            let (_, own, floats) = all.into_floats();
            prop_assert_eq!((own, floats), (indices(&kept), values(&kept)));
        }
    }
}
