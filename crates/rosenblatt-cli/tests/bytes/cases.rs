//! The cases of made data: those of `cases.txt`, and every learner with everything that it can keep.

use crate::run::Case;

/// Every case.
pub fn all() -> Vec<Case> {
    let parquet = |case: &Case| case.lines.iter().any(|line| line.contains("parquet"));
    let listed = Case::list(include_str!("cases.txt")).into_iter();
    listed.filter(|case| cfg!(feature = "parquet") || !parquet(case)).chain(learners()).collect()
}

/// Learners that can keep in every way, and those that keep in one.
const FREE: [&str; 8] = ["perceptron", "averaged", "voted", "pocket", "margin", "pa", "pa1", "pa2"];
const BOUND: [&str; 4] = ["half-margin", "arow", "batch", "alma"];

/// Every learner with everything that it can keep, on two classes and on four in every way to have many.
fn learners() -> Vec<Case> {
    let mut ways: Vec<(&str, &str)> = BOUND.iter().map(|learner| (*learner, "last")).collect();
    for learner in FREE {
        ways.extend(["last", "average", "vote", "pocket"].map(|keep| (learner, keep)));
    }
    let mut cases = Vec::new();
    for (learner, keep) in ways {
        let how = format!("--learner {learner} --keep {keep} --epochs 4 --scale none --json");
        let two = [
            format!("train two.svm {how} -o m --checkpoint c"),
            "predict m test.svm --scores -o p".to_string(),
            "eval m test.svm --json".to_string(),
            format!("train clean.svm {how} -o clean"),
        ];
        cases.push(Case::new(format!("learner-{learner}-{keep}"), two));
        for multiclass in ["single", "uniform", "one-vs-rest"] {
            let four = [
                format!("train four.svm {how} --multiclass {multiclass} -o m --checkpoint c"),
                "predict m four.svm --scores -o p".to_string(),
                "eval m four.svm --json".to_string(),
            ];
            cases.push(Case::new(format!("learner-{learner}-{keep}-{multiclass}"), four));
        }
    }
    cases
}
