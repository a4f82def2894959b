//! Models that are made, replaced and removed while calls to the disk fail: what was answered is so after a crash.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use rosenblatt::Recipe;
use tokio::sync::oneshot;

use super::*;
use crate::store::simulated::{Lost, Simulated};

fn open(files: &Simulated) -> Result<Catalogue> {
    let recipe = Recipe { learner: "averaged".into(), ..Recipe::default() };
    let limits =
        ModelLimits { snapshot: 2, log: crate::store::Sizes { segment: 300, ahead: 0 }, ..ModelLimits::default() };
    let (preparation, texts) = Default::default();
    let settings = Settings { recipe, preparation, texts, durability: Durability::Sync, limits, models: 10 };
    Catalogue::open(Arc::new(files.clone()), PathBuf::from("/models"), settings)
}

/// Learns a row into a model, which may be made for it; whether it was acknowledged.
fn learn(catalogue: &Catalogue, name: &str, line: &str) -> bool {
    let Ok(handle) = catalogue.get_or_make(name) else { return false };
    let row = crate::rows::Row::new(line.into(), &crate::rows::RowLimits::default(), true).unwrap();
    let (reply, answer) = oneshot::channel();
    let request = crate::store::Request { key: String::new(), digest: 0, rows: vec![row.line] };
    let ask = LearnAsk { request, examples: vec![row.example], single: false, reply, stream: None };
    handle.ask(Ask::Learn(ask)).is_ok() && answer.blocking_recv().is_ok_and(|answer| answer.is_ok())
}

/// The file of a model, or why there is none.
fn file(catalogue: &Catalogue, name: &str) -> std::result::Result<Vec<u8>, u16> {
    let handle = catalogue.get(name).map_err(|problem| problem.status)?;
    let (reply, answer) = oneshot::channel();
    handle.ask(Ask::Model(reply)).map_err(|problem| problem.status)?;
    let (model, _) = answer.blocking_recv().map_err(|_| 0u16)?.map_err(|problem| problem.status)?;
    Ok(model.to_bytes())
}

fn seq(catalogue: &Catalogue, name: &str) -> u64 {
    let Ok(handle) = catalogue.get(name) else { return 0 };
    let (reply, answer) = oneshot::channel();
    handle.ask(Ask::Describe(reply)).unwrap();
    answer.blocking_recv().unwrap().unwrap().seq
}

/// Two finished models that differ.
fn finished() -> [Vec<u8>; 2] {
    let catalogue = open(&Simulated::default()).unwrap();
    assert!(learn(&catalogue, "m", "a | x") && learn(&catalogue, "m", "b | y"));
    let first = file(&catalogue, "m").unwrap();
    assert!(learn(&catalogue, "m", "b | x"));
    let second = file(&catalogue, "m").unwrap();
    assert_ne!(first, second);
    [first, second]
}

/// Makes, learns, puts, replaces, removes; then the machine loses what was not synced.
fn survives(files: &Simulated, [first, second]: &[Vec<u8>; 2], what: &str) {
    let (mut learned, mut put, mut replaced, mut removed, mut gone) = (0, false, false, false, false);
    if let Ok(catalogue) = open(files) {
        learned += u64::from(learn(&catalogue, "m", "a | x"));
        put = catalogue.put("p", first).is_ok();
        learned += u64::from(learn(&catalogue, "m", "b | y"));
        replaced = put && catalogue.put("p", second).is_ok();
        let made = learn(&catalogue, "q", "a | z");
        gone = made && catalogue.remove("q").is_ok();
        learned += u64::from(learn(&catalogue, "m", "a | x"));
        removed = replaced && what.contains("removed") && catalogue.remove("p").is_ok();
        files.crash(Lost::All);
        catalogue.stop();
    }
    files.crash(Lost::All);
    let again = open(files).unwrap_or_else(|error| panic!("{what}: {error}"));
    assert!(seq(&again, "m") >= learned, "{what}: {learned} were acknowledged");
    assert!(!gone || file(&again, "q") == Err(404), "{what}: a removed model is back");
    let kept = file(&again, "p");
    match (removed, replaced, put) {
        (true, ..) => assert_eq!(kept, Err(404), "{what}: a removed model is back"),
        // It may be gone where its removal failed half-way.
        (_, true, _) => assert!(kept == Ok(second.clone()) || kept == Err(404), "{what}: the model before is back"),
        (_, _, true) => assert!([Ok(first.clone()), Ok(second.clone()), Err(404)].contains(&kept), "{what}"),
        _ => {}
    }
    again.stop();
}

#[test]
fn what_was_answered_of_models_is_so_after_a_crash() {
    let models = finished();
    for removed in ["removed", "kept"] {
        let calm = Simulated::default();
        survives(&calm, &models, &format!("calm, {removed}"));
        for kind in [io::ErrorKind::StorageFull, io::ErrorKind::Other] {
            for call in 1..=calm.calls() {
                for forever in [false, true] {
                    let files = Simulated::default();
                    files.fail_at(call, kind, forever);
                    survives(&files, &models, &format!("{kind:?} at call {call}, forever: {forever}, {removed}"));
                }
            }
        }
    }
}

/// A log that could not be opened may be all that there is of its examples: only DELETE removes it. The file of a finished model
/// is replaced.
#[test]
fn a_file_does_not_replace_a_damaged_log() {
    let (files, [first, second]) = (Simulated::default(), finished());
    let catalogue = open(&files).unwrap();
    assert!(learn(&catalogue, "m", "a | x") && learn(&catalogue, "m", "b | y"));
    catalogue.put("f", &first).unwrap();
    catalogue.stop();
    drop(catalogue);
    let log = PathBuf::from("/models/model-000001/log-00000000000000000000.rlog");
    files.change(&log, |bytes| bytes[40] ^= 1);
    files.change(&PathBuf::from("/models/model-000002/model"), |bytes| bytes[40] ^= 1);
    let catalogue = open(&files).unwrap();
    assert_eq!(file(&catalogue, "m"), Err(503));
    assert_eq!(file(&catalogue, "f"), Err(503));
    let problem = catalogue.put("m", &second).unwrap_err();
    assert_eq!((problem.status, problem.kind), (409, "learning"));
    assert!(files.read(&log).is_ok());
    catalogue.put("f", &second).unwrap();
    assert_eq!(file(&catalogue, "f"), Ok(second.clone()));
    catalogue.remove("m").unwrap();
    catalogue.put("m", &second).unwrap();
    assert_eq!(file(&catalogue, "m"), Ok(second));
    for name in [".", "..", "", "a/b", "a\u{202e}"] {
        assert_eq!(catalogue.put(name, &first).map_err(|problem| problem.status), Err(400), "{name}");
        assert!(catalogue.find(name).is_err_and(|problem| problem.status == 400), "{name}");
    }
}
