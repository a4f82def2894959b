//! The README says what the program does.

use std::path::Path;
use std::process::Command;

fn readme() -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md")).unwrap()
}

#[test]
fn the_table_of_learners_is_what_the_registry_says() {
    let readme = readme();
    let table = readme.split("| learner | what it does | what is proved |").nth(1).expect("a table of learners");
    let rows: Vec<Vec<&str>> = table
        .lines()
        .skip(2)
        .take_while(|line| line.starts_with('|'))
        .map(|line| line.trim_matches('|').split(" | ").map(str::trim).collect())
        .collect();
    assert!(rows.len() >= 10, "{rows:?}");
    for row in rows {
        let entry = rosenblatt::learner::find(row[0].trim_matches('`')).expect("a learner of the registry");
        assert_eq!(row[1..], [entry.summary, entry.guarantee], "{}", entry.name);
    }
}

#[test]
fn the_picture_is_what_the_demo_draws() {
    let output = Command::new(env!("CARGO_BIN_EXE_rosenblatt")).args(["demo", "iris"]).output().unwrap();
    let drawn = String::from_utf8(output.stdout).unwrap();
    let readme = readme();
    let shown = readme.split("$ rosenblatt demo iris\n").nth(1).unwrap().split("```").next().unwrap();
    for line in shown.lines() {
        assert!(drawn.lines().any(|d| d == line), "{line}");
    }
}

#[test]
fn every_command_that_it_shows_exists() {
    let readme = readme();
    let shown = readme.lines().filter_map(|l| l.trim_start_matches("$ ").strip_prefix("rosenblatt "));
    for command in shown.filter_map(|l| l.split_whitespace().next()) {
        let run = Command::new(env!("CARGO_BIN_EXE_rosenblatt")).args(["help", command]).output().unwrap();
        assert!(run.status.success(), "{command}");
    }
}
