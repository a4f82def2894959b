//! Random numbers: every draw comes from a seed and a named purpose.
//!
//! The generator is xoshiro256++; bounded integers and shuffles are our own, because a library may change the values
//! it draws between versions, and a model's bytes must not.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// A stream of random numbers that depends only on its seed and its purpose.
#[derive(Debug, Clone)]
pub struct Stream(Xoshiro256PlusPlus);

impl Stream {
    /// The stream of a seed for one purpose, given as numbers: for example a pass and a block.
    pub fn new(seed: u64, purpose: &[u64]) -> Self {
        let mixed = purpose.iter().fold(split_mix(seed), |state, &p| split_mix(state ^ split_mix(p.wrapping_add(1))));
        Stream(Xoshiro256PlusPlus::seed_from_u64(mixed))
    }

    /// A number below `n`, each equally likely. (Lemire 2019, with rejection.)
    pub fn below(&mut self, n: u64) -> u64 {
        assert!(n > 0, "there is no number below zero");
        loop {
            let wide = u128::from(self.0.next_u64()) * u128::from(n);
            let low = wide as u64;
            // The remainder is below n, so the costly division is rarely needed.
            if low >= n || low >= n.wrapping_neg() % n {
                return (wide >> 64) as u64;
            }
        }
    }

    /// A number in [0, 1) with 53 random bits.
    pub fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 * (-53f64).exp2()
    }

    /// Puts the items in a random order, each equally likely. (Fisher and Yates.)
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i as u64 + 1) as usize);
        }
    }
}

/// One step of SplitMix64: spreads every bit of a seed over all bits.
fn split_mix(seed: u64) -> u64 {
    let mut z = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_values_never_change() {
        let mut stream = Stream::new(0, &[1, 2]);
        let drawn: Vec<u64> = (0..6).map(|_| stream.below(1000)).collect();
        assert_eq!(drawn, GOLDEN, "a change here changes every shuffled model");
    }

    const GOLDEN: [u64; 6] = [306, 815, 115, 54, 86, 377];

    #[test]
    fn a_shuffle_is_fair() {
        let mut counts = [0u32; 6];
        let mut stream = Stream::new(7, &[]);
        for _ in 0..60_000 {
            let mut items = [0, 1, 2];
            stream.shuffle(&mut items);
            counts[items[0] * 2 + usize::from(items[1] > items[2])] += 1;
        }
        // Each of six orders: 10,000 expected, a standard deviation of 91.
        assert!(counts.iter().all(|&c| (9_500..10_500).contains(&c)), "{counts:?}");
    }

    #[test]
    fn purposes_do_not_share_a_stream() {
        let first = |purpose: &[u64]| Stream::new(3, purpose).below(1 << 60);
        assert_ne!(first(&[0, 1]), first(&[1, 0]));
        assert_ne!(first(&[0]), first(&[]));
    }
}
