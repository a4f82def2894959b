//! The files of digests: a line for each written file, `case file sha256`.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use crate::run::{Case, Digests};

fn path(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bytes").join(file)
}

fn read(file: &str) -> BTreeMap<String, Digests> {
    let text = std::fs::read_to_string(path(file)).unwrap_or_default();
    let mut all: BTreeMap<String, Digests> = BTreeMap::new();
    for line in text.lines() {
        let [case, file, digest] = line.split(' ').collect::<Vec<_>>()[..] else { panic!("{file}: {line}") };
        all.entry(case.to_string()).or_default().insert(file.to_string(), digest.to_string());
    }
    all
}

/// Compares the digests of the cases with the file, or writes it; `known` cases that did not run keep their lines.
pub fn compare(file: &str, known: &[String], cases: &[Case], outcomes: &[Result<Digests, String>]) {
    let mut expected = read(file);
    let mut faults = String::new();
    let write = std::env::var_os("ROSENBLATT_BYTES_WRITE").is_some();
    for (case, outcome) in cases.iter().zip(outcomes) {
        match outcome {
            Err(told) => writeln!(faults, "{}: failed: {told}", shown(case)).unwrap(),
            Ok(got) if write => drop(expected.insert(case.name.clone(), got.clone())),
            Ok(got) => differences(case, expected.get(&case.name).unwrap_or(&Digests::new()), got, &mut faults),
        }
    }
    assert!(faults.is_empty(), "other bytes than before:\n{faults}");
    if write {
        expected.retain(|name, _| known.contains(name));
        let mut text = String::new();
        for (case, files) in &expected {
            files.iter().for_each(|(name, digest)| writeln!(text, "{case} {name} {digest}").unwrap());
        }
        std::fs::write(path(file), text).unwrap();
    }
}

fn shown(case: &Case) -> String {
    let lines: Vec<String> = case.lines.iter().map(|line| format!("    rosenblatt {line}")).collect();
    format!("{}\n{}\n ", case.name, lines.join("\n"))
}

fn differences(case: &Case, expected: &Digests, got: &Digests, faults: &mut String) {
    let names: std::collections::BTreeSet<&String> = expected.keys().chain(got.keys()).collect();
    for name in names {
        let [before, now] = [expected, got].map(|of| of.get(name).map_or("no such file", String::as_str));
        if before != now {
            writeln!(faults, "{} {name}: expected {before}, got {now}", shown(case)).unwrap();
        }
    }
}
