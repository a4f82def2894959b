//! Hashes the words of a row: from its texts to buckets and values, without a string for any n-gram.
//!
//! The words of a text stand in one buffer, in lower case, with one space behind each, so the name of an n-gram is a part of
//! that buffer. Its MurmurHash3 takes four bytes at a time, so an n-gram goes on where the shorter one from the same word
//! stopped. An n-gram of the row is one number:
//!
//! ```text
//!  bit  63 … 36  the bucket, |h| mod 2^bits
//!            35  the sign of h
//!        34 … 0  another hash: equal numbers are one n-gram
//! ```
//!
//! Sorted, they give the counts of the n-grams and, in the order of the buckets, the sums of their values. These are the
//! values of [`Words`](super::Words), [`Hashing`](super::Hashing) and [`Scale`](super::Scale), one after the other; only
//! three or more n-grams of a row in one bucket may be added in another order.

use super::scale::inverse;
use super::words_of::{WordsOf, words_of};
use crate::error::Result;
use crate::limits;
use crate::message::Message;
use crate::rows::{CharGrams, HashedWords, Row, Sparse};

/// The bits of a number below the bucket.
const BELOW: u32 = 36;
/// Bytes behind a name that may be read with it.
pub(super) const PADDING: usize = 4;
/// Counts below this have their value in a table.
const COMMON: usize = 32;

/// What the features of a text are.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Units {
    /// The most words of an n-gram.
    pub(crate) ngrams: u32,
    /// The characters of n-grams within words; `None`: there are none.
    pub(crate) chars: Option<CharGrams>,
}

impl Units {
    /// Words alone.
    pub(crate) const WORDS: Units = Units { ngrams: 1, chars: None };
}

/// Hashes row after row. Nothing is allocated once the buffers have grown.
#[derive(Debug)]
pub(crate) struct RowHasher {
    how: HashedWords,
    /// The value of a count.
    values: [f64; COMMON],
    /// The n-grams of the row so far.
    grams: Vec<u64>,
    spare: Vec<u64>,
    words: WordsOf,
    /// A name, and bytes behind it.
    name: Vec<u8>,
    within: String,
    part: String,
}

impl RowHasher {
    /// Hashes as these settings say.
    pub(crate) fn new(how: HashedWords) -> Self {
        let mut values = [0.0; COMMON];
        (0..).zip(&mut values).skip(1).for_each(|(count, value)| *value = how.tf.value(f64::from(count)));
        let (grams, spare, words, name, within, part) = Default::default();
        RowHasher { how, values, grams, spare, words, name, within, part }
    }

    /// Begins a row.
    pub(crate) fn begin(&mut self) {
        self.grams.clear();
    }

    /// Adds a text. `prefix` stands before the names of its n-grams.
    pub(crate) fn text(&mut self, units: Units, prefix: &str, text: &str) -> Result<()> {
        words_of(text, &mut self.words)?;
        let (bytes, ends) = self.words.parts();
        limits::reserve(&mut self.grams, ends.len().saturating_mul(units.ngrams as usize), &the_words)?;
        if prefix.is_empty() {
            push_runs(bytes, ends, units.ngrams as usize, self.how.bits, &mut self.grams);
        } else {
            let mut start = 0;
            for (i, &end) in ends.iter().enumerate() {
                for &end in &ends[i..ends.len().min(i + units.ngrams as usize)] {
                    let gram = number_of(&mut self.name, prefix, &bytes[start..end as usize], self.how.bits);
                    self.grams.push(gram);
                }
                start = end as usize + 1;
            }
        }
        let Some(chars) = units.chars else { return Ok(()) };
        let mut start = 0;
        for &end in ends {
            // Words are made of characters.
            let word = std::str::from_utf8(&bytes[start..end as usize]).unwrap_or_default();
            let (name, grams, bits) = (&mut self.name, &mut self.grams, self.how.bits);
            limits::reserve(grams, chars.most_of(word), &the_words)?;
            chars.each(&mut self.within, &mut self.part, word, |part| {
                grams.push(number_of(name, prefix, part.as_bytes(), bits));
            });
            start = end as usize + 1;
        }
        Ok(())
    }

