//! Pictures through the binary: every kind, and what is no picture.

use crate::support::{Bench, POINTS, Ran, THREE, XOR};

/// The texts of an SVG file, which must be one.
fn texts(bench: &Bench, name: &str) -> Vec<String> {
    let svg = bench.text(name);
    let read = roxmltree::Document::parse(&svg).unwrap_or_else(|e| panic!("{name}: {e}"));
    assert!(read.root_element().has_tag_name("svg"));
    let titles = ["text", "title", "desc"];
    let named = |n: &roxmltree::Node<'_, '_>| titles.iter().any(|t| n.has_tag_name(*t));
    read.descendants().filter(named).filter_map(|n| n.text()).map(str::to_string).collect()
}

#[track_caller]
fn shows(bench: &Bench, name: &str, what: &[&str]) {
    let texts = texts(bench, name);
    for text in what {
        assert!(texts.iter().any(|t| t.contains(text)), "{name} does not show {text:?}: {texts:?}");
    }
}

fn bench() -> Bench {
    let bench = Bench::with("points.csv", POINTS);
    bench.file("xor.csv", XOR);
    bench.file("three.csv", THREE);
    bench
}

fn plot(bench: &Bench, line: &str) -> Ran {
    bench.run(&format!("plot {line}"))
}

#[test]
fn the_maximum_margin_with_its_support() {
    let bench = bench();
    plot(&bench, "boundary points.csv -o b.svg").ok().shows("b.svg");
    shows(&bench, "b.svg", &["the maximum margin", "separable, checked exactly", "support", "margin", "up", "down"]);
    let facts = bench.json("plot boundary points.csv -o b.svg --json");
    assert_eq!((&facts["kind"], &facts["verdict"]), (&"boundary".into(), &"separable".into()));
    assert!(facts["support"].as_array().unwrap().len() >= 2, "{facts}");
}

#[test]
fn hulls_that_cross_and_where() {
    let bench = bench();
    for kind in ["boundary", "proof"] {
        let facts = bench.json(&format!("plot {kind} xor.csv -o x.svg --json"));
        assert_eq!(facts["verdict"], "inseparable");
        assert_eq!(facts["support"], serde_json::json!([1, 2, 3, 4]));
        shows(&bench, "x.svg", &["no line separates the classes", "4 examples prove it", "in both hulls"]);
    }
    bench.file("twice.csv", "x,y,label\n1,1,a\n1,1,b\n1,1,a\n");
    plot(&bench, "boundary twice.csv -o t.svg").ok();
    shows(&bench, "t.svg", &["examples 1 and 2 are one point with two labels"]);
    bench.file("touch.csv", "x,y,label\n0,0,a\n1,0,a\n1,1,b\n1,-1,b\n3,0,b\n");
    plot(&bench, "boundary touch.csv -o t.svg").ok();
    shows(&bench, "t.svg", &["weakly separable: the hulls of the classes touch"]);
}

#[test]
fn boundaries_of_models() {
    let bench = bench();
    for learner in ["averaged", "voted", "pa1"] {
        bench.run(&format!("train points.csv --learner {learner} --epochs 50 -o m")).ok();
        plot(&bench, "boundary points.csv m -o b.svg").ok();
        shows(&bench, "b.svg", &[learner, "0 of 6 examples wrong (0.00%)"]);
        plot(&bench, &format!("boundary points.csv --learner {learner} -o b.svg")).ok();
        shows(&bench, "b.svg", &[&format!("{learner} on points.csv")]);
    }
    plot(&bench, "boundary three.csv -o b.svg").ok();
    shows(&bench, "b.svg", &["red", "green", "blue"]);
    bench.file("four.csv", "a,b,c,d,label\n1,2,3,4,x\n5,6,7,8,y\n2,1,0,3,x\n9,1,7,6,y\n");
    bench.run("train four.csv --scale standard -o m").ok();
    plot(&bench, "boundary four.csv m --x d --y a -o b.svg").ok();
    shows(&bench, "b.svg", &["2 other features held at the mean"]);
    plot(&bench, "boundary four.csv --x 4 --y 1 -o b.svg").ok();
    shows(&bench, "b.svg", &["d and a alone, of 4 features"]);
}

