//! `rosenblatt cv`, `tune` and `explain`, and what `train` does with examples that it holds back.

use serde_json::{Value, json};

use crate::support::{Bench, POINTS, THREE, keys};

/// Two overlapping clouds and a column of noise, n rows from row `from` of an endless list.
fn clouds(from: u32, n: u32) -> String {
    let mut text = String::from("a,b,noise,label\n");
    for i in from..from + n {
        let unit = |k: u32| {
            f64::from(i.wrapping_mul(2_654_435_761).rotate_left(k * 7).wrapping_mul(40_503) >> 12) / f64::from(1 << 20)
        };
        let up = i % 3 == 0;
        let shift = if up { 0.35 } else { -0.35 };
        let (a, b) = (unit(1) - 0.5 + shift, unit(2) - 0.5 + shift / 2.0);
        text += &format!("{a:.4},{b:.4},{:.4},{}\n", unit(3) * 4.0, if up { "up" } else { "down" });
    }
    text
}

fn bench() -> Bench {
    let bench = Bench::with("clouds.csv", clouds(0, 300));
    bench.file("more.csv", clouds(1000, 150));
    bench.file("test.csv", clouds(2000, 200));
    bench
}

fn near(a: &Value, b: f64) -> bool {
    (a.as_f64().unwrap() - b).abs() < 1e-12
}

#[test]
fn folds_are_judged_by_models_that_have_not_seen_them() {
    let bench = bench();
    let told = bench.json("cv clouds.csv --json");
    let expected = "classes examples features folds learner majority_error mean_error seed std_error warnings";
    assert_eq!(keys(&told).join(" "), expected);
    let folds = told["folds"].as_array().unwrap();
    assert_eq!(folds.len(), 5);
    assert_eq!(folds.iter().map(|f| f["examples"].as_u64().unwrap()).sum::<u64>(), 300);
    let errors: Vec<f64> = folds.iter().map(|f| f["error"].as_f64().unwrap()).collect();
    assert!(near(&told["mean_error"], errors.iter().sum::<f64>() / 5.0));
    assert!(told["mean_error"].as_f64().unwrap() > 0.0, "the clouds overlap");
    for threads in [1, 2, 5] {
        assert_eq!(bench.json(&format!("cv clouds.csv --json --threads {threads}")), told);
    }
    assert_ne!(bench.json("cv clouds.csv --json --seed 1")["folds"], told["folds"]);
    bench.run("cv clouds.csv --folds 3").ok().shows("(mean and standard deviation of 3 folds)");
    let patient = bench.json("cv clouds.csv --json --epochs 60 --holdout 0.2 --patience 2");
    assert!(patient["folds"].as_array().unwrap().iter().any(|f| f["epochs"].as_u64() < Some(60)), "{patient}");
}

#[test]
fn the_winner_is_the_same_for_any_number_of_threads_byte_for_byte() {
    let bench = bench();
    let grid = "rate=0.1,1 epochs=1,5 learner=averaged,pa1 c=0.01,1 scale=none,standard";
    let run = |threads: &str, model: &str| {
        let args = ["tune", "clouds.csv", "--grid", grid, "--json", "--threads", threads, "-o", model, "--calibrate"];
        bench.run_args(&args).ok().json()
    };
    let (mut one, mut two) = (run("1", "one"), run("2", "two"));
    assert_eq!((one["model"].take(), two["model"].take()), (json!("one"), json!("two")));
    assert_eq!(one, two);
    assert_eq!(bench.read("one"), bench.read("two"));
    assert_eq!(
        keys(&one),
        ["best", "judged_on", "model", "retrained_on", "seed", "test_error", "test_examples", "train_error", "trials"]
    );
    let trials = one["trials"].as_array().unwrap();
    assert_eq!(trials.len(), 16, "a rate is for averaged, a c for pa1");
    let least = trials.iter().map(|t| t["mean_error"].as_f64().unwrap()).fold(1.0, f64::min);
    assert_eq!(one["best"]["mean_error"], least);
    assert_eq!(one["retrained_on"], 300);
    // The winner's setting, typed: the same model.
    let setting = one["best"]["setting"].as_object().unwrap();
    let option = |(key, value): (&String, &Value)| match key.as_str() {
        "c" => format!("--set c={}", value.as_str().unwrap()),
        key => format!("--{key} {}", value.as_str().unwrap()),
    };
    let options: Vec<String> = setting.iter().map(option).collect();
    bench.run(&format!("train clouds.csv {} --calibrate -o typed", options.join(" "))).ok();
    assert_eq!(bench.read("typed"), bench.read("one"));
    let judged = bench.json(&format!("cv clouds.csv {} --json", options.join(" ")));
    assert_eq!(judged["mean_error"], one["best"]["mean_error"], "a trial is a cross-validation");
}

