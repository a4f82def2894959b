//! `rosenblatt train`.

use serde_json::{Value, json};

use crate::support::{Bench, POINTS, SVM, THREE, XOR, keys};

const KEYS: [&str; 20] = [
    "bound",
    "classes",
    "epochs",
    "examples",
    "features",
    "first_pass_bound",
    "learner",
    "margin",
    "mistakes",
    "mistakes_by_epoch",
    "model",
    "presented",
    "progressive_error",
    "radius",
    "seconds",
    "seed",
    "stopped",
    "train_error",
    "updates",
    "warnings",
];

#[test]
fn the_report_has_the_promised_keys_and_types() {
    let bench = Bench::with("points.csv", POINTS);
    let report = bench.json("train points.csv --learner perceptron -o m --json");
    assert_eq!(keys(&report), KEYS);
    assert_eq!(keys(&report["seconds"]), ["learn", "read", "total"]);
    let whole = ["examples", "features", "epochs", "presented", "mistakes", "updates", "seed"];
    assert!(whole.iter().all(|key| report[key].is_u64()), "{report}");
    assert!(["train_error", "radius", "margin", "bound"].iter().all(|key| report[key].is_f64()), "{report}");
    assert_eq!(report["classes"], json!(["down", "up"]));
    assert_eq!(report["learner"], "perceptron");
    assert_eq!(report["stopped"], "separated");
    assert_eq!(report["train_error"], 0.0);
    assert_eq!(report["warnings"], json!([]));
    assert_eq!(report["model"], "m");
    let by_pass: u64 = report["mistakes_by_epoch"].as_array().unwrap().iter().map(|m| m.as_u64().unwrap()).sum();
    assert_eq!(report["mistakes"], by_pass);
    assert_eq!(report["presented"], report["epochs"].as_u64().unwrap() * report["examples"].as_u64().unwrap());
    assert!(report["mistakes"].as_f64() <= report["bound"].as_f64(), "{report}");
}

#[test]
fn what_was_not_separated_has_no_bound_and_what_was_not_saved_no_model() {
    let bench = Bench::with("xor.csv", XOR);
    let report = bench.json("train xor.csv --learner averaged --scale none --order cyclic --json");
    assert_eq!(keys(&report), KEYS);
    assert_eq!((&report["bound"], &report["model"]), (&Value::Null, &Value::Null));
    assert_eq!(report["stopped"], "max-epochs");
    assert_eq!(report["epochs"], 10);
    assert!(report["margin"].as_f64().unwrap() < 0.0);
    let any = &report["first_pass_bound"];
    assert!(report["mistakes_by_epoch"][0].as_f64() <= any["mistakes"].as_f64(), "{any}");
    assert_eq!(keys(any), ["margin", "mistakes", "shortfall"]);
    assert_eq!(report["seed"], 0, "the report prints the seed whatever the order");
}

#[test]
fn people_get_the_same_story_in_words() {
    let bench = Bench::with("points.csv", POINTS);
    let ran = bench.run("train points.csv -o m").ok();
    for item in ["data", "learner", "stopped", "mistakes", "train error", "geometry", "seconds", "model"] {
        assert!(ran.out.lines().any(|line| line.starts_with(item)), "{item} is missing\n{ran}");
    }
    let ran = ran.shows("points.csv [csv]: 6 examples, 2 features, 2 classes (down, up)").shows("seed 0");
    assert_eq!(ran.err, "");
    bench.run("train points.csv").ok().shows("not saved (use -o FILE)");
}

#[test]
fn a_guessed_format_is_reported_once() {
    let bench = Bench::with("points", POINTS);
    let ran = bench.run("train points --json").ok().says("note: points: read as csv, by its content");
    assert_eq!(ran.err.matches("csv").count(), 1, "{ran}");
    let ran = bench.run("train points --json --format csv").ok();
    assert_eq!(ran.err, "", "what was named is not guessed");
}

