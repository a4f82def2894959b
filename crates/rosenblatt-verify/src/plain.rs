//! The plain reading: what data are taken for by their bytes alone, without options.
//!
//! A certificate says how its data are read, and its arithmetic is right of that reading. Read otherwise than anyone would
//! read them, data that no hyperplane separates become data that one does: a feature is the label, a row is a header, two
//! rows of thousands have a listed label. So every certificate is compared with this reading, which FORMAT.md specifies.
//! Labels, categories and words are not part of it: the data themselves fix them ([`rows`](crate::rows)).

use std::collections::HashMap;

use crate::columns::is_gap;
use crate::decimal::Parts;
use crate::jsonl::{Elements, Node, each_object, elements, joined, mixed};
use crate::npy::{MAGIC, is_idx};
use crate::reading::{Column, Format, Kind};
use crate::refusal::{Check, Checked, Refusal, show};
use crate::stop;
use crate::table::Table;

/// How many lines tell the format, and how many records tell a header or the kind of a column.
const LINES: usize = 50;
const RECORDS: usize = 1 << 14;

/// Usual names of the label's column, the likeliest first.
const LABELS: [&str; 4] = ["label", "class", "target", "y"];

/// The plain reading of data; `Err` says why they have none.
pub(crate) fn plain(data: &[u8]) -> Checked<Result<Format, String>> {
    if data.starts_with(MAGIC) {
        return Ok(Ok(Format::Npy { features: 0 }));
    }
    if is_idx(data) {
        return Ok(Ok(Format::Idx { features: 0 }));
    }
    let text = data.strip_prefix(b"\xef\xbb\xbf").unwrap_or(data);
    let lines = sample(text);
    if is_libsvm(&lines) {
        return Ok(Ok(Format::Libsvm { first: 0, features: 0 }));
    }
    if lines.iter().any(|line| is_vowpal_wabbit(line)) {
        return Ok(Err("they look like Vowpal Wabbit's format, which has no certificates".into()));
    }
    if let Some(rest) = text.trim_ascii_start().strip_prefix(b"{")
        && matches!(rest.trim_ascii_start().first(), Some(b'"' | b'}'))
    {
        return objects(data);
    }
    match delimiter(&lines) {
        Some(delimiter) => table(data, delimiter),
        None => Ok(Err("no tab, comma or semicolon divides their lines".into())),
    }
}

/// The first lines that are not blank. A line does not end within quotes.
fn sample(data: &[u8]) -> Vec<&[u8]> {
    let (mut lines, mut start, mut quoted) = (Vec::new(), 0, false);
    for (at, &byte) in data.iter().enumerate() {
        if byte == b'"' {
            quoted = !quoted;
        } else if byte == b'\n' && !quoted {
            lines.push(&data[start..at]);
            start = at + 1;
            if lines.len() == LINES {
                break;
            }
        }
    }
    if lines.len() < LINES {
        lines.push(&data[start..]);
    }
    lines.retain(|line| !line.trim_ascii().is_empty());
    lines
}

/// `index:value` or `qid:value`.
fn is_pair(word: &[u8]) -> bool {
    let Some(colon) = word.iter().position(|&b| b == b':') else { return false };
    let index = &word[..colon];
    index == b"qid" || (!index.is_empty() && index.iter().all(u8::is_ascii_digit) && colon + 1 < word.len())
}

/// Whether the first line with a pair, or with a second word, has nothing but pairs after its first word.
fn is_libsvm(lines: &[&[u8]]) -> bool {
    for line in lines {
        let text = line.split(|&b| b == b'#').next().unwrap_or_default();
        let words: Vec<&[u8]> = text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).collect();
        if let [first, rest @ ..] = &words[..]
            && (is_pair(first) || !rest.is_empty())
        {
            return rest.iter().all(|word| is_pair(word));
        }
    }
    false
}

/// `label |namespace …`: a bar after a space, and no delimiter before it.
fn is_vowpal_wabbit(line: &[u8]) -> bool {
    match line.iter().position(|&b| b == b'|') {
        None | Some(0) => false,
        Some(at) => line[at - 1] == b' ' && !line[..at].iter().any(|b| b",;\t".contains(b)),
    }
}

