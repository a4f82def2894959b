//! Sentences: train, predict, eval, inspect, export and explain as someone with a CoNLL file meets them.

use crate::support::{Bench, keys};

const CHUNKS: &str =
    "the D B-NP\ndog N I-NP\nsaw V O\na D B-NP\ncat N I-NP\n\na D B-NP\ndog N I-NP\nran V O\n\nhe P B-NP\nran V O\n";
const TAGS: &str = "the D\ndog N\n\na D\ncat N\nran V\n";

fn bench() -> Bench {
    let bench = Bench::with("chunks.conll", CHUNKS);
    bench.file("pos.conll", TAGS);
    bench.run("train chunks.conll -o m").ok();
    bench
}

#[test]
fn a_file_of_sentences_makes_a_tagger() {
    let bench = bench();
    let ran = bench.run("train chunks.conll").ok();
    for shown in [
        "chunks.conll [conll]: 3 sentences, 10 tokens, 3 tags (B-NP, I-NP, O), iob2",
        "averaged, viterbi, first order, shuffled order, seed 0",
        "not saved (use -o FILE)",
    ] {
        assert!(ran.out.contains(shown), "{shown}\n{ran}");
    }
    let told = bench.json("train chunks.conll --json");
    assert_eq!(
        keys(&told),
        [
            "bound",
            "classes",
            "epochs",
            "examples",
            "features",
            "learner",
            "margin",
            "mistakes",
            "mistakes_by_epoch",
            "model",
            "presented",
            "radius",
            "scheme",
            "seconds",
            "seed",
            "stopped",
            "templates",
            "tokens",
            "train_error",
            "updates",
            "warnings"
        ]
    );
    assert_eq!((told["examples"].as_u64(), told["tokens"].as_u64()), (Some(3), Some(10)));
    assert_eq!((told["stopped"].as_str(), told["scheme"].as_str()), (Some("separated"), Some("iob2")));
    // By content, from a pipe: a blank line between others tells.
    let piped = bench.pipe("train - --json", CHUNKS).ok().says("note: <stdin>: read as conll, by its content");
    assert_eq!(piped.json()["examples"], 3);
    bench.file("chunks.txt", CHUNKS);
    bench.run("train chunks.txt").ok().shows("chunks.txt [conll]");
}

#[test]
fn predict_adds_a_column() {
    let bench = bench();
    let out = |line: &str| bench.run(line).ok().out;
    let tagged: String = CHUNKS
        .lines()
        .map(|line| match line.rsplit_once(' ') {
            Some((_, tag)) => format!("{line} {tag}\n"),
            None => "\n".to_string(),
        })
        .collect();
    assert_eq!(out("predict m chunks.conll"), tagged);
    assert_eq!(bench.pipe("predict m -", "the D\r\ndog N").ok().out, "the D B-NP\ndog N I-NP\n");
    bench.run("predict m chunks.conll -o out.txt").ok();
    assert_eq!(bench.text("out.txt"), tagged);
    bench.file("plain.conll", "the D\ndog N\n\nran V\n");
    let objects = bench.run("predict m plain.conll --json").ok().json_lines();
    assert_eq!(objects[0]["tags"], serde_json::json!(["B-NP", "I-NP"]));
    assert_eq!(objects[0]["tokens"], serde_json::json!(["the", "dog"]));
    assert_eq!(objects.len(), 2);
}

#[test]
fn the_result_is_the_same_for_any_number_of_threads() {
    let bench = bench();
    let many: String =
        (0..20_000).map(|i| format!("w{} N\n{}", i % 977, if i % 13 == 0 { "\n" } else { "" })).collect();
    bench.file("many.conll", many);
    let one = bench.run("predict m many.conll --threads 1").ok().out;
    assert_eq!(bench.run("predict m many.conll --threads 7").ok().out, one);
    bench.run("train chunks.conll -o n --threads 1").ok();
    assert_eq!(bench.read("n"), bench.read("m"));
}

#[test]
fn eval_counts_tokens_and_chunks() {
    let bench = bench();
    let told = bench.json("eval m chunks.conll --json");
    assert_eq!(
        keys(&told),
        ["chunks", "per_tag", "per_type", "sentence_accuracy", "sentences", "token_accuracy", "tokens", "unknown_tags"]
    );
    assert_eq!(told["chunks"]["f1"], 1.0);
    bench.run("eval m chunks.conll").ok().shows("F1 100.00  (precision 100.00%, recall 100.00%)");
    bench.file("other.conll", "the D B-XX\ndog N I-XX\n");
    let ran = bench.run("eval m other.conll").ok();
    assert!(ran.err.contains("warning: other.conll: 2 tokens with tags that the tagger does not know"), "{ran}");
    bench.file("untagged.conll", "the D\ndog N\n");
    assert!(bench.run("eval m untagged.conll").refused().contains("no tags to compare with"));
    bench.file("empty.conll", "");
    assert_eq!(bench.run("eval m empty.conll").refused(), "error: empty.conll: no sentences: the file is empty");
}

