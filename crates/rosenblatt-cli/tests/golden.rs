//! Files of every released version, kept for ever in `golden/VERSION`: models, checkpoints, caches, certificates and the folder
//! of a server load, and say what they said when they were written.
//!
//! A file is never replaced. A new version of a format gets a folder of its own:
//! `cargo test -p rosenblatt-cli --test golden -- --ignored` writes what is missing in the folder of this version.

mod support;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, UNIX_EPOCH};

use support::Bench;

/// The folder that this version writes to.
const NOW: &str = "0.1";
/// Models: the command that makes one, and the data that it answers for.
const MODELS: [(&str, &str, &str); 14] = [
    ("linear", "train two.svm --learner perceptron --epochs 5", "two.svm"),
    ("linear.json", "train two.svm --learner averaged --epochs 5", "two.svm"),
    ("classes", "train three.svm --learner arow --epochs 3", "three.svm"),
    ("one-vs-rest", "train three.svm --learner pa1 --multiclass one-vs-rest --epochs 3", "three.svm"),
    ("voted", "train three.svm --learner voted --epochs 3", "three.svm"),
    ("columns", "train table.csv --drop text --scale standard --epochs 5", "table.csv"),
    ("words", "train table.csv --text text --ngrams 2 --tf-idf --tf log --epochs 5", "table.csv"),
    ("hashed", "train table.csv --text text --hash-bits 6 --epochs 5", "table.csv"),
    ("calibrated", "train table.csv --drop text --calibrate --epochs 5", "table.csv"),
    ("kernel", "train xor.csv --kernel rbf:1 --epochs 5", "xor.csv"),
    ("budget", "train xor.csv --kernel poly:2:1 --budget 3 --keep last --epochs 5", "xor.csv"),
    ("lifted", "train xor.csv --lift rff:1:16 --epochs 5", "xor.csv"),
    ("products", "train xor.csv --degree 2 --epochs 20", "xor.csv"),
    ("tagger", "train text.conll --epochs 5", "text.conll"),
];
/// Checkpoints: the command that makes one, what it trains on, and how long it goes on.
const CHECKPOINTS: [(&str, &str, &str); 4] = [
    ("linear.checkpoint", "train three.svm --learner averaged --epochs 2", "train three.svm --epochs 4"),
    ("voted.checkpoint", "train three.svm --learner voted --epochs 2", "train three.svm --epochs 4"),
    ("pocket.checkpoint", "train xor.csv --learner pocket --epochs 2", "train xor.csv --epochs 4"),
    ("tagger.checkpoint", "train text.conll --epochs 1", "train text.conll --epochs 3"),
];
/// Certificates: the command that makes one, its data, and what `verify` is asked beside them.
const CERTIFICATES: [(&str, &str, &str, &str); 6] = [
    ("separable.proof", "separable two.svm", "two.svm", ""),
    ("inseparable.proof", "separable xor.csv", "xor.csv", ""),
    ("weak.proof", "separable weak.csv", "weak.csv", ""),
    ("products.proof", "separable xor.csv --degree 2", "xor.csv", "--degree 2"),
    ("audit.proof", "audit xor.csv", "xor.csv", ""),
    ("costs.proof", "audit xor.csv --class-weight +1=2,-1=3", "xor.csv", ""),
];
/// Caches, and the command that uses one.
const CACHES: [(&str, &str); 2] = [
    ("sparse.cache", "train three.svm --learner averaged --epochs 3"),
    ("dense.cache", "train xor.csv --learner averaged --epochs 3"),
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

/// A copy of the files of a version; their time is part of what a cache is of.
fn copy(version: &str) -> Bench {
    let bench = Bench::new();
    for name in support::names_in(&folder().join(version)) {
        let from = folder().join(version).join(&name);
        if from.is_file() {
            bench.file(&name, std::fs::read(from).unwrap());
            let file = std::fs::File::options().write(true).open(bench.path(&name)).unwrap();
            file.set_modified(UNIX_EPOCH + Duration::from_secs(1)).unwrap();
        }
    }
    copy_folder(&folder().join(version).join("served"), &bench.path("served"));
    bench
}

fn copy_folder(from: &Path, to: &Path) {
    let Ok(entries) = std::fs::read_dir(from) else { return };
    std::fs::create_dir_all(to).unwrap();
    for entry in entries.map(|entry| entry.unwrap()) {
        let place = to.join(entry.file_name());
        match entry.path().is_dir() {
            true => copy_folder(&entry.path(), &place),
            false => drop(std::fs::copy(entry.path(), place).unwrap()),
        }
    }
}

fn versions() -> Vec<String> {
    let versions = support::names_in(&folder());
    assert!(versions.contains(&NOW.to_string()), "{versions:?}");
    versions
}

/// What a model answers.
fn answers(bench: &Bench, model: &str, data: &str) -> String {
    let scores = if data.ends_with("conll") { "" } else { "--scores" };
    bench.run(&format!("predict {model} {data} {scores}")).ok().out
}

/// What a checkpoint becomes.
fn resumed(bench: &Bench, checkpoint: &str, command: &str) -> String {
    bench.run(&format!("{command} --resume {checkpoint} -o resumed -q")).ok();
    answers(bench, "resumed", command.split(' ').nth(1).unwrap())
}

fn verified(bench: &Bench, proof: &str, data: &str, how: &str) -> String {
    let json = bench.json(&format!("verify {proof} {data} {how} --json"));
    let of = |key: &str| json[key].to_string();
    ["verified", "verdict", "margin", "at_least", "at_most", "support"]
        .map(|key| format!("{key} {}\n", of(key)))
        .concat()
}

/// The model of a server's folder, as the server gives it.
fn served(bench: &Bench) -> Vec<u8> {
    let mut command = bench.command("serve --data served --listen 127.0.0.1:0 -q");
    let mut child = Ending(command.stdin(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
    let mut line = String::new();
    BufReader::new(child.0.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let host = line.trim().trim_start_matches("http://").trim_end_matches('/').to_string();
    let mut stream = TcpStream::connect(&host).unwrap();
    write!(stream, "GET /v1/models/m/model HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    let end = answer.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
    assert!(answer.starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(&answer[..end]));
    answer[end + 4..].to_vec()
}

/// A program that ends with the test.
struct Ending(Child);

impl Drop for Ending {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

/// What every file of the folder says.
fn all(bench: &Bench) -> Vec<(String, String)> {
    let models = MODELS.iter().map(|(name, _, data)| (name.to_string(), answers(bench, name, data)));
    let checkpoints = CHECKPOINTS.iter().map(|(name, _, on)| (name.to_string(), resumed(bench, name, on)));
    let proofs = CERTIFICATES.iter().map(|(name, _, data, how)| (name.to_string(), verified(bench, name, data, how)));
    models.chain(checkpoints).chain(proofs).collect()
}

#[test]
fn files_of_every_version_say_what_they_said() {
    for version in versions() {
        let bench = copy(&version);
        for (name, said) in all(&bench) {
            let expected = bench.text(&format!("{name}.expected"));
            assert_eq!(said, expected, "{version}/{name}");
        }
        assert_eq!(served(&bench), bench.read("served.model"), "{version}: the folder of a server");
    }
}

/// A cache is only a faster copy: one of an older version may be built again, and must never be in the way.
#[test]
fn caches_of_every_version_are_used_or_built_again() {
    for version in versions() {
        let bench = copy(&version);
        for (name, command) in CACHES {
            let before = bench.read(name);
            bench.run(&format!("{command} --cache {name} -o cached -q")).ok();
            bench.run(&format!("{command} -o plain -q")).ok();
            assert!(bench.read("cached") == bench.read("plain"), "{version}/{name} gives another model");
            // This version's own are used as they are.
            assert!(version != NOW || bench.read(name) == before, "{version}/{name} was built again");
        }
    }
}

#[test]
#[ignore = "writes the files of a new version"]
fn write_what_is_missing() {
    let bench = copy(NOW);
    let place = |name: &str| folder().join(NOW).join(name);
    let keep = |name: &str, bytes: Vec<u8>| {
        if !place(name).exists() {
            std::fs::write(place(name), bytes).unwrap();
        }
    };
    let make = |name: &str, line: String| {
        if !place(name).exists() {
            let ran = bench.run(&line);
            assert!(matches!(ran.code, Some(0 | 1)), "{ran}");
            keep(name, bench.read(name));
        }
    };
    MODELS.iter().for_each(|(name, line, _)| make(name, format!("{line} -o {name}")));
    CHECKPOINTS.iter().for_each(|(name, line, _)| make(name, format!("{line} --checkpoint {name}")));
    CERTIFICATES.iter().for_each(|(name, line, ..)| make(name, format!("{line} --certificate {name}")));
    CACHES.iter().for_each(|(name, line)| make(name, format!("{line} --cache {name}")));
    all(&bench).into_iter().for_each(|(name, said)| keep(&format!("{name}.expected"), said.into_bytes()));
    keep("served.model", served(&bench));
}
