//! An open input: a file, standard input or memory; decompressed and fingerprinted while it is read.

use std::fs::{File, Metadata};
use std::hash::Hasher as _;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::SystemTime;

use twox_hash::XxHash3_64;

use super::decompress::Compression;
use super::several::{self, Several};
use crate::error::{Error, Result};

/// Where data come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// A file.
    Path(PathBuf),
    /// Standard input.
    Stdin,
    /// Files of text, one after the other.
    Several {
        /// The files.
        paths: Vec<PathBuf>,
        /// Whether each begins with the same header, which counts once.
        header: bool,
    },
    /// Bytes in memory, with a name for messages.
    Memory {
        /// What messages call it.
        name: String,
        /// The bytes, compressed or not.
        bytes: Vec<u8>,
    },
}

impl Input {
    /// What a user typed: a path, or `-` for standard input.
    pub fn new(text: &str) -> Self {
        if text == "-" { Input::Stdin } else { Input::Path(PathBuf::from(text)) }
    }

    /// Bytes in memory.
    pub fn memory(name: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Input::Memory { name: name.into(), bytes: bytes.into() }
    }

    /// What messages call it.
    pub fn name(&self) -> String {
        match self {
            Input::Path(path) => path.display().to_string(),
            Input::Several { paths, .. } => several::name(paths),
            Input::Stdin => "<stdin>".to_string(),
            Input::Memory { name, .. } => name.clone(),
        }
    }

    /// Whether it can be opened more than once. A pipe cannot, whether it is standard input or has a path (a named pipe,
    /// or a shell's `<(…)`).
    pub fn opens_again(&self) -> bool {
        match self {
            Input::Path(path) => !path.metadata().is_ok_and(|found| !found.is_file() && !found.is_dir()),
            Input::Stdin => false,
            Input::Several { .. } | Input::Memory { .. } => true,
        }
    }

    /// Whether its lines may come slowly, one at a time: a pipe or a terminal. Standard input may also be a file.
    pub fn is_live(&self) -> bool {
        match self {
            #[cfg(unix)]
            Input::Stdin => !Path::new("/dev/stdin").metadata().is_ok_and(|found| found.is_file()),
            _ => !self.opens_again(),
        }
    }

    /// Opens it and detects its compression.
    pub fn open(&self) -> Result<Source<'_>> {
        let name = self.name();
        match self {
            Input::Path(path) => Source::of_file(path),
            Input::Several { paths, header } => Source::new(name, Several::new(paths, *header)),
            Input::Stdin => Source::new(name, io::stdin()),
            Input::Memory { bytes, .. } => Source::new(name, bytes.as_slice()),
        }
    }

    /// The same error at its place in the file that it is in, if this is several files.
    pub(crate) fn locate(&self, error: Error) -> Error {
        match (self, error.place()) {
            (Input::Several { paths, header }, Some(found)) if found.file == self.name() => {
                match several::place(paths, *header, found) {
                    Some(place) => error.moved_to(place),
                    None => error,
                }
            }
            _ => error,
        }
    }

    /// The bytes on disk or in memory, compressed or not; `None` if they are not known.
    pub(crate) fn size(&self) -> Result<Option<u64>> {
        let size = |path: &PathBuf| path.metadata().map(|found| found.len()).map_err(|error| Error::io(path, error));
        match self {
            _ if !self.opens_again() => Ok(None),
            Input::Path(path) => size(path).map(Some),
            Input::Several { paths, .. } => paths.iter().map(size).sum::<Result<u64>>().map(Some),
            Input::Memory { bytes, .. } => Ok(Some(bytes.len() as u64)),
            Input::Stdin => Ok(None),
        }
    }
}

/// What changes when a file is written or replaced.
#[derive(Debug, PartialEq, Eq)]
struct State {
    size: u64,
    modified: Option<SystemTime>,
    /// Device and inode.
    file: (u64, u64),
}

impl State {
    fn of(found: &Metadata) -> Self {
        #[cfg(unix)]
        let file = (std::os::unix::fs::MetadataExt::dev(found), std::os::unix::fs::MetadataExt::ino(found));
        #[cfg(not(unix))]
        let file = (0, 0);
        State { size: found.len(), modified: found.modified().ok(), file }
    }
}

/// How many bytes were read of the file that was opened last, and its size; for progress, a hint only.
static AT: AtomicU64 = AtomicU64::new(0);
static SIZE: AtomicU64 = AtomicU64::new(0);

