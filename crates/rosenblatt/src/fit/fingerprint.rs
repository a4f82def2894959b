//! Fingerprints of arrays, by which a checkpoint recognises its data.

use std::hash::Hasher;

use twox_hash::XxHash3_64;

/// XXH3-64 of arrays in little-endian order, each after its length.
pub(crate) struct Fingerprint(XxHash3_64);

/// Numbers converted to bytes at a time.
const SOME: usize = 512;

impl Fingerprint {
    pub(crate) fn new() -> Self {
        Fingerprint(XxHash3_64::with_seed(0))
    }

    pub(crate) fn u32s(&mut self, values: &[u32]) {
        self.numbers(values, |value| value.to_le_bytes());
    }

    pub(crate) fn u64s(&mut self, values: &[u64]) {
        self.numbers(values, |value| value.to_le_bytes());
    }

    pub(crate) fn f64s(&mut self, values: &[f64]) {
        self.numbers(values, |value| value.to_bits().to_le_bytes());
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.length(bytes.len());
        self.0.write(bytes);
    }

    pub(crate) fn finish(&self) -> u64 {
        self.0.finish()
    }

    fn length(&mut self, length: usize) {
        self.0.write(&(length as u64).to_le_bytes());
    }

    fn numbers<T: Copy, const N: usize>(&mut self, values: &[T], bytes: impl Fn(T) -> [u8; N]) {
        self.length(values.len());
        for some in values.chunks(SOME) {
            let some: Vec<u8> = some.iter().flat_map(|&value| bytes(value)).collect();
            self.0.write(&some);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boundaries_and_types_count() {
        let print = |fill: &dyn Fn(&mut Fingerprint)| {
            let mut print = Fingerprint::new();
            fill(&mut print);
            print.finish()
        };
        let all = [
            print(&|p| p.u32s(&[1, 2])),
            print(&|p| {
                p.u32s(&[1]);
                p.u32s(&[2]);
            }),
            print(&|p| p.u64s(&[1, 2])),
            print(&|p| p.f64s(&[1.0, 2.0])),
            print(&|p| p.bytes(&[1, 2])),
            print(&|p| p.u32s(&vec![0; SOME])),
            print(&|p| p.u32s(&vec![0; SOME + 1])),
        ];
        let different: std::collections::BTreeSet<u64> = all.into_iter().collect();
        assert_eq!(different.len(), all.len());
    }
}
