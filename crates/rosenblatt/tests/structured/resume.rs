//! A tagger's training that is paused anywhere and resumed gives the same bytes; checkpoint files are checked.

use std::ops::ControlFlow;

use rosenblatt::fit::{Checkpoint, Now, Observer};
use rosenblatt::io::Input;
use rosenblatt::learn::{Progress, Stop};
use rosenblatt::structured::chain::{Chain, Search, Update};
use rosenblatt::structured::read::SequenceOptions;
use rosenblatt::structured::template::parse;
use rosenblatt::structured::{
    AnyCheckpoint, AnyModel, Constrain, Corpus, FittedTagger, HeldSentences, Perceptron, Scheme, Tagger,
    TaggerCheckpoint, TaggerTrainer, TaggerWith,
};
use rosenblatt::{ErrorKind, Order, Result, Table, Trainer};
use serde_json::{Value, json};

/// Wants checkpoints; stops after so many calls, or after so many passes.
struct Saver {
    calls: usize,
    passes: usize,
    saved: Vec<Vec<u8>>,
}

impl Saver {
    fn new(calls: usize, passes: usize) -> Self {
        Saver { calls, passes, saved: Vec::new() }
    }
}

impl Observer<Perceptron<Chain>> for Saver {
    fn stride(&self) -> usize {
        1
    }

    fn advanced(&mut self, _: &Now<'_, Perceptron<Chain>>) -> ControlFlow<Stop> {
        self.calls -= 1;
        if self.calls == 0 { ControlFlow::Break(Stop::Interrupted) } else { ControlFlow::Continue(()) }
    }

    fn pass_ended(&mut self, _: &Progress, _: &Perceptron<Chain>, _: &[u32]) -> Result<ControlFlow<Stop>> {
        self.passes -= 1;
        Ok(if self.passes == 0 { ControlFlow::Break(Stop::Interrupted) } else { ControlFlow::Continue(()) })
    }

    fn wants_checkpoints(&self) -> bool {
        true
    }

    fn checkpoint(&mut self, checkpoint: TaggerCheckpoint) -> Result<()> {
        self.saved.push(checkpoint.to_bytes());
        Ok(())
    }
}

const NEVER: usize = usize::MAX;

const CHUNKS: &str = "the D B-NP\ndog N I-NP\nsaw V O\nthe D B-NP\ncät N I-NP\n\na D B-NP\ndog N I-NP\nran V O\n\n\
                      he P B-NP\nran V O\n\nsaw N B-NP\na D B-NP\ndog V O\n\nran N B-NP\nthe D I-NP\nsaw V O\n\n";
const VALUES: &str = "A\tx:0.5\tz\nB\tx\n\nB\ty:2\nA\tz:0.25\n\nA\ty:0.5\nA\tx:2\n\n";

fn read(trainer: &TaggerTrainer, name: &str, text: &str) -> Corpus {
    trainer.read(&Input::memory(name, text), &SequenceOptions::default()).unwrap()
}

/// Every kind of setting: name of the file, its text, the trainer.
fn cases() -> Vec<(&'static str, &'static str, TaggerTrainer)> {
    let set = "word[-1..1]\nshape(word) pos[1]\nfirst\ntag[-1]\ntag[-1] pos\ntag[-2] tag[-1]\n";
    let plain = TaggerTrainer { epochs: 5, ..TaggerTrainer::default() };
    let rich = TaggerTrainer {
        templates: Some(parse("t", set).unwrap()),
        constrain: Constrain::Found,
        encode: Some(Scheme::Iobes),
        dictionary: Some(2),
        search: Search::Beam { width: 3, update: Update::Early },
        ..plain.clone()
    };
    let alone = Some(parse("t", "word\n").unwrap());
    vec![
        ("m.conll", CHUNKS, plain.clone()),
        ("m.conll", CHUNKS, rich.clone()),
        ("m.conll", CHUNKS, TaggerTrainer { search: Search::Viterbi, averaged: false, ..rich }),
        ("m.conll", CHUNKS, TaggerTrainer { templates: alone.clone(), order: Order::Cyclic, ..plain.clone() }),
        (
            "m.conll",
            CHUNKS,
            TaggerTrainer { templates: alone, constrain: Constrain::By(Scheme::Iob2), ..plain.clone() },
        ),
        ("m.conll", CHUNKS, TaggerTrainer { order: Order::Given(vec![3, 0, 3, 1]), ..plain.clone() }),
        ("m.crfsuite", VALUES, plain),
    ]
}

