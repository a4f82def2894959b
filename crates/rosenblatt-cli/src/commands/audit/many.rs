//! More than two classes: one machine for all, and each pair.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use rosenblatt::certify::exact::ExactRows;
use rosenblatt::certify::{Audit, AuditOptions, Question, audit, audit_jointly, signs};
use rosenblatt::io::Input;
use rosenblatt::limits;
use rosenblatt::read::Dataset;
use serde_json::json;

use super::progress::Progress;
use super::{AuditArgs, amount, fix, print};
use crate::commands::separable::print_data;
use crate::output::Output;
use crate::show;

/// The part of the time for all classes at once; the pairs share the rest.
const JOINTLY: f64 = 0.5;

pub fn run(
    args: &AuditArgs,
    out: &mut Output,
    (input, dataset): (&Input, &Dataset),
    exact: &dyn ExactRows,
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
    let options = args.options(begin)?;
    let all = names.len() as u32;
    let pairs: Vec<(u32, u32)> = (0..all).flat_map(|a| (a + 1..all).map(move |b| (a, b))).collect();
    let left = || Duration::from_secs_f64(args.time_limit).saturating_sub(begin.elapsed());
    let rows = table.matrix.rows()?;
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
    let mut found: Vec<(u32, u32, Audit)> = Vec::new();
    for (k, &(a, b)) in pairs.iter().enumerate() {
        limits::check()?;
        let share = left().div_f64((pairs.len() - k) as f64);
        let options = AuditOptions { time: Some(share), ..options.clone() };
        let signs = signs(&table.classes, |c| i8::from(c == b) - i8::from(c == a));
        let question = Question { rows, exact: Box::new(exact), signs };
        found.push((a, b, audit(&question, &options, &mut |_, _| ()).map_err(here)?));
    }
    drop(progress);
    limits::check()?;
    let fixed = match &joint {
        Some(joint) => fix::write(args.fix.as_deref(), input, dataset, &joint.mistakes)?,
        None if args.fix.is_some() => bail!("--fix needs --degree 1 with more than two classes"),
        None => None,
    };
    if out.json {
        let pair = |(a, b, audit): &(u32, u32, Audit)| {
            let (low, high) = audit.bounds();
            json!({ "classes": [names[*a as usize], names[*b as usize]], "examples": audit.examples,
                    "at_least": low as u64, "at_most": high as u64, "exact": audit.is_exact() })
        };
        let mut object = joint.as_ref().map_or_else(|| json!({}), |joint| print::object(joint, table));
        object["pairs"] = found.iter().map(pair).collect();
        object["seconds"] = json!(begin.elapsed().as_secs_f64());
        object["fix"] = json!(args.fix);
        out.object(&object)?;
        return Ok(ExitCode::SUCCESS);
    }
    print_data(out, dataset, "")?;
    if let Some(joint) = &joint {
        let machine = "machine of one weight vector for each class";
        out.item("all at once", print::sentence(joint).replace("hyperplane", machine))?;
        print::suspects(out, joint, table)?;
        if let (Some(path), Some(rows)) = (&args.fix, fixed) {
            print::fixed(out, path, rows, joint)?;
        }
    }
    print_pairs(out, names, &found)?;
    Ok(ExitCode::SUCCESS)
}

fn print_pairs(out: &mut Output, names: &[String], found: &[(u32, u32, Audit)]) -> Result<()> {
    for (a, b, audit) in found {
        let [a, b] = [a, b].map(|class| show::name(&names[*class as usize]));
        let (low, high) = audit.bounds();
        let (low, high) = (amount(audit, low), amount(audit, high));
        let bounds = if audit.is_exact() { low } else { format!("{low} to {high}") };
        out.item("pair", format!("{a} and {b}: {bounds} of {} at best", audit.examples))?;
    }
    Ok(())
}
