//! IDX, the format of MNIST: two zeros, a type, the number of dimensions, the dimensions, the numbers; all big-endian.

use super::array::{Array, Layout, Number, bytes_of, shape_text};
use crate::error::{Error, Result};

/// The number type of the third byte.
fn number(byte: u8) -> Option<Number> {
    Some(match byte {
        0x08 => Number::U8,
        0x09 => Number::I8,
        0x0b => Number::I16,
        0x0c => Number::I32,
        0x0d => Number::F32,
        0x0e => Number::F64,
        _ => return None,
    })
}

/// Whether bytes start like an IDX file.
pub(crate) fn looks_like(head: &[u8]) -> bool {
    matches!(head, [0, 0, kind, 1..=8, ..] if number(*kind).is_some())
}

/// Parses a whole file.
pub(crate) fn parse(bytes: &[u8]) -> Result<Array> {
    let [0, 0, kind, rank, rest @ ..] = bytes else {
        return Err(Error::bad_data("no IDX file: it should begin with two zeros, a type and a number of dimensions"));
    };
    let Some(number) = number(*kind) else {
        return Err(Error::bad_data(format!("an IDX file of type 0x{kind:02x}, which is unknown")));
    };
    let rank = usize::from(*rank);
    let (Some(sizes), Some(data)) = (rest.get(..4 * rank), rest.get(4 * rank..)) else {
        return Err(Error::bad_data(format!("the IDX file is cut short: {} bytes", bytes.len())));
    };
    let shape: Vec<usize> = sizes.as_chunks().0.iter().map(|b| u32::from_be_bytes(*b) as usize).collect();
    match bytes_of(&shape, number.size()) {
        Some(needed) if needed == data.len() => Ok(Array { shape, values: number.decode(data, true)? }),
        _ => Err(wrong_size(&shape, number.size(), data.len())),
    }
}

/// The error that a file has not the size that it says.
pub(crate) fn wrong_size(shape: &[usize], size: usize, found: usize) -> Error {
    Error::bad_data(format!(
        "the IDX file says {} and holds {found} bytes of data, where {} are needed: it is cut short or damaged",
        shape_text(shape),
        bytes_of(shape, size).map_or("more than can be".to_string(), |n| n.to_string())
    ))
}

/// The layout of a file that begins so; `None` if it is unsound.
pub(crate) fn layout(head: &[u8]) -> Option<Layout> {
    let [0, 0, kind, rank, rest @ ..] = head else { return None };
    let sizes = rest.get(..4 * usize::from(*rank))?;
    let shape = sizes.as_chunks().0.iter().map(|b| u32::from_be_bytes(*b) as usize).collect();
    Some(Layout { shape, number: number(*kind)?, big: true, start: 4 + sizes.len() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::array::Values;

    #[test]
    fn a_file_is_what_it_says_or_refused() {
        let good = [0, 0, 8, 2, 0, 0, 0, 2, 0, 0, 0, 3, 1, 2, 3, 4, 5, 6];
        let array = parse(&good).unwrap();
        assert_eq!((array.shape, array.values), (vec![2, 3], Values::Bytes(vec![1, 2, 3, 4, 5, 6])));
        let floats = [0, 0, 0x0d, 1, 0, 0, 0, 1, 0x3f, 0x80, 0, 0];
        assert_eq!(parse(&floats).unwrap().values, Values::Singles(vec![1.0]));
        for cut in 0..good.len() {
            assert!(parse(&good[..cut]).is_err(), "{cut}");
        }
        let huge = [0, 0, 14, 3, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1];
        let message = parse(&huge).unwrap_err().to_string();
        assert!(message.contains("more than can be"), "{message}");
        assert!(parse(&[0, 0, 7, 1, 0, 0, 0, 0]).unwrap_err().to_string().contains("type 0x07"));
    }
}
