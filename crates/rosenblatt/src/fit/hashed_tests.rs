//! Words that are hashed while rows are read: the model has the same bytes through every source, and answers alike.

use std::fmt::Write as _;
use std::path::PathBuf;

use super::file::{FileData, Storage, fit_at};
use super::{Fitted, Kept, Trainer, With};
use crate::io::{Input, Pace};
use crate::model::Model;
use crate::random::Stream;
use crate::read::{NeedLabels, ReadOptions, bucket_names, read_for};
use crate::rows::{HashedWords, Rows, Tf};

/// More rows than two blocks of the presentation; a third label may come late.
fn text(rows: usize, late_label: bool) -> String {
    let (mut stream, mut text) = (Stream::new(3, &[]), String::new());
    for i in 0..rows {
        let label = if late_label && i == rows - 5 { 2 } else { stream.below(2) };
        write!(text, "{label}\tw{} w{}, \"W{}\"", stream.below(30) + 10 * label, stream.below(9), i / 100).unwrap();
        text.push('\n');
    }
    text
}

fn options() -> ReadOptions {
    ReadOptions {
        header: crate::read::Header::No,
        label: Some("1".into()),
        text: vec!["2".into()],
        ngrams: 2,
        ..ReadOptions::default()
    }
}

fn fitted(trainer: &Trainer, input: &Input, storage: &Storage, rows_needed: bool, pace: Pace) -> Fitted {
    let options = options();
    let data = FileData { rows_needed, ..FileData::new(input, &options, storage) };
    fit_at(trainer, data, With::default(), pace, false).unwrap()
}

fn trainer(epochs: u32) -> Trainer {
    let mut trainer = Trainer::auto().epochs(epochs);
    trainer.preparation.hash_bits = Some(10);
    trainer
}

#[test]
fn hashed_words_give_the_same_bytes_through_every_source() {
    let dir = tempfile::tempdir().unwrap();
    for late_label in [false, true] {
        let input = Input::memory("m.tsv", text(140_000, late_label));
        for epochs in [1, 3] {
            let trainer = trainer(epochs);
            let whole = fitted(&trainer, &input, &Storage::Memory, true, Pace::default());
            assert!(matches!(whole.file.as_ref().unwrap().kept, Kept::Memory(_)));
            let how = HashedWords { bits: 10, tf: Tf::Log, unit: true };
            assert_eq!(whole.model.schema.hashed(), Some(how));
            assert!(whole.model.chain.is_empty());
            let bytes = whole.model.to_bytes();
            assert_eq!(Model::from_bytes("m", &bytes).unwrap(), whole.model);
            let place: PathBuf = dir.path().join(format!("{late_label}-{epochs}"));
            for (chunk, threads) in [(1 << 18, 2), (1 << 14, 1), (4096, 3)] {
                let pace = Pace { chunk, threads };
                let cached = fitted(&trainer, &input, &Storage::Cache(place.clone()), false, pace);
                assert!(matches!(cached.file.as_ref().unwrap().kept, Kept::Cache));
                assert!(cached.model.to_bytes() == bytes, "{late_label} {epochs} {threads}");
                let other = fitted(&trainer, &input, &Storage::Memory, false, pace);
                assert_eq!(matches!(other.file.as_ref().unwrap().kept, Kept::Nowhere), epochs == 1);
                assert!(other.model.to_bytes() == bytes, "{late_label} {epochs} {threads}");
            }
        }
    }
}

#[test]
fn answers_while_reading_are_those_of_a_whole_table() {
    let input = Input::memory("m.tsv", text(3000, false));
    let model = fitted(&trainer(2), &input, &Storage::Memory, false, Pace::default()).model;
    for (name, text) in [
        ("a.tsv", "1\tw3 w4 w3\n0\tnever seen\n1\t\n0\t\"w1\nw2\"\n".repeat(50)),
        ("a.fasttext", "__label__1 w3 W4\n\n__label__0 w1\n".repeat(50)),
        ("a.tsv", "1\tw3\n1\tw4\tw5\n".to_string()),
    ] {
        let input = Input::memory(name, text);
        let whole = read_for(&input, &ReadOptions::default(), &model.schema, &model.labels, NeedLabels::No);
        let expected = whole.map(|whole| model.score_all(whole.table.matrix.rows().unwrap()).unwrap());
        for (chunk, threads) in [(1, 1), (30, 3), (1 << 18, 2)] {
            let (mut found, pace) = (Vec::new(), Pace { chunk, threads });
            let say = |scores: &[f64], text: &mut String| *text += &format!("{}\n", scores[0].to_bits());
            let answered = model.answer_at(&input, &ReadOptions::default(), pace, say, |part| {
                found.extend(part.lines().map(|bits| f64::from_bits(bits.parse().unwrap())));
                Ok(())
            });
            match (&expected, answered) {
                (Ok(expected), Ok(_)) => assert_eq!(&found, expected, "{chunk} {threads}"),
                (Err(expected), Err(error)) => assert_eq!(error.to_string(), expected.to_string()),
                (expected, _) => panic!("{name}: {expected:?}"),
            }
        }
    }
}

#[test]
fn the_names_in_a_bucket_are_those_of_the_row() {
    let input = Input::memory("m.tsv", text(3000, false));
    let model = fitted(&trainer(1), &input, &Storage::Memory, false, Pace::default()).model;
    let rows = Input::memory("a.tsv", "1\tNot good, not\n0\tother\n");
    let names = bucket_names(&rows, &ReadOptions::default(), &model.schema, &model.labels).unwrap().unwrap();
    let mut first: Vec<&str> = names[0].values().flat_map(|names| names.split(" | ")).collect();
    first.sort_unstable_by_key(|name| name.trim_start_matches('-'));
    let bare: Vec<&str> = first.iter().map(|name| name.trim_start_matches('-')).collect();
    assert_eq!(bare, ["good", "good not", "not", "not good"]);
    assert_eq!(names[1].len(), 1);
    let read = read_for(&rows, &ReadOptions::default(), &model.schema, &model.labels, NeedLabels::No).unwrap();
    let mut buckets = Vec::new();
    crate::rows::Row::each(read.table.matrix.rows().unwrap().row(1), |bucket, _| buckets.push(bucket));
    assert_eq!(names[1].keys().collect::<Vec<_>>(), [&model.schema.feature_name(buckets[0])]);
}
