//! Predictions that are remembered, so that a label can be learned from later by their `id`.

use std::collections::{HashMap, HashSet, VecDeque};
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
    /// When it was asked, the name of the model, and the row.
    rows: HashMap<u64, (Instant, Arc<str>, String)>,
    bytes: usize,
}

impl Store {
    fn put(&mut self, now: Instant, id: u64, model: Arc<str>, line: String) {
        self.bytes += line.len() + 64;
        self.order.push_back((now, id));
        self.rows.insert(id, (now, model, line));
    }

    fn remove(&mut self, id: u64) -> Option<(Arc<str>, String)> {
        let (_, model, line) = self.rows.remove(&id)?;
        self.bytes -= line.len() + 64;
        Some((model, line))
    }

    /// Forgets what is older than the window, and the oldest where there is too much.
    fn forget(&mut self, now: Instant, window: Duration) {
        while let Some(&(time, id)) = self.order.front()
            && (now - time > window || self.bytes > MOST_BYTES || self.order.len() > MOST)
        {
            self.order.pop_front();
            // A row that was given back is in the order twice, and only its last place counts.
            if self.rows.get(&id).is_some_and(|(last, ..)| *last == time) {
                self.remove(id);
            }
        }
    }
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
    pub(crate) fn put(&self, model: &Arc<str>, lines: Vec<String>) -> Vec<u64> {
        if self.window.is_zero() {
            return Vec::new();
        }
        let now = Instant::now();
        // Not to be guessed: a client can only correct what it has asked.
        let id = |_: &String| self.random.hash_one(self.counter.fetch_add(1, Ordering::Relaxed));
        let ids: Vec<u64> = lines.iter().map(id).collect();
        let mut store = self.rows();
        for (&id, line) in ids.iter().zip(lines) {
            store.put(now, id, model.clone(), line);
        }
        store.forget(now, self.window);
        ids
    }

    /// Takes the row of an id away, for this model: the same correction twice, also at the same time, or again by a client
    /// that did not wait for its answer, is not learned from twice.
    fn take(&self, model: &str, id: &str) -> Option<Taken> {
        // An id has one text.
        let id = u64::from_str_radix(id, 16).ok().filter(|number| format!("{number:016x}") == id)?;
        let mut store = self.rows();
        store.forget(Instant::now(), self.window);
        store.rows.get(&id).filter(|(_, name, _)| &**name == model)?;
        let (model, line) = store.remove(id)?;
        Some(Taken { id, model, line })
    }

    /// Forgets all rows of a model that is removed: another of its name did not predict them.
    pub(super) fn forget(&self, model: &str) {
        let mut store = self.rows();
        let ids: Vec<u64> = store.rows.iter().filter(|(_, (_, name, _))| &**name == model).map(|(&id, _)| id).collect();
        ids.into_iter().for_each(|id| drop(store.remove(id)));
    }

    /// Remembers rows again that were not learned from.
    fn give_back(&self, taken: Vec<Taken>) {
        let (mut store, now) = (self.rows(), Instant::now());
        for Taken { id, model, line } in taken {
            store.put(now, id, model, line);
        }
    }
}

/// A row that was taken away.
struct Taken {
    id: u64,
    model: Arc<str>,
    line: String,
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
    let mut taken = Vec::with_capacity(corrections.len());
    let learned = match labelled(serving, &name, corrections, &mut taken) {
        Ok(rows) => learn_rows(serving, &model, Rows { rows, single }, String::new(), &bytes).await,
        Err(problem) => Err(problem),
    };
    if learned.is_err() {
        serving.remembered.give_back(taken);
    }
    learned
}

