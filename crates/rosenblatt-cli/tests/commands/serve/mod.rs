//! `serve`: what a client sees, what survives a kill, and that it is what `train` makes of the same examples.
//!
//! Long versions, of `cargo test -p rosenblatt-cli --test commands serve`: `ROSENBLATT_KILLS=1000` kills at random moments,
//! `ROSENBLATT_KILLS_AT=20` at each named point, `ROSENBLATT_HISTORY=100000` predictions and updates,
//! `ROSENBLATT_FUZZ=1000000` malformed requests, `ROSENBLATT_CONNECTIONS=10000` slow clients, `ROSENBLATT_SCHEMA=500`
//! examples of each path, `ROSENBLATT_KSERVE=1` the client of KServe.

mod client;
mod compaction;
mod hostile;
mod kills;
mod maps;
mod outside;
mod refusals;
mod replay;

use serde_json::{Value, json};

use crate::support::Bench;
use client::{Client, Random, Server};

fn long(name: &str, short: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(short)
}

/// One example: the label depends on the features, mostly.
fn example(random: &mut Random, tag: &str) -> String {
    let spam = random.below(2) == 0;
    let mut features = serde_json::Map::new();
    for _ in 0..1 + random.below(5) {
        let word = random.below(30) + if spam { 10 } else { 0 };
        features.insert(format!("w{word}"), json!(1 + random.below(3)));
    }
    features.insert("from".into(), json!(tag));
    let label = if random.below(10) == 0 { !spam } else { spam };
    json!({"features": features, "label": if label { "spam" } else { "ham" }}).to_string()
}

/// The model that `train` makes of the log has the bytes that the server gives; the log.
fn compare_with_train(bench: &Bench, client: &mut Client, name: &str, settings: &str) -> String {
    let log = client.get(&format!("/v1/models/{name}/log"));
    let model = client.get(&format!("/v1/models/{name}/model"));
    if model.status == 409 {
        return log.text().to_string();
    }
    assert_eq!((log.status, model.status), (200, 200), "{log:?}");
    bench.file("log.vw", &log.body);
    let scale = if settings.contains("--scale") { "" } else { "--scale none" };
    bench.run(&format!("train log.vw --order cyclic --epochs 1 {scale} {settings} -o trained")).ok();
    assert!(bench.read("trained") == model.body, "the served model is not what train makes of its log");
    log.text().to_string()
}

