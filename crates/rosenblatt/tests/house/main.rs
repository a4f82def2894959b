//! The rules of the house, held on every source file of the workspace: short files, short functions, imports that point
//! one way, one place that trains. `cargo test --test house -- --nocapture` prints the tables.

#![expect(clippy::print_stdout, reason = "the tables are printed for those who ask")]

mod calls;
mod functions;
mod layers;
mod plain;
mod sources;

use functions::Function;
use sources::{Language, Source};

/// No source file is longer.
const LINES_OF_A_FILE: usize = 500;
/// No function is longer, from the line of its `fn` or `def` to its last.
const LINES_OF_A_FUNCTION: usize = 80;
/// How many lines of code hand a single training example to a learner. The aim is one: lower this number with each loop
/// that goes, and never raise it.
const PLACES_THAT_LEARN: usize = 2;
/// How many lines of code hand a block of training examples to a learner. The aim is one, as above.
const PLACES_THAT_RUN: usize = 6;

/// Files over the limit that wait for their turn; a file leaves this list once it is short enough.
const LONG_FILES: [&str; 3] =
    ["crates/rosenblatt/src/fit/cached.rs", "crates/rosenblatt/src/io/chunks.rs", "crates/rosenblatt/src/rows/dot.rs"];
/// Functions over the limit that wait for their turn, as `path: name`.
const LONG_FUNCTIONS: [&str; 1] = ["crates/rosenblatt-cli/src/commands/train.rs: run"];

/// Prints the ten longest and returns the names of those over the limit that are not waiting.
fn over_the_limit(title: &str, limit: usize, waiting: &[&str], mut lengths: Vec<(usize, String)>) -> Vec<String> {
    lengths.sort_by(|a, b| b.cmp(a));
    println!("{title} (at most {limit} lines, {} in all)", lengths.len());
    for (rank, (lines, name)) in lengths.iter().enumerate() {
        if rank < 10 || *lines > limit {
            println!("{lines:6}  {name}{}", if *lines > limit { "  <- too long" } else { "" });
        }
    }
    let over = lengths.into_iter().filter(|(lines, _)| *lines > limit).map(|(_, name)| name);
    over.filter(|name| !waiting.contains(&name.as_str())).collect()
}

#[test]
fn no_file_is_long() {
    let lengths = Source::all().iter().map(|source| (source.text.lines().count(), source.path.clone())).collect();
    let over = over_the_limit("Files", LINES_OF_A_FILE, &LONG_FILES, lengths);
    assert!(over.is_empty(), "files over {LINES_OF_A_FILE} lines:\n{}", over.join("\n"));
}

#[test]
fn no_function_is_long() {
    let mut lengths = Vec::new();
    for source in Source::all() {
        let found = match source.language {
            Language::Rust => functions::rust(&source.text),
            Language::Python => functions::python(&source.text),
            Language::Shell => continue,
        };
        lengths
            .extend(found.into_iter().map(|Function { name, lines, .. }| (lines, format!("{}: {name}", source.path))));
    }
    let over = over_the_limit("Functions", LINES_OF_A_FUNCTION, &LONG_FUNCTIONS, lengths);
    assert!(over.is_empty(), "functions over {LINES_OF_A_FUNCTION} lines:\n{}", over.join("\n"));
}

/// Every call that `finds` sees in the code of the crates, tests left out, as `path:line: text`.
fn places(finds: impl Fn(&str) -> bool) -> Vec<String> {
    let mut found = Vec::new();
    for source in Source::all() {
        // A learner that is made of learners hands its example on to its parts: no loop over examples.
        if source.is_library_code() && source.path != "crates/rosenblatt/src/learn/machine/one_vs_rest.rs" {
            let lines = calls::lines(&source.text, &finds);
            found.extend(lines.into_iter().map(|(number, line)| format!("{}:{number}: {line}", source.path)));
        }
    }
    found
}

#[test]
fn few_places_train() {
    let learn = places(calls::learns);
    let run = places(calls::runs);
    println!("Places that hand one example to a learner: {}\n  {}", learn.len(), learn.join("\n  "));
    println!("Places that hand a block of examples to a learner: {}\n  {}", run.len(), run.join("\n  "));
    assert!(learn.len() <= PLACES_THAT_LEARN, "places that learn:\n{}", learn.join("\n"));
    assert!(run.len() <= PLACES_THAT_RUN, "places that run:\n{}", run.join("\n"));
}
