//! Sequences: every search against enumeration, and the theorems of the perceptron.

use proptest::prelude::*;
use rosenblatt::structured::chain::{Bars, Chain, FREE, Key, Lists, Reach, Scratch, Search, Sentence, Update, Weights};
use rosenblatt::structured::{Perceptron, Store, Structure};

use crate::common::cases;

/// A sentence that owns its lists.
#[derive(Debug, Clone)]
struct Owned {
    emissions: Vec<Vec<u32>>,
    edges: Vec<Vec<u32>>,
    fixed: Vec<u32>,
}

/// The flat lists of a sentence.
struct Flat {
    ends: [Vec<usize>; 2],
    items: [Vec<u32>; 2],
    fixed: Vec<u32>,
}

impl Owned {
    fn flat(&self) -> Flat {
        let ends = |lists: &[Vec<u32>]| {
            let mut end = 0;
            let rest = lists.iter().map(|l| {
                end += l.len();
                end
            });
            std::iter::once(0).chain(rest).collect::<Vec<usize>>()
        };
        Flat {
            ends: [ends(&self.emissions), ends(&self.edges)],
            items: [self.emissions.concat(), self.edges.concat()],
            fixed: self.fixed.clone(),
        }
    }
}

impl Flat {
    fn sentence(&self) -> Sentence<'_> {
        let lists = |at: usize| Lists { ends: &self.ends[at], items: &self.items[at], values: &[] };
        Sentence { emissions: lists(0), edges: lists(1), fixed: &self.fixed }
    }
}

const FEATURES: u32 = 4;

fn sentences(longest: usize, tags: u32) -> impl Strategy<Value = Owned> {
    let lists = |n: usize| prop::collection::vec(prop::collection::vec(0..FEATURES, 0..3), n);
    let fixed = move |n: usize| prop::collection::vec(prop_oneof![4 => Just(FREE), 1 => 0..tags], n);
    (0..=longest).prop_flat_map(move |n| (lists(n), lists(n), fixed(n))).prop_map(|(emissions, edges, fixed)| Owned {
        emissions,
        edges,
        fixed,
    })
}

/// A chain with weights that are small whole numbers, so that equal scores are frequent and sums exact.
fn weighted(tags: usize, reach: Reach, numbers: &[i8]) -> Weights {
    let mut weights = Weights::new(tags, reach, FEATURES as usize, FEATURES as usize);
    let mut numbers = numbers.iter().copied().cycle().map(f64::from);
    let mut next = || numbers.next().expect("it never ends");
    for feature in 0..FEATURES {
        (0..tags as u32).for_each(|tag| weights.correct(Key::Emission(feature, tag), next(), 1));
    }
    if reach >= Reach::First {
        let width = tags.next_multiple_of(8);
        for before in 0..=tags {
            (0..tags).for_each(|tag| weights.correct(Key::First(before * width + tag), next(), 1));
        }
        for feature in 0..FEATURES {
            for pair in (0..((tags + 1) * tags) as u32).step_by(2) {
                weights.correct(Key::Edge(feature, pair), next(), 1);
            }
        }
        if reach == Reach::Second {
            for pair in 0..(tags + 1) * (tags + 1) {
                (0..tags).for_each(|tag| weights.correct(Key::Second(pair * width + tag), next(), 1));
            }
        }
    }
    weights
}

/// w·φ(x, y), read off the formula.
fn score(chain: &Chain, w: &Weights, x: &Owned, y: &[u32]) -> f64 {
    let (k, start) = (chain.tags, chain.tags as u32);
    let (first, second) = (w.transitions(), w.second_order());
    let back = |i: usize, by: usize| if i >= by { y[i - by] } else { start };
    let row = |entries: &[rosenblatt::structured::Entry], slot: u32| -> f64 {
        entries.iter().filter(|e| e.slot == slot).map(|e| e.weight).sum()
    };
    let mut total = 0.0;
    for i in 0..y.len() {
        total += x.emissions[i].iter().map(|&f| row(w.emissions.row(f), y[i])).sum::<f64>();
        if chain.reach >= Reach::First {
            let pair = back(i, 1) as usize * k + y[i] as usize;
            total += first[pair];
            total += x.edges[i].iter().map(|&f| row(w.edges.row(f), pair as u32)).sum::<f64>();
        }
        if chain.reach == Reach::Second {
            total += second[(back(i, 2) as usize * (k + 1) + back(i, 1) as usize) * k + y[i] as usize];
        }
    }
    total
}

/// All sequences of a length, in the order in which ties are broken: by the last tag, then the one before.
pub(crate) fn all(tags: usize, length: usize) -> Vec<Vec<u32>> {
    let mut list = vec![Vec::new()];
    for _ in 0..length {
        list = (0..tags as u32).flat_map(|t| list.iter().map(move |y: &Vec<u32>| [&y[..], &[t]].concat())).collect();
    }
    list
}

