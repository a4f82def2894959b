//! Scaling against its naive twin.

use proptest::prelude::*;
use rosenblatt::Table;
use rosenblatt::map::{Preparation, Scaling};
use rosenblatt::rows::{Column, ColumnKind, Dialect, Schema};

use crate::common::{cases, close, table};
use crate::{dense, prepared, sparse};

const ALL: [Scaling; 4] = [Scaling::Ball, Scaling::Unit, Scaling::Standard, Scaling::MinMax];

fn by(scale: Scaling) -> Preparation {
    Preparation { scale, ..Preparation::default() }
}

fn column(rows: &[Vec<f64>], j: usize) -> Vec<f64> {
    rows.iter().map(|r| r[j]).collect()
}

fn length(x: &[f64]) -> f64 {
    x.iter().map(|v| v * v).sum::<f64>().sqrt()
}

/// The textbook, a column or a row at a time; `centred`: whether columns may be shifted.
fn twin(scale: Scaling, rows: &[Vec<f64>], centred: bool) -> Vec<Vec<f64>> {
    let n = rows.len() as f64;
    let radius = rows.iter().map(|r| length(r)).fold(0.0, f64::max);
    let safe = |v: f64, by: f64| if by == 0.0 { 0.0 } else { v / by };
    let entry = |row: &Vec<f64>, j: usize| {
        let column = column(rows, j);
        let mean = column.iter().sum::<f64>() / n;
        let deviation = (column.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / n).sqrt();
        let (low, high) = column.iter().fold((f64::MAX, f64::MIN), |(l, h), v| (l.min(*v), h.max(*v)));
        match (scale, centred) {
            (Scaling::Ball, _) => safe(row[j], radius),
            (Scaling::Unit, _) => safe(row[j], length(row)),
            (Scaling::Standard, true) => safe(row[j] - mean, deviation),
            (Scaling::Standard, false) => safe(row[j], deviation),
            (Scaling::MinMax, true) => safe(row[j] - low, high - low),
            (Scaling::MinMax, false) => safe(row[j], low.abs().max(high.abs())),
            (Scaling::None, _) => row[j],
        }
    };
    rows.iter().map(|row| (0..row.len()).map(|j| entry(row, j)).collect()).collect()
}

fn small() -> impl Strategy<Value = Vec<Vec<f64>>> {
    prop::collection::vec(prop::collection::vec((-4i32..5).prop_map(|v| f64::from(v.max(-1)) * 0.5), 3), 2..9)
}

fn labelled(rows: &[Vec<f64>]) -> Table {
    table(rows, &(0..rows.len()).map(|i| i % 2).collect::<Vec<_>>())
}

fn agree(a: &[Vec<f64>], b: &[Vec<f64>]) -> bool {
    a.iter().zip(b).all(|(a, b)| close(a, b, 1e-12))
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn dense_and_sparse_rows_agree_with_the_twin(rows in small()) {
        let table = labelled(&rows);
        for scale in ALL {
            prop_assert!(agree(&prepared(&by(scale), &table), &twin(scale, &rows, true)), "{:?}", scale);
            prop_assert!(agree(&prepared(&by(scale), &sparse(&table)), &twin(scale, &rows, false)), "{:?}", scale);
        }
    }

    #[test]
    fn columns_of_numbers_are_centred_even_where_rows_are_sparse(rows in small()) {
        // Two columns of numbers, and a category whose place in the row is that of the third.
        let mut table = labelled(&rows.iter().map(|r| vec![r[0], r[1], f64::from(u8::from(r[2] > 0.0))]).collect::<Vec<_>>());
        let column = |(at, kind): (usize, ColumnKind)| Column { name: format!("c{at}"), at, kind, missing: None };
        let kinds = [ColumnKind::Number, ColumnKind::Number, ColumnKind::Category { values: vec!["yes".into()] }];
        let columns = kinds.into_iter().enumerate().map(column).collect();
        table.schema = Schema::Columns { columns, label: None, label_at: 3, width: 4, header: false, dialect: Dialect::default(), hashed: None };
        let raw = dense(&table.matrix);
        for scale in [Scaling::Standard, Scaling::MinMax] {
            let mut expected = twin(scale, &raw, true);
            expected.iter_mut().zip(&raw).for_each(|(e, r)| e[2] = r[2]);
            prop_assert!(agree(&prepared(&by(scale), &sparse(&table)), &expected), "{:?}", scale);
        }
    }
}

#[test]
fn a_column_that_never_changes_becomes_zero() {
    let rows: Vec<Vec<f64>> = (0..7).map(|i| vec![0.1, f64::from(i)]).collect();
    for scale in [Scaling::Standard, Scaling::MinMax] {
        assert!(prepared(&by(scale), &labelled(&rows)).iter().all(|r| r[0] == 0.0), "{scale:?}");
    }
}

#[test]
fn scaled_rows_have_the_length_they_should() {
    let table = rosenblatt::read::iris().unwrap();
    let lengths = |scale| prepared(&by(scale), &table).iter().map(|r| length(r)).collect::<Vec<_>>();
    assert!((lengths(Scaling::Ball).into_iter().fold(0.0, f64::max) - 1.0).abs() < 1e-12);
    assert!(lengths(Scaling::Unit).iter().all(|l| (l - 1.0).abs() < 1e-12));
}

#[test]
fn values_whose_squares_overflow_are_refused() {
    let table = labelled(&[vec![1e300, 1.0], vec![-1e300, 0.0]]);
    let error = by(Scaling::Standard).fit(&table).unwrap_err().to_string();
    assert!(error.contains("too large to be scaled"), "{error}");
}
