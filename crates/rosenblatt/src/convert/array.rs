//! NPY, NumPy's own format: a matrix of 64-bit numbers, and the labels in a second file.

use super::same;
use crate::base::row::Row;
use crate::data::{Format, Input, ReadOptions, Rows, Table, read};
use crate::each_kind;
use crate::error::{Error, Result};

/// The magic, version 1.0, and a header that makes the numbers begin at a multiple of 64 bytes.
fn header(kind: &str, shape: &str) -> Vec<u8> {
    const START: usize = 10;
    let mut text = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}");
    let end = (START + text.len() + 1).next_multiple_of(64);
    text.extend(std::iter::repeat_n(' ', end - START - text.len() - 1));
    text.push('\n');
    let length = (text.len() as u16).to_le_bytes();
    [b"\x93NUMPY\x01\x00", &length[..], text.as_bytes()].concat()
}

/// The features, row by row.
pub(super) fn matrix(table: &Table) -> Result<Vec<u8>> {
    let rows = table.matrix.rows()?;
    let mut bytes = header("<f8", &format!("({}, {})", rows.len(), rows.features()));
    let mut values = vec![0.0; rows.features()];
    each_kind!(rows, rows => for i in 0..rows.len() {
        values.fill(0.0);
        rows.row(i).each(|j, v| values[j] = v);
        bytes.extend(values.iter().flat_map(|v| v.to_le_bytes()));
    });
    Ok(bytes)
}

/// The labels: whole numbers as such, anything else as texts of equal width.
pub(super) fn labels(table: &Table) -> Vec<u8> {
    let names = table.labels.names();
    let shape = format!("({},)", table.classes.len());
    // Only where the number reads back as the same text: `+1` and `01` stay texts.
    let whole: Option<Vec<i64>> =
        names.iter().map(|n| n.parse::<i64>().ok().filter(|v| v.to_string() == **n)).collect();
    if let Some(whole) = whole {
        let mut bytes = header("<i8", &shape);
        bytes.extend(table.classes.iter().flat_map(|&c| whole[c as usize].to_le_bytes()));
        return bytes;
    }
    let width = names.iter().map(|n| n.chars().count()).max().unwrap_or(0).max(1);
    let mut bytes = header(&format!("<U{width}"), &shape);
    for &class in &table.classes {
        let letters = table.labels.name(class).chars().map(u32::from);
        bytes.extend(letters.chain(std::iter::repeat(0)).take(width).flat_map(u32::to_le_bytes));
    }
    bytes
}

/// Reads both files again; says how that is done.
pub(super) fn check(table: &Table, matrix: &[u8], labels: &[u8]) -> Result<Vec<String>> {
    let input = Input::memory("converted.npy", matrix.to_vec());
    let labels = Some(Input::memory("labels.npy", labels.to_vec()));
    let options = ReadOptions { format: Some(Format::Npy), labels, ..ReadOptions::default() };
    match read(&input, &options) {
        Ok(again) if same(table, &again.table) => {
            Ok(vec!["the labels are in a file of their own: name it with --labels".into()])
        }
        _ => Err(Error::bad_data("npy cannot hold these labels so that they read back the same: choose csv or tsv")),
    }
}
