//! Several files as one text, and the file of a line of it.

use std::io::{self, BufRead as _, BufReader, Read};
use std::path::{Path, PathBuf};

use super::source::Source;
use crate::error::{Error, Place, Result};

/// The mark that some programs put at the start of a text.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// What messages call several files: its end tells the format, as that of one file does.
pub(super) fn name(paths: &[PathBuf]) -> String {
    let shown = |path: &Path| path.display().to_string();
    match paths {
        [] => String::new(),
        [one] => shown(one),
        [first, last] => format!("{} + {}", shown(first), shown(last)),
        [first, others @ .., last] => format!("{} + {} others + {}", shown(first), others.len(), shown(last)),
    }
}

/// The texts of files one after the other, each decompressed; a line goes on in no other file.
pub(super) struct Several<'a> {
    paths: std::slice::Iter<'a, PathBuf>,
    current: Option<(&'a Path, BufReader<Source<'a>>)>,
    /// Whether all files but the first lose their first line, the names of the columns.
    header: bool,
    is_first: bool,
    /// Whether the last byte was the end of a line.
    line_ended: bool,
}

impl<'a> Several<'a> {
    pub(super) fn new(paths: &'a [PathBuf], header: bool) -> Self {
        Several { paths: paths.iter(), current: None, header, is_first: true, line_ended: true }
    }

    /// Opens the next file and skips what belongs to its start alone; `false` if there is none.
    fn advance(&mut self) -> io::Result<bool> {
        let Some(path) = self.paths.next() else { return Ok(false) };
        let source = Source::of_file(path).map_err(|error| io::Error::other(error.to_string()))?;
        let mut reader = BufReader::with_capacity(1 << 16, source);
        if !std::mem::take(&mut self.is_first) {
            skip_start(&mut reader, self.header).map_err(|error| named(path, &error))?;
        }
        self.current = Some((path, reader));
        Ok(true)
    }
}

/// Skips a byte order mark, and the first line if it is a `header`.
fn skip_start(reader: &mut BufReader<Source<'_>>, header: bool) -> io::Result<()> {
    let mut start = Vec::new();
    if header {
        reader.read_until(b'\n', &mut start)?;
        return Ok(());
    }
    if reader.fill_buf()?.starts_with(BYTE_ORDER_MARK) {
        reader.consume(BYTE_ORDER_MARK.len());
    }
    Ok(())
}

/// The error of one of the files.
fn named(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

impl Read for Several<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            let Some((path, reader)) = &mut self.current else {
                if !self.advance()? {
                    return Ok(0);
                }
                continue;
            };
            let read = reader.read(buffer).map_err(|error| named(path, &error))?;
            if read > 0 {
                self.line_ended = buffer[read - 1] == b'\n';
                return Ok(read);
            }
            self.current = None;
            if !self.line_ended && !self.paths.as_slice().is_empty() {
                (self.line_ended, buffer[0]) = (true, b'\n');
                return Ok(1);
            }
        }
    }
}

/// The first line of a file, without a byte order mark and its end.
pub(crate) fn first_line(path: &Path) -> Result<Vec<u8>> {
    let mut line = Vec::new();
    let mut reader = BufReader::new(Source::of_file(path)?.take(super::MAX_LINE as u64));
    reader.read_until(b'\n', &mut line).map_err(|error| Error::io(path, error))?;
    let line = line.strip_suffix(b"\n").unwrap_or(&line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    Ok(line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line).to_vec())
}

/// The file and line in it of a line of all files, from 1.
pub(super) fn place(paths: &[PathBuf], header: bool, place: &Place) -> Option<Place> {
    let mut before = 0;
    let wanted = place.line?;
    for (i, path) in paths.iter().enumerate() {
        let skipped = u64::from(header && i > 0);
        let lines = count_lines(path).ok()?.saturating_sub(skipped);
        if wanted <= before + lines {
            let (file, line) = (path.display().to_string(), Some(wanted - before + skipped));
            return Some(Place { file, line, column: place.column });
        }
        before += lines;
    }
    None
}

fn count_lines(path: &Path) -> Result<u64> {
    let (mut source, mut buffer) = (Source::of_file(path)?, vec![0; 1 << 18]);
    let (mut lines, mut ended) = (0, true);
    loop {
        match source.fill(&mut buffer)? {
            0 => return Ok(lines + u64::from(!ended)),
            count => {
                lines += memchr::memchr_iter(b'\n', &buffer[..count]).count() as u64;
                ended = buffer[count - 1] == b'\n';
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::Input;

    #[test]
    fn the_text_is_that_of_the_files_one_after_the_other() {
        let dir = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &[u8]| {
            let path = dir.path().join(name);
            std::fs::write(&path, text).unwrap();
            path
        };
        let packed = zstd::encode_all(&b"x,y\n5,6\n"[..], 3).unwrap();
        let paths = vec![
            write("a.csv", b"\xef\xbb\xbfx,y\r\n1,2"),
            write("b.csv", b"\xef\xbb\xbfx,y\n3,4\n"),
            write("empty.csv", b"x,y\n"),
            write("c.csv.zst", &packed),
        ];
        let text = |header| {
            let input = Input::Several { paths: paths.clone(), header };
            let mut all = Vec::new();
            input.open().unwrap().read_to_end(&mut all).unwrap();
            (String::from_utf8(all).unwrap(), input)
        };
        let (joined, input) = text(true);
        assert_eq!(joined, "\u{feff}x,y\r\n1,2\n3,4\n5,6\n");
        assert_eq!(text(false).0, "\u{feff}x,y\r\n1,2\nx,y\n3,4\nx,y\nx,y\n5,6\n");
        let find = |line| {
            let error = Error::data(Place::at(input.name(), line, 7), "odd");
            input.locate(error).place().unwrap().clone()
        };
        for (line, at, in_file) in [(1, 0, 1), (2, 0, 2), (3, 1, 2), (4, 3, 2)] {
            assert_eq!(find(line), Place::at(paths[at].display().to_string(), in_file, 7));
        }
        assert!(input.name().ends_with("c.csv.zst") && input.name().contains(" + 2 others + "), "{}", input.name());
        assert_eq!(first_line(&paths[0]).unwrap(), b"x,y");
    }
}
