//! Text in chunks that end with a line, parsed on all threads and handed over in order.
//!
//! Whoever is free cuts the next chunk from the source and parses it; the calling thread takes the results in the
//! order of the text, and parses too while it waits. So nothing depends on the number of threads but the time.

use std::collections::VecDeque;
use std::io::Read;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use memchr::{memchr, memrchr};

use super::fault::Fault;
use super::lines::{Lines, MAX_LINE};
use super::read_ahead::Reader;
use crate::error::{Error, Result};
use crate::parallel;

/// Bytes of a chunk: text and parsed rows of one stay in a core's own cache.
pub(super) const CHUNK: usize = 1 << 18;
/// Line ends behind a chunk's text, so that some bytes can be looked at from any of its places.
pub(crate) const PADDING: usize = 64;
/// How many chunks may wait for the one before them, for each thread: enough for the others to go on parsing while the
/// calling thread learns from a whole block of the presentation.
const AHEAD: usize = 8;

/// How to read: both change only the time it takes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pace {
    /// Bytes of a chunk, about.
    pub(crate) chunk: usize,
    /// Threads that parse, the calling one among them.
    pub(crate) threads: usize,
}

impl Default for Pace {
    fn default() -> Self {
        Pace { chunk: CHUNK, threads: parallel::threads() }
    }
}

/// Whole lines of text, with padding behind them.
#[derive(Debug, Default)]
pub(crate) struct Chunk {
    bytes: Vec<u8>,
    length: usize,
}

impl Chunk {
    /// The lines; the last of a text may lack its end.
    pub(crate) fn text(&self) -> &[u8] {
        &self.bytes[..self.length]
    }

    /// The lines and `PADDING` line ends.
    pub(crate) fn padded(&self) -> &[u8] {
        &self.bytes[..self.length + PADDING]
    }
}

/// Why there is no next chunk.
#[derive(Debug)]
pub(crate) enum Broken {
    /// The source cannot be read.
    Source(Error),
    /// What the text holds, with lines counted from the chunk's first.
    Text(Fault),
}

/// Cuts a source at line ends.
struct Cutter<'a> {
    name: String,
    reader: Reader<'a>,
    /// What was read behind the last line end.
    carry: Vec<u8>,
    ended: bool,
    /// Why the source could not be read further: told behind the lines that came before.
    broken: Option<Error>,
    size: usize,
    limit: usize,
}

impl<'a> Cutter<'a> {
    fn new(name: String, head: Vec<u8>, reader: Reader<'a>, size: usize) -> Self {
        Cutter { name, reader, carry: head, ended: false, broken: None, size: size.max(1), limit: MAX_LINE }
    }

    /// Fills `chunk` with the next lines; `false` at the end.
    fn cut(&mut self, chunk: &mut Chunk) -> std::result::Result<bool, Broken> {
        let bytes = &mut chunk.bytes;
        let mut filled = self.carry.len();
        if bytes.len() < filled {
            bytes.resize(filled, 0);
        }
        bytes[..filled].copy_from_slice(&self.carry);
        self.carry.clear();
        // What was read to guess the format may hold many chunks.
        let (near, far) = bytes[..filled].split_at(filled.min(self.size));
        let mut end = memrchr(b'\n', near).or_else(|| memchr(b'\n', far).map(|at| near.len() + at)).map(|at| at + 1);
        while end.is_none() || filled < self.size {
            if self.ended {
                // A line that breaks off is no line.
                end = if self.broken.is_some() { end } else { Some(filled) };
                break;
            }
            let wanted = if filled < self.size { self.size } else { (2 * filled).min(self.limit + 1) };
            let searched = filled;
            if bytes.len() < wanted {
                bytes.resize(wanted, 0);
            }
            while filled < wanted && !self.ended {
                match self.reader.read(&mut bytes[filled..wanted]) {
                    Ok(0) => self.ended = true,
                    Ok(count) => filled += count,
                    Err(error) => {
                        self.broken = Some(Error::io(&self.name, error));
                        self.ended = true;
                    }
                }
            }
            end = memrchr(b'\n', &bytes[searched..filled]).map(|at| searched + at + 1).or(end);
            if end.is_none() && filled > self.limit {
                let told = format!("the line is longer than {} bytes: this is no text table", self.limit);
                return Err(Broken::Text(Fault::line(1, told)));
            }
        }
        let end = end.unwrap_or(0);
        if end == 0
            && let Some(error) = self.broken.take()
        {
            return Err(Broken::Source(error));
        }
        self.carry.extend_from_slice(&bytes[end..filled]);
        chunk.length = end;
        if bytes.len() < end + PADDING {
            bytes.resize(end + PADDING, 0);
        }
        bytes[end..end + PADDING].fill(b'\n');
        Ok(end > 0)
    }
}

