//! Other delimiters and missing values, columns that turn out to hold categories late, and several files as one.

use std::path::PathBuf;

use rosenblatt::io::Input;
use rosenblatt::read::{Header, NeedLabels, ReadOptions, join, read, read_for};
use rosenblatt::rows::{Dialect, Fill};

use crate::{dense, labels, parse, parse_with, refused, refused_with};

fn divided(by: &str) -> ReadOptions {
    ReadOptions { dialect: Dialect { delimiter: by.parse().ok(), na: Vec::new() }, ..ReadOptions::default() }
}

fn marked(na: &[&str], missing: Option<Fill>) -> ReadOptions {
    let na = na.iter().map(ToString::to_string).collect();
    ReadOptions { dialect: Dialect { delimiter: None, na }, missing, ..ReadOptions::default() }
}

#[test]
fn any_character_divides_fields() {
    let want = parse("a.csv", "x,colour,label\n1,red,a\n-2,\"b, c\",b\n");
    for by in ["|", "^", ":", "~", "tab", ";"] {
        let mark = if by == "tab" { "\t" } else { by };
        let text = "x,colour,label\n1,red,a\n-2,\"b; c\",b\n".replace(',', mark).replace(';', ",");
        let text = if by == ";" { "x;colour;label\n1;red;a\n-2;\"b, c\";b\n".to_string() } else { text };
        for name in ["a.csv", "a.tsv", "a"] {
            let found = parse_with(name, &text, &divided(by)).unwrap();
            assert_eq!((dense(&found), labels(&found)), (dense(&want), labels(&want)), "{by} {name}");
            // A model finds what divides the fields of another file.
            let again = Input::memory("b.csv", text.as_str());
            let options = ReadOptions::default();
            let rows = read_for(&again, &options, &found.table.schema, &found.table.labels, NeedLabels::Yes).unwrap();
            assert_eq!(dense(&rows), dense(&want), "{by} {name}");
            let commas = Input::memory("b.csv", "x,colour,label\n1,red,a\n-2,\"b, c\",b\n");
            let rows = read_for(&commas, &options, &found.table.schema, &found.table.labels, NeedLabels::Yes).unwrap();
            assert_eq!(dense(&rows), dense(&want), "{by} {name}");
        }
    }
    // A bar is seen.
    assert_eq!(dense(&parse("a.csv", "x|y|label\n1|2|a\n3|4|b\n")), [[1.0, 2.0], [3.0, 4.0]]);
    let message = "a.svm: `delimiter` is for csv and tsv, but the file is libsvm";
    assert_eq!(refused_with("a.svm", "1 1:2\n", &divided("|")), message);
}

#[test]
fn given_texts_are_missing_values() {
    let text = "x,colour,label\n1,red,a\n-999,unknown,b\n3,blue,a\n";
    let message = "a.csv:3:1: column \"x\" holds \"-999\", a missing value: fill it in, pass missing zero, mean or \
                   indicator, or drop x";
    assert_eq!(refused_with("a.csv", text, &marked(&["unknown", "-999"], None)), message);
    let options = marked(&["unknown", "-999"], Some(Fill::Indicator));
    let found = parse_with("a.csv", text, &options).unwrap();
    let usual = text.replace("-999", "NA").replace("unknown", "NA");
    let want = parse_with("a.csv", &usual, &marked(&[], Some(Fill::Indicator))).unwrap();
    assert_eq!(dense(&found), dense(&want));
    assert_eq!(found.table.schema.feature_names(), ["x", "x=?", "colour=blue", "colour=red", "colour=?"]);
    // The model knows them, and takes more.
    let (schema, known) = (&found.table.schema, &found.table.labels);
    let rows = |text: &str, options: &ReadOptions| {
        dense(&read_for(&Input::memory("b.csv", text), options, schema, known, NeedLabels::No).unwrap())
    };
    assert_eq!(rows("x,colour\n-999,unknown\n", &ReadOptions::default()), [[0.0, 1.0, 0.0, 0.0, 1.0]]);
    assert_eq!(rows("x,colour\n-1,unknown\n", &marked(&["-1"], None)), [[0.0, 1.0, 0.0, 0.0, 1.0]]);
    // Neither is it a label, nor does it say what a column holds.
    let message = refused_with("a.csv", "x,label\n1,a\n2,none\n", &marked(&["none"], None));
    assert!(message.starts_with("a.csv:3:3: label column \"label\" holds \"none\", a missing value"), "{message}");
    let late = parse_with("a.csv", "x,label\nabsent,a\n2,b\n", &marked(&["absent"], Some(Fill::Zero))).unwrap();
    assert_eq!(dense(&late), [[0.0], [2.0]]);
    let objects = "{\"x\": -999, \"label\": \"a\"}\n{\"x\": 2, \"label\": \"b\"}\n";
    assert_eq!(dense(&parse_with("a.jsonl", objects, &options).unwrap()), [[0.0, 1.0], [2.0, 0.0]]);
    let message = "a.svm: `na` is for csv, tsv, jsonl and parquet, but the file is libsvm, which has no columns";
    assert_eq!(refused_with("a.svm", "1 1:2\n", &marked(&["-1"], None)), message);
}

/// Numbers for a while, then a text: the doors of `car` are 2, 3, 4 and 5more.
fn doors(rows: usize, odd: usize) -> String {
    let row = |i: usize| {
        let doors = if i == odd { "5more".to_string() } else { (2 + i % 3).to_string() };
        format!("{doors},{}.5,{}\n", i % 7, ["a", "b"][i % 2])
    };
    (0..rows).map(row).collect()
}