/// The tab, comma or semicolon that all lines have equally often, else that all lines have, else that the first line has.
/// Those within quotes do not count.
fn delimiter(lines: &[&[u8]]) -> Option<u8> {
    let counts = |delimiter: u8| -> Vec<usize> {
        let mut quoted = false;
        let mut count = |line: &&[u8]| {
            let outside = line.iter().filter(|&&b| {
                quoted ^= b == b'"';
                b == delimiter && !quoted
            });
            outside.count()
        };
        lines.iter().map(&mut count).collect()
    };
    let tests: [fn(&[usize]) -> bool; 3] = [
        |counts| counts.first().is_some_and(|&first| first > 0 && counts.iter().all(|&count| count == first)),
        |counts| !counts.is_empty() && counts.iter().all(|&count| count > 0),
        |counts| counts.first().is_some_and(|&first| first > 0),
    ];
    tests.iter().find_map(|test| b"\t,;".iter().copied().find(|&delimiter| test(&counts(delimiter))))
}

/// A number, or infinity.
fn is_number(text: &[u8]) -> bool {
    let unsigned = text.strip_prefix(b"-").or_else(|| text.strip_prefix(b"+")).unwrap_or(text);
    let infinite = |name: &&[u8]| unsigned.eq_ignore_ascii_case(name);
    Parts::of(text).is_some() || [&b"inf"[..], b"infinity"].iter().any(infinite)
}

/// A table: the first record is a header if it has no number and one of the next has, in no column of texts; the label's
/// column has a usual name, or is the last; every other column is a feature, of numbers if its first value is one.
fn table(data: &[u8], delimiter: u8) -> Checked<Result<Format, String>> {
    let mut table = Table::new(data, delimiter);
    // The first record, where it has no number, and whether a later one has.
    let (mut first, mut below): (Option<Vec<Vec<u8>>>, bool) = (None, false);
    let (mut kinds, mut records) = (Vec::new(), 0);
    // Of each column below the first record: the values, and those of several words.
    let mut prose: Vec<(usize, usize)> = Vec::new();
    loop {
        stop::check()?;
        match table.next() {
            Ok(true) if records < RECORDS => records += 1,
            Ok(_) => break,
            Err(refusal) => return Ok(Err(format!("they are no table divided by {:?}: {refusal}", delimiter as char))),
        }
        let numeric = table.fields.iter().any(|field| is_number(field));
        if records == 1 {
            kinds = vec![None; table.fields.len()];
            if !numeric {
                first = Some(table.fields.iter().map(|field| field.to_vec()).collect());
                continue;
            }
        }
        prose.resize(prose.len().max(table.fields.len()), (0, 0));
        for (field, (values, wordy)) in table.fields.iter().zip(&mut prose) {
            below |= 2 * *wordy <= *values && is_number(field);
            *values += usize::from(!field.is_empty());
            *wordy += usize::from(field.contains(&b' '));
        }
        settle(&mut kinds, table.fields.iter().map(|field| &field[..]));
        if below && kinds.iter().all(Option::is_some) {
            break;
        }
    }
    if kinds.len() < 2 || (first.is_some() && records == 1) {
        return Ok(Err("they are one record without a number, or one field in each".into()));
    }
    let header = match first {
        Some(names) if below => names,
        Some(fields) => {
            // No field is a number: then this is no header, and it tells kinds as any other.
            settle(&mut kinds, fields.iter().map(|field| &field[..]));
            Vec::new()
        }
        None => Vec::new(),
    };
    let named = |name: &&str| header.iter().position(|found| found.eq_ignore_ascii_case(name.as_bytes()));
    let label = LABELS.iter().find_map(named).unwrap_or(kinds.len() - 1);
    let kind = |number: bool| if number { Kind::Number } else { Kind::Category(HashMap::new()) };
    let columns = kinds.iter().enumerate().filter(|(at, _)| *at != label);
    let columns = columns.map(|(at, number)| Column {
        at,
        name: String::new(),
        kind: kind(number.unwrap_or(true)),
        missing: None,
    });
    Ok(Ok(Format::Table { delimiter, header: !header.is_empty(), label, columns: columns.collect() }))
}

