//! `rosenblatt demo`: examples on built-in data.

use std::process::ExitCode;

use anyhow::Result;
use rosenblatt::certify::exact::Memory;
use rosenblatt::learn::keep::KeepKind;
use rosenblatt::learn::kernel::Choice;
use rosenblatt::learn::{Geometry, Scratch};
use rosenblatt::read::toy;
use rosenblatt::rows::{Dense, Labels, Matrix, Table};
use rosenblatt::{Evaluation, Order, Trainer};

use super::{spam, trace};
use crate::args::{DemoArgs, DemoName};
use crate::output::{Output, at_most, count, percent};
use crate::picture;

pub fn run(args: &DemoArgs, out: &mut Output) -> Result<ExitCode> {
    let all = [DemoName::And, DemoName::Or, DemoName::Xor, DemoName::Iris, DemoName::Margin, DemoName::Spam];
    let chosen = match args.name {
        Some(name) => vec![name],
        // OR shows the same as AND.
        None => all.into_iter().filter(|name| *name != DemoName::Or).collect(),
    };
    for (i, name) in chosen.iter().enumerate() {
        if i > 0 && !out.json {
            out.line("")?;
        }
        match name {
            DemoName::And => {
                boolean(out, "AND", "a line separates the corners, and the perceptron finds one", |a, b| a && b)?
            }
            DemoName::Or => {
                boolean(out, "OR", "a line separates the corners, and the perceptron finds one", |a, b| a || b)?
            }
            DemoName::Xor => {
                boolean(out, "XOR", "no line separates the corners, and the weights repeat", |a, b| a != b)?;
                curved_xor(out)?;
            }
            DemoName::Iris => iris(out)?,
            DemoName::Margin => margin(out)?,
            DemoName::Spam => {
                title(out, "spam: 60 short messages, half of them spam")?;
                spam::run(out)?
            }
        }
    }
    if args.name.is_none() && !out.json {
        out.line("")?;
        out.line(
            "One at a time: rosenblatt demo and|or|xor|iris|margin|spam. Your own data: rosenblatt train FILE -o MODEL",
        )?;
    }
    Ok(ExitCode::SUCCESS)
}

fn title(out: &mut Output, text: &str) -> Result<()> {
    if !out.json {
        out.heading(&format!("== {text}"))?;
    }
    Ok(())
}

fn boolean(out: &mut Output, name: &str, summary: &str, f: impl Fn(bool, bool) -> bool) -> Result<()> {
    title(out, &format!("{name}: {summary}"))?;
    let table = toy::boolean(f)?;
    let trainer = Trainer::new("perceptron").order(Order::Cyclic).epochs(100);
    trace::trace(&trainer, &table, false, Some(&Memory(table.matrix.rows()?)), out)
}

/// The same corners with a kernel: a polynomial of degree 2 separates them.
fn curved_xor(out: &mut Output) -> Result<()> {
    let table = toy::boolean(|a, b| a != b)?;
    let mut trainer = Trainer::new("perceptron").order(Order::Cyclic).epochs(100);
    trainer.recipe.kernel = Some(Choice::new("poly:2".parse()?));
    let fitted = trainer.fit(&table)?;
    if out.json {
        return out.object(&serde_json::json!({ "demo": "xor", "kernel": "poly:2:1", "report": fitted.report }));
    }
    out.line("")?;
    out.heading("XOR with the kernel (1 + x·y)²: a curve separates the corners")?;
    let r = &fitted.report;
    let passes = count(r.epochs.into(), "pass", "passes");
    let bound = r.bound.map(|b| format!(", at most {} by the theorem", at_most(b))).unwrap_or_default();
    out.item("stopped", format!("{} after {passes}", r.stopped.name()))?;
    out.item("mistakes", format!("{}{bound}", count(r.mistakes, "mistake", "mistakes")))?;
    let corners = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]];
    for corner in corners {
        out.item("", format!("{} xor {} = {}", corner[0], corner[1], fitted.model.predict(&corner)?))?;
    }
    let score = |x: f64, y: f64| {
        let mut scratch = Scratch::default();
        fitted.model.hypothesis.scores(Dense(&[x, y]), fitted.model.tie(), &mut scratch);
        scratch.scores[0]
    };
    for line in picture::curve(&corners, &table.classes, score) {
        out.line(line)?;
    }
    Ok(())
}