#[test]
fn inspect_export_and_explain() {
    let bench = bench();
    bench.run("inspect m").ok().shows("tagger of conll files").shows("  word[-1] word[0]\n");
    assert_eq!(bench.json("inspect m --json")["kind"], "tagger");
    bench.run("export m --to json m.json").ok();
    bench.run("predict m.json chunks.conll").ok().shows("the D B-NP B-NP");
    let text = bench.run("export m --to text -").ok().shows("feature\tbefore\ttag\tweight\n(transition)\t");
    assert!(text.out.lines().all(|line| line.split('\t').count() == 4), "{text}");
    let told = bench.run("explain m --top 2").ok().shows("B-NP\n").shows("for it").shows("after");
    assert!(told.out.contains("(start)"), "{told}");
    let told = bench.json("explain m --top 1 --json");
    assert_eq!(keys(&told["classes"][0]), ["after", "class", "not_after", "opposes", "supports"]);
}

#[test]
fn options_that_do_not_belong_say_so() {
    let bench = bench();
    bench.file("points.csv", crate::support::POINTS);
    bench.file("bad.txt", "word[0]\n  wrod\n");
    for (line, told) in [
        ("train chunks.conll --learner arow", "a tagger is trained by averaged or perceptron"),
        ("train chunks.conll --rate 2", "--rate is for tables, and the data are sentences"),
        ("train chunks.conll --drop 1", "--drop is for tables"),
        ("cv chunks.conll --rate 2", "--rate is for tables, and the data are sentences"),
        ("cv chunks.conll --folds 9", "--folds 9: expected 2 to 3, the number of sentences"),
        ("cv chunks.conll --holdout 0.2", "leave them out"),
        ("tune chunks.conll --grid kernel=rbf:1", "--kernel is for tables"),
        ("eval m chunks.conll --training none.conll", "none.conll"),
        ("predict m chunks.conll --scores --names", "--names: the columns are those of the sentences"),
        ("train chunks.conll --kernel rbf:1", "--kernel is for tables"),
        ("train chunks.conll --lift rff:1:10", "--lift is for tables"),
        ("train chunks.conll --degree 2", "--degree is for tables"),
        ("train chunks.conll --hash-bits 4", "--hash-bits is for tables"),
        ("train chunks.conll --cache c", "--cache is for tables"),
        ("train chunks.conll --labels chunks.conll", "--labels is for tables"),
        ("train chunks.conll --templates no", "none of pos, chunk, chunk19, entity, and no such file"),
        ("train chunks.conll --templates bad.txt", "bad.txt:2:3: no column is called \"wrod\""),
        ("train chunks.conll --tag 4", "--tag 4: the file has columns 1 to 3"),
        ("train chunks.conll --update early", "--update is for a beam"),
        ("train pos.conll --constrain", "the tags are valid in none of iob1"),
        ("train pos.conll --templates chunk", "pos.conll:1: the templates use column pos"),
        ("train points.csv --format csv --templates pos", "--templates is for sentences"),
        ("predict m points.csv", "the first token has 1 column"),
        ("predict m chunks.conll --format libsvm", "--format libsvm: the tagger was trained on conll files"),
    ] {
        let err = bench.run(line).refused();
        assert!(err.contains(told), "{line}: {err}");
    }
    for (line, expected) in [
        ("train chunks.conll --search deep", "'--search <HOW>': deep: expected viterbi, greedy or beam:N"),
        ("train chunks.conll --search beam:2 --update late", "possible values: max-violation, early"),
        ("train chunks.conll --constrain=x", "\"x\": expected one of iob2, iobes, iob1, ioe2, ioe1"),
        ("train chunks.conll --encode x", "possible values: iob2, iobes, iob1, ioe2, ioe1"),
    ] {
        let error = bench.run(line).misused();
        assert!(error.contains(expected), "{line}: {error}");
    }
    bench.file("ragged.conll", "a X\nb Y\nc\n");
    assert_eq!(
        bench.run("train ragged.conll").refused(),
        "error: ragged.conll:3: 1 column in \"c\", where the lines before have 2"
    );
}

