//! The table of all paths.

use std::sync::Arc;

use axum::extract::{Path, Request};
use axum::http::Method;
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodFilter, MethodRouter, on};

use super::{Role, Serving, feedback, infer, learning, models, openapi, page, probes};
use crate::http::Problem;

/// What a body holds, for the description.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Body {
    /// Nothing.
    None,
    /// Examples, with labels or without.
    Examples,
    /// Identities of predictions, with labels.
    Feedback,
    /// Tensors of the Open Inference Protocol.
    Tensors,
    /// A model file.
    Model,
}

/// One path with one method.
pub struct Route {
    /// The path, with `{m}` for the name of a model.
    pub path: &'static str,
    /// The method.
    pub method: Method,
    /// Who may call it.
    pub role: Role,
    /// What it does.
    pub summary: &'static str,
    /// What is sent.
    pub body: Body,
    /// The type of the answer.
    pub answer: &'static str,
    pub(super) handler: fn(Arc<Serving>, Role) -> MethodRouter,
}

/// A handler of requests that name no model.
macro_rules! plain {
    ($method:ident, $handler:path) => {
        |serving: Arc<Serving>, role: Role| {
            on(MethodFilter::$method, move |request: Request| {
                let (serving, protocol) = (serving.clone(), is_protocol(&request));
                let uri = heard(&request);
                async move {
                    let done = match serving.check(role, request.headers()) {
                        Ok(()) => $handler(&serving, request).await,
                        Err(problem) => Err(problem),
                    };
                    finish(&serving, done, protocol, uri)
                }
            })
        }
    };
}

/// A handler of requests that name a model.
macro_rules! named {
    ($method:ident, $handler:path) => {
        |serving: Arc<Serving>, role: Role| {
            on(
                MethodFilter::$method,
                move |path: Result<Path<String>, axum::extract::rejection::PathRejection>, request: Request| {
                    let (serving, protocol) = (serving.clone(), is_protocol(&request));
                    let uri = heard(&request);
                    async move {
                        let done = match (path, serving.check(role, request.headers())) {
                            (Ok(Path(name)), Ok(())) => $handler(&serving, name, request).await,
                            (_, Err(problem)) => Err(problem),
                            (Err(_), _) => Err(Problem::new(400, "bad-name", "the name in the path is not UTF-8 text")),
                        };
                        finish(&serving, done, protocol, uri)
                    }
                },
            )
        }
    };
}

/// Whether a request speaks the Open Inference Protocol, whose errors are texts.
fn is_protocol(request: &Request) -> bool {
    request.uri().path().starts_with("/v2")
}

/// What was asked, where refusals are logged.
fn heard(request: &Request) -> Option<String> {
    tracing::enabled!(tracing::Level::DEBUG).then(|| format!("{} {}", request.method(), request.uri()))
}

fn finish(serving: &Serving, done: Result<Response, Problem>, protocol: bool, asked: Option<String>) -> Response {
    use std::sync::atomic::Ordering::Relaxed;
    serving.counters.requests.fetch_add(1, Relaxed);
    done.unwrap_or_else(|problem| {
        serving.counters.refused.fetch_add(1, Relaxed);
        if let Some(asked) = &asked {
            let Problem { status, kind, message, .. } = &problem;
            tracing::debug!(request = %asked, status = u64::from(*status), kind, why = %message, "refused");
        }
        if protocol { infer::refused(&problem) } else { problem.into_response() }
    })
}

/// A request that no path of the table takes.
pub(super) fn refused(request: &Request, problem: &Problem) -> Response {
    if is_protocol(request) { infer::refused(problem) } else { problem.clone().into_response() }
}

const JSON: &str = "application/json";

