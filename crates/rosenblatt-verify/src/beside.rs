//! Labels in a file of their own: an NPY or IDX array, or a text with one label on each line.

use std::borrow::Cow;

use crate::npy::{Array, MAGIC, is_idx};
use crate::refusal::{Checked, Refusal};

/// The labels, one for each example.
#[derive(Debug)]
pub(crate) enum Beside<'a> {
    Array(Array<'a>),
    Lines(Vec<&'a [u8]>),
}

impl<'a> Beside<'a> {
    /// Reads the labels of so many rows.
    pub(crate) fn read(bytes: &'a [u8], rows: usize) -> Checked<Self> {
        let labels = if bytes.starts_with(MAGIC) || is_idx(bytes) {
            let array = if is_idx(bytes) { Array::idx(bytes)? } else { Array::read(bytes)? };
            if array.columns != 1 {
                return Err(Refusal::data("the labels are a matrix, not a list"));
            }
            Beside::Array(array)
        } else {
            let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
            Beside::Lines(
                text.strip_suffix(b"\n").unwrap_or(text).split(|&b| b == b'\n').map(<[u8]>::trim_ascii).collect(),
            )
        };
        let found = match &labels {
            Beside::Array(array) => array.rows,
            Beside::Lines(lines) => lines.len(),
        };
        if found != rows {
            return Err(Refusal::data(format!("there are {found} labels for {rows} rows")));
        }
        Ok(labels)
    }

    /// The label of a row, from 0.
    pub(crate) fn label(&self, row: usize) -> Checked<Cow<'a, [u8]>> {
        let label = match self {
            Beside::Array(array) => array.label(row).map(|text| Cow::Owned(text.into_bytes())),
            Beside::Lines(lines) => Some(Cow::Borrowed(lines[row])).filter(|line| !line.is_empty()),
        };
        label.ok_or_else(|| Refusal::data(format!("example {} has no label", row + 1)))
    }
}
