//! Training step by step.

use numpy::{PyArray1, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use rosenblatt::learn::Weights;
use rosenblatt::report::{self, Step};
use rosenblatt::rows::Labels;

use crate::arrays::{Held, schema};
use crate::border::{SettingsError, cross};
use crate::estimator::Trainer;

/// Trains; returns every step and a summary. `proof`: with the mistake bound at every step.
#[pyfunction]
#[pyo3(signature = (trainer, x, classes, labels, *, proof=false))]
pub(crate) fn trace<'py>(
    py: Python<'py>,
    trainer: &Trainer,
    x: &Bound<'py, PyAny>,
    classes: PyReadonlyArray1<'py, u32>,
    labels: Vec<String>,
    proof: bool,
) -> PyResult<(Bound<'py, PyList>, Bound<'py, PyDict>)> {
    let rows = Held::new(x)?;
    let (slices, classes) = (rows.slices()?, classes.as_slice()?);
    let features = x.getattr("shape")?.extract::<(usize, usize)>()?.1;
    let trainer = &trainer.inner;
    let mut steps: Vec<Step> = Vec::new();
    let done = cross(py, None, |watcher| {
        let table = slices.table(classes.to_vec(), Labels::new(labels), schema(features, None));
        table.check_learnable()?;
        table.check_lengths()?;
        let found = if proof { report::proof(trainer, &table)? } else { None };
        if proof && found.is_none() {
            return Ok(None);
        }
        let traced = report::trace(trainer, &table, found.as_ref(), &mut |step| {
            steps.push(step);
            watcher.check()
        })?;
        Ok(Some((traced, found)))
    })?;
    let Some((traced, found)) = done else {
        return Err(SettingsError::new_err(
            "proof=True needs separable data, and no separating vector was found; leave it out to see the steps",
        ));
    };
    let list = PyList::empty(py);
    for step in steps {
        list.append(to_dict(py, step)?)?;
    }
    let report = &traced.fitted.report;
    let end = PyDict::new(py);
    end.set_item("stopped", report.stopped.name())?;
    end.set_item("epochs", report.epochs)?;
    end.set_item("mistakes", report.mistakes)?;
    if let Some(proof) = &found {
        end.set_item("bound", proof.bound())?;
        end.set_item("radius", proof.radius)?;
        end.set_item("margin", proof.margin)?;
    }
    end.set_item("cycle", traced.cycle.map(|cycle| (cycle.first_pass, cycle.again_pass, cycle.counts)))?;
    Ok((list, end))
}

fn to_dict(py: Python<'_>, step: Step) -> PyResult<Bound<'_, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("epoch", step.epoch)?;
    dict.set_item("step", step.step)?;
    dict.set_item("row", step.example)?;
    dict.set_item("label", step.class)?;
    dict.set_item("score", step.score)?;
    dict.set_item("mistake", step.mistake)?;
    set_weights(py, &dict, &step.weights)?;
    if let Some(line) = step.proof {
        dict.set_item("u_dot_w", line.u_dot_w)?;
        dict.set_item("lower", line.lower)?;
        dict.set_item("norm", line.norm)?;
        dict.set_item("upper", line.upper)?;
    }
    Ok(dict)
}

/// One output has a vector and a bias; many have a row and a bias each.
fn set_weights<'py>(py: Python<'py>, dict: &Bound<'py, PyDict>, weights: &Weights) -> PyResult<()> {
    let values: Vec<f64> = (0..weights.outputs()).flat_map(|k| weights.column(k)).map(|w| w + 0.0).collect();
    let bias: Vec<f64> = weights.bias().iter().map(|b| b + 0.0).collect();
    if weights.outputs() == 1 {
        dict.set_item("weights", PyArray1::from_vec(py, values))?;
        dict.set_item("bias", bias[0])
    } else {
        let shape = [weights.outputs(), weights.features()];
        dict.set_item("weights", PyArray1::from_vec(py, values).reshape(shape)?)?;
        dict.set_item("bias", PyArray1::from_vec(py, bias))
    }
}