#[test]
fn every_search_and_option_makes_a_tagger_that_can_be_used_again() {
    let bench = bench();
    for options in [
        "--search greedy",
        "--search beam:3 --update early",
        "--constrain",
        "--encode iobes --constrain",
        "--tag-dictionary=1",
        "--tag 2",
        "--templates chunk19",
        "--learner perceptron",
        "--order cyclic",
        "--keep last",
    ] {
        bench.run(&format!("train chunks.conll {options} -o other")).ok();
        bench.run("predict other chunks.conll").ok().shows("the D B-NP ");
        bench.run("inspect other").ok();
    }
}

#[test]
fn help_describes_templates_with_the_sets_that_are_there() {
    let bench = Bench::new();
    let told = bench.run("help templates").ok().shows("tag[-2] tag[-1]").shows("  columns word pos\n");
    for name in ["pos", "chunk", "chunk19", "entity"] {
        assert!(told.out.lines().any(|line| line == name), "{name}\n{told}");
    }
    assert!(told.out.lines().all(|line| line.chars().count() <= 120), "{told}");
    let sets = bench.json("help templates --json");
    // Each is a file that can be used as it is.
    bench.file("chunks.conll", CHUNKS);
    bench.file("copy.txt", sets["chunk"].as_str().unwrap());
    bench.run("train chunks.conll --templates copy.txt -o a").ok();
    bench.run("train chunks.conll --templates chunk -o b").ok();
    assert_eq!(bench.read("a"), bench.read("b"));
}

/// The tag was an eleventh column, which no reader of CoNLL-U takes.
#[test]
fn conllu_stays_conllu() {
    let line =
        |id: &str, form: &str, upos: &str, xpos: &str| format!("{id}\t{form}\t_\t{upos}\t{xpos}\t_\t_\t_\t_\t_\n");
    let text = |upos: [&str; 3], xpos: [&str; 3]| {
        let words =
            line("2-3", "cannot", "_", "_") + &line("2", "can", upos[1], xpos[1]) + &line("3", "not", upos[2], xpos[2]);
        format!("# sent_id = 1\n{}{words}\n", line("1", "It", upos[0], xpos[0]))
    };
    let (upos, xpos, none) = (["PRON", "AUX", "PART"], ["PRP", "MD", "RB"], ["_"; 3]);
    let bench = Bench::with("d.conllu", text(upos, xpos).repeat(5));
    bench.file("new.conllu", text(none, xpos));
    bench.run("train d.conllu -o m").ok();
    assert_eq!(bench.run("predict m new.conllu").ok().out, text(upos, xpos));
    bench.run("train d.conllu --tag xpos -o x").ok();
    assert_eq!(bench.run("predict x new.conllu").ok().out, text(none, xpos));
    bench.run("eval m d.conllu").ok().shows("tag    precision   recall       F1   support     found\nAUX ");
    assert_eq!(bench.json("eval m d.conllu --json")["per_tag"]["AUX"]["support"], 5);
}

/// A tagger of words takes words that are in no columns.
#[test]
fn text_and_tokens_are_tagged() {
    let bench = Bench::with("d.conll", "the D\ndog N\nran V\n. P\n\n".repeat(5));
    bench.run("train d.conll --templates pos -o m").ok();
    bench.file("new.txt", "the dog ran.\nran dog\n");
    let tagged = "the D\ndog N\nran V\n. P\n\nran V\ndog N\n\n";
    assert_eq!(bench.run("predict m new.txt --format text").ok().out, tagged);
    assert_eq!(bench.pipe("predict m - --format tokens", "the\ndog\nran\n.\n\nran\ndog\n").ok().out, tagged);
    let line = |id: u32, form: &str, tag: &str| format!("{id}\t{form}\t_\t{tag}\t_\t_\t_\t_\t_\t_\n");
    bench.file("d.conllu", (line(1, "go", "VERB") + &line(2, "home", "ADV") + "\n").repeat(5));
    bench.run("train d.conllu -o u").ok();
    assert_eq!(
        bench.pipe("predict u - --format text", "go home").ok().out,
        line(1, "go", "VERB") + &line(2, "home", "ADV") + "\n"
    );
    // Words in no columns are seen, and what to do is said.
    for (model, typed) in [("m", "the dog ran.\n"), ("u", "go home\n")] {
        let line = bench.pipe(&format!("predict {model} -"), typed).refused_after_notes();
        assert!(line.contains("; pass --format text for sentences as they are written, or --format tokens"), "{line}");
    }
    bench.file("two.conll", "the D B\ndog N I\n\n".repeat(5));
    bench.run("train two.conll --templates chunk -o two").ok();
    assert!(bench.run("predict two new.txt --format text").refused().contains("needs 2 columns"));
    assert!(bench.run("eval m new.txt --format text").refused().contains("--format text"));
}

