//! The entries of a LIBSVM line as programs write them: ` index:value`, one space before each, short decimals.
//!
//! Two implementations. Both predict that an entry has the shape of the one before it, so that the processor can start on
//! the next entry early; both return `None` on anything unusual, and the caller falls back to the line parser. The one here
//! is portable; the one in simd.rs needs AVX2, reads two entries at a time and takes a third of the time.

use super::super::number::{Shape, digits, eight, join_digits, shaped};
use super::line::Rules;
#[cfg(target_arch = "x86_64")]
use super::simd;

/// The destination of entries, and their range of indices.
pub(crate) struct Row<'b> {
    /// Feature numbers, minus `first`.
    pub(crate) indices: &'b mut [u32],
    /// The value of each.
    pub(crate) values: &'b mut [f64],
    /// How many entries are stored; zeros are not.
    pub(crate) stored: usize,
    /// The index that becomes feature 0.
    pub(crate) first: u32,
    /// The least index allowed next.
    pub(crate) least: u32,
    /// The least index so far.
    pub(crate) lowest: u32,
}

impl Row<'_> {
    /// Appends one entry if it is in order.
    #[inline(always)]
    fn push(&mut self, index: u32, value: f64, end: u32) -> Option<()> {
        if index < self.least || index >= end {
            return None;
        }
        self.lowest = self.lowest.min(index);
        self.least = index + 1;
        *self.indices.get_mut(self.stored)? = index.wrapping_sub(self.first);
        *self.values.get_mut(self.stored)? = value;
        self.stored += usize::from(value.to_bits() << 1 != 0);
        Some(())
    }
}

/// Reads entries; remembers the shape of the last one.
#[derive(Debug)]
pub(crate) struct EntryReader {
    shape: Shape,
    #[cfg(target_arch = "x86_64")]
    simd: Option<simd::Guess>,
}

impl EntryReader {
    /// Starts with no shape; detects the processor.
    pub(crate) fn new() -> Self {
        EntryReader {
            shape: Shape::default(),
            #[cfg(target_arch = "x86_64")]
            simd: simd::Guess::new(),
        }
    }

    /// Reads entries from `at`, the space before the first one, to the end of the line; returns the start of the next
    /// line. `None` for anything unusual.
    #[inline]
    pub(crate) fn read(&mut self, text: &[u8], at: usize, rules: &Rules, row: &mut Row<'_>) -> Option<usize> {
        let end = rules.end.min(u64::from(u32::MAX)) as u32;
        #[cfg(target_arch = "x86_64")]
        if let Some(guess) = &mut self.simd {
            let Row { stored, least, lowest, .. } = *row;
            if let Some(next) = guess.read(text, at, end, row) {
                return Some(next);
            }
            // Entries that are too long for the vector path may still be plain.
            (row.stored, row.least, row.lowest) = (stored, least, lowest);
        }
        by_eights(text, at, end, &mut self.shape, row)
    }
}

/// The portable implementation: eight bytes at a time.
fn by_eights(text: &[u8], mut at: usize, end: u32, shape: &mut Shape, row: &mut Row<'_>) -> Option<usize> {
    loop {
        if let Some(next) = line_end(text, at)? {
            return Some(next);
        }
        let bytes = eight(text, at + 1)?;
        let (each, marks) = digits(bytes);
        let count = marks.trailing_zeros() / 8;
        if count == 0 || count == 8 {
            return space_and_end(text, at);
        }
        if (bytes >> (8 * count)) as u8 != b':' {
            return None;
        }
        let index = join_digits(each << (64 - 8 * count)) as u32;
        let (value, after) = shaped(text, at + 2 + count as usize, shape, |b| b <= b' ')?;
        row.push(index, value, end)?;
        at = after;
    }
}

/// The start of the next line if this one ends at `at`; `None` if `at` is neither an end nor a space.
#[inline(always)]
pub(super) fn line_end(text: &[u8], at: usize) -> Option<Option<usize>> {
    match *text.get(at)? {
        b' ' => Some(None),
        b'\n' => Some(Some(at + 1)),
        b'\r' if *text.get(at + 1)? == b'\n' => Some(Some(at + 2)),
        _ => None,
    }
}

/// A trailing space before the line's end, which many programs write.
#[cold]
pub(super) fn space_and_end(text: &[u8], at: usize) -> Option<usize> {
    match *text.get(at + 1)? {
        b' ' => None,
        _ => line_end(text, at + 1)?,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::read::block::LineFacts;
    use crate::read::libsvm::TRAINING;
    use crate::read::libsvm::line::parse_line;
    use crate::rows::SparseMatrix;

    proptest! {
        /// With AVX2 the portable code only runs on what the vector code refuses; this test runs it on everything.
        #[test]
        fn eights_read_what_the_parser_of_lines_reads(
            row in prop::collection::btree_map(1u32..3_000_000, -99_999i32..99_999, 0..40),
            (places, end) in (0usize..7, prop::sample::select(&["\n", "\r\n", " \n"][..])),
            odd in prop::option::of((any::<prop::sample::Index>(), prop::sample::select(&b"0 :.-\n\r\t/;a9+\x00\xff"[..]))),
        ) {
            let mut text = String::from("+1");
            for (index, value) in &row {
                text += &format!(" {index}:{:.places$}", f64::from(*value) / 1000.0);
            }
            let mut text = (text + end).into_bytes();
            if let Some((at, byte)) = &odd {
                let at = 2 + at.index(text.len() - 2);
                text[at] = *byte;
            }
            let length = text.len();
            text.extend([b'\n'; 64]);
            let (mut indices, mut values) = (vec![0; length], vec![0.0; length]);
            let mut read =
                Row { indices: &mut indices, values: &mut values, stored: 0, first: 0, least: 0, lowest: u32::MAX };
            let Some(next) = by_eights(&text, 2, u32::MAX, &mut Shape::default(), &mut read) else {
                prop_assert!(odd.is_some());
                return Ok(());
            };
            let stored = read.stored;
            let line = text[..next].trim_ascii_end();
            let (mut rows, mut facts) = (SparseMatrix::default(), LineFacts::default());
            prop_assert!(parse_line(line, 1, &TRAINING, &mut rows, &mut facts).is_ok());
            prop_assert_eq!(&indices[..stored], &rows.indices[..]);
            let bits = |values: &[f64]| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
            prop_assert_eq!(bits(&values[..stored]), bits(&rows.values));
        }
    }
}
