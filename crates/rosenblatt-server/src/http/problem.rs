//! Errors as answers: a status, and `{"error": {"kind": …, "message": …}}`.

use axum::body::Body;
use axum::http::header::{CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, Response, StatusCode};
use axum::response::IntoResponse;
use serde::Serialize;

/// Why a request is refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// The HTTP status.
    #[serde(skip)]
    pub status: u16,
    /// A short name that programs can compare.
    pub kind: &'static str,
    /// The row of the request, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub row: Option<usize>,
    /// The field of the row.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// What was found, what was expected, what to do.
    pub message: String,
    /// Seconds after which to try again.
    #[serde(skip)]
    pub retry_after: Option<u32>,
}

impl Problem {
    /// A problem of the whole request.
    pub fn new(status: u16, kind: &'static str, message: impl Into<String>) -> Self {
        Problem { status, kind, row: None, field: None, message: message.into(), retry_after: None }
    }

    /// The body of the answer.
    pub fn to_json(&self) -> String {
        #[derive(Serialize)]
        struct Whole<'a> {
            error: &'a Problem,
        }
        serde_json::to_string(&Whole { error: self }).unwrap_or_default()
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> axum::response::Response {
        let body = self.to_json();
        self.with_body(body)
    }
}

impl Problem {
    /// The answer with another body of JSON.
    pub fn with_body(&self, body: String) -> axum::response::Response {
        let mut answer = Response::new(Body::from(body));
        *answer.status_mut() = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if self.status == 401 {
            answer.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if let Some(seconds) = self.retry_after {
            answer.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        answer
    }
}
