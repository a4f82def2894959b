//! Points by a seed: the same on every machine, in a browser too (the functions of `libm`, and two decimals).

use std::f64::consts::PI;

use rosenblatt::random::Stream;

/// A point and its label.
pub type Point = ([f64; 2], &'static str);

const PLUS: &str = "+1";
const MINUS: &str = "-1";

/// What a generator is asked for.
#[derive(Debug, Clone, Copy)]
pub struct Wish {
    pub points: usize,
    pub noise: f64,
    pub seed: u64,
}

/// A source of normal deviates (Box and Muller 1958).
struct Normal(Stream);

impl Normal {
    fn new(wish: Wish, purpose: u64) -> Self {
        Normal(Stream::new(wish.seed, &[0x6c61_6221, purpose]))
    }

    fn unit(&mut self) -> f64 {
        self.0.unit()
    }

    fn next(&mut self) -> f64 {
        let (u, v) = (1.0 - self.0.unit(), self.0.unit());
        libm::sqrt(-2.0 * libm::log(u)) * libm::cos(2.0 * PI * v)
    }

    fn around(&mut self, [x, y]: [f64; 2], deviation: f64) -> [f64; 2] {
        [x + deviation * self.next(), y + deviation * self.next()]
    }
}

fn class(i: usize) -> &'static str {
    if i.is_multiple_of(2) { PLUS } else { MINUS }
}

/// Two clouds on the two sides of a street, none nearer to its middle than `noise`.
pub fn street(wish: Wish) -> Vec<Point> {
    let mut normal = Normal::new(wish, 1);
    let mut points = Vec::new();
    while points.len() < wish.points {
        let [x, y] = [0; 2].map(|_| 4.0 * normal.unit() - 2.0);
        let distance = (y - x) / std::f64::consts::SQRT_2;
        let wanted = class(points.len());
        if distance.abs() >= wish.noise && (distance > 0.0) == (wanted == PLUS) {
            points.push(([x, y], wanted));
        }
    }
    points
}

/// Two half circles that interlock.
pub fn moons(wish: Wish) -> Vec<Point> {
    let mut normal = Normal::new(wish, 2);
    (0..wish.points)
        .map(|i| {
            let angle = PI * normal.unit();
            let (c, s) = (libm::cos(angle), libm::sin(angle));
            let at = if class(i) == PLUS { [c, s] } else { [1.0 - c, 0.5 - s] };
            (normal.around(at, wish.noise), class(i))
        })
        .collect()
}

/// A ring around a disc.
pub fn circles(wish: Wish) -> Vec<Point> {
    let mut normal = Normal::new(wish, 3);
    (0..wish.points)
        .map(|i| {
            let (angle, share) = (2.0 * PI * normal.unit(), normal.unit());
            let radius = if class(i) == PLUS { 0.9 * libm::sqrt(share) } else { 1.6 + 0.6 * share };
            let at = [radius * libm::cos(angle), radius * libm::sin(angle)];
            (normal.around(at, wish.noise), class(i))
        })
        .collect()
}

/// Two clouds that overlap.
pub fn clouds(wish: Wish) -> Vec<Point> {
    let mut normal = Normal::new(wish, 4);
    (0..wish.points)
        .map(|i| {
            let at = if class(i) == PLUS { [1.0, 0.7] } else { [-1.0, -0.7] };
            (normal.around(at, wish.noise), class(i))
        })
        .collect()
}

/// Three clouds.
pub fn three(wish: Wish) -> Vec<Point> {
    let mut normal = Normal::new(wish, 5);
    let places = [([0.0, 1.6], "a"), ([-1.5, -1.0], "b"), ([1.5, -1.0], "c")];
    (0..wish.points)
        .map(|i| {
            let (at, label) = places[i % 3];
            (normal.around(at, wish.noise), label)
        })
        .collect()
}

/// Two clouds far apart, and one point far out on the wrong side of what they suggest.
pub fn outlier(wish: Wish) -> Vec<Point> {
    let mut normal = Normal::new(wish, 6);
    let mut points: Vec<Point> = (0..wish.points.saturating_sub(1))
        .map(|i| {
            let at = if class(i) == PLUS { [1.5, 1.0] } else { [-1.5, -1.0] };
            (normal.around(at, wish.noise), class(i))
        })
        .collect();
    points.push(([6.0, -7.0], PLUS));
    points
}
