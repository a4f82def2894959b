//! Batches of sentences: together they are one pass, wherever they are cut, and whether they are paused.

use rosenblatt::structured::chain::{Search, Update};
use rosenblatt::structured::read::Batch;
use rosenblatt::structured::template::parse;
use rosenblatt::structured::{Constrain, OnlineTagger, Scheme, Tagger, TaggerTrainer};
use rosenblatt::{ErrorKind, Order};

/// Sentences of (word, part of speech, tag).
type Sentence = &'static [(&'static str, &'static str, &'static str)];

const CHUNKS: [Sentence; 6] = [
    &[("the", "D", "B-NP"), ("dog", "N", "I-NP"), ("saw", "V", "O"), ("the", "D", "B-NP"), ("cät", "N", "I-NP")],
    &[("a", "D", "B-NP"), ("dog", "N", "I-NP"), ("ran", "V", "B-VP")],
    &[("he", "P", "B-NP"), ("ran", "V", "O")],
    &[("saw", "N", "B-NP"), ("a", "D", "B-NP"), ("dog", "V", "B-VP")],
    &[("ran", "N", "B-NP"), ("the", "D", "I-NP"), ("up", "V", "I-VP")],
    &[("up", "P", "B-PP"), ("the", "D", "B-NP"), ("dog", "N", "I-NP")],
];

/// As words with two columns, or as attributes.
fn batch(sentences: &[Sentence], columns: usize) -> Batch {
    let mut batch = Batch::default();
    for sentence in sentences {
        for (word, part, tag) in *sentence {
            if columns == 0 {
                batch.put(&format!("word={word}"));
                batch.put_valued(part, 0.5);
            } else {
                batch.put(word);
                batch.put(part);
            }
            batch.end_token(Some(tag));
        }
        batch.end_sentence();
    }
    batch
}

fn trainers() -> Vec<(TaggerTrainer, usize)> {
    let plain = TaggerTrainer { epochs: 1, order: Order::Cyclic, ..TaggerTrainer::default() };
    let second = parse("t", "word[0]\nword[-1] tag[-1]\ntag[-1]\ntag[-2] tag[-1]\n").unwrap();
    vec![
        (plain.clone(), 2),
        (plain.clone(), 0),
        (TaggerTrainer { averaged: false, ..plain.clone() }, 2),
        (TaggerTrainer { templates: Some(second), ..plain.clone() }, 2),
        (TaggerTrainer { search: Search::Beam { width: 2, update: Update::MaxViolation }, ..plain.clone() }, 2),
        (TaggerTrainer { constrain: Constrain::By(Scheme::Iob2), ..plain.clone() }, 2),
        (TaggerTrainer { encode: Some(Scheme::Iobes), ..plain }, 2),
    ]
}

fn learn(online: &mut OnlineTagger, sentences: &[Sentence], columns: usize) {
    assert_eq!(online.learn("the sentences", &batch(sentences, columns), columns, &mut ()).unwrap(), None);
}

#[test]
fn batches_are_one_pass_wherever_they_are_cut() {
    for (trainer, columns) in trainers() {
        let corpus = trainer.gather("the sentences", &batch(&CHUNKS, columns), columns).unwrap();
        let whole = trainer.fit(corpus, &mut ()).unwrap();
        for cut in 1..CHUNKS.len() {
            let mut online = OnlineTagger::new(trainer.clone(), &[] as &[&str]).unwrap();
            learn(&mut online, &CHUNKS[..cut], columns);
            learn(&mut online, &CHUNKS[cut..], columns);
            assert!(online.tagger().unwrap() == whole, "{trainer:?} cut at {cut}");
        }
    }
}

#[test]
fn a_paused_training_goes_on_the_same() {
    for (trainer, columns) in trainers() {
        let mut online = OnlineTagger::new(trainer.clone(), &["B-NP", "O"]).unwrap();
        learn(&mut online, &CHUNKS[..3], columns);
        let (parts, batches, encode) = online.state().unwrap();
        let read = parts.map(|tagger| Tagger::from_bytes("paused", &tagger.to_bytes()).unwrap());
        let mut again = OnlineTagger::resume(&read, batches, encode).unwrap();
        learn(&mut online, &CHUNKS[3..], columns);
        learn(&mut again, &CHUNKS[3..], columns);
        let (one, other) = (online.tagger().unwrap(), again.tagger().unwrap());
        assert_eq!(one.facts, other.facts);
        // Features that lost all weights are numbered anew: the same weights, in another order.
        let sorted = |tagger: &Tagger| {
            let mut all = tagger.strongest(usize::MAX);
            for tag in &mut all {
                for list in [&mut tag.supports, &mut tag.opposes] {
                    list.sort_by(|a, b| a.feature.cmp(&b.feature));
                }
            }
            all
        };
        assert_eq!(sorted(&one), sorted(&other), "{trainer:?}");
        assert_eq!(one.weights.transitions(), other.weights.transitions());
        assert_eq!(one.weights.second_order(), other.weights.second_order());
    }
}

#[test]
fn a_tagger_is_the_start_of_its_batches() {
    let trainer = TaggerTrainer { order: Order::Cyclic, ..TaggerTrainer::default() };
    let fitted = trainer.fit(trainer.gather("s", &batch(&CHUNKS[..5], 2), 2).unwrap(), &mut ()).unwrap();
    let mut online = OnlineTagger::from_tagger(trainer.clone(), &fitted).unwrap();
    assert_eq!(online.tagger().unwrap().weights, fitted.weights);
    // Sentences without a mistake leave it as it is.
    learn(&mut online, &CHUNKS[..1], 2);
    assert_eq!(online.progress().mistakes, 0);
    let same = online.tagger().unwrap();
    assert_eq!((&same.labels, same.strongest(9)), (&fitted.labels, fitted.strongest(9)));
    for _ in 0..5 {
        learn(&mut online, &CHUNKS, 2);
    }
    let after = online.tagger().unwrap();
    assert_eq!(after.tag(&[["up", "P"], ["the", "D"], ["dog", "N"]]), ["B-PP", "B-NP", "I-NP"]);
}

#[test]
fn what_needs_all_sentences_is_refused() {
    let plain = TaggerTrainer::default();
    for trainer in [
        TaggerTrainer { dictionary: Some(3), ..plain.clone() },
        TaggerTrainer { constrain: Constrain::Found, ..plain.clone() },
    ] {
        let error = OnlineTagger::new(trainer, &["A"]).err().unwrap();
        assert_eq!(error.kind(), ErrorKind::Settings);
        assert!(error.to_string().contains("needs all sentences at once"), "{error}");
    }
    let mut online = OnlineTagger::new(plain, &[] as &[&str]).unwrap();
    let mut say = |sentences: &[Sentence], columns: usize| {
        online.learn("the sentences", &batch(sentences, columns), columns, &mut ()).unwrap_err().to_string()
    };
    assert_eq!(
        say(&[&[("a", "D", "N")]], 1),
        "the sentences: every token so far has the tag \"N\": name all tags in the first batch"
    );
    assert_eq!(say(&[], 1), "the sentences: no sentences");
    assert!(online.tagger().is_err());
    learn(&mut online, &CHUNKS, 2);
    let error = online.learn("the sentences", &batch(&CHUNKS, 0), 0, &mut ()).unwrap_err().to_string();
    assert_eq!(error, "the sentences: all tokens are words, or all have attributes, in every batch");
}
