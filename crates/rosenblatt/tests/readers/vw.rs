//! Vowpal Wabbit text.

use rosenblatt::io::Input;
use rosenblatt::read::{Format, NeedLabels, ReadOptions, read_for};
use rosenblatt::rows::Schema;

use crate::{dense, labels, parse, refused};

#[test]
fn namespaces_values_weights_and_tags() {
    let text = "1 2.5 'first |user:2 age:0.5 tall |film drama tall:3\n\
                -1 second|film drama drama | plain:4\n\n\
                -1 'third |\n";
    let data = parse("a.vw", text);
    assert_eq!(data.format, Format::Vw);
    assert_eq!(labels(&data), ["1", "-1", "-1"]);
    let names = ["film^drama", "film^tall", "plain", "user^age", "user^tall"].map(String::from).to_vec();
    assert_eq!(data.table.schema, Schema::Named { names });
    assert_eq!(dense(&data), [[1.0, 3.0, 0.0, 1.0, 2.0], [2.0, 0.0, 4.0, 0.0, 0.0], [0.0; 5]]);
    assert_eq!(data.table.weights, Some(vec![2.5, 1.0, 1.0]));
}

#[test]
fn it_is_known_by_its_content() {
    let data = parse("a.dat", "1 | 13:0.5 24:1\n-1 | 13:2\n");
    assert_eq!((data.format, dense(&data)), (Format::Vw, vec![vec![0.5, 1.0], vec![2.0, 0.0]]));
    assert_eq!(data.table.weights, None);
}

#[test]
fn a_model_passes_over_what_it_does_not_know() {
    let model = parse("a.vw", "yes |a x y\nno |a x\n");
    let input = Input::memory("b.vw", "|a y:2 z\nno |b x\n");
    let read = |need| read_for(&input, &ReadOptions::default(), &model.table.schema, &model.table.labels, need);
    let data = read(NeedLabels::No).unwrap();
    assert_eq!(dense(&data), [[0.0, 2.0], [0.0, 0.0]]);
    assert_eq!(data.notes, ["ignored 2 values of features that the model does not know"]);
    assert_eq!(read(NeedLabels::Yes).unwrap_err().to_string(), "b.vw:1: no label before the bar");
    let csv = Input::memory("b.csv", "1,2\n");
    let message = read_for(&csv, &ReadOptions::default(), &model.table.schema, &model.table.labels, NeedLabels::No);
    assert_eq!(message.unwrap_err().to_string(), "b.csv: the file is csv, but the model was trained on vw data");
}

#[test]
fn junk_is_refused_at_its_place() {
    for (text, message) in [
        ("1 2:3\n", "a.vw:1: no bar: expected label |namespace features"),
        ("1|a x\n", "a.vw:1: no label: what touches the bar is a tag; put a space between the label and the bar"),
        ("1 -2 |a x\n", "a.vw:1:3: importance \"-2\": expected a finite number, not negative"),
        ("1 2 0 7 |a x\n", "a.vw:1:7: \"7\" before the bar: expected label, importance, base and tag"),
        ("1:0.5 |a x\n", "a.vw:1:1: label \"1:0.5\": one label for an example is read, costs and lists are not"),
        ("1 |a x:zz\n", "a.vw:1:6: feature \"x:zz\": \"zz\" is not a number"),
        ("1 |a x:inf\n", "a.vw:1:6: feature \"x:inf\": \"inf\" is infinite: values must be finite"),
        ("1 |a:q x\n", "a.vw:1:4: namespace \"a:q\": \"q\" is not a number"),
        ("1 |a :3\n", "a.vw:1:6: \":3\": a feature without a name"),
        ("1 |a:1e300 x:1e300\n", "a.vw:1:12: \"x:1e300\" times its namespace's weight overflows"),
        ("1 |a\n2 |b\n", "a.vw: no features: nothing follows the bars"),
    ] {
        assert_eq!(refused("a.vw", text), message);
    }
    let data = parse("a.vw", "1 1 0.5 |a x\n2 |a y\n");
    assert_eq!(data.notes, ["a base prediction (the third number) is ignored, first on line 1"]);
}

/// `|a x^y` and `|a^x y`, and `| a^x` and `|a x`, were one feature each.
#[test]
fn features_of_other_namespaces_are_other_features() {
    let data = parse("a.vw", "1 |a x^y\n2 |a^x y\n1 | a^x\n2 |a x\n1 |a\\ x\n");
    let Schema::Named { names } = &data.table.schema else { panic!() };
    assert_eq!(names, &["^a^x", "a\\\\^x", "a\\^x^y", "a^x", "a^x^y"]);
    assert_eq!(dense(&data).iter().flatten().filter(|v| **v == 1.0).count(), 5, "each row has its own feature");
    let input = Input::memory("b.vw", "|a^x y:2\n| a^x:3\n");
    let again = read_for(&input, &ReadOptions::default(), &data.table.schema, &data.table.labels, NeedLabels::No);
    assert_eq!(dense(&again.unwrap()), [[0.0, 0.0, 2.0, 0.0, 0.0], [3.0, 0.0, 0.0, 0.0, 0.0]]);
}
