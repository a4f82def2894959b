//! Limits on memory and time while files are read.

use std::io::Write as _;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rosenblatt::fit::{Data, FileData, Kept, Storage, With};
use rosenblatt::io::Input;
use rosenblatt::limits::{BUFFERS, Deadline, Limits, held, within};
use rosenblatt::read::{ReadOptions, read};
use rosenblatt::{Error, ErrorKind, Trainer};

/// What the rows may take; the peak may be higher by the size of the buffers, and by what comes between two checks.
const BUDGET: u64 = 16 << 20;
const BETWEEN: u64 = 8 << 20;
/// The size of a bomb, unpacked.
const SIZE: usize = 64 << 20;
/// Memory is counted for the whole program, so these tests run one after the other.
static ALONE: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn gzip(line: impl Fn(u32) -> String, size: usize) -> Vec<u8> {
    let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    let mut written = 0;
    for i in 0.. {
        if written >= size {
            break;
        }
        let line = line(i);
        out.write_all(line.as_bytes()).unwrap();
        written += line.len();
    }
    out.finish().unwrap()
}

/// Reads within the budget; returns the error and the peak of memory above the start.
fn refused(name: &str, bytes: Vec<u8>, options: &ReadOptions) -> (Error, u64) {
    let input = Input::memory(name, bytes);
    let start = held();
    let (peak, ended) = (AtomicU64::new(0), AtomicBool::new(false));
    let error = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !ended.load(Ordering::Relaxed) {
                peak.fetch_max(held().saturating_sub(start), Ordering::Relaxed);
                std::thread::sleep(Duration::from_micros(200));
            }
        });
        let limits = Limits { memory: start + BUDGET, ..Limits::NONE };
        let result = within(&limits, || read(&input, options));
        ended.store(true, Ordering::Relaxed);
        result.map(|data| data.table.matrix.len()).expect_err(name)
    });
    (error, peak.into_inner())
}

/// A small gzip file took gigabytes, whatever the limit.
#[test]
fn bombs_are_stopped_within_the_budget() {
    let _alone = alone();
    let plain = ReadOptions::default();
    stopped([
        ("a.svm", gzip(|i| format!("{} 1:{}.12345678901 2:1 3:1 4:1 5:1 6:1 7:1\n", i % 2, i % 9), SIZE), &plain),
        ("labels.svm", gzip(|i| format!("{i} 1:1\n"), SIZE), &plain),
        ("a.csv", gzip(|i| format!("{}.1234567890123,1,2,3,4,5,6,7,{}\n", i % 9, i % 2), SIZE), &plain),
    ]);
}

/// The words of a text column were not counted: a dictionary grew until the next block was read.
#[test]
fn many_words_are_stopped_within_the_budget() {
    let _alone = alone();
    let text = ReadOptions { text: vec!["1".into()], ngrams: 3, ..ReadOptions::default() };
    let one_row = format!("{}\t1\nshort\t2\n", (0..3 << 20).map(|i| format!("w{i} ")).collect::<String>());
    stopped([
        ("words.tsv", gzip(|i| format!("w{i} v{i} u{i}\t{}\n", i % 2), 30 << 20), &text),
        ("row.tsv", one_row.into_bytes(), &text),
    ]);
}

/// More of them, which take longer.
#[test]
#[ignore = "takes minutes"]
fn more_bombs_are_stopped_within_the_budget() {
    let _alone = alone();
    let plain = ReadOptions::default();
    let text = ReadOptions { text: vec!["1".into()], ..ReadOptions::default() };
    stopped([
        ("categories.csv", gzip(|i| format!("c{i},1,{}\n", i % 2), SIZE), &plain),
        ("text.tsv", gzip(|i| format!("w{i} v{} u{i}\t{}\n", i % 99, i % 2), SIZE), &text),
        ("a.vw", gzip(|i| format!("{} |n a{i}:0.5 b c d e f\n", i % 2), SIZE), &plain),
        ("line.svm", gzip(|_| " 1:1".repeat(1 << 16), SIZE), &plain),
        ("blank.npy", [b"\x93NUMPY\x01\0".to_vec(), vec![0; 200 << 20]].concat(), &plain),
    ]);
}

