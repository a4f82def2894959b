//! The README says what the program does.

#[path = "../../rosenblatt/tests/common/real_file.rs"]
mod real_file;

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
        let entry = rosenblatt::learn::learners::find(row[0].trim_matches('`')).expect("a learner of the registry");
        assert_eq!(row[1..], [entry.summary, entry.guarantee], "{}", entry.name);
    }
}

/// The first listing of the library's documentation is a test that runs: the README shows its lines.
#[test]
fn the_rust_that_it_shows_is_what_the_library_runs() {
    let library = Path::new(env!("CARGO_MANIFEST_DIR")).join("../rosenblatt/src/lib.rs");
    let library = std::fs::read_to_string(library).unwrap();
    let readme = readme();
    let shown = readme.split("```rust\n").nth(1).expect("a listing in Rust").split("```").next().unwrap();
    assert!(shown.lines().count() >= 5);
    let written: String = shown.lines().map(|line| format!("//! {line}").trim_end().to_string() + "\n").collect();
    assert!(library.contains(&written), "{written}");
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

/// The lines that it shows below a command, run where the real data lie. What depends on the place is left out.
#[test]
fn the_reports_that_it_shows_are_what_is_printed() {
    let readme = readme();
    let folder = tempfile::tempdir().unwrap();
    for (file, place) in [("mushrooms.gz", "mushrooms"), ("sonar.csv.gz", "sonar")] {
        let Some(source) = real_file::find(&format!("{place}/{file}")) else { continue };
        std::fs::copy(&source, folder.path().join(file)).unwrap();
        let shown = readme.split("$ rosenblatt ").find(|part| part.contains(file)).expect("a command on this file");
        let (command, lines) = shown.split("```").next().unwrap().split_once('\n').unwrap();
        let run = Command::new(env!("CARGO_BIN_EXE_rosenblatt"))
            .args(command.split_whitespace())
            .current_dir(folder.path())
            .output()
            .unwrap();
        let printed = String::from_utf8(run.stdout).unwrap();
        for line in lines.lines() {
            assert!(printed.lines().any(|p| p == line), "{line}\n--- printed:\n{printed}");
        }
    }
}

/// The pictures are what its commands draw, to the byte.
#[test]
fn the_pictures_are_what_its_commands_draw() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = tempfile::tempdir().unwrap();
    let readme = readme();
    let commands: Vec<&str> = readme.split("`rosenblatt ").skip(1).filter_map(|part| part.split('`').next()).collect();
    let drawn: Vec<&str> = commands.into_iter().filter(|c| c.starts_with("plot ") && c.contains(" -o docs/")).collect();
    assert_eq!(drawn.len(), 2, "{drawn:?}");
    for command in drawn {
        let (what, picture) = command.split_once(" -o ").unwrap();
        let out = folder.path().join("new.svg");
        let mut run = Command::new(env!("CARGO_BIN_EXE_rosenblatt"));
        let run = run.args(what.split_whitespace()).arg("-o").arg(&out).current_dir(&root).output().unwrap();
        assert!(run.status.success(), "{command}");
        let (new, old) = (std::fs::read_to_string(out).unwrap(), std::fs::read_to_string(root.join(picture)).unwrap());
        assert!(new == old, "{picture} is not what `rosenblatt {command}` draws: draw it again, and look at it");
        assert!(readme.contains(&format!("<img src=\"{picture}\"")), "{picture}");
    }
}
