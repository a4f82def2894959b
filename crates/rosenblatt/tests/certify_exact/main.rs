//! Is every verdict right, and does every certificate hold?

mod check;
mod counts;
mod files;
mod real;
#[path = "../common/real_file.rs"]
mod real_file;
mod stages;
mod wide;

use dashu_ratio::RBig;
use rosenblatt::Table;
use rosenblatt::certify::{Decision, Options, Question, Verdict, decide_telling};

use check::{Claim, check};

/// Decides about integers from memory and checks the certificate.
pub fn decided(rows: &[Vec<i64>], signs: &[i8], options: &Options) -> Decision {
    let floats: Vec<Vec<f64>> = rows.iter().map(|r| r.iter().map(|&v| v as f64).collect()).collect();
    let labels: Vec<&str> = signs.iter().map(|s| if *s > 0 { "+1" } else { "-1" }).collect();
    let table = Table::dense(&floats, &labels).unwrap();
    let mut question = Question::from_memory(table.examples().unwrap()).unwrap();
    question.signs = signs.to_vec();
    let mut told = None;
    let decision = decide_telling(&question, options, &mut |open| {
        assert!(told.replace(open.clone()).is_none(), "told twice");
        Ok(())
    });
    let decision = decision.unwrap();
    let exact: Vec<Vec<RBig>> = rows.iter().map(|r| r.iter().map(|&v| RBig::from(v)).collect()).collect();
    let exact: Vec<Vec<RBig>> = exact.iter().map(|r| files::monomials(r, options.degree)).collect();
    check(&Claim::from(&decision), &exact, signs, options.bias);
    // That no hyperplane separates strictly is proved, and told, before the rest is decided.
    assert_eq!(told.is_some(), decision.verdict.is_refuted());
    if let Some(open) = told {
        assert_eq!((open.verdict, open.hyperplane.is_none()), (Verdict::NotSeparable, true));
        check(&Claim::from(&open), &exact, signs, options.bias);
    }
    decision
}
