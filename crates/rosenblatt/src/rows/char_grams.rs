//! Character n-grams: parts of words, as fastText's subwords.
//!
//! A word is written between its boundaries, `<word>`. Its n-grams are the runs of `least` to `most` characters of that,
//! a lone boundary excepted: of `word` with 3..4 these are `<wo`, `<wor`, `wor`, `word`, `ord`, `ord>`, `rd>`.
//! In names, a run without a boundary stands behind a tilde, `~wor`, so that it is no word.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::message::Setting;

/// The most characters of an n-gram.
const MOST: u32 = 16;

/// How many characters n-grams have.
///
/// ```
/// let chars: rosenblatt::rows::CharGrams = "3..6".parse()?;
/// assert_eq!(chars.to_string(), "3..6");
/// # Ok::<(), rosenblatt::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "[u32; 2]", into = "[u32; 2]")]
pub struct CharGrams {
    least: u32,
    most: u32,
}

impl CharGrams {
    /// N-grams of `least` to `most` characters, with the boundaries of words.
    pub fn new(least: u32, most: u32) -> Result<Self> {
        if 1 <= least && least <= most && most <= MOST {
            return Ok(CharGrams { least, most });
        }
        let message = format!("expected two numbers from 1 to {MOST}, the smaller first, as in 3..6");
        Err(Error::setting(Setting::CharNgrams, format!("{least}..{most}"), message))
    }

    /// Calls `f` with the name of each n-gram of a word. The first two are buffers.
    pub(crate) fn each(self, within: &mut String, name: &mut String, word: &str, mut f: impl FnMut(&str)) {
        within.clear();
        within.push('<');
        within.push_str(word);
        within.push('>');
        let end = within.len();
        for (start, _) in within.char_indices() {
            let characters = (1..=self.most).zip(within[start..].char_indices());
            for (length, (at, character)) in characters {
                let stop = start + at + character.len_utf8();
                let bounded = start == 0 || stop == end;
                if length < self.least || (length == 1 && bounded) {
                    continue;
                }
                if bounded {
                    f(&within[start..stop]);
                } else {
                    name.clear();
                    name.push('~');
                    name.push_str(&within[start..stop]);
                    f(name);
                }
            }
        }
    }

    /// The most n-grams that a word may have.
    pub(crate) fn most_of(self, word: &str) -> usize {
        (word.len() + 2).saturating_mul((self.most - self.least + 1) as usize)
    }

    /// Whether this is the name of such an n-gram.
    pub(crate) fn names(self, name: &str) -> bool {
        let inside = name.strip_prefix('~');
        let bounded = name.starts_with('<') || name.ends_with('>');
        let characters = inside.unwrap_or(name).chars().count() as u32;
        inside.is_some() != bounded && !name.contains(' ') && (self.least..=self.most).contains(&characters)
    }
}

impl FromStr for CharGrams {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let (least, most) = text.split_once("..").unwrap_or((text, text));
        match (least.trim().parse(), most.trim().parse()) {
            (Ok(least), Ok(most)) => CharGrams::new(least, most),
            _ => {
                let message = "expected how many characters, from and to, as in 3..6";
                Err(Error::setting(Setting::CharNgrams, text, message))
            }
        }
    }
}

impl fmt::Display for CharGrams {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", self.least, self.most)
    }
}

impl TryFrom<[u32; 2]> for CharGrams {
    type Error = String;

    fn try_from([least, most]: [u32; 2]) -> std::result::Result<Self, String> {
        CharGrams::new(least, most).map_err(|_| format!("character n-grams of {least} to {most} characters"))
    }
}

impl From<CharGrams> for [u32; 2] {
    fn from(chars: CharGrams) -> Self {
        [chars.least, chars.most]
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn grams(word: &str, least: u32, most: u32) -> Vec<String> {
        let mut all = Vec::new();
        let chars = CharGrams::new(least, most).unwrap();
        chars.each(&mut String::new(), &mut String::new(), word, |name| all.push(name.to_string()));
        all
    }

    #[test]
    fn the_parts_of_a_word() {
        assert_eq!(grams("word", 3, 4), ["<wo", "<wor", "~wor", "~word", "~ord", "ord>", "rd>"]);
        assert_eq!(grams("ü", 1, 3), ["<ü", "<ü>", "~ü", "ü>"]);
        assert_eq!(grams("a", 4, 6), Vec::<String>::new());
    }

    #[test]
    fn what_is_refused() {
        for text in ["", "x", "0..3", "6..3", "3..17", "3..", "3-6"] {
            assert!(text.parse::<CharGrams>().is_err(), "{text}");
        }
        assert_eq!("4".parse::<CharGrams>().unwrap().to_string(), "4..4");
    }

    proptest! {
        /// The twin: all windows of the characters.
        #[test]
        fn as_the_twin_has_them(word in "[a-zü0_]{1,9}", least in 1u32..5, more in 0u32..4) {
            let written: Vec<char> = format!("<{word}>").chars().collect();
            let mut expected: Vec<String> = Vec::new();
            for n in least..=least + more {
                for (at, run) in written.windows(n as usize).enumerate() {
                    let text: String = run.iter().collect();
                    match at == 0 || at + n as usize == written.len() {
                        true if n == 1 => {}
                        true => expected.push(text),
                        false => expected.push(format!("~{text}")),
                    }
                }
            }
            let mut found = grams(&word, least, least + more);
            let chars = CharGrams::new(least, least + more).unwrap();
            prop_assert!(found.iter().all(|name| chars.names(name)) && !chars.names(&word));
            found.sort();
            expected.sort();
            prop_assert_eq!(found, expected);
        }
    }
}
