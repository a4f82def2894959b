//! More than two classes: one machine for all, and each pair.

use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use rosenblatt::certify::{Audit, AuditOptions, Question, audit, audit_jointly, signs};
use rosenblatt::io::Input;
use rosenblatt::limits;
use rosenblatt::read::Dataset;
use rosenblatt::rows::Table;
use serde_json::{Value, json};

use super::fix::Fix;
use super::progress::Progress;
use super::{AuditArgs, print};
use crate::commands::scope::{self, Numbers, Scope};
use crate::commands::separable::print_data;
use crate::output::{Output, count, thousands};
use crate::show;

/// The part of the time for all classes at once; the pairs share the rest.
const JOINTLY: f64 = 0.5;

/// What has mistakes here.
const MACHINE: &str = "machine of one weight vector for each class";

/// The bounds of a pair.
struct Pair {
    classes: [u32; 2],
    examples: usize,
    at_least: u64,
    at_most: u64,
    exact: bool,
}

pub fn run(
    args: &AuditArgs,
    out: &mut Output,
    (input, dataset, numbers): (&Input, &Dataset, &Numbers<'_>),
    fix: Option<&Fix<'_>>,
    begin: Instant,
) -> Result<ExitCode> {
    let table = &dataset.table;
    let names = table.labels.names();
    for (option, given) in
        [("--certificate", args.certificate.is_some()), ("--class-weight", args.class_weight.is_some())]
    {
        if given {
            let many = names.len();
            bail!(
                "{option} is for two classes, and the data have {many}: set one against the rest with --positive LABEL"
            );
        }
    }
    if args.fix.is_some() && args.degree != 1 {
        bail!("--fix needs --degree 1 with more than two classes");
    }
    let options = args.options(begin)?;
    let left = || Duration::from_secs_f64(args.time_limit).saturating_sub(begin.elapsed());
    let (rows, exact) = (table.matrix.rows()?, &*numbers.exact);
    let here = |e: rosenblatt::Error| e.in_file(&dataset.name);
    let progress = Progress::new(options.time);
    let joint = match options.degree {
        1 => {
            let options = AuditOptions { time: Some(left().mul_f64(JOINTLY)), ..options.clone() };
            let classes = (&table.classes[..], names.len());
            let found = audit_jointly(rows, exact, classes, &options, &mut |low, high| progress.show(low, high));
            Some(found.map_err(here)?)
        }
        _ => None,
    };
    let (found, features) = pairs(args, (dataset, numbers), &left)?;
    let all = names.len() as u64;
    let pairs_left = all * (all - 1) / 2 - found.len() as u64;
    drop(progress);
    limits::check()?;
    let fixed = match &joint {
        Some(joint) => fix.map(|fix| fix.write(&joint.mistakes)).transpose()?,
        None => None,
    };
    let scope = scope::of((input, dataset, numbers), None, (options.bias, options.degree), features);
    let report = Report { joint, found, pairs_left, scope };
    if out.json {
        let mut object = report.object(table, &options)?;
        object["checked"] = json!(numbers.checked().0);
        object["seconds"] = json!(begin.elapsed().as_secs_f64());
        object["fix"] = json!(args.fix);
        out.object(&object)?;
        return Ok(ExitCode::SUCCESS);
    }
    print_data(out, dataset, "")?;
    report.print(out, table, numbers, args.fix.as_deref().zip(fixed))?;
    Ok(ExitCode::SUCCESS)
}

/// Each pair of classes, as far as the time goes; and the number of features, monomials counted.
fn pairs(
    args: &AuditArgs,
    (dataset, numbers): (&Dataset, &Numbers<'_>),
    left: &dyn Fn() -> Duration,
) -> Result<(Vec<Pair>, usize)> {
    let table = &dataset.table;
    let (rows, exact, all) = (table.matrix.rows()?, &*numbers.exact, table.labels.len() as u32);
    let (mut found, mut features) = (Vec::new(), rows.features());
    let count = u64::from(all) * u64::from(all - 1) / 2;
    for (a, b) in (0..all).flat_map(|a| (a + 1..all).map(move |b| (a, b))) {
        limits::check()?;
        // There may be millions of pairs: those that there is no time for are counted.
        if left().is_zero() {
            break;
        }
        let share = left().div_f64((count - found.len() as u64) as f64);
        let options = AuditOptions { time: Some(share), ..args.options(Instant::now())? };
        let signs = signs(&table.classes, |c| i8::from(c == b) - i8::from(c == a));
        let question = Question { rows, exact: Box::new(exact), signs };
        let audit = audit(&question, &options, &mut |_, _| ()).map_err(|e| e.in_file(&dataset.name))?;
        features = audit.features;
        let (low, high) = audit.bounds();
        let (at_least, at_most) = (low as u64, high as u64);
        found.push(Pair { classes: [a, b], examples: audit.examples, at_least, at_most, exact: audit.is_exact() });
    }
    Ok((found, features))
}

/// What was found.
struct Report {
    joint: Option<Audit>,
    found: Vec<Pair>,
    pairs_left: u64,
    scope: Scope,
}

impl Report {
    fn object(&self, table: &Table, options: &AuditOptions) -> Result<Value> {
        let names = table.labels.names();
        let pair = |pair: &Pair| {
            json!({ "classes": pair.classes.map(|class| &names[class as usize]), "examples": pair.examples,
                    "at_least": pair.at_least, "at_most": pair.at_most, "exact": pair.exact })
        };
        // Names and numbers, each a value of its own.
        let what = || format!("the bounds of {}", count(self.found.len() as u64, "pair", "pairs")).into();
        limits::room_for::<[u8; 1024]>(self.found.len() as u128, what)?;
        let joint = self.joint.as_ref();
        let mut object = joint.map_or_else(|| print::unknown(table, options), |joint| print::object(joint, table));
        object["pairs"] = self.found.iter().map(pair).collect();
        object["pairs_left"] = json!(self.pairs_left);
        object["scope"] = scope::object(&self.scope);
        Ok(object)
    }

    /// Prints it; `fixed` is the repaired file and its rows.
    fn print(
        &self,
        out: &mut Output,
        table: &Table,
        numbers: &Numbers<'_>,
        fixed: Option<(&Path, usize)>,
    ) -> Result<()> {
        if let Some(joint) = &self.joint {
            out.item("all at once", print::sentence(joint).replace("hyperplane", MACHINE))?;
            print::proof(out, joint, "machine", numbers)?;
        }
        scope::print(out, &self.scope)?;
        if let Some(joint) = &self.joint {
            print::suspects(out, joint, table)?;
            if let Some((path, rows)) = fixed {
                print::fixed(out, path, rows, joint, "machine")?;
            }
        }
        print_pairs(out, table.labels.names(), &self.found)?;
        if self.pairs_left > 0 {
            let left = count(self.pairs_left, "more pair", "more pairs");
            out.item("pair", format!("{left}: not audited within the time limit (raise --time-limit)"))?;
        }
        Ok(())
    }
}

fn print_pairs(out: &mut Output, names: &[String], found: &[Pair]) -> Result<()> {
    for pair in found {
        let [a, b] = pair.classes.map(|class| show::name(&names[class as usize]));
        let (low, high) = (thousands(pair.at_least), thousands(pair.at_most));
        let bounds = if pair.exact { low } else { format!("{low} to {high}") };
        out.item("pair", format!("{a} and {b}: {bounds} of {} at best", thousands(pair.examples as u64)))?;
    }
    Ok(())
}
