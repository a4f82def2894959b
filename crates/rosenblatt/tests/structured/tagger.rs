//! Whole taggers against a naive one made of strings and maps, and the options.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use proptest::prelude::*;
use rosenblatt::Order;
use rosenblatt::fit::{Now, Observer};
use rosenblatt::io::Input;
use rosenblatt::learn::Stop;
use rosenblatt::structured::chain::{Chain, Search, Update};
use rosenblatt::structured::read::SequenceOptions;
use rosenblatt::structured::template::parse;
use rosenblatt::structured::{Constrain, Perceptron, Scheme, Tagger, TaggerTrainer};

use crate::common::cases;

type Token = (String, String, String);

fn file(sentences: &[Vec<Token>]) -> String {
    let line = |(word, pos, tag): &Token| format!("{word} {pos} {tag}\n");
    sentences.iter().map(|s| s.iter().map(line).collect::<String>() + "\n").collect()
}

fn train(trainer: &TaggerTrainer, text: &str) -> rosenblatt::Result<Tagger> {
    let corpus = trainer.read(&Input::memory("m.conll", text), &SequenceOptions::default())?;
    trainer.fit(corpus, &mut ())
}

fn sentences() -> impl Strategy<Value = Vec<Vec<Token>>> {
    let word = prop::sample::select(vec!["a", "Ab", "c-1", "d"]);
    let pos = prop::sample::select(vec!["N", "V"]);
    let tag = prop::sample::select(vec!["X", "Y", "Z"]);
    let token = (word, pos, tag).prop_map(|(w, p, t)| (w.to_string(), p.to_string(), t.to_string()));
    prop::collection::vec(prop::collection::vec(token, 1..5), 2..8)
}

const TEMPLATES: &str =
    "bias\nword[-1..1]\nsuffix(word[0], 2) pos[1]\nfirst\ntag[-1]\ntag[-1] pos[0]\ntag[-2] tag[-1]\n";

/// The features of one position with its tags, as strings.
fn features(words: &[(&str, &str)], i: usize, tags: [&str; 3]) -> Vec<String> {
    let outside = |at: i64| if at < 0 { "⟨s⟩" } else { "⟨/s⟩" };
    let cell = |offset: i64| {
        let at = i as i64 + offset;
        usize::try_from(at).ok().and_then(|at| words.get(at)).copied().unwrap_or((outside(at), outside(at)))
    };
    let [before2, before, tag] = tags;
    let mut list = vec![format!("bias|{tag}")];
    list.extend((-1..=1).map(|o| format!("word[{o}]={}|{tag}", cell(o).0)));
    let word = cell(0).0;
    if word.chars().count() >= 2 {
        let suffix: String = word.chars().skip(word.chars().count() - 2).collect();
        list.push(format!("suffix(word[0],2)={suffix} pos[1]={}|{tag}", cell(1).1));
    }
    if i == 0 {
        list.push(format!("first|{tag}"));
    }
    list.push(format!("{before}>{tag}"));
    list.push(format!("pos[0]={}|{before}>{tag}", cell(0).1));
    list.push(format!("{before2}>{before}>{tag}"));
    list
}

fn phi(words: &[(&str, &str)], tags: &[&str]) -> BTreeMap<String, f64> {
    let mut sum = BTreeMap::new();
    let back = |i: usize, by: usize| if i >= by { tags[i - by] } else { "(start)" };
    for (i, &tag) in tags.iter().enumerate() {
        for feature in features(words, i, [back(i, 2), back(i, 1), tag]) {
            *sum.entry(feature).or_insert(0.0) += 1.0;
        }
    }
    sum
}

