//! A log that is compacted: the state is a snapshot and the log after it, and still what `train` makes of all examples.

use std::io;
use std::path::Path;
use std::sync::Arc;

use super::tests::{AHEAD, FOLDER, learn, model, rows, seq, trained, trainer};
use super::*;
use crate::store::simulated::{Lost, Simulated};

/// Rows of two classes, both of them early.
fn two_classes(count: usize) -> Vec<String> {
    let mut all: Vec<String> =
        rows(count, 5).into_iter().map(|row| row.replace("other", "spam").replace("4th", "ham")).collect();
    (all[0], all[1]) = ("spam | f1:1".into(), "ham | f2:1".into());
    all
}

fn open(files: &Simulated, durability: Durability) -> Result<Handle> {
    let limits =
        ModelLimits { snapshot: 7, log: Sizes { segment: 300, ahead: AHEAD }, compact: true, ..ModelLimits::default() };
    Handle::open("m", Arc::new(files.clone()), Path::new(FOLDER), trainer("averaged"), durability, limits)
}

fn dropped(files: &Simulated) -> u64 {
    log::start(files, Path::new(FOLDER)).unwrap()
}

/// A model whose log was compacted, ended in order, and its rows.
fn compacted() -> (Simulated, Vec<String>) {
    let (files, all) = (Simulated::default(), two_classes(90));
    let handle = open(&files, Durability::Sync).unwrap();
    for some in all.chunks(3) {
        learn(&handle, some).unwrap();
    }
    assert_eq!(model(&handle), trained("averaged", &all));
    handle.stop();
    assert!(dropped(&files) > 0, "{}", dropped(&files));
    (files, all)
}

/// Runs a script under a fault, crashes, recovers: all that was acknowledged is in the state, in the order of sending.
fn survives(files: &Simulated, durability: Durability, lost: Lost, what: &str) {
    let all = two_classes(60);
    let (mut acknowledged, mut sent): (usize, Vec<String>) = Default::default();
    if let Ok(handle) = open(files, durability) {
        for some in all.chunks(3) {
            sent.extend_from_slice(some);
            match learn(&handle, some) {
                Ok(_) => acknowledged = sent.len(),
                Err(problem) if problem.status == 507 => sent.truncate(sent.len() - some.len()),
                Err(problem) => assert_eq!(problem.status, 503, "{what}: {problem:?}"),
            }
        }
        if durability == Durability::Sync {
            files.crash(lost);
        }
        handle.stop();
    }
    files.crash(lost);
    let again = open(files, durability).unwrap_or_else(|error| panic!("{what}: {error}"));
    let recovered = seq(&again) as usize;
    assert!(recovered >= acknowledged || durability != Durability::Sync, "{what}: {recovered} of {acknowledged}");
    assert_eq!(model(&again), trained("averaged", &sent[..recovered]), "{what}");
    again.stop();
}

#[test]
fn any_call_may_fail_while_a_log_is_compacted() {
    let calm = Simulated::default();
    survives(&calm, Durability::Sync, Lost::All, "calm");
    assert!(dropped(&calm) > 0, "nothing was dropped");
    for kind in [io::ErrorKind::StorageFull, io::ErrorKind::Other] {
        for forever in [false, true] {
            for call in 1..=calm.calls() {
                let files = Simulated::default();
                files.fail_at(call, kind, forever);
                survives(&files, Durability::Sync, Lost::All, &format!("{kind:?} at call {call}, forever: {forever}"));
            }
        }
    }
}

/// The machine crashes after every request: nothing acknowledged is lost; without syncs, nothing that was on the disk.
#[test]
fn a_crash_finds_a_snapshot_and_the_log_after_it() {
    for durability in [Durability::Sync, Durability::None] {
        for lost in [Lost::All, Lost::After(20), Lost::Zeros] {
            let (files, all) = (Simulated::default(), two_classes(90));
            let handle = open(&files, durability).unwrap();
            let mut most = 0;
            for (n, some) in all.chunks(2).enumerate() {
                learn(&handle, some).unwrap();
                let crashed = files.fork();
                crashed.crash(lost);
                let again = open(&crashed, durability).unwrap();
                let recovered = seq(&again) as usize;
                assert!(recovered == 2 * n + 2 || durability == Durability::None, "{lost:?}");
                assert!(recovered as u64 >= dropped(&crashed));
                assert_eq!(model(&again), trained("averaged", &all[..recovered]), "{durability:?} {lost:?}");
                most = most.max(dropped(&crashed));
                again.stop();
            }
            handle.stop();
            assert!(most > 0, "{durability:?}: nothing was dropped");
        }
    }
}

