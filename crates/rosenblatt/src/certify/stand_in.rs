//! A plain proposer: a few passes of the perceptron.

use std::time::Instant;

use crate::base::row::Row;
use crate::data::{AnyRows, Rows};
use crate::each_kind;

/// What is asked of the float half: rows, their signs (0: left out), and whether there is a bias.
#[derive(Debug, Clone, Copy)]
pub struct Problem<'a> {
    pub rows: AnyRows<'a>,
    pub signs: &'a [i8],
    pub bias: bool,
}

/// What the float half believes.
#[derive(Debug, Clone)]
#[allow(dead_code)]
pub enum Proposal {
    /// A hyperplane, bounds of the margin, and convex weights of examples that give the upper one.
    Separable { weights: Vec<f64>, bias: f64, lower: f64, upper: f64, support: Vec<(usize, f64)> },
    /// Examples whose hulls seem to meet.
    Inseparable { support: Vec<(usize, f64)> },
    /// Floats cannot tell: the rows that matter most, the best hyperplane and bounds so far.
    Unclear { pool: Vec<usize>, weights: Vec<f64>, bias: f64, lower: f64, upper: f64 },
}

const PASSES: usize = 50;

/// Proposes.
pub fn propose(problem: Problem<'_>, _gap: f64, _deadline: Option<Instant>) -> Proposal {
    each_kind!(problem.rows, rows => run(rows, problem.signs, problem.bias))
}

fn run<R: Rows>(rows: R, signs: &[i8], bias: bool) -> Proposal {
    let one = f64::from(u8::from(bias));
    let mut w = vec![0.0; rows.features()];
    let mut b = 0.0;
    let mut steps = vec![0u32; rows.len()];
    for _ in 0..PASSES {
        let mut mistakes = 0;
        for i in (0..rows.len()).filter(|&i| signs[i] != 0) {
            let y = f64::from(signs[i]);
            if y * (rows.row(i).dot(&w) + b) <= 0.0 {
                rows.row(i).add_to(&mut w, y);
                b += y * one;
                steps[i] += 1;
                mistakes += 1;
            }
        }
        if mistakes == 0 {
            let support = steps.iter().enumerate().filter(|s| *s.1 > 0).map(|(i, &s)| (i, f64::from(s))).collect();
            return Proposal::Separable { weights: w, bias: b, lower: 0.0, upper: f64::INFINITY, support };
        }
    }
    let score = |i: &usize| f64::from(signs[*i]) * (rows.row(*i).dot(&w) + b);
    let mut order: Vec<usize> = (0..rows.len()).filter(|&i| signs[i] != 0).collect();
    order.sort_by(|a, b| score(a).total_cmp(&score(b)));
    order.truncate(2 * rows.features() + 8);
    Proposal::Unclear { pool: order, weights: w, bias: b, lower: 0.0, upper: f64::INFINITY }
}
