//! Certificates, from the finder to the checker that shares no code with it.

mod arrays;
mod audit;
mod columns;
mod labels;
mod objects;
mod odd;
#[path = "../../../rosenblatt/tests/common/real_file.rs"]
mod real_file;
#[path = "../../../../fuzz/fuzz_targets/same.rs"]
mod same;
mod statements;
#[path = "../support/mod.rs"]
mod support;

use std::io::Read as _;

use rayon::prelude::*;
use rosenblatt::certify::{Options, Question, Reading, Verdict, certificate, decide, exact_rows, signs};
use rosenblatt::io::Input;
use rosenblatt::read::{Format, Header, ReadOptions, read};
use rosenblatt_verify::verify;

use support::Bench;

/// Decides a file, `positive` against the rest, and has the certificate checked. Returns it with the verdict.
fn proved(input: &Input, options: &ReadOptions, positive: Option<&str>) -> (Verdict, String) {
    let dataset = read(input, options).unwrap();
    let labels = dataset.table.labels.names();
    let one = positive.map_or(1, |p| dataset.table.labels.find(p).unwrap());
    let question = Question {
        rows: dataset.table.matrix.rows().unwrap(),
        exact: exact_rows(input, &dataset).unwrap(),
        signs: signs(&dataset.table.classes, |class| if class == one { 1 } else { -1 }),
    };
    let decision = decide(&question, &Options::default()).unwrap();
    let (positive, negative) = labels.iter().cloned().partition(|name| *name == labels[one as usize]);
    let text = certificate(&decision, input, &dataset, &Reading { positive, negative, labels: None }).unwrap();
    let mut data = Vec::new();
    input.open().unwrap().read_to_end(&mut data).unwrap();
    let checked = verify(text.as_bytes(), &data).unwrap_or_else(|e| panic!("{}: {e}", input.name()));
    let expected = match decision.verdict {
        Verdict::Separable => "separable",
        Verdict::WeaklySeparable => "weakly-separable",
        Verdict::Inseparable => "inseparable",
        other => panic!("{}: {other:?}", input.name()),
    };
    assert_eq!(checked.verdict.to_string(), expected);
    (decision.verdict, text)
}

/// The truth table of a Boolean function of `inputs` bits as a file.
fn truth_table(inputs: u32, function: u64) -> Input {
    let mut text = String::new();
    for row in 0..1u64 << inputs {
        (0..inputs).for_each(|bit| text.push_str(&format!("{},", row >> bit & 1)));
        text.push_str(&format!("{}\n", function >> row & 1));
    }
    Input::memory(format!("function {function} of {inputs}"), text)
}

#[test]
fn of_all_boolean_functions_4_14_104_and_1882_are_separable_and_every_verdict_is_proved() {
    let options = ReadOptions { format: Some(Format::Csv), header: Header::No, ..ReadOptions::default() };
    for (inputs, count) in [(1u32, 4), (2, 14), (3, 104), (4, 1882)] {
        let functions = 1u64 << (1 << inputs);
        // The two constant functions have one class, and nothing to separate: any hyperplane far away will do.
        let separable = (1..functions - 1)
            .into_par_iter()
            .filter(|&function| proved(&truth_table(inputs, function), &options, None).0 == Verdict::Separable);
        assert_eq!(separable.count() + 2, count, "{inputs} inputs");
    }
}

fn data(file: &str) -> Option<Input> {
    real_file::find(file).map(Input::Path)
}

