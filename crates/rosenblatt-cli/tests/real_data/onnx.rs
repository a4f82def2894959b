//! Exported models in onnxruntime: the same labels as ours.
//!
//! onnxruntime is installed into a virtual environment below the target folder, the first time from the network.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use serde_json::Value;

use crate::support::Bench;

fn run(program: &Path, args: &[&str]) -> std::io::Result<Output> {
    Command::new(program).args(args).output()
}

/// A Python with onnxruntime; the tests of this file run side by side, and one of them makes it for all.
fn python() -> Option<PathBuf> {
    static MADE: OnceLock<Option<PathBuf>> = OnceLock::new();
    MADE.get_or_init(make_python).clone()
}

/// Makes it, or says loudly why there is none.
fn make_python() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("onnx-venv");
    let python = folder.join("bin/python");
    let ready = || run(&python, &["-c", "import numpy, onnxruntime"]).is_ok_and(|o| o.status.success());
    if !ready() {
        let make = run(Path::new("python3"), &["-m", "venv", &folder.display().to_string()]);
        let install = make.and_then(|_| run(&python, &["-m", "pip", "install", "-q", "numpy", "onnxruntime"]));
        if !ready() {
            let why =
                install.map(|o| String::from_utf8_lossy(&o.stderr).into_owned()).unwrap_or_else(|e| e.to_string());
            eprintln!("SKIPPED: no onnxruntime, so exported models were not compared: {why}");
            return None;
        }
    }
    Some(python)
}

fn script(python: &Path, args: &[&str]) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/real_data/onnx.py").display().to_string();
    let output = run(python, &[&[path.as_str()], args].concat()).unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Trains on one file, predicts another here and there, and compares.
fn compared(python: &Path, bench: &Bench, train: &str, test: &str, options: &str) -> Value {
    bench.run(&format!("train {train} {options} -o m")).ok();
    bench.run("export m --to onnx m.onnx").ok();
    bench.run("export m --to text m.txt").ok();
    bench.run(&format!("predict m {test} -o labels.txt")).ok();
    let place = |name: &str| bench.path(name).display().to_string();
    let args = [place("m.onnx"), place("m.txt"), place(test), place("labels.txt")];
    let args: Vec<&str> = std::iter::once("compare").chain(args.iter().map(String::as_str)).collect();
    let told: Value = serde_json::from_str(&script(python, &args)).unwrap();
    eprintln!("onnxruntime beside ours on {test} {options}: {told}");
    told
}

#[test]
fn iris_has_the_same_labels_in_onnxruntime() {
    let (Some(iris), Some(python)) = (super::data("iris/iris.csv.gz"), python()) else { return };
    let bench = Bench::new();
    bench.run(&format!("convert {iris} iris.csv")).ok();
    for options in ["--epochs 50", "--learner pa1 --multiclass one-vs-rest", "--learner perceptron"] {
        let told = compared(&python, &bench, "iris.csv", "iris.csv", options);
        assert_eq!((told["rows"].as_u64(), told["differ"].as_u64()), (Some(150), Some(0)), "{told}");
    }
    // Two classes: two rows of coefficients.
    let two: String =
        bench.text("iris.csv").lines().filter(|l| !l.contains("setosa")).map(|l| format!("{l}\n")).collect();
    bench.file("two.csv", two);
    for options in ["--epochs 50", "--tie negative --positive Iris-versicolor"] {
        let told = compared(&python, &bench, "two.csv", "two.csv", options);
        assert_eq!((told["rows"].as_u64(), told["differ"].as_u64()), (Some(100), Some(0)), "{told}");
    }
}

/// float32 may turn a near tie: every label that differs must lie within the rounding of one.
#[test]
fn ten_thousand_digits_have_the_same_labels_in_onnxruntime() {
    let (Some(images), Some(python)) = (super::data("mnist/t10k-images-idx3-ubyte.gz"), python()) else { return };
    let folder = Path::new(&images).parent().unwrap().display().to_string();
    let bench = Bench::new();
    for (name, count, out) in [("train", "20000", "train.svm"), ("t10k", "10000", "test.svm")] {
        script(&python, &["images", &folder, name, count, &bench.path(out).display().to_string()]);
    }
    for options in ["--epochs 3", "--learner perceptron --epochs 3"] {
        let told = compared(&python, &bench, "train.svm", "test.svm", options);
        assert_eq!(told["rows"], 10_000, "{told}");
        assert_eq!(told["differ"], told["within_rounding"], "{told}");
        assert!(told["differ"].as_u64().unwrap() <= 2, "{told}");
    }
}

/// Columns of categories were refused; each column is an input of its own now.
#[test]
fn a_census_has_the_same_labels_in_onnxruntime() {
    let (Some(adult), Some(python)) = (super::data("adult/adult.test.gz"), python()) else { return };
    let bench = Bench::new();
    script(&python, &["census", &adult, "3000", &bench.path("adult.csv").display().to_string()]);
    let options = ["--epochs 5", "--epochs 5 --scale unit", "--epochs 5 --scale standard --min-count 20"];
    same_labels(&python, &bench, "adult.csv", &options);
}

/// Columns with missing values were refused: they are NaN and empty texts now.
#[test]
fn a_census_with_gaps_has_the_same_labels_in_onnxruntime() {
    let (Some(adult), Some(python)) = (super::data("adult/adult.test.gz"), python()) else { return };
    let bench = Bench::new();
    script(&python, &["gaps", &adult, "3000", &bench.path("adult.csv").display().to_string()]);
    let options = [
        "--epochs 5 --missing zero",
        "--epochs 5 --missing mean",
        "--epochs 5 --missing indicator",
        "--epochs 5 --missing mean --scale unit --min-count 20",
    ];
    same_labels(&python, &bench, "adult.csv", &options);
}

/// Texts were refused: the runtime cuts and counts the words itself.
#[test]
fn messages_have_the_same_labels_in_onnxruntime() {
    let (Some(sms), Some(python)) = (super::data("sms_spam/SMSSpamCollection.tsv.gz"), python()) else { return };
    let bench = Bench::new();
    script(&python, &["messages", &sms, "3000", &bench.path("sms.csv").display().to_string()]);
    let options = [
        "--text message",
        "--text message --ngrams 2 --scale none",
        "--text message --ngrams 3 --tf binary --min-count 2",
        "--text message --tf log --scale none",
    ];
    same_labels(&python, &bench, "sms.csv", &options);
}

/// Trains on a file, and compares the labels of all its rows.
fn same_labels(python: &Path, bench: &Bench, file: &str, options: &[&str]) {
    for options in options {
        bench.run(&format!("train {file} {options} -o m")).ok();
        bench.run("export m --to onnx m.onnx").ok();
        let ours = bench.run(&format!("predict m {file}")).ok().out;
        let place = |name: &str| bench.path(name).display().to_string();
        let theirs = script(python, &["columns", &place("m.onnx"), &place(file)]);
        let differ = ours.lines().zip(theirs.lines()).filter(|(a, b)| a != b).count();
        eprintln!("onnxruntime beside ours on {file} {options}: {differ} of {} differ", ours.lines().count());
        assert_eq!(ours.lines().count(), theirs.lines().count());
        // float32 may turn a near tie.
        assert!(differ <= 3, "{options}: {differ}");
    }
}
