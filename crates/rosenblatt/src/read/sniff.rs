//! Detects the format of a file: by its name, then by its first lines.

use std::str::FromStr;

use crate::error::{Error, Result};
use crate::named::{Named, named};
use crate::read::{fasttext, idx, npy};
use crate::rows::Delimiter;

/// The supported formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// `label index:value …`
    Libsvm,
    /// Fields between commas or semicolons.
    Csv,
    /// Fields between tabs.
    Tsv,
    /// One JSON object a line.
    Jsonl,
    /// `__label__name words …`
    FastText,
    /// `label |namespace feature:value …`
    Vw,
    /// A binary array with big-endian numbers: MNIST.
    Idx,
    /// NumPy's binary array.
    Npy,
    /// A binary table.
    Parquet,
}

named!(@names Format: Libsvm = "libsvm", Csv = "csv", Tsv = "tsv", Jsonl = "jsonl", FastText = "fasttext", Vw = "vw", Idx = "idx", Npy = "npy", Parquet = "parquet");

/// The names, for a message.
pub(crate) const USE: &str = "use libsvm, csv, tsv, jsonl, fasttext, vw, idx, npy or parquet";
/// Formats of sentences, which taggers read.
const SENTENCES: [&str; 3] = ["conll", "conllu", "crfsuite"];

impl FromStr for Format {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match Named::by_name(text) {
            Some(format) => Ok(format),
            None if SENTENCES.contains(&text) => {
                Err(Error::settings(format!("format {text} holds sentences, not rows: {USE}")))
            }
            None => Err(Error::settings(format!("unknown format \"{text}\": {USE}"))),
        }
    }
}

impl Format {
    /// The format by a file's name, with or without a compression suffix.
    pub fn by_name(name: &str) -> Option<Format> {
        let mut name = name.to_ascii_lowercase();
        for packed in [".gz", ".zst", ".bz2", ".xz"] {
            if let Some(inner) = name.strip_suffix(packed) {
                name.truncate(inner.len());
                break;
            }
        }
        let (_, extension) = name.rsplit_once('.')?;
        match extension {
            "csv" => Some(Format::Csv),
            "tsv" | "tab" => Some(Format::Tsv),
            "svm" | "libsvm" | "svmlight" => Some(Format::Libsvm),
            "jsonl" | "ndjson" => Some(Format::Jsonl),
            "fasttext" | "ft" => Some(Format::FastText),
            "vw" => Some(Format::Vw),
            "npy" => Some(Format::Npy),
            "parquet" => Some(Format::Parquet),
            _ => None,
        }
    }

    /// Whether it is text, line by line.
    pub(crate) fn is_text(self) -> bool {
        !matches!(self, Format::Idx | Format::Npy | Format::Parquet)
    }

    /// The binary format by the first bytes.
    pub(crate) fn by_magic(head: &[u8]) -> Option<Format> {
        match head {
            _ if head.starts_with(npy::MAGIC) => Some(Format::Npy),
            _ if head.starts_with(b"PAR1") => Some(Format::Parquet),
            _ if idx::looks_like(head) => Some(Format::Idx),
            _ => None,
        }
    }

    /// The format by the first bytes of a text, if they decide it. `whole`: they are the whole file.
    pub(crate) fn by_content(head: &[u8], whole: bool) -> Result<Option<Format>> {
        if fasttext::looks_like(head) {
            return Ok(Some(Format::FastText));
        }
        let lines = sample(head, whole);
        if looks_like_libsvm(&lines) {
            return Ok(Some(Format::Libsvm));
        }
        if lines.iter().any(|line| looks_like_vw(line)) {
            return Ok(Some(Format::Vw));
        }
        let first = head.trim_ascii_start();
        if let Some(rest) = first.strip_prefix(b"{")
            && matches!(rest.trim_ascii_start().first(), Some(b'"' | b'}'))
        {
            return Ok(Some(Format::Jsonl));
        }
        if [&b"[{"[..], b"[["].iter().any(|start| first.starts_with(start)) {
            return Err(Error::bad_data("this looks like an array of JSON: write one object on each line (jsonl)"));
        }
        // A line that begins with a bar may be one of Vowpal Wabbit without a label.
        let bar: &[u8] = if lines.iter().any(|line| line.starts_with(b"|")) { b"" } else { b"|" };
        let delimiter = best_delimiter(&lines, b"\t,;", bar);
        Ok(delimiter.map(|d| if d == b'\t' { Format::Tsv } else { Format::Csv }))
    }
}

