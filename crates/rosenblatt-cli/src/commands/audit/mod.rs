//! `rosenblatt audit`: how good could any hyperplane be, and which rows stand in the way?

mod fix;
mod many;
mod print;
mod progress;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use clap::Args;
use rosenblatt::certify::{
    self, Audit, AuditOptions, Costs, Question, Reading, audit, audit_certificate, check_provable, signs,
};
use rosenblatt::io::Input;
use rosenblatt::limits;
use rosenblatt::rows::Table;
use serde_json::json;

use super::scope::Numbers;
use super::separable::print_data;
use super::train::classes;
use super::{open, outputs, scope};
use crate::args::DataArgs;
use crate::output::{Output, number, thousands};
use crate::show;
use fix::Fix;
pub use print::sentence;
use progress::Progress;

pub const EXAMPLES: &str = "\
Examples:
  rosenblatt audit data.csv
  rosenblatt audit data.csv --time-limit 60 --certificate audit.json
  rosenblatt verify audit.json data.csv
  rosenblatt audit data.csv --fix clean.csv              the data without the mistakes of the best hyperplane
  rosenblatt audit data.csv --class-weight spam=1,ham=5  costs instead of numbers of mistakes

A mistake is a row on the wrong side of the hyperplane, or on it. Two equal limits give the same answer where the steps end
before the time does.";

#[derive(Args)]
pub struct AuditArgs {
    /// The examples; `-` is standard input
    data: String,
    /// Write a certificate of both bounds here, which `rosenblatt verify` checks
    #[arg(long, value_name = "FILE")]
    certificate: Option<PathBuf>,
    /// Write the data without the mistakes of the best hyperplane: what is left is separable (.csv, .tsv or .svm)
    #[arg(long, value_name = "OUT")]
    fix: Option<PathBuf>,
    /// Stop after so many seconds, with the bounds that are proved by then
    #[arg(long, value_name = "S", default_value_t = 10.0)]
    time_limit: f64,
    /// Take all monomials up to this degree as features
    #[arg(long, value_name = "D", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    degree: u32,
    /// Only hyperplanes through the origin
    #[arg(long)]
    no_bias: bool,
    /// What a mistake costs: LABEL=COST,LABEL=COST, or balanced
    #[arg(long, value_name = "COSTS")]
    class_weight: Option<String>,
    #[command(flatten)]
    read: DataArgs,
}

impl AuditArgs {
    fn options(&self, begin: Instant) -> Result<AuditOptions> {
        if !(0.0..1e9).contains(&self.time_limit) {
            bail!("--time-limit {}: expected seconds, from 0 to a billion", number(self.time_limit));
        }
        // The limit includes reading.
        let time = Duration::from_secs_f64(self.time_limit).saturating_sub(begin.elapsed());
        Ok(AuditOptions { bias: !self.no_bias, degree: self.degree, time: Some(time), ..AuditOptions::default() })
    }

    fn check_outputs(&self) -> Result<()> {
        let reads = [Some(&self.data), self.read.labels.as_ref()];
        let reads: Vec<&Path> = reads.into_iter().flatten().map(Path::new).collect();
        let writes = [("--certificate", &self.certificate), ("--fix", &self.fix)];
        let writes: Vec<(&str, &Path)> =
            writes.into_iter().filter_map(|(option, path)| Some((option, path.as_deref()?))).collect();
        outputs::check(&reads, &writes)?;
        self.fix.as_deref().map_or(Ok(()), fix::check)
    }
}

