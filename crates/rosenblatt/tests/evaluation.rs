//! An evaluation matches classes by name, whatever the test table lists.

use rosenblatt::rows::Labels;
use rosenblatt::{Evaluation, Model, Table, Trainer};
use serde_json::json;

const ROWS: [[f64; 2]; 6] = [[3.0, 0.0], [4.0, 0.5], [0.0, 3.0], [0.5, 4.0], [-3.0, -3.0], [-4.0, -3.5]];
const LABELS: [&str; 6] = ["east", "east", "north", "north", "west", "west"];

fn compass() -> Model {
    let fitted = Trainer::new("averaged").epochs(50).fit(&Table::dense(&ROWS, &LABELS).unwrap()).unwrap();
    assert_eq!(fitted.report.train_error, Some(0.0));
    fitted.model
}

#[test]
fn a_table_that_lacks_a_class_is_scored_by_name() {
    // Numbered on its own, west would be class 0 or 1 here, and 2 to the model.
    let some = Table::dense(&ROWS[2..], &LABELS[2..]).unwrap();
    assert_eq!(some.labels.names(), ["north", "west"]);
    let evaluation = Evaluation::new(&compass(), &some).unwrap();
    assert_eq!((evaluation.error, evaluation.examples), (0.0, 4));
    assert_eq!(evaluation.classes, ["east", "north", "west"]);
    assert_eq!(evaluation.confusion.rows(), [[0, 0, 0], [0, 2, 0], [0, 0, 2]]);
    let scores: Vec<_> = evaluation.per_class.iter().map(|s| (s.class.as_str(), s.support)).collect();
    assert_eq!(scores, [("east", 0), ("north", 2), ("west", 2)]);

    let one = Table::dense(&ROWS[4..], &LABELS[4..]).unwrap();
    assert_eq!(Evaluation::new(&compass(), &one).unwrap().error, 0.0);
}

#[test]
fn the_order_in_which_a_table_lists_classes_does_not_matter() {
    let model = compass();
    let table = Table::dense(&ROWS, &LABELS).unwrap();
    let mut turned = table.clone();
    turned.labels = Labels::new(["west", "north", "east"].map(String::from).to_vec());
    turned.classes = table.classes.iter().map(|c| 2 - c).collect();
    assert_eq!(Evaluation::new(&model, &turned).unwrap(), Evaluation::new(&model, &table).unwrap());
}

#[test]
fn one_number_is_one_label_however_it_is_written() {
    let model = Trainer::default().fit(&Table::dense(&ROWS[..4], &["-1", "-1", "+1", "+1"]).unwrap()).unwrap().model;
    let test = Table::dense(&ROWS[..4], &["-1.0", "-1", "1", "1.0"]).unwrap();
    assert_eq!(Evaluation::new(&model, &test).unwrap().error, 0.0);
}

#[test]
fn a_class_that_the_model_does_not_know_is_refused() {
    let message = |table: &Table| Evaluation::new(&compass(), table).unwrap_err().to_string();
    let foreign = Table::dense(&ROWS[..3], &["east", "south", "north"]).unwrap();
    assert_eq!(
        message(&foreign),
        "row 2: the model does not know the label \"south\": it knows \"east\", \"north\", \"west\""
    );

    // A class that is named but does not occur is accepted.
    let mut named = Table::dense(&ROWS[..2], &LABELS[..2]).unwrap();
    named.labels = Labels::new(vec!["east".into(), "south".into()]);
    assert_eq!(Evaluation::new(&compass(), &named).unwrap().error, 0.0);

    let mut wild = Table::dense(&ROWS, &LABELS).unwrap();
    wild.classes[3] = 7;
    assert_eq!(message(&wild), "row 4: class 7, where 3 classes are named");
    wild.classes.clear();
    assert_eq!(message(&wild), "6 rows beside 0 labels");
}

#[test]
fn the_json_has_an_object_with_the_classes_as_keys() {
    let table = Table::dense(&ROWS, &LABELS).unwrap();
    let evaluation = Evaluation::new(&compass(), &table).unwrap();
    let value = serde_json::to_value(&evaluation).unwrap();
    assert_eq!(value["per_class"]["west"], json!({ "precision": 1.0, "recall": 1.0, "f1": 1.0, "support": 2 }));
    assert_eq!(value["per_class"].as_object().unwrap().len(), 3);
    assert_eq!(evaluation.score_of("west").unwrap().recall, 1.0);
    assert_eq!(evaluation.score_of("south"), None);
}
