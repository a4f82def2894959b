//! Builds the package as a user does, in a fresh virtual environment, and runs its tests in Python.
//!
//! The wheel is built by maturin in the profile and the target directory of this very run, with the features of the
//! library that the workspace's tests have (`as-in-tests`): only what depends on Python is compiled a second time.
//! Where there is no Python, or no index of packages, that is said, and nothing is tested. Everything else must succeed.
//!
//! Spark and Dask have an environment of their own. Both are made, and then tested, at the same time: clusters mostly wait.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Instant;

/// Says it past the capture of the test's output.
fn say(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// A command without what cargo tells a test of the package it belongs to: cargo, called again, would take it for a change.
fn command(program: impl AsRef<std::ffi::OsStr>) -> Command {
    let mut command = Command::new(program);
    for (name, _) in std::env::vars() {
        let about = ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_CRATE_", "CARGO_BIN_", "CARGO_PRIMARY_", "PYTHON"];
        if about.iter().any(|begin| name.starts_with(begin)) {
            command.env_remove(name);
        }
    }
    command
}

fn run(command: &mut Command) -> Result<Output, String> {
    let output = command.output().map_err(|e| format!("{command:?}: {e}"))?;
    if output.status.success() { Ok(output) } else { Err(format!("{command:?}\n{}", said(&output))) }
}

/// A fresh environment with all that the tests need, or why there is none.
fn environment(root: &Path, place: &Path) -> Result<PathBuf, String> {
    let python = std::env::var("ROSENBLATT_PYTHON").unwrap_or_else(|_| "python3".into());
    run(command(&python).args(["-c", "import sys; assert sys.version_info >= (3, 10), sys.version"]))?;
    if place.exists() {
        std::fs::remove_dir_all(place).map_err(|e| format!("{}: {e}", place.display()))?;
    }
    run(command(&python).args(["-m", "venv"]).arg(place))?;
    let bin = place.join(if cfg!(windows) { "Scripts" } else { "bin" });
    let needed = root.join("python/tests/requirements.txt");
    run(command(bin.join("python"))
        .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"])
        .arg(needed))?;
    Ok(bin)
}

#[test]
fn the_package_is_built_and_tested_in_python() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("two folders down");
    // target/PROFILE/deps/package-HASH
    let this = std::env::current_exe().expect("this test has a name");
    let profile = this.ancestors().nth(2).expect("two folders down");
    let place = profile.parent().expect("three folders down").join("python");
    let program = profile.join(format!("rosenblatt{}", std::env::consts::EXE_SUFFIX));
    std::thread::scope(|scope| {
        let clusters = scope.spawn(|| environment_of_clusters(root, &place.join("cluster")));
        let Some((python, wheel)) = build(root, profile, &place) else { return };
        let clusters = clusters.join().expect("the environment of clusters");
        let program = &program;
        let clusters = scope.spawn(move || test_on_clusters(root, clusters, &wheel, program));
        test(root, &python, program);
        clusters.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    });
}

/// The Python that has the package, and the wheel that was built; nothing where there is no environment for it.
fn build(root: &Path, profile: &Path, place: &Path) -> Option<(PathBuf, PathBuf)> {
    let began = Instant::now();
    let bin = match environment(root, &place.join("venv")) {
        Ok(bin) => bin,
        Err(why) => {
            say(&format!(
                "SKIPPED: the Python package was neither built nor tested, there is no environment for it:\n{why}"
            ));
            return None;
        }
    };
    let (python, ready) = (bin.join("python"), began.elapsed());
    let wheels = place.join("wheels");
    let _ = std::fs::remove_dir_all(&wheels);
    let mut build = command(&python);
    build
        .args(["-m", "maturin", "build", "--features", "as-in-tests", "--auditwheel", "skip", "--interpreter"])
        .arg(&python);
    let target = profile.parent().expect("three folders down");
    build.arg("--target-dir").arg(target).arg("--out").arg(&wheels).current_dir(root);
    if profile.ends_with("release") {
        build.arg("--release");
    }
    let built = run(&mut build).unwrap_or_else(|why| panic!("the wheel could not be built: {why}"));
    let again: Vec<String> =
        said(&built).lines().filter(|l| l.contains("Compiling")).map(|l| l.trim().to_string()).collect();
    let wheel = std::fs::read_dir(&wheels).expect("the wheels").next().expect("one wheel").expect("its name").path();
    install(&python, &wheel, &[]);
    let compiled = (began.elapsed() - ready).as_secs_f64();
    let ready = ready.as_secs_f64();
    say(&format!("Python package: environment {ready:.0} s, build {compiled:.0} s ({})", again.join(", ")));
    Some((python, wheel))
}

