//! NPY, NumPy's format: a magic, a version, a header that is a Python dictionary, the numbers.
//!
//! Nothing in a file is executed: the header is parsed strictly (`npy_header`), and arrays of Python objects, which would
//! need unpickling, are refused.

use super::array::{Array, Layout, Number, Values, bytes_of, shape_text};
use super::npy_header::Header;
use crate::error::{Error, Result};
use crate::io::show;
use crate::limits;
use crate::rows::the_rows;

/// The magic.
pub(crate) const MAGIC: &[u8] = b"\x93NUMPY";

/// The type of the elements, from `descr`.
enum Kind {
    Number(Number),
    /// UTF-32 texts of this many characters.
    Texts(usize),
    /// Byte strings of this length.
    Words(usize),
}

/// The error that a file has not the size that its header says.
pub(crate) fn wrong_size(shape: &[usize], size: usize, found: usize) -> Error {
    Error::bad_data(format!(
        "the NPY header says {} of {size} bytes each, but {found} bytes of data follow: the file is cut short or damaged",
        shape_text(shape),
    ))
}

/// The layout of a file that begins so; `None` if it is unsound, or its rows do not follow each other.
pub(crate) fn layout(head: &[u8]) -> Option<Layout> {
    let (header, data) = split(head).ok()?;
    let Header { descr, fortran, shape } = Header::parse(header).ok()?;
    match kind(descr).ok()? {
        (Kind::Number(number), big) if !fortran => Some(Layout { shape, number, big, start: head.len() - data.len() }),
        _ => None,
    }
}

/// Parses a whole file.
pub(crate) fn parse(bytes: &[u8]) -> Result<Array> {
    let (header, data) = split(bytes)?;
    let Header { descr, fortran, shape } = Header::parse(header)?;
    let (kind, big) = kind(descr)?;
    let size = match kind {
        Kind::Number(number) => number.size(),
        Kind::Texts(n) => 4 * n,
        Kind::Words(n) => n,
    };
    if bytes_of(&shape, size) != Some(data.len()) {
        return Err(wrong_size(&shape, size, data.len()));
    }
    if !matches!(kind, Kind::Number(_)) {
        // A text takes a small allocation besides its place in the list.
        limits::room_for::<[String; 2]>((data.len() / size) as u128, the_rows)?;
    }
    let mut values = match kind {
        Kind::Number(number) => number.decode(data, big)?,
        Kind::Texts(n) => Values::Texts(data.chunks(4 * n.max(1)).map(|text| utf32(text, big)).collect::<Result<_>>()?),
        Kind::Words(n) => Values::Texts(data.chunks(n.max(1)).map(word).collect::<Result<_>>()?),
    };
    if fortran && shape.len() > 1 {
        values = match values {
            Values::Bytes(v) => Values::Bytes(by_rows(&v, &shape)?),
            Values::Singles(v) => Values::Singles(by_rows(&v, &shape)?),
            Values::Doubles(v) => Values::Doubles(by_rows(&v, &shape)?),
            Values::Signed(v) => Values::Signed(by_rows(&v, &shape)?),
            Values::Unsigned(v) => Values::Unsigned(by_rows(&v, &shape)?),
            Values::Texts(v) => Values::Texts(by_rows(&v, &shape)?),
        };
    }
    Ok(Array { shape, values })
}

/// The header of a file, and the bytes after it.
fn split(bytes: &[u8]) -> Result<(&str, &[u8])> {
    let refuse = |message: String| Err(Error::bad_data(message));
    let short = || Error::bad_data(format!("the NPY file is cut short: {} bytes", bytes.len()));
    let Some([major, minor, rest @ ..]) = bytes.strip_prefix(MAGIC) else {
        return refuse("no NPY file: it does not begin as one".to_string());
    };
    let (length, after) = match major {
        1 => rest.split_first_chunk().map(|(b, after)| (u16::from_le_bytes(*b) as usize, after)).ok_or_else(short)?,
        2 | 3 => {
            rest.split_first_chunk().map(|(b, after)| (u32::from_le_bytes(*b) as usize, after)).ok_or_else(short)?
        }
        _ => return refuse(format!("NPY format version {major}.{minor}: versions 1 to 3 are read")),
    };
    let (Some(header), Some(data)) = (after.get(..length), after.get(length..)) else {
        return Err(short());
    };
    let header = std::str::from_utf8(header).map_err(|_| Error::bad_data("the NPY header is no text"))?;
    Ok((header, data))
}

/// Whether a file that starts like this holds 64-bit integers, which a float may round.
pub(crate) fn may_round(head: &[u8]) -> bool {
    let kind = split(head).and_then(|(header, _)| kind(Header::parse(header)?.descr));
    matches!(kind, Ok((Kind::Number(Number::I64 | Number::U64), _)))
}

