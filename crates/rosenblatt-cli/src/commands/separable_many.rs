//! `rosenblatt separable` for more than two classes: all at once, each against the rest, each pair.

use std::cell::Cell;
use std::process::ExitCode;

use anyhow::{Result, bail};
use rosenblatt::certify::exact::ExactRows;
use rosenblatt::certify::{Decision, Options, Question, Verdict, decide, decide_jointly, signs};
use rosenblatt::io::Input;
use rosenblatt::read::Dataset;
use rosenblatt::{ErrorKind, limits};
use serde::{Serialize, Serializer};
use serde_json::Value;

use super::scope::{self, Numbers};
use super::separable::{exit, name, print_data};
use crate::args::SeparableArgs;
use crate::output::{Output, count, warning};
use crate::{show, words};

/// The output of `--json`.
#[derive(Serialize)]
struct Json<'a> {
    verdict: Verdict,
    margin: Option<f64>,
    radius: Option<f64>,
    bound: Option<f64>,
    examples: usize,
    features: usize,
    degree: u32,
    witness: Option<Vec<usize>>,
    checked: &'static str,
    one_vs_rest: Vec<OneVsRest<'a>>,
    pairs: Pairs<'a>,
    /// Pairs that there was no time for; they are not listed.
    pairs_left: u64,
    scope: Value,
}

#[derive(Serialize)]
struct OneVsRest<'a> {
    class: &'a str,
    verdict: Verdict,
}

/// Verdicts of pairs, in the order in which they were asked.
struct Pairs<'a> {
    names: &'a [String],
    asked: Vec<(u32, u32, Verdict)>,
}

impl Serialize for Pairs<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Pair<'a> {
            classes: [&'a str; 2],
            verdict: Verdict,
        }
        let name = |class: u32| self.names[class as usize].as_str();
        serializer.collect_seq(self.asked.iter().map(|&(a, b, verdict)| Pair { classes: [name(a), name(b)], verdict }))
    }
}

/// One question after the other.
struct Asker<'a> {
    dataset: &'a Dataset,
    exact: &'a dyn ExactRows,
    options: &'a Options,
    /// Features of the last question, monomials counted.
    features: Cell<usize>,
}

impl Asker<'_> {
    fn ask(&self, side: impl Fn(u32) -> i8) -> Result<Verdict> {
        let table = &self.dataset.table;
        if self.options.deadline.has_passed() {
            return Ok(Verdict::Undecided);
        }
        let signs = signs(&table.classes, side);
        let question = Question { rows: table.matrix.rows()?, exact: Box::new(self.exact), signs };
        let decision = decide(&question, self.options).map_err(|e| e.in_file(&self.dataset.name))?;
        self.features.set(decision.features);
        Ok(decision.verdict)
    }

    /// All classes at once, in half of the time: the rest is for the other questions. `None` if it does not fit in memory.
    fn jointly(&self) -> Result<Option<Decision>> {
        let table = &self.dataset.table;
        let options = Options { deadline: self.options.deadline.half_way(), ..self.options.clone() };
        match decide_jointly(table.matrix.rows()?, self.exact, &table.classes, table.labels.len(), &options) {
            Err(error) if error.kind() == ErrorKind::Memory => {
                let error = error.in_file(&self.dataset.name).into();
                warning(format!("all at once: {}", words::any_error(&error)));
                Ok(None)
            }
            decided => Ok(Some(decided.map_err(|e| e.in_file(&self.dataset.name))?)),
        }
    }

    /// Each pair, as far as the time goes: there may be millions of them.
    fn pairs(&self) -> Result<Vec<(u32, u32, Verdict)>> {
        let all = self.dataset.table.labels.len() as u32;
        let mut asked = Vec::new();
        for a in 0..all {
            for b in a + 1..all {
                limits::check()?;
                if self.options.deadline.has_passed() {
                    return Ok(asked);
                }
                asked.push((a, b, self.ask(|c| i8::from(c == b) - i8::from(c == a))?));
            }
        }
        Ok(asked)
    }
}

/// What a verdict means for all classes at once.
fn meaning(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Separable => "weights for each class give every example's own the highest score",
        Verdict::WeaklySeparable => "no weights give every example's own class the highest score, if ties do not count",
        Verdict::Inseparable => "no weights give every example's own class the highest score, not even with ties",
        Verdict::NotSeparable => {
            "no weights give every example's own class the highest score; with ties it is undecided"
        }
        Verdict::Undecided => "the limits were reached (raise --time-limit or --memory)",
    }
}

pub fn run(
    args: &SeparableArgs,
    out: &mut Output,
    (input, dataset, numbers): (&Input, &Dataset, &Numbers<'_>),
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
    let asker = Asker { dataset, exact: &*numbers.exact, options, features: Cell::new(table.matrix.features()) };
    let jointly = options.degree == 1;
    let joint = if jointly { asker.jointly()? } else { None };
    let all = names.len() as u32;
    let rest: Vec<Verdict> = (0..all).map(|one| asker.ask(|c| if c == one { 1 } else { -1 })).collect::<Result<_>>()?;
    let asked = asker.pairs()?;
    let pairs_left = u64::from(all) * u64::from(all - 1) / 2 - asked.len() as u64;
    let verdict = match (&joint, jointly) {
        (Some(joint), _) => joint.verdict,
        (None, true) => Verdict::Undecided,
        (None, false) => rest.iter().copied().find(|v| *v != Verdict::Separable).unwrap_or(Verdict::Separable),
    };
    let scope = scope::of((input, dataset, numbers), None, (options.bias, options.degree), asker.features.get());
    if out.json {
        // Each takes its names and some marks.
        let longest = names.iter().map(String::len).max().unwrap_or(0) as u128;
        let what = || format!("the verdicts of {}", count(asked.len() as u64, "pair", "pairs")).into();
        limits::room_for::<u8>(asked.len() as u128 * (64 + 4 * longest), what)?;
        let witness = |d: &Decision| d.support.iter().map(|s| s.0 + 1).collect();
        out.object(&Json {
            verdict,
            margin: None,
            radius: joint.as_ref().map(|d| d.radius),
            bound: None,
            examples: table.classes.len(),
            features: table.matrix.features(),
            degree: options.degree,
            witness: joint.as_ref().filter(|d| d.verdict.is_refuted()).map(witness),
            checked: numbers.checked().0,
            one_vs_rest: names.iter().zip(&rest).map(|(class, &verdict)| OneVsRest { class, verdict }).collect(),
            pairs: Pairs { names, asked },
            pairs_left,
            scope: scope::object(&scope),
        })?;
        return Ok(exit(verdict));
    }
    print_data(out, dataset, "")?;
    if jointly {
        out.item("all at once", format!("{}: {}", name(verdict), meaning(verdict)))?;
    }
    scope::print(out, &scope)?;
    for (n, v) in names.iter().zip(&rest) {
        out.item("one v. rest", format!("{}: {}", show::name(n), name(*v)))?;
    }
    for (a, b, v) in &asked {
        let [a, b] = [a, b].map(|class| show::name(&names[*class as usize]));
        out.item("pair", format!("{a} and {b}: {}", name(*v)))?;
    }
    if pairs_left > 0 {
        let left = count(pairs_left, "more pair", "more pairs");
        out.item("pair", format!("{left}: undecided within the time limit (raise --time-limit)"))?;
    }
    Ok(exit(verdict))
}