/// Trains to the end with a saver; the checkpoint goes through its bytes.
fn fit(trainer: &TaggerTrainer, corpus: Corpus, resume: Option<&TaggerCheckpoint>, saver: &mut Saver) -> FittedTagger {
    let with = TaggerWith { resume, observer: Some(saver), ..TaggerWith::default() };
    trainer.fit_with(corpus, with).unwrap()
}

fn through_bytes(checkpoint: &TaggerCheckpoint) -> TaggerCheckpoint {
    let (bytes, text) = (checkpoint.to_bytes(), checkpoint.to_json());
    let back = TaggerCheckpoint::from_bytes("c", &bytes).unwrap();
    assert_eq!((back.to_bytes(), back.to_json()), (bytes.clone(), text.clone()));
    assert_eq!(TaggerCheckpoint::from_bytes("c", &text).unwrap().to_bytes(), bytes);
    assert!(matches!(AnyCheckpoint::from_bytes("c", &bytes).unwrap(), AnyCheckpoint::Tagger(_)));
    back
}

#[test]
fn stopping_anywhere_and_resuming_gives_the_same_bytes() {
    for (number, (name, text, trainer)) in cases().into_iter().enumerate() {
        let mut whole_saver = Saver::new(NEVER, NEVER);
        let whole = fit(&trainer, read(&trainer, name, text), None, &mut whole_saver);
        let presented = whole.tagger.facts.presented as usize;
        let passes = whole.tagger.facts.mistakes_by_epoch.len();
        assert!(passes > 1, "{number}: a test of one pass tests little");
        let stops = (1..presented).map(|calls| (calls, NEVER)).chain((1..passes).map(|passes| (NEVER, passes)));
        for (calls, passes) in stops {
            let mut saver = Saver::new(calls, passes);
            let half = fit(&trainer, read(&trainer, name, text), None, &mut saver);
            assert_eq!(half.tagger.facts.stopped, Stop::Interrupted);
            let checkpoint = through_bytes(&half.checkpoint.unwrap());
            let resumed = checkpoint.trainer(trainer.epochs);
            let corpus = resumed.read(&Input::memory(name, text), &checkpoint.options()).unwrap();
            let mut rest_saver = Saver::new(NEVER, NEVER);
            let rest = fit(&resumed, corpus, Some(&checkpoint), &mut rest_saver);
            assert_eq!(rest.tagger.to_bytes(), whole.tagger.to_bytes(), "{number}: {calls} {passes}");
            assert_eq!(rest.checkpoint, whole.checkpoint, "{number}: {calls} {passes}");
            let saved: Vec<&Vec<u8>> = saver.saved.iter().chain(&rest_saver.saved).collect();
            assert_eq!(saved, whole_saver.saved.iter().collect::<Vec<_>>(), "{number}: {calls} {passes}");
        }
    }
}

#[test]
fn saving_checkpoints_does_not_change_the_tagger() {
    for (name, text, trainer) in cases() {
        let silent = trainer.fit(read(&trainer, name, text), &mut ()).unwrap();
        let saved = fit(&trainer, read(&trainer, name, text), None, &mut Saver::new(NEVER, NEVER));
        assert_eq!(saved.tagger.to_bytes(), silent.to_bytes());
    }
}

#[test]
fn a_finished_training_stays_finished() {
    let trainer = TaggerTrainer { epochs: 50, ..TaggerTrainer::default() };
    let done = fit(&trainer, read(&trainer, "m.conll", CHUNKS), None, &mut Saver::new(NEVER, NEVER));
    assert_eq!(done.tagger.facts.stopped, Stop::Separated);
    let checkpoint = through_bytes(&done.checkpoint.unwrap());
    let again = fit(&trainer, read(&trainer, "m.conll", CHUNKS), Some(&checkpoint), &mut Saver::new(NEVER, NEVER));
    assert_eq!(again.tagger.to_bytes(), done.tagger.to_bytes());
}

fn half() -> TaggerCheckpoint {
    let trainer = TaggerTrainer::default();
    fit(&trainer, read(&trainer, "m.conll", CHUNKS), None, &mut Saver::new(NEVER, 1)).checkpoint.unwrap()
}

