//! Text, line by line, from one reused buffer.

use std::io::Read;

use memchr::memchr;

use super::fault::{Fault, Found};
use super::source::Source;
use crate::error::{Error, Place, Result};
use crate::limits;

/// Bytes read at once.
const BLOCK: usize = 1 << 18;
/// The most bytes of a line: 1 GiB.
pub(crate) const MAX_LINE: usize = 1 << 30;

/// Iterates over the lines of a source. Memory: the longest line and a block.
#[derive(Debug)]
pub(crate) struct Lines<'a> {
    source: Source<'a>,
    buffer: Vec<u8>,
    /// The current line, without its end.
    line: std::ops::Range<usize>,
    /// Where the next line starts.
    next: usize,
    /// How much of the buffer holds bytes.
    filled: usize,
    number: u64,
    ended: bool,
    limit: usize,
    /// Whether each line is wanted as soon as it comes.
    live: bool,
}

impl<'a> Lines<'a> {
    /// The lines of this source; a byte order mark at its start is skipped.
    pub(crate) fn new(source: Source<'a>) -> Result<Self> {
        Self::with_limit(source, MAX_LINE, false)
    }

    /// The lines of a pipe, each as soon as it comes.
    pub(crate) fn live(source: Source<'a>) -> Result<Self> {
        Self::with_limit(source, MAX_LINE, true)
    }

    fn with_limit(source: Source<'a>, limit: usize, live: bool) -> Result<Self> {
        let buffer = Vec::new();
        let mut lines = Lines { source, buffer, line: 0..0, next: 0, filled: 0, number: 0, ended: false, limit, live };
        // A whole block, so that the format can be guessed from it; of a pipe, the lines that have come.
        let enough = |lines: &Self| live && memchr(b'\n', &lines.buffer[..lines.filled]).is_some();
        while lines.filled < BLOCK && !lines.ended && !enough(&lines) {
            lines.refill()?;
        }
        if lines.buffer[..lines.filled].starts_with(b"\xef\xbb\xbf") {
            lines.next = 3;
        }
        Ok(lines)
    }

    /// The bytes at the start of the text, a block of them or all there are. Only before the first `advance`.
    pub(crate) fn head(&self) -> &[u8] {
        &self.buffer[self.next..self.filled]
    }

    /// Whether `head` is the whole text.
    pub(crate) fn head_is_all(&self) -> bool {
        self.ended
    }

    /// Moves to the next line; `false` at the end.
    pub(crate) fn advance(&mut self) -> Result<bool> {
        let mut searched = self.next;
        let end = loop {
            if let Some(at) = memchr(b'\n', &self.buffer[searched..self.filled]) {
                break searched + at;
            }
            if self.ended {
                break self.filled;
            }
            let long = self.filled - self.next;
            self.refuse_long(long)?;
            self.refill()?;
            searched = self.next + long;
        };
        self.refuse_long(end - self.next)?;
        if self.next >= self.filled {
            self.line = 0..0;
            return Ok(false);
        }
        self.number += 1;
        let start = self.next;
        self.next = (end + 1).min(self.filled);
        let text = &self.buffer[start..end];
        self.line = start..end - usize::from(text.ends_with(b"\r"));
        refuse_nul(text, self.number).map_err(|fault| fault.of(self.name()))?;
        Ok(true)
    }

    fn refuse_long(&self, length: usize) -> Result<()> {
        if length <= self.limit {
            return Ok(());
        }
        let message = format!("the line is longer than {} bytes: this is not a text table", self.limit);
        Err(Error::data(Place::line(self.name(), self.number + 1), message))
    }

    /// The current line, without its end.
    pub(crate) fn line(&self) -> &[u8] {
        &self.buffer[self.line.clone()]
    }

    /// Its number, from 1.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Whether each line is wanted as soon as it comes.
    pub(crate) fn is_live(&self) -> bool {
        self.live
    }

    /// Whether the next line has come.
    pub(crate) fn is_ready(&self) -> bool {
        self.ended || memchr(b'\n', &self.buffer[self.next..self.filled]).is_some()
    }

    /// Whether the source is compressed.
    pub(crate) fn is_compressed(&self) -> bool {
        self.source.is_compressed()
    }

    /// What messages call the source.
    pub(crate) fn name(&self) -> &str {
        self.source.name()
    }

    /// The fingerprint of the source, complete once `advance` has returned `false`.
    pub(crate) fn fingerprint(&self) -> u64 {
        self.source.fingerprint()
    }

    /// The bytes read but not iterated over, and the source of the rest.
    pub(crate) fn into_rest(mut self) -> (Vec<u8>, Source<'a>) {
        self.buffer.truncate(self.filled);
        self.buffer.drain(..self.next);
        (self.buffer, self.source)
    }

    /// All bytes of a source that is not text, and their fingerprint. Only before the first `advance`.
    pub(crate) fn rest(mut self) -> Result<(Vec<u8>, u64)> {
        while !self.ended {
            self.refill()?;
        }
        self.buffer.truncate(self.filled);
        Ok((self.buffer, self.source.fingerprint()))
    }

