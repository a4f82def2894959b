//! How tags encode chunks: IOB1, IOB2, IOE1, IOE2 and IOBES; decoding as in conlleval, and encoding.
//!
//! A chunk is a run of tokens of one type. `O` is outside; `I-X` is inside a chunk of type X; and
//!
//! | scheme | marks | |
//! |---|---|---|
//! | IOB1 | `B-X` | the first token of a chunk right after another of the same type |
//! | IOB2 | `B-X` | the first token of every chunk |
//! | IOE1 | `E-X` | the last token of a chunk right before another of the same type |
//! | IOE2 | `E-X` | the last token of every chunk |
//! | IOBES | `B-X`, `E-X`, `S-X` | first, last, only token of every chunk (also written BILOU, with `L-X` and `U-X`) |
//!
//! Decoding accepts all of them (Tjong Kim Sang and Veenstra 1999; the shared task's conlleval), also invalid sequences.
//! Where conlleval defines nothing, as for `S`, a chunk ends after `E` and `S` and begins at `B` and `S`.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::named::named;

/// An encoding of chunks as tags.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scheme {
    /// `B-X` only between adjacent chunks of one type.
    Iob1,
    /// Every chunk begins with `B-X`.
    Iob2,
    /// `E-X` only between adjacent chunks of one type.
    Ioe1,
    /// Every chunk ends with `E-X`.
    Ioe2,
    /// First, last and only tokens are marked.
    Iobes,
}

/// The token's place in its chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Outside,
    Begin,
    Inside,
    End,
    Single,
}

/// A run of tokens of one type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Chunk<'a> {
    /// Its first token.
    pub start: usize,
    /// The token after its last.
    pub end: usize,
    /// Its type.
    pub kind: &'a str,
}

/// A tag's place and type; `None` if it is no chunk tag.
fn split(tag: &str) -> Option<(Place, &str)> {
    if tag == "O" {
        return Some((Place::Outside, ""));
    }
    let (mark, kind) = tag.split_once('-').unwrap_or((tag, ""));
    let place = match mark {
        "B" => Place::Begin,
        "I" => Place::Inside,
        "E" | "L" => Place::End,
        "S" | "U" => Place::Single,
        _ => return None,
    };
    Some((place, kind))
}

/// Whether a chunk ends between two tags.
fn ends(before: (Place, &str), tag: (Place, &str)) -> bool {
    use Place::{Begin, End, Inside, Outside, Single};
    match (before.0, tag.0) {
        (Outside, _) => false,
        (Single | End, _) => true,
        (Begin | Inside, Begin | Outside | Single) => true,
        (Begin | Inside, Inside | End) => before.1 != tag.1,
    }
}

/// Whether a chunk begins between two tags.
fn begins(before: (Place, &str), tag: (Place, &str)) -> bool {
    use Place::{Begin, End, Inside, Outside, Single};
    match (before.0, tag.0) {
        (_, Outside) => false,
        (_, Begin | Single) => true,
        (Outside | End | Single, Inside | End) => true,
        (Begin | Inside, Inside | End) => before.1 != tag.1,
    }
}

const NOTHING: (Place, &str) = (Place::Outside, "");

/// Whether a tag marks a chunk: a letter of BIESLU with a type behind a hyphen.
fn marks_chunk(tag: &str) -> bool {
    tag.split_once('-').is_some_and(|(_, kind)| !kind.is_empty()) && split(tag).is_some()
}

/// Whether distinct tags mark chunks: `O`, or a letter of BIESLU with a type behind a hyphen. Others are strays, if there are at
/// least twice as many that mark a chunk: one slip does not make a file of chunks another file.
pub fn are_chunk_tags<'a>(tags: impl IntoIterator<Item = &'a str>) -> bool {
    let tags: BTreeSet<&str> = tags.into_iter().collect();
    let marks = tags.iter().filter(|tag| marks_chunk(tag)).count();
    let stray = tags.iter().filter(|tag| **tag != "O").count() - marks;
    marks > 0 && marks >= 2 * stray
}

/// The distinct tags that are no chunk tags.
pub fn stray_tags<'a>(tags: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let tags: BTreeSet<&str> = tags.into_iter().collect();
    tags.into_iter().filter(|tag| *tag != "O" && !marks_chunk(tag)).collect()
}

