//! The indices of a sparse row: one per cell, or two.

/// The indices of a sparse row.
pub trait Indices: Copy {
    /// One of them.
    fn at(self, k: usize) -> u32;
    /// Four at a time.
    fn fours(self) -> impl Iterator<Item = [u32; 4]>;
}

impl Indices for &[u32] {
    #[inline(always)]
    fn at(self, k: usize) -> u32 {
        self[k]
    }

    #[inline(always)]
    fn fours(self) -> impl Iterator<Item = [u32; 4]> {
        self.as_chunks::<4>().0.iter().copied()
    }
}

/// Indices of 16 bits, two per cell, the first in the lower half.
#[derive(Debug, Clone, Copy)]
pub struct Halves<'a>(pub &'a [u32]);

impl Indices for Halves<'_> {
    #[inline(always)]
    fn at(self, k: usize) -> u32 {
        self.0[k / 2] >> (16 * (k % 2)) & 0xffff
    }

    #[inline(always)]
    fn fours(self) -> impl Iterator<Item = [u32; 4]> {
        self.0.as_chunks::<2>().0.iter().map(|[a, b]| [a & 0xffff, a >> 16, b & 0xffff, b >> 16])
    }
}