/// The delimiter of a csv or tsv file that starts like this: the one given, or what is seen, perhaps the usual one of a
/// model.
pub(crate) fn delimiter(
    format: Format,
    head: &[u8],
    whole: bool,
    (given, usual): (Option<Delimiter>, Option<Delimiter>),
) -> u8 {
    match (given, format) {
        (Some(given), _) => given.byte(),
        (None, Format::Tsv) => b'\t',
        _ => {
            let candidates: Vec<u8> = usual.map(Delimiter::byte).into_iter().chain(*b",;\t").collect();
            best_delimiter(&sample(head, whole), &candidates, b"|").unwrap_or(b',')
        }
    }
}

/// Refuses well-known binary formats, by name, and other binary data.
pub(crate) fn refuse_binary(head: &[u8]) -> Result<()> {
    const MAGIC: [(&[u8], &str); 8] = [
        (b"\x89PNG", "a PNG image"),
        (b"\xff\xd8\xff", "a JPEG image"),
        (b"GIF8", "a GIF image"),
        (b"%PDF", "a PDF document"),
        (b"PK\x03\x04", "a zip archive or a spreadsheet: export it as csv"),
        (b"ARROW1", "an Arrow file: export it as csv"),
        (b"\x89HDF", "an HDF5 file: export it as csv"),
        (b"SQLite format 3\0", "an SQLite database: export the table as csv"),
    ];
    let start = &head[..head.len().min(1024)];
    let odd = |b: &u8| *b == 0 || (*b < 0x20 && !b.is_ascii_whitespace() && *b != 0x1b);
    let binary = start.iter().any(odd);
    let model_as_json =
        start.trim_ascii_start().starts_with(b"{") && memchr::memmem::find(head, b"\"rosenblatt\":").is_some();
    if head.starts_with(b"RSNBLATT") || model_as_json {
        return Err(Error::bad_data("this is a rosenblatt model, not data: the model comes first, then the data"));
    }
    if let Some((_, what)) = MAGIC.iter().find(|(magic, _)| head.starts_with(magic)) {
        return Err(Error::bad_data(format!("no text table: this is {what}")));
    }
    if head.starts_with(b"\xff\xfe") || head.starts_with(b"\xfe\xff") {
        return Err(Error::bad_data("this is UTF-16 text: save it as UTF-8"));
    }
    if binary {
        return Err(Error::bad_data("no text table: the file holds binary data"));
    }
    Ok(())
}

/// The first lines that are not blank, without a last one that may be cut off.
pub(super) fn sample(head: &[u8], whole: bool) -> Vec<&[u8]> {
    const LINES: usize = 50;
    let mut lines = Vec::new();
    let (mut start, mut quoted) = (0, false);
    for (at, &byte) in head.iter().enumerate() {
        match byte {
            b'"' => quoted = !quoted,
            b'\n' if !quoted => {
                lines.push(&head[start..at]);
                start = at + 1;
                if lines.len() == LINES {
                    break;
                }
            }
            _ => {}
        }
    }
    if lines.is_empty() || (whole && lines.len() < LINES) {
        lines.push(&head[start..]);
    }
    lines.retain(|line| !line.trim_ascii().is_empty());
    lines
}

