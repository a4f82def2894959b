//! The Open Inference Protocol, version 2, so that clients of KServe can predict.
//!
//! One input. Numbers of shape [rows, columns] are features x1, x2, …; with `parameters.columns` they have these names. A
//! tensor of BYTES holds one row a text: JSON, or Vowpal Wabbit text. The outputs are `label`, `scores`
//! (a row for each row, a column for each class) and `classes`, the names of these columns; `outputs` may name those wanted.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use axum::extract::Request;
use axum::response::Response;
use rosenblatt::read::VwExample;
use serde::Deserialize;
use serde_json::{Value, json as value};

use super::models::printable;
use super::{Serving, json, with_seq};
use crate::http::{LONG, Problem, aside, read_body};
use crate::model::{Ask, Predicted};
use crate::rows::{BadRow, Row, RowLimits, Texts, ndjson_line, write_name};

const SERVER: &str = "rosenblatt";

pub(super) async fn server(_: &Arc<Serving>, _: Request) -> Result<Response, Problem> {
    let version = env!("CARGO_PKG_VERSION");
    Ok(json(value!({"name": SERVER, "version": version, "extensions": []}).to_string()))
}

pub(super) async fn live(_: &Arc<Serving>, _: Request) -> Result<Response, Problem> {
    Ok(json("{\"live\":true}".into()))
}

pub(super) async fn ready(serving: &Arc<Serving>, request: Request) -> Result<Response, Problem> {
    super::probes::ready(serving, request).await
}

pub(super) async fn metadata(serving: &Arc<Serving>, name: String, _: Request) -> Result<Response, Problem> {
    let description = serving.catalogue.get(&name)?.answer(Ask::Describe).await?;
    let classes = description.classes.len();
    let about = value!({
        "name": name,
        "versions": [description.seq.to_string()],
        "platform": SERVER,
        "inputs": [{"name": "rows", "datatype": "BYTES", "shape": [-1]}],
        "outputs": [
            {"name": "label", "datatype": "BYTES", "shape": [-1]},
            {"name": "scores", "datatype": "FP64", "shape": [-1, classes]},
            {"name": "classes", "datatype": "BYTES", "shape": [classes]}
        ],
    });
    Ok(json(printable(about.to_string())))
}

pub(super) async fn model_ready(serving: &Arc<Serving>, name: String, _: Request) -> Result<Response, Problem> {
    serving.catalogue.get(&name)?.answer(Ask::Describe).await?;
    Ok(json(printable(value!({"name": name, "ready": true}).to_string())))
}

/// An error as the protocol has it: a text, which its clients show.
pub(super) fn refused(problem: &Problem) -> Response {
    let place = match (problem.row, &problem.field) {
        (Some(row), Some(field)) => format!("row {row}, {field}: "),
        (Some(row), None) => format!("row {row}: "),
        _ => String::new(),
    };
    let text = format!("{}: {place}{}", problem.kind, problem.message);
    problem.with_body(printable(value!({"error": text}).to_string()))
}

#[derive(Deserialize)]
struct Inference {
    #[serde(default)]
    id: Option<String>,
    inputs: Vec<Tensor>,
    /// The outputs that are wanted; none: all.
    #[serde(default)]
    outputs: Vec<Wanted>,
}

#[derive(Deserialize)]
struct Wanted {
    name: String,
}

/// The types of an input.
pub(super) const DATATYPES: [&str; 12] =
    ["BYTES", "FP64", "FP32", "INT64", "INT32", "INT16", "INT8", "UINT64", "UINT32", "UINT16", "UINT8", "BOOL"];

/// The names of the outputs.
pub(super) const OUTPUTS: [&str; 3] = ["label", "scores", "classes"];

#[derive(Deserialize)]
struct Tensor {
    shape: Vec<usize>,
    datatype: String,
    #[serde(default)]
    parameters: Option<Parameters>,
    data: Value,
}

#[derive(Deserialize)]
struct Parameters {
    #[serde(default)]
    columns: Option<Vec<String>>,
}

