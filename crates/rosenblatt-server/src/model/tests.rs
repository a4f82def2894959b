//! Promises of a model: what was acknowledged is there after any crash, and is what `train` makes of it.

use std::io;
use std::path::Path;
use std::sync::Arc;

use rosenblatt::read::ReadOptions;
use rosenblatt::{Data, FileData, Input, Order, Storage, Trainer, With};

use super::*;
use crate::rows::{Row, RowLimits};
use crate::store::simulated::{Lost, Simulated};

pub(super) const FOLDER: &str = "/models/model-000001";

pub(super) fn trainer(learner: &str) -> Trainer {
    Trainer::new(learner).epochs(1).order(Order::Cyclic)
}

/// Some rows: features and classes come as they come.
pub(super) fn rows(count: usize, seed: u64) -> Vec<String> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut random = move |most: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % most
    };
    let row = |n: usize| {
        let label = ["spam", "ham", "other", "4th"][random(if n < count / 3 { 2 } else { 4 }) as usize];
        let mut line = label.to_string();
        if random(4) == 0 {
            line.push_str(&format!(" {}", 0.5 + random(4) as f64));
        }
        line.push_str(" |");
        for _ in 0..random(6) {
            line.push_str(&format!(" f{}:{}", random(5 + n as u64 / 4), random(2000) as f64 / 100.0 - 7.0));
        }
        line
    };
    (0..count).map(row).collect()
}

/// The bytes of the model that the library makes of a file with these lines; `None` if it refuses.
pub(super) fn trained(learner: &str, lines: &[String]) -> Option<Vec<u8>> {
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let (input, options) = (Input::memory("log.vw", text), ReadOptions::default());
    let data = FileData::new(&input, &options, &Storage::Memory);
    let fitted = trainer(learner).fit_with(Data::File(data), With::default());
    fitted.ok().map(|fitted| fitted.model.to_bytes())
}

fn open(files: &Simulated, learner: &str, durability: Durability, snapshot: u64) -> Result<Handle> {
    // Where there are snapshots, there are several segments.
    let (segment, ahead) = if snapshot < 1 << 40 { (700, AHEAD) } else { (u64::MAX, 0) };
    open_with(files, learner, durability, snapshot, Sizes { segment, ahead })
}

/// A segment of a few rows grows ahead of them.
pub(super) const AHEAD: u64 = 16_000;

fn open_with(files: &Simulated, learner: &str, durability: Durability, snapshot: u64, log: Sizes) -> Result<Handle> {
    let limits = ModelLimits { snapshot, log, ..ModelLimits::default() };
    Handle::open("m", Arc::new(files.clone()), Path::new(FOLDER), trainer(learner), durability, limits)
}

pub(super) fn learn(handle: &Handle, lines: &[String]) -> std::result::Result<Answer, Problem> {
    let rows = lines.iter().map(|line| Row::new(line.clone(), &RowLimits::default(), true).unwrap());
    let (rows, examples) = rows.map(|row| (row.line, row.example)).unzip();
    let (reply, answer) = oneshot::channel();
    let request = crate::store::Request { key: String::new(), digest: 0, rows };
    handle.ask(Ask::Learn(LearnAsk { request, examples, single: false, reply, stream: None }))?;
    answer.blocking_recv().unwrap()
}

pub(super) fn model(handle: &Handle) -> Option<Vec<u8>> {
    let (reply, answer) = oneshot::channel();
    handle.ask(Ask::Model(reply)).unwrap();
    answer.blocking_recv().unwrap().ok().map(|(model, _)| model.to_bytes())
}

fn lines_in_log(files: &Simulated, to: u64) -> Vec<String> {
    let mut text = Vec::new();
    history::text(files, Path::new(FOLDER), 0, to, &mut |lines| {
        text.extend_from_slice(lines);
        Ok(())
    })
    .unwrap();
    String::from_utf8(text).unwrap().lines().map(str::to_string).collect()
}

pub(super) fn seq(handle: &Handle) -> u64 {
    let (reply, answer) = oneshot::channel();
    handle.ask(Ask::Describe(reply)).unwrap();
    answer.blocking_recv().unwrap().unwrap().seq
}

