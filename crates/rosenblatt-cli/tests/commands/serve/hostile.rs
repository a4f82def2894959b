//! Malformed requests, slow clients, many connections: nobody else notices.

use std::collections::HashMap;
use std::io::Write;
use std::time::{Duration, Instant};

use super::client::{Random, Server};
use super::{compare_with_train, long};
use crate::support::Bench;

const GOOD: &str = r#"[{"features": {"a": 1}, "label": "x"}, {"features": {"b": 1}, "label": "y"}]"#;
const KINDS: [&str; 7] =
    ["application/json", "application/x-ndjson", "text/csv", "text/x-libsvm", "text/x-vw", "x/y", "\u{e9}"];

/// The memory of a process, in MB.
fn memory(id: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0) / 1024
}

/// A body that was good, with a few bytes changed, lost, cut off or added.
fn damaged(random: &mut Random) -> Vec<u8> {
    let start = [GOOD, "a,label\n1,x\n2,y\n", "1 3:0.5 9:2\n-1 3:1\n", "x 2 |n a:1 b\ny | c\n"];
    let mut body = start[random.below(4) as usize].as_bytes().to_vec();
    for _ in 0..1 + random.below(4) {
        let at = random.below(body.len() as u64) as usize;
        match random.below(4) {
            0 => body[at] = random.below(256) as u8,
            1 => body.truncate(at.max(1)),
            2 => body.insert(at, b"{}[]\",:|\n0eE-"[random.below(13) as usize]),
            _ => drop(body.remove(at)),
        }
        if body.is_empty() {
            body.push(b'{');
        }
    }
    body
}

/// Damaged bodies never change the model `m`, which gets only those that no reader accepts. The model `f` gets all of
/// them: what it takes of them is examples, so `train` makes the same model of its log.
#[test]
fn nothing_malformed_is_learned_from() {
    let bench = Bench::new();
    let options = "--max-classes 12 --max-features 2000 --feedback-window 1";
    let server = Server::start(&bench.path(""), options, None).unwrap();
    let mut client = server.client();
    for model in ["m", "f"] {
        assert_eq!(client.post(&format!("/v1/models/{model}/learn"), GOOD).status, 200);
    }
    let before = client.get("/v1/models/m").text().to_string();
    let bad = GOOD.replace("\"b\": 1", "\"b\": null");
    let answer = client.post("/v1/models/m/learn", &bad);
    assert_eq!((answer.status, answer.json()["error"]["row"].as_u64()), (422, Some(2)));

    let mut random = Random(7);
    let paths = ["f/learn", "m/learn", "m/predict", "m/feedback", "m/explain", "m/infer"];
    let (mut statuses, mut at_first): (HashMap<u16, u64>, u64) = Default::default();
    let rounds = long("ROSENBLATT_FUZZ", 3_000);
    for round in 0..rounds {
        let (mut body, path) = (damaged(&mut random), paths[random.below(6) as usize]);
        let kind = KINDS[random.below(7) as usize];
        if path == "m/learn" {
            // A NUL is no text, in any format.
            body.insert(random.below(body.len() as u64) as usize, 0);
        }
        let version = if path == "m/infer" { 2 } else { 1 };
        let headers = format!("Content-Type: {kind}\r\n");
        match client.send("POST", &format!("/v{version}/models/{path}"), &headers, &body) {
            Some(answer) => {
                *statuses.entry(answer.status).or_default() += 1;
                assert!(answer.status < 500, "{path} {kind} {body:?}: {answer:?}");
                if answer.head.contains("connection: close") {
                    client = server.client();
                }
            }
            None => client = server.client(),
        }
        if round == 1_000 {
            at_first = memory(server.child.id());
        }
    }
    let mut client = server.client();
    assert_eq!(client.get("/v1/models/m").text(), before, "{statuses:?}");
    assert!(statuses.len() > 2 && statuses[&422] > rounds / 20, "{statuses:?}");
    let learned = client.get("/v1/models/f").json()["seq"].as_u64().unwrap();
    let log = compare_with_train(&bench, &mut client, "f", "--learner arow");
    assert_eq!(log.lines().count() as u64, learned);
    let now = memory(server.child.id());
    eprintln!("{rounds} requests: {statuses:?}; {learned} rows learned; {at_first} MB, then {now} MB");
    assert!(now <= at_first + 64, "{at_first} MB after 1,000 requests, {now} MB after {rounds}");
    assert_eq!(server.end(), Some(0));
}

