//! NPY, NumPy's format of one array: `\x93NUMPY`, a version, the length of a header, the header, the values.
//!
//! The header is a Python dictionary with three keys: `descr` (what a value is), `fortran_order` (whether the first index
//! runs fastest) and `shape`. Values are what their bits encode: an integer, or m·2ᵉ. Integers of 64 bits are
//! not converted to floats.
//!
//! IDX, the format of MNIST, is the same in less: two zeros, the type, the number of sizes, the sizes in four bytes each, the
//! values; the first byte of a number counts most, and the last index runs fastest.

use dashu_int::IBig;

use crate::refusal::{Checked, Refusal, show};
use crate::scaled::{Digits, Scaled};

pub(crate) const MAGIC: &[u8] = b"\x93NUMPY";

/// The type of a value, and its number of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Unsigned(usize),
    Signed(usize),
    Float(usize),
    /// A UTF-32 text of this many bytes.
    Wide(usize),
    /// A UTF-8 text of this many bytes.
    Narrow(usize),
}

/// An array whose header and length have been checked.
#[derive(Debug)]
pub(crate) struct Array<'a> {
    kind: Kind,
    big_endian: bool,
    values: &'a [u8],
    /// The first size of the shape.
    pub(crate) rows: usize,
    /// The product of the others.
    pub(crate) columns: usize,
    /// Value j of row i is number i · step + place(j).
    step: usize,
    /// Empty where place(j) = j.
    places: Vec<usize>,
}

fn fault<T>(message: impl Into<String>) -> Checked<T> {
    Err(Refusal::data(message))
}

impl<'a> Array<'a> {
    pub(crate) fn read(bytes: &'a [u8]) -> Checked<Self> {
        let (header, values) = match bytes.strip_prefix(MAGIC) {
            None => return fault("not an NPY file: the magic bytes are missing"),
            Some([1, _, a, b, rest @ ..]) => rest.split_at_checked(u16::from_le_bytes([*a, *b]) as usize),
            Some([2 | 3, _, a, b, c, d, rest @ ..]) => {
                rest.split_at_checked(u32::from_le_bytes([*a, *b, *c, *d]) as usize)
            }
            Some(_) => return fault("an NPY file of another version than 1 to 3, or cut short"),
        }
        .ok_or_else(|| Refusal::data("the NPY file ends within its header"))?;
        let Some(Header { descr, fortran, shape }) = Header::parse(header) else {
            return fault("the NPY header is not a dictionary of descr, fortran_order and shape, each once");
        };
        let Some((kind, big_endian)) = kind(descr) else {
            return fault(format!("an array of {}: only numbers and texts are read", show(descr.as_bytes())));
        };
        let Some((&rows, rest)) = shape.split_first() else { return fault("a single value, not an array of rows") };
        let columns = rest.iter().try_fold(1usize, |n, &size| n.checked_mul(size));
        let size = columns.and_then(|n| n.checked_mul(rows)).and_then(|n| n.checked_mul(kind.size()));
        if size != Some(values.len()) {
            return fault(format!("the NPY header's shape does not fit the {} bytes behind it", values.len()));
        }
        let columns = columns.filter(|n| *n > 0 && rows > 0).ok_or_else(|| Refusal::data("the array is empty"))?;
        let (step, places) = if fortran { (1, places(rows, rest, columns)) } else { (columns, Vec::new()) };
        Ok(Array { kind, big_endian, values, rows, columns, step, places })
    }

    /// Reads an array in IDX.
    pub(crate) fn idx(bytes: &'a [u8]) -> Checked<Self> {
        let (Some(kind), [_, _, _, rank, rest @ ..]) = (idx_kind(bytes), bytes) else {
            return fault("not an IDX file: it begins with other bytes");
        };
        let Some((sizes, values)) = rest.split_at_checked(4 * usize::from(*rank)) else {
            return fault("the IDX file ends within its sizes");
        };
        let shape: Vec<usize> = sizes.as_chunks().0.iter().map(|b| u32::from_be_bytes(*b) as usize).collect();
        let all = shape.iter().try_fold(kind.size(), |n, &size| n.checked_mul(size));
        if all != Some(values.len()) {
            return fault(format!("the IDX file's sizes do not fit the {} bytes behind them", values.len()));
        }
        let (rows, columns) = (shape[0], shape[1..].iter().product());
        if rows == 0 || columns == 0 {
            return fault("the array is empty");
        }
        Ok(Array { kind, big_endian: true, values, rows, columns, step: columns, places: Vec::new() })
    }

