//! Real files have the rows, features and classes that are known of them.

use rosenblatt::io::Input;
use rosenblatt::read::{Dataset, NeedLabels, ReadOptions, read, read_for};

use crate::{check, is_dense, real_file};

fn open(file: &str) -> Option<Input> {
    real_file::find(file).map(Input::Path)
}

fn whole(file: &str, rows: usize, features: usize, classes: &[usize]) -> Option<Dataset> {
    let data = read(&open(file)?, &ReadOptions::default()).unwrap_or_else(|e| panic!("{e}"));
    check(&data);
    assert_eq!((data.table.matrix.len(), data.table.matrix.features()), (rows, features), "{file}");
    let mut counts = vec![0; data.table.labels.len()];
    data.table.classes.iter().for_each(|&c| counts[c as usize] += 1);
    if classes.len() == 1 {
        assert_eq!(counts.len(), classes[0], "{file}");
    } else {
        assert_eq!(counts, classes, "{file}");
    }
    Some(data)
}

#[test]
fn libsvm_files() {
    whole("mushrooms/mushrooms.gz", 8124, 112, &[4208, 3916]);
    whole("letter/letter.scale.gz", 15000, 16, &[26]);
    whole("usps/usps_train.libsvm.gz", 7291, 256, &[10]);
    whole("heart_scale/heart_scale.gz", 270, 13, &[150, 120]);
    whole("w8a/w8a.gz", 49749, 300, &[48270, 1479]);
    whole("reuters_acq/train.dat.gz", 2000, 9947, &[1000, 1000]);
}

#[test]
fn a_test_file_fits_the_model_of_its_training_file() {
    let Some(train) = whole("a9a/a9a.gz", 32561, 123, &[24720, 7841]) else { return };
    let Some(test) = open("a9a/a9a.t.gz") else { return };
    let (schema, labels) = (&train.table.schema, &train.table.labels);
    let data = read_for(&test, &ReadOptions::default(), schema, labels, NeedLabels::Yes).unwrap();
    check(&data);
    assert_eq!((data.table.matrix.len(), data.table.matrix.features()), (16281, 123));
    assert_eq!(data.table.classes.iter().filter(|&&c| c == 1).count(), 3846);
}

#[test]
fn csv_files() {
    for (file, rows, features, classes) in [
        ("iris/iris.csv.gz", 150, 4, vec![50, 50, 50]),
        ("sonar/sonar.csv.gz", 208, 60, vec![111, 97]),
        ("wine/wine.csv.gz", 178, 13, vec![59, 71, 48]),
        ("electricity/electricity.csv.gz", 45312, 8, vec![26075, 19237]),
        ("ionosphere/ionosphere.csv.gz", 351, 34, vec![126, 225]),
        ("banknote/banknote_authentication.csv.gz", 1372, 4, vec![762, 610]),
    ] {
        if let Some(data) = whole(file, rows, features, &classes) {
            assert!(is_dense(&data), "{file}");
        }
    }
}

#[test]
fn numbers_without_a_leading_zero() {
    let Some(data) = whole("wine/wine.csv.gz", 178, 13, &[3]) else { return };
    assert_eq!(crate::dense(&data)[0][7], 0.28);
}

#[test]
fn the_header_of_electricity() {
    let Some(data) = whole("electricity/electricity.csv.gz", 45312, 8, &[2]) else { return };
    assert_eq!(data.table.schema.feature_names()[3], "nswprice");
    assert_eq!(data.table.labels.names(), ["DOWN", "UP"]);
}

#[test]
fn letters_come_first_in_the_raw_file() {
    let Some(input) = open("letter/letter-recognition.data.gz") else { return };
    let options = ReadOptions { label: Some("1".into()), ..ReadOptions::default() };
    let data = read(&input, &options).unwrap();
    assert_eq!((data.table.matrix.len(), data.table.matrix.features(), data.table.labels.len()), (20000, 16, 26));
}

#[test]
fn adult_has_missing_values() {
    let Some(input) = open("adult/adult.data.gz") else { return };
    let error = read(&input, &ReadOptions::default()).unwrap_err();
    let message =
        "column \"x14\" holds \"?\", a missing value: fill it in, pass missing zero, mean or indicator, or drop x14";
    assert_eq!(error.message(), message);
    let place = error.place().unwrap();
    assert_eq!((place.line, place.column), (Some(15), Some(116)));
    let options = ReadOptions { drop: ["x14", "x2", "x7"].map(String::from).to_vec(), ..ReadOptions::default() };
    let data = read(&input, &options).unwrap();
    check(&data);
    assert_eq!((data.table.matrix.len(), data.table.labels.names()[1].as_str()), (32561, ">50K"));
}

#[test]
fn a_line_before_the_table_is_a_ragged_row() {
    let Some(input) = open("breast_cancer_wisconsin/wdbc_sklearn.csv.gz") else { return };
    let message = read(&input, &ReadOptions::default()).unwrap_err().to_string();
    assert!(message.ends_with(".gz:2: 31 fields, where line 1 has 4: correct the row"), "{message}");
}
