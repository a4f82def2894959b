//! Limits on memory and time, and the request to stop, for everything that may take long.
//!
//! A front end sets them once, around all that it asks of the library: [`within`]. Work that may last asks [`check`] once
//! for each block of rows, sentences or pivots, and [`room_for`] before it allocates a product of sizes (features ×
//! outputs, rows × classes, monomials). So a loop cannot forget to pass a token on, and there is one place that decides.
//!
//! Limits belong to the thread that set them; `parallel.rs` hands them to the threads that it uses. How much
//! memory is in use only an allocator knows: a program that installs [`Counting`] has all its memory counted; in another
//! one each request is compared with the limit by itself.

mod counting;
mod deadline;

use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::{BuildHasher, Hash};
use std::sync::{Mutex, MutexGuard, PoisonError};

pub use counting::{Counting, held};
pub use deadline::{Deadline, Passed};

use crate::error::{Error, Result};
use crate::message::{Message, Setting};

/// What a program may hold beside its limit: buffers, whose size does not grow with the data.
pub const BUFFERS: u64 = 64 << 20;

/// How much of [`BUFFERS`] is left when room is asked for: small things come without asking.
const UNASKED: u64 = 8 << 20;

/// From this size on, what is asked for is also taken before anyone else may ask: else two threads would each find room.
const LARGE: u64 = 1 << 20;

/// How much memory and time work may take.
#[derive(Debug, Clone)]
pub struct Limits {
    /// The most bytes that the program may hold at a time, beside [`BUFFERS`].
    pub memory: u64,
    /// When to stop.
    pub deadline: Deadline,
}

impl Limits {
    /// No limits.
    pub const NONE: Limits = Limits { memory: u64::MAX, deadline: Deadline::NEVER };

    fn check(&self) -> Result<()> {
        match self.deadline.passed() {
            Some(Passed::Asked) => return Err(Error::interrupted()),
            Some(Passed::Time) => return Err(Error::out_of_time()),
            None => {}
        }
        let held = held();
        if held > self.memory.saturating_add(BUFFERS) {
            return Err(Error::out_of_memory(
                Message::new(format!("{} are in use, and {} are allowed", bytes(held), bytes(self.memory)))
                    .text(": allow more by ")
                    .name(Setting::Memory),
            ));
        }
        Ok(())
    }

    fn room_for(&self, wanted: u64, what: impl FnOnce() -> Message) -> Result<()> {
        if wanted.saturating_add(held()) <= self.memory.saturating_add(BUFFERS - UNASKED) {
            return Ok(());
        }
        let (wanted, allowed) = (bytes(wanted), bytes(self.memory));
        let also = match held() {
            held if held >= 1 << 20 => format!(" beside {} in use", bytes(held)),
            _ => String::new(),
        };
        Err(Error::out_of_memory(
            what()
                .text(format!(": this takes {wanted} of memory{also}, and {allowed} are allowed; allow more by "))
                .name(Setting::Memory),
        ))
    }
}

thread_local! {
    static CURRENT: RefCell<Limits> = const { RefCell::new(Limits::NONE) };
}

/// The limits of this thread.
pub fn current() -> Limits {
    CURRENT.with_borrow(Clone::clone)
}

/// Puts the limits back that were there before.
struct Restore(Option<Limits>);

impl Drop for Restore {
    fn drop(&mut self) {
        if let Some(before) = self.0.take() {
            CURRENT.set(before);
        }
    }
}

/// Does `work` within these limits.
pub fn within<T>(limits: &Limits, work: impl FnOnce() -> T) -> T {
    let _restore = Restore(Some(CURRENT.replace(limits.clone())));
    work()
}

/// Does `work` for so many milliseconds at most, whether or not the caller asked to stop: for the end of work that was
/// interrupted. Without a clock there is no time.
pub(crate) fn for_a_moment<T>(milliseconds: u64, work: impl FnOnce() -> T) -> T {
    within(&Limits { deadline: Deadline::after(milliseconds), ..current() }, work)
}

/// An error if the work has to stop: the caller asked for it, the time is over, or more memory is in use than is allowed.
/// Costs tens of nanoseconds: ask once for each block, not for each row.
pub fn check() -> Result<()> {
    CURRENT.with_borrow(Limits::check)
}

/// Whether the caller asked the work to stop, or the time is over: for loops that cannot fail, whose caller asks [`check`].
pub fn has_passed() -> bool {
    CURRENT.with_borrow(|limits| limits.deadline.passed().is_some())
}

/// Whether the caller asked the work to stop.
pub fn is_interrupted() -> bool {
    CURRENT.with_borrow(|limits| limits.deadline.passed() == Some(Passed::Asked))
}

