//! `rosenblatt lab`: the page's numbers are the program's, byte for byte; what must not be answered is refused; and a
//! person finds their way in a real browser.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::Bench;

const PROGRAM: &str = env!("CARGO_BIN_EXE_rosenblatt");

/// A lab that is served until the test ends.
struct Lab {
    child: Child,
    host: String,
}

impl Lab {
    fn open(arguments: &[&str]) -> Lab {
        let mut child = Command::new(PROGRAM)
            .args(["lab", "--no-open"])
            .args(arguments)
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let host = line.trim().strip_prefix("http://").and_then(|rest| rest.strip_suffix('/')).expect("an address");
        Lab { host: host.to_string(), child }
    }

    fn address(&self) -> String {
        format!("http://{}/", self.host)
    }

    /// The status and the body that answer these bytes.
    fn send(&self, head: &str, body: &[u8]) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.host).unwrap();
        stream.write_all(head.as_bytes()).unwrap();
        // A server that has refused may close before it has read everything.
        let _ = stream.write_all(body);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let text = String::from_utf8_lossy(&answer).into_owned();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = head.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
        (status, body.to_string())
    }

    fn post(&self, body: &str) -> (u16, String) {
        let head = format!(
            "POST /lab HTTP/1.1\r\nhost: {}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
            self.host,
            body.len()
        );
        self.send(&head, body.as_bytes())
    }

    fn get(&self, path: &str, headers: &str) -> (u16, String) {
        self.send(&format!("GET {path} HTTP/1.1\r\n{headers}connection: close\r\n\r\n"), b"")
    }

    fn ask(&self, request: &Value) -> Value {
        let (status, body) = self.post(&request.to_string());
        assert_eq!(status, 200, "{body}");
        serde_json::from_str(&body).unwrap()
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Numbers by a seed (Marsaglia 2003).
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % n
    }

    fn pick<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len() as u64) as usize]
    }

    /// A number as people write them: whole, with decimals, or negative.
    fn number(&mut self) -> String {
        let whole = self.below(21) as i64 - 10;
        match self.below(3) {
            0 => whole.to_string(),
            1 => format!("{whole}.{}", self.below(10)),
            _ => format!("{whole}.{:03}", self.below(1000)),
        }
    }
}

/// Random data and settings: both front ends get the same.
fn case(dice: &mut Dice, learners: &[&str]) -> (String, Value) {
    let (rows, columns, classes) = (3 + dice.below(12), 1 + dice.below(4), 2 + dice.below(5) / 3);
    let names: Vec<String> = (1..=columns).map(|j| format!("x{j}")).collect();
    let labels = if classes == 2 { ["+1", "-1", ""] } else { ["a", "b b", "c"] };
    let mut csv = format!("{},label\n", names.join(","));
    for i in 0..rows {
        let cells: Vec<String> = (0..columns).map(|_| dice.number()).collect();
        let class = if i < classes { i } else { dice.below(classes) };
        csv.push_str(&format!("{},{}\n", cells.join(","), labels[class as usize]));
    }
    let degree = if dice.below(4) == 0 { 2 } else { 1 };
    let bias = [1.0, 1.0, 0.0, 0.5][dice.below(4) as usize];
    let order = match dice.below(3) {
        0 => json!("cyclic"),
        1 => json!("shuffled"),
        _ => json!((0..rows).map(|i| rows - i).collect::<Vec<_>>()),
    };
    let mut settings = json!({
        "learner": dice.pick(learners), "tie": dice.pick(&["update", "positive", "negative"]), "bias": bias,
        "epochs": 1 + dice.below(5), "order": order, "seed": dice.below(1000), "degree": degree,
        "multiclass": dice.pick(&["single", "uniform", "one-vs-rest"]),
    });
    if classes == 2 && degree == 1 && dice.below(3) == 0 {
        let weights = columns + u64::from(bias != 0.0);
        settings["init"] = json!((0..weights).map(|_| dice.below(9) as f64 / 4.0 - 1.0).collect::<Vec<_>>());
    }
    (csv, settings)
}

