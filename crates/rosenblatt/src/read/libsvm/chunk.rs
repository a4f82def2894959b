//! Parses a chunk of LIBSVM text to a block: a fast path for lines as programs write them, the line parser for the rest.

use memchr::memchr;

use super::super::block::Block;
use super::entries::{EntryReader, Row};
use super::line::{Parsed, Rules, parse_line};
use crate::io::{Chunk, Fault, lines};
use crate::rows::SparseMatrix;

/// The shortest entry, with the space before it: ` 1:1`.
const SHORTEST: usize = 4;

/// Parses all lines of a chunk, up to the first fault. Indices are stored minus `first`; if `first` is 1 and an index 0
/// occurs, `facts.zero` is set and the rows must not be used.
pub(crate) fn parse(chunk: &Chunk, rules: &Rules, first: u32, block: &mut Block) {
    let (text, length) = (chunk.padded(), chunk.text().len());
    if !block.clear_checked(length / SHORTEST + 1) {
        return;
    }
    let mut rows = SparseMatrix::default();
    let mut reader = EntryReader::new();
    let mut at = 0;
    while at < length {
        block.lines += 1;
        let read = match plain_line(text, at, rules, first, &mut reader, block) {
            Some(next) => Ok(next),
            None => any_line(&text[..length], at, rules, first, &mut rows, block),
        };
        match read {
            Ok(next) => at = next,
            Err(fault) => {
                block.fault = Some(fault);
                return;
            }
        }
    }
}

/// Parses a line of a known label and plain entries; returns the start of the next line.
/// `None` for any other line; then nothing is kept.
#[inline]
fn plain_line(
    text: &[u8],
    start: usize,
    rules: &Rules,
    first: u32,
    reader: &mut EntryReader,
    block: &mut Block,
) -> Option<usize> {
    let length = text[start..].iter().position(|&b| b == b' ' || b == b'\n').filter(|&length| length > 0)?;
    let name = &text[start..start + length];
    let label = block.names.find(name);
    if label.is_none() && !block.names.knew(name) {
        return None;
    }
    let (indices, values) = (&mut block.indices[..], &mut block.values[..]);
    let mut row = Row { indices, values, stored: block.stored, first, least: rules.least, lowest: u32::MAX };
    let next = reader.read(text, start + length, rules, &mut row)?;
    let Row { stored, least, lowest, .. } = row;
    block.facts.zero |= lowest == 0;
    if lowest < u32::MAX {
        block.facts.end = block.facts.end.max(least);
    }
    block.stored = stored;
    block.ends.push(stored as u32);
    let label = label.unwrap_or_else(|| block.names.insert(name, block.lines, 1));
    block.labels.push(label);
    Some(next)
}

