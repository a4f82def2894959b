//! Forged caches with right checksums: each lie is noticed, the cache is built again, and the model is that of the file.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use twox_hash::XxHash3_64;

use super::file::{FileData, Storage};
use super::{Data, Fitted, Trainer, With};
use crate::error::Result;
use crate::io::Input;
use crate::random::Stream;
use crate::read::ReadOptions;

const HEAD: usize = 16;
const TAIL: usize = 24;

/// A cache in parts, which are signed again after a change.
#[derive(Clone)]
struct Forged {
    blocks: Vec<u8>,
    contents: Value,
}

impl Forged {
    fn read(place: &Path) -> Self {
        let bytes = std::fs::read(place).unwrap();
        let end = bytes.len() - TAIL;
        let length = u64::from_le_bytes(bytes[end..end + 8].try_into().unwrap()) as usize;
        let contents = serde_json::from_slice(&bytes[end - length..end]).unwrap();
        Forged { blocks: bytes[HEAD..end - length].to_vec(), contents }
    }

    /// Bytes of a block.
    fn size(part: &Value) -> Option<usize> {
        let count = |key: &str| part[key].as_u64().and_then(|n| usize::try_from(n).ok());
        let index = match part["form"]["indices"].as_str()? {
            "none" => 0,
            "u16" => 2,
            _ => 4,
        };
        let number = if part["form"]["numbers"] == "f64" { 8 } else { 4 };
        count("rows")?.checked_mul(8)?.checked_add(count("values")?.checked_mul(index + number)?)
    }

    fn write(mut self, place: &Path) {
        let mut at = 0usize;
        for part in self.contents["parts"].as_array_mut().into_iter().flatten() {
            let end = Self::size(part).and_then(|size| at.checked_add(size)).filter(|end| *end <= self.blocks.len());
            let Some(end) = end else { break };
            part["checksum"] = json!(XxHash3_64::oneshot(&self.blocks[at..end]));
            at = end;
        }
        let contents = serde_json::to_vec(&self.contents).unwrap();
        let (length, checksum) = (contents.len() as u64, XxHash3_64::oneshot(&contents));
        let head = [&b"RSNCACHE"[..], &4u32.to_le_bytes(), &[0; 4]].concat();
        let tail = [&length.to_le_bytes()[..], &checksum.to_le_bytes(), b"RSNCACHE"].concat();
        std::fs::write(place, [head, self.blocks, contents, tail].concat()).unwrap();
    }
}

struct Bench {
    _dir: tempfile::TempDir,
    input: Input,
    place: PathBuf,
    options: ReadOptions,
}

impl Bench {
    fn new(name: &str, text: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let data = dir.path().join(name);
        std::fs::write(&data, text).unwrap();
        let place = dir.path().join("cache");
        Bench { input: Input::Path(data), place, options: ReadOptions::default(), _dir: dir }
    }

    fn fit(&self) -> Result<Fitted> {
        let storage = Storage::Cache(self.place.clone());
        let data = Data::File(FileData::new(&self.input, &self.options, &storage));
        Trainer::new("averaged").epochs(3).fit_with(data, With::default())
    }

    fn model(&self) -> Vec<u8> {
        self.fit().unwrap().model.to_bytes()
    }

    /// A lie must not change the model, and must not be there any more afterwards.
    fn finds(&self, lie: &str, tell: impl FnOnce(&mut Forged)) {
        let honest = self.model();
        let cache = std::fs::read(&self.place).unwrap();
        let mut forged = Forged::read(&self.place);
        tell(&mut forged);
        forged.write(&self.place);
        assert_ne!(std::fs::read(&self.place).unwrap(), cache, "{lie}: no lie");
        assert!(self.model() == honest, "{lie}");
        assert!(std::fs::read(&self.place).unwrap() == cache, "{lie}: the cache was not built again");
    }
}

const SPARSE: &str = "+1 1:1 3:0.5\n-1 2:1.5 3:1\n+1 1:2 4:1\n-1 2:0.25 4:-3\n3 3:1 5:2\n";
const DENSE: &str = "a,b,label\n1,2.5,yes\n-1,0.5,no\n2,1,yes\n-3,0.25,no\n";

/// The first four rows of a block of u16 indices: ends, labels, indices, numbers.
fn set(bytes: &mut [u8], at: usize, value: &[u8]) {
    bytes[at..at + value.len()].copy_from_slice(value);
}

#[test]
fn honest_caches_are_used_again() {
    for (name, text) in [("a.svm", SPARSE), ("b.svm", "1 0:1\n2 0:2 7:1\n"), ("c.csv", DENSE)] {
        let bench = Bench::new(name, text);
        let first = bench.model();
        // Built again, it would get a new time.
        let time = || bench.place.metadata().unwrap().modified().unwrap();
        let before = time();
        assert_eq!(bench.model(), first, "{name}");
        assert_eq!(time(), before, "{name}");
        let forged = Forged::read(&bench.place);
        let bytes = std::fs::read(&bench.place).unwrap();
        forged.write(&bench.place);
        assert_eq!(std::fs::read(&bench.place).unwrap().len(), bytes.len());
    }
}

/// Zeros are not stored, so the cache does not show that the last feature exists: it is built again.
#[test]
fn a_last_feature_that_is_zero_everywhere_is_kept() {
    let bench = Bench::new("a.svm", "+1 1:1 5:0\n-1 1:-1\n");
    let model = bench.model();
    assert_eq!(bench.model(), model);
    assert_eq!(bench.fit().unwrap().model.schema.features(), 5);
}

