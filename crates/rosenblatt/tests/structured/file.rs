//! Tagger files: round trips, and contradictions are refused.

use rosenblatt::io::Input;
use rosenblatt::structured::chain::{Search, Update};
use rosenblatt::structured::read::SequenceOptions;
use rosenblatt::structured::template::parse;
use rosenblatt::structured::{Constrain, Scheme, Tagger, TaggerTrainer};
use rosenblatt::{ErrorKind, Model};
use serde_json::{Value, json};

fn fit(trainer: &TaggerTrainer, name: &str, text: &str) -> Tagger {
    let corpus = trainer.read(&Input::memory(name, text), &SequenceOptions::default()).unwrap();
    trainer.fit(corpus, &mut ()).unwrap()
}

const CHUNKS: &str = "the D B-NP\ndog N I-NP\nsaw V O\nthe D B-NP\ncät N I-NP\n\na D B-NP\ndog N I-NP\nran V O\n\nhe P B-NP\nran V O\n\n";

/// A tagger with every optional part.
fn rich() -> Tagger {
    let set = "word[-1..1]\nshape(word) pos[1]\nfirst\ntag[-1]\ntag[-1] pos\ntag[-2] tag[-1]\n";
    let trainer = TaggerTrainer {
        templates: Some(parse("t", set).unwrap()),
        constrain: Constrain::Found,
        encode: Some(Scheme::Iobes),
        dictionary: Some(2),
        search: Search::Beam { width: 3, update: Update::Early },
        ..TaggerTrainer::default()
    };
    fit(&trainer, "m.conll", CHUNKS)
}

fn taggers() -> Vec<Tagger> {
    let plain = TaggerTrainer::default();
    let alone = TaggerTrainer { templates: Some(parse("t", "word").unwrap()), averaged: false, ..plain.clone() };
    vec![
        rich(),
        fit(&plain, "m.conll", CHUNKS),
        fit(&alone, "m.conll", CHUNKS),
        fit(&plain, "m.crfsuite", "A\tx:0.5\tz\n\nB\ty:2\n\n"),
        fit(&plain, "m.conllu", "1\tDo\t_\tAUX\t_\t_\t_\t_\t_\t_\n2\tgo\t_\tVERB\t_\t_\t_\t_\t_\t_\n\n"),
    ]
}

#[test]
fn round_trips() {
    for tagger in taggers() {
        let bytes = tagger.to_bytes();
        let back = Tagger::from_bytes("m", &bytes).unwrap();
        assert_eq!(back, tagger);
        assert_eq!(back.to_bytes(), bytes);
        let json = tagger.to_json();
        let back = Tagger::from_bytes("m", &json).unwrap();
        assert_eq!((back.to_bytes(), back.to_json()), (bytes.clone(), json));
        let told = Model::from_bytes("m", &bytes).unwrap_err();
        assert_eq!(told.kind(), ErrorKind::Model);
        assert!(told.to_string().contains("a tagger, which answers with tags"), "{told}");
    }
}

#[test]
fn every_changed_or_missing_byte_is_refused() {
    let bytes = rich().to_bytes();
    for end in 0..bytes.len() {
        assert!(Tagger::from_bytes("m", &bytes[..end]).is_err(), "cut at {end}");
    }
    for at in (0..bytes.len()).step_by(7) {
        let mut other = bytes.clone();
        other[at] ^= 1;
        assert!(Tagger::from_bytes("m", &other).is_err(), "byte {at}");
    }
}

/// The JSON form, changed, must be refused with this message.
fn lie(tagger: &Tagger, told: &str, change: impl FnOnce(&mut Value)) {
    let mut form: Value = serde_json::from_slice(&tagger.to_json()).unwrap();
    change(&mut form);
    let error = Tagger::from_bytes("m", &serde_json::to_vec(&form).unwrap()).expect_err(told);
    assert_eq!(error.kind(), ErrorKind::Model, "{error}");
    assert!(error.to_string().contains(told), "{error}, where {told} was expected");
}

fn values<'a>(form: &'a mut Value, array: &str) -> &'a mut Vec<Value> {
    form["arrays"][array]["values"].as_array_mut().unwrap_or_else(|| panic!("{array}"))
}

