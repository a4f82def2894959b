//! Keys, answers and texts.

use std::sync::Arc;

use super::*;

#[test]
fn the_oldest_keys_are_forgotten_and_the_rest_survive() {
    let mut keys = Keys::default();
    for n in 0..10_050u64 {
        keys.put(format!("k{n}"), n, "answer".into());
    }
    assert_eq!((keys.get("k49"), keys.get("k50").map(|(digest, _)| *digest)), (None, Some(50)));
    let text = serde_json::to_string(&keys).unwrap();
    let again: Keys = serde_json::from_str(&text).unwrap();
    assert_eq!(again.get("k10049"), keys.get("k10049"));
    assert_eq!(serde_json::to_string(&again).unwrap(), text);
}

#[test]
fn answers_are_json_that_a_terminal_survives() {
    let classes = Arc::new(vec!["a\"\\\n\u{1b}".to_string(), "\u{202e}b".to_string()]);
    let prediction = Prediction { classes: classes.clone(), class: Some(1), scores: vec![1e-300], probabilities: None };
    let mut text = String::new();
    prediction.write_json(7, Some(10), &mut text);
    assert!(!text.contains(rosenblatt::escape::is_control), "{text}");
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!((value["label"].as_str(), value["seq"].as_u64()), (Some("\u{202e}b"), Some(7)));
    assert_eq!(value["scores"][&classes[0]].as_f64(), Some(-1e-300));
    let none = Prediction { classes: Arc::default(), class: None, scores: vec![], probabilities: None };
    text.clear();
    none.write_json(0, None, &mut text);
    assert_eq!(text, r#"{"label":null,"scores":{},"seq":0}"#);
}

/// A new label needs the log; where it cannot be read, predictions go on from the state before, and its seq.
#[test]
fn a_log_that_cannot_be_read_changes_nothing() {
    let parse = |line: &str| VwExample::parse(line.as_bytes(), 1, "row").unwrap().unwrap();
    let rows: Vec<VwExample> = ["b | x:1 y:2", "a | x:-1", "b | z:3", "a | y", "c | new:1 x"].map(parse).to_vec();
    let mut engine = Engine::new(Trainer::new("averaged").order(rosenblatt::Order::Cyclic)).unwrap();
    for (n, row) in rows.iter().enumerate() {
        let before = (engine.predict(&rows[0]), engine.snapshot().unwrap());
        let mut failed = false;
        let refused = engine.learn_next("", row, &mut |_, each| {
            failed = true;
            rows[..n.min(2)].iter().try_for_each(&mut *each)?;
            Err(Error::bad_data("the disk does not answer"))
        });
        assert_eq!((refused.is_err(), failed), ([1, 4].contains(&n), [1, 4].contains(&n)), "{n}");
        if failed {
            assert_eq!((engine.predict(&rows[0]), engine.snapshot().unwrap()), before, "{n}");
            engine.learn_next("", row, &mut |to, each| rows[..to as usize].iter().try_for_each(each)).unwrap();
        }
        assert_eq!(engine.seq(), n as u64 + 1);
    }
    assert_eq!(engine.shown().as_slice(), ["a", "b", "c"]);
}

/// A log beside the snapshot of another model: a label that the snapshot does not know ended the server. The fuzzer found it.
#[test]
fn a_log_of_another_model_is_refused() {
    let parse = |line: &str| VwExample::parse(line.as_bytes(), 1, "row").unwrap().unwrap();
    let rows: Vec<VwExample> = ["a | x:1", "b | x:-1", "c | y"].map(parse).to_vec();
    let mut engine = Engine::new(Trainer::new("averaged").order(rosenblatt::Order::Cyclic)).unwrap();
    for row in &rows[..2] {
        engine.learn_next("", row, &mut |to, each| rows[..to as usize].iter().try_for_each(each)).unwrap();
    }
    let before = engine.snapshot().unwrap();
    let other: Vec<VwExample> = ["a | x:1", "z | x:-1", "c | y"].map(parse).to_vec();
    let refused = engine.learn_next("", &rows[2], &mut |to, each| other[..to as usize].iter().try_for_each(each));
    assert!(refused.unwrap_err().to_string().contains("\"z\""));
    assert_eq!(engine.snapshot().unwrap(), before);
}

/// Points of a known margin: what the mistakes say of it is true, after every example.
#[test]
fn the_mistakes_bound_the_margin() {
    let mut engine = Engine::new(Trainer::new("perceptron").order(rosenblatt::Order::Cyclic)).unwrap();
    let (mut rows, mut state, mut bounds) = (Vec::new(), 7u64, 0);
    for n in 0..300 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        // On both sides of x = 0, at a distance of 0.05 or more: with u = (1, 0) the margin is 0.05.
        let (x, y) = (0.05 + (state >> 40 & 1023) as f64 / 1000.0, (state >> 50 & 1023) as f64 / 500.0 - 1.0);
        let sign = if n % 2 == 0 { 1.0 } else { -1.0 };
        let line = format!("{} | x:{} y:{y}", sign, sign * x);
        rows.push(VwExample::parse(line.as_bytes(), 1, "row").unwrap().unwrap());
        let row = rows.last().unwrap().clone();
        engine.learn_next(&line, &row, &mut |to, each| rows[..to as usize].iter().try_for_each(each)).unwrap();
        if let Some(bound) = engine.bound() {
            assert!(bound.margin_at_most >= 0.05, "{bound:?} after {n}");
            bounds += 1;
        }
    }
    assert!(bounds > 250, "{bounds}");
    let heavy = VwExample::parse(b"1 2 | x:1", 1, "row").unwrap().unwrap();
    engine.learn_next("", &heavy, &mut |_, _| Ok(())).unwrap();
    assert_eq!(engine.bound(), None);
}
