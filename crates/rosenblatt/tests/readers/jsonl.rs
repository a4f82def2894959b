//! JSON Lines.

use rosenblatt::io::Input;
use rosenblatt::read::{Format, Guess, NeedLabels, ReadOptions, read_for};
use rosenblatt::rows::Fill;

use crate::{dense, labels, parse, parse_with, refused, refused_with};

fn given(label: &str) -> ReadOptions {
    ReadOptions { label: Some(label.into()), ..ReadOptions::default() }
}

#[test]
fn numbers_strings_truth_values_and_nested_objects() {
    let text = "{\"age\": 31, \"user\": {\"city\": \"Köln\", \"tall\": true}, \"label\": \"a\"}\n\n\
                {\"label\": \"b\", \"user\": {\"tall\": false, \"city\": \"\\u0042onn\"}, \"age\": -1.5e1, \"note\": null}\r\n";
    let data = parse("log.jsonl", text);
    assert_eq!((data.format, data.guessed), (Format::Jsonl, Some(Guess::ByName)));
    let names = ["age", "user.city=Bonn", "user.city=Köln", "user.tall=false", "user.tall=true"];
    assert_eq!(data.table.schema.feature_names(), names);
    assert_eq!(dense(&data), [[31.0, 0.0, 1.0, 0.0, 1.0], [-15.0, 1.0, 0.0, 1.0, 0.0]]);
    assert_eq!(labels(&data), ["a", "b"]);
    assert_eq!(parse("log", text).guessed, Some(Guess::ByContent));
}

#[test]
fn arrays_of_numbers_are_columns_and_arrays_of_strings_sets_of_words() {
    let text = "{\"y\": 1, \"x\": [0.5, 2], \"tags\": [\"c++\", \"two words\", \"c++\"]}\n\
                {\"y\": 0, \"x\": [3, -4], \"tags\": []}\n\
                {\"y\": 0, \"x\": [5, 6]}\n";
    let data = parse("a.ndjson", text);
    assert_eq!(data.table.schema.feature_names(), ["x.1", "x.2", "tags:c++", "tags:two words"]);
    assert_eq!(dense(&data), [[0.5, 2.0, 1.0, 1.0], [3.0, -4.0, 0.0, 0.0], [5.0, 6.0, 0.0, 0.0]]);
    // A model finds its fields by name, in any order, and passes over all others.
    let input = Input::memory(
        "b.jsonl",
        "{\"tags\": [\"new\", \"two words\"], \"more\": [{\"a\": [1]}], \"x\": [7, 8], \"z\": \"?\"}\n",
    );
    let options = ReadOptions::default();
    let read = |need| read_for(&input, &options, &data.table.schema, &data.table.labels, need);
    assert_eq!(dense(&read(NeedLabels::No).unwrap()), [[7.0, 8.0, 0.0, 1.0]]);
    let missing = read(NeedLabels::Yes).unwrap_err().to_string();
    assert_eq!(missing, "b.jsonl:1:1: the model does not know the label \"\": it knows \"0\", \"1\"");
}

#[test]
fn strings_are_categories_even_where_they_look_like_numbers() {
    let data = parse("a.jsonl", "{\"zip\": \"02134\", \"y\": 1}\n{\"zip\": \"53111\", \"y\": 2}\n");
    assert_eq!(data.table.schema.feature_names(), ["zip=02134", "zip=53111"]);
}

#[test]
fn text_drop_and_missing_go_by_name() {
    let text = "{\"id\": 7, \"meta\": {\"a\": [[1]], \"b\": 2}, \"body\": \"Buy now, buy!\", \"n\": null, \"k\": \"s\"}\n\
                {\"id\": 8, \"body\": \"hello\", \"n\": 3, \"k\": \"h\"}\n";
    let options = ReadOptions {
        text: vec!["body".into()],
        drop: vec!["id".into(), "meta".into()],
        missing: Some(Fill::Indicator),
        ..given("k")
    };
    let data = parse_with("a.jsonl", text, &options).unwrap();
    assert_eq!(data.table.schema.feature_names(), ["body:buy", "body:hello", "body:now", "n", "n=?"]);
    assert_eq!(dense(&data), [[2.0, 0.0, 1.0, 0.0, 1.0], [0.0, 1.0, 0.0, 3.0, 0.0]]);
    let unknown = ReadOptions { drop: vec!["idd".into()], ..given("k") };
    let text = "{\"id\": 7, \"k\": \"s\"}\n";
    let message = "a.jsonl: drop idd: no column has this name; the file has \"id\", \"k\"";
    assert_eq!(refused_with("a.jsonl", text, &unknown), message);
}

#[test]
fn junk_is_refused_at_its_line_and_field() {
    let second = |line: &str| format!("{{\"a\": 1, \"y\": 0}}\n{line}\n");
    for (line, message) in [
        (
            "{\"a\": x}",
            "a.jsonl:2:7: expected a value: a number, a string, true, false, null, an array or an object: found \"x}\"",
        ),
        ("{\"a\": 1 \"y\"}", "a.jsonl:2:9: expected a comma or }: found \"\"y\"}\""),
        ("{\"a\": 1", "a.jsonl:2:8: expected a comma or }: the line ends"),
        ("{a: 1}", "a.jsonl:2:2: expected a name in quotes: found \"a: 1}\""),
        ("{\"a\": \"x}", "a.jsonl:2:7: the quote that opens here is never closed"),
        ("[1, 2]", "a.jsonl:2:1: expected an object, { … }, on each line: found \"[1, 2]\""),
        ("{\"a\": 1, \"y\": 1} {}", "a.jsonl:2:18: expected the end of the line after the object: found \"{}\""),
        ("{\"a\": 1, \"y\": 1, \"a\": 2}", "a.jsonl:2:23: the field \"a\" comes twice: give each its own name"),
        ("{\"a\": [\"x\"], \"y\": 1}", "a.jsonl:2:7: the field \"a\" is an array here, and a single value on line 1"),
        (
            "{\"b\": [1, \"x\"], \"y\": 1}",
            "a.jsonl:2:7: the array \"b\" holds more than numbers or more than strings: leave it out with drop b",
        ),
        (
            "{\"a\": \"x\", \"y\": 1}",
            "a.jsonl:2:7: column \"a\" holds \"x\", but the value before is a number: correct it, or pass category a",
        ),
        (
            "{\"y\": 1}",
            "a.jsonl:2:1: column \"a\" has no value here: fill it in, pass missing zero, mean or indicator, or drop a",
        ),
        (
            "{\"a\": 1e999, \"y\": 1}",
            "a.jsonl:2:7: column \"a\" holds \"1e999\", which is too large for a 64-bit number: values must be finite",
        ),
        (
            "{\"a\": 1, \"y\": null}",
            "a.jsonl:2:15: label column \"y\" has no value here: fill it in, or leave the row out",
        ),
    ] {
        assert_eq!(refused("a.jsonl", &second(line)), message, "{line}");
    }
    let deep = format!("{{\"a\": {}1{}}}", "{\"b\": ".repeat(200), "}".repeat(200));
    assert!(refused("a.jsonl", &deep).contains("more than 100 arrays and objects within each other"));
    let message = refused("a.jsonl", "{\"a\": 1}\n");
    assert_eq!(
        message,
        "a.jsonl: no field is called label, class, target, y: name the one with the labels with `label`"
    );
    assert!(refused("a.txt", "[{\"a\": 1}]\n").contains("this looks like an array of JSON"));
}
