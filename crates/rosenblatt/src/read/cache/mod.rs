//! Rows in a file of their own, block by block as they are presented: for data that are read more often than once and
//! do not fit in memory, or that are trained on again and again.
//!
//! ```text
//! "RSNCACHE" · version (u32) · zeros (u32)
//! the blocks, see bytes.rs
//! what it holds, as JSON · its length (u64) · XXH3-64 of it (u64) · "RSNCACHE"
//! ```
//! All numbers are little-endian; each block has an XXH3-64 of its own. A cache is of one state of one file, read in one
//! way: its size, its time, the fingerprint of its bytes and the options must all be the same, so it is never stale; it is
//! written beside its place and moved there when it is whole.

mod bytes;

use std::fs::File;
use std::io::{BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};
use twox_hash::XxHash3_64;

use crate::error::{Error, Place, Result};
use crate::io::{Input, create_beside};
use crate::message::{Message, Setting};
use crate::read::{Block, Format, ReadOptions};
use crate::rows::{LabelCollector, Schema};
use bytes::{Form, Room, Stretch};

const MAGIC: &[u8; 8] = b"RSNCACHE";
const VERSION: u32 = 3;
/// Magic, version and zeros.
const HEAD: u64 = 16;
/// Length, checksum and magic.
const TAIL: u64 = 24;

fn start_of_file() -> [u8; HEAD as usize] {
    let mut head = [0; HEAD as usize];
    head[..8].copy_from_slice(MAGIC);
    head[8..12].copy_from_slice(&VERSION.to_le_bytes());
    head
}

/// The file that a cache was made of, and how it was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Origin {
    size: u64,
    /// When it was last changed, in nanoseconds.
    time: u128,
    /// The options, in words: they need to be compared and no more.
    options: String,
}

impl Origin {
    /// What the file is like now; `None` where the data come from no file.
    pub(crate) fn of(input: &Input, format: Format, options: &ReadOptions) -> Result<Option<Self>> {
        let Input::Path(path) = input else { return Ok(None) };
        let found = path.metadata().map_err(|e| Error::io(path, e))?;
        let time = found.modified().ok().and_then(|t| t.duration_since(UNIX_EPOCH).ok()).map_or(0, |t| t.as_nanos());
        // Which class is the positive one is asked anew by every training, and what memory holds is no matter here.
        let options = ReadOptions { format: Some(format), positive: None, compact: false, ..options.clone() };
        Ok(Some(Origin { size: found.len(), time, options: format!("{options:?}") }))
    }
}

/// One block of the file.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Part {
    rows: u64,
    values: u64,
    form: Form,
    checksum: u64,
}

impl Part {
    fn size(&self) -> Option<u64> {
        self.form.size(self.rows, self.values)
    }
}

/// What a cache holds.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Contents {
    origin: Option<Origin>,
    /// XXH3-64 of the (decompressed) bytes of the origin.
    pub(crate) fingerprint: u64,
    /// How raw columns became features.
    pub(crate) schema: Schema,
    /// Labels in the order of their first appearance; a row's label is a place here.
    labels: Vec<String>,
    /// What a user may want to know of the origin.
    pub(crate) notes: Vec<Message>,
    /// Features of a dense row.
    width: Option<usize>,
    /// What is added to every index: 1 where the file turned out to count from 0.
    shift: u32,
    parts: Vec<Part>,
}

impl Contents {
    /// How many examples.
    pub(crate) fn examples(&self) -> u64 {
        self.parts.iter().map(|part| part.rows).sum()
    }

    /// How many blocks of the presentation.
    pub(crate) fn blocks(&self) -> usize {
        self.parts.len()
    }

    /// How many rows come before each block.
    pub(crate) fn starts(&self) -> Vec<u64> {
        let rows = self.parts.iter().map(|part| part.rows);
        rows.scan(0, |sum, rows| Some(std::mem::replace(sum, *sum + rows))).collect()
    }

    /// The labels, to be put in order.
    pub(crate) fn collector(&self) -> LabelCollector {
        let mut collector = LabelCollector::default();
        self.labels.iter().for_each(|label| {
            collector.collect(label);
        });
        collector
    }
}