/// An error if `count` items of type `T` do not fit in the memory that is left. `what` names them: "the weights of 3
/// classes × 10 features".
pub fn room_for<T>(count: u128, what: impl FnOnce() -> Message) -> Result<()> {
    let wanted = count.saturating_mul(size_of::<T>() as u128);
    CURRENT.with_borrow(|limits| limits.room_for(u64::try_from(wanted).unwrap_or(u64::MAX), what))
}

/// Lets one thread at a time ask for much memory and take it.
fn turn(bytes: u64) -> Option<MutexGuard<'static, ()>> {
    static TURN: Mutex<()> = Mutex::new(());
    (bytes >= LARGE).then(|| TURN.lock().unwrap_or_else(PoisonError::into_inner))
}

fn size_of_all<T>(count: usize) -> u64 {
    (count as u64).saturating_mul(size_of::<T>() as u64)
}

/// `count` copies of a value, or an error if there is no room for them.
pub fn filled<T: Clone>(value: T, count: usize, what: impl Fn() -> Message) -> Result<Vec<T>> {
    let mut all = with_capacity(count, what)?;
    all.resize(count, value);
    Ok(all)
}

/// `count` zeros, or an error if there is no room for them. Pages of memory are not touched before they are used.
pub fn zeros(count: usize, what: impl Fn() -> Message) -> Result<Vec<f64>> {
    let _turn = turn(size_of_all::<f64>(count));
    // The standard library has no fallible way to allocate zeros: a trial tells whether the system would refuse.
    drop(allocate::<f64>(count, what)?);
    Ok(vec![0.0; count])
}

/// An empty vector with room for `count` items, or an error if there is no room for them.
pub fn with_capacity<T>(count: usize, what: impl Fn() -> Message) -> Result<Vec<T>> {
    let _turn = turn(size_of_all::<T>(count));
    allocate(count, what)
}

fn allocate<T>(count: usize, what: impl Fn() -> Message) -> Result<Vec<T>> {
    room_for::<T>(count as u128, &what)?;
    let mut all = Vec::new();
    match all.try_reserve_exact(count) {
        Ok(()) => Ok(all),
        Err(_) => Err(no_memory_for::<T>(count, what)),
    }
}

/// Makes room for `more` items at the end of a vector, or returns an error if there is none. Doubles the capacity if that
/// fits, so that many small calls cost little.
#[inline]
pub(crate) fn reserve<T>(all: &mut Vec<T>, more: usize, what: &dyn Fn() -> Message) -> Result<()> {
    if all.capacity() - all.len() >= more { Ok(()) } else { grow(all, more, what) }
}

#[cold]
fn grow<T>(all: &mut Vec<T>, more: usize, what: &dyn Fn() -> Message) -> Result<()> {
    let (length, capacity) = (all.len(), all.capacity());
    let needed = length.saturating_add(more);
    for wanted in [capacity.saturating_mul(2), capacity.saturating_add(capacity / 4), needed] {
        let wanted = wanted.max(needed);
        let _turn = turn(size_of_all::<T>(wanted));
        // Where no allocator counts, all of the vector is compared with the limit.
        let more = if held() == 0 { wanted } else { wanted - capacity };
        let fits = room_for::<T>(more as u128, what);
        match fits.is_ok() && all.try_reserve_exact(wanted - length).is_ok() {
            true => return Ok(()),
            false if wanted == needed => fits?,
            false => {}
        }
    }
    Err(no_memory_for::<T>(needed, what))
}

/// Makes room for `more` keys in a map, or returns an error if there is none.
#[inline]
pub(crate) fn reserve_keys<K: Eq + Hash, V, S: BuildHasher>(
    map: &mut HashMap<K, V, S>,
    more: usize,
    what: &dyn Fn() -> Message,
) -> Result<()> {
    if map.capacity() - map.len() >= more {
        return Ok(());
    }
    // Maps double, keep one byte more for each place, and fill 7 of 8 places.
    let places = (map.len() as u128 + more as u128).max(2 * map.capacity() as u128) * 8 / 7;
    let _turn =
        turn(u64::try_from(places).map_or(u64::MAX, |places| places.saturating_mul(size_of::<(K, V)>() as u64)));
    room_for::<(K, V, u8)>(places, what)?;
    map.try_reserve(more).map_err(|_| no_memory_for::<(K, V)>(more, what))
}

fn no_memory_for<T>(count: usize, what: impl Fn() -> Message) -> Error {
    let wanted = bytes(size_of_all::<T>(count));
    Error::out_of_memory(what().text(format!(": the system has no {wanted} of memory for it")))
}

