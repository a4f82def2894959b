//! The files of a model, behind a trait: tests replace them by files that lose what was not synced, or fail.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

/// What the store asks of a file system.
pub trait Files: Send + Sync + 'static {
    /// Creates a folder, which survives a crash.
    fn create_folder(&self, path: &Path) -> io::Result<()>;
    /// The names in a folder, sorted; empty if it is not there.
    fn list(&self, folder: &Path) -> io::Result<Vec<String>>;
    /// The content of a file.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>>;
    /// Opens a file that grows; creates it if it is not there.
    fn grow(&self, path: &Path) -> io::Result<Box<dyn Growing>>;
    /// Writes a file and syncs it; its name survives a crash after [`sync_folder`](Self::sync_folder).
    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()>;
    /// Renames a file; another of that name is replaced.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Removes a file, if it is there.
    fn remove(&self, path: &Path) -> io::Result<()>;
    /// Removes an empty folder, if it is there.
    fn remove_folder(&self, path: &Path) -> io::Result<()>;
    /// Makes names that were created, renamed or removed in a folder survive a crash.
    fn sync_folder(&self, folder: &Path) -> io::Result<()>;
    /// Holds a folder for this process until the answer is dropped, also by `kill -9`; `WouldBlock`: another holds it.
    fn hold(&self, folder: &Path) -> io::Result<Box<dyn Send + Sync>>;
}

/// A file that grows.
pub trait Growing: Send {
    /// Writes at a place, over what is there.
    fn write(&mut self, at: u64, bytes: &[u8]) -> io::Result<()>;
    /// Makes everything written so far survive a crash of the machine.
    fn sync(&mut self) -> io::Result<()>;
    /// Cuts off everything after `length` bytes.
    fn cut(&mut self, length: u64) -> io::Result<()>;
}

/// The files of the operating system.
#[derive(Debug, Clone, Copy)]
pub struct Disk;

impl Files for Disk {
    fn create_folder(&self, path: &Path) -> io::Result<()> {
        // The name of a new folder is in its parent, which may be new as well.
        let new: Vec<&Path> =
            path.ancestors().take_while(|folder| !folder.as_os_str().is_empty() && !folder.exists()).collect();
        fs::create_dir_all(path)?;
        for folder in new {
            let parent = folder.parent().filter(|parent| !parent.as_os_str().is_empty());
            self.sync_folder(parent.unwrap_or(Path::new(".")))?;
        }
        Ok(())
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<String>> {
        let entries = match fs::read_dir(folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries?,
        };
        let mut names = Vec::new();
        for entry in entries {
            names.extend(entry?.file_name().into_string());
        }
        names.sort();
        Ok(names)
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        fs::read(path)
    }

    fn grow(&self, path: &Path) -> io::Result<Box<dyn Growing>> {
        Ok(Box::new(OpenOptions::new().create(true).write(true).truncate(false).open(path)?))
    }

    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let mut file = File::create(path)?;
        file.write_all(bytes)?;
        file.sync_all()
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        ignore_missing(fs::remove_file(path))
    }

    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        ignore_missing(fs::remove_dir(path))
    }

    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        // Other systems have no handle of a folder to sync.
        if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
    }

    fn hold(&self, folder: &Path) -> io::Result<Box<dyn Send + Sync>> {
        let file = OpenOptions::new().create(true).append(true).open(folder.join("lock"))?;
        match file.try_lock() {
            Ok(()) => Ok(Box::new(file)),
            Err(fs::TryLockError::WouldBlock) => Err(io::ErrorKind::WouldBlock.into()),
            Err(fs::TryLockError::Error(error)) => Err(error),
        }
    }
}

impl Growing for File {
    #[cfg(unix)]
    fn write(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        std::os::unix::fs::FileExt::write_all_at(self, bytes, at)
    }

    #[cfg(not(unix))]
    fn write(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        use std::io::{Seek, SeekFrom};
        self.seek(SeekFrom::Start(at))?;
        self.write_all(bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.sync_data()
    }

    fn cut(&mut self, length: u64) -> io::Result<()> {
        self.set_len(length)
    }
}

fn ignore_missing(done: io::Result<()>) -> io::Result<()> {
    match done {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// How the name of a file ends that is being written.
const UNFINISHED: &str = ".new";

/// Writes a file beside its place, then moves it there: whole or not at all, also in a crash.
pub fn replace(files: &dyn Files, folder: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    let temporary = folder.join(format!("{name}{UNFINISHED}"));
    let moved = files.write(&temporary, bytes).and_then(|()| {
        crate::points::reach("written");
        files.rename(&temporary, &folder.join(name))
    });
    if moved.is_err() {
        // A part of it may be there, and take the room that others need.
        let _ = files.remove(&temporary);
        return moved;
    }
    crate::points::reach("renamed");
    files.sync_folder(folder)
}

/// Removes what was being written when the server ended.
pub fn remove_unfinished(files: &dyn Files, folder: &Path) -> io::Result<()> {
    for name in files.list(folder)?.into_iter().filter(|name| name.ends_with(UNFINISHED)) {
        files.remove(&folder.join(name))?;
    }
    Ok(())
}
