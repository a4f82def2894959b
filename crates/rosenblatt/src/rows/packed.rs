//! Sparse rows of short decimals, each contiguous in memory.
//!
//! A row read in shuffled order is a cache miss. Numbers and indices in two arrays would miss twice, so they are stored one
//! after the other in one array; and while all indices fit 16 bits, two of them share a cell of 32:
//!
//! ```text
//!  ┌──────── row 0 ────────┐┌──────────── row 1 ────────────┐
//!  wholes … │ indices …     wholes …     │ indices …
//! ```

use std::sync::OnceLock;

use super::decimal::{Shape, SparseDecimals, Unit};
use super::decimals::Decimals;
use super::kinds::SparseDecimalRows;
use super::table::the_rows;
use crate::error::Result;
use crate::limits;

/// Owned sparse rows of decimals, checked by the reader that built them.
#[derive(Debug, Clone)]
pub struct Packed {
    /// Row `i` has the cells `offsets[i]..offsets[i + 1]`.
    offsets: Vec<usize>,
    cells: Vec<u32>,
    shape: Shape,
    /// Scratch: the numbers of the last block. Its places are those of all rows.
    last: Decimals,
}

impl Default for Packed {
    fn default() -> Self {
        Packed { offsets: vec![0], cells: Vec::new(), shape: Shape::Halves, last: Decimals::default() }
    }
}

/// How rows are packed; rows of the same form can be appended as they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Form {
    shape: Shape,
    places: u32,
}

impl Packed {
    /// The current form.
    pub(crate) fn form(&self) -> Form {
        Form { shape: self.shape, places: self.last.places() }
    }

    /// Clears the rows and sets the form, which later rows may widen.
    pub(crate) fn restart(&mut self, form: Form) {
        self.offsets.truncate(1);
        self.cells.clear();
        self.shape = form.shape;
        self.last.restart(form.places);
    }

    /// Appends other rows as they are; `false` if they have another form.
    pub(crate) fn append(&mut self, other: &Packed) -> bool {
        if self.form() != other.form() {
            return false;
        }
        let before = self.cells.len();
        self.cells.extend_from_slice(&other.cells);
        self.offsets.extend(other.offsets[1..].iter().map(|end| before + end));
        true
    }

    /// How many rows.
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The rows, with `features` features.
    pub(super) fn rows<'a>(&'a self, features: usize, sq_longest: &'a OnceLock<f64>) -> SparseDecimalRows<'a> {
        let Packed { offsets, cells, shape, last } = self;
        let sq_longest = Some(sq_longest);
        SparseDecimalRows { offsets, cells, shape: *shape, unit: last.unit(), features, sq_longest }
    }

    /// Makes room for more rows and entries, or returns an error if there is none.
    pub(crate) fn reserve(&mut self, rows: usize, entries: usize) -> Result<()> {
        limits::reserve(&mut self.offsets, rows, &the_rows)?;
        limits::reserve(&mut self.cells, Shape::Wholes.cells(entries), &the_rows)
    }

    /// An error if these indices need wider cells and there is no room for them.
    pub(crate) fn room_to_widen(&self, indices: &[u32]) -> Result<()> {
        let cells = if self.is_too_narrow(indices) { self.cells.len() as u128 * 4 / 3 } else { 0 };
        limits::room_for::<u32>(cells, the_rows)
    }

    /// An error if there is no room for all rows as floats.
    pub(crate) fn room_for_floats(&self) -> Result<()> {
        let entries = self.shape.entries(self.cells.len());
        limits::room_for::<[u32; 3]>(entries as u128, the_rows)?;
        limits::room_for::<usize>(self.offsets.len() as u128, the_rows)
    }

    /// Whether these indices need more than 16 bits, and have 16. They may be one too small.
    fn is_too_narrow(&self, indices: &[u32]) -> bool {
        self.shape == Shape::Halves && indices.iter().any(|i| i.wrapping_add(1) > u32::from(u16::MAX))
    }

