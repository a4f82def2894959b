//! The description of the interface (OpenAPI 3.1), made from the table of routes.

use std::sync::Arc;

use axum::extract::Request;
use axum::response::Response;
use serde_json::{Map, Value, json};

use super::infer::{DATATYPES, OUTPUTS};
use super::table::Body;
use super::{ROUTES, Role, Route, Serving};
use crate::http::Problem;

pub(super) async fn serve(_: &Arc<Serving>, _: Request) -> Result<Response, Problem> {
    Ok(super::json(description().to_string()))
}

/// The description.
pub fn description() -> Value {
    let mut paths: Map<String, Value> = Map::new();
    for route in &ROUTES {
        let path = paths.entry(route.path).or_insert_with(|| json!({}));
        path[route.method.as_str().to_ascii_lowercase()] = operation(route);
    }
    json!({
        "openapi": "3.1.0",
        "info": {"title": "rosenblatt serve", "version": env!("CARGO_PKG_VERSION"),
            "description": "It answers while it learns, and loses nothing that it acknowledged."},
        "paths": paths,
        "components": {"schemas": schemas(), "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
    })
}

/// A name of a model: no slash, no control character.
const NAME: &str = r"^[^/\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]+$";

fn operation(route: &Route) -> Value {
    let mut parameters = Vec::new();
    if route.path.contains("{m}") {
        let name = json!({"type": "string", "minLength": 1, "maxLength": 100, "pattern": NAME});
        parameters.push(json!({"name": "m", "in": "path", "required": true, "schema": name}));
    }
    let mut number = |name: &str, about: &str| {
        let schema = json!({"type": "integer", "minimum": 0});
        parameters
            .push(json!({"name": name, "in": "query", "required": false, "schema": schema, "description": about}));
    };
    if route.path.ends_with("/predict") {
        number("min_seq", "Answer once so many examples are learned from");
    }
    if route.path.ends_with("/model") || route.path.ends_with("/log") {
        number("seq", "After so many examples, and not all");
    }
    if route.path.ends_with("/log") {
        number("from", "Without the first so many examples");
    }
    if route.path.ends_with("/learn") {
        let key = json!({"type": "string", "minLength": 1, "maxLength": 200, "pattern": "^[!-~]+$"});
        parameters.push(json!({"name": "Idempotency-Key", "in": "header", "required": false, "schema": key}));
    }
    let mut operation = json!({
        "summary": route.summary,
        "operationId": format!("{} {}", route.method, route.path),
        "parameters": parameters,
        "responses": responses(route),
    });
    if route.role != Role::Anyone {
        operation["security"] = json!([{}, {"token": []}]);
    }
    let schema = match route.body {
        Body::None => return operation,
        Body::Examples if route.path.ends_with("/learn") => "LabelledExamples",
        Body::Examples => "Examples",
        Body::Feedback => "Feedback",
        Body::Tensors => "Inference",
        Body::Model => {
            let content = json!({"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}});
            operation["requestBody"] = json!({"required": true, "content": content});
            return operation;
        }
    };
    let mut content = json!({"application/json": {"schema": {"$ref": format!("#/components/schemas/{schema}")}}});
    if route.body == Body::Examples {
        for (kind, example) in TEXTS {
            content[kind] = json!({"example": example});
        }
        content["application/x-ndjson"] = json!({"schema": {"type": "string"}});
    }
    operation["requestBody"] = json!({"required": true, "content": content});
    operation
}

/// Bodies that are texts, with an example of each. They have no schema: any text is one, and what it has to be no schema says.
const TEXTS: [(&str, &str); 3] = [
    ("text/csv", "free,from,label\n1,bob,spam\n0,ann,ham\n"),
    ("text/x-libsvm", "spam 3:0.5 9:2\nham 3:-1\n"),
    ("text/x-vw", "spam |w free offer\nham |w hello\n"),
];

fn responses(route: &Route) -> Value {
    let answered =
        [("/predict", "Predictions"), ("/learn", "LearnedRows"), ("/feedback", "LearnedRows"), ("/{m}", "Any")];
    let named = answered.iter().find(|(end, _)| route.path.ends_with(end));
    let schema =
        named.map_or(json!({}), |(_, name)| json!({"schema": {"$ref": format!("#/components/schemas/{name}")}}));
    let mut answer = json!({route.answer: schema});
    if route.path.ends_with("/predict") || route.path.ends_with("/learn") {
        answer["application/x-ndjson"] = json!({"schema": {"type": "string"}});
    }
    let mut all = json!({"200": {"description": "Done", "content": answer}});
    let problem = if route.path.starts_with("/v2") { "InferenceProblem" } else { "Problem" };
    let problem = json!({"description": "Refused",
        "content": {"application/json": {"schema": {"$ref": format!("#/components/schemas/{problem}")}}}});
    for status in
        ["400", "401", "403", "404", "405", "408", "409", "413", "415", "421", "422", "429", "500", "503", "504", "507"]
    {
        all[status] = problem.clone();
    }
    all
}

fn schemas() -> Value {
    let named = json!({"type": "object", "propertyNames": {"minLength": 1},
        "additionalProperties": {"$ref": "#/components/schemas/Value"}});
    let value = json!({"oneOf": [{"type": "number"}, {"type": "string"}, {"type": "boolean"},
        {"type": "array", "items": {"type": "string"}}, named]});
    let label = json!({"oneOf": [{"type": "string", "minLength": 1}, {"type": "number"}, {"type": "boolean"}]});
    let scores = json!({"type": "object", "additionalProperties": {"type": "number"}});
    let prediction = json!({"label": {"type": ["string", "null"]}, "scores": scores, "probabilities": scores,
        "seq": {"type": "integer", "minimum": 0}, "id": {"type": "string"}, "mistake": {"type": "boolean"}});
    let many = |one: &str| {
        let one = json!({"$ref": format!("#/components/schemas/{one}")});
        json!({"oneOf": [one, {"type": "object", "required": ["results", "seq"], "properties": {
            "results": {"type": "array", "items": one}, "seq": {"type": "integer", "minimum": 0}}}]})
    };
    let numbers = json!({"type": "array", "items": {"type": "number"}, "minItems": 1});
    let example = |required: Value| {
        json!({"type": "object", "additionalProperties": false, "required": required,
            "anyOf": [{"required": ["features"]}, {"required": ["text"]}], "properties": {
            "features": {"oneOf": [
                named,
                numbers]},
            "text": {"type": "string"},
            "label": label, "weight": {"type": "number", "exclusiveMinimum": 0, "maximum": 1e9}}})
    };
    let one_or_many = |one: &str| {
        let one = json!({"$ref": format!("#/components/schemas/{one}")});
        json!({"oneOf": [one, {"type": "array", "minItems": 1, "items": one}]})
    };
    json!({
        "Any": {"type": "object"},
        "Value": value,
        "Prediction": {"type": "object", "required": ["label", "scores", "seq"], "properties": prediction},
        "Learned": {"type": "object", "required": ["label", "scores", "seq", "id", "mistake"], "properties": prediction},
        "Predictions": many("Prediction"),
        "LearnedRows": many("Learned"),
        "Example": example(json!([])),
        "LabelledExample": example(json!(["label"])),
        "Examples": {"anyOf": [
            {"$ref": "#/components/schemas/Example"}, numbers,
            {"type": "array", "minItems": 1, "items": {"anyOf": [{"$ref": "#/components/schemas/Example"}, numbers]}}]},
        "LabelledExamples": one_or_many("LabelledExample"),
        "Correction": {"type": "object", "additionalProperties": false, "required": ["id", "label"],
            "properties": {"id": {"type": "string"}, "label": label}},
        "Feedback": one_or_many("Correction"),
        "Inference": inference(),
        "InferenceProblem": {"type": "object", "required": ["error"], "properties": {"error": {"type": "string"}}},
        "Problem": {"type": "object", "required": ["error"], "properties": {"error": {"type": "object",
            "required": ["kind", "message"], "properties": {
                "kind": {"type": "string"}, "message": {"type": "string"},
                "row": {"type": "integer"}, "field": {"type": "string"}}}}},
    })
}

fn inference() -> Value {
    let name = json!({"type": "string"});
    json!({"type": "object", "required": ["inputs"], "properties": {
        "id": name,
        "inputs": {"type": "array", "minItems": 1, "maxItems": 1, "items": {
            "type": "object", "required": ["shape", "datatype", "data"], "properties": {
                "name": name, "datatype": {"enum": DATATYPES},
                "shape": {"type": "array", "minItems": 1, "items": {"type": "integer", "minimum": 1}},
                "data": {"type": "array", "minItems": 1}}}},
        "outputs": {"type": "array", "items": {"type": "object", "required": ["name"],
            "properties": {"name": {"enum": OUTPUTS}}}}}})
}
