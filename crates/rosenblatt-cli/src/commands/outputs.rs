//! The files that a command writes: each is a file of its own that can be written, and none that the command reads.

use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use rosenblatt::io::Outputs;

use crate::show;

/// The file of a model, held from before the training until it is written: a place that cannot be written is an early
/// error, and nothing can take it meanwhile.
#[derive(Debug)]
pub struct ModelFile {
    outputs: Outputs,
    json: bool,
}

impl ModelFile {
    /// Creates the temporary file beside `path`.
    pub fn hold(path: &Path) -> Result<Self> {
        let json = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("json"));
        Ok(ModelFile { outputs: Outputs::create(&[path])?, json })
    }

    /// Writes the bytes that `model` returns; it is told whether they are JSON.
    pub fn write(self, model: impl FnOnce(bool) -> rosenblatt::Result<Vec<u8>>) -> Result<()> {
        Ok(self.outputs.commit(&[&model(self.json)?])?)
    }
}

/// Checks outputs before any work: `reads` are the inputs, `writes` the outputs with the options that name them.
pub fn check(reads: &[&Path], writes: &[(&str, &Path)]) -> Result<()> {
    for (i, (option, path)) in writes.iter().enumerate() {
        if *path == Path::new("-") {
            bail!("{option} names a file: the report goes to standard output");
        }
        refuse_reading(reads, path)?;
        if let Some((other, _)) = writes[..i].iter().find(|(_, other)| same(other, path)) {
            bail!("{other} and {option} name the same file, {}: name two", show::path(path));
        }
        rosenblatt::io::check_place(path)?;
    }
    Ok(())
}

/// Refuses an output that is also an input.
fn refuse_reading(reads: &[&Path], path: &Path) -> Result<()> {
    let inputs = reads.iter().filter(|input| **input != Path::new("-"));
    if inputs.into_iter().any(|input| input.is_file() && same(input, path)) {
        let path = show::path(path);
        bail!("{path}: this is read by the same command, and would be overwritten: name another file");
    }
    Ok(())
}

/// Whether two paths lead to one file, which exists or will.
fn same(a: &Path, b: &Path) -> bool {
    match (a.metadata(), b.metadata()) {
        // Devices and pipes are not replaced.
        (Ok(one), Ok(other)) => one.is_file() && other.is_file() && identical(a, b),
        (Err(_), Err(_)) => place(a).is_ok_and(|one| place(b).is_ok_and(|other| one == other)),
        _ => false,
    }
}

#[cfg(unix)]
fn identical(a: &Path, b: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let key = |path: &Path| path.metadata().map(|found| (found.dev(), found.ino())).ok();
    key(a).is_some_and(|one| key(b) == Some(one))
}

#[cfg(not(unix))]
fn identical(a: &Path, b: &Path) -> bool {
    a.canonicalize().is_ok_and(|one| b.canonicalize().is_ok_and(|other| one == other))
}

/// Where a file will be that does not exist yet.
fn place(path: &Path) -> io::Result<PathBuf> {
    const LINKS: usize = 40;
    let mut path = path.to_path_buf();
    for _ in 0..LINKS {
        let Ok(next) = path.read_link() else { break };
        path = path.parent().map_or_else(|| next.clone(), |folder| folder.join(&next));
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Ok(folder.canonicalize()?.join(path.file_name().unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn one_file_has_many_paths() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        std::fs::create_dir(at("d")).unwrap();
        std::fs::write(at("a"), "1").unwrap();
        std::fs::write(at("b"), "1").unwrap();
        std::fs::hard_link(at("a"), at("hard")).unwrap();
        std::os::unix::fs::symlink("a", at("soft")).unwrap();
        std::os::unix::fs::symlink("new", at("dangling")).unwrap();
        for other in ["a", "d/../a", "hard", "soft", "./a"] {
            assert!(same(&at("a"), &at(other)), "{other}");
        }
        for other in ["b", "new", "d"] {
            assert!(!same(&at("a"), &at(other)), "{other}");
        }
        for other in ["new", "d/../new", "dangling"] {
            assert!(same(&at("new"), &at(other)), "{other}");
        }
        assert!(!same(&at("new"), &at("newer")) && !same(Path::new("/dev/null"), Path::new("/dev/null")));
    }
}
