//! JSON Lines: an object on each line, its values by the names of their fields.
//!
//! A value within an object has the names of both, with a point between; the numbers of an array have its name, a point and
//! their place from 1; an array of strings is a set. `null` is no value. A line is read whole, into a tree, and what the
//! reading does not name is passed over.

use std::collections::{HashMap, HashSet};

use crate::json::Reader;
use crate::reading::{Column, Kind};
use crate::refusal::{Checked, Refusal, show};

/// Arrays and objects within each other.
const DEPTH: usize = 100;

/// A value of JSON; a number is its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Node {
    Null,
    Truth(bool),
    Number(String),
    Text(String),
    List(Vec<Node>),
    /// In the order of the line; a key may come twice.
    Object(Vec<(String, Node)>),
}

/// What a field of an object holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Held {
    /// A number or a truth value as it is written, or a string.
    Single(String),
    Set(Vec<String>),
}

/// Visits the objects of a text with the lines where they stand. Blank lines are skipped.
pub(crate) fn each_object(data: &[u8], mut visit: impl FnMut(u64, Node) -> Checked<bool>) -> Checked<()> {
    let data = data.strip_prefix(b"\xef\xbb\xbf").unwrap_or(data);
    for (number, line) in (1..).zip(data.split(|&b| b == b'\n')) {
        if !line.trim_ascii().is_empty() && !visit(number, object(line, number)?)? {
            break;
        }
    }
    Ok(())
}

/// The object on a line, which holds nothing else.
fn object(line: &[u8], number: u64) -> Checked<Node> {
    let fault = |at: usize| Refusal::data(format!("line {number} is not one object of JSON: byte {} is wrong", at + 1));
    let text = std::str::from_utf8(line).map_err(|e| fault(e.valid_up_to()))?;
    let mut reader = Reader::new(text);
    reader.space();
    let read = if reader.peek() == Some(b'{') { value(&mut reader, 1) } else { None };
    reader.space();
    read.filter(|_| reader.peek().is_none()).ok_or_else(|| fault(reader.at))
}

/// The next value; `None` if there is none, or brackets are nested too deeply.
fn value(reader: &mut Reader<'_>, depth: usize) -> Option<Node> {
    reader.space();
    Some(match reader.peek()? {
        b'{' | b'[' if depth > DEPTH => return None,
        b'{' => Node::Object(members(reader, b'}', |reader| {
            reader.space();
            let key = reader.string().ok()?;
            if reader.pass(b':') { Some((key, value(reader, depth + 1)?)) } else { None }
        })?),
        b'[' => Node::List(members(reader, b']', |reader| value(reader, depth + 1))?),
        b'"' => Node::Text(reader.string().ok()?),
        b'-' | b'0'..=b'9' => Node::Number(number(reader)?),
        _ => {
            let words = [("true", Node::Truth(true)), ("false", Node::Truth(false)), ("null", Node::Null)];
            words.into_iter().find(|(word, _)| reader.word(word))?.1
        }
    })
}

/// What stands between brackets, divided by commas.
fn members<T>(
    reader: &mut Reader<'_>,
    close: u8,
    mut member: impl FnMut(&mut Reader<'_>) -> Option<T>,
) -> Option<Vec<T>> {
    let mut all = Vec::new();
    reader.at += 1;
    if reader.pass(close) {
        return Some(all);
    }
    loop {
        all.push(member(reader)?);
        if reader.pass(close) {
            return Some(all);
        }
        if !reader.pass(b',') {
            return None;
        }
    }
}

/// `-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?`
fn number(reader: &mut Reader<'_>) -> Option<String> {
    fn is(reader: &mut Reader<'_>, bytes: &[u8]) -> bool {
        let found = reader.peek().is_some_and(|b| bytes.contains(&b));
        reader.at += usize::from(found);
        found
    }
    fn digits(reader: &mut Reader<'_>) -> Option<()> {
        let from = reader.at;
        while is(reader, b"0123456789") {}
        (reader.at > from).then_some(())
    }
    let start = reader.at;
    is(reader, b"-");
    if !is(reader, b"0") {
        digits(reader)?;
    }
    if is(reader, b".") {
        digits(reader)?;
    }
    if is(reader, b"eE") {
        is(reader, b"+-");
        digits(reader)?;
    }
    Some(reader.since(start).to_string())
}

/// The fields that a reading names, each with its place, and those of one object.
#[derive(Debug)]
pub(crate) struct Objects<'r> {
    places: HashMap<&'r str, usize>,
    /// Which of them hold sets.
    sets: Vec<bool>,
    /// The objects and arrays that some of them are within.
    parents: HashSet<&'r str>,
    /// For each field what the last object holds.
    pub(crate) held: Vec<Option<Held>>,
    met: Vec<bool>,
    /// Fields of the data that the reading does not name, in order.
    pub(crate) others: Vec<String>,
    known: HashSet<String>,
}