/// A cache that is being written.
pub(crate) struct Writer {
    place: PathBuf,
    beside: PathBuf,
    file: BufWriter<File>,
    parts: Vec<Part>,
    room: Room,
    done: bool,
}

impl Writer {
    /// Begins beside its place.
    pub(crate) fn new(place: &Path) -> Result<Self> {
        let (file, beside) = create_beside(place).map_err(|e| Error::io(place, e))?;
        let mut writer = Writer {
            place: place.to_path_buf(),
            beside,
            file: BufWriter::new(file),
            parts: Vec::new(),
            room: Room::default(),
            done: false,
        };
        writer.write(&start_of_file())?;
        Ok(writer)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.file.write_all(bytes).map_err(|e| Error::io(&self.place, e))
    }

    /// Writes the rows `from..to` of some blocks, counted through all of them, as one block.
    pub(crate) fn push<'b>(
        &mut self,
        blocks: impl Iterator<Item = &'b Block> + Clone,
        from: usize,
        to: usize,
    ) -> Result<()> {
        let mut before = 0;
        let within = |block: &'b Block| {
            let own = from.saturating_sub(before).min(block.len())..to.saturating_sub(before).min(block.len());
            before += block.len();
            Stretch::new(block, own)
        };
        let stretches: Vec<Stretch<'b>> = blocks.filter_map(within).collect();
        let (rows, values, form) = self.room.fill(&stretches);
        self.parts.push(Part { rows, values, form, checksum: XxHash3_64::oneshot(&self.room.bytes) });
        self.file.write_all(&self.room.bytes).map_err(|e| Error::io(&self.place, e))
    }

    /// Ends it and moves it to its place.
    #[expect(clippy::too_many_arguments, reason = "all that is known of the origin once it has been read")]
    pub(crate) fn finish(
        mut self,
        origin: Option<Origin>,
        fingerprint: u64,
        schema: Schema,
        labels: Vec<String>,
        notes: Vec<Message>,
        width: Option<usize>,
        shift: u32,
    ) -> Result<Contents> {
        let parts = std::mem::take(&mut self.parts);
        let contents = Contents { origin, fingerprint, schema, labels, notes, width, shift, parts };
        let mut tail = serde_json::to_vec(&contents).expect("plain data");
        let (length, checksum) = (tail.len() as u64, XxHash3_64::oneshot(&tail));
        tail.extend_from_slice(&length.to_le_bytes());
        tail.extend_from_slice(&checksum.to_le_bytes());
        tail.extend_from_slice(MAGIC);
        self.write(&tail)?;
        self.file.flush().map_err(|e| Error::io(&self.place, e))?;
        std::fs::rename(&self.beside, &self.place).map_err(|e| Error::io(&self.place, e))?;
        self.done = true;
        Ok(contents)
    }
}

/// Nothing half-written is left behind.
impl Drop for Writer {
    fn drop(&mut self) {
        if !self.done {
            let _ = std::fs::remove_file(&self.beside);
        }
    }
}

/// A cache to read from.
#[derive(Debug)]
pub(crate) struct Cache {
    file: File,
    pub(crate) contents: Contents,
    /// Where each block is.
    offsets: Vec<u64>,
    bytes: Vec<u8>,
}

/// Refuses a place where something else is: a cache may be made anew, another's file may not be lost.
pub(crate) fn check_cache_place(place: &Path) -> Result<()> {
    crate::io::check_place(place)?;
    let Ok(file) = File::open(place) else { return Ok(()) };
    let mut start = Vec::new();
    let read = file.take(MAGIC.len() as u64).read_to_end(&mut start);
    if read.is_ok() && (start.is_empty() || start == MAGIC) {
        return Ok(());
    }
    let told = Message::new("this is no cache, and would be overwritten: name another file with ");
    let told = told.with(Setting::Cache);
    Err(Error::data(Place::file(place.display().to_string()), told))
}