/// The share that was read of the file that was opened last, in its own bytes, compressed or not. `None` for a pipe. A hint for
/// progress: other threads may open files, too.
pub fn share_read() -> Option<f64> {
    let (at, size) = (AT.load(Relaxed), SIZE.load(Relaxed));
    (size > 0).then(|| (at as f64 / size as f64).min(1.0))
}

/// Counts what is read.
struct Counted(File);

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.0.read(buffer)?;
        AT.fetch_add(read as u64, Relaxed);
        Ok(read)
    }
}

/// An open input: decompressed bytes, and the fingerprint of those read so far.
///
/// At the end of a file an error says if it has changed since it was opened.
pub struct Source<'a> {
    name: String,
    reader: Box<dyn Read + Send + 'a>,
    compression: Option<Compression>,
    hasher: XxHash3_64,
    /// The state of a regular file when it was opened.
    opened: Option<(&'a Path, State)>,
}

impl std::fmt::Debug for Source<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Source").field("name", &self.name).field("compression", &self.compression).finish()
    }
}

impl<'a> Source<'a> {
    /// Opens a file.
    pub(super) fn of_file(path: &'a Path) -> Result<Self> {
        let name = path.display().to_string();
        let refused = |error| Error::io(&name, error);
        let file = File::open(path).map_err(refused)?;
        let found = file.metadata().map_err(refused)?;
        if found.is_dir() {
            let kind = io::ErrorKind::IsADirectory;
            return Err(refused(io::Error::new(kind, "this is a directory: name a file in it")));
        }
        let opened = found.is_file().then(|| (path, State::of(&found)));
        SIZE.store(if found.is_file() { found.len() } else { 0 }, Relaxed);
        AT.store(0, Relaxed);
        Ok(Source { opened, ..Source::new(name, Counted(file))? })
    }

    fn new(name: String, mut raw: impl Read + Send + 'a) -> Result<Self> {
        let mut head = Vec::with_capacity(Compression::LOOK);
        // A pipe may pause after a short line; no compressed stream begins with one.
        let mut byte = [0];
        while head.len() < Compression::LOOK && head.last() != Some(&b'\n') {
            match raw.read_exact(&mut byte) {
                Ok(()) => head.push(byte[0]),
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => break,
                Err(error) => return Err(Error::io(&name, error)),
            }
        }
        let compression = Compression::detect(&head);
        let bytes = io::Cursor::new(head).chain(raw);
        let reader: Box<dyn Read + Send + 'a> = match compression {
            None => Box::new(bytes),
            Some(compression) => compression.decoder(bytes).map_err(|e| Error::io(&name, e))?,
        };
        Ok(Source { name, reader, compression, hasher: XxHash3_64::with_seed(0), opened: None })
    }

    /// What messages call it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether the bytes are decompressed while they are read.
    pub(crate) fn is_compressed(&self) -> bool {
        self.compression.is_some()
    }

    /// The regular file whose bytes are read as they are.
    #[cfg(feature = "parquet")]
    pub(crate) fn plain_file(&self) -> Option<&'a Path> {
        self.opened.as_ref().filter(|_| self.compression.is_none()).map(|(path, _)| *path)
    }

    /// XXH3-64 of the decompressed bytes read so far.
    pub fn fingerprint(&self) -> u64 {
        self.hasher.finish()
    }

    fn check_unchanged(&self) -> io::Result<()> {
        match &self.opened {
            Some((path, before)) if !path.metadata().is_ok_and(|found| State::of(&found) == *before) => {
                Err(io::Error::other("the file changed while it was read: try again when it is complete"))
            }
            _ => Ok(()),
        }
    }

    /// Reads some bytes; 0 at the end. An error names the input; stop reading after it.
    pub fn fill(&mut self, buffer: &mut [u8]) -> Result<usize> {
        self.read(buffer).map_err(|error| Error::io(&self.name, error))
    }
}

