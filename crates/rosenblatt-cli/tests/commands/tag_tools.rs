//! Sentences: cross-validation, tuning, explanations, shares, pictures, unknown words, and files with a few slips.

use crate::support::{Bench, keys};

const CHUNKS: &str =
    "the D B-NP\ndog N I-NP\nsaw V O\na D B-NP\ncat N I-NP\n\na D B-NP\ndog N I-NP\nran V O\n\nhe P B-NP\nran V O\n\n";
const WORDS: &str = "the D\ndog N\nran V\n\na D\ncat N\nsat V\n\n";

fn bench() -> Bench {
    let bench = Bench::with("chunks.conll", CHUNKS.repeat(4));
    bench.file("words.conll", WORDS.repeat(5));
    bench.run("train chunks.conll -o chunker").ok();
    bench.run("train words.conll --templates pos -o tagger").ok();
    bench
}

/// `cv` of sentences was refused.
#[test]
fn folds_of_sentences() {
    let bench = bench();
    let told = bench.json("cv chunks.conll --folds 3 --seed 2 --json");
    assert_eq!(
        keys(&told),
        ["classes", "examples", "folds", "learner", "mean_error", "mean_f1", "seed", "std_error", "tokens"]
    );
    assert_eq!((told["examples"].as_u64(), told["tokens"].as_u64()), (Some(12), Some(40)));
    let folds = told["folds"].as_array().unwrap();
    assert_eq!(folds.iter().map(|fold| fold["sentences"].as_u64().unwrap()).sum::<u64>(), 12);
    assert_eq!(folds.iter().map(|fold| fold["tokens"].as_u64().unwrap()).sum::<u64>(), 40);
    let mean = folds.iter().map(|fold| fold["error"].as_f64().unwrap()).sum::<f64>() / 3.0;
    assert!((mean - told["mean_error"].as_f64().unwrap()).abs() < 1e-12);
    bench.run("cv chunks.conll --folds 3").ok().shows("fold  sentences   tokens  token error  chunk F1").shows("F1 ");
    bench.run("cv words.conll --folds 2").ok().shows("error of new words").shows("of the tokens ±");
    assert_eq!(
        bench.json("cv words.conll --folds 2 --json --threads 1"),
        bench.json("cv words.conll --folds 2 --json --threads 3")
    );
}

/// `tune` of sentences was refused.
#[test]
fn settings_of_a_tagger() {
    let bench = bench();
    bench.file("test.conll", "the D B-NP\ncat N I-NP\nran V O\n\n");
    let line = "tune chunks.conll --grid epochs=1,5 --grid search=viterbi,greedy --folds 3 --test test.conll -o best";
    let told = bench.json(&format!("{line} --json"));
    assert_eq!(told["trials"].as_array().unwrap().len(), 4);
    let means = told["trials"].as_array().unwrap().iter().map(|trial| trial["mean_f1"].as_f64().unwrap());
    assert_eq!(told["best"]["mean_f1"].as_f64(), means.reduce(f64::max));
    assert_eq!((told["retrained_on"].as_u64(), told["model"].as_str()), (Some(12), Some("best")));
    let evaluated = bench.json("eval best test.conll --json");
    assert_eq!(told["test_f1"], evaluated["chunks"]["f1"]);
    // What is printed as the command gives the same tagger.
    let shown = bench.run(line).ok().out;
    let command = shown.lines().find_map(|line| line.strip_prefix("command      rosenblatt ")).unwrap().to_string();
    let again = match command.contains("best") {
        true => command.replace("best", "again"),
        false => format!("{command} -o again"),
    };
    bench.run(&again).ok();
    assert_eq!(bench.read("again"), bench.read("best"), "{again}");
    bench
        .run("tune words.conll --time-limit 0 --holdout 0.2")
        .ok()
        .shows("token error")
        .shows("tried        1 setting,");
}

