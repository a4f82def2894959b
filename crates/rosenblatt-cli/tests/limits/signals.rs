//! Ctrl-C and SIGTERM at any moment: every command ends soon, with nothing half-written and nothing left behind.

use std::fmt::Write;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::Bench;

/// A second is asked for; machines that run other tests beside this one get more.
const SOON: Duration = Duration::from_secs(3);

/// Numbers that repeat from run to run.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % n
    }
}

/// Rows that no hyperplane separates.
fn noisy(rows: usize, features: u64) -> String {
    let mut random = Random(7);
    let mut text = String::new();
    for _ in 0..rows {
        write!(text, "{}", ["-1", "+1"][random.below(2) as usize]).unwrap();
        (1..=features).for_each(|j| write!(text, " {j}:{}", random.below(1000) as f64 / 1e3).unwrap());
        text.push('\n');
    }
    text
}

fn sentences(count: usize) -> String {
    let mut random = Random(9);
    (0..count).fold(String::new(), |mut text, _| {
        (0..30).for_each(|_| writeln!(text, "w{} T{}", random.below(5000), random.below(40)).unwrap());
        text.push('\n');
        text
    })
}

/// Commands that take many seconds each.
const LONG: [&str; 22] = [
    "train rows.svm --epochs 100000 -o model",
    "train rows.svm --epochs 100000 -o model --checkpoint kept",
    "train rows.svm --epochs 100000 -o model --cache stored",
    "train rows.svm --epochs 300 --learner voted -o model",
    "train rows.svm --epochs 100000 --kernel rbf:1 -o model",
    "train rows.svm --epochs 100000 --kernel rbf:1 --keep last --budget 400 -o model",
    "train text.conll --epochs 1000 -o model",
    "cv rows.svm --epochs 100000",
    "tune rows.svm --grid learner=averaged,pa1,arow --epochs 100000 -o model",
    "separable rows.svm --degree 5 --certificate proof",
    "trace rows.svm --epochs 100000",
    "cv rows.svm --epochs 100000 --learner voted",
    "cv rows.svm --epochs 100000 --shards 3",
    "tune rows.svm -o model",
    "train rows.svm --epochs 100000 --shards 3 -o model",
    "train rows.svm --epochs 100000 --holdout 0.2 --patience 100000 -o model",
    "train rows.svm --epochs 100000 --lift rff:1:2000 -o model",
    "audit rows.svm --time-limit 100 --certificate proof",
    "audit rows.svm --time-limit 100 --degree 3 --fix fixed.svm",
    "lab rows.svm --no-open",
    "serve --data served --listen 127.0.0.1:0",
    "predict small -",
];

fn send(child: &Child, signal: &str) {
    Command::new("kill").args([format!("-{signal}"), child.id().to_string()]).status().unwrap();
}

#[test]
fn every_long_command_ends_soon_and_leaves_nothing() {
    // Two rows contradict each other, so that no training ends by itself, a kernel's neither.
    let bench = Bench::with("rows.svm", noisy(4000, 12) + "1 1:1\n-1 1:1\n");
    bench.file("text.conll", sentences(600));
    bench.file("small.svm", noisy(20, 12));
    bench.run("train small.svm -o small").ok();
    let inputs = bench.names();
    let mut random = Random(3);
    for line in LONG {
        for signal in ["INT", "TERM"] {
            let mut command = bench.command(line);
            let temporaries = bench.path("tmp");
            std::fs::create_dir_all(&temporaries).unwrap();
            command.env("TMPDIR", &temporaries).stdout(Stdio::null()).stderr(Stdio::null());
            let mut child = command.spawn().unwrap();
            std::thread::sleep(Duration::from_millis(200 + random.below(1200)));
            assert!(child.try_wait().unwrap().is_none(), "{line} takes too little time to be interrupted");
            let sent = Instant::now();
            send(&child, signal);
            let status = loop {
                if let Some(status) = child.try_wait().unwrap() {
                    break status;
                }
                if sent.elapsed() > 4 * SOON {
                    child.kill().unwrap();
                    panic!("{line}: {signal} was not heard");
                }
                std::thread::sleep(Duration::from_millis(10));
            };
            let took = sent.elapsed();
            // A signal is how a server is meant to end.
            let code = if line.starts_with("serve") { 0 } else { 130 };
            assert_eq!(status.code(), Some(code), "{line}, {signal}");
            assert!(took < SOON, "{line}, {signal}: {took:?}");
            let left = std::fs::read_dir(&temporaries).unwrap().count();
            assert_eq!(left, 0, "{line}, {signal}: something is left in the folder for temporary files");
            // What was proved first is written at once; it is whole.
            if line.starts_with("separable") && bench.names().contains(&"proof".to_string()) {
                bench.run("verify proof rows.svm --degree 5").ok();
                std::fs::remove_file(bench.path("proof")).unwrap();
            }
            let new: Vec<String> =
                bench.names().into_iter().filter(|name| !inputs.contains(name) && name != "tmp").collect();
            // A checkpoint or a cache that is whole may stay, and the folder of a server.
            let may_stay = ["kept", "stored", "served"];
            assert!(new.iter().all(|name| may_stay.contains(&name.as_str())), "{line}, {signal}: {new:?}");
        }
    }
    let again = bench.run("train rows.svm --resume kept --epochs 1");
    assert!(again.code == Some(0) || again.err.contains("the checkpoint is in pass"), "{again}");
}
