//! What is known when the limits end the work.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rosenblatt::certify::{Arrays, Deadline, Decision, Options, Question, Verdict, decide_telling};
use rosenblatt::read::toy;
use rosenblatt::{ErrorKind, Table, limits};

/// Asks to stop as soon as it is proved that nothing separates strictly.
fn stopped_early(table: &Table, degree: u32) -> Decision {
    let asked = Arc::new(AtomicBool::new(false));
    let options = Options { deadline: Deadline::NEVER.or_when(asked.clone()), degree, ..Options::default() };
    let question = Question::from_memory(table.examples().unwrap()).unwrap();
    let tell = &mut |_: &Decision| {
        asked.store(true, Ordering::Relaxed);
        Ok(())
    };
    decide_telling(&question, &options, tell).unwrap()
}

#[test]
fn what_is_proved_stays_proved_when_the_rest_is_not_decided() {
    let xor = toy::boolean(|a, b| a != b).unwrap();
    let decision = stopped_early(&xor, 1);
    assert_eq!(decision.verdict, Verdict::NotSeparable);
    assert_eq!(decision.support().map(|(row, _)| row).collect::<Vec<_>>(), [0, 1, 2, 3]);
    assert!(decision.hyperplane.is_none() && decision.margin.is_none());
    let proof = Arrays::new(&xor, None).unwrap().certificate(&decision).unwrap();
    assert!(proof.contains("\"version\": 2") && proof.contains("\"not-separable\""), "{proof}");
    // What separates is not refuted, and no one is told anything.
    assert_eq!(stopped_early(&xor, 2).verdict, Verdict::Separable);
}

#[test]
fn an_error_of_the_one_who_is_told_ends_the_work() {
    let xor = toy::boolean(|a, b| a != b).unwrap();
    let question = Question::from_memory(xor.examples().unwrap()).unwrap();
    let refuse = &mut |_: &Decision| Err(rosenblatt::Error::settings("the disk is full"));
    let error = decide_telling(&question, &Options::default(), refuse).unwrap_err();
    assert_eq!(error.to_string(), "the disk is full");
}

/// With 268,435,456 columns a hyperplane has no room; that two rows contradict each other is proved without one.
#[test]
fn a_hyperplane_without_room_leaves_the_weak_question_open() {
    let input = rosenblatt::io::Input::memory("far.svm", "+1 1:1\n-1 1:1\n+1 2:1\n-1 268435456:1\n");
    let dataset = rosenblatt::read::read(&input, &rosenblatt::read::ReadOptions::default()).unwrap();
    let limits = limits::Limits { memory: limits::held() + (1 << 27), ..limits::Limits::NONE };
    let decision = limits::within(&limits, || {
        let question = Question::from_memory(dataset.table.examples()?)?;
        rosenblatt::certify::decide(&question, &Options::default())
    });
    let decision = decision.unwrap();
    assert_eq!((decision.verdict, decision.contradiction), (Verdict::NotSeparable, Some((0, 1))));
    assert_eq!(decision.features, 268_435_456);
}

#[test]
fn a_degree_above_that_of_certificates_is_refused() {
    let xor = toy::boolean(|a, b| a != b).unwrap();
    let question = Question::from_memory(xor.examples().unwrap()).unwrap();
    let asked = Options { degree: 65, ..Options::default() };
    let error = rosenblatt::certify::decide(&question, &asked).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Settings);
    assert!(error.to_string().contains("expected at most 64"), "{error}");
}