impl Read for Source<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.reader.read(buffer) {
                Ok(0) if !buffer.is_empty() => return self.check_unchanged().map(|()| 0),
                Ok(count) => {
                    self.hasher.write(&buffer[..count]);
                    return Ok(count);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    return Err(match self.compression {
                        // A failing disk is not a damaged stream.
                        Some(compression) if error.raw_os_error().is_none() => io::Error::new(
                            io::ErrorKind::InvalidData,
                            format!("the {} stream ends early or is damaged: {error}", compression.name()),
                        ),
                        _ => error,
                    });
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(input: &Input) -> Result<(Vec<u8>, u64)> {
        let mut source = input.open()?;
        let mut bytes = Vec::new();
        let mut block = [0; 7];
        loop {
            match source.fill(&mut block)? {
                0 => return Ok((bytes, source.fingerprint())),
                count => bytes.extend_from_slice(&block[..count]),
            }
        }
    }

    #[test]
    fn plain_bytes_pass_through_and_are_fingerprinted() {
        for text in ["", "a", "BZh9", "BZh9,1\n", "1 1:2\n-1 2:3\n"] {
            let (bytes, print) = all(&Input::memory("m", text)).unwrap();
            assert_eq!(bytes, text.as_bytes());
            assert_eq!(print, XxHash3_64::oneshot(text.as_bytes()));
        }
    }

    /// The readable bytes of a damaged stream, read in steps of `at_a_time`.
    fn before_the_damage(packed: &[u8], at_a_time: usize) -> Vec<u8> {
        let input = Input::memory("m", packed);
        let (mut source, mut bytes) = (input.open().unwrap(), Vec::new());
        let mut block = vec![0; at_a_time];
        while let Ok(count) = source.fill(&mut block) {
            assert!(count > 0, "the damage was not noticed");
            bytes.extend_from_slice(&block[..count]);
        }
        bytes
    }

    #[test]
    fn as_much_of_a_damaged_stream_is_read_in_small_steps_as_in_large_ones() {
        let text: String = (0..60_000u32).map(|i| format!("{}\n", i.wrapping_mul(2_654_435_761))).collect();
        let packed = zstd::encode_all(text.as_bytes(), 3).unwrap();
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        io::Write::write_all(&mut gzip, text.as_bytes()).unwrap();
        for packed in [packed, gzip.finish().unwrap()] {
            for part in 3..9 {
                let cut = &packed[..packed.len() * part / 10];
                let read = [7, 1000, 1 << 16, 1 << 18].map(|size| before_the_damage(cut, size).len());
                assert!(read[0] > 0 && read.iter().all(|&length| length == read[0]), "{part}: {read:?}");
                let mut damaged = cut.to_vec();
                // An invalid block type, or a distance beyond the beginning.
                damaged[cut.len() - 5000..].fill(0xff);
                let read = [7, 1000, 1 << 16, 1 << 18].map(|size| before_the_damage(&damaged, size).len());
                assert!(read[0] > 0 && read.iter().all(|&length| length == read[0]), "{part}, damaged: {read:?}");
            }
        }
    }

    /// A file that grew or was replaced meanwhile gave a model of no state of it.
    #[test]
    fn a_file_that_changes_while_it_is_read_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("data");
        let read_while = |change: &dyn Fn()| {
            std::fs::write(&path, "1 1:2\n").unwrap();
            let input = Input::Path(path.clone());
            let mut source = input.open().unwrap();
            assert!(source.fill(&mut [0; 4]).unwrap() > 0);
            change();
            let mut rest = Vec::new();
            source.read_to_end(&mut rest).map(|_| ()).map_err(|error| error.to_string())
        };
        assert_eq!(read_while(&|| {}), Ok(()));
        let changed = Err("the file changed while it was read: try again when it is complete".to_string());
        assert_eq!(read_while(&|| std::fs::write(&path, "1 1:2\n-1 1:3\n").unwrap()), changed);
        assert_eq!(read_while(&|| crate::io::write_file(&path, b"2 1:2\n").unwrap()), changed);
        assert_eq!(read_while(&|| std::fs::remove_file(&path).unwrap()), changed);
    }

    #[test]
    fn a_directory_and_a_missing_file_say_so() {
        let here = Input::new(env!("CARGO_MANIFEST_DIR"));
        let message = here.open().unwrap_err().to_string();
        assert_eq!(message, format!("{}: this is a directory: name a file in it", env!("CARGO_MANIFEST_DIR")));
        assert_eq!(Input::new("no/such").open().unwrap_err().to_string(), "no/such: no such file");
    }

    #[test]
    fn names_for_messages() {
        assert_eq!(Input::new("-"), Input::Stdin);
        assert_eq!(Input::new("-").name(), "<stdin>");
        assert_eq!(Input::new("a/b.csv").name(), "a/b.csv");
    }
}
