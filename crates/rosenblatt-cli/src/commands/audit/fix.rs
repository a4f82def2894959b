//! `--fix`: the data without some rows, with their numbers as written.

use std::collections::HashSet;
use std::path::Path;

use anyhow::{Result, bail};
use rosenblatt::convert::convert;
use rosenblatt::io::{Input, write_file};
use rosenblatt::read::{Dataset, Format};

use crate::show;

/// The format that the name gives.
fn format(path: &Path) -> Result<Format> {
    match Format::by_name(&path.to_string_lossy()) {
        Some(format @ (Format::Csv | Format::Tsv | Format::Libsvm)) => Ok(format),
        _ => bail!(
            "--fix {}: the name does not give csv, tsv or libsvm: end it with .csv, .tsv or .svm",
            show::path(path)
        ),
    }
}

/// Refuses a name that gives no format, before any work.
pub fn check(path: &Path) -> Result<()> {
    format(path).map(|_| ())
}

/// Writes the data without these rows (from 0), which are in order. Returns how many are left.
pub fn write(path: Option<&Path>, input: &Input, dataset: &Dataset, without: &[usize]) -> Result<Option<usize>> {
    let Some(path) = path else { return Ok(None) };
    let bytes = convert(input, dataset, format(path)?).map_err(|e| e.in_file(&dataset.name))?.bytes;
    let records = records(&bytes);
    let rows = dataset.table.classes.len();
    // One record more than rows: a header.
    let Some(header) = records.len().checked_sub(rows) else { bail!("{} rows of {rows}", records.len()) };
    let without: HashSet<usize> = without.iter().copied().collect();
    let mut kept = Vec::with_capacity(bytes.len());
    for (k, record) in records.iter().enumerate() {
        if k < header || !without.contains(&(k - header)) {
            kept.extend_from_slice(record);
        }
    }
    write_file(path, &kept)?;
    Ok(Some(rows - without.len()))
}

/// Records with their line ends; a line end within quotes belongs to its field.
fn records(bytes: &[u8]) -> Vec<&[u8]> {
    let (mut records, mut begin, mut quoted) = (Vec::new(), 0, false);
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'"' => quoted = !quoted,
            b'\n' if !quoted => {
                records.push(&bytes[begin..=at]);
                begin = at + 1;
            }
            _ => {}
        }
    }
    if begin < bytes.len() {
        records.push(&bytes[begin..]);
    }
    records
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_may_have_lines() {
        assert_eq!(records(b"a,b\n\"x\ny\",\"\"\"\"\n1,2"), [&b"a,b\n"[..], b"\"x\ny\",\"\"\"\"\n", b"1,2"]);
    }
}
