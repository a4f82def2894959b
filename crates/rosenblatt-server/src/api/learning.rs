//! Predict, learn, explain.

use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::Request;
use axum::http::HeaderMap;
use axum::response::Response;
use rosenblatt::read::VwExample;

use super::{Serving, json, kind_of, query_number, stream, with_seq};
use crate::engine::{json_number, json_text};
use crate::http::{LONG, Problem, aside, read_body};
use crate::model::{AT_ONCE, Answer, Ask, Explained, Handle, LearnAsk, Predicted, learned_json};
use crate::rows::{Row, Rows, Texts, parse, readable};
use crate::store::Request as Logged;

/// How long a request waits for `min_seq`.
pub(super) const PATIENCE: Duration = Duration::from_secs(30);

pub(super) fn is_stream(headers: &HeaderMap) -> bool {
    let kind = kind_of(headers).split(';').next().unwrap_or("").trim();
    kind.eq_ignore_ascii_case("application/x-ndjson")
}

async fn rows_of(
    serving: &Serving,
    request: Request,
    labelled: bool,
    texts: &Arc<Texts>,
) -> Result<(Rows, Bytes), Problem> {
    let (parts, body) = request.into_parts();
    let bytes = read_body(body, serving.body, serving.time).await?;
    let (texts, limits) = (texts.clone(), serving.rows);
    let is_long = bytes.len() > LONG;
    let read = move || Ok((parse(kind_of(&parts.headers), &bytes, &limits, labelled, &texts)?, bytes));
    if is_long { aside(read).await } else { read() }
}

pub(super) async fn predict(serving: &Arc<Serving>, name: String, request: Request) -> Result<Response, Problem> {
    let model = serving.catalogue.get(&name)?;
    let min_seq = query_number(&request, "min_seq")?.unwrap_or(0);
    if is_stream(request.headers()) {
        return Ok(stream::predict_lines(serving.clone(), model, request, min_seq));
    }
    let (Rows { rows, single }, _) = rows_of(serving, request, false, model.texts()).await?;
    let (lines, examples): (Vec<String>, Vec<VwExample>) = rows.into_iter().map(|row| (row.line, row.example)).unzip();
    let predicted = match model.predict(&examples, min_seq) {
        Some(predicted) => predicted,
        None => {
            let answer = model.answer(|reply| Ask::Predict { rows: examples, min_seq, reply });
            tokio::time::timeout(PATIENCE, answer).await.map_err(|_| not_reached(min_seq))??
        }
    };
    let seq = predicted.seq;
    let text = match predicted.predictions.len() {
        ..=AT_ONCE => predicted_json(serving, model.name(), &predicted, lines, single),
        _ => {
            let serving = serving.clone();
            aside(move || Ok(predicted_json(&serving, model.name(), &predicted, lines, single))).await?
        }
    };
    Ok(with_seq(json(text), seq))
}

pub(super) fn not_reached(min_seq: u64) -> Problem {
    Problem::new(504, "min-seq", format!("seq {min_seq} was not reached within {} s", PATIENCE.as_secs()))
}

fn predicted_json(
    serving: &Serving,
    name: &Arc<str>,
    predicted: &Predicted,
    lines: Vec<String>,
    single: bool,
) -> String {
    serving.counters.predicted.fetch_add(predicted.predictions.len() as u64, Relaxed);
    let ids = serving.remembered.put(name, lines);
    let id = |place: usize| ids.get(place).copied();
    let mut out = String::with_capacity(96 * predicted.predictions.len() + 32);
    if let ([one], true) = (&predicted.predictions[..], single) {
        one.write_json(predicted.seq, id(0), &mut out);
        return out;
    }
    out.push_str("{\"results\":[");
    for (place, one) in predicted.predictions.iter().enumerate() {
        if place > 0 {
            out.push(',');
        }
        one.write_json(predicted.seq, id(place), &mut out);
    }
    let _ = write!(out, "],\"seq\":{}}}", predicted.seq);
    out
}

pub(super) async fn learn(serving: &Arc<Serving>, name: String, request: Request) -> Result<Response, Problem> {
    let key = key_of(request.headers())?;
    if is_stream(request.headers()) {
        if !key.is_empty() {
            let message = "a stream of lines has no Idempotency-Key: its answers tell how far it came";
            return Err(Problem::new(400, "bad-key", message));
        }
        let model = serving.catalogue.find(&name)?;
        return Ok(stream::learn_lines(serving.clone(), stream::Target { name, model }, request));
    }
    let (rows, bytes) = rows_of(serving, request, true, &serving.catalogue.texts(&name)).await?;
    // A model is made only for rows that can be learned from.
    let model = make(serving, &name).await?;
    learn_rows(serving, &model, rows, key, &bytes).await
}

