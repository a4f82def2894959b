//! Long work, beside the threads of connections: others of their connections need not wait for it.

use super::problem::Problem;

/// Bytes of a body from which on it is long work to read it.
pub const LONG: usize = 16 << 10;

/// Does work on a thread of its own.
pub async fn aside<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    let failed = |_| Err(Problem::new(500, "failed", "the server failed to answer this request"));
    tokio::task::spawn_blocking(work).await.unwrap_or_else(failed)
}
