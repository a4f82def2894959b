//! What nothing can be learned from is refused with a sentence, and never with a panic.

mod common;

use rosenblatt::fit::{ClassWeights, Start};
use rosenblatt::rows::{AnyRows, DenseMatrix, DenseRows, Examples, Matrix, SparseRows};
use rosenblatt::{Error, ErrorKind, Table, Trainer};

use common::{table, weights};

fn fine() -> Table {
    table(&[vec![1.0, 0.0], vec![0.0, 1.0], vec![1.0, 1.0]], &[0, 1, 1])
}

/// What every learner of the registry says to this table: the same, and it is about the data.
fn refusal(table: &Table) -> String {
    let messages: Vec<String> = rosenblatt::learn::learners::all()
        .map(|entry| {
            let error = Trainer::new(entry.name).fit(table).map(|_| ()).expect_err("this must be refused");
            assert_eq!(error.kind(), ErrorKind::Data, "{error}");
            error.to_string()
        })
        .collect();
    assert!(messages.iter().all(|m| *m == messages[0]), "{messages:?}");
    messages[0].clone()
}

fn message<T>(result: Result<T, Error>) -> String {
    result.map(|_| ()).expect_err("this must be refused").to_string()
}

#[test]
fn a_single_class_is_refused() {
    let one = Table::dense(&[[1.0], [2.0]], &["a", "a"]).unwrap();
    assert_eq!(refusal(&one), "all 2 examples have the label \"a\": at least two classes are needed");
}

#[test]
fn an_empty_table_is_refused() {
    let rows: [[f64; 2]; 0] = [];
    let labels: [&str; 0] = [];
    assert_eq!(refusal(&Table::dense(&rows, &labels).unwrap()), "no examples: the file holds no data rows");
}

#[test]
fn rows_without_features_are_refused() {
    let rows: [[f64; 0]; 2] = [[], []];
    let told = Table::dense(&rows, &["a", "b"]).unwrap_err().to_string();
    assert!(told.contains("no features"), "{told}");
}

#[test]
fn a_table_without_labels_is_refused() {
    let mut unlabelled = fine();
    unlabelled.classes.clear();
    assert_eq!(refusal(&unlabelled), "3 rows beside 0 labels");
}

#[test]
fn numbers_that_are_not_finite_are_refused_with_their_place() {
    for (bad, name) in [(f64::NAN, "NaN"), (f64::INFINITY, "inf"), (f64::NEG_INFINITY, "-inf")] {
        let refused = message(Table::dense(&[[1.0, 2.0], [3.0, bad]], &["a", "b"]));
        assert_eq!(refused, format!("row 2, feature 2: {name} is not a finite number"));
        let mut sneaked = fine();
        sneaked.matrix = Matrix::Dense(DenseMatrix { values: vec![1.0, 0.0, 0.0, bad, 1.0, 1.0], features: 2 });
        assert_eq!(refusal(&sneaked), format!("row 2, feature 2: {name} is not a finite number"));
        let refused = message(SparseRows::new(&[0, 1], &[0], &[bad], 1));
        assert_eq!(refused, format!("row 1, feature 1: {name} is not a finite number"));
    }
}

#[test]
fn ragged_rows_and_missing_labels_are_refused() {
    let refused = message(Table::dense(&[vec![1.0, 2.0], vec![3.0]], &["a", "b"]));
    assert_eq!(refused, "row 2: 1 values, where the first row has 2");
    assert_eq!(message(Table::dense(&[[1.0], [2.0]], &["a"])), "2 rows beside 1 labels");
    assert_eq!(message(DenseRows::new(&[1.0, 2.0, 3.0], 2)), "3 values do not fill whole rows of 2 features");
}

#[test]
fn sparse_rows_that_contradict_themselves_are_refused() {
    let rows = |offsets: &[usize], indices: &[u32], features| {
        message(SparseRows::new(offsets, indices, &vec![1.0; indices.len()], features))
    };
    assert_eq!(rows(&[0, 2], &[1, 1], 3), "row 1: feature 1 after 1: indices must increase");
    assert_eq!(rows(&[0, 2], &[0, 3], 3), "row 1: feature 3 of 3");
    assert_eq!(rows(&[0, 2, 1, 2], &[0, 1], 3), "row 2: offsets decrease from 2 to 1");
    assert_eq!(rows(&[0, 1], &[0, 1], 3), "row offsets must run from 0 to 2");
    assert_eq!(rows(&[], &[], 3), "row offsets must run from 0 to 0");
    assert_eq!(message(SparseRows::new(&[0, 1], &[0], &[1.0, 2.0], 3)), "1 indices beside 2 values");
}

