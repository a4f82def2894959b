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
/// The one loop over training examples: nothing else may call `learn_at`.
const THE_LOOP: &str = "crates/rosenblatt/src/learn/learner.rs";
/// The one place that hands a block of examples to a linear learner.
const THE_TRAINEE: &str = "crates/rosenblatt/src/fit/row_trainee.rs";
/// The files that call a method `learn`, and why. A new one is either a second loop, which is a defect, or has its reason
/// written here.
const CALLS_OF_LEARN: [(&str, &str); 7] = [
    ("crates/rosenblatt/src/fit/train.rs", "its own method: some examples of a block"),
    ("crates/rosenblatt/src/learn/learner.rs", "learn_at: the example at a place"),
    ("crates/rosenblatt/src/learn/machine/one_vs_rest.rs", "a learner made of learners hands its example to each"),
    ("crates/rosenblatt/src/read/texts.rs", "a vocabulary learns words"),
    ("crates/rosenblatt/src/structured/corpus_source.rs", "learn_at: the sentence at a place"),
    ("crates/rosenblatt-python/src/online.rs", "hands a batch to the online trainer"),
    ("crates/rosenblatt-python/src/online_tagger.rs", "hands a batch of sentences to the online tagger"),
];

/// Files over the limit that wait for their turn; a file leaves this list once it is short enough.
const LONG_FILES: [&str; 2] = ["crates/rosenblatt/src/io/chunks.rs", "crates/rosenblatt/src/rows/dot.rs"];
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

/// Every call of a method in the code of the crates, tests left out: the file, and `path:line: text`.
fn calls_of(method: &str) -> (Vec<String>, Vec<String>) {
    let (mut files, mut shown) = (Vec::new(), Vec::new());
    for source in Source::all().into_iter().filter(Source::is_library_code) {
        for (number, line) in calls::of_method(&source.text, method) {
            shown.push(format!("{}:{number}: {line}", source.path));
            files.push(source.path.clone());
        }
    }
    println!("Calls of {method}: {}\n  {}", shown.len(), shown.join("\n  "));
    (files, shown)
}

#[test]
fn one_place_trains() {
    let (files, shown) = calls_of("learn_at");
    assert_eq!(files, [THE_LOOP], "calls of learn_at:\n{}", shown.join("\n"));
    let (files, shown) = calls_of("run_prefetching");
    let others: Vec<_> = files.iter().filter(|file| **file != THE_LOOP).collect();
    assert_eq!(others, [THE_TRAINEE], "calls of run_prefetching:\n{}", shown.join("\n"));
    let (files, shown) = calls_of("learn");
    let expected: Vec<&str> = CALLS_OF_LEARN.iter().map(|(file, _)| *file).collect();
    assert_eq!(files, expected, "calls of learn:\n{}", shown.join("\n"));
}