impl<'r> Objects<'r> {
    /// The columns at their places, and the label behind them.
    pub(crate) fn new(columns: &'r [Column], label: &'r str) -> Self {
        let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).chain([label]).collect();
        let mut sets: Vec<bool> = columns.iter().map(|column| matches!(column.kind, Kind::Set(_))).collect();
        sets.push(false);
        let above = |name: &&'r str| -> Vec<&'r str> { name.match_indices('.').map(|(at, _)| &name[..at]).collect() };
        Objects {
            parents: names.iter().flat_map(above).collect(),
            held: vec![None; names.len()],
            met: vec![false; names.len()],
            places: (0..).zip(names).map(|(place, name)| (name, place)).collect(),
            sets,
            others: Vec::new(),
            known: HashSet::new(),
        }
    }

    /// Reads the fields of an object.
    pub(crate) fn read(&mut self, node: Node, line: u64) -> Checked<()> {
        self.held.iter_mut().for_each(|held| *held = None);
        self.met.iter_mut().for_each(|met| *met = false);
        self.walk("", node).map_err(|why| Refusal::data(format!("line {line}: {why}")))
    }

    fn walk(&mut self, above: &str, node: Node) -> Result<(), String> {
        let Node::Object(members) = node else { return Ok(()) };
        for (key, value) in members {
            let name = joined(above, &key);
            let named = self.places.contains_key(name.as_str());
            match value {
                Node::Object(_) | Node::List(_) if !named && !self.parents.contains(name.as_str()) => self.note(&name),
                Node::Object(_) => self.walk(&name, value)?,
                Node::List(list) => self.list(&name, list)?,
                single => self.single(&name, single)?,
            }
        }
        Ok(())
    }

    fn list(&mut self, name: &str, list: Vec<Node>) -> Result<(), String> {
        let place = self.places.get(name).copied();
        match elements(list).ok_or_else(|| mixed(name))? {
            Elements::Numbers(all) => {
                (1..).zip(all).try_for_each(|(i, number): (usize, _)| self.single(&format!("{name}.{i}"), number))
            }
            Elements::Strings(strings) => match place {
                Some(place) if self.sets[place] => {
                    self.once(place, name)?;
                    self.held[place] = Some(Held::Set(strings));
                    Ok(())
                }
                // An empty array may be one of numbers.
                Some(_) if strings.is_empty() => Ok(()),
                Some(_) => Err(format!("the field {} is an array of strings", show(name.as_bytes()))),
                None => {
                    if !strings.is_empty() {
                        self.note(name);
                    }
                    Ok(())
                }
            },
        }
    }

    fn single(&mut self, name: &str, value: Node) -> Result<(), String> {
        let Some(&place) = self.places.get(name) else {
            if value != Node::Null {
                self.note(name);
            }
            return Ok(());
        };
        self.once(place, name)?;
        self.held[place] = value.single().map(Held::Single);
        Ok(())
    }

    /// Refuses a second value of the same name.
    fn once(&mut self, place: usize, name: &str) -> Result<(), String> {
        match std::mem::replace(&mut self.met[place], true) {
            true => Err(format!("the field {} comes twice", show(name.as_bytes()))),
            false => Ok(()),
        }
    }

    fn note(&mut self, name: &str) {
        if self.known.insert(name.to_string()) {
            self.others.push(name.to_string());
        }
    }
}

impl Node {
    /// The text of a single value; `None` of `null`.
    pub(crate) fn single(self) -> Option<String> {
        match self {
            Node::Truth(truth) => Some(truth.to_string()),
            Node::Number(text) | Node::Text(text) => Some(text),
            Node::Null | Node::List(_) | Node::Object(_) => None,
        }
    }
}

