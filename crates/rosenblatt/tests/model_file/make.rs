//! Small files of every kind, and a forger who signs them again after changing them.

use rosenblatt::evaluate::calibrate;
use rosenblatt::fit::{Checkpoint, ClassWeights, Data, Fitted, HeldBack, Order, Start, With};
use rosenblatt::learn::keep::KeepKind;
use rosenblatt::learn::learners::Multiclass;
use rosenblatt::{ErrorKind, Model, Table, Trainer};
use serde_json::Value;

use crate::memory::most_held;

/// Two classes in the plane.
pub(crate) fn two_classes() -> Table {
    let rows = [[2.0, 1.0], [1.0, 3.5], [-1.0, -2.0], [-0.25, -1.0], [0.5, -1.0]];
    Table::dense(&rows, &["up", "up", "down", "down", "up"]).unwrap()
}

/// Three classes, like irises: four measures each.
pub(crate) fn three_classes() -> Table {
    let rows = [
        [5.1, 3.5, 1.4, 0.2],
        [4.9, 3.0, 1.4, 0.2],
        [7.0, 3.2, 4.7, 1.4],
        [6.4, 3.2, 4.5, 1.5],
        [6.3, 3.3, 6.0, 2.5],
        [5.8, 2.7, 5.1, 1.9],
    ];
    Table::dense(&rows, &["setosa", "setosa", "versicolor", "versicolor", "virginica", "virginica"]).unwrap()
}

pub(crate) fn fitted(learner: &str, table: &Table) -> Fitted {
    Trainer::new(learner).epochs(3).fit(table).unwrap()
}

/// A model whose passes were judged on held-back examples, the best kept, and that knows probabilities.
pub(crate) fn judged(learner: &str, table: &Table) -> Model {
    let trainer = Trainer::new(learner).epochs(4);
    let held = With { held: Some(HeldBack::Table(table)), patience: Some(1), ..With::default() };
    let mut model = trainer.fit_with(Data::Table(table), held).unwrap().model;
    let calibration = calibrate(|part| trainer.fit(part), table, 0).unwrap();
    model.calibration = Some(calibration.scaled(model.hypothesis.scale().unwrap()));
    model
}

/// A model of every kind, as bytes, with what it is.
pub(crate) fn models() -> Vec<(&'static str, Vec<u8>)> {
    let many = |multiclass| {
        let trainer = Trainer::new("voted").epochs(3).multiclass(multiclass);
        trainer.fit(&three_classes()).unwrap().model.to_bytes()
    };
    vec![
        ("linear-binary", fitted("averaged", &two_classes()).model.to_bytes()),
        ("linear-multiclass", fitted("arow", &three_classes()).model.to_bytes()),
        ("voted-binary", fitted("voted", &two_classes()).model.to_bytes()),
        ("voted-sign", many(Multiclass::OneVsRest)),
        ("voted-arg-max", many(Multiclass::Single)),
        ("judged", judged("averaged", &two_classes()).to_bytes()),
        ("judged-voted", judged("voted", &three_classes()).to_bytes()),
    ]
}

/// A checkpoint of every learner and every way to keep, for two classes and for many.
pub(crate) fn checkpoints() -> Vec<(String, Checkpoint, Table)> {
    let mut all = Vec::new();
    for entry in rosenblatt::learn::learners::all() {
        for &keep in KeepKind::ALL {
            if keep != entry.keep && !entry.other_keeps {
                continue;
            }
            for (table, multiclass) in [
                (two_classes(), Multiclass::Single),
                (three_classes(), Multiclass::Uniform),
                (three_classes(), Multiclass::OneVsRest),
            ] {
                let trainer = Trainer::new(entry.name).epochs(2).keep(keep).multiclass(multiclass);
                let name = format!("{} keeping {} {multiclass:?}", entry.name, keep.name());
                all.push((name, trainer.fit(&table).unwrap().checkpoint.unwrap(), table));
            }
        }
    }
    let given = Trainer::new("perceptron")
        .order(Order::Given(vec![0, 2, 2, 1]))
        .class_weights(ClassWeights::Given([("up".to_string(), 2.5)].into()))
        .start(Start::At(rosenblatt::learn::Weights::from_parts(vec![1.0, -0.5], vec![0.0], false)))
        .bias(false)
        .epochs(2);
    let table = two_classes();
    all.push(("everything given".into(), given.fit(&table).unwrap().checkpoint.unwrap(), table));
    all
}

/// A file taken apart.
pub(crate) struct Parts {
    version: u32,
    pub(crate) content: Value,
    pub(crate) arrays: Vec<Part>,
}

/// One array: what the header says of it, and its bytes.
#[derive(Clone)]
pub(crate) struct Part {
    pub(crate) name: String,
    pub(crate) kind: String,
    pub(crate) length: u64,
    pub(crate) data: Vec<u8>,
}

impl Parts {
    pub(crate) fn of(bytes: &[u8]) -> Parts {
        let length = u64::from_le_bytes(bytes[16..24].try_into().unwrap()) as usize;
        let mut header: Value = serde_json::from_slice(&bytes[24..24 + length]).unwrap();
        let mut at = 24 + length;
        let mut arrays = Vec::new();
        for a in header["arrays"].as_array().unwrap() {
            let kind = a["type"].as_str().unwrap().to_string();
            let length = a["length"].as_u64().unwrap();
            let size = length as usize * if kind == "u32" { 4 } else { 8 };
            let name = a["name"].as_str().unwrap().to_string();
            arrays.push(Part { name, kind, length, data: bytes[at..at + size].to_vec() });
            at += size.next_multiple_of(8);
        }
        let version = u32::from_le_bytes(bytes[8..12].try_into().unwrap());
        Parts { version, content: header["content"].take(), arrays }
    }