fn kind(descr: &str) -> Result<(Kind, bool)> {
    let (order, name) = match descr.split_at_checked(1) {
        Some((order @ ("<" | ">" | "|" | "="), name)) => (order, name),
        _ => ("=", descr),
    };
    let number = match name {
        "u1" | "b1" | "?" => Number::U8,
        "i1" => Number::I8,
        "u2" => Number::U16,
        "i2" => Number::I16,
        "u4" => Number::U32,
        "i4" => Number::I32,
        "u8" => Number::U64,
        "i8" => Number::I64,
        "f4" => Number::F32,
        "f8" => Number::F64,
        _ => {
            let count = |letter: char| {
                name.strip_prefix(letter).and_then(|n| n.parse::<usize>().ok()).filter(|&n| n > 0 && n < 1 << 20)
            };
            return match (count('U'), count('S')) {
                (Some(n), _) => Ok((Kind::Texts(n), order == ">")),
                (_, Some(n)) => Ok((Kind::Words(n), false)),
                _ if name.starts_with('O') => Err(Error::bad_data(
                    "the NPY file holds Python objects, which reading would have to execute: save numbers or texts",
                )),
                _ => Err(Error::bad_data(format!(
                    "the NPY file holds values of type {}: save it as float64, float32 or a whole-number type",
                    show(descr.as_bytes())
                ))),
            };
        }
    };
    Ok((Kind::Number(number), order == ">"))
}

/// A zero-padded UTF-32 text.
fn utf32(bytes: &[u8], big: bool) -> Result<String> {
    let code = |b: &[u8; 4]| if big { u32::from_be_bytes(*b) } else { u32::from_le_bytes(*b) };
    let mut text = String::new();
    for code in bytes.as_chunks().0.iter().map(code).take_while(|&code| code != 0) {
        text.push(char::from_u32(code).ok_or_else(|| Error::bad_data("the NPY file holds an invalid character"))?);
    }
    Ok(text)
}

/// A zero-padded byte string.
fn word(bytes: &[u8]) -> Result<String> {
    let end = bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len());
    String::from_utf8(bytes[..end].to_vec()).map_err(|_| Error::bad_data("the NPY file holds a text that is not UTF-8"))
}

/// Reorders values from Fortran order (the first index runs fastest) to rows.
fn by_rows<T: Clone>(values: &[T], shape: &[usize]) -> Result<Vec<T>> {
    let mut out = limits::with_capacity(values.len(), the_rows)?;
    for at in 0..values.len() {
        // Decompose `at` into indices, the last running fastest, and compute their offset in the file.
        let (mut rest, mut from, mut stride) = (at, 0, values.len());
        for &n in shape.iter().rev() {
            stride /= n;
            from += rest % n * stride;
            rest /= n;
        }
        out.push(values[from].clone());
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(header: &str, data: &[u8]) -> Vec<u8> {
        let mut bytes = [MAGIC, &[1, 0], &(header.len() as u16).to_le_bytes()].concat();
        bytes.extend_from_slice(header.as_bytes());
        bytes.extend_from_slice(data);
        bytes
    }

    fn message(header: &str, data: &[u8]) -> String {
        parse(&file(header, data)).unwrap_err().to_string()
    }

    #[test]
    fn rows_columns_and_both_ends() {
        let rows = "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3), }\n";
        assert_eq!(parse(&file(rows, &[1, 2, 3, 4, 5, 6])).unwrap().values, Values::Bytes(vec![1, 2, 3, 4, 5, 6]));
        let columns = rows.replace("False", "True");
        assert_eq!(parse(&file(&columns, &[1, 4, 2, 5, 3, 6])).unwrap().values, Values::Bytes(vec![1, 2, 3, 4, 5, 6]));
        let cube = "{'descr':'|u1','fortran_order':True,'shape':(2,2,2)}";
        let array = parse(&file(cube, &[0, 4, 2, 6, 1, 5, 3, 7])).unwrap();
        assert_eq!(array.values, Values::Bytes((0..8).collect()));
        let big = "{'descr': '>i2', 'fortran_order': False, 'shape': (2,), }";
        assert_eq!(parse(&file(big, &[1, 0, 255, 255])).unwrap().values, Values::Doubles(vec![256.0, -1.0]));
        let texts = "{'descr': '<U2', 'fortran_order': False, 'shape': (2,), }";
        let data = [b'a', 0, 0, 0, 0, 0, 0, 0, b'b', 0, 0, 0, b'c', 0, 0, 0];
        assert_eq!(parse(&file(texts, &data)).unwrap().values, Values::Texts(vec!["a".into(), "bc".into()]));
    }

    #[test]
    fn lies_are_refused() {
        let good = "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1), }";
        assert!(message(good, &[0; 7]).contains("7 bytes of data follow"));
        assert!(
            message(&good.replace("(1, 1)", "(99999999999, 99999999999)"), &[0; 8]).contains("cut short or damaged")
        );
        assert!(message(&good.replace("(1, 1)", "(-1, 1)"), &[0; 8]).contains("no tuple of integers"));
        assert!(message(&good.replace("<f8", "|O"), &[0; 8]).contains("Python objects"));
        assert!(message(&good.replace("<f8", "<c16"), &[0; 16]).contains("type \"<c16\""));
        assert!(message(&good.replace("'<f8'", "[('a', '<f8')]"), &[0; 8]).contains("several fields"));
        assert!(message("{}", &[]).contains("no descr"));
        let whole = file(good, &[0; 8]);
        for cut in 0..whole.len() {
            assert!(parse(&whole[..cut]).is_err(), "{cut}");
        }
        let mut version = whole;
        version[6] = 9;
        assert!(parse(&version).unwrap_err().to_string().contains("version 9.0"));
    }
}