/// All paths.
#[rustfmt::skip]
pub static ROUTES: [Route; 23] = [
    Route { path: "/v1/models/{m}/predict", method: Method::POST, role: Role::Predict, body: Body::Examples, answer: JSON,
        summary: "Predict one example or many", handler: named!(POST, learning::predict) },
    Route { path: "/v1/models/{m}/learn", method: Method::POST, role: Role::Learn, body: Body::Examples, answer: JSON,
        summary: "Learn from labelled examples; the answer is the prediction before", handler: named!(POST, learning::learn) },
    Route { path: "/v1/models/{m}/feedback", method: Method::POST, role: Role::Learn, body: Body::Feedback, answer: JSON,
        summary: "Learn the label of an earlier prediction", handler: named!(POST, feedback::feedback) },
    Route { path: "/v1/models/{m}/explain", method: Method::POST, role: Role::Predict, body: Body::Examples, answer: JSON,
        summary: "The terms of a score, by name", handler: named!(POST, learning::explain) },
    Route { path: "/v1/models", method: Method::GET, role: Role::Predict, body: Body::None, answer: JSON,
        summary: "All models", handler: plain!(GET, models::list) },
    Route { path: "/v1/models/{m}", method: Method::GET, role: Role::Predict, body: Body::None, answer: JSON,
        summary: "One model: classes, features, learner, seq, progressive error", handler: named!(GET, models::describe) },
    Route { path: "/v1/models/{m}", method: Method::PUT, role: Role::Admin, body: Body::Model, answer: JSON,
        summary: "Serve a finished model", handler: named!(PUT, models::put) },
    Route { path: "/v1/models/{m}", method: Method::DELETE, role: Role::Admin, body: Body::None, answer: JSON,
        summary: "Remove a model and its files", handler: named!(DELETE, models::remove) },
    Route { path: "/v1/models/{m}/model", method: Method::GET, role: Role::Admin, body: Body::None, answer: "application/octet-stream",
        summary: "The model file, for rosenblatt predict", handler: named!(GET, models::download) },
    Route { path: "/v1/models/{m}/log", method: Method::GET, role: Role::Admin, body: Body::None, answer: "text/plain",
        summary: "All examples in their order, as Vowpal Wabbit text", handler: named!(GET, models::examples) },
    Route { path: "/v2", method: Method::GET, role: Role::Anyone, body: Body::None, answer: JSON,
        summary: "Open Inference Protocol: the server", handler: plain!(GET, infer::server) },
    Route { path: "/v2/health/live", method: Method::GET, role: Role::Anyone, body: Body::None, answer: JSON,
        summary: "Open Inference Protocol: alive", handler: plain!(GET, infer::live) },
    Route { path: "/v2/health/ready", method: Method::GET, role: Role::Anyone, body: Body::None, answer: JSON,
        summary: "Open Inference Protocol: ready", handler: plain!(GET, infer::ready) },
    Route { path: "/v2/models/{m}", method: Method::GET, role: Role::Predict, body: Body::None, answer: JSON,
        summary: "Open Inference Protocol: metadata of a model", handler: named!(GET, infer::metadata) },
    Route { path: "/v2/models/{m}/ready", method: Method::GET, role: Role::Predict, body: Body::None, answer: JSON,
        summary: "Open Inference Protocol: whether a model is ready", handler: named!(GET, infer::model_ready) },
    Route { path: "/v2/models/{m}/infer", method: Method::POST, role: Role::Predict, body: Body::Tensors, answer: JSON,
        summary: "Open Inference Protocol: predict", handler: named!(POST, infer::infer) },
    Route { path: "/metrics", method: Method::GET, role: Role::Predict, body: Body::None, answer: "text/plain",
        summary: "Counters in the text format of Prometheus", handler: plain!(GET, probes::metrics) },
    Route { path: "/healthz", method: Method::GET, role: Role::Anyone, body: Body::None, answer: JSON,
        summary: "The process is alive", handler: plain!(GET, probes::health) },
    Route { path: "/readyz", method: Method::GET, role: Role::Anyone, body: Body::None, answer: JSON,
        summary: "All models answer and learn", handler: plain!(GET, probes::ready) },
    Route { path: "/openapi.json", method: Method::GET, role: Role::Anyone, body: Body::None, answer: JSON,
        summary: "This description", handler: plain!(GET, openapi::serve) },
    Route { path: "/", method: Method::GET, role: Role::Anyone, body: Body::None, answer: "text/html",
        summary: "A page that shows all models live", handler: plain!(GET, page::html) },
    Route { path: "/live.js", method: Method::GET, role: Role::Anyone, body: Body::None, answer: "text/javascript",
        summary: "The script of that page", handler: plain!(GET, page::script) },
    Route { path: "/page/{m}", method: Method::GET, role: Role::Anyone, body: Body::None, answer: "text/javascript",
        summary: "The modules of that script", handler: named!(GET, page::module) },
];
