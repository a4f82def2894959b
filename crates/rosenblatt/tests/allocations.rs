//! Refill, don't allocate: once learning is under way, an example costs no memory.
//!
//! A counting allocator looks on. `GlobalAlloc` is an unsafe trait, and there is no other way to count; all it does
//! beyond counting is to hand every call on to the system's allocator.
#![allow(unsafe_code)]

mod common;
mod naive;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use common::{Kind, MULTICLASS, Store};
use naive::SplitMix64;
use rosenblatt::Trainer;
use rosenblatt::base::keep::KeepKind;
use rosenblatt::data::Examples;

thread_local! {
    /// Tests run side by side: each thread counts its own.
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

struct Counting;

// SAFETY: every call goes on to `System` with its arguments unchanged; the counter is a thread-local number that
// needs no allocation itself.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|n| n.set(n.get() + 1));
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|n| n.set(n.get() + 1));
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.with(|n| n.set(n.get() + 1));
        unsafe { System.realloc(pointer, layout, size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
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
    for entry in rosenblatt::learner::all() {
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

#[test]
fn the_counter_counts() {
    assert_eq!(allocations(|| drop(std::hint::black_box(vec![1u8; 10]))), 1);
    let (count, _) = second_epoch(&Trainer::new("voted"), Kind::DenseF64, 2);
    assert!(count > 0, "voters grow");
}
