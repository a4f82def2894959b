//! The log of a model: segments of frames, the only truth about what was learned.
//!
//! `log-N.rlog` begins after N examples. A segment is synced before the next one is created, and the name of a segment
//! before its first frame is written. Segments are never changed after that. The oldest may be dropped, once snapshots hold
//! what they say: `compaction.rs`.
//!
//! A file that grows has a new length after every frame, and the file system syncs that, too, with whatever else waits in
//! its journal. So a segment of small frames grows ahead of them, by zeros, which are cut off when it is full and at the end:
//! then a sync is one write. Zeros at the end of a segment are no frame, and no damage.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::files::{Files, Growing};
use super::frame::{self, Frame, Request};
use crate::points;

/// Why something could not be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// The disk is full; nothing was changed, and a later attempt may succeed.
    Full(String),
    /// It is not known what is on the disk: nothing more may be learned.
    Broken(String),
}

/// Sizes of the files of a log, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// A segment that has so many is full.
    pub segment: u64,
    /// The most by which a segment grows ahead of its frames; 0: not at all.
    pub ahead: u64,
}

/// The end of a log, to append to.
pub struct Log {
    files: Arc<dyn Files>,
    folder: PathBuf,
    file: Box<dyn Growing>,
    /// Bytes of frames in the current segment, how many of them are durable, and where its zeros end.
    length: u64,
    synced: u64,
    grown: u64,
    /// Examples in the log.
    examples: u64,
    sizes: Sizes,
    bytes: Vec<u8>,
    /// Examples that survive a crash of the machine.
    durable: u64,
}

/// The name of the segment that begins after so many examples.
pub(super) fn segment_name(before: u64) -> String {
    format!("log-{before:020}.rlog")
}

/// The segments in a folder: how many examples come before each.
pub(super) fn segments(files: &dyn Files, folder: &Path) -> io::Result<Vec<u64>> {
    let number = |name: String| name.strip_prefix("log-")?.strip_suffix(".rlog")?.parse().ok();
    Ok(files.list(folder)?.into_iter().filter_map(number).collect())
}

/// What was wrong at the end of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Torn {
    /// Bytes that were cut off.
    pub bytes: u64,
    /// The file that keeps them.
    pub kept: String,
}

impl Log {
    /// Opens the log of a folder and cuts off a frame that a crash interrupted. Refuses a damaged log.
    pub fn open(files: Arc<dyn Files>, folder: &Path, sizes: Sizes) -> io::Result<(Log, Option<Torn>)> {
        let all = segments(&*files, folder)?;
        let (mut examples, mut length, mut torn) = (all.first().copied().unwrap_or(0), 0, None);
        for (place, &before) in all.iter().enumerate() {
            if before != examples {
                return Err(damaged(folder, before, 0, "examples are missing before this segment"));
            }
            let path = folder.join(segment_name(before));
            let bytes = files.read(&path)?;
            let end = scan(&bytes, &mut examples, |_| {});
            length = end as u64;
            let last = place + 1 == all.len();
            if is_zero(&bytes[end..]) {
                if last && end < bytes.len() {
                    files.grow(&path)?.cut(length)?;
                }
            } else {
                if !last || is_damage(&bytes, end) {
                    return Err(damaged(folder, before, end, "a frame is damaged, and later ones are not"));
                }
                torn = Some(cut(&*files, folder, before, &bytes, end)?);
            }
        }
        let current = all.last().copied().unwrap_or(0);
        if all.is_empty() {
            files.create_folder(folder)?;
        }
        let file = files.grow(&folder.join(segment_name(current)))?;
        files.sync_folder(folder)?;
        let ((synced, grown), folder) = ((length, length), folder.to_path_buf());
        // A crash of the process leaves its last frames to the system; what is counted on must be on the disk.
        let (bytes, durable) = (Vec::new(), examples);
        let mut log = Log { files, folder, file, length, synced, grown, examples, sizes, bytes, durable };
        log.file.sync()?;
        Ok((log, torn))
    }