#[test]
fn real_data_are_decided_and_proved() {
    let cases = [
        ("mushrooms/mushrooms.gz", None, Verdict::Separable),
        ("sonar/sonar.csv.gz", None, Verdict::Separable),
        ("wine/wine.csv.gz", Some("1"), Verdict::Separable),
        ("wine/wine.csv.gz", Some("2"), Verdict::Separable),
        ("wine/wine.csv.gz", Some("3"), Verdict::Separable),
        ("iris/iris.csv.gz", Some("Iris-setosa"), Verdict::Separable),
        ("iris/iris.csv.gz", Some("Iris-virginica"), Verdict::Inseparable),
        ("banknote/banknote_authentication.csv.gz", None, Verdict::Inseparable),
        ("pima_diabetes/pima-indians-diabetes.csv.gz", None, Verdict::Inseparable),
        ("heart_scale/heart_scale.gz", None, Verdict::Inseparable),
        ("fourclass_scale/fourclass_scale.gz", None, Verdict::Inseparable),
        // A feature that only one class has leaves a hyperplane with nobody on the wrong side, and most on it.
        ("ionosphere/ionosphere.csv.gz", None, Verdict::WeaklySeparable),
        ("a9a/a9a.gz", None, Verdict::WeaklySeparable),
    ];
    for (file, positive, verdict) in cases {
        if let Some(input) = data(file) {
            assert_eq!(proved(&input, &ReadOptions::default(), positive).0, verdict, "{file}");
        }
    }
    // Its first line says how many rows and columns follow.
    if let Some(input) = data("breast_cancer_wisconsin/wdbc_sklearn.csv.gz") {
        let mut text = String::new();
        input.open().unwrap().read_to_string(&mut text).unwrap();
        let rest = Input::memory("wdbc.csv", text.split_once('\n').unwrap().1);
        assert_eq!(proved(&rest, &ReadOptions::default(), None).0, Verdict::Separable);
    }
}

/// Every text that differs in one digit.
fn one_digit_changed(text: &str) -> Vec<Vec<u8>> {
    let digits = text.bytes().enumerate().filter(|(_, b)| b.is_ascii_digit());
    let changed = digits.map(|(i, b)| {
        let mut other = text.as_bytes().to_vec();
        other[i] = if b == b'9' { b'0' } else { b + 1 };
        other
    });
    changed.collect()
}

#[test]
fn a_genuine_certificate_is_refused_with_any_digit_changed_and_beside_any_changed_value() {
    let tables =
        ["0.1,5,a\n0.2,3,b\n0.4,1,b\n-0.3,4,a\n", "0,0,n\n0,1,y\n1,0,y\n1,1,n\n", "0.1,a\n0.2,b\n0.2,a\n0.3,b\n"];
    for table in tables {
        let input = Input::memory("t.csv", table);
        let (_, text) = proved(&input, &ReadOptions::default(), None);
        for forged in one_digit_changed(&text) {
            assert!(verify(&forged, table.as_bytes()).is_err(), "{}", String::from_utf8_lossy(&forged));
        }
        for forged in one_digit_changed(table) {
            assert!(verify(text.as_bytes(), &forged).is_err(), "{}", String::from_utf8_lossy(&forged));
        }
    }
}

#[test]
fn a_time_limit_ends_with_the_bounds_so_far_and_exit_status_3() {
    // Labels that no line separates, in more rows than no time suffices for.
    let rows = (0..3000u32).map(|i| format!("{},{},{}\n", i * i % 1009, i * 7 % 1013, u8::from(i.is_multiple_of(3))));
    let bench = Bench::with("many.csv", rows.collect::<String>());
    let said = bench.run("separable many.csv --time-limit 0 --certificate proof.json --json");
    assert_eq!(said.code, Some(3));
    let json = said.json();
    assert_eq!((&json["verdict"], &json["witness"]), (&"undecided".into(), &serde_json::Value::Null));
    assert_eq!(json["margin"]["lower"], 0.0);
    assert!(json["margin"]["upper"].as_f64().unwrap() < 500.0, "{json}");
    assert!(said.err.contains("no certificate is written"), "{}", said.err);
    assert_eq!(bench.names(), ["many.csv"]);
    assert_eq!(bench.run("separable many.csv").code, Some(1));
    assert_eq!(bench.run("separable many.csv --time-limit -1").code, Some(2));
}

