//! Any bytes as a model file: refused in one line, or a model that writes, reads and predicts.
//!
//! The checksum rejects almost every mutation, so the bytes are tried as they are, and again with a corrected frame and
//! checksum.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rosenblatt::fit::{Checkpoint, Data, Delta, Mixture, With};
use rosenblatt::rows::{DenseMatrix, Matrix};
use rosenblatt::structured::{Tagger, TaggerCheckpoint};
use rosenblatt::{Error, ErrorKind, Model, Table};

fuzz_target!(|bytes: &[u8]| {
    attempt(bytes);
    if let Some(signed) = signed(bytes) {
        attempt(&signed);
    }
});

/// The same body with a valid magic, version and checksum, the header's length made a multiple of eight.
fn signed(bytes: &[u8]) -> Option<Vec<u8>> {
    let body = bytes.len().checked_sub(4).filter(|&n| n >= 24)?;
    let mut signed = bytes[..body].to_vec();
    let version = 1 + signed[8] % 3;
    signed[..16].copy_from_slice(b"RSNBLATT\x01\0\0\0\0\0\0\0");
    signed[8] = version;
    signed[16] &= !7;
    signed.extend_from_slice(&crc32fast::hash(&signed).to_le_bytes());
    Some(signed)
}

fn attempt(bytes: &[u8]) {
    match Model::from_bytes("a\nfile", bytes) {
        Ok(model) => use_model(&model),
        Err(e) => check_message(&e),
    }
    match Checkpoint::from_bytes("a\nfile", bytes) {
        Ok(checkpoint) => use_checkpoint(&checkpoint),
        Err(e) => check_message(&e),
    }
    match Tagger::from_bytes("a\nfile", bytes) {
        Ok(tagger) => {
            let written = tagger.to_bytes();
            let again = Tagger::from_bytes("again", &written).expect("what was loaded can be written and loaded");
            assert_eq!(again.to_bytes(), written);
            tagger.tag(&[["a", "b"], ["c", "d"]]);
        }
        Err(e) => check_message(&e),
    }
    match TaggerCheckpoint::from_bytes("a\nfile", bytes) {
        Ok(checkpoint) => {
            let written = checkpoint.to_bytes();
            let again =
                TaggerCheckpoint::from_bytes("again", &written).expect("what was loaded can be written and loaded");
            assert_eq!(again.to_bytes(), written);
        }
        Err(e) => check_message(&e),
    }
    match Mixture::from_bytes("a\nfile", bytes) {
        Ok(mixture) => {
            let written = mixture.to_bytes();
            let again = Mixture::from_bytes("again", &written).expect("what was loaded can be written and loaded");
            assert_eq!(again.to_bytes(), written);
        }
        Err(e) => check_message(&e),
    }
    match Delta::from_bytes("a\nfile", bytes) {
        Ok(delta) => {
            let written = delta.to_bytes();
            let again = Delta::from_bytes("again", &written).expect("what was loaded can be written and loaded");
            assert_eq!(again.to_bytes(), written);
        }
        Err(e) => check_message(&e),
    }
}

fn check_message(error: &Error) {
    let text = error.to_string();
    assert!(!text.contains(char::is_control), "{text:?}");
    assert!(text.len() < 4096, "{text}");
    assert_eq!(error.kind(), ErrorKind::Model, "{text}");
}

fn use_model(model: &Model) {
    let written = model.to_bytes();
    let again = Model::from_bytes("again", &written).expect("what was loaded can be written and loaded");
    assert_eq!(&again, model);
    assert_eq!(again.to_bytes(), written);
    let from_text = Model::from_json("json", &model.to_json()).expect("the JSON form loads too");
    assert_eq!(from_text.to_bytes(), written);

    let features = model.hypothesis.features();
    assert_eq!(model.schema.features(), features);
    assert_eq!(model.schema.feature_names().len(), features);
    for value in [0.0, 1.0, -1e300] {
        model.predict(&vec![value; features]).expect("a row of the right length has a label");
    }
    model.hypothesis.hyperplane();
}

fn use_checkpoint(checkpoint: &Checkpoint) {
    let written = checkpoint.to_bytes();
    let again = Checkpoint::from_bytes("again", &written).expect("what was loaded can be written and loaded");
    assert_eq!(&again, checkpoint);
    assert_eq!(again.to_bytes(), written);
    resume(checkpoint);
}

/// Trains two more passes on synthetic data of the right shape.
fn resume(checkpoint: &Checkpoint) {
    let (n, features) = (checkpoint.failures.len(), checkpoint.schema.features());
    let classes = checkpoint.labels.len();
    if n == 0 || features == 0 || n * features > 1 << 12 || classes > 16 {
        return;
    }
    let table = Table {
        matrix: Matrix::Dense(DenseMatrix {
            values: (0..n * features).map(|i| (i % 7) as f64 - 3.0).collect(),
            features,
        }),
        classes: (0..n).map(|i| (i % classes) as u32).collect(),
        labels: checkpoint.labels.clone(),
        weights: None,
        schema: checkpoint.schema.clone(),
    };
    let trainer = checkpoint.trainer(checkpoint.progress.epochs() + 2);
    match trainer.fit_with(Data::Table(&table), With { resume: Some(checkpoint), ..With::default() }) {
        Ok(fitted) => use_model(&fitted.model),
        Err(e) => assert!(!e.to_string().contains(char::is_control), "{e}"),
    }
}
