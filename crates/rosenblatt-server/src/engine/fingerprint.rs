//! XXH3-64 of the text of all examples: what a model file says of its training data. Its state can be kept in a snapshot, so
//! that examples need not be read again, and may be dropped.
//!
//! The text is cut into stripes of 64 bytes. A stripe is added to eight sums, with a part of the secret that moves by 8 bytes;
//! after 16 stripes the sums are scrambled. At the end the last 64 bytes are added once more, and the sums are merged
//! (xxHash 0.8, `XXH3_64bits`, seed 0, the default secret). Texts of up to 240 bytes have other formulas, and are kept.

use serde::{Deserialize, Serialize};
use twox_hash::XxHash3_64;

const STRIPE: usize = 64;
/// Stripes between two scrambles.
const BLOCK: usize = 16;
/// The longest text with a formula of its own.
const SHORT: u64 = 240;
/// What is kept to the end: a short text, or a part of a stripe and the stripe before it.
const KEPT: usize = 256;

const PRIME32: [u64; 3] = [0x9e37_79b1, 0x85eb_ca77, 0xc2b2_ae3d];
const PRIME64: [u64; 5] =
    [0x9e37_79b1_85eb_ca87, 0xc2b2_ae3d_27d4_eb4f, 0x1656_67b1_9e37_79f9, 0x85eb_ca77_c2b2_ae63, 0x27d4_eb2f_1656_67c5];

#[rustfmt::skip]
const SECRET: [u8; 192] = [
    0xb8, 0xfe, 0x6c, 0x39, 0x23, 0xa4, 0x4b, 0xbe, 0x7c, 0x01, 0x81, 0x2c, 0xf7, 0x21, 0xad, 0x1c,
    0xde, 0xd4, 0x6d, 0xe9, 0x83, 0x90, 0x97, 0xdb, 0x72, 0x40, 0xa4, 0xa4, 0xb7, 0xb3, 0x67, 0x1f,
    0xcb, 0x79, 0xe6, 0x4e, 0xcc, 0xc0, 0xe5, 0x78, 0x82, 0x5a, 0xd0, 0x7d, 0xcc, 0xff, 0x72, 0x21,
    0xb8, 0x08, 0x46, 0x74, 0xf7, 0x43, 0x24, 0x8e, 0xe0, 0x35, 0x90, 0xe6, 0x81, 0x3a, 0x26, 0x4c,
    0x3c, 0x28, 0x52, 0xbb, 0x91, 0xc3, 0x00, 0xcb, 0x88, 0xd0, 0x65, 0x8b, 0x1b, 0x53, 0x2e, 0xa3,
    0x71, 0x64, 0x48, 0x97, 0xa2, 0x0d, 0xf9, 0x4e, 0x38, 0x19, 0xef, 0x46, 0xa9, 0xde, 0xac, 0xd8,
    0xa8, 0xfa, 0x76, 0x3f, 0xe3, 0x9c, 0x34, 0x3f, 0xf9, 0xdc, 0xbb, 0xc7, 0xc7, 0x0b, 0x4f, 0x1d,
    0x8a, 0x51, 0xe0, 0x4b, 0xcd, 0xb4, 0x59, 0x31, 0xc8, 0x9f, 0x7e, 0xc9, 0xd9, 0x78, 0x73, 0x64,
    0xea, 0xc5, 0xac, 0x83, 0x34, 0xd3, 0xeb, 0xc3, 0xc5, 0x81, 0xa0, 0xff, 0xfa, 0x13, 0x63, 0xeb,
    0x17, 0x0d, 0xdd, 0x51, 0xb7, 0xf0, 0xda, 0x49, 0xd3, 0x16, 0x55, 0x26, 0x29, 0xd4, 0x68, 0x9e,
    0x2b, 0x16, 0xbe, 0x58, 0x7d, 0x47, 0xa1, 0xfc, 0x8f, 0xf8, 0xb8, 0xd1, 0x7a, 0xd0, 0x31, 0xce,
    0x45, 0xcb, 0x3a, 0x8f, 0x95, 0x16, 0x04, 0x28, 0xaf, 0xd7, 0xfb, 0xca, 0xbb, 0x4b, 0x40, 0x7e,
];

/// The state after some text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fingerprint {
    sums: [u64; 8],
    /// Stripes since the last scramble.
    stripes: usize,
    /// Bytes so far.
    length: u64,
    /// The last bytes, and how many of them at their end are not in the sums.
    kept: Vec<u8>,
    open: usize,
}