/// What a field of objects holds.
#[derive(Debug, Default)]
struct Seen {
    number: bool,
    single: bool,
    set: bool,
    /// Whether its first value is a number.
    first: Option<bool>,
}

/// The fields of objects in order of their first values.
#[derive(Debug, Default)]
struct Objects {
    names: Vec<String>,
    seen: Vec<Seen>,
    places: HashMap<String, usize>,
}

impl Objects {
    fn of(&mut self, name: &str) -> &mut Seen {
        let place = *self.places.entry(name.to_string()).or_insert_with(|| {
            self.names.push(name.to_string());
            self.seen.push(Seen::default());
            self.seen.len() - 1
        });
        &mut self.seen[place]
    }

    fn walk(&mut self, above: &str, node: Node, early: bool) -> Result<(), String> {
        let Node::Object(members) = node else { return Ok(()) };
        for (key, value) in members {
            let name = joined(above, &key);
            match value {
                Node::Object(_) => self.walk(&name, value, early)?,
                Node::List(list) => match elements(list).ok_or_else(|| mixed(&name))? {
                    Elements::Strings(strings) if strings.is_empty() => {}
                    Elements::Strings(_) => self.of(&name).set = true,
                    Elements::Numbers(numbers) => {
                        (1..).zip(numbers).for_each(|(i, v): (usize, _)| self.single(&format!("{name}.{i}"), v, early))
                    }
                },
                single => self.single(&name, single, early),
            }
        }
        Ok(())
    }

    fn single(&mut self, name: &str, value: Node, early: bool) {
        let number = matches!(value, Node::Number(_));
        let Some(text) = value.single() else { return };
        let seen = self.of(name);
        seen.number |= number;
        seen.single = true;
        if early && seen.first.is_none() && !is_gap(text.as_bytes()) {
            seen.first = Some(is_number(text.as_bytes()));
        }
    }
}

/// Objects: the label's field has a usual name; every other field is a feature. One that holds no numbers holds categories or
/// sets; else its first value tells.
fn objects(data: &[u8]) -> Checked<Result<Format, String>> {
    let (mut found, mut count) = (Objects::default(), 0);
    let looked = each_object(data, |line, node| {
        stop::check()?;
        count += 1;
        found.walk("", node, count <= RECORDS + 1).map_err(|why| Refusal::data(format!("line {line}: {why}")))?;
        Ok(true)
    });
    match looked {
        Err(refusal) if refusal.check() == Check::Stopped => return Err(refusal),
        Err(refusal) => return Ok(Err(format!("they are no lines of JSON: {refusal}"))),
        Ok(()) => {}
    }
    let Objects { names, seen, .. } = found;
    if let Some((name, _)) = names.iter().zip(&seen).find(|(_, seen)| seen.single && seen.set) {
        return Ok(Err(format!("the field {} is an array and a single value", show(name.as_bytes()))));
    }
    let named =
        |usual: &&str| names.iter().zip(&seen).position(|(name, seen)| name.eq_ignore_ascii_case(usual) && !seen.set);
    let Some(label) = LABELS.iter().find_map(named) else {
        return Ok(Err("no field is called label, class, target or y".into()));
    };
    let kind = |seen: &Seen| match seen {
        Seen { set: true, .. } => Kind::Set(HashMap::new()),
        Seen { number: true, first: None | Some(true), .. } => Kind::Number,
        _ => Kind::Category(HashMap::new()),
    };
    let all = names.iter().zip(&seen).enumerate().filter(|(at, _)| *at != label);
    let columns = all.map(|(_, (name, seen))| (name.clone(), kind(seen))).enumerate();
    let columns = columns.map(|(at, (name, kind))| Column { at, name, kind, missing: None }).collect();
    Ok(Ok(Format::Json { label: names[label].clone(), columns }))
}

