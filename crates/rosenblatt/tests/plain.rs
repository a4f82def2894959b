//! The library and the Python package name no flag of the command line: settings are values, and each front end words them.

use std::fs;
use std::path::{Path, PathBuf};

fn sources(folder: &Path, endings: &[&str], found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, endings, found);
        } else if path.extension().is_some_and(|e| endings.iter().any(|ending| e == *ending)) {
            found.push(path);
        }
    }
}

/// Whether a line names a flag: `--word` where a word begins, or a short one such as `-o` behind a command.
fn names_a_flag(line: &str) -> bool {
    let long = line.match_indices("--").any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + 2..].chars().next();
        before != Some('-') && after.is_some_and(|c| c.is_ascii_lowercase())
    });
    let short = line.split("rosenblatt ").skip(1).any(|rest| {
        let command = rest.split(['`', '"', '.', ',']).next().unwrap_or("");
        command
            .split_whitespace()
            .any(|word| word.len() == 2 && word.starts_with('-') && word.ends_with(|c: char| c.is_ascii_lowercase()))
    });
    long || short
}

fn flags_below(folder: &str, endings: &[&str], fewest: usize) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = Vec::new();
    sources(&root.join(folder), endings, &mut files);
    assert!(files.len() >= fewest, "the sources in {folder} were not found");
    let mut found = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        let shown = file.strip_prefix(&root).unwrap().display().to_string();
        let lines = (1..).zip(text.lines()).filter(|(_, line)| names_a_flag(line));
        found.extend(lines.map(|(number, line)| format!("{shown}:{number}: {}", line.trim())));
    }
    found
}

#[test]
fn the_library_names_no_flag() {
    let found = flags_below("crates/rosenblatt/src", &["rs"], 100);
    assert!(found.is_empty(), "name a `Setting` instead:\n{}", found.join("\n"));
}

#[test]
fn the_python_package_names_no_flag() {
    let found = flags_below("python/rosenblatt", &["py", "pyi"], 10);
    assert!(found.is_empty(), "name a parameter instead:\n{}", found.join("\n"));
}

#[test]
fn flags_are_told_from_rules_and_arrows() {
    for flag in ["pass --missing zero", "`--label`", "(--set rate=1)", "as `rosenblatt predict -o` does"] {
        assert!(names_a_flag(flag), "{flag}");
    }
    for other in ["// ---- rows", "a --> b", "|---|---|", "trim_start_matches(\"--\")", "x - 1", "rosenblatt-cli -o"] {
        assert!(!names_a_flag(other), "{other}");
    }
}
