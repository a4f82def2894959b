//! Numbers collected from text: as decimals where that is exact, else as floats.

use super::decimal::{MOST_PLACES, Unit};
use super::table::the_rows;
use crate::error::Result;
use crate::limits;

/// Numbers that are all m/10ᵏ with the same k and an m of 32 bits.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Decimals {
    wholes: Vec<i32>,
    places: u32,
}

impl Decimals {
    /// Each number times 10ᵏ.
    pub fn wholes(&self) -> &[i32] {
        &self.wholes
    }

    /// 10⁻ᵏ.
    pub fn unit(&self) -> Unit {
        Unit::new(self.places)
    }

    /// k.
    pub(crate) fn places(&self) -> u32 {
        self.places
    }

    /// Clears the numbers; the next ones have at least `places` places.
    pub(crate) fn restart(&mut self, places: u32) {
        self.wholes.clear();
        self.places = places;
    }

    /// How many numbers.
    pub fn len(&self) -> usize {
        self.wholes.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.wholes.is_empty()
    }

    /// Clears the numbers and keeps the places.
    pub(crate) fn clear(&mut self) {
        self.wholes.clear();
    }

    /// Empty, with the same places.
    pub(crate) fn like(&self) -> Self {
        Decimals { wholes: Vec::new(), places: self.places }
    }

    /// Some of the numbers, in ranges one after the other.
    pub(crate) fn select(&self, ranges: impl Iterator<Item = std::ops::Range<usize>>) -> Self {
        let mut wholes = Vec::new();
        ranges.for_each(|range| wholes.extend_from_slice(&self.wholes[range]));
        Decimals { wholes, places: self.places }
    }

    /// All numbers as floats.
    pub fn floats(&self) -> Vec<f64> {
        let unit = self.unit();
        self.wholes.iter().map(|&m| unit.read(m)).collect()
    }

    /// Appends numbers, with as many places as they need. Returns `false` if they do not fit this form; then at most the
    /// places have changed.
    pub(crate) fn extend(&mut self, numbers: &[f64]) -> bool {
        let before = self.wholes.len();
        while !self.append(numbers) {
            self.wholes.truncate(before);
            if self.places == MOST_PLACES || !self.widen() {
                return false;
            }
        }
        true
    }

    /// Appends each number, read back and compared. Returns `false` if one differs.
    fn append(&mut self, numbers: &[f64]) -> bool {
        const CHUNK: usize = 1024;
        let unit = self.unit();
        self.wholes.reserve(numbers.len());
        for some in numbers.chunks(CHUNK) {
            let mut same = true;
            self.wholes.extend(some.iter().map(|&v| {
                let m = unit.nearest(v);
                // The sign of zero is lost; no sum that starts at zero shows it.
                same &= unit.read(m) == v;
                m
            }));
            if !same {
                return false;
            }
        }
        true
    }

    /// Adds one place to all numbers. Returns `false` if one would overflow.
    fn widen(&mut self) -> bool {
        const ROOM: i32 = i32::MAX / 10;
        if self.wholes.iter().any(|m| !(-ROOM..=ROOM).contains(m)) {
            return false;
        }
        let next = Unit::new(self.places + 1);
        let (unit, wholes) = (self.unit(), &self.wholes);
        if wholes.iter().any(|&m| next.read(10 * m) != unit.read(m)) {
            return false;
        }
        self.wholes.iter_mut().for_each(|m| *m *= 10);
        self.places += 1;
        true
    }
}

/// Numbers, in the smaller form that holds them exactly.
#[derive(Debug, Clone)]
pub(crate) enum Gathered {
    /// All so far are short decimals.
    Decimals(Decimals),
    /// Some are not, or the compact form was not requested.
    Floats(Vec<f64>),
}

impl Gathered {
    /// Empty; `compact` requests the smaller form.
    pub(crate) fn new(compact: bool) -> Self {
        if compact { Gathered::Decimals(Decimals::default()) } else { Gathered::Floats(Vec::new()) }
    }

    /// Appends numbers, or returns an error if there is no room for them.
    pub(crate) fn extend(&mut self, numbers: &[f64]) -> Result<()> {
        if let Gathered::Decimals(decimals) = self {
            limits::reserve(&mut decimals.wholes, numbers.len(), &the_rows)?;
            if decimals.extend(numbers) {
                return Ok(());
            }
            limits::room_for::<f64>(decimals.len() as u128, the_rows)?;
            *self = Gathered::Floats(decimals.floats());
        }
        if let Gathered::Floats(floats) = self {
            limits::reserve(floats, numbers.len(), &the_rows)?;
            floats.extend_from_slice(numbers);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn gathered(parts: &[&[f64]]) -> Gathered {
        let mut all = Gathered::new(true);
        parts.iter().for_each(|part| all.extend(part).unwrap());
        all
    }

    fn floats(gathered: Gathered) -> Vec<f64> {
        match gathered {
            Gathered::Decimals(decimals) => decimals.floats(),
            Gathered::Floats(floats) => floats,
        }
    }

    #[test]
    fn places_grow_as_numbers_need_them_until_there_is_no_room() {
        let Gathered::Decimals(d) = gathered(&[&[1.0, 250.0], &[0.5], &[-0.125, 0.0]]) else { panic!("decimals") };
        assert_eq!((d.places, d.wholes()), (3, &[1000, 250_000, 500, -125, 0][..]));
        assert!(matches!(gathered(&[&[3e6], &[0.001]]), Gathered::Floats(_)), "no room for three places");
        for odd in [1.0 / 3.0, 1e-12, 1e12, f64::MAX, 0.1 + 0.2, 2f64.powi(31)] {
            assert!(matches!(gathered(&[&[1.0], &[odd]]), Gathered::Floats(_)), "{odd}");
        }
    }

    proptest! {
        /// Every number comes back bit for bit, except the sign of zero.
        #[test]
        fn nothing_is_lost(parts in prop::collection::vec(prop::collection::vec((any::<i32>(), 0u32..12), 0..40), 0..6)) {
            let parts: Vec<Vec<f64>> =
                parts.iter().map(|p| p.iter().map(|&(m, k)| f64::from(m) / 10f64.powi(k as i32)).collect()).collect();
            let slices: Vec<&[f64]> = parts.iter().map(Vec::as_slice).collect();
            prop_assert_eq!(floats(gathered(&slices)), parts.concat());
        }

        #[test]
        fn short_decimals_stay_decimals(numbers in prop::collection::vec((-99_999i32..99_999, 0u32..5), 1..200)) {
            let numbers: Vec<f64> = numbers.iter().map(|&(m, k)| f64::from(m) / 10f64.powi(k as i32)).collect();
            let all = gathered(&[&numbers]);
            prop_assert!(matches!(all, Gathered::Decimals(_)));
            prop_assert_eq!(floats(all), numbers);
        }
    }
}