/// The first line with a pair or a second token decides, so that a fault further down is reported at its position: every
/// token but the label must be `index:something`.
fn looks_like_libsvm(lines: &[&[u8]]) -> bool {
    let pair = |token: &[u8]| match memchr::memchr(b':', token) {
        Some(at) => {
            let (index, value) = (&token[..at], &token[at + 1..]);
            index == b"qid" || (!index.is_empty() && index.iter().all(u8::is_ascii_digit) && !value.is_empty())
        }
        None => false,
    };
    let telling = lines.iter().find_map(|line| {
        let text = &line[..memchr::memchr(b'#', line).unwrap_or(line.len())];
        let mut tokens = text.split(u8::is_ascii_whitespace).filter(|t| !t.is_empty());
        let first = tokens.next().is_some_and(pair);
        let mut rest = tokens.peekable();
        (first || rest.peek().is_some()).then(|| rest.all(pair))
    });
    telling == Some(true)
}

/// Rows of numbers separated by spaces, which is not a supported format.
pub(crate) fn looks_spaced(head: &[u8], whole: bool) -> bool {
    let width = |line: &&[u8]| line.split(u8::is_ascii_whitespace).filter(|t| !t.is_empty()).count();
    let numbers = |line: &[u8]| {
        let tokens = line.split(u8::is_ascii_whitespace).filter(|t| !t.is_empty());
        tokens.filter(|t| super::number::number(t).is_ok()).count()
    };
    let lines = sample(head, whole);
    let Some(first) = lines.first() else { return false };
    let fields = width(first);
    fields > 1 && numbers(first) + 1 >= fields && lines.iter().all(|line| width(line) == fields)
}

/// `label |namespace features`: a bar that starts a token, with no comma, semicolon or tab before it.
fn looks_like_vw(line: &[u8]) -> bool {
    match memchr::memchr(b'|', line) {
        Some(at) => (at == 0 || line[at - 1] == b' ') && !line[..at].iter().any(|b| b",;\t".contains(b)) && at > 0,
        None => false,
    }
}

