//! Text columns and missing values, to train on and for a model.

use rosenblatt::io::Input;
use rosenblatt::read::{Dataset, NeedLabels, ReadOptions, read_for};
use rosenblatt::rows::Fill;

use crate::{dense, labels, parse_with, refused, refused_with};

fn texts(columns: &[&str]) -> ReadOptions {
    ReadOptions { text: columns.iter().map(|c| c.to_string()).collect(), ..ReadOptions::default() }
}

fn apply(model: &Dataset, name: &str, text: &str, need: NeedLabels) -> Result<Dataset, String> {
    let (schema, labels) = (&model.table.schema, &model.table.labels);
    read_for(&Input::memory(name, text), &ReadOptions::default(), schema, labels, need).map_err(|e| e.to_string())
}

#[test]
fn a_text_is_never_the_label_and_its_numbers_are_no_sign_of_a_header() {
    // Found with a file of messages, one of which is just 645.
    let data = parse_with("a.tsv", "ham\tGo go home\nspam\t645\n", &texts(&["2"])).unwrap();
    assert_eq!(labels(&data), ["ham", "spam"]);
    assert_eq!(data.table.schema.feature_names(), ["645", "go", "home"]);
    assert_eq!(dense(&data), [[0.0, 2.0, 1.0], [1.0, 0.0, 0.0]]);
    assert!(data.notes.is_empty(), "{:?}", data.notes);
    let data = parse_with("a.csv", "said,who,label\nhi there,me,1\nhi,you,0\n", &texts(&["said"])).unwrap();
    assert_eq!(data.table.schema.feature_names(), ["said:hi", "said:there", "who=me", "who=you"]);
}

#[test]
fn a_model_counts_the_words_that_it_knows() {
    let options = ReadOptions { ngrams: 2, ..texts(&["2"]) };
    let model = parse_with("a.tsv", "x\tnot good\ny\tgood\n", &options).unwrap();
    assert_eq!(model.table.schema.feature_names(), ["good", "not", "not good"]);
    let data = apply(&model, "b.tsv", "x\tNOT good, not GOOD\ny\tquite unknown\n", NeedLabels::Yes).unwrap();
    assert_eq!(dense(&data), [[2.0, 2.0, 2.0], [0.0; 3]]);
    let data = apply(&model, "b.tsv", "good good\n7\n", NeedLabels::No).unwrap();
    assert_eq!(dense(&data), [[2.0, 0.0, 0.0], [0.0; 3]], "the text alone, and no header");
}

#[test]
fn a_text_column_that_is_missing_at_prediction() {
    let model = parse_with("a.csv", "n,said,label\n1,hi there,a\n2,hi,b\n", &texts(&["said"])).unwrap();
    let message = apply(&model, "b.csv", "n,label\n1,a\n", NeedLabels::Yes).unwrap_err();
    assert_eq!(
        message,
        "b.csv: the model needs 1 column that the file has not: \"said\"; the file has \"n\", \"label\""
    );
}

#[test]
fn options_that_contradict_each_other() {
    let message = |options: &ReadOptions| refused_with("a.csv", "s,t,label\nu v,w,a\nx,y,b\n", options);
    let named = ReadOptions { header: rosenblatt::read::Header::Yes, ..texts(&["words"]) };
    let expected = "a.csv: text words: no column has this name; the file has \"s\", \"t\", \"label\"";
    assert_eq!(message(&named), expected);
    let label = ReadOptions { label: Some("label".into()), ..texts(&["label"]) };
    assert_eq!(message(&label), "a.csv: text label: this is the label column (name another with `label`)");
    let both = ReadOptions { label: Some("label".into()), category: vec!["s".into()], ..texts(&["s"]) };
    assert_eq!(message(&both), "a.csv: text s: another option takes this column");
    let alone = ReadOptions { ngrams: 2, ..ReadOptions::default() };
    assert_eq!(message(&alone), "`ngrams` is for text: name a column with `text`");
}

#[test]
fn missing_values_are_refused_with_a_hint() {
    let message = "a.csv:2:3: column \"b\" holds \"?\", a missing value: fill it in, pass missing zero, mean or indicator, or drop b";
    assert_eq!(refused("a.csv", "a,b,label\n1,?,x\n2,3,y\n"), message);
}

#[test]
fn the_first_value_determines_the_kind_of_a_column() {
    let options = ReadOptions { missing: Some(Fill::Indicator), ..ReadOptions::default() };
    let data = parse_with("a.csv", "a,b,c,label\n?,?,,x\nNA,u,,y\n5,v,,x\n", &options).unwrap();
    assert_eq!(data.table.schema.feature_names(), ["a", "a=?", "b=u", "b=v", "b=?", "c", "c=?"]);
    assert_eq!(
        dense(&data),
        [[0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 1.0], [0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0], [5.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0]]
    );
    assert_eq!(data.notes, ["6 missing values in 3 columns, read as a feature of its own"]);
    let again = apply(&data, "b.csv", "a,b,c\n,w,1\n2,?,nan\n", NeedLabels::No).unwrap();
    assert_eq!(dense(&again), [[0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0], [2.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0]]);
    assert_eq!(
        again.notes,
        ["1 category is not known to the model, read as none of the known (the first: \"w\" in column b on line 2)"]
    );
}

#[test]
fn a_model_that_was_trained_without_gaps_refuses_them() {
    let model = parse_with("a.csv", "a,b,label\n1,u,x\n2,v,y\n", &ReadOptions::default()).unwrap();
    let message = apply(&model, "b.csv", "a,b\n,u\n", NeedLabels::No).unwrap_err();
    assert_eq!(message, "b.csv:2:1: column \"a\" has no value here: fill it in, or train the model with `missing`");
    let lenient = ReadOptions { missing: Some(Fill::Zero), ..ReadOptions::default() };
    let model = parse_with("a.csv", "a,b,label\n1,u,x\n2,v,y\n", &lenient).unwrap();
    assert_eq!(dense(&apply(&model, "b.csv", "a,b\n,?\n", NeedLabels::No).unwrap()), [[0.0; 3]]);
}
