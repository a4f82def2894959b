//! Accepts connections and serves a router, until asked to stop.

use std::convert::Infallible;
use std::io;
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpStream;
use tokio::sync::{Semaphore, watch};

use super::patient::Patient;
use super::safety::{self, Hosts};

/// Limits of connections.
#[derive(Debug, Clone)]
pub struct Limits {
    /// The most connections at a time; more wait to be accepted.
    pub connections: usize,
    /// How long a client may take for the head of a request, and how long a connection may be idle.
    pub head: Duration,
    /// How long an answer may wait for a client that does not read it.
    pub write: Duration,
    /// How long requests may go on after the server was asked to stop.
    pub drain: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        let [head, write, drain] = [20, 30, 10].map(Duration::from_secs);
        Limits { connections: 10_240, head, write, drain }
    }
}

/// How often the request to stop is looked at.
const GLANCE: Duration = Duration::from_millis(25);
/// How long to wait when the system has no room for another connection.
const NO_ROOM: Duration = Duration::from_millis(50);

/// Serves the router, with the checks of [`Hosts`] before every request, until `stop` is set; then ends open connections
/// after their current request.
pub fn run(
    listener: TcpListener,
    router: Router,
    hosts: Hosts,
    limits: &Limits,
    stop: Arc<AtomicBool>,
) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().thread_name("http").build()?;
    let done = runtime.block_on(accept(listener, router, Arc::new(hosts), limits, stop));
    // Blocking work of a request that was cut off must not keep the process.
    runtime.shutdown_timeout(Duration::from_millis(200));
    done
}

async fn accept(
    listener: TcpListener,
    router: Router,
    hosts: Arc<Hosts>,
    limits: &Limits,
    stop: Arc<AtomicBool>,
) -> io::Result<()> {
    listener.set_nonblocking(true)?;
    let listener = tokio::net::TcpListener::from_std(listener)?;
    let room = Arc::new(Semaphore::new(limits.connections));
    let (ending, ended) = watch::channel(false);
    let mut glance = tokio::time::interval(GLANCE);
    loop {
        tokio::select! {
            _ = glance.tick() => {
                if stop.load(Ordering::SeqCst) {
                    break;
                }
            }
            accepted = accept_one(&listener, &room) => {
                let (stream, permit) = accepted;
                let (router, hosts, ended, limits) = (router.clone(), hosts.clone(), ended.clone(), limits.clone());
                tokio::spawn(async move {
                    serve(stream, router, hosts, ended, &limits).await;
                    drop(permit);
                });
            }
        }
    }
    drop(listener);
    let _ = ending.send(true);
    // All permits are free once every connection has ended.
    let all = room.acquire_many(limits.connections as u32);
    let _ = tokio::time::timeout(limits.drain, all).await;
    Ok(())
}

/// The next connection, once there is room for it.
async fn accept_one(
    listener: &tokio::net::TcpListener,
    room: &Arc<Semaphore>,
) -> (TcpStream, tokio::sync::OwnedSemaphorePermit) {
    loop {
        let Ok(permit) = room.clone().acquire_owned().await else { std::future::pending().await };
        match listener.accept().await {
            Ok((stream, _)) => return (stream, permit),
            // Too many open files, or a client that left: neither ends the server.
            Err(_) => tokio::time::sleep(NO_ROOM).await,
        }
    }
}

async fn serve(
    stream: TcpStream,
    router: Router,
    hosts: Arc<Hosts>,
    mut ended: watch::Receiver<bool>,
    limits: &Limits,
) {
    let _ = stream.set_nodelay(true);
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(limits.head).max_buf_size(64 << 10);
    let stream = Patient::new(stream, limits.write);
    let router = TowerToHyperService::new(router);
    // The checks are here, and no layer of the router: a layer is a box and three copies of its route for every request.
    let answer = service_fn(move |request: Request<Incoming>| {
        let (router, hosts) = (router.clone(), hosts.clone());
        async move { Ok::<_, Infallible>(safety::check(&hosts, request.map(Body::new), router).await) }
    });
    let connection = builder.serve_connection(TokioIo::new(stream), answer);
    tokio::pin!(connection);
    // What goes wrong on one connection concerns its client alone.
    tokio::select! {
        _ = connection.as_mut() => {}
        _ = ended.changed() => {
            connection.as_mut().graceful_shutdown();
            let _ = connection.await;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};

    use super::*;

    /// A client that asks for much and reads nothing is let go, and does not hold the server's end.
    #[test]
    fn who_does_not_read_is_let_go() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let long = axum::routing::get(|| async { vec![b'x'; 64 << 20] });
        let (router, stop) = (Router::new().route("/", long), Arc::new(AtomicBool::new(false)));
        let limits = Limits { write: Duration::from_millis(100), ..Limits::default() };
        let asked = stop.clone();
        let server = std::thread::spawn(move || run(listener, router, Hosts::Loopback, &limits, asked));
        let mut client = std::net::TcpStream::connect(address).unwrap();
        client.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
        std::thread::sleep(Duration::from_millis(500));
        // The end is in order at once: no request is left.
        let begun = std::time::Instant::now();
        stop.store(true, Ordering::SeqCst);
        server.join().unwrap().unwrap();
        assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
        let mut read = Vec::new();
        let _ = client.read_to_end(&mut read);
        assert!(read.len() < 64 << 20, "{} bytes", read.len());
    }
}
