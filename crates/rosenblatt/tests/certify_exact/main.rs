//! Is every verdict right, and does every certificate hold?

mod check;
mod counts;
mod files;
mod real;
#[path = "../common/real_file.rs"]
mod real_file;

use dashu_ratio::RBig;
use rosenblatt::Table;
use rosenblatt::certify::{Decision, Options, Question, decide};

use check::{Claim, check};

/// Decides about integers from memory and checks the certificate.
pub fn decided(rows: &[Vec<i64>], signs: &[i8], options: &Options) -> Decision {
    let floats: Vec<Vec<f64>> = rows.iter().map(|r| r.iter().map(|&v| v as f64).collect()).collect();
    let labels: Vec<&str> = signs.iter().map(|s| if *s > 0 { "+1" } else { "-1" }).collect();
    let table = Table::dense(&floats, &labels).unwrap();
    let mut question = Question::from_memory(table.examples().unwrap()).unwrap();
    question.signs = signs.to_vec();
    let decision = decide(&question, options).unwrap();
    let exact: Vec<Vec<RBig>> = rows.iter().map(|r| r.iter().map(|&v| RBig::from(v)).collect()).collect();
    let exact: Vec<Vec<RBig>> = exact.iter().map(|r| files::monomials(r, options.degree)).collect();
    check(&Claim::from(&decision), &exact, signs, options.bias);
    decision
}
