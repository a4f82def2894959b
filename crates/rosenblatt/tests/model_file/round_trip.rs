//! What is written is read back: the same model, and the same bytes again.

use rosenblatt::fit::Checkpoint;
use rosenblatt::rows::{Column, ColumnKind, Dialect, Schema};
use rosenblatt::{ErrorKind, Model, Trainer};

use crate::make::{Parts, checkpoints, fitted, models, refused, two_classes};

#[test]
fn every_kind_of_model_survives_both_forms() {
    for (kind, bytes) in models() {
        let model = Model::from_bytes(kind, &bytes).unwrap();
        assert_eq!(model.to_bytes(), bytes, "{kind}");
        let text = model.to_json();
        for read in [Model::from_json(kind, &text).unwrap(), Model::from_bytes(kind, &text).unwrap()] {
            assert_eq!(read, model, "{kind}");
            assert_eq!(read.to_bytes(), bytes, "{kind}");
            assert_eq!(read.to_json(), text, "{kind}");
        }
    }
}

#[test]
fn every_learners_checkpoint_survives_both_forms() {
    for (name, checkpoint, _) in checkpoints() {
        let bytes = checkpoint.to_bytes();
        let read = Checkpoint::from_bytes(&name, &bytes).unwrap();
        assert_eq!(read, checkpoint, "{name}");
        assert_eq!(read.to_bytes(), bytes, "{name}");
        let text = checkpoint.to_json();
        let from_text = Checkpoint::from_bytes(&name, &text).unwrap();
        assert_eq!(from_text.to_bytes(), bytes, "{name}");
        assert_eq!(from_text.to_json(), text, "{name}");
    }
}

#[test]
fn columns_and_awkward_names_survive() {
    let mut model = fitted("averaged", &two_classes()).model;
    let values = vec!["".to_string(), "a\nb\u{0}".to_string()];
    model.labels = rosenblatt::rows::Labels::new(vec!["\u{1F600}\"\\\r\n".into(), "".into()]);
    model.schema = Schema::Columns {
        columns: vec![Column { name: "\u{7}".into(), at: 3, kind: ColumnKind::Category { values }, missing: None }],
        label: None,
        label_at: 0,
        width: 5,
        header: false,
        dialect: Dialect { delimiter: "|".parse().ok(), na: vec!["-999".into(), "\u{0}".into()] },
        hashed: None,
    };
    let bytes = model.to_bytes();
    assert_eq!(Model::from_bytes("m", &bytes).unwrap(), model);
    assert_eq!(Model::from_json("m", &model.to_json()).unwrap().to_bytes(), bytes);
}

#[test]
fn extreme_numbers_survive_bit_for_bit() {
    let table = two_classes();
    let mut fitted = Trainer::new("perceptron").fit(&table).unwrap();
    let numbers = [f64::MAX, f64::MIN_POSITIVE];
    let tiny = [5e-324, 0.1 + 0.2];
    for values in [numbers, tiny] {
        let weights = rosenblatt::learn::Weights::from_parts(values.to_vec(), vec![-1.0 / 3.0], true);
        fitted.model.hypothesis = rosenblatt::learn::Hypothesis::Linear(weights);
        let bytes = fitted.model.to_bytes();
        assert_eq!(Model::from_json("m", &fitted.model.to_json()).unwrap().to_bytes(), bytes);
        assert_eq!(Model::from_bytes("m", &bytes).unwrap(), fitted.model);
    }
    // Numbers of 64 bits, which a reader that takes them for floating-point numbers would bend.
    fitted.model.facts.data = Some(u64::MAX - 1);
    fitted.model.facts.seed = Some(u64::MAX);
    assert_eq!(Model::from_json("m", &fitted.model.to_json()).unwrap().facts, fitted.model.facts);
}