/// Four rows took 9.2 GB and 59 s under a time limit of 1 s: a null space of as many vectors as there are columns.
#[test]
fn wide_rows_that_contradict_each_other_are_answered_at_once() {
    let bench = Bench::with("four.svm", "+1 1:1\n-1 1:1\n+1 2:1\n-1 20000:1\n");
    let said = bench.run("separable four.svm --certificate proof.json --json --memory 64M");
    assert_eq!((said.code, &said.json()["verdict"]), (Some(1), &"weakly-separable".into()));
    assert_eq!(bench.run("verify proof.json four.svm").code, Some(0));

    // A hyperplane of so many weights does not fit: what two rows prove is saved without one.
    bench.file("far.svm", "+1 1:1\n-1 1:1\n+1 2:1\n-1 268435456:1\n");
    let said = bench.run("separable far.svm --certificate proof.json --json --memory 64M");
    let json = said.json();
    assert_eq!((said.code, &json["verdict"], &json["weak"]), (Some(1), &"not-separable".into(), &"undecided".into()));
    assert_eq!((&json["witness"], &json["checked"]), (&serde_json::json!([1, 2]), &"exact".into()));
    assert_eq!(bench.run("verify proof.json far.svm --json").json()["verdict"], "not-separable");
    let said = bench.run("separable far.svm --memory 64M");
    assert_eq!(said.code, Some(1));
    assert!(said.out.contains("whether one has none on the wrong side is undecided"), "{said}");
}

#[test]
fn what_the_checker_would_refuse_is_refused_before_the_work() {
    let bench = Bench::with("xor.csv", "0,0,n\n0,1,y\n1,0,y\n1,1,n\n");
    let said = bench.run("separable xor.csv --degree 70 --certificate proof.json");
    assert_eq!(said.code, Some(2));
    assert!(said.err.contains("64"), "{said}");
    let long = format!("0.{},a\n1,b\n2,a\n", "123456789".repeat(600));
    bench.file("long.csv", long);
    let said = bench.run("separable long.csv --certificate proof.json");
    assert_eq!(said.code, Some(2));
    assert!(said.err.contains("example 1") && said.err.contains("5,000 digits"), "{said}");
    assert!(!bench.names().contains(&"proof.json".to_string()));
}

#[test]
fn the_command_line_proves_and_checks() {
    let bench = Bench::with("xor.csv", "0,0,n\n0,1,y\n1,0,y\n1,1,n\n");
    let said = bench.run("separable xor.csv --certificate proof.json --json");
    assert_eq!(said.code, Some(1));
    let json = said.json();
    assert_eq!(json["verdict"], "inseparable");
    assert_eq!(json["witness"], serde_json::json!([1, 2, 3, 4]));
    assert_eq!(json["checked"], "exact");
    assert_eq!(bench.run("verify proof.json xor.csv").code, Some(0));

    let said = bench.run("separable xor.csv --degree 2 --certificate proof.json --json");
    assert_eq!(said.code, Some(0));
    let json = said.json();
    let (lower, upper) = (json["margin"]["lower"].as_f64().unwrap(), json["margin"]["upper"].as_f64().unwrap());
    assert!(lower <= 0.05f64.sqrt() && 0.05f64.sqrt() <= upper && upper - lower < 1e-6 * upper, "{lower} {upper}");
    assert_eq!(bench.run("verify proof.json xor.csv --degree 2").code, Some(0));

    bench.file("other.csv", "0,0,n\n0,1,y\n1,0,y\n1,1,y\n");
    let refused = bench.run("verify proof.json other.csv --json");
    assert_eq!(refused.code, Some(1));
    assert_eq!(refused.json()["verified"], false);
    assert_eq!(bench.run("verify nothing.json xor.csv").code, Some(2));
    assert_eq!(bench.run("separable xor.csv --minimal-degree").code, Some(0));
}