    /// Adds a set of words.
    pub(crate) fn set<'w>(&mut self, prefix: &str, words: impl Iterator<Item = &'w [u8]>) -> Result<()> {
        let from = self.grams.len();
        for word in words.filter(|word| !word.is_empty()) {
            limits::reserve(&mut self.grams, 1, &the_words)?;
            let gram = match std::str::from_utf8(word) {
                Ok(_) => number_of(&mut self.name, prefix, word, self.how.bits),
                Err(_) => number_of(&mut self.name, prefix, String::from_utf8_lossy(word).as_bytes(), self.how.bits),
            };
            self.grams.push(gram);
        }
        let set = &mut self.grams[from..];
        set.sort_unstable();
        let mut kept = from;
        for at in from..self.grams.len() {
            if at == from || self.grams[at] != self.grams[kept - 1] {
                self.grams[kept] = self.grams[at];
                kept += 1;
            }
        }
        self.grams.truncate(kept);
        Ok(())
    }

    /// How many n-grams the row has, with repetitions.
    pub(crate) fn len(&self) -> usize {
        self.grams.len()
    }

    /// Ends the row: its buckets in order, with their values, go to the front of two lists that hold as many n-grams; how many
    /// there are.
    pub(crate) fn finish(&mut self, indices: &mut [u32], values: &mut [f64]) -> usize {
        sort(&mut self.grams, &mut self.spare, self.how.bits);
        let (grams, mut stored, mut at) = (&self.grams[..], 0, 0);
        while let Some(&first) = grams.get(at) {
            let (bucket, mut sum, mut gram) = (first >> BELOW, 0.0, first);
            loop {
                let mut count = 1;
                while grams.get(at + count) == Some(&gram) {
                    count += 1;
                }
                at += count;
                let value = match self.values.get(count) {
                    Some(&value) => value,
                    None => self.how.tf.value(count as f64),
                };
                sum += if gram >> (BELOW - 1) & 1 == 0 { value } else { -value };
                match grams.get(at) {
                    Some(&next) if next >> BELOW == bucket => gram = next,
                    _ => break,
                }
            }
            if sum != 0.0 {
                (indices[stored], values[stored]) = (bucket as u32, sum);
                stored += 1;
            }
        }
        if self.how.unit {
            let row = Sparse { indices: &indices[..stored], values: &values[..stored] };
            let factor = inverse(row.sq_norm().sqrt());
            values[..stored].iter_mut().for_each(|value| *value *= factor);
        }
        stored
    }
}

/// Appends each run of up to `longest` words.
fn push_runs(bytes: &[u8], ends: &[u32], longest: usize, bits: u32, grams: &mut Vec<u64>) {
    let mut start = 0;
    for (i, &first) in ends.iter().enumerate() {
        let (mut hash, mut at) = (Hash::default(), start);
        for &end in &ends[i..ends.len().min(i + longest)] {
            let end = end as usize;
            while at + 4 <= end {
                hash.block(block(bytes, at));
                at += 4;
            }
            grams.push(hash.number(tail(bytes, at, end), (end - start) as u32, bits));
        }
        start = first as usize + 1;
    }
}

/// The number of one name, of two parts.
fn number_of(buffer: &mut Vec<u8>, prefix: &str, name: &[u8], bits: u32) -> u64 {
    buffer.clear();
    buffer.extend_from_slice(prefix.as_bytes());
    buffer.extend_from_slice(name);
    let end = buffer.len();
    buffer.extend_from_slice(&[0; PADDING]);
    let (mut hash, mut at) = (Hash::default(), 0);
    while at + 4 <= end {
        hash.block(block(buffer, at));
        at += 4;
    }
    hash.number(tail(buffer, at, end), end as u32, bits)
}

/// Four bytes.
#[inline]
fn block(bytes: &[u8], at: usize) -> u32 {
    let four: [u8; 4] = bytes[at..at + 4].try_into().expect("four bytes");
    u32::from_le_bytes(four)
}