pub fn run(args: &AuditArgs, out: &mut Output) -> Result<ExitCode> {
    let begin = Instant::now();
    args.options(begin)?;
    args.check_outputs()?;
    let input = open::rereadable_input(&args.data)?;
    // Labels that are hashed are those that were read, though the file changes meanwhile.
    let labels = args.read.labels.as_deref().map(|labels| certify::held(&Input::new(labels))).transpose()?;
    let one_of_many = DataArgs { positive: None, ..args.read.clone() };
    let dataset = open::training_input_beside(&input, &one_of_many, labels.as_ref())?;
    open::print_notes(&dataset, out.json);
    let table = &dataset.table;
    if args.certificate.is_some() {
        check_provable(&dataset, labels.as_ref())?;
    }
    let fix = Fix::prepare(args.fix.as_deref(), &input, &dataset, &args.read)?;
    let numbers = Numbers::of(&input, &dataset, args.certificate.is_some())?;
    let one = match &args.read.positive {
        Some(label) => match table.labels.find(label) {
            Some(class) => class,
            None => {
                bail!("--positive {label}: no example has this label; the data have {}", classes(table.labels.names()))
            }
        },
        None if table.labels.len() > 2 => {
            return many::run(args, out, (&input, &dataset, &numbers), fix.as_ref(), begin);
        }
        None => 1,
    };
    let options = AuditOptions { costs: costs(args, table, one)?, ..args.options(begin)? };
    let signs = signs(&table.classes, |class| if class == one { 1 } else { -1 });
    let question = Question { rows: table.matrix.rows()?, exact: Box::new(&*numbers.exact), signs };
    let progress = Progress::new(options.time);
    let found = audit(&question, &options, &mut |low, high| progress.show(low, high));
    drop(progress);
    let found = found.map_err(|e| e.in_file(&dataset.name))?;
    limits::check()?;
    let names = table.labels.names();
    let (positive, negative) = names.iter().cloned().partition(|n| *n == names[one as usize]);
    if let Some(path) = &args.certificate {
        let text = audit_certificate(&found, &input, &dataset, &Reading { positive, negative, labels })?;
        certify::save(&text, path)?;
    }
    let fixed = fix.map(|fix| fix.write(&found.mistakes)).transpose()?;
    let path = |path: &Option<PathBuf>| path.as_ref().map(|path| path.display().to_string());
    let scope = scope::of((&input, &dataset, &numbers), Some(one), (options.bias, options.degree), found.features);
    if out.json {
        let mut object = print::object(&found, table);
        object["checked"] = json!(numbers.checked().0);
        object["scope"] = scope::object(&scope);
        object["seconds"] = json!(begin.elapsed().as_secs_f64());
        object["certificate"] = json!(path(&args.certificate));
        object["fix"] = json!(path(&args.fix));
        out.object(&object)?;
        return Ok(ExitCode::SUCCESS);
    }
    let against = match names {
        [_, _] => String::new(),
        names => format!(", {} against the rest", show::name(&names[one as usize])),
    };
    print_data(out, &dataset, &against)?;
    print::bracket(out, &found)?;
    print::proof(out, &found, print::HYPERPLANE, &numbers)?;
    scope::print(out, &scope)?;
    print::suspects(out, &found, table)?;
    if let (Some(path), Some(rows)) = (&args.fix, fixed) {
        print::fixed(out, path, rows, &found, print::HYPERPLANE)?;
    }
    out.item("certificate", path(&args.certificate).as_deref().unwrap_or(numbers.not_saved()))?;
    Ok(ExitCode::SUCCESS)
}

/// The costs of both sides.
fn costs(args: &AuditArgs, table: &Table, one: u32) -> Result<Costs> {
    let Some(text) = &args.class_weight else { return Ok(Costs::equal()) };
    if text == "balanced" {
        let positive = table.classes.iter().filter(|c| **c == one).count();
        return Ok(Costs::balanced(positive, table.classes.len() - positive)?);
    }
    let mut by_class: Vec<Option<&str>> = vec![None; table.labels.len()];
    for part in text.split(',') {
        let Some((label, cost)) = part.rsplit_once('=') else {
            bail!("--class-weight {text}: expected balanced, or LABEL=COST,LABEL=COST");
        };
        match table.labels.find(label) {
            Some(class) if by_class[class as usize].is_some() => {
                bail!("--class-weight {text}: {} has two costs", show::name(label))
            }
            Some(class) => by_class[class as usize] = Some(cost),
            None => {
                bail!(
                    "--class-weight {label}: no example has this label; the data have {}",
                    classes(table.labels.names())
                )
            }
        }
    }
    let cost = |class: usize| by_class[class].unwrap_or("1");
    let mut others = (0..by_class.len()).filter(|class| *class != one as usize);
    let first = others.next().map_or("1", cost);
    if others.any(|class| cost(class) != first) {
        bail!("--class-weight {text}: the classes against --positive are one side, and cost the same");
    }
    Ok(Costs::parse(cost(one as usize), first)?)
}

/// The bounds as they are printed: numbers of mistakes, or costs.
fn amount(audit: &Audit, value: f64) -> String {
    if audit.options.costs.is_equal() { thousands(value as u64) } else { number(value) }
}
