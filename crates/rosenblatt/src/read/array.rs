//! A binary array, from an IDX or NPY file: features or labels.

use crate::error::{Error, Result};
use crate::rows::{DenseMatrix, LabelCollector, Matrix};

/// Numbers or texts with a shape.
#[derive(Debug, PartialEq)]
pub(crate) struct Array {
    pub(crate) shape: Vec<usize>,
    pub(crate) values: Values,
}

/// The values of an array, row by row.
#[derive(Debug, PartialEq)]
pub(crate) enum Values {
    Bytes(Vec<u8>),
    Singles(Vec<f32>),
    Doubles(Vec<f64>),
    Texts(Vec<String>),
}

/// A number type of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Number {
    U8,
    I8,
    U16,
    I16,
    U32,
    I32,
    U64,
    I64,
    F32,
    F64,
}

impl Number {
    /// Its size in bytes.
    pub(crate) fn size(self) -> usize {
        match self {
            Number::U8 | Number::I8 => 1,
            Number::U16 | Number::I16 => 2,
            Number::U32 | Number::I32 | Number::F32 => 4,
            Number::U64 | Number::I64 | Number::F64 => 8,
        }
    }

    /// Decodes all numbers; `big`: big-endian.
    pub(crate) fn decode(self, bytes: &[u8], big: bool) -> Values {
        fn each<const N: usize, T>(bytes: &[u8], big: bool, number: impl Fn([u8; N]) -> T) -> Vec<T> {
            let (chunks, _) = bytes.as_chunks::<N>();
            let turned = |chunk: &[u8; N]| {
                let mut chunk = *chunk;
                if big {
                    chunk.reverse();
                }
                number(chunk)
            };
            chunks.iter().map(turned).collect()
        }
        match self {
            Number::U8 => Values::Bytes(bytes.to_vec()),
            Number::I8 => Values::Doubles(each(bytes, big, |b| f64::from(i8::from_le_bytes(b)))),
            Number::U16 => Values::Doubles(each(bytes, big, |b| f64::from(u16::from_le_bytes(b)))),
            Number::I16 => Values::Doubles(each(bytes, big, |b| f64::from(i16::from_le_bytes(b)))),
            Number::U32 => Values::Doubles(each(bytes, big, |b| f64::from(u32::from_le_bytes(b)))),
            Number::I32 => Values::Doubles(each(bytes, big, |b| f64::from(i32::from_le_bytes(b)))),
            Number::U64 => Values::Doubles(each(bytes, big, |b| u64::from_le_bytes(b) as f64)),
            Number::I64 => Values::Doubles(each(bytes, big, |b| i64::from_le_bytes(b) as f64)),
            Number::F32 => Values::Singles(each(bytes, big, f32::from_le_bytes)),
            Number::F64 => Values::Doubles(each(bytes, big, f64::from_le_bytes)),
        }
    }
}

/// How many bytes an array of this shape takes; `None` on overflow.
pub(crate) fn bytes_of(shape: &[usize], size: usize) -> Option<usize> {
    shape.iter().try_fold(size, |bytes, &n| bytes.checked_mul(n))
}

/// A shape for messages: `60000 × 28 × 28`.
pub(crate) fn shape_text(shape: &[usize]) -> String {
    match shape {
        [] => "a single value".to_string(),
        _ => shape.iter().map(usize::to_string).collect::<Vec<_>>().join(" × "),
    }
}

impl Array {
    /// The array as rows: the first dimension counts them, the others are the features.
    pub(crate) fn matrix(self) -> Result<Matrix> {
        let [rows, rest @ ..] = &self.shape[..] else {
            return Err(Error::bad_data("a single value, where a matrix of rows is expected"));
        };
        if rest.is_empty() {
            return Err(Error::bad_data(format!("a list of {rows} values, where a matrix of rows is expected")));
        }
        let features = rest.iter().product();
        if *rows == 0 || features == 0 {
            return Err(Error::bad_data(format!("no examples: the shape is {}", shape_text(&self.shape))));
        }
        Ok(match self.values {
            Values::Bytes(values) => Matrix::DenseU8(DenseMatrix { values, features }),
            Values::Singles(values) => Matrix::DenseF32(DenseMatrix { values, features }),
            Values::Doubles(values) => Matrix::Dense(DenseMatrix { values, features }),
            Values::Texts(_) => return Err(Error::bad_data("an array of texts, where numbers are expected")),
        })
    }

    /// The array as labels, one for each example.
    pub(crate) fn labels(self, collector: &mut LabelCollector) -> Result<Vec<u32>> {
        // A column of labels is read like a list.
        if self.shape.is_empty() || self.shape[1..].iter().any(|&n| n != 1) {
            return Err(Error::bad_data(format!("labels of the shape {}: expected a list", shape_text(&self.shape))));
        }
        let unfit = |v: &f64| Error::bad_data(format!("{v} is no label: labels must be finite"));
        Ok(match self.values {
            Values::Bytes(values) => values.iter().map(|v| collector.collect(&v.to_string())).collect(),
            Values::Texts(values) => values.iter().map(|v| collector.collect(v)).collect(),
            Values::Singles(values) => {
                let values = values.iter().map(|&v| f64::from(v));
                values
                    .map(|v| if v.is_finite() { Ok(collector.collect(&v.to_string())) } else { Err(unfit(&v)) })
                    .collect::<Result<_>>()?
            }
            Values::Doubles(values) => values
                .iter()
                .map(|v| if v.is_finite() { Ok(collector.collect(&v.to_string())) } else { Err(unfit(v)) })
                .collect::<Result<_>>()?,
        })
    }
}
