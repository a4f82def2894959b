//! Wide rows have the verdicts of the narrow rows that they are made of.

use rosenblatt::certify::{Options, Question, Verdict, decide};
use rosenblatt::random::Stream;
use rosenblatt::rows::{Labels, Matrix, Schema, SparseMatrix, Table};

use crate::check::{Claim, brute_force, check};
use crate::decided;

/// Small rows of integers with signs, and whether there is a bias.
fn small(case: u64) -> (Vec<Vec<i64>>, Vec<i8>, bool) {
    let mut random = Stream::new(case, &[91]);
    let (n, d) = (2 + random.below(6) as usize, 1 + random.below(3) as usize);
    let bias = random.below(2) == 1;
    let mut value = || random.below(5) as i64 - 2;
    let rows: Vec<Vec<i64>> = (0..n).map(|_| (0..d).map(|_| value()).collect()).collect();
    let mut signs: Vec<i8> = (0..n).map(|_| if value() > 0 { 1 } else { -1 }).collect();
    (signs[0], signs[1]) = (1, -1);
    (rows, signs, bias)
}

/// By brute force.
fn truth(rows: &[Vec<i64>], signs: &[i8], bias: bool) -> Verdict {
    let signed = |(row, sign): (&Vec<i64>, &i8)| {
        row.iter().chain(bias.then_some(&1)).map(|v| v * i64::from(*sign)).collect::<Vec<i64>>()
    };
    brute_force(&rows.iter().zip(signs).map(signed).collect::<Vec<_>>())
}

/// Every column is a combination of the first few: those decide.
#[test]
fn dependent_columns_change_no_verdict() {
    const WIDTH: usize = 1100;
    let mut found = [0; 3];
    for case in 0..150 {
        let (rows, signs, bias) = small(case);
        let mut random = Stream::new(case, &[92]);
        let columns: Vec<Vec<i64>> =
            (0..WIDTH).map(|_| rows[0].iter().map(|_| random.below(7) as i64 - 3).collect()).collect();
        let widen = |row: &Vec<i64>| -> Vec<i64> {
            let made = columns.iter().map(|c| c.iter().zip(row).map(|(c, v)| c * v).sum());
            row.iter().copied().chain(made).collect()
        };
        let wide: Vec<Vec<i64>> = rows.iter().map(widen).collect();
        let want = truth(&rows, &signs, bias);
        let got = decided(&wide, &signs, &Options { bias, gap: 0.5, ..Options::default() }).verdict;
        assert_eq!(got, want, "case {case}: {rows:?} {signs:?} bias {bias}");
        found[want as usize] += 1;
    }
    assert!(found.iter().all(|count| *count > 10), "{found:?}");
}

/// Sparse rows whose few columns lie far apart.
fn spread(rows: &[Vec<i64>], signs: &[i8], apart: usize) -> Table {
    let mut matrix = SparseMatrix { features: 4 * apart, ..SparseMatrix::default() };
    for row in rows {
        for (j, v) in row.iter().enumerate().filter(|(_, v)| **v != 0) {
            matrix.indices.push((j * apart + 7) as u32);
            matrix.values.push(*v as f64);
        }
        matrix.end_row();
    }
    Table {
        schema: Schema::Indexed { first: 1, features: matrix.features },
        matrix: Matrix::Sparse(matrix),
        classes: signs.iter().map(|s| u32::from(*s > 0)).collect(),
        labels: Labels::new(vec!["-1".into(), "+1".into()]),
        weights: None,
    }
}

#[test]
fn columns_without_values_change_no_verdict() {
    for case in 1000..1300 {
        let (rows, signs, bias) = small(case);
        let table = spread(&rows, &signs, 900);
        let question = Question::from_memory(table.examples().unwrap()).unwrap();
        let decision = decide(&question, &Options { bias, gap: 0.5, ..Options::default() }).unwrap();
        assert_eq!(decision.verdict, truth(&rows, &signs, bias), "case {case}: {rows:?} {signs:?} bias {bias}");
        assert_eq!(decision.features, 3600);
        let exact = |i: usize| {
            let mut all = vec![dashu_ratio::RBig::ZERO; 3600];
            let columns = rows[i].iter().enumerate();
            columns.for_each(|(j, v)| all[j * 900 + 7] = dashu_ratio::RBig::from(*v));
            all
        };
        let exact: Vec<_> = (0..rows.len()).map(exact).collect();
        check(&Claim::from(&decision), &exact, &signs, bias);
    }
}

/// Texts with many rare words, of which two contradict each other: a word of one class alone separates weakly, and the
/// rows without such words decide the rest.
#[test]
fn rare_words_leave_a_small_core() {
    let words = 3000;
    let mut random = Stream::new(3, &[93]);
    let mut text = String::new();
    for row in 0..400u32 {
        let mut own: Vec<u64> = (0..12).map(|_| 1 + (random.unit().powi(4) * f64::from(words)) as u64).collect();
        own.sort_unstable();
        own.dedup();
        let line = own.iter().map(|w| format!(" {w}:1")).collect::<String>();
        text.push_str(&format!("{}{line}\n", if row % 2 == 0 { "+1" } else { "-1" }));
        if row == 17 {
            text.push_str(&format!("+1{line}\n"));
        }
    }
    let input = rosenblatt::io::Input::memory("words.svm", text);
    let dataset = rosenblatt::read::read(&input, &rosenblatt::read::ReadOptions::default()).unwrap();
    let question = Question::from_memory(dataset.table.examples().unwrap()).unwrap();
    let decision = decide(&question, &Options::default()).unwrap();
    assert_eq!(decision.verdict, Verdict::WeaklySeparable);
    assert_eq!(decision.contradiction, Some((17, 18)));
    assert_eq!(decision.support().map(|(row, _)| row).collect::<Vec<_>>(), [17, 18]);
}
