//! Detection of the format, and files that are no tables.

use rosenblatt::io::Input;
use rosenblatt::read::{Format, Guess, ReadOptions, read};

use crate::{parse, refused};

#[test]
fn by_name_then_by_content() {
    assert_eq!(parse("a.csv", "1,2\n").guessed, Some(Guess::ByName));
    assert_eq!(parse("a.data", "1,2\n").guessed, Some(Guess::ByContent));
    assert_eq!(parse("<stdin>", "1\t2\n").guessed, Some(Guess::ByContent));
    assert_eq!(parse("a9a", "-1 3:1 \n+1 2:1 \n").format, Format::Libsvm);
    let options = ReadOptions { format: Some(Format::Csv), ..ReadOptions::default() };
    let data = read(&Input::memory("x", "1;2\n"), &options).unwrap();
    assert_eq!((data.notes.len(), data.format, data.name.as_str()), (0, Format::Csv, "x"));
}

#[test]
fn unknown_formats_and_files_that_are_no_tables() {
    let message = "a: cannot tell the format: name it with format libsvm, csv, tsv, jsonl, fasttext or vw";
    assert_eq!(refused("a", "It was a dark night.\nIt rained.\n"), message);
    let spaced = "a: numbers separated by spaces, which is not a supported format: put commas between them";
    assert_eq!(refused("a", "6.0 -1.0 -1.0\n"), spaced);
    assert_eq!(refused("a", "6.0000 -1.0000 -0.5 \n5.0000 0.0 1.0 \n"), spaced);
    assert_eq!(refused("a.csv", "\u{0}\u{0}\u{8}\u{3}x"), "a.csv: the IDX file is cut short: 5 bytes");
    assert_eq!(refused("a", "ab\u{0}"), "a: no text table: the file holds binary data");
    let far = format!("{}\n1,\u{0}\n", "1,2\n".repeat(500));
    assert_eq!(refused("a.csv", &far), "a.csv:502:3: a NUL byte: this is not text, or not UTF-8 (save it as UTF-8)");
    let message = read(&Input::memory("a.csv", b"\xff\xfe1\0,\0".as_slice()), &ReadOptions::default()).unwrap_err();
    assert_eq!(message.to_string(), "a.csv: this is UTF-16 text: save it as UTF-8");
}
