//! Any bytes as an array of NumPy or in IDX, as rows and as labels: refused in one line, or a consistent table.

#![no_main]

mod table;

use libfuzzer_sys::fuzz_target;
use rosenblatt::io::Input;
use rosenblatt::read::{Format, ReadOptions};

/// Labels of the four rows that the seeds have.
const LABELS: &str = "a\nb\na\nb\n";

fuzz_target!(|bytes: &[u8]| {
    for format in [Format::Npy, Format::Idx] {
        let labels = Some(Input::memory("labels", LABELS));
        table::attempt_with(bytes, "data", &ReadOptions { format: Some(format), labels, ..ReadOptions::default() });
    }
    let labels = Some(Input::memory("labels", bytes));
    table::attempt_with(&four_rows(), "data", &ReadOptions { labels, ..ReadOptions::default() });
});

/// An array of four rows of two numbers.
fn four_rows() -> Vec<u8> {
    let mut header = String::from("{'descr': '|u1', 'fortran_order': False, 'shape': (4, 2), }");
    while (10 + header.len() + 1) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend_from_slice(&(header.len() as u16).to_le_bytes());
    file.extend_from_slice(header.as_bytes());
    file.extend_from_slice(&[1, 2, 3, 4, 5, 6, 7, 9]);
    file
}