/// Results that were used up, to be filled anew.
#[derive(Debug)]
pub(crate) struct Pool<T>(Mutex<Vec<T>>);

impl<T: Default> Pool<T> {
    pub(crate) fn new() -> Self {
        Pool(Mutex::new(Vec::new()))
    }

    /// One to fill.
    pub(crate) fn get(&self) -> T {
        lock(&self.0).pop().unwrap_or_default()
    }

    /// Gives one back.
    pub(crate) fn put(&self, spent: T) {
        lock(&self.0).push(spent);
    }
}

/// What the threads share besides the source.
struct Line<T> {
    /// Results from the next one to hand over on; `None` while it is being parsed.
    waiting: VecDeque<Option<std::result::Result<T, Broken>>>,
    /// How many were handed over.
    taken: u64,
    /// The end of the text was cut, or nobody wants more.
    closed: bool,
    /// Threads that wait for a change: to tell nobody of one would still be a call of the system.
    sleepers: usize,
}

/// A panic leaves nothing half-done that anyone looks at again.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

struct Works<'a, T, P> {
    source: Mutex<Cutter<'a>>,
    line: Mutex<Line<T>>,
    /// Told of each result, and of each that was handed over.
    changed: Condvar,
    pool: &'a Pool<T>,
    parse: P,
    most: usize,
}

/// Whether the reader of results wants more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Want {
    More,
    Nothing,
}

/// Parses the rest of a text on all threads and hands each result to `take`, in order, on this one.
/// Returns the fingerprint of the source, complete if the text was read to its end.
pub(crate) fn in_order<T: Default + Send>(
    lines: Lines<'_>,
    pace: Pace,
    pool: &Pool<T>,
    parse: impl Fn(&Chunk, &mut T) + Sync,
    mut take: impl FnMut(std::result::Result<T, Broken>) -> Result<Want>,
) -> Result<u64> {
    let (head, source) = lines.into_rest();
    let name = source.name().to_string();
    std::thread::scope(|scope| {
        let reader = match source.is_compressed() && pace.threads > 1 {
            true => Reader::ahead(source, scope),
            false => Reader::here(source),
        };
        let works = Works {
            source: Mutex::new(Cutter::new(name, head, reader, pace.chunk)),
            line: Mutex::new(Line { waiting: VecDeque::new(), taken: 0, closed: false, sleepers: 0 }),
            changed: Condvar::new(),
            pool,
            parse,
            most: pace.threads * AHEAD,
        };
        std::thread::scope(|scope| {
            for _ in 1..pace.threads {
                parallel::spawn(scope, || works.work());
            }
            let _close = CloseOnDrop(&works);
            let mut chunk = Chunk::default();
            while let Some(result) = works.next(&mut chunk) {
                if take(result)? == Want::Nothing {
                    break;
                }
            }
            Ok::<(), Error>(())
        })?;
        let cutter = works.source.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok(cutter.reader.fingerprint())
    })
}

impl<T, P> Works<'_, T, P> {
    /// Waits for a change.
    fn sleep<'l>(&self, mut line: MutexGuard<'l, Line<T>>) -> MutexGuard<'l, Line<T>> {
        line.sleepers += 1;
        line = self.changed.wait(line).unwrap_or_else(PoisonError::into_inner);
        line.sleepers -= 1;
        line
    }

    /// Tells those who wait that something has changed.
    fn tell(&self, line: &MutexGuard<'_, Line<T>>) {
        if line.sleepers > 0 {
            self.changed.notify_all();
        }
    }
}

/// Whatever ends the hand-over ends the work.
struct CloseOnDrop<'w, 'a, T, P>(&'w Works<'a, T, P>);

impl<T, P> Drop for CloseOnDrop<'_, '_, T, P> {
    fn drop(&mut self) {
        let mut line = lock(&self.0.line);
        line.closed = true;
        self.0.tell(&line);
    }
}

