//! `learners`: the registry as data, from which the page makes its form.

use rosenblatt::learn::learners::all;
use rosenblatt::learn::{Domain, Param};
use rosenblatt::{Keep, Multiclass, Tie};
use serde_json::{Value, json};

pub fn answer() -> Value {
    let learners: Vec<Value> = all()
        .map(|entry| {
            let parameters: Vec<Value> = entry.params.iter().map(parameter).collect();
            json!({ "name": entry.name, "summary": entry.summary, "guarantee": entry.guarantee, "paper": entry.paper,
                    "keeps": entry.keep.name(), "other_keeps": entry.other_keeps, "parameters": parameters })
        })
        .collect();
    json!({
        "learners": learners,
        "keeps": names(Keep::ALL.iter().map(|keep| keep.name())),
        "ties": names(Tie::ALL.iter().map(|tie| tie.name())),
        "multiclass": names(Multiclass::ALL.iter().map(|how| how.name())),
        "orders": ["cyclic", "shuffled"],
        "version": env!("CARGO_PKG_VERSION"),
    })
}

fn names(all: impl Iterator<Item = &'static str>) -> Vec<&'static str> {
    all.collect()
}

fn parameter(param: &Param) -> Value {
    let mut object = json!({ "name": param.name, "help": param.help, "default": param.default_text(),
                             "range": param.range_text() });
    match param.domain {
        Domain::Number { min, above, max, .. } => {
            (object["min"], object["above"]) = (json!(min), json!(above));
            object["max"] = if max == f64::MAX { Value::Null } else { json!(max) };
        }
        Domain::Choice(words) => object["choices"] = json!(words),
    }
    object
}