impl Default for Fingerprint {
    fn default() -> Self {
        let ([a, b, c, d, e], [f, g, h]) = (PRIME64, PRIME32);
        Fingerprint { sums: [h, a, b, c, d, g, e, f], stripes: 0, length: 0, kept: Vec::new(), open: 0 }
    }
}

fn word(bytes: &[u8], at: usize) -> u64 {
    let mut eight = [0; 8];
    eight.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(eight)
}

fn add_stripe(sums: &mut [u64; 8], stripe: &[u8], secret: &[u8]) {
    for i in 0..8 {
        let value = word(stripe, 8 * i);
        let key = value ^ word(secret, 8 * i);
        sums[i ^ 1] = sums[i ^ 1].wrapping_add(value);
        sums[i] = sums[i].wrapping_add((key & 0xffff_ffff).wrapping_mul(key >> 32));
    }
}

fn scramble(sums: &mut [u64; 8]) {
    for (i, sum) in sums.iter_mut().enumerate() {
        *sum = (*sum ^ (*sum >> 47) ^ word(&SECRET, SECRET.len() - STRIPE + 8 * i)).wrapping_mul(PRIME32[0]);
    }
}

fn folded(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

impl Fingerprint {
    /// Whether the state is one that this code makes.
    pub fn is_sound(&self) -> bool {
        self.stripes <= BLOCK && self.kept.len() <= KEPT + STRIPE && self.open <= self.kept.len()
    }

    /// More text.
    pub fn write(&mut self, mut text: &[u8]) {
        self.length += text.len() as u64;
        while !text.is_empty() {
            let (now, later) = text.split_at(text.len().min(KEPT - self.kept.len()));
            self.kept.extend_from_slice(now);
            self.open += now.len();
            text = later;
            if self.kept.len() >= KEPT {
                self.absorb();
            }
        }
    }

    /// Adds the stripes that are whole and are not the last; keeps the last stripe's length of what was added.
    fn absorb(&mut self) {
        let mut at = self.kept.len() - self.open;
        // The last stripe of a block, and of the text, waits: what comes at the end must follow it.
        while at + STRIPE < self.kept.len() {
            if self.stripes == BLOCK {
                scramble(&mut self.sums);
                self.stripes = 0;
            }
            add_stripe(&mut self.sums, &self.kept[at..at + STRIPE], &SECRET[8 * self.stripes..]);
            self.stripes += 1;
            at += STRIPE;
        }
        self.open = self.kept.len() - at;
        self.kept.drain(..at.saturating_sub(STRIPE));
    }

    /// The fingerprint of the text so far.
    pub fn finish(&self) -> u64 {
        if self.length <= SHORT {
            return XxHash3_64::oneshot(&self.kept);
        }
        let mut end = self.clone();
        end.absorb();
        // The sums of a block that is whole are scrambled only if more follows; the last stripe always does.
        if end.stripes == BLOCK {
            scramble(&mut end.sums);
        }
        let last = &end.kept[end.kept.len() - STRIPE..];
        add_stripe(&mut end.sums, last, &SECRET[SECRET.len() - STRIPE - 7..]);
        let mut hash = self.length.wrapping_mul(PRIME64[0]);
        for i in 0..4 {
            let key = |k: usize| end.sums[2 * i + k] ^ word(&SECRET, 11 + 16 * i + 8 * k);
            hash = hash.wrapping_add(folded(key(0), key(1)));
        }
        hash ^= hash >> 37;
        hash = hash.wrapping_mul(0x1656_6791_9e37_79f9);
        hash ^ (hash >> 32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The twin: the hash of the whole text at once; for every length, in pieces of every size, through a snapshot.
    #[test]
    fn pieces_have_the_fingerprint_of_the_whole() {
        let text: Vec<u8> = (0..9_000u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
        for length in (0..1_400).chain((2_000..9_000).step_by(61)) {
            let whole = XxHash3_64::oneshot(&text[..length]);
            for piece in [1, 7, 63, 64, 65, 255, 256, 257, 1_024, 5_000] {
                let mut print = Fingerprint::default();
                for some in text[..length].chunks(piece) {
                    print.write(some);
                    assert!(print.is_sound());
                }
                assert_eq!(print.finish(), whole, "{length} in pieces of {piece}");
                let kept: Fingerprint = serde_json::from_str(&serde_json::to_string(&print).unwrap()).unwrap();
                assert_eq!((kept.finish(), kept), (whole, print));
            }
        }
    }
}
