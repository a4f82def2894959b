//! The space in which the perceptron moves: the bias is one more weight, and every example has one more coordinate, β.
//!
//! There the widest margin γ′ belongs to the hyperplane through the origin that is nearest to all signed examples. Its direction is
//! another than that of the widest street between the hulls of the classes, so it is a search of its own.

use super::{Problem, Proposal, propose, room};
use crate::certify::Deadline;
use crate::error::Result;
use crate::limits;
use crate::rows::{AnyRows, DenseMatrix, Matrix, Row, Rows, SparseMatrix};

/// The relative tolerance of the margin.
const GAP: f64 = 1e-9;

/// A direction with the widest margin γ′ in this space.
pub(crate) struct Widest {
    /// One weight for each feature, and that of the coordinate β last, if there is one.
    pub weights: Vec<f64>,
    /// Rows (from 0) that bound the margin, and their convex weights.
    pub support: Vec<(usize, f64)>,
}

/// The direction, for a coordinate `beta` or none. `None` if none was found in floating point, or in time.
pub(crate) fn widest(
    rows: AnyRows<'_>,
    signs: &[i8],
    beta: Option<f64>,
    deadline: &Deadline,
) -> Result<Option<Widest>> {
    let folded = beta.map(|beta| fold(rows, beta)).transpose()?;
    let rows = match &folded {
        Some(folded) => folded.rows()?,
        None => rows,
    };
    let problem = Problem { rows, signs, bias: false };
    room(problem)?;
    match propose(problem, GAP, deadline) {
        Proposal::Separable { weights, support, .. } => Ok(Some(Widest { weights, support })),
        _ => Ok(None),
    }
}

/// The rows, each with one more coordinate that is β.
fn fold(rows: AnyRows<'_>, beta: f64) -> Result<Matrix> {
    // A copy, and one with a column more.
    let stored: u128 = (0..rows.len()).map(|i| rows.stored(i) as u128 + 1).sum();
    limits::room_for::<(u32, f64)>(2 * stored, || format!("two copies of {} examples", rows.len()).into())?;
    let features = rows.features();
    if rows.is_sparse() {
        let mut wider = SparseMatrix { features: features + 1, ..SparseMatrix::default() };
        for i in 0..rows.len() {
            rows.row(i).each(|j, v| {
                wider.indices.push(j as u32);
                wider.values.push(v);
            });
            wider.indices.push(features as u32);
            wider.values.push(beta);
            wider.end_row();
        }
        return Ok(Matrix::Sparse(wider));
    }
    let mut values = vec![0.0; rows.len() * (features + 1)];
    for (i, wider) in values.chunks_mut(features + 1).enumerate() {
        rows.row(i).each(|j, v| wider[j] = v);
        wider[features] = beta;
    }
    Ok(Matrix::Dense(DenseMatrix { values, features: features + 1 }))
}