fn install(python: &Path, wheel: &Path, more: &[&str]) {
    let pip = ["-m", "pip", "install", "--quiet", "--no-deps", "--disable-pip-version-check"];
    run(command(python).args(pip).args(more).arg(wheel))
        .unwrap_or_else(|why| panic!("the wheel could not be installed: {why}"));
}

fn test(root: &Path, python: &Path, program: &Path) {
    let began = Instant::now();
    let mut tests = command(python);
    tests.args(["-m", "pytest", "-p", "no:cacheprovider"]).current_dir(root);
    tests.env("ROSENBLATT_COMMAND", program);
    let tested = run(&mut tests).unwrap_or_else(|why| panic!("the tests of the package failed: {why}"));
    for line in said(&tested).lines().filter(|l| l.contains("Skipped") || l.contains(" passed")) {
        say(&format!("Python package: {line}"));
    }
    say(&format!("Python package: tests {:.0} s", began.elapsed().as_secs_f64()));
}

/// Tests Spark and Dask, in processes of their own.
fn test_on_clusters(root: &Path, made: Result<PathBuf, String>, wheel: &Path, program: &Path) {
    let bin = match made {
        Ok(bin) => bin,
        Err(why) => {
            say(&format!("SKIPPED: nothing was tested on Spark and Dask, there is no environment for it:\n{why}"));
            return;
        }
    };
    let (python, began) = (bin.join("python"), Instant::now());
    install(&python, wheel, &["--force-reinstall"]);
    let mut tests = command(&python);
    tests.args(["-m", "pytest", "-p", "no:cacheprovider", "-rs", "python/cluster"]).current_dir(root);
    tests.env("ROSENBLATT_COMMAND", program);
    let tested = run(&mut tests).unwrap_or_else(|why| panic!("the tests on clusters failed: {why}"));
    for line in said(&tested).lines().filter(|l| l.contains("SKIPPED") || l.contains(" passed")) {
        say(&format!("Spark and Dask: {line}"));
    }
    say(&format!("Spark and Dask: tests {:.0} s", began.elapsed().as_secs_f64()));
}

/// The environment with Spark and Dask, which is kept (Spark is half a gigabyte); made again only if what it needs has changed.
fn environment_of_clusters(root: &Path, place: &Path) -> Result<PathBuf, String> {
    let list = root.join("python/cluster/requirements.txt");
    let needed = std::fs::read(&list).map_err(|e| format!("{}: {e}", list.display()))?;
    let stamp = place.join("requirements.txt");
    let bin = place.join(if cfg!(windows) { "Scripts" } else { "bin" });
    if std::fs::read(&stamp).is_ok_and(|made| made == needed) {
        return Ok(bin);
    }
    let python = std::env::var("ROSENBLATT_PYTHON").unwrap_or_else(|_| "python3".into());
    let _ = std::fs::remove_dir_all(place);
    run(command(&python).args(["-m", "venv"]).arg(place))?;
    run(command(bin.join("python"))
        .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"])
        .arg(&list))?;
    std::fs::write(&stamp, needed).map_err(|e| format!("{}: {e}", stamp.display()))?;
    Ok(bin)
}
