//! NPY, NumPy's own format: a matrix of 64-bit numbers, and the labels in a second file.

use super::same;
use crate::error::{Error, Result};
use crate::io::Input;
use crate::message::{Message, Setting};
use crate::read::{Format, ReadOptions, read};
use crate::rows::Table;

/// Reads both files back; returns the note on how to read them.
pub(super) fn check(table: &Table, matrix: &[u8], labels: &[u8]) -> Result<Vec<Message>> {
    let input = Input::memory("converted.npy", matrix.to_vec());
    let labels = Some(Input::memory("labels.npy", labels.to_vec()));
    let options = ReadOptions { format: Some(Format::Npy), labels, ..ReadOptions::default() };
    match read(&input, &options) {
        Ok(again) if same(table, &again.table) => {
            Ok(vec![Message::new("the labels are in a file of their own: name it with ").with(Setting::Labels)])
        }
        _ => Err(Error::bad_data("npy cannot hold these labels so that they read back the same: choose csv or tsv")),
    }
}
