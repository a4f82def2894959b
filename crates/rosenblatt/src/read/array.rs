//! A binary array, from an IDX or NPY file: features or labels.

use crate::error::{Error, Result};
use crate::limits;
use crate::rows::{DenseMatrix, LabelCollector, MAX_FEATURES, Matrix, the_rows};

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
    Signed(Vec<i64>),
    Unsigned(Vec<u64>),
    Texts(Vec<String>),
}

/// 64-bit integers, row by row, which a float may round.
#[derive(Debug)]
pub(crate) enum Integers {
    Signed(Vec<i64>),
    Unsigned(Vec<u64>),
}

impl Integers {
    /// The digits of a number, unless it is zero.
    pub(crate) fn nonzero(&self, at: usize) -> Option<String> {
        match self {
            Integers::Signed(all) => all.get(at).filter(|v| **v != 0).map(ToString::to_string),
            Integers::Unsigned(all) => all.get(at).filter(|v| **v != 0).map(ToString::to_string),
        }
    }
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

    /// Decodes all numbers; `big`: big-endian. An error if there is no room for them.
    pub(crate) fn decode(self, bytes: &[u8], big: bool) -> Result<Values> {
        fn each<const N: usize, T>(bytes: &[u8], big: bool, number: impl Fn([u8; N]) -> T) -> Result<Vec<T>> {
            let (chunks, _) = bytes.as_chunks::<N>();
            let mut all = limits::with_capacity(chunks.len(), the_rows)?;
            let turned = |chunk: &[u8; N]| {
                let mut chunk = *chunk;
                if big {
                    chunk.reverse();
                }
                number(chunk)
            };
            all.extend(chunks.iter().map(turned));
            Ok(all)
        }
        Ok(match self {
            Number::U8 => Values::Bytes(each(bytes, big, |[b]| b)?),
            Number::I8 => Values::Doubles(each(bytes, big, |b| f64::from(i8::from_le_bytes(b)))?),
            Number::U16 => Values::Doubles(each(bytes, big, |b| f64::from(u16::from_le_bytes(b)))?),
            Number::I16 => Values::Doubles(each(bytes, big, |b| f64::from(i16::from_le_bytes(b)))?),
            Number::U32 => Values::Doubles(each(bytes, big, |b| f64::from(u32::from_le_bytes(b)))?),
            Number::I32 => Values::Doubles(each(bytes, big, |b| f64::from(i32::from_le_bytes(b)))?),
            Number::U64 => Values::Unsigned(each(bytes, big, u64::from_le_bytes)?),
            Number::I64 => Values::Signed(each(bytes, big, i64::from_le_bytes)?),
            Number::F32 => Values::Singles(each(bytes, big, f32::from_le_bytes)?),
            Number::F64 => Values::Doubles(each(bytes, big, f64::from_le_bytes)?),
        })
    }
}

/// Numbers that can be decoded some rows at a time.
#[derive(Debug)]
pub(crate) struct Layout {
    pub(crate) shape: Vec<usize>,
    pub(crate) number: Number,
    /// Whether they are big-endian.
    pub(crate) big: bool,
    /// Where they begin.
    pub(crate) start: usize,
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
        let features = rest.iter().try_fold(1usize, |n, &size| n.checked_mul(size)).filter(|&n| n > 0 && *rows > 0);
        let Some(features) = features else {
            return Err(Error::bad_data(format!("no examples: the shape is {}", shape_text(&self.shape))));
        };
        if features > MAX_FEATURES {
            return Err(Error::bad_data(format!(
                "{features} features are more than {MAX_FEATURES}, the most that can be learned"
            )));
        }
        Ok(match self.values {
            Values::Bytes(values) => Matrix::DenseU8(DenseMatrix { values, features }),
            Values::Singles(values) => Matrix::DenseF32(DenseMatrix { values, features }),
            Values::Doubles(values) => Matrix::Dense(DenseMatrix { values, features }),
            Values::Signed(all) => {
                let values = all.into_iter().map(|v| v as f64).collect();
                Matrix::Dense(DenseMatrix { values, features })
            }
            Values::Unsigned(all) => {
                let values = all.into_iter().map(|v| v as f64).collect();
                Matrix::Dense(DenseMatrix { values, features })
            }
            Values::Texts(_) => return Err(Error::bad_data("an array of texts, where numbers are expected")),
        })
    }

    /// The array as labels, one for each example.
    pub(crate) fn labels(self, collector: &mut LabelCollector) -> Result<Vec<u32>> {
        fn each<T>(
            values: Vec<T>,
            collector: &mut LabelCollector,
            text: impl Fn(&T) -> Option<String>,
        ) -> Result<Vec<u32>> {
            let mut ids = limits::with_capacity(values.len(), the_rows)?;
            for value in &values {
                let Some(text) = text(value) else {
                    return Err(Error::bad_data("a label that is NaN or infinite: labels must be finite"));
                };
                collector.reserve(1)?;
                ids.push(collector.collect(&text));
            }
            Ok(ids)
        }
        // A column of labels is read like a list.
        if self.shape.is_empty() || self.shape[1..].iter().any(|&n| n != 1) {
            return Err(Error::bad_data(format!("labels of the shape {}: expected a list", shape_text(&self.shape))));
        }
        let float = |v: f64| v.is_finite().then(|| v.to_string());
        match self.values {
            Values::Bytes(values) => each(values, collector, |v| Some(v.to_string())),
            Values::Signed(values) => each(values, collector, |v| Some(v.to_string())),
            Values::Unsigned(values) => each(values, collector, |v| Some(v.to_string())),
            Values::Texts(values) => each(values, collector, |v| Some(v.clone())),
            Values::Singles(values) => each(values, collector, |&v| float(f64::from(v))),
            Values::Doubles(values) => each(values, collector, |&v| float(v)),
        }
    }

    /// The 64-bit integers of the array, if it holds such.
    pub(crate) fn integers(self) -> Option<Integers> {
        match self.values {
            Values::Signed(all) => Some(Integers::Signed(all)),
            Values::Unsigned(all) => Some(Integers::Unsigned(all)),
            _ => None,
        }
    }
}
