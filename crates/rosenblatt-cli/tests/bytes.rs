//! The program writes the same bytes as before: models, checkpoints, caches, certificates, converted data, exports,
//! predictions, and what it prints.
//!
//! Each case is a name and a few command lines (`bytes/cases.txt`, `bytes/real.txt`), run in a folder of its own. The
//! SHA-256 of every file that it writes, and of standard output without times, must be the one in `bytes/digests.txt`
//! (made data) or `bytes/real_digests.txt` (real data, if they are there: see CONTRIBUTING.md). Cases of made data run
//! with one thread and with two, and both must agree.
//!
//! * `ROSENBLATT_BYTES_BINARY=/path/to/rosenblatt` runs another binary, say that of an older commit.
//! * `ROSENBLATT_BYTES_WRITE=1` writes the digests instead of comparing them: after a change that is meant to change
//!   bytes, or for new cases, then with a binary of the commit to compare with.
//!
//! ```text
//! ROSENBLATT_BYTES_BINARY=/old/rosenblatt ROSENBLATT_BYTES_WRITE=1 cargo test -p rosenblatt-cli --test bytes
//! ```
//!
//! The digests are of x86-64 Linux with glibc: exp, ln and cos come from the system's library, and another one may
//! round otherwise. On other systems the test is skipped, and says so.

#[path = "bytes/arrays.rs"]
mod arrays;
#[path = "bytes/cases.rs"]
mod cases;
#[path = "bytes/data.rs"]
mod data;
#[path = "bytes/digests.rs"]
mod digests;
#[path = "bytes/files.rs"]
mod files;
#[path = "bytes/real.rs"]
mod real;
#[path = "../../rosenblatt/tests/common/real_file.rs"]
mod real_file;
#[path = "bytes/run.rs"]
mod run;
#[path = "bytes/sentences.rs"]
mod sentences;

use std::io::Write;

/// Whether digests that were taken on another kind of machine mean anything here.
fn comparable() -> bool {
    let here = cfg!(all(target_os = "linux", target_arch = "x86_64", target_env = "gnu"));
    if !here {
        // Not `eprintln!`, which the test harness keeps to itself when a test passes.
        let _ = writeln!(std::io::stderr(), "SKIPPED: the digests of tests/bytes are of x86-64 Linux");
    }
    here
}

fn names(cases: &[run::Case]) -> Vec<String> {
    cases.iter().map(|case| case.name.clone()).collect()
}

#[test]
fn made_data_give_the_same_bytes() {
    if !comparable() {
        return;
    }
    let cases = cases::all();
    let data = tempfile::TempDir::new().unwrap();
    files::write(data.path());
    let one = run::all(&cases, data.path(), 1);
    let two = run::all(&cases, data.path(), 2);
    for ((case, one), two) in cases.iter().zip(&one).zip(&two) {
        if let (Ok(one), Ok(two)) = (one, two) {
            assert_eq!(one, two, "{}: --threads 1 and --threads 2 differ\n{}", case.name, case.lines.join("\n"));
        }
    }
    digests::compare("digests.txt", &names(&cases), &cases, &two);
}

#[test]
fn real_data_give_the_same_bytes() {
    if !comparable() {
        return;
    }
    let data = tempfile::TempDir::new().unwrap();
    let all = real::all();
    let cases = real::at_hand(&all, data.path());
    digests::compare("real_digests.txt", &names(&all), &cases, &run::all(&cases, data.path(), 2));
}