#[test]
fn each_learner_that_help_lists_trains_saves_and_predicts() {
    let bench = Bench::with("points.csv", POINTS);
    bench.file("three.csv", THREE);
    let learners = bench.json("help learners --json");
    let learners = learners.as_array().unwrap();
    let names: Vec<&str> = learners.iter().map(|l| l["name"].as_str().unwrap()).collect();
    let contract = ["perceptron", "averaged", "voted", "pocket", "margin", "pa", "pa1", "pa2", "arow", "batch"];
    assert!(contract.iter().all(|name| names.contains(name)), "{names:?}");
    for learner in learners {
        let name = learner["name"].as_str().unwrap();
        for data in ["points.csv", "three.csv"] {
            let report = bench.json(&format!("train {data} --learner {name} --epochs 200 -o m --json"));
            assert_eq!(report["learner"], name);
            assert_eq!(report["train_error"], 0.0, "{name} on {data}: {report}");
            let eval = bench.json(&format!("eval m {data} --json"));
            assert_eq!(eval["error"], 0.0, "{name} on {data}: {eval}");
            assert_eq!(bench.json("inspect m --json")["training"]["recipe"]["learner"], name);
        }
        // Its own parameters, as help lists them, are taken at their defaults.
        for param in learner["parameters"].as_array().unwrap() {
            let set = format!("{}={}", param["name"].as_str().unwrap(), param["default"].as_str().unwrap());
            bench.run(&format!("train points.csv --learner {name} --set {set}")).ok();
        }
    }
}

#[test]
fn each_way_to_keep_and_each_way_with_many_classes() {
    let bench = Bench::with("three.csv", THREE);
    for keep in ["last", "average", "vote", "pocket"] {
        for multiclass in ["single", "uniform", "one-vs-rest"] {
            let options = format!("--learner perceptron --keep {keep} --multiclass {multiclass} --epochs 300");
            let report = bench.json(&format!("train three.csv {options} -o m --json"));
            assert_eq!(report["train_error"], 0.0, "{options}: {report}");
            let recipe = bench.json("inspect m --json")["training"]["recipe"].clone();
            assert_eq!((&recipe["keep"], &recipe["multiclass"]), (&json!(keep), &json!(multiclass)));
            let told = bench.run(&format!("train three.csv {options}")).ok();
            let line = told.out.lines().find(|line| line.starts_with("learner")).unwrap();
            assert!(line.contains(&format!("keeps {keep}")), "{line}");
            assert_eq!(line.contains(multiclass), multiclass != "single", "{line}");
        }
    }
    let line = bench.run("train three.csv --learner arow --keep vote").refused();
    assert_eq!(line, "error: arow always keeps last: leave out --keep vote");
}

#[test]
fn one_against_the_rest_sums_over_its_classifiers() {
    let bench = Bench::with("three.csv", THREE);
    let one = "train three.csv --learner perceptron --order cyclic --epochs 1 --json";
    let rest = bench.json(&format!("{one} --multiclass one-vs-rest"));
    // The first example is a mistake of each of the three classifiers at zero.
    assert!(rest["mistakes"].as_u64().unwrap() >= 3, "{rest}");
    assert_eq!(rest["mistakes"], rest["updates"]);
}

#[test]
fn labels_are_kept_as_written_and_positive_names_one() {
    let bench = Bench::with("a.svm", "1 1:1\n0 1:-1\n+1 1:2\n");
    assert_eq!(bench.json("train a.svm --json")["classes"], json!(["0", "1"]));
    assert_eq!(bench.json("train a.svm --json --positive 0")["classes"], json!(["1", "0"]));
    bench.file("b.svm", "spam 1:1\nham 1:-1\n");
    assert_eq!(bench.json("train b.svm --json")["classes"], json!(["ham", "spam"]));
    bench.file("c.svm", SVM);
    assert_eq!(bench.json("train c.svm --json --positive -1")["classes"], json!(["+1", "-1"]));
    let line = bench.run("train b.svm --positive eggs").refused();
    assert_eq!(line, "error: b.svm: --positive eggs: no example has this label; the data have \"ham\", \"spam\"");
}

#[test]
fn class_weights_move_the_boundary() {
    let overlap: String = (0..40).map(|i| format!("{},{}\n", i % 20, if i < 20 { "a" } else { "b" })).collect();
    let bench = Bench::with("d.csv", overlap);
    let recall = |weights: &str| {
        bench.run(&format!("train d.csv -o m --epochs 50 {weights}")).ok();
        bench.json("eval m d.csv --json")["per_class"]["a"]["recall"].as_f64().unwrap()
    };
    assert!(recall("--class-weight a=50") > recall("--class-weight a=0.02"));
    bench.run("train d.csv --class-weight balanced").ok();
    assert!(bench.run("train d.csv --class-weight c=1").refused().contains("\"c\""));
    assert!(bench.run("train d.csv --class-weight a=-1").refused().contains("must be zero or more"));
    assert!(bench.run("train d.csv --class-weight a").refused().contains("LABEL=WEIGHT"));
    bench.file("s.svm", SVM);
    bench.run("train s.svm --class-weight -1=2,+1=0.5").ok();
    assert!(bench.run("train d.csv --class-weight a=0,b=0").refused().contains("weight zero"));
}

