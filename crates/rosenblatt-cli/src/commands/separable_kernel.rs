//! `rosenblatt separable --kernel`: separability in the space of a kernel, and what is proved there.
//!
//! * **poly:D:C with C > 0** spans the monomials up to degree D with a constant, each times a number that is not zero: the
//!   verdict is that of `--degree D`, which is decided exactly.
//! * **rbf:G**: the Gram matrix of distinct points is strictly positive definite for every G > 0 (Micchelli 1986), so any
//!   labels of distinct points are separated by some combination of them. Equal points with different labels by none. The
//!   points are compared as they are written: two numbers may be one float.
//! * **poly:D:0** spans the monomials of degree D alone. It is not decided here, unless a perceptron separates the data.
//!
//! A kernel perceptron then counts the support vectors.

use std::process::ExitCode;

use anyhow::{Result, bail};
use rosenblatt::certify::exact::{ExactRows, Memory};
use rosenblatt::certify::{Deadline, Numbers, contradiction, exact_rows};
use rosenblatt::io::Input;
use rosenblatt::learn::Stop;
use rosenblatt::learn::kernel::{Biased, Choice, Function, radius};
use rosenblatt::limits::{self, Limits};
use rosenblatt::read::Dataset;
use rosenblatt::rows::Table;
use rosenblatt::{ErrorKind, Fitted, Order, Trainer};
use serde_json::json;

use super::separable::print_data;
use crate::args::SeparableArgs;
use crate::output::{Output, at_most, count, number};

/// The most passes of the perceptron.
const PASSES: u32 = 1000;

/// The verdict for kernels that need no linear decision.
pub fn run(
    args: &SeparableArgs,
    function: Function,
    out: &mut Output,
    (input, dataset): (&Input, &Dataset),
    deadline: &Deadline,
) -> Result<ExitCode> {
    if args.certificate.is_some() {
        bail!("--certificate: there is a certificate for polynomials with a constant only, say --kernel poly:2:1");
    }
    let table = &dataset.table;
    // Formats without certificates have floats only.
    let (exact, numbers): (Box<dyn ExactRows + '_>, _) = match exact_rows(input, dataset) {
        Ok(exact) => (exact, Numbers::AsWritten),
        Err(e) if e.kind() == ErrorKind::Settings => (Box::new(Memory(table.matrix.rows()?)), Numbers::Floats),
        Err(e) => return Err(e.in_file(&dataset.name).into()),
    };
    let conflict = contradiction(table.matrix.rows()?, &*exact, &table.classes)?;
    let fitted = if conflict.is_none() { perceptron(function, !args.no_bias, table, deadline)? } else { None };
    let separated = fitted.as_ref().filter(|f| f.report.stopped == Stop::Separated);
    let (verdict, checked, status) = match (function, conflict, separated) {
        (_, Some(_), _) if numbers == Numbers::Floats => ("inseparable", "float", 1),
        (_, Some(_), _) => ("inseparable", "exact", 1),
        (Function::Rbf { .. }, None, _) => ("separable", "theorem", 0),
        (_, None, Some(_)) => ("separable", "float", 0),
        (_, None, None) => ("undecided", "float", 3),
    };
    let radius = radius(&Biased::new(function, !args.no_bias), table.matrix.rows()?);
    let support = separated.and_then(|f| f.report.support_vectors);
    let margin = separated.and_then(|f| f.report.margin).filter(|m| *m > 0.0);
    let bound = separated.and_then(|f| f.report.bound);
    if out.json {
        out.object(&json!({
            "verdict": verdict, "margin": margin.map(|lower| json!({ "lower": lower, "upper": null })),
            "radius": radius, "bound": bound, "examples": table.classes.len(), "features": table.matrix.features(),
            "kernel": function, "support_vectors": support,
            "witness": conflict.map(|(a, b)| [a + 1, b + 1]), "checked": checked, "certificate": null,
        }))?;
        return Ok(ExitCode::from(status));
    }
    print_data(out, dataset, "")?;
    out.item("kernel", function)?;
    match (conflict, function) {
        (Some((a, b)), _) => {
            out.item("verdict", "inseparable: by this kernel and by any other")?;
            let same = if numbers == Numbers::Floats { "the same features, as floats," } else { "the same features" };
            out.item("proof", format!("examples {} and {} have {same} and different labels", a + 1, b + 1))?;
        }
        (None, Function::Rbf { .. }) => {
            out.item("verdict", "separable in the kernel's space")?;
            out.item(
                "proof",
                "by theorem: Gaussians at distinct points are linearly independent, and equal points agree",
            )?;
        }
        (None, _) if separated.is_some() => {
            out.item("verdict", "separable in the kernel's space, as far as rounded arithmetic can tell")?;
            out.item("proof", "a kernel perceptron that made no mistake in its last pass")?;
        }
        (None, _) => {
            let passes = fitted.as_ref().map_or_else(|| "the time limit".into(), |_| format!("{PASSES} passes"));
            out.item("verdict", format!("undecided: no end after {passes}, and no proof either way"))?
        }
    }
    print_perceptron(out, fitted.as_ref())?;
    out.item("theory", format!("radius R = {}", number(radius)))?;
    Ok(ExitCode::from(status))
}

/// A kernel perceptron, run until it separates or reaches the limit of passes; `None` if the time is over before.
pub fn perceptron(function: Function, bias: bool, table: &Table, deadline: &Deadline) -> Result<Option<Fitted>> {
    let mut trainer = Trainer::new("perceptron").epochs(PASSES).bias(bias).order(Order::Shuffled { seed: 0 });
    trainer.recipe.kernel = Some(Choice::new(function));
    let own = limits::current();
    let timed = Limits { deadline: own.deadline.sooner(deadline), ..own };
    match limits::within(&timed, || trainer.fit(table)) {
        Err(e) if matches!(e.kind(), ErrorKind::Time | ErrorKind::Interrupted) && deadline.has_passed() => {
            // The time limit alone: a request to stop goes on.
            limits::check()?;
            Ok(None)
        }
        Ok(fitted) if fitted.report.stopped == Stop::Interrupted => {
            limits::check()?;
            Ok(None)
        }
        fitted => Ok(Some(fitted?)),
    }
}

/// Prints the result of the perceptron.
pub fn print_perceptron(out: &mut Output, fitted: Option<&Fitted>) -> Result<()> {
    let Some(r) = fitted.map(|f| &f.report) else { return Ok(()) };
    let passes = count(r.epochs.into(), "pass", "passes");
    if r.stopped == Stop::Separated {
        let support = count(r.support_vectors.unwrap_or(0), "support vector", "support vectors");
        let bound = r.bound.map(|b| format!(", at most {} by the theorem", at_most(b))).unwrap_or_default();
        let mistakes = count(r.mistakes, "mistake", "mistakes");
        out.item("support", format!("{support}: a kernel perceptron separates after {passes}, {mistakes}{bound}"))?;
    } else {
        out.item("support", format!("not counted: the kernel perceptron did not stop within {passes}"))?;
    }
    Ok(())
}
