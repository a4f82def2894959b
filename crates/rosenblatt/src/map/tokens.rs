//! Text as a bag of words: how many times a text holds each word, and each run of up to n words that follow each other.
//!
//! **A word** is a longest run of letters, digits and underscores, in lower case; one letter is a word too (`u` and `2`
//! matter in short messages). No stemming, no stop words. Runs of words are written with one space
//! between: `not good`. With characters, each word also has its parts ([`CharGrams`]), which are kept like words: their names
//! are no words.
//!
//! A run is found in a tree: from the run without its last word, along that word. So a run costs one lookup, and
//! strings are built only for the names.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use crate::error::Result;
use crate::limits;
use crate::message::Message;
use crate::rows::CharGrams;

/// No feature, no run.
const NONE: u32 = u32::MAX;

/// Calls `f` for each word of a text.
pub(crate) fn each_word(text: &str, word: &mut String, mut f: impl FnMut(&str)) {
    word.clear();
    for c in text.chars() {
        if c.is_ascii() {
            if c.is_ascii_alphanumeric() || c == '_' {
                word.push(c.to_ascii_lowercase());
                continue;
            }
        } else if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
            continue;
        }
        if !word.is_empty() {
            f(word);
            word.clear();
        }
    }
    if !word.is_empty() {
        f(word);
        word.clear();
    }
}

/// Calls `f` with the name of each run of up to `longest` words of a text, and of each part of a word, with repetitions: the
/// features of a text column, as `Grams` has them.
///
/// ```
/// let mut runs = Vec::new();
/// rosenblatt::map::each_run("Not good, not", 2, None, |run| runs.push(run.to_string()));
/// assert_eq!(runs, ["not", "not good", "good", "good not", "not"]);
/// ```
pub fn each_run(text: &str, longest: u32, chars: Option<CharGrams>, mut f: impl FnMut(&str)) {
    // Words with one space between them, and where each begins and ends.
    let (mut all, mut places) = (String::with_capacity(text.len()), Vec::new());
    let (mut within, mut part) = (String::new(), String::new());
    each_word(text, &mut String::new(), |word| {
        if let Some(chars) = chars {
            chars.each(&mut within, &mut part, word, &mut f);
        }
        if !all.is_empty() {
            all.push(' ');
        }
        places.push((all.len(), all.len() + word.len()));
        all.push_str(word);
    });
    for (i, &(start, _)) in places.iter().enumerate() {
        places[i..].iter().take(longest as usize).for_each(|&(_, end)| f(&all[start..end]));
    }
}

/// The runs of a text column, each with a number: from training, or from a model.
#[derive(Debug, Default)]
pub(crate) struct Grams {
    longest: usize,
    chars: Option<CharGrams>,
    words: HashMap<Box<str>, u32>,
    /// From a run and one more word to the longer run.
    longer: HashMap<u64, u32, BuildHasherDefault<Mixed>>,
    /// Each run but its last word, and its last word; a word alone has no run before it.
    steps: Vec<(u32, u32)>,
    /// The parts of each word whose parts were found.
    parts: HashMap<u32, Box<[u32]>, BuildHasherDefault<Mixed>>,
    scratch: TextScratch,
}

/// Buffers for the words of a text.
#[derive(Debug, Default)]
pub(crate) struct TextScratch {
    words: Vec<u32>,
    word: String,
    /// Parts of words.
    parts: Vec<u32>,
    within: String,
    part: String,
    /// Runs and features of the current text, for callers.
    pub(crate) runs: Vec<u32>,
    pub(crate) found: Vec<u32>,
}

impl Grams {
    /// Runs of up to `longest` words, and the parts of words; none yet.
    pub(crate) fn new(longest: u32, chars: Option<CharGrams>) -> Self {
        Grams { longest: longest as usize, chars, ..Grams::default() }
    }

    /// The number of known runs.
    pub(crate) fn len(&self) -> usize {
        self.steps.len()
    }

    fn add_word(&mut self, word: &str) -> Result<u32> {
        match self.words.get(word) {
            Some(&id) => Ok(id),
            None => {
                limits::reserve_keys(&mut self.words, 1, &the_words)?;
                let id = self.add_step(NONE, NONE)?;
                self.words.insert(word.into(), id);
                Ok(id)
            }
        }
    }

