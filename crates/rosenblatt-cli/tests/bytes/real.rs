//! The cases of real data, which are optional.

use std::path::Path;

use crate::real_file;
use crate::run::Case;

/// Where the files of `real.txt` lie.
const FILES: &[&str] = &[
    "a9a/a9a.gz",
    "a9a/a9a.t.gz",
    "adult/adult.data.gz",
    "conll2000/test.txt.gz",
    "heart_scale/heart_scale.gz",
    "iris/iris.csv.gz",
    "letter/letter.scale.gz",
    "letter/letter.scale.t.gz",
    "mnist/t10k-images-idx3-ubyte.gz",
    "mnist/t10k-labels-idx1-ubyte.gz",
    "mushrooms/mushrooms.gz",
    "rcv1_small_vw/rcv1_small.dat.gz",
    "rcv1_small_vw/rcv1_small_test.data.gz",
    "reuters_r8_r52/r8-test.tsv.gz",
    "sms_spam/SMSSpamCollection.tsv.gz",
    "sonar/sonar.csv.gz",
    "ud_english_ewt/en_ewt-ud-dev.conllu.gz",
    "ud_english_ewt/en_ewt-ud-test.conllu.gz",
    "usps/usps_test.libsvm.gz",
    "usps/usps_train.libsvm.gz",
    "w8a/w8a.gz",
    "wnut17/emerging.dev.conll.gz",
    "wnut17/wnut17train.conll.gz",
];

pub fn all() -> Vec<Case> {
    Case::list(include_str!("real.txt"))
}

/// Copies the files into a folder; those of the cases that have all of theirs.
pub fn at_hand(cases: &[Case], folder: &Path) -> Vec<Case> {
    let mut missing = Vec::new();
    for file in FILES {
        let name = file.rsplit('/').next().unwrap_or(file);
        match real_file::find(file) {
            Some(path) => std::fs::copy(path, folder.join(name)).map(|_| ()).unwrap(),
            None => missing.push(name),
        }
    }
    let lacks = |case: &Case| case.lines.iter().flat_map(|line| line.split(' ')).any(|word| missing.contains(&word));
    cases.iter().filter(|case| !lacks(case)).cloned().collect()
}