    /// Appends rows that end at these entries. Returns `false`, and keeps none of them, if their numbers do not fit this
    /// form. Indices may all be one too small, −1 being `u32::MAX`, if they are [raised](Self::raise) later.
    pub(crate) fn extend(&mut self, ends: &[u32], indices: &[u32], numbers: &[f64]) -> bool {
        self.last.clear();
        let before = self.last.like();
        if !self.last.extend(numbers) || !self.widen(before.unit()) {
            self.last = before;
            return false;
        }
        if self.is_too_narrow(indices) {
            self.spread();
        }
        self.cells.reserve(2 * numbers.len());
        let mut start = 0;
        for end in ends.iter().map(|&end| end as usize) {
            self.cells.extend(self.last.wholes()[start..end].iter().map(|&m| m as u32));
            self.push_indices(&indices[start..end]);
            start = end;
        }
        true
    }

    /// Appends the indices of a row whose numbers are there, and ends it.
    fn push_indices(&mut self, indices: &[u32]) {
        match self.shape {
            Shape::Halves => {
                let (pairs, last) = indices.as_chunks::<2>();
                self.cells.extend(pairs.iter().map(|[a, b]| a & 0xffff | b << 16));
                self.cells.extend(last.iter().map(|a| a & 0xffff));
            }
            Shape::Wholes => self.cells.extend_from_slice(indices),
        }
        self.offsets.push(self.cells.len());
    }

    /// Gives all numbers as many places as the last ones; `false` if one would overflow.
    fn widen(&mut self, before: Unit) -> bool {
        let after = self.last.unit();
        if before == after {
            return true;
        }
        let widened = |m: u32| after.whole_of(before.read(m as i32));
        let (shape, cells) = (self.shape, &mut self.cells);
        let wholes = |pair: &[usize]| pair[0]..pair[0] + shape.entries(pair[1] - pair[0]);
        if !self.offsets.windows(2).all(|pair| cells[wholes(pair)].iter().all(|&m| widened(m).is_some())) {
            return false;
        }
        for pair in self.offsets.windows(2) {
            for m in &mut cells[wholes(pair)] {
                *m = widened(*m).unwrap_or_default() as u32;
            }
        }
        true
    }

