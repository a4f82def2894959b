//! Files that are written completely or not at all, one or several together.

use std::fs::{OpenOptions, Permissions};
use std::io::{Error as IoError, ErrorKind, Result as IoResult, Write};
use std::path::{Path, PathBuf};

use super::temporary::{Registered, Temporary, registry};
use crate::error::{Error, Result};

/// Writes a temporary file in the same folder and renames it, so that no reader sees half a file.
///
/// Symbolic links are followed, an existing file keeps its permissions, and a read-only file is not replaced. A pipe or a
/// device is written directly.
pub fn write_file(path: impl AsRef<Path>, bytes: &[u8]) -> Result<()> {
    Outputs::create(&[path])?.commit(&[bytes])
}

/// Refuses a path that [`write_file`] cannot write: to fail before long work.
pub fn check_place(path: impl AsRef<Path>) -> Result<()> {
    Outputs::create(&[path]).map(drop)
}

/// Files that are replaced together or not at all, as [`write_file`] replaces one.
///
/// Their temporary files are created before the work begins, so that a path that cannot be written is an early error.
/// Dropped before [`commit`](Self::commit), they leave nothing behind, and the old files stay.
///
/// ```
/// let folder = tempfile::tempdir()?;
/// let (data, labels) = (folder.path().join("data"), folder.path().join("labels"));
/// let outputs = rosenblatt::io::Outputs::create(&[&data, &labels])?;
/// // long work
/// outputs.commit(&[b"1 2 3", b"a b c"])?;
/// assert_eq!(std::fs::read(labels)?, b"a b c");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Outputs(pub(super) Vec<Output>);

#[derive(Debug)]
pub(super) struct Output {
    /// As the user named it.
    pub(super) path: PathBuf,
    pub(super) way: Way,
}

/// How a file is written.
#[derive(Debug)]
pub(super) enum Way {
    /// The temporary file becomes `target`.
    Replace { temporary: Temporary, target: PathBuf, permissions: Option<Permissions> },
    /// A pipe, a device, or an open file without a name: written directly.
    Direct { truncate: bool },
}

impl Outputs {
    /// Creates the temporary files of all paths.
    pub fn create<P: AsRef<Path>>(paths: &[P]) -> Result<Self> {
        let each = |path: &P| {
            let path = path.as_ref();
            let way = Way::of(path).map_err(|e| named(path, e))?;
            Ok(Output { path: path.to_path_buf(), way })
        };
        let outputs = paths.iter().map(each).collect::<Result<Vec<Output>>>()?;
        for (i, output) in outputs.iter().enumerate() {
            let twice =
                output.way.target().is_some() && outputs[..i].iter().any(|o| o.way.target() == output.way.target());
            if twice {
                return Err(Error::io(&output.path, IoError::other("two outputs have this name: name another file")));
            }
        }
        Ok(Outputs(outputs))
    }

    /// Writes the contents, in the order of the paths, and then replaces all files.
    ///
    /// If anything fails, the old files stay. If the process is killed while it renames several files, the first is
    /// missing: files of two different sets never stand together.
    ///
    /// # Panics
    /// If there is not one content for each path.
    pub fn commit(mut self, contents: &[&[u8]]) -> Result<()> {
        assert_eq!(self.0.len(), contents.len(), "one content for each path");
        for (output, bytes) in self.0.iter_mut().zip(contents) {
            output.way.write(bytes).map_err(|e| named(&output.path, e))?;
        }
        self.replace_all().map_err(|(path, e)| named(&path, e))?;
        for (output, bytes) in self.0.iter().zip(contents) {
            output.way.write_directly(&output.path, bytes).map_err(|e| named(&output.path, e))?;
        }
        Ok(())
    }

