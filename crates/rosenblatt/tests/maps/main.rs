//! Feature maps against naive twins, dense against sparse, and through the model file.

#[path = "../common/mod.rs"]
mod common;
mod file;
mod products;
mod scale;
mod words;

use rosenblatt::Table;
use rosenblatt::map::Preparation;
use rosenblatt::rows::{AnyRows, Matrix, Row, Rows, SparseMatrix};

/// Every row of a matrix, zeros and all.
fn dense(matrix: &Matrix) -> Vec<Vec<f64>> {
    match matrix.rows().unwrap() {
        AnyRows::DenseF64(rows) => written_out(rows),
        AnyRows::DenseF32(rows) => written_out(rows),
        AnyRows::DenseU8(rows) => written_out(rows),
        AnyRows::SparseF64(rows) => written_out(rows),
        _ => unreachable!("no reader makes others"),
    }
}

fn written_out(rows: impl Rows) -> Vec<Vec<f64>> {
    let one = |i: usize| {
        let mut row = vec![0.0; rows.features()];
        rows.row(i).each(|j, v| row[j] = v);
        row
    };
    (0..rows.len()).map(one).collect()
}

/// The same table with sparse rows.
fn sparse(table: &Table) -> Table {
    let mut matrix = SparseMatrix { features: table.matrix.features(), ..SparseMatrix::default() };
    for row in dense(&table.matrix) {
        for (j, v) in row.into_iter().enumerate().filter(|(_, v)| *v != 0.0) {
            matrix.indices.push(j as u32);
            matrix.values.push(v);
        }
        matrix.end_row();
    }
    Table { matrix: Matrix::Sparse(matrix), ..table.clone() }
}

/// The rows of a table, prepared.
fn prepared(preparation: &Preparation, table: &Table) -> Vec<Vec<f64>> {
    let prepared = preparation.fit(table).unwrap();
    let rows = dense(&prepared.matrix);
    // The chain that the model keeps does the same.
    assert_eq!(dense(&prepared.chain.matrix(table.matrix.rows().unwrap()).unwrap()), rows);
    rows
}