/// The rows of the corrections, with their labels; those that were remembered are taken away.
fn labelled(
    serving: &Serving,
    name: &str,
    corrections: Vec<Correction>,
    taken: &mut Vec<Taken>,
) -> Result<Vec<Row>, Problem> {
    let (mut rows, mut ids) = (Vec::new(), HashSet::new());
    for (number, correction) in (1..).zip(corrections) {
        let bad = |field: &str, message: &str| BadRow::field(field, message).at(number);
        if !ids.insert(correction.id.clone()) {
            return Err(bad("id", "this id comes twice"));
        }
        let Some(found) = serving.remembered.take(name, &correction.id) else {
            // Only now: the id of a prediction may begin with this letter, too.
            if correction.id.strip_prefix(LEARNED).is_some_and(|seq| seq.parse::<u64>().is_ok()) {
                let message = "this example was learned with its label: send it to learn again, with the right one";
                return Err(Problem { status: 409, kind: "learned", ..bad("id", message) });
            }
            let problem = bad("id", "no prediction of this id is remembered: it is too old, or was corrected before");
            return Err(Problem { status: 404, kind: "unknown-id", ..problem });
        };
        let mut labelled = String::new();
        taken.push(found);
        match &correction.label {
            Value::String(label) if !label.is_empty() => write_label(label, &mut labelled),
            label @ (Value::Number(_) | Value::Bool(_)) => labelled.push_str(&label.to_string()),
            _ => return Err(bad("label", "expected a text or a number")),
        }
        labelled.push_str(" |");
        let line = taken.last().map_or("", |found| &found.line);
        labelled.push_str(line.split_once('|').map_or("", |(_, features)| features));
        rows.push(Row::new(labelled, &serving.rows, true).map_err(|bad| bad.at(number))?);
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Catalogue, Durability, ModelLimits, Settings};
    use crate::store::simulated::Simulated;
    use crate::{Tokens, http::Problem};

    fn correct(serving: &Serving, id: &str, taken: &mut Vec<Taken>) -> Result<Vec<Row>, Problem> {
        labelled(serving, "m", vec![Correction { id: id.into(), label: "x".into() }], taken)
    }

    /// Also if no other prediction came that made room.
    #[test]
    fn a_prediction_is_forgotten_after_the_window() {
        let remembered = Remembered::new(Duration::from_millis(50));
        let ids = remembered.put(&"m".into(), vec![" | a:1".into(), " | b:1".into()]);
        let [one, two] = [ids[0], ids[1]].map(|id| format!("{id:016x}"));
        let taken = remembered.take("m", &one).unwrap();
        std::thread::sleep(Duration::from_millis(60));
        assert!(remembered.take("m", &two).is_none());
        // What was given back begins anew.
        remembered.give_back(vec![taken]);
        assert!(remembered.take("m", &one).is_some());
        assert_eq!(remembered.rows().bytes, 0);
    }

    #[test]
    fn a_model_that_is_removed_takes_its_predictions_along() {
        let remembered = Remembered::new(Duration::from_secs(60));
        let ids = remembered.put(&"m".into(), vec![" | a:1".into(), " | b:1".into()]);
        let other = remembered.put(&"n".into(), vec![" | a:1".into()])[0];
        remembered.forget("m");
        assert!(ids.iter().all(|id| remembered.take("m", &format!("{id:016x}")).is_none()));
        assert!(remembered.take("n", &format!("{other:016x}")).is_some());
        assert_eq!(remembered.rows().bytes, 0);
    }

    /// One prediction in twenty thousand has an id of the form of an example that was learned, e and digits.
    #[test]
    fn every_prediction_can_be_corrected_once() {
        let settings = Settings {
            recipe: Default::default(),
            preparation: Default::default(),
            texts: Default::default(),
            durability: Durability::Sync,
            limits: ModelLimits::default(),
            models: 1,
        };
        let catalogue = Catalogue::open(Arc::new(Simulated::default()), "/models".into(), settings).unwrap();
        let serving = Serving::new(catalogue, Tokens::default(), Duration::from_secs(3600));
        let mut met = 0;
        for _ in 0..100 {
            for id in serving.remembered.put(&"m".into(), vec![" | a:1".into(); 4_000]) {
                let id = format!("{id:016x}");
                if id.strip_prefix(LEARNED).is_some_and(|rest| rest.parse::<u64>().is_ok()) {
                    met += 1;
                    let (mut taken, mut again) = (Vec::new(), Vec::new());
                    assert_eq!(
                        correct(&serving, &id, &mut taken).map(|rows| rows[0].line.clone()),
                        Ok("x | a:1".into())
                    );
                    // While it is being learned from, and afterwards, there is nothing to correct; after a failure there is.
                    assert!(correct(&serving, &id, &mut again).is_err());
                    serving.remembered.give_back(taken);
                    assert!(correct(&serving, &id, &mut again).is_ok());
                }
            }
        }
        assert!(met > 0);
        // An id has one text.
        let id = format!("{:016x}", serving.remembered.put(&"m".into(), vec![" | a:1".into()])[0]);
        for other in [format!("0{id}"), format!("+{id}"), id.to_uppercase() + " "] {
            assert!(correct(&serving, &other, &mut Vec::new()).is_err(), "{other}");
        }
        assert!(correct(&serving, &id, &mut Vec::new()).is_ok());
        assert_eq!(correct(&serving, "e7", &mut Vec::new()).map_err(|problem| problem.status).err(), Some(409));
        assert_eq!(correct(&serving, "zz", &mut Vec::new()).map_err(|problem| problem.status).err(), Some(404));
    }
}
