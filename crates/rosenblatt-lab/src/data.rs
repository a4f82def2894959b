//! `data`: built-in examples and generators, as CSV.

use rosenblatt::{Error, Result};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::generate::{self, Point, Wish};

/// Which data.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Request {
    /// None: the list of all.
    name: Option<String>,
    points: Option<usize>,
    noise: Option<f64>,
    seed: u64,
}

/// Where the points come from.
enum Source {
    /// Written down: x1, x2, label.
    Fixed(&'static [(&'static str, &'static str, &'static str)]),
    /// Fisher's iris, its petals.
    Petals,
    /// A generator with its usual number of points and noise.
    Random(fn(Wish) -> Vec<Point>, usize, f64),
}

struct Entry {
    name: &'static str,
    title: &'static str,
    about: &'static str,
    source: Source,
    /// The settings of the lecture that it is from.
    settings: &'static str,
}

const ENTRIES: [Entry; 13] = [
    Entry {
        name: "cmu",
        title: "Six points (CMU)",
        about: "The example of the lecture 10-601: no bias, and a score of zero predicts +1. Three mistakes.",
        source: Source::Fixed(&[
            ("-1", "2", "-1"),
            ("1", "0", "+1"),
            ("1", "1", "+1"),
            ("-1", "0", "-1"),
            ("-1", "-2", "-1"),
            ("1", "-1", "+1"),
        ]),
        settings: r#"{"bias": 0, "tie": "positive"}"#,
    },
    Entry {
        name: "ucla",
        title: "Two points (UCLA)",
        about: "The example of the lecture ECE M146, with a bias. The second update undoes part of the first.",
        source: Source::Fixed(&[("1", "2", "+1"), ("2", "1", "-1")]),
        settings: r#"{"tie": "positive"}"#,
    },
    Entry {
        name: "and",
        title: "AND",
        about: "Both inputs must be 1. A line separates the corners.",
        source: Source::Fixed(&[("0", "0", "-1"), ("0", "1", "-1"), ("1", "0", "-1"), ("1", "1", "+1")]),
        settings: "{}",
    },
    Entry {
        name: "or",
        title: "OR",
        about: "At least one input must be 1. A line separates the corners.",
        source: Source::Fixed(&[("0", "0", "-1"), ("0", "1", "+1"), ("1", "0", "+1"), ("1", "1", "+1")]),
        settings: "{}",
    },
    Entry {
        name: "xor",
        title: "XOR",
        about: "Exactly one input must be 1. No line can do it, and here is the proof.",
        source: Source::Fixed(&[("0", "0", "-1"), ("0", "1", "+1"), ("1", "0", "+1"), ("1", "1", "-1")]),
        settings: "{}",
    },
    Entry {
        name: "petals",
        title: "Iris petals",
        about: "Fisher's flowers (1936): length and width of petals in centimetres, three species of fifty.",
        source: Source::Petals,
        settings: "{}",
    },
    Entry {
        name: "street",
        title: "A street",
        about: "Two sides of a street, and nobody on it. “noise” is half of its width: a narrow street takes longer.",
        source: Source::Random(generate::street, 40, 0.3),
        settings: "{}",
    },
    Entry {
        name: "clouds",
        title: "Overlapping clouds",
        about: "Two classes that overlap: the perceptron never rests. Average, vote and pocket help.",
        source: Source::Random(generate::clouds, 60, 1.0),
        settings: r#"{"epochs": 20}"#,
    },
    Entry {
        name: "outlier",
        title: "An outlier",
        about: "Two clouds far apart, and one point far out: one long example moves the weights a long way.",
        source: Source::Random(generate::outlier, 31, 0.6),
        settings: "{}",
    },
    Entry {
        name: "moons",
        title: "Moons",
        about: "Two half circles that interlock: a kernel or a polynomial follows them.",
        source: Source::Random(generate::moons, 80, 0.1),
        settings: r#"{"kernel": "rbf:2", "epochs": 20}"#,
    },
    Entry {
        name: "circles",
        title: "Circles",
        about: "A ring around a disc: not a line, but degree 2 does it.",
        source: Source::Random(generate::circles, 80, 0.05),
        settings: r#"{"degree": 2, "epochs": 100}"#,
    },
    Entry {
        name: "three",
        title: "Three classes",
        about: "A weight vector for each class; the highest score wins.",
        source: Source::Random(generate::three, 60, 0.5),
        settings: "{}",
    },
    Entry {
        name: "many",
        title: "5,000 points",
        about: "A street with many points.",
        source: Source::Random(generate::street, 5000, 0.05),
        settings: r#"{"epochs": 10}"#,
    },
];

/// The most points of a generator.
const MOST: usize = 20_000;

pub fn answer(request: &Request) -> Result<Value> {
    let Some(name) = &request.name else {
        return Ok(json!({ "data": ENTRIES.iter().map(describe).collect::<Vec<_>>() }));
    };
    let Some(entry) = ENTRIES.iter().find(|entry| entry.name == name) else {
        let names: Vec<&str> = ENTRIES.iter().map(|entry| entry.name).collect();
        return Err(Error::settings(format!("there are no data \"{name}\": choose one of {}", names.join(", "))));
    };
    let csv = match &entry.source {
        Source::Fixed(points) => {
            let lines: String = points.iter().map(|(x, y, label)| format!("{x},{y},{label}\n")).collect();
            format!("x1,x2,label\n{lines}")
        }
        Source::Petals => petals()?,
        Source::Random(generator, points, noise) => {
            let wish = Wish {
                points: request.points.unwrap_or(*points),
                noise: request.noise.unwrap_or(*noise),
                seed: request.seed,
            };
            if !(2..=MOST).contains(&wish.points) {
                return Err(Error::settings(format!("{} points: expected 2 to {MOST}", wish.points)));
            }
            if !(wish.noise.is_finite() && (0.0..=1.8).contains(&wish.noise)) {
                return Err(Error::settings(format!("noise {}: expected 0 to 1.8", wish.noise)));
            }
            written(&generator(wish))
        }
    };
    let mut answer = json!({ "csv": csv });
    answer["about"] = describe(entry);
    Ok(answer)
}

fn describe(entry: &Entry) -> Value {
    let settings: Value = serde_json::from_str(entry.settings).unwrap_or_default();
    let mut object = json!({ "name": entry.name, "title": entry.title, "about": entry.about, "settings": settings });
    if let Source::Random(_, points, noise) = entry.source {
        (object["points"], object["noise"]) = (json!(points), json!(noise));
    }
    object
}

/// Two decimals: enough to draw, and short in a link.
fn written(points: &[Point]) -> String {
    let mut csv = String::from("x1,x2,label\n");
    for ([x, y], label) in points {
        let [x, y] = [x, y].map(|v| (v * 100.0).round() / 100.0 + 0.0);
        csv.push_str(&format!("{x},{y},{label}\n"));
    }
    csv
}

fn petals() -> Result<String> {
    let iris = rosenblatt::read::toy::iris()?;
    let points = rosenblatt::theory::Plane { x: 2, y: 3 }.points(iris.matrix.rows()?);
    let mut csv = String::from("petal length,petal width,label\n");
    for ([x, y], &class) in points.iter().zip(&iris.classes) {
        csv.push_str(&format!("{x},{y},{}\n", iris.labels.name(class)));
    }
    Ok(csv)
}
