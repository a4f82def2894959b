//! What is refused says so in the form of its protocol, and leaves nothing behind.

use std::io::Write;

use serde_json::Value;

use super::client::{Client, Server};
use crate::support::Bench;

fn stream(client: &mut Client, model: &str, body: &str) -> (u16, Vec<Value>) {
    let path = format!("/v1/models/{model}/learn");
    let answer = client.send("POST", &path, "Content-Type: application/x-ndjson\r\n", body.as_bytes()).unwrap();
    (answer.status, answer.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

#[test]
fn what_is_refused_leaves_nothing_behind() {
    let bench = Bench::new();
    let server = Server::start(&bench.path(""), "--learner averaged", None).unwrap();
    let mut client = server.client();
    // A stream makes a model for its first row that can be learned from, and not before.
    let (status, lines) = stream(&mut client, "m", "{\"features\": {\"a\": 1}}\n");
    assert_eq!((status, lines[0]["error"]["field"].as_str()), (200, Some("label")));
    assert_eq!(stream(&mut server.client(), "m", ""), (200, vec![]));
    assert_eq!(server.client().get("/v1/models/m").status, 404);
    assert_eq!(stream(&mut server.client(), "%2E%2E", "{}").0, 400);
    let two = "\u{feff}{\"features\": {\"a\": 1}, \"label\": \"x\"}\n{\"features\": {\"b\": 1}, \"label\": \"y\"}\n";
    let (_, lines) = stream(&mut server.client(), "m", two);
    assert_eq!(lines.iter().map(|line| line["seq"].as_u64()).collect::<Vec<_>>(), [Some(1), Some(2)]);
    // Paths that are not there, in the form of each protocol.
    let mut client = server.client();
    assert!(client.get("/v2/nothing").json()["error"].is_string());
    assert_eq!(client.get("/v1/nothing").json()["error"]["kind"].as_str(), Some("no-such-path"));
    assert!(client.post("/v2/models/m", "").json()["error"].is_string());
    // An array in, an array and its seq out.
    let explained = client.post("/v1/models/m/explain", "[[1], [2]]").json();
    assert_eq!((explained["results"].as_array().map(Vec::len), explained["seq"].as_u64()), (Some(2), Some(2)));
    // A finished model has no log.
    let model = client.get("/v1/models/m/model").body;
    assert_eq!(client.send("PUT", "/v1/models/f", "", &model).unwrap().status, 200);
    assert_eq!(client.get("/v1/models/f/log").status, 409);
    assert_eq!(client.get("/v1/models/m").json()["seq"].as_u64(), Some(2));
}

/// A client that had its request refused before its body was read sent the next one into a connection that ended.
#[test]
fn a_connection_that_ends_says_so() {
    let bench = Bench::new();
    let server = Server::start(&bench.path(""), "--learner averaged", None).unwrap();
    let mut client = server.client();
    let head = "POST /v1/models/none/predict HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n";
    client.0.get_mut().write_all(head.as_bytes()).unwrap();
    let answer = client.answer().unwrap();
    assert!(answer.status == 404 && answer.head.contains("connection: close"), "{}", answer.head);
    // A short body that is on its way is read, and the connection is kept.
    let mut client = server.client();
    for _ in 0..3 {
        client.0.get_mut().write_all(head.as_bytes()).unwrap();
        let answer = client.raw(&[b' '; 100]).unwrap();
        assert!(answer.status == 404 && !answer.head.contains("connection: close"), "{}", answer.head);
    }
    // Read and refused: it goes on.
    let mut client = server.client();
    for _ in 0..3 {
        let answer = client.post("/v1/models/m/learn", "{}");
        assert!(answer.status == 422 && !answer.head.contains("connection: close"), "{}", answer.head);
    }
    assert_eq!(client.get("/v1/models").status, 200);
}
