//! Reading for a model, by its schema.

use rosenblatt::io::Input;
use rosenblatt::read::{Dataset, NeedLabels, ReadOptions, read_for};
use rosenblatt::rows::{Labels, Schema};

use crate::{check, dense, is_dense, labels, parse};

fn apply_with(model: &Dataset, text: &str, need: NeedLabels, options: &ReadOptions) -> Result<Dataset, String> {
    let input = Input::memory("b", text);
    let data = read_for(&input, options, &model.table.schema, &model.table.labels, need).map_err(|e| e.to_string())?;
    check(&data);
    assert_eq!(data.table.schema, model.table.schema);
    assert_eq!(data.table.classes.len(), if need == NeedLabels::Yes { data.table.matrix.len() } else { 0 });
    Ok(data)
}

fn apply(model: &Dataset, text: &str, need: NeedLabels) -> Result<Dataset, String> {
    apply_with(model, text, need, &ReadOptions::default())
}

use NeedLabels::{No, Yes};

#[test]
fn libsvm_with_and_without_labels() {
    let model = parse("a.svm", "+1 1:1 3:1\n-1 2:1\n");
    let data = apply(&model, "1 1:2 4:1 9:1\n-1.0 3:1\n", Yes).unwrap();
    assert_eq!(dense(&data), [[2.0, 0.0, 0.0], [0.0, 0.0, 1.0]]);
    assert_eq!(labels(&data), ["+1", "-1"]);
    let note = "2 values of features that the model does not know left out (the first: feature 4 on line 1)";
    assert_eq!(data.notes, [note]);
    let data = apply(&model, "1:2\nwhatever 3:1\n", No).unwrap();
    assert_eq!(dense(&data), [[2.0, 0.0, 0.0], [0.0, 0.0, 1.0]]);
    let message = "b:2:2: the model does not know the label \"7\": it knows \"-1\", \"+1\"";
    assert_eq!(apply(&model, "1 1:1\n 7 1:1\n", Yes).unwrap_err(), message);
    let message = "b:1:1: the line starts with \"1:1\", not with a label: expected label index:value …";
    assert_eq!(apply(&model, "1:1\n", Yes).unwrap_err(), message);
    let message = "b:1:3: feature index 0, but the model counts features from 1";
    assert_eq!(apply(&model, "1 0:1\n", Yes).unwrap_err(), message);
    // A row without entries does not decide the format; the model does.
    assert_eq!(dense(&apply(&model, "1\n", Yes).unwrap()), [[0.0; 3]]);
}

#[test]
fn a_model_that_counts_from_zero() {
    let model = parse("a.svm", "a 0:1 2:1\nb 1:1\n");
    assert_eq!(dense(&apply(&model, "a 1:5\n", Yes).unwrap()), [[0.0, 5.0, 0.0]]);
}

#[test]
fn columns_are_found_by_name() {
    let model = parse("a.csv", "n,colour,class\n1,red,a\n2,blue,b\n");
    let data = apply(&model, "extra,class,colour,n\n9,b,blue,0\n9,a,green,4\n", Yes).unwrap();
    assert_eq!(dense(&data), [[0.0, 1.0, 0.0], [4.0, 0.0, 0.0]]);
    assert_eq!(labels(&data), ["b", "a"]);
    let unknown = "1 category is not known to the model, read as none of the known (the first: \"green\" in column colour on line 3)";
    assert_eq!(data.notes, ["ignored 1 column that the model does not use: \"extra\"", unknown]);
    let message = "b: the model needs 1 column that the file has not: \"colour\"; the file has \"n\", \"class\"";
    assert_eq!(apply(&model, "n,class\n1,a\n", Yes).unwrap_err(), message);
    // Labels are needed, or not.
    assert_eq!(dense(&apply(&model, "colour,n\nred,3\n", No).unwrap()), [[3.0, 0.0, 1.0]]);
    let message = "b: no column is called \"class\", which held the labels: name the label column with `label`";
    assert_eq!(apply(&model, "colour,n\nred,3\n", Yes).unwrap_err(), message);
    let other = ReadOptions { label: Some("kind".into()), ..ReadOptions::default() };
    assert_eq!(labels(&apply_with(&model, "kind,colour,n\nb,red,3\n", Yes, &other).unwrap()), ["b"]);
    let message = "b:2:5: the model does not know the label \"c\": it knows \"a\", \"b\"";
    assert_eq!(apply(&model, "n, \"class\",colour\n1,  c,red\n", Yes).unwrap_err(), message);
}

