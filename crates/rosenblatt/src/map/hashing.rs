//! Hashing: however many features there are, 2^B remain.
//!
//! A feature goes to the bucket |h| mod 2^B, and its value is added there with the sign of h, where h is the 32-bit
//! MurmurHash3 (x86, seed 0, as a signed number) of its name: scikit-learn's `FeatureHasher`. Thanks to the signs, dot
//! products come out right on average (Weinberger et al. 2009), since features that share a bucket have random signs.
//!
//! The model keeps the names: a bucket is shown with the names in it. Where all columns are texts, their words are hashed while
//! rows are read, and no name is kept (`row_hasher.rs`).

use serde::{Deserialize, Serialize};

use super::Step;
use super::entries::Entries;
use super::kind::Kind;
use crate::error::{Error, Result};
use crate::learn::{Array, State};
use crate::limits;
use crate::message::Setting;
use crate::rows::HashedWords;

/// The bit of a bucket's number that stands for a minus sign.
const MINUS: u32 = 1 << 31;
/// The most bits.
const MAX_BITS: u32 = HashedWords::MAX_BITS;

/// The bucket of each feature.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hashing {
    bits: u32,
    /// The bucket of each feature, and in the highest bit its sign.
    #[serde(skip)]
    buckets: Vec<u32>,
}

/// The bucket of a name, and whether its value is subtracted there.
pub(crate) fn bucket_of(bits: u32, name: &str) -> (u32, bool) {
    let h = murmur3(name.as_bytes(), 0) as i32;
    (h.unsigned_abs() % (1 << bits), h < 0)
}

/// The buckets of a row whose n-grams come by name, each once with its count: what a model whose words are hashed while rows
/// are read has of it.
pub fn hash_named<'n>(how: HashedWords, counts: impl Iterator<Item = (&'n str, f64)>) -> Vec<(u32, f64)> {
    let signed = |(name, count): (&str, f64)| {
        let ((bucket, minus), value) = (bucket_of(how.bits, name), how.tf.value(count));
        (bucket, if minus { -value } else { value })
    };
    let mut all: Vec<(u32, f64)> = counts.filter(|(_, count)| *count != 0.0).map(signed).collect();
    all.sort_by_key(|(bucket, _)| *bucket);
    let sum = |same: &[(u32, f64)]| (same[0].0, same.iter().map(|(_, value)| value).sum::<f64>());
    let mut row: Vec<(u32, f64)> =
        all.chunk_by(|a, b| a.0 == b.0).map(sum).filter(|(_, value)| *value != 0.0).collect();
    let length = row.iter().map(|(_, value)| value * value).sum::<f64>().sqrt();
    if how.unit && length > 0.0 {
        row.iter_mut().for_each(|(_, value)| *value /= length);
    }
    row
}

/// The bucket of a name, with its sign.
fn bucket(bits: u32, name: &str) -> u32 {
    let (bucket, minus) = bucket_of(bits, name);
    bucket | if minus { MINUS } else { 0 }
}

/// Counts of collisions.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Collisions {
    /// Input features.
    pub features: usize,
    /// Buckets.
    pub buckets: usize,
    /// Buckets with a feature in them.
    pub used: usize,
    /// Features that share their bucket with another.
    pub sharing: usize,
    /// The most features in one bucket.
    pub most: usize,
}

impl Hashing {
    /// Hashes the names of all features.
    pub fn fit(bits: u32, names: &[String]) -> Result<Hashing> {
        if !(1..=MAX_BITS).contains(&bits) {
            return Err(Error::setting(Setting::HashBits, bits, format!("expected 1 to {MAX_BITS}")));
        }
        let what = || format!("{} buckets of features", 1u64 << bits).into();
        limits::room_for::<f64>(1 << bits, what)?;
        Ok(Hashing { bits, buckets: names.iter().map(|name| bucket(bits, name)).collect() })
    }

    /// Counts the features that share a bucket.
    pub fn collisions(&self) -> Collisions {
        let mut places: Vec<u32> = self.buckets.iter().map(|b| b & !MINUS).collect();
        places.sort_unstable();
        let mut report = Collisions { features: places.len(), buckets: 1 << self.bits, used: 0, sharing: 0, most: 0 };
        for same in places.chunk_by(|a, b| a == b) {
            report.used += 1;
            report.sharing += if same.len() > 1 { same.len() } else { 0 };
            report.most = report.most.max(same.len());
        }
        report
    }
}

impl Step for Hashing {
    fn outputs(&self, _: usize) -> usize {
        1 << self.bits
    }

    fn apply(&self, row: &mut Entries, spare: &mut Entries) {
        let mut all = std::mem::take(&mut spare.pairs);
        all.clear();
        for (&j, &v) in row.indices.iter().zip(&row.values) {
            let bucket = self.buckets[j as usize];
            all.push((bucket & !MINUS, if bucket & MINUS == 0 { v } else { -v }));
        }
        // A stable sort: values in one bucket are added in the order of the features.
        all.sort_by_key(|&(bucket, _)| bucket);
        spare.clear();
        for same in all.chunk_by(|a, b| a.0 == b.0) {
            spare.push(same[0].0, same.iter().map(|(_, v)| v).sum());
        }
        std::mem::swap(row, spare);
        spare.pairs = all;
    }

