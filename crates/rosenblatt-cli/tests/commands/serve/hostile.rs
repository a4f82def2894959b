//! Malformed requests, slow clients, many connections: nobody else notices.

use std::collections::HashMap;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
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

/// A request whose head is damaged; nothing could be learned from its body, whatever remains of it.
fn damaged_head(random: &mut Random) -> Vec<u8> {
    let body = "\0{}".repeat(random.below(20) as usize + 1);
    let head =
        "POST /v1/models/m/learn HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length";
    let mut request = format!("{head}: {}\r\n\r\n", body.len()).into_bytes();
    for _ in 0..1 + random.below(4) {
        let at = random.below(request.len() as u64) as usize;
        match random.below(3) {
            0 => request[at] = random.below(256) as u8,
            1 => drop(request.remove(at)),
            _ => request.insert(at, b" \r\n:/?%0\0"[random.below(9) as usize]),
        }
    }
    request.extend_from_slice(body.as_bytes());
    request
}

/// A request whose head is damaged, or whose body ends too early. The client then says that nothing follows.
fn send_broken(server: &Server, random: &mut Random) {
    let Some(mut client) = server.try_client() else { return };
    let request = match random.below(2) {
        0 => damaged_head(random),
        _ => format!("POST /v1/models/m/learn HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9999\r\n\r\n{GOOD}")
            .into_bytes(),
    };
    let _ = client.0.get_mut().write_all(&request);
    let _ = client.0.get_mut().shutdown(std::net::Shutdown::Write);
    if let Some(answer) = client.answer() {
        assert!((400..500).contains(&answer.status), "{request:?}: {answer:?}");
    }
}

/// Another client predicts as if nothing were; how often it was answered.
fn stay_healthy(server: &Server, over: &AtomicBool) -> u64 {
    let (mut client, mut answered) = (server.client(), 0);
    while !over.load(Ordering::SeqCst) {
        assert_eq!(client.post("/v1/models/m/predict", r#"{"features": {"a": 1}}"#).status, 200);
        answered += 1;
        std::thread::sleep(Duration::from_millis(5));
    }
    answered
}

/// Sends damaged requests, and counts the answers by their status. Also the memory after the first 1,000.
fn fuzz(server: &Server, random: &mut Random, rounds: u64) -> (HashMap<u16, u64>, u64) {
    let paths = ["f/learn", "m/learn", "m/predict", "m/feedback", "m/explain", "m/infer"];
    let (mut statuses, mut at_first): (HashMap<u16, u64>, u64) = Default::default();
    let mut client = server.client();
    for round in 0..rounds {
        if round % 20 == 7 {
            send_broken(server, random);
            continue;
        }
        let (mut body, path) = (damaged(random), paths[random.below(6) as usize]);
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
    (statuses, at_first)
}

/// Says at its end that it is over.
struct Ending<'a>(&'a AtomicBool);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// Damaged bodies never change the model `m`, which gets only those that no reader accepts. The model `f` gets all of
/// them: what it takes of them is examples, so `train` makes the same model of its log. One request in 20 is broken.
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
    let (rounds, over) = (long("ROSENBLATT_FUZZ", 3_000), AtomicBool::new(false));
    let (answered, (statuses, at_first)) = std::thread::scope(|scope| {
        let healthy = scope.spawn(|| stay_healthy(&server, &over));
        // It ends also if a check fails.
        let ending = Ending(&over);
        let seen = fuzz(&server, &mut random, rounds);
        drop(ending);
        (healthy.join().unwrap(), seen)
    });
    assert!(answered > 0, "nobody else was answered");
    let mut client = server.client();
    assert_eq!(client.get("/v1/models/m").text(), before, "{statuses:?}");
    assert!(statuses.len() > 2 && statuses[&422] > rounds / 20, "{statuses:?}");
    let learned = client.get("/v1/models/f").json()["seq"].as_u64().unwrap();
    let log = compare_with_train(&bench, &mut client, "f", "--learner arow");
    assert_eq!(log.lines().count() as u64, learned);
    let now = memory(server.child.id());
    eprintln!(
        "{rounds} requests: {statuses:?}; {learned} rows learned; {answered} of others; {at_first} MB, then {now} MB"
    );
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
    let (mut held, wanted) = (Vec::new(), long("ROSENBLATT_CONNECTIONS", 300));
    let (id, at_first) = (server.child.id(), memory(server.child.id()));
    for n in 0..wanted {
        let mut client = server.try_client().unwrap_or_else(|| panic!("connection {n} was refused: see ulimit -n"));
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
    let open = std::fs::read_dir(format!("/proc/{id}/fd")).map_or(0, |files| files.count());
    let now = memory(id);
    eprintln!(
        "{wanted} slow connections, {open} files open; 50 answers in {:?}; {at_first} MB, then {now} MB",
        begun.elapsed()
    );
    // A connection costs its buffers; none of them may cost more.
    assert!(now <= at_first + 16 + wanted / 32, "{at_first} MB before, {now} MB with {wanted} connections");
    drop(held);
    assert_eq!(client.get("/v1/models/m").json()["seq"].as_u64(), Some(1));
    assert_eq!(server.end(), Some(0));
}
