//! Checks before every request, and headers of every answer.
//!
//! A server on the loopback address can be reached by any page that the user's browser shows: a name of another site may
//! lead to 127.0.0.1, and a form may be posted here. So the `Host` must be this machine, and an `Origin`, where there is
//! one, the same host.

use std::convert::Infallible;

use axum::Router;
use axum::extract::Request;
use axum::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use axum::response::{IntoResponse, Response};
use hyper::service::Service;
use hyper_util::service::TowerToHyperService;

use super::problem::Problem;
use super::unread::watched;

/// The hosts by which a server may be called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hosts {
    /// `localhost`, `127.x.x.x` and `[::1]`, with any port.
    Loopback,
    /// Any: for a server whose requests carry tokens.
    Any,
}

/// Headers of every answer that does not set them itself.
const HEADERS: [(HeaderName, &str); 5] = [
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::CACHE_CONTROL, "no-store"),
    (header::CONTENT_SECURITY_POLICY, "default-src 'self'; frame-ancestors 'none'; base-uri 'none'"),
];

/// Refuses a request for another host or from a page of another site; adds the headers.
pub(super) async fn check(hosts: &Hosts, request: Request, router: TowerToHyperService<Router>) -> Response {
    let refused = refusal(hosts, request.headers(), request.uri().host());
    let (request, left) = watched(request);
    let mut answer = match refused {
        Some(problem) => problem.into_response(),
        None => {
            let answered = router.call(request);
            answered.await.unwrap_or_else(|never: Infallible| match never {})
        }
    };
    answer.headers_mut().reserve(HEADERS.len());
    if answer.status().as_u16() >= 400 && !left.is_read().await {
        answer.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    for (name, value) in HEADERS {
        answer.headers_mut().entry(name).or_insert(HeaderValue::from_static(value));
    }
    answer
}

fn refusal(hosts: &Hosts, headers: &HeaderMap, in_uri: Option<&str>) -> Option<Problem> {
    let text = |name: HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or("\u{fffd}"));
    let host = text(header::HOST).or(in_uri);
    let Some(host) = host else {
        return Some(Problem::new(400, "no-host", "the request names no host"));
    };
    if *hosts == Hosts::Loopback && !is_loopback(host) {
        let message = "this server answers to localhost and 127.0.0.1 only";
        return Some(Problem::new(421, "other-host", message));
    }
    match text(header::ORIGIN) {
        Some(origin) if origin.split_once("://").map(|(_, site)| site) != Some(host) => {
            Some(Problem::new(403, "other-site", "a page of another site sent this request"))
        }
        _ => None,
    }
}

/// Whether a `Host` is this machine.
fn is_loopback(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit()) => name,
        _ => host,
    };
    let number = name.parse::<std::net::Ipv4Addr>().is_ok_and(|address| address.is_loopback());
    name.eq_ignore_ascii_case("localhost") || number || name == "[::1]"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_is_loopback() {
        for host in ["localhost", "LOCALHOST:80", "127.0.0.1", "127.0.0.1:8080", "127.0.0.2", "[::1]", "[::1]:8080"] {
            assert!(is_loopback(host), "{host}");
        }
        for host in ["", "evil.example", "127.0.0.1.evil.example", "localhost.evil:80", "[::2]", "127.0.0.1:x", "::1"] {
            assert!(!is_loopback(host), "{host}");
        }
    }

    #[test]
    fn a_page_of_another_site_is_refused() {
        let refuse = |host: &'static str, origin: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::HOST, HeaderValue::from_static(host));
            headers.insert(header::ORIGIN, HeaderValue::from_static(origin));
            refusal(&Hosts::Loopback, &headers, None).map(|problem| problem.status)
        };
        assert_eq!(refuse("localhost:8080", "http://localhost:8080"), None);
        assert_eq!(refuse("localhost:8080", "http://evil.example"), Some(403));
        assert_eq!(refuse("localhost:8080", "null"), Some(403));
        assert_eq!(refuse("localhost:8080", "http://localhost:8081"), Some(403));
        assert_eq!(refuse("evil.example", "http://evil.example"), Some(421));
    }
}