#[test]
fn a_class_that_has_no_name_is_refused() {
    let mut table = fine();
    table.classes[1] = 7;
    assert_eq!(refusal(&table), "row 2: class 7, where 2 classes are named");
}

#[test]
fn weights_must_be_finite_and_not_negative() {
    for (bad, name) in [(-1.0, "-1"), (f64::NAN, "NaN"), (f64::INFINITY, "inf")] {
        let mut table = fine();
        table.weights = Some(vec![1.0, bad, 1.0]);
        assert_eq!(refusal(&table), format!("row 2: weight {name} must be finite and not negative"));
    }
    let mut table = fine();
    table.weights = Some(vec![1.0]);
    assert_eq!(refusal(&table), "3 rows beside 1 weights");
}

#[test]
fn class_weights_must_name_a_class_and_be_zero_or_more() {
    let given = |label: &str, weight| {
        let weights = ClassWeights::Given([(label.to_string(), weight)].into());
        message(Trainer::new("perceptron").class_weights(weights).fit(&fine()))
    };
    assert_eq!(given("maybe", 1.0), "class weight for \"maybe\": the data have \"-\", \"+\"");
    assert_eq!(given("+", -1.0), "class weight +=-1 must be zero or more");
    assert_eq!(given("+", f64::NAN), "class weight +=NaN must be zero or more");
}

#[test]
fn a_start_vector_must_fit_the_data() {
    let refused = message(Trainer::new("perceptron").start(Start::At(weights(&[vec![1.0; 4]], true))).fit(&fine()));
    assert_eq!(refused, "the start vector has 3 features for 1 outputs: the data have 2 for 1");
    let refused =
        message(Trainer::new("perceptron").start(Start::At(weights(&[vec![1.0; 3], vec![1.0; 3]], true))).fit(&fine()));
    assert_eq!(refused, "the start vector has 2 features for 2 outputs: the data have 2 for 1");
}

#[test]
fn a_start_vector_must_be_finite() {
    let start = Start::At(weights(&[vec![f64::NAN, 0.0, 0.0]], true));
    for entry in rosenblatt::learn::learners::all() {
        for epochs in [0, 1] {
            let trainer = Trainer::new(entry.name).start(start.clone()).epochs(epochs);
            assert!(trainer.fit(&fine()).is_err(), "{} after {epochs} passes", entry.name);
        }
    }
}

#[test]
fn values_that_overflow_are_an_error_and_not_a_broken_model() {
    // The perceptron of 1e308 and 1e308 is twice that; others step less far, and must end with finite weights.
    let data = table(&[vec![1e308, 1.0], vec![1e308, -1.0], vec![-1e308, 3.0]], &[1, 1, 0]);
    let data = Table { classes: vec![1, 0, 1], ..data };
    common::each_learner(|name, trainer, classes| {
        if classes == 2 {
            match trainer.epochs(20).fit(&data) {
                Ok(fitted) => assert!(fitted.model.hypothesis.hyperplane().is_finite(), "{name}"),
                Err(error) => assert!(error.to_string().contains("overflowed"), "{name}: {error}"),
            }
        }
    });
}

#[test]
fn a_row_of_another_width_is_refused_by_a_model() {
    let model = Trainer::new("averaged").fit(&fine()).unwrap().model;
    assert_eq!(message(model.predict(&[1.0])), "a row of 1 values: the model has 2 features");
    let wide = AnyRows::DenseF64(DenseRows::new(&[1.0, 2.0, 3.0], 3).unwrap());
    assert_eq!(message(model.classify_all(wide)), "rows of 3 features: the model has 2");
    assert_eq!(message(model.score_all(wide)), "rows of 3 features: the model has 2");
    assert!(model.classify_all(AnyRows::DenseF64(DenseRows::new(&[], 2).unwrap())).unwrap().is_empty());
}

#[test]
fn examples_must_have_as_many_classes_as_rows() {
    let rows = AnyRows::DenseF64(DenseRows::new(&[1.0, 2.0], 1).unwrap());
    assert_eq!(message(Examples::new(rows, &[0], None)), "2 rows beside 1 labels");
}
