//! `rosenblatt predict`, `eval`, `inspect` and `export`.

use serde_json::json;

use crate::support::{Bench, POINTS, SVM, THREE, keys};

fn trained() -> Bench {
    let bench = Bench::with("points.csv", POINTS);
    bench.file("three.csv", THREE);
    bench.run("train points.csv --learner perceptron -o two").ok();
    bench.run("train three.csv --epochs 100 -o many").ok();
    bench
}

#[test]
fn a_label_a_line() {
    let bench = trained();
    assert_eq!(bench.run("predict two points.csv").ok().out, "up\nup\nup\ndown\ndown\ndown\n");
    assert_eq!(bench.run("predict many three.csv").ok().out, "red\nred\ngreen\ngreen\nblue\nblue\n");
    let rows = "x,y\n2,2\n-2,-2\n";
    assert_eq!(bench.pipe("predict two -", rows).ok().out, "up\ndown\n", "labels are not needed");
    assert_eq!(bench.pipe("predict two -", "y,x,more\n2,2,0\n").ok().out, "up\n", "columns go by name");
}

#[test]
fn scores_stand_behind_the_label() {
    let bench = trained();
    let ran = bench.run("predict two points.csv --scores").ok();
    for line in ran.out.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        let [label, down, up] = fields[..] else { panic!("{line}") };
        let (down, up): (f64, f64) = (down.parse().unwrap(), up.parse().unwrap());
        assert_eq!(down, -up);
        assert_eq!(label, if up >= 0.0 { "up" } else { "down" });
    }
    let ran = bench.run("predict many three.csv --scores").ok();
    assert!(ran.out.lines().all(|line| line.split('\t').count() == 4), "{ran}");
}

#[test]
fn json_lines() {
    let bench = trained();
    for object in bench.run("predict two points.csv --json").ok().json_lines() {
        assert_eq!(keys(&object), ["label"]);
    }
    let objects = bench.run("predict many three.csv --json --scores").ok().json_lines();
    assert_eq!(objects.len(), 6);
    for object in objects {
        assert_eq!(keys(&object), ["label", "scores"]);
        assert_eq!(keys(&object["scores"]), ["blue", "green", "red"]);
        let best = object["scores"]
            .as_object()
            .unwrap()
            .iter()
            .max_by(|a, b| a.1.as_f64().unwrap().total_cmp(&b.1.as_f64().unwrap()));
        assert_eq!(object["label"], *best.unwrap().0);
    }
}

#[test]
fn answers_go_to_a_file() {
    let bench = trained();
    let printed = bench.run("predict two points.csv --scores").ok().out;
    let ran = bench.run("predict two points.csv --scores -o answers.tsv").ok();
    assert_eq!(ran.out, "");
    assert_eq!(bench.text("answers.tsv"), printed);
    assert_eq!(bench.run("predict two points.csv --scores -o -").ok().out, printed, "- is standard output");
    assert!(!bench.names().contains(&"-".to_string()));
}

#[test]
fn labels_are_answered_as_they_were_written() {
    let bench = Bench::with("d.svm", "+1 1:1\n-1 1:-1\n");
    bench.run("train d.svm -o m").ok();
    assert_eq!(bench.pipe("predict m -", "1 1:5\n1:-5\n").ok().out, "+1\n-1\n");
    assert_eq!(bench.pipe("eval m - --json", "1 1:5\n-1.0 1:-5\n").ok().json()["error"], 0.0, "1 is +1");
}

#[test]
fn the_evaluation_has_the_promised_keys() {
    let bench = trained();
    const KEYS: [&str; 9] =
        ["accuracy", "auc", "classes", "confusion", "error", "examples", "hinge", "macro_f1", "per_class"];
    let two = bench.json("eval two points.csv --json");
    assert_eq!(keys(&two), KEYS);
    assert_eq!(two["examples"], 6);
    assert_eq!((&two["error"], &two["accuracy"], &two["auc"]), (&json!(0.0), &json!(1.0), &json!(1.0)));
    assert_eq!(two["classes"], json!(["down", "up"]));
    assert_eq!(two["confusion"], json!([[3, 0], [0, 3]]));
    assert_eq!(keys(&two["per_class"]), ["down", "up"]);
    assert_eq!(two["per_class"]["up"], json!({ "precision": 1.0, "recall": 1.0, "f1": 1.0, "support": 3 }));
    assert!(two["hinge"].is_f64() && two["macro_f1"].is_f64());
    let many = bench.json("eval many three.csv --json");
    assert_eq!(keys(&many), KEYS);
    assert!(many["auc"].is_null(), "it is for two classes");
    assert_eq!(many["confusion"].as_array().unwrap().len(), 3);
}