/// Train, choose on validation, learn again from both, test once.
#[test]
fn the_protocol_of_the_textbook() {
    let bench = bench();
    let args =
        ["tune", "clouds.csv", "--grid", "epochs=1,3,9", "--validation", "more.csv", "--test", "test.csv", "-o", "m"];
    let told = bench.run_args(&[&args[..], &["--json"]].concat()).ok().json();
    assert_eq!(told["retrained_on"], 450);
    assert_eq!(told["judged_on"], "more.csv");
    for trial in told["trials"].as_array().unwrap() {
        let epochs = trial["setting"]["epochs"].as_str().unwrap();
        bench.run(&format!("train clouds.csv --epochs {epochs} -o one")).ok();
        assert_eq!(trial["mean_error"], bench.json("eval one more.csv --json")["error"]);
    }
    let both = clouds(0, 300) + clouds(1000, 150).split_once('\n').unwrap().1;
    bench.file("both.csv", both);
    let epochs = told["best"]["setting"]["epochs"].as_str().unwrap();
    bench.run(&format!("train both.csv --epochs {epochs} -o by-hand")).ok();
    let tested = bench.json("eval by-hand test.csv --json");
    assert_eq!(told["test_error"], tested["error"]);
    assert_eq!(bench.json("eval m test.csv --json"), tested);
    bench.run_args(&args).ok().shows("used once").shows("on all 450 examples");
}

/// A pipe can be read once only, and this one is opened for writing only when it is read: at the end.
#[cfg(unix)]
#[test]
fn the_test_file_is_read_once() {
    let bench = bench();
    assert!(std::process::Command::new("mkfifo").arg(bench.path("pipe.csv")).status().unwrap().success());
    let path = bench.path("pipe.csv");
    let writer = std::thread::spawn(move || std::fs::write(path, clouds(2000, 200)).unwrap());
    let told = bench.json("tune clouds.csv --grid epochs=1,2,3 --test pipe.csv --json --header yes --format csv");
    writer.join().unwrap();
    assert_eq!(told["test_examples"], 200);
    let other = bench.json("tune clouds.csv --grid epochs=1,2,3 --json --header yes --format csv");
    assert_eq!(told["trials"], other["trials"], "the test file changes nothing");
    assert!(other["test_error"].is_null());
}

#[test]
fn random_trials_are_seeded_and_ranges_drawn() {
    let bench = bench();
    let run = |seed: &str| {
        let grid = "learner=pa1,averaged c=0.001..10 epochs=1..20";
        bench.run_args(&["tune", "clouds.csv", "--grid", grid, "--random", "8", "--json", "--seed", seed]).ok().json()
    };
    let told = run("3");
    assert_eq!(run("3"), told);
    assert_ne!(run("4")["trials"], told["trials"]);
    let trials = told["trials"].as_array().unwrap();
    assert_eq!(trials.len(), 8);
    for trial in trials {
        let epochs: u32 = trial["setting"]["epochs"].as_str().unwrap().parse().unwrap();
        assert!((1..=20).contains(&epochs));
        assert_eq!(trial["setting"]["c"].is_null(), trial["setting"]["learner"] == "averaged");
    }
}

#[test]
fn options_that_say_how_to_read_can_be_tuned_too() {
    let bench = bench();
    let told = bench.json("tune clouds.csv --grid drop=noise,a --holdout 0.3 --json -o m --set rate=2");
    let trials = told["trials"].as_array().unwrap();
    assert!(trials[0]["mean_error"].as_f64() < trials[1]["mean_error"].as_f64(), "{told}");
    let held = bench.json("inspect m --json");
    assert_eq!(held["features"], 2);
    assert_eq!(held["training"]["recipe"]["params"]["rate"], "2", "what was typed besides stays");
}

