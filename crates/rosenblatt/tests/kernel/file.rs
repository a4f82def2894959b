//! Kernel machines as files: what is written is read back, and lies are refused with a sentence.

use rosenblatt::Model;
use rosenblatt::learn::learners::Multiclass;
use serde_json::{Value, json};

use crate::common::table;
use crate::{circles, trainer};

fn json_of(learner: &str) -> Value {
    let (rows, labels) = circles(1, 60, 2, 3, true);
    let trainer = trainer(learner, "poly:2").multiclass(Multiclass::OneVsRest).epochs(2);
    let model = trainer.fit(&table(&rows, &labels)).unwrap().model;
    serde_json::from_slice(&model.to_json()).unwrap()
}

#[test]
fn what_is_written_is_read_back() {
    let (rows, labels) = circles(1, 200, 2, 3, false);
    let table = table(&rows, &labels);
    for learner in ["perceptron", "averaged", "voted"] {
        for multiclass in [Multiclass::Single, Multiclass::OneVsRest] {
            for kernel in ["linear", "poly:3:0.5", "rbf:2"] {
                let model = trainer(learner, kernel).multiclass(multiclass).epochs(2).fit(&table).unwrap().model;
                let bytes = model.to_bytes();
                let read = Model::from_bytes("model", &bytes).unwrap();
                assert_eq!(read, model);
                assert_eq!(read.to_bytes(), bytes);
                assert_eq!(Model::from_json("json", &model.to_json()).unwrap().to_bytes(), bytes);
                let view = table.matrix.rows().unwrap();
                assert_eq!(read.score_all(view).unwrap(), model.score_all(view).unwrap());
            }
        }
    }
}

#[test]
fn lies_are_named() {
    let lie = |learner: &str, change: &dyn Fn(&mut Value)| {
        let mut value = json_of(learner);
        change(&mut value);
        Model::from_json("lie", value.to_string().as_bytes()).unwrap_err().to_string()
    };
    let set = |path: &'static str, to: Value| move |v: &mut Value| *v.pointer_mut(path).unwrap() = to.clone();
    let refused = |learner: &str, path: &'static str, to: Value, expected: &str| {
        let said = lie(learner, &set(path, to));
        assert!(said.contains(expected), "{path}: {said}");
    };
    let recipe = "/content/facts/recipe/kernel/function";
    refused("averaged", recipe, json!("poly:0:1"), "the degree must be a whole number");
    refused("averaged", recipe, json!("cubic"), "expected linear, poly:DEGREE");
    refused("averaged", "/content/facts/recipe/kernel", json!(null), "names no kernel");
    refused("averaged", "/content/facts/recipe/learner", json!("arow"), "");
    let said = lie("averaged", &|v| (v["content"]["kind"], v["rosenblatt"]) = (json!("linear"), json!(1)));
    assert!(said.contains("the recipe names a kernel"), "{said}");
    refused("averaged", "/arrays/coefficients/values", json!([1.0]), "1 coefficients, where");
    refused("averaged", "/arrays/support.indices/values/0", json!(2), "the support contradicts itself");
    refused("averaged", "/arrays/support.values/values/0", json!(0.0), "a value that is zero");
    refused("averaged", "/arrays/support.ends/values/0", json!(1_000_000), "do not end where they should");
    refused("averaged", "/rosenblatt", json!(1), "version 2");
    refused("voted", "/arrays/slots/values/0", json!(4_000_000), "a support vector that is not there");
    refused("voted", "/arrays/outputs/values/0", json!(3), "an output that the model does not have");
    refused("voted", "/arrays/times/values/0", json!(0), "times must begin at 1");
    refused("voted", "/arrays/move_ends/values/0", json!(99_999), "its moves do not end where they should");
    refused("voted", "/content/presented", json!(1), "");
    refused("voted", "/content/presented", json!(null), "votes need both");
    refused("voted", "/content/ballot", json!("arg-max"), "the ballot is not the one");
    let said = lie("voted", &|v| v["arrays"]["coefficients"] = json!({ "type": "f64", "values": [] }));
    assert!(said.contains("does not belong in this kind of file"), "{said}");
    let said = lie("averaged", &|v| {
        let ends = v["arrays"]["support.ends"]["values"].as_array().unwrap().clone();
        v["arrays"]["support.ends"]["values"] = json!(ends[..ends.len() - 1]);
    });
    assert!(said.contains("do not end where they should"), "{said}");
}
