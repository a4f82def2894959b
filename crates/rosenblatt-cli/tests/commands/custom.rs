//! A model of a rule that the program does not know predicts, is scored and inspected; only training needs the rule.

use rosenblatt::io::Input;
use rosenblatt::read::{ReadOptions, read};
use rosenblatt::{Judgement, Rule, Trainer};

use crate::support::Bench;

#[derive(Clone)]
struct Half;

impl Rule for Half {
    fn tau(&self, seen: Judgement, _k: u64, _sq_len: impl FnOnce() -> f64) -> f64 {
        if seen.mistake { 0.5 } else { 0.0 }
    }
}

#[test]
fn a_model_of_a_custom_rule_is_used_as_any_other() {
    let text = "x,y,label\n1,2,a\n-1,0.5,b\n2,1,a\n-2,-1,b\n";
    let bench = Bench::with("points.csv", text);
    let table = read(&Input::memory("points.csv", text), &ReadOptions::default()).unwrap().table;
    let model = Trainer::with_rule("half", Half).param("why", "not").fit(&table).unwrap().model;
    model.save(bench.path("m.model")).unwrap();

    assert_eq!(bench.run("predict m.model points.csv").ok().out, "a\nb\na\nb\n");
    assert_eq!(bench.json("eval m.model points.csv --json")["error"], 0.0);
    let inspected = bench.json("inspect m.model --json");
    assert_eq!(inspected["training"]["recipe"]["learner"], "custom:half");
    assert_eq!(inspected["training"]["recipe"]["params"]["why"], "not");
    assert!(bench.run("inspect m.model").ok().out.contains("custom:half"));

    let ran = bench.run("train points.csv --learner custom:half");
    assert_ne!(ran.code, Some(0));
    assert!(ran.err.contains("custom:half"), "{}", ran.err);
}