/// The numbers or texts of a tensor, flat, or nested as its shape is.
fn flatten(data: Value, shape: &[usize], out: &mut Vec<Value>) -> Result<(), Problem> {
    let Value::Array(values) = data else { return Err(bad("data: expected an array")) };
    if !values.first().is_some_and(Value::is_array) {
        if let Some(at) = values.iter().position(Value::is_array) {
            return Err(bad(format!("data: an array at place {}, and a value before it", at + 1)));
        }
        out.extend(values);
        return Ok(());
    }
    let [length, inner @ ..] = shape else { return Err(bad("data: nested deeper than its shape")) };
    if values.len() != *length || inner.is_empty() {
        return Err(bad(format!("data: {} arrays where the shape has {length}", values.len())));
    }
    for value in values {
        let from = out.len();
        flatten(value, inner, out)?;
        if Some(out.len() - from) != size_of(inner) {
            return Err(bad(format!("data: {} values where the shape has {inner:?}", out.len() - from)));
        }
    }
    Ok(())
}

/// The values of a tensor of this shape.
fn size_of(shape: &[usize]) -> Option<usize> {
    shape.iter().try_fold(1usize, |size, &n| size.checked_mul(n))
}

fn bad(message: impl Into<String>) -> Problem {
    Problem::new(400, "bad-tensor", message)
}

fn lines_of(tensor: Tensor, texts: &Texts) -> Result<Vec<String>, Problem> {
    let mut data = Vec::new();
    flatten(tensor.data, &tensor.shape, &mut data)?;
    if size_of(&tensor.shape) != Some(data.len()) || data.is_empty() {
        return Err(bad(format!("{} values for shape {:?}", data.len(), tensor.shape)));
    }
    if tensor.datatype == "BYTES" {
        let row = |(number, row): (usize, Value)| match row {
            Value::String(text) if text.trim_start().starts_with(['{', '[']) => {
                ndjson_line(&text, texts).map_err(|bad| bad.at(number + 1))
            }
            Value::String(text) => Ok(text),
            _ => Err(BadRow::new("expected a text").at(number + 1)),
        };
        return data.into_iter().enumerate().map(row).collect();
    }
    if !DATATYPES.contains(&tensor.datatype.as_str()) {
        return Err(bad("datatype: expected numbers or BYTES"));
    }
    let [_, columns] = tensor.shape[..] else { return Err(bad("shape: expected [rows, columns]")) };
    let names = tensor.parameters.and_then(|parameters| parameters.columns);
    let names = names.unwrap_or_else(|| (1..=columns).map(|at| format!("x{at}")).collect());
    if names.len() != columns || names.iter().any(String::is_empty) {
        return Err(bad(format!("{} names for {columns} columns", names.len())));
    }
    let mut seen = HashSet::with_capacity(columns);
    if let Some(name) = names.iter().find(|name| !seen.insert(name.as_str())) {
        return Err(bad(format!("columns: the name {name:?} comes twice")));
    }
    let mut lines = Vec::with_capacity(data.len() / columns);
    for row in data.chunks(columns) {
        let mut line = String::from(" |");
        for (name, value) in names.iter().zip(row) {
            let number = match value {
                Value::Number(number) => number.to_string(),
                Value::Bool(yes) => u8::from(*yes).to_string(),
                _ => return Err(BadRow::field(name, "expected a number").at(lines.len() + 1)),
            };
            line.push(' ');
            write_name(name, &mut line);
            line.push(':');
            line.push_str(&number);
        }
        lines.push(line);
    }
    Ok(lines)
}

pub(super) async fn infer(serving: &Arc<Serving>, name: String, request: Request) -> Result<Response, Problem> {
    let model = serving.catalogue.get(&name)?;
    let bytes = read_body(request.into_body(), serving.body, serving.time).await?;
    let (texts, limits) = (model.texts().clone(), serving.rows);
    let is_long = bytes.len() > LONG;
    let read = move || read_rows(&bytes, &texts, &limits);
    let Asked { rows, id, wanted } = if is_long { aside(read).await? } else { read()? };
    let predicted = match model.predict(&rows, 0) {
        Some(predicted) => predicted,
        None => model.answer(|reply| Ask::Predict { rows, min_seq: 0, reply }).await?,
    };
    serving.counters.predicted.fetch_add(predicted.predictions.len() as u64, Relaxed);
    let seq = predicted.seq;
    let write = move || Ok(written(&name, &predicted, id, &wanted));
    Ok(with_seq(json(if is_long { aside(write).await? } else { write()? }), seq))
}

