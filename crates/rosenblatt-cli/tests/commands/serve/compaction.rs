//! A log that is compacted, and `kill -9`. The client keeps the rows itself: the log no longer has all of them.

use std::os::unix::process::ExitStatusExt;
use std::time::{Duration, Instant};

use super::client::{Client, Random, Server};
use super::long;
use crate::support::Bench;

const OPTIONS: &str = "--learner averaged --snapshot-every 20 --segment 1500 --log compact";

/// Rows that were sent in their order, and how many of them were acknowledged.
#[derive(Default)]
struct Sent {
    lines: Vec<String>,
    acknowledged: usize,
}

/// When a server is killed that has not ended by itself.
enum Killed {
    /// After so many milliseconds.
    After(u64),
    /// After some rows.
    Soon,
    /// After some rows, once the log is shorter: snapshots are written and the log is compacted beside learning, and on a slow
    /// disk learning is the faster.
    Compacted,
    /// It ends by itself, however slow the disk is.
    Never,
}

impl Killed {
    /// Whether it is time, after some rows.
    fn is_due(&self, client: &mut Client) -> bool {
        match self {
            Killed::After(_) | Killed::Never => false,
            Killed::Soon => true,
            Killed::Compacted => {
                client.send("GET", "/v1/models/m/log", "", b"").is_some_and(|answer| answer.status == 409)
            }
        }
    }
}

/// How long a test waits for what must come.
const PATIENCE: Duration = Duration::from_secs(30);

impl Sent {
    /// Sends rows, three at a time, until the server ends. Whether it ended by itself, at its point.
    fn send(&mut self, server: &mut Server, random: &mut Random, killed: &Killed) -> bool {
        let id = server.child.id().to_string();
        let killer = match *killed {
            Killed::After(pause) => Some(std::thread::spawn(move || {
                std::thread::sleep(Duration::from_millis(pause));
                std::process::Command::new("kill").args(["-9", &id]).status().unwrap();
            })),
            _ => None,
        };
        let Some(mut client) = server.try_client() else { return true };
        let begun = Instant::now();
        for request in 0.. {
            if request >= 120 && (begun.elapsed() > PATIENCE || killed.is_due(&mut client)) {
                break;
            }
            let some: Vec<String> = (0..3).map(|k| row(random, self.lines.len() + k)).collect();
            self.lines.extend_from_slice(&some);
            let body = some.join("\n");
            match client.send("POST", "/v1/models/m/learn", "Content-Type: text/x-vw\r\n", body.as_bytes()) {
                Some(answer) => assert_eq!(answer.status, 200, "{}", answer.text()),
                None => break,
            }
            self.acknowledged = self.lines.len();
            if request >= 120 && killer.is_none() {
                // Learning leaves the disk to what is written beside it.
                std::thread::sleep(Duration::from_millis(10));
            }
        }
        killer.into_iter().for_each(|killer| killer.join().unwrap());
        let _ = server.child.kill();
        server.child.wait().unwrap().signal() == Some(6)
    }

    /// The next server has all that was acknowledged, and its model is what train makes of it. How much was dropped.
    fn check(&mut self, bench: &Bench, what: &str) -> u64 {
        let server = Server::start(&bench.path(""), OPTIONS, None).unwrap();
        let mut client = server.client();
        let about = client.get("/v1/models/m");
        let seq = if about.status == 404 { 0 } else { about.json()["seq"].as_u64().unwrap() as usize };
        assert!(seq == self.acknowledged || seq == self.lines.len(), "{what}: {seq} of {}", self.acknowledged);
        self.lines.truncate(seq);
        self.acknowledged = seq;
        // Killed so early that there is one class, or no example: there is no model to compare.
        let label = |line: &String| line.split(' ').next().map(str::to_string);
        if self.lines.iter().all(|line| label(line) == label(&self.lines[0])) {
            return 0;
        }
        bench.file("all.vw", self.lines.iter().map(|line| format!("{line}\n")).collect::<String>());
        bench.run("train all.vw --order cyclic --epochs 1 --scale none --learner averaged -o trained").ok();
        assert!(bench.read("trained") == client.get("/v1/models/m/model").body, "{what}: not what train makes");
        let log = client.get("/v1/models/m/log");
        let message = if log.status == 409 { log.json()["error"]["message"].to_string() } else { String::new() };
        let start = message.split("from=").nth(1).and_then(|rest| rest.split(' ').next()?.parse().ok()).unwrap_or(0u64);
        let rest = client.get(&format!("/v1/models/m/log?from={start}"));
        let tail: String = self.lines[start as usize..].iter().map(|line| format!("{line}\n")).collect();
        assert_eq!(rest.text(), tail, "{what}");
        if start > 0 {
            assert_eq!(client.get("/v1/models/m/model?seq=1").status, 409);
            let learned = client.post("/v1/models/m/learn", r#"{"features": {"a": 1}, "label": "a third class"}"#);
            assert_eq!((learned.status, learned.json()["error"]["kind"].as_str()), (409, Some("new-class")));
        }
        server.kill();
        start
    }
}

fn row(random: &mut Random, at: usize) -> String {
    let spam = if at < 3 { at == 0 } else { random.below(2) == 0 };
    let word = random.below(30) + if spam { 10 } else { 0 };
    format!("{} | w{word} u{}:{}", if spam { "spam" } else { "ham" }, random.below(1 << 20), 1 + random.below(3))
}

#[test]
fn a_compacted_log_survives_kills() {
    let (bench, mut sent, mut random) = (Bench::new(), Sent::default(), Random(77));
    for round in 0..long("ROSENBLATT_KILLS", 6) {
        let mut server = Server::start(&bench.path(""), OPTIONS, None).unwrap();
        let pause = 20 + random.below(150);
        sent.send(&mut server, &mut random, &Killed::After(pause));
        sent.check(&bench, &format!("round {round}"));
    }
    for point in rosenblatt_server::points::POINTS.into_iter().chain(rosenblatt_server::points::COMPACTION) {
        for times in 0..long("ROSENBLATT_KILLS_AT", 1) {
            let at = format!("{point}:{}", 1 + 3 * times);
            let must_die = times == 0 && cfg!(debug_assertions);
            let (bench, mut sent) = (Bench::new(), Sent::default());
            let died = match Server::start(&bench.path(""), OPTIONS, Some(&at)) {
                Some(mut server) => {
                    let killed = if must_die { Killed::Never } else { Killed::Soon };
                    sent.send(&mut server, &mut random, &killed)
                }
                None => true,
            };
            assert!(died || !must_die, "{at} was never reached");
            sent.check(&bench, &at);
            // It goes on as before.
            let mut server = Server::start(&bench.path(""), OPTIONS, None).unwrap();
            sent.send(&mut server, &mut random, &Killed::Compacted);
            assert!(sent.check(&bench, &at) > 0, "{at}: nothing was dropped");
        }
    }
}