#[test]
fn a_first_minute_with_the_server() {
    let bench = Bench::new();
    let server = Server::start(&bench.path(""), "--learner arow", None).unwrap();
    let mut client = server.client();
    assert_eq!(client.get("/healthz").status, 200);
    let answer = client.post("/v1/models/m/predict", r#"{"features": {"free": 1}}"#);
    assert_eq!((answer.status, answer.json()["error"]["kind"].as_str()), (404, Some("no-such-model")));
    let learned = client.post("/v1/models/m/learn", r#"{"features": {"free": 1, "from": "bob"}, "label": "spam"}"#);
    assert_eq!(learned.json(), json!({"label": null, "scores": {}, "mistake": true, "seq": 1, "id": "e1"}));
    let one = client.post("/v1/models/m/predict", r#"{"features": {"free": 1}}"#).json();
    assert_eq!((&one["label"], &one["scores"], &one["seq"]), (&json!("spam"), &json!({"spam": 0}), &json!(1)));
    let many = r#"[{"features": {"hello": 1}, "label": "ham"}, {"features": {"free": 2}, "label": "spam"}]"#;
    let learned = client.post("/v1/models/m/learn", many).json();
    assert_eq!((learned["seq"].as_u64(), learned["results"].as_array().map(Vec::len)), (Some(3), Some(2)));
    let predicted = client.post("/v1/models/m/predict?min_seq=3", r#"{"features": {"free": 1, "new": 7}}"#).json();
    assert_eq!((predicted["label"].as_str(), predicted["seq"].as_u64()), (Some("spam"), Some(3)));
    let scores = &predicted["scores"];
    assert_eq!(scores["spam"].as_f64(), scores["ham"].as_f64().map(|score| -score));

    // A correction by id, once; an example that was learned has its label.
    assert_eq!(client.post("/v1/models/m/feedback", r#"{"id": "e2", "label": "spam"}"#).status, 409);
    let correction = json!({"id": predicted["id"], "label": "a new class"}).to_string();
    assert_eq!(client.post("/v1/models/m/feedback", &correction).json()["seq"].as_u64(), Some(4));
    assert_eq!(client.post("/v1/models/m/feedback", &correction).status, 404);
    let about = client.get("/v1/models/m").json();
    assert_eq!(about["classes"], json!(["a new class", "ham", "spam"]));
    assert_eq!((about["features"].as_u64(), about["seq"].as_u64()), (Some(4), Some(4)));

    // The terms add up to the scores.
    let explained = client.post("/v1/models/m/explain", r#"{"features": {"free": 3, "hello": 1}}"#).json();
    for class in ["a new class", "ham", "spam"] {
        let terms = explained["terms"].as_array().unwrap().iter();
        let sum: f64 = terms.map(|t| t["value"].as_f64().unwrap() * t["weights"][class].as_f64().unwrap()).sum();
        let whole = sum + explained["bias"][class].as_f64().unwrap();
        assert!((whole - explained["scores"][class].as_f64().unwrap()).abs() < 1e-12, "{class}: {explained}");
    }

    // A retry with the same key is not learned from twice, also after a restart.
    let with_key = |client: &mut Client, body: &str| {
        client.send("POST", "/v1/models/m/learn", "Idempotency-Key: abc\r\n", body.as_bytes()).unwrap()
    };
    let body = r#"{"features": {"hello": 2}, "label": "ham"}"#;
    let (first, second) = (with_key(&mut client, body), with_key(&mut client, body));
    assert_eq!((first.json()["seq"].as_u64(), first.text()), (Some(5), second.text()));
    assert_eq!(with_key(&mut client, many).status, 422);
    let log = compare_with_train(&bench, &mut client, "m", "--learner arow");
    // The past is there, too.
    bench.file("three.vw", log.lines().take(3).map(|line| format!("{line}\n")).collect::<String>());
    bench.run("train three.vw --order cyclic --epochs 1 --scale none --learner arow -o third").ok();
    let third = client.get("/v1/models/m/model?seq=3");
    assert!((third.status, &third.body) == (200, &bench.read("third")));
    assert_eq!(client.get("/v1/models/m/log?seq=3").body, bench.read("three.vw"));
    assert_eq!(client.get("/v1/models/m/model?seq=6").status, 409);
    drop(client);
    server.kill();
    let server = Server::start(&bench.path(""), "--learner arow", None).unwrap();
    let mut client = server.client();
    assert_eq!(with_key(&mut client, body).text(), first.text());
    compare_with_train(&bench, &mut client, "m", "--learner arow");
    let metrics = client.get("/metrics");
    assert!(metrics.text().contains("rosenblatt_seq{model=\"m\"} 5\n"), "{}", metrics.text());
    assert_eq!(client.send("DELETE", "/v1/models/m", "", b"").unwrap().status, 200);
    assert_eq!(client.get("/v1/models/m").status, 404);
    assert_eq!(server.end(), Some(0));
}

/// The answers to long requests were forgotten with their keys, and a retry was learned from twice.
#[test]
fn a_retry_of_a_long_request_is_safe() {
    let bench = Bench::new();
    let server = Server::start(&bench.path(""), "--durability none", None).unwrap();
    let mut client = server.client();
    let row = |n: usize| json!({"features": {"a": n}, "label": format!("{:a>100}", n % 50)});
    let body = serde_json::to_string(&(0..500).map(row).collect::<Vec<_>>()).unwrap();
    let send = |client: &mut Client, key: usize| {
        let headers = format!("Idempotency-Key: {key}\r\n");
        client.send("POST", "/v1/models/m/learn", &headers, body.as_bytes()).unwrap().json()
    };
    let first: Vec<Value> = (0..6).map(|key| send(&mut client, key)).collect();
    let bytes: usize = first.iter().map(|answer| answer.to_string().len()).sum();
    assert!(bytes > 10 << 20, "{bytes} bytes: too few to be forgotten");
    for (key, first) in first.iter().enumerate() {
        let again = send(&mut client, key);
        assert_eq!(again["seq"], first["seq"], "{key}");
        assert!(again["results"] == first["results"] || (key < 4 && again["results"] == json!([])), "{key}");
    }
    assert_eq!(client.get("/v1/models/m").json()["seq"].as_u64(), Some(3_000));
}

/// The same correction from eight clients at the same time is learned from once.
#[test]
fn a_correction_counts_once() {
    let bench = Bench::new();
    let server = Server::start(&bench.path(""), "", None).unwrap();
    let mut client = server.client();
    client.post("/v1/models/m/learn", r#"{"features": {"a": 1}, "label": "x"}"#);
    for round in 0..20 {
        let id = client.post("/v1/models/m/predict", r#"{"features": {"a": 1}}"#).json()["id"].clone();
        let body = json!({"id": id, "label": "y"}).to_string();
        // A label that is refused takes nothing away.
        assert_eq!(client.post("/v1/models/m/feedback", &json!({"id": id, "label": []}).to_string()).status, 422);
        let correct = || server.client().post("/v1/models/m/feedback", &body).status;
        let statuses: Vec<u16> = std::thread::scope(|scope| {
            let all: Vec<_> = (0..8).map(|_| scope.spawn(correct)).collect();
            all.into_iter().map(|one| one.join().unwrap()).collect()
        });
        let learned = statuses.iter().filter(|status| **status == 200).count();
        assert!(learned == 1 && statuses.iter().all(|status| [200, 404].contains(status)), "{round}: {statuses:?}");
        assert_eq!(client.get("/v1/models/m").json()["seq"].as_u64(), Some(round + 2));
    }
}

#[test]
fn rows_come_in_every_format_and_protocol() {
    let bench = Bench::new();
    let server = Server::start(&bench.path(""), "--learner averaged", None).unwrap();
    let mut client = server.client();
    let mut learn = |kind: &str, body: &str| {
        let headers = format!("Content-Type: {kind}\r\n");
        let answer = client.send("POST", "/v1/models/m/learn", &headers, body.as_bytes()).unwrap();
        assert_eq!(answer.status, 200, "{kind}: {}", answer.text());
        answer
    };
    learn("text/csv", "x1,colour,label\n1.5,red,yes\n-2,blue,no\n");
    learn("text/x-libsvm", "yes 3:0.5 9:2\nno 3:-1\n");
    learn("text/x-vw", "yes 2 |a x:1.5 y |b z\nno |a x:-3\n");
    let lines = learn(
        "application/x-ndjson",
        "{\"features\": {\"x1\": 2}, \"label\": \"yes\"}\n{\"features\": [1], \"label\": \"no\"}\n",
    );
    let seqs: Vec<Value> =
        lines.text().lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["seq"].clone()).collect();
    assert_eq!(seqs, [json!(7), json!(8)]);
    // A bad line ends the stream; what was answered before stays.
    let lines = learn(
        "application/x-ndjson",
        "{\"features\": {\"x1\": 2}, \"label\": \"yes\"}\n{\"oops\n{\"features\": [1], \"label\": \"no\"}\n",
    );
    let last: Value = serde_json::from_str(lines.text().lines().last().unwrap()).unwrap();
    assert_eq!((last["error"]["kind"].as_str(), last["error"]["row"].as_u64()), (Some("bad-row"), Some(2)));
    let mut client = server.client();
    assert_eq!(client.get("/v1/models/m").json()["seq"].as_u64(), Some(9));
    compare_with_train(&bench, &mut client, "m", "--learner averaged");

    let infer = json!({"id": "7", "inputs": [{"name": "x", "shape": [2, 1], "datatype": "FP64", "data": [3.0, -4.0]}]});
    let answer = client.post("/v2/models/m/infer", &infer.to_string()).json();
    assert_eq!((answer["id"].as_str(), &answer["outputs"][0]["shape"]), (Some("7"), &json!([2])), "{answer}");
    // An error of that protocol is a text.
    let refused = client.post("/v2/models/none/infer", &infer.to_string());
    assert!(refused.status == 404 && refused.json()["error"].as_str().is_some_and(|text| text.contains("no model")));
    let waits =
        client.send("POST", "/v1/models/m/predict?min_seq=9", "Content-Type: application/x-ndjson\r\n", b"[1]\n[2]");
    assert_eq!(waits.unwrap().text().matches("\"seq\":9").count(), 2);
    let one = client.post("/v1/models/m/predict", "[3.0]").json();
    assert_eq!(answer["outputs"][0]["data"][0], one["label"]);
    assert_eq!(client.get("/v2/health/ready").status, 200);
    let about = client.get("/openapi.json").json();
    assert_eq!(about["openapi"].as_str(), Some("3.1.0"));
    assert_eq!(client.get("/").status, 200);
}

#[test]
fn tokens_and_addresses_are_checked() {
    let bench = Bench::new();
    bench.run("serve --data d --listen 0.0.0.0:0").refused();
    bench.file("tokens", "predict aaaaaaaaaaaaaaaa\nlearn bbbbbbbbbbbbbbbb\n");
    let server = Server::start(&bench.path(""), "--token-file tokens", None).unwrap();
    let mut client = server.client();
    let status = |client: &mut Client, token: &str, path: &str| {
        let headers = format!("Authorization: Bearer {token}\r\n");
        client.send("POST", path, &headers, br#"{"features": {"a": 1}, "label": "x"}"#).unwrap().status
    };
    let (predict, learn) = ("aaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbb");
    assert_eq!(status(&mut client, predict, "/v1/models/m/learn"), 403);
    assert_eq!(status(&mut client, "cccccccccccccccc", "/v1/models/m/learn"), 401);
    assert_eq!(status(&mut client, learn, "/v1/models/m/learn"), 200);
    // The name of the scheme has no case; who sends no token is told which scheme it is.
    let small = client.send("GET", "/v1/models/m", "authorization: bearer aaaaaaaaaaaaaaaa\r\n", b"").unwrap();
    assert_eq!(small.status, 200);
    assert!(client.get("/v1/models/m").head.contains("www-authenticate: bearer"));
    assert_eq!(status(&mut client, predict, "/v1/models/m/predict"), 200);
    assert_eq!(client.get("/v1/models").status, 401);
    assert_eq!(
        client.send("DELETE", "/v1/models/m", "Authorization: Bearer bbbbbbbbbbbbbbbb\r\n", b"").unwrap().status,
        403
    );
    assert!(bench.run("serve --data d --listen 127.0.0.1:0 --learner voted").refused().contains("serve a learner"));
    assert!(bench.run("serve --data d --durability often").misused().contains("expected sync"));
}
