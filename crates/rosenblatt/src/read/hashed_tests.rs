//! Words hashed while rows are read, against a dictionary of all n-grams that is hashed afterwards; errors are the same, and
//! how the text is cut changes nothing.

use proptest::prelude::*;

use super::{Dataset, Header, ReadOptions, read, read_at};
use crate::error::Result;
use crate::io::{Input, Pace};
use crate::map::{Preparation, Scaling};
use crate::rows::{AnyRows, CharGrams, HashedWords, Row, Rows, Tf};

const PACES: [(usize, usize); 4] = [(1, 1), (9, 3), (60, 2), (1 << 18, 3)];

/// Everything but the rows.
fn shown(dataset: &Dataset) -> String {
    let Dataset { table, fingerprint, notes, .. } = dataset;
    format!("{:?} {:?} {fingerprint} {notes:?}", table.classes, table.labels)
}

fn row(rows: AnyRows<'_>, i: usize) -> Vec<(usize, f64)> {
    let mut all = Vec::new();
    rows.row(i).each(|bucket, value| all.push((bucket, value)));
    all
}

/// The twin keeps all n-grams in a dictionary, and hashes their names.
fn agree(name: &str, text: &str, options: &ReadOptions, how: HashedWords) {
    let input = Input::memory(name, text);
    let HashedWords { bits, tf, unit } = how;
    let scale = if unit { Scaling::Unit } else { Scaling::None };
    let preparation = Preparation { hash_bits: Some(bits), tf, scale, ..Preparation::default() };
    let expected = read(&input, options).map_err(|error| error.to_string());
    let options = ReadOptions { hashed: Some(how), ..options.clone() };
    for (chunk, threads) in PACES {
        let found: Result<Dataset> = read_at(&input, &options, Pace { chunk, threads });
        match (&expected, found) {
            (Ok(expected), Ok(found)) => {
                assert_eq!(shown(&found), shown(expected), "{chunk} {threads}\n{text}");
                assert_eq!(found.table.schema.hashed(), Some(how), "{text}");
                let twin = preparation.fit(&expected.table).unwrap();
                let own = preparation.fit(&found.table).unwrap();
                assert!(own.chain.is_empty(), "nothing is left to do");
                let (rows, twins) = (own.matrix.rows().unwrap(), twin.matrix.rows().unwrap());
                assert_eq!((rows.len(), rows.features()), (twins.len(), twins.features()));
                for i in 0..rows.len() {
                    let (mut dense, own) = (vec![0.0; rows.features()], row(rows, i));
                    assert!(own.is_sorted_by(|a, b| a.0 < b.0));
                    own.into_iter().for_each(|(bucket, value)| dense[bucket] = value);
                    row(twins, i).into_iter().for_each(|(bucket, value)| dense[bucket] -= value);
                    assert!(dense.iter().all(|difference| difference.abs() < 1e-12), "row {i} of\n{text}");
                }
            }
            (expected, found) => {
                let found = found.map(|_| ()).map_err(|error| error.to_string());
                assert_eq!(found, expected.as_ref().map(|_| ()).map_err(Clone::clone), "{chunk} {threads}\n{text}");
            }
        }
    }
}

fn how() -> impl Strategy<Value = HashedWords> {
    let tf = prop::sample::select(vec![Tf::Count, Tf::Log, Tf::Binary]);
    (1u32..=12, tf, any::<bool>()).prop_map(|(bits, tf, unit)| HashedWords { bits, tf, unit })
}

fn chars() -> impl Strategy<Value = Option<CharGrams>> {
    prop::option::of((1u32..4, 0u32..3).prop_map(|(least, more)| CharGrams::new(least, least + more).unwrap()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn delimited_texts(
        rows in prop::collection::vec((
            "[a-zA-Zé ]{0,9}|\"[a-z\n, ]{0,30}(\"\")?[a-z\n]{0,9}\"|good day good day|5\" x",
            "[a-c ]{0,6}",
            "up|down",
        ), 1..25),
        odd in prop::option::of((0..30usize, "1,2|x,y,|x,y,NA|\"a\" b,c,up|a,\"b,up|x,y,\"up\"")),
        how in how(),
        (ngrams, chars) in (1u32..=3, chars()),
        alone in any::<bool>(),
        header in any::<bool>(),
    ) {
        let mut lines: Vec<String> = rows.iter().map(|(body, title, label)| format!("{body},{title},{label}")).collect();
        lines.insert(0, "first,word,up".into());
        if let Some((at, odd)) = odd {
            lines.insert(1 + at.min(lines.len() - 1), odd);
        }
        let (first, names) = match header {
            true => ("body,title,label\n", ["body", "title", "label"]),
            false => ("", ["1", "2", "3"]),
        };
        let names = names.map(String::from);
        let options = ReadOptions {
            header: if header { Header::Yes } else { Header::No },
            label: Some(names[2].clone()),
            text: names[..if alone { 1 } else { 2 }].to_vec(),
            drop: if alone { vec![names[1].clone()] } else { Vec::new() },
            ngrams,
            chars,
            ..ReadOptions::default()
        };
        let text = format!("{first}{}\n", lines.join("\n"));
        agree("a.csv", &text, &options, how);
        agree("a.tsv", &text.replace(',', "\t"), &options, how);
    }

    #[test]
    fn lines_with_labels(
        lines in prop::collection::vec("__label__[ab] [a-z ]{0,20}|  |__label__ x|no label|__label__a __label__b", 1..20),
        how in how(),
        chars in chars(),
    ) {
        let options = ReadOptions { ngrams: 2, chars, ..ReadOptions::default() };
        agree("a.fasttext", &format!("__label__a x y\n{}\n", lines.join("\n")), &options, how);
    }

    #[test]
    fn objects_with_texts_and_sets(
        rows in prop::collection::vec((
            "\\[\\]|\\[\"new york\"(,\"[a-c]\"){0,4}\\]|null",
            "[a-z ]{0,12}",
            "x|y|",
        ), 1..20),
        how in how(),
    ) {
        let object = |(tags, body, label): &(String, String, String)| {
            format!("{{\"tags\": {tags}, \"body\": \"{body}\", \"label\": \"{label}\"}}")
        };
        let lines: Vec<String> = rows.iter().map(object).collect();
        let first = "{\"tags\": [\"a\", \"a\"], \"body\": \"first word\", \"label\": \"x\"}";
        let options = ReadOptions { text: vec!["body".into()], ngrams: 2, ..ReadOptions::default() };
        agree("a.jsonl", &format!("{first}\n{}\n", lines.join("\n")), &options, how);
    }
}

/// A table with other columns is read as without hashing, and so is one with weights.
#[test]
fn tables_of_other_columns_keep_their_names() {
    let text = "n,body,w,label\n1,good day,1,up\n2,bad,2,down\n";
    let hashed = Some(HashedWords { bits: 5, tf: Tf::Log, unit: true });
    let texts = |drop: &[&str], weight: Option<&str>| ReadOptions {
        text: vec!["body".into()],
        drop: drop.iter().map(ToString::to_string).collect(),
        weight: weight.map(String::from),
        hashed,
        ..ReadOptions::default()
    };
    for (options, expected) in [
        (texts(&[], None), None),
        (texts(&["n"], Some("w")), None),
        (texts(&["n", "w"], None), hashed),
        (ReadOptions { hashed, ..ReadOptions::default() }, None),
    ] {
        let table = read(&Input::memory("a.csv", text), &options).unwrap().table;
        assert_eq!(table.schema.hashed(), expected, "{options:?}");
    }
}