/// The model, made if it is not there: on a thread that may wait for the disk.
pub(super) async fn make(serving: &Arc<Serving>, name: &str) -> Result<Arc<Handle>, Problem> {
    match serving.catalogue.get(name) {
        Err(problem) if problem.status == 404 => {}
        other => return other,
    }
    let (serving, name) = (serving.clone(), name.to_string());
    let made = tokio::task::spawn_blocking(move || serving.catalogue.get_or_make(&name)).await;
    made.unwrap_or_else(|_| Err(Problem::new(500, "not-made", "the model could not be made")))
}

/// Learns from rows, and answers once they are durable.
pub(super) async fn learn_rows(
    serving: &Serving,
    model: &Arc<Handle>,
    rows: Rows,
    key: String,
    body: &[u8],
) -> Result<Response, Problem> {
    let (single, count) = (rows.single, rows.rows.len() as u64);
    match model.answer(|reply| Ask::Learn(learn_ask(rows.rows, single, key, body, reply))).await? {
        Answer::Rows(learned) => {
            serving.counters.learned.fetch_add(count, Relaxed);
            let seq = learned.last().map_or(0, |last| last.seq);
            Ok(with_seq(json(learned_json(&learned, single)), seq))
        }
        Answer::Again(text) => Ok(json(text)),
    }
}

pub(super) fn learn_ask(
    rows: Vec<Row>,
    single: bool,
    key: String,
    body: &[u8],
    reply: tokio::sync::oneshot::Sender<Result<Answer, Problem>>,
) -> LearnAsk {
    // The lowest bit tells whether one object was sent: the answer to a retry has the same shape, also after a restart.
    let hash = if key.is_empty() { 0 } else { twox_hash::XxHash3_64::oneshot(body) };
    let digest = (hash & !1) | u64::from(single);
    let (lines, examples) = rows.into_iter().map(|row| (row.line, row.example)).unzip();
    LearnAsk { request: Logged { key, digest, rows: lines }, examples, single, reply, stream: None }
}

/// The `Idempotency-Key`; empty if there is none.
fn key_of(headers: &HeaderMap) -> Result<String, Problem> {
    let Some(key) = headers.get("idempotency-key") else { return Ok(String::new()) };
    match key.to_str() {
        Ok(key) if (1..=200).contains(&key.len()) => Ok(key.to_string()),
        _ => Err(Problem::new(400, "bad-key", "an Idempotency-Key has 1 to 200 printable ASCII characters")),
    }
}

pub(super) async fn explain(serving: &Arc<Serving>, name: String, request: Request) -> Result<Response, Problem> {
    let model = serving.catalogue.get(&name)?;
    let (Rows { rows, single }, _) = rows_of(serving, request, false, model.texts()).await?;
    let (mut results, mut seq) = (Vec::with_capacity(rows.len()), 0);
    for row in rows {
        let example = Box::new(row.example);
        let explained = model.answer(|reply| Ask::Explain { row: example, reply }).await?;
        seq = explained.seq;
        results.push(explained_json(&explained));
    }
    let text = if single { results.concat() } else { format!("{{\"results\":[{}],\"seq\":{seq}}}", results.join(",")) };
    Ok(with_seq(json(text), seq))
}

/// `{"label", "scores", "seq", "terms": [{"feature", "value", "weights": {class: weight}}], "bias": {…}}`; a term of a score
/// is value × weight.
fn explained_json(explained: &Explained) -> String {
    let Explained { prediction, entries, weights, seq } = explained;
    let mut out = String::new();
    prediction.write_json(*seq, None, &mut out);
    out.pop();
    let classes = &prediction.classes;
    let by_class = |outputs: &[f64], out: &mut String| {
        out.push('{');
        for (class, name) in classes.iter().enumerate() {
            let weight = match outputs {
                [one] => [-one, *one][class] + 0.0,
                many => many[class],
            };
            out.push_str(if class > 0 { "," } else { "" });
            json_text(name, out);
            out.push(':');
            json_number(weight, out);
        }
        out.push('}');
    };
    out.push_str(",\"terms\":[");
    if let Some(weights) = weights {
        let each = entries.iter().zip(weights.values().chunks(weights.outputs()));
        for (place, ((name, value), outputs)) in each.enumerate() {
            out.push_str(if place > 0 { ",{\"feature\":" } else { "{\"feature\":" });
            json_text(&readable(name), &mut out);
            out.push_str(",\"value\":");
            json_number(*value, &mut out);
            out.push_str(",\"weights\":");
            by_class(outputs, &mut out);
            out.push('}');
        }
        out.push_str("],\"bias\":");
        by_class(weights.bias(), &mut out);
        out.push('}');
    } else {
        out.push_str("]}");
    }
    out
}
