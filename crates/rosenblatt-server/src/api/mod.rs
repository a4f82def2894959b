//! The interface of the learning server. One table says what there is; the router and the description are made from it.

mod feedback;
mod infer;
mod learning;
mod models;
mod openapi;
mod page;
mod probes;
mod stream;
mod table;
mod tokens;

pub use openapi::description;
pub use table::{ROUTES, Route};
pub use tokens::{Role, Tokens};

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use axum::response::Response;

use crate::http::Problem;
use crate::model::Catalogue;
use crate::rows::RowLimits;
use feedback::Remembered;

/// Everything that requests need.
pub struct Serving {
    /// The models.
    pub catalogue: Catalogue,
    /// Who may do what.
    pub tokens: Tokens,
    /// Limits of rows.
    pub rows: RowLimits,
    /// The longest body, where it is not a stream of lines.
    pub body: usize,
    /// The longest model file.
    pub model: usize,
    /// How long a body may take, and a line of a stream.
    pub time: Duration,
    pub(crate) remembered: Remembered,
    pub(crate) counters: Counters,
    pub(crate) since: Instant,
}

/// Counts for `/metrics`.
#[derive(Default)]
pub(crate) struct Counters {
    pub(crate) predicted: AtomicU64,
    pub(crate) learned: AtomicU64,
    pub(crate) refused: AtomicU64,
    pub(crate) requests: AtomicU64,
}

impl Serving {
    /// Serves these models. Rows that were predicted are remembered for `window`.
    pub fn new(catalogue: Catalogue, tokens: Tokens, window: Duration) -> Self {
        Serving {
            catalogue,
            tokens,
            rows: RowLimits::default(),
            body: 64 << 20,
            model: 1 << 30,
            time: Duration::from_secs(30),
            remembered: Remembered::new(window),
            counters: Counters::default(),
            since: Instant::now(),
        }
    }

    /// Ends all models in order.
    pub fn stop(&self) {
        let count = |counter: &AtomicU64| counter.load(Relaxed);
        let Counters { predicted, learned, refused, .. } = &self.counters;
        let (predicted, learned, refused) = (count(predicted), count(learned), count(refused));
        tracing::info!(predicted, learned, refused, "stopping");
        self.catalogue.stop();
        tracing::info!("stopped");
    }

    /// The routes of the table.
    pub fn router(self: Arc<Self>) -> Router {
        let mut router = Router::new();
        for route in &ROUTES {
            router = router.route(route.path, (route.handler)(self.clone(), route.role));
        }
        let lost = |request: Request| async move {
            table::refused(&request, &Problem::new(404, "no-such-path", "there is nothing here: see /openapi.json"))
        };
        let wrong = |request: Request| async move {
            table::refused(&request, &Problem::new(405, "method", "this path has other methods: see /openapi.json"))
        };
        router.fallback(lost).method_not_allowed_fallback(wrong)
    }

    /// Refuses a request without the token of this role.
    pub(crate) fn check(&self, role: Role, headers: &HeaderMap) -> Result<(), Problem> {
        let given = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
        self.tokens.check(role, given.and_then(bearer))
    }
}

/// The token of an `Authorization`; the name of its scheme may be written in any case.
fn bearer(value: &str) -> Option<&str> {
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim_matches(' '))
}

/// An answer of JSON.
pub(crate) fn json(text: String) -> Response {
    with_type("application/json", text)
}

pub(crate) fn with_type(kind: &'static str, body: impl Into<Body>) -> Response {
    let mut answer = Response::new(body.into());
    // Room for those that every answer has: the map grows once.
    answer.headers_mut().reserve(8);
    answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    answer
}

pub(crate) fn with_seq(mut answer: Response, seq: u64) -> Response {
    answer.headers_mut().insert(HeaderName::from_static("x-seq"), HeaderValue::from(seq));
    answer
}

/// The type of a body.
pub(crate) fn kind_of(headers: &HeaderMap) -> &str {
    headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or("")
}

/// A parameter of the query, as a whole number.
pub(crate) fn query_number(request: &Request, name: &str) -> Result<Option<u64>, Problem> {
    let query = request.uri().query().unwrap_or("");
    let pair = query.split('&').filter_map(|pair| pair.split_once('=')).find(|(key, _)| *key == name);
    match pair.map(|(_, value)| value.parse()) {
        None => Ok(None),
        Some(Ok(number)) => Ok(Some(number)),
        Some(Err(_)) => Err(Problem::new(400, "bad-query", format!("{name}: expected a whole number"))),
    }
}
