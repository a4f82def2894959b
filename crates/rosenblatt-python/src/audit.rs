//! Audits: bounds of the least training error of any hyperplane.

use std::sync::Arc;
use std::time::Duration;

use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rosenblatt::certify::exact::Memory;
use rosenblatt::certify::{Arrays, AuditOptions, Costs, Deadline, audit_jointly};

use crate::border::{SettingsError, cross_asking};
use crate::separable::table;

/// The least cost of the mistakes of any hyperplane: of `positive` against the others, of the second of two classes against
/// the first, or of all classes jointly, which has no certificate. `costs` are those of a positive and of a negative row, as
/// decimals; "balanced" for both is by the sizes of the classes.
#[pyfunction]
#[pyo3(signature = (x, classes, labels, *, positive=None, costs=None, time_limit=10.0, bias=true, degree=1))]
#[expect(clippy::too_many_arguments, reason = "all of them are named where it is called")]
pub(crate) fn audit<'py>(
    py: Python<'py>,
    x: &Bound<'py, PyAny>,
    classes: PyReadonlyArray1<'py, u32>,
    labels: Vec<String>,
    positive: Option<String>,
    costs: Option<(String, String)>,
    time_limit: Option<f64>,
    bias: bool,
    degree: u32,
) -> PyResult<Bound<'py, PyDict>> {
    let time = match time_limit {
        Some(s) if (0.0..1e9).contains(&s) => Some(Duration::from_secs_f64(s)),
        Some(s) => return Err(SettingsError::new_err(format!("time_limit={s}: expected seconds, not negative"))),
        None => None,
    };
    let table = table(py, x, classes, labels)?;
    let (found, proof) = cross_asking(py, |asked| {
        let deadline = Deadline::NEVER.or_when(Arc::clone(asked));
        let options = AuditOptions { bias, degree, time, deadline, ..AuditOptions::default() };
        let mut silent = |_: f64, _: f64| ();
        if positive.is_none() && table.labels.len() > 2 {
            table.check_learnable()?;
            let rows = table.matrix.rows()?;
            let all = (&table.classes[..], table.labels.len());
            return Ok((audit_jointly(rows, &Memory(rows), all, &options, &mut silent)?, None));
        }
        let arrays = Arrays::new(&table, positive.as_deref())?;
        let costs = match &costs {
            None => Costs::equal(),
            Some((text, _)) if text == "balanced" => {
                let one = positive.as_deref().and_then(|name| table.labels.find(name)).unwrap_or(1);
                let count = table.classes.iter().filter(|class| **class == one).count();
                Costs::balanced(count, table.classes.len() - count)?
            }
            Some((positive, negative)) => Costs::parse(positive, negative)?,
        };
        let found = arrays.audit(&AuditOptions { costs, ..options }, &mut silent)?;
        let proof = arrays.audit_certificate(&found)?;
        Ok((found, Some(proof)))
    })?;
    let dict = PyDict::new(py);
    dict.set_item("examples", found.examples)?;
    dict.set_item("features", found.features)?;
    dict.set_item("bounds", found.fractions())?;
    dict.set_item("error", found.error())?;
    dict.set_item("mistakes", &found.mistakes)?;
    dict.set_item("witnesses", found.witnesses.iter().map(|w| w.rows().collect()).collect::<Vec<Vec<usize>>>())?;
    dict.set_item("suspects", found.suspects.iter().map(|s| (s.row, s.score)).collect::<Vec<_>>())?;
    dict.set_item("hyperplane", found.hyperplane.as_ref().map(|plane| plane.floats()))?;
    dict.set_item("seconds", found.seconds)?;
    dict.set_item("certificate", proof)?;
    Ok(dict)
}