/// Parses any line with the line parser; returns the start of the next one.
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
    if let Parsed::Row(label) = parse_line(line, block.lines, rules, rows, &mut block.facts)? {
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::error::Result;
    use crate::io::{Input, Lines, Pace, Pool, Want};
    use crate::read::NeedLabels;
    use crate::read::block::LineFacts;
    use crate::read::libsvm::{TRAINING, each_block, rules_for};

    type RowsRead = (Vec<usize>, Vec<u32>, Vec<u64>, Vec<String>, LineFacts);

    /// The twin: the line parser, line by line.
    fn twin(text: &str, rules: &Rules) -> Result<RowsRead> {
        let input = Input::memory("m", text);
        let mut lines = Lines::new(input.open()?)?;
        let (mut rows, mut facts, mut labels) = (SparseMatrix::default(), LineFacts::default(), Vec::new());
        while lines.advance()? {
            let parsed = parse_line(lines.line(), lines.number(), rules, &mut rows, &mut facts);
            if let Parsed::Row(label) = parsed.map_err(|fault| fault.of("m"))? {
                labels.push(String::from_utf8_lossy(label.unwrap_or_default()).into_owned());
            }
        }
        Ok((rows.offsets, rows.indices, rows.values.iter().map(|v| v.to_bits()).collect(), labels, facts))
    }

    fn in_blocks(text: &str, rules: &Rules, pace: Pace) -> Result<RowsRead> {
        let input = Input::memory("m", text);
        let lines = Lines::new(input.open()?)?;
        let (pool, mut rows, mut labels) = (Pool::new(), SparseMatrix::default(), Vec::new());
        let (facts, fingerprint) = each_block(lines, rules, 0, pace, Block::measure, &pool, |block, _| {
            for (x, &label) in block.rows().zip(&block.labels) {
                rows.indices.extend_from_slice(x.indices);
                rows.values.extend_from_slice(x.values);
                rows.end_row();
                labels.push(String::from_utf8_lossy(&block.names.all()[label as usize].text).into_owned());
            }
            pool.put(block);
            Ok(Want::More)
        })?;
        assert_eq!(fingerprint, twox_hash::XxHash3_64::oneshot(text.as_bytes()));
        Ok((rows.offsets, rows.indices, rows.values.iter().map(|v| v.to_bits()).collect(), labels, facts))
    }

    fn comparable(result: Result<RowsRead>) -> std::result::Result<RowsRead, String> {
        result.map_err(|error| error.to_string())
    }

    fn compare(text: &str) {
        let dropping = rules_for(1, 30, NeedLabels::No);
        for rules in [&TRAINING, &dropping] {
            let want = comparable(twin(text, rules));
            for (chunk, threads) in [(1, 1), (3, 2), (17, 3), (64, 1), (1 << 18, 2)] {
                assert_eq!(
                    comparable(in_blocks(text, rules, Pace { chunk, threads })),
                    want,
                    "{chunk} {threads}\n{text}"
                );
            }
        }
    }

    #[test]
    fn lines_of_all_kinds() {
        compare(
            "+1 3:0.5 7:1.25\n-1 1:-0.125 2:3 40:0 41:1e-3 \r\n\n# hello\n+1\n1.0 0:1 8:123456.5 # c\n-1 9:0.123456",
        );
        compare("a 1:1\nb 2:2 qid:3 4:4\na 1:00001.50 2:99999999 3:1.5.\n");
        compare("a 1:1\na 1:1 1:2\n");
        compare("a 1:1\na 1:1 2:\n");
        compare("a 1:1\na 12345678:1 123456789:2 4000000000:1\n");
        compare("a 1:1\na 1:0.12345678 2:12345.678 3:1234.5678 4:0.1234567 5:-1.5 6:--1\n");
        compare("a 1:1\na 1:1\0\n");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        #[test]
        fn any_text_as_the_twin_reads_it(
            lines in prop::collection::vec(
                r"[-+]?[1a]?( [0-9]{1,2}:-?[0-9]{1,3}(\.[0-9]{1,6})?){0,6}[ #x]?\r?", 0..12),
        ) {
            compare(&lines.join("\n"));
        }

        #[test]
        fn rows_in_order_as_the_twin_reads_them(
            rows in prop::collection::vec(
                prop::collection::btree_map(1u32..50_000, -9999i32..9999, 0..9), 1..12),
            places in 0usize..7,
        ) {
            let mut text = String::new();
            for (i, row) in rows.iter().enumerate() {
                text += if i % 3 == 0 { "+1" } else { "-1" };
                for (index, value) in row {
                    text += &format!(" {index}:{:.places$}", f64::from(*value) / 1000.0);
                }
                text.push('\n');
            }
            prop_assert!(twin(&text, &TRAINING).is_ok());
            compare(&text);
        }

        /// Lines longer than one batch of entries, most entries of one shape.
        #[test]
        fn long_rows_as_the_twin_reads_them(
            rows in prop::collection::vec(
                prop::collection::btree_map(1u32..2_000_000, 0i32..99_999, 200..700), 1..3),
            places in 0usize..7,
            (every, how) in (2usize..90, 0..6),
        ) {
            let mut text = String::new();
            for row in &rows {
                text += "+1";
                for (at, (index, value)) in row.iter().enumerate() {
                    let value = f64::from(*value) / 100.0;
                    text += &match how {
                        _ if at % every > 0 => format!(" {index}:{value:.places$}"),
                        0 => format!(" {index}:0"),
                        1 => format!(" {index}:-{value:.places$}"),
                        2 => format!(" {index}:{value:e}"),
                        3 => format!(" {index}:{value}"),
                        4 => format!("  {index}:{value:.places$}"),
                        _ => format!(" {index}:{value:.places$}1"),
                    };
                }
                text.push('\n');
            }
            prop_assert!(twin(&text, &TRAINING).is_ok());
            compare(&text);
        }

        /// A changed byte is noticed wherever it is.
        #[test]
        fn a_wrong_byte_as_the_twin_reads_it(
            row in prop::collection::btree_map(1u32..200_000, 0i32..999_999, 1..40),
            (at, byte) in (any::<prop::sample::Index>(), prop::sample::select(&b"0 :.-\n\r\t/;a9+\x00\xff"[..])),
        ) {
            let mut text = String::from("+1 1:1\n+1");
            for (index, value) in row {
                text += &format!(" {index}:{:.6}", f64::from(value) / 1e6);
            }
            let mut text = text.into_bytes();
            let at = at.index(text.len());
            text[at] = byte;
            compare(&String::from_utf8_lossy(&text));
        }
    }
}