/// 200 random trainings: the lines of the lab are those of the command that the lab shows, byte for byte; so is the verdict.
#[test]
fn the_trace_and_the_verdict_are_those_of_the_program() {
    let (lab, bench, mut dice) = (Lab::open(&[]), Bench::new(), Dice(0x1ab));
    let registry = lab.ask(&json!({ "op": "learners" }));
    let learners: Vec<&str> =
        registry["learners"].as_array().unwrap().iter().map(|l| l["name"].as_str().unwrap()).collect();
    assert!(learners.len() >= 12, "{learners:?}");
    let bin = Path::new(PROGRAM).parent().unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap_or_default());
    let shell = |command: &str| {
        let output = Command::new("bash")
            .args(["-c", command])
            .env("PATH", &path)
            .current_dir(bench.path("."))
            .output()
            .unwrap();
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (mut lines, mut refused) = (0, 0);
    for round in 0..200 {
        let (csv, settings) = case(&mut dice, &learners);
        bench.file("points.csv", &csv);
        let data = json!({ "csv": csv });
        let request = json!({ "op": "trace", "data": data, "settings": settings, "count": 0, "lines": true });
        let answer = lab.ask(&request);
        if let Some(error) = answer.get("error") {
            // What one refuses, the other refuses: a learner without a bias of 0.5, say.
            refused += 1;
            assert_ne!(error["message"], "", "{error}");
            continue;
        }
        let command = answer["commands"]["shell"].as_str().unwrap();
        let (printed, complaint) = shell(command);
        assert_eq!(answer["lines"].as_str().unwrap(), printed, "{round}: {command}\n{csv}\n{complaint}");
        lines += printed.lines().count();
        if round % 2 == 0 && csv.contains("+1") {
            let command = answer["commands"]["separable"].as_str().unwrap();
            let (printed, complaint) = shell(&format!("{command} --json"));
            let told: Value = serde_json::from_str(&printed).unwrap_or_else(|_| panic!("{command}\n{csv}{complaint}"));
            let (bias, degree) = (settings["bias"] != 0.0, &settings["degree"]);
            let asked = lab
                .ask(&json!({ "op": "separable", "data": data, "bias": bias, "degree": degree, "certificate": true }));
            for key in ["verdict", "margin", "radius", "bound", "witness"] {
                assert_eq!(asked[key], told[key], "{round}: {key} of {command}\n{csv}");
            }
            assert_eq!(asked["checked_certificate"]["verified"], true, "{asked}");
        }
    }
    assert!(lines > 2000 && refused < 40, "{lines} lines, {refused} refused");
}

/// What lessons 6 and 7 say of new points. One said that a narrow kernel is no good for new points, where it had 0.8% wrong.
#[test]
fn what_the_lessons_say_of_new_points() {
    let (lab, bench) = (Lab::open(&[]), Bench::new());
    let told = lab.ask(&json!({ "op": "lesson" })).to_string();
    let make = |name: &str, noise: f64, points: u64, seed: u64| {
        let made = lab.ask(&json!({ "op": "data", "name": name, "noise": noise, "points": points, "seed": seed }));
        bench.file(&format!("{name}{seed}.csv"), made["csv"].as_str().unwrap());
    };
    // The percentage of the lesson's points that is wrong, and of 10,000 others.
    let errors = |name: &str, settings: &str| {
        let trained = bench.run(&format!(
            "train {name}0.csv --learner perceptron --order cyclic --scale none {settings} -o {name}.model"
        ));
        assert_eq!(trained.code, Some(0), "{trained:?}");
        let wrong = |seed: u64| {
            let told = bench.run(&format!("eval {name}.model {name}{seed}.csv --json"));
            100.0 * serde_json::from_str::<Value>(&told.out).unwrap()["error"].as_f64().unwrap()
        };
        (wrong(0), (1..=5).map(wrong).sum::<f64>() / 5.0)
    };
    for seed in 0..=5 {
        make("clouds", 1.0, if seed == 0 { 60 } else { 2000 }, seed);
        make("moons", 0.2, if seed == 0 { 80 } else { 2000 }, seed);
    }
    let keep = |keep: &str| errors("clouds", &format!("--epochs 20 --keep {keep}"));
    let [pocket, last, average, vote] = ["pocket", "last", "average", "vote"].map(keep);
    let (p, l, a, v) = (pocket.1, last.1, average.1, vote.1);
    let said = format!(
        "{:.2}% here. On 10,000 new points it is the worst: pocket {p:.1}%, last {l:.1}%, average {a:.1}%, vote {v:.1}%",
        pocket.0
    );
    assert!(p > l && l > a && a > v && told.contains(&said), "{said}");
    let [narrow, wide] = ["200", "10"].map(|gamma| errors("moons", &format!("--epochs 100 --kernel rbf:{gamma}")));
    assert_eq!((narrow.0, wide.0), (0.0, 0.0));
    let said = format!(
        "it has {:.1}% wrong. Set γ to 10 on the left: the training error is zero again, and of the new points {:.0}%",
        narrow.1, wide.1
    );
    assert!(told.contains(&said), "{said}");
}

