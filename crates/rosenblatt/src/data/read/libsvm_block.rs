//! A chunk of LIBSVM text into a block: one road for lines as programs write them, the parser of lines for the rest.

use memchr::memchr;

use super::libsvm::{Parsed, Rules, parse_line};
use crate::data::block::Block;
use crate::data::chunks::Chunk;
use crate::data::fault::Fault;
use crate::data::lines;
use crate::data::matrix::SparseMatrix;
use crate::data::number::{Shape, digits, eight, join_digits, shaped};

/// The shortest entry, with the space before it: ` 1:1`.
const SHORTEST: usize = 4;

/// Parses all lines of a chunk, up to the first fault. Indices are stored less `first`; where an index 0 then has no
/// place, `seen.zero` says so and the rows are not to be used.
pub(crate) fn parse(chunk: &Chunk, rules: &Rules, first: u32, block: &mut Block) {
    let (text, length) = (chunk.padded(), chunk.text().len());
    block.clear(length / SHORTEST + 1);
    let mut rows = SparseMatrix::default();
    let mut shape = Shape::default();
    let mut at = 0;
    while at < length {
        block.lines += 1;
        let next = match plain_line(text, at, rules, first, &mut shape, block) {
            Some(next) => next,
            None => match any_line(&text[..length], at, rules, first, &mut rows, block) {
                Ok(next) => next,
                Err(fault) => {
                    block.fault = Some(fault);
                    return;
                }
            },
        };
        at = next;
    }
}

/// A line of a label that was met before and entries in order, a space before each; where the next line starts.
/// `None` for any other line, of which nothing is kept.
#[inline]
fn plain_line(
    text: &[u8],
    start: usize,
    rules: &Rules,
    first: u32,
    shape: &mut Shape,
    block: &mut Block,
) -> Option<usize> {
    let label_ends = text[start..].iter().position(|&b| b == b' ' || b == b'\n')?;
    if label_ends == 0 {
        return None;
    }
    let label = block.names.find(&text[start..start + label_ends])?;
    let mut at = start + label_ends;
    let mut stored = block.stored;
    // The least index that may come next, and whether the first one is 0.
    let mut least = rules.least;
    let mut zero = false;
    let (indices, values) = (&mut block.indices[..], &mut block.values[..]);
    let next = loop {
        match *text.get(at)? {
            b' ' => {}
            b'\n' => break at + 1,
            b'\r' if *text.get(at + 1)? == b'\n' => break at + 2,
            _ => return None,
        }
        let bytes = eight(text, at + 1)?;
        let (each, marks) = digits(bytes);
        let count = marks.trailing_zeros() / 8;
        if count == 0 || count == 8 {
            // Many programs leave a space behind the last entry.
            match *text.get(at + 1)? {
                b'\n' => break at + 2,
                b'\r' if *text.get(at + 2)? == b'\n' => break at + 3,
                _ => return None,
            }
        }
        if (bytes >> (8 * count)) as u8 != b':' {
            return None;
        }
        let index = join_digits(each << (64 - 8 * count)) as u32;
        let (value, end) =
            shaped(text, at + 2 + count as usize, shape, |b| b == b' ' || b == b'\n' || b == b'\r')?;
        if index < least || u64::from(index) >= rules.end {
            return None;
        }
        zero |= index == 0;
        least = index + 1;
        *indices.get_mut(stored)? = index.wrapping_sub(first);
        *values.get_mut(stored)? = value;
        stored += usize::from(value != 0.0);
        at = end;
    };
    block.seen.zero |= zero;
    block.seen.end = block.seen.end.max(if least > rules.least { least } else { 0 });
    block.stored = stored;
    block.ends.push(stored as u32);
    block.labels.push(label);
    Some(next)
}

/// Any line, by the parser of lines; where the next one starts.
#[inline(never)]
fn any_line(
    text: &[u8],
    start: usize,
    rules: &Rules,
    first: u32,
    rows: &mut SparseMatrix,
    block: &mut Block,
) -> Result<usize, Fault> {
    let end = memchr(b'\n', &text[start..]).map_or(text.len(), |n| start + n);
    let line = &text[start..end];
    lines::refuse_nul(line, block.lines)?;
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    rows.indices.clear();
    rows.values.clear();
    let parsed = parse_line(line, block.lines, rules, rows, &mut block.seen)?;
    if let Parsed::Row(label) = parsed {
        for (&index, &value) in rows.indices.iter().zip(&rows.values) {
            block.indices[block.stored] = index.wrapping_sub(first);
            block.values[block.stored] = value;
            block.stored += 1;
        }
        block.ends.push(block.stored as u32);
        let column = line.len() - line.trim_ascii_start().len() + 1;
        block.labels.push(block.names.insert(label.unwrap_or_default(), block.lines, column as u64));
    }
    Ok((end + 1).min(text.len()))
}

