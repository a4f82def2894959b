//! Properties of all readers of tables.

use rosenblatt::Error;
use rosenblatt::io::Input;
use rosenblatt::limits::{Limits, within};
use rosenblatt::read::{Format, NeedLabels, ReadOptions, read, read_for};

/// Reads the bytes in each format.
#[allow(dead_code, reason = "not every target has several formats")]
pub fn attempt(bytes: &[u8], name: &str, formats: &[Option<Format>]) {
    for &format in formats {
        attempt_with(bytes, name, &ReadOptions { format, ..ReadOptions::default() });
    }
}

/// Reads the bytes; what was read can be read again by its own schema, to the same rows.
pub fn attempt_with(bytes: &[u8], name: &str, options: &ReadOptions) {
    let input = Input::memory(name, bytes);
    // Without a counting allocator, each product of sizes is compared with the limit.
    within(&Limits { memory: 64 << 20, ..Limits::NONE }, || attempt_within(&input, options));
}

fn attempt_within(input: &Input, options: &ReadOptions) {
    let dataset = match read(input, options) {
        Ok(dataset) => dataset,
        Err(e) => return check_message(&e),
    };
    let table = &dataset.table;
    let examples = table.examples().expect("rows, classes and weights fit together");
    assert_eq!(examples.rows.features(), table.schema.features());
    assert!(table.classes.iter().all(|&c| (c as usize) < table.labels.len()));
    assert!(!dataset.notes.iter().any(|note| note.to_string().contains('\n')), "{:?}", dataset.notes);

    let again = ReadOptions { format: Some(dataset.format), ..options.clone() };
    match read_for(input, &again, &table.schema, &table.labels, NeedLabels::Yes) {
        Ok(second) => assert_eq!(second.table.classes, table.classes),
        Err(e) => check_message(&e),
    }
}

fn check_message(error: &Error) {
    let text = error.to_string();
    assert!(!text.contains(char::is_control), "{text:?}");
}