    /// The bits of a value of at most eight bytes, the first byte counting least.
    #[inline]
    fn bits(&self, row: usize, column: usize, size: usize) -> u64 {
        let at = (row * self.step + self.places.get(column).copied().unwrap_or(column)) * size;
        let mut bytes = [0; 8];
        bytes[..size].copy_from_slice(&self.values[at..at + size]);
        if self.big_endian {
            bytes[..size].reverse();
        }
        u64::from_le_bytes(bytes)
    }

    /// A value as a whole number times a power of two; `None` if it is not finite.
    #[inline]
    pub(crate) fn number(&self, row: usize, column: usize) -> Option<Scaled> {
        match self.kind {
            Kind::Float(8) => dyadic(f64::from_bits(self.bits(row, column, 8))),
            Kind::Float(_) => dyadic(f64::from(f32::from_bits(self.bits(row, column, 4) as u32))),
            Kind::Unsigned(size) => {
                let digits = Digits::new(IBig::from(self.bits(row, column, size)));
                Some(Scaled { digits, power: 0 })
            }
            Kind::Signed(size) => {
                let unused = 64 - 8 * size as u32;
                Some(Scaled::whole(((self.bits(row, column, size) << unused) as i64) >> unused))
            }
            Kind::Wide(_) | Kind::Narrow(_) => None,
        }
    }

    /// A value as a label: a text as it is, a whole number in decimal digits, a float as the shortest decimal whose
    /// nearest binary64 it is. `None` if it is neither a text nor a finite number.
    pub(crate) fn label(&self, row: usize) -> Option<String> {
        match self.kind {
            Kind::Float(size) => {
                let bits = self.bits(row, 0, size);
                let value = if size == 8 { f64::from_bits(bits) } else { f64::from(f32::from_bits(bits as u32)) };
                value.is_finite().then(|| value.to_string())
            }
            Kind::Unsigned(_) | Kind::Signed(_) => Some(self.number(row, 0)?.digits.big().to_string()),
            Kind::Wide(size) => {
                let bytes = &self.values[row * size..(row + 1) * size];
                let code = |b: &[u8; 4]| if self.big_endian { u32::from_be_bytes(*b) } else { u32::from_le_bytes(*b) };
                bytes.as_chunks().0.iter().map(code).take_while(|&code| code != 0).map(char::from_u32).collect()
            }
            Kind::Narrow(size) => {
                let bytes = &self.values[row * size..(row + 1) * size];
                let end = bytes.iter().position(|&b| b == 0).unwrap_or(size);
                String::from_utf8(bytes[..end].to_vec()).ok()
            }
        }
    }
}

/// Whether bytes begin as an IDX file.
pub(crate) fn is_idx(bytes: &[u8]) -> bool {
    idx_kind(bytes).is_some()
}

/// The kind of value of an IDX file.
fn idx_kind(bytes: &[u8]) -> Option<Kind> {
    let [0, 0, kind, 1..=8, ..] = bytes else { return None };
    Some(match kind {
        0x08 => Kind::Unsigned(1),
        0x09 => Kind::Signed(1),
        0x0b => Kind::Signed(2),
        0x0c => Kind::Signed(4),
        0x0d => Kind::Float(4),
        0x0e => Kind::Float(8),
        _ => return None,
    })
}

impl Kind {
    fn size(self) -> usize {
        match self {
            Kind::Unsigned(n) | Kind::Signed(n) | Kind::Float(n) | Kind::Wide(n) | Kind::Narrow(n) => n,
        }
    }
}

/// The kind of value, and whether its first byte counts most.
fn kind(descr: &str) -> Option<(Kind, bool)> {
    let (order, name) = descr.split_at_checked(1)?;
    let (letter, size) = name.split_at_checked(1)?;
    let size: usize = size.parse().ok().filter(|n| (1..1 << 20).contains(n))?;
    let kind = match (letter, size) {
        ("b", 1) => Kind::Unsigned(1),
        ("u", 1 | 2 | 4 | 8) => Kind::Unsigned(size),
        ("i", 1 | 2 | 4 | 8) => Kind::Signed(size),
        ("f", 4 | 8) => Kind::Float(size),
        ("U", _) => Kind::Wide(4 * size),
        ("S", _) => Kind::Narrow(size),
        _ => return None,
    };
    match (order, kind) {
        ("<", _) => Some((kind, false)),
        (">", _) => Some((kind, true)),
        ("|", Kind::Unsigned(1) | Kind::Signed(1) | Kind::Narrow(_)) => Some((kind, false)),
        _ => None,
    }
}