/// The first of the best sequences that are allowed.
fn naive(chain: &Chain, w: &Weights, x: &Owned) -> Vec<u32> {
    let kept = |y: &Vec<u32>, fixed: bool| {
        chain.allows(y) && (!fixed || y.iter().zip(&x.fixed).all(|(t, f)| *f == FREE || t == f))
    };
    let of = |fixed: bool| {
        let mut best: Option<(f64, Vec<u32>)> = None;
        for y in all(chain.tags, x.emissions.len()).into_iter().filter(|y| kept(y, fixed)) {
            let score = score(chain, w, x, &y);
            if best.as_ref().is_none_or(|(most, _)| score > *most) {
                best = Some((score, y));
            }
        }
        best.map(|(_, y)| y)
    };
    of(true).or_else(|| of(false)).expect("the bars leave a sequence")
}

fn reaches() -> impl Strategy<Value = Reach> {
    prop_oneof![Just(Reach::None), Just(Reach::First), Just(Reach::Second)]
}

/// Random bars that allow tag 0 anywhere, like O in every scheme.
fn bars(tags: usize) -> impl Strategy<Value = Option<Bars>> {
    let flags = prop::collection::vec(prop::bool::weighted(0.6), (tags + 1) * tags + tags);
    prop::option::of(flags.prop_map(move |flags| {
        let mut bars = Bars { follows: flags[..(tags + 1) * tags].to_vec(), ends: flags[(tags + 1) * tags..].to_vec() };
        bars.follows[tags * tags] = true;
        bars.follows[0] = true;
        bars.ends[0] = true;
        bars
    }))
}

fn problems() -> impl Strategy<Value = (Chain, Weights, Owned)> {
    (1usize..4, reaches()).prop_flat_map(|(tags, reach)| {
        let numbers = prop::collection::vec(-3i8..4, 60);
        (bars(tags), numbers, sentences(5, tags as u32)).prop_map(move |(bars, numbers, mut x)| {
            // Bars need transitions.
            let bars = bars.filter(|_| reach >= Reach::First);
            if reach == Reach::None {
                x.edges.iter_mut().for_each(Vec::clear);
            }
            (Chain { tags, reach, bars, search: Search::Viterbi }, weighted(tags, reach, &numbers), x)
        })
    })
}

fn decode(chain: &Chain, w: &Weights, x: &Owned) -> Vec<u32> {
    let (mut scratch, mut answer) = (Scratch::default(), Vec::new());
    // Twice with the same buffers: stale contents must not matter.
    chain.decode(w, x.flat().sentence(), &mut scratch, &mut answer);
    chain.decode(w, x.flat().sentence(), &mut scratch, &mut answer);
    answer
}

