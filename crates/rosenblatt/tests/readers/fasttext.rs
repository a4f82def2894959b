//! fastText's text.

use rosenblatt::io::Input;
use rosenblatt::read::{Format, Guess, NeedLabels, ReadOptions, read_for};

use crate::{dense, labels, parse, parse_with, refused};

const MAIL: &str = "__label__spam Buy now, buy!\n\n__label__ham\thello  you\r\n__label__ham\n";

#[test]
fn labels_and_words() {
    let data = parse("mail.txt", MAIL);
    assert_eq!((data.format, data.guessed), (Format::FastText, Some(Guess::ByContent)));
    assert_eq!(labels(&data), ["spam", "ham", "ham"]);
    assert_eq!(data.table.schema.feature_names(), ["buy", "hello", "now", "you"]);
    assert_eq!(dense(&data), [[2.0, 0.0, 1.0, 0.0], [0.0, 1.0, 0.0, 1.0], [0.0; 4]]);
    let pairs = ReadOptions { ngrams: 2, ..ReadOptions::default() };
    let names = parse_with("mail.txt", MAIL, &pairs).unwrap().table.schema.feature_names();
    assert_eq!(names, ["buy", "buy now", "hello", "hello you", "now", "now buy", "you"]);
}

/// Parts of words: a model finds them in words that it does not know.
#[test]
fn parts_of_words() {
    let options = ReadOptions { chars: Some("2..3".parse().unwrap()), ..ReadOptions::default() };
    let data = parse_with("mail.txt", "__label__a up\n__label__b cup\n", &options).unwrap().table;
    let names = ["<c", "<cu", "<u", "<up", "cup", "p>", "up", "up>", "~cu", "~cup", "~up"];
    assert_eq!(data.schema.feature_names(), names);
    let rows = Input::memory("b.fasttext", "pup\n");
    let found = read_for(&rows, &ReadOptions::default(), &data.schema, &data.labels, NeedLabels::No).unwrap();
    let expected = names.map(|name| f64::from(u8::from(["p>", "up>", "~up"].contains(&name))));
    assert_eq!(dense(&found), [expected]);
}

#[test]
fn a_model_reads_lines_without_labels_and_other_tables() {
    let model = parse("mail.txt", MAIL).table;
    let read = |name: &str, text: &str, need| {
        let options = ReadOptions::default();
        read_for(&Input::memory(name, text), &options, &model.schema, &model.labels, need).map_err(|e| e.to_string())
    };
    let expected = [[0.0, 1.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]];
    assert_eq!(dense(&read("b.fasttext", "hello there\n__label__spam buy\n", NeedLabels::No).unwrap()), expected);
    assert_eq!(dense(&read("b.csv", "text\nhello\nbuy\n", NeedLabels::No).unwrap()), expected);
    assert_eq!(
        dense(&read("b.jsonl", "{\"text\": \"Hello\"}\n{\"text\": \"buy\"}\n", NeedLabels::No).unwrap()),
        expected
    );
    let unknown = read("b.fasttext", "__label__egg buy\n", NeedLabels::Yes).unwrap_err();
    assert_eq!(unknown, "b.fasttext:1:10: the model does not know the label \"egg\": it knows \"ham\", \"spam\"");
}

#[test]
fn junk_is_refused_at_its_place() {
    for (text, message) in [
        (
            "__label__a x\n__label__a __label__b x\n",
            "a.fasttext:2:12: \"__label__b\" is a second label, and an example has one: keep one, or write a line for each",
        ),
        (
            "__label__a x __label__b\n",
            "a.fasttext:1:14: \"__label__b\" is a second label, and an example has one: keep one, or write a line for each",
        ),
        ("__label__a x\n__label__ x\n", "a.fasttext:2:1: a label without a name: write it after __label__"),
        (
            "__label__a x\nwords alone\n",
            "a.fasttext:2:1: label column \"label\" has no value here: fill it in, or leave the row out",
        ),
    ] {
        assert_eq!(refused("a.fasttext", text), message);
    }
    let options = ReadOptions { label: Some("text".into()), ..ReadOptions::default() };
    let message =
        "a.fasttext: `label` is for csv, tsv, jsonl and parquet, but the file is fasttext, which has no columns";
    assert_eq!(parse_with("a.fasttext", "__label__a x\n", &options).unwrap_err(), message);
}