/// Where in the file the values of the first row lie, if the first index runs fastest: features are numbered with the
/// last index running fastest.
fn places(rows: usize, rest: &[usize], columns: usize) -> Vec<usize> {
    let place = |column: usize| {
        let (mut left, mut stride, mut place) = (column, rows * columns, 0);
        for &size in rest.iter().rev() {
            stride /= size;
            place += left % size * stride;
            left /= size;
        }
        place
    };
    (0..columns).map(place).collect()
}

/// A finite float as m·2ᵉ with m odd, or 0.
#[inline]
fn dyadic(value: f64) -> Option<Scaled> {
    let bits = value.to_bits();
    let (fraction, exponent) = ((bits & ((1 << 52) - 1)) as i64, (bits >> 52 & 0x7ff) as i32);
    let (size, power) = match exponent {
        0x7ff => return None,
        0 => (fraction, -1074),
        biased => (fraction | 1 << 52, biased - 1075),
    };
    if size == 0 {
        return Some(Scaled::whole(0));
    }
    let zeros = size.trailing_zeros();
    let odd = size >> zeros;
    Some(Scaled { digits: Digits::Word(if bits >> 63 == 1 { -odd } else { odd }), power: power + zeros as i32 })
}

struct Header<'h> {
    descr: &'h str,
    fortran: bool,
    shape: Vec<usize>,
}

impl<'h> Header<'h> {
    /// `{'descr': '<f8', 'fortran_order': False, 'shape': (4, 2), }`, the keys in any order.
    fn parse(header: &'h [u8]) -> Option<Self> {
        let mut rest = std::str::from_utf8(header).ok()?.trim().strip_prefix('{')?.strip_suffix('}')?.trim();
        let (mut descr, mut fortran, mut shape) = (None, None, None);
        while !rest.is_empty() {
            let (key, after) = quoted(rest)?;
            let value = after.trim_start().strip_prefix(':')?.trim_start();
            let (twice, after) = match key {
                "descr" => {
                    let (text, after) = quoted(value)?;
                    (descr.replace(text).is_some(), after)
                }
                "fortran_order" => {
                    let (flag, after) = match value.strip_prefix("True") {
                        Some(after) => (true, after),
                        None => (false, value.strip_prefix("False")?),
                    };
                    (fortran.replace(flag).is_some(), after)
                }
                "shape" => {
                    let (inner, after) = value.strip_prefix('(')?.split_once(')')?;
                    let sizes: Option<Vec<usize>> =
                        inner.split_terminator(',').map(|t| t.trim().parse().ok()).collect();
                    (shape.replace(sizes?).is_some(), after)
                }
                _ => return None,
            };
            if twice {
                return None;
            }
            let after = after.trim_start();
            rest = if after.is_empty() { after } else { after.strip_prefix(',')?.trim_start() };
        }
        Some(Header { descr: descr?, fortran: fortran?, shape: shape? })
    }
}