    /// The bytes of a source that is not text, from its start. Only before the first `advance`.
    pub(crate) fn into_reader(self) -> impl Read + Send + 'a {
        let Lines { source, mut buffer, filled, .. } = self;
        buffer.truncate(filled);
        std::io::Cursor::new(buffer).chain(source)
    }

    /// The file that is read, if its bytes are read as they are, and the fingerprint of its bytes; `Err(self)` for any other
    /// source. Only before the first `advance`.
    #[cfg(feature = "parquet")]
    pub(crate) fn into_file(mut self) -> Result<std::result::Result<(std::fs::File, u64), Self>> {
        let Some(path) = self.source.plain_file() else { return Ok(Err(self)) };
        let file = std::fs::File::open(path).map_err(|error| Error::io(path, error))?;
        while self.source.fill(&mut self.buffer)? > 0 {
            limits::check()?;
        }
        Ok(Ok((file, self.source.fingerprint())))
    }

    /// Moves the unread bytes to the front and reads more after them.
    fn refill(&mut self) -> Result<()> {
        // A long line from a slow pipe takes many refills: move it only once.
        if self.next > 0 {
            self.buffer.copy_within(self.next..self.filled, 0);
            self.filled -= self.next;
            self.next = 0;
        }
        limits::check()?;
        if self.buffer.len() < self.filled + BLOCK / 2 {
            let (ample, enough) = ((self.filled + BLOCK).max(self.filled * 2), self.filled + BLOCK);
            let what = || "the bytes of the file".into();
            let mut grow = |size: usize| {
                let more = size - self.buffer.len();
                limits::reserve(&mut self.buffer, more, &what)?;
                self.buffer.resize(size, 0);
                Ok(())
            };
            grow(ample).or_else(|_: Error| grow(enough))?;
        }
        let count = self.source.fill(&mut self.buffer[self.filled..])?;
        self.filled += count;
        self.ended = count == 0;
        Ok(())
    }
}

/// Refuses a line that contains a NUL byte.
pub(crate) fn refuse_nul(line: &[u8], number: u64) -> Found<()> {
    match memchr(0, line) {
        None => Ok(()),
        Some(at) => {
            let message = "a NUL byte: this is not text, or not UTF-8 (save it as UTF-8)";
            Err(Fault::at(number, at as u64 + 1, message))
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::io::source::Input;

    fn lines(bytes: &[u8]) -> Result<Vec<(u64, Vec<u8>)>> {
        let input = Input::memory("m", bytes);
        let mut lines = Lines::new(input.open()?)?;
        let mut out = Vec::new();
        while lines.advance()? {
            out.push((lines.number(), lines.line().to_vec()));
        }
        Ok(out)
    }

    #[test]
    fn ends_of_lines_and_the_byte_order_mark() {
        let want = vec![(1, b"a".to_vec()), (2, b"".to_vec()), (3, b"b\rc".to_vec())];
        assert_eq!(lines(b"\xef\xbb\xbfa\r\n\nb\rc").unwrap(), want);
        assert_eq!(lines(b"a\n\nb\rc\r\n").unwrap(), want);
        assert_eq!(lines(b"").unwrap(), vec![]);
        assert_eq!(lines(b"\n").unwrap(), vec![(1, vec![])]);
    }

    #[test]
    fn a_nul_byte_is_no_text() {
        let message = lines(b"ab\nc\0d").unwrap_err().to_string();
        assert_eq!(message, "m:2:2: a NUL byte: this is not text, or not UTF-8 (save it as UTF-8)");
    }

    #[test]
    fn a_line_may_be_longer_than_a_block_but_not_than_the_limit() {
        let mut text = vec![b'x'; 3 * BLOCK + 5];
        text.extend(b"\ny");
        assert_eq!(lines(&text).unwrap().iter().map(|l| l.1.len()).collect::<Vec<_>>(), [3 * BLOCK + 5, 1]);
        let input = Input::memory("m", text);
        // The buffer may hold more than that before the check.
        for limit in [BLOCK, 3 * BLOCK + 4] {
            let mut lines = Lines::with_limit(input.open().unwrap(), limit, false).unwrap();
            let message = lines.advance().unwrap_err().to_string();
            assert_eq!(message, format!("m:1: the line is longer than {limit} bytes: this is not a text table"));
        }
        assert!(Lines::with_limit(input.open().unwrap(), 3 * BLOCK + 5, false).unwrap().advance().unwrap());
    }

    #[test]
    fn the_buffer_stays_small() {
        let input = Input::memory("m", b"0123456789\n".repeat(500_000));
        let mut lines = Lines::new(input.open().unwrap()).unwrap();
        while lines.advance().unwrap() {}
        assert_eq!(lines.number(), 500_000);
        assert!(lines.buffer.len() <= 3 * BLOCK, "{}", lines.buffer.len());
    }

    proptest! {
        #[test]
        fn agree_with_split(text in r"[ab\r\n]{0,40}") {
            let mut want: Vec<&str> = text.split('\n').collect();
            if want.last() == Some(&"") {
                want.pop();
            }
            let want: Vec<Vec<u8>> = want.iter().map(|l| l.strip_suffix('\r').unwrap_or(l).as_bytes().to_vec()).collect();
            let got: Vec<Vec<u8>> = lines(text.as_bytes()).unwrap().into_iter().map(|l| l.1).collect();
            prop_assert_eq!(got, want);
        }
    }
}
