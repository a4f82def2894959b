//! Disks that are full, or slow.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::tests::{FOLDER, learn, model, rows, seq, trained, trainer};
use super::*;
use crate::store::files::Growing;
use crate::store::simulated::Simulated;

/// Files with room for rows only, where of a snapshot a half is written; or whose syncs take so long. Both are counted.
#[derive(Clone, Default)]
struct Odd {
    files: Simulated,
    sync: Option<Duration>,
    counted: Arc<AtomicUsize>,
}

/// A file whose syncs take time.
struct Slow(Box<dyn Growing>, Duration, Arc<AtomicUsize>);

impl Growing for Slow {
    fn write(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        self.0.write(at, bytes)
    }
    fn sync(&mut self) -> io::Result<()> {
        self.2.fetch_add(1, Ordering::SeqCst);
        std::thread::sleep(self.1);
        self.0.sync()
    }
    fn cut(&mut self, length: u64) -> io::Result<()> {
        self.0.cut(length)
    }
}

impl Files for Odd {
    fn create_folder(&self, path: &Path) -> io::Result<()> {
        self.files.create_folder(path)
    }
    fn list(&self, folder: &Path) -> io::Result<Vec<String>> {
        self.files.list(folder)
    }
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.files.read(path)
    }
    fn grow(&self, path: &Path) -> io::Result<Box<dyn Growing>> {
        let file = self.files.grow(path)?;
        Ok(match self.sync {
            Some(time) => Box::new(Slow(file, time, self.counted.clone())),
            None => file,
        })
    }
    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        if self.sync.is_some() {
            return self.files.write(path, bytes);
        }
        self.counted.fetch_add(1, Ordering::SeqCst);
        self.files.write(path, &bytes[..bytes.len() / 2])?;
        Err(io::ErrorKind::StorageFull.into())
    }
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.files.rename(from, to)
    }
    fn remove(&self, path: &Path) -> io::Result<()> {
        self.files.remove(path)
    }
    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        self.files.remove_folder(path)
    }
    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        self.files.sync_folder(folder)
    }
    fn hold(&self, folder: &Path) -> io::Result<Box<dyn Send + Sync>> {
        self.files.hold(folder)
    }
}

fn open(files: Arc<dyn Files>) -> Handle {
    let limits = ModelLimits { snapshot: 5, ..ModelLimits::default() };
    Handle::open("m", files, Path::new(FOLDER), trainer("averaged"), Durability::Sync, limits).unwrap()
}

fn unfinished(files: &Simulated) -> usize {
    files.list(Path::new(FOLDER)).unwrap().iter().filter(|name| name.ends_with(".new")).count()
}

/// It was tried again after every commit, each time under another name, and the parts stayed.
#[test]
fn a_snapshot_that_finds_no_room_is_tried_seldom_and_leaves_nothing() {
    let (files, all) = (Odd::default(), rows(100, 3));
    let handle = open(Arc::new(files.clone()));
    for some in all.chunks(2) {
        learn(&handle, some).unwrap();
        // The one that is being written is seen to fail before the next rows.
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(model(&handle), trained("averaged", &all));
    handle.stop();
    assert_eq!((files.counted.load(Ordering::SeqCst), unfinished(&files.files)), (2, 0), "one, and one at the end");
}

/// A crash leaves what was being written.
#[test]
fn what_a_crash_left_unfinished_is_removed() {
    let files = Simulated::default();
    open(Arc::new(files.clone())).stop();
    files.write(&Path::new(FOLDER).join("snapshot-00000000000000000007.new"), b"half").unwrap();
    open(Arc::new(files.clone())).stop();
    assert_eq!(unfinished(&files), 0);
}

/// Predictions waited until a request of many rows was learned from.
#[test]
fn predictions_come_between_the_rows_of_a_long_request() {
    let files = Simulated::default();
    let handle = open(Arc::new(files));
    let (all, count) = (rows(30_000, 4), 30_000);
    let row = history::parse("spam | f1:1").unwrap();
    let between = std::thread::scope(|scope| {
        let learning = scope.spawn(|| learn(&handle, &all).unwrap());
        let mut between = 0;
        while !learning.is_finished() {
            let (reply, answer) = oneshot::channel();
            handle.ask(Ask::Predict { rows: vec![row.clone()], min_seq: 0, reply }).unwrap();
            let at = answer.blocking_recv().unwrap().unwrap().seq;
            between += u64::from(at > 0 && at < count);
        }
        between
    });
    assert!(between > 0);
    assert_eq!(seq(&handle), count);
    handle.stop();
}

/// Clients that ask again once they are answered: those of one commit are in the next, and not in the one after it, so each
/// waits for one sync and not for two. (A machine that is busy may let some of them come too late, and so there are three tries.)
#[test]
fn clients_that_were_just_answered_are_in_the_next_commit() {
    let syncs = || {
        let files = Odd { sync: Some(Duration::from_millis(60)), ..Odd::default() };
        let limits = ModelLimits::default();
        let path = Path::new(FOLDER);
        let handle =
            Handle::open("m", Arc::new(files.clone()), path, trainer("averaged"), Durability::Sync, limits).unwrap();
        std::thread::scope(|scope| {
            for client in 0..8 {
                let handle = &handle;
                scope.spawn(move || {
                    rows(10, client).iter().for_each(|row| drop(learn(handle, std::slice::from_ref(row)).unwrap()))
                });
            }
        });
        assert_eq!(seq(&handle), 80);
        handle.stop();
        files.counted.load(Ordering::SeqCst)
    };
    let counts: Vec<usize> = (0..3).map(|_| syncs()).collect();
    assert!(counts.iter().any(|&count| count <= 14), "{counts:?}");
}