impl<T: Default, P: Fn(&Chunk, &mut T)> Works<'_, T, P> {
    /// Cuts and parses until the text ends or nobody wants more.
    fn work(&self) {
        let _close = CloseOnPanic(self);
        let mut chunk = Chunk::default();
        loop {
            {
                let mut line = lock(&self.line);
                while !line.closed && line.waiting.len() >= self.most {
                    line = self.sleep(line);
                }
                if line.closed {
                    return;
                }
            }
            if !self.step(&mut chunk) {
                return;
            }
        }
    }

    /// The next result in order, parsed by this thread if no other has begun it.
    fn next(&self, chunk: &mut Chunk) -> Option<std::result::Result<T, Broken>> {
        loop {
            {
                let mut line = lock(&self.line);
                loop {
                    if let Some(Some(_)) = line.waiting.front() {
                        line.taken += 1;
                        let result = line.waiting.pop_front().flatten();
                        self.tell(&line);
                        return result;
                    }
                    let full = line.waiting.len() >= self.most;
                    if !line.closed && !full {
                        break;
                    }
                    if line.waiting.is_empty() {
                        return None;
                    }
                    line = self.sleep(line);
                }
            }
            self.step(chunk);
        }
    }

    /// Cuts one chunk and parses it; `false` at the end of the text.
    fn step(&self, chunk: &mut Chunk) -> bool {
        let number = {
            let mut source = lock(&self.source);
            let cut = if lock(&self.line).closed { Ok(false) } else { source.cut(chunk) };
            let mut line = lock(&self.line);
            let number = line.taken + line.waiting.len() as u64;
            match cut {
                Ok(true) => {
                    line.waiting.push_back(None);
                    number
                }
                Ok(false) => {
                    line.closed = true;
                    self.tell(&line);
                    return false;
                }
                Err(broken) => {
                    line.waiting.push_back(Some(Err(broken)));
                    line.closed = true;
                    self.tell(&line);
                    return false;
                }
            }
        };
        let mut result = self.pool.get();
        (self.parse)(chunk, &mut result);
        let mut line = lock(&self.line);
        let place = (number - line.taken) as usize;
        line.waiting[place] = Some(Ok(result));
        self.tell(&line);
        true
    }
}

/// A thread that panics takes its place in the line with it: nobody must wait for it.
struct CloseOnPanic<'w, 'a, T, P>(&'w Works<'a, T, P>);

impl<T, P> Drop for CloseOnPanic<'_, '_, T, P> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let mut line = lock(&self.0.line);
            line.closed = true;
            line.waiting.clear();
            self.0.tell(&line);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::io::source::Input;

    /// All that a cutter cuts, and how it ends.
    fn cut(bytes: &[u8], size: usize, limit: usize) -> (Vec<u8>, Option<String>) {
        let input = Input::memory("m", bytes);
        let reader = Reader::here(input.open().unwrap());
        let mut cutter = Cutter::new("m".into(), Vec::new(), reader, size);
        cutter.limit = limit;
        let (mut chunk, mut all) = (Chunk::default(), Vec::new());
        loop {
            match cutter.cut(&mut chunk) {
                Ok(true) => all.extend_from_slice(chunk.text()),
                Ok(false) => return (all, None),
                Err(Broken::Source(error)) => return (all, Some(error.to_string())),
                Err(Broken::Text(fault)) => return (all, Some(fault.of("m").to_string())),
            }
            assert!(chunk.padded()[chunk.text().len()..].iter().all(|&b| b == b'\n'));
        }
    }

    proptest! {
        /// Chunks of any size end with lines and add up to the text.
        #[test]
        fn nothing_is_lost(text in r"[ab\n]{0,60}", size in 1..70usize) {
            prop_assert_eq!(cut(text.as_bytes(), size, MAX_LINE), (text.into_bytes(), None));
        }
    }

    /// The limit was looked at when a buffer had doubled, so that it depended on the size of a chunk.
    #[test]
    fn a_line_too_long_is_told_at_any_size() {
        let text = |long: usize| [b"ab\n".to_vec(), vec![b'x'; long], b"\ncd\n".to_vec()].concat();
        const LIMIT: usize = 3000;
        for size in [1, 1000, 2999] {
            assert_eq!(cut(&text(LIMIT), size, LIMIT), (text(LIMIT), None));
            let (before, told) = cut(&text(LIMIT + 1), size, LIMIT);
            assert_eq!(before, b"ab\n");
            assert_eq!(told.unwrap(), format!("m:1: the line is longer than {LIMIT} bytes: this is no text table"));
        }
    }

    /// A stream that breaks off took all lines of its last chunk with it, and the faults in them.
    #[test]
    fn lines_before_a_break_are_handed_over() {
        use std::io::Write as _;
        let text: String = (0..200_000).map(|i| format!("{i}\n")).collect();
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packed.write_all(text.as_bytes()).unwrap();
        let packed = packed.finish().unwrap();
        let packed = &packed[..packed.len() * 3 / 4];
        let mut ends = Vec::new();
        for size in [1, 1 << 16, 1 << 22] {
            let (lines, told) = cut(packed, size, MAX_LINE);
            assert!(text.as_bytes().starts_with(&lines) && lines.len() > text.len() / 2 && lines.ends_with(b"\n"));
            assert!(told.unwrap().starts_with("m: the gzip stream ends early"));
            ends.push(lines.len());
        }
        assert!(ends.iter().all(|&end| end == ends[0]), "{ends:?}");
    }
}
