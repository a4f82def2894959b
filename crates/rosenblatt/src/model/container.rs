//! The container of FORMAT.md: magic, version, a JSON header, arrays, a checksum. It knows nothing of models.
//!
//! Reading never executes anything, and checks every length against the size of the file before using it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::error::{Error, Result};
use crate::learn::{Array, State};

/// The first eight bytes of every file.
pub(crate) const MAGIC: &[u8; 8] = b"RSNBLATT";
/// The newest version that this program reads and writes. The content decides which one a file needs.
pub(crate) const NEWEST: u32 = 3;
/// Where the header begins.
const HEADER_AT: usize = 24;
/// Bytes of the checksum at the end.
const CHECKSUM: usize = 4;

/// A file with a valid frame: its content, still as JSON text, and its arrays.
pub(crate) struct Opened<'a> {
    pub(crate) version: u32,
    pub(crate) content: &'a str,
    pub(crate) arrays: State,
}

/// The header. On reading, the content stays text until its kind is known.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Envelope<C> {
    arrays: Vec<Declared>,
    content: C,
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
    U8,
}

impl ArrayKind {
    fn width(self) -> u64 {
        match self {
            ArrayKind::F64 | ArrayKind::U64 => 8,
            ArrayKind::U32 => 4,
            ArrayKind::U8 => 1,
        }
    }
}

fn declare(name: &str, array: &Array) -> Declared {
    let (kind, length) = match array {
        Array::F64(v) => (ArrayKind::F64, v.len()),
        Array::U64(v) => (ArrayKind::U64, v.len()),
        Array::U32(v) => (ArrayKind::U32, v.len()),
        Array::U8(v) => (ArrayKind::U8, v.len()),
    };
    Declared { name: name.to_string(), kind, length: length as u64 }
}

/// The file's bytes.
pub(crate) fn pack<C: Serialize>(version: u32, content: C, arrays: State) -> Vec<u8> {
    let arrays = arrays.canonical();
    let declared = arrays.arrays().map(|(name, array)| declare(name, array)).collect();
    let envelope = Envelope { arrays: declared, content };
    let mut header = serde_json::to_vec(&envelope).expect("a header is plain data");
    header.resize(header.len().next_multiple_of(8), b' ');

    let mut bytes = Vec::with_capacity(HEADER_AT + header.len() + arrays.bytes() + CHECKSUM);
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&version.to_le_bytes());
    bytes.extend_from_slice(&[0; 4]);
    bytes.extend_from_slice(&(header.len() as u64).to_le_bytes());
    bytes.extend_from_slice(&header);
    for (_, array) in arrays.arrays() {
        match array {
            Array::F64(v) => v.iter().for_each(|x| bytes.extend_from_slice(&x.to_le_bytes())),
            Array::U64(v) => v.iter().for_each(|x| bytes.extend_from_slice(&x.to_le_bytes())),
            Array::U32(v) => v.iter().for_each(|x| bytes.extend_from_slice(&x.to_le_bytes())),
            Array::U8(v) => bytes.extend_from_slice(v),
        }
        bytes.resize(bytes.len().next_multiple_of(8), 0);
    }
    let checksum = crc32fast::hash(&bytes);
    bytes.extend_from_slice(&checksum.to_le_bytes());
    bytes
}

/// Content and arrays, if the frame is valid.
pub(crate) fn unpack<'a>(name: &str, bytes: &'a [u8]) -> Result<Opened<'a>> {
    let refuse = |why: String| Err(Error::model(name, why));
    if bytes.len() < MAGIC.len() || &bytes[..MAGIC.len()] != MAGIC {
        return refuse("not a rosenblatt model: the first eight bytes should be RSNBLATT".into());
    }
    if bytes.len() < HEADER_AT + CHECKSUM {
        return refuse(format!("the model file is cut short: {} bytes", bytes.len()));
    }
    let version = u32::from_le_bytes(bytes[8..12].try_into().expect("four bytes"));
    check_version(name, version)?;
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
    let envelope: Envelope<&RawValue> = match serde_json::from_slice(&body[HEADER_AT..arrays_at]) {
        Ok(envelope) => envelope,
        Err(e) => return refuse(format!("the header is invalid: {}", json_message(&e))),
    };
    let arrays = unpack_arrays(name, &envelope.arrays, &body[arrays_at..])?;
    Ok(Opened { version, content: envelope.content.get(), arrays })
}

