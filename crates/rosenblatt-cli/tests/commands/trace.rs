//! `rosenblatt trace`: the lectures' numbers, the cycle of XOR, and the proof.

use serde_json::{Value, json};

use crate::support::{Bench, POINTS, XOR, keys};

const KEYS: [&str; 8] = ["bias", "epoch", "example", "label", "mistake", "score", "step", "weights"];

/// The rows that are steps; what follows sums up.
fn steps(lines: &[Value]) -> Vec<&Value> {
    lines.iter().filter(|line| line.get("step").is_some()).collect()
}

/// The numbers as an exact list: whole numbers stay whole.
fn vector(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
}

/// CMU 10-601, the perceptron's slide: six points, no bias; a score of exactly zero comes up at example 5.
#[test]
fn the_six_points_of_the_cmu_lecture() {
    let bench = Bench::with("d.csv", "-1,2,-\n1,0,+\n1,1,+\n-1,0,-\n-1,-2,-\n1,-1,+\n");
    for tie in ["", "--tie positive"] {
        let lines = bench.run(&format!("trace d.csv --no-bias --json {tie}")).ok().json_lines();
        assert_eq!(lines.len(), 12, "two passes, the second one clean");
        let moved: Vec<_> = lines
            .iter()
            .filter(|row| row["mistake"] == true)
            .map(|r| (&r["epoch"], &r["example"], vector(&r["weights"])))
            .collect();
        let one = json!(1);
        assert_eq!(
            moved,
            [(&one, &json!(1), vec![1.0, -2.0]), (&one, &json!(3), vec![2.0, -1.0]), (&one, &json!(5), vec![3.0, 1.0])]
        );
        assert!(lines.iter().all(|row| row["bias"] == 0.0));
    }
    // The other rule at zero gives another story, as it must.
    let lines = bench.run("trace d.csv --no-bias --json --tie negative").ok().json_lines();
    let moved: Vec<_> = lines.iter().filter(|row| row["mistake"] == true).collect();
    assert_eq!(moved.len(), 1);
    assert_eq!((&moved[0]["example"], vector(&moved[0]["weights"])), (&json!(2), vec![1.0, 0.0]));
}

/// UCLA M146: two points, the bias first, sign(0) = +1.
#[test]
fn the_two_points_of_the_ucla_lecture() {
    let bench = Bench::with("d.csv", "1,2,+\n2,1,-\n");
    let lines = bench.run("trace d.csv --tie positive --json").ok().json_lines();
    let moved: Vec<Vec<f64>> = steps(&lines)
        .iter()
        .filter(|row| row["mistake"] == true)
        .map(|row| {
            let mut w = vec![row["bias"].as_f64().unwrap()];
            w.extend(vector(&row["weights"]));
            w
        })
        .collect();
    assert_eq!(moved, [[-1.0, -2.0, -1.0], [0.0, -1.0, 1.0]]);
    assert_eq!(lines.len(), 6, "the third pass is clean");
    assert_eq!(lines[0]["mistake"], false, "a score of zero is +1");
}

#[test]
fn a_row_for_each_step_with_the_promised_keys() {
    let bench = Bench::with("d.csv", POINTS);
    let lines = bench.run("trace d.csv --json").ok().json_lines();
    for (i, row) in lines.iter().enumerate() {
        assert_eq!(keys(row), KEYS);
        assert_eq!(row["step"], i + 1);
        assert_eq!(row["epoch"], i / 6 + 1);
        assert_eq!(row["example"], i % 6 + 1);
        assert!(row["score"].is_number() && row["mistake"].is_boolean() && row["label"].is_string());
    }
    let last = &lines[lines.len() - 6..];
    assert!(last.iter().all(|row| row["mistake"] == false), "it ends after a clean pass");
    let table = bench.run("trace d.csv").ok().shows("separated");
    assert_eq!(table.out.lines().filter(|l| l.ends_with(')') || l.contains(") b ")).count(), lines.len(), "{table}");
}

#[test]
fn many_classes_have_a_list_each() {
    let bench = Bench::with("d.csv", crate::support::THREE);
    let lines = bench.run("trace d.csv --json --epochs 1").ok().json_lines();
    assert_eq!(lines[0]["weights"].as_array().unwrap().len(), 3);
    assert_eq!(lines[0]["bias"].as_array().unwrap().len(), 3);
}

#[test]
fn the_weights_of_xor_repeat_in_both_codings() {
    let bench = Bench::with("zero.csv", XOR);
    bench.file("signs.csv", "-1,-1,-\n-1,1,+\n1,-1,+\n1,1,-\n");
    for data in ["zero.csv", "signs.csv"] {
        let lines = bench.run(&format!("trace {data} --json")).ok().json_lines();
        let end = lines.last().unwrap();
        assert_eq!(keys(end), ["cycle", "separable", "stopped"], "{end}");
        assert_eq!((&end["stopped"], &end["separable"]), (&json!("no-progress"), &json!(false)));
        let cycle = &end["cycle"];
        assert!(cycle["first_pass"].as_u64() < cycle["again_pass"].as_u64(), "{end}");
        let counts = cycle["counts"].as_array().unwrap();
        assert!(counts.len() >= 2 && counts.iter().all(|c| c["count"].as_u64().unwrap() > 0), "{end}");
        // The cycle is visible: the weights after both passes are the same.
        let after = |pass: &Value| {
            let pass = pass.as_u64().unwrap();
            steps(&lines)
                .into_iter()
                .rfind(|row| row["epoch"] == pass)
                .map(|row| (row["weights"].clone(), row["bias"].clone()))
        };
        let first = after(&cycle["first_pass"]).unwrap_or((json!([0.0, 0.0]), json!(0.0)));
        assert_eq!(Some(first), after(&cycle["again_pass"]), "{data}");
        bench.run(&format!("trace {data}")).ok().shows("cycle").shows("so no line separates these data");
    }
}