    /// The number of a word as it stands, a new one if it is new. An error if there is no room for it.
    pub(crate) fn learn_word(&mut self, word: &str) -> Result<u32> {
        self.add_word(word)
    }

    /// The number of a word as it stands.
    pub(crate) fn find_word(&self, word: &str) -> Option<u32> {
        self.words.get(word).copied()
    }

    fn add_step(&mut self, before: u32, last: u32) -> Result<u32> {
        limits::reserve(&mut self.steps, 1, &the_words)?;
        let id = self.steps.len() as u32;
        // The letters of words are counted as they come.
        if id.is_multiple_of(CHECKED) {
            limits::check()?;
        }
        self.steps.push((before, last));
        Ok(id)
    }

    fn add_longer(&mut self, before: u32, last: u32) -> Result<u32> {
        let key = u64::from(before) << 32 | u64::from(last);
        match self.longer.get(&key) {
            Some(&id) => Ok(id),
            None => {
                limits::reserve_keys(&mut self.longer, 1, &the_words)?;
                let id = self.add_step(before, last)?;
                self.longer.insert(key, id);
                Ok(id)
            }
        }
    }

    /// Appends the runs of a text to `runs`, with repetitions; new ones are added. An error if there is no room for them.
    pub(crate) fn learn(&mut self, text: &str, runs: &mut Vec<u32>) -> Result<()> {
        let mut scratch = std::mem::take(&mut self.scratch);
        let TextScratch { words, word, within, part, .. } = &mut scratch;
        words.clear();
        let mut refused = None;
        each_word(text, word, |word| {
            if refused.is_none() {
                let id = limits::reserve(words, 1, &the_words).and_then(|()| self.add_word(word));
                match id.and_then(|id| self.learn_parts(id, word, (within, part), runs).map(|()| id)) {
                    Ok(id) => words.push(id),
                    Err(error) => refused = Some(error),
                }
            }
        });
        if let Some(error) = refused {
            return Err(error);
        }
        limits::reserve(runs, words.len().saturating_mul(self.longest), &the_words)?;
        for (i, &first) in words.iter().enumerate() {
            let mut run = first;
            runs.push(run);
            for &last in words[i + 1..].iter().take(self.longest - 1) {
                run = self.add_longer(run, last)?;
                runs.push(run);
            }
        }
        self.scratch = scratch;
        Ok(())
    }

    /// Appends the parts of a word to `runs`; new ones are added.
    fn learn_parts(
        &mut self,
        id: u32,
        word: &str,
        (within, part): (&mut String, &mut String),
        runs: &mut Vec<u32>,
    ) -> Result<()> {
        let Some(chars) = self.chars else { return Ok(()) };
        if !self.parts.contains_key(&id) {
            let (mut parts, mut refused) = (Vec::new(), None);
            chars.each(within, part, word, |name| match self.add_word(name) {
                Ok(part) => parts.push(part),
                Err(error) => refused = refused.take().or(Some(error)),
            });
            if let Some(error) = refused {
                return Err(error);
            }
            limits::reserve_keys(&mut self.parts, 1, &the_words)?;
            self.parts.insert(id, parts.into());
        }
        let parts = &self.parts[&id];
        limits::reserve(runs, parts.len(), &the_words)?;
        runs.extend_from_slice(parts);
        Ok(())
    }

    /// Removes all runs.
    pub(crate) fn clear(&mut self) {
        self.words.clear();
        self.longer.clear();
        self.steps.clear();
        self.parts.clear();
    }

    /// Adds the runs of a later part of the texts; returns the number of each.
    pub(crate) fn join(&mut self, later: &Grams) -> Result<Vec<u32>> {
        let mut words = vec![""; later.len()];
        later.words.iter().for_each(|(word, &id)| words[id as usize] = word);
        let mut numbers: Vec<u32> = Vec::with_capacity(later.len());
        for (word, &(before, last)) in words.iter().zip(&later.steps) {
            // A run comes behind the shorter one and behind its last word.
            numbers.push(match last {
                NONE => self.add_word(word)?,
                _ => self.add_longer(numbers[before as usize], numbers[last as usize])?,
            });
        }
        Ok(numbers)
    }