/// That a cache cannot be used; it is not the user's fault, and is mended by making it anew.
#[derive(Debug)]
pub(crate) struct Unusable;

impl Cache {
    /// Opens a cache that is whole.
    pub(crate) fn open(path: &Path) -> std::result::Result<Self, Unusable> {
        let mut file = File::open(path).map_err(|_| Unusable)?;
        let size = file.metadata().map_err(|_| Unusable)?.len();
        let mut head = [0; HEAD as usize];
        let mut tail = [0; TAIL as usize];
        file.read_exact(&mut head).map_err(|_| Unusable)?;
        file.seek(SeekFrom::Start(size.checked_sub(TAIL).ok_or(Unusable)?)).map_err(|_| Unusable)?;
        file.read_exact(&mut tail).map_err(|_| Unusable)?;
        let number = |at: usize| u64::from_le_bytes(tail[at..at + 8].try_into().expect("eight bytes"));
        let (length, checksum) = (number(0), number(8));
        let sound = head == start_of_file() && &tail[16..] == MAGIC;
        let end = (size - TAIL).checked_sub(length).filter(|end| sound && *end >= HEAD).ok_or(Unusable)?;
        let mut text = vec![0; length as usize];
        file.seek(SeekFrom::Start(end)).map_err(|_| Unusable)?;
        file.read_exact(&mut text).map_err(|_| Unusable)?;
        if XxHash3_64::oneshot(&text) != checksum {
            return Err(Unusable);
        }
        let contents: Contents = serde_json::from_slice(&text).map_err(|_| Unusable)?;
        let mut offsets = Vec::with_capacity(contents.parts.len());
        let mut at = HEAD;
        for part in &contents.parts {
            offsets.push(at);
            at = part.size().and_then(|size| at.checked_add(size)).ok_or(Unusable)?;
        }
        if at != end {
            return Err(Unusable);
        }
        Ok(Cache { file, contents, offsets, bytes: Vec::new() })
    }

    /// Whether it was made of this file as it is now, read in this way: size, time, options, and every byte.
    pub(crate) fn is_of(&self, input: &Input, format: Format, options: &ReadOptions) -> Result<bool> {
        let origin = Origin::of(input, format, options)?;
        if origin.is_none() || origin != self.contents.origin {
            return Ok(false);
        }
        let mut source = input.open()?;
        let mut buffer = vec![0; 1 << 18];
        while source.fill(&mut buffer)? > 0 {}
        Ok(source.fingerprint() == self.contents.fingerprint)
    }

    /// Reads one block over `block`.
    pub(crate) fn read(&mut self, number: usize, block: &mut Block) -> std::result::Result<(), Unusable> {
        let part = self.contents.parts[number];
        let size = part.size().ok_or(Unusable)? as usize;
        if self.bytes.len() < size {
            self.bytes.resize(size, 0);
        }
        let bytes = &mut self.bytes[..size];
        self.file.seek(SeekFrom::Start(self.offsets[number])).map_err(|_| Unusable)?;
        self.file.read_exact(bytes).map_err(|_| Unusable)?;
        if XxHash3_64::oneshot(bytes) != part.checksum {
            return Err(Unusable);
        }
        if part.form.is_dense() != self.contents.width.is_some() {
            return Err(Unusable);
        }
        let (rows, values) = (part.rows as usize, part.values as usize);
        bytes::read(bytes, (rows, values), part.form, self.contents.shift, block).ok_or(Unusable)?;
        block.width = self.contents.width;
        // What the learner relies on, whoever wrote the file.
        let features = self.contents.schema.features();
        let sound = block.ends.is_sorted()
            && block.ends.last().copied().unwrap_or(0) as usize == values
            && block.labels.iter().all(|&l| (l as usize) < self.contents.labels.len())
            && match block.width {
                Some(width) => width == features && values == rows * width,
                None => block.indices[..values].iter().all(|&i| (i as usize) < features),
            }
            && block.values[..values].iter().fold(true, |all, v| all & v.is_finite());
        if sound { Ok(()) } else { Err(Unusable) }
    }
}
