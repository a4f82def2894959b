//! Any bytes as sentences, in each format: refused in one line with a place, or a tagger that writes, reads and tags.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rosenblatt::io::Input;
use rosenblatt::structured::read::SequenceFormat;
use rosenblatt::{Error, SequenceOptions, Tagger, TaggerTrainer};

/// Longer inputs are only read.
const MOST_TO_LEARN: usize = 400;

fuzz_target!(|bytes: &[u8]| {
    let input = Input::memory("a\nfile", bytes);
    for format in [Some(SequenceFormat::Conll), Some(SequenceFormat::Conllu), Some(SequenceFormat::Crfsuite), None] {
        attempt(&input, &SequenceOptions { format, ..SequenceOptions::default() }, bytes.len() <= MOST_TO_LEARN);
    }
});

fn attempt(input: &Input, options: &SequenceOptions, learns: bool) {
    let trainer = TaggerTrainer { epochs: 1, ..TaggerTrainer::default() };
    let corpus = match trainer.read(input, options) {
        Ok(corpus) => corpus,
        Err(e) => return check_message(&e),
    };
    if !learns {
        return;
    }
    let tagger = match trainer.fit(corpus, &mut ()) {
        Ok(tagger) => tagger,
        Err(e) => return check_message(&e),
    };
    // What cannot be read again is refused.
    let written = match tagger.checked_bytes(false) {
        Ok(written) => written,
        Err(e) => return check_message(&e),
    };
    let again = Tagger::from_bytes("again", &written).expect("what was checked can be read");
    assert_eq!(again.to_bytes(), written);
    let sentence = [["a"; 10], ["b"; 10]];
    assert_eq!(again.tag(&sentence), tagger.tag(&sentence));
}

fn check_message(error: &Error) {
    let text = error.to_string();
    assert!(!text.contains(char::is_control), "{text:?}");
}
