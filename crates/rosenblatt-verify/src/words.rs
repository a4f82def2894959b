//! A text as counts: how often it holds each word, and each run of up to N words that follow each other.
//!
//! A word is a longest run of letters, digits and underscores: characters with the Unicode property Alphabetic or of a
//! category Nd, Nl or No, and `_`. Each character is then mapped to lower case by itself, whatever its neighbours.
//! Runs of words are written with one space between.

use std::collections::HashMap;

/// The words of a text, in order.
fn words(text: &str) -> impl Iterator<Item = String> {
    let divides = |c: char| !(c.is_alphanumeric() || c == '_');
    text.split(divides).filter(|word| !word.is_empty()).map(|word| word.chars().flat_map(char::to_lowercase).collect())
}

/// How often a text holds each of the runs, in order of their places; a run that has no place is the error.
pub(crate) fn count(text: &str, longest: usize, runs: &HashMap<String, usize>) -> Result<Vec<(usize, i64)>, String> {
    let words: Vec<String> = words(text).collect();
    let mut found = Vec::new();
    for length in 1..=longest {
        for run in words.windows(length).map(|words| words.join(" ")) {
            found.push(*runs.get(&run).ok_or(run)?);
        }
    }
    found.sort_unstable();
    Ok(found.chunk_by(|a, b| a == b).map(|same| (same[0], same.len() as i64)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_word_is() {
        let all = |text| words(text).collect::<Vec<_>>();
        assert_eq!(all("Free entry, 2 a_wkly comp!"), ["free", "entry", "2", "a_wkly", "comp"]);
        assert_eq!(all("ÜBER straße – İ ΣΑΣ"), ["über", "straße", "i\u{307}", "σασ"]);
        assert!(all(" .,;").is_empty());
    }

    #[test]
    fn runs_are_counted() {
        let runs = ["b", "a", "a b", "b a"].iter().enumerate().map(|(i, r)| (r.to_string(), i)).collect();
        assert_eq!(count("A b a, B", 2, &runs), Ok(vec![(0, 2), (1, 2), (2, 2), (3, 1)]));
        assert_eq!(count("a a", 2, &runs), Err("a a".to_string()));
        assert_eq!(count("", 2, &runs), Ok(vec![]));
    }
}
