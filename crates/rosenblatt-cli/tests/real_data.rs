//! Real data sets through the binary, with the numbers that were promised.

#[path = "real_data/onnx.rs"]
mod onnx;
#[path = "real_data/pictures.rs"]
mod pictures;
#[path = "../../rosenblatt/tests/common/real_file.rs"]
mod real_file;
mod support;

use serde_json::Value;

use support::Bench;

/// The path of a data file.
fn data(name: &str) -> Option<String> {
    Some(real_file::find(name)?.canonicalize().unwrap().display().to_string())
}

fn error(report: &Value) -> f64 {
    report["error"].as_f64().unwrap()
}

#[test]
fn mushrooms_are_separated_within_the_bound() {
    let Some(mushrooms) = data("mushrooms/mushrooms.gz") else { return };
    let report = Bench::new().json(&format!("train {mushrooms} --learner perceptron --epochs 100 --json"));
    assert_eq!(report["stopped"], "separated", "{report}");
    assert_eq!(report["train_error"], 0.0);
    assert_eq!((&report["examples"], &report["features"]), (&Value::from(8124), &Value::from(112)));
    assert!(report["mistakes"].as_f64() <= report["bound"].as_f64(), "{report}");
}

#[test]
fn a9a_generalises() {
    let (Some(train), Some(test)) = (data("a9a/a9a.gz"), data("a9a/a9a.t.gz")) else { return };
    let bench = Bench::new();
    bench.run(&format!("train {train} -o m")).ok();
    let report = bench.json(&format!("eval m {test} --json"));
    assert_eq!(report["examples"], 16281);
    assert!(error(&report) <= 0.1515, "{report}");
}

#[test]
fn letters_of_twenty_six_classes() {
    let (Some(train), Some(test)) = (data("letter/letter.scale.gz"), data("letter/letter.scale.t.gz")) else { return };
    let bench = Bench::new();
    bench.run(&format!("train {train} --learner averaged --epochs 10 -o m")).ok();
    let report = bench.json(&format!("eval m {test} --json"));
    assert!(error(&report) <= 0.30, "{report}");
    let answers = bench.run(&format!("predict m {test}")).ok().out;
    assert_eq!(answers.lines().count(), 5000);
    assert!(answers.lines().all(|label| (1..=26).contains(&label.parse().unwrap())), "labels as written");
}

#[test]
fn iris_by_its_raw_file() {
    let Some(iris) = data("iris/iris.csv.gz") else { return };
    let bench = Bench::new();
    let report = bench.json(&format!("train {iris} --epochs 200 -o m --json"));
    let judged = bench.json(&format!("eval m {iris} --json"));
    assert_eq!(report["train_error"], judged["error"], "the same count, the same number");
    assert_eq!(report["classes"].as_array().unwrap().len(), 3);
    assert!(report["train_error"].as_f64().unwrap() <= 0.05, "{report}");
}

#[test]
fn sonar_is_separable_and_the_program_says_so() {
    let Some(sonar) = data("sonar/sonar.csv.gz") else { return };
    let report = Bench::new().json(&format!("train {sonar} --learner perceptron --epochs 100000 --json"));
    assert_eq!(report["stopped"], "separated", "{report}");
    assert_eq!(report["classes"], serde_json::json!(["M", "R"]));
}