    /// Examples in the log.
    pub fn examples(&self) -> u64 {
        self.examples
    }

    /// How many examples survive a crash of the machine.
    pub fn durable(&self) -> u64 {
        self.durable
    }

    /// Appends one frame; durable after [`sync`](Self::sync).
    pub fn append(&mut self, requests: &[&Request]) -> Result<(), Failure> {
        points::reach("before-append");
        if self.length >= self.sizes.segment {
            self.next_segment()?;
        }
        self.bytes.clear();
        frame::encode(self.examples, self.synced, requests.iter().copied(), &mut self.bytes);
        if points::is_chosen("half-append") {
            let half = self.bytes.len() / 2;
            let _ = self.file.write(self.length, &self.bytes[..half]);
            points::reach("half-append");
            self.cut().map_err(|error| Failure::Broken(error.to_string()))?;
        }
        self.grow();
        if let Err(error) = self.file.write(self.length, &self.bytes) {
            // Half a frame may be there: nothing may follow it.
            return match self.cut() {
                Ok(()) if is_full(&error) => Err(Failure::Full(error.to_string())),
                Ok(()) => Err(Failure::Broken(error.to_string())),
                Err(cut) => Err(Failure::Broken(format!("{error}, and then {cut}"))),
            };
        }
        points::reach("appended");
        self.length += self.bytes.len() as u64;
        self.grown = self.grown.max(self.length);
        self.examples += requests.iter().map(|request| request.rows.len() as u64).sum::<u64>();
        if self.bytes.capacity() > 1 << 22 {
            self.bytes = Vec::new();
        }
        Ok(())
    }

    /// Writes zeros where the next frames come, if they are small beside what is written for them. They need no sync of their
    /// own, and may be missing.
    fn grow(&mut self) {
        let (frame, Sizes { ahead, .. }) = (self.bytes.len() as u64, self.sizes);
        let some = self.length.max(frame).min(ahead);
        if self.length + frame > self.grown && self.length >= ahead / SHORT && frame <= ahead / LARGE {
            match self.file.write(self.length, &vec![0; some as usize]) {
                Ok(()) => self.grown = self.length + some,
                // Perhaps there is room for the frame and no more: its own write tells.
                Err(_) => {
                    let _ = self.cut();
                    self.sizes.ahead = 0;
                }
            }
        }
    }

    /// Cuts off what is no frame.
    fn cut(&mut self) -> io::Result<()> {
        self.grown = self.length;
        self.file.cut(self.length)
    }

    /// Makes all frames durable, and cuts off the zeros after them.
    pub fn finish(&mut self) -> Result<(), Failure> {
        if self.grown > self.length {
            self.cut().map_err(|error| Failure::Broken(error.to_string()))?;
        }
        self.sync()
    }

    /// Makes all frames durable. After a failure nobody knows what is on the disk, and a second attempt may report
    /// success for bytes that were dropped: so the log is broken.
    pub fn sync(&mut self) -> Result<(), Failure> {
        if self.synced < self.length {
            self.file.sync().map_err(|error| Failure::Broken(error.to_string()))?;
            self.synced = self.length;
            self.durable = self.examples;
            points::reach("synced");
        }
        Ok(())
    }

    fn next_segment(&mut self) -> Result<(), Failure> {
        self.finish()?;
        let path = self.folder.join(segment_name(self.examples));
        let failed = |error: io::Error| match is_full(&error) {
            true => Failure::Full(error.to_string()),
            false => Failure::Broken(error.to_string()),
        };
        let file = self.files.grow(&path).map_err(failed)?;
        points::reach("new-segment");
        self.files.sync_folder(&self.folder).map_err(|error| Failure::Broken(error.to_string()))?;
        (self.file, self.length, self.synced, self.grown) = (file, 0, 0, 0);
        Ok(())
    }
}