/// The chunks of a sentence, as in conlleval. A tag that is no chunk tag is outside.
pub fn chunks<'a>(tags: &[&'a str]) -> Vec<Chunk<'a>> {
    let mut found = Vec::new();
    let mut open: Option<(usize, &str)> = None;
    let mut before = NOTHING;
    for (i, tag) in tags.iter().map(|tag| split(tag).unwrap_or(NOTHING)).chain([NOTHING]).enumerate() {
        if let Some((start, kind)) = open.filter(|_| ends(before, tag)) {
            found.push(Chunk { start, end: i, kind });
            open = None;
        }
        if begins(before, tag) {
            open = Some((i, tag.1));
        }
        before = tag;
    }
    found
}

// The most usual first.
named!(Scheme: Iob2 = "iob2", Iobes = "iobes", Iob1 = "iob1", Ioe2 = "ioe2", Ioe1 = "ioe1");

impl Scheme {
    /// Whether `tag` may follow `before`; `None` stands for the start and the end of a sentence.
    ///
    /// A tag that is no chunk tag counts as `O`.
    pub fn allows(self, before: Option<&str>, tag: Option<&str>) -> bool {
        use Place::{Begin, End, Inside, Outside, Single};
        fn read(tag: Option<&str>) -> (Place, &str) {
            tag.and_then(split).unwrap_or(NOTHING)
        }
        let ((first, kind_before), (second, kind)) = (read(before), read(tag));
        let same = kind_before == kind;
        let known = |place: Place| match self {
            Scheme::Iob1 | Scheme::Iob2 => matches!(place, Outside | Inside | Begin),
            Scheme::Ioe1 | Scheme::Ioe2 => matches!(place, Outside | Inside | End),
            Scheme::Iobes => true,
        };
        if !known(first) || !known(second) {
            return false;
        }
        match self {
            // A mark only between two adjacent chunks of one type.
            Scheme::Iob1 => second != Begin || (matches!(first, Begin | Inside) && same),
            Scheme::Ioe1 => first != End || (matches!(second, End | Inside) && same),
            Scheme::Iob2 => second != Inside || (matches!(first, Begin | Inside) && same),
            Scheme::Ioe2 => first != Inside || (matches!(second, End | Inside) && same),
            Scheme::Iobes => match first {
                Begin | Inside => matches!(second, Inside | End) && same,
                Outside | End | Single => matches!(second, Outside | Begin | Single),
            },
        }
    }

    /// Whether the tags of a sentence are valid in this scheme.
    pub fn holds(self, tags: &[&str]) -> bool {
        let before = std::iter::once(None).chain(tags.iter().map(|t| Some(*t)));
        let after = tags.iter().map(|t| Some(*t)).chain([None]);
        before.zip(after).all(|(before, tag)| self.allows(before, tag))
    }

    /// Encodes chunks, which must not overlap, as the tags of a sentence.
    pub fn write(self, chunks: &[Chunk<'_>], length: usize) -> Vec<String> {
        let mut tags = vec!["O".to_string(); length];
        for chunk in chunks {
            let touches = |other: &Chunk<'_>| other.kind == chunk.kind;
            let after = chunks.iter().any(|other| other.end == chunk.start && touches(other));
            let ahead = chunks.iter().any(|other| other.start == chunk.end && touches(other));
            for (i, tag) in tags.iter_mut().enumerate().take(chunk.end).skip(chunk.start) {
                let (first, last) = (i == chunk.start, i + 1 == chunk.end);
                let mark = match self {
                    Scheme::Iob1 if first && after => 'B',
                    Scheme::Iob2 if first => 'B',
                    Scheme::Ioe1 if last && ahead => 'E',
                    Scheme::Ioe2 if last => 'E',
                    Scheme::Iobes if first && last => 'S',
                    Scheme::Iobes if first => 'B',
                    Scheme::Iobes if last => 'E',
                    _ => 'I',
                };
                *tag = if chunk.kind.is_empty() { mark.to_string() } else { format!("{mark}-{}", chunk.kind) };
            }
        }
        tags
    }

    /// The tags of a sentence in this scheme, whatever scheme they were in.
    pub fn convert(self, tags: &[&str]) -> Vec<String> {
        self.write(&chunks(tags), tags.len())
    }
}