#[test]
fn other_sentences_tags_and_settings_are_refused() {
    let half = half();
    let refused = |trainer: &TaggerTrainer, corpus: Corpus, kind: ErrorKind, said: &str| {
        let error = trainer.fit_with(corpus, TaggerWith { resume: Some(&half), ..TaggerWith::default() }).unwrap_err();
        assert_eq!(error.kind(), kind, "{error}");
        assert!(error.to_string().contains(said), "{error}");
    };
    let trainer = half.trainer(9);
    let other = CHUNKS.replacen("ran V O", "ran V B-NP", 1);
    refused(
        &trainer,
        read(&trainer, "m.conll", &other),
        ErrorKind::Data,
        "not the file that the checkpoint was made on",
    );
    let column = SequenceOptions { tag: Some("2".into()), ..SequenceOptions::default() };
    let corpus = trainer.read(&Input::memory("m.conll", CHUNKS), &column).unwrap();
    refused(&trainer, corpus, ErrorKind::Model, "other sentences, or their tags are read from another column");
    for changed in [
        TaggerTrainer { averaged: false, ..trainer.clone() },
        TaggerTrainer { order: Order::Shuffled { seed: 1 }, ..trainer.clone() },
        TaggerTrainer { constrain: Constrain::Found, ..trainer.clone() },
        TaggerTrainer { dictionary: Some(1), ..trainer.clone() },
        TaggerTrainer { search: Search::Beam { width: 2, update: Update::Early }, ..trainer.clone() },
    ] {
        refused(&changed, read(&changed, "m.conll", CHUNKS), ErrorKind::Settings, "other settings");
    }
    let held = Some(HeldSentences::Share(0.5, 1));
    let with = TaggerWith { resume: Some(&half), held, ..TaggerWith::default() };
    let error = trainer.fit_with(read(&trainer, "m.conll", CHUNKS), with).unwrap_err();
    assert!(error.to_string().contains("does not hold the best pass"), "{error}");
}

/// Sentences in memory have no fingerprint of a file: the corpus has its own.
#[test]
fn sentences_in_memory_are_recognised() {
    use rosenblatt::structured::read::Batch;
    let batch = |tags: [&str; 4]| {
        let mut batch = Batch::default();
        for (word, tag) in ["a", "b", "a", "c"].iter().zip(tags) {
            batch.put(word);
            batch.end_token(Some(tag));
            batch.end_sentence();
        }
        batch
    };
    let trainer = TaggerTrainer::default();
    let gather = |tags| trainer.gather("toy", &batch(tags), 1).unwrap();
    let checkpoint = fit(&trainer, gather(["X", "Y", "X", "Y"]), None, &mut Saver::new(NEVER, 1)).checkpoint.unwrap();
    let resume = |tags| {
        let with = TaggerWith { resume: Some(&checkpoint), ..TaggerWith::default() };
        trainer.fit_with(gather(tags), with).map(|_| ())
    };
    resume(["X", "Y", "X", "Y"]).unwrap();
    assert_eq!(resume(["X", "Y", "X", "X"]).unwrap_err().kind(), ErrorKind::Model);
}

#[test]
fn kinds_of_files_are_distinguished() {
    let (half, table) = (half().to_bytes(), Table::dense(&[[1.0], [2.0]], &["a", "b"]).unwrap());
    let rows = Trainer::new("averaged").fit(&table).unwrap().checkpoint.unwrap().to_bytes();
    let tagger = TaggerTrainer::default().fit(read(&TaggerTrainer::default(), "m.conll", CHUNKS), &mut ()).unwrap();
    let said = |error: rosenblatt::Error| error.to_string();
    assert!(said(Checkpoint::from_bytes("c", &half).unwrap_err()).contains("a checkpoint of a tagger"));
    assert!(said(TaggerCheckpoint::from_bytes("c", &rows).unwrap_err()).contains("a checkpoint of a classifier"));
    assert!(said(TaggerCheckpoint::from_bytes("c", &tagger.to_bytes()).unwrap_err()).contains("a finished model"));
    assert!(said(Tagger::from_bytes("c", &half).unwrap_err()).contains("its training is not finished"));
    assert!(said(AnyModel::from_bytes("c", &half).unwrap_err()).contains("a checkpoint, not a model"));
    assert!(matches!(AnyCheckpoint::from_bytes("c", &rows).unwrap(), AnyCheckpoint::Classifier(_)));
}

