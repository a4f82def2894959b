//! Accuracy on real corpora.

use rosenblatt::io::Input;
use rosenblatt::structured::read::{SequenceOptions, Tags};
use rosenblatt::structured::template::Templates;
use rosenblatt::structured::{Constrain, TagEvaluation, Tagger, TaggerTrainer};

use crate::real_file;

fn open(file: &str) -> Option<Input> {
    real_file::find(file).map(Input::Path)
}

fn judge(trainer: &TaggerTrainer, train: &str, test: &str, tag: Option<&str>) -> Option<(Tagger, TagEvaluation)> {
    let (train, test) = (open(train)?, open(test)?);
    let options = SequenceOptions { format: None, tag: tag.map(String::from), skip_untagged: false };
    let corpus = trainer.read(&train, &options).unwrap_or_else(|e| panic!("{e}"));
    let tagger = trainer.fit(corpus, &mut ()).unwrap();
    let told = tagger.evaluate(&mut tagger.open(&test, Tags::Needed).unwrap(), None).unwrap();
    Some((tagger, told))
}

const CHUNKS: [&str; 2] = ["conll2000/train.txt.gz", "conll2000/test.txt.gz"];

/// Two passes are enough here; the benchmark compares ten with other tools.
#[test]
fn chunks() {
    let templates = Templates::built_in("chunk19");
    let trainer = TaggerTrainer { templates, epochs: 2, constrain: Constrain::Found, ..TaggerTrainer::default() };
    let Some((tagger, told)) = judge(&trainer, CHUNKS[0], CHUNKS[1], None) else { return };
    let facts = &tagger.facts;
    assert_eq!((facts.sentences, facts.tokens, tagger.labels.len()), (8_936, 211_727, 22));
    let chunks = told.chunks.unwrap();
    assert_eq!((told.sentences, told.tokens, chunks.support), (2_012, 47_377, 23_852));
    assert!(chunks.f1 > 0.928, "{chunks:?}");
    assert_eq!(tagger.scheme.map(|s| s.name()), Some("iob2"));
}

#[test]
fn parts_of_speech_of_a_treebank() {
    let files = ["ud_english_ewt/en_ewt-ud-train.conllu.gz", "ud_english_ewt/en_ewt-ud-test.conllu.gz"];
    let trainer = TaggerTrainer { epochs: 2, ..TaggerTrainer::default() };
    let Some((tagger, told)) = judge(&trainer, files[0], files[1], None) else { return };
    assert_eq!((tagger.facts.sentences, tagger.facts.tokens, tagger.labels.len()), (12_544, 204_577, 17));
    assert_eq!((told.sentences, told.tokens), (2_077, 25_094));
    assert!(told.token_accuracy > 0.94, "{}", told.token_accuracy);
    assert_eq!(told.chunks, None);
}

/// A blank line of this corpus may contain a tab.
#[test]
fn entities() {
    let files = ["wnut17/wnut17train.conll.gz", "wnut17/emerging.test.annotated.gz"];
    let trainer = TaggerTrainer { epochs: 2, ..TaggerTrainer::default() };
    let Some((tagger, told)) = judge(&trainer, files[0], files[1], None) else { return };
    assert_eq!((tagger.facts.sentences, tagger.facts.tokens), (3_394, 62_730));
    assert_eq!((told.sentences, told.tokens, told.chunks.unwrap().support), (1_287, 23_394, 1_079));
    assert_eq!(told.per_type.len(), 6);
}
