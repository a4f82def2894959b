//! NPY, NumPy's own format: a matrix of 64-bit numbers, and the labels in a second file.

use super::reads_back;
use crate::error::{Error, Result};
use crate::io::Input;
use crate::message::{Message, Setting};
use crate::read::{Format, ReadOptions};
use crate::rows::Table;

/// Reads both files back; returns the first with the note on how to read them.
pub(super) fn check(table: &Table, matrix: Vec<u8>, labels: &[u8]) -> Result<(Vec<u8>, Vec<Message>)> {
    let input = Input::memory("converted.npy", matrix);
    let labels = Some(Input::memory("labels.npy", labels.to_vec()));
    let options = ReadOptions { format: Some(Format::Npy), labels, ..ReadOptions::default() };
    if !reads_back(&input, &options, table)? {
        return Err(Error::bad_data("npy cannot hold these labels so that they read back the same: choose csv or tsv"));
    }
    let note = Message::new("the labels are in a file of their own: name it with ").with(Setting::Labels);
    match input {
        Input::Memory { bytes, .. } => Ok((bytes, vec![note])),
        _ => unreachable!("it is in memory"),
    }
}