    pub(crate) fn array(&mut self, name: &str) -> &mut Part {
        self.arrays.iter_mut().find(|a| a.name == name).unwrap_or_else(|| panic!("no array {name}"))
    }

    /// Replaces an array's numbers, whose type stays.
    pub(crate) fn put(&mut self, name: &str, numbers: &[f64]) {
        let part = self.array(name);
        part.length = numbers.len() as u64;
        part.data = numbers
            .iter()
            .flat_map(|&v| match part.kind.as_str() {
                "f64" => v.to_le_bytes().to_vec(),
                "u64" => (v as u64).to_le_bytes().to_vec(),
                _ => (v as u32).to_le_bytes().to_vec(),
            })
            .collect();
    }

    pub(crate) fn header(&self) -> String {
        let declared = |a: &Part| serde_json::json!({ "name": a.name, "type": a.kind, "length": a.length });
        let arrays: Vec<Value> = self.arrays.iter().map(declared).collect();
        serde_json::json!({ "arrays": arrays, "content": self.content }).to_string()
    }

    pub(crate) fn blob(&self) -> Vec<u8> {
        let mut blob = Vec::new();
        for a in &self.arrays {
            blob.extend_from_slice(&a.data);
            blob.resize(blob.len().next_multiple_of(8), 0);
        }
        blob
    }

    pub(crate) fn sign(&self) -> Vec<u8> {
        frame(self.version, &self.header(), &self.blob())
    }

    /// The same lie in the JSON form.
    pub(crate) fn json(&self) -> Vec<u8> {
        let numbers = |a: &Part| -> Value {
            match a.kind.as_str() {
                "f64" => a.data.as_chunks().0.iter().map(|b| f64::from_le_bytes(*b)).collect(),
                "u64" => a.data.as_chunks().0.iter().map(|b| u64::from_le_bytes(*b)).collect(),
                _ => a.data.as_chunks().0.iter().map(|b| u32::from_le_bytes(*b)).collect(),
            }
        };
        let arrays: serde_json::Map<String, Value> = self
            .arrays
            .iter()
            .map(|a| (a.name.clone(), serde_json::json!({ "type": a.kind, "values": numbers(a) })))
            .collect();
        serde_json::json!({ "rosenblatt": self.version, "content": self.content, "arrays": arrays })
            .to_string()
            .into_bytes()
    }
}

/// A frame of the first version with a true checksum around any header and any arrays.
pub(crate) fn sign(header: &str, blob: &[u8]) -> Vec<u8> {
    frame(1, header, blob)
}

fn frame(version: u32, header: &str, blob: &[u8]) -> Vec<u8> {
    let mut header = header.as_bytes().to_vec();
    header.resize(header.len().next_multiple_of(8), b' ');
    let mut bytes = b"RSNBLATT".to_vec();
    bytes.extend_from_slice(&version.to_le_bytes());
    bytes.extend_from_slice(&[0; 4]);
    bytes.extend_from_slice(&(header.len() as u64).to_le_bytes());
    bytes.extend_from_slice(&header);
    bytes.extend_from_slice(blob);
    resign(bytes)
}

/// A checksum after the bytes.
pub(crate) fn resign(mut bytes: Vec<u8>) -> Vec<u8> {
    let checksum = crc32fast::hash(&bytes);
    bytes.extend_from_slice(&checksum.to_le_bytes());
    bytes
}

/// The sentence with which both loaders refuse the bytes: one line, of the right kind, for little memory.
pub(crate) fn refused(bytes: &[u8]) -> String {
    let (model, held) = most_held(|| Model::from_bytes("m", bytes));
    let (checkpoint, also_held) = most_held(|| Checkpoint::from_bytes("m", bytes));
    let (model, checkpoint) = (model.map(drop), checkpoint.map(drop));
    let model = model.expect_err("a lie was believed");
    let checkpoint = checkpoint.expect_err("a lie was believed");
    for error in [&model, &checkpoint] {
        let text = error.to_string();
        assert_eq!(error.kind(), ErrorKind::Model, "{text}");
        assert!(text.starts_with("m: ") && text.len() > 12 && text.len() < 2000, "{text}");
        assert!(!text.contains(char::is_control), "{text:?}");
    }
    let allowed = 64 * bytes.len() + (16 << 10);
    assert!(held.max(also_held) <= allowed, "{} bytes for a file of {}", held.max(also_held), bytes.len());
    let generic = model.message().to_string().starts_with("a checkpoint, not");
    if generic { checkpoint.message().to_string() } else { model.message().to_string() }
}

/// The sentence that refuses what `change` makes of a file, in both forms; it must hold `says`.
pub(crate) fn lie(bytes: &[u8], says: &str, change: impl FnOnce(&mut Parts)) {
    let mut parts = Parts::of(bytes);
    change(&mut parts);
    for bytes in [parts.sign(), parts.json()] {
        let told = refused(&bytes);
        assert!(told.contains(says), "expected \"{says}\", got \"{told}\"");
    }
}

/// As [`lie`], for lies that only the binary form can tell.
pub(crate) fn binary_lie(bytes: &[u8], says: &str, change: impl FnOnce(&mut Parts)) {
    let mut parts = Parts::of(bytes);
    change(&mut parts);
    let told = refused(&parts.sign());
    assert!(told.contains(says), "expected \"{says}\", got \"{told}\"");
}
