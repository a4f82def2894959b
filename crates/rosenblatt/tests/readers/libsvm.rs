//! LIBSVM text.

use rosenblatt::read::ReadOptions;
use rosenblatt::rows::Schema;

use crate::{dense, labels, parse, parse_with, refused, refused_with};

#[test]
fn a_file_that_counts_from_one() {
    let data = parse("a.svm", "# a comment\n+1 1:0.5 3:2\n\n-1 2:-1 4:0\n1 3:1e1");
    assert_eq!(data.table.schema, Schema::Indexed { first: 1, features: 4 });
    assert_eq!(dense(&data), [[0.5, 0.0, 2.0, 0.0], [0.0, -1.0, 0.0, 0.0], [0.0, 0.0, 10.0, 0.0]]);
    assert_eq!(labels(&data), ["+1", "-1", "+1"]);
    assert!(data.notes.is_empty());
}

#[test]
fn an_index_zero_anywhere_makes_it_count_from_zero() {
    let data = parse("a", "a 1:1\nb 0:0 2:5\n");
    assert_eq!(data.table.schema, Schema::Indexed { first: 0, features: 3 });
    assert_eq!(dense(&data), [[0.0, 1.0, 0.0], [0.0, 0.0, 5.0]]);
}

#[test]
fn line_ends_tabs_and_query_numbers() {
    let data = parse("a.svm", "\u{feff}2\tqid:1\t1:1  \r\n7 qid:1 2:1\r\n10 qid:2 1:1");
    assert_eq!(data.table.labels.names(), ["2", "7", "10"]);
    assert_eq!(data.notes, ["qid: ignored on 3 lines"]);
}

#[test]
fn places_are_those_of_the_field() {
    let cases = [
        ("1 1:1\n1 9:1  7:1\n", "a.svm:2:8: feature index 7 after 9: indices must increase within a row"),
        ("1 3:1 3:2\n", "a.svm:1:7: feature index 3 occurs twice in this row"),
        (
            "# c\r\n1 1:nAn\n",
            "a.svm:2:5: value \"nAn\" of feature 1 is not a number that can be learned from: values must be finite",
        ),
        ("1 1:1\n2:1\n", "a.svm:2:1: the line starts with \"2:1\", not with a label: expected label index:value …"),
        ("inf 1:1\n", "a.svm:1:1: label \"inf\": a label must be a finite number or a name"),
        ("1 4294967295:1\n", "a.svm:1:3: feature index 4294967295 overflows: the largest is 4294967294"),
        (
            "1 4000000000:1\n",
            "a.svm:1:3: feature index 4000000000 is larger than 268435456, the most that can be learned: hash the features",
        ),
        ("", "a.svm: no examples: the file is empty"),
        ("# only\n\n# comments\n", "a.svm: no examples: the file holds only comments and blank lines"),
    ];
    for (text, message) in cases {
        assert_eq!(refused("a.svm", text), message);
    }
}

#[test]
fn options_for_columns_are_refused() {
    let options = ReadOptions { drop: vec!["3".into()], ..ReadOptions::default() };
    let message = "a.svm: `drop` is for csv, tsv, jsonl and parquet, but the file is libsvm, which has no columns";
    assert_eq!(refused_with("a.svm", "1 1:1\n", &options), message);
}

#[test]
fn the_positive_label_can_be_named() {
    let options = ReadOptions { positive: Some("no".into()), ..ReadOptions::default() };
    let data = parse_with("a.svm", "no 1:1\nyes 2:1\n", &options).unwrap();
    assert_eq!(data.table.labels.names(), ["yes", "no"]);
    let options = ReadOptions { positive: Some("maybe".into()), ..ReadOptions::default() };
    let message = "a.svm: positive maybe: no example has this label; the data have \"no\", \"yes\"";
    assert_eq!(refused_with("a.svm", "no 1:1\nyes 2:1\n", &options), message);
}
