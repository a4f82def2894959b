//! Bodies of requests, within limits of size and time.

use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use http_body_util::{BodyExt, LengthLimitError, Limited};

use super::problem::Problem;

/// The whole body, if it has at most `limit` bytes and arrives within `time`.
pub async fn read_body(body: Body, limit: usize, time: Duration) -> Result<Bytes, Problem> {
    let large = || Problem::new(413, "too-large", format!("the body is longer than {limit} bytes: send it in parts"));
    // Nothing is read of a body that says that it is too long.
    if body.size_hint().lower() > limit as u64 {
        return Err(large());
    }
    let whole = Limited::new(body, limit).collect();
    match tokio::time::timeout(time, whole).await {
        Err(_) => Err(Problem::new(408, "slow-body", format!("the body did not arrive within {} s", time.as_secs()))),
        Ok(Ok(collected)) => Ok(collected.to_bytes()),
        Ok(Err(error)) if error.downcast_ref::<LengthLimitError>().is_some() => Err(large()),
        Ok(Err(_)) => Err(Problem::new(400, "half-body", "the body ended before its announced length")),
    }
}
