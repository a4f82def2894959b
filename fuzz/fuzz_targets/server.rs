//! Any text as requests to the learning server, one after the other: each is answered, none by an error of the server, and
//! answers that say they are JSON are JSON. A row that was accepted is the same row when the log is read again.
//!
//! A request is written as in HTTP: a line with method and path, headers, an empty line, the body. `---` on a line of its own
//! is between two requests.

#![no_main]

mod served;

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use axum::body::Body;
use axum::http::header::CONTENT_TYPE;
use axum::http::{Request, Response};
use http_body_util::BodyExt as _;
use libfuzzer_sys::fuzz_target;
use rosenblatt_server::rows::{Row, RowLimits, parse};
use rosenblatt_server::store::Disk;
use rosenblatt_server::{Catalogue, Router, Serving, Tokens};
use tower::ServiceExt as _;

const MOST_REQUESTS: usize = 8;
/// For a request that waits for more examples.
const PATIENCE: Duration = Duration::from_millis(20);

struct Bench {
    runtime: tokio::runtime::Runtime,
    router: Router,
    serving: Arc<Serving>,
}

fn bench() -> &'static Bench {
    static BENCH: OnceLock<Bench> = OnceLock::new();
    BENCH.get_or_init(|| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let catalogue = Catalogue::open(Arc::new(Disk), served::folder("server"), served::settings()).unwrap();
        let serving = Arc::new(Serving::new(catalogue, Tokens::default(), Duration::from_secs(60)));
        Bench { runtime, router: serving.clone().router(), serving }
    })
}

/// A request from its text; `None` if HTTP itself does not allow it.
fn request(text: &[u8]) -> Option<Request<Body>> {
    let end = text.windows(2).position(|two| two == b"\n\n").unwrap_or(text.len());
    let (head, body) = (&text[..end], text.get(end + 2..).unwrap_or_default());
    let mut lines = std::str::from_utf8(head).ok()?.lines();
    let (method, path) = lines.next()?.split_once(' ')?;
    let mut request = Request::builder().method(method).uri(path);
    for line in lines {
        let (name, value) = line.split_once(':')?;
        request = request.header(name, value.trim());
    }
    // Rows are read the same again, whatever the path says.
    let kind = request.headers_ref()?.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or("");
    check_rows(kind, body);
    request.body(Body::from(body.to_vec())).ok()
}

fn check_rows(kind: &str, body: &[u8]) {
    let limits = RowLimits::default();
    for labelled in [false, true] {
        let Ok(rows) = parse(kind, body, &limits, labelled) else { continue };
        for row in rows.rows {
            let again = Row::new(row.line.clone(), &limits, labelled).expect("a row that was accepted");
            assert_eq!(again, row);
        }
    }
}

async fn check(response: Response<Body>) {
    let (status, headers) = (response.status().as_u16(), response.headers().clone());
    let body = response.into_body().collect().await.map(|body| body.to_bytes());
    let shown = || format!("{status} {body:?}");
    // 503: a model that was removed meanwhile; 504: it waited for examples that did not come.
    assert!(status < 500 || [503, 504].contains(&status), "{}", shown());
    if headers.get(CONTENT_TYPE).is_some_and(|kind| kind == "application/json")
        && let Ok(body) = &body
    {
        serde_json::from_slice::<serde_json::Value>(body).unwrap_or_else(|error| panic!("{error}: {}", shown()));
    }
}

fuzz_target!(|bytes: &[u8]| {
    let bench = bench();
    bench.runtime.block_on(async {
        for text in served::parts(bytes).into_iter().take(MOST_REQUESTS) {
            let Some(request) = request(text) else { continue };
            // Examples that are waited for do not come.
            let patience = if request.uri().to_string().contains("min_seq") { PATIENCE } else { Duration::MAX };
            let answered = async { check(bench.router.clone().oneshot(request).await.unwrap()).await };
            tokio::time::timeout(patience, answered).await.ok();
        }
    });
    // The next input begins with nothing.
    for name in bench.serving.catalogue.names() {
        bench.serving.catalogue.remove(&name).expect("a model can be removed");
    }
});
