//! The container of FORMAT.md: magic, version, a JSON header, arrays, a checksum. It knows nothing of models.
//!
//! Reading never executes anything, and never believes a length before comparing it with the size of the file.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::base::state::{Array, State};
use crate::error::{Error, Result};

/// The first eight bytes of every file.
pub(crate) const MAGIC: &[u8; 8] = b"RSNBLATT";
/// The version that this program writes, and the only one it reads.
pub(crate) const VERSION: u32 = 1;
/// Where the header begins.
const HEADER_AT: usize = 24;
/// Bytes of the checksum at the end.
const CHECKSUM: usize = 4;

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Envelope {
    arrays: Vec<Declared>,
    content: Value,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Declared {
    name: String,
    #[serde(rename = "type")]
    kind: ArrayKind,
    length: u64,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum ArrayKind {
    F64,
    U64,
    U32,
}

impl ArrayKind {
    fn width(self) -> u64 {
        match self {
            ArrayKind::F64 | ArrayKind::U64 => 8,
            ArrayKind::U32 => 4,
        }
    }
}

fn declare(name: &str, array: &Array) -> Declared {
    let (kind, length) = match array {
        Array::F64(v) => (ArrayKind::F64, v.len()),
        Array::U64(v) => (ArrayKind::U64, v.len()),
        Array::U32(v) => (ArrayKind::U32, v.len()),
    };
    Declared { name: name.to_string(), kind, length: length as u64 }
}

/// The file's bytes.
pub(crate) fn pack(content: Value, arrays: &State) -> Vec<u8> {
    let declared = arrays.arrays().map(|(name, array)| declare(name, array)).collect();
    let envelope = Envelope { arrays: declared, content };
    let mut header = serde_json::to_vec(&envelope).expect("a header is plain data");
    header.resize(header.len().next_multiple_of(8), b' ');

    let mut bytes = Vec::with_capacity(HEADER_AT + header.len());
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&VERSION.to_le_bytes());
    bytes.extend_from_slice(&[0; 4]);
    bytes.extend_from_slice(&(header.len() as u64).to_le_bytes());
    bytes.extend_from_slice(&header);
    for (_, array) in arrays.arrays() {
        match array {
            Array::F64(v) => v.iter().for_each(|x| bytes.extend_from_slice(&x.to_le_bytes())),
            Array::U64(v) => v.iter().for_each(|x| bytes.extend_from_slice(&x.to_le_bytes())),
            Array::U32(v) => v.iter().for_each(|x| bytes.extend_from_slice(&x.to_le_bytes())),
        }
        bytes.resize(bytes.len().next_multiple_of(8), 0);
    }
    let checksum = crc32fast::hash(&bytes);
    bytes.extend_from_slice(&checksum.to_le_bytes());
    bytes
}

/// Header and arrays, if every claim of the file is true.
pub(crate) fn unpack(name: &str, bytes: &[u8]) -> Result<(Value, State)> {
    let refuse = |why: String| Err(Error::model(name, why));
    if bytes.len() < MAGIC.len() || &bytes[..MAGIC.len()] != MAGIC {
        return refuse("not a rosenblatt model: the first eight bytes should be RSNBLATT".into());
    }
    if bytes.len() < HEADER_AT + CHECKSUM {
        return refuse(format!("the model file is cut short: {} bytes", bytes.len()));
    }
    let version = u32::from_le_bytes(bytes[8..12].try_into().expect("four bytes"));
    if version != VERSION {
        return refuse(format!("model format version {version}: this program reads version {VERSION}"));
    }
    let body = &bytes[..bytes.len() - CHECKSUM];
    let stored = u32::from_le_bytes(bytes[body.len()..].try_into().expect("four bytes"));
    if crc32fast::hash(body) != stored {
        return refuse("the checksum does not match: the file is damaged or cut short; copy it again".into());
    }
    if body[12..16] != [0; 4] {
        return refuse("bytes 12 to 15 must be zero".into());
    }
    let header_len = u64::from_le_bytes(body[16..24].try_into().expect("eight bytes"));
    let room = (body.len() - HEADER_AT) as u64;
    if header_len > room {
        return refuse(format!("the header claims {header_len} bytes where {room} are left"));
    }
    if header_len % 8 != 0 {
        return refuse(format!("the header claims {header_len} bytes: its length must be a multiple of 8"));
    }
    let arrays_at = HEADER_AT + header_len as usize;
    let envelope: Envelope = match serde_json::from_slice(&body[HEADER_AT..arrays_at]) {
        Ok(envelope) => envelope,
        Err(e) => return refuse(format!("the header is not what it should be: {e}")),
    };
    let arrays = unpack_arrays(name, &envelope.arrays, &body[arrays_at..])?;
    Ok((envelope.content, arrays))
}

fn unpack_arrays(name: &str, declared: &[Declared], mut bytes: &[u8]) -> Result<State> {
    let mut arrays = State::default();
    for d in declared {
        let size = d.length.checked_mul(d.kind.width()).filter(|&s| s <= bytes.len() as u64);
        let padded = size.map(|s| s.next_multiple_of(8)).filter(|&s| s <= bytes.len() as u64);
        let (Some(size), Some(padded)) = (size, padded) else {
            return Err(Error::model(
                name,
                format!("array \"{}\" claims {} numbers where {} bytes are left", d.name, d.length, bytes.len()),
            ));
        };
        let (own, rest) = bytes.split_at(padded as usize);
        let (data, padding) = own.split_at(size as usize);
        if padding.iter().any(|&b| b != 0) {
            return Err(Error::model(name, format!("the padding after array \"{}\" must be zero", d.name)));
        }
        let array = match d.kind {
            ArrayKind::F64 => Array::F64(data.as_chunks().0.iter().map(|b| f64::from_le_bytes(*b)).collect()),
            ArrayKind::U64 => Array::U64(data.as_chunks().0.iter().map(|b| u64::from_le_bytes(*b)).collect()),
            ArrayKind::U32 => Array::U32(data.as_chunks().0.iter().map(|b| u32::from_le_bytes(*b)).collect()),
        };
        arrays.insert(&d.name, array);
        bytes = rest;
    }
    if !bytes.is_empty() {
        return Err(Error::model(name, format!("{} bytes after the last array", bytes.len())));
    }
    if arrays.arrays().count() != declared.len() {
        return Err(Error::model(name, "two arrays have the same name"));
    }
    Ok(arrays)
}

/// The JSON form: the same header and arrays, numbers written so that they read back bit for bit.
pub(crate) fn pack_json(content: Value, arrays: &State) -> Vec<u8> {
    let mut lists = serde_json::Map::new();
    for (name, array) in arrays.arrays() {
        let (kind, values) = match array {
            Array::F64(v) => ("f64", Value::from(v.as_slice())),
            Array::U64(v) => ("u64", Value::from(v.as_slice())),
            Array::U32(v) => ("u32", Value::from(v.as_slice())),
        };
        lists.insert(name.to_string(), serde_json::json!({ "type": kind, "values": values }));
    }
    let whole = serde_json::json!({ "rosenblatt": VERSION, "content": content, "arrays": lists });
    let mut bytes = serde_json::to_vec(&whole).expect("a model is plain data");
    bytes.push(b'\n');
    bytes
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct JsonForm {
    rosenblatt: u32,
    content: Value,
    arrays: std::collections::BTreeMap<String, JsonArray>,
}

#[derive(Deserialize)]
#[serde(tag = "type", content = "values", rename_all = "lowercase")]
enum JsonArray {
    F64(Vec<f64>),
    U64(Vec<u64>),
    U32(Vec<u32>),
}

/// The JSON form, read.
pub(crate) fn unpack_json(name: &str, bytes: &[u8]) -> Result<(Value, State)> {
    let form: JsonForm =
        serde_json::from_slice(bytes).map_err(|e| Error::model(name, format!("not the JSON form of a model: {e}")))?;
    if form.rosenblatt != VERSION {
        let why = format!("model format version {}: this program reads version {VERSION}", form.rosenblatt);
        return Err(Error::model(name, why));
    }
    let mut arrays = State::default();
    for (name, array) in form.arrays {
        let array = match array {
            JsonArray::F64(v) => Array::F64(v),
            JsonArray::U64(v) => Array::U64(v),
            JsonArray::U32(v) => Array::U32(v),
        };
        arrays.insert(name, array);
    }
    Ok((form.content, arrays))
}
