//! Every file in the folder `hostile` is refused: status 2, one line that names the file, and nothing else.
//!
//! `expected.txt` holds that line for each file, so that a change of wording is seen. After a change that is meant:
//! `ROSENBLATT_BLESS=1 cargo test -p rosenblatt-cli --test hostile`, and read the difference.

#[path = "support/forge.rs"]
mod forge;
mod support;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use support::{Bench, Ran, SVM, command, finish, names_in};

const EXPECTED: &str = "expected.txt";
/// Small files only: people review them.
const LARGEST: u64 = 2048;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hostile")
}

fn files() -> Vec<String> {
    names_in(&folder()).into_iter().filter(|name| name != EXPECTED && !name.starts_with('.')).collect()
}

fn is_model(name: &str) -> bool {
    name.ends_with(".model") || name.ends_with(".model.json")
}

/// Runs in the folder, so that messages name the file and nothing of this machine.
fn run(args: &[&str]) -> Ran {
    finish(&args.join(" "), command(&folder(), args).spawn().unwrap(), b"")
}

#[test]
fn each_file_is_refused_with_one_clear_line() {
    let rows = Bench::with("rows.svm", SVM);
    let rows = rows.path("rows.svm").display().to_string();
    let mut found = BTreeMap::new();
    for name in files() {
        assert!(std::fs::metadata(folder().join(&name)).unwrap().len() < LARGEST, "{name} is too large");
        let commands: &[&[&str]] = if is_model(&name) {
            &[
                &["inspect", &name],
                &["predict", &name, &rows],
                &["eval", &name, &rows],
                &["export", &name, "--to", "text", "-"],
            ]
        } else if name.ends_with(".checkpoint") {
            &[&["train", &rows, "--resume", &name], &["train", &rows, "--resume", &name, "--epochs", "3"]]
        } else {
            &[&["train", &name], &["trace", &name], &["train", &name, "--json"]]
        };
        let lines: Vec<String> = commands.iter().map(|args| run(args).refused()).collect();
        assert!(lines.iter().all(|line| *line == lines[0]), "{name}: {lines:#?}");
        // A list of all learners would change with every new one.
        let line = lines[0].split(" choose one of").next().unwrap_or_default().to_string();
        assert!(line.starts_with(&format!("error: {name}:")), "{line} must begin with the name of the file");
        assert!(line.is_ascii() || !line.chars().any(char::is_control), "{line:?}");
        found.insert(name, line);
    }
    assert!(found.len() >= 70, "{} files", found.len());

    let mut table = String::new();
    found.iter().for_each(|(name, line)| writeln!(table, "{name}\t{line}").unwrap());
    let place = folder().join(EXPECTED);
    if std::env::var_os("ROSENBLATT_BLESS").is_some() {
        std::fs::write(&place, &table).unwrap();
    }
    let expected = std::fs::read_to_string(&place).unwrap_or_default();
    let changed: Vec<(&str, &str)> = {
        let (old, new): (Vec<&str>, Vec<&str>) = (expected.lines().collect(), table.lines().collect());
        let lost = old.iter().filter(|line| !new.contains(line)).map(|line| ("expected", *line));
        let made = new.iter().filter(|line| !old.contains(line)).map(|line| ("found", *line));
        lost.chain(made).collect()
    };
    assert!(changed.is_empty(), "messages differ from {EXPECTED}: {changed:#?}");
}

/// Read as another format, a file may be valid data; it must never crash the program.
#[test]
fn each_file_is_survived_in_every_format() {
    for name in files() {
        for format in ["libsvm", "csv", "tsv"] {
            let ran = run(&["train", &name, "--format", format, "--epochs", "2", "--header", "no"]);
            match ran.code {
                Some(0) => {}
                _ => assert!(ran.clone().refused().contains(&name), "{ran}"),
            }
        }
    }
}

/// An invalid model is no starting point for training, and a model is no checkpoint.
#[test]
fn each_model_file_is_refused_as_a_start_and_as_a_checkpoint() {
    let rows = Bench::with("rows.svm", SVM);
    let rows = rows.path("rows.svm").display().to_string();
    for name in files().into_iter().filter(|name| is_model(name)) {
        let line = run(&["train", &rows, "--init", &name]).refused();
        assert!(line.contains(&name), "{line}");
        // This one is a valid checkpoint and can be resumed.
        if name != "checkpoint.model" {
            let line = run(&["train", &rows, "--resume", &name]).refused();
            assert!(line.contains(&name), "{line}");
        }
    }
}

/// The model files can be made again after a change of the format, when all of them would be refused for one reason:
/// `ROSENBLATT_BLESS=1` writes them into the folder.
#[test]
fn the_model_files_can_be_made_again() {
    let made = Bench::new();
    forge::write_all(&made.path("."));
    let forged = made.names();
    assert!(forged.len() > 100, "{}", forged.len());
    for name in forged {
        let place = folder().join(&name);
        if std::env::var_os("ROSENBLATT_BLESS").is_some() {
            std::fs::copy(made.path(&name), &place).unwrap();
        }
        assert!(place.exists(), "{name} is made, but is not in the folder");
    }
}
