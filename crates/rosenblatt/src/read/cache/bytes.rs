//! The compact byte form of a block of rows:
//!
//! ```text
//! ends of rows (u32 …) · labels (u32 …) · indices (u16 … or u32 …, not for dense rows) · numbers (i32 … or f64 …)
//! ```
//! All are little-endian. Indices are stored plus one: while a file is read as counting from 1, its index 0 is −1.
//! Numbers are short [`Decimals`] if all numbers of the block are.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::read::Block;
use crate::rows::{Decimals, MOST_PLACES, Unit};

/// How the entries of a block are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Form {
    indices: Indices,
    numbers: Numbers,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Indices {
    /// Rows are dense.
    None,
    /// All are of 16 bits.
    U16,
    U32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Numbers {
    F64,
    /// Integers over a power of ten, with this many decimal places.
    Decimal(u32),
}

impl Form {
    /// Whether there are no indices.
    pub(super) fn is_dense(self) -> bool {
        self.indices == Indices::None
    }

    /// Bytes of `rows` rows with `values` values in all.
    pub(super) fn size(self, rows: u64, values: u64) -> Option<u64> {
        let index = match self.indices {
            Indices::None => 0,
            Indices::U16 => 2,
            Indices::U32 => 4,
        };
        let number = match self.numbers {
            Numbers::F64 => 8,
            Numbers::Decimal(_) => 4,
        };
        rows.checked_mul(8)?.checked_add(values.checked_mul(index + number)?)
    }
}

/// Consecutive rows of a parsed block, which become part of one stored block.
pub(super) struct Stretch<'b> {
    block: &'b Block,
    rows: Range<usize>,
    entries: Range<usize>,
}

impl<'b> Stretch<'b> {
    /// Some rows of a block; `None` if the range is empty.
    pub(super) fn new(block: &'b Block, rows: Range<usize>) -> Option<Self> {
        let start = |row: usize| if row == 0 { 0 } else { block.ends[row - 1] as usize };
        let entries = start(rows.start)..start(rows.end);
        (!rows.is_empty()).then_some(Stretch { block, rows, entries })
    }

    fn indices(&self) -> &'b [u32] {
        &self.block.indices[self.entries.clone()]
    }

    fn values(&self) -> &'b [f64] {
        &self.block.values[self.entries.clone()]
    }
}

/// Buffers that are reused for each block.
#[derive(Default)]
pub(super) struct Encoder {
    pub(super) bytes: Vec<u8>,
    decimals: Decimals,
    /// Decimal places of the previous block.
    places: u32,
}

