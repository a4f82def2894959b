//! `rosenblatt verify`: checks a certificate with independent code, and states what it proves of what.
//!
//! The check shares no code with the finder. What it is compared with does: the expected reading is, by definition, the one
//! that `rosenblatt separable` takes with the same options, so the library reads the file for it. (The crate
//! `rosenblatt-verify` alone compares with the plain reading of FORMAT.md, in code of its own.)

use std::cell::Cell;
use std::process::ExitCode;
use std::rc::Rc;

use anyhow::{Result, bail};
use rosenblatt::certify::{Reading, reading_of};
use rosenblatt::io::Input;
use rosenblatt::read::read;
use rosenblatt::{Error, ErrorKind, limits};
use rosenblatt_verify::{
    Check, Kind, Refusal, Statement, Verified, VerifiedAudit, kind, until, verify, verify_audit, verify_with_labels,
};
use serde_json::{Value, json};

use super::{open, scope};
use crate::args::{DataArgs, VerifyArgs};
use crate::output::{Output, count};
use crate::words;

/// A certificate that holds: its statement, the numbers for JSON, and how it was checked.
struct Proved {
    statement: Statement,
    numbers: Value,
    checked: String,
}

pub fn run(args: &VerifyArgs, out: &mut Output) -> Result<ExitCode> {
    let certificate = match args.certificate.to_str() {
        Some("-") if args.data == "-" => bail!("the certificate and the data cannot both come from standard input"),
        Some("-") => Input::Stdin,
        _ => Input::Path(args.certificate.clone()),
    };
    let certificate = open::read_all(&certificate)?;
    let input = open::rereadable_input(&args.data)?;
    let data = open::read_all(&input)?;
    let labels = args.read.labels.as_ref().map(|labels| open::read_all(&Input::new(labels))).transpose()?;
    // The check takes memory as it goes, and asks often whether it should stop: then the limits say why.
    let stopped = Rc::new(Cell::new(None));
    let reason = Rc::clone(&stopped);
    let stop = move || match limits::check() {
        Ok(()) => false,
        Err(error) => {
            reason.set(Some(error));
            true
        }
    };
    let checked = until(stop, || match kind(&certificate) {
        Ok(Kind::Audit) => verify_audit(&certificate, &data, labels.as_deref()).map(audit),
        _ => match &labels {
            Some(labels) => verify_with_labels(&certificate, &data, labels).map(separability),
            None => verify(&certificate, &data).map(separability),
        },
    });
    drop(data);
    let proved = match checked {
        Ok(proved) => proved,
        Err(refusal) if refusal.check() == Check::Stopped => {
            return Err(stopped.take().unwrap_or_else(Error::interrupted).into());
        }
        Err(refusal) => return refuse(&refusal, out),
    };
    let departures = departures(args, &input, &proved.statement)?;
    let accepted = departures.is_empty() || args.reading_as_certified;
    if out.json {
        print_json(&proved, &departures, accepted, out)?;
    } else {
        print(&proved, &departures, accepted, out)?;
    }
    Ok(ExitCode::from(u8::from(!accepted)))
}

fn separability(checked: Verified) -> Proved {
    let support = count(checked.support as u64, "example", "examples");
    let margin = checked.margin.map(|(lower, upper)| json!({ "lower": lower, "upper": upper }));
    Proved {
        numbers: json!({
            "verdict": checked.verdict.to_string(), "examples": checked.examples, "features": checked.features,
            "support": checked.support, "margin": margin,
        }),
        checked: format!("every number, exactly; the proof rests on {support}"),
        statement: checked.statement,
    }
}

fn audit(checked: VerifiedAudit) -> Proved {
    let witnesses = count(checked.witnesses as u64, "witness", "witnesses");
    let listed = count(checked.mistakes.len() as u64, "mistake", "mistakes");
    Proved {
        numbers: json!({
            "at_least": checked.at_least, "at_most": checked.at_most,
            "costs": { "positive": checked.costs.0, "negative": checked.costs.1 }, "examples": checked.examples,
            "features": checked.features, "witnesses": checked.witnesses, "mistakes": checked.mistakes,
        }),
        checked: format!("every number, exactly: {witnesses}, and a hyperplane with {listed}"),
        statement: checked.statement,
    }
}

