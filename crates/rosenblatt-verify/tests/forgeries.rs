//! Certificates whose `reading` was changed (`forgeries/make.py`): their arithmetic is right where the changed reading allows
//! a proof, but they are about other rows, columns or labels than anyone takes them for. Each is refused, or announced as
//! departing from the plain reading, by this crate and by examples/verify_certificate.py, which agree.

#![allow(clippy::print_stderr)]

use std::path::Path;
use std::process::Command;

use rosenblatt_verify::{verify, verify_with_labels};
use serde_json::Value;

fn here(path: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path).display().to_string()
}

fn corpus() -> Vec<Value> {
    let text = std::fs::read_to_string(here("tests/forgeries/corpus.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The bytes that a text of Latin-1 characters stands for.
fn bytes(text: &Value) -> Vec<u8> {
    text.as_str().unwrap().chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect()
}

fn outcome(case: &Value) -> String {
    let (certificate, data) = (bytes(&case["certificate"]), bytes(&case["data"]));
    let checked = match case.get("labels") {
        Some(labels) => verify_with_labels(&certificate, &data, &bytes(labels)),
        None => verify(&certificate, &data),
    };
    match checked {
        Ok(proved) if proved.statement.departures().is_empty() => "proved".into(),
        Ok(proved) => format!("departs: {}", proved.statement),
        Err(refusal) => format!("refused: {refusal}"),
    }
}

#[test]
fn no_forgery_is_accepted_in_silence() {
    let corpus = corpus();
    assert!(corpus.len() > 500, "{}", corpus.len());
    let outcomes: Vec<String> = corpus.iter().map(outcome).collect();
    for (case, outcome) in corpus.iter().zip(&outcomes) {
        assert_ne!(outcome, "proved", "{case}");
    }
    let departs = outcomes.iter().filter(|outcome| outcome.starts_with("departs")).count();
    assert!(departs > 150, "{departs} forgeries are right in their arithmetic");
}

#[test]
fn the_python_script_agrees_on_every_forgery() {
    let script = here("../../examples/verify_certificate.py");
    let corpus_file = here("tests/forgeries/corpus.jsonl");
    let ran = Command::new("python3").args([&here("tests/forgeries/run.py"), &script, &corpus_file]).output();
    let Ok(ran) = ran else {
        eprintln!("SKIPPED: there is no python3 here, so examples/verify_certificate.py was not run on the forgeries");
        return;
    };
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let said = String::from_utf8(ran.stdout).unwrap();
    let (corpus, said): (Vec<Value>, Vec<&str>) = (corpus(), said.lines().collect());
    assert_eq!(corpus.len(), said.len());
    for (case, said) in corpus.iter().zip(said) {
        let (ours, theirs) = (outcome(case), said.trim_matches(['\'', '"']));
        let kind = |text: &str| text.split(':').next().map(str::to_string);
        assert_eq!(kind(&ours), kind(theirs), "{case}\n{ours}\n{theirs}");
    }
}

#[test]
fn what_departs_is_said_first_and_in_words() {
    let find = |name: &str| {
        let case = corpus().into_iter().find(|case| case["name"] == name);
        outcome(&case.unwrap_or_else(|| panic!("no forgery {name}")))
    };
    let header = find("xor: the other header");
    assert!(header.contains("the first row is left out as a header, but it is an example"), "{header}");
    let none = find("xor: no columns");
    assert!(none.starts_with("departs: departs: columns 1, 2 are left out") || none.starts_with("refused"), "{none}");
    let other = corpus().into_iter().filter(|case| case["name"].as_str().unwrap().starts_with("banana: as a table"));
    let said: Vec<String> = other.map(|case| outcome(&case)).filter(|said| said.starts_with("departs")).collect();
    let few = said.iter().filter(|said| said.contains("of 5 rows are left out: their labels, such as ")).count();
    assert!(few > 2, "{few}");
    for said in said {
        assert!(said.contains("the data are a table divided by ':', not LIBSVM text"), "{said}");
    }
}
