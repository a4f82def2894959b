//! `separable`: the exact verdict on the numbers as written, its proof for drawing, and the certificate, checked.

use rosenblatt::certify::{
    Decision, Options, Question, Reading, certificate, check_provable, decide, decide_jointly, exact_rows, signs,
};
use rosenblatt::limits;
use rosenblatt::read::Dataset;
use rosenblatt::{Error, Result, Verdict};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::settings::Data;

/// Which data, in which space.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    data: Data,
    /// Whether there is a bias.
    #[serde(default = "yes")]
    bias: bool,
    /// The degree of the features.
    #[serde(default = "one")]
    degree: u32,
    /// Whether to write the certificate, and to check it.
    #[serde(default)]
    certificate: bool,
    /// The certificate to check, in place of a new one.
    #[serde(default)]
    check: Option<String>,
}

fn yes() -> bool {
    true
}

fn one() -> u32 {
    1
}

pub fn answer(request: &Request) -> Result<Value> {
    if let Some(certificate) = &request.check {
        return Ok(check(certificate, &request.data.csv));
    }
    let dataset = request.data.read(false)?;
    let input = request.data.input();
    let table = &dataset.table;
    let options = Options { bias: request.bias, degree: request.degree, ..Options::default() };
    let exact = exact_rows(&input, &dataset)?;
    if table.labels.len() > 2 {
        if request.degree != 1 {
            return Err(Error::settings("three or more classes are decided jointly at degree 1"));
        }
        let decision = decide_jointly(table.matrix.rows()?, &*exact, &table.classes, table.labels.len(), &options)?;
        return Ok(object(&decision, table.matrix.features()));
    }
    let signs = signs(&table.classes, |class| if class == 1 { 1 } else { -1 });
    let question = Question { rows: table.matrix.rows()?, exact, signs };
    let decision = decide(&question, &options)?;
    let mut answer = object(&decision, table.matrix.features());
    answer["meeting_point"] = json!(decision.meeting_point(question.rows, &question.signs));
    if let Some((weights, bias)) = decision.hyperplane.as_ref().map(|plane| plane.floats()) {
        answer["hyperplane"] = json!({ "weights": weights, "bias": bias });
    }
    if request.certificate && decision.verdict != Verdict::Undecided {
        let text = written(&decision, request, &dataset)?;
        answer["checked_certificate"] = check(&text, &request.data.csv);
        answer["certificate"] = json!(text);
    }
    Ok(answer)
}

fn object(d: &Decision, features: usize) -> Value {
    let refuted = d.verdict.is_refuted();
    let margin = d.margin.as_ref().map(|m| m.floats()).map(|(lower, upper)| json!({ "lower": lower, "upper": upper }));
    let support: Vec<Value> =
        d.support().map(|(example, weight)| json!({ "example": example + 1, "weight": weight })).collect();
    json!({
        "verdict": d.verdict, "margin": margin, "radius": d.radius, "bound": d.bound, "examples": d.examples,
        "features": features, "degree": d.degree, "bias": d.bias,
        "witness": refuted.then(|| d.support().map(|(example, _)| example + 1).collect::<Vec<_>>()),
        "support": support, "contradiction": d.contradiction.map(|(a, b)| [a + 1, b + 1]), "checked": "exact",
    })
}

fn written(decision: &Decision, request: &Request, dataset: &Dataset) -> Result<String> {
    check_provable(dataset, None)?;
    let names = dataset.table.labels.names();
    let sides = Reading { positive: vec![names[1].clone()], negative: vec![names[0].clone()], labels: None };
    certificate(decision, &request.data.input(), dataset, &sides)
}

/// Checks a certificate with the code that shares nothing with what made it.
fn check(certificate: &str, csv: &str) -> Value {
    let checked = rosenblatt_verify::until(limits::has_passed, || {
        rosenblatt_verify::verify(certificate.as_bytes(), csv.as_bytes())
    });
    match checked {
        Ok(verified) => json!({ "verified": true, "verdict": verified.verdict.to_string() }),
        Err(refusal) => json!({ "verified": false, "reason": refusal.to_string() }),
    }
}
