//! What was answered can be replayed from the log, bit for bit.

use std::io::Read;
use std::sync::Mutex;

use serde_json::{Value, json};

use super::client::{Random, Server};
use super::{compare_with_train, example, long};
use crate::support::Bench;

/// Eight clients learn and predict at the same time: each answer is that of a replay to its seq, bit for bit. The answer to
/// what is learned is the one before it, so of the seq before.
#[test]
fn a_concurrent_history_equals_its_replay() {
    let bench = Bench::new();
    let server = Server::start(&bench.path(""), "--learner averaged", None).unwrap();
    let each = long("ROSENBLATT_HISTORY", 2_400) / 8;
    let seen: Mutex<Vec<(u64, String, String)>> = Mutex::default();
    std::thread::scope(|scope| {
        for k in 0..8u64 {
            let (server, seen) = (&server, &seen);
            scope.spawn(move || {
                let (mut random, mut client) = (Random(k + 1), server.client());
                for _ in 0..each {
                    let body = example(&mut random, &format!("c{k}"));
                    let features = serde_json::from_str::<Value>(&body).unwrap()["features"].clone();
                    let asked = json!({"features": features}).to_string();
                    let learns = random.below(2) == 0;
                    let answer = match learns {
                        true => client.post("/v1/models/m/learn", &body),
                        false => client.post("/v1/models/m/predict", &asked),
                    };
                    // Before the first example there is no model.
                    assert!(answer.status == 200 || (answer.status == 404 && !learns), "{answer:?}");
                    if answer.status == 200 {
                        let answer = answer.json();
                        let (seq, scores) = (answer["seq"].as_u64().unwrap(), answer["scores"].to_string());
                        seen.lock().unwrap().push((seq - u64::from(learns), asked, scores));
                    }
                }
            });
        }
    });
    let mut client = server.client();
    let log = compare_with_train(&bench, &mut client, "m", "--learner averaged");
    let mut seen = seen.into_inner().unwrap();
    seen.sort();
    assert!(seen.len() as u64 > 8 * each - 8 * 20, "{} answers", seen.len());
    eprintln!("{} answers to {} examples", seen.len(), log.lines().count());
    // A second server learns the log row by row, and answers the same questions at the same seq.
    let replay = Bench::new();
    let again = Server::start(&replay.path(""), "--learner averaged --durability none", None).unwrap();
    let (mut client, mut at) = (again.client(), 0);
    let lines: Vec<&str> = log.lines().collect();
    for (seq, asked, scores) in &seen {
        if *seq > at {
            let rows = lines[at as usize..*seq as usize].join("\n");
            let answer = client.send("POST", "/v1/models/m/learn", "Content-Type: text/x-vw\r\n", rows.as_bytes());
            assert_eq!(answer.unwrap().status, 200);
            at = *seq;
        }
        if at == 0 {
            continue;
        }
        let answer = client.post("/v1/models/m/predict", asked).json();
        assert_eq!((answer["seq"].as_u64(), &answer["scores"].to_string()), (Some(*seq), scores), "{asked}");
    }
}

/// Electricity, streamed one by one: the progressive error is that of `train --progressive`, to the last digit.
#[test]
fn the_progressive_error_of_electricity_is_that_of_train() {
    let folder = std::env::var("ROSENBLATT_DATA").unwrap_or_else(|_| "../../../shared/data".into());
    let path = std::path::Path::new(&folder).join("electricity/electricity.csv.gz");
    let Ok(packed) = std::fs::read(&path) else {
        eprintln!("SKIPPED: no {}", path.display());
        return;
    };
    let mut text = String::new();
    flate2::read::MultiGzDecoder::new(&packed[..]).read_to_string(&mut text).unwrap();
    let (header, rows) = text.split_once('\n').unwrap();
    let names: Vec<&str> = header.trim().split(',').collect();
    let bench = Bench::new();
    let server = Server::start(&bench.path(""), "--learner arow --durability none", None).unwrap();
    let mut client = server.client();
    let (mut examples, mut mistakes) = (0u64, 0u64);
    for row in rows.lines() {
        let mut fields: Vec<&str> = row.trim().split(',').collect();
        let label = fields.pop().unwrap();
        let features: Vec<String> =
            names.iter().zip(fields).map(|(name, value)| format!("\"{name}\":{value}")).collect();
        let body = format!("{{\"features\":{{{}}},\"label\":\"{label}\"}}", features.join(","));
        let answer = client.post("/v1/models/m/learn", &body);
        examples += 1;
        mistakes += u64::from(answer.text().contains("\"mistake\":true"));
    }
    let about = client.get("/v1/models/m").json();
    compare_with_train(&bench, &mut client, "m", "--learner arow");
    let train = |file: &str| {
        bench.json(&format!("train {file} --order cyclic --epochs 1 --scale none --learner arow --progressive --json"))
    };
    let last = |report: &Value| report["progressive"].as_array().unwrap().last().unwrap()["error"].as_f64();
    let by_log = last(&train("log.vw"));
    assert_eq!(about["error"]["all"].as_f64(), by_log);
    assert_eq!((examples, Some(mistakes as f64 / examples as f64)), (45_312, by_log));
    // The file itself has its columns in another order, so sums are rounded otherwise: the same error all the same.
    bench.file("electricity.csv", &text);
    assert_eq!(last(&train("electricity.csv")), by_log);
}