#[test]
fn lies_about_sparse_rows_are_noticed() {
    let bench = Bench::new("a.svm", SPARSE);
    let rows = 5;
    let contents: [(&str, &str, Value); 11] = [
        ("two to the 31 features", "/schema/features", json!(1u64 << 31)),
        ("one feature too many", "/schema/features", json!(6)),
        ("one too few", "/schema/features", json!(4)),
        ("an odd first index", "/schema/first", json!(7)),
        ("counted from 0", "/schema/first", json!(0)),
        ("a shift", "/shift", json!(1)),
        ("a huge shift", "/shift", json!(u32::MAX)),
        ("a dense width", "/width", json!(5)),
        ("a label twice", "/labels", json!(["+1", "-1", "1.0"])),
        ("a label that does not occur", "/labels", json!(["+1", "-1", "3", "4"])),
        ("one label", "/labels", json!(["+1"])),
    ];
    for (lie, pointer, value) in contents {
        bench.finds(lie, |forged| *forged.contents.pointer_mut(pointer).unwrap() = value);
    }
    let parts: [(&str, &str, Value); 6] = [
        ("rows", "/parts/0/rows", json!(4)),
        ("no rows", "/parts/0/rows", json!(0)),
        ("rows beyond all", "/parts/0/rows", json!(u64::MAX)),
        ("values beyond all", "/parts/0/values", json!(u64::MAX / 4)),
        ("another form", "/parts/0/form/indices", json!("u32")),
        ("places beyond all", "/parts/0/form/numbers", json!({ "decimal": 400 })),
    ];
    for (lie, pointer, value) in parts {
        bench.finds(lie, |forged| *forged.contents.pointer_mut(pointer).unwrap() = value);
    }
    bench.finds("no parts", |forged| forged.contents["parts"] = json!([]));
    // ends: 0, labels: 4·rows, indices: 8·rows, two bytes each, one greater than they are.
    let bytes: [(&str, usize, &[u8]); 6] = [
        ("an end beyond the values", 0, &99u32.to_le_bytes()),
        ("ends that fall", 4, &1u32.to_le_bytes()),
        ("a label out of range", 4 * rows, &3u32.to_le_bytes()),
        ("an index out of range", 8 * rows, &6u16.to_le_bytes()),
        ("index minus one", 8 * rows, &0u16.to_le_bytes()),
        ("indices that fall", 8 * rows, &5u16.to_le_bytes()),
    ];
    for (lie, at, value) in bytes {
        bench.finds(lie, |forged| set(&mut forged.blocks, at, value));
    }
    bench.finds("the same rows in two blocks", |forged| {
        let Forged { blocks, contents } = forged;
        let first = contents["parts"][0].clone();
        contents["parts"] = json!([first, first]);
        *blocks = [&blocks[..], &blocks[..]].concat();
    });
}

#[test]
fn lies_about_dense_rows_are_noticed() {
    let bench = Bench::new("a.csv", DENSE);
    let lies: [(&str, &str, Value); 4] = [
        ("a width", "/width", json!(3)),
        ("no width", "/width", Value::Null),
        ("a category", "/schema/columns/0/kind", json!("category")),
        ("a column twice", "/schema/columns/1/at", json!(0)),
    ];
    for (lie, pointer, value) in lies {
        bench.finds(lie, |forged| *forged.contents.pointer_mut(pointer).unwrap() = value);
    }
    bench.finds("not a number", |forged| {
        let part = &mut forged.contents["parts"][0];
        part["form"]["numbers"] = json!("f64");
        forged.blocks.truncate(8 * 4);
        forged.blocks.extend([f64::NAN, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0].map(f64::to_le_bytes).concat());
    });
}

/// Of 3,013 such caches some made training panic, some abort.
#[test]
fn no_mutation_with_a_right_checksum_breaks_training() {
    for (name, text) in [("a.svm", SPARSE), ("a.csv", DENSE)] {
        let bench = Bench::new(name, text);
        bench.model();
        let honest = Forged::read(&bench.place);
        let mut stream = Stream::new(5, &[]);
        for _ in 0..300 {
            let mut forged = honest.clone();
            for _ in 0..1 + stream.below(3) {
                let at = stream.below(forged.blocks.len() as u64) as usize;
                forged.blocks[at] = stream.below(256) as u8;
            }
            forged.write(&bench.place);
            bench.fit().unwrap();
            honest.clone().write(&bench.place);
        }
    }
}

/// A cache of the predictable name of the automatic one was used if it was there.
#[test]
fn a_planted_cache_is_not_used() {
    let bench = Bench::new("a.svm", SPARSE);
    let honest = bench.model();
    let mut forged = Forged::read(&bench.place);
    forged.contents["labels"] = json!(["-1", "+1", "3"]);
    let folder = tempfile::tempdir().unwrap();
    forged.write(&folder.path().join(format!("rosenblatt-{}.cache", std::process::id())));
    let storage = Storage::Either { memory: 0, folder: folder.path().to_path_buf() };
    let data = Data::File(FileData::new(&bench.input, &bench.options, &storage));
    let fitted = Trainer::new("averaged").epochs(3).fit_with(data, With::default()).unwrap();
    assert_eq!(fitted.model.to_bytes(), honest);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}