#[test]
fn every_array_is_required_and_checked() {
    let rich = rich();
    let form: Value = serde_json::from_slice(&rich.to_json()).unwrap();
    let names: Vec<String> = form["arrays"].as_object().unwrap().keys().cloned().collect();
    assert_eq!(names.len(), 15);
    for name in &names {
        lie(&rich, "no array", |f| drop(f["arrays"].as_object_mut().unwrap().remove(name)));
        lie(&rich, "", |f| drop(values(f, name).pop()));
        lie(&rich, "", |f| {
            let last = values(f, name).last().unwrap().clone();
            values(f, name).push(last);
        });
        let other = if form["arrays"][name]["type"] == "u64" { "u32" } else { "u64" };
        lie(&rich, "", |f| f["arrays"][name]["type"] = json!(other));
    }
    lie(&rich, "does not belong", |f| f["arrays"]["more"] = json!({"type": "u8", "values": []}));
}

#[test]
fn every_number_is_checked() {
    let rich = rich();
    lie(&rich, "no such template", |f| values(f, "emissions")[0] = json!(99));
    lie(&rich, "no such value", |f| values(f, "emissions")[1] = json!(4_000_000_000u32));
    lie(&rich, "its tags must exist", |f| values(f, "emissions.tags")[0] = json!(4_000_000_000u32));
    lie(&rich, "a weight of zero", |f| values(f, "emissions.weights")[0] = json!(0.0));
    lie(&rich, "weights that are not there", |f| values(f, "emissions.ends")[0] = json!(u64::MAX));
    lie(&rich, "no weights", |f| values(f, "edges.ends")[0] = json!(0));
    lie(&rich, "has no such end", |f| values(f, "values.ends")[0] = json!(u64::MAX));
    lie(&rich, "is not UTF-8", |f| values(f, "values")[0] = json!(255));
    lie(&rich, "must have one of the tags", |f| values(f, "words.tags")[0] = json!(77));
    lie(&rich, "a text twice", |f| {
        let ends = values(f, "values.ends");
        ends[1] = ends[0].clone();
        ends[2] = ends[0].clone();
    });
}

#[test]
fn the_header_is_checked() {
    let rich = rich();
    let tags = |names: &[&str]| json!(names);
    lie(&rich, "1 tags", |f| f["content"]["labels"] = tags(&["O"]));
    lie(&rich, "two of one name", |f| f["content"]["labels"][1] = f["content"]["labels"][0].clone());
    lie(&rich, "but no tag O", |f| {
        let labels = f["content"]["labels"].as_array_mut().unwrap();
        let at = labels.iter().position(|label| label == "O").unwrap();
        labels[at] = json!("X");
    });
    lie(&rich, "no column is called", |f| f["content"]["templates"] = json!("wrod[0]\n"));
    lie(&rich, "not in canonical form", |f| {
        let text = f["content"]["templates"].as_str().unwrap().to_string();
        f["content"]["templates"] = json!(format!("# hidden\n{text}"));
    });
    lie(&rich, "contradict each other", |f| f["content"]["templates"] = Value::Null);
    lie(&rich, "contradict each other", |f| f["content"]["layout"]["format"] = json!("crfsuite"));
    lie(&rich, "use a column that is not there", |f| {
        f["content"]["layout"]["columns"] = json!(1);
        f["content"]["layout"]["tag_at"] = json!(1);
    });
    lie(&rich, "outside the file", |f| f["content"]["layout"]["tag_at"] = json!(9));
    lie(&rich, "a beam of no width", |f| f["content"]["search"]["beam"]["width"] = json!(0));
    lie(&rich, "unknown variant", |f| f["content"]["search"] = json!("astar"));
    lie(&rich, "unknown field", |f| f["content"]["more"] = json!(1));
    lie(&rich, "contradict each other", |f| f["content"]["facts"]["mistakes"] = json!(u64::MAX));
    lie(&rich, "a shuffled order has a seed, and no other order has one", |f| {
        f["content"]["facts"]["seed"] = Value::Null
    });
    lie(&rich, "averaged or perceptron", |f| f["content"]["facts"]["learner"] = json!("arow"));
    lie(&rich, "version", |f| f["rosenblatt"] = json!(1));
    let attributes = &taggers()[3];
    lie(attributes, "where there are only attributes", |f| {
        values(f, "words").push(json!(97));
        values(f, "words.ends").push(json!(1));
        values(f, "words.tags").push(json!(0));
    });
}
