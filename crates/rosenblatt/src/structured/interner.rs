//! Interned short sequences (texts, lists of numbers), numbered in order of first occurrence.

use hashbrown::HashTable;

/// An element of a sequence.
pub trait Unit: Copy + Eq {
    /// The hash of a sequence: the same in every run and on every machine.
    fn hash(units: &[Self]) -> u64;
}

/// A growing list of distinct sequences, in one array.
#[derive(Debug, Clone)]
pub struct Interner<T> {
    units: Vec<T>,
    ends: Vec<usize>,
    table: HashTable<u32>,
}

/// Texts.
pub type Strings = Interner<u8>;
/// Lists of numbers.
pub type Keys = Interner<u32>;

impl<T> Default for Interner<T> {
    fn default() -> Self {
        Interner { units: Vec::new(), ends: Vec::new(), table: HashTable::new() }
    }
}

impl<T: Unit> Interner<T> {
    /// How many.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The sequence of a number.
    #[inline]
    pub fn get(&self, number: u32) -> &[T] {
        sequence(&self.units, &self.ends, number)
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl Iterator<Item = &[T]> {
        (0..self.len() as u32).map(|number| self.get(number))
    }

    /// The number of a known sequence.
    #[inline]
    pub fn find(&self, wanted: &[T]) -> Option<u32> {
        self.table.find(T::hash(wanted), |&number| self.get(number) == wanted).copied()
    }

    /// The number of a sequence, which is added if it is new.
    #[inline]
    pub fn intern(&mut self, wanted: &[T]) -> u32 {
        let hash = T::hash(wanted);
        let (units, ends) = (&self.units, &self.ends);
        if let Some(&number) = self.table.find(hash, |&number| sequence(units, ends, number) == wanted) {
            return number;
        }
        let number = u32::try_from(self.ends.len()).expect("fewer than 2^32 of them");
        self.units.extend_from_slice(wanted);
        self.ends.push(self.units.len());
        let (units, ends) = (&self.units, &self.ends);
        self.table.insert_unique(hash, number, |&n| T::hash(sequence(units, ends, n)));
        number
    }

    /// Clears, and keeps the capacity.
    pub fn clear(&mut self) {
        self.units.clear();
        self.ends.clear();
        self.table.clear();
    }
}

impl<T: Unit> PartialEq for Interner<T> {
    fn eq(&self, other: &Self) -> bool {
        self.units == other.units && self.ends == other.ends
    }
}

#[inline]
fn sequence<'a, T>(units: &'a [T], ends: &[usize], number: u32) -> &'a [T] {
    let number = number as usize;
    let start = if number == 0 { 0 } else { ends[number - 1] };
    &units[start..ends[number]]
}

const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
const ODDER: u64 = 0xd1b5_4a32_d192_ed03;

/// Multiplies to 128 bits and folds: every bit of both reaches every bit of the result.
#[inline]
fn fold(a: u64, b: u64) -> u64 {
    let wide = u128::from(a) * u128::from(b);
    (wide as u64) ^ ((wide >> 64) as u64)
}

impl Unit for u8 {
    #[inline]
    fn hash(units: &[u8]) -> u64 {
        let mut state = units.len() as u64 ^ ODD;
        let (words, tail) = units.as_chunks::<8>();
        for word in words {
            state = fold(state ^ u64::from_le_bytes(*word), ODD);
        }
        let mut last = [0; 8];
        last[..tail.len()].copy_from_slice(tail);
        fold(state ^ u64::from_le_bytes(last), ODDER)
    }
}

impl Unit for u32 {
    #[inline]
    fn hash(units: &[u32]) -> u64 {
        units.iter().fold(ODD, |state, &unit| fold(state ^ u64::from(unit), ODDER))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequences_are_numbered_in_order_of_first_occurrence() {
        let mut strings = Strings::default();
        let texts: Vec<String> = (0..5000).map(|i| "x".repeat(i % 40) + &i.to_string()).collect();
        for round in 0..2 {
            for (i, text) in texts.iter().enumerate() {
                assert_eq!(strings.intern(text.as_bytes()), i as u32, "round {round}");
            }
        }
        assert_eq!(strings.len(), texts.len());
        assert_eq!(strings.find(b""), None);
        assert_eq!(strings.intern(b""), 5000);
        assert!(texts.iter().enumerate().all(|(i, t)| strings.find(t.as_bytes()) == Some(i as u32)));
        assert!(texts.iter().enumerate().all(|(i, t)| strings.get(i as u32) == t.as_bytes()));
    }

    #[test]
    fn lists_of_numbers_too() {
        let mut keys = Keys::default();
        assert_eq!([keys.intern(&[1, 2]), keys.intern(&[1]), keys.intern(&[2, 1]), keys.intern(&[1, 2])], [0, 1, 2, 0]);
        assert_eq!(keys.iter().collect::<Vec<_>>(), [&[1, 2][..], &[1], &[2, 1]]);
    }
}