#[test]
fn the_best_pass_is_kept_and_named() {
    let bench = bench();
    let report =
        bench.json("train clouds.csv --validation more.csv --patience 3 --epochs 50 --learner perceptron --json -o m");
    let said = &report["validation"];
    assert_eq!(keys(said), ["error", "error_by_epoch", "examples", "kept_epoch", "train_error_by_epoch"]);
    assert_eq!(report["stopped"], "no-progress");
    let errors: Vec<f64> = said["error_by_epoch"].as_array().unwrap().iter().map(|e| e.as_f64().unwrap()).collect();
    let kept = said["kept_epoch"].as_u64().unwrap() as usize;
    assert_eq!(errors.len(), kept + 3);
    assert!(errors.iter().all(|e| *e >= errors[kept - 1]));
    assert_eq!(bench.json("eval m more.csv --json")["error"], said["error"]);
    bench.run(&format!("train clouds.csv --epochs {kept} --learner perceptron -o short")).ok();
    assert_eq!(
        bench.run("predict m test.csv --scores").ok().out,
        bench.run("predict short test.csv --scores").ok().out
    );
    let words = bench.run("train clouds.csv --validation more.csv --patience 3 --epochs 50 --learner perceptron").ok();
    words.shows(&format!("no fewer validation errors since pass {kept}, whose model is kept"));
    let held = bench.json("train clouds.csv --holdout 0.2 --json");
    assert_eq!((&held["examples"], &held["validation"]["examples"]), (&json!(240), &json!(60)));
    assert_eq!(held["validation"]["kept_epoch"], held["epochs"], "without patience the last pass is kept");
}

#[test]
fn probabilities_where_they_were_asked_for() {
    let bench = bench();
    bench.file("three.csv", THREE);
    bench.run("train clouds.csv --calibrate -o two").ok().shows("confidence");
    bench.run("train three.csv --calibrate -o three --epochs 50").ok();
    let ran = bench.run("predict two test.csv --scores").ok();
    for line in ran.out.lines() {
        let fields: Vec<f64> = line.split('\t').skip(1).map(|f| f.parse().unwrap()).collect();
        assert_eq!(fields.len(), 4);
        assert!((fields[2] + fields[3] - 1.0).abs() < 2e-6, "{line}");
    }
    for object in bench.run("predict three three.csv --scores --json").ok().json_lines() {
        assert_eq!(keys(&object), ["label", "probabilities", "scores"]);
        let sum: f64 = object["probabilities"].as_object().unwrap().values().map(|p| p.as_f64().unwrap()).sum();
        assert!((sum - 1.0).abs() < 1e-12, "{object}");
    }
    let told = bench.json("eval two test.csv --json");
    assert!(told["log_loss"].as_f64().unwrap() < std::f64::consts::LN_2, "{told}");
    let bins = told["reliability"].as_array().unwrap();
    assert_eq!(bins.iter().map(|b| b["examples"].as_u64().unwrap()).sum::<u64>(), 200);
    assert_eq!(keys(&bins[0]), ["examples", "from", "observed", "predicted", "to"]);
    bench.run("eval two test.csv").ok().shows("log loss").shows("observed");
    assert!(bench.json("inspect two --json")["calibration"].is_object());
    bench.run("train clouds.csv -o plain").ok();
    assert!(bench.json("eval plain test.csv --json")["log_loss"].is_null());
    let answers = |model: &str| bench.run(&format!("predict {model} test.csv")).ok().out;
    assert_eq!(answers("two"), answers("plain"), "probabilities change no label");
}

#[test]
fn the_first_pass_predicts_before_it_learns() {
    let bench = bench();
    let report = bench.json("train clouds.csv --progressive --json");
    let lines = report["progressive"].as_array().unwrap();
    assert_eq!(keys(&lines[0]), ["error", "error_since", "examples"]);
    let last = lines.last().unwrap();
    assert_eq!(last["examples"], 300);
    assert_eq!(last["error"], report["progressive_error"]);
    let first_pass = report["mistakes_by_epoch"][0].as_u64().unwrap();
    assert!(near(&report["progressive_error"], first_pass as f64 / 300.0));
    bench.run("train clouds.csv --progressive").ok().shows("progressive error");
}