    fn kinds(&self, _: Vec<Kind>) -> Vec<Kind> {
        vec![Kind::Count; 1 << self.bits]
    }

    /// The names in each bucket, with a minus where values are taken so; `#7` for bucket 7 without any.
    fn names(&self, inputs: Vec<String>) -> Vec<String> {
        const SHOWN: usize = 3;
        let mut within: Vec<(usize, String)> = vec![(0, String::new()); 1 << self.bits];
        for (name, bucket) in inputs.iter().zip(&self.buckets) {
            let (count, text) = &mut within[(bucket & !MINUS) as usize];
            *count += 1;
            if *count <= SHOWN {
                let sign = if bucket & MINUS == 0 { "" } else { "-" };
                *text += &format!("{}{sign}{name}", if *count > 1 { " | " } else { "" });
            }
        }
        let named = |(bucket, (count, text)): (usize, (usize, String))| match count {
            0 => format!("#{bucket}"),
            n if n > SHOWN => format!("{text} | {} more", n - SHOWN),
            _ => text,
        };
        within.into_iter().enumerate().map(named).collect()
    }

    fn keeps_dense(&self) -> bool {
        false
    }

    fn grow(&mut self, name: &str) {
        self.buckets.push(bucket(self.bits, name));
    }

    fn describe(&self) -> String {
        let c = self.collisions();
        format!(
            "{} features hashed into {} of {} buckets: {} share one, {} at most",
            c.features, c.used, c.buckets, c.sharing, c.most
        )
    }

    fn save(&self, arrays: &mut State) {
        arrays.put("buckets", Array::U32(self.buckets.clone()));
    }

    fn restore(&mut self, arrays: &State, inputs: usize) -> Result<()> {
        let buckets = arrays.u32s("buckets")?;
        let inside = (1..=MAX_BITS).contains(&self.bits) && buckets.iter().all(|b| b & !MINUS < 1 << self.bits);
        if !inside || buckets.len() != inputs {
            return Err(Error::bad_model("buckets that the features do not have"));
        }
        self.buckets = buckets.to_vec();
        Ok(())
    }
}

/// MurmurHash3 for 32 bits (Appleby), as in its reference.
pub fn murmur3(bytes: &[u8], seed: u32) -> u32 {
    const C1: u32 = 0xcc9e_2d51;
    const C2: u32 = 0x1b87_3593;
    let mix = |k: u32| k.wrapping_mul(C1).rotate_left(15).wrapping_mul(C2);
    let (blocks, rest) = bytes.as_chunks::<4>();
    let mut h = seed;
    for block in blocks {
        h = (h ^ mix(u32::from_le_bytes(*block))).rotate_left(13).wrapping_mul(5).wrapping_add(0xe654_6b64);
    }
    if !rest.is_empty() {
        h ^= mix(rest.iter().rev().fold(0, |k, &b| k << 8 | u32::from(b)));
    }
    h ^= bytes.len() as u32;
    h = (h ^ h >> 16).wrapping_mul(0x85eb_ca6b);
    h = (h ^ h >> 13).wrapping_mul(0xc2b2_ae35);
    h ^ h >> 16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_by_name_are_hashed_as_texts_are() {
        let how = HashedWords { bits: 3, tf: crate::rows::Tf::Log, unit: true };
        let counts = [("not", 2.0), ("not good", 1.0), ("good", 1.0), ("good not", 1.0), ("none", 0.0)];
        let mut hasher = crate::map::RowHasher::new(how);
        hasher.begin();
        let units = crate::map::Units { ngrams: 2, chars: None };
        hasher.text(units, "", "Not good, not").unwrap();
        let (mut indices, mut values) = ([0; 8], [0.0; 8]);
        let stored = hasher.finish(&mut indices, &mut values);
        let named = hash_named(how, counts.into_iter());
        assert_eq!(named.iter().map(|(bucket, _)| *bucket).collect::<Vec<_>>(), indices[..stored]);
        assert!(named.iter().zip(&values).all(|((_, a), b)| (a - b).abs() < 1e-12));
    }

    #[test]
    fn murmur3_is_what_others_compute() {
        // The values of the reference, as scikit-learn's tests hold them.
        assert_eq!(murmur3(b"abc", 0), 3_017_643_002);
        assert_eq!(murmur3(b"", 0), 0);
        assert_eq!(murmur3(b"", 1), 0x514e_28b7);
        assert_eq!(murmur3(b"foo", 0) as i32, -156_908_512);
        assert_eq!(murmur3(b"foo", 42) as i32, -1_322_301_282);
    }
}
