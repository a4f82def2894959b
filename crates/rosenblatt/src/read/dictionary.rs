//! Names of features, numbered in order of first appearance, found on all threads while a file is read.
//!
//! ```text
//!  a chunk ──► names that earlier chunks had: their numbers ([`Ranked`], published now and then)
//!          └─► new names: numbers of the chunk's own, in order of appearance ([`Fresh`])
//!  in order ─► new names get the next numbers ([`Growing::merge`])
//! ```
//!
//! A number depends only on the text before it, never on how the text was cut or which names were published when. A row
//! is sorted by name, the order of the features of a model; [`Growing::finish`] tells the place of each number there.

use std::sync::{Arc, Mutex, PoisonError};

use super::block::Block;
use crate::error::{Error, Result};
use crate::limits;
use crate::message::Message;
use crate::rows::MAX_FEATURES;

/// Names and their numbers.
#[derive(Debug, Clone, Default)]
pub(crate) struct Dictionary {
    /// All names, one after the other.
    bytes: Vec<u8>,
    /// The end of each name.
    ends: Vec<usize>,
    /// Open addressing: the high half of the hash, and the number plus one; 0 is empty. At most half are in use.
    slots: Vec<(u32, u32)>,
}

/// A hash of a name: eight bytes at a time, multiplied and folded.
#[inline]
pub(crate) fn hash(name: &[u8]) -> u64 {
    const KEYS: [u64; 2] = [0x9e37_79b9_7f4a_7c15, 0xa076_1d64_78bd_642f];
    let fold = |a: u64, b: u64| {
        let product = u128::from(a) * u128::from(b);
        product as u64 ^ (product >> 64) as u64
    };
    let (words, rest) = name.as_chunks::<8>();
    let mut h = KEYS[0] ^ name.len() as u64;
    for word in words {
        h = fold(h ^ u64::from_le_bytes(*word), KEYS[1]);
    }
    let last = rest.iter().rev().fold(0, |word, &b| word << 8 | u64::from(b));
    fold(h ^ last, KEYS[1]) ^ h
}

impl Dictionary {
    /// How many names.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The name of a number.
    #[inline]
    pub(crate) fn name(&self, id: u32) -> &[u8] {
        let id = id as usize;
        &self.bytes[if id == 0 { 0 } else { self.ends[id - 1] }..self.ends[id]]
    }

    /// The slot of a name, or the empty one where it belongs.
    #[inline]
    fn slot(&self, hash: u64, name: &[u8]) -> usize {
        let (mask, tag) = (self.slots.len() - 1, (hash >> 32) as u32);
        let mut at = hash as usize & mask;
        loop {
            let (found, id) = self.slots[at];
            if id == 0 || (found == tag && self.name(id - 1) == name) {
                return at;
            }
            at = (at + 1) & mask;
        }
    }

    /// The number of a name with this hash, if it has one.
    #[inline]
    pub(crate) fn find(&self, hash: u64, name: &[u8]) -> Option<u32> {
        if self.slots.is_empty() {
            return None;
        }
        self.slots[self.slot(hash, name)].1.checked_sub(1)
    }

    /// The number of a name with this hash, a new one if it is new.
    #[inline]
    pub(crate) fn insert(&mut self, hash: u64, name: &[u8]) -> u32 {
        if self.slots.len() < 2 * (self.len() + 1) {
            self.widen();
        }
        let at = self.slot(hash, name);
        if let Some(id) = self.slots[at].1.checked_sub(1) {
            return id;
        }
        let id = self.ends.len() as u32;
        self.slots[at] = ((hash >> 32) as u32, id + 1);
        self.bytes.extend_from_slice(name);
        self.ends.push(self.bytes.len());
        id
    }

    /// Doubles the slots.
    #[cold]
    fn widen(&mut self) {
        let slots = (4 * self.len()).next_power_of_two().max(64);
        self.slots.clear();
        self.slots.resize(slots, (0, 0));
        for id in 0..self.len() as u32 {
            let hash = hash(self.name(id));
            let mut at = hash as usize & (slots - 1);
            while self.slots[at].1 != 0 {
                at = (at + 1) & (slots - 1);
            }
            self.slots[at] = ((hash >> 32) as u32, id + 1);
        }
    }

    /// Makes room for more names of so many bytes, or returns an error if there is none.
    fn reserve(&mut self, names: usize, bytes: usize) -> Result<()> {
        let what: &dyn Fn() -> Message = &|| "the names of the features".into();
        limits::reserve(&mut self.bytes, bytes, what)?;
        limits::reserve(&mut self.ends, names, what)?;
        let slots = 2 * (self.len() + names + 1);
        if slots > self.slots.len() {
            limits::room_for::<(u32, u32)>(2 * slots as u128, what)?;
        }
        Ok(())
    }

    /// Removes all names, and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
        self.slots.fill((0, 0));
    }
}

/// Names with their order.
#[derive(Debug, Default)]
pub(crate) struct Ranked {
    pub(crate) names: Dictionary,
    /// The numbers in the order of their names.
    order: Vec<u32>,
    /// The place of each number in that order.
    rank: Vec<u32>,
}

impl Ranked {
    /// The features of a model: sorted names, each at its own place.
    pub(crate) fn of_model(names: &[String]) -> Result<Self> {
        let mut all = Dictionary::default();
        all.reserve(names.len(), names.iter().map(String::len).sum())?;
        for name in names {
            all.insert(hash(name.as_bytes()), name.as_bytes());
        }
        let order: Vec<u32> = (0..names.len() as u32).collect();
        Ok(Ranked { names: all, rank: order.clone(), order })
    }

