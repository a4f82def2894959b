//! Loops on all threads.
//!
//! A loop of rayon is compiled anew for every closure that it is given, two thousand lines of LLVM IR each time; in code
//! that is generic over rows that was a quarter of the build. Here closures come behind a reference, so that there is one
//! loop for each type of item. Each call is indirect: pass many rows at a time.
//!
//! The threads work within the [`limits`] of the caller. Without the feature `threads` there is one thread, and every
//! loop runs on it in order.

use std::thread::{Scope, ScopedJoinHandle};

#[cfg(feature = "threads")]
use rayon::prelude::*;

use crate::limits;

/// How many threads there are for loops.
pub(crate) fn threads() -> usize {
    #[cfg(feature = "threads")]
    return rayon::current_num_threads();
    #[cfg(not(feature = "threads"))]
    1
}

/// Whether this thread is one of several that share the work of a loop.
pub(crate) fn is_worker() -> bool {
    #[cfg(feature = "threads")]
    return rayon::current_thread_index().is_some();
    #[cfg(not(feature = "threads"))]
    false
}

/// Starts a thread that works within the limits of this one. Ask [`threads`] first: there may be only one.
pub(crate) fn spawn<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    work: impl FnOnce() -> T + Send + 'scope,
) -> ScopedJoinHandle<'scope, T> {
    let limits = limits::current();
    scope.spawn(move || limits::within(&limits, work))
}

/// The same for work that must not use the other threads of loops.
pub(crate) fn spawn_alone<'scope>(scope: &'scope Scope<'scope, '_>, work: impl FnOnce() + Send + 'scope) {
    spawn(scope, move || {
        #[cfg(feature = "threads")]
        if let Ok(alone) = rayon::ThreadPoolBuilder::new().num_threads(1).build() {
            let limits = limits::current();
            alone.install(move || limits::within(&limits, work));
        }
        #[cfg(not(feature = "threads"))]
        work();
    });
}

/// What `make` returns for 0, 1, … below `count`, in this order.
pub(crate) fn map<T: Send>(count: usize, make: &(dyn Fn(usize) -> T + Sync)) -> Vec<T> {
    if count <= 1 || threads() == 1 {
        return (0..count).map(make).collect();
    }
    #[cfg(feature = "threads")]
    {
        let limits = limits::current();
        (0..count).into_par_iter().map(|i| limits::within(&limits, || make(i))).collect()
    }
    #[cfg(not(feature = "threads"))]
    unreachable!("there is one thread")
}

/// What `make` returns for 0, 1, … below `count`, in this order, `size` of them at a time on a thread. `fill` is any value.
pub(crate) fn values<T: Clone + Send>(
    count: usize,
    size: usize,
    fill: T,
    make: &(dyn Fn(usize) -> T + Sync),
) -> Vec<T> {
    let mut all = vec![fill; count];
    for_chunks(&mut all, size, &|chunk, values| {
        values.iter_mut().zip(chunk * size..).for_each(|(value, i)| *value = make(i));
    });
    all
}

/// Calls `work` with each item and its number.
pub(crate) fn for_each<T: Send>(items: &mut [T], work: &(dyn Fn(usize, &mut T) + Sync)) {
    for_chunks(items, 1, &|number, items| work(number, &mut items[0]));
}

/// Calls `work` with each chunk of `size` items and its number.
pub(crate) fn for_chunks<T: Send>(items: &mut [T], size: usize, work: &(dyn Fn(usize, &mut [T]) + Sync)) {
    for_chunks_in(items, size, &|| (), &|(), number, items| work(number, items));
}

/// The same with scratch space, which `room` makes for each thread, or more often.
pub(crate) fn for_chunks_in<S, T: Send>(
    items: &mut [T],
    size: usize,
    room: &(dyn Fn() -> S + Sync),
    work: &(dyn Fn(&mut S, usize, &mut [T]) + Sync),
) {
    #[cfg(feature = "threads")]
    {
        let limits = limits::current();
        items.par_chunks_mut(size).enumerate().for_each_init(room, |room, (number, items)| {
            limits::within(&limits, || work(room, number, items));
        });
    }
    #[cfg(not(feature = "threads"))]
    {
        let mut room = room();
        items.chunks_mut(size).enumerate().for_each(|(number, items)| work(&mut room, number, items));
    }
}

/// Sorts; equal items may change places.
pub(crate) fn sort_unstable<T: Ord + Send>(items: &mut [T]) {
    #[cfg(feature = "threads")]
    items.par_sort_unstable();
    #[cfg(not(feature = "threads"))]
    items.sort_unstable();
}

/// The greatest of the numbers that `measure` returns for 0, 1, … below `count`; or the first of these for which it returns
/// none.
pub(crate) fn greatest(count: usize, measure: impl Fn(usize) -> Option<f64> + Sync) -> Result<f64, usize> {
    /// Fewer are not worth another thread.
    const CHUNK: usize = 1 << 12;
    let chunks = map(count.div_ceil(CHUNK), &|chunk| {
        let mut own = chunk * CHUNK..count.min((chunk + 1) * CHUNK);
        own.try_fold(0.0, |most, i| measure(i).map(|one| f64::max(most, one)).ok_or(i))
    });
    chunks.into_iter().try_fold(0.0, |most, own| own.map(|own| f64::max(most, own)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_is_met_once_with_its_number() {
        for count in [0, 1, 7, 1000] {
            let twice: Vec<usize> = (0..count).map(|i| 2 * i).collect();
            assert_eq!(map(count, &|i| 2 * i), twice);
            let mut items = vec![0; count];
            for_each(&mut items, &|i, item| *item += 2 * i);
            assert_eq!(items, twice);
            for_chunks(&mut items, 3, &|c, some| some.iter_mut().zip(3 * c..).for_each(|(item, i)| *item -= 2 * i));
            assert_eq!(items, vec![0; count]);
            for_chunks_in(&mut items, 3, &|| 5, &|room, c, some| {
                *room += 1;
                some.iter_mut().zip(3 * c..).for_each(|(item, i)| *item += 2 * i);
            });
            assert_eq!(items, twice);
        }
    }

    #[test]
    fn the_greatest_or_the_first_that_has_no_measure() {
        let values: Vec<f64> = (0..10_000).map(|i| f64::from(i * 7919 % 10_007)).collect();
        let most = values.iter().copied().fold(0.0, f64::max);
        assert_eq!(greatest(0, |_| None), Ok(0.0));
        assert_eq!(greatest(values.len(), |i| Some(values[i])), Ok(most));
        assert_eq!(greatest(values.len(), |i| (i != 9_000 && i != 4_097).then_some(values[i])), Err(4_097));
    }
}