    pub(super) fn replace_all(&mut self) -> std::result::Result<(), (PathBuf, IoError)> {
        let mut registry = registry();
        let mut replaced = Replaced { registry: &mut registry, old: Vec::new(), new: Vec::new() };
        let several = self.0.iter().filter(|output| matches!(output.way, Way::Replace { .. })).count() > 1;
        if several {
            for output in &self.0 {
                if let Way::Replace { target, permissions: Some(_), .. } = &output.way {
                    replaced.set_aside(target).map_err(|e| (output.path.clone(), e))?;
                }
            }
        }
        // The first is missing until all others are there.
        for output in self.0.iter_mut().rev() {
            if let Way::Replace { temporary, target, .. } = &mut output.way {
                temporary.rename(replaced.registry, target).map_err(|e| (output.path.clone(), e))?;
                replaced.new.push(target.clone());
            }
        }
        replaced.keep();
        Ok(())
    }
}

/// Renames so far: undone when it is dropped before [`keep`](Self::keep).
struct Replaced<'r> {
    registry: &'r mut Registered,
    /// Old files: where they were, and where they are.
    old: Vec<(PathBuf, PathBuf)>,
    new: Vec<PathBuf>,
}

impl Replaced<'_> {
    fn set_aside(&mut self, target: &Path) -> IoResult<()> {
        match self.registry.set_aside(target) {
            Ok(aside) => self.old.push((target.to_path_buf(), aside)),
            // It was removed meanwhile.
            Err(e) if e.kind() == ErrorKind::NotFound => {}
            Err(e) => return Err(e),
        }
        Ok(())
    }

    fn keep(mut self) {
        for (_, aside) in std::mem::take(&mut self.old) {
            self.registry.remove(&aside);
        }
        self.new.clear();
    }
}

impl Drop for Replaced<'_> {
    fn drop(&mut self) {
        // One file alone replaces the old one by its rename, which did not happen.
        for new in &self.new {
            let _ = std::fs::remove_file(new);
        }
        for (target, aside) in &self.old {
            let _ = self.registry.rename(aside, target);
        }
    }
}

pub(super) fn named(path: &Path, error: IoError) -> Error {
    match error.kind() {
        ErrorKind::NotFound => Error::io(path, IoError::other("no such file or folder to write in")),
        _ => Error::io(path, error),
    }
}

impl Way {
    fn of(path: &Path) -> IoResult<Self> {
        match path.metadata() {
            Ok(found) if found.is_dir() => Err(IoError::other("this is a directory: name a file in it")),
            Ok(found) if !found.is_file() => Ok(Way::Direct { truncate: false }),
            Ok(found) if found.permissions().readonly() => Err(ErrorKind::PermissionDenied.into()),
            Ok(found) => match path.canonicalize() {
                Ok(target) => Self::replace(target, Some(found.permissions())),
                // Open, but without a name any more, as the target of /dev/stdout may be.
                Err(_) => Ok(Way::Direct { truncate: true }),
            },
            Err(e) if e.kind() == ErrorKind::NotFound => Self::replace(end_of_links(path)?, None),
            Err(e) => Err(e),
        }
    }

    fn target(&self) -> Option<&Path> {
        match self {
            Way::Replace { target, .. } => Some(target),
            Way::Direct { .. } => None,
        }
    }

    fn replace(target: PathBuf, permissions: Option<Permissions>) -> IoResult<Self> {
        if target.file_name().is_none() {
            return Err(IoError::new(ErrorKind::InvalidInput, "this is not the name of a file"));
        }
        Ok(Way::Replace { temporary: Temporary::beside(&target)?, target, permissions })
    }

    fn write(&mut self, bytes: &[u8]) -> IoResult<()> {
        let Way::Replace { temporary, .. } = self else { return Ok(()) };
        temporary.write_all(bytes)?;
        self.seal()
    }

    /// Gives a temporary file that is written the permissions of the old one, and waits until it is stored.
    pub(super) fn seal(&mut self) -> IoResult<()> {
        let Way::Replace { temporary, permissions, .. } = self else { return Ok(()) };
        if let Some(permissions) = permissions {
            temporary.file().set_permissions(permissions.clone())?;
        }
        temporary.file().sync_all()
    }

    fn write_directly(&self, path: &Path, bytes: &[u8]) -> IoResult<()> {
        match self {
            Way::Replace { .. } => Ok(()),
            Way::Direct { truncate } => OpenOptions::new().write(true).truncate(*truncate).open(path)?.write_all(bytes),
        }
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

#[cfg(test)]
#[path = "write_tests.rs"]
mod tests;
