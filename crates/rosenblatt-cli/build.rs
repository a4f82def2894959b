//! Names the commit that the program is built from, where there is one: `rosenblatt --version`.

use std::process::Command;

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?.trim().to_string();
    (output.status.success() && !text.is_empty()).then_some(text)
}

fn main() {
    // The log of HEAD changes with every commit and checkout. Without a repository there is nothing to watch.
    println!("cargo:rerun-if-changed=build.rs");
    if let Some(log) = git(&["rev-parse", "--git-path", "logs/HEAD"]).filter(|log| std::path::Path::new(log).exists()) {
        println!("cargo:rerun-if-changed={log}");
    }
    let commit = std::env::var("ROSENBLATT_COMMIT").ok().or_else(|| git(&["rev-parse", "--short=9", "HEAD"]));
    println!("cargo:rerun-if-env-changed=ROSENBLATT_COMMIT");
    let version = std::env::var("CARGO_PKG_VERSION").expect("cargo sets it");
    match commit {
        Some(commit) => println!("cargo:rustc-env=ROSENBLATT_VERSION={version} ({commit})"),
        None => println!("cargo:rustc-env=ROSENBLATT_VERSION={version}"),
    }
}