#[test]
fn the_model_is_what_train_makes_of_the_same_rows() {
    for learner in ["arow", "averaged", "perceptron", "pa1", "margin"] {
        for seed in 1..4 {
            let (files, all) = (Simulated::default(), rows(200, seed));
            let handle = open(&files, learner, Durability::Sync, 37).unwrap();
            for (n, some) in all.chunks(1 + seed as usize * 3).enumerate() {
                learn(&handle, some).unwrap();
                if n % 7 == 0 {
                    let at = seq(&handle) as usize;
                    assert_eq!(model(&handle), trained(learner, &all[..at]), "{learner} {seed} {at}");
                }
            }
            assert_eq!(model(&handle), trained(learner, &all), "{learner} {seed}");
            handle.stop();
            // From the snapshot, and from the log alone.
            let again = open(&files, learner, Durability::Sync, 37).unwrap();
            assert_eq!(model(&again), trained(learner, &all), "{learner} {seed}");
            again.stop();
            for name in files.list(Path::new(FOLDER)).unwrap() {
                if name.starts_with("snapshot") {
                    files.remove(&Path::new(FOLDER).join(name)).unwrap();
                }
            }
            let again = open(&files, learner, Durability::Sync, 37).unwrap();
            assert_eq!(model(&again), trained(learner, &all), "{learner} {seed}");
            again.stop();
        }
    }
}

/// Answers before, during and after can be replayed: each equals that of a model of the first rows.
#[test]
fn every_answer_is_that_of_its_seq() {
    let all = rows(80, 9);
    for learner in ["arow", "averaged"] {
        let mut engine = Engine::new(trainer(learner)).unwrap();
        for (n, line) in all.iter().enumerate() {
            let example = history::parse(line).unwrap();
            let predicted = engine.predict(&example);
            if let Some(bytes) = trained(learner, &all[..n]) {
                let model = rosenblatt::Model::from_bytes("m", &bytes).unwrap();
                let input = Input::memory("row.vw", format!("{line}\n"));
                let need = rosenblatt::read::NeedLabels::No;
                let row =
                    rosenblatt::read::read_for(&input, &ReadOptions::default(), &model.schema, &model.labels, need);
                let row = row.unwrap().table;
                let scores = model.score_all(row.matrix.rows().unwrap()).unwrap();
                let bits = |scores: &[f64]| scores.iter().map(|s| (s + 0.0).to_bits()).collect::<Vec<_>>();
                assert_eq!(bits(&predicted.scores), bits(&scores), "{learner} {n}");
            }
            let mut again = |to: u64, each: &mut dyn FnMut(&_) -> Result<()>| {
                all[..to as usize].iter().try_for_each(|line| each(&history::parse(line).unwrap()))
            };
            engine.learn_next(line, &example, &mut again).unwrap();
        }
    }
}

