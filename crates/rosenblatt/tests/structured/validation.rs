//! Held-back sentences: the record equals trainings of every length, and patience keeps the best pass.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use proptest::prelude::*;
use rosenblatt::io::Input;
use rosenblatt::learn::Stop;
use rosenblatt::random::Stream;
use rosenblatt::structured::read::{SequenceOptions, Tags};
use rosenblatt::structured::template::parse;
use rosenblatt::structured::{
    Constrain, Corpus, FittedTagger, HeldSentences, Scheme, Tagger, TaggerTrainer, TaggerWith,
};
use rosenblatt::{ErrorKind, Result};

use crate::common::cases;

/// Sentences whose tags follow from the words, up to noise; chunks if asked for.
fn text(sentences: usize, seed: u64, chunks: bool) -> String {
    let mut stream = Stream::new(seed, &[]);
    let mut text = String::new();
    for _ in 0..sentences {
        let mut open = false;
        for _ in 0..1 + stream.below(6) {
            let word = stream.below(9);
            let noise = stream.below(5) == 0;
            let inside = (word < 5) != noise;
            let tag = match (chunks, inside, open) {
                (true, true, false) => "B-X",
                (true, true, true) => "I-X",
                (true, false, _) => "O",
                (false, true, _) => "N",
                (false, false, _) => "V",
            };
            open = inside;
            writeln!(text, "w{word} {tag}").unwrap();
        }
        text.push('\n');
    }
    text
}

fn read(trainer: &TaggerTrainer, text: &str) -> Corpus {
    trainer.read(&Input::memory("m.conll", text), &SequenceOptions::default()).unwrap()
}

fn fit(trainer: &TaggerTrainer, text: &str, held: HeldSentences<'_>, patience: Option<u32>) -> Result<FittedTagger> {
    trainer.fit_with(read(trainer, text), TaggerWith { held: Some(held), patience, ..TaggerWith::default() })
}

/// Wrong tokens, as `evaluate` counts them.
fn wrong(tagger: &Tagger, text: &str) -> u64 {
    let input = Input::memory("m.conll", text);
    let evaluation = tagger.evaluate(&mut tagger.open(&input, Tags::Needed).unwrap(), None).unwrap();
    (evaluation.tokens as f64 * (1.0 - evaluation.token_accuracy)).round() as u64
}

/// The dictionary, in order of the words.
fn words(tagger: &Tagger) -> BTreeMap<Vec<u8>, u32> {
    tagger.dictionary.words.iter().map(<[u8]>::to_vec).zip(tagger.dictionary.tags.iter().copied()).collect()
}

fn trainers() -> Vec<(bool, TaggerTrainer)> {
    let plain = TaggerTrainer { epochs: 6, ..TaggerTrainer::default() };
    let second = Some(parse("t", "word[-1..1]\ntag[-1] word\ntag[-2] tag[-1]\n").unwrap());
    vec![
        (false, plain.clone()),
        (false, TaggerTrainer { averaged: false, dictionary: Some(3), templates: second, ..plain.clone() }),
        (true, TaggerTrainer { constrain: Constrain::Found, ..plain.clone() }),
        (true, TaggerTrainer { encode: Some(Scheme::Iobes), ..plain }),
    ]
}

#[test]
fn the_record_equals_trainings_of_every_length() {
    for (chunks, trainer) in trainers() {
        let (train, held) = (text(40, 1, chunks), text(25, 2, chunks));
        let input = Input::memory("held.conll", held.clone());
        let watched = fit(&trainer, &train, HeldSentences::File(&input), None).unwrap().tagger;
        let record = watched.facts.validation.clone().unwrap();
        assert_eq!((record.kept, record.wrong_by_epoch.len()), (6, 6), "noise is not separated");
        assert_eq!(record.examples, held.lines().filter(|line| !line.is_empty()).count() as u64, "tokens");
        for k in 0..6 {
            let short = TaggerTrainer { epochs: k as u32 + 1, ..trainer.clone() };
            let short = short.fit(read(&short, &train), &mut ()).unwrap();
            assert_eq!(record.wrong_by_epoch[k], wrong(&short, &held), "pass {}", k + 1);
            assert_eq!(record.train_wrong_by_epoch[k], wrong(&short, &train), "pass {}", k + 1);
        }
        let silent = trainer.fit(read(&trainer, &train), &mut ()).unwrap();
        assert_eq!(watched.weights, silent.weights, "validation does not change training");

        let patient = fit(&trainer, &train, HeldSentences::File(&input), Some(2)).unwrap().tagger;
        let kept = patient.facts.validation.clone().unwrap();
        let passes = kept.wrong_by_epoch.len();
        assert_eq!(kept.wrong_by_epoch, record.wrong_by_epoch[..passes]);
        let best = kept.wrong_by_epoch.iter().min().unwrap();
        assert_eq!(kept.kept as usize, kept.wrong_by_epoch.iter().position(|w| w == best).unwrap() + 1);
        if patient.facts.stopped == Stop::NoProgress {
            assert_eq!(passes - kept.kept as usize, 2);
        }
        let short = TaggerTrainer { epochs: kept.kept, ..trainer.clone() };
        assert_eq!(patient.weights, short.fit(read(&short, &train), &mut ()).unwrap().weights, "the best pass");
        assert_eq!(Some(patient.facts.validated().unwrap().error.unwrap()), kept.error());
        let bytes = patient.to_bytes();
        let back = Tagger::from_bytes("m", &bytes).unwrap();
        assert_eq!((back.to_bytes(), back), (bytes, patient));
    }
}

