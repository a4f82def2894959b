//! Limits on memory and time hold inside a sentence, and every tagger that is written can be read.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rosenblatt::io::Input;
use rosenblatt::learn::Stop;
use rosenblatt::limits::{Deadline, Limits, within};
use rosenblatt::structured::chain::{Search, Update};
use rosenblatt::structured::read::{Batch, SequenceOptions, Tags};
use rosenblatt::structured::template::parse;
use rosenblatt::structured::{Constrain, Corpus, Scheme, Tagger, TaggerTrainer, TaggerWith};
use rosenblatt::{ErrorKind, Result};

/// One sentence of so many tokens, each of another tag than the one before.
fn sentence(tokens: usize, tags: usize) -> String {
    (0..tokens).map(|i| format!("w{} t{}\n", i % 97, (i * 7) % tags)).collect()
}

fn read(trainer: &TaggerTrainer, text: &str) -> Result<Corpus> {
    trainer.read(&Input::memory("m.conll", text), &SequenceOptions::default())
}

fn trainer(templates: &str, search: Search) -> TaggerTrainer {
    TaggerTrainer { templates: Some(parse("t", templates).unwrap()), search, epochs: 2, ..TaggerTrainer::default() }
}

const FIRST: &str = "word\ntag[-1]\n";
const SECOND: &str = "word\ntag[-1]\ntag[-2] tag[-1]\n";
const BEAM: Search = Search::Beam { width: 1_000_000, update: Update::MaxViolation };

/// 1 MB of CoNLL took 5 GB: the lattice is tokens × tags, and nothing asked whether there is room for it.
#[test]
fn a_lattice_that_does_not_fit_is_refused() {
    let small = Limits { memory: 1 << 20, ..Limits::NONE };
    for (templates, search, tokens, tags) in
        [(FIRST, Search::Viterbi, 40_000, 300), (SECOND, Search::Viterbi, 40_000, 40), (FIRST, BEAM, 40_000, 100)]
    {
        let trainer = trainer(templates, search);
        let long = sentence(tokens, tags);
        let error = within(&small, || trainer.fit(read(&trainer, &long)?, &mut ())).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Memory, "{error}");
        assert!(error.to_string().contains(&format!("a sentence of {tokens} tokens")), "{error}");
        // A tagger of short sentences meets a long one.
        let short: String = long.lines().take(tags * 2).map(|line| format!("{line}\n\n")).collect();
        let tagger = trainer.fit(read(&trainer, &short).unwrap(), &mut ()).unwrap();
        let input = Input::memory("m.conll", long.clone());
        let evaluate = || tagger.evaluate(&mut tagger.open(&input, Tags::Needed)?, None);
        assert_eq!(within(&small, evaluate).unwrap_err().kind(), ErrorKind::Memory);
        let words: Vec<[&str; 1]> = long.lines().map(|line| [line.split(' ').next().unwrap()]).collect();
        let batches = [Batch::of(&words)];
        assert_eq!(within(&small, || tagger.tag_batches(&batches)).unwrap_err().kind(), ErrorKind::Memory);
        if (templates, search) == (FIRST, Search::Viterbi) {
            let room = Limits { memory: 4 << 30, ..Limits::NONE };
            assert_eq!(within(&room, || tagger.tag_batches(&batches)).unwrap()[0].len(), tokens);
        }
    }
}

#[test]
fn transitions_that_do_not_fit_are_refused() {
    let trainer = trainer(SECOND, Search::Viterbi);
    let corpus = read(&trainer, &sentence(400, 200)).unwrap();
    let small = Limits { memory: 1 << 20, ..Limits::NONE };
    let error = within(&small, || trainer.fit(corpus, &mut ())).unwrap_err();
    assert!(error.to_string().contains("the weights of transitions between 200 tags"), "{error}");
}

