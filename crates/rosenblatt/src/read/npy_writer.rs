//! Writes NPY, byte for byte as `numpy.save` does.

use crate::error::Result;
use crate::limits;
use crate::message::Message;
use crate::rows::{Row, Rows, Table};

/// Digits that NumPy reserves for the first dimension, so that an array can grow in its file.
const GROWTH: usize = 21;

/// The magic, version 1.0, and a header padded so that the numbers start at a multiple of 64 bytes.
fn header(kind: &str, rows: usize, rest: &str) -> Vec<u8> {
    const START: usize = 10;
    let first = rows.to_string();
    let mut text = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({first},{rest}), }}");
    text.extend(std::iter::repeat_n(' ', GROWTH.saturating_sub(first.len())));
    let end = (START + text.len() + 1).next_multiple_of(64);
    text.extend(std::iter::repeat_n(' ', end - START - text.len() - 1));
    text.push('\n');
    let length = (text.len() as u16).to_le_bytes();
    [b"\x93NUMPY\x01\x00", &length[..], text.as_bytes()].concat()
}

/// Calls `piece` with the header, then with each row of features as little-endian `f64`.
pub(crate) fn each_piece(table: &Table, mut piece: impl FnMut(&[u8])) -> Result<()> {
    let rows = table.matrix.rows()?;
    piece(&header("<f8", rows.len(), &format!(" {}", rows.features())));
    let mut values = vec![0.0; rows.features()];
    let mut bytes = Vec::with_capacity(8 * rows.features());
    for i in 0..rows.len() {
        if i.is_multiple_of(64) {
            limits::check()?;
        }
        values.fill(0.0);
        rows.row(i).each(|j, v| values[j] = v);
        bytes.clear();
        bytes.extend(values.iter().flat_map(|v| v.to_le_bytes()));
        piece(&bytes);
    }
    Ok(())
}

/// The features.
pub(crate) fn matrix(table: &Table) -> Result<Vec<u8>> {
    let numbers = table.matrix.len() as u128 * table.matrix.features() as u128;
    limits::room_for::<f64>(numbers, || {
        Message::new(format!("{} × {} numbers as an array", table.matrix.len(), table.matrix.features()))
    })?;
    let mut all = Vec::with_capacity(8 * numbers as usize + 256);
    each_piece(table, |bytes| all.extend_from_slice(bytes))?;
    Ok(all)
}

/// The labels: integers as `i8`, anything else as texts of equal width.
pub(crate) fn labels(table: &Table) -> Vec<u8> {
    let names = table.labels.names();
    // Only where the number reads back as the same text: `+1` and `01` stay texts.
    let whole: Option<Vec<i64>> =
        names.iter().map(|n| n.parse::<i64>().ok().filter(|v| v.to_string() == **n)).collect();
    if let Some(whole) = whole {
        let mut bytes = header("<i8", table.classes.len(), "");
        bytes.extend(table.classes.iter().flat_map(|&c| whole[c as usize].to_le_bytes()));
        return bytes;
    }
    let width = names.iter().map(|n| n.chars().count()).max().unwrap_or(0).max(1);
    let mut bytes = header(&format!("<U{width}"), table.classes.len(), "");
    for &class in &table.classes {
        let letters = table.labels.name(class).chars().map(u32::from);
        bytes.extend(letters.chain(std::iter::repeat(0)).take(width).flat_map(u32::to_le_bytes));
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `numpy.save` of a 2 × 2 array and of its labels, by NumPy 2.
    #[test]
    fn the_headers_are_those_of_numpy() {
        let table = Table::dense(&[[0.5, 1.0], [2.0, 3.0]], &["-1", "1"]).unwrap();
        let text = |bytes: &[u8]| String::from_utf8(bytes[10..128].to_vec()).unwrap();
        let (data, y) = (matrix(&table).unwrap(), labels(&table));
        assert_eq!((data.len(), y.len()), (128 + 32, 128 + 16));
        assert_eq!(data[..10], *b"\x93NUMPY\x01\x00\x76\x00");
        let padded = |text: &str| format!("{text:<117}\n");
        assert_eq!(text(&data), padded("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), }"));
        assert_eq!(text(&y), padded("{'descr': '<i8', 'fortran_order': False, 'shape': (2,), }"));
    }
}