/// Runs a script under a fault, crashes, recovers: acknowledged ⊆ recovered ⊆ sent in order, and the bytes are train's.
fn survives(files: &Simulated, durability: Durability, lost: Lost, what: &str) {
    let all = rows(40, 5);
    let (mut acknowledged, mut sent): (Vec<String>, Vec<String>) = Default::default();
    if let Ok(handle) = open(files, "averaged", durability, 9) {
        for some in all.chunks(3) {
            sent.extend_from_slice(some);
            match learn(&handle, some) {
                Ok(_) => acknowledged.extend_from_slice(some),
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
    let again = open(files, "averaged", durability, 9).unwrap_or_else(|error| panic!("{what}: {error}"));
    let recovered = lines_in_log(files, seq(&again));
    let mut rest = recovered.iter();
    for line in &acknowledged {
        assert!(rest.any(|other| other == line), "{what}: {line} was acknowledged and lost");
    }
    let mut rest = sent.iter();
    for line in &recovered {
        assert!(rest.any(|other| other == line), "{what}: {line} was never sent, or was refused");
    }
    assert_eq!(model(&again), trained("averaged", &recovered), "{what}");
    again.stop();
}

#[test]
fn any_call_may_fail() {
    let calm = Simulated::default();
    survives(&calm, Durability::Sync, Lost::All, "calm");
    let segments = calm.list(Path::new(FOLDER)).unwrap().iter().filter(|name| name.starts_with("log-")).count();
    assert!(segments > 1, "one segment only");
    for kind in [io::ErrorKind::StorageFull, io::ErrorKind::Other] {
        for forever in [false, true] {
            // The last ones come after the end of the script.
            for call in 1..=calm.calls() {
                let files = Simulated::default();
                files.fail_at(call, kind, forever);
                survives(&files, Durability::Sync, Lost::All, &format!("{kind:?} at call {call}, forever: {forever}"));
            }
        }
    }
}

/// The machine loses everything that was not synced, a part of it, or its bytes but not its length.
#[test]
fn a_crash_loses_nothing_acknowledged() {
    let some = [Lost::After(1), Lost::After(20), Lost::After(60), Lost::First(1), Lost::First(20), Lost::First(60)];
    for lost in [Lost::All, Lost::Zeros].into_iter().chain(some) {
        let (files, all) = (Simulated::default(), rows(30, 3));
        let handle = open(&files, "arow", Durability::Sync, 7).unwrap();
        for (n, some) in all.chunks(2).enumerate() {
            learn(&handle, some).unwrap();
            let crashed = files.fork();
            crashed.crash(lost);
            let again = open(&crashed, "arow", Durability::Sync, 7).unwrap();
            assert_eq!(seq(&again), 2 * n as u64 + 2, "{lost:?}");
            assert_eq!(model(&again), trained("arow", &all[..2 * n + 2]));
            again.stop();
        }
        handle.stop();
    }
}

fn log_file() -> std::path::PathBuf {
    Path::new(FOLDER).join("log-00000000000000000000.rlog")
}

/// The last frame, cut at every byte: the frames before it are there, and more can be learned.
#[test]
fn a_log_that_ends_anywhere_is_recovered() {
    let (files, all) = (Simulated::default(), rows(12, 4));
    let handle = open(&files, "arow", Durability::Sync, 1 << 40).unwrap();
    learn(&handle, &all[..6]).unwrap();
    let before = files.read(&log_file()).unwrap().len();
    learn(&handle, &all[6..10]).unwrap();
    let whole = files.read(&log_file()).unwrap().len();
    let crashed = files.fork();
    handle.stop();
    for length in before..=whole {
        let files = crashed.fork();
        files.change(&log_file(), |bytes| bytes.truncate(length));
        let again = open(&files, "arow", Durability::Sync, 1 << 40).unwrap();
        let expected = if length == whole { 10 } else { 6 };
        assert_eq!(seq(&again), expected, "{length}");
        learn(&again, &all[10..]).unwrap();
        let rows = [&all[..expected as usize], &all[10..]].concat();
        assert_eq!(model(&again), trained("arow", &rows), "{length}");
        again.stop();
    }
}

/// A segment of small frames ends with zeros: no frame is lost before them, nothing is set aside, and what a crash left among
/// them is.
#[test]
fn zeros_after_the_last_frame_are_none() {
    let (files, all) = (Simulated::default(), rows(60, 7));
    let again = |files: &Simulated| {
        open_with(files, "arow", Durability::Sync, 1 << 40, Sizes { segment: u64::MAX, ahead: AHEAD }).unwrap()
    };
    let handle = again(&files);
    let (mut lengths, mut zeros) = (Vec::new(), 0);
    for some in all.chunks(2) {
        learn(&handle, some).unwrap();
        let bytes = files.read(&log_file()).unwrap();
        lengths.push(bytes.len());
        zeros = bytes.iter().rev().take_while(|&&byte| byte == 0).count();
        let crashed = files.fork();
        crashed.crash(Lost::All);
        let other = again(&crashed);
        assert_eq!(model(&other), model(&handle));
        other.stop();
        assert_eq!(crashed.read(&log_file()).unwrap().len(), bytes.len() - zeros);
        assert!(crashed.list(Path::new(FOLDER)).unwrap().iter().all(|name| !name.starts_with("torn-")));
    }
    lengths.dedup();
    assert!(lengths.len() < 15 && zeros > 100, "{lengths:?}, {zeros} zeros");
    let crashed = files.fork();
    crashed.change(&log_file(), |bytes| *bytes.last_mut().unwrap() = 1);
    let other = again(&crashed);
    assert_eq!(model(&other), model(&handle));
    assert!(crashed.list(Path::new(FOLDER)).unwrap().iter().any(|name| name.starts_with("torn-")));
    other.stop();
    handle.stop();
    assert!(files.read(&log_file()).unwrap().last() != Some(&0));
}

/// A flipped bit: before the last frame the model is refused with its place; in the last frame, which a crash could
/// have left incomplete, the frame is set aside. Nothing else is ever learned from.
#[test]
fn a_flipped_bit_is_never_learned_from() {
    for ahead in [0, AHEAD] {
        flip_every_bit(Sizes { segment: u64::MAX, ahead });
    }
}

/// With zeros ahead: a bit of them is set aside, and takes nothing away.
fn flip_every_bit(sizes: Sizes) {
    let (files, all) = (Simulated::default(), rows(9, 8));
    let open = |files: &Simulated| open_with(files, "arow", Durability::Sync, 1 << 40, sizes);
    let handle = open(&files).unwrap();
    let mut ends = Vec::new();
    for some in all.chunks(3) {
        learn(&handle, some).unwrap();
        let bytes = files.read(&log_file()).unwrap();
        ends.push(bytes.iter().rposition(|&byte| byte != 0).unwrap() + 1);
    }
    let crashed = files.fork();
    handle.stop();
    let whole = crashed.read(&log_file()).unwrap().len();
    assert_eq!(whole > ends[2], sizes.ahead > 0);
    for bit in 0..8 * whole {
        let files = crashed.fork();
        files.change(&log_file(), |bytes| bytes[bit / 8] ^= 1 << (bit % 8));
        match open(&files) {
            Err(error) => {
                assert!(bit / 8 < ends[1], "{bit}: {error}");
                assert!(error.to_string().contains("damaged"), "{error}");
            }
            Ok(again) => {
                assert!(bit / 8 >= ends[1], "bit {bit} of a frame that was followed by another");
                assert_eq!(seq(&again), if bit / 8 < ends[2] { 6 } else { 9 }, "{bit}");
                assert!(files.list(Path::new(FOLDER)).unwrap().iter().any(|name| name.starts_with("torn-")));
                again.stop();
            }
        }
    }
}

/// A damaged snapshot costs time only.
#[test]
fn a_damaged_snapshot_is_ignored() {
    let (files, all) = (Simulated::default(), rows(30, 6));
    let handle = open(&files, "averaged", Durability::Sync, 10).unwrap();
    all.chunks(5).for_each(|some| {
        learn(&handle, some).unwrap();
    });
    handle.stop();
    let names = files.list(Path::new(FOLDER)).unwrap();
    let newest = names.iter().filter(|name| name.starts_with("snapshot-")).max().unwrap();
    let path = Path::new(FOLDER).join(newest);
    let length = files.read(&path).unwrap().len();
    for at in (0..length).step_by(13) {
        let files = files.fork();
        files.change(&path, |bytes| bytes[at] ^= 0x10);
        let again = open(&files, "averaged", Durability::Sync, 10).unwrap();
        assert_eq!(model(&again), trained("averaged", &all), "{at}");
        again.stop();
    }
}

#[test]
fn a_failed_sync_stops_learning_and_answers_go_on() {
    let files = Simulated::default();
    let all = rows(12, 2);
    let handle = open(&files, "arow", Durability::Sync, 1 << 40).unwrap();
    learn(&handle, &all[..6]).unwrap();
    // The next call is the write, the one after it the sync.
    files.fail_at(2, io::ErrorKind::Other, false);
    assert_eq!(learn(&handle, &all[6..9]).unwrap_err().status, 503);
    assert_eq!(learn(&handle, &all[9..]).unwrap_err().status, 503);
    let (reply, answer) = oneshot::channel();
    let row = history::parse(&all[9]).unwrap();
    handle.ask(Ask::Predict { rows: vec![row], min_seq: 0, reply }).unwrap();
    assert_eq!(answer.blocking_recv().unwrap().unwrap().seq, 6);
    handle.stop();
    // A full disk refuses, and learning goes on once there is room.
    let files = Simulated::default();
    let handle = open(&files, "arow", Durability::Sync, 1 << 40).unwrap();
    learn(&handle, &all[..6]).unwrap();
    files.fail_at(1, io::ErrorKind::StorageFull, false);
    assert_eq!(learn(&handle, &all[6..9]).unwrap_err().status, 507);
    learn(&handle, &all[9..]).unwrap();
    let rows = [&all[..6], &all[9..]].concat();
    assert_eq!(model(&handle), trained("arow", &rows));
    handle.stop();
}

#[test]
fn learners_that_need_all_rows_are_refused_with_a_reason() {
    for learner in ["voted", "pocket", "batch"] {
        let error = Engine::new(trainer(learner)).err().expect("refused").to_string();
        assert!(error.contains("serve a learner"), "{error}");
    }
}

/// Rows of a stream that come after refused ones are refused, too: a client that sends again from there sends all of them.
#[test]
fn nothing_after_refused_rows_of_a_stream_is_learned_from() {
    let limits = ModelLimits { classes: 2, ..ModelLimits::default() };
    let files: Arc<dyn Files> = Arc::new(Simulated::default());
    let handle = Handle::open("m", files, Path::new(FOLDER), trainer("arow"), Durability::Sync, limits)
        .expect("an empty folder");
    let ended = Arc::new(std::sync::atomic::AtomicBool::new(false));
    let mut answers = Vec::new();
    for lines in [["a | x", "b | y"], ["b | y", "c | z"], ["a | x", "b | y"]] {
        let rows = lines.map(|line| Row::new(line.to_string(), &RowLimits::default(), true).unwrap());
        let (rows, examples) = rows.into_iter().map(|row| (row.line, row.example)).unzip();
        let request = crate::store::Request { key: String::new(), digest: 0, rows };
        let (reply, answer) = oneshot::channel();
        let stream = Some(ended.clone());
        handle.ask(Ask::Learn(LearnAsk { request, examples, single: false, reply, stream })).unwrap();
        answers.push(answer);
    }
    let statuses: Vec<u16> =
        answers.into_iter().map(|answer| answer.blocking_recv().unwrap().map_or_else(|p| p.status, |_| 200)).collect();
    // Too many classes, or perhaps too many while those of the first rows are not known yet.
    assert!(statuses[0] == 200 && [409, 429].contains(&statuses[1]) && statuses[2] == 409, "{statuses:?}");
    assert_eq!(seq(&handle), 2);
    handle.stop();
}
