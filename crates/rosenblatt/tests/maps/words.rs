//! Rare features, weights of words and missing values against naive twins.

use std::collections::BTreeMap;

use proptest::prelude::*;
use rosenblatt::Table;
use rosenblatt::io::Input;
use rosenblatt::map::{Preparation, Scaling, Tf};
use rosenblatt::read::{ReadOptions, read};
use rosenblatt::rows::Fill;

use crate::common::{cases, close};
use crate::{dense, prepared};

/// Texts and a number, read from a file; labels in turn.
fn read_texts(texts: &[String], ngrams: u32) -> Table {
    let mut file = "label\tage\ttext\n".to_string();
    for (i, text) in texts.iter().enumerate() {
        file += &format!("{}\t{}\t{text}\n", ["no", "yes"][i % 2], i % 3);
    }
    let options = ReadOptions { text: vec!["text".into()], ngrams, ..ReadOptions::default() };
    read(&Input::memory("texts.tsv", file), &options).unwrap().table
}

/// The words and runs of words of a text, counted: the naive way.
fn bag(text: &str, longest: usize) -> BTreeMap<String, f64> {
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|w| !w.is_empty()).collect();
    let mut bag = BTreeMap::new();
    for n in 1..=longest {
        for run in words.windows(n) {
            *bag.entry(run.join(" ")).or_insert(0.0) += 1.0;
        }
    }
    bag
}

fn tf_twin(tf: Tf, count: f64) -> f64 {
    match tf {
        Tf::Count => count,
        Tf::Log => 1.0 + count.ln(),
        Tf::Binary => 1.0,
    }
}

proptest! {
    #![proptest_config(cases(100))]

    #[test]
    fn weights_of_words_agree_with_the_twin(
        texts in prop::collection::vec("(a|b|cc|D)( (a|b|cc|D|,)){0,6}", 2..7),
        ngrams in 1u32..4,
        min_count in 1u32..3,
        tf_idf in any::<bool>(),
        unit in any::<bool>(),
    ) {
        let table = read_texts(&texts, ngrams);
        let bags: Vec<_> = texts.iter().map(|text| bag(text, ngrams as usize)).collect();
        let all: Vec<String> = bags.iter().flat_map(|b| b.keys().cloned()).collect::<std::collections::BTreeSet<_>>().into_iter().collect();
        let having = |word: &String| bags.iter().filter(|b| b.contains_key(word)).count();
        let names: Vec<String> = std::iter::once("age".to_string()).chain(all.iter().map(|w| format!("text:{w}"))).collect();
        prop_assert_eq!(table.schema.feature_names(), names);
        for tf in [Tf::Count, Tf::Log, Tf::Binary] {
            let scale = if unit { Scaling::Unit } else { Scaling::None };
            let preparation = Preparation { min_count, tf, tf_idf, scale, ..Preparation::default() };
            let kept: Vec<&String> = all.iter().filter(|w| having(w) >= min_count as usize).collect();
            let rows = prepared(&preparation, &table);
            for (i, row) in rows.iter().enumerate() {
                let weigh = |word: &&String| {
                    let idf = ((1.0 + texts.len() as f64) / (1.0 + having(word) as f64)).ln() + 1.0;
                    let count = bags[i].get(*word).copied().unwrap_or(0.0);
                    if count == 0.0 { 0.0 } else { tf_twin(tf, count) * if tf_idf { idf } else { 1.0 } }
                };
                let mut expected = vec![(i % 3) as f64];
                expected.extend(kept.iter().map(weigh));
                let length = expected.iter().map(|v| v * v).sum::<f64>().sqrt();
                if unit && length > 0.0 {
                    expected.iter_mut().for_each(|v| *v /= length);
                }
                prop_assert!(close(row, &expected, 1e-12), "{:?} {:?}", row, expected);
            }
        }
    }

    #[test]
    fn missing_numbers_become_what_was_asked(rows in prop::collection::vec(prop::collection::vec(prop::option::of(-3i32..4), 2), 2..8)) {
        let mut file = "a,b,label\n".to_string();
        for (i, row) in rows.iter().enumerate() {
            let field = |v: &Option<i32>| v.map_or(["", "NA", "?", "nan"][i % 4].to_string(), |v| v.to_string());
            file += &format!("{},{},{}\n", field(&row[0]), field(&row[1]), i % 2);
        }
        let read_with = |fill| {
            let options = ReadOptions { missing: Some(fill), ..ReadOptions::default() };
            read(&Input::memory("gaps.csv", file.clone()), &options).unwrap().table
        };
        let or = |v: Option<i32>, other: f64| v.map_or(other, f64::from);
        let twin = |other: [f64; 2]| rows.iter().map(|r| vec![or(r[0], other[0]), or(r[1], other[1])]).collect::<Vec<_>>();
        prop_assert_eq!(dense(&read_with(Fill::Zero).matrix), twin([0.0, 0.0]));
        let mean = |j: usize| {
            let have: Vec<f64> = rows.iter().filter_map(|r| r[j].map(f64::from)).collect();
            if have.is_empty() { 0.0 } else { have.iter().sum::<f64>() / have.len() as f64 }
        };
        let table = read_with(Fill::Mean);
        let filled = prepared(&Preparation::default(), &table);
        prop_assert!(filled.iter().zip(twin([mean(0), mean(1)])).all(|(a, b)| close(a, &b, 1e-12)), "{:?}", filled);
        let chain = Preparation::default().fit(&table).unwrap().chain;
        prop_assert_eq!(chain.feature_names(&table.schema).unwrap(), ["a", "b"]);
        // Only a column that was ever missing has a sign for it.
        let table = read_with(Fill::Indicator);
        let gaps: Vec<bool> = (0..2).map(|j| rows.iter().any(|r| r[j].is_none())).collect();
        let signed = |r: &Vec<Option<i32>>| {
            let pair = |j: usize| {
                let sign = gaps[j].then_some(f64::from(u8::from(r[j].is_none())));
                std::iter::once(or(r[j], 0.0)).chain(sign).collect::<Vec<_>>()
            };
            [pair(0), pair(1)].concat()
        };
        prop_assert_eq!(dense(&table.matrix), rows.iter().map(signed).collect::<Vec<_>>());
    }
}

#[test]
fn words_are_weighed_where_there_are_some() {
    let table = rosenblatt::read::iris().unwrap();
    let told = Preparation { tf_idf: true, ..Preparation::default() }.fit(&table).unwrap_err().to_string();
    assert_eq!(told, "`tf` and `tf-idf` weigh words, and there are none: name a column with `text`");
    let sparse = Table { schema: rosenblatt::rows::Schema::Indexed { first: 1, features: 4 }, ..crate::sparse(&table) };
    assert!(Preparation { tf_idf: true, ..Preparation::default() }.fit(&sparse).is_ok());
}
