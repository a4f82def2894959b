//! Parsed rows in a binary file, block by block in presentation order: for data that do not fit in memory and are read
//! more than once, or that are trained on repeatedly.
//!
//! ```text
//! "RSNCACHE" · version (u32) · zeros (u32)
//! the blocks, see bytes.rs
//! the contents, as JSON · its length (u64) · XXH3-64 of it (u64) · "RSNCACHE"
//! ```
//! All numbers are little-endian; each block has its own XXH3-64. A cache belongs to one state of one file, read with one
//! set of options: the size, the modification time, the fingerprint of the bytes and the options must all match, so a stale
//! cache is never used. It is written to a temporary file and renamed when it is complete.
//!
//! A cache may be forged. Whatever it holds, reading it is safe: before it is used again, `Cache::is_of` reads all of it
//! and checks every length, index, number and label. It cannot detect other numbers that fit together: a cache must be
//! kept where only trusted users can write, like the data themselves. A cache that is not kept has no name at all.

mod bytes;

use std::fs::File;
use std::io::{BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};
use twox_hash::XxHash3_64;

use crate::error::{Error, Place, Result};
use crate::io::{Input, Temporary};
use crate::message::{Message, Setting};
use crate::model::check::check_schema;
use crate::read::key::{fingerprint, options_key};
use crate::read::{Block, Format, ReadOptions};
use crate::rows::{ColumnKind, LabelCollector, Schema};
use crate::{limits, parallel};
use bytes::{Encoder, Form, Stretch};

const MAGIC: &[u8; 8] = b"RSNCACHE";
const VERSION: u32 = 4;
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

/// The file that a cache was made from, and how it was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Origin {
    size: u64,
    /// Modification time, in nanoseconds.
    time: u128,
    /// The options, as [`options_key`] writes them.
    options: String,
}

