//! Bodies of refused requests that nobody read to their end. A short one is read here, so that the connection can be used again;
//! after any other the connection ends, and the client must be told so. Else it sends its next request into a connection
//! that ends.

use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::Request;
use http_body_util::BodyExt;
use hyper::body::{Frame, SizeHint};

/// What is read of a refused request, and how long it may take to arrive.
const MOST: u64 = 64 << 10;
const TIME: Duration = Duration::from_millis(500);

/// Where a body is left that was not read to its end.
#[derive(Clone, Default)]
pub(super) struct Left(Arc<Mutex<Option<Body>>>);

impl Left {
    fn slot(&self) -> std::sync::MutexGuard<'_, Option<Body>> {
        self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Whether nothing of the request is left to be read.
    pub(super) async fn is_read(&self) -> bool {
        let Some(body) = self.slot().take() else { return true };
        if body.size_hint().upper().is_none_or(|length| length > MOST) {
            return false;
        }
        tokio::time::timeout(TIME, body.collect()).await.is_ok_and(|read| read.is_ok())
    }
}

/// A body, until it is read to its end.
struct Watched {
    body: Option<Body>,
    left: Left,
}

/// The request, and where its body will be left.
pub(super) fn watched(request: Request) -> (Request, Left) {
    let left = Left::default();
    if request.body().is_end_stream() {
        return (request, left);
    }
    let watch = |body| Body::new(Watched { body: Some(body), left: left.clone() });
    (request.map(watch), left)
}

impl HttpBody for Watched {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let Some(body) = &mut self.body else { return Poll::Ready(None) };
        let polled = Pin::new(body).poll_frame(context);
        if matches!(polled, Poll::Ready(None)) {
            self.body = None;
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(Body::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.body.as_ref().map_or(SizeHint::with_exact(0), Body::size_hint)
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        *self.left.slot() = self.body.take().filter(|body| !body.is_end_stream());
    }
}