/// What a request asks: the answers for rows, with its identity, in these outputs.
struct Asked {
    rows: Vec<VwExample>,
    id: Option<String>,
    wanted: Vec<Wanted>,
}

fn read_rows(bytes: &[u8], texts: &Texts, limits: &RowLimits) -> Result<Asked, Problem> {
    let sent: Inference = serde_json::from_slice(bytes).map_err(|error| bad(error.to_string()))?;
    let Ok([tensor]) = <[Tensor; 1]>::try_from(sent.inputs) else { return Err(bad("inputs: expected one tensor")) };
    if let Some(other) = sent.outputs.iter().find(|wanted| !OUTPUTS.contains(&wanted.name.as_str())) {
        return Err(bad(format!("outputs: {:?}: expected {}", other.name, OUTPUTS.join(", "))));
    }
    let lines = lines_of(tensor, texts)?;
    if lines.len() > limits.rows {
        return Err(Problem::new(413, "too-many-rows", "too many rows in one request"));
    }
    let mut rows = Vec::with_capacity(lines.len());
    for (number, line) in (1..).zip(lines) {
        rows.push(Row::new(line, limits, false).map_err(|bad| bad.at(number))?.example);
    }
    Ok(Asked { rows, id: sent.id, wanted: sent.outputs })
}

/// The answer.
fn written(name: &str, predicted: &Predicted, id: Option<String>, wanted: &[Wanted]) -> String {
    let count = predicted.predictions.len();
    let labels: Vec<Value> = predicted.predictions.iter().map(|one| value!(one.label().unwrap_or(""))).collect();
    let scores: Vec<f64> =
        predicted.predictions.iter().flat_map(|one| one.by_class().map(|(_, score)| score)).collect();
    let classes = predicted.predictions.first().map(|one| one.classes.to_vec()).unwrap_or_default();
    let mut outputs = vec![
        value!({"name": "label", "datatype": "BYTES", "shape": [count], "data": labels}),
        value!({"name": "scores", "datatype": "FP64", "shape": [count, classes.len()], "data": scores}),
        value!({"name": "classes", "datatype": "BYTES", "shape": [classes.len()], "data": classes}),
    ];
    if !wanted.is_empty() {
        outputs.retain(|output| wanted.iter().any(|wanted| output["name"] == wanted.name.as_str()));
    }
    let mut answer = value!({"model_name": name, "model_version": predicted.seq.to_string(), "outputs": outputs});
    if let Some(id) = id {
        answer["id"] = value!(id);
    }
    printable(answer.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(shape: &[usize], data: Value, columns: Value) -> Result<Vec<String>, Problem> {
        let parameters = serde_json::from_value(value!({"columns": columns})).unwrap();
        let tensor = Tensor { shape: shape.to_vec(), datatype: "FP64".into(), parameters: Some(parameters), data };
        lines_of(tensor, &Texts::default())
    }

    #[test]
    fn a_tensor_has_its_shape() {
        let rows = Ok(vec![" | x1:1 x2:2".to_string(), " | x1:3 x2:4".to_string()]);
        assert_eq!(lines(&[2, 2], value!([1, 2, 3, 4]), Value::Null), rows);
        assert_eq!(lines(&[2, 2], value!([[1, 2], [3, 4]]), Value::Null), rows);
        assert_eq!(lines(&[1, 2], value!([1, 2]), value!(["a", "b c"])), Ok(vec![" | a:1 b%20c:2".into()]));
        for data in [
            value!([[1, 2, 3], [4]]),
            value!([[1, 2], 3, 4]),
            value!([1, 2, [3, 4]]),
            value!([[[1, 2], [3, 4]]]),
            value!([[1, 2]]),
            value!([[1, 2], [3, 4], []]),
            value!([1, 2, 3]),
            value!([]),
            value!(1),
        ] {
            assert_eq!(lines(&[2, 2], data.clone(), Value::Null).map_err(|p| p.status), Err(400), "{data}");
        }
        assert_eq!(lines(&[1, 2], value!([1, 2]), value!(["a", "a"])).map_err(|p| p.status), Err(400));
        assert_eq!(lines(&[usize::MAX, 2], value!([1, 2]), Value::Null).map_err(|p| p.status), Err(400));
    }
}
