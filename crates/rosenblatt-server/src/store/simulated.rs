//! Files in memory that behave as a disk may: a crash loses what was not synced, and any call may fail.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};

use super::files::{Files, Growing};

/// What survives of bytes that were written and not synced.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Lost {
    /// Nothing.
    All,
    /// So many bytes stay.
    After(usize),
    /// The length stays, the bytes are zeros.
    Zeros,
    /// All of it stays but the first so many bytes: a disk writes in its own order.
    First(usize),
}

#[derive(Default)]
struct State {
    /// Content now, and content that survives a crash.
    contents: Vec<(Vec<u8>, Vec<u8>)>,
    names: BTreeMap<PathBuf, usize>,
    synced: BTreeMap<PathBuf, usize>,
    calls: u64,
    fail: Option<(u64, io::ErrorKind)>,
    forever: bool,
}

/// The files.
#[derive(Clone, Default)]
pub struct Simulated(Arc<Mutex<State>>);

struct Opened(Simulated, usize);

impl Simulated {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// One call: fails if it is the chosen one.
    fn call(&self) -> io::Result<MutexGuard<'_, State>> {
        let mut state = self.state();
        state.calls += 1;
        match state.fail {
            Some((at, kind)) if state.calls == at || (state.forever && state.calls > at) => Err(kind.into()),
            _ => Ok(state),
        }
    }

    /// Calls so far.
    pub fn calls(&self) -> u64 {
        self.state().calls
    }

    /// The call of this number, from now on, fails; `forever`: so do all after it.
    pub fn fail_at(&self, call: u64, kind: io::ErrorKind, forever: bool) {
        let mut state = self.state();
        (state.calls, state.fail, state.forever) = (0, Some((call, kind)), forever);
    }

    /// The machine crashes and starts again, with disks that work.
    pub fn crash(&self, lost: Lost) {
        let mut state = self.state();
        state.names = state.synced.clone();
        for (now, synced) in &mut state.contents {
            let written = std::mem::replace(now, synced.clone());
            // What was written begins where the two differ.
            let from =
                written.iter().zip(&*synced).position(|(a, b)| a != b).unwrap_or(written.len().min(synced.len()));
            let stays = match lost {
                Lost::All | Lost::Zeros => 0..0,
                Lost::After(bytes) => from..(from + bytes).min(written.len()),
                Lost::First(bytes) => (from + bytes).min(written.len())..written.len(),
            };
            let length = if lost == Lost::Zeros { written.len() } else { stays.end };
            now.resize(length.max(now.len()), 0);
            now[stays.clone()].copy_from_slice(&written[stays]);
            synced.clone_from(now);
        }
        state.fail = None;
    }

    /// Changes a file as it is on the disk.
    pub fn change(&self, path: &Path, change: impl FnOnce(&mut Vec<u8>)) {
        let mut state = self.state();
        let at = state.names[path];
        change(&mut state.contents[at].0);
        state.contents[at].1 = state.contents[at].0.clone();
    }

    /// A copy that goes its own way.
    pub fn fork(&self) -> Simulated {
        let state = self.state();
        let copy = State {
            contents: state.contents.clone(),
            names: state.names.clone(),
            synced: state.synced.clone(),
            ..State::default()
        };
        Simulated(Arc::new(Mutex::new(copy)))
    }
}

fn missing() -> io::Error {
    io::ErrorKind::NotFound.into()
}

impl Files for Simulated {
    fn create_folder(&self, _path: &Path) -> io::Result<()> {
        self.call().map(drop)
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<String>> {
        let state = self.call()?;
        let mut names: Vec<String> = Vec::new();
        for path in state.names.keys() {
            if let Ok(inside) = path.strip_prefix(folder) {
                let first = inside.components().next().unwrap();
                names.push(first.as_os_str().to_str().unwrap().to_string());
            }
        }
        names.dedup();
        Ok(names)
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let state = self.call()?;
        state.names.get(path).map(|&at| state.contents[at].0.clone()).ok_or_else(missing)
    }

    fn grow(&self, path: &Path) -> io::Result<Box<dyn Growing>> {
        let mut state = self.call()?;
        let at = match state.names.get(path) {
            Some(&at) => at,
            None => {
                state.contents.push(Default::default());
                let at = state.contents.len() - 1;
                state.names.insert(path.to_path_buf(), at);
                at
            }
        };
        Ok(Box::new(Opened(self.clone(), at)))
    }

    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let mut state = self.call()?;
        state.contents.push((bytes.to_vec(), bytes.to_vec()));
        let at = state.contents.len() - 1;
        state.names.insert(path.to_path_buf(), at);
        Ok(())
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut state = self.call()?;
        let at = state.names.remove(from).ok_or_else(missing)?;
        state.names.insert(to.to_path_buf(), at);
        Ok(())
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.call()?.names.remove(path);
        Ok(())
    }

    fn remove_folder(&self, _path: &Path) -> io::Result<()> {
        self.call().map(drop)
    }

    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        let mut state = self.call()?;
        let inside = |path: &Path| path.parent() == Some(folder);
        let now: Vec<_> =
            state.names.iter().filter(|(path, _)| inside(path)).map(|(path, at)| (path.clone(), *at)).collect();
        state.synced.retain(|path, _| !inside(path));
        state.synced.extend(now);
        Ok(())
    }

    fn hold(&self, _folder: &Path) -> io::Result<Box<dyn Send + Sync>> {
        drop(self.call()?);
        Ok(Box::new(()))
    }
}

impl Opened {
    fn put(&self, state: &mut State, at: u64, bytes: &[u8]) {
        let content = &mut state.contents[self.1].0;
        let (at, end) = (at as usize, at as usize + bytes.len());
        content.resize(end.max(content.len()), 0);
        content[at..end].copy_from_slice(bytes);
    }
}

impl Growing for Opened {
    fn write(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        match self.0.call() {
            Ok(mut state) => {
                self.put(&mut state, at, bytes);
                Ok(())
            }
            Err(error) => {
                // A part may be there.
                self.put(&mut self.0.state(), at, &bytes[..bytes.len() / 2]);
                Err(error)
            }
        }
    }

    fn sync(&mut self) -> io::Result<()> {
        let mut state = self.0.call()?;
        let (now, synced) = &mut state.contents[self.1];
        synced.clone_from(now);
        Ok(())
    }

    fn cut(&mut self, length: u64) -> io::Result<()> {
        self.0.call()?.contents[self.1].0.truncate(length as usize);
        Ok(())
    }
}
