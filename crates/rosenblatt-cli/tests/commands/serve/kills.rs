//! `kill -9`: what was acknowledged is there, and the model is what `train` makes of the log.

use std::collections::HashSet;
use std::os::unix::process::ExitStatusExt;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::client::{Random, Server};
use super::{compare_with_train, example, long};
use crate::support::Bench;

/// The signal of a process that ended itself.
const ABORTED: i32 = 6;
/// Snapshots and segments come often.
const OPTIONS: &str = "--learner averaged --snapshot-every 20 --segment 4000";

/// Eight clients learn until the server is killed. What they were told is in the log of the next server, whose model is
/// what train makes of it. `most`: of the examples that are sent. Whether it ended by itself, at its point.
fn kill_once(bench: &Bench, round: u64, point: Option<&str>, most: u64, told: &Mutex<HashSet<String>>) -> bool {
    let Some(mut server) = Server::start(&bench.path(""), OPTIONS, point) else {
        assert!(point.is_some(), "the server did not start in round {round}");
        return true;
    };
    let (stop, sent) = (AtomicBool::new(false), AtomicU64::new(0));
    std::thread::scope(|scope| {
        for k in 0..8u64 {
            let (server, stop, sent) = (&server, &stop, &sent);
            scope.spawn(move || {
                let mut random = Random(1 + k + 100 * round);
                let Some(mut client) = server.try_client() else { return };
                while !stop.load(Ordering::SeqCst) && sent.fetch_add(1, Ordering::SeqCst) < most {
                    let tag = format!("r{round}c{k}n{}", random.below(1 << 40));
                    let body = example(&mut random, &tag);
                    let Some(answer) = client.send("POST", "/v1/models/m/learn", "", body.as_bytes()) else { break };
                    if answer.status == 200 {
                        told.lock().unwrap().insert(tag);
                    }
                }
            });
        }
        if point.is_none() {
            // Half of the kills come after an acknowledgement, however slow the machine is; the others may come before.
            let (begun, before) = (Instant::now(), told.lock().unwrap().len());
            while round.is_multiple_of(2)
                && told.lock().unwrap().len() == before
                && begun.elapsed() < Duration::from_secs(20)
            {
                std::thread::sleep(Duration::from_millis(1));
            }
            std::thread::sleep(Duration::from_millis(5 + Random(round + 1).below(60)));
        } else {
            let begun = Instant::now();
            while sent.load(Ordering::SeqCst) < most && begun.elapsed() < Duration::from_secs(30) {
                std::thread::sleep(Duration::from_millis(5));
                if server.try_client().is_none() {
                    break;
                }
            }
        }
        std::process::Command::new("kill").args(["-9", &server.child.id().to_string()]).status().unwrap();
        stop.store(true, Ordering::SeqCst);
    });
    server.child.wait().unwrap().signal() == Some(ABORTED)
}

fn check_all_told(bench: &Bench, told: &Mutex<HashSet<String>>, what: &str) {
    let server = Server::start(&bench.path(""), OPTIONS, None).unwrap();
    let mut client = server.client();
    let told = told.lock().unwrap();
    if told.is_empty() && client.get("/v1/models/m").status == 404 {
        return;
    }
    let log = compare_with_train(bench, &mut client, "m", "--learner averaged");
    let kept: HashSet<&str> =
        log.lines().filter_map(|line| line.split("from=").nth(1)).map(|rest| rest.split(' ').next().unwrap()).collect();
    let lost: Vec<&String> = told.iter().filter(|tag| !kept.contains(tag.as_str())).collect();
    assert!(lost.is_empty(), "{what}: acknowledged and lost: {lost:?}");
    server.kill();
}

#[test]
fn acknowledged_examples_survive_kills_at_random() {
    let (mut bench, told) = (Bench::new(), Mutex::default());
    let (rounds, mut before, mut busy, mut all) = (long("ROSENBLATT_KILLS", 12), 0, 0, 0);
    for round in 0..rounds {
        kill_once(&bench, round, None, 400, &told);
        check_all_told(&bench, &told, &format!("round {round}"));
        let now = told.lock().unwrap().len();
        (busy, all, before) = (busy + u64::from(now > before), all + now - before, now);
        if round % 20 == 19 {
            (bench, *told.lock().unwrap(), before) = (Bench::new(), HashSet::new(), 0);
        }
    }
    eprintln!("{rounds} kills, {busy} of them after an acknowledgement; {all} examples acknowledged, none lost");
    assert!(2 * busy >= rounds, "{busy} of {rounds} kills came under load");
}

#[test]
fn acknowledged_examples_survive_kills_at_every_point() {
    for (round, point) in (1000..).zip(rosenblatt_server::points::POINTS) {
        let (bench, told) = (Bench::new(), Mutex::default());
        for times in 0..long("ROSENBLATT_KILLS_AT", 2) {
            let at = format!("{point}:{}", 1 + 6 * times);
            // Snapshots are written beside learning, and on a slow disk learning is the faster: the first of each must come.
            let must_die = times == 0 && cfg!(debug_assertions);
            let most = if must_die { u64::MAX } else { 400 };
            let died = kill_once(&bench, round + 100 * times, Some(&at), most, &told);
            assert!(died || !must_die, "{at} was never reached");
            check_all_told(&bench, &told, &at);
        }
    }
}