#[test]
fn every_changed_or_missing_byte_is_refused() {
    let bytes = half().to_bytes();
    for end in (0..bytes.len()).step_by(3) {
        assert!(TaggerCheckpoint::from_bytes("c", &bytes[..end]).is_err(), "cut at {end}");
    }
    for at in (0..bytes.len()).step_by(7) {
        let mut other = bytes.clone();
        other[at] ^= 1;
        assert!(TaggerCheckpoint::from_bytes("c", &other).is_err(), "byte {at}");
    }
}

/// The JSON form, changed, must be refused with this message.
fn lie(checkpoint: &TaggerCheckpoint, said: &str, change: impl FnOnce(&mut Value)) {
    let mut form: Value = serde_json::from_slice(&checkpoint.to_json()).unwrap();
    change(&mut form);
    let error = TaggerCheckpoint::from_bytes("c", form.to_string().as_bytes()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Model, "{error}");
    assert!(error.to_string().contains(said), "expected {said}: {error}");
}

fn values<'a>(form: &'a mut Value, array: &str) -> &'a mut Vec<Value> {
    form["arrays"][array]["values"].as_array_mut().unwrap_or_else(|| panic!("{array}"))
}

#[test]
fn contradictions_are_refused() {
    let (name, text, trainer) = cases().swap_remove(1);
    let rich = fit(&trainer, read(&trainer, name, text), None, &mut Saver::new(NEVER, 2)).checkpoint.unwrap();
    let form: Value = serde_json::from_slice(&rich.to_json()).unwrap();
    let names: Vec<String> = form["arrays"].as_object().unwrap().keys().cloned().collect();
    assert_eq!(names.len(), 12);
    for name in &names {
        lie(&rich, "no array", |f| drop(f["arrays"].as_object_mut().unwrap().remove(name)));
        lie(&rich, "", |f| values(f, name).push(json!(0)));
        if name != "emissions.ends" && name != "edges.ends" {
            lie(&rich, "", |f| drop(values(f, name).pop()));
        }
    }
    lie(&rich, "does not belong", |f| f["arrays"]["order"] = json!({"type": "u32", "values": [0]}));
    lie(&rich, "has no such end", |f| values(f, "emissions.ends")[0] = json!(u64::MAX));
    lie(&rich, "holds more than its features", |f| drop(values(f, "emissions.ends").pop()));
    lie(&rich, "its tags must exist, each once", |f| values(f, "emissions.tags")[0] = json!(4_000_000_000u32));
    lie(&rich, "its tags must exist, each once", |f| {
        let ends = values(f, "edges.ends");
        let all = ends.last().unwrap().clone();
        ends[0] = all.clone();
        ends.iter_mut().for_each(|end| *end = all.clone());
    });
    lie(&rich, "counts", |f| f["content"]["course"]["mistakes"] = json!(u64::MAX));
    lie(&rich, "contradict each other", |f| f["content"]["course"]["updates"] = json!(0));
    lie(&rich, "averaged or perceptron", |f| f["content"]["learner"] = json!("arow"));
    lie(&rich, "a beam of no width", |f| f["content"]["search"]["beam"]["width"] = json!(0));
    lie(&rich, "settings contradict", |f| f["content"]["dictionary"] = json!(0));
    lie(&rich, "but no tag O", |f| {
        let labels = f["content"]["labels"].as_array_mut().unwrap();
        let at = labels.iter().position(|label| label == "O").unwrap();
        labels[at] = json!("X");
    });
    lie(&rich, "not in canonical form", |f| {
        let text = f["content"]["templates"].as_str().unwrap().to_string();
        f["content"]["templates"] = json!(format!("# hidden\n{text}"));
    });
    lie(&rich, "unknown field", |f| f["content"]["more"] = json!(1));
    lie(&rich, "version", |f| f["rosenblatt"] = json!(2));
    let (name, text, given) = cases().swap_remove(5);
    let given = fit(&given, read(&given, name, text), None, &mut Saver::new(NEVER, 1)).checkpoint.unwrap();
    lie(&given, "must name some sentences", |f| values(f, "order").clear());
    lie(&given, "no array", |f| drop(f["arrays"].as_object_mut().unwrap().remove("order")));
}
