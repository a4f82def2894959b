//! Text in chunks that end at line ends, parsed on all threads and delivered in order.
//!
//! An idle thread cuts the next chunk from the source and parses it. The calling thread takes the results in text
//! order, and parses too while it waits. The results do not depend on the number of threads.

use std::collections::VecDeque;
use std::io::Read;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use memchr::{memchr, memrchr};

use super::fault::Fault;
use super::lines::{Lines, MAX_LINE};
use super::read_ahead::Reader;
use crate::error::{Error, Result};
use crate::{limits, parallel};

/// Bytes of a chunk: its text and its parsed rows fit in a core's own cache.
pub(super) const CHUNK: usize = 1 << 18;
/// Line ends after a chunk's text, so that a parser may load a whole vector at any position.
pub(crate) const PADDING: usize = 64;
/// Chunks in flight for each thread: enough for the others to go on parsing while the calling thread learns from a whole
/// block of the presentation.
const AHEAD: usize = 8;

/// How to read. Both affect only the speed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pace {
    /// Approximate bytes of a chunk.
    pub(crate) chunk: usize,
    /// Threads that parse, including the calling one.
    pub(crate) threads: usize,
}

impl Default for Pace {
    fn default() -> Self {
        Pace { chunk: CHUNK, threads: parallel::threads() }
    }
}

/// Whole lines of text, followed by padding.
#[derive(Debug, Default)]
pub(crate) struct Chunk {
    bytes: Vec<u8>,
    length: usize,
}

impl Chunk {
    /// The lines. The last line of a text may lack its line end.
    pub(crate) fn text(&self) -> &[u8] {
        &self.bytes[..self.length]
    }

    /// The lines and `PADDING` line ends.
    pub(crate) fn padded(&self) -> &[u8] {
        &self.bytes[..self.length + PADDING]
    }
}

/// Why reading failed.
#[derive(Debug)]
pub(crate) enum Broken {
    /// The source cannot be read.
    Source(Error),
    /// The text is invalid; lines count from the chunk's first.
    Text(Fault),
}

/// Cuts a source at line ends.
struct Cutter<'a> {
    name: String,
    reader: Reader<'a>,
    /// Bytes read beyond the last line end.
    carry: Vec<u8>,
    ended: bool,
    /// Why the source could not be read further; reported after the lines before it.
    broken: Option<Error>,
    size: usize,
    limit: usize,
    /// Whether each line is wanted as soon as it comes.
    live: bool,
}