    /// Collects the runs of a text in the buffer, with repetitions; unknown ones are skipped.
    pub(crate) fn find(&self, text: &str, scratch: &mut TextScratch) {
        let TextScratch { words, word, runs, within, part, parts, .. } = scratch;
        words.clear();
        runs.clear();
        parts.clear();
        each_word(text, word, |word| {
            let id = self.words.get(word).copied().unwrap_or(NONE);
            words.push(id);
            match (self.chars, self.parts.get(&id)) {
                (None, _) => {}
                (Some(_), Some(known)) => parts.extend_from_slice(known),
                (Some(chars), None) => {
                    chars.each(within, part, word, |name| parts.extend(self.words.get(name)));
                }
            }
        });
        runs.append(parts);
        for (i, &first) in words.iter().enumerate() {
            let mut run = first;
            for &last in words[i + 1..].iter().take(self.longest - 1) {
                if run == NONE {
                    break;
                }
                runs.push(run);
                let key = u64::from(run) << 32 | u64::from(last);
                run = self.longer.get(&key).copied().unwrap_or(NONE);
            }
            if run != NONE {
                runs.push(run);
            }
        }
    }

    /// The name of each run in the order of their names, and the place of each there. An error if there is no room for
    /// them.
    pub(crate) fn sorted(&self) -> Result<(Vec<String>, Vec<u32>)> {
        limits::room_for::<([u32; MAX_NGRAMS + 3], &str, String)>(self.len() as u128, the_words)?;
        // A space sorts before all characters of words, so names sort as their lists of words do.
        let mut words: Vec<(&str, u32)> = self.words.iter().map(|(word, &id)| (&**word, id)).collect();
        words.sort_unstable();
        let mut rank = vec![0; self.len()];
        let mut text = vec![""; self.len()];
        for (place, (word, id)) in (0..).zip(&words) {
            (rank[*id as usize], text[*id as usize]) = (place, *word);
        }
        let mut lists: Vec<([u32; MAX_NGRAMS], u32)> = (0..self.len() as u32)
            .map(|id| {
                let (mut list, mut at, mut run) = ([0; MAX_NGRAMS], self.length(id), id);
                while at > 0 {
                    at -= 1;
                    let (before, last) = self.steps[run as usize];
                    list[at] = 1 + rank[if last == NONE { run } else { last } as usize];
                    run = before;
                }
                (list, id)
            })
            .collect();
        lists.sort_unstable();
        let mut places = vec![0; lists.len()];
        let mut names = Vec::with_capacity(lists.len());
        for (place, (list, id)) in (0..).zip(lists) {
            places[id as usize] = place;
            let words = list.iter().take_while(|&&rank| rank > 0).map(|&rank| words[rank as usize - 1].0);
            names.push(words.collect::<Vec<_>>().join(" "));
            // The letters are counted as they come.
            if place % CHECKED == 0 {
                limits::check()?;
            }
        }
        Ok((names, places))
    }

    fn length(&self, mut run: u32) -> usize {
        let mut length = 0;
        while run != NONE {
            length += 1;
            run = self.steps[run as usize].0;
        }
        length
    }

    /// The tree of a model's runs, and the place among `names` of each run of the tree, if it has one.
    pub(crate) fn from_names(
        longest: u32,
        chars: Option<CharGrams>,
        names: &[String],
    ) -> Result<(Self, Vec<Option<u32>>)> {
        let mut grams = Grams::new(longest, chars);
        let mut places = Vec::new();
        for (place, name) in (0..).zip(names) {
            let mut run = NONE;
            // Words of sets may hold spaces, and are never part of a run.
            let between = if longest == 1 { '\0' } else { ' ' };
            for word in name.split(between) {
                let id = grams.add_word(word)?;
                run = if run == NONE { id } else { grams.add_longer(run, id)? };
            }
            places.resize(grams.len(), None);
            places[run as usize] = Some(place);
        }
        if let Some(chars) = chars {
            let (mut within, mut part) = (String::new(), String::new());
            for (word, &id) in grams.words.iter().filter(|(word, _)| !chars.names(word)) {
                let mut parts = Vec::new();
                chars.each(&mut within, &mut part, word, |name| parts.extend(grams.words.get(name)));
                limits::reserve_keys(&mut grams.parts, 1, &the_words)?;
                grams.parts.insert(id, parts.into());
            }
        }
        Ok((grams, places))
    }
}

