//! `rosenblatt separable`: does any hyperplane separate the classes? A proof either way.

use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use rosenblatt::ErrorKind;
use rosenblatt::certify::exact::ExactRows;
use rosenblatt::certify::{
    self, CertificateWriter, Deadline, Decision, MarginKind, Options, Question, Reading, Verdict, check_degree,
    check_provable, decide_telling, signs,
};
use rosenblatt::io::Input;
use rosenblatt::learn::Stop;
use rosenblatt::learn::kernel::Function;
use rosenblatt::read::Dataset;
use rosenblatt::rows::{Row, Rows};
use serde::Serialize;
use serde_json::json;

use super::scope::Numbers;
use super::train::classes;
use super::{open, outputs, scope, separable_kernel, separable_many};
use crate::args::{DataArgs, SeparableArgs};
use crate::output::{Output, at_most, count, note, number, warning};
use crate::show;

/// The output of `--json`.
#[derive(Serialize)]
struct Json {
    verdict: Verdict,
    #[serde(skip_serializing_if = "Option::is_none")]
    weak: Option<&'static str>,
    margin: Option<Bounds>,
    radius: f64,
    bound: Option<f64>,
    examples: usize,
    features: usize,
    degree: u32,
    witness: Option<Vec<usize>>,
    checked: &'static str,
    certificate: Option<String>,
    /// What the verdict is about.
    scope: serde_json::Value,
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

fn check_output(args: &SeparableArgs) -> Result<()> {
    let Some(path) = &args.certificate else { return Ok(()) };
    let reads = [Some(&args.data), args.read.labels.as_ref()];
    let reads: Vec<&Path> = reads.into_iter().flatten().map(Path::new).collect();
    outputs::check(&reads, &[("--certificate", path)])
}

pub fn run(args: &SeparableArgs, out: &mut Output) -> Result<ExitCode> {
    // The time limit includes reading.
    let mut options = options(args)?;
    check_output(args)?;
    let input = open::rereadable_input(&args.data)?;
    // The positive class is chosen below: one of many may be separated from the rest.
    // Labels that are hashed are those that were read, though the file changes meanwhile.
    let labels = args.read.labels.as_deref().map(|labels| certify::held(&Input::new(labels))).transpose()?;
    let one_of_many = DataArgs { positive: None, ..args.read.clone() };
    let dataset = open::training_input_beside(&input, &one_of_many, labels.as_ref())?;
    open::print_notes(&dataset, out.json);
    let polynomial = match args.kernel {
        None | Some(Function::Linear) => None,
        Some(function @ Function::Polynomial { degree, constant }) if constant > 0.0 => Some((function, degree)),
        Some(other) => return separable_kernel::run(args, other, out, (&input, &dataset), &options.deadline),
    };
    if let Some((_, degree)) = polynomial {
        // The kernel's space is that of these monomials, a constant among them.
        (options.degree, options.bias) = (degree, true);
    }
    let table = &dataset.table;
    if args.certificate.is_some() {
        check_provable(&dataset, labels.as_ref())?;
        check_degree(dataset.table.matrix.features(), options.degree).map_err(|e| e.in_file(&dataset.name))?;
    }
    let numbers = Numbers::of(&input, &dataset, args.certificate.is_some())?;
    let one = match &args.read.positive {
        Some(label) => match table.labels.find(label) {
            Some(class) => class,
            None => {
                bail!("--positive {label}: no example has this label; the data have {}", classes(table.labels.names()))
            }
        },
        None if table.labels.len() > 2 => {
            return separable_many::run(args, out, (&input, &dataset, &numbers), &options);
        }
        None => 1,
    };
    let names = table.labels.names();
    let (positive, negative) = names.iter().cloned().partition(|n| *n == names[one as usize]);
    let sides = Reading { positive, negative, labels };
    let writer = CertificateWriter::new(&input, &dataset, &sides);
    let mut proof = Proof { path: args.certificate.as_deref(), writer, begun: None };
    let tried = try_degrees(args, &options, &mut proof, &*numbers.exact, one)?;
    let Some((_, decision)) = tried.last() else { bail!("no degree was tried") };
    let saved = proof.save(decision)?;
    let perceptron = match polynomial {
        Some((function, _)) if decision.verdict == Verdict::Separable && names.len() == 2 => {
            separable_kernel::perceptron(function, true, table, &options.deadline)?
        }
        _ => None,
    };
    let kernel = polynomial.map(|(function, _)| function);
    let scope = scope::of((&input, &dataset, &numbers), Some(one), (decision.bias, decision.degree), decision.features);
    if out.json {
        let degrees = if args.minimal_degree { &tried[..] } else { &[] };
        let degrees = degrees.iter().map(|(d, v)| json!({ "degree": d, "verdict": v.verdict })).collect();
        let separated = perceptron.filter(|f| f.report.stopped == Stop::Separated);
        out.object(&Json {
            scope: scope::object(&scope),
            checked: numbers.checked().0,
            kernel,
            support_vectors: separated.and_then(|f| f.report.support_vectors),
            ..object(decision, table.matrix.features(), saved, degrees)
        })?;
    } else {
        print_lower_degrees(out, &dataset, one, &tried[..tried.len() - 1])?;
        print(out, decision, args.minimal_degree, &numbers)?;
        scope::print(out, &scope)?;
        explain_touching(out, decision, &dataset)?;
        if let Some(function) = kernel {
            let space = "the space of the monomials, up to scaling; margin and radius above are those of the monomials";
            out.item("kernel", format!("{function}: {space}"))?;
            separable_kernel::print_perceptron(out, perceptron.as_ref())?;
        }
        out.item("certificate", saved.as_deref().unwrap_or(numbers.not_saved()))?;
    }
    Ok(exit(decision.verdict))
}

/// The degrees that were tried, with their decisions: one, or all up to the least that separates.
fn try_degrees(
    args: &SeparableArgs,
    options: &Options,
    proof: &mut Proof<'_>,
    exact: &dyn ExactRows,
    one: u32,
) -> Result<Vec<(u32, Decision)>> {
    let (dataset, begin) = (proof.writer.dataset(), Instant::now());
    let table = &dataset.table;
    let side = |class: u32| if class == one { 1 } else { -1 };
    let question = Question { rows: table.matrix.rows()?, exact: Box::new(exact), signs: signs(&table.classes, side) };
    let mut tried: Vec<(u32, Decision)> = Vec::new();
    loop {
        let degree = if args.minimal_degree { tried.len() as u32 + 1 } else { options.degree };
        let mut tell = |decision: &Decision| {
            if begin.elapsed() > SOON {
                note(format!("not strictly separable: {}; whether weakly is not known yet", witness(decision)));
            }
            if args.minimal_degree { Ok(()) } else { proof.begin(decision) }
        };
        let options = Options { degree, ..options.clone() };
        let decision = decide_telling(&question, &options, &mut tell).map_err(|e| e.in_file(&dataset.name))?;
        let late = decision.verdict == Verdict::NotSeparable && options.deadline.has_passed();
        let go_on = args.minimal_degree && decision.verdict.is_refuted() && !late && decision.contradiction.is_none();
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
        Some(s) => bail!("--time-limit {}: expected seconds, from 0 to a billion", number(s)),
    };
    if !(args.gap > 0.0 && args.gap < 1.0) {
        bail!("--gap {}: expected a number between 0 and 1, both excluded", args.gap);
    }
    Ok(Options { gap: args.gap, deadline, bias: !args.no_bias, degree: args.degree })
}

pub fn exit(verdict: Verdict) -> ExitCode {
    ExitCode::from(match verdict {
        Verdict::Separable => 0,
        Verdict::WeaklySeparable | Verdict::Inseparable | Verdict::NotSeparable => 1,
        Verdict::Undecided => 3,
    })
}

/// What is proved later than this is worth a note when a part of it is known.
const SOON: Duration = Duration::from_secs(1);

/// The certificate of a decision, and where it is saved.
struct Proof<'a> {
    path: Option<&'a Path>,
    writer: CertificateWriter<'a>,
    /// The verdict that is saved already.
    begun: Option<Verdict>,
}

