//! How many bytes a program holds, as its allocator sees it.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicIsize, Ordering};

/// The system's allocator, which counts the bytes that are in use: for programs, as their `#[global_allocator]`.
#[derive(Debug, Clone, Copy)]
pub struct Counting;

/// Threads add up their own changes until they reach this: one shared counter would be fought over.
const OWN: isize = 1 << 16;

static HELD: AtomicIsize = AtomicIsize::new(0);

thread_local! {
    static CHANGE: Cell<isize> = const { Cell::new(0) };
}

/// How many bytes are in use, but for 64 KiB a thread; 0 in a program without [`Counting`].
pub fn held() -> u64 {
    HELD.load(Ordering::Relaxed).max(0) as u64
}

fn count(change: isize) {
    // A thread that is ending has no counter any more.
    let counted = CHANGE.try_with(|own| {
        let sum = own.get() + change;
        if sum.abs() < OWN {
            own.set(sum);
        } else {
            own.set(0);
            HELD.fetch_add(sum, Ordering::Relaxed);
        }
    });
    if counted.is_err() {
        HELD.fetch_add(change, Ordering::Relaxed);
    }
}

// Each call is the system's own with the same arguments, so it keeps the contract as the system does; a size is at most
// isize::MAX, as every layout's.
#[expect(unsafe_code, reason = "an allocator cannot be written without")]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let place = unsafe { System.alloc(layout) };
        if !place.is_null() {
            count(layout.size() as isize);
        }
        place
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        let place = unsafe { System.alloc_zeroed(layout) };
        if !place.is_null() {
            count(layout.size() as isize);
        }
        place
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        unsafe { System.dealloc(place, layout) };
        count(-(layout.size() as isize));
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let moved = unsafe { System.realloc(place, layout, size) };
        if !moved.is_null() {
            count(size as isize - layout.size() as isize);
        }
        moved
    }
}