#[test]
fn a_column_that_turns_out_to_hold_categories_late() {
    for odd in [1, 40, 20_000, 29_999] {
        let text = doors(30_000, odd);
        let found = parse("doors.csv", &text);
        let names = ["x1=2", "x1=3", "x1=4", "x1=5more", "x2"];
        assert_eq!(found.table.schema.feature_names(), names, "{odd}");
        let note = format!(
            "column \"x1\" holds \"5more\" on line {}, after numbers: its 4 different values were read as categories",
            odd + 1
        );
        assert_eq!(found.notes, [note.as_str()]);
        // As if an option said so.
        let forced = ReadOptions { category: vec!["1".into()], ..ReadOptions::default() };
        let forced = parse_with("doors.csv", &text, &forced).unwrap();
        assert_eq!(format!("{:?}", found.table), format!("{:?}", forced.table));
    }
    let objects: String = doors(300, 200)
        .lines()
        .map(|line| {
            let fields: Vec<&str> = line.split(',').collect();
            let doors = if fields[0] == "5more" { "\"5more\"" } else { fields[0] };
            format!("{{\"doors\": {doors}, \"label\": \"{}\"}}\n", fields[2])
        })
        .collect();
    let names = ["doors=2", "doors=3", "doors=4", "doors=5more"];
    assert_eq!(parse("doors.jsonl", &objects).table.schema.feature_names(), names);
}

/// A text among many different numbers is rather a mistake; all such columns are named at once.
#[test]
fn a_text_among_measurements_is_refused() {
    let row = |i: usize| match i {
        50 => "1.0,12o,a\n".to_string(),
        60 => "oops,7,a\n".to_string(),
        _ => format!("{}.25,{i},{}\n", i * 3, ["a", "b"][i % 2]),
    };
    let text: String = (0..200).map(row).collect();
    let message = "a.csv:51:5: column \"x2\" holds \"12o\", but the 50 values before are numbers: correct it, or pass \
                   category x2 and category x1";
    assert_eq!(refused("a.csv", &text), message);
    // What a row of names would be is no late category.
    let header = format!("flag,1990,a\n{}", "1,2,a\n0,3,b\n".repeat(50));
    assert!(refused("a.csv", &header).contains("if this row is a header"), "{}", refused("a.csv", &header));
}

fn files(texts: &[(&str, &str)]) -> (tempfile::TempDir, Vec<PathBuf>) {
    let dir = tempfile::tempdir().unwrap();
    let paths = texts.iter().map(|(name, text)| {
        std::fs::write(dir.path().join(name), text).unwrap();
        dir.path().join(name)
    });
    let paths = paths.collect();
    (dir, paths)
}

#[test]
fn several_files_are_read_as_one() {
    let plain = ReadOptions::default();
    for (texts, whole) in [
        ([("a.csv", "x,label\n1,a"), ("b.csv", "x,label\r\n2,b\n")], "x,label\n1,a\n2,b\n"),
        ([("a.csv", "1,a\n"), ("b.csv", "2,b\n")], "1,a\n2,b\n"),
        ([("a.svm", "1 1:2"), ("b.svm", "-1 3:1\n")], "1 1:2\n-1 3:1\n"),
        ([("a.vw", "1 | x"), ("b.vw", "-1 | y:2\n")], "1 | x\n-1 | y:2\n"),
        (
            [("a.jsonl", "{\"x\": 1, \"label\": \"a\"}"), ("b.jsonl", "{\"label\": \"b\", \"x\": 2}")],
            "{\"x\": 1, \"label\": \"a\"}\n{\"label\": \"b\", \"x\": 2}",
        ),
        ([("a.fasttext", "__label__a x"), ("b.fasttext", "__label__b y")], "__label__a x\n__label__b y"),
    ] {
        let (_dir, paths) = files(&texts);
        let found = read(&join(&paths, &plain).unwrap(), &plain).unwrap();
        let want = parse(texts[0].0, whole);
        assert_eq!((dense(&found), labels(&found)), (dense(&want), labels(&want)), "{texts:?}");
        assert_eq!(found.table.schema, want.table.schema);
        assert_eq!(found.fingerprint, want.fingerprint, "the same bytes");
    }
}

#[test]
fn what_is_wrong_in_one_of_several_files_names_it() {
    let plain = ReadOptions::default();
    let said = |texts: &[(&str, &str)], options: &ReadOptions| {
        let (dir, paths) = files(texts);
        let error = join(&paths, options).and_then(|input| read(&input, options)).unwrap_err().to_string();
        error.replace(&format!("{}/", dir.path().display()), "")
    };
    let message = said(&[("a.csv", "x,label\n1,a\n"), ("b.csv", "z,label\n2,b\n")], &plain);
    assert_eq!(
        message,
        "b.csv: its columns are \"z,label\", where a.csv has \"x,label\": give both the same first line"
    );
    let message = said(&[("a.csv", "x,label\n1,a\n"), ("b.csv", "x,label\n3,b\n1,2,b\n")], &plain);
    assert_eq!(message, "b.csv:3: 3 fields, where line 1 has 2: correct the row");
    let no = ReadOptions { header: Header::No, ..plain.clone() };
    let message = said(&[("a.csv", "1,a\n2,b\n"), ("b.csv", "3\n")], &no);
    assert_eq!(message, "b.csv:1: 1 field, where line 1 has 2: correct the row");
    let message = said(&[("a.svm", "1 1:2\n"), ("b.svm", "1 1:2\n1 1:x\n")], &plain);
    assert!(message.starts_with("b.svm:2:"), "{message}");
    let message = said(&[("a.svm", "1 1:2\n"), ("b.csv", "1,a\n")], &plain);
    assert_eq!(message, "b.csv: the file is csv, but a.svm is libsvm");
    let missing = join(&["no/such.csv".into(), "neither.csv".into()], &plain).unwrap_err().to_string();
    assert_eq!(missing, "no/such.csv: no such file");
}
