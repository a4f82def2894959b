//! One commit of the log: a frame of rows that are durable together.
//!
//! ```text
//!  "RLOG" | payload length u32 | CRC-32C u32 | examples before u64 | rows u32 | synced u64 | payload
//!  payload: for each request   key length u16, key | digest of the request u64 | rows u32 | each row: length u32, text
//! ```
//!
//! All numbers are little-endian. The checksum covers what follows it. `synced`: the bytes of this file that were known
//! to be durable when the frame was written. A frame is written after the one before is durable (`--durability sync`), so
//! an incomplete frame that lies before the `synced` of a later one is damage, and any other is the end of a write that a
//! crash interrupted.

use super::crc::crc32c;

const MAGIC: [u8; 4] = *b"RLOG";
/// Bytes before the payload.
pub const HEAD: usize = 32;
/// The longest payload.
pub const LONGEST: usize = 1 << 30;

/// A request in the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The client's `Idempotency-Key`, if it sent one.
    pub key: String,
    /// Of its body: the same key with another body is a mistake of the client.
    pub digest: u64,
    /// The rows as Vowpal Wabbit text, without line ends.
    pub rows: Vec<String>,
}

/// A frame as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// Examples in the log before this frame.
    pub before: u64,
    /// The requests.
    pub requests: Vec<Request>,
    /// Bytes of this file that were durable when it was written.
    pub synced: u64,
    /// Its length in the file.
    pub length: usize,
}

/// Writes a frame.
pub fn encode<'a>(before: u64, synced: u64, requests: impl Iterator<Item = &'a Request>, out: &mut Vec<u8>) {
    let start = out.len();
    out.extend_from_slice(&[0; HEAD]);
    let mut rows = 0u32;
    for request in requests {
        out.extend_from_slice(&(request.key.len() as u16).to_le_bytes());
        out.extend_from_slice(request.key.as_bytes());
        out.extend_from_slice(&request.digest.to_le_bytes());
        out.extend_from_slice(&(request.rows.len() as u32).to_le_bytes());
        rows += request.rows.len() as u32;
        for row in &request.rows {
            out.extend_from_slice(&(row.len() as u32).to_le_bytes());
            out.extend_from_slice(row.as_bytes());
        }
    }
    let length = (out.len() - start - HEAD) as u32;
    let head = &mut out[start..];
    head[..4].copy_from_slice(&MAGIC);
    head[4..8].copy_from_slice(&length.to_le_bytes());
    head[12..20].copy_from_slice(&before.to_le_bytes());
    head[20..24].copy_from_slice(&rows.to_le_bytes());
    head[24..32].copy_from_slice(&synced.to_le_bytes());
    // The length is covered too: it is read before the rest.
    let crc = crc32c(&[&head[4..8], &head[12..]]);
    head[8..12].copy_from_slice(&crc.to_le_bytes());
}

/// The frame at the start of these bytes; `None` if there is no whole and undamaged one.
pub fn decode(bytes: &[u8]) -> Option<Frame> {
    let head = bytes.get(..HEAD)?;
    let u32_at = |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
    let u64_at = |at: usize| u64::from(u32_at(at)) | u64::from(u32_at(at + 4)) << 32;
    let length = u32_at(4) as usize;
    if head[..4] != MAGIC || length > LONGEST {
        return None;
    }
    let whole = bytes.get(..HEAD + length)?;
    if crc32c(&[&whole[4..8], &whole[12..]]) != u32_at(8) {
        return None;
    }
    let requests = requests(&whole[HEAD..])?;
    let rows: usize = requests.iter().map(|request| request.rows.len()).sum();
    let frame = Frame { before: u64_at(12), requests, synced: u64_at(24), length: HEAD + length };
    (rows == u32_at(20) as usize).then_some(frame)
}

fn requests(mut payload: &[u8]) -> Option<Vec<Request>> {
    let mut requests = Vec::new();
    while !payload.is_empty() {
        let key = u16::from_le_bytes(payload.split_off(..2)?.try_into().ok()?);
        let key = text(payload.split_off(..key as usize)?)?;
        let digest = u64::from_le_bytes(payload.split_off(..8)?.try_into().ok()?);
        let count = u32::from_le_bytes(payload.split_off(..4)?.try_into().ok()?);
        let mut rows = Vec::new();
        for _ in 0..count {
            let length = u32::from_le_bytes(payload.split_off(..4)?.try_into().ok()?);
            rows.push(text(payload.split_off(..length as usize)?)?);
        }
        requests.push(Request { key, digest, rows });
    }
    Some(requests)
}

fn text(bytes: &[u8]) -> Option<String> {
    String::from_utf8(bytes.to_vec()).ok()
}

/// Where the next whole frame begins, from `from` on.
pub fn find(bytes: &[u8], from: usize) -> Option<usize> {
    let starts = bytes.get(from..)?.windows(4).enumerate().filter(|(_, four)| **four == MAGIC);
    starts.map(|(at, _)| from + at).find(|&at| decode(&bytes[at..]).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> Vec<u8> {
        let rows = vec!["a | x:1".to_string(), "b | é".to_string()];
        let requests =
            [Request { key: "k".into(), digest: 7, rows }, Request { key: String::new(), digest: 0, rows: vec![] }];
        let mut bytes = Vec::new();
        encode(41, 5, requests.iter(), &mut bytes);
        let frame = decode(&bytes).unwrap();
        assert_eq!((frame.before, frame.synced, frame.length), (41, 5, bytes.len()));
        assert_eq!(frame.requests, requests);
        bytes
    }

    #[test]
    fn no_part_and_no_flipped_bit_is_a_frame() {
        let bytes = example();
        for length in 0..bytes.len() {
            assert_eq!(decode(&bytes[..length]), None, "{length}");
        }
        for bit in 0..8 * bytes.len() {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(decode(&flipped), None, "{bit}");
        }
    }

    #[test]
    fn a_later_frame_is_found() {
        let one = example();
        let mut two = vec![b'R', b'L', b'O', b'G', 1, 2, 3];
        two.extend_from_slice(&one);
        assert_eq!((find(&two, 0), find(&two, 7), find(&two, 8)), (Some(7), Some(7), None));
    }
}