#[test]
fn curves_margins_and_confusion_of_a_model() {
    let bench = bench();
    bench.run("train three.csv -o m").ok();
    let facts = bench.json("plot curve m -o c.svg --json");
    assert_eq!(facts["passes"].as_u64().unwrap() as usize, facts["mistakes_by_epoch"].as_array().unwrap().len());
    shows(&bench, "c.svg", &["mistakes by pass", "pass", "mistakes"]);
    let facts = bench.json("plot margins m three.csv -o h.svg --json");
    assert_eq!((facts["examples"].as_u64(), facts["wrong"].as_u64()), (Some(6), Some(0)));
    shows(&bench, "h.svg", &["right side (6)", "wrong side (0)"]);
    let facts = bench.json("plot confusion m three.csv -o f.svg --json");
    assert_eq!(facts["error"], 0.0);
    shows(&bench, "f.svg", &["predicted", "true", "recall", "100%", "6 of 6 examples right"]);
}

#[test]
fn a_proof_with_its_bound() {
    let bench = bench();
    let facts = bench.json("plot proof points.csv -o p.svg --json");
    assert!(facts["mistakes"].as_f64().unwrap() <= facts["bound"].as_f64().unwrap(), "{facts}");
    shows(&bench, "p.svg", &["kγ, at least", "u·w", "‖w‖", "√k·R, at most", "(R/γ)² = ", "made", "support example"]);
    let line = plot(&bench, "proof three.csv -o p.svg").refused_after_notes();
    assert!(line.contains("a proof is for two classes; the data have 3"), "{line}");
    bench.file("deep.csv", "1,0,0,a\n1,0,0,b\n2,1,1,a\n");
    let line = plot(&bench, "proof deep.csv -o q.svg").refused_after_notes();
    assert!(line.contains("`rosenblatt separable` decides whether there is one"), "{line}");
}

#[test]
fn polynomials_of_the_lecture_and_of_a_file() {
    let bench = bench();
    plot(&bench, "polyfit -o y.svg").ok();
    shows(
        &bench,
        "y.svg",
        &["sin(πx)", "M = 0", "M = 9", "degree M", "training points (10)", "test error (100 points)"],
    );
    bench.file("xy.csv", "x,y\n0,1\n1,3\n2,5\n3,7.5\n");
    plot(&bench, "polyfit xy.csv --degree 1 -o y.svg").ok();
    shows(&bench, "y.svg", &["M = 1", "training points (4)"]);
}

#[test]
fn the_same_bytes_each_time_on_any_number_of_threads_in_both_forms() {
    let bench = bench();
    for (name, sign) in [("a.svg", &b"<svg "[..]), ("a.png", b"\x89PNG\r\n")] {
        plot(&bench, &format!("boundary three.csv --learner voted -o {name} --threads 1")).ok();
        let first = bench.read(name);
        assert!(first.starts_with(sign));
        plot(&bench, &format!("boundary three.csv --learner voted -o {name} --threads 3")).ok();
        assert_eq!(bench.read(name), first, "{name}");
    }
    plot(&bench, "boundary points.csv -o c.svg").ok();
    let piped = plot(&bench, "boundary points.csv -o -").ok().out;
    assert_eq!(piped, bench.text("c.svg"), "`-` is standard output");
}

