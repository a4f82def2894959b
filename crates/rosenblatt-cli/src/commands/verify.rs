//! `rosenblatt verify`: checks a certificate with independent code.

use std::process::ExitCode;

use anyhow::Result;
use rosenblatt::io::Input;
use rosenblatt::{Error, limits};
use rosenblatt_verify::{Check, Verdict, until, verify, verify_with_labels};
use serde_json::json;

use super::open;
use crate::args::VerifyArgs;
use crate::output::{Output, count};

pub fn run(args: &VerifyArgs, out: &mut Output) -> Result<ExitCode> {
    let certificate = open::read_all(&Input::Path(args.certificate.clone()))?;
    let data = open::read_all(&Input::new(&args.data))?;
    let labels = args.labels.as_ref().map(|labels| open::read_all(&Input::new(labels))).transpose()?;
    let checked = until(limits::has_passed, || match &labels {
        Some(labels) => verify_with_labels(&certificate, &data, labels),
        None => verify(&certificate, &data),
    });
    match checked {
        Ok(checked) => {
            if out.json {
                let margin = checked.margin.map(|(lower, upper)| json!({ "lower": lower, "upper": upper }));
                out.object(&json!({
                    "verified": true, "verdict": checked.verdict.to_string(), "examples": checked.examples,
                    "features": checked.features, "support": checked.support, "margin": margin,
                }))?;
            } else {
                let meaning = match checked.verdict {
                    Verdict::Separable => "a hyperplane has every example strictly on its side",
                    Verdict::WeaklySeparable => {
                        "the classes touch: no hyperplane has every example strictly on its side"
                    }
                    _ => "no hyperplane separates the classes",
                };
                out.item("verified", format!("{}: {meaning}", checked.verdict))?;
                let support = count(checked.support as u64, "example", "examples");
                out.item("checked", format!("every number, exactly; the proof rests on {support}"))?;
            }
            Ok(ExitCode::SUCCESS)
        }
        Err(refusal) if refusal.check() == Check::Stopped => Err(Error::interrupted().into()),
        Err(refusal) => {
            if out.json {
                out.object(&json!({ "verified": false, "reason": refusal.to_string() }))?;
            } else {
                out.item("refused", refusal)?;
            }
            Ok(ExitCode::from(1))
        }
    }
}
