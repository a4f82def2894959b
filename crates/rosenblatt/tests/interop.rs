//! Matrices of other crates: seen where they lie, checked as our own.

use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Float32Array, Float64Array, Int64Array, RecordBatch, StringArray};
use ndarray::{Array2, array, s};
use rosenblatt::{AnyRows, IntoRows, Matrix, Model, Table, Trainer};
use sprs::{CsMatI, CsMatViewI, TriMatI};

const POINTS: [[f64; 2]; 4] = [[2.0, 1.0], [1.0, 3.0], [-1.0, -2.0], [-2.0, 0.5]];
const LABELS: [&str; 4] = ["spam", "spam", "ham", "ham"];

fn model() -> Model {
    Trainer::new("averaged").fit(&Table::dense(&POINTS, &LABELS).unwrap()).unwrap().model
}

#[test]
fn ndarray_views_are_rows() {
    let wide: Array2<f64> = array![[2.0, 1.0], [1.0, 3.0], [-1.0, -2.0], [-2.0, 0.5]];
    let narrow = wide.mapv(|v| v as f32);
    assert_eq!(model().predict_batch(wide.view()).unwrap(), LABELS);
    assert_eq!(model().predict_batch(&narrow).unwrap(), LABELS);
    assert_eq!(model().predict_batch(wide.slice(s![1..3, ..])).unwrap(), LABELS[1..3]);
    assert_eq!(model().scores(wide.view()).unwrap(), model().scores(&POINTS).unwrap());

    let turned = wide.t().as_standard_layout().to_owned();
    let told = turned.t().into_rows().unwrap_err().to_string();
    assert_eq!(told, "the matrix is not in standard order: pass as_standard_layout() of it");
    assert!(array![[1.0, f64::NAN]].view().into_rows().unwrap_err().to_string().contains("finite"));
}

#[test]
fn an_ndarray_becomes_a_table_in_any_order() {
    let wide: Array2<f64> = array![[2.0, 1.0], [1.0, 3.0], [-1.0, -2.0], [-2.0, 0.5]];
    let turned = wide.t().as_standard_layout().to_owned().reversed_axes();
    assert!(!turned.is_standard_layout());
    for array in [wide.clone(), turned, wide.slice(s![0..4, ..]).to_owned(), wide.clone().slice_move(s![0..4, ..])] {
        let table = Table::from_ndarray(array, &LABELS).unwrap();
        assert_eq!(Trainer::new("averaged").fit(&table).unwrap().model, model());
    }
    let Matrix::Dense(part) = Matrix::from(wide.slice_move(s![2.., ..])) else { panic!("dense") };
    assert_eq!((part.values, part.features), (vec![-1.0, -2.0, -2.0, 0.5], 2));
    assert!(Table::from_ndarray(array![[1.0]], &["a", "b"]).is_err());
}

#[test]
fn sprs_matrices_are_rows_and_tables() {
    let mut entries: TriMatI<f64, u32> = TriMatI::new((4, 2));
    for (i, row) in POINTS.iter().enumerate() {
        row.iter().enumerate().for_each(|(j, &v)| entries.add_triplet(i, j, v));
    }
    let rows: CsMatI<f64, u32, usize> = {
        let csr: CsMatI<f64, u32> = entries.to_csr();
        let (shape, (offsets, indices, values)) = (csr.shape(), csr.into_raw_storage());
        CsMatI::new(shape, offsets.iter().map(|&o| o as usize).collect(), indices, values)
    };
    assert!(matches!(rows.view().into_rows().unwrap(), AnyRows::SparseF64(_)));
    assert_eq!(model().predict_batch(rows.view()).unwrap(), LABELS);
    let narrow: CsMatI<f32, u32, usize> = rows.map(|&v| v as f32);
    assert_eq!(model().predict_batch(narrow.view()).unwrap(), LABELS);

    // Any kind of index, copied.
    let table = Table::from_sprs(&entries.to_csr::<u32>(), &LABELS).unwrap();
    let fitted = Trainer::new("averaged").fit(&table).unwrap();
    assert_eq!(fitted.model.hypothesis, model().hypothesis);

    let columns: CsMatI<f64, u32, usize> = rows.to_csc();
    let view: CsMatViewI<'_, f64, u32, usize> = columns.view();
    assert_eq!(view.into_rows().unwrap_err().to_string(), "the matrix is stored by columns: pass to_csr() of it");
    assert!(Table::from_sprs(&columns, &LABELS).is_err());
}

fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    RecordBatch::try_from_iter(columns).unwrap()
}

#[test]
fn a_record_batch_becomes_a_table() {
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("x", Arc::new(Float64Array::from(vec![2.0, 1.0, -1.0, -2.0]))),
        ("kind", Arc::new(StringArray::from(LABELS.to_vec()))),
        ("y", Arc::new(Float32Array::from(vec![1.0, 3.0, -2.0, 0.5]))),
        ("n", Arc::new(Int64Array::from(vec![1, 2, 3, 4]))),
        ("flag", Arc::new(BooleanArray::from(vec![true, false, true, false]))),
    ];
    let table = Table::from_arrow(&batch(columns), "kind").unwrap();
    assert_eq!(table.schema.feature_names(), ["x", "y", "n", "flag"]);
    let Matrix::Dense(matrix) = &table.matrix else { panic!("dense") };
    assert_eq!(matrix.values[..8], [2.0, 1.0, 1.0, 1.0, 1.0, 3.0, 2.0, 0.0]);
    assert_eq!(table.labels.names(), ["ham", "spam"]);
    assert_eq!(table.classes, [1, 1, 0, 0]);
    let model = Trainer::new("averaged").fit(&table).unwrap().model;
    assert_eq!(Model::from_bytes("arrow", &model.to_bytes()).unwrap(), model);
}

#[test]
fn what_is_no_number_is_refused() {
    let told = |columns: Vec<(&str, ArrayRef)>| Table::from_arrow(&batch(columns), "y").unwrap_err().to_string();
    let y = || ("y", Arc::new(Int64Array::from(vec![0, 1])) as ArrayRef);
    let x = |column: ArrayRef| vec![("x", column), y()];
    assert!(told(x(Arc::new(Float64Array::from(vec![Some(1.0), None])))).starts_with("column \"x\": 1 nulls"));
    assert!(told(x(Arc::new(StringArray::from(vec!["a", "b"])))).contains("features are numbers"));
    assert!(told(x(Arc::new(Int64Array::from(vec![1, i64::MAX])))).contains("beyond 2^53"));
    assert!(told(x(Arc::new(Float64Array::from(vec![1.0, f64::INFINITY])))).contains("finite"));
    assert!(told(vec![("x", y().1)]).contains("no column is called \"y\""));
    assert!(told(vec![("y", Arc::new(Float64Array::from(vec![0.5, 1.5])) as ArrayRef)]).contains("labels are texts"));
    assert_eq!(told(vec![("x", y().1), ("x", y().1), y()]), "two columns are called \"x\"");
    assert_eq!(Table::from_arrow(&batch(x(y().1)), "y").unwrap().labels.names(), ["0", "1"]);
}