#[test]
fn a_header_of_words_alone_is_known_by_its_names() {
    let model = parse("a.csv", "p,q,class\nu,v,1\nw,v,2\n");
    assert_eq!(apply(&model, "q,p\nv,w\n", No).unwrap().table.matrix.len(), 1);
    assert_eq!(apply(&model, "u,v\nw,v\n", No).unwrap().table.matrix.len(), 2);
}

#[test]
fn columns_are_found_by_place() {
    let text = "9,a,1,2\n9,b,3,4\n";
    let options = ReadOptions { label: Some("2".into()), drop: vec!["1".into()], ..ReadOptions::default() };
    let model = rosenblatt::read::read(&Input::memory("a.csv", text), &options).unwrap();
    let want = [[1.0, 2.0]];
    assert_eq!(dense(&apply(&model, "0,a,1,2\n", Yes).unwrap()), want);
    assert_eq!(dense(&apply(&model, "0,?,1,2\n", No).unwrap()), want, "labels are ignored");
    assert_eq!(dense(&apply(&model, "0,1,2\n", No).unwrap()), want, "without the label");
    assert_eq!(dense(&apply(&model, "1,2\n", No).unwrap()), want, "the features alone");
    let message = "b:1: 2 columns, where the model expects the 4 columns of its training file";
    assert_eq!(apply(&model, "1,2\n", Yes).unwrap_err(), message);
    let message =
        "b:1: 5 columns, where the model expects the 4 columns of its training file, or its 2 feature columns alone";
    assert_eq!(apply(&model, "1,2,3,4,5\n", No).unwrap_err(), message);
    assert_eq!(dense(&apply(&model, "id,class,u,v\n0,a,1,2\n", Yes).unwrap()), want, "a header is skipped");
}

#[test]
fn one_feature_alone_does_not_tell_its_format() {
    let model = parse("a.csv", "1,a\n2,b\n");
    let data = apply(&model, "5\n6\n", No).unwrap();
    assert!(is_dense(&data));
    assert_eq!(dense(&data), [[5.0], [6.0]]);
}

#[test]
fn values_that_do_not_fit() {
    let model = parse("a.csv", "n,c,class\n1,u,a\n2,v,b\n");
    let message = "b:2:1: column \"n\" holds \"x\", which is not a number; the model was trained on numbers here";
    assert_eq!(apply(&model, "n,c,class\nx,u,a\n", Yes).unwrap_err(), message);
    let message = "b:2:3: column \"c\" holds \"NA\", a missing value: fill it in, or train the model with `missing`";
    assert_eq!(apply(&model, "n,c,class\n1,NA,a\n", Yes).unwrap_err(), message);
    let message = "b:2: 2 fields, where line 1 has 3: correct the row";
    assert_eq!(apply(&model, "n,c,class\n1,NA\n", Yes).unwrap_err(), message);
}

#[test]
fn another_kind_of_file_is_refused() {
    let columns = parse("a.csv", "1,a\n2,b\n");
    let message = "b: the file is libsvm, but the model was trained on csv, tsv, jsonl, fasttext or parquet data";
    assert_eq!(apply(&columns, "a 1:1\n", Yes).unwrap_err(), message);
    let indexed = Schema::Indexed { first: 1, features: 2 };
    let names = Labels::new(vec!["a".into(), "b".into()]);
    let input = Input::memory("b.csv", "1,a\n");
    let error = read_for(&input, &ReadOptions::default(), &indexed, &names, Yes).unwrap_err();
    assert_eq!(error.to_string(), "b.csv: the file is csv, but the model was trained on libsvm, idx or npy data");
    assert_eq!(error.kind(), rosenblatt::ErrorKind::Model);
}