/// A co-process waited until the input ended.
#[test]
fn sentences_of_a_pipe_are_tagged_as_they_come() {
    use std::io::{BufRead as _, Write as _};
    let bench = Bench::with("d.conll", "the D\ndog N\nran V\n. P\n\n".repeat(5));
    bench.run("train d.conll --templates pos -o m").ok();
    for (options, sentences, json) in [
        ("", ["the\ndog\n\n", "dog\nran\n\n"], false),
        ("--format tokens", ["the\ndog\n\n", "dog\nran\n\n"], false),
        ("--format text", ["the dog\n", "dog ran\n"], false),
        ("--format text --json", ["the dog\n", "dog ran\n"], true),
    ] {
        let mut child = bench.command(&format!("predict m - {options}")).spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        let mut answers = std::io::BufReader::new(child.stdout.take().unwrap()).lines();
        for (sentence, words) in sentences.into_iter().zip([["the D", "dog N"], ["dog N", "ran V"]]) {
            input.write_all(sentence.as_bytes()).unwrap();
            // Without an answer the test waits here for ever.
            if json {
                let said: serde_json::Value = serde_json::from_str(&answers.next().unwrap().unwrap()).unwrap();
                assert_eq!(said["tokens"][0], words[0].split(' ').next().unwrap());
                continue;
            }
            let lines: Vec<String> = answers.by_ref().take(3).map(Result::unwrap).collect();
            assert_eq!(lines, [words[0], words[1], ""], "{options}");
        }
        drop(input);
        assert!(child.wait().unwrap().success(), "{options}");
    }
    // Longer than a piece, and more: the same sentences as from a file.
    let text = "the dog ran.\nran dog\n".repeat(20_000);
    bench.file("new.txt", &text);
    let whole = bench.run("predict m new.txt --format text").ok().out;
    assert_eq!(whole.lines().count(), 20_000 * 8);
    assert!(bench.pipe("predict m - --format text", &text).ok().out == whole);
    bench.run("predict m new.txt --format text -o tagged").ok();
    assert!(bench.text("tagged") == whole);
    bench.file("odd.txt", [b"the dog\n".as_slice(), b"\xff\n"].concat());
    assert!(
        bench.run("predict m odd.txt --format text").refused_after_notes().contains("odd.txt:2:1: this is not UTF-8")
    );
}

/// A malformed token is told at its line by any number of threads, after the sentences before it.
#[test]
fn a_malformed_token_has_one_message() {
    let conllu = "1\tgo\t_\tVERB\t_\t_\t_\t_\t_\t_\n2\thome\t_\tADV\t_\t_\t_\t_\t_\t_\n\n";
    for (name, good, odd, message) in [
        ("d.conll", "the D B-X\ndog N O\n\n", "the D\n\n", "2 columns in \"the D\", where the lines before have 3"),
        ("d.conllu", conllu, "x\tgo\n\n", "\"x\" is not the number of a token"),
        ("d.crfsuite", "D\tw=the\nN\tw=dog\n\n", "D\tw:\u{0}x\n\n", "a NUL byte"),
    ] {
        let bench = Bench::with("good.txt", good.repeat(9));
        let format = name.strip_prefix("d.").unwrap();
        bench.run(&format!("train good.txt --format {format} -o m")).ok();
        let times = 300_000 / good.len();
        let line = times * good.matches('\n').count() + 1;
        bench.file(name, format!("{}{odd}{}{odd}", good.repeat(times), good.repeat(times)));
        for command in [format!("train {name} --epochs 1"), format!("eval m {name}"), format!("predict m {name}")] {
            let mut said = Vec::new();
            for threads in [1, 2, 5] {
                let ran = bench.run(&format!("{command} --threads {threads}"));
                let error = ran.err.lines().find(|line| line.starts_with("error")).unwrap().to_string();
                assert!(error.contains(&format!("{name}:{line}")) && error.contains(message), "{command}: {error}");
                said.push((ran.code, error, ran.out));
            }
            assert!(said.windows(2).all(|two| two[0] == two[1]), "{command}");
        }
    }
}