/// A number of bytes as a person writes it: 12 KB, 3.5 GB.
pub fn bytes(count: u64) -> String {
    const UNITS: [&str; 6] = ["KB", "MB", "GB", "TB", "PB", "EB"];
    if count < 1000 {
        return format!("{count} bytes");
    }
    let (mut value, mut unit) = (count as f64 / 1e3, 0);
    while value >= 999.5 && unit + 1 < UNITS.len() {
        (value, unit) = (value / 1e3, unit + 1);
    }
    if value < 9.95 { format!("{value:.1} {}", UNITS[unit]) } else { format!("{value:.0} {}", UNITS[unit]) }
}

/// Half of the free memory, where the system says how much that is; else 4 GiB.
pub fn half_of_free_memory() -> u64 {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let free = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"));
    let kilobytes = free.and_then(|text| text.trim().trim_end_matches(" kB").parse::<u64>().ok());
    kilobytes.map_or(4 << 30, |kilobytes| kilobytes * 512)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;
    use crate::ErrorKind;

    fn kind(result: Result<()>) -> Option<ErrorKind> {
        result.err().map(|error| error.kind())
    }

    #[test]
    fn limits_hold_inside_and_end_with_it_on_all_threads() {
        let asked = Arc::new(AtomicBool::new(false));
        let limits = Limits { deadline: Deadline::NEVER.or_when(asked.clone()), ..Limits::NONE };
        within(&limits, || {
            check().unwrap();
            asked.store(true, Ordering::Relaxed);
            assert_eq!(kind(check()), Some(ErrorKind::Interrupted));
            let all = crate::parallel::map(100, &|_| has_passed());
            assert_eq!(all, [true; 100]);
            std::thread::scope(|scope| {
                assert!(crate::parallel::spawn(scope, is_interrupted).join().unwrap());
            });
        });
        check().unwrap();
        assert_eq!(crate::parallel::map(100, &|_| has_passed()), [false; 100]);
    }

    #[cfg(feature = "clock")]
    #[test]
    fn time_ends() {
        let limits = Limits { deadline: std::time::Instant::now().into(), ..Limits::NONE };
        assert_eq!(within(&limits, || kind(check())), Some(ErrorKind::Time));
        assert!(!within(&limits, is_interrupted));
    }

    #[test]
    fn what_does_not_fit_is_refused_before_it_is_allocated() {
        let limits = Limits { memory: 1 << 20, ..Limits::NONE };
        within(&limits, || {
            assert_eq!(filled(0.5f64, 1000, || "x".into()).unwrap(), vec![0.5; 1000]);
            let error = filled(0u64, 1 << 40, || "the weights".into()).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Memory);
            let said = "the weights: this takes 8.8 TB of memory, and 1.0 MB are allowed; allow more by `memory`";
            assert_eq!(error.to_string(), said);
            assert_eq!(kind(room_for::<u64>(u128::MAX, || "x".into())), Some(ErrorKind::Memory));
        });
        // Without limits the system may still refuse, and the answer is an error all the same.
        assert_eq!(kind(filled(0u64, usize::MAX / 16, || "x".into()).map(|_| ())), Some(ErrorKind::Memory));
    }

    #[test]
    fn vectors_and_maps_grow_as_far_as_there_is_room() {
        let limits = Limits { memory: held() + (1 << 20), ..Limits::NONE };
        let what = || Message::new("the rows");
        within(&limits, || {
            let mut all: Vec<u64> = Vec::new();
            let refused = loop {
                match reserve(&mut all, 1000, &what) {
                    Ok(()) => all.extend([7; 1000]),
                    Err(error) => break error,
                }
            };
            let most = ((1 << 20) + BUFFERS as usize) / size_of::<u64>();
            assert!((most / 2..=most).contains(&all.len()), "{}", all.len());
            assert_eq!(refused.kind(), ErrorKind::Memory);
            let mut map = HashMap::new();
            let refused = (0..1 << 23).find_map(|i: u64| {
                let refused = reserve_keys(&mut map, 1, &what).err();
                map.insert(i, i);
                refused
            });
            assert_eq!(refused.map(|error| error.kind()), Some(ErrorKind::Memory));
        });
    }

    #[test]
    fn bytes_are_written_as_people_do() {
        let written = [0, 999, 1000, 9_949, 9_950, 999_499, 999_500, 28_800_000_000, u64::MAX].map(bytes);
        assert_eq!(
            written,
            ["0 bytes", "999 bytes", "1.0 KB", "9.9 KB", "10 KB", "999 KB", "1.0 MB", "29 GB", "18 EB"]
        );
    }
}
