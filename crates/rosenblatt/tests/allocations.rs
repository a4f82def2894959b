//! Refill, don't allocate: once learning is under way, an example costs no memory; nor does one that is read and learned
//! from in the same go.
//!
//! A counting allocator looks on. `GlobalAlloc` is an unsafe trait, and there is no other way to count; all it does
//! beyond counting is to hand every call on to the system's allocator.
#![allow(unsafe_code)]

mod common;
mod naive;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use rosenblatt::fit::{Data, FileData, Kept, Storage, With};
use rosenblatt::io::Input;
use rosenblatt::learn::keep::KeepKind;
use rosenblatt::read::ReadOptions;
use rosenblatt::rows::Examples;
use rosenblatt::{Preparation, Scaling, Tf, Trainer};

use common::{Kind, MULTICLASS, Store};
use naive::SplitMix64;

thread_local! {
    /// Tests run side by side: each thread counts its own.
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
    /// Bytes that are in use now, and the most that ever were.
    static LIVE: Cell<i64> = const { Cell::new(0) };
    static PEAK: Cell<i64> = const { Cell::new(0) };
}

fn grow(bytes: i64) {
    LIVE.set(LIVE.get() + bytes);
    PEAK.set(PEAK.get().max(LIVE.get()));
}

struct Counting;

// SAFETY: every call goes on to `System` with its arguments unchanged; the counters are thread-local numbers that
// need no allocation themselves.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|n| n.set(n.get() + 1));
        grow(layout.size() as i64);
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|n| n.set(n.get() + 1));
        grow(layout.size() as i64);
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.with(|n| n.set(n.get() + 1));
        grow(size as i64 - layout.size() as i64);
        unsafe { System.realloc(pointer, layout, size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        grow(-(layout.size() as i64));
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

fn allocations(run: impl FnOnce()) -> u64 {
    let before = ALLOCATIONS.with(Cell::get);
    run();
    ALLOCATIONS.with(Cell::get) - before
}

/// Runs two epochs on noisy data. Returns the allocations of the second, and whether what is kept changed in it.
fn second_epoch(trainer: &Trainer, kind: Kind, classes: usize) -> (u64, bool) {
    let mut random = SplitMix64(9);
    let n = 300;
    let rows: Vec<Vec<f64>> = (0..n).map(|_| random.integers(19, 3)).collect();
    let labels: Vec<u32> = (0..n).map(|_| random.below(classes) as u32).collect();
    let store = Store::new(&rows);
    let examples = Examples::new(store.rows(kind), &labels, None).unwrap();
    let orders: Vec<Vec<u32>> = (0..2).map(|_| random.permutation(n).iter().map(|&i| i as u32).collect()).collect();
    let mut failures = vec![0; n];

    let mut learner = trainer.learner(19, classes).unwrap();
    learner.run(examples, &orders[0], Some(&mut failures));
    learner.end_pass(n as u64);
    let kept = learner.hypothesis();
    let mut mistakes = 0;
    let count = allocations(|| mistakes = learner.run(examples, &orders[1], Some(&mut failures)).mistakes);
    assert!(mistakes > 20, "only {mistakes} mistakes: too easy to prove anything");
    (count, learner.hypothesis() != kept)
}

#[test]
fn the_second_epoch_allocates_nothing() {
    let mut pockets_replaced = 0;
    for entry in rosenblatt::learn::learners::all() {
        // Voters grow with every update: that is what they are.
        for keep in common::keeps(entry).into_iter().filter(|k| *k != KeepKind::Vote) {
            for kind in common::KINDS.into_iter().filter(|k| *k != Kind::DenseU8) {
                let trainer = Trainer::new(entry.name).keep(keep);
                let mut check = |name: String, trainer: &Trainer, classes: usize| {
                    let (count, moved) = second_epoch(trainer, kind, classes);
                    pockets_replaced += u32::from(moved && keep == KeepKind::Pocket);
                    assert_eq!(count, 0, "{}, {keep:?}, {kind:?}, {name}", entry.name);
                };
                check("2 classes".into(), &trainer, 2);
                for multiclass in MULTICLASS {
                    check(format!("3 classes {multiclass:?}"), &trainer.clone().multiclass(multiclass), 3);
                }
            }
        }
    }
    assert!(pockets_replaced > 0, "a pocket must be replaced once in a second epoch, or nothing is shown of it");
}

/// One pass over a file of so many rows, on one thread: allocations, and the most bytes in use at a time.
fn one_pass(name: &str, row: impl Fn(usize) -> String, rows: usize) -> (u64, i64) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, (0..rows).map(row).collect::<String>()).unwrap();
    let ngrams = if name.ends_with("fasttext") { 2 } else { 1 };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.install(|| {
        let (mut trainer, before) = (Trainer::new("averaged").epochs(1), LIVE.get());
        if name.ends_with("fasttext") {
            let hash_bits = Some(12);
            trainer.preparation =
                Preparation { hash_bits, tf: Tf::Log, scale: Scaling::Unit, ..Preparation::default() };
        }
        PEAK.set(before);
        let count = allocations(|| {
            let (input, options) = (Input::Path(path), ReadOptions { ngrams, ..ReadOptions::default() });
            let data = Data::File(FileData::new(&input, &options, &Storage::Memory));
            let fitted = trainer.fit_with(data, With::default()).unwrap();
            assert!(matches!(fitted.file.unwrap().kept, Kept::Nowhere));
            assert_eq!(fitted.report.examples, rows as u64);
        });
        (count, PEAK.get() - before)
    })
}

#[test]
fn one_pass_over_a_longer_file_takes_no_more_memory() {
    let label = |i: usize| if i % 7 < 3 { "+1" } else { "-1" };
    let sparse = |i: usize| format!("{} {}:0.5 {}:1.25 900:{}\n", label(i), i % 97 + 1, i % 89 + 100, i % 5);
    let dense = |i: usize| format!("{},{}.5,{},{}\n", i % 97, i % 89, i % 5, label(i));
    let words = |i: usize| format!("__label__{} w{} new{} x, w{}\n", i % 7 < 3, i % 97, i % 5, i % 89);
    // Blocks of the presentation are of 65,536 rows.
    let (few, many) = (12 * 65_536 + 10_000, 24 * 65_536 + 10_000);
    for (name, (short, long)) in [
        ("m.svm", (one_pass("m.svm", sparse, few), one_pass("m.svm", sparse, many))),
        ("m.csv", (one_pass("m.csv", dense, few), one_pass("m.csv", dense, many))),
        ("m.fasttext", (one_pass("m.fasttext", words, few), one_pass("m.fasttext", words, many))),
    ] {
        // One more chunk may be at hand at some moment; a byte and a half for each row would be more.
        assert!(long.1 <= short.1 + (1 << 20), "{name}: {} bytes, then {}", short.1, long.1);
        // Less than one for a thousand rows.
        assert!(long.0 <= short.0 + 12 * 65, "{name}: {} allocations, then {}", short.0, long.0);
    }
}

#[test]
fn the_counter_counts() {
    assert_eq!(allocations(|| drop(std::hint::black_box(vec![1u8; 10]))), 1);
    let before = LIVE.get();
    PEAK.set(before);
    drop(std::hint::black_box(vec![1u8; 1000]));
    assert_eq!((PEAK.get() - before, LIVE.get() - before), (1000, 0));
    let (count, _) = second_epoch(&Trainer::new("voted"), Kind::DenseF64, 2);
    assert!(count > 0, "voters grow");
}