/// The name of a value within an object.
pub(crate) fn joined(above: &str, key: &str) -> String {
    if above.is_empty() { key.to_string() } else { format!("{above}.{key}") }
}

pub(crate) fn mixed(name: &str) -> String {
    format!("the array {} holds more than numbers or more than strings", show(name.as_bytes()))
}

/// What an array holds.
pub(crate) enum Elements {
    /// Numbers and `null`, at least one.
    Numbers(Vec<Node>),
    /// Strings; there may be none.
    Strings(Vec<String>),
}

/// The elements of an array; `None` where it holds others, or both.
pub(crate) fn elements(list: Vec<Node>) -> Option<Elements> {
    if matches!(list.first(), Some(Node::Number(_) | Node::Null)) {
        let numbers = list.iter().all(|node| matches!(node, Node::Number(_) | Node::Null));
        return numbers.then_some(Elements::Numbers(list));
    }
    let text = |node| match node {
        Node::Text(text) => Some(text),
        _ => None,
    };
    list.into_iter().map(text).collect::<Option<Vec<String>>>().map(Elements::Strings)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(line: &str) -> Result<Vec<Option<Held>>, String> {
        let column = |(at, name, set): (usize, &str, bool)| Column {
            at,
            name: name.into(),
            kind: if set { Kind::Set(HashMap::new()) } else { Kind::Number },
            missing: None,
        };
        let columns = [(0, "a", false), (1, "b.c", false), (2, "v.2", false), (3, "s", true)].map(column);
        let mut objects = Objects::new(&columns, "label");
        let read = object(line.as_bytes(), 7).and_then(|node| objects.read(node, 7));
        read.map(|()| objects.held).map_err(|refusal| refusal.to_string())
    }

    #[test]
    fn values_have_the_names_of_their_fields() {
        let single = |text: &str| Some(Held::Single(text.into()));
        let set = |words: &[&str]| Some(Held::Set(words.iter().map(|word| word.to_string()).collect()));
        let line =
            r#" {"label": true, "a": -1.50e+3, "b": {"c": "x\u00e9", "d": [1, {}]}, "v": [1, 2.25], "s": ["p", "p"]} "#;
        assert_eq!(
            read(line).unwrap(),
            [single("-1.50e+3"), single("xé"), single("2.25"), set(&["p", "p"]), single("true")]
        );
        assert_eq!(
            read(r#"{"a": null, "b.c": 5, "s": [], "v": [], "z": [[true]]}"#).unwrap(),
            [None, single("5"), None, set(&[]), None]
        );
        assert_eq!(read(r#"{"a": []}"#).unwrap()[0], None);
    }

    #[test]
    fn faults_name_their_line() {
        for (line, why) in [
            (r#"{"a": 1, "a": 2}"#, "line 7: the field \"a\" comes twice"),
            (r#"{"b": {"c": 1}, "b.c": null}"#, "line 7: the field \"b.c\" comes twice"),
            (r#"{"a": ["x"]}"#, "line 7: the field \"a\" is an array of strings"),
            (r#"{"v": [1, "x"]}"#, "line 7: the array \"v\" holds more than numbers or more than strings"),
            (r#"{"a": 01}"#, "line 7 is not one object of JSON: byte 8 is wrong"),
            (r#"{"a": +1}"#, "line 7 is not one object of JSON: byte 7 is wrong"),
            (r#"{"a": 1} {}"#, "line 7 is not one object of JSON: byte 10 is wrong"),
            ("[1]", "line 7 is not one object of JSON: byte 1 is wrong"),
            (r#"{"a": NaN}"#, "line 7 is not one object of JSON: byte 7 is wrong"),
        ] {
            let got = read(line).unwrap_err();
            assert!(got.ends_with(why), "{line}: {got}");
        }
        let deep = format!("{{\"z\": {}{}}}", "[".repeat(101), "]".repeat(101));
        assert!(read(&deep).is_err());
    }

    proptest! {
        #[test]
        fn arbitrary_text_never_panics(line in r#"[\{\}\[\]",:\\ua0-9\.eE\-+ ntrls]{0,40}"#) {
            let _ = read(&line);
        }
    }
}