impl<'a> Cutter<'a> {
    fn new(name: String, head: Vec<u8>, reader: Reader<'a>, size: usize, live: bool) -> Self {
        let size = size.max(1);
        Cutter { name, reader, carry: head, ended: false, broken: None, size, limit: MAX_LINE, live }
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
        // The bytes read to guess the format may hold many chunks.
        let (near, far) = bytes[..filled].split_at(filled.min(self.size));
        let mut end = memrchr(b'\n', near).or_else(|| memchr(b'\n', far).map(|at| near.len() + at)).map(|at| at + 1);
        while end.is_none() || (filled < self.size && !self.live) {
            if self.ended {
                // A truncated line is not parsed.
                end = if self.broken.is_some() { end } else { Some(filled) };
                break;
            }
            let wanted = if filled < self.size { self.size } else { (2 * filled).min(self.limit + 1) };
            let searched = filled;
            if bytes.len() < wanted {
                let what = || "a line of the file".into();
                let room = limits::check().and_then(|()| limits::reserve(bytes, wanted - bytes.len(), &what));
                room.map_err(Broken::Source)?;
                bytes.resize(wanted, 0);
            }
            while filled < wanted && !self.ended {
                match self.reader.read(&mut bytes[filled..wanted]) {
                    Ok(0) => self.ended = true,
                    Ok(count) => {
                        filled += count;
                        if self.live {
                            break;
                        }
                    }
                    Err(error) => {
                        self.broken = Some(Error::io(&self.name, error));
                        self.ended = true;
                    }
                }
            }
            end = memrchr(b'\n', &bytes[searched..filled]).map(|at| searched + at + 1).or(end);
            if end.is_none() && filled > self.limit {
                let message = format!("the line is longer than {} bytes: this is not a text table", self.limit);
                return Err(Broken::Text(Fault::line(1, message)));
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

/// Spent results, to be refilled.
#[derive(Debug)]
pub(crate) struct Pool<T>(Mutex<Vec<T>>);

impl<T: Default> Pool<T> {
    pub(crate) fn new() -> Self {
        Pool(Mutex::new(Vec::new()))
    }

    /// A result to fill.
    pub(crate) fn get(&self) -> T {
        lock(&self.0).pop().unwrap_or_default()
    }

    /// Returns a result to the pool.
    pub(crate) fn put(&self, spent: T) {
        lock(&self.0).push(spent);
    }
}

/// Results in text order: what the threads share besides the source.
struct Queue<T> {
    /// Results not yet taken; `None` while a chunk is being parsed.
    waiting: VecDeque<Option<std::result::Result<T, Broken>>>,
    /// How many results were taken.
    taken: u64,
    /// The text ended, or the calling thread wants no more.
    closed: bool,
    /// Threads that wait for a change. Without any, no system call is made to wake them.
    sleepers: usize,
}

/// Ignores poisoning: after a panic no half-finished state is read.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

struct Pipeline<'a, T, P> {
    source: Mutex<Cutter<'a>>,
    queue: Mutex<Queue<T>>,
    /// Notified of each result that is ready or taken.
    changed: Condvar,
    pool: &'a Pool<T>,
    parse: P,
    most: usize,
}

/// Whether the consumer wants more results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Want {
    More,
    Nothing,
}

/// Parses the rest of a text on all threads and passes each result to `take`, in order, on this thread.
/// Returns the fingerprint of the source, which is complete if the text was read to its end.
pub(crate) fn in_order<T: Default + Send>(
    lines: Lines<'_>,
    pace: Pace,
    pool: &Pool<T>,
    parse: impl Fn(&Chunk, &mut T) + Sync,
    mut take: impl FnMut(std::result::Result<T, Broken>) -> Result<Want>,
) -> Result<u64> {
    let live = lines.is_live();
    // A thread that waits for the next line could not be stopped by an error in this one.
    let pace = if live { Pace { threads: 1, ..pace } } else { pace };
    let (head, source) = lines.into_rest();
    let name = source.name().to_string();
    std::thread::scope(|scope| {
        let reader = match source.is_compressed() && pace.threads > 1 {
            true => Reader::ahead(source, scope),
            false => Reader::here(source),
        };
        let pipeline = Pipeline {
            source: Mutex::new(Cutter::new(name, head, reader, pace.chunk, live)),
            queue: Mutex::new(Queue { waiting: VecDeque::new(), taken: 0, closed: false, sleepers: 0 }),
            changed: Condvar::new(),
            pool,
            parse,
            most: pace.threads * AHEAD,
        };
        std::thread::scope(|scope| {
            for _ in 1..pace.threads {
                parallel::spawn(scope, || pipeline.work());
            }
            let _close = CloseOnDrop(&pipeline);
            let mut chunk = Chunk::default();
            while let Some(result) = pipeline.next(&mut chunk) {
                limits::check()?;
                if take(result)? == Want::Nothing {
                    break;
                }
            }
            Ok::<(), Error>(())
        })?;
        let cutter = pipeline.source.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok(cutter.reader.fingerprint())
    })
}

impl<T, P> Pipeline<'_, T, P> {
    /// Waits for a change.
    fn sleep<'q>(&self, mut queue: MutexGuard<'q, Queue<T>>) -> MutexGuard<'q, Queue<T>> {
        queue.sleepers += 1;
        queue = self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
        queue.sleepers -= 1;
        queue
    }

    /// Wakes the waiting threads.
    fn notify(&self, queue: &MutexGuard<'_, Queue<T>>) {
        if queue.sleepers > 0 {
            self.changed.notify_all();
        }
    }
}

/// Stops the parsing threads when the calling thread leaves.
struct CloseOnDrop<'w, 'a, T, P>(&'w Pipeline<'a, T, P>);

impl<T, P> Drop for CloseOnDrop<'_, '_, T, P> {
    fn drop(&mut self) {
        let mut queue = lock(&self.0.queue);
        queue.closed = true;
        self.0.notify(&queue);
    }
}

