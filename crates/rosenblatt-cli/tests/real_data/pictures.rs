//! Every kind of picture from real data.

use crate::support::Bench;

/// Draws in both forms; the SVG must be one that holds these texts.
fn drawn(bench: &Bench, what: &str, texts: &[&str]) {
    bench.run(&format!("plot {what} -o p.svg")).ok();
    let svg = bench.text("p.svg");
    let read = roxmltree::Document::parse(&svg).unwrap_or_else(|e| panic!("{what}: {e}"));
    for text in texts {
        let shown = read.descendants().filter_map(|n| n.text()).any(|t| t.contains(text));
        assert!(shown, "{what} does not show {text:?}");
    }
    assert!(svg.len() < 3_000_000, "{what}: {} bytes", svg.len());
    bench.run(&format!("plot {what} -o p.png")).ok();
    assert!(bench.read("p.png").starts_with(b"\x89PNG\r\n"), "{what}");
}

#[test]
fn boundaries_of_iris_and_fourclass() {
    let (Some(iris), Some(four)) = (super::data("iris/iris.csv.gz"), super::data("fourclass_scale/fourclass_scale.gz"))
    else {
        return;
    };
    let bench = Bench::new();
    bench.run(&format!("train {iris} --epochs 50 -o m")).ok();
    drawn(&bench, &format!("boundary {iris} m --x 3 --y 4"), &["Iris-virginica", "of 150 examples wrong"]);
    drawn(&bench, &format!("boundary {iris} --x 1 --y 2 --learner voted"), &["voted", "Iris-setosa"]);
    drawn(&bench, &format!("boundary {four}"), &["no line separates the classes", "4 examples prove it"]);
    drawn(&bench, &format!("boundary {four} --learner averaged"), &["of 862 examples wrong"]);
    drawn(&bench, &format!("margins m {iris}"), &["150 examples"]);
    drawn(&bench, &format!("confusion m {iris}"), &["Iris-versicolor", "50"]);
}

#[test]
fn curve_margins_and_confusion_of_many() {
    let (Some(train), Some(test)) = (super::data("letter/letter.scale.gz"), super::data("letter/letter.scale.t.gz"))
    else {
        return;
    };
    let bench = Bench::new();
    bench.run(&format!("train {train} --epochs 3 -o m")).ok();
    drawn(&bench, "curve m", &["3 passes over 15,000 examples"]);
    drawn(&bench, &format!("margins m {test}"), &["5,000 examples", "wrong side"]);
    drawn(&bench, &format!("confusion m {test}"), &["predicted", "26"]);
}

#[test]
fn proofs_of_mushrooms_and_banknotes() {
    let (Some(mushrooms), Some(notes)) =
        (super::data("mushrooms/mushrooms.gz"), super::data("banknote/banknote_authentication.csv.gz"))
    else {
        return;
    };
    let bench = Bench::new();
    drawn(&bench, &format!("proof {mushrooms}"), &["(R/γ)² = ", "separated after", "support examples"]);
    let said = bench.run(&format!("plot proof {notes} -o q.svg")).refused_after_notes();
    assert!(said.contains("no separating hyperplane was found in floating point"), "{said}");
}