/// The perceptron over maps, with a naive average; the mistakes of each pass.
fn naive(sentences: &[Vec<Token>], labels: &[String], epochs: u32) -> (BTreeMap<String, f64>, Vec<u64>) {
    let (mut w, mut sum) = (BTreeMap::<String, f64>::new(), BTreeMap::<String, f64>::new());
    let (mut by_epoch, mut t) = (Vec::new(), 0.0);
    for _ in 0..epochs {
        let mut mistakes = 0;
        for sentence in sentences {
            let words: Vec<(&str, &str)> = sentence.iter().map(|(w, p, _)| (w.as_str(), p.as_str())).collect();
            let truth: Vec<&str> = sentence.iter().map(|(_, _, t)| t.as_str()).collect();
            let mut best: Option<(f64, Vec<&str>)> = None;
            for tags in crate::chain::all(labels.len(), truth.len()) {
                let tags: Vec<&str> = tags.iter().map(|&t| labels[t as usize].as_str()).collect();
                let score = phi(&words, &tags).iter().map(|(f, v)| v * w.get(f).copied().unwrap_or(0.0)).sum();
                if best.as_ref().is_none_or(|(most, _)| score > *most) {
                    best = Some((score, tags));
                }
            }
            let answer = best.expect("there is one").1;
            t += 1.0;
            if answer != truth {
                mistakes += 1;
                for (tags, sign) in [(&truth, 1.0), (&answer, -1.0)] {
                    phi(&words, tags).into_iter().for_each(|(f, v)| *w.entry(f).or_default() += sign * v);
                }
            }
            w.iter().for_each(|(f, v)| *sum.entry(f.clone()).or_default() += v);
        }
        by_epoch.push(mistakes);
        if mistakes == 0 {
            break;
        }
    }
    sum.values_mut().for_each(|v| *v /= t);
    sum.retain(|_, v| v.abs() > 1e-12);
    (sum, by_epoch)
}

/// All weights of a tagger, named as in the naive one.
pub(crate) fn weights(tagger: &Tagger) -> BTreeMap<String, f64> {
    let (tags, w) = (tagger.labels.len(), &tagger.weights);
    let name = |tag: usize| tagger.labels.get(tag).map_or("(start)", String::as_str);
    let mut all = BTreeMap::new();
    for feature in 0..w.emissions.len() as u32 {
        for e in w.emissions.row(feature) {
            all.insert(format!("{}|{}", tagger.emission_name(feature), name(e.slot as usize)), e.weight);
        }
    }
    for feature in 0..w.edges.len() as u32 {
        for e in w.edges.row(feature) {
            let (before, tag) = (name(e.slot as usize / tags), name(e.slot as usize % tags));
            all.insert(format!("{}|{before}>{tag}", tagger.edge_name(feature)), e.weight);
        }
    }
    for (slot, v) in w.transitions().into_iter().enumerate() {
        all.insert(format!("{}>{}", name(slot / tags), name(slot % tags)), v);
    }
    for (slot, v) in w.second_order().into_iter().enumerate() {
        let pair = slot / tags;
        all.insert(format!("{}>{}>{}", name(pair / (tags + 1)), name(pair % (tags + 1)), name(slot % tags)), v);
    }
    all.retain(|_, v| v.abs() > 1e-12);
    all
}

proptest! {
    #![proptest_config(cases(60))]

    #[test]
    fn a_tagger_is_its_dull_twin(data in sentences()) {
        let templates = Some(parse("t", TEMPLATES).unwrap());
        let trainer = TaggerTrainer { templates, epochs: 4, order: Order::Cyclic, ..TaggerTrainer::default() };
        let Ok(tagger) = train(&trainer, &file(&data)) else {
            // Only one tag.
            return Ok(());
        };
        let (wanted, by_epoch) = naive(&data, &tagger.labels, 4);
        prop_assert_eq!(&tagger.facts.mistakes_by_epoch, &by_epoch);
        let found = weights(&tagger);
        prop_assert_eq!(found.keys().collect::<Vec<_>>(), wanted.keys().collect::<Vec<_>>());
        for (feature, weight) in &wanted {
            prop_assert!((found[feature] - weight).abs() < 1e-9, "{feature}: {} and {weight}", found[feature]);
        }
    }

    /// The output of a constrained tagger is valid in its scheme.
    #[test]
    fn constraints_are_never_broken(
        data in prop::collection::vec(
            prop::collection::vec(
                (prop::sample::select(vec!["a", "b", "c", "d"]),
                 prop::sample::select(vec!["B-X", "I-X", "E-X", "S-X", "B-Y", "I-Y", "E-Y", "O"])),
                1..6),
            2..8),
        scheme in prop::sample::select(Scheme::ALL.to_vec()),
        beam in prop::option::of(1u32..3),
        dictionary in prop::option::of(Just(1u32)),
        reach in 0usize..3,
    ) {
        let text: String =
            data.iter().map(|s| s.iter().map(|(w, t)| format!("{w} {t}\n")).collect::<String>() + "\n").collect();
        let lines = ["word[-1..1]\n", "word[-1..1]\ntag[-1]\n", "word[-1..1]\ntag[-1]\ntag[-2] tag[-1]\n"];
        let search = beam.map_or(Search::Viterbi, |width| Search::Beam { width, update: Update::MaxViolation });
        let trainer = TaggerTrainer {
            templates: Some(parse("t", lines[reach]).unwrap()),
            constrain: Constrain::By(scheme),
            search,
            dictionary,
            epochs: 2,
            ..TaggerTrainer::default()
        };
        let Ok(tagger) = train(&trainer, &text) else { return Ok(()) };
        for sentence in &data {
            for end in 1..=sentence.len() {
                let words: Vec<[&str; 1]> = sentence[..end].iter().map(|(w, _)| [*w]).collect();
                let tags = tagger.tag(&words);
                let tags: Vec<&str> = tags.iter().map(String::as_str).collect();
                prop_assert!(scheme.holds(&tags), "{scheme:?}: {tags:?}");
            }
        }
    }
}