proptest! {
    #![proptest_config(cases(1500))]

    #[test]
    fn viterbi_is_the_enumeration((chain, w, x) in problems()) {
        let answer = decode(&chain, &w, &x);
        prop_assert!(chain.allows(&answer), "{answer:?}");
        prop_assert_eq!(answer, naive(&chain, &w, &x));
    }

    #[test]
    fn marginals_are_the_enumeration((chain, w, x) in problems()) {
        let (mut scratch, mut shares) = (Scratch::default(), vec![0.5]);
        let told = chain.marginals(&w, x.flat().sentence(), &mut scratch, &mut shares);
        if chain.reach == Reach::Second {
            prop_assert!(told.unwrap_err().to_string().contains("tag[-2]"));
            return Ok(());
        }
        told.unwrap();
        let length = x.emissions.len();
        let is_fixed = |y: &[u32]| y.iter().zip(&x.fixed).all(|(t, f)| *f == FREE || t == f);
        let allowed: Vec<Vec<u32>> = all(chain.tags, length).into_iter().filter(|y| chain.allows(y)).collect();
        let any_is_fixed = allowed.iter().any(|y| is_fixed(y));
        let mut expected = vec![0.0; length * chain.tags];
        let mut total = 0.0;
        for y in allowed.iter().filter(|y| !any_is_fixed || is_fixed(y)) {
            let share = score(&chain, &w, &x, y).exp();
            total += share;
            y.iter().enumerate().for_each(|(i, &tag)| expected[i * chain.tags + tag as usize] += share);
        }
        prop_assert_eq!(shares.remove(0), 0.5, "they are appended");
        prop_assert_eq!(shares.len(), expected.len());
        for (share, expected) in shares.iter().zip(&expected) {
            prop_assert!((share - expected / total).abs() < 1e-9, "{shares:?} {expected:?}");
        }
    }

    #[test]
    fn a_beam_that_holds_everything_is_viterbi((mut chain, w, x) in problems()) {
        let exact = decode(&chain, &w, &x);
        chain.search = Search::Beam { width: 64, update: Update::MaxViolation };
        let answer = decode(&chain, &w, &x);
        prop_assert!(chain.allows(&answer));
        prop_assert_eq!(score(&chain, &w, &x, &answer), score(&chain, &w, &x, &exact));
    }

    /// A violation of a beam is a prefix that scores at least as well as the truth, or is the truth.
    #[test]
    fn a_beam_learns_from_violations_only(
        (mut chain, w, mut x) in problems(),
        width in 1u32..4,
        early in any::<bool>(),
        numbers in prop::collection::vec(0u32..100, 5),
    ) {
        chain.bars = None;
        x.fixed.fill(FREE);
        let update = if early { Update::Early } else { Update::MaxViolation };
        chain.search = Search::Beam { width, update };
        let truth: Vec<u32> = numbers[..x.emissions.len()].iter().map(|n| n % chain.tags as u32).collect();
        let (mut scratch, mut answer) = (Scratch::default(), Vec::new());
        chain.violate(&w, x.flat().sentence(), &truth, &mut scratch, &mut answer);
        if answer != truth {
            prop_assert!(!truth.starts_with(&answer));
            let part = &truth[..answer.len()];
            prop_assert!(score(&chain, &w, &x, &answer) >= score(&chain, &w, &x, part));
        } else {
            // No violation: the truth is first in the last beam, or ties with the first.
            let best = decode(&chain, &w, &x);
            prop_assert!(score(&chain, &w, &x, &best) <= score(&chain, &w, &x, &truth), "{best:?} {truth:?}");
        }
    }

    /// An update by φ(x, y) − φ(x, z) changes the difference of the scores by its squared length.
    #[test]
    fn a_difference_is_that_of_the_features(
        (chain, w, x) in problems(),
        numbers in prop::collection::vec(0u32..100, 10),
    ) {
        let n = x.emissions.len();
        let tags = |numbers: &[u32]| numbers.iter().map(|t| t % chain.tags as u32).collect::<Vec<u32>>();
        let (y, z) = (tags(&numbers[..n]), tags(&numbers[5..5 + n]));
        let gap = |w: &Weights| score(&chain, w, &x, &y) - score(&chain, w, &x, &z);
        let mut moved = w.clone();
        let mut sum = std::collections::BTreeMap::<String, f64>::new();
        chain.difference(x.flat().sentence(), &y, &z, |key, by| {
            moved.correct(key, by, 1);
            *sum.entry(format!("{key:?}")).or_default() += by;
        });
        let length: f64 = sum.values().map(|v| v * v).sum();
        prop_assert_eq!(gap(&moved) - gap(&w), length);
    }

    /// At most R²/δ² mistakes, in any order, on sentences that hidden weights separate.
    #[test]
    fn mistakes_are_bounded(
        (chain, hidden, _) in problems(),
        mut data in prop::collection::vec(sentences(3, 3), 1..6),
        beam in prop::option::of(1u32..3),
    ) {
        let mut chain = Chain { bars: None, ..chain };
        data.iter_mut().for_each(|x| x.fixed.clear());
        let norm = squared(&hidden).sqrt();
        let (mut delta, mut radius) = (f64::INFINITY, 0f64);
        let mut examples = Vec::new();
        for mut x in data {
            if chain.reach == Reach::None {
                x.edges.iter_mut().for_each(Vec::clear);
            }
            let y = naive(&chain, &hidden, &x);
            let mut margin = f64::INFINITY;
            for z in all(chain.tags, y.len()) {
                // Also for prefixes: a beam learns from them.
                for end in 1..=y.len() {
                    if z[..end] == y[..end] {
                        continue;
                    }
                    let (z, y) = (&z[..end], &y[..end]);
                    margin = margin.min(score(&chain, &hidden, &x, y) - score(&chain, &hidden, &x, z));
                    let mut sum = std::collections::BTreeMap::<String, f64>::new();
                    let flat = x.flat();
                    chain.difference(flat.sentence(), y, z, |key, by| *sum.entry(format!("{key:?}")).or_default() += by);
                    radius = radius.max(sum.values().map(|v| v * v).sum());
                }
            }
            // Learn only from sentences whose prefixes are separated.
            if margin > 0.0 && margin.is_finite() {
                delta = delta.min(margin / norm);
                examples.push((x.flat(), y));
            }
        }
        if examples.is_empty() {
            return Ok(());
        }
        if let Some(width) = beam {
            chain.search = Search::Beam { width, update: Update::MaxViolation };
        }
        let (tags, reach) = (chain.tags, chain.reach);
        let weights = Weights::new(tags, reach, FEATURES as usize, FEATURES as usize);
        let mut learner = Perceptron::new(chain, weights);
        let bound = radius / (delta * delta);
        loop {
            let before = learner.mistakes();
            examples.iter().for_each(|(x, y)| _ = learner.learn(x.sentence(), y));
            prop_assert!(learner.mistakes() as f64 <= bound + 1e-9, "{} mistakes, bound {bound}", learner.mistakes());
            if learner.mistakes() == before {
                break;
            }
        }
    }
}

/// ‖w‖².
fn squared(w: &Weights) -> f64 {
    let rows = |rows: &rosenblatt::structured::Rows| -> f64 {
        (0..rows.len() as u32).flat_map(|f| rows.row(f)).map(|e| e.weight * e.weight).sum()
    };
    let flat = |values: Vec<f64>| values.iter().map(|v| v * v).sum::<f64>();
    rows(&w.emissions) + rows(&w.edges) + flat(w.transitions()) + flat(w.second_order())
}
