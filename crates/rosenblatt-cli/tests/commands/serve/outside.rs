//! The server among others: a second one, systemd, a browser, a tester of descriptions.

use std::io::Write as _;
use std::os::unix::net::UnixDatagram;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use super::client::Server;
use super::long;
use crate::support::Bench;

/// Says it past the capture of the test's output.
fn say(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap()
}

/// Two servers on one folder would write one log.
#[test]
fn a_folder_has_one_server() {
    let bench = Bench::new();
    let server = Server::start(&bench.path(""), "", None).unwrap();
    server.client().post("/v1/models/m/learn", r#"{"features": {"a": 1}, "label": "x"}"#);
    let refused = bench.run("serve --data data --listen 127.0.0.1:0").refused();
    assert!(refused.contains("another server holds this folder"), "{refused}");
    server.kill();
    let again = Server::start(&bench.path(""), "", None).expect("the folder is free after kill -9");
    assert_eq!(again.client().get("/v1/models/m").json()["seq"].as_u64(), Some(1));
}

/// systemd is told when requests are answered and when the end begins; SIGTERM ends in order, and all is in a snapshot.
#[test]
fn a_service_manager_is_told() {
    let bench = Bench::new();
    let socket = UnixDatagram::bind(bench.path("notify")).unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let heard = || {
        let mut bytes = [0; 64];
        let length = socket.recv(&mut bytes).unwrap();
        String::from_utf8_lossy(&bytes[..length]).into_owned()
    };
    let place = bench.path("notify").display().to_string();
    let mut server = Server::start_with(&bench.path(""), "", &[("NOTIFY_SOCKET", place.as_str())]).unwrap();
    assert_eq!(heard(), "READY=1");
    server.client().post("/v1/models/m/learn", r#"{"features": {"a": 1}, "label": "x"}"#);
    // A request that goes on does not keep it from being told.
    let mut slow = server.client();
    let head = b"POST /v1/models/m/learn HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{";
    slow.0.get_mut().write_all(head).unwrap();
    assert_eq!(server.client().get("/healthz").status, 200);
    let begun = Instant::now();
    Command::new("kill").args(["-TERM", &server.child.id().to_string()]).status().unwrap();
    assert_eq!(heard(), "STOPPING=1");
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    drop(slow);
    assert_eq!(server.child.wait().unwrap().code(), Some(0));
    let files = crate::support::names_in(&bench.path("data/model-000001"));
    assert!(files.iter().any(|name| name == "snapshot-00000000000000000001"), "{files:?}");
}

/// With tokens a proxy may pass on the name that it was called by; without them a name of another site leads to nothing.
#[test]
fn behind_a_proxy_tokens_decide() {
    let bench = Bench::new();
    bench.file("tokens", "predict pppppppppppppppp\n");
    let ask = |server: &Server, host: &str| {
        let head = format!("GET /v1/models HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer pppppppppppppppp\r\n\r\n");
        server.client().raw(head.as_bytes()).unwrap().status
    };
    let server = Server::start(&bench.path(""), "--token-file tokens", None).unwrap();
    assert_eq!((ask(&server, "mail.example.org"), ask(&server, "localhost")), (200, 200));
    assert_eq!(server.client().get("/v1/models").status, 401);
    drop(server);
    let server = Server::start(&bench.path(""), "", None).unwrap();
    assert_eq!((ask(&server, "mail.example.org"), ask(&server, "localhost")), (421, 200));
}

/// A limit of the length of files ended the process by a signal.
#[test]
fn a_limit_of_file_lengths_refuses_rows() {
    let bench = Bench::new();
    let plain = Server::command(&bench.path(""), "");
    let mut limited = Command::new("sh");
    limited.args(["-c", "ulimit -f 64; exec \"$0\" \"$@\""]).arg(plain.get_program()).args(plain.get_args());
    limited.current_dir(bench.path("")).stdin(Stdio::piped()).stdout(Stdio::piped());
    let server = Server::run(limited).unwrap();
    let mut client = server.client();
    let row = format!("{{\"features\": {{\"{}\": 1}}, \"label\": \"x\"}}", "w".repeat(2_000));
    let statuses: Vec<u16> = (0..50).map(|_| client.post("/v1/models/m/learn", &row).status).collect();
    let learned = statuses.iter().take_while(|status| **status == 200).count();
    assert!((1..50).contains(&learned) && statuses[learned..].iter().all(|status| *status == 507), "{statuses:?}");
    assert_eq!(client.post("/v1/models/m/predict", r#"{"features": {"a": 1}}"#).status, 200);
    server.kill();
    let again = Server::start(&bench.path(""), "", None).unwrap();
    assert_eq!(again.client().get("/v1/models/m").json()["seq"].as_u64(), Some(learned as u64));
}

/// The live page in Chromium: it shows errors, mistakes by class and an alarm; nothing of a label becomes markup.
#[test]
fn the_live_page_in_a_browser() {
    let home = std::env::var("LAB_NODE").unwrap_or_else(|_| root().join("target/lab").display().to_string());
    let chromium = std::env::var("CHROMIUM").unwrap_or_else(|_| "/usr/bin/chromium".into());
    let node = Command::new("node").arg("--version").output().is_ok_and(|o| o.status.success());
    let packages = Path::new(&home).join("node_modules/playwright-core").exists();
    if !(node && packages && Path::new(&chromium).exists()) {
        say("SKIPPED: the live page in a browser: no node, no packages in target/lab or no Chromium (see .ci/run)");
        return;
    }
    let bench = Bench::new();
    let server = Server::start(&bench.path(""), "--durability none", None).unwrap();
    let tests = Command::new("node")
        .arg(root().join("web/tests/live.mjs"))
        .arg(format!("http://{}/", server.address))
        .env("LAB_NODE", &home)
        .env("CHROMIUM", &chromium)
        .output()
        .unwrap();
    assert!(tests.status.success(), "{}", said(&tests));
}

fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

fn run(command: &mut Command) -> Result<Output, String> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    if output.status.success() { Ok(output) } else { Err(format!("{command:?}\n{}", said(&output))) }
}

/// The program of Schemathesis in an environment that is kept, or why there is none.
fn schemathesis() -> Result<PathBuf, String> {
    let place = root().join("target/python-schema");
    let program = place.join("bin/schemathesis");
    if !program.exists() {
        let python = std::env::var("ROSENBLATT_PYTHON").unwrap_or_else(|_| "python3".into());
        run(Command::new(python).args(["-m", "venv"]).arg(&place))?;
        let install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "schemathesis>=4"];
        run(Command::new(place.join("bin/python")).args(install))?;
    }
    Ok(program)
}

/// The client of KServe finds the server and the model, and infers by numbers and by rows; it says why it is refused.
/// (Its packages are many: installed only where `ROSENBLATT_KSERVE` asks for it.)
#[test]
fn a_client_of_kserve_infers() {
    let place = root().join("target/python-kserve");
    let python = place.join("bin/python");
    if std::env::var_os("ROSENBLATT_KSERVE").is_none() && !python.exists() {
        say("SKIPPED: a client of KServe: set ROSENBLATT_KSERVE=1 to install it");
        return;
    }
    if !python.exists() {
        let system = std::env::var("ROSENBLATT_PYTHON").unwrap_or_else(|_| "python3".into());
        run(Command::new(system).args(["-m", "venv"]).arg(&place)).unwrap();
        let install =
            ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "kserve", "tritonclient[http]"];
        run(Command::new(&python).args(install)).unwrap();
    }
    let bench = Bench::new();
    let server = Server::start(&bench.path(""), "", None).unwrap();
    let rows = r#"[{"features": {"x1": 1}, "label": "yes"}, {"features": {"x2": 1}, "label": "no"}]"#;
    assert_eq!(server.client().post("/v1/models/m/learn", rows).status, 200);
    bench.file("client.py", include_str!("kserve.py"));
    let client = run(Command::new(&python).arg("client.py").arg(&server.address).current_dir(bench.path("")));
    assert_eq!(String::from_utf8_lossy(&client.unwrap_or_else(|why| panic!("{why}")).stdout).trim(), "all is well");
}

/// Schemathesis makes requests from the description, good and bad ones: every answer is one that the description names.
#[test]
fn the_description_is_what_the_server_does() {
    let program = match schemathesis() {
        Ok(program) => program,
        Err(why) => {
            say(&format!("SKIPPED: the description of the server was not tested, there is no Schemathesis:\n{why}"));
            return;
        }
    };
    let bench = Bench::new();
    let server = Server::start(&bench.path(""), "--durability none --max-models 20", None).unwrap();
    server.client().post("/v1/models/m/learn", r#"{"features": {"a": 1}, "label": "x"}"#);
    // A request with a seq that is far away waits for it, and each would wait half a minute.
    bench.file("schemathesis.toml", "[parameters]\n\"query.min_seq\" = 0\n");
    let mut tests = Command::new(program);
    tests.args(["run", &format!("http://{}/openapi.json", server.address)]);
    // All but one check: no schema says that the shape of a tensor has to fit its data, or what a model file holds.
    tests.args(["--exclude-checks", "positive_data_acceptance"]);
    tests.args([
        "--seed",
        "1",
        "--max-examples",
        &long("ROSENBLATT_SCHEMA", 10).to_string(),
        "--phases",
        "examples,coverage,fuzzing",
    ]);
    tests.current_dir(bench.path("")).env("NO_COLOR", "1");
    run(&mut tests).unwrap_or_else(|why| panic!("{why}"));
    assert_eq!(server.client().get("/healthz").status, 200);
}