impl Origin {
    /// The current state of the file; `None` if the input is not a file.
    pub(crate) fn of(input: &Input, format: Format, options: &ReadOptions) -> Result<Option<Self>> {
        let paths = match input {
            Input::Path(path) => std::slice::from_ref(path),
            Input::Several { paths, .. } => paths,
            _ => return Ok(None),
        };
        let (mut size, mut time) = (0, 0);
        for path in paths {
            let found = path.metadata().map_err(|e| Error::io(path, e))?;
            let own = found.modified().ok().and_then(|t| t.duration_since(UNIX_EPOCH).ok());
            (size, time) = (size + found.len(), time.max(own.map_or(0, |t| t.as_nanos())));
        }
        Ok(Some(Origin { size, time, options: options_key(format, options)? }))
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

/// The contents of a cache.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Contents {
    origin: Option<Origin>,
    /// XXH3-64 of the (decompressed) bytes of the origin.
    pub(crate) fingerprint: u64,
    /// How raw columns become features.
    pub(crate) schema: Schema,
    /// Labels in the order of first appearance; a row's label is an index into this list.
    labels: Vec<String>,
    /// Remarks about the origin, for the user.
    pub(crate) notes: Vec<Message>,
    /// Features of a dense row.
    width: Option<usize>,
    /// Added to every index: 1 if the file counts features from 0.
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

    /// The number of rows before each block.
    pub(crate) fn starts(&self) -> Vec<u64> {
        let rows = self.parts.iter().map(|part| part.rows);
        rows.scan(0, |sum, rows| Some(std::mem::replace(sum, *sum + rows))).collect()
    }

    /// Checks that the parts of the description fit together.
    fn check(&self) -> std::result::Result<(), Unusable> {
        let counts = |part: &Part| (1..=u64::from(u32::MAX)).contains(&part.rows) && part.values <= u64::from(u32::MAX);
        let sound = check_schema(&self.schema).is_ok()
            && self.labels.len() > 1
            && self.collector().names() == self.labels
            && !self.parts.is_empty()
            && self.parts.iter().all(counts)
            && match (&self.schema, self.width) {
                (Schema::Indexed { first, .. }, None) => first.checked_add(self.shift) == Some(1),
                (Schema::Columns { hashed: Some(_), .. }, None) => self.shift == 0,
                (Schema::Columns { columns, hashed: None, .. }, Some(width)) => {
                    let plain = |column: &crate::rows::Column| column.kind == ColumnKind::Number;
                    self.shift == 0 && columns.len() == width && columns.iter().all(plain)
                }
                _ => false,
            };
        if sound { Ok(()) } else { Err(Unusable) }
    }

    /// The labels, unsorted.
    pub(crate) fn collector(&self) -> LabelCollector {
        let mut collector = LabelCollector::default();
        self.labels.iter().for_each(|label| {
            collector.collect(label);
        });
        collector
    }
}

/// Where a cache is kept.
#[derive(Debug, Clone, Copy)]
pub(crate) enum CachePlace<'a> {
    /// In this file, which stays.
    File(&'a Path),
    /// In a private file in this folder, which vanishes after use.
    Private(&'a Path),
}

/// A cache that is being written.
pub(crate) struct Writer {
    /// The file or the folder, for messages.
    place: PathBuf,
    stays: bool,
    file: BufWriter<Temporary>,
    parts: Vec<Part>,
    encoder: Encoder,
}

impl Writer {
    /// Creates a temporary file.
    pub(crate) fn new(place: CachePlace<'_>) -> Result<Self> {
        let (path, stays, file) = match place {
            CachePlace::File(path) => (path, true, Temporary::beside(path)),
            CachePlace::Private(folder) => (folder, false, Temporary::private(folder)),
        };
        let file = BufWriter::new(file.map_err(|e| Error::io(path, e))?);
        let (place, encoder) = (path.to_path_buf(), Encoder::default());
        let mut writer = Writer { place, stays, file, parts: Vec::new(), encoder };
        writer.write(&start_of_file())?;
        Ok(writer)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.file.write_all(bytes).map_err(|e| Error::io(&self.place, e))
    }

    /// Writes the rows `from..to` of the given blocks, numbered across all of them, as one block.
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
        let (rows, values, form) = self.encoder.fill(&stretches);
        self.parts.push(Part { rows, values, form, checksum: XxHash3_64::oneshot(&self.encoder.bytes) });
        self.file.write_all(&self.encoder.bytes).map_err(|e| Error::io(&self.place, e))
    }

    /// Completes the file, renames it if it stays, and opens it.
    #[expect(clippy::too_many_arguments, reason = "all facts about the origin, known once it has been read")]
    pub(crate) fn finish(
        mut self,
        origin: Option<Origin>,
        fingerprint: u64,
        schema: Schema,
        labels: Vec<String>,
        notes: Vec<Message>,
        width: Option<usize>,
        shift: u32,
    ) -> Result<Cache> {
        let parts = std::mem::take(&mut self.parts);
        let contents = Contents { origin, fingerprint, schema, labels, notes, width, shift, parts };
        let mut tail = serde_json::to_vec(&contents).expect("plain data");
        let (length, checksum) = (tail.len() as u64, XxHash3_64::oneshot(&tail));
        tail.extend_from_slice(&length.to_le_bytes());
        tail.extend_from_slice(&checksum.to_le_bytes());
        tail.extend_from_slice(MAGIC);
        self.write(&tail)?;
        let Writer { place, stays, file, .. } = self;
        let refused = |error| Error::io(&place, error);
        let temporary = file.into_inner().map_err(|e| refused(e.into_error()))?;
        let (file, temporary) = if stays {
            (temporary.persist(&place).map_err(refused)?, None)
        } else {
            (temporary.file().try_clone().map_err(refused)?, Some(temporary))
        };
        let lost = |Unusable| Error::bad_data("the cache cannot be read back: name another place for it");
        let cache = Cache::new(file).map_err(lost)?;
        Ok(Cache { _temporary: temporary, ..cache })
    }
}

/// A cache to read from.
#[derive(Debug)]
pub(crate) struct Cache {
    file: File,
    pub(crate) contents: Contents,
    /// The offset of each block.
    offsets: Vec<u64>,
    bytes: Vec<u8>,
    /// Keeps a private file.
    _temporary: Option<Temporary>,
}

/// Refuses a path where another kind of file is: a cache can be made again, other files would be lost.
pub(crate) fn check_cache_place(place: &Path) -> Result<()> {
    crate::io::check_place(place)?;
    // A device would be replaced by the rename that completes the cache, and a pipe would wait for a writer.
    if place.metadata().is_ok_and(|found| !found.is_file()) {
        let message = Message::new("this is not a file: name one, or a place for a new one, with ");
        return Err(Error::data(Place::file(place.display().to_string()), message.with(Setting::Cache)));
    }
    let Ok(file) = File::open(place) else { return Ok(()) };
    let mut start = Vec::new();
    let read = file.take(MAGIC.len() as u64).read_to_end(&mut start);
    if read.is_ok() && (start.is_empty() || start == MAGIC) {
        return Ok(());
    }
    let message = Message::new("this is not a cache, and would be overwritten: name another file with ");
    let message = message.with(Setting::Cache);
    Err(Error::data(Place::file(place.display().to_string()), message))
}

/// The cache cannot be used and has to be made again. Not an error for the user.
#[derive(Debug)]
pub(crate) struct Unusable;

impl Cache {
    /// Opens a cache and checks what it says about itself; [`is_of`](Self::is_of) checks the rest.
    pub(crate) fn open(path: &Path) -> std::result::Result<Self, Unusable> {
        Self::new(File::open(path).map_err(|_| Unusable)?)
    }