/// The last bytes of a name, fewer than four; there are more behind it.
#[inline]
fn tail(bytes: &[u8], at: usize, end: usize) -> u32 {
    const KEPT: [u32; 4] = [0, 0xff, 0xffff, 0x00ff_ffff];
    block(bytes, at) & KEPT[(end - at) & 3]
}

/// Two hashes of the blocks so far: MurmurHash3 for 32 bits, as [`murmur3`](super::murmur3) has it, and another.
#[derive(Debug, Clone, Copy, Default)]
struct Hash {
    murmur: u32,
    other: u64,
}

impl Hash {
    const OTHER: u64 = 0x9e37_79b9_7f4a_7c15;

    #[inline]
    fn mixed(block: u32) -> u32 {
        block.wrapping_mul(0xcc9e_2d51).rotate_left(15).wrapping_mul(0x1b87_3593)
    }

    #[inline]
    fn block(&mut self, block: u32) {
        let h = (self.murmur ^ Hash::mixed(block)).rotate_left(13);
        self.murmur = h.wrapping_mul(5).wrapping_add(0xe654_6b64);
        self.other = (self.other ^ u64::from(block)).wrapping_mul(Hash::OTHER).rotate_left(29);
    }

    /// The number of the name that ends with these bytes, and has so many.
    #[inline]
    fn number(self, tail: u32, length: u32, bits: u32) -> u64 {
        let mut h = self.murmur ^ Hash::mixed(tail) ^ length;
        h = (h ^ h >> 16).wrapping_mul(0x85eb_ca6b);
        h = (h ^ h >> 13).wrapping_mul(0xc2b2_ae35);
        h ^= h >> 16;
        let mut other = (self.other ^ u64::from(tail)).wrapping_mul(Hash::OTHER);
        other = (other ^ other >> 32 ^ u64::from(length)).wrapping_mul(Hash::OTHER);
        let bucket = (h as i32).unsigned_abs() & ((1 << bits) - 1);
        u64::from(bucket) << BELOW | u64::from(h >> 31) << (BELOW - 1) | other >> (65 - BELOW)
    }
}

/// Sorts n-grams: many by the digits of their buckets, then within each bucket.
fn sort(grams: &mut Vec<u64>, spare: &mut Vec<u64>, bits: u32) {
    const FEW: usize = 64;
    const DIGIT: u32 = 7;
    if grams.len() < FEW {
        grams.sort_unstable();
        return;
    }
    spare.resize(grams.len(), 0);
    let mut shift = BELOW;
    while shift < BELOW + bits {
        let digit = |gram: u64| (gram >> shift) as usize & ((1 << DIGIT) - 1);
        let mut places = [0u32; 1 << DIGIT];
        grams.iter().for_each(|&gram| places[digit(gram)] += 1);
        let mut before = 0;
        places.iter_mut().for_each(|place| before += std::mem::replace(place, before));
        for &gram in &*grams {
            let place = &mut places[digit(gram)];
            spare[*place as usize] = gram;
            *place += 1;
        }
        std::mem::swap(grams, spare);
        shift += DIGIT;
    }
    // Buckets are in order; few n-grams share one, unless there are few buckets.
    let mut at = 1;
    while at < grams.len() {
        if grams[at] < grams[at - 1] {
            let bucket = grams[at] >> BELOW;
            let from = grams[..at].iter().rposition(|gram| gram >> BELOW != bucket).map_or(0, |before| before + 1);
            let to = grams[at..].iter().position(|gram| gram >> BELOW != bucket).map_or(grams.len(), |more| at + more);
            grams[from..to].sort_unstable();
            at = to;
        }
        at += 1;
    }
}