/// What is not even HTTP, or asks for too much, is refused; a body that says that it is too long is not read.
#[test]
fn what_is_no_request_is_refused() {
    let bench = Bench::new();
    let server = Server::start(&bench.path(""), "", None).unwrap();
    let head = "POST /v1/models/m/learn HTTP/1.1\r\nHost: localhost\r\nContent-Length";
    let statuses = [
        ("GET / HTTP/1.1\r\n\r\n".to_string(), 400),
        ("\0\0\0\r\n\r\n".to_string(), 400),
        ("GET /v1/models/%ff HTTP/1.1\r\nHost: localhost\r\n\r\n".to_string(), 400),
        ("GET /v1/models/none HTTP/1.1\r\nHost: localhost\r\n\r\n".to_string(), 404),
        ("PATCH /v1/models HTTP/1.1\r\nHost: localhost\r\n\r\n".to_string(), 405),
        ("GET /v1/models HTTP/1.1\r\nHost: evil.example\r\n\r\n".to_string(), 421),
        ("GET /v1/models HTTP/1.1\r\nHost: localhost\r\nOrigin: http://evil.example\r\n\r\n".to_string(), 403),
        (format!("{head}: 104857600\r\n\r\n"), 413),
        (format!("{head}: 99999999999999999999\r\n\r\n"), 400),
        (format!("{head}: 2\r\nIdempotency-Key: \u{e9}\r\n\r\n{{}}"), 400),
        (format!("GET / HTTP/1.1\r\nHost: localhost\r\nX: {}\r\n\r\n", "x".repeat(1_000_000)), 431),
    ];
    for (raw, status) in statuses {
        let answer = server.client().raw(raw.as_bytes());
        // A connection that ends is an answer, too, where the head itself cannot be read.
        let ended = answer.is_none() && [400, 431].contains(&status);
        assert!(ended || answer.as_ref().is_some_and(|answer| answer.status == status), "{raw:.200}: {answer:?}");
    }
    let mut client = server.client();
    for (body, status) in [
        ("{\"features\": {\"a\": NaN}, \"label\": \"x\"}", 422),
        ("{\"features\": {\"a\": 1e999}, \"label\": \"x\"}", 422),
        ("{\"features\": {\"a\": 1}", 422),
        ("not json", 400),
        ("", 400),
    ] {
        let answer = client.post("/v1/models/m/learn", body);
        assert_eq!(answer.status, status, "{body}: {}", answer.text());
        assert!(answer.json()["error"]["message"].as_str().is_some_and(|text| !text.is_empty()));
    }
    assert_eq!(client.get("/v1/models").json()["models"].as_array().map(Vec::len), Some(0));
}

#[test]
fn slow_and_broken_clients_keep_nobody_waiting() {
    let bench = Bench::new();
    let server = Server::start(&bench.path(""), "", None).unwrap();
    server.client().post("/v1/models/m/learn", r#"{"features": {"a": 1}, "label": "x"}"#);
    // Half a head, half a body, and connections that say nothing.
    let mut held = Vec::new();
    for n in 0..long("ROSENBLATT_CONNECTIONS", 300) {
        let Some(mut client) = server.try_client() else { break };
        let part: &[u8] = match n % 3 {
            0 => b"POST /v1/models/m/learn HTTP/1.1\r\nHost: loc",
            1 => b"POST /v1/models/m/learn HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{\"features\": {\"a\": 1}, \"label\": \"x\"}",
            _ => b"",
        };
        client.0.get_mut().write_all(part).unwrap();
        held.push(client);
    }
    let begun = Instant::now();
    let mut client = server.client();
    for _ in 0..50 {
        assert_eq!(client.post("/v1/models/m/predict", r#"{"features": {"a": 1}}"#).status, 200);
    }
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    drop(held);
    assert_eq!(client.get("/v1/models/m").json()["seq"].as_u64(), Some(1));
    assert_eq!(server.end(), Some(0));
}