/// A table of the two petal features, setosa against the rest, and its points.
fn petals(iris: &Table) -> Result<(Table, Vec<[f64; 2]>)> {
    let Matrix::Dense(matrix) = &iris.matrix else { unreachable!("iris is dense") };
    let points: Vec<[f64; 2]> = matrix.values.chunks(4).map(|row| [row[2], row[3]]).collect();
    let names: Vec<&str> =
        iris.classes.iter().map(|&c| if iris.labels.name(c) == "setosa" { "setosa" } else { "other" }).collect();
    let mut table = Table::dense(&points, &names)?;
    if table.labels.name(1) != "setosa" {
        table.labels = Labels::new(vec!["other".into(), "setosa".into()]);
        table.classes.iter_mut().for_each(|c| *c = 1 - *c);
    }
    Ok((table, points))
}

fn iris(out: &mut Output) -> Result<()> {
    title(out, "iris: 150 flowers, 4 measures, 3 species (Fisher 1936)")?;
    let table = toy::iris()?;
    let averaged = Trainer::new("averaged").epochs(50).fit(&table)?;
    let evaluation = Evaluation::new(&averaged.model, &table)?;
    let (two, points) = petals(&table)?;
    let setosa = Trainer::new("perceptron").epochs(100).fit(&two)?;
    if out.json {
        return out.object(&serde_json::json!({ "demo": "iris", "all": averaged.report, "setosa": setosa.report }));
    }
    out.item("all three", format!("averaged perceptron, 50 passes: training error {}", percent(evaluation.error)))?;
    for (name, row) in evaluation.classes.iter().zip(evaluation.confusion.rows()) {
        let cells: Vec<String> = row.iter().map(|n| format!("{n:>4}")).collect();
        out.item("", format!("{name:<12}{}", cells.join("")))?;
    }
    let passes = count(setosa.report.epochs.into(), "pass", "passes");
    let mistakes = count(setosa.report.mistakes, "mistake", "mistakes");
    out.item(
        "setosa",
        format!("against the rest by its petals (+): {} after {passes}, {mistakes}", setosa.report.stopped.name()),
    )?;
    for line in picture::boundary(&points, &two.classes, &setosa.model.hypothesis.hyperplane()) {
        out.line(line)?;
    }
    out.item("", "petal length to the right, petal width upwards")?;
    Ok(())
}

fn margin(out: &mut Output) -> Result<()> {
    title(out, "margin: 120 points of two classes with margin 0.1")?;
    let table = toy::street(120, 0.1, 1)?;
    let examples = table.examples()?;
    let plain = Trainer::new("perceptron").bias(false).epochs(1000);
    let trainers = [
        ("perceptron", plain.clone()),
        ("averaged", plain.clone().keep(KeepKind::Average)),
        ("margin b=1", Trainer::new("margin").bias(false).epochs(1000)),
        ("margin b=20", Trainer::new("margin").set("margin", "20").bias(false).epochs(1000)),
    ];
    let mut last = None;
    for (name, trainer) in trainers {
        let fitted = trainer.fit(&table)?;
        let w = fitted.model.hypothesis.hyperplane();
        let g = Geometry::measure(&w, examples)?;
        if out.json {
            out.object(&serde_json::json!({ "demo": "margin", "learner": name, "report": fitted.report }))?;
        } else {
            let mistakes = count(fitted.report.mistakes, "mistake", "mistakes");
            let bound = fitted.report.bound.map(|b| format!(", at most {} by theorem", at_most(b))).unwrap_or_default();
            out.item(name, format!("margin γ = {:.4}   {mistakes}{bound}", g.margin))?;
        }
        last = Some(w);
    }
    if let (false, Some(w), Matrix::Dense(matrix)) = (out.json, last, &table.matrix) {
        let points: Vec<[f64; 2]> = matrix.values.chunks(2).map(|row| [row[0], row[1]]).collect();
        for line in picture::boundary(&points, &table.classes, &w) {
            out.line(line)?;
        }
    }
    Ok(())
}
