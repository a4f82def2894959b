//! Properties of both table readers.

use rosenblatt::Error;
use rosenblatt::io::Input;
use rosenblatt::read::{Format, NeedLabels, ReadOptions, read, read_for};

/// Reads the bytes in each format; what was read can be read again by its own schema, to the same rows.
pub fn attempt(bytes: &[u8], name: &str, formats: &[Option<Format>]) {
    let input = Input::memory(name, bytes);
    for &format in formats {
        let options = ReadOptions { format, ..ReadOptions::default() };
        let dataset = match read(&input, &options) {
            Ok(dataset) => dataset,
            Err(e) => {
                check_message(&e);
                continue;
            }
        };
        let table = &dataset.table;
        let examples = table.examples().expect("rows, classes and weights fit together");
        assert_eq!(examples.rows.features(), table.schema.features());
        assert!(table.classes.iter().all(|&c| (c as usize) < table.labels.len()));
        assert!(!dataset.notes.iter().any(|note| note.contains('\n')), "{:?}", dataset.notes);

        let again = ReadOptions { format: Some(dataset.format), ..ReadOptions::default() };
        match read_for(&input, &again, &table.schema, &table.labels, NeedLabels::Yes) {
            Ok(second) => assert_eq!(second.table.classes, table.classes),
            Err(e) => check_message(&e),
        }
    }
}

fn check_message(error: &Error) {
    let text = error.to_string();
    assert!(!text.contains(char::is_control), "{text:?}");
}
