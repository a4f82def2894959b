//! Any bytes as a table, as LIBSVM text or as a NumPy array: the finder and the verifier read the same numbers.

#![no_main]

mod same;

use libfuzzer_sys::fuzz_target;
use rosenblatt::read::Format;

fuzz_target!(|bytes: &[u8]| {
    if bytes.starts_with(b"\x93NUMPY") {
        // The labels beside an array are made from its last byte: so many lines.
        let lines = usize::from(bytes.last().copied().unwrap_or(0) % 16);
        let labels: String = (0..lines).map(|i| ["a\n", "b\n"][i % 2]).collect();
        same::compare(bytes, None, Some(labels.as_bytes()));
        return;
    }
    for format in [None, Some(Format::Csv), Some(Format::Tsv), Some(Format::Libsvm)] {
        same::compare(bytes, format, None);
    }
});