#[test]
fn the_past_before_the_snapshots_is_refused_and_what_follows_is_exact() {
    let (files, all) = compacted();
    let (folder, learner) = (Path::new(FOLDER), trainer("averaged"));
    let snapshots = snapshot::reached(&files, folder, u64::MAX).unwrap();
    let (oldest, start) = (snapshots[0], dropped(&files));
    assert!(snapshots.len() == 2 && start <= oldest, "{snapshots:?} {start}");
    for to in 1..=all.len() as u64 {
        let replayed = history::model_at(&files, folder, &learner, to);
        match to < oldest {
            true => assert!(replayed.unwrap_err().to_string().contains("were dropped after a snapshot"), "{to}"),
            false => assert_eq!(Some(replayed.unwrap().to_bytes()), trained("averaged", &all[..to as usize]), "{to}"),
        }
    }
    let mut lines = Vec::new();
    let mut add = |some: &[u8]| {
        lines.extend_from_slice(some);
        Ok(())
    };
    history::text(&files, folder, start, all.len() as u64, &mut add).unwrap();
    let tail: String = all[start as usize..].iter().map(|line| format!("{line}\n")).collect();
    assert_eq!(String::from_utf8(lines).unwrap(), tail);
    assert!(history::text(&files, folder, 0, 90, &mut |_| Ok(())).is_err());
}

/// A new class would need the examples that are gone: it is refused before anything is written, and learning goes on.
#[test]
fn a_new_class_is_refused_once_the_log_is_compacted() {
    let (files, mut all) = compacted();
    let handle = open(&files, Durability::Sync).unwrap();
    let problem = learn(&handle, &["new | f1:1".to_string()]).unwrap_err();
    assert_eq!((problem.status, problem.kind), (409, "new-class"));
    let more = "spam | f1:1 never-seen:2".to_string();
    learn(&handle, std::slice::from_ref(&more)).unwrap();
    all.push(more);
    assert_eq!(model(&handle), trained("averaged", &all));
    handle.stop();
}

/// Classes that come late keep the log whole, until two snapshots know them.
#[test]
fn a_late_class_keeps_the_log() {
    let (files, mut all) = (Simulated::default(), two_classes(40));
    for (n, row) in all.iter_mut().enumerate() {
        if n == 0 || n % 5 == 4 {
            *row = format!("class{n} | f{n}:2 all:1");
        }
    }
    let handle = open(&files, Durability::Sync).unwrap();
    for some in all.chunks(2) {
        // A class that comes while the log is looked through is let in a moment later.
        while let Err(problem) = learn(&handle, some) {
            assert_eq!(problem.status, 429, "{problem:?}");
            std::thread::yield_now();
        }
    }
    assert_eq!((model(&handle), dropped(&files)), (trained("averaged", &all), 0));
    handle.stop();
}

/// One damaged snapshot costs time; two of them leave nothing to begin from, and the model says so.
#[test]
fn damaged_snapshots_of_a_compacted_log_are_never_half_used() {
    let (files, all) = compacted();
    let folder = Path::new(FOLDER);
    let mut names = files.list(folder).unwrap();
    names.retain(|name| name.starts_with("snapshot-"));
    for damaged in [&names[1..], &names[..1], &names[..]] {
        let files = files.fork();
        for name in damaged {
            files.change(&folder.join(name), |bytes| bytes[99] ^= 1);
        }
        match open(&files, Durability::Sync) {
            Ok(again) => {
                assert!(damaged.len() == 1);
                assert_eq!(model(&again), trained("averaged", &all));
                again.stop();
            }
            Err(error) => {
                assert!(damaged.len() == 2, "{error}");
                assert!(error.to_string().contains("no snapshot"), "{error}");
            }
        }
    }
}
