//! Files of version 1, from its first release on kept for ever: whatever else changes, they load, and are written again
//! byte for byte.
//!
//! They are the seeds of the fuzzer too. A change that breaks this test is a change of the format: see FORMAT.md.

use std::path::PathBuf;

use rosenblatt::Model;
use rosenblatt::fit::Checkpoint;
use rosenblatt::rows::{Column, ColumnKind, Dialect, Labels, Schema};

use crate::make::{checkpoints, fitted, models, two_classes};

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds/model_file")
}

#[test]
fn the_files_of_version_1_still_load() {
    let mut count = 0;
    for entry in std::fs::read_dir(folder()).expect("the seeds are part of the repository") {
        let path = entry.unwrap().path();
        let name = path.display().to_string();
        let bytes = std::fs::read(&path).unwrap();
        let written = match name.contains("checkpoint") {
            true => {
                let checkpoint = Checkpoint::from_bytes(&name, &bytes).unwrap();
                if name.ends_with("json") { checkpoint.to_json() } else { checkpoint.to_bytes() }
            }
            false => {
                let model = Model::from_bytes(&name, &bytes).unwrap();
                if name.ends_with("json") { model.to_json() } else { model.to_bytes() }
            }
        };
        assert!(written == bytes, "{name}: the bytes are not the same");
        count += 1;
    }
    assert!(count >= 20, "{count} files in {}", folder().display());
}

#[test]
#[ignore = "writes the files anew: only when the version changes"]
fn write_the_files() {
    std::fs::create_dir_all(folder()).unwrap();
    let write = |name: String, bytes: Vec<u8>| std::fs::write(folder().join(name), bytes).unwrap();
    let mut columns = fitted("averaged", &two_classes()).model;
    columns.labels = Labels::new(vec!["no".into(), "yes".into()]);
    columns.schema = Schema::Columns {
        columns: vec![Column {
            name: "colour".into(),
            at: 1,
            kind: ColumnKind::Category { values: vec!["blue".into(), "red".into()] },
            missing: None,
        }],
        label: Some("label".into()),
        label_at: 0,
        width: 2,
        header: true,
        dialect: Dialect::default(),
        hashed: None,
    };
    for (kind, bytes) in models().into_iter().chain([("columns", columns.to_bytes())]) {
        write(format!("{kind}.json"), Model::from_bytes(kind, &bytes).unwrap().to_json());
        write(format!("{kind}.model"), bytes);
    }
    for (name, checkpoint, _) in checkpoints() {
        let own =
            ["averaged keeping average", "voted keeping vote", "pocket keeping pocket", "arow", "batch", "everything"];
        if own.iter().any(|start| name.starts_with(start)) && !name.contains("Uniform") {
            let name = name.replace(' ', "-").to_lowercase();
            write(format!("checkpoint-{name}.model"), checkpoint.to_bytes());
            write(format!("checkpoint-{name}.json"), checkpoint.to_json());
        }
    }
}