#[test]
fn titles_and_labels_may_hold_anything() {
    let bench =
        Bench::with("odd.csv", "\"a<b>\",\"x & \"\"y\"\"\",label\n1,2,\"<script>\"\n2,1,\"&amp;\"\n3,0,\"]]>\"\n");
    bench.run_args(&["plot", "boundary", "odd.csv", "-o", "o.svg", "--title", "<T> & 'U'"]).ok();
    shows(&bench, "o.svg", &["<T> & 'U'", "<script>", "&amp;", "]]>", "a<b>", "x & \"y\""]);
    assert!(!bench.text("o.svg").contains("<script>"));
}

#[test]
fn what_is_no_picture_is_refused_and_nothing_is_left() {
    let bench = bench();
    bench.run("train points.csv -o m").ok();
    bench.file("one.csv", "x,label\n1,a\n2,b\n");
    bench.file("single.csv", "x,y,label\n1,2,a\n");
    bench.file("four.csv", "a,b,c,d,label\n1,2,3,4,x\n5,6,7,8,y\n");
    bench.file("huge.csv", "x,y,label\n1e300,2e300,a\n3e300,-1e300,b\n");
    let before = bench.names();
    for (line, told) in [
        ("boundary points.csv -o x.jpg", "x.jpg: a picture is SVG or PNG: name a file that ends in .svg or .png"),
        ("boundary points.csv -o x", "name a file that ends in .svg or .png"),
        ("boundary points.csv -o no/x.svg", "no/x.svg: no such file or folder to write in"),
        ("boundary one.csv -o x.svg", "a boundary is drawn over two features, and there is 1: x"),
        ("boundary four.csv -o x.svg", "4 features: choose two with --x NAME --y NAME, out of a, b, c, d"),
        ("boundary four.csv --x a --y e -o x.svg", "--y e: there is no such feature; there are a, b, c, d"),
        ("boundary four.csv --x a --y 1 -o x.svg", "--x and --y name the same feature"),
        ("boundary four.csv --x a -o x.svg", "choose two with --x NAME --y NAME"),
        ("boundary four.csv m -o x.svg", "column"),
        ("boundary single.csv -o x.svg", "the one example has the label \"a\": at least two classes are needed"),
        ("boundary nowhere.csv -o x.svg", "nowhere.csv: no such file"),
        ("boundary points.csv nowhere -o x.svg", "nowhere: no such file"),
        ("boundary points.csv --no-bias -o x.svg", "--no-bias is for a learner"),
        ("boundary huge.csv --learner pa -o x.svg", "their squares overflow"),
        ("boundary points.csv --learner oracle -o x.svg", "there is no learner \"oracle\""),
        ("curve points.csv -o x.svg", "points.csv"),
        ("margins m four.csv -o x.svg", "column"),
        ("confusion m nowhere -o x.svg", "nowhere: no such file"),
        ("polyfit four.csv -o x.svg", "4 features: choose the one that is x with --x NAME"),
        ("polyfit points.csv --x x -o x.svg", "is not a number: y must be one in every row"),
        ("polyfit --degree 10 -o x.svg", "needs at least 11 points with different x, and there are 10"),
        ("boundary points.csv --json -o -", "-o - and --json both use standard output"),
    ] {
        let said = plot(&bench, line).refused_after_notes();
        assert!(said.contains(told), "{line}: {said}");
    }
    for (line, told) in [
        ("boundary points.csv", "--output"),
        ("boundary", "<DATA>"),
        ("", "boundary"),
        ("pie points.csv -o x.svg", "'pie'"),
        ("polyfit --degrees 9..1 -o x.svg", "the lower first"),
        ("boundary points.csv m --learner pa -o x.svg", "--learner"),
    ] {
        let ran = plot(&bench, line);
        assert_eq!(ran.code, Some(2), "{ran}");
        assert!(ran.err.contains(told), "{line}: {ran}");
    }
    assert_eq!(bench.names(), before);
    let copy = bench.read("m");
    std::fs::rename(bench.path("m"), bench.path("m.svg")).unwrap();
    assert!(plot(&bench, "curve m.svg -o m.svg").refused().contains("would be overwritten"));
    assert_eq!(bench.read("m.svg"), copy);
    plot(&bench, "boundary huge.csv -o x.svg").ok();
    shows(&bench, "x.svg", &["the maximum margin", "×10³⁰⁰"]);
}

