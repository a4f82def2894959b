//! Any bytes as Vowpal Wabbit text: refused in one line with a place, or a consistent table.

#![no_main]

mod table;

use libfuzzer_sys::fuzz_target;
use rosenblatt::read::Format;

fuzz_target!(|bytes: &[u8]| table::attempt(bytes, "data.vw", &[Some(Format::Vw), None]));