impl<T: Default, P: Fn(&Chunk, &mut T)> Pipeline<'_, T, P> {
    /// Cuts and parses until the text ends or the queue is closed.
    fn work(&self) {
        let _close = CloseOnPanic(self);
        let mut chunk = Chunk::default();
        loop {
            {
                let mut queue = lock(&self.queue);
                while !queue.closed && queue.waiting.len() >= self.most {
                    queue = self.sleep(queue);
                }
                if queue.closed {
                    return;
                }
            }
            if !self.step(&mut chunk) {
                return;
            }
        }
    }

    /// The next result in order, parsed by this thread if no other has started it.
    fn next(&self, chunk: &mut Chunk) -> Option<std::result::Result<T, Broken>> {
        loop {
            {
                let mut queue = lock(&self.queue);
                loop {
                    if let Some(Some(_)) = queue.waiting.front() {
                        queue.taken += 1;
                        let result = queue.waiting.pop_front().flatten();
                        self.notify(&queue);
                        return result;
                    }
                    let full = queue.waiting.len() >= self.most;
                    if !queue.closed && !full {
                        break;
                    }
                    if queue.waiting.is_empty() {
                        return None;
                    }
                    queue = self.sleep(queue);
                }
            }
            self.step(chunk);
        }
    }

    /// Cuts one chunk and parses it; `false` at the end of the text.
    fn step(&self, chunk: &mut Chunk) -> bool {
        let number = {
            let mut source = lock(&self.source);
            let cut = if lock(&self.queue).closed { Ok(false) } else { source.cut(chunk) };
            let mut queue = lock(&self.queue);
            let number = queue.taken + queue.waiting.len() as u64;
            match cut {
                Ok(true) => {
                    queue.waiting.push_back(None);
                    number
                }
                Ok(false) => {
                    queue.closed = true;
                    self.notify(&queue);
                    return false;
                }
                Err(broken) => {
                    queue.waiting.push_back(Some(Err(broken)));
                    queue.closed = true;
                    self.notify(&queue);
                    return false;
                }
            }
        };
        let mut result = self.pool.get();
        (self.parse)(chunk, &mut result);
        let mut queue = lock(&self.queue);
        let place = (number - queue.taken) as usize;
        queue.waiting[place] = Some(Ok(result));
        self.notify(&queue);
        true
    }
}

/// Closes the queue if a parsing thread panics, since its result never arrives.
struct CloseOnPanic<'w, 'a, T, P>(&'w Pipeline<'a, T, P>);

impl<T, P> Drop for CloseOnPanic<'_, '_, T, P> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let mut queue = lock(&self.0.queue);
            queue.closed = true;
            queue.waiting.clear();
            self.0.notify(&queue);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::io::source::Input;

    /// All the text that a cutter returns, and its error.
    fn cut(bytes: &[u8], size: usize, limit: usize) -> (Vec<u8>, Option<String>) {
        let input = Input::memory("m", bytes);
        let reader = Reader::here(input.open().unwrap());
        let mut cutter = Cutter::new("m".into(), Vec::new(), reader, size, false);
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

    /// The limit was checked when a buffer had doubled, so it depended on the chunk size.
    #[test]
    fn a_line_too_long_is_refused_at_any_size() {
        let text = |long: usize| [b"ab\n".to_vec(), vec![b'x'; long], b"\ncd\n".to_vec()].concat();
        const LIMIT: usize = 3000;
        for size in [1, 1000, 2999] {
            assert_eq!(cut(&text(LIMIT), size, LIMIT), (text(LIMIT), None));
            let (before, message) = cut(&text(LIMIT + 1), size, LIMIT);
            assert_eq!(before, b"ab\n");
            assert_eq!(
                message.unwrap(),
                format!("m:1: the line is longer than {LIMIT} bytes: this is not a text table")
            );
        }
    }

    /// A truncated stream lost all lines of its last chunk, and the faults in them.
    #[test]
    fn lines_before_a_break_are_delivered() {
        use std::io::Write as _;
        let text: String = (0..200_000).map(|i| format!("{i}\n")).collect();
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packed.write_all(text.as_bytes()).unwrap();
        let packed = packed.finish().unwrap();
        let packed = &packed[..packed.len() * 3 / 4];
        let mut ends = Vec::new();
        for size in [1, 1 << 16, 1 << 22] {
            let (lines, message) = cut(packed, size, MAX_LINE);
            assert!(text.as_bytes().starts_with(&lines) && lines.len() > text.len() / 2 && lines.ends_with(b"\n"));
            assert!(message.unwrap().starts_with("m: the gzip stream ends early"));
            ends.push(lines.len());
        }
        assert!(ends.iter().all(|&end| end == ends[0]), "{ends:?}");
    }
}
