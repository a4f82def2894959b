//! Files that are written completely or not at all.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{Error as IoError, ErrorKind, Result as IoResult, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::{Error, Result};

/// Writes a temporary file in the same folder and renames it, so that no reader sees half a file.
///
/// Symbolic links are followed, an existing file keeps its permissions, and a read-only file is not replaced. A pipe or a
/// device is written directly.
pub fn write_file(path: impl AsRef<Path>, bytes: &[u8]) -> Result<()> {
    let path = path.as_ref();
    write(path, bytes).map_err(|e| match e.kind() {
        ErrorKind::NotFound => Error::io(path, no_folder()),
        _ => Error::io(path, e),
    })
}

/// Refuses a path that [`write_file`] cannot write, as far as can be known without writing: to fail before long work.
pub fn check_place(path: impl AsRef<Path>) -> Result<()> {
    let path = path.as_ref();
    let target = end_of_links(path).map_err(|e| Error::io(path, e))?;
    if target.is_dir() {
        return Err(Error::io(path, directory()));
    }
    match target.parent() {
        Some(folder) if !folder.as_os_str().is_empty() && !folder.is_dir() => Err(Error::io(path, no_folder())),
        _ => Ok(()),
    }
}

fn directory() -> IoError {
    IoError::other("this is a directory: name a file in it")
}

fn no_folder() -> IoError {
    IoError::other("no such file or folder to write in")
}

fn write(path: &Path, bytes: &[u8]) -> IoResult<()> {
    match path.metadata() {
        Ok(found) if found.is_dir() => Err(directory()),
        Ok(found) if !found.is_file() => OpenOptions::new().write(true).open(path)?.write_all(bytes),
        Ok(found) if found.permissions().readonly() => Err(ErrorKind::PermissionDenied.into()),
        Ok(found) => match path.canonicalize() {
            Ok(target) => replace(&target, Some(&found), bytes),
            // Open, but without a name any more, as the target of /dev/stdout may be.
            Err(_) => OpenOptions::new().write(true).truncate(true).open(path)?.write_all(bytes),
        },
        Err(e) if e.kind() == ErrorKind::NotFound => replace(&end_of_links(path)?, None, bytes),
        Err(e) => Err(e),
    }
}

/// The end of a chain of links, which need not exist.
fn end_of_links(path: &Path) -> IoResult<PathBuf> {
    const LONGEST: usize = 40;
    let mut at = path.to_path_buf();
    for _ in 0..LONGEST {
        match at.read_link() {
            Ok(next) => at = at.parent().map_or_else(|| next.clone(), |folder| folder.join(&next)),
            Err(_) => return Ok(at),
        }
    }
    Err(IoError::new(ErrorKind::InvalidInput, "too many links"))
}

fn replace(target: &Path, old: Option<&Metadata>, bytes: &[u8]) -> IoResult<()> {
    if target.file_name().is_none() {
        return Err(IoError::new(ErrorKind::InvalidInput, "this is not the name of a file"));
    }
    let (mut file, beside) = create_beside(target)?;
    let mut write = || {
        file.write_all(bytes)?;
        if let Some(old) = old {
            file.set_permissions(old.permissions())?;
        }
        file.sync_all()?;
        std::fs::rename(&beside, target)
    };
    write().inspect_err(|_| {
        let _ = std::fs::remove_file(&beside);
    })
}

/// A new file in the same folder, created exclusively under an unused name: never an existing file, never through a link.
pub(crate) fn create_beside(target: &Path) -> IoResult<(File, PathBuf)> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    loop {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let beside = target.with_file_name(format!(".rosenblatt-{}-{number}.part", std::process::id()));
        match OpenOptions::new().write(true).create_new(true).open(&beside) {
            Ok(file) => return Ok((file, beside)),
            Err(e) if e.kind() == ErrorKind::AlreadyExists => {}
            Err(e) => return Err(e),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_refused_before_and_while_writing_with_the_same_message() {
        let dir = tempfile::tempdir().unwrap();
        for bad in [dir.path().to_path_buf(), dir.path().join("a/b")] {
            let message = check_place(&bad).unwrap_err().to_string();
            assert_eq!(message, write_file(&bad, b"x").unwrap_err().to_string());
        }
        check_place(dir.path().join("new")).unwrap();
        check_place("new").unwrap();
    }
}