/// A log that is shorter than this part of what it may grow ahead has no zeros, and large frames bring their own length.
const SHORT: u64 = 256;
const LARGE: u64 = 64;

fn is_zero(bytes: &[u8]) -> bool {
    bytes.iter().all(|&byte| byte == 0)
}

/// Whether an error says that there is no room.
fn is_full(error: &io::Error) -> bool {
    use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    matches!(error.kind(), StorageFull | QuotaExceeded | FileTooLarge)
}

/// Calls `visit` with each frame that follows `examples` without a gap; returns where the last one ends.
fn scan(bytes: &[u8], examples: &mut u64, mut visit: impl FnMut(Frame)) -> usize {
    let mut end = 0;
    while let Some(frame) = frame::decode(&bytes[end..])
        && frame.before == *examples
    {
        end += frame.length;
        *examples += frame.requests.iter().map(|request| request.rows.len() as u64).sum::<u64>();
        visit(frame);
    }
    end
}

/// Whether the bytes at `end` were durable, and so are damaged and not merely incomplete.
fn is_damage(bytes: &[u8], end: usize) -> bool {
    let mut from = end;
    while let Some(at) = frame::find(bytes, from + usize::from(from == end)) {
        let Some(frame) = frame::decode(&bytes[at..]) else { return false };
        if frame.synced > end as u64 {
            return true;
        }
        from = at + frame.length.max(1);
    }
    false
}

fn damaged(folder: &Path, before: u64, at: usize, why: &str) -> io::Error {
    let path = folder.join(segment_name(before));
    let message = format!("{}, byte {at}: {why}; restore the file from a copy", path.display());
    io::Error::new(io::ErrorKind::InvalidData, message)
}

/// Keeps the end of a segment in a file of its own, and cuts it off.
fn cut(files: &dyn Files, folder: &Path, before: u64, bytes: &[u8], end: usize) -> io::Result<Torn> {
    let kept = format!("torn-{before:020}-{end}");
    files.write(&folder.join(&kept), &bytes[end..])?;
    files.sync_folder(folder)?;
    let mut file = files.grow(&folder.join(segment_name(before)))?;
    file.cut(end as u64)?;
    file.sync()?;
    Ok(Torn { bytes: (bytes.len() - end) as u64, kept })
}

/// How many examples of a log were dropped.
pub fn start(files: &dyn Files, folder: &Path) -> io::Result<u64> {
    Ok(segments(files, folder)?.first().copied().unwrap_or(0))
}

