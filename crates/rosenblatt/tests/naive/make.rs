//! Random data and orders from a seed: the same on every machine.

use super::{dot, extended, norm, times};

/// Examples with labels ±1.
pub type Signed = Vec<(Vec<f64>, f64)>;

/// Examples with class numbers.
pub type Classed = Vec<(Vec<f64>, usize)>;

/// SplitMix64: z = (s += 0x9E37…); z = (z ^ z>>30)·0xBF58…; z = (z ^ z>>27)·0x94D0…; z ^ z>>31.
#[derive(Clone, Debug)]
pub struct SplitMix64(pub u64);

impl SplitMix64 {
    /// The next 64 bits.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number in 0..n (by remainder: not quite uniform, good enough for tests).
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    /// A real in [0, 1): 53 bits over 2^53.
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A real in [−1, 1).
    pub fn real(&mut self) -> f64 {
        2.0 * self.unit() - 1.0
    }

    /// An integer in −m..=m.
    pub fn integer(&mut self, m: usize) -> f64 {
        self.below(2 * m + 1) as f64 - m as f64
    }

    /// +1 or −1.
    pub fn sign(&mut self) -> f64 {
        if self.below(2) == 0 { -1.0 } else { 1.0 }
    }

    /// d reals in [−1, 1).
    pub fn reals(&mut self, d: usize) -> Vec<f64> {
        (0..d).map(|_| self.real()).collect()
    }

    /// d integers in −m..=m.
    pub fn integers(&mut self, d: usize, m: usize) -> Vec<f64> {
        (0..d).map(|_| self.integer(m)).collect()
    }

    /// A vector of length 1.
    pub fn direction(&mut self, d: usize) -> Vec<f64> {
        loop {
            let u = self.reals(d);
            if norm(&u) > 0.1 {
                return times(1.0 / norm(&u), &u);
            }
        }
    }

    /// A permutation of 0..n (Fisher–Yates).
    pub fn permutation(&mut self, n: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..n).collect();
        for i in (1..n).rev() {
            let j = self.below(i + 1);
            order.swap(i, j);
        }
        order
    }
}

/// 0..n, `passes` times.
pub fn cyclic(n: usize, passes: usize) -> Vec<usize> {
    (0..passes).flat_map(|_| 0..n).collect()
}

/// A new permutation of 0..n for each pass.
pub fn shuffled(random: &mut SplitMix64, n: usize, passes: usize) -> Vec<usize> {
    (0..passes).flat_map(|_| random.permutation(n)).collect()
}

/// n rows of d integers in −m..=m with random labels ±1: usually not separable, many exact ties.
pub fn integer_data(random: &mut SplitMix64, n: usize, d: usize, m: usize) -> Signed {
    (0..n).map(|_| (random.integers(d, m), random.sign())).collect()
}

/// n rows of d reals in [−1, 1) with random labels ±1.
pub fn real_data(random: &mut SplitMix64, n: usize, d: usize) -> Signed {
    (0..n).map(|_| (random.reals(d), random.sign())).collect()
}

/// n rows of d integers in −m..=m with random classes in 0..classes.
pub fn multi_integer_data(random: &mut SplitMix64, n: usize, d: usize, m: usize, classes: usize) -> Classed {
    (0..n).map(|_| (random.integers(d, m), random.below(classes))).collect()
}

/// n rows of d reals in [−1, 1) with random classes in 0..classes.
pub fn multi_real_data(random: &mut SplitMix64, n: usize, d: usize, classes: usize) -> Classed {
    (0..n).map(|_| (random.reals(d), random.below(classes))).collect()
}

/// Planted data: a random ‖u‖ = 1 (bias last), n rows y = sign(u·x), rows with |u·x| < γ rejected.
pub fn planted(random: &mut SplitMix64, n: usize, d: usize, bias: bool, gamma: f64) -> (Signed, Vec<f64>) {
    let u = random.direction(d + usize::from(bias));
    let mut examples = Vec::new();
    for _ in 0..1_000_000 {
        if examples.len() == n {
            return (examples, u);
        }
        let x = random.reals(d);
        let s = dot(&u, &extended(&x, bias));
        if s.abs() >= gamma {
            examples.push((x, s.signum()));
        }
    }
    panic!("margin {gamma} leaves too few rows");
}

/// Planted multi-class data: random U with Frobenius norm 1, y = argmax U x, rows with s_y − s_r < γ rejected.
pub fn multi_planted(
    random: &mut SplitMix64,
    n: usize,
    d: usize,
    classes: usize,
    bias: bool,
    gamma: f64,
) -> (Classed, Vec<Vec<f64>>) {
    let width = d + usize::from(bias);
    let long = random.direction(classes * width);
    let u: Vec<Vec<f64>> = long.chunks(width).map(<[f64]>::to_vec).collect();
    let mut examples = Vec::new();
    for _ in 0..1_000_000 {
        if examples.len() == n {
            return (examples, u);
        }
        let x = random.reals(d);
        let s = super::scores(&u, &x, bias);
        let y = super::argmax(&s);
        if s[y] - s[super::worst(&s, y)] >= gamma {
            examples.push((x, y));
        }
    }
    panic!("margin {gamma} leaves too few rows");
}

/// R = max ‖x‖, bias included.
pub fn radius<L>(examples: &[(Vec<f64>, L)], bias: bool) -> f64 {
    examples.iter().map(|(x, _)| norm(&extended(x, bias))).fold(0.0, f64::max)
}

/// γ = min y(u·x)/‖u‖.
pub fn margin(examples: &[(Vec<f64>, f64)], u: &[f64], bias: bool) -> f64 {
    examples.iter().map(|(x, y)| y * dot(u, &extended(x, bias)) / norm(u)).fold(f64::INFINITY, f64::min)
}

/// γ = min (s_y − max_{r≠y} s_r)/‖U‖ with the Frobenius norm.
pub fn multi_margin(examples: &[(Vec<f64>, usize)], u: &[Vec<f64>], bias: bool) -> f64 {
    let gap = |x: &[f64], y: usize| {
        let s = super::scores(u, x, bias);
        s[y] - s[super::worst(&s, y)]
    };
    examples.iter().map(|(x, y)| gap(x, *y) / norm(&u.concat())).fold(f64::INFINITY, f64::min)
}
