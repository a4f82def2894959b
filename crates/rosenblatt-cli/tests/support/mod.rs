//! Runs the program as a user does, and looks at what came out.
#![allow(dead_code, reason = "each test file uses its own part of this")]

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// A directory of its own for a test, and the program run in it.
pub struct Bench {
    dir: TempDir,
}

/// What a run of the program came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Ran {
    pub what: String,
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Bench {
    pub fn new() -> Self {
        Bench { dir: TempDir::new().unwrap() }
    }

    /// With one file in it.
    pub fn with(name: &str, text: impl AsRef<[u8]>) -> Self {
        let bench = Self::new();
        bench.file(name, text);
        bench
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub fn file(&self, name: &str, text: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), text).unwrap();
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    pub fn text(&self, name: &str) -> String {
        String::from_utf8(self.read(name)).unwrap()
    }

    /// The names of all files, sorted.
    pub fn names(&self) -> Vec<String> {
        names_in(self.dir.path())
    }

    /// Runs with arguments separated by spaces.
    pub fn run(&self, line: &str) -> Ran {
        self.run_args(&line.split_whitespace().collect::<Vec<_>>())
    }

    /// Runs with arguments that may hold spaces.
    pub fn run_args(&self, args: &[&str]) -> Ran {
        finish(&format!("{args:?}"), command(self.dir.path(), args).spawn().unwrap(), b"")
    }

    /// Runs with something on standard input.
    pub fn pipe(&self, line: &str, stdin: impl AsRef<[u8]>) -> Ran {
        let args: Vec<&str> = line.split_whitespace().collect();
        finish(line, command(self.dir.path(), &args).spawn().unwrap(), stdin.as_ref())
    }

    /// The one JSON object that a run prints; it must succeed.
    pub fn json(&self, line: &str) -> Value {
        self.run(line).ok().json()
    }

    /// A command that has not been started.
    pub fn command(&self, line: &str) -> Command {
        command(self.dir.path(), &line.split_whitespace().collect::<Vec<_>>())
    }
}

/// The program in a directory, its streams piped, and nothing of the tester's terminal about it.
pub fn command<S: AsRef<OsStr>>(dir: &Path, args: &[S]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rosenblatt"));
    command.args(args).current_dir(dir).env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE").env_remove("CLICOLOR");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Feeds standard input from a thread, so that neither side waits for the other, and collects the rest.
pub fn finish(what: &str, mut child: Child, stdin: &[u8]) -> Ran {
    let mut pipe = child.stdin.take().unwrap();
    let output = std::thread::scope(|scope| {
        // A program that reads nothing may close its end first: that is no fault of the test.
        scope.spawn(move || pipe.write_all(stdin).ok());
        child.wait_with_output().unwrap()
    });
    Ran::new(what, output)
}

pub fn names_in(dir: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        std::fs::read_dir(dir).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

impl Ran {
    fn new(what: &str, output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap_or_else(|e| panic!("{what}: {e}"));
        let ran = Ran {
            what: what.to_string(),
            code: output.status.code(),
            out: text(output.stdout),
            err: text(output.stderr),
        };
        assert!(!ran.err.contains("panicked"), "{ran}");
        ran
    }

    /// It succeeded.
    #[track_caller]
    pub fn ok(self) -> Self {
        assert_eq!(self.code, Some(0), "{self}");
        self
    }

    /// It failed with status 2, one line on standard error and nothing on standard output.
    #[track_caller]
    pub fn refused(self) -> String {
        assert_eq!(self.code, Some(2), "{self}");
        assert_eq!(self.out, "", "{self}");
        assert!(self.err.starts_with("error: ") && self.err.ends_with('\n'), "{self}");
        assert_eq!(self.err.lines().count(), 1, "{self}");
        self.err.trim_end().to_string()
    }

    /// The same after notes on what was read.
    #[track_caller]
    pub fn refused_after_notes(mut self) -> String {
        while let Some((_, rest)) = self.err.split_once('\n').filter(|(line, _)| line.starts_with("note: ")) {
            self.err = rest.to_string();
        }
        self.refused()
    }

    /// It failed with status 2, as the parser of arguments does: a reason first, then how to go on.
    #[track_caller]
    pub fn misused(self) -> String {
        assert_eq!(self.code, Some(2), "{self}");
        assert_eq!(self.out, "", "{self}");
        assert!(self.err.starts_with("error: "), "{self}");
        self.err
    }

    /// The one JSON object on standard output.
    #[track_caller]
    pub fn json(&self) -> Value {
        assert_eq!(self.out.lines().count(), 1, "{self}");
        serde_json::from_str(&self.out).unwrap_or_else(|e| panic!("{e}\n{self}"))
    }

    /// The JSON object on each line of standard output.
    #[track_caller]
    pub fn json_lines(&self) -> Vec<Value> {
        self.out.lines().map(|l| serde_json::from_str(l).unwrap_or_else(|e| panic!("{e}\n{self}"))).collect()
    }

    /// Whether standard error says this.
    #[track_caller]
    pub fn says(self, text: &str) -> Self {
        assert!(self.err.contains(text), "not said: {text}\n{self}");
        self
    }

    /// Whether standard output shows this.
    #[track_caller]
    pub fn shows(self, text: &str) -> Self {
        assert!(self.out.contains(text), "not shown: {text}\n{self}");
        self
    }
}

impl std::fmt::Display for Ran {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Ran { what, code, out, err } = self;
        write!(f, "rosenblatt {what}\nstatus {code:?}\n--- standard output\n{out}--- standard error\n{err}---")
    }
}

/// The keys of an object, in order of the alphabet.
#[track_caller]
pub fn keys(value: &Value) -> Vec<&str> {
    let mut keys: Vec<&str> =
        value.as_object().unwrap_or_else(|| panic!("{value}")).keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

/// Points that no line through the origin separates, but a line does: two features, two classes.
pub const POINTS: &str = "x,y,label\n2,1,up\n1,3,up\n3,3,up\n-1,-2,down\n0,-1,down\n-3,0,down\n";
/// The four corners and XOR, in the coding 0/1.
pub const XOR: &str = "0,0,no\n0,1,yes\n1,0,yes\n1,1,no\n";
/// Three classes, separable.
pub const THREE: &str = "a,b,class\n5,0,red\n6,1,red\n0,5,green\n1,6,green\n-5,-5,blue\n-6,-4,blue\n";
/// Two classes as LIBSVM.
pub const SVM: &str = "+1 1:1 3:0.5\n-1 2:1\n+1 1:2 2:0.5\n-1 2:2 3:-1\n";
