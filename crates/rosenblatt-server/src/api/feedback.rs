//! Predictions that are remembered, so that a label can be learned from later by their `id`.

use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use axum::extract::Request;
use axum::response::Response;
use serde::Deserialize;
use serde_json::Value;

use super::learning::learn_rows;
use super::{Serving, kind_of};
use crate::engine::LEARNED;
use crate::http::{Problem, read_body};
use crate::rows::{BadRow, Row, Rows, write_label};

/// The most rows and bytes that are remembered.
const MOST: usize = 1_000_000;
const MOST_BYTES: usize = 256 << 20;

/// Rows by id, the oldest first.
pub(crate) struct Remembered {
    window: Duration,
    random: RandomState,
    counter: AtomicU64,
    rows: Mutex<Store>,
}

#[derive(Default)]
struct Store {
    order: VecDeque<(Instant, u64)>,
    /// The name of the model, and the row.
    rows: HashMap<u64, (Arc<str>, String)>,
    bytes: usize,
}

impl Remembered {
    pub(super) fn new(window: Duration) -> Self {
        let (random, counter, rows) = Default::default();
        Remembered { window, random, counter, rows }
    }

    fn rows(&self) -> MutexGuard<'_, Store> {
        self.rows.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Remembers rows of a model; their ids. None if nothing is remembered.
    pub(crate) fn put(&self, model: &str, lines: Vec<String>) -> Vec<String> {
        if self.window.is_zero() {
            return Vec::new();
        }
        let (model, now): (Arc<str>, Instant) = (model.into(), Instant::now());
        let mut store = self.rows();
        let mut ids = Vec::with_capacity(lines.len());
        for line in lines {
            // Not to be guessed: a client can only correct what it has asked.
            let id = self.random.hash_one(self.counter.fetch_add(1, Ordering::Relaxed));
            store.bytes += line.len() + 64;
            store.order.push_back((now, id));
            store.rows.insert(id, (model.clone(), line));
            ids.push(format!("{id:016x}"));
        }
        while let Some(&(time, id)) = store.order.front()
            && (now - time > self.window || store.bytes > MOST_BYTES || store.order.len() > MOST)
        {
            store.order.pop_front();
            if let Some((_, line)) = store.rows.remove(&id) {
                store.bytes -= line.len() + 64;
            }
        }
        ids
    }

    /// The row of an id, for this model.
    fn get(&self, model: &str, id: &str) -> Option<String> {
        let id = u64::from_str_radix(id, 16).ok()?;
        let store = self.rows();
        store.rows.get(&id).filter(|(name, _)| &**name == model).map(|(_, line)| line.clone())
    }

    /// Forgets rows that were learned from: the same correction twice is not learned from twice.
    fn forget(&self, ids: &[String]) {
        let mut store = self.rows();
        for id in ids {
            if let Some((_, line)) = u64::from_str_radix(id, 16).ok().and_then(|id| store.rows.remove(&id)) {
                store.bytes -= line.len() + 64;
            }
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Correction {
    id: String,
    label: Value,
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "expected {\"id\": …, \"label\": …}, or an array of such objects")]
enum Sent {
    One(Correction),
    Many(Vec<Correction>),
}

pub(super) async fn feedback(serving: &Arc<Serving>, name: String, request: Request) -> Result<Response, Problem> {
    let model = serving.catalogue.get(&name)?;
    let (parts, body) = request.into_parts();
    let kind = kind_of(&parts.headers).split(';').next().unwrap_or("").trim().to_ascii_lowercase();
    if !matches!(kind.as_str(), "" | "application/json" | "application/x-www-form-urlencoded") {
        return Err(Problem::new(415, "content-type", "expected application/json"));
    }
    let bytes = read_body(body, serving.body, serving.time).await?;
    let sent: Sent =
        serde_json::from_slice(&bytes).map_err(|error| Problem::new(400, "bad-json", error.to_string()))?;
    let (single, corrections) = match sent {
        Sent::One(one) => (true, vec![one]),
        Sent::Many(many) => (false, many),
    };
    if corrections.is_empty() || corrections.len() > serving.rows.rows {
        return Err(Problem::new(422, "no-rows", format!("expected 1 to {} corrections", serving.rows.rows)));
    }
    let (mut rows, mut ids) = (Vec::new(), Vec::new());
    for (number, correction) in (1..).zip(corrections) {
        let bad = |field: &str, message: &str| BadRow::field(field, message).at(number);
        if ids.contains(&correction.id) {
            return Err(bad("id", "this id comes twice"));
        }
        if correction.id.strip_prefix(LEARNED).is_some_and(|seq| seq.parse::<u64>().is_ok()) {
            let message = "this example was learned with its label: send it to learn again, with the right one";
            return Err(Problem { status: 409, kind: "learned", ..bad("id", message) });
        }
        let Some(line) = serving.remembered.get(&name, &correction.id) else {
            let problem = bad("id", "no prediction of this id is remembered: it is too old, or was corrected before");
            return Err(Problem { status: 404, kind: "unknown-id", ..problem });
        };
        let mut labelled = String::new();
        match &correction.label {
            Value::String(label) if !label.is_empty() => write_label(label, &mut labelled),
            label @ (Value::Number(_) | Value::Bool(_)) => labelled.push_str(&label.to_string()),
            _ => return Err(bad("label", "expected a text or a number")),
        }
        labelled.push_str(" |");
        labelled.push_str(line.split_once('|').map_or("", |(_, features)| features));
        rows.push(Row::new(labelled, &serving.rows, true).map_err(|bad| bad.at(number))?);
        ids.push(correction.id);
    }
    let answer = learn_rows(serving, &model, Rows { rows, single }, String::new(), &bytes).await?;
    serving.remembered.forget(&ids);
    Ok(answer)
}