/// Two numbers that are one float: the exact line is far from the widest, and its margin was called the maximum.
#[test]
fn a_margin_whose_bounds_are_apart_is_no_maximum() {
    let bench = Bench::with("odd.csv", "1,0,a\n1.00000000000000000001,0,b\n0,0,a\n2,0,b\n");
    plot(&bench, "boundary odd.csv -o b.svg").ok();
    shows(
        &bench,
        "b.svg",
        &["odd.csv: a line between the classes", "margin γ between 1.000000000e-40 and 5.000000000e-21"],
    );
    assert!(!texts(&bench, "b.svg").iter().any(|text| text.contains("maximum")));
}

#[test]
fn a_boundary_of_a_kernel_in_an_order() {
    let bench = Bench::with("xor.csv", "a,b,y\n0,0,-1\n1,1,-1\n0,1,1\n1,0,1\n");
    let told = bench.json("plot boundary xor.csv --kernel poly:2:1 --order cyclic -o k.svg --json");
    assert_eq!(told["mistakes"], 0);
    assert!(bench.text("k.svg").contains("poly:2:1 on xor.csv"));
}

/// `--degree` drew a line that cannot separate, `--order` the line of maximum margin, and a kernel kept an average that erred.
/// Right angles look right: axes of like ranges have one scale, others have their own.
#[test]
fn axes_are_equal_where_the_data_ask_for_it() {
    let bench = Bench::with("and.csv", "0,0,no\n0,1,no\n1,0,no\n1,1,yes\n");
    bench.file("unlike.csv", "0,0,no\n0,1,no\n100,0,no\n100,1,yes\n");
    // The distances of the outermost marks on the page.
    let spans = |data: &str| {
        bench.run(&format!("plot boundary {data} -o b.svg")).ok();
        let svg = bench.text("b.svg");
        let number = |text: &str, key: &str| text.split(key).nth(1)?.split('"').next()?.parse::<f64>().ok();
        // Those of the legend are above the frame.
        let marks: Vec<&str> = svg.split("<circle").filter(|text| number(text, "cy=\"") > Some(100.0)).collect();
        let span = |key: &str| {
            let all = || marks.iter().filter_map(|text| number(text, key));
            all().fold(f64::MIN, f64::max) - all().fold(f64::MAX, f64::min)
        };
        (span("cx=\""), span("cy=\""))
    };
    let (across, up) = spans("and.csv");
    assert!(up > 100.0 && (across - up).abs() < 1.0, "{across} {up}");
    let (across, up) = spans("unlike.csv");
    assert!((across - up).abs() > 30.0, "{across} {up}");
}

#[test]
fn options_of_learning_are_not_passed_over() {
    let bench = Bench::with("xor.csv", "a,b,y\n0,0,0\n0,1,1\n1,0,1\n1,1,0\n");
    for (options, title) in [
        ("--degree 2", "averaged, degree 2 on xor.csv"),
        ("--kernel rbf:1", "averaged, rbf:1 on xor.csv"),
        ("--kernel poly:2", "averaged, poly:2:1 on xor.csv"),
    ] {
        let told = bench.json(&format!("plot boundary xor.csv {options} -o x.svg --json"));
        assert_eq!(told["mistakes"], 0, "{options}");
        assert!(bench.text("x.svg").contains(title), "{options}");
    }
    bench.file("points.csv", POINTS);
    for options in ["--order cyclic", "--epochs 3", "--keep last", "--rate 0.5"] {
        plot(&bench, &format!("boundary points.csv {options} -o x.svg")).ok();
        shows(&bench, "x.svg", &["averaged on points.csv"]);
    }
}
