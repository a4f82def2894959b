//! A small page that shows all models live.

use std::sync::Arc;

use axum::extract::Request;
use axum::response::Response;

use super::{Serving, with_type};
use crate::http::Problem;

pub(super) async fn html(_: &Arc<Serving>, _: Request) -> Result<Response, Problem> {
    let mut page = with_type("text/html; charset=utf-8", include_str!("page.html"));
    let policy = "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; connect-src 'self'; \
                  base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
    let headers = page.headers_mut();
    headers.insert("content-security-policy", axum::http::HeaderValue::from_static(policy));
    Ok(page)
}

pub(super) async fn script(_: &Arc<Serving>, _: Request) -> Result<Response, Problem> {
    Ok(with_type("text/javascript; charset=utf-8", include_str!("live.js")))
}