/// The first value of a column tells whether it holds numbers.
fn settle<'f>(kinds: &mut [Option<bool>], fields: impl Iterator<Item = &'f [u8]>) {
    for (kind, field) in kinds.iter_mut().zip(fields) {
        if kind.is_none() && !is_gap(field) {
            *kind = Some(is_number(field));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(data: &str) -> String {
        match plain(data.as_bytes()).unwrap() {
            Err(why) => why,
            Ok(Format::Npy { .. }) => "npy".into(),
            Ok(Format::Libsvm { .. }) => "libsvm".into(),
            Ok(Format::Idx { .. }) => "idx".into(),
            Ok(Format::Json { label, columns }) => {
                let kind = |column: &Column| match column.kind {
                    Kind::Number => format!("{} n", column.name),
                    Kind::Set(_) => format!("{} s", column.name),
                    _ => format!("{} c", column.name),
                };
                format!("jsonl {label}: {}", columns.iter().map(kind).collect::<Vec<_>>().join(", "))
            }
            Ok(Format::Table { delimiter, header, label, columns }) => {
                let kind = |column: &Column| if matches!(column.kind, Kind::Number) { 'n' } else { 'c' };
                let kinds: String = columns.iter().map(kind).collect();
                format!("{:?} {} {label} {kinds}", delimiter as char, if header { "header" } else { "rows" })
            }
        }
    }

    #[test]
    fn formats_headers_labels_and_kinds() {
        assert_eq!(shown("+1 1:0.5 7:1\n-1\n"), "libsvm");
        assert_eq!(shown("# hi\n3 qid:1 1:2 # c\n"), "libsvm");
        assert_eq!(shown("0,0,0\n1,1,1\n"), "',' rows 2 nn");
        // One message of several is a number, and says nothing of the first.
        assert_eq!(shown("ham\tsee you\nspam\tbuy it\nham\t645\n"), "'\\t' rows 1 c");
        assert_eq!(shown("kind\ttext\nspam\t5\nham\tbuy it\n"), "'\\t' header 1 c");
        assert_eq!(shown("a,b,y\n0,0,0\n"), "',' header 2 nn");
        assert_eq!(shown("Class;b;c\r\n1,5;2;3\r\n"), "';' header 0 nn");
        assert_eq!(shown("a\tb, c\n1\t2, 3\n"), "'\\t' header 1 n");
        assert_eq!(shown("red,1,x\ngreen,2,y\n"), "',' rows 2 cn");
        assert_eq!(shown("red,x\ngreen,y\n"), "',' rows 1 c");
        assert_eq!(shown("h,y\na,b\n5,b\n"), "',' header 1 c", "a number anywhere makes the first record a header");
        assert_eq!(shown("?,-,1\n2,x,0\n"), "',' rows 2 nc");
        assert_eq!(shown("inf,1\n2,0\n"), "',' rows 1 n");
        assert_eq!(shown("1 |f 1:2\n"), "they look like Vowpal Wabbit's format, which has no certificates");
        assert_eq!(shown("1\n2\n"), "no tab, comma or semicolon divides their lines");
        assert_eq!(shown("a,b\n"), "they are one record without a number, or one field in each");
    }

    #[test]
    fn fields_of_objects() {
        let lines = concat!(
            "\u{feff}\n{\"x\": 1, \"Class\": \"a\", \"t\": [\"p\"], \"n\": null, \"o\": {\"k\": true}}\n",
            "{\"y\": 2, \"w\": \"5\", \"v\": [1, null], \"x\": null, \"m\": \"-\"}\n{\"m\": \"u\", \"t\": []}\n{\"m\": 7}",
        );
        assert_eq!(shown(lines), "jsonl Class: x n, t s, o.k c, y n, w c, v.1 n, m c");
        assert_eq!(shown("{\"label\": 1}\n{\"label\": [\"x\"]}"), "the field \"label\" is an array and a single value");
        assert_eq!(shown("{\"x\": 1}"), "no field is called label, class, target or y");
        assert_eq!(shown("\0\0\u{8}\u{1}"), "idx");
        assert!(shown("{\"y\": 1, \"x\": [1, true]}").contains("the array \"x\" holds more than"));
    }
}
