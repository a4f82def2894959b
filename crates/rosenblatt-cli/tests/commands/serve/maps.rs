//! Texts, hashing and scaling of rows that come one by one.

use serde_json::json;

use super::client::{Random, Server};
use super::compare_with_train;
use crate::support::Bench;

const WORDS: [&str; 12] =
    ["Free", "offer", "viagra", "Hello", "Bob", "meeting", "tomorrow", "100%", "win", "now!", "lunch", "naïve"];

fn message(random: &mut Random, spam: bool) -> String {
    let word = |random: &mut Random| {
        WORDS[(random.below(6) + if random.below(4) == 0 { random.below(6) } else { 6 * u64::from(!spam) }) as usize]
    };
    let count = 3 + random.below(9);
    (0..count).map(|_| word(random)).collect::<Vec<_>>().join(" ")
}

/// The mail story: whole messages, and a correction by a person; the model survives a kill and answers without the server.
#[test]
fn whole_messages_are_learned_from() {
    let maps = "--tf log --hash-bits 9 --scale unit";
    for (options, settings) in [("", ""), ("--text subject --ngrams 2 --tf log --hash-bits 9 --scale unit", maps)] {
        let (bench, mut random) = (Bench::new(), Random(7));
        let server = Server::start(&bench.path(""), &format!("--learner arow {options}"), None).unwrap();
        let mut client = server.client();
        for n in 0..60 {
            let spam = random.below(2) == 0;
            let (body, subject) = (message(&mut random, spam), message(&mut random, spam));
            let label = if spam { "spam" } else { "ham" };
            let row = json!({"text": body, "features": {"subject": subject, "from": "bob", "size": n}, "label": label});
            assert_eq!(client.post("/v1/models/m/learn", &row.to_string()).status, 200);
        }
        let whole = r#"{"text": "FREE offer: win viagra now!", "features": {"subject": "Free free offer"}}"#;
        let answer = client.post("/v1/models/m/predict", whole).json();
        assert_eq!(answer["label"], "spam", "{answer}");
        let correction = json!({"id": answer["id"], "label": "spam"}).to_string();
        assert_eq!(client.post("/v1/models/m/feedback", &correction).status, 200);
        let log = compare_with_train(&bench, &mut client, "m", &format!("--learner arow {settings}"));
        let subject = if options.is_empty() {
            "subject=Free%20free%20offer"
        } else {
            "|subject free:2 free%20free free%20offer offer"
        };
        assert!(log.ends_with("|text free now offer viagra win\n") || log.trim_end().ends_with(subject), "{log}");
        assert!(log.lines().last().unwrap().contains(subject), "{log}");
        drop(client);
        server.kill();

        // Its texts and maps are those of the model, not of the command line.
        let server = Server::start(&bench.path(""), "--learner arow", None).unwrap();
        let mut client = server.client();
        let explained = client.post("/v1/models/m/explain", whole).json();
        let names = explained["terms"].to_string();
        assert!(names.contains("text^viagra"), "{explained}");
        assert_eq!(names.contains("subject^free free"), !options.is_empty(), "{explained}");
        compare_with_train(&bench, &mut client, "m", &format!("--learner arow {settings}"));
        let again = client.post("/v1/models/m/predict", whole).json();

        // The downloaded model gives the same scores for the same words.
        let model = client.get("/v1/models/m/model");
        bench.file("m.model", &model.body);
        let line = log.lines().last().unwrap().split_once('|').unwrap().1;
        bench.file("row.vw", format!("|{line}\n"));
        let predicted = bench.run("predict m.model row.vw --scores").ok().out;
        let score: f64 = predicted.split_whitespace().last().unwrap().parse().unwrap();
        assert_eq!(again["scores"]["spam"].as_f64(), Some(score), "{predicted} {again}");
        assert_eq!(server.end(), Some(0));
    }
}

#[test]
fn maps_that_need_all_rows_are_refused() {
    let bench = Bench::new();
    for (option, why) in [
        ("--tf-idf", "--tf-idf counts the rows that have a word"),
        ("--scale standard", "--scale standard: it measures all rows first"),
        ("--scale ball", "unit needs only the row itself"),
        ("--min-count 2", "--min-count counts the rows that have a feature"),
        ("--degree 2", "--degree multiplies all features"),
    ] {
        let refused = bench.run(&format!("serve --data d --listen 127.0.0.1:0 {option}")).refused();
        assert!(refused.contains(why), "{option}: {refused}");
    }
}
