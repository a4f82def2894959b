//! Answers by `Idempotency-Key`: a request that comes again gets the answer of the first, and is not learned from twice.

use std::collections::{HashMap, VecDeque};

use serde::{Deserialize, Serialize};

/// Keys that are remembered.
const MOST: usize = 10_000;
/// An answer of more bytes is long, and how many bytes of long ones are kept. Where there are more, the oldest lose their rows:
/// what is known then is that the request was learned from, and its seq.
const LONG: usize = 1_000;
const MOST_BYTES: usize = 8 << 20;

/// Remembered keys, the oldest first.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(from = "Vec<(String, u64, String)>", into = "Vec<(String, u64, String)>")]
pub struct Keys {
    order: VecDeque<String>,
    answers: HashMap<String, (u64, String)>,
    /// Those with long answers, and the bytes of these.
    long: VecDeque<String>,
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
        if answer.len() > LONG {
            self.bytes += answer.len();
            self.long.push_back(key.clone());
        }
        self.order.push_back(key.clone());
        self.answers.insert(key, (digest, answer));
        while self.order.len() > MOST {
            let Some(oldest) = self.order.pop_front() else { break };
            let gone = self.answers.remove(&oldest);
            if self.long.front() == Some(&oldest) {
                self.long.pop_front();
                self.bytes -= gone.map_or(0, |(_, answer)| answer.len());
            }
        }
        while self.bytes > MOST_BYTES && self.long.len() > 1 {
            let Some((_, answer)) = self.long.pop_front().and_then(|key| self.answers.get_mut(&key)) else { break };
            self.bytes -= answer.len();
            *answer = without_rows(answer);
        }
    }
}

/// An answer without its rows; its seq is the last in the text.
fn without_rows(answer: &str) -> String {
    let seq = answer.rsplit_once("\"seq\":").map_or("", |(_, rest)| rest);
    let digits = seq.bytes().take_while(u8::is_ascii_digit).count();
    format!("{{\"results\":[],\"seq\":{}}}", &seq[..digits])
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A key was forgotten with its answer, so a retry of a long request was learned from twice.
    #[test]
    fn a_long_answer_loses_its_rows_and_not_its_key() {
        let mut keys = Keys::default();
        let long = |seq: u64| format!("{{\"results\":[{}],\"seq\":{seq}}}", "x".repeat(MOST_BYTES / 3));
        for n in 0..20 {
            keys.put(format!("k{n}"), n, long(n));
            keys.put(format!("short{n}"), n, format!("{{\"label\":\"a\",\"seq\":{n},\"id\":\"e{n}\"}}"));
            assert!(keys.bytes <= MOST_BYTES);
        }
        let kept: Vec<(String, u64, String)> = keys.clone().into();
        for keys in [keys, kept.into()] {
            for n in 0..20 {
                let (digest, answer) = keys.get(&format!("k{n}")).unwrap();
                let expected = if n < 18 { format!("{{\"results\":[],\"seq\":{n}}}") } else { long(n) };
                assert!(*digest == n && *answer == expected, "{n}");
                assert!(keys.get(&format!("short{n}")).unwrap().1.contains("label"), "{n}");
            }
        }
    }

    #[test]
    fn the_newest_keys_are_remembered() {
        let mut keys = Keys::default();
        for n in 0..2 * MOST {
            keys.put(n.to_string(), 0, if n < 5 { "x".repeat(LONG + 1) } else { "{\"seq\":1}".into() });
        }
        assert!(keys.get(&(MOST - 1).to_string()).is_none() && keys.get(&MOST.to_string()).is_some());
        assert_eq!((keys.order.len(), keys.answers.len(), keys.long.len(), keys.bytes), (MOST, MOST, 0, 0));
    }
}
