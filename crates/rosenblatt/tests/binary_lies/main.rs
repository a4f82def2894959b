//! NPY, IDX and Parquet files that lie: every header field, every byte, every length. Each is refused or read, without a
//! panic and without an allocation out of proportion to the file.

mod idx;
mod largest;
mod npy;
#[cfg(feature = "parquet")]
mod parquet;

use rosenblatt::io::Input;
use rosenblatt::read::{ReadOptions, read};

/// The most bytes that one allocation may have while a file of a few hundred bytes is read: a buffer for chunks, and the
/// start of a batch of rows.
const LARGEST: usize = 8 << 20;

/// Reads a file with labels beside it. Returns its rows and features, or the error message.
fn outcome(bytes: &[u8], labels: &[u8]) -> Result<(usize, usize), String> {
    outcome_with(bytes, &ReadOptions { labels: Some(Input::memory("labels", labels)), ..ReadOptions::default() })
}

fn outcome_with(bytes: &[u8], options: &ReadOptions) -> Result<(usize, usize), String> {
    let input = Input::memory("data", bytes);
    let (result, largest) = largest::during(|| read(&input, options));
    assert!(largest <= LARGEST, "an allocation of {largest} bytes for a file of {}: {bytes:02x?}", bytes.len());
    let table = result.map_err(|e| e.to_string())?.table;
    table.examples().expect("a reader makes valid rows");
    Ok((table.matrix.len(), table.matrix.features()))
}

/// Calls `test` with the file cut at every length.
fn each_cut(whole: &[u8], mut test: impl FnMut(&[u8])) {
    (0..whole.len()).for_each(|length| test(&whole[..length]));
}

/// Calls `test` with the file in which one byte, or four, have other values.
fn each_flip(whole: &[u8], mut test: impl FnMut(&[u8])) {
    for at in 0..whole.len() {
        let byte = whole[at];
        for other in [0, 1, 0x7f, 0x80, 0xff, byte.wrapping_add(1), byte.wrapping_sub(1), byte ^ 0x80, byte ^ 0xff] {
            let mut lie = whole.to_vec();
            lie[at] = other;
            test(&lie);
        }
        for four in [[0xff; 4], [0x7f, 0xff, 0xff, 0xff], [0xff, 0xff, 0xff, 0x7f], [0; 4]] {
            let mut lie = whole.to_vec();
            let end = (at + 4).min(whole.len());
            lie[at..end].copy_from_slice(&four[..end - at]);
            test(&lie);
        }
    }
}
