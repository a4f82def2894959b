//! What `tune` tries without a grid: what an expert would, the most promising first.

use rosenblatt::fit::mean_square;
use rosenblatt::map::Prepared;
use rosenblatt::rows::{ColumnKind, Schema, Table};
use rosenblatt::{Result, Trainer};

/// The most features that products of two are tried for, and the most examples that a kernel is tried for.
const NARROW: usize = 40;
const SMALL: usize = 20_000;

/// The grids to try on these examples, in order.
pub fn grids(table: &Table) -> Result<Vec<String>> {
    let settled = Trainer::auto().settle(table)?;
    let prepared: Prepared<'_> = settled.trainer.prepare(table)?;
    let text = match &table.schema {
        Schema::Columns { columns, .. } => columns.iter().any(|c| matches!(c.kind, ColumnKind::Text { .. })),
        _ => false,
    };
    let mut grids: Vec<String> =
        ["learner=auto epochs=10", "learner=pa1 keep=average c=0.1,0.01,1 epochs=10"].map(String::from).into();
    grids.push("learner=arow r=1,10 epochs=10".into());
    if text {
        grids.push("learner=auto tf=binary tf-idf=true scale=unit epochs=10".into());
        grids.push("learner=auto,arow ngrams=2 epochs=10".into());
        grids.push("learner=pa1 keep=average c=0.1,1 ngrams=2 bias=0.1 epochs=10".into());
    }
    if !text && prepared.features() <= NARROW {
        grids.push("degree=2 learner=auto epochs=10,30".into());
        grids.push("degree=2 learner=arow r=1 epochs=10".into());
    }
    if table.matrix.len() <= SMALL && !text {
        let mean = mean_square(prepared.matrix.rows()?);
        if mean > 0.0 && mean.is_finite() {
            let gamma = |times: f64| format!("rbf:{}", one_digit(times / mean));
            let gammas: Vec<String> = [1.0, 3.0, 0.3, 10.0].map(gamma).into();
            grids.push(format!("kernel={} epochs=10", gammas.join(",")));
        }
    }
    // What may help a little, after what may help much.
    grids.push("learner=auto epochs=3,30".into());
    grids.push("learner=averaged epochs=10,30".into());
    Ok(grids)
}

fn one_digit(v: f64) -> f64 {
    format!("{v:.0e}").parse().unwrap_or(v)
}