/// 4,729 wrong of 20,000 were 23.64% in one report and 23.65% in the other: 1 − right/n is not wrong/n.
#[test]
fn the_same_count_is_the_same_error_in_both_reports() {
    let rows: String =
        (0..1000).map(|i| format!("{},{}\n", (i * 7919) % 1000, if i % 7 < 3 { "a" } else { "b" })).collect();
    let bench = Bench::with("d.csv", rows);
    for seed in 0..5 {
        let report = bench.json(&format!("train d.csv -o m --json --seed {seed} --epochs 1 --learner perceptron"));
        assert_eq!(report["train_error"], bench.json("eval m d.csv --json")["error"]);
    }
}

#[test]
fn the_evaluation_in_words_is_aligned() {
    let bench = trained();
    let out = bench.run("eval two points.csv").ok().shows("error        0.00%  (0 wrong, 6 right)").out;
    let lines: Vec<&str> = out.lines().collect();
    let head = lines.iter().position(|line| line.starts_with("class")).unwrap();
    let end = |line: &str, word: &str| line.find(word).map(|at| at + word.len());
    for (word, row) in [("precision", "1.0000"), ("support", "3")] {
        let row_end = lines[head + 1].rfind(row).map(|at| at + row.len());
        let row_end = if word == "precision" { end(lines[head + 1], row) } else { row_end };
        assert_eq!(end(lines[head], word), row_end, "{word}\n{out}");
    }
}

#[test]
fn an_evaluation_needs_labels_that_the_model_knows() {
    let bench = trained();
    let line = bench.pipe("eval two -", "x,y,label\n1,2,sideways\n").refused();
    assert_eq!(line, "error: <stdin>:2:5: the model does not know the label \"sideways\": it knows \"down\", \"up\"");
    let line = bench.pipe("eval two -", "x,y\n1,2\n").refused();
    assert!(line.contains("no column is called \"label\", which held the labels"), "{line}");
}

#[test]
fn data_must_fit_the_model() {
    let bench = trained();
    bench.file("d.svm", SVM);
    let line = bench.run("predict two d.svm").refused();
    assert_eq!(
        line,
        "error: d.svm: the file is libsvm, but the model was trained on csv, tsv, jsonl, fasttext or parquet data"
    );
    let line = bench.pipe("predict two -", "x,z\n1,2\n").refused();
    assert!(line.contains("the model needs 1 column that the file has not: \"y\""), "{line}");
    let line = bench.run("predict points.csv two").refused();
    assert_eq!(line, "error: points.csv: not a rosenblatt model: the first eight bytes should be RSNBLATT");
    bench.run("train d.svm -o s").ok();
    bench.pipe("predict s -", "1:1 9:4\n").ok().says("1 value of features that the model does not know left out");
}

#[test]
fn inspect_says_what_a_model_holds() {
    let bench = trained();
    let told = bench.json("inspect two --json");
    assert_eq!(
        keys(&told),
        ["bias", "bytes", "classes", "features", "kind", "maps", "norm", "schema", "support_vectors", "training"]
    );
    assert_eq!(told["classes"], json!(["down", "up"]));
    assert_eq!(told["bytes"], bench.read("two").len());
    assert_eq!(told["training"]["examples"], 6);
    bench.run("export two --to json two.json").ok();
    bench.run("inspect two.json").ok().shows("JSON, which has no checksum");
    let ran = bench.run("inspect two").ok().shows("checksum correct").shows("seed 0").shows("separated");
    for item in ["kind", "classes", "features", "learner", "training", "mistakes", "data", "norm", "bias"] {
        assert!(ran.out.lines().any(|line| line.starts_with(item)), "{item} is missing\n{ran}");
    }
}

#[test]
fn the_json_form_answers_like_the_binary_one() {
    let bench = trained();
    bench.run("train points.csv --learner perceptron -o two.json").ok();
    bench.run("export two --to json exported.json").ok();
    assert_eq!(bench.read("two.json"), bench.read("exported.json"));
    assert_eq!(bench.run("export two --to json -").ok().out, bench.text("two.json"));
    let scores = bench.run("predict two points.csv --scores").ok().out;
    assert_eq!(bench.run("predict two.json points.csv --scores").ok().out, scores);
    assert_eq!(bench.run("inspect two.json --json").ok().json()["classes"], json!(["down", "up"]));
}