#[test]
fn training_begins_at_numbers_or_at_a_model() {
    let bench = Bench::with("points.csv", POINTS);
    bench.file("start.txt", "1 1\n0\n");
    let report = bench.json("train points.csv --learner perceptron --init start.txt --json");
    assert_eq!(report["mistakes"], 0, "these weights separate: {report}");
    assert_eq!(report["bound"], Value::Null, "the theorem wants a start at zero");
    bench.run("train points.csv --learner perceptron -o m").ok();
    assert_eq!(bench.json("train points.csv --learner perceptron --init m --json")["mistakes"], 0);

    bench.file("short.txt", "1");
    let line = bench.run("train points.csv --init short.txt").refused();
    assert!(line.contains("short.txt: 1 number, where 2 weights and a bias are needed"), "{line}");
    bench.file("odd.txt", "1 2\nx");
    assert_eq!(bench.run("train points.csv --init odd.txt").refused(), "error: odd.txt:2:1: \"x\": expected a number");
    bench.file("three.csv", THREE);
    assert!(bench.run("train three.csv --init m").refused().contains("classes"));
    assert!(bench.run("train three.csv --init start.txt").refused().contains("two classes"));
    assert!(bench.run("train points.csv --init nowhere").refused().contains("nowhere: no such file"));
}

#[test]
fn the_order_may_come_from_a_file() {
    let bench = Bench::with("points.csv", POINTS);
    bench.file("order.txt", "1 4\n2 5, 3 6");
    let report = bench.json("train points.csv --order order.txt --learner perceptron --json");
    assert_eq!(report["stopped"], "separated");
    for (text, told) in [
        ("1 7", "names example 7: the data have 6"),
        ("0 1", "order.txt:1:1: \"0\": expected an example number, from 1"),
        ("1 two", "order.txt:1:3: \"two\": expected an example number, from 1"),
        ("", "names no example"),
        ("1 -2", "\"-2\": expected an example number"),
    ] {
        bench.file("order.txt", text);
        let line = bench.run("train points.csv --order order.txt").refused();
        assert!(line.contains(told), "{line}");
    }
    let line = bench.run("train points.csv --order sorted").refused();
    assert!(line.contains("--order sorted: not shuffled, not cyclic, and no such file"), "{line}");
}

#[test]
fn a_learners_parameters_are_checked_by_range() {
    let bench = Bench::with("points.csv", POINTS);
    bench.run("train points.csv --learner pa1 --set c=0.1").ok();
    for (options, told) in [
        ("--rate -1", "rate=-1: margin takes above 0 here (default 1)"),
        ("--rate=-1", "rate=-1: margin takes above 0"),
        ("--rate nan", "rate=nan: margin takes above 0"),
        ("--rate inf", "rate=inf: margin takes above 0"),
        ("--rate 0", "rate=0: margin takes above 0"),
        ("--learner batch --epsilon -1e-3", "epsilon=-1e-3: batch takes 0 or more"),
        ("--learner pa1 --set c=-1", "c=-1: pa1 takes above 0"),
        ("--learner pa1 --set d=1", "pa1 has no parameter \"d\": it has c"),
        ("--set rate", "--set rate: expected NAME=VALUE"),
        ("--schedule sometimes", "schedule=sometimes: margin takes constant|inverse-sqrt|inverse"),
        ("--learner pa --rate 1", "pa has no parameter \"rate\""),
        ("--learner oracle", "there is no learner \"oracle\": choose one of averaged, perceptron"),
    ] {
        let line = bench.run(&format!("train points.csv {options}")).refused();
        assert!(line.contains(told), "{options}: {line}");
    }
}

#[test]
fn batch_stops_at_a_small_step() {
    let bench = Bench::with("xor.csv", XOR);
    let report = bench.json("train xor.csv --learner batch --epsilon 100 --average-gradient --json");
    assert_eq!(report["stopped"], "small-step");
}

#[test]
fn a_tie_goes_where_it_is_told() {
    // Everything scores zero without a bias: only the rule decides.
    let bench = Bench::with("zero.csv", "0,0,no\n0,0,yes\n");
    for (tie, mistakes, answer) in [("update", 2, "yes"), ("positive", 1, "yes"), ("negative", 1, "no")] {
        let line = format!("train zero.csv --learner perceptron --no-bias --epochs 1 --tie {tie} -o m --json");
        assert_eq!(bench.json(&line)["mistakes"], mistakes, "{tie}");
        assert_eq!(bench.run("predict m zero.csv").ok().out, format!("{answer}\n{answer}\n"), "{tie}");
    }
}