#[test]
fn an_explanation_adds_up() {
    let bench = Bench::with("points.csv", POINTS);
    bench.file("three.csv", THREE);
    for (data, options, model) in [
        ("points.csv", "--learner perceptron", "a"),
        ("points.csv", "--learner voted", "b"),
        ("three.csv", "--epochs 20 --scale standard", "c"),
    ] {
        bench.run(&format!("train {data} {options} -o {model}")).ok();
        let labels = bench.run(&format!("predict {model} {data}")).ok().out;
        let told = bench.run(&format!("explain {model} {data} --json --top 1")).ok().json_lines();
        assert_eq!(told.len(), labels.lines().count());
        for (object, label) in told.iter().zip(labels.lines()) {
            assert_eq!(keys(object), ["bias", "example", "label", "rest", "runner_up", "score", "terms", "votes"]);
            assert_eq!(object["label"], label);
            let terms = object["terms"].as_array().unwrap();
            assert!(terms.len() <= 1);
            let shown: f64 = terms.iter().map(|t| t["contribution"].as_f64().unwrap()).sum();
            let all = shown + object["rest"].as_f64().unwrap() + object["bias"].as_f64().unwrap();
            assert!((all - object["score"].as_f64().unwrap()).abs() < 1e-9, "{object}");
        }
    }
    let weights = bench.json("explain c --json");
    assert_eq!(keys(&weights), ["caveats", "classes"]);
    assert_eq!(weights["classes"].as_array().unwrap().len(), 3);
    let ran =
        bench.run("explain a").ok().shows("for it").shows("up  (bias").says("scales").says("correlated features share");
    assert!(ran.out.lines().count() < 8, "{ran}");
    bench.run("explain b points.csv").ok().shows("by votes").says("votes are not a sum");
    bench.run("explain a points.csv --top 1").ok().shows("1 more feature\n").shows("in all");
}

#[test]
fn what_cannot_be_judged_is_refused_in_one_line() {
    let bench = bench();
    bench.file("odd.csv", "a,b,noise,label\n1,2,3,sideways\n");
    bench.file("order", "1 2 3");
    for (line, told) in [
        ("cv clouds.csv --folds 1", "--folds 1: expected at least 2"),
        ("cv clouds.csv --folds 101", "clouds.csv: --folds 101: the class \"up\" has 100 examples"),
        ("cv clouds.csv -o m", "cv saves no model"),
        ("cv clouds.csv --validation more.csv", "cv holds out its own examples"),
        ("cv clouds.csv --order order", "--order FILE names examples by number"),
        ("tune clouds.csv --grid flux=1", "--grid flux: neither an option of train nor a parameter of a learner"),
        ("tune clouds.csv --grid epochs=0", "--grid epochs=0: invalid value '0'"),
        ("tune clouds.csv --grid c=1,2", "--grid c: none of the learners has this parameter; pa1, pa2 would"),
        ("tune clouds.csv --grid output=x", "--grid output: this does not change what is learned"),
        ("tune clouds.csv --grid rate=0", "rate=0: margin takes above 0 here"),
        ("tune clouds.csv --grid c=0.1..1 --learner pa1", "draw from it with --random N"),
        ("tune clouds.csv --grid epochs=1 --test nowhere.csv", "nowhere.csv: no such file"),
        ("tune clouds.csv --grid epochs=1 --patience 2", "put epochs=5,10,20 in --grid"),
        ("tune clouds.csv --grid epochs=1 -o clouds.csv", "would be overwritten"),
        ("train clouds.csv --holdout 1.5", "--holdout 1.5: expected a share of the examples between 0 and 1"),
        ("train clouds.csv --holdout 0.001", "of 300 examples none would be held back"),
        ("train clouds.csv --patience 2", "--patience 2 needs held-out examples"),
        ("train clouds.csv --validation odd.csv", "odd.csv:2:7: the model does not know the label \"sideways\""),
        ("train clouds.csv --holdout 0.2 --checkpoint c", "a checkpoint does not hold the best pass"),
        ("train clouds.csv --calibrate --order order", "--order FILE names examples by number"),
        ("explain nowhere", "nowhere: no such file"),
    ] {
        let said = bench.run(line).refused();
        assert!(said.contains(told), "{line}: {said}");
    }
    assert_eq!(bench.names(), ["clouds.csv", "more.csv", "odd.csv", "order", "test.csv"], "nothing is left behind");
}