/// Refuses an unknown version.
fn check_version(name: &str, version: u32) -> Result<()> {
    match version {
        1..=NEWEST => Ok(()),
        _ => Err(Error::model(
            name,
            format!("model format version {version}: this program reads versions 1 to {NEWEST}"),
        )),
    }
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
            ArrayKind::U8 => Array::U8(data.to_vec()),
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
    check_numbers(name, &arrays)?;
    Ok(arrays)
}

/// Refuses NaN and infinity, which no training writes, and −0, so that equal models are equal files.
pub(super) fn check_numbers(name: &str, arrays: &State) -> Result<()> {
    for (array, values) in arrays.arrays() {
        let Array::F64(values) = values else { continue };
        if let Some(i) = values.iter().position(|v| !v.is_finite() || v.to_bits() == (-0.0f64).to_bits()) {
            let found = format!("array \"{array}\": number {} is {:?}", i + 1, values[i]);
            return Err(Error::model(name, format!("{found}; only finite numbers and no negative zero may be stored")));
        }
    }
    Ok(())
}

/// A JSON parser's message without its line and column, which are relative to a part of the file.
pub(crate) fn json_message(error: &serde_json::Error) -> String {
    let mut text = error.to_string();
    if let Some(place) = text.rfind(" at line ") {
        text.truncate(place);
    }
    text
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct JsonForm<C> {
    rosenblatt: u32,
    content: C,
    #[serde(deserialize_with = "crate::learn::map")]
    arrays: BTreeMap<String, JsonArray>,
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "type", content = "values", rename_all = "lowercase", deny_unknown_fields)]
enum JsonArray {
    F64(Vec<f64>),
    U64(Vec<u64>),
    U32(Vec<u32>),
    U8(Vec<u8>),
}

/// The JSON form: the same content and arrays, numbers written so that they read back bit for bit.
pub(crate) fn pack_json<C: Serialize>(version: u32, content: C, arrays: State) -> Vec<u8> {
    let listed = |(name, array): (String, Array)| {
        let array = match array {
            Array::F64(v) => JsonArray::F64(v),
            Array::U64(v) => JsonArray::U64(v),
            Array::U32(v) => JsonArray::U32(v),
            Array::U8(v) => JsonArray::U8(v),
        };
        (name, array)
    };
    let arrays = arrays.canonical().into_arrays().map(listed).collect();
    let form = JsonForm { rosenblatt: version, content, arrays };
    let mut bytes = serde_json::to_vec(&form).expect("a model is plain data");
    bytes.push(b'\n');
    bytes
}

/// The JSON form, read.
pub(crate) fn unpack_json<'a>(name: &str, bytes: &'a [u8]) -> Result<Opened<'a>> {
    let form: JsonForm<&RawValue> =
        serde_json::from_slice(bytes).map_err(|e| Error::model(name, format!("not the JSON form of a model: {e}")))?;
    check_version(name, form.rosenblatt)?;
    let mut arrays = State::default();
    for (array, values) in form.arrays {
        let values = match values {
            JsonArray::F64(v) => Array::F64(v),
            JsonArray::U64(v) => Array::U64(v),
            JsonArray::U32(v) => Array::U32(v),
            JsonArray::U8(v) => Array::U8(v),
        };
        arrays.insert(array, values);
    }
    check_numbers(name, &arrays)?;
    Ok(Opened { version: form.rosenblatt, content: form.content.get(), arrays })
}