/// The delimiter found on every line, preferably equally often; the earlier candidate wins a tie. The `seldom` ones must be
/// found equally often.
pub(super) fn best_delimiter(lines: &[&[u8]], candidates: &[u8], seldom: &[u8]) -> Option<u8> {
    let counts = |delimiter: u8| {
        let mut quoted = false;
        lines.iter().map(move |line| {
            line.iter()
                .filter(|&&b| {
                    quoted ^= b == b'"';
                    b == delimiter && !quoted
                })
                .count()
        })
    };
    let steady = |d: &u8| {
        let mut counts = counts(*d);
        let first = counts.next().unwrap_or(0);
        first > 0 && counts.all(|c| c == first)
    };
    let present = |d: &u8| !lines.is_empty() && counts(*d).all(|c| c > 0);
    let somewhere = |d: &u8| counts(*d).next().is_some_and(|c| c > 0);
    let steadily = candidates.iter().chain(seldom).copied().find(steady);
    let mut tests: [&dyn Fn(&u8) -> bool; 2] = [&present, &somewhere];
    steadily.or_else(|| tests.iter_mut().find_map(|test| candidates.iter().copied().find(|d| test(d))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(text: &str) -> String {
        match refuse_binary(text.as_bytes()).and_then(|()| Format::by_content(text.as_bytes(), true)) {
            Ok(Some(format)) => format.to_string(),
            Ok(None) => "unsure".to_string(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn names() {
        assert_eq!(Format::by_name("x/a.csv.gz"), Some(Format::Csv));
        assert_eq!(Format::by_name("A.TAB.zst"), Some(Format::Tsv));
        assert_eq!(Format::by_name("a.svm"), Some(Format::Libsvm));
        assert_eq!(Format::by_name("a.svmlight.xz"), Some(Format::Libsvm));
        assert_eq!(Format::by_name("a9a.gz"), None);
        assert_eq!(Format::by_name("csv"), None);
        assert_eq!(Format::by_name("a.vw.gz"), Some(Format::Vw));
        for &format in Format::ALL {
            assert_eq!(format.to_string().parse::<Format>().unwrap(), format);
        }
        let message = "conllu".parse::<Format>().unwrap_err().to_string();
        assert_eq!(message, format!("format conllu holds sentences, not rows: {USE}"));
        let message = "xls".parse::<Format>().unwrap_err().to_string();
        assert_eq!(message, format!("unknown format \"xls\": {USE}"));
        assert!(Format::ALL.iter().all(|format| USE.contains(format.name())));
    }

    #[test]
    fn contents() {
        assert_eq!(content("+1 1:0.5 7:1\n-1\n"), "libsvm");
        assert_eq!(content("# hi\n3 qid:1 1:2 # c\n"), "libsvm");
        assert_eq!(content("1:2 3:4"), "libsvm");
        assert_eq!(content("7\n1 1:nan\n1 2\n"), "libsvm", "the faults are for the reader to show");
        assert_eq!(content("a,b\n1,2\n"), "csv");
        assert_eq!(content("a;b\n1,5;2\n"), "csv");
        assert_eq!(content("a\tb, c\n1\t2, 3\n"), "tsv");
        assert_eq!(content("\"a,b\";2\n\"c\";3\n"), "csv");
        assert_eq!(content("a|b\n1|2\n"), "csv");
        assert_eq!(content("| a:1 b:2\n"), "unsure", "a model knows better");
        assert_eq!(content("6.0 -1.0 -1.0\n"), "unsure");
        assert_eq!(content("hello\nworld\n"), "unsure");
        assert_eq!(content("1 |f 1:2\n"), "vw");
    }

    #[test]
    fn delimiters() {
        let seen = |format, head: &[u8]| delimiter(format, head, true, (None, None));
        assert_eq!(seen(Format::Csv, b"a;b\n1,5;2,5\n"), b';');
        assert_eq!(seen(Format::Csv, b"a,b\n1,2;3\n"), b',');
        assert_eq!(seen(Format::Csv, b"a\tb\n"), b'\t');
        assert_eq!(seen(Format::Csv, b"a\n"), b',');
        assert_eq!(seen(Format::Tsv, b"a,b\n"), b'\t');
        assert_eq!(seen(Format::Csv, b"a|b, c\n1|2\n"), b'|');
        assert_eq!(seen(Format::Csv, b"a | b\nc\n"), b',', "a bar in a text divides nothing");
        let caret = Delimiter::new('^').ok();
        assert_eq!(delimiter(Format::Tsv, b"a^b\tc\n", true, (caret, None)), b'^');
        assert_eq!(delimiter(Format::Csv, b"a^b,c\n1^2,3\n", true, (None, caret)), b'^');
        assert_eq!(delimiter(Format::Csv, b"a,b\n1,2\n", true, (None, caret)), b',', "another file for the model");
    }

    #[test]
    fn what_is_no_table() {
        let message = |bytes: &[u8]| refuse_binary(bytes).unwrap_err().to_string();
        assert_eq!(message(b"\x89PNG\r\n"), "no text table: this is a PNG image");
        assert_eq!(message(b"abc\0def"), "no text table: the file holds binary data");
        let model = "this is a rosenblatt model, not data: the model comes first, then the data";
        assert_eq!(message(b"RSNBLATT\x01\0\0\0"), model);
        assert_eq!(message(b"{\"rosenblatt\":1}"), model);
        assert!(refuse_binary(b"rosenblatt,1\n").is_ok());
        assert_eq!(Format::by_magic(b"PAR1\x15"), Some(Format::Parquet));
        assert_eq!(Format::by_magic(b"\0\0\x08\x03\0"), Some(Format::Idx));
        assert_eq!(Format::by_magic(b"\0\0\x01\x02"), None);
    }
}
