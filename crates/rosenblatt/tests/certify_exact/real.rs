//! Real files are decided, and what is claimed of them is checked by other code.

use std::io::{Read as _, Write as _};
use std::time::Instant;

use dashu_ratio::RBig;
use rosenblatt::certify::{Options, Verdict};
use rosenblatt::io::Input;
use rosenblatt::read::{ReadOptions, read};
use rosenblatt::rows::Matrix;

use crate::check::check;
use crate::files::{claim, decided, decimal};
use crate::real_file;

fn open(file: &str) -> Option<Input> {
    real_file::find(file).map(Input::Path)
}

fn is(file: &str, positive: Option<&str>, want: Verdict) {
    if let Some(input) = open(file) {
        check_file(&input, positive, want);
    }
}

fn check_file(input: &Input, positive: Option<&str>, want: Verdict) {
    let file = input.name();
    let dataset = read(input, &ReadOptions::default()).unwrap();
    let begin = Instant::now();
    let (decision, text) = decided(input, &dataset, positive, &Options::default());
    let seconds = begin.elapsed().as_secs_f64();
    let line = format!("{file}: {:?} in {seconds:.2} s, {} bytes", decision.verdict, text.len());
    let _ = writeln!(std::io::stderr(), "{line}");
    assert_eq!(decision.verdict, want, "{file}");
    let (claim, json) = claim(&text);
    // The numbers of these files are short, so that their floats print as they are written.
    let matrix = &dataset.table.matrix.clone().in_floats();
    let features = matrix.features();
    let number = |v: f64| if v == 0.0 { RBig::ZERO } else { decimal(&format!("{v:e}")) };
    let rows: Vec<Vec<RBig>> = match matrix {
        Matrix::Dense(m) => m.values.chunks(features).map(|r| r.iter().map(|v| number(*v)).collect()).collect(),
        Matrix::Sparse(m) => m
            .offsets
            .windows(2)
            .map(|o| {
                let mut row = vec![RBig::ZERO; features];
                (o[0]..o[1]).for_each(|k| row[m.indices[k] as usize] = number(m.values[k]));
                row
            })
            .collect(),
        _ => panic!("the numbers of a text are read as f64"),
    };
    let one = positive.map_or(1, |p| dataset.table.labels.find(p).unwrap());
    let signs: Vec<i8> = dataset.table.classes.iter().map(|c| if *c == one { 1 } else { -1 }).collect();
    assert_eq!(json["data"]["examples"], signs.len());
    check(&claim, &rows, &signs, true);
}

#[test]
fn separable_files() {
    is("mushrooms/mushrooms.gz", None, Verdict::Separable);
    is("iris/iris.csv.gz", Some("Iris-setosa"), Verdict::Separable);
    for class in ["1", "2", "3"] {
        is("wine/wine.csv.gz", Some(class), Verdict::Separable);
    }
}

#[test]
fn sonar() {
    is("sonar/sonar.csv.gz", None, Verdict::Separable);
}

#[test]
fn breast_cancer() {
    // Its first line says how many rows and columns follow.
    let Some(input) = open("breast_cancer_wisconsin/wdbc_sklearn.csv.gz") else { return };
    let mut text = String::new();
    input.open().unwrap().read_to_string(&mut text).unwrap();
    let rest = text.split_once('\n').unwrap().1;
    check_file(&Input::memory("wdbc.csv", rest), None, Verdict::Separable);
}

#[test]
fn inseparable_files() {
    is("banknote/banknote_authentication.csv.gz", None, Verdict::Inseparable);
    is("pima_diabetes/pima-indians-diabetes.csv.gz", None, Verdict::Inseparable);
    is("fourclass_scale/fourclass_scale.gz", None, Verdict::Inseparable);
    is("heart_scale/heart_scale.gz", None, Verdict::Inseparable);
    // Its first column is 0 for one class only, so a hyperplane has no example on the wrong side.
    is("ionosphere/ionosphere.csv.gz", None, Verdict::WeaklySeparable);
}
