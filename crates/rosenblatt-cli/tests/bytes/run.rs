//! Runs a case in a folder of its own and takes the digests of all that it wrote.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use sha2::{Digest, Sha256};

/// A name and command lines of the program. Three forms are not its own: `… < FILE` gives it standard input,
/// `same A B` asks whether two files are equal, and `needs FILE` names a data set that is found without being named.
#[derive(Debug, Clone)]
pub struct Case {
    pub name: String,
    pub lines: Vec<String>,
}

impl Case {
    pub fn new(name: impl Into<String>, lines: impl Into<Vec<String>>) -> Self {
        Case { name: name.into(), lines: lines.into() }
    }

    /// Those of a text: a name at the start of a line, its command lines indented below; `#` begins a comment.
    pub fn list(text: &str) -> Vec<Self> {
        let mut cases: Vec<Self> = Vec::new();
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            match (line.strip_prefix("  "), cases.last_mut()) {
                (Some(command), Some(case)) if case.name.starts_with("default") => case.lines.push(command.to_string()),
                (Some(command), Some(case)) => case.lines.push(textbook(command)),
                _ => cases.push(Case::new(line, [])),
            }
        }
        cases
    }
}

/// A command line with the settings that were defaults when its digests were taken; a case whose name begins with
/// `default` has those of today.
fn textbook(line: &str) -> String {
    let words: Vec<&str> = line.split_whitespace().collect();
    let learns = matches!(words.first(), Some(&"train" | &"cv" | &"tune")) && !words.contains(&"--resume");
    if !learns {
        return line.to_string();
    }
    let (before, after) = line.split_once(" < ").map_or((line, String::new()), |(a, b)| (a, format!(" < {b}")));
    let option =
        |name: &str, value: &str| if words.contains(&name) { String::new() } else { format!(" {name} {value}") };
    format!("{before}{}{}{after}", option("--learner", "averaged"), option("--scale", "none"))
}

/// The digest of each file, and of standard output of each step.
pub type Digests = BTreeMap<String, String>;

/// The program: the one under test, or another to compare it with.
pub fn binary() -> PathBuf {
    std::env::var_os("ROSENBLATT_BYTES_BINARY").map_or_else(|| env!("CARGO_BIN_EXE_rosenblatt").into(), PathBuf::from)
}

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Runs all cases, two at a time, each with these threads; an error is what went wrong in one.
pub fn all(cases: &[Case], data: &Path, threads: u32) -> Vec<Result<Digests, String>> {
    let next = AtomicUsize::new(0);
    let done: Vec<Mutex<Option<Result<Digests, String>>>> = cases.iter().map(|_| Mutex::new(None)).collect();
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(case) = cases.get(at) else { return };
                    *done[at].lock().unwrap() = Some(one(case, data, threads));
                }
            });
        }
    });
    done.into_iter().map(|slot| slot.into_inner().unwrap().unwrap()).collect()
}

fn one(case: &Case, data: &Path, threads: u32) -> Result<Digests, String> {
    let folder = tempfile::TempDir::new().unwrap();
    let inputs = link(case, data, folder.path());
    let mut digests = Digests::new();
    for (step, line) in (1..).zip(&case.lines) {
        let words: Vec<&str> = line.split_whitespace().collect();
        if words[0] == "needs" {
            continue;
        }
        if let ["same", a, b] = words[..] {
            let [left, right] = [a, b].map(|name| std::fs::read(folder.path().join(name)).unwrap_or_default());
            if left.is_empty() || left != right {
                return Err(format!("{a} and {b} differ"));
            }
            continue;
        }
        let (code, out) = run(&words, folder.path(), threads).map_err(|told| format!("{line}\n{told}"))?;
        // What the answer was belongs to it.
        let name = format!("{step}.stdout{}", if code == 0 { String::new() } else { format!(".exit{code}") });
        digests.insert(name, sha256(&without_seconds(&out)));
    }
    for entry in std::fs::read_dir(folder.path()).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if !inputs.contains(&name) {
            digests.insert(name.clone(), sha256(&std::fs::read(folder.path().join(name)).unwrap()));
        }
    }
    Ok(digests)
}

/// Links the data sets that a case names into its folder, so that all paths are relative: outputs may hold them.
fn link(case: &Case, data: &Path, folder: &Path) -> Vec<String> {
    let mut linked = Vec::new();
    for word in case.lines.iter().flat_map(|line| line.split(' ')).filter(|word| data.join(word).is_file()) {
        if !linked.iter().any(|name| name == word) {
            let (from, to) = (data.join(word), folder.join(word));
            std::fs::hard_link(&from, &to).or_else(|_| std::fs::copy(&from, &to).map(drop)).unwrap();
            linked.push(word.to_string());
        }
    }
    linked
}

/// The exit status and standard output; 2 is a failure, and no case asks for one.
fn run(words: &[&str], folder: &Path, threads: u32) -> Result<(i32, Vec<u8>), String> {
    let (words, stdin) = match words {
        [words @ .., "<", file] => (words, Stdio::from(File::open(folder.join(file)).unwrap())),
        words => (words, Stdio::null()),
    };
    // A passing cache lies in the folder too, where it would be noticed if it stayed.
    let output = Command::new(binary())
        .args(words)
        .args(["--threads", &threads.to_string()])
        .current_dir(folder)
        .env("TMPDIR", folder)
        .env_remove("CLICOLOR_FORCE")
        .stdin(stdin)
        .output()
        .unwrap_or_else(|e| panic!("{}: {e}", binary().display()));
    match output.status.code() {
        Some(code @ (0 | 1 | 3)) => Ok((code, output.stdout)),
        code => Err(format!("exit status {code:?}\n{}", String::from_utf8_lossy(&output.stderr))),
    }
}

/// Takes the times out: those of JSON (`"seconds":…`) and of a report for people (`seconds …`).
fn without_seconds(out: &[u8]) -> Vec<u8> {
    let Ok(text) = std::str::from_utf8(out) else { return out.to_vec() };
    let mut kept = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("\"seconds\":") {
        let (before, after) = rest.split_at(at + "\"seconds\":".len());
        kept.push_str(before);
        let end = if after.starts_with('{') { after.find('}').map(|at| at + 1) } else { after.find([',', '}']) };
        rest = &after[end.unwrap_or(after.len())..];
    }
    kept.push_str(rest);
    kept.split_inclusive('\n').filter(|line| !line.starts_with("seconds ")).collect::<String>().into_bytes()
}