#[test]
fn equal_models_are_equal_files_although_zero_has_two_signs() {
    let mut model = fitted("perceptron", &two_classes()).model;
    let with = |zero: f64| {
        let weights = rosenblatt::learn::Weights::from_parts(vec![zero, 1.0], vec![zero], true);
        rosenblatt::learn::Hypothesis::Linear(weights)
    };
    model.hypothesis = with(0.0);
    let (bytes, text) = (model.to_bytes(), model.to_json());
    model.hypothesis = with(-0.0);
    assert_eq!((model.to_bytes(), model.to_json()), (bytes.clone(), text));
    assert_eq!(Model::from_bytes("m", &bytes).unwrap(), model);
}

#[test]
fn the_header_may_have_its_fields_in_any_order_and_white_space() {
    let (_, bytes) = models().remove(0);
    let model = Model::from_bytes("m", &bytes).unwrap();
    // Taking a file apart and joining it again sorts the fields.
    let parts = Parts::of(&bytes);
    assert_eq!(Model::from_bytes("m", &parts.sign()).unwrap(), model);
    let pretty = parts.header().replace(",\"", " ,\n\t\"");
    assert_eq!(Model::from_bytes("m", &crate::make::sign(&pretty, &parts.blob())).unwrap(), model);
}

#[test]
fn one_is_not_taken_for_the_other() {
    let fitted = fitted("averaged", &two_classes());
    let told = Model::from_bytes("m", &fitted.checkpoint.as_ref().unwrap().to_bytes()).unwrap_err();
    assert!(told.message().to_string().contains("a checkpoint, not a model"), "{told}");
    let told = Checkpoint::from_bytes("m", &fitted.model.to_bytes()).unwrap_err();
    assert!(told.message().to_string().contains("a finished model"), "{told}");
}

#[test]
fn every_flipped_bit_is_noticed() {
    for (kind, bytes) in models() {
        for i in 0..bytes.len() * 8 {
            let mut flipped = bytes.clone();
            flipped[i / 8] ^= 1 << (i % 8);
            assert!(Model::from_bytes(kind, &flipped).is_err(), "{kind}: bit {i}");
        }
    }
}

#[test]
fn every_truncation_and_every_addition_is_noticed() {
    let mut files = models();
    files.push(("checkpoint", fitted("pocket", &two_classes()).checkpoint.as_ref().unwrap().to_bytes()));
    for (_, bytes) in files {
        for end in 0..bytes.len() {
            refused(&bytes[..end]);
        }
        for more in [&b"\0"[..], b"\n", b"12345678"] {
            refused(&[&bytes[..], more].concat());
        }
    }
}

#[test]
fn every_truncation_of_the_json_form_is_noticed() {
    let text = fitted("voted", &two_classes()).model.to_json();
    for end in 0..text.len() - 1 {
        refused(&text[..end]);
    }
    refused(&[&text[..], b"{}"].concat());
}

#[test]
fn paths_that_are_no_model() {
    let folder = tempfile::tempdir().unwrap();
    let kind = |path: &std::path::Path| Model::load(path).unwrap_err().kind();
    assert_eq!(kind(folder.path()), ErrorKind::Io);
    assert_eq!(kind(&folder.path().join("none")), ErrorKind::Io);
    std::fs::write(folder.path().join("empty"), b"").unwrap();
    assert_eq!(kind(&folder.path().join("empty")), ErrorKind::Model);
    let named = folder.path().join("two\nlines");
    std::fs::write(&named, b"hello").unwrap();
    let told = Model::load(&named).unwrap_err().to_string();
    assert!(told.contains("two\\nlines") && !told.contains('\n'), "{told}");
}

#[test]
fn a_name_that_ends_in_json_is_written_as_json() {
    let folder = tempfile::tempdir().unwrap();
    let model = fitted("averaged", &two_classes()).model;
    for (name, first) in [("m.json", b'{'), ("m.JSON", b'{'), ("m.rosenblatt", b'R'), ("json", b'R')] {
        let path = folder.path().join(name);
        model.save(&path).unwrap();
        assert_eq!(std::fs::read(&path).unwrap()[0], first, "{name}");
        assert_eq!(Model::load(&path).unwrap(), model);
    }
}
