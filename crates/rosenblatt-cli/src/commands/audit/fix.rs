//! `--fix`: the data without some rows, with their numbers as written.

use std::collections::HashSet;
use std::path::Path;

use anyhow::{Result, bail};
use rosenblatt::convert::convert;
use rosenblatt::io::{Input, write_file};
use rosenblatt::read::{Dataset, Format};
use rosenblatt::rows::Table;
use rosenblatt::{ErrorKind, limits};

use crate::args::DataArgs;
use crate::commands::open;
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

/// The data as they will be written, but for the rows that are left out.
pub struct Fix<'a> {
    path: &'a Path,
    dataset: &'a Dataset,
    bytes: Vec<u8>,
    /// How the file was read, if its bytes are kept as they are.
    kept: Option<&'a DataArgs>,
}

impl<'a> Fix<'a> {
    /// Converts the data before the work begins: what cannot be written is an early error. Words and missing values are not
    /// numbers to be converted, so a table that has them keeps its records as they are.
    pub fn prepare(
        path: Option<&'a Path>,
        input: &Input,
        dataset: &'a Dataset,
        read: &'a DataArgs,
    ) -> Result<Option<Self>> {
        let Some(path) = path else { return Ok(None) };
        let to = format(path)?;
        let (bytes, kept) = match convert(input, dataset, to) {
            Ok(converted) => (converted.bytes, None),
            Err(error) if error.kind() == ErrorKind::Settings && to == dataset.format => {
                (open::read_all(input)?, Some(read))
            }
            Err(error) => return Err(error.in_file(&dataset.name).into()),
        };
        Ok(Some(Fix { path, dataset, bytes, kept }))
    }

    /// Writes the data without these rows (from 0), which are in order. Returns how many are left.
    pub fn write(&self, without: &[usize]) -> Result<usize> {
        let classes = &self.dataset.table.classes;
        let quotes = self.kept.is_some() || format(self.path)? != Format::Libsvm;
        let records = records(&self.bytes, quotes, self.kept.is_some());
        let rows = classes.len();
        // One record more than rows: a header.
        let Some(header @ 0..=1) = records.len().checked_sub(rows) else { bail!("{}", self.odd()) };
        let without: HashSet<usize> = without.iter().copied().collect();
        let mut left = limits::with_capacity(self.bytes.len(), || "the rows that are left".into())?;
        for (k, record) in records.iter().enumerate() {
            if k < header || !without.contains(&(k - header)) {
                left.extend_from_slice(record);
            }
        }
        if let Some(read) = self.kept {
            self.check(&left, read, &without)?;
        }
        write_file(self.path, &left)?;
        Ok(rows - without.len())
    }

    /// Whether the records that are left are read as the rows that should be left.
    fn check(&self, left: &[u8], read: &DataArgs, without: &HashSet<usize>) -> Result<()> {
        let table = &self.dataset.table;
        let again = open::any_input(&Input::memory(&self.dataset.name, left.to_vec()), read).map(|again| again.table);
        // A label may be written in two ways, as 1 and 1.0.
        let class = |again: &Table, class: u32| table.labels.find(again.labels.name(class));
        let wanted = (0..table.classes.len()).filter(|k| !without.contains(k)).map(|k| Some(table.classes[k]));
        let holds = again.is_ok_and(|again| again.classes.iter().map(|&c| class(&again, c)).eq(wanted));
        if holds { Ok(()) } else { bail!("{}", self.odd()) }
    }

    fn odd(&self) -> String {
        let name = show::path(self.path);
        format!("--fix {name}: its records are not on lines that can be left out: write it plainly, or leave out --fix")
    }
}

/// Records with their line ends; a line end within quotes belongs to its field, if there are quotes. Blank lines are no records.
fn records(bytes: &[u8], quotes: bool, blank: bool) -> Vec<&[u8]> {
    let (mut records, mut begin, mut quoted) = (Vec::new(), 0, false);
    let mut end = |record| {
        if !blank || !<[u8]>::trim_ascii(record).is_empty() {
            records.push(record);
        }
    };
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'"' => quoted = quotes && !quoted,
            b'\n' if !quoted => {
                end(&bytes[begin..=at]);
                begin = at + 1;
            }
            _ => {}
        }
    }
    if begin < bytes.len() {
        end(&bytes[begin..]);
    }
    records
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_may_have_lines() {
        let text = b"a,b\n\"x\ny\",\"\"\"\"\n\n1,2";
        assert_eq!(records(text, true, true), [&b"a,b\n"[..], b"\"x\ny\",\"\"\"\"\n", b"1,2"]);
        assert_eq!(records(text, true, false).len(), 4);
        // In libsvm a quote is a character of a label.
        assert_eq!(records(b"5\" 1:2\n6 1:1\n", false, false).len(), 2);
    }
}