/// After so many words the limits are asked.
const CHECKED: u32 = 1 << 14;

pub(super) fn the_words() -> Message {
    "the words of a text column".into()
}

/// The longest run of words.
pub(crate) const MAX_NGRAMS: usize = 5;

/// A hash of one number: its bits mixed until each depends on all (the end of SplitMix64).
#[derive(Default)]
struct Mixed(u64);

impl Hasher for Mixed {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&b| self.write_u64(u64::from(b)));
    }

    fn write_u64(&mut self, n: u64) {
        let mut z = self.0 ^ n;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        self.0 = z ^ (z >> 31);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn words(text: &str) -> Vec<String> {
        let mut all = Vec::new();
        each_word(text, &mut String::new(), |word| all.push(word.to_string()));
        all
    }

    /// The naive twin: all runs of words, put together as text, and of characters.
    fn twin(text: &str, longest: usize, chars: Option<(usize, usize)>) -> Vec<String> {
        let words = words(text);
        let mut all: Vec<String> =
            (1..=longest).flat_map(|n| words.windows(n).map(|w| w.join(" ")).collect::<Vec<_>>()).collect();
        let (least, most) = chars.unwrap_or((1, 0));
        for written in words.iter().map(|word| format!("<{word}>").chars().collect::<Vec<char>>()) {
            for n in least..=most {
                let runs: Vec<String> = written.windows(n).map(|run| run.iter().collect()).collect();
                let inner = |run: String| if run.contains(['<', '>']) { run } else { format!("~{run}") };
                all.extend(runs.into_iter().filter(|run| run != "<" && run != ">").map(inner));
            }
        }
        all.sort();
        all
    }

    fn named(grams: &Grams, runs: &[u32]) -> Vec<String> {
        let (names, places) = grams.sorted().unwrap();
        let mut all: Vec<String> = runs.iter().map(|&run| names[places[run as usize] as usize].clone()).collect();
        all.sort();
        all
    }

    #[test]
    fn what_a_word_is() {
        assert_eq!(words("Free entry, 2 a_wkly comp!"), ["free", "entry", "2", "a_wkly", "comp"]);
        assert_eq!(words("ÜBER straße – İ"), ["über", "straße", "i\u{307}"]);
        assert_eq!(words("don't  \t\n"), ["don", "t"]);
        assert!(words(" .,;").is_empty());
    }

    proptest! {
        #[test]
        fn runs_agree_with_the_twin(
            texts in prop::collection::vec("[abA .]{0,12}", 1..6),
            other in "[abc ]{0,12}",
            longest in 1u32..4,
            lengths in prop::option::of((1usize..4, 0usize..3)),
        ) {
            let lengths = lengths.map(|(least, more)| (least, least + more));
            let chars = lengths.map(|(least, most)| CharGrams::new(least as u32, most as u32).unwrap());
            let mut grams = Grams::new(longest, chars);
            for text in &texts {
                let mut runs = Vec::new();
                grams.learn(text, &mut runs).unwrap();
                prop_assert_eq!(named(&grams, &runs), twin(text, longest as usize, lengths));
                let mut alone = Vec::new();
                each_run(text, longest, chars, |run| alone.push(run.to_string()));
                alone.sort();
                prop_assert_eq!(alone, twin(text, longest as usize, lengths));
            }
            let (names, _) = grams.sorted().unwrap();
            prop_assert!(names.is_sorted_by(|a, b| a < b), "{:?}", names);
            // A model names some of the runs; it finds those and no others.
            let some: Vec<String> = names.iter().step_by(2).cloned().collect();
            let (known, places) = Grams::from_names(longest, chars, &some).unwrap();
            for text in texts.iter().chain([&other]) {
                let mut scratch = TextScratch::default();
                known.find(text, &mut scratch);
                let mut found: Vec<String> =
                    scratch.runs.iter().filter_map(|&run| Some(some[places[run as usize]? as usize].clone())).collect();
                found.sort();
                let expected: Vec<String> =
                    twin(text, longest as usize, lengths).into_iter().filter(|run| some.contains(run)).collect();
                prop_assert_eq!(found, expected);
            }
        }
    }
}