impl Proof<'_> {
    /// Saves what is proved before all is decided.
    fn begin(&mut self, decision: &Decision) -> rosenblatt::Result<()> {
        if let Some(path) = self.path {
            certify::save(&self.writer.certificate(decision)?, path)?;
            self.begun = Some(decision.verdict);
        }
        Ok(())
    }

    /// Saves what is decided; the path, if there is a certificate.
    fn save(&mut self, decision: &Decision) -> Result<Option<String>> {
        let Some(path) = self.path else { return Ok(None) };
        if decision.verdict == Verdict::Undecided {
            warning("undecided: no certificate is written");
            return Ok(None);
        }
        if self.begun != Some(decision.verdict) {
            match (self.begin(decision), self.begun) {
                (Err(error), Some(Verdict::NotSeparable)) if error.kind() == ErrorKind::Memory => {
                    warning(format!("{error}: the certificate proves \"not-separable\" alone"));
                }
                (saved, _) => saved?,
            }
        }
        Ok(Some(path.display().to_string()))
    }
}

fn object(d: &Decision, features: usize, certificate: Option<String>, degrees: Vec<serde_json::Value>) -> Json {
    let refuted = d.verdict.is_refuted();
    let margin = d.margin.as_ref().map(|m| m.floats()).map(|(lower, upper)| Bounds { lower, upper });
    Json {
        verdict: d.verdict,
        weak: (d.verdict == Verdict::NotSeparable).then_some("undecided"),
        margin,
        radius: d.radius,
        bound: d.bound,
        examples: d.examples,
        features,
        degree: d.degree,
        witness: refuted.then(|| d.support.iter().map(|s| s.0 + 1).collect()),
        checked: "exact",
        certificate,
        scope: json!({}),
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

pub fn name(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Separable => "separable",
        Verdict::WeaklySeparable => "weakly separable",
        Verdict::Inseparable => "inseparable",
        Verdict::NotSeparable => "not separable",
        Verdict::Undecided => "undecided",
    }
}

/// γ, or its two bounds where they differ in the digits that are shown.
pub fn between(lower: f64, upper: f64) -> String {
    if number(lower) == number(upper) && (upper - lower) <= 1e-9 * upper {
        return format!("γ = {}", number(upper));
    }
    // Less than any float, or nothing is known from below.
    if lower <= 0.0 {
        return format!("γ at most {}", number(upper));
    }
    format!("γ between {} and {}", ten_digits(lower), ten_digits(upper))
}

/// A positive number to ten digits.
fn ten_digits(v: f64) -> String {
    match v.log10().floor() as i32 {
        magnitude @ -4..9 => format!("{v:.*}", (9 - magnitude) as usize),
        _ => format!("{v:.9e}"),
    }
}

/// Says where classes touch only because some features occur in one of them: common in sparse data, and no near miss.
fn explain_touching(out: &mut Output, d: &Decision, dataset: &Dataset) -> Result<()> {
    let Some((w, b)) = d.hyperplane.as_ref().map(|hyperplane| hyperplane.floats()) else { return Ok(()) };
    let used: Vec<usize> = (0..w.len()).filter(|&j| w[j] != 0.0).collect();
    let table = &dataset.table;
    if d.verdict != Verdict::WeaklySeparable || d.degree != 1 || b != 0.0 || used.is_empty() || table.labels.len() != 2
    {
        return Ok(());
    }
    // Of each feature, the classes that it occurs in, as bits.
    let (rows, mut found) = (table.matrix.rows()?, vec![0u8; w.len()]);
    for (i, class) in table.classes.iter().enumerate() {
        rows.row(i).each(|j, v| found[j] |= u8::from(v != 0.0) << class);
    }
    if used.iter().any(|&j| found[j] == 3) {
        return Ok(());
    }
    const SHOWN: usize = 5;
    let names: Vec<String> = used.iter().take(SHOWN).map(|&j| show::name(&table.schema.feature_name(j))).collect();
    let why = match &names[..] {
        [name] => format!("the feature {name} occurs in one class only; examples without it"),
        _ => {
            let more = if used.len() > SHOWN { ", …" } else { "" };
            format!(
                "{} features ({}{more}) occur in one class each; examples without them",
                used.len(),
                names.join(", ")
            )
        }
    };
    out.item("meaning", format!("{why} lie on the hyperplane, whichever their class"))?;
    Ok(())
}

/// How many mistakes the perceptron makes, with the margin that the bound uses: the perceptron learns the bias as one more
/// weight, so its hyperplanes pass through the origin of one more dimension, and their margin is another than the hulls'.
pub fn promise(d: &Decision, bound: f64) -> String {
    let with_bias = match d.margin.as_ref().map(|margin| margin.kind) {
        Some(MarginKind::Hull) => format!(", margin with the bias γ′ = {}", number(d.radius / bound.sqrt())),
        _ => String::new(),
    };
    let sign = if with_bias.is_empty() { "γ" } else { "γ′" };
    format!("{with_bias}   the perceptron makes at most (R/{sign})² = {} mistakes", at_most(bound))
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

fn print(out: &mut Output, d: &Decision, minimal: bool, numbers: &Numbers<'_>) -> Result<()> {
    let checked = numbers.checked().1;
    let space = match (d.degree, minimal) {
        (1, false) => String::new(),
        (degree, false) => format!(" by a polynomial of degree {degree} ({} monomials)", d.features),
        (degree, true) => format!(" by a polynomial of degree {degree}, and of none below"),
    };
    match d.verdict {
        Verdict::Separable => {
            out.item("verdict", format!("separable{space}"))?;
            let every = count(d.examples as u64, "example", "examples");
            out.item("proof", format!("a hyperplane with all {every} strictly on their side, {checked}"))?;
        }
        Verdict::WeaklySeparable => {
            out.item(
                "verdict",
                "weakly separable: the classes touch, and no hyperplane has all strictly on their side",
            )?;
            out.item("proof", format!("{}; a hyperplane has none on the wrong side; {checked}", witness(d)))?;
        }
        Verdict::Inseparable => {
            out.item("verdict", "inseparable: no hyperplane has the classes on its two sides, not even touching it")?;
            out.item("proof", format!("{}, and all others lie in their span; {checked}", witness(d)))?;
        }
        Verdict::NotSeparable => {
            let open = "whether one has none on the wrong side is undecided (raise --time-limit or --memory)";
            out.item("verdict", format!("not separable: no hyperplane has all strictly on their side; {open}"))?;
            out.item("proof", format!("{}; {checked}", witness(d)))?;
        }
        Verdict::Undecided => out.item("verdict", "undecided within the time limit (raise --time-limit)")?,
    }
    if let Some((a, b)) = d.contradiction {
        let same = if numbers.floats.is_some() { "the same features, as floats," } else { "the same features" };
        out.item("note", format!("examples {} and {} have {same} and different labels", a + 1, b + 1))?;
    }
    if let Some(margin) = &d.margin {
        let (lower, upper) = margin.floats();
        let kind = match margin.kind {
            MarginKind::Hull => "half the distance between the two classes' hulls",
            MarginKind::Origin => "for hyperplanes through the origin",
        };
        out.item("margin", format!("{}, {kind}", between(lower, upper)))?;
    }
    let promise = d.bound.filter(|bound| bound.is_finite()).map(|bound| promise(d, bound)).unwrap_or_default();
    let radius = if d.radius.is_finite() { number(d.radius) } else { "more than a float holds".to_string() };
    // Without a bound of the margin nothing was measured.
    if d.verdict != Verdict::Undecided || d.margin.is_some() {
        out.item("theory", format!("radius R = {radius}{promise}"))?;
    }
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

#[cfg(test)]
mod tests {
    use super::between;

    #[test]
    fn bounds_of_a_margin_are_plain_numbers() {
        assert_eq!(between(0.5, 0.5), "γ = 0.5");
        assert_eq!(between(1.283070165, 1.283070244), "γ between 1.283070165 and 1.283070244");
        assert_eq!(between(0.012345678901, 0.0123456791), "γ between 0.01234567890 and 0.01234567910");
        assert_eq!(between(1e-321, 2.5), "γ between 9.980126046e-322 and 2.500000000");
        // A separable set has γ > 0: "between 0 and" said otherwise.
        assert_eq!(between(0.0, 8.5e-17), "γ at most 8.50000e-17");
    }
}
