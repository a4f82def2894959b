//! The readers from outside: files in, tables and exact messages out.

mod arrays;
mod compressed;
mod csv;
mod dialect;
mod fasttext;
mod guess;
mod hostile;
mod jsonl;
mod libsvm;
mod memory;
mod model;
mod real;
#[path = "../common/real_file.rs"]
mod real_file;
mod text;
mod vw;

use rosenblatt::io::Input;
use rosenblatt::read::{Dataset, ReadOptions, read};
use rosenblatt::rows::Matrix;

/// Memory is counted, so that limits hold.
#[global_allocator]
static ALLOCATOR: rosenblatt::limits::Counting = rosenblatt::limits::Counting;

/// Reads a text under a name whose extension may give its format.
fn parse(name: &str, text: &str) -> Dataset {
    parse_with(name, text, &ReadOptions::default()).unwrap_or_else(|message| panic!("{message}"))
}

fn parse_with(name: &str, text: &str, options: &ReadOptions) -> Result<Dataset, String> {
    let dataset = read(&Input::memory(name, text), options).map_err(|e| e.to_string())?;
    check(&dataset);
    Ok(dataset)
}

/// The error message for a text that must be refused.
fn refused(name: &str, text: &str) -> String {
    refused_with(name, text, &ReadOptions::default())
}

fn refused_with(name: &str, text: &str, options: &ReadOptions) -> String {
    parse_with(name, text, options).expect_err("this must be refused")
}

/// Checks the invariants of every table.
fn check(dataset: &Dataset) {
    let table = &dataset.table;
    let rows = table.matrix.rows().expect("a reader makes valid rows");
    assert_eq!(rows.features(), table.schema.features());
    assert_eq!(rows.features(), table.schema.feature_names().len());
    assert!(!rows.is_empty());
    if !table.classes.is_empty() {
        table.examples().expect("rows and classes fit together");
        assert!(table.classes.iter().all(|&c| (c as usize) < table.labels.len()));
    }
}

/// Every row written out dense.
fn dense(dataset: &Dataset) -> Vec<Vec<f64>> {
    match &dataset.table.matrix.clone().in_floats() {
        Matrix::Dense(m) => m.values.chunks(m.features).map(<[f64]>::to_vec).collect(),
        Matrix::DenseF32(m) => widened(&m.values, m.features),
        Matrix::DenseU8(m) => widened(&m.values, m.features),
        Matrix::Sparse(m) => m
            .offsets
            .windows(2)
            .map(|pair| {
                let mut row = vec![0.0; m.features];
                for at in pair[0]..pair[1] {
                    row[m.indices[at] as usize] = m.values[at];
                }
                row
            })
            .collect(),
        Matrix::DenseDecimal(_) | Matrix::SparseDecimal(_) => unreachable!("they were put in floats"),
    }
}

fn widened<V: Copy + Into<f64>>(values: &[V], features: usize) -> Vec<Vec<f64>> {
    values.chunks(features).map(|row| row.iter().map(|&v| v.into()).collect()).collect()
}

/// The label of each row, as text.
fn labels(dataset: &Dataset) -> Vec<&str> {
    dataset.table.classes.iter().map(|&c| dataset.table.labels.name(c)).collect()
}

fn is_dense(dataset: &Dataset) -> bool {
    matches!(dataset.table.matrix, Matrix::Dense(_))
}