    /// Iterates over the rows.
    fn iter(&self) -> impl Iterator<Item = SparseDecimals<'_>> {
        let unit = self.last.unit();
        self.offsets.windows(2).map(move |pair| SparseDecimals::new(&self.cells[pair[0]..pair[1]], self.shape, unit))
    }

    /// Gives every index a cell of its own.
    fn spread(&mut self) {
        let mut spread = Packed { shape: Shape::Wholes, ..Packed::default() };
        spread.cells.reserve(Shape::Wholes.cells(self.shape.entries(self.cells.len())));
        let mut indices = Vec::new();
        for (row, pair) in self.iter().zip(self.offsets.windows(2)) {
            spread.cells.extend_from_slice(&self.cells[pair[0]..pair[0] + row.entries()]);
            indices.clear();
            // −1 was cut to 16 bits.
            indices.extend(row.iter().map(|(j, _)| if j == u32::from(u16::MAX) { u32::MAX } else { j }));
            spread.push_indices(&indices);
        }
        (self.offsets, self.cells, self.shape) = (spread.offsets, spread.cells, spread.shape);
    }

    /// Makes every index one greater.
    pub(crate) fn raise(&mut self) {
        for pair in self.offsets.windows(2) {
            let entries = self.shape.entries(pair[1] - pair[0]);
            for cell in &mut self.cells[pair[0] + entries..pair[1]] {
                *cell = match self.shape {
                    Shape::Halves => (*cell & 0xffff).wrapping_add(1) & 0xffff | (*cell >> 16).wrapping_add(1) << 16,
                    Shape::Wholes => cell.wrapping_add(1),
                };
            }
        }
    }

    /// Some of the rows, in the order given.
    pub(crate) fn select(&self, rows: &[u32]) -> Self {
        let mut some = Packed { shape: self.shape, last: self.last.like(), ..Packed::default() };
        for &i in rows {
            some.cells.extend_from_slice(&self.cells[self.offsets[i as usize]..self.offsets[i as usize + 1]]);
            some.offsets.push(some.cells.len());
        }
        some
    }

    /// The same in three arrays, before it is known whether the indices are one too small.
    pub(crate) fn into_unshifted_floats(mut self) -> (Vec<usize>, Vec<u32>, Vec<f64>) {
        if self.shape == Shape::Halves {
            self.spread();
        }
        self.into_floats()
    }

    /// The same in three arrays: offsets, indices, and numbers as floats.
    pub(crate) fn into_floats(self) -> (Vec<usize>, Vec<u32>, Vec<f64>) {
        let stored = self.iter().map(SparseDecimals::entries).sum();
        let (mut indices, mut values) = (Vec::with_capacity(stored), Vec::with_capacity(stored));
        let mut offsets = Vec::with_capacity(self.offsets.len());
        offsets.push(0);
        for row in self.iter() {
            row.unpack(&mut indices, &mut values);
            offsets.push(indices.len());
        }
        (offsets, indices, values)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

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
        /// Short decimals are packed, also when later blocks need more places, and come back unchanged.
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

        /// Indices come back whether they have 16 bits or more, early or late, and whether or not they were one too small.
        #[test]
        fn indices_of_any_size_come_back(
            rows in prop::collection::vec(prop::collection::vec(prop_oneof![0..9u32, 65_533..65_538u32], 0..6), 0..6),
            low in any::<bool>(),
        ) {
            let stored = |index: u32| index.wrapping_sub(u32::from(low));
            let rows: Vec<Vec<(u32, f64)>> =
                rows.into_iter().map(|row| row.into_iter().map(|j| (stored(j), f64::from(j) / 4.0)).collect()).collect();
            let mut all = Packed::default();
            for row in &rows {
                let row = std::slice::from_ref(row);
                prop_assert!(all.extend(&ends(row), &indices(row), &values(row)));
            }
            let (_, own, floats) = all.clone().into_unshifted_floats();
            prop_assert_eq!((&own, floats), (&indices(&rows), values(&rows)));
            if low {
                all.raise();
                let raised: Vec<u32> = own.iter().map(|j| j.wrapping_add(1)).collect();
                prop_assert_eq!(&all.iter().flat_map(SparseDecimals::iter).map(|e| e.0).collect::<Vec<_>>(), &raised);
                prop_assert_eq!(all.into_floats().1, raised);
            }
        }

        /// Blocks packed one by one, in the form of those before them, give the same as all together.
        #[test]
        fn blocks_are_appended(blocks in blocks(9999, 4), far in any::<prop::sample::Index>()) {
            let mut blocks = blocks;
            if !blocks.is_empty() {
                let at = far.index(blocks.len());
                blocks[at].push(vec![(70_000, 1.5)]);
            }
            let (mut all, mut one) = (Packed::default(), Packed::default());
            for rows in &blocks {
                one.restart(all.form());
                prop_assert!(one.extend(&ends(rows), &indices(rows), &values(rows)));
                if !all.append(&one) {
                    prop_assert!(one.form() != all.form(), "only a change of form is in the way");
                    prop_assert!(all.extend(&ends(rows), &indices(rows), &values(rows)));
                }
            }
            // Now every block fits the form.
            for rows in &blocks {
                one.restart(all.form());
                prop_assert!(one.extend(&ends(rows), &indices(rows), &values(rows)) && all.append(&one));
            }
            let twice = [blocks.clone(), blocks].concat();
            prop_assert_eq!(all.into_floats(), packed(&twice).unwrap().into_floats());
        }

        /// A block that is not all short decimals is refused, and the blocks before it stay.
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
