//! Files, whole or not at all.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// Links followed before it is called a circle, as the kernel does.
const MOST_LINKS: usize = 40;

/// Writes a file beside its place and moves it there, so that nobody ever sees half of it. A link stays a link, and
/// what is no ordinary file, a device or a pipe, is written to, not replaced.
pub fn write_file(path: impl AsRef<Path>, bytes: &[u8]) -> Result<()> {
    let path = path.as_ref();
    write(path, bytes).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => Error::io(path, no_folder()),
        _ => Error::io(path, error),
    })
}

/// Refuses a place where [`write_file`] cannot write, as far as can be told without writing: for what takes long.
pub fn check_place(path: impl AsRef<Path>) -> Result<()> {
    let path = path.as_ref();
    let target = follow(path).map_err(|error| Error::io(path, error))?;
    if target.is_dir() {
        return Err(Error::io(path, directory()));
    }
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
    match folder {
        Some(folder) if !folder.is_dir() => Err(Error::io(path, no_folder())),
        _ => Ok(()),
    }
}

fn directory() -> io::Error {
    io::Error::other("this is a directory: name a file in it")
}

fn no_folder() -> io::Error {
    io::Error::other("no such file or folder to write in")
}

fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let target = follow(path)?;
    match fs::metadata(&target) {
        Ok(old) if old.is_dir() => return Err(directory()),
        Ok(old) if !old.is_file() => return fs::OpenOptions::new().write(true).open(&target)?.write_all(bytes),
        _ => {}
    }
    let Some(name) = target.file_name() else { return Err(io::Error::other("this is not the name of a file")) };
    let mut beside = name.to_os_string();
    beside.push(format!(".{}.part", std::process::id()));
    let beside = target.with_file_name(beside);
    let write = || {
        let mut file = fs::File::create(&beside)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&beside, &target)
    };
    write().inspect_err(|_| {
        let _ = fs::remove_file(&beside);
    })
}

/// Where a chain of links leads, be there something or not.
fn follow(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_path_buf();
    for _ in 0..MOST_LINKS {
        match fs::symlink_metadata(&path) {
            Ok(found) if found.is_symlink() => {
                let to = fs::read_link(&path)?;
                // A link that is not absolute counts from where it stands.
                path = path.parent().unwrap_or(Path::new("")).join(to);
            }
            _ => return Ok(path),
        }
    }
    Err(io::Error::other("a link that leads back to itself"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_and_nothing_is_left_beside_it() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("m");
        write_file(&path, b"one").unwrap();
        write_file(&path, b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
        assert!(write_file(dir.path(), b"x").unwrap_err().to_string().contains("this is a directory"));
        assert!(write_file(dir.path().join("a/b"), b"x").unwrap_err().to_string().contains("folder to write in"));
        for bad in [dir.path().to_path_buf(), dir.path().join("a/b")] {
            let told = check_place(&bad).unwrap_err().to_string();
            assert_eq!(told, write_file(&bad, b"x").unwrap_err().to_string());
        }
        check_place(&path).unwrap();
        check_place("new").unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_and_circles_are_not() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        std::os::unix::fs::symlink("real", at("link")).unwrap();
        write_file(at("link"), b"x").unwrap();
        assert!(fs::symlink_metadata(at("link")).unwrap().is_symlink());
        assert_eq!(fs::read(at("real")).unwrap(), b"x");
        std::os::unix::fs::symlink("round", at("round")).unwrap();
        assert!(write_file(at("round"), b"x").is_err());
    }
}
