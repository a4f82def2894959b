//! `rosenblatt separable`: does any hyperplane separate the classes? A proof either way.

use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use rosenblatt::certify::exact::ExactRows;
use rosenblatt::certify::{
    self, Deadline, Decision, MarginKind, Options, Question, Reading, Verdict, certificate, check_provable, decide,
    decide_jointly, exact_rows, signs,
};
use rosenblatt::io::Input;
use rosenblatt::learn::Stop;
use rosenblatt::learn::kernel::Function;
use rosenblatt::read::Dataset;
use serde::Serialize;
use serde_json::json;

use super::train::classes;
use super::{open, outputs, separable_kernel};
use crate::args::{DataArgs, SeparableArgs};
use crate::output::{Output, at_most, count, number, warning};
use crate::show;

/// The output of `--json`.
#[derive(Serialize)]
struct Json {
    verdict: Verdict,
    margin: Option<Bounds>,
    radius: f64,
    bound: Option<f64>,
    examples: usize,
    features: usize,
    degree: u32,
    witness: Option<Vec<usize>>,
    checked: &'static str,
    certificate: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kernel: Option<Function>,
    #[serde(skip_serializing_if = "Option::is_none")]
    support_vectors: Option<u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    degrees: Vec<serde_json::Value>,
}

#[derive(Serialize)]
struct Bounds {
    lower: f64,
    upper: f64,
}

pub fn run(args: &SeparableArgs, out: &mut Output) -> Result<ExitCode> {
    // The time limit includes reading.
    let mut options = options(args)?;
    if let Some(path) = &args.certificate {
        let reads = [Some(&args.data), args.read.labels.as_ref()];
        let reads: Vec<&Path> = reads.into_iter().flatten().map(Path::new).collect();
        outputs::check(&reads, &[("--certificate", path)])?;
    }
    let input = open::rereadable_input(&args.data)?;
    // The positive class is chosen below: one of many may be separated from the rest.
    let dataset = open::training_input(&input, &DataArgs { positive: None, ..args.read.clone() })?;
    open::print_notes(&dataset, out.json);
    let polynomial = match args.kernel {
        None | Some(Function::Linear) => None,
        Some(function @ Function::Polynomial { degree, constant }) if constant > 0.0 => Some((function, degree)),
        Some(other) => return separable_kernel::run(args, other, out, &dataset),
    };
    if let Some((_, degree)) = polynomial {
        // The kernel's space is that of these monomials, a constant among them.
        (options.degree, options.bias) = (degree, true);
    }
    let table = &dataset.table;
    let labels = args.read.labels.as_deref().map(Input::new);
    if args.certificate.is_some() {
        check_provable(&dataset, labels.as_ref())?;
    }
    let exact = exact_rows(&input, &dataset).map_err(|e| e.in_file(&dataset.name))?;
    let one = match &args.read.positive {
        Some(label) => match table.labels.find(label) {
            Some(class) => class,
            None => {
                bail!("--positive {label}: no example has this label; the data have {}", classes(table.labels.names()))
            }
        },
        None if table.labels.len() > 2 => return many(args, out, &dataset, &*exact, &options),
        None => 1,
    };
    let tried = try_degrees(args, &options, &dataset, &*exact, one)?;
    let Some((_, decision)) = tried.last() else { bail!("no degree was tried") };
    let names = table.labels.names();
    let (positive, negative) = names.iter().cloned().partition(|n| *n == names[one as usize]);
    let saved = save(args, decision, &input, &dataset, &Reading { positive, negative, labels })?;
    let perceptron = match polynomial {
        Some((function, _)) if decision.verdict == Verdict::Separable && names.len() == 2 => {
            Some(separable_kernel::perceptron(function, true, table)?)
        }
        _ => None,
    };
    let kernel = polynomial.map(|(function, _)| function);
    if out.json {
        let degrees = if args.minimal_degree { &tried[..] } else { &[] };
        let degrees = degrees.iter().map(|(d, v)| json!({ "degree": d, "verdict": v.verdict })).collect();
        let separated = perceptron.filter(|f| f.report.stopped == Stop::Separated);
        out.object(&Json {
            kernel,
            support_vectors: separated.and_then(|f| f.report.support_vectors),
            ..object(decision, table.matrix.features(), saved, degrees)
        })?;
    } else {
        print_lower_degrees(out, &dataset, one, &tried[..tried.len() - 1])?;
        print(out, decision, args.minimal_degree)?;
        if let Some(function) = kernel {
            let space = "the space of the monomials, up to scaling; margin and radius above are those of the monomials";
            out.item("kernel", format!("{function}: {space}"))?;
            separable_kernel::print_perceptron(out, perceptron.as_ref())?;
        }
        out.item("certificate", saved.as_deref().unwrap_or("not saved (use --certificate FILE)"))?;
    }
    Ok(exit(decision.verdict))
}

