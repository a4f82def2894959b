//! Loops on all threads.
//!
//! A loop of rayon is compiled anew for every closure that it is given, two thousand lines of the compiler's own code each
//! time; in code that is generic over rows that was a quarter of the build. Here closures come behind a reference, so that
//! there is one loop for each type of item. A call is to be worth a look at that reference: give it many rows at a time.

use rayon::prelude::*;

/// What `make` makes of 0, 1, … below `count`, in this order.
pub(crate) fn map<T: Send>(count: usize, make: &(dyn Fn(usize) -> T + Sync)) -> Vec<T> {
    if count <= 1 {
        return (0..count).map(make).collect();
    }
    (0..count).into_par_iter().map(make).collect()
}

/// Calls `work` with each item and its number.
pub(crate) fn for_each<T: Send>(items: &mut [T], work: &(dyn Fn(usize, &mut T) + Sync)) {
    items.par_iter_mut().enumerate().for_each(|(number, item)| work(number, item));
}

/// Calls `work` with each stretch of `size` items and its number.
pub(crate) fn for_chunks<T: Send>(items: &mut [T], size: usize, work: &(dyn Fn(usize, &mut [T]) + Sync)) {
    items.par_chunks_mut(size).enumerate().for_each(|(number, items)| work(number, items));
}

/// The same with room to work in, which `room` makes a few of.
pub(crate) fn for_chunks_in<S, T: Send>(
    items: &mut [T],
    size: usize,
    room: &(dyn Fn() -> S + Sync),
    work: &(dyn Fn(&mut S, usize, &mut [T]) + Sync),
) {
    items.par_chunks_mut(size).enumerate().for_each_init(room, |room, (number, items)| work(room, number, items));
}

/// The greatest of the numbers that `measure` makes of 0, 1, … below `count`; or, where it makes none, the first of those.
pub(crate) fn greatest(count: usize, measure: impl Fn(usize) -> Option<f64> + Sync) -> Result<f64, usize> {
    /// Fewer are not worth another thread.
    const STRETCH: usize = 1 << 12;
    let stretches = map(count.div_ceil(STRETCH), &|stretch| {
        let mut own = stretch * STRETCH..count.min((stretch + 1) * STRETCH);
        own.try_fold(0.0, |most, i| measure(i).map(|one| f64::max(most, one)).ok_or(i))
    });
    stretches.into_iter().try_fold(0.0, |most, own| own.map(|own| f64::max(most, own)))
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