/// Asks to stop after a while; how long the work took after that.
fn interrupted<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let asked = Arc::new(AtomicBool::new(false));
    let limits = Limits { deadline: Deadline::NEVER.or_when(asked.clone()), ..Limits::NONE };
    let asks = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(300));
        asked.store(true, Ordering::SeqCst);
        Instant::now()
    });
    let result = within(&limits, work);
    let ended = Instant::now();
    let asked = asks.join().unwrap();
    assert!(ended >= asked, "the work was over before it was interrupted: this tests nothing");
    (result, ended - asked)
}

/// The first SIGTERM was not answered for 275 s inside a long sentence.
#[test]
fn a_search_is_interrupted_inside_a_sentence() {
    const SOON: Duration = Duration::from_secs(2);
    for (templates, search, tokens, tags) in
        [(FIRST, Search::Viterbi, 40_000, 600), (SECOND, Search::Viterbi, 5_000, 120), (FIRST, BEAM, 20_000, 250)]
    {
        let trainer = trainer(templates, search);
        let text = format!("a t0\n\nb t1\n\n{}", sentence(tokens, tags));
        let corpus = read(&trainer, &text).unwrap();
        let order = rosenblatt::Order::Given(vec![0, 1, 2]);
        let given = TaggerTrainer { order, ..trainer.clone() };
        let (fitted, late) = interrupted(|| given.fit_with(corpus, TaggerWith::default()));
        let tagger = fitted.unwrap().tagger;
        assert!(late < SOON, "{late:?}");
        assert_eq!((tagger.facts.stopped, tagger.facts.presented), (Stop::Interrupted, 2), "the third does not count");
        // The untrained tags are all alike: every sequence is looked at.
        let words: Vec<[String; 1]> = (0..tokens).map(|i| [format!("x{i}")]).collect();
        let batches = [Batch::of(&words)];
        let (tags, late) = interrupted(|| tagger.tag_batches(&batches));
        assert_eq!(tags.unwrap_err().kind(), ErrorKind::Interrupted);
        assert!(late < SOON, "{late:?}");
    }
}

/// A tagger was written that cannot be read: with an empty UPOS, with one tag more than a file may have, or with weights that
/// are not finite.
#[test]
fn what_is_trained_can_be_read() {
    let refused = |trainer: &TaggerTrainer, name: &str, text: &str, said: &str| {
        let corpus = trainer.read(&Input::memory(name, text), &SequenceOptions::default());
        let error = corpus.and_then(|corpus| trainer.fit(corpus, &mut ())).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Data);
        assert!(error.to_string().contains(said), "{error}");
    };
    let plain = TaggerTrainer::default();
    let line = |id: u32, upos: &str| format!("{id}\tdog\t_\t{upos}\t_\t_\t_\t_\t_\t_\n");
    refused(&plain, "m.conllu", &(line(1, "N") + &line(2, "")), "m.conllu:2: an empty tag");
    let many: String = (0..4096).map(|i| format!("w B-{i}\n\n")).collect();
    refused(
        &TaggerTrainer { constrain: Constrain::By(Scheme::Iob2), ..plain.clone() },
        "m.conll",
        &many,
        "4097 different tags",
    );
    let types: String = (0..1500).map(|i| format!("a B-{i}\nb I-{i}\n\na B-{i}\n\n")).collect();
    let encoded = TaggerTrainer { encode: Some(Scheme::Iobes), ..plain.clone() };
    refused(&encoded, "m.conll", &types, "4500 different tags");
    let huge = "A\tx:1e308\n\nB\tx:1e308\n\n";
    refused(&plain, "m.crfsuite", huge, "the weights overflowed");
}

#[test]
fn what_cannot_be_read_is_not_saved() {
    let plain = TaggerTrainer::default();
    let mut tagger: Tagger = plain.fit(read(&plain, "a X\nb Y\n\n").unwrap(), &mut ()).unwrap();
    let dir = tempfile::tempdir().unwrap();
    tagger.save(dir.path().join("good")).unwrap();
    Tagger::load(dir.path().join("good")).unwrap();
    tagger.labels[0] = String::new();
    assert!(tagger.save(dir.path().join("bad")).is_err());
    assert!(!dir.path().join("bad").exists());
}