#[test]
fn only_this_machine_and_this_page_are_answered() {
    let lab = Lab::open(&[]);
    let host = format!("host: {}\r\n", lab.host);
    let (status, page) = lab.get("/", &host);
    assert!(status == 200 && page.contains("rosenblatt lab"), "{status}");
    assert_eq!(lab.get("/main.js", &host).0, 200);
    assert_eq!(lab.get("/../Cargo.toml", &host).0, 404);
    assert_eq!(lab.get("/", "host: evil.example\r\n").0, 421);
    assert_eq!(lab.get("/", &format!("{host}origin: http://evil.example\r\n")).0, 403);
    assert_eq!(lab.get("/lab/data", &host).0, 204);
    // A body of 100 MB: the client that sends all of it is told why it is refused.
    let announced = format!("POST /lab HTTP/1.1\r\n{host}content-length: 100000000\r\nconnection: close\r\n\r\n");
    let (status, told) = lab.send(&announced, &vec![b' '; 100_000_000]);
    assert!(status == 413 && told.contains("at most 16777216 are answered"), "{status} {told}");
    let refused = |request: &str| {
        let (status, body) = lab.post(request);
        let answer: Value = serde_json::from_str(&body).unwrap();
        assert_eq!(status, 200);
        answer["error"]["message"].as_str().unwrap_or_else(|| panic!("{request}: {body}")).to_string()
    };
    assert!(refused("{\"op\": \"tra").contains("not JSON"));
    assert!(refused("{\"op\": \"fly\"}").contains("choose one of"));
    assert!(refused("[]").contains("\"op\""));
    let trace = |csv: &str, settings: &str| {
        refused(&format!("{{\"op\": \"trace\", \"data\": {{\"csv\": {}}}, \"settings\": {settings}}}", json!(csv)))
    };
    // The page has no control for it, and once named one.
    let missing = trace("x,label\nNaN,a\n1,b\n", "{}");
    assert!(
        missing.contains("a missing value: fill it in, pass the program's --missing zero, mean or indicator"),
        "{missing}"
    );
    assert!(trace("x,label\n1e999,a\n1,b\n", "{}").contains("1e999"));
    assert!(trace("x,label\n1,a\n2,b\n", "{\"epochs\": 4000000000}").contains("at most"));
    let million: String = (0..1_000_000).map(|i| format!("{},{}\n", i % 7, i % 2)).collect();
    assert!(trace(&format!("x,label\n{million}"), "{}").contains("at most 100000"));
    // It is still there.
    assert_eq!(lab.ask(&json!({ "op": "data", "name": "and" }))["about"]["title"], "AND");
}

const CROWD: usize = 10_000;

/// 10,000 requests at once: each is answered or refused, and the lab stays alive. Client and server need as many open files
/// as the system allows, so the test runs itself again with that limit.
#[test]
fn a_crowd_is_answered_or_refused() {
    if std::env::var_os("LAB_CROWD").is_some() {
        return crowd();
    }
    let again = Command::new("bash")
        .args(["-c", "ulimit -n $(ulimit -Hn); exec \"$0\" lab::a_crowd_is_answered_or_refused --exact --nocapture"])
        .arg(std::env::current_exe().unwrap())
        .env("LAB_CROWD", "yes")
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&again.stdout);
    assert!(again.status.success() && told.contains("1 passed"), "{told}{}", String::from_utf8_lossy(&again.stderr));
    say(told.lines().filter(|line| line.contains("at once")).collect::<Vec<_>>().join("\n").as_str());
}

fn crowd() {
    let lab = Lab::open(&[]);
    let body = json!({ "op": "trace", "data": { "csv": "x,label\n1,a\n2,b\n" } }).to_string();
    let head =
        format!("POST /lab HTTP/1.1\r\nhost: {}\r\ncontent-length: {}\r\nconnection: close", lab.host, body.len());
    let request = format!("{head}\r\n\r\n{body}");
    // All ask before the first answer is read.
    let ask = |_: usize| {
        let mut stream = TcpStream::connect(&lab.host).ok()?;
        stream.write_all(request.as_bytes()).ok()?;
        Some(stream)
    };
    let all: Vec<TcpStream> = std::thread::scope(|scope| {
        let some = || (0..CROWD / 16).map_while(ask).collect::<Vec<_>>();
        let parts: Vec<_> = (0..16).map(|_| scope.spawn(some)).collect();
        parts.into_iter().flat_map(|part| part.join().unwrap()).collect()
    });
    if all.len() < CROWD {
        let _ =
            writeln!(std::io::stderr(), "SKIPPED in part: the system allows {} connections, not {CROWD}", all.len());
    }
    assert!(all.len() >= 500, "{} connections", all.len());
    let (mut answered, mut refused) = (0, 0);
    for mut stream in all {
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        match answer.split(' ').nth(1) {
            Some("200") if answer.contains("\"total\":") => answered += 1,
            Some("429") if answer.contains("requests are waiting") => refused += 1,
            _ => panic!("{answer}"),
        }
    }
    let _ =
        writeln!(std::io::stderr(), "{} requests at once: {answered} answered, {refused} refused", answered + refused);
    assert!(answered > 0, "{refused} refused");
    assert_eq!(lab.post(&body).0, 200);
}

