//! A trace as JSON: the keys and numbers that every front end shows. The command line prints these lines, the lab serves
//! the same bytes.

use serde::Serialize;
use serde_json::{Value, json};

use super::trace::Step;
use crate::certify::Numbers;
use crate::learn::{Stop, Weights};
use crate::rows::Labels;
use crate::theory::{Cycle, Proof, ProofLine};

/// One step of a trace as an object of JSON.
#[derive(Serialize)]
pub struct TraceRow<'a> {
    epoch: u32,
    step: u64,
    example: usize,
    label: &'a str,
    score: f64,
    mistake: bool,
    weights: Value,
    bias: Value,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    proof: Option<ProofLine>,
}

impl<'a> TraceRow<'a> {
    /// The row of a step; its example is counted from 1.
    pub fn new(step: &Step, labels: &'a Labels) -> Self {
        let (weights, bias) = weights_json(&step.weights);
        TraceRow {
            epoch: step.epoch,
            step: step.step,
            example: step.example + 1,
            label: labels.name(step.class),
            score: step.score,
            mistake: step.mistake,
            weights,
            bias,
            proof: step.proof,
        }
    }
}

/// Weights of one output as a list, of many as a list for each class.
fn weights_json(w: &Weights) -> (Value, Value) {
    if w.outputs() == 1 {
        (json!(w.values()), json!(w.bias()[0]))
    } else {
        let columns: Vec<Vec<f64>> = (0..w.outputs()).map(|k| w.column(k).collect()).collect();
        (json!(columns), json!(w.bias()))
    }
}

/// The object after the steps of a trace with a proof.
pub fn proof_object(proof: &Proof, mistakes: u64) -> Value {
    json!({ "bound": proof.bound(), "radius": proof.radius, "margin": proof.margin, "mistakes": mistakes })
}

/// The object after the steps of a trace whose weights repeat. What is proved of floats alone says so.
pub fn cycle_object(cycle: &Cycle, numbers: Numbers) -> Value {
    let counts: Vec<Value> = cycle.counts.iter().map(|(i, n)| json!({ "example": i + 1, "count": n })).collect();
    let mut object = json!({ "stopped": Stop::NoProgress });
    match numbers {
        Numbers::AsWritten => object["separable"] = json!(false),
        Numbers::Floats => object["separable_as_floats"] = json!(false),
    }
    object["cycle"] = json!({ "first_pass": cycle.first_pass, "again_pass": cycle.again_pass, "counts": counts });
    object
}