    /// The names of `all`, which begin with those of `before`.
    fn after(before: &Ranked, all: &Dictionary) -> Self {
        let mut fresh: Vec<u32> = (before.names.len() as u32..all.len() as u32).collect();
        fresh.sort_unstable_by_key(|&id| all.name(id));
        let mut order = Vec::with_capacity(all.len());
        let (mut old, mut new) = (before.order.iter().copied().peekable(), fresh.into_iter().peekable());
        while let (Some(&a), Some(&b)) = (old.peek(), new.peek()) {
            let first = if all.name(a) < all.name(b) { old.next() } else { new.next() };
            order.extend(first);
        }
        order.extend(old);
        order.extend(new);
        let mut rank = vec![0; order.len()];
        (0..).zip(&order).for_each(|(place, &id)| rank[id as usize] = place);
        Ranked { names: all.clone(), order, rank }
    }

    /// The place of a number in the order of names.
    #[inline]
    pub(crate) fn rank(&self, id: u32) -> u32 {
        self.rank[id as usize]
    }
}

/// The names of a chunk that were not published when it was parsed.
#[derive(Debug, Default)]
pub(crate) struct Fresh {
    /// How many names were published: numbers from here on are the chunk's own.
    pub(crate) base: u32,
    /// The new names, numbered from `base`.
    pub(crate) names: Dictionary,
}

impl Fresh {
    /// Removes all names.
    pub(crate) fn clear(&mut self) {
        self.base = u32::MAX;
        if self.names.len() > 0 {
            self.names.clear();
        }
    }
}

/// The names that chunks may look up.
#[derive(Debug, Default)]
pub(crate) struct Published(Mutex<Arc<Ranked>>);

impl Published {
    /// The names published so far.
    pub(crate) fn now(&self) -> Arc<Ranked> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn set(&self, names: Ranked) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(names);
    }
}

/// All names so far, on the thread that takes the chunks in order.
#[derive(Debug, Default)]
pub(crate) struct Growing {
    all: Dictionary,
    published: usize,
    /// Chunks since names were published.
    waited: usize,
    /// Scratch: the numbers of a chunk's new names.
    numbers: Vec<u32>,
}

impl Growing {
    /// Replaces a block's own numbers by those of the file.
    pub(crate) fn merge(&mut self, block: &mut Block, published: &Published) -> Result<()> {
        let Fresh { base, names } = &block.fresh;
        if names.len() > 0 {
            self.all.reserve(names.len(), names.bytes.len())?;
            self.numbers.clear();
            let ids = 0..names.len() as u32;
            self.numbers.extend(ids.map(|id| self.all.insert(hash(names.name(id)), names.name(id))));
            for index in &mut block.indices[..block.stored] {
                if *index >= *base {
                    *index = self.numbers[(*index - base) as usize];
                }
            }
        }
        if self.all.len() > MAX_FEATURES {
            return Err(Error::bad_data(format!("more than {MAX_FEATURES} features")));
        }
        // Features count from 1 in the facts of a file.
        block.facts.end = self.all.len() as u32 + 1;
        self.publish(published)
    }

    /// Publishes new names, seldom enough that copying them costs little.
    fn publish(&mut self, published: &Published) -> Result<()> {
        self.waited += 1;
        let new = self.all.len() - self.published;
        if new > 0 && (4 * new > self.all.len() || self.waited > 4 + self.all.len() / 500) {
            limits::room_for::<[u8; 24]>(self.all.len() as u128, || "the names of the features".into())?;
            published.set(Ranked::after(&published.now(), &self.all));
            (self.published, self.waited) = (self.all.len(), 0);
        }
        Ok(())
    }

    /// The sorted names, and the place of each number among them.
    pub(crate) fn finish(self, published: &Published) -> (Vec<String>, Vec<u32>) {
        let Ranked { names, order, rank } = Ranked::after(&published.now(), &self.all);
        let text = |&id: &u32| String::from_utf8_lossy(names.name(id)).into_owned();
        (order.iter().map(text).collect(), rank)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// The twin: a hash map. Numbers do not depend on how the names are cut into chunks.
        #[test]
        fn numbers_are_those_of_the_twin(names in prop::collection::vec("[ab]{0,3}|[a-z]{8,20}", 1..80), cut in 1..9usize) {
            let mut twin: HashMap<&str, u32> = HashMap::new();
            let expected: Vec<u32> = names.iter().map(|name| {
                let next = twin.len() as u32;
                *twin.entry(name).or_insert(next)
            }).collect();
            let (published, mut growing) = (Published::default(), Growing::default());
            let mut found = Vec::new();
            for chunk in names.chunks(cut) {
                let known = published.now();
                let mut block = Block::default();
                block.clear(chunk.len());
                block.fresh.base = known.names.len() as u32;
                for name in chunk {
                    let hash = hash(name.as_bytes());
                    let id = known.names.find(hash, name.as_bytes());
                    let id = id.unwrap_or_else(|| block.fresh.base + block.fresh.names.insert(hash, name.as_bytes()));
                    block.indices[block.stored] = id;
                    block.stored += 1;
                }
                growing.merge(&mut block, &published).unwrap();
                found.extend_from_slice(&block.indices[..block.stored]);
            }
            prop_assert_eq!(&found, &expected);
            let (sorted, places) = growing.finish(&published);
            prop_assert!(sorted.is_sorted_by(|a, b| a < b));
            for (name, id) in twin {
                prop_assert_eq!(&sorted[places[id as usize] as usize], name);
            }
        }
    }
}