/// The degrees that were tried, with their decisions: one, or all up to the least that separates.
fn try_degrees(
    args: &SeparableArgs,
    options: &Options,
    dataset: &Dataset,
    exact: &dyn ExactRows,
    one: u32,
) -> Result<Vec<(u32, Decision)>> {
    let table = &dataset.table;
    let side = |class: u32| if class == one { 1 } else { -1 };
    let question = Question { rows: table.matrix.rows()?, exact: Box::new(exact), signs: signs(&table.classes, side) };
    let mut tried: Vec<(u32, Decision)> = Vec::new();
    loop {
        let degree = if args.minimal_degree { tried.len() as u32 + 1 } else { options.degree };
        let decision =
            decide(&question, &Options { degree, ..options.clone() }).map_err(|e| e.in_file(&dataset.name))?;
        let go_on = args.minimal_degree
            && matches!(decision.verdict, Verdict::WeaklySeparable | Verdict::Inseparable)
            && decision.contradiction.is_none();
        tried.push((degree, decision));
        if !go_on {
            return Ok(tried);
        }
    }
}

/// Prints the data, and the lower degrees with their verdicts.
fn print_lower_degrees(out: &mut Output, dataset: &Dataset, one: u32, below: &[(u32, Decision)]) -> Result<()> {
    let against = match dataset.table.labels.names() {
        [_, _] => String::new(),
        names => format!(", {} against the rest", show::name(&names[one as usize])),
    };
    print_data(out, dataset, &against)?;
    for (degree, decision) in below {
        out.item(&format!("degree {degree}"), format!("{}: {}", name(decision.verdict), witness(decision)))?;
    }
    Ok(())
}

fn options(args: &SeparableArgs) -> Result<Options> {
    let deadline = match args.time_limit {
        None => Deadline::NEVER,
        Some(s) if (0.0..1e9).contains(&s) => (Instant::now() + Duration::from_secs_f64(s)).into(),
        Some(s) => bail!("--time-limit {s}: expected seconds, not negative"),
    };
    if !(args.gap > 0.0 && args.gap < 1.0) {
        bail!("--gap {}: expected a number between 0 and 1, both excluded", args.gap);
    }
    Ok(Options { gap: args.gap, deadline, bias: !args.no_bias, degree: args.degree })
}

fn exit(verdict: Verdict) -> ExitCode {
    ExitCode::from(match verdict {
        Verdict::Separable => 0,
        Verdict::WeaklySeparable | Verdict::Inseparable => 1,
        Verdict::Undecided => 3,
    })
}

fn save(
    args: &SeparableArgs,
    decision: &Decision,
    input: &Input,
    dataset: &Dataset,
    sides: &Reading,
) -> Result<Option<String>> {
    let Some(path) = &args.certificate else { return Ok(None) };
    if decision.verdict == Verdict::Undecided {
        warning("undecided: no certificate is written");
        return Ok(None);
    }
    certify::save(&certificate(decision, input, dataset, sides)?, path)?;
    Ok(Some(path.display().to_string()))
}