const CHUNKS: &str = "the D B-NP\ndog N I-NP\nsaw V O\na D B-NP\ncat N I-NP\n\na D B-NP\ndog N I-NP\nran V O\n\n";

#[test]
fn output_is_in_the_scheme_of_the_file() {
    let trainer = TaggerTrainer { encode: Some(Scheme::Iobes), ..TaggerTrainer::default() };
    let tagger = train(&trainer, CHUNKS).unwrap();
    assert!(tagger.labels.iter().any(|label| label == "E-NP"), "{:?}", tagger.labels);
    assert_eq!(tagger.tag(&[["the", "D"], ["cat", "N"], ["ran", "V"]]), ["B-NP", "I-NP", "O"]);
}

#[test]
fn a_dictionary_fixes_the_tags_of_unambiguous_words() {
    let text = "may X\n\nmay X\n\nmay X\n\nbe Y\nmay X\n\nbe Y\n\nbe X\n\n";
    let trainer = TaggerTrainer { dictionary: Some(3), ..TaggerTrainer::default() };
    let tagger = train(&trainer, text).unwrap();
    let words: Vec<&[u8]> = tagger.dictionary.words.iter().collect();
    assert_eq!((words, &tagger.dictionary.tags[..]), (vec![&b"may"[..]], &[0][..]));
    assert_eq!(tagger.tag(&[["may"]]), ["X"]);
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    let make = |seed| {
        let trainer = TaggerTrainer { order: Order::Shuffled { seed }, ..TaggerTrainer::default() };
        train(&trainer, &CHUNKS.repeat(3)).unwrap().to_bytes()
    };
    assert_eq!(make(1), make(1));
    assert_ne!(make(1), make(2), "the seed is written down");
}

#[test]
fn default_templates_suit_the_file() {
    let width = |text: &str| {
        let tagger = train(&TaggerTrainer::default(), text).unwrap();
        tagger.templates.unwrap().to_text()
    };
    let built_in = |name: &str| rosenblatt::structured::template::Templates::built_in(name).unwrap().to_text();
    assert_eq!(width(CHUNKS), built_in("chunk"));
    assert_eq!(width("a B-X\n\nb O\n"), built_in("entity"));
    assert_eq!(width("a D\nb N\n\nb N\n"), built_in("pos"));
}

/// Stops training at the first call.
struct AtOnce;

impl Observer<Perceptron<Chain>> for AtOnce {
    fn stride(&self) -> usize {
        2
    }

    fn advanced(&mut self, _: &Now<'_, Perceptron<Chain>>) -> ControlFlow<Stop> {
        ControlFlow::Break(Stop::Interrupted)
    }
}

#[test]
fn an_observer_can_stop_training() {
    let trainer = TaggerTrainer::default();
    let corpus = trainer.read(&Input::memory("m.conll", CHUNKS), &SequenceOptions::default()).unwrap();
    let tagger = trainer.fit(corpus, &mut AtOnce).unwrap();
    assert_eq!((tagger.facts.stopped.name(), tagger.facts.presented), ("interrupted", 2));
}
