//! The scheme of a file's chunk tags, also where a few tags are wrong: a large file almost always has some.

use std::collections::BTreeMap;

use super::chain::FREE;
use super::scheme::{Scheme, are_chunk_tags, stray_tags};
use crate::io::count;

/// How often a tag follows another in a file, and the line of the first time. The start and the end of a sentence are
/// [`FREE`].
#[derive(Debug, Default)]
pub(super) struct Pairs(BTreeMap<(u32, u32), Seen>);

#[derive(Debug, Clone, Copy)]
struct Seen {
    times: u64,
    line: u64,
}

/// At most one in so many tags is a slip; more are another scheme.
const FEW: u64 = 50;
/// Wrong tags that are named.
const NAMED: usize = 3;

impl Pairs {
    /// Counts a pair in this line.
    pub(super) fn count(&mut self, before: u32, tag: u32, line: u64) {
        self.0.entry((before, tag)).or_insert(Seen { times: 0, line }).times += 1;
    }

    /// The scheme of the tags, and notes about those that are not valid in it: the first scheme in which all are valid, or the
    /// one with the fewest invalid tags, if they are few. Tags that are no chunk tags are left aside if most are.
    pub(super) fn scheme(&self, labels: &[String]) -> (Option<Scheme>, Vec<String>) {
        if !are_chunk_tags(labels.iter().map(String::as_str)) {
            return (None, Vec::new());
        }
        let stray = stray_tags(labels.iter().map(String::as_str));
        let is_stray = |tag: u32| labels.get(tag as usize).is_some_and(|tag| stray.contains(&tag.as_str()));
        let mut notes: Vec<String> = stray.iter().take(NAMED).map(|tag| self.note_of(labels, tag)).collect();
        let text = |tag: u32| labels.get(tag as usize).map(String::as_str);
        let invalid = |scheme: Scheme| -> Vec<(u32, u32, Seen)> {
            let among = self.0.iter().filter(|((before, tag), _)| !is_stray(*before) && !is_stray(*tag));
            let wrong = among.filter(|((before, tag), _)| !scheme.allows(text(*before), text(*tag)));
            wrong.map(|(&(before, tag), &seen)| (before, tag, seen)).collect()
        };
        let times = |pairs: &[(u32, u32, Seen)]| pairs.iter().map(|(_, _, seen)| seen.times).sum::<u64>();
        let each = Scheme::ALL.iter().map(|&scheme| (scheme, invalid(scheme)));
        let Some((scheme, wrong)) = each.min_by_key(|(_, pairs)| times(pairs)) else { return (None, notes) };
        let marks = self.0.iter().filter(|((_, tag), _)| text(*tag).is_some_and(|tag| tag != "O") && !is_stray(*tag));
        let marks: u64 = marks.map(|(_, seen)| seen.times).sum();
        if times(&wrong) * FEW > marks {
            return (None, notes);
        }
        let mut wrong = wrong;
        wrong.sort_by_key(|(_, _, seen)| seen.line);
        for (before, tag, seen) in wrong.iter().take(NAMED) {
            let name = |tag: u32, edge: &str| text(tag).map_or(edge.to_string(), str::to_string);
            let again =
                if seen.times > 1 { format!(", and {} more", times_in_words(seen.times - 1)) } else { String::new() };
            let (before, tag) = (name(*before, "the start of a sentence"), name(*tag, "the end of a sentence"));
            notes.push(format!(
                "line {}: {tag} after {before} is not valid in {}, as the other tags are{again}",
                seen.line,
                scheme.name()
            ));
        }
        if wrong.len() > NAMED {
            let others = times(&wrong[NAMED..]);
            notes.push(format!("{} of other tags that are not valid in {}", count(others, "more case"), scheme.name()));
        }
        (Some(scheme), notes)
    }

    /// Names a tag that is no chunk tag.
    fn note_of(&self, labels: &[String], stray: &str) -> String {
        let is_it = |tag: u32| labels.get(tag as usize).is_some_and(|tag| tag == stray);
        let seen: Vec<&Seen> = self.0.iter().filter(|((_, tag), _)| is_it(*tag)).map(|(_, seen)| seen).collect();
        let (times, line) = (seen.iter().map(|s| s.times).sum(), seen.iter().map(|s| s.line).min().unwrap_or(0));
        let (tokens, at) = (count(times, "token"), if times == 1 { "in" } else { "the first in" });
        format!("{tokens} with the tag {stray}, {at} line {line}: it is no chunk tag, as the others are")
    }
}

fn times_in_words(times: u64) -> String {
    if times == 1 { "once".to_string() } else { format!("{times} times") }
}

/// The tag of no token: the start and the end of a sentence.
pub(super) const EDGE: u32 = FREE;