/// Calls `visit` with every frame from the one that holds example `from` (counted from 0) on, up to `to` examples.
/// The last frame may go beyond. An error if a frame is missing.
pub fn read(
    files: &dyn Files,
    folder: &Path,
    from: u64,
    to: u64,
    visit: &mut dyn FnMut(Frame) -> io::Result<()>,
) -> io::Result<()> {
    let all = segments(files, folder)?;
    if let Some(&start) = all.first().filter(|&&start| start > from) {
        let message =
            format!("the first {start} examples were dropped after a snapshot, and example {} is one", from + 1);
        return Err(io::Error::new(io::ErrorKind::NotFound, message));
    }
    let mut reached = from;
    for (place, &before) in all.iter().enumerate() {
        let past = all.get(place + 1).is_some_and(|&next| next <= from);
        if past || before >= to {
            continue;
        }
        let bytes = files.read(&folder.join(segment_name(before)))?;
        let (mut examples, mut at) = (before, 0);
        while examples < to && at < bytes.len() {
            let Some(frame) = frame::decode(&bytes[at..]).filter(|frame| frame.before == examples) else {
                if is_zero(&bytes[at..]) {
                    break;
                }
                return Err(damaged(folder, before, at, "a frame is damaged"));
            };
            at += frame.length;
            examples += frame.requests.iter().map(|request| request.rows.len() as u64).sum::<u64>();
            if examples > from {
                visit(frame)?;
            }
        }
        reached = reached.max(examples);
        if let Some(&next) = all.get(place + 1).filter(|&&next| next > examples && examples < to) {
            return Err(damaged(folder, next, 0, "examples are missing before this segment"));
        }
    }
    if reached < to {
        let message = format!("{}: the log ends after {reached} examples, and {to} are wanted", folder.display());
        return Err(io::Error::new(io::ErrorKind::InvalidData, message));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::simulated::{Lost, Simulated};
    use super::*;

    const SIZES: Sizes = Sizes { segment: 1 << 20, ahead: 16_000 };

    fn folder() -> &'static Path {
        Path::new("/m")
    }

    fn open(files: &Simulated) -> Log {
        Log::open(Arc::new(files.clone()), folder(), SIZES).unwrap().0
    }

    fn append(log: &mut Log, row: u64) -> Result<(), Failure> {
        let request = Request { key: String::new(), digest: row, rows: vec![format!("a | x:{row}")] };
        log.append(&[&request]).and_then(|()| log.sync())
    }

    fn rows(files: &Simulated, to: u64) -> io::Result<Vec<u64>> {
        let mut digests = Vec::new();
        read(files, folder(), 0, to, &mut |frame| {
            digests.extend(frame.requests.iter().map(|request| request.digest));
            Ok(())
        })?;
        Ok(digests)
    }

    /// There is room for the frame, and not for the zeros after it: the row is kept, and so are those after it.
    #[test]
    fn a_disk_without_room_to_grow_ahead_still_keeps_rows() {
        for kind in [io::ErrorKind::StorageFull, io::ErrorKind::Other] {
            let files = Simulated::default();
            let mut log = open(&files);
            (0..3).for_each(|row| append(&mut log, row).unwrap());
            assert!(log.grown > log.length, "no zeros ahead");
            let mut row = 3;
            while log.grown - log.length >= 57 {
                append(&mut log, row).unwrap();
                row += 1;
            }
            // The zeros are the first call of the next frame, where they no longer reach.
            files.fail_at(1, kind, false);
            append(&mut log, row).unwrap();
            append(&mut log, row + 1).unwrap();
            assert_eq!(log.sizes.ahead, 0);
            files.crash(Lost::All);
            let again = open(&files);
            assert_eq!(
                (again.examples(), rows(&files, row + 2).unwrap()),
                (row + 2, (0..row + 2).collect()),
                "{kind:?}"
            );
        }
    }

    /// A frame that is refused for want of room leaves nothing behind, also where zeros were.
    #[test]
    fn a_refused_frame_leaves_no_trace() {
        let files = Simulated::default();
        let mut log = open(&files);
        (0..5).for_each(|row| append(&mut log, row).unwrap());
        assert!(log.grown > log.length);
        files.fail_at(1, io::ErrorKind::StorageFull, false);
        assert!(matches!(append(&mut log, 5), Err(Failure::Full(_))));
        append(&mut log, 6).unwrap();
        for lost in [Lost::All, Lost::Zeros, Lost::After(9)] {
            let files = files.fork();
            files.crash(lost);
            assert_eq!((open(&files).examples(), rows(&files, 6).unwrap()), (6, vec![0, 1, 2, 3, 4, 6]), "{lost:?}");
        }
    }

    /// Whoever reads more examples than there are is told, and does not take the end for the whole.
    #[test]
    fn examples_that_are_not_there_are_missed() {
        let files = Simulated::default();
        let mut log = open(&files);
        (0..5).for_each(|row| append(&mut log, row).unwrap());
        assert_eq!(rows(&files, 5).unwrap().len(), 5);
        assert!(rows(&files, 6).unwrap_err().to_string().contains("ends after 5 examples"));
        let length = log.length as usize;
        files.change(&folder().join(segment_name(0)), |bytes| bytes[length - 40..].fill(0));
        assert!(rows(&files, 5).is_err());
    }
}
