//! The lab's page and its engine, on the loopback address.
//!
//! | call | does |
//! |---|---|
//! | `GET /`, `GET /NAME` | the files of the page, embedded in the program |
//! | `GET /lab/data` | the table that was named on the command line, as CSV; else no content |
//! | `POST /lab` | the engine: a JSON request in, a JSON answer out |
//!
//! No file is read. A few requests are computed at a time, some wait, and more are refused at once.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderValue, Response, StatusCode, header};
use axum::response::IntoResponse;
use axum::routing::{get, post};
use http_body_util::BodyExt;
use rosenblatt_lab::page::FILES;
use tokio::sync::Semaphore;

use crate::http::{Problem, read_body};

/// The page may run its own scripts and the engine, and talk to this server; nothing else. Slides may show it.
const POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; \
                      img-src 'self' data: blob:; connect-src 'self'; worker-src 'self'; base-uri 'none'; \
                      form-action 'none'; frame-ancestors 'self' http://localhost:* http://127.0.0.1:* file:";
/// How many requests are computed at a time.
const AT_A_TIME: usize = 2;
/// How many may wait for their turn.
const WAITING: usize = 64;
/// How long a body may take to arrive.
const BODY_TIME: Duration = Duration::from_secs(10);
/// The most bytes of a refused body that are read, so that its client sees why.
const MOST_DROPPED: usize = 256 << 20;

struct Lab {
    data: Option<String>,
    working: Arc<Semaphore>,
    waiting: Semaphore,
}

/// The lab; `data` is the table that it begins with, as CSV.
pub fn router(data: Option<String>) -> Router {
    let working = Arc::new(Semaphore::new(AT_A_TIME));
    let lab = Arc::new(Lab { data, working, waiting: Semaphore::new(AT_A_TIME + WAITING) });
    Router::new()
        .route("/", get(|| file(Path(FILES[0].name.to_string()))))
        .route("/lab/data", get(data_file))
        .route("/lab", post(engine))
        .route("/{name}", get(file))
        .with_state(lab)
}

fn answer(kind: &'static str, body: impl Into<Body>) -> Response<Body> {
    let mut answer = Response::new(body.into());
    let headers = answer.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    answer
}

async fn file(Path(name): Path<String>) -> Response<Body> {
    match FILES.iter().find(|file| file.name == name) {
        Some(file) => answer(file.kind, file.text),
        None => Problem::new(404, "no-page", "the lab has no such page: it is at /").into_response(),
    }
}

async fn data_file(State(lab): State<Arc<Lab>>) -> Response<Body> {
    match &lab.data {
        Some(csv) => answer("text/csv; charset=utf-8", csv.clone()),
        None => StatusCode::NO_CONTENT.into_response(),
    }
}

/// Reads the body of a request that is refused, for a while: a client that is still sending when the connection ends would
/// see a broken connection in place of the answer.
async fn drop_body(body: &mut Body) {
    let mut dropped = 0;
    let drop_all = async {
        while let Some(Ok(frame)) = body.frame().await {
            dropped += frame.data_ref().map_or(0, |data| data.len());
            if dropped > MOST_DROPPED {
                break;
            }
        }
    };
    let _ = tokio::time::timeout(BODY_TIME, drop_all).await;
}

/// Refuses a body whose announced length is too great.
async fn refuse_long(headers: &HeaderMap, body: &mut Body) -> Result<(), Problem> {
    let announced = headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<usize>().ok());
    let most = rosenblatt_lab::MOST_BYTES;
    let Some(length) = announced.filter(|&length| length > most) else { return Ok(()) };
    drop_body(body).await;
    let message =
        format!("the request has {length} bytes: at most {most} are answered; the command line has no such limit");
    Err(Problem::new(413, "too-large", message))
}

async fn engine(State(lab): State<Arc<Lab>>, headers: HeaderMap, mut body: Body) -> Result<Response<Body>, Problem> {
    refuse_long(&headers, &mut body).await?;
    let Ok(_place) = lab.waiting.try_acquire() else {
        let mut busy = Problem::new(429, "busy", format!("{WAITING} requests are waiting: try again in a second"));
        busy.retry_after = Some(1);
        drop_body(&mut body).await;
        return Err(busy);
    };
    let bytes = read_body(body, rosenblatt_lab::MOST_BYTES, BODY_TIME).await?;
    let permit = lab.working.clone().acquire_owned().await;
    let work = tokio::task::spawn_blocking(move || {
        let _permit = permit;
        match std::str::from_utf8(&bytes) {
            Ok(request) => rosenblatt_lab::answer(request),
            Err(_) => rosenblatt_lab::refusal("data", "the request is not UTF-8"),
        }
    });
    match work.await {
        Ok(text) => Ok(answer("application/json", text)),
        Err(_) => Err(Problem::new(500, "failed", "the engine failed at this request; the lab is still here")),
    }
}