/// A constant of 0.5 learns a quarter as fast as one of 1.
#[test]
fn a_bias_belongs_to_a_constant() {
    let bench = Bench::with("d.csv", "0,yes\n0,no\n");
    for (option, bias, kind) in [
        ("", -1.0, "with a bias"),
        ("--bias 1", -1.0, "with a bias"),
        ("--bias 0.5", -0.25, "with a bias of 0.5"),
        ("--bias 0", 0.0, "no bias"),
        ("--no-bias", 0.0, "no bias"),
    ] {
        bench
            .run(&format!("train d.csv --learner perceptron --order cyclic --tie positive --epochs 1 -o m {option}"))
            .ok();
        bench.run("export m --to json m.json").ok();
        let exported: Value = serde_json::from_str(&bench.text("m.json")).unwrap();
        assert_eq!(exported["arrays"]["weights.bias"]["values"][0], bias, "{option}");
        let told = bench.run("inspect m").ok().out;
        assert!(told.contains(&format!("1, {kind}\n")), "{told}");
    }
    for (options, told) in [
        ("--bias 1e300", "expected a constant from 1e-9 to 1e9, or 0 for none"),
        ("--bias 0.5 --kernel rbf:1", "leave out --bias 0.5"),
    ] {
        assert!(bench.run(&format!("train d.csv {options}")).refused().contains(told), "{options}");
    }
    for (options, told) in [("--bias few", "invalid value 'few'"), ("--bias 0.5 --no-bias", "cannot be used with")] {
        assert!(bench.run(&format!("train d.csv {options}")).misused().contains(told), "{options}");
    }
}

#[test]
fn columns_are_chosen_by_name_and_number() {
    let bench = Bench::with("d.csv", "kind,id,size,w\nx,1,5,1\ny,2,-5,1\nx,3,6,2\ny,4,-6,0\n");
    let report = bench.json("train d.csv --label kind --drop id --weight w --json");
    assert_eq!((&report["features"], &report["classes"]), (&json!(1), &json!(["x", "y"])));
    assert_eq!(bench.json("train d.csv --label 1 --drop 2 --drop 4 --json")["features"], 1);
    assert_eq!(bench.json("train d.csv --label kind --category size --json")["features"], 6);
    assert!(bench.run("train d.csv --label colour").refused().contains("no column has this name"));
    assert!(bench.run("train d.csv --label 9").refused().contains("the file has 4 columns"));
    bench.file("s.svm", SVM);
    assert!(bench.run("train s.svm --label 1").refused().contains("--label is for csv, tsv, jsonl and parquet"));
}

#[test]
fn standard_input_and_every_compression_give_the_same_model() {
    let bench = Bench::with("d.svm", SVM);
    bench.run("train d.svm -o plain").ok();
    bench.pipe("train - -o piped", SVM).ok();
    assert_eq!(bench.read("plain"), bench.read("piped"));
    for (tool, end) in [("gzip", "gz"), ("zstd", "zst"), ("bzip2", "bz2"), ("xz", "xz")] {
        let packed = std::process::Command::new(tool).arg("-c").arg(bench.path("d.svm")).output();
        let Ok(packed) = packed else {
            eprintln!("SKIPPED: {tool} is not installed");
            continue;
        };
        bench.file(&format!("d.svm.{end}"), &packed.stdout);
        bench.run(&format!("train d.svm.{end} -o packed")).ok();
        assert_eq!(bench.read("plain"), bench.read("packed"), "{tool}");
        bench.pipe("train - -o packed", &packed.stdout).ok();
        assert_eq!(bench.read("plain"), bench.read("packed"), "{tool} through standard input");
    }
    assert!(bench.pipe("train -", "").refused().contains("<stdin>: no examples: the file is empty"));
}

#[test]
fn a_label_column_that_looks_like_none_is_questioned() {
    let rows: String = (0..30).map(|i| format!("{},{}\n", if i < 15 { "a" } else { "b" }, i * 37)).collect();
    let bench = Bench::with("d.csv", rows);
    bench.run("train d.csv").ok().says("the label column \"x2\" has 30 different values in 30 rows");
    assert_eq!(bench.run("train d.csv --label 1 --learner perceptron --epochs 9000").ok().err, "");
}

#[test]
fn a_long_label_does_not_flood_the_report() {
    let long = "all work and no play ".repeat(50);
    let bench = Bench::with("d.csv", format!("1,{long}\n-1,other\n"));
    let ran = bench.run("train d.csv").ok().shows("2 classes (all work and no play all…, other)");
    assert!(ran.out.lines().all(|line| line.chars().count() < 120), "{ran}");
}