impl Encoder {
    /// Fills `bytes` with all stretches, one after the other. Returns the numbers of rows and values, and the form.
    pub(super) fn fill(&mut self, stretches: &[Stretch<'_>]) -> (u64, u64, Form) {
        let form = Form { indices: indices_of(stretches), numbers: self.gather(stretches) };
        let Encoder { bytes, decimals, .. } = self;
        bytes.clear();
        let (mut rows, mut values) = (0, 0);
        for Stretch { block, rows: own, entries } in stretches {
            let start = entries.start as u32;
            put(bytes, &block.ends[own.clone()], |end| (end - start + values as u32).to_le_bytes());
            rows += own.len() as u64;
            values += entries.len() as u64;
        }
        for Stretch { block, rows: own, .. } in stretches {
            put(bytes, &block.labels[own.clone()], u32::to_le_bytes);
        }
        for stretch in stretches {
            match form.indices {
                Indices::None => {}
                Indices::U16 => put(bytes, stretch.indices(), |i| (i.wrapping_add(1) as u16).to_le_bytes()),
                Indices::U32 => put(bytes, stretch.indices(), |i| i.wrapping_add(1).to_le_bytes()),
            }
        }
        match form.numbers {
            Numbers::Decimal(_) => put(bytes, decimals.wholes(), i32::to_le_bytes),
            Numbers::F64 => stretches.iter().for_each(|stretch| put(bytes, stretch.values(), f64::to_le_bytes)),
        }
        (rows, values, form)
    }

    /// Gathers all numbers as decimals, if each is one.
    fn gather(&mut self, stretches: &[Stretch<'_>]) -> Numbers {
        let decimals = &mut self.decimals;
        let mut fit = |places: u32| {
            decimals.restart(places);
            stretches.iter().all(|stretch| decimals.extend(stretch.values())).then(|| decimals.places())
        };
        // The places of the previous block are a good guess, but larger numbers may not fit.
        let found = fit(self.places).or_else(|| if self.places > 0 { fit(0) } else { None });
        self.places = found.unwrap_or(0);
        found.map_or(Numbers::F64, Numbers::Decimal)
    }
}

fn indices_of(stretches: &[Stretch<'_>]) -> Indices {
    let short = |stretch: &Stretch<'_>| stretch.indices().iter().all(|i| i.wrapping_add(1) <= u32::from(u16::MAX));
    match stretches {
        _ if stretches.iter().any(|stretch| stretch.block.width.is_some()) => Indices::None,
        _ if stretches.iter().all(short) => Indices::U16,
        _ => Indices::U32,
    }
}

/// Appends the bytes of each number.
fn put<T: Copy, const N: usize>(bytes: &mut Vec<u8>, numbers: &[T], of: impl Fn(T) -> [u8; N]) {
    let before = bytes.len();
    bytes.resize(before + N * numbers.len(), 0);
    for (to, &number) in bytes[before..].as_chunks_mut().0.iter_mut().zip(numbers) {
        *to = of(number);
    }
}

/// Decodes the bytes of [`Encoder::fill`] into `block`, adding `shift` to every index; `None` if their length or form is
/// invalid.
pub(super) fn read(
    bytes: &[u8],
    (rows, values): (usize, usize),
    form: Form,
    shift: u32,
    block: &mut Block,
) -> Option<()> {
    block.clear(values);
    let (ends, rest) = bytes.split_at_checked(4 * rows)?;
    let (labels, rest) = rest.split_at_checked(4 * rows)?;
    block.ends.resize(rows, 0);
    block.labels.resize(rows, 0);
    get(ends, &mut block.ends, u32::from_le_bytes)?;
    get(labels, &mut block.labels, u32::from_le_bytes)?;
    let (indices, numbers) = (&mut block.indices[..values], &mut block.values[..values]);
    let shift = shift.wrapping_sub(1);
    let rest = match form.indices {
        Indices::None => rest,
        Indices::U16 => {
            let (own, rest) = rest.split_at_checked(2 * values)?;
            get(own, indices, |b| u32::from(u16::from_le_bytes(b)).wrapping_add(shift))?;
            rest
        }
        Indices::U32 => {
            let (own, rest) = rest.split_at_checked(4 * values)?;
            get(own, indices, |b| u32::from_le_bytes(b).wrapping_add(shift))?;
            rest
        }
    };
    match form.numbers {
        Numbers::Decimal(places) if places <= MOST_PLACES => {
            let unit = Unit::new(places);
            get(rest, numbers, |b| unit.read(i32::from_le_bytes(b)))?;
        }
        Numbers::Decimal(_) => return None,
        Numbers::F64 => get(rest, numbers, f64::from_le_bytes)?,
    }
    block.stored = values;
    Some(())
}

/// Fills `numbers`; `None` unless the bytes are exactly that many.
fn get<T, const N: usize>(bytes: &[u8], numbers: &mut [T], of: impl Fn([u8; N]) -> T) -> Option<()> {
    let (each, over) = bytes.as_chunks();
    if each.len() != numbers.len() || !over.is_empty() {
        return None;
    }
    numbers.iter_mut().zip(each).for_each(|(number, bytes)| *number = of(*bytes));
    Some(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Rows of entries, and their labels.
    type Rows = Vec<(Vec<(u32, f64)>, u32)>;

    fn block(rows: &Rows) -> Block {
        let mut block = Block::default();
        block.clear(rows.iter().map(|row| row.0.len()).sum());
        for (row, label) in rows {
            for &(index, value) in row {
                (block.indices[block.stored], block.values[block.stored]) = (index, value);
                block.stored += 1;
            }
            block.ends.push(block.stored as u32);
            block.labels.push(*label);
        }
        block
    }

    fn rows_of(block: &Block) -> Rows {
        let rows = block.rows().map(|row| row.indices.iter().copied().zip(row.values.iter().copied()).collect());
        rows.zip(block.labels.iter().copied()).collect()
    }

    fn any_rows() -> impl Strategy<Value = Rows> {
        let index = prop_oneof![9 => 0..70u32, 1 => 65_533..65_537u32, 1 => Just(u32::MAX)];
        let value = prop_oneof![50 => (-999..999i32).prop_map(|m| f64::from(m) / 100.0), 1 => -1e9..1e9];
        prop::collection::vec((prop::collection::vec((index, value), 0..5), 0..3u32), 0..6)
    }

    proptest! {
        /// Any stretches of any blocks are decoded as one block, every index greater by the shift.
        #[test]
        fn decoding_inverts_encoding(
            blocks in prop::collection::vec((any_rows(), any::<prop::sample::Index>(), any::<prop::sample::Index>()), 0..4),
            shift in 0..2u32,
        ) {
            let mut encoder = Encoder::default();
            let cut = |(rows, a, b): &(Rows, prop::sample::Index, prop::sample::Index)| {
                let (a, b) = (a.index(rows.len() + 1), b.index(rows.len() + 1));
                (block(rows), a.min(b)..a.max(b))
            };
            let cut: Vec<_> = blocks.iter().map(cut).collect();
            let stretches: Vec<_> = cut.iter().filter_map(|(block, own)| Stretch::new(block, own.clone())).collect();
            let (rows, values, form) = encoder.fill(&stretches);
            prop_assert_eq!(form.size(rows, values), Some(encoder.bytes.len() as u64));
            let mut expected: Rows =
                blocks.iter().zip(&cut).flat_map(|((rows, ..), (_, own))| rows[own.clone()].to_vec()).collect();
            expected.iter_mut().flat_map(|row| &mut row.0).for_each(|entry| entry.0 = entry.0.wrapping_add(shift));
            let mut back = Block::default();
            let size = (rows as usize, values as usize);
            prop_assert_eq!(read(&encoder.bytes, size, form, shift, &mut back), Some(()));
            prop_assert_eq!(rows_of(&back), expected);
            if let Some(fewer) = encoder.bytes.len().checked_sub(1) {
                prop_assert_eq!(read(&encoder.bytes[..fewer], size, form, shift, &mut back), None);
            }
        }
    }

    #[test]
    fn short_numbers_take_few_bytes() {
        let mut encoder = Encoder::default();
        let mut size = |entries: &[(u32, f64)]| {
            let block = block(&vec![(entries.to_vec(), 0)]);
            encoder.fill(&[Stretch::new(&block, 0..1).unwrap()]);
            (encoder.bytes.len() - 8) / entries.len()
        };
        assert_eq!(size(&[(1, 0.25), (65_534, -3.0)]), 6);
        assert_eq!(size(&[(u32::MAX, 0.25), (4, 1e-9)]), 6, "−1 fits");
        assert_eq!(size(&[(65_535, 0.5), (65_536, 0.5)]), 8);
        assert_eq!(size(&[(1, 0.1 + 0.2), (2, 0.5)]), 10);
        assert_eq!(size(&[(65_535, 1.0 / 3.0)]), 12);
        assert_eq!(size(&[(1, 0.123456789), (2, 0.5)]), 6);
        assert_eq!(size(&[(1, 12.5), (2, 12.5)]), 6, "these do not need nine places");
    }
}