/// To be called alone, from before the bombs are made: they are counted, too.
fn stopped<const N: usize>(bombs: [(&str, Vec<u8>, &ReadOptions); N]) {
    for (name, bytes, options) in bombs {
        let (error, peak) = refused(name, bytes, options);
        assert_eq!(error.kind(), ErrorKind::Memory, "{name}: {error}");
        assert!(error.to_string().starts_with(name), "{error}");
        assert!(peak <= BUDGET + BUFFERS + BETWEEN, "{name}: {peak} bytes");
    }
}

/// How much a compressed file takes is guessed. Where it was more, training ended with an error, though a cache on disk was there
/// for it.
#[test]
fn a_training_that_outgrows_its_memory_goes_on_through_a_cache() {
    let _alone = alone();
    let input = Input::memory("a.svm", gzip(|i| format!("{} {}:1\n", i % 2, 1 + i % 5), 36 << 20));
    let folder = tempfile::tempdir().unwrap();
    let fit = |memory: u64| {
        let storage = Storage::Either { memory, folder: folder.path().to_path_buf() };
        let options = ReadOptions::default();
        let data = Data::File(FileData::new(&input, &options, &storage));
        let limits = Limits { memory: held().saturating_add(memory), ..Limits::NONE };
        within(&limits, || Trainer::new("averaged").epochs(2).fit_with(data, With::default())).unwrap()
    };
    // In memory the rows take more than the 40 MB and the buffers beside.
    let (small, large) = (fit(40 << 20), fit(1 << 30));
    assert!(matches!(small.file.unwrap().kept, Kept::Cache));
    assert!(matches!(large.file.unwrap().kept, Kept::Memory(_)));
    assert_eq!(small.model.to_bytes(), large.model.to_bytes());
}

/// The same files are read where there is room for them.
#[test]
fn what_fits_is_read() {
    let _alone = alone();
    let limits = Limits { memory: held() + BUDGET, ..Limits::NONE };
    let bytes = gzip(|i| format!("{} 1:{}.5 2:1\n", i % 2, i % 9), 4 << 20);
    let rows = within(&limits, || read(&Input::memory("a.svm", bytes), &ReadOptions::default()));
    assert!(rows.unwrap().table.matrix.len() > 100_000);
}

#[test]
fn an_interrupt_and_a_deadline_end_the_reading_soon() {
    let _alone = alone();
    for (name, line) in [("a.svm", "1 1:1\n"), ("a.csv", "1,\"x\",a\n"), ("a.vw", "1 |a b\n"), ("a.csv", "\n")] {
        let input = Input::memory(name, line.repeat((150 << 20) / line.len()));
        let asked = Arc::new(AtomicBool::new(false));
        let interrupted = Deadline::NEVER.or_when(asked.clone());
        let timed = Deadline::from(Instant::now() + Duration::from_millis(100));
        for (deadline, kind) in [(interrupted, ErrorKind::Interrupted), (timed, ErrorKind::Time)] {
            let start = Instant::now();
            let result = std::thread::scope(|scope| {
                scope.spawn(|| {
                    std::thread::sleep(Duration::from_millis(100));
                    asked.store(true, Ordering::Relaxed);
                });
                within(&Limits { deadline, ..Limits::NONE }, || read(&input, &ReadOptions::default()))
            });
            let error = result.map(|data| data.table.matrix.len()).expect_err(name);
            assert_eq!(error.kind(), kind, "{name}: {error}");
            assert!(start.elapsed() < Duration::from_secs(2), "{name}: {:?}", start.elapsed());
        }
    }
}