proptest! {
    #![proptest_config(cases(30))]

    /// A share that is held back is not learned from: the rest of the file alone gives the same tagger.
    #[test]
    fn a_share_is_not_learned_from(seed in 0u64..1000, share in 0.1f64..0.9, which in 0usize..4) {
        let (chunks, trainer) = trainers().swap_remove(which);
        let whole = text(30, seed, chunks);
        let sentences: Vec<&str> = whole.split_terminator("\n\n").collect();
        let held = fit(&trainer, &whole, HeldSentences::Share(share, seed), None).unwrap().tagger;
        let record = held.facts.validation.clone().unwrap();
        prop_assert_eq!(held.facts.sentences as usize, 30 - (30.0 * share).floor() as usize);
        prop_assert_eq!(held.facts.tokens + record.examples, whole.lines().filter(|l| !l.is_empty()).count() as u64);
        // The split, drawn again.
        let mut order: Vec<usize> = (0..30).collect();
        Stream::new(seed, &[]).shuffle(&mut order);
        let apart = &order[..(30.0 * share).floor() as usize];
        let part = |inside: bool| -> String {
            let own = sentences.iter().enumerate().filter(|(i, _)| apart.contains(i) == inside);
            own.map(|(_, sentence)| format!("{sentence}\n\n")).collect()
        };
        let (rest, apart) = (part(false), part(true));
        let Ok(alone) = trainer.read(&Input::memory("m.conll", rest.clone()), &SequenceOptions::default()) else {
            return Ok(());
        };
        let Ok(alone) = trainer.fit(alone, &mut ()) else { return Ok(()) };
        if alone.labels == held.labels && alone.scheme == held.scheme && alone.written == held.written {
            prop_assert_eq!(crate::tagger::weights(&alone), crate::tagger::weights(&held));
            prop_assert_eq!(words(&alone), words(&held));
            prop_assert_eq!(record.wrong_by_epoch.last().copied(), Some(wrong(&alone, &apart)));
            prop_assert_eq!(record.train_wrong_by_epoch.last().copied(), Some(wrong(&alone, &rest)));
        }
    }
}

#[test]
fn unknown_tags_are_wrong_and_bad_shares_are_refused() {
    let trainer = TaggerTrainer { epochs: 50, ..TaggerTrainer::default() };
    let train = "a X\nb Y\n\nb Y\n\n";
    let held = Input::memory("held.conll", "a X\nb Z\n\n");
    let record = fit(&trainer, train, HeldSentences::File(&held), None).unwrap().tagger.facts.validation.unwrap();
    assert_eq!((record.examples, record.wrong_by_epoch.last()), (2, Some(&1)));
    let chunks = TaggerTrainer { encode: Some(Scheme::Iobes), ..trainer.clone() };
    let held = Input::memory("held.conll", "a O\nb B-Q\n\n");
    let record = fit(&chunks, "a O\nb B-X\n\nb B-X\n\n", HeldSentences::File(&held), None)
        .unwrap()
        .tagger
        .facts
        .validation
        .unwrap();
    assert_eq!(record.wrong_by_epoch.last(), Some(&1), "an unknown type");
    let refused = |held: HeldSentences<'_>| {
        let error = fit(&trainer, train, held, None).unwrap_err();
        (error.kind(), error.to_string())
    };
    for share in [0.0, 1.0, -1.0, f64::NAN] {
        assert_eq!(refused(HeldSentences::Share(share, 1)).0, ErrorKind::Settings, "{share}");
    }
    assert!(refused(HeldSentences::Share(0.1, 1)).1.contains("of 2 sentences none would be held back"));
    let empty = Input::memory("held.conll", "\n\n");
    assert!(refused(HeldSentences::File(&empty)).1.starts_with("held.conll: "), "the file that is wrong");
    let untagged = Input::memory("held.conll", "a\n\n");
    assert!(refused(HeldSentences::File(&untagged)).1.starts_with("held.conll: "));
}
