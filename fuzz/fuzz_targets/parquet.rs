//! Any bytes as a Parquet file: refused in one line, or a consistent table.

#![no_main]

mod table;

use libfuzzer_sys::fuzz_target;
use rosenblatt::read::Format;

fuzz_target!(
    // The decoder panics on some damaged pages, which the reader catches: libFuzzer's hook would end the process.
    init: std::panic::set_hook(Box::new(|panic| {
        if !rosenblatt::read::panic_is_caught() {
            eprintln!("{panic}");
            std::process::abort();
        }
    })),
    |bytes: &[u8]| table::attempt(bytes, "data.parquet", &[Some(Format::Parquet)])
);
