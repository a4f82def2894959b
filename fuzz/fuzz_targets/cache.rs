//! Any bytes as the cache of a file: used or built again, and training ends well in both cases.
//!
//! The checksums reject almost every mutation, so the bytes are tried as they are, and again with corrected checksums and the
//! origin of the file. A cache that fits together in all else may hold other numbers: then the model is another, too.

#![no_main]

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::{Duration, UNIX_EPOCH};

use libfuzzer_sys::fuzz_target;
use rosenblatt::fit::{Data, FileData, Storage, With};
use rosenblatt::io::Input;
use rosenblatt::{ReadOptions, Trainer};
use serde_json::{Value, json};
use twox_hash::XxHash3_64;

const SPARSE: &str = "+1 1:1 3:0.5\n-1 2:1.5 3:1\n+1 1:2 4:1\n-1 2:0.25 4:-3\n3 3:1 5:2\n";
const DENSE: &str = "a,b,label\n1,2.5,yes\n-1,0.5,no\n2,1,yes\n-3,0.25,no\n";
const HEAD: usize = 16;
const TAIL: usize = 24;

/// A file of data, its cache's place, and the contents of its honest cache.
struct Bench {
    data: Input,
    place: PathBuf,
    contents: Value,
}

impl Bench {
    fn new(folder: &Path, name: &str, text: &str) -> Self {
        let (data, place) = (folder.join(name), folder.join(format!("{name}.cache")));
        std::fs::write(&data, text).unwrap();
        // The time is part of the cache: so seeds fit in every run.
        let file = std::fs::File::options().write(true).open(&data).unwrap();
        file.set_modified(UNIX_EPOCH + Duration::from_secs(1)).unwrap();
        let bench = Bench { data: Input::Path(data), place, contents: Value::Null };
        bench.fit();
        let (_, contents) = parts(&std::fs::read(&bench.place).unwrap()).unwrap();
        Bench { contents, ..bench }
    }

    fn fit(&self) {
        let (options, storage) = (ReadOptions::default(), Storage::Cache(self.place.clone()));
        let data = Data::File(FileData::new(&self.data, &options, &storage));
        let fitted = Trainer::new("averaged").epochs(2).fit_with(data, With::default()).expect("the file is sound");
        assert!(fitted.model.hypothesis.features() <= 5);
    }

    fn attempt(&self, bytes: &[u8]) {
        std::fs::write(&self.place, bytes).unwrap();
        self.fit();
    }
}

fn benches() -> &'static [Bench; 2] {
    static BENCHES: OnceLock<[Bench; 2]> = OnceLock::new();
    BENCHES.get_or_init(|| {
        let folder = std::env::temp_dir().join(format!("rosenblatt-fuzz-cache-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        [Bench::new(&folder, "a.svm", SPARSE), Bench::new(&folder, "a.csv", DENSE)]
    })
}

/// The blocks of a cache, and its contents.
fn parts(bytes: &[u8]) -> Option<(Vec<u8>, Value)> {
    let end = bytes.len().checked_sub(TAIL)?;
    let length = u64::from_le_bytes(bytes[end..end + 8].try_into().ok()?) as usize;
    let start = end.checked_sub(length).filter(|&start| start >= HEAD)?;
    Some((bytes[HEAD..start].to_vec(), serde_json::from_slice(&bytes[start..end]).ok()?))
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

/// The same cache with right checksums, made from the file of `bench`.
fn signed(bytes: &[u8], bench: &Bench) -> Option<Vec<u8>> {
    let (blocks, mut contents) = parts(bytes)?;
    for key in ["origin", "fingerprint"] {
        *contents.as_object_mut()?.get_mut(key)? = bench.contents[key].clone();
    }
    let mut at = 0usize;
    for part in contents["parts"].as_array_mut().into_iter().flatten() {
        let end = size(part).and_then(|size| at.checked_add(size)).filter(|end| *end <= blocks.len());
        let Some(end) = end else { break };
        if let Some(part) = part.as_object_mut() {
            part.insert("checksum".into(), json!(XxHash3_64::oneshot(&blocks[at..end])));
        }
        at = end;
    }
    let contents = serde_json::to_vec(&contents).ok()?;
    let (length, checksum) = (contents.len() as u64, XxHash3_64::oneshot(&contents));
    let tail = [&length.to_le_bytes()[..], &checksum.to_le_bytes(), b"RSNCACHE"].concat();
    Some([b"RSNCACHE", &bytes[8..HEAD], &blocks, &contents, &tail].concat())
}

fuzz_target!(|bytes: &[u8]| {
    for bench in benches() {
        if bytes.starts_with(b"RSNCACHE") {
            bench.attempt(bytes);
        }
        if let Some(signed) = signed(bytes, bench) {
            bench.attempt(&signed);
        }
    }
});
