//! Small corpora: words with parts of speech, chunks, and attributes.

use std::fmt::Write;

use crate::data::Random;

/// Words, their parts of speech, and the chunk that a word of this kind begins.
const LEXICON: [(&str, &str, &str); 16] = [
    ("the", "DT", "NP"),
    ("a", "DT", "NP"),
    ("dog", "NN", "NP"),
    ("cats", "NNS", "NP"),
    ("Berlin", "NNP", "NP"),
    ("U.S.", "NNP", "NP"),
    ("1984", "CD", "NP"),
    ("well-known", "JJ", "NP"),
    ("saw", "VBD", "VP"),
    ("runs", "VBZ", "VP"),
    ("saw", "NN", "NP"),
    ("in", "IN", "PP"),
    ("of", "IN", "PP"),
    ("quickly", "RB", "ADVP"),
    (",", ",", ""),
    (".", ".", ""),
];

/// A sentence: the places of its words in the lexicon, and the tags of chunks (IOB2).
fn sentence(random: &mut Random) -> Vec<(usize, String)> {
    let mut inside = "";
    (0..2 + random.below(12))
        .map(|_| {
            let word = random.below(LEXICON.len() as u64) as usize;
            let chunk = LEXICON[word].2;
            let goes_on = chunk == inside && random.below(4) > 0;
            inside = chunk;
            let tag = match (chunk, goes_on) {
                ("", _) => "O".to_string(),
                (chunk, true) => format!("I-{chunk}"),
                (chunk, false) => format!("B-{chunk}"),
            };
            (word, tag)
        })
        .collect()
}

/// Word, part of speech, chunk.
pub fn conll(sentences: usize, seed: u64) -> String {
    let mut random = Random::new(seed);
    let mut text = String::new();
    for _ in 0..sentences {
        for (word, tag) in sentence(&mut random) {
            let (form, pos, _) = LEXICON[word];
            writeln!(text, "{form} {pos} {tag}").unwrap();
        }
        text.push('\n');
    }
    text
}

/// Ten columns, comments, a multi-word token and an empty node.
pub fn conllu(sentences: usize, seed: u64) -> String {
    let mut random = Random::new(seed);
    let mut text = String::new();
    for number in 0..sentences {
        writeln!(text, "# sent_id = {number}").unwrap();
        for (at, (word, _)) in sentence(&mut random).into_iter().enumerate() {
            let (form, xpos, chunk) = LEXICON[word];
            let upos = match chunk {
                "NP" => &xpos[..1],
                "" => "PUNCT",
                other => other,
            };
            if number % 5 == 0 && at == 0 {
                text.push_str("1-2\tthedog\t_\t_\t_\t_\t_\t_\t_\t_\n");
            }
            writeln!(text, "{}\t{form}\t{form}\t{upos}\t{xpos}\t_\t0\troot\t_\t_", at + 1).unwrap();
            if number % 7 == 0 && at == 1 {
                text.push_str("2.1\tnothing\t_\tX\tX\t_\t_\t_\t_\t_\n");
            }
        }
        text.push('\n');
    }
    text
}

/// The tag first, then attributes, some with values.
pub fn crfsuite(sentences: usize, seed: u64) -> String {
    let mut random = Random::new(seed);
    let mut text = String::new();
    for _ in 0..sentences {
        let words = sentence(&mut random);
        for (at, (word, tag)) in words.iter().enumerate() {
            let (form, pos, _) = LEXICON[*word];
            write!(text, "{tag}\tw={form}\tpos={pos}:0.5\tlen:{}", form.len()).unwrap();
            match at.checked_sub(1).map(|before| LEXICON[words[before].0].0) {
                Some(before) => writeln!(text, "\tbefore={before}\tat\\:{}", at % 3).unwrap(),
                None => text.push_str("\t__BOS__\n"),
            }
        }
        text.push('\n');
    }
    text
}

/// Templates of our own: pairs, functions, transitions of second order.
pub const TEMPLATES: &str = "columns word pos\nword[-1..1]\nlower(word[0]) pos[1]\nsuffix(word, 1..3)\nshape(word[0])\n\
                             has-hyphen(word)\nis-title(word)\nfirst\nbias\ntag[-1]\ntag[-2] tag[-1]\n";
