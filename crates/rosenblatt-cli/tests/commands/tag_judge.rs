//! Held-out sentences: `train --holdout`, `--validation` and `--patience` for taggers.

use crate::support::{Bench, keys};

const CHUNKS: &str =
    "the D B-NP\ndog N I-NP\nsaw V O\na D B-NP\ncat N I-NP\n\na D B-NP\ndog N I-NP\nran V O\n\nhe P B-NP\nran V O\n\n";

fn bench() -> Bench {
    let bench = Bench::with("d.conll", CHUNKS.repeat(4));
    bench.file("held.conll", "the D B-NP\ncat N I-NP\nran V O\nran V B-NP\n\n");
    bench.file("pos.conll", "the D\ndog N\n\na D\ncat N\nran V\n\n");
    bench
}

#[test]
fn every_pass_is_judged_by_its_wrong_tokens() {
    let bench = bench();
    let ran = bench.run("train d.conll --validation held.conll --epochs 3 -o m").ok();
    assert!(ran.out.contains("25.00% of 4 tokens held out, after pass"), "{ran}");
    let f1 = bench.json("eval m held.conll --json")["chunks"]["f1"].as_f64().unwrap() * 100.0;
    assert!(ran.out.contains(&format!("; F1 of the chunks {f1:.2}")), "{ran}");
    let said = bench.json("train d.conll --validation held.conll --epochs 3 --json");
    let validation = &said["validation"];
    assert_eq!(keys(validation), ["error", "error_by_epoch", "examples", "kept_epoch", "train_error_by_epoch", "unit"]);
    assert_eq!((validation["examples"].as_u64(), validation["unit"].as_str()), (Some(4), Some("token")));
    let evaluated = bench.json("eval m held.conll --json");
    assert_eq!(validation["error"].as_f64().unwrap(), 1.0 - evaluated["token_accuracy"].as_f64().unwrap());
    let plain = bench.run("train pos.conll --validation pos.conll").ok();
    assert!(plain.out.contains("tokens held out") && !plain.out.contains("not chunks"), "{plain}");
}

#[test]
fn patience_keeps_the_best_pass() {
    let bench = bench();
    // The tag of the last token cannot be learned: no pass is better than the first.
    let ran = bench.run("train d.conll --validation held.conll --patience 1 --epochs 9 -o m").ok();
    let said = bench.json("train d.conll --validation held.conll --patience 1 --epochs 9 --json");
    let kept = said["validation"]["kept_epoch"].as_u64().unwrap();
    if said["stopped"] == "no-progress" {
        let passes = said["epochs"].as_u64().unwrap();
        assert_eq!(passes, kept + 1);
        let shown = format!("after {passes} passes: no fewer validation errors since pass {kept}");
        assert!(ran.out.contains(&shown), "{ran}");
    }
    bench.run(&format!("train d.conll --epochs {kept} -o short")).ok();
    for data in ["d.conll", "held.conll"] {
        assert_eq!(bench.run(&format!("predict m {data}")).out, bench.run(&format!("predict short {data}")).out);
    }
}

#[test]
fn a_share_is_drawn_by_the_seed() {
    let bench = bench();
    let said = bench.json("train d.conll --holdout 0.25 --seed 3 --json");
    assert_eq!(said["examples"], 9, "of 12 sentences");
    assert_eq!(said, {
        let mut again = bench.json("train d.conll --holdout 0.25 --seed 3 --json");
        again["seconds"] = said["seconds"].clone();
        again
    });
}

#[test]
fn what_cannot_be_held_back_says_why() {
    let bench = bench();
    bench.file("order.txt", "1 2 3");
    bench.file("words.conll", "the D\n\n");
    for (line, said) in [
        ("train d.conll --patience 2", "--patience 2 needs held-out examples"),
        ("train d.conll --holdout 2", "--holdout 2: expected a share of the examples between 0 and 1"),
        ("train d.conll --holdout 0.01", "of 12 sentences none would be held back"),
        ("train d.conll --holdout 0.5 --order order.txt", "--order FILE names examples by number"),
        ("train d.conll --validation held.conll --checkpoint c", "a checkpoint does not hold the best pass"),
        ("train d.conll --validation words.conll", "words.conll: 2 columns and no tags to compare with"),
        ("train d.conll --validation none.conll", "none.conll"),
        ("train d.conll --validation held.conll -o held.conll", "held.conll"),
        ("train d.conll --calibrate", "--calibrate is for tables"),
        ("train d.conll --progressive", "--progressive is for tables"),
    ] {
        let err = bench.run(line).refused();
        assert!(err.contains(said), "{line}: {err}");
    }
}
