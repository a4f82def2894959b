//! The words of a text in one buffer, in lower case: letters of ASCII by a table, without a branch for each; all others as
//! [`each_word`](super::tokens::each_word) has them.

use super::row_hasher::PADDING;
use super::tokens::the_words;
use crate::error::{Error, Result};
use crate::limits;

/// The longest text whose places are numbers of 32 bits.
const MOST_BYTES: usize = 1 << 30;

/// The words of a text in lower case, one after the other with a space behind each.
#[derive(Debug, Default)]
pub(crate) struct WordsOf {
    /// The words, and as many bytes behind the last as are read with it.
    bytes: Vec<u8>,
    /// The end of each word.
    ends: Vec<u32>,
    /// How many there are.
    count: usize,
}

impl WordsOf {
    /// The bytes, with some behind the last word, and the end of each word.
    pub(crate) fn parts(&self) -> (&[u8], &[u32]) {
        (&self.bytes, &self.ends[..self.count])
    }
}

/// What becomes of each byte of ASCII: a letter in lower case, a digit, an underscore; of any other, a space.
const LOWER: [u8; 256] = {
    let mut table = [b' '; 256];
    let mut byte = 0;
    while byte < 128u8 {
        if byte.is_ascii_alphanumeric() || byte == b'_' {
            table[byte as usize] = byte.to_ascii_lowercase();
        }
        byte += 1;
    }
    table
};

/// Finds the words of a text, which are those of [`each_word`](super::tokens::each_word). An error if there is no room for them.
pub(crate) fn words_of(text: &str, words: &mut WordsOf) -> Result<()> {
    /// In lower case, two bytes may become three.
    const WIDER: usize = 2;
    if text.len() > MOST_BYTES {
        return Err(Error::bad_data("a text of more than 1 GiB"));
    }
    let room = WIDER * text.len() + 1 + PADDING;
    if words.bytes.len() < room {
        let ends = (text.len() / 2 + 2).max(words.ends.len());
        let (more_bytes, more_ends) = (room - words.bytes.len(), ends - words.ends.len());
        limits::reserve(&mut words.bytes, more_bytes, &the_words)?;
        limits::reserve(&mut words.ends, more_ends, &the_words)?;
        words.bytes.resize(room, 0);
        words.ends.resize(ends, 0);
    }
    let (bytes, ends) = (&mut words.bytes[..], &mut words.ends[..]);
    let (source, mut next, mut at, mut count, mut within) = (text.as_bytes(), 0, 0, 0, false);
    while let Some(&byte) = source.get(next) {
        if byte >= 128 {
            let c = text[next..].chars().next().unwrap_or(' ');
            next += c.len_utf8();
            if c.is_alphanumeric() {
                for lower in c.to_lowercase() {
                    at += lower.encode_utf8(&mut bytes[at..]).len();
                }
                within = true;
                continue;
            }
        } else {
            next += 1;
        }
        // A letter is kept, and the one space behind a word, whose place ends it.
        let lower = LOWER[byte as usize];
        let letter = lower != b' ';
        (bytes[at], ends[count]) = (lower, at as u32);
        count += usize::from(within & !letter);
        at += usize::from(within | letter);
        within = letter;
    }
    if within {
        (bytes[at], ends[count]) = (b' ', at as u32);
        count += 1;
    }
    words.count = count;
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::map::tokens::each_word;

    proptest! {
        #[test]
        fn words_are_those_of_the_twin(texts in prop::collection::vec("([a-zA-Z_0-9]{0,5}|[ -~]|\\PC|[éÉßİKȺ\u{308}–]){0,40}", 1..4)) {
            let mut buffer = WordsOf::default();
            for text in &texts {
                words_of(text, &mut buffer).unwrap();
                let (bytes, ends) = buffer.parts();
                let mut start = 0;
                let mut found = Vec::new();
                for &end in ends {
                    found.push(String::from_utf8(bytes[start..end as usize].to_vec()).unwrap());
                    prop_assert_eq!(bytes[end as usize], b' ');
                    start = end as usize + 1;
                }
                let mut expected = Vec::new();
                each_word(text, &mut String::new(), |word| expected.push(word.to_string()));
                prop_assert_eq!(found, expected);
                prop_assert!(bytes.len() >= start + PADDING - 1);
            }
        }
    }
}