#[test]
fn text_is_a_line_for_each_weight() {
    let bench = Bench::with("d.csv", "colour,size,label\nred,2,yes\nblue,-1,no\n");
    bench.run("train d.csv --learner perceptron --order cyclic -o m").ok();
    let text = bench.run("export m --to text -").ok().out;
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("feature\tyes"));
    assert!(lines.next().unwrap().starts_with("(bias)\t"));
    assert!(text.contains("colour=red\t1") && text.contains("size\t"), "{text}");
    bench.run("train d.csv -o m3 --no-bias").ok();
    assert!(!bench.run("export m3 --to text -").ok().out.contains("(bias)"));
}

#[test]
fn the_best_labels_come_first() {
    let bench = trained();
    let scores = bench.run("predict many three.csv --scores").ok().out;
    let top = bench.run("predict many three.csv --top 2").ok().out;
    assert_eq!(scores.lines().count(), top.lines().count());
    for (all, best) in scores.lines().zip(top.lines()) {
        // The naive twin: sort all the scores.
        let fields: Vec<&str> = all.split('\t').collect();
        let mut each: Vec<(&str, &str)> =
            ["blue", "green", "red"].into_iter().zip(fields[1..].iter().copied()).collect();
        each.sort_by(|a, b| b.1.parse::<f64>().unwrap().total_cmp(&a.1.parse().unwrap()));
        let expected = format!("{}\t{}\t{}\t{}", each[0].0, each[0].1, each[1].0, each[1].1);
        assert_eq!(best, expected);
        assert_eq!(fields[0], each[0].0);
    }
    let line = bench.run("predict two points.csv --top 9").ok().out.lines().next().unwrap().to_string();
    let fields: Vec<&str> = line.split('\t').collect();
    assert!(matches!(fields[..], ["up", _, "down", _]), "{line}");
    let object = &bench.run("predict many three.csv --top 1 --json").ok().json_lines()[0];
    assert_eq!(keys(object), ["label", "top"]);
    assert_eq!(object["top"][0]["label"], object["label"]);
    assert!(bench.run("predict two points.csv --top 0").misused().contains("--top"));
}

#[test]
fn quiet_shows_results_alone() {
    let bench = trained();
    bench.file("plain", SVM);
    assert!(bench.run("predict two points.csv").ok().err.contains("note"));
    let ran = bench.run("predict two points.csv -q").ok();
    assert_eq!((ran.out.as_str(), ran.err.as_str()), ("up\nup\nup\ndown\ndown\ndown\n", ""));
    let ran = bench.run("--quiet train points.csv --learner perceptron").ok();
    assert!(ran.err.is_empty() && ran.out.contains("stopped"), "{ran}");
    let ran = bench.run("predict two missing.csv -q");
    assert!(ran.code == Some(2) && ran.err.starts_with("error"), "{ran}");
}

/// Answers came when the input ended: a co-process waited for ever.
#[test]
fn lines_of_a_pipe_are_answered_as_they_come() {
    use std::io::{BufRead as _, Write as _};
    for (train, options, header, rows) in [
        ("d.csv", "", "a,b\n", ["1,2\n", "\"3\",-4\n"]),
        ("d.svm", "", "", ["1:1 2:2\n", "1:3 2:-4\n"]),
        ("d.vw", "", "", ["| a:1 b:2\n", "| a:3 b:-4\n"]),
        ("d.jsonl", "", "", ["{\"a\": 1, \"b\": 2}\n", "{\"b\": -4, \"a\": 3}\n"]),
        ("d.tsv", "--label 1 --text 2", "", ["good words\n", "bad words\n"]),
    ] {
        let text = match train {
            "d.csv" => "a,b,label\n1,2,up\n3,-4,down\n",
            "d.svm" => "up 1:1 2:2\ndown 1:3 2:-4\n",
            "d.vw" => "1 | a:1 b:2\n-1 | a:3 b:-4\n",
            "d.jsonl" => "{\"a\": 1, \"b\": 2, \"label\": \"up\"}\n{\"a\": 3, \"b\": -4, \"label\": \"down\"}\n",
            _ => "up\tgood words\ndown\tbad words\n",
        };
        let bench = Bench::with(train, text);
        bench.run(&format!("train {train} {options} -o m --learner perceptron --scale none")).ok();
        let mut child = bench.command("predict m - -q").spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        let mut answers = std::io::BufReader::new(child.stdout.take().unwrap()).lines();
        input.write_all(header.as_bytes()).unwrap();
        for (row, expected) in rows.iter().zip(["up", "down"]) {
            input.write_all(row.as_bytes()).unwrap();
            input.flush().unwrap();
            // Without an answer the test waits here for ever.
            let answer = answers.next().unwrap().unwrap();
            let expected = if train == "d.vw" { if expected == "up" { "1" } else { "-1" } } else { expected };
            assert_eq!(answer, expected, "{train}");
        }
        // An error ends the program though the pipe is open.
        if train == "d.csv" {
            input.write_all(b"x,1\n").unwrap();
            assert_eq!(child.wait().unwrap().code(), Some(2));
        } else {
            drop(input);
            assert!(child.wait().unwrap().success(), "{train}");
        }
    }
}