fn object(d: &Decision, features: usize, certificate: Option<String>, degrees: Vec<serde_json::Value>) -> Json {
    let refuted = matches!(d.verdict, Verdict::WeaklySeparable | Verdict::Inseparable);
    let margin = d.margin.as_ref().map(|m| m.floats()).map(|(lower, upper)| Bounds { lower, upper });
    Json {
        verdict: d.verdict,
        margin,
        radius: d.radius,
        bound: d.bound,
        examples: d.examples,
        features,
        degree: d.degree,
        witness: refuted.then(|| d.support.iter().map(|s| s.0 + 1).collect()),
        checked: "exact",
        certificate,
        kernel: None,
        support_vectors: None,
        degrees,
    }
}

pub fn print_data(out: &mut Output, dataset: &Dataset, more: &str) -> Result<()> {
    let table = &dataset.table;
    let examples = count(table.classes.len() as u64, "example", "examples");
    let features = count(table.matrix.features() as u64, "feature", "features");
    let what = format!("{} [{}]", show::file(&dataset.name), dataset.format);
    out.item("data", format!("{what}: {examples}, {features}, {}{more}", classes(table.labels.names())))?;
    Ok(())
}

fn name(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Separable => "separable",
        Verdict::WeaklySeparable => "weakly separable",
        Verdict::Inseparable => "inseparable",
        Verdict::Undecided => "undecided",
    }
}

/// What proves that no hyperplane separates.
fn witness(d: &Decision) -> String {
    const SHOWN: usize = 8;
    let mut numbers: Vec<String> = d.support.iter().take(SHOWN).map(|s| (s.0 + 1).to_string()).collect();
    if d.support.len() > SHOWN {
        numbers.push("…".to_string());
    }
    let examples = count(d.support.len() as u64, "example", "examples");
    format!("a weighted sum of {examples} cancels ({})", numbers.join(", "))
}

fn print(out: &mut Output, d: &Decision, minimal: bool) -> Result<()> {
    let space = match (d.degree, minimal) {
        (1, false) => String::new(),
        (degree, false) => format!(" by a polynomial of degree {degree} ({} monomials)", d.features),
        (degree, true) => format!(" by a polynomial of degree {degree}, and of none below"),
    };
    match d.verdict {
        Verdict::Separable => {
            out.item("verdict", format!("separable{space}"))?;
            let every = count(d.examples as u64, "example", "examples");
            out.item("proof", format!("a hyperplane with all {every} strictly on their side, checked exactly"))?;
        }
        Verdict::WeaklySeparable => {
            out.item(
                "verdict",
                "weakly separable: the classes touch, and no hyperplane has all strictly on their side",
            )?;
            out.item("proof", format!("{}; a hyperplane has none on the wrong side; checked exactly", witness(d)))?;
        }
        Verdict::Inseparable => {
            out.item("verdict", "inseparable: no hyperplane has the classes on its two sides, not even touching it")?;
            out.item("proof", format!("{}, and all others lie in their span; checked exactly", witness(d)))?;
        }
        Verdict::Undecided => out.item("verdict", "undecided within the time limit (raise --time-limit)")?,
    }
    if let Some((a, b)) = d.contradiction {
        out.item("note", format!("examples {} and {} have the same features and different labels", a + 1, b + 1))?;
    }
    if let Some(margin) = &d.margin {
        let (lower, upper) = margin.floats();
        let kind = match margin.kind {
            MarginKind::Hull => "half the distance between the two classes' hulls",
            MarginKind::Origin => "for hyperplanes through the origin",
        };
        out.item("margin", format!("γ between {lower:.9e} and {upper:.9e}, {kind}"))?;
    }
    let promise = match d.bound.filter(|bound| bound.is_finite()) {
        Some(bound) => format!("   the perceptron makes at most {} mistakes", at_most(bound)),
        None => String::new(),
    };
    let radius = if d.radius.is_finite() { number(d.radius) } else { "more than a float holds".to_string() };
    out.item("theory", format!("radius R = {radius}{promise}"))?;
    if d.verdict != Verdict::Separable && d.verdict != Verdict::Undecided {
        let advice = if d.contradiction.is_some() {
            "no features made from these can separate them: two examples contradict each other"
        } else {
            "the perceptron never stops on these data; --minimal-degree finds features that separate them"
        };
        out.item("advice", advice)?;
    }
    Ok(())
}

