//! `separable`: the exact verdict on the numbers as written, its proof for drawing, and the certificate, checked.

use rosenblatt::certify::{
    Decision, Options, Question, Reading, certificate, check_provable, decide, decide_jointly, exact_rows, reading_of,
    signs,
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
        return check(certificate, request);
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
        answer["checked_certificate"] = check(&text, request)?;
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

/// Checks a certificate with the code that shares nothing with what made it. One that reads the data otherwise than this
/// request does is announced: what it proves is not what anyone takes it for.
fn check(certificate: &str, request: &Request) -> Result<Value> {
    let checked = rosenblatt_verify::until(limits::has_passed, || {
        rosenblatt_verify::verify(certificate.as_bytes(), request.data.csv.as_bytes())
    });
    let refused = |reason: String| Ok(json!({ "verified": false, "reason": reason }));
    let verified = match checked {
        Ok(verified) => verified,
        Err(refusal) => return refused(refusal.to_string()),
    };
    let expected = expected_reading(request)?;
    match verified.statement.departures_from(expected.as_bytes()) {
        Ok(departures) if departures.is_empty() => {
            Ok(json!({ "verified": true, "verdict": verified.verdict.to_string() }))
        }
        Ok(departures) => refused(format!("it is about another reading of the data: {}", departures.join("; "))),
        Err(refusal) => refused(refusal.to_string()),
    }
}

/// How the request reads its data.
fn expected_reading(request: &Request) -> Result<String> {
    let dataset = request.data.read(false)?;
    let names = dataset.table.labels.names();
    let (negative, positive) = names.split_at(names.len().min(1));
    let sides = Reading { positive: positive.to_vec(), negative: negative.to_vec(), labels: None };
    reading_of(&request.data.input(), &dataset, &sides, (request.bias, request.degree))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(request: Value) -> Value {
        answer(&serde_json::from_value(request).unwrap()).unwrap()
    }

    /// A certificate with points left out as a header, or a column left out, was verified without a word.
    #[test]
    fn a_certificate_of_another_reading_is_announced() {
        let data = json!({ "csv": "a,b,label\n0,1,no\n1,1,yes\n2,0,yes\n" });
        for (bias, degree) in [(true, 1), (false, 2)] {
            let made = ask(json!({ "data": data, "bias": bias, "degree": degree, "certificate": true }));
            assert_eq!(made["checked_certificate"]["verified"], true, "{made}");
            let again = |bias: bool, degree: u32| {
                ask(json!({ "data": data, "bias": bias, "degree": degree, "check": made["certificate"] }))
            };
            assert_eq!(again(bias, degree)["verified"], true);
            let other = again(!bias, degree);
            assert_eq!(other["verified"], false);
            assert!(other["reason"].as_str().unwrap().contains("another reading"), "{other}");
        }
    }
}