/// What a filter of messages is asked: bare lines, typed into a pipe. The first waited for a number that tells a header, and
/// a comma made two columns of it, a label and half a message.
#[test]
fn messages_without_labels_are_answered_whole() {
    let messages = "free, now\nsee you, then\nsee, you, free: \"no\"\n";
    for (name, options, text) in [
        ("d.fasttext", "", "__label__spam free money now\n__label__ham see you then\n"),
        ("d.csv", "--text text", "label,text\nspam,free money now\nham,see you then\n"),
        ("d.tsv", "--label 1 --text 2", "spam\tfree money now\nham\tsee you then\n"),
    ] {
        let bench = Bench::with(name, text);
        bench.run(&format!("train {name} {options} -o m")).ok();
        bench.file("rows.fasttext", messages);
        let expected = match name {
            "d.tsv" => bench.run("predict m rows.fasttext --scores").ok().out,
            _ => bench.run("predict m rows.fasttext --format fasttext --scores").ok().out,
        };
        assert_eq!(expected.lines().count(), 3, "{name}");
        assert_eq!(bench.pipe("predict m - --scores", messages).ok().out, expected, "{name}");
        bench.file("rows.txt", messages);
        assert_eq!(bench.run("predict m rows.txt --scores").ok().out, expected, "{name}");
        // A header, a known label or quotes make it a table.
        for table in ["text\nfree now\n", "spam,free now\n", "\"free, now\"\n"] {
            if name == "d.tsv" && table.starts_with("text") {
                continue;
            }
            let told = bench.pipe("predict m -", table).ok();
            assert_eq!((told.out.as_str(), told.err.contains("read as csv")), ("spam\n", true), "{name}: {told}");
        }
        answered_at_once(&bench, "predict m - -q", &[("free, now\n", "spam"), ("then, you\n", "ham")]);
    }
    // Words in named columns are no reason to wait, either.
    let bench = Bench::with("d.csv", "colour,shape,label\nred,round,up\nblue,square,down\n");
    bench.run("train d.csv --header yes -o m").ok();
    answered_at_once(&bench, "predict m - -q", &[("red,round\n", "up"), ("blue,square\n", "down")]);
}

/// Writes one line at a time, and waits for its answer.
fn answered_at_once(bench: &Bench, line: &str, rows: &[(&str, &str)]) {
    use std::io::{BufRead as _, Write as _};
    let mut child = bench.command(line).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut answers = std::io::BufReader::new(child.stdout.take().unwrap()).lines();
    for (row, expected) in rows {
        input.write_all(row.as_bytes()).unwrap();
        // Without an answer the test waits here for ever.
        assert_eq!(answers.next().unwrap().unwrap(), *expected, "{line}: {row}");
    }
    drop(input);
    assert!(child.wait().unwrap().success(), "{line}");
}

#[test]
fn a_line_names_the_columns_on_request() {
    let bench = Bench::with("d.csv", "a,label\n1,up\n-1,down\n2,up\n");
    bench.run("train d.csv -o m").ok();
    let first = |options: &str| {
        bench.run(&format!("predict m d.csv --names {options}")).ok().out.lines().next().unwrap().to_string()
    };
    assert_eq!(first(""), "label");
    assert_eq!(first("--scores"), "label\tscore of down\tscore of up");
    assert_eq!(first("--top 5"), "label\tscore 1\tlabel 2\tscore 2");
    let ran = bench.run("predict m d.csv --names --json");
    assert!(ran.err.contains("'--names' cannot be used with '--json'"), "{ran}");
}
