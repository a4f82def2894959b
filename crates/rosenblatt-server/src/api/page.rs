//! A small page that shows all models live, drawn with modules of the lab.

use std::sync::Arc;

use axum::extract::Request;
use axum::response::Response;
use rosenblatt_lab::page::FILES;

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

/// The lab's modules that the page uses.
const MODULES: [&str; 4] = ["chart.js", "dom.js", "number.js", "scale.js"];

pub(super) async fn module(_: &Arc<Serving>, name: String, _: Request) -> Result<Response, Problem> {
    let file = FILES.iter().find(|file| file.name == name && MODULES.contains(&file.name));
    let file = file.ok_or_else(|| Problem::new(404, "no-page", "there is no such file"))?;
    Ok(with_type(file.kind, file.text))
}
