//! Trees: Eisner's algorithm against enumeration, and the mistake bound.

use proptest::prelude::*;
use rosenblatt::structured::{ArcFeatures, Chart, Dense, Perceptron, Structure, Trees};

use crate::common::cases;

/// Every list of heads that is a projective tree.
fn trees(n: usize) -> Vec<Vec<u32>> {
    let lists = crate::chain::all(n + 1, n);
    lists.into_iter().filter(|heads| is_tree(heads) && is_projective(heads)).collect()
}

fn is_tree(heads: &[u32]) -> bool {
    (1..=heads.len()).all(|token| {
        let mut at = token;
        for _ in 0..=heads.len() {
            if at == 0 {
                return true;
            }
            at = heads[at - 1] as usize;
        }
        false
    })
}

/// No two arcs cross.
fn is_projective(heads: &[u32]) -> bool {
    let arcs: Vec<(usize, usize)> =
        heads.iter().enumerate().map(|(i, &h)| ((i + 1).min(h as usize), (i + 1).max(h as usize))).collect();
    arcs.iter().all(|&(a, b)| arcs.iter().all(|&(c, d)| !(a < c && c < b && b < d)))
}

fn score(w: &[f64], features: &[Vec<u32>], heads: &[u32]) -> f64 {
    let n = heads.len() + 1;
    let arc = |(i, &h): (usize, &u32)| features[h as usize * n + i + 1].iter().map(|&f| w[f as usize]).sum::<f64>();
    heads.iter().enumerate().map(arc).sum()
}

const FEATURES: u32 = 12;

fn arcs(longest: usize) -> impl Strategy<Value = (usize, Vec<Vec<u32>>)> {
    (0..=longest).prop_flat_map(|n| {
        let lists = prop::collection::vec(prop::collection::vec(0..FEATURES, 0..3), (n + 1) * (n + 1));
        (Just(n), lists)
    })
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn eisner_is_the_enumeration(
        (n, lists) in arcs(4),
        w in prop::collection::vec((-5i8..6).prop_map(f64::from), FEATURES as usize),
    ) {
        let x = ArcFeatures::new(n, |head, token| lists[head * (n + 1) + token].clone());
        let (mut chart, mut answer) = (Chart::default(), Vec::new());
        Trees.decode(&Dense::fixed(w.clone()), &x, &mut chart, &mut answer);
        prop_assert!(is_tree(&answer) && is_projective(&answer), "{answer:?}");
        let best = trees(n).iter().map(|heads| score(&w, &lists, heads)).fold(f64::NEG_INFINITY, f64::max);
        prop_assert_eq!(score(&w, &lists, &answer), best);
    }

    #[test]
    fn mistakes_are_bounded(
        data in prop::collection::vec(arcs(3), 1..5),
        hidden in prop::collection::vec((-5i8..6).prop_map(f64::from), FEATURES as usize),
    ) {
        let norm = hidden.iter().map(|v| v * v).sum::<f64>().sqrt();
        let (mut delta, mut radius, mut examples) = (f64::INFINITY, 0f64, Vec::new());
        for (n, lists) in data.into_iter().filter(|(n, _)| *n > 0) {
            let all = trees(n);
            let best = all.iter().max_by(|a, b| score(&hidden, &lists, a).total_cmp(&score(&hidden, &lists, b)));
            let truth = best.expect("there is a tree").clone();
            let mut margin = f64::INFINITY;
            for other in all.iter().filter(|other| **other != truth) {
                margin = margin.min(score(&hidden, &lists, &truth) - score(&hidden, &lists, other));
                let mut sum = vec![0.0; FEATURES as usize];
                for (heads, sign) in [(&truth, 1.0), (other, -1.0)] {
                    for (i, &h) in heads.iter().enumerate() {
                        lists[h as usize * (n + 1) + i + 1].iter().for_each(|&f| sum[f as usize] += sign);
                    }
                }
                radius = radius.max(sum.iter().map(|v| v * v).sum());
            }
            if margin > 0.0 && margin.is_finite() {
                delta = delta.min(margin / norm);
                examples.push((ArcFeatures::new(n, |head, token| lists[head * (n + 1) + token].clone()), truth));
            }
        }
        if examples.is_empty() {
            return Ok(());
        }
        let mut learner = Perceptron::new(Trees, Dense::new(FEATURES as usize));
        loop {
            let before = learner.mistakes();
            examples.iter().for_each(|(x, y)| _ = learner.learn(x, y));
            prop_assert!(learner.mistakes() as f64 <= radius / (delta * delta) + 1e-9);
            if learner.mistakes() == before {
                break;
            }
        }
    }
}
