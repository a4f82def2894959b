//! The root holds what a Rust user needs, and no more: at most 100 items, each documented, and no other public module
//! that documentation shows than the tutorial.

#![allow(clippy::print_stdout, reason = "the counts are shown with --nocapture")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

const MOST: usize = 100;

fn lib() -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs")).unwrap()
}

/// The names that `pub use` brings to the root, renamed ones by their new name.
fn root_items(text: &str) -> Vec<String> {
    let mut items = Vec::new();
    for statement in text.split("pub use ").skip(1) {
        let statement = statement.split(';').next().unwrap();
        let list = match statement.split_once('{') {
            Some((_, list)) => list.trim_end().trim_end_matches('}').to_string(),
            None => statement.rsplit("::").next().unwrap().to_string(),
        };
        let names = list.split(',').map(str::trim).filter(|name| !name.is_empty());
        items.extend(names.map(|name| name.rsplit(" as ").next().unwrap().to_string()));
    }
    items
}

#[test]
fn the_root_is_small() {
    let items = root_items(&lib());
    println!("{} items at the root", items.len());
    assert!(items.len() >= 60, "{items:?}");
    assert!(items.len() <= MOST, "{} items at the root: {items:?}", items.len());
    assert_eq!(items.iter().collect::<BTreeSet<_>>().len(), items.len(), "a name twice");
    assert!(items.iter().all(|name| name.chars().all(|c| c.is_alphanumeric() || c == '_')), "{items:?}");
    for needed in ["Trainer", "Model", "Table", "Evaluation", "Tagger", "separable", "trace", "OnlineTrainer", "Rule"] {
        assert!(items.iter().any(|name| name == needed), "{needed}");
    }
}

#[test]
fn every_module_but_the_tutorial_is_hidden() {
    let text = lib();
    let lines: Vec<&str> = text.lines().collect();
    let shown: Vec<&str> = (1..lines.len())
        .filter(|&i| lines[i].starts_with("pub mod ") && lines[i - 1] != "#[doc(hidden)]")
        .map(|i| lines[i])
        .collect();
    assert_eq!(shown, ["pub mod tutorial;"]);
}

/// The source lines before a definition that document it.
fn documentation(name: &str, sources: &[String]) -> Option<String> {
    let kinds = ["struct", "enum", "trait", "fn", "type"];
    for text in sources {
        let lines: Vec<&str> = text.lines().collect();
        let defines = |line: &str| {
            kinds.iter().any(|kind| {
                let rest =
                    line.strip_prefix("pub ").and_then(|l| l.strip_prefix(kind)).and_then(|l| l.strip_prefix(' '));
                let rest = rest.and_then(|l| l.strip_prefix(name));
                rest.is_some_and(|l| !l.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
            })
        };
        if let Some(at) = lines.iter().position(|line| defines(line)) {
            let above = lines[..at].iter().rev().take_while(|l| l.starts_with("///") || l.starts_with('#'));
            return Some(above.copied().collect::<Vec<_>>().join("\n"));
        }
    }
    None
}

fn sources(folder: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(fs::read_to_string(&path).unwrap());
        }
    }
}

#[test]
fn what_one_calls_first_has_an_example_that_runs() {
    let mut all = Vec::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut all);
    for name in [
        "Trainer",
        "Evaluation",
        "IntoRows",
        "ParamValue",
        "separable",
        "trace",
        "OnlineTrainer",
        "TaggerTrainer",
        "Observer",
        "Order",
        "ClassWeights",
        "cross_validate",
        "Split",
        "calibrate",
        "Preparation",
        "Rule",
        "Explainer",
        "onnx",
        "ReadOptions",
        "examine",
        "Start",
        "Bias",
    ] {
        let text = documentation(name, &all).unwrap_or_else(|| panic!("{name} is defined nowhere"));
        assert!(text.contains("/// ```"), "{name} has no example:\n{text}");
    }
}