/// `explain MODEL DATA` was refused for taggers.
#[test]
fn why_a_token_got_its_tag() {
    let bench = bench();
    bench.file("new.conll", "the\ncat\n\nran\n");
    let told = bench.run("explain tagger new.conll --json --top 0").ok().json_lines();
    assert_eq!(told.len(), 2);
    let cat = &told[0]["tokens"][1];
    assert_eq!((cat["token"].as_str(), cat["tag"].as_str()), (Some("cat"), Some("N")));
    let sum: f64 = cat["reasons"].as_array().unwrap().iter().map(|reason| reason["adds"].as_f64().unwrap()).sum();
    assert!((sum - cat["ahead"].as_f64().unwrap()).abs() < 1e-9, "{cat}");
    bench.run("explain tagger new.conll --top 2").ok().shows("because").shows("cat    N");
}

/// `predict --scores` was refused for taggers.
#[test]
fn shares_of_each_tag() {
    let bench = bench();
    bench.file("new.conll", "the\ncat\n\nran\n");
    let labels: Vec<String> = serde_json::from_value(bench.json("inspect tagger --json")["classes"].clone()).unwrap();
    let lines = bench.run("predict tagger new.conll --scores").ok().out;
    let first: Vec<&str> = lines.lines().next().unwrap().split(' ').collect();
    assert_eq!(first[..2], ["the", "D"], "{lines}");
    let shares: Vec<f64> = first[2..].iter().map(|share| share.parse().unwrap()).collect();
    assert!(shares.len() == labels.len() && (shares.iter().sum::<f64>() - 1.0).abs() < 1e-5, "{lines}");
    let top = bench.run("predict tagger new.conll --top 1").ok().out;
    assert!(top.starts_with("the D D 0."), "{top}");
    let told = bench.run("predict tagger new.conll --scores --json").ok().json_lines();
    let cat = told[0]["scores"][1].as_object().unwrap();
    assert!(cat.values().map(|share| share.as_f64().unwrap()).all(|share| share <= cat["N"].as_f64().unwrap()));
    let told = bench.run("predict tagger new.conll --top 2 --json").ok().json_lines();
    assert_eq!(told[0]["top"][0][0]["label"], "D");
    // CoNLL-U keeps its ten columns.
    let line = |form: &str, tag: &str, misc: &str| format!("1\t{form}\t_\t{tag}\t_\t_\t_\t_\t_\t{misc}\n\n");
    bench.file("d.conllu", (line("go", "VERB", "_") + &line("home", "ADV", "A=b")).repeat(5));
    bench.run("train d.conllu -o u").ok();
    let out = bench.run("predict u d.conllu --scores").ok().out;
    assert!(out.lines().filter(|line| !line.is_empty()).all(|line| line.split('\t').count() == 10), "{out}");
    assert!(out.contains("\tShares=VERB:") && out.contains("\tA=b|Shares=VERB:"), "{out}");
}

#[test]
fn words_that_training_did_not_have() {
    let bench = bench();
    bench.file("test.conll", "the D\nbird N\nsat N\n\n");
    assert!(bench.json("eval tagger test.conll --json").get("unknown_words").is_none());
    let told = bench.json("eval tagger test.conll --training words.conll --json");
    assert_eq!(told["unknown_words"]["tokens"], 1);
    bench
        .run("eval tagger test.conll --training words.conll")
        .ok()
        .shows("of 1 token with a word that is not in the training file");
    bench.file("d.csv", "a,b,y\n1,2,x\n2,1,z\n");
    bench.run("train d.csv -o classifier").ok();
    assert!(bench.run("eval classifier d.csv --training d.csv").refused().contains("--training is for taggers"));
}

#[test]
fn pictures_of_a_tagger() {
    let bench = bench();
    bench.run("train words.conll --holdout 0.2 --templates pos -o held").ok();
    for line in [
        "plot curve tagger -o a.svg",
        "plot curve held -o b.svg",
        "plot confusion tagger words.conll -o c.svg",
        "plot confusion chunker chunks.conll -o d.svg",
    ] {
        bench.run(line).ok();
    }
    let text = |name: &str| bench.text(name);
    assert!(text("a.svg").contains("sentences with a mistake"));
    assert!(
        text("b.svg").contains("validation error") && text("b.svg").contains("6 tokens held out"),
        "{}",
        text("b.svg")
    );
    assert!(text("c.svg").contains("30 of 30 tokens right"), "{}", text("c.svg"));
    assert_eq!(bench.json("plot confusion chunker chunks.conll -o d.svg --json")["tokens"], 40);
}

