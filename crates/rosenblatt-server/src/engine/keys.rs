//! Answers by `Idempotency-Key`: a request that comes again gets the answer of the first, and is not learned from twice.

use std::collections::{HashMap, VecDeque};

use serde::{Deserialize, Serialize};

/// Keys that are remembered, and bytes of their answers.
const MOST: usize = 10_000;
const MOST_BYTES: usize = 8 << 20;

/// Remembered keys, the oldest first.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(from = "Vec<(String, u64, String)>", into = "Vec<(String, u64, String)>")]
pub struct Keys {
    order: VecDeque<String>,
    answers: HashMap<String, (u64, String)>,
    bytes: usize,
}

impl Keys {
    /// The digest of the body that came with this key, and the answer.
    pub fn get(&self, key: &str) -> Option<&(u64, String)> {
        self.answers.get(key)
    }

    /// Remembers an answer; the oldest are forgotten.
    pub fn put(&mut self, key: String, digest: u64, answer: String) {
        if self.answers.contains_key(&key) {
            return;
        }
        self.bytes += answer.len() + key.len();
        self.order.push_back(key.clone());
        self.answers.insert(key, (digest, answer));
        while self.order.len() > MOST || (self.bytes > MOST_BYTES && self.order.len() > 1) {
            let Some(oldest) = self.order.pop_front() else { break };
            if let Some((_, answer)) = self.answers.remove(&oldest) {
                self.bytes -= answer.len() + oldest.len();
            }
        }
    }
}

impl From<Vec<(String, u64, String)>> for Keys {
    fn from(all: Vec<(String, u64, String)>) -> Self {
        let mut keys = Keys::default();
        all.into_iter().for_each(|(key, digest, answer)| keys.put(key, digest, answer));
        keys
    }
}

impl From<Keys> for Vec<(String, u64, String)> {
    fn from(mut keys: Keys) -> Self {
        let mut all = Vec::with_capacity(keys.order.len());
        for key in std::mem::take(&mut keys.order) {
            if let Some((digest, answer)) = keys.answers.remove(&key) {
                all.push((key, digest, answer));
            }
        }
        all
    }
}
