//! Models: what they are, and their files.

use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::response::Response;
use tokio::sync::mpsc;

use super::stream::Pieces;
use super::{Serving, json, query_number, with_seq, with_type};
use crate::http::{Problem, read_body};
use crate::model::{Ask, Description, Handle, history};
use crate::store::log;

/// Descriptions of all models that run, and the names of the others with the reason.
pub(super) async fn describe_all(serving: &Serving) -> (Vec<Description>, Vec<(String, String)>) {
    let (mut all, mut failed) = (Vec::new(), Vec::new());
    for name in serving.catalogue.names() {
        let described = match serving.catalogue.get(&name) {
            Ok(model) => model.answer(Ask::Describe).await,
            Err(problem) => Err(problem),
        };
        match described {
            Ok(description) => all.push(description),
            Err(problem) => failed.push((name, problem.message)),
        }
    }
    (all, failed)
}

fn to_json(value: &impl serde::Serialize) -> Result<String, Problem> {
    let text = serde_json::to_string(value).map_err(|error| Problem::new(500, "json", error.to_string()))?;
    Ok(printable(text))
}

/// JSON with control characters beyond ASCII escaped, too.
pub(super) fn printable(text: String) -> String {
    if !text.contains(rosenblatt::escape::is_control) {
        return text;
    }
    let escape = |c: char| match rosenblatt::escape::is_control(c) {
        true => format!("\\u{:04x}", c as u32),
        false => c.to_string(),
    };
    text.chars().map(escape).collect()
}

/// All models.
#[derive(serde::Serialize)]
struct All {
    models: Vec<Description>,
    failed: Vec<Failed>,
}

/// A model that could not be opened, or does not answer.
#[derive(serde::Serialize)]
struct Failed {
    name: String,
    why: String,
}

pub(super) async fn list(serving: &Arc<Serving>, _: Request) -> Result<Response, Problem> {
    let (models, failed) = describe_all(serving).await;
    let failed = failed.into_iter().map(|(name, why)| Failed { name, why }).collect();
    Ok(json(to_json(&All { models, failed })?))
}

pub(super) async fn describe(serving: &Arc<Serving>, name: String, _: Request) -> Result<Response, Problem> {
    let description = serving.catalogue.get(&name)?.answer(Ask::Describe).await?;
    let seq = description.seq;
    Ok(with_seq(json(to_json(&description)?), seq))
}

pub(super) async fn remove(serving: &Arc<Serving>, name: String, _: Request) -> Result<Response, Problem> {
    let serving = serving.clone();
    let remove = move || {
        let removed = serving.catalogue.remove(&name);
        serving.remembered.forget(&name);
        removed
    };
    let removed = tokio::task::spawn_blocking(remove).await;
    removed.unwrap_or_else(|_| Err(Problem::new(500, "not-removed", "the model could not be removed")))?;
    Ok(json("{\"removed\":true}".into()))
}

pub(super) async fn put(serving: &Arc<Serving>, name: String, request: Request) -> Result<Response, Problem> {
    let bytes = read_body(request.into_body(), serving.model, serving.time).await?;
    let serving = serving.clone();
    let put = tokio::task::spawn_blocking(move || serving.catalogue.put(&name, &bytes)).await;
    put.unwrap_or_else(|_| Err(Problem::new(500, "not-kept", "the model could not be kept")))?;
    Ok(json("{\"served\":true}".into()))
}

/// The `seq` that was asked for, if it is not the present, and the one that is meant.
async fn asked_seq(handle: &Arc<Handle>, asked: Option<u64>) -> Result<(Option<u64>, u64), Problem> {
    let now = handle.answer(Ask::Describe).await?.seq;
    match asked {
        Some(seq) if seq > now => {
            Err(Problem::new(409, "no-such-seq", format!("seq {seq}: {now} examples were learned from")))
        }
        Some(seq) if seq < now => Ok((Some(seq), seq)),
        _ => Ok((None, now)),
    }
}

/// The model file, as `rosenblatt train` writes it for the examples so far, or for the first `seq`.
pub(super) async fn download(serving: &Arc<Serving>, name: String, request: Request) -> Result<Response, Problem> {
    let handle = serving.catalogue.get(&name)?;
    let asked = query_number(&request, "seq")?;
    let (files, folder) = handle.place();
    let failed = |message: String| Problem::new(500, "not-read", message);
    if let ((Some(seq), _), Some(trainer)) = (asked_seq(&handle, asked).await?, handle.trainer().cloned()) {
        let again = move || history::model_at(&*files, &folder, &trainer, seq).map(|model| model.to_bytes());
        let bytes = tokio::task::spawn_blocking(again).await.map_err(|error| failed(error.to_string()))?;
        let bytes = bytes.map_err(|error| Problem::new(409, "no-model", error.to_string()))?;
        return Ok(with_seq(with_type("application/octet-stream", bytes), seq));
    }
    let (model, seq) = handle.answer(Ask::Model).await?;
    let bytes =
        tokio::task::spawn_blocking(move || model.to_bytes()).await.map_err(|error| failed(error.to_string()))?;
    Ok(with_seq(with_type("application/octet-stream", bytes), seq))
}

/// All examples, or the first `seq`, as text that `rosenblatt train` reads; `from`: those after so many.
pub(super) async fn examples(serving: &Arc<Serving>, name: String, request: Request) -> Result<Response, Problem> {
    let handle = serving.catalogue.get(&name)?;
    if handle.is_finished() {
        return Err(Problem::new(409, "finished", "a finished model has no log: it did not learn here"));
    }
    let (_, seq) = asked_seq(&handle, query_number(&request, "seq")?).await?;
    let from = query_number(&request, "from")?.unwrap_or(0);
    let (files, folder) = handle.place();
    let start = log::start(&*files, &folder).map_err(|error| Problem::new(500, "not-read", error.to_string()))?;
    if from < start {
        let message = format!(
            "the first {start} examples were dropped after a snapshot: from={start} gives those after them, \
             and the model file holds what was learned from all"
        );
        return Err(Problem::new(409, "dropped", message));
    }
    let (out, pieces) = mpsc::channel(4);
    tokio::task::spawn_blocking(move || {
        let read = history::text(&*files, &folder, from, seq, &mut |lines| {
            let piece = Bytes::copy_from_slice(lines);
            out.blocking_send(Ok(piece)).map_err(|_| std::io::Error::other("the client left"))
        });
        if let Err(error) = read {
            let _ = out.blocking_send(Err(error));
        }
    });
    Ok(with_seq(with_type("text/plain; charset=utf-8", Body::new(Pieces(pieces))), seq))
}