/// One wrong tag made a file of chunks a file without a scheme.
#[test]
fn a_stray_tag_is_named_and_the_scheme_stays() {
    let bench = Bench::with("typo.conll", CHUNKS.repeat(20) + "the D BNP\ndog N I-NP\n\n");
    let ran = bench.run("train typo.conll --constrain -o m").ok();
    assert!(ran.out.contains(", iob2"), "{ran}");
    let named = "typo.conll: 1 token with the tag BNP, in line 261: it is no chunk tag, as the others are";
    assert!(ran.err.contains(named), "{ran}");
    assert!(bench.json("eval m typo.conll --json")["chunks"]["f1"].as_f64().unwrap() > 0.9);
    // A type was forgotten.
    bench.file("bare.conll", CHUNKS.repeat(20) + "the D B-\ndog N I-NP\n\n");
    let ran = bench.run("train bare.conll").ok();
    assert!(ran.err.contains("1 token with the tag B-, in line 261: it is no chunk tag"), "{ran}");
    bench.file("slip.conll", CHUNKS.repeat(20) + "ran V O\ndog N I-NP\n\n");
    let ran = bench.run("train slip.conll").ok();
    assert!(ran.out.contains(", iob2"), "{ran}");
    assert!(
        ran.err.contains("slip.conll: line 262: I-NP after O is not valid in iob2, as the other tags are"),
        "{ran}"
    );
    // Two schemes are not one with slips.
    bench.file("mixed.conll", CHUNKS.repeat(2) + &"ran V O\ndog N I-NP\n\n".repeat(10));
    assert!(!bench.run("train mixed.conll").ok().out.contains(", iob"));
}

/// An untagged token ended the training.
#[test]
fn untagged_tokens_are_passed_over_on_request() {
    let bench = Bench::with("d.conll", WORDS.repeat(5) + "the D\nwell\ndog N\n\nhm\n\n");
    bench.run("train d.conll").refused();
    let ran = bench.run("train d.conll --skip-untagged -o m").ok();
    assert!(ran.err.contains("d.conll: 2 tokens without a tag were passed over, the first in line 42"), "{ran}");
    bench.file("same.conll", WORDS.repeat(5) + "the D\ndog N\n\n");
    bench.run("train same.conll -o same").ok();
    assert_eq!(bench.run("export m --to text -").out, bench.run("export same --to text -").out);
    bench.run("eval m d.conll").refused();
    assert_eq!(bench.json("eval m d.conll --skip-untagged --json")["untagged"], 2);
    let line = |id: u32, form: &str, tag: &str| format!("{id}\t{form}\t_\t{tag}\t_\t_\t_\t_\t_\t_\n");
    bench.file("d.conllu", (line(1, "go", "VERB") + &line(2, "um", "_") + &line(3, "home", "ADV") + "\n").repeat(3));
    let err = bench.run("train d.conllu").refused();
    assert!(err.contains("d.conllu:2: a token without a tag") && err.contains("--skip-untagged"), "{err}");
    bench.run("train d.conllu --skip-untagged").ok().shows("3 sentences, 6 tokens");
    bench.run("cv d.conllu --skip-untagged --folds 3").ok();
}

/// A column beside the word made names chunks of a parse.
#[test]
fn templates_suit_names() {
    let names = "the D O\ndog N O\nsaw V O\nAnn N B-PER\nin P O\nUlm N B-LOC\n\n".repeat(4);
    let bench = Bench::with("names.conll", names);
    bench.file("chunks.conll", CHUNKS);
    for (file, set) in [("names.conll", "entity"), ("chunks.conll", "chunk")] {
        let own = bench.json(&format!("train {file} --json"))["templates"].clone();
        assert_eq!(own, bench.json(&format!("train {file} --templates {set} --json"))["templates"], "{file}");
    }
}