/// Where the certificate reads the data otherwise than `rosenblatt separable` does with these options.
fn departures(args: &VerifyArgs, input: &Input, statement: &Statement) -> Result<Vec<String>> {
    let expected = match expected_reading(args, input) {
        Ok(Some(reading)) => statement.departures_from(reading.as_bytes()),
        Ok(None) => {
            let mut all = statement.departures().to_vec();
            all.push("the data have more than two classes, and no --positive says which stands alone".into());
            return Ok(all);
        }
        // What does not fit in memory is no other reading.
        Err(error) if limits::has_passed() || is_out_of_memory(&error) => return Err(error),
        Err(error) => {
            let mut all = statement.departures().to_vec();
            all.push(format!("with these options the data cannot be read: {}", words::any_error(&error)));
            return Ok(all);
        }
    };
    expected.map_err(|refusal| Error::settings(refusal.to_string()).into())
}

fn is_out_of_memory(error: &anyhow::Error) -> bool {
    error.downcast_ref::<Error>().is_some_and(|error| error.kind() == ErrorKind::Memory)
}

/// The reading that `rosenblatt separable` takes with these options; `None`: there are more than two classes.
fn expected_reading(args: &VerifyArgs, input: &Input) -> Result<Option<String>> {
    let options = DataArgs { positive: None, ..args.read.clone() };
    // Only what they are read as matters, not the rows.
    let dataset = read(input, &open::training_options(&options)?)?;
    let labels = &dataset.table.labels;
    let one = match &args.read.positive {
        Some(label) => {
            labels.find(label).ok_or_else(|| Error::settings(format!("no example has the label {label}")))?
        }
        None if labels.len() > 2 => return Ok(None),
        None => 1,
    };
    let names = labels.names();
    let (positive, negative) = names.iter().cloned().partition(|name| Some(name) == names.get(one as usize));
    let sides = Reading { positive, negative, labels: args.read.labels.as_deref().map(Input::new) };
    Ok(Some(reading_of(input, &dataset, &sides, (!args.no_bias, args.degree))?))
}

fn print(proved: &Proved, departures: &[String], accepted: bool, out: &mut Output) -> Result<()> {
    for (i, departure) in departures.iter().enumerate() {
        out.item(if i == 0 { "departs" } else { "" }, departure)?;
    }
    let claim = proved.statement.claim();
    match departures {
        [] => out.item("verified", claim)?,
        _ => out.item("proved", format!("of this reading of the data only: {claim}"))?,
    }
    for (name, text) in proved.statement.scope() {
        out.item(name, text)?;
    }
    out.item("checked", &proved.checked)?;
    if !accepted {
        out.item("refused", "repeat the reading as options, or accept it with --reading-as-certified")?;
    }
    Ok(())
}

fn print_json(proved: &Proved, departures: &[String], accepted: bool, out: &mut Output) -> Result<()> {
    let mut statement = scope::object(&proved.statement.scope());
    statement["claim"] = json!(proved.statement.claim());
    statement["rows_left_out"] = json!(proved.statement.rows_left_out());
    statement["columns_left_out"] = json!(proved.statement.columns_left_out());
    let mut object = json!({ "verified": accepted });
    if !accepted {
        object["reason"] = json!("the certificate is about another reading of the data");
    }
    for (key, value) in proved.numbers.as_object().into_iter().flatten() {
        object[key] = value.clone();
    }
    object["departures"] = json!(departures);
    object["statement"] = statement;
    out.object(&object)
}

fn refuse(refusal: &Refusal, out: &mut Output) -> Result<ExitCode> {
    if out.json {
        out.object(&json!({ "verified": false, "reason": refusal.to_string() }))?;
    } else {
        out.item("refused", refusal)?;
    }
    Ok(ExitCode::from(1))
}