/// A text in quotes, and what follows it.
fn quoted(text: &str) -> Option<(&str, &str)> {
    ['\'', '"'].iter().find_map(|&quote| text.strip_prefix(quote)?.split_once(quote))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn file(header: &str, values: &[u8]) -> Vec<u8> {
        [MAGIC, &[1, 0], &(header.len() as u16).to_le_bytes(), header.as_bytes(), values].concat()
    }

    fn numbers(header: &str, values: &[u8]) -> Vec<Vec<(i64, i32)>> {
        let bytes = file(header, values);
        let array = Array::read(&bytes).unwrap();
        let plain = |value: Scaled| match value.digits {
            Digits::Word(word) => (word, value.power),
            Digits::Long(_) => panic!(),
        };
        let row = |i| (0..array.columns).map(|j| plain(array.number(i, j).unwrap())).collect();
        (0..array.rows).map(row).collect()
    }

    fn labels(descr: &str, values: &[u8]) -> Vec<Option<String>> {
        let bytes = file(&format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': (2,), }}"), values);
        let array = Array::read(&bytes).unwrap();
        (0..2).map(|i| array.label(i)).collect()
    }

    #[test]
    fn values_are_what_their_bits_say() {
        let one = |descr: &str, values: &[u8]| {
            numbers(&format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': (1, 1), }}\n"), values)[0][0]
        };
        assert_eq!(one("<f8", &(-0.75f64).to_le_bytes()), (-3, -2));
        assert_eq!(one(">f8", &0.1f64.to_be_bytes()), (0x1999999999999a >> 1, -55));
        assert_eq!(one("<f8", &f64::from_bits(1).to_le_bytes()), (1, -1074));
        assert_eq!(one("<f8", &f64::MAX.to_le_bytes()), ((1 << 53) - 1, 971));
        assert_eq!(one("<f4", &0.1f32.to_le_bytes()), (13421773, -27));
        assert_eq!(one("<i8", &i64::MIN.to_le_bytes()), (i64::MIN, 0));
        assert_eq!(one(">i2", &(-3i16).to_be_bytes()), (-3, 0));
        assert_eq!(one("|i1", &[255]), (-1, 0));
        assert_eq!(one("|u1", &[255]), (255, 0));
        assert_eq!(one("|b1", &[1]), (1, 0));
        let bytes = file("{'descr': '<u8', 'fortran_order': False, 'shape': (1, 1), }", &[255; 8]);
        assert_eq!(Array::read(&bytes).unwrap().number(0, 0).unwrap().digits.big(), IBig::from(u64::MAX));
        for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(dyadic(value), None);
        }
    }

    #[test]
    fn both_orders_of_any_shape() {
        let plain = |rows: Vec<Vec<(i64, i32)>>| rows.into_iter().flatten().map(|v| v.0).collect::<Vec<_>>();
        let rows = "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3), }";
        assert_eq!(plain(numbers(rows, &[1, 2, 3, 4, 5, 6])), [1, 2, 3, 4, 5, 6]);
        let columns = "{\"shape\": (2, 3), \"fortran_order\": True, \"descr\": \"|u1\"}";
        assert_eq!(plain(numbers(columns, &[1, 4, 2, 5, 3, 6])), [1, 2, 3, 4, 5, 6]);
        let cube = "{'descr':'|u1','fortran_order':True,'shape':(2,2,2)}";
        assert_eq!(plain(numbers(cube, &[0, 4, 2, 6, 1, 5, 3, 7])), [0, 1, 2, 3, 4, 5, 6, 7]);
    }

    #[test]
    fn labels_of_every_kind() {
        let some = |texts: [&str; 2]| texts.map(|t| Some(t.to_string())).to_vec();
        assert_eq!(labels("<i8", &[[1i64, -1].map(i64::to_le_bytes)].concat().concat()), some(["1", "-1"]));
        assert_eq!(labels("<f8", &[0.1f64, 2.0].map(f64::to_le_bytes).concat()), some(["0.1", "2"]));
        assert_eq!(labels("<f4", &[0.5f32, f32::NAN].map(f32::to_le_bytes).concat()), [Some("0.5".into()), None]);
        assert_eq!(labels(">U1", &['a', 'ß'].map(|c| u32::from(c).to_be_bytes()).concat()), some(["a", "ß"]));
        assert_eq!(labels("|S3", b"ab\0c\0\0"), some(["ab", "c"]));
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let good = "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1), }";
        assert!(Array::read(&file(good, &[0; 8])).is_ok());
        for (header, bytes) in [
            (good.to_string(), 7),
            (good.replace("(1, 1)", "(1, 2)"), 8),
            (good.replace("(1, 1)", "(99999999999, 99999999999)"), 8),
            (good.replace("(1, 1)", "(0, 99999999999999)"), 0),
            (good.replace("(1, 1)", "(-1, 1)"), 8),
            (good.replace("(1, 1)", "()"), 8),
            (good.replace("<f8", "|O"), 8),
            (good.replace("<f8", "<c8"), 8),
            (good.replace("<f8", "=f8"), 8),
            (good.replace("'shape'", "'shape': (1, 1), 'shape'"), 8),
            (good.replace("'shape'", "'more'"), 8),
            (good.replace("False", "0"), 8),
            ("{}".to_string(), 0),
        ] {
            assert!(Array::read(&file(&header, &vec![0; bytes])).is_err(), "{header}");
        }
        let whole = file(good, &[0; 8]);
        for cut in 0..whole.len() {
            assert!(Array::read(&whole[..cut]).is_err(), "{cut}");
        }
    }

    proptest! {
        #[test]
        fn a_float_is_its_dyadic(value in any::<f64>()) {
            let Some(Scaled { digits, power }) = dyadic(value) else { return Ok(()) };
            let half = power / 2;
            let back = digits.small().unwrap() as f64 * 2f64.powi(half) * 2f64.powi(power - half);
            prop_assert_eq!(back, value);
        }

        #[test]
        fn arbitrary_headers_never_panic(header in "[{}'(),:a-z_<f8TF ]{0,60}", values: Vec<u8>) {
            let _ = Array::read(&file(&header, &values));
        }
    }
}