#[test]
fn the_proof_holds_in_every_row() {
    let bench = Bench::with("d.csv", POINTS);
    for options in ["", "--no-bias", "--rate 0.25", "--order shuffled --seed 3", "--tie positive"] {
        let lines = bench.run(&format!("trace d.csv --proof --json {options}")).ok().json_lines();
        let (end, rows) = lines.split_last().unwrap();
        assert_eq!(keys(end), ["bound", "margin", "mistakes", "radius"], "{options}");
        assert!(end["mistakes"].as_f64() <= end["bound"].as_f64(), "{options}: {end}");
        for row in rows {
            assert_eq!(
                keys(row),
                [
                    &KEYS[..1],
                    &[
                        "epoch", "example", "label", "lower", "mistake", "norm", "score", "step", "u_dot_w", "upper",
                        "weights"
                    ]
                ]
                .concat()
            );
            let [lower, inner, norm, upper] = ["lower", "u_dot_w", "norm", "upper"].map(|k| row[k].as_f64().unwrap());
            assert!(lower <= inner + 1e-9 && inner <= norm + 1e-9 && norm <= upper + 1e-9, "{options}: {row}");
        }
        bench.run(&format!("trace d.csv --proof {options}")).ok().shows("(R/γ)²").shows("√k·R");
    }
}

#[test]
fn a_proof_is_refused_where_the_theorem_is_silent() {
    let bench = Bench::with("d.csv", POINTS);
    bench.file("xor.csv", XOR);
    bench.file("three.csv", crate::support::THREE);
    bench.file("start.txt", "1 1 1");
    for (line, told) in [
        ("xor.csv --proof", "no separating vector was found"),
        ("three.csv --proof", "two classes"),
        ("d.csv --proof --learner pa", "leave out --learner"),
        ("d.csv --proof --schedule inverse", "constant rate"),
        ("d.csv --proof --init start.txt", "from zero"),
        ("d.csv --proof --class-weight up=3", "--class-weight"),
    ] {
        let told_line = bench.run(&format!("trace {line}")).refused_after_notes();
        assert!(told_line.contains(told), "{told_line}");
    }
    bench.file("weights.csv", "x,y,w,label\n2,1,5,up\n-1,-2,1,down\n");
    let line = bench.run("trace weights.csv --weight w --proof").refused_after_notes();
    assert!(line.contains("--weight"), "{line}");
}

#[test]
fn long_labels_keep_the_columns_aligned() {
    let bench = Bench::with("d.csv", "1,2,Iris-versicolor\n2,1,x\n");
    let out = bench.run("trace d.csv").ok().out;
    let column = |line: &str| line.find('(').map(|at| line[..at].chars().count());
    let rows: Vec<Option<usize>> = out.lines().skip(1).take(2).map(column).collect();
    assert!(rows[0].is_some() && rows[0] == rows[1], "{out}");
    let head = out.lines().next().unwrap();
    assert_eq!(head.find("weights").map(|at| head[..at].chars().count()), rows[0], "{out}");
}

/// A batch learner moves at the end of a pass: the last row of the pass shows it.
#[test]
fn the_last_row_of_a_pass_shows_where_a_batch_learner_went() {
    let bench = Bench::with("d.csv", "x1,x2,label\n1,1,+1\n2,0,+1\n-1,-1,-1\n0,-2,-1\n");
    let lines = bench.run("trace d.csv --learner batch --epochs 1 --json").ok().json_lines();
    let rows = steps(&lines);
    let weights: Vec<_> = rows.iter().map(|row| vector(&row["weights"])).collect();
    assert_eq!(weights, [[0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [4.0, 4.0]]);
}

/// The trace of an averaged or voted perceptron looked like that of the plain one, and so did what it said was learned.
#[test]
fn the_mean_and_the_votes_are_shown() {
    let bench = Bench::with("and.csv", "x1,x2,y\n0,0,-1\n0,1,-1\n1,0,-1\n1,1,1\n");
    let averaged = bench.run("trace and.csv --learner averaged").ok();
    bench.run("train and.csv --learner averaged --order cyclic --epochs 100 --scale none -o m").ok();
    let weight = |name: &str| {
        let text = bench.run("export m --to text -").ok().out;
        text.lines().find_map(|line| line.strip_prefix(&format!("{name}\t"))).unwrap().parse::<f64>().unwrap()
    };
    let shown = averaged.out.lines().find(|line| line.starts_with("average")).unwrap().to_string();
    let numbers: Vec<f64> = shown
        .split(|c: char| !(c.is_ascii_digit() || c == '.' || c == '-'))
        .filter_map(|text| text.parse().ok())
        .collect();
    for (number, name) in numbers.iter().zip(["x1", "x2", "(bias)"]) {
        assert!((number - weight(name)).abs() < 1e-4, "{shown}: {name}");
    }
    let voted = bench.run("trace and.csv --learner voted").ok();
    let votes = voted.out.lines().skip_while(|line| !line.starts_with("votes")).skip(1);
    let votes: u64 = votes.map(|line| line.rsplit(' ').next().unwrap().parse::<u64>().unwrap()).sum();
    assert_eq!(votes, 36, "a vote for every step\n{voted}");
    bench.run("trace and.csv --epochs 2").ok().shows("in the last pass), the limit");
    bench.run("train and.csv --learner voted --scale none -o v").ok();
    assert!(bench.run("export v --to text -").refused().contains("a voted model is many hyperplanes"));
}