    fn new(mut file: File) -> std::result::Result<Self, Unusable> {
        file.rewind().map_err(|_| Unusable)?;
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
        contents.check()?;
        let mut offsets = Vec::with_capacity(contents.parts.len());
        let mut at = HEAD;
        for part in &contents.parts {
            offsets.push(at);
            at = part.size().and_then(|size| at.checked_add(size)).ok_or(Unusable)?;
        }
        if at != end {
            return Err(Unusable);
        }
        Ok(Cache { file, contents, offsets, bytes: Vec::new(), _temporary: None })
    }

    /// Whether it was made from the current state of this file with these options, and holds valid rows: compares size,
    /// time, options and every byte of the file, and reads every block. `cut` checks where blocks end.
    pub(crate) fn is_of(
        &mut self,
        input: &Input,
        format: Format,
        options: &ReadOptions,
        cut: impl FnMut(&Block) -> bool,
    ) -> Result<bool> {
        let origin = Origin::of(input, format, options)?;
        if origin.is_none() || origin != self.contents.origin {
            return Ok(false);
        }
        std::thread::scope(|scope| {
            let current = parallel::spawn(scope, || fingerprint(input));
            let valid = self.validate(cut);
            let current = current.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
            Ok(valid? && current == self.contents.fingerprint)
        })
    }

    /// Reads all blocks. What single blocks cannot show must add up: every label and the last feature occur.
    fn validate(&mut self, mut cut: impl FnMut(&Block) -> bool) -> Result<bool> {
        let mut block = Block::default();
        let (mut features, mut occurs) = (0, vec![false; self.contents.labels.len()]);
        for number in 0..self.contents.parts.len() {
            limits::check()?;
            if self.read(number, &mut block).is_err() || !cut(&block) {
                return Ok(false);
            }
            if block.width.is_none() {
                if !block.rows().all(|row| row.indices.is_sorted_by(|a, b| a < b)) {
                    return Ok(false);
                }
                features = block.indices[..block.stored].iter().fold(features, |most, &i| most.max(i as usize + 1));
            }
            block.labels.iter().for_each(|&label| occurs[label as usize] = true);
        }
        let all = self.contents.width.is_some() || features == self.contents.schema.features();
        Ok(all && occurs.into_iter().all(|occurs| occurs))
    }

    /// Reads one block into `block`.
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
        // The learner relies on these; the file may be forged.
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
