//! Temporary files: created exclusively under random names, and removed when they are dropped, by
//! [`remove_temporaries`], or, if their process was killed, by the next process that writes in the same folder.
//!
//! A process locks its temporary files. The system releases the lock when the process ends, however it ends, so a file of
//! this name that can be locked belongs to no living process. Where the system has no locks, nothing is swept.

use std::collections::HashSet;
use std::fs::{File, OpenOptions, TryLockError};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{ErrorKind, Result as IoResult, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

const PREFIX: &str = ".rosenblatt-";
const SUFFIX: &str = ".part";
/// Hexadecimal digits of a random name.
const DIGITS: usize = 32;

/// The temporary files of this process, and the folders that it has swept.
#[derive(Default)]
struct Registry {
    live: Vec<PathBuf>,
    swept: HashSet<PathBuf>,
}

static REGISTRY: Mutex<Option<Registry>> = Mutex::new(None);

/// The registry, held: [`remove_temporaries`] waits, so that no set of files is committed in part.
pub(super) struct Registered(MutexGuard<'static, Option<Registry>>);

pub(super) fn registry() -> Registered {
    Registered(REGISTRY.lock().unwrap_or_else(PoisonError::into_inner))
}

impl Registered {
    fn get(&mut self) -> &mut Registry {
        self.0.get_or_insert_with(Registry::default)
    }

    fn live(&mut self) -> &mut Vec<PathBuf> {
        &mut self.get().live
    }

    fn forget(&mut self, path: &Path) {
        self.live().retain(|live| live != path);
    }

    /// Moves a file out of the way, to a temporary name in the same folder.
    pub(super) fn set_aside(&mut self, target: &Path) -> IoResult<PathBuf> {
        if !target.symlink_metadata()?.is_file() {
            return Err(std::io::Error::other("this is not a file any more"));
        }
        let aside = target.with_file_name(random_name());
        std::fs::rename(target, &aside)?;
        self.live().push(aside.clone());
        Ok(aside)
    }

    /// Renames a registered file, which is then no longer temporary.
    pub(super) fn rename(&mut self, path: &Path, target: &Path) -> IoResult<()> {
        std::fs::rename(path, target)?;
        self.forget(path);
        Ok(())
    }

    /// Removes a registered file.
    pub(super) fn remove(&mut self, path: &Path) {
        // It may be gone already.
        let _ = std::fs::remove_file(path);
        self.forget(path);
    }
}

/// Removes all temporary files of this process: call it before the process ends at a signal.
///
/// A set of files that is being committed is committed first. Work that goes on afterwards fails when it renames its
/// temporary files.
pub fn remove_temporaries() {
    let mut registry = registry();
    for path in std::mem::take(registry.live()) {
        let _ = std::fs::remove_file(path);
    }
}

pub(super) fn random_name() -> String {
    // The keys of a hasher are random. Names affect no result, so they need no seed.
    let random = || RandomState::new().build_hasher().finish();
    format!("{PREFIX}{:016x}{:016x}{SUFFIX}", random(), random())
}

fn is_temporary_name(name: &str) -> bool {
    let digits = name.strip_prefix(PREFIX).and_then(|rest| rest.strip_suffix(SUFFIX));
    digits.is_some_and(|digits| digits.len() == DIGITS && digits.bytes().all(|b| b.is_ascii_hexdigit()))
}

/// Removes the temporary files of dead processes from a folder, once in each process.
fn sweep(folder: &Path) {
    if !registry().get().swept.insert(folder.to_path_buf()) {
        return;
    }
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let named = entry.file_name().to_str().is_some_and(is_temporary_name);
        if named && entry.file_type().is_ok_and(|kind| kind.is_file()) && is_stale(&entry.path()) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// Whether no process has locked this file.
fn is_stale(path: &Path) -> bool {
    // Opened for writing: some systems lock only such files.
    OpenOptions::new().write(true).open(path).is_ok_and(|file| file.try_lock().is_ok())
}

/// A temporary file of this process.
#[derive(Debug)]
pub(crate) struct Temporary {
    file: File,
    name: Name,
}

/// Its name; `None` once it has none. Removes the file when it is dropped.
#[derive(Debug)]
struct Name(Option<PathBuf>);

impl Drop for Name {
    fn drop(&mut self) {
        if let Some(path) = self.0.take() {
            registry().remove(&path);
        }
    }
}

impl Temporary {
    /// A new file in the folder of `target`.
    pub(crate) fn beside(target: &Path) -> IoResult<Self> {
        let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
        Self::create(folder.unwrap_or(Path::new(".")), OpenOptions::new().read(true).write(true).create_new(true))
    }

    /// A new file in a folder, for this process alone: other users cannot read it, and where the system allows it has
    /// no name, so that it vanishes with the process.
    pub(crate) fn private(folder: &Path) -> IoResult<Self> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let created = Self::create(folder, &options)?;
        Ok(if cfg!(unix) { Temporary { file: created.file, name: Name(None) } } else { created })
    }

    /// `options` must create: an existing file is never opened, and a link is never followed.
    fn create(folder: &Path, options: &OpenOptions) -> IoResult<Self> {
        sweep(folder);
        loop {
            let path = folder.join(random_name());
            let mut registry = registry();
            let opened = options.open(&path);
            if opened.is_ok() {
                registry.live().push(path.clone());
            }
            drop(registry);
            match opened {
                Ok(file) => {
                    let created = Temporary { file, name: Name(Some(path)) };
                    if created.lock() {
                        return Ok(created);
                    }
                }
                Err(e) if e.kind() == ErrorKind::AlreadyExists => {}
                Err(e) => return Err(e),
            }
        }
    }

    /// Marks the file as in use. `false`: another process has swept it since it was created.
    fn lock(&self) -> bool {
        match self.file.try_lock() {
            Ok(()) => self.name.0.as_ref().is_some_and(|path| path.exists()),
            Err(TryLockError::WouldBlock) => false,
            // Without locks nothing is swept.
            Err(TryLockError::Error(_)) => true,
        }
    }

    /// The open file.
    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    /// Renames the file, replacing an existing one. It then stays.
    pub(super) fn rename(&mut self, registry: &mut Registered, target: &Path) -> IoResult<()> {
        if let Some(path) = self.name.0.take()
            && let Err(e) = registry.rename(&path, target)
        {
            self.name.0 = Some(path);
            return Err(e);
        }
        Ok(())
    }

    /// The same, and the open file.
    pub(crate) fn persist(mut self, target: &Path) -> IoResult<File> {
        self.rename(&mut registry(), target)?;
        Ok(self.file)
    }
}

impl Write for Temporary {
    fn write(&mut self, bytes: &[u8]) -> IoResult<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> IoResult<()> {
        self.file.flush()
    }
}
