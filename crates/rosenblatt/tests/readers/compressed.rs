//! Compressed inputs: whole, in several streams, cut short, damaged.

use std::io::Write as _;

use proptest::prelude::*;
use rosenblatt::io::Input;
use rosenblatt::read::{ReadOptions, read};

type Pack = fn(&[u8]) -> Vec<u8>;
const PACKS: [(&str, Pack); 4] = [("gzip", gzip), ("zstd", zstd), ("bzip2", bzip2), ("xz", xz)];

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    out.write_all(bytes).unwrap();
    out.finish().unwrap()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    let mut out = zstd::Encoder::new(Vec::new(), 3).unwrap();
    out.include_checksum(true).unwrap();
    out.write_all(bytes).unwrap();
    out.finish().unwrap()
}

fn bzip2(bytes: &[u8]) -> Vec<u8> {
    let mut out = ::bzip2::write::BzEncoder::new(Vec::new(), ::bzip2::Compression::best());
    out.write_all(bytes).unwrap();
    out.finish().unwrap()
}

fn xz(bytes: &[u8]) -> Vec<u8> {
    let mut out = lzma_rust2::XzWriter::new(Vec::new(), lzma_rust2::XzOptions::default()).unwrap();
    out.write_all(bytes).unwrap();
    out.finish().unwrap()
}

fn outcome(name: &str, bytes: &[u8]) -> Result<(usize, u64), String> {
    let data = read(&Input::memory(name, bytes), &ReadOptions::default()).map_err(|e| e.to_string())?;
    Ok((data.table.matrix.len(), data.fingerprint))
}

fn sample() -> String {
    (0..5000).map(|i| format!("{} 1:{} {}:0.5\n", i % 2, i, i % 97 + 2)).collect()
}

#[test]
fn all_compressions_in_one_stream_or_more() {
    let text = sample();
    let plain = outcome("a", text.as_bytes()).unwrap();
    assert_eq!(plain.0, 5000);
    for (name, pack) in PACKS {
        assert_eq!(outcome("a", &pack(text.as_bytes())), Ok(plain), "{name}");
        let (first, second) = text.as_bytes().split_at(12345);
        assert_eq!(outcome("a", &[pack(first), pack(second)].concat()), Ok(plain), "{name}, two streams");
    }
}

#[test]
fn a_stream_cut_short_is_one_clear_error() {
    for (name, pack) in PACKS {
        let packed = pack(sample().as_bytes());
        for part in [packed.len() / 3, packed.len() / 2, packed.len() - 1] {
            let message = outcome("a.svm", &packed[..part]).unwrap_err();
            let start = format!("a.svm: the {name} stream ends early or is damaged: ");
            assert!(message.starts_with(&start) && !message.contains('\n'), "{message}");
        }
    }
}

#[test]
fn every_cut_is_an_error_and_never_a_panic() {
    for (name, pack) in PACKS {
        let packed = pack(b"1 1:1\n2 2:1\n");
        // Shorter than that, it is not recognized as compressed.
        for part in 10..packed.len() {
            assert!(outcome("a.svm", &packed[..part]).is_err(), "{name} cut at {part}");
        }
    }
}

#[test]
fn damage_in_the_middle_is_noticed() {
    for (name, pack) in PACKS {
        let mut packed = pack(sample().as_bytes());
        let middle = packed.len() / 2;
        packed[middle] ^= 0x55;
        let message = outcome("a.svm", &packed).unwrap_err();
        assert!(message.starts_with(&format!("a.svm: the {name} stream ends early or is damaged: ")), "{message}");
    }
}

/// A file larger than its detected head is decompressed by a separate thread, if there are several.
#[test]
fn large_files_read_the_same_on_any_number_of_threads() {
    let line = |i: u32| format!("{} 1:{i} {}:0.{}\n", i % 2, i % 97 + 2, i.wrapping_mul(2_654_435_761));
    let text: String = (0..80_000).map(line).collect();
    assert!(text.len() > 3 << 19);
    let wrong = text.replacen("\n1 1:30001 ", "\n1 1:30001x ", 1);
    let outcome = |threads: usize, bytes: &[u8]| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| outcome("a.svm", bytes))
    };
    let plain = outcome(1, text.as_bytes()).unwrap();
    let fault = outcome(1, wrong.as_bytes()).unwrap_err();
    assert!(fault.starts_with("a.svm:30002:5: "), "{fault}");
    for (name, pack) in PACKS {
        let whole = pack(text.as_bytes());
        let (first, second) = text.as_bytes().split_at(text.len() / 2);
        let parts = [pack(first), pack(second)].concat();
        let wrong = pack(wrong.as_bytes());
        for threads in [1, 3] {
            assert_eq!(outcome(threads, &whole), Ok(plain), "{name} {threads}");
            assert_eq!(outcome(threads, &parts), Ok(plain), "{name} {threads}, two streams");
            let early = format!("a.svm: the {name} stream ends early or is damaged: ");
            for part in [whole.len() - 1, whole.len() / 2] {
                assert!(outcome(threads, &whole[..part]).unwrap_err().starts_with(&early), "{name} {threads}");
            }
            assert_eq!(outcome(threads, &wrong), Err(fault.clone()), "{name} {threads}");
            // A block of bzip2 or xz may be larger than all of this.
            if name == "gzip" || name == "zstd" {
                let cut = &wrong[..wrong.len() * 9 / 10];
                assert_eq!(outcome(threads, cut), Err(fault.clone()), "{name} {threads}, and cut behind the fault");
            }
        }
    }
}

/// A decoder that finds damage drops the output of that call, so the reported error depended on the buffer size of the caller.
#[test]
fn damage_is_reported_alike_on_any_number_of_threads() {
    let line = |i: u32| format!("{} 1:{i} {}:0.{}\n", i % 2, i % 97 + 2, i.wrapping_mul(2_654_435_761));
    let text: String = (0..40_000).map(line).collect();
    let pools = [1, 2, 3].map(|n| rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap());
    for (name, pack) in PACKS {
        let packed = pack(text.as_bytes());
        for place in 1..20 {
            let at = packed.len() * place / 20;
            let mut damaged = packed.clone();
            damaged[at] ^= 0x55;
            for broken in [&damaged[..], &packed[..at]] {
                let message = pools.each_ref().map(|pool| pool.install(|| outcome("a.svm", broken)));
                assert!(
                    message[0].is_err() && message.iter().all(|one| *one == message[0]),
                    "{name} at {at}: {message:?}"
                );
            }
        }
    }
}

#[test]
fn a_file_on_disk_reads_the_same() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("data.csv.xz");
    std::fs::write(&path, xz(b"1,2,a\n3,4,b\n")).unwrap();
    let data = read(&Input::Path(path.clone()), &ReadOptions::default()).unwrap();
    assert_eq!((data.table.matrix.len(), data.name), (2, path.display().to_string()));
    assert_eq!(data.guessed, Some(rosenblatt::read::Guess::ByName));
    let message = read(&Input::Path(dir.path().into()), &ReadOptions::default()).unwrap_err().to_string();
    assert_eq!(message, format!("{}: this is a directory: name a file in it", dir.path().display()));
}

proptest! {
    #[test]
    fn flipped_bytes_never_panic(which in 0..4usize, at in any::<prop::sample::Index>(), with in 1..=255u8) {
        let mut packed = PACKS[which].1(b"1 1:1 2:2\n2 2:1 3:4\n1 5:5\n");
        let at = at.index(packed.len());
        packed[at] ^= with;
        let _ = outcome("a", &packed);
    }
}