/// More than two classes: each against the rest, each pair, and all at once.
fn many(
    args: &SeparableArgs,
    out: &mut Output,
    dataset: &Dataset,
    exact: &dyn ExactRows,
    options: &Options,
) -> Result<ExitCode> {
    let table = &dataset.table;
    let names = table.labels.names();
    if args.certificate.is_some() || args.minimal_degree {
        let option = if args.minimal_degree { "--minimal-degree" } else { "--certificate" };
        bail!(
            "{option} is for two classes, and the data have {}: set one against the rest with --positive LABEL",
            names.len()
        );
    }
    let ask = |side: &dyn Fn(u32) -> i8| -> Result<Verdict> {
        let signs = signs(&table.classes, side);
        let question = Question { rows: table.matrix.rows()?, exact: Box::new(exact), signs };
        Ok(decide(&question, options).map_err(|e| e.in_file(&dataset.name))?.verdict)
    };
    let all = names.len() as u32;
    let mut rest = Vec::new();
    for one in 0..all {
        rest.push(ask(&|c| if c == one { 1 } else { -1 })?);
    }
    let mut pairs = Vec::new();
    for a in 0..all {
        for b in a + 1..all {
            pairs.push((a, b, ask(&|c| i8::from(c == b) - i8::from(c == a))?));
        }
    }
    let joint = match options.degree {
        1 => Some(decide_jointly(table.matrix.rows()?, exact, &table.classes, names.len(), options)?),
        _ => None,
    };
    let verdict = joint.as_ref().map_or_else(
        || rest.iter().copied().find(|v| *v != Verdict::Separable).unwrap_or(Verdict::Separable),
        |d| d.verdict,
    );
    if out.json {
        let rest: Vec<_> = names.iter().zip(&rest).map(|(n, v)| json!({ "class": n, "verdict": v })).collect();
        let pair = |(a, b, v): &(u32, u32, Verdict)| json!({ "classes": [names[*a as usize], names[*b as usize]], "verdict": v });
        let witness = joint
            .as_ref()
            .filter(|d| d.verdict != Verdict::Separable)
            .map(|d| d.support.iter().map(|s| s.0 + 1).collect::<Vec<_>>());
        out.object(&json!({
            "verdict": verdict, "margin": null, "radius": joint.as_ref().map(|d| d.radius), "bound": null,
            "examples": table.classes.len(), "features": table.matrix.features(), "degree": options.degree,
            "witness": witness, "checked": "exact",
            "one_vs_rest": rest, "pairs": pairs.iter().map(pair).collect::<Vec<_>>(),
        }))?;
        return Ok(exit(verdict));
    }
    print_data(out, dataset, "")?;
    if let Some(d) = &joint {
        let how = match d.verdict {
            Verdict::Separable => "weights for each class give every example's own the highest score",
            Verdict::WeaklySeparable => {
                "no weights give every example's own class the highest score, if ties do not count"
            }
            Verdict::Inseparable => "no weights give every example's own class the highest score, not even with ties",
            Verdict::Undecided => "the time limit was reached (raise --time-limit)",
        };
        out.item("all at once", format!("{}: {how}", name(d.verdict)))?;
    }
    for (n, v) in names.iter().zip(&rest) {
        out.item("one v. rest", format!("{}: {}", show::name(n), name(*v)))?;
    }
    for (a, b, v) in &pairs {
        let [a, b] = [a, b].map(|class| show::name(&names[*class as usize]));
        out.item("pair", format!("{a} and {b}: {}", name(*v)))?;
    }
    Ok(exit(verdict))
}
