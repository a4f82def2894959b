//! Record batches of Arrow.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{Array, RecordBatch};
use arrow_schema::DataType;

use crate::error::{Error, Result};
use crate::rows::{Column, ColumnKind, DenseMatrix, Dialect, LabelCollector, Matrix, Schema, Table};

/// Whole numbers beyond this may not be what a float holds.
const MOST_WHOLE: f64 = (1u64 << 53) as f64;

impl Table {
    /// A table of a record batch: the feature `arrow`. The column `label` holds the classes as texts, whole numbers or
    /// booleans; all others hold numbers or booleans and are the features, by their names. Nulls are refused.
    pub fn from_arrow(batch: &RecordBatch, label: &str) -> Result<Table> {
        let schema = batch.schema();
        let Ok(label_at) = schema.index_of(label) else {
            let names: Vec<String> = schema.fields().iter().map(|f| f.name().clone()).collect();
            return Err(Error::bad_data(format!(
                "no column is called \"{label}\": there are {}",
                crate::rows::list(&names)
            )));
        };
        let first_of = |name: &str| schema.fields().iter().position(|field| field.name() == name);
        if let Some(at) = (0..batch.num_columns()).find(|&at| first_of(schema.field(at).name()) != Some(at)) {
            return Err(Error::bad_data(format!("two columns are called \"{}\"", schema.field(at).name())));
        }
        let (rows, width) = (batch.num_rows(), batch.num_columns());
        let places: Vec<usize> = (0..width).filter(|&at| at != label_at).collect();
        let features = places.len();
        let mut values = vec![0.0; rows * features];
        for (j, &at) in places.iter().enumerate() {
            let name = schema.field(at).name();
            for (i, value) in numbers(name, batch.column(at).as_ref())?.into_iter().enumerate() {
                values[i * features + j] = value;
            }
        }
        let column =
            |&at: &usize| Column { at, name: schema.field(at).name().clone(), kind: ColumnKind::Number, missing: None };
        let columns = Schema::Columns {
            columns: places.iter().map(column).collect(),
            label_at,
            label: Some(label.to_string()),
            width,
            header: true,
            dialect: Dialect::default(),
            hashed: None,
        };
        let mut collector = LabelCollector::default();
        let texts = texts(label, batch.column(label_at).as_ref())?;
        let met: Vec<u32> = texts.iter().map(|text| collector.collect(text)).collect();
        let (labels, moved) = collector.finish(None)?;
        let classes = met.iter().map(|&id| moved[id as usize]).collect();
        let matrix = Matrix::Dense(DenseMatrix { values, features });
        matrix.rows()?;
        Ok(Table { matrix, classes, labels, weights: None, schema: columns })
    }
}

fn refuse_nulls(name: &str, column: &dyn Array) -> Result<()> {
    match column.null_count() {
        0 => Ok(()),
        nulls => Err(Error::bad_data(format!("column \"{name}\": {nulls} nulls; fill or drop them first"))),
    }
}

/// The numbers of a column of one type.
fn primitives<T: ArrowPrimitiveType>(column: &dyn Array, as_f64: impl Fn(T::Native) -> f64) -> Vec<f64> {
    column.as_primitive::<T>().values().iter().map(|&v| as_f64(v)).collect()
}

fn numbers(name: &str, column: &dyn Array) -> Result<Vec<f64>> {
    refuse_nulls(name, column)?;
    let wide = |values: Vec<f64>| match values.iter().find(|v| v.abs() > MOST_WHOLE) {
        None => Ok(values),
        Some(v) => Err(Error::bad_data(format!("column \"{name}\": {v} is beyond 2^53, where floats cannot count"))),
    };
    Ok(match column.data_type() {
        DataType::Float64 => primitives::<Float64Type>(column, |v| v),
        DataType::Float32 => primitives::<Float32Type>(column, f64::from),
        DataType::Int8 => primitives::<Int8Type>(column, f64::from),
        DataType::Int16 => primitives::<Int16Type>(column, f64::from),
        DataType::Int32 => primitives::<Int32Type>(column, f64::from),
        DataType::Int64 => wide(primitives::<Int64Type>(column, |v| v as f64))?,
        DataType::UInt8 => primitives::<UInt8Type>(column, f64::from),
        DataType::UInt16 => primitives::<UInt16Type>(column, f64::from),
        DataType::UInt32 => primitives::<UInt32Type>(column, f64::from),
        DataType::UInt64 => wide(primitives::<UInt64Type>(column, |v| v as f64))?,
        DataType::Boolean => column.as_boolean().values().iter().map(|v| f64::from(u8::from(v))).collect(),
        other => {
            return Err(Error::bad_data(format!("column \"{name}\" is of type {other}: features are numbers")));
        }
    })
}

fn texts(name: &str, column: &dyn Array) -> Result<Vec<String>> {
    refuse_nulls(name, column)?;
    let strings = |each: &mut dyn Iterator<Item = Option<&str>>| each.flatten().map(str::to_string).collect();
    Ok(match column.data_type() {
        DataType::Utf8 => strings(&mut column.as_string::<i32>().iter()),
        DataType::LargeUtf8 => strings(&mut column.as_string::<i64>().iter()),
        DataType::Utf8View => strings(&mut column.as_string_view().iter()),
        DataType::Boolean => column.as_boolean().values().iter().map(|v| v.to_string()).collect(),
        kind if kind.is_integer() => numbers(name, column)?.iter().map(f64::to_string).collect(),
        other => {
            return Err(Error::bad_data(format!(
                "column \"{name}\" is of type {other}: labels are texts, whole numbers or booleans"
            )));
        }
    })
}