/// The places are taken by those whose bodies are still to come. One more, with many points, is refused while it sends them,
/// and once saw a broken connection in place of the refusal.
#[test]
fn who_is_refused_while_sending_is_told_why() {
    const PLACES: usize = 66;
    let lab = Lab::open(&[]);
    let knock = |length: usize| {
        let mut stream = TcpStream::connect(&lab.host).unwrap();
        let head = format!("POST /lab HTTP/1.1\r\nhost: {}\r\ncontent-length: {length}", lab.host);
        stream.write_all(format!("{head}\r\nconnection: close\r\n\r\n").as_bytes()).unwrap();
        stream
    };
    let hear = |mut stream: TcpStream, body: &str| {
        stream.write_all(body.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    };
    let body = json!({ "op": "data", "name": "and" }).to_string();
    let inside: Vec<TcpStream> = (0..PLACES).map(|_| knock(body.len())).collect();
    std::thread::sleep(Duration::from_millis(500));
    let long = format!("{body}{}", " ".repeat(4_000_000));
    let refused = hear(knock(long.len()), &long);
    assert!(refused.starts_with("HTTP/1.1 429") && refused.contains("requests are waiting"), "{refused}");
    for stream in inside {
        let answer = hear(stream, &body);
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    }
}

#[test]
fn data_on_the_command_line_are_served_as_they_are_written() {
    let bench = Bench::with("d.svm", "+1 1:0.10 2:1\n-1 1:-1\n");
    let lab = Lab::open(&[bench.path("d.svm").to_str().unwrap()]);
    let (status, csv) = lab.get("/lab/data", &format!("host: {}\r\n", lab.host));
    assert!(status == 200 && csv.lines().count() == 3, "{csv}");
    assert_eq!(bench.run("lab nowhere.csv --no-open").code, Some(2));
    let broken = bench.run("lab --export site --engine d.svm");
    assert!(broken.code == Some(2) && broken.err.contains("not a WebAssembly module"), "{broken:?}");
}

/// Says it past the capture of the test's output.
fn say(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// `.ci/run` installs Chromium and the packages in `target/lab`; elsewhere it is said that nothing was tested.
#[test]
fn a_person_finds_their_way_in_a_browser() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
    let home = std::env::var("LAB_NODE").unwrap_or_else(|_| root.join("target/lab").display().to_string());
    let chromium = std::env::var("CHROMIUM").unwrap_or_else(|_| "/usr/bin/chromium".into());
    let has = |what: &str, there: bool| {
        if !there {
            say(&format!("SKIPPED: the lab in a browser: no {what} (see .ci/run)"));
        }
        there
    };
    let node = Command::new("node").arg("--version").output().is_ok_and(|o| o.status.success());
    let packages = Path::new(&home).join("node_modules/playwright-core").exists();
    if !(has("node", node) && has("packages in target/lab", packages) && has("Chromium", Path::new(&chromium).exists()))
    {
        return;
    }
    let types = Command::new("node")
        .arg(Path::new(&home).join("node_modules/typescript/bin/tsc"))
        .args(["--noEmit", "-p"])
        .arg(root.join("web"))
        .output()
        .unwrap();
    assert!(types.status.success(), "{}", String::from_utf8_lossy(&types.stdout));
    let lab = Lab::open(&[]);
    let run = |address: &str| {
        let tests = Command::new("node")
            .arg(root.join("web/tests/run.mjs"))
            .args([address, PROGRAM])
            .env("LAB_NODE", &home)
            .env("CHROMIUM", &chromium)
            .output()
            .unwrap();
        assert!(tests.status.success(), "{}", String::from_utf8_lossy(&tests.stdout));
        say(&String::from_utf8_lossy(&tests.stdout));
    };
    run(&lab.address());
}