fn the_words() -> Message {
    "the words of a row".into()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::map::{each_run, murmur3};
    use crate::rows::Tf;

    /// The twin: names, counted in a map, hashed one by one.
    fn twin(how: HashedWords, names: &[String]) -> BTreeMap<u32, f64> {
        let mut counts: BTreeMap<&str, f64> = BTreeMap::new();
        names.iter().for_each(|name| *counts.entry(name).or_default() += 1.0);
        let mut row: BTreeMap<u32, f64> = BTreeMap::new();
        for (name, count) in counts {
            let h = murmur3(name.as_bytes(), 0) as i32;
            let value = match how.tf {
                Tf::Count => count,
                Tf::Log => 1.0 + count.ln(),
                Tf::Binary => 1.0,
            };
            *row.entry(h.unsigned_abs() % (1 << how.bits)).or_default() += if h < 0 { -value } else { value };
        }
        row.retain(|_, value| value.abs() > 1e-12);
        let length = row.values().map(|value| value * value).sum::<f64>().sqrt();
        if how.unit && length > 0.0 {
            row.values_mut().for_each(|value| *value /= length);
        }
        row
    }

    fn finished(hasher: &mut RowHasher) -> (Vec<u32>, Vec<f64>) {
        let room = hasher.len();
        let (mut indices, mut values) = (vec![0; room], vec![0.0; room]);
        let stored = hasher.finish(&mut indices, &mut values);
        indices.truncate(stored);
        values.truncate(stored);
        (indices, values)
    }

    fn compare(found: (Vec<u32>, Vec<f64>), expected: &BTreeMap<u32, f64>) {
        let all = expected.keys().copied().chain(found.0.iter().copied());
        for bucket in all {
            let value = found.0.binary_search(&bucket).map_or(0.0, |at| found.1[at]);
            let twin = expected.get(&bucket).copied().unwrap_or(0.0);
            assert!((value - twin).abs() < 1e-12, "{bucket}: {value} {twin}");
        }
        assert!(found.0.is_sorted_by(|a, b| a < b));
    }

    fn how() -> impl Strategy<Value = HashedWords> {
        let tf = prop::sample::select(vec![Tf::Count, Tf::Log, Tf::Binary]);
        (1u32..=28, tf, any::<bool>()).prop_map(|(bits, tf, unit)| HashedWords { bits, tf, unit })
    }

    proptest! {
        #[test]
        fn rows_are_those_of_the_twin(
            rows in prop::collection::vec("([a-dA-Z]{1,9}[ .,]{1,2}|[aß_İ–9K ]{1,3}|a b ){0,60}", 1..4),
            how in how(),
            ngrams in 1u32..=5,
            chars in prop::option::of((1u32..4, 0u32..3)),
            prefix in "|body:",
        ) {
            let chars = chars.map(|(least, more)| CharGrams::new(least, least + more).unwrap());
            let mut hasher = RowHasher::new(how);
            for text in &rows {
                hasher.begin();
                hasher.text(Units { ngrams, chars }, &prefix, text).unwrap();
                let mut names = Vec::new();
                each_run(text, ngrams, chars, |run| names.push(format!("{prefix}{run}")));
                prop_assert_eq!(hasher.len(), names.len());
                compare(finished(&mut hasher), &twin(how, &names));
            }
        }

        #[test]
        fn a_set_has_each_word_once(words in prop::collection::vec("[ab ]{0,3}", 0..9), how in how(), text in "[ab ]{0,9}") {
            let mut hasher = RowHasher::new(how);
            hasher.begin();
            hasher.text(Units::WORDS, "t:", &text).unwrap();
            hasher.set("s:", words.iter().map(String::as_bytes)).unwrap();
            let mut names: Vec<String> = words.iter().filter(|word| !word.is_empty()).map(|word| format!("s:{word}")).collect();
            names.sort();
            names.dedup();
            each_run(&text, 1, None, |run| names.push(format!("t:{run}")));
            compare(finished(&mut hasher), &twin(how, &names));
        }

        #[test]
        fn sorting_is_sorting(grams in prop::collection::vec((0u64..40, any::<bool>(), 0u64..3), 0..300), bits in 1u32..=28) {
            let number = |&(bucket, wide, rest): &(u64, bool, u64)| {
                (if wide { bucket * 7_919_317 } else { bucket } & ((1 << bits) - 1)) << BELOW | rest
            };
            let mut grams: Vec<u64> = grams.iter().map(number).collect();
            let mut expected = grams.clone();
            expected.sort_unstable();
            sort(&mut grams, &mut Vec::new(), bits);
            prop_assert_eq!(grams, expected);
        }
    }
}
