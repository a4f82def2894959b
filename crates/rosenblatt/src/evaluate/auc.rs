//! The area under the ROC curve: the chance that a positive example outscores a negative one, ties counting half.

/// By ranks (Mann and Whitney): equal scores share their mean rank. `None` unless both classes are present.
pub fn auc(scores: &[f64], classes: &[u32]) -> Option<f64> {
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|&a, &b| scores[a].total_cmp(&scores[b]));
    let positives = classes.iter().filter(|&&c| c == 1).count() as f64;
    let negatives = classes.len() as f64 - positives;
    if positives == 0.0 || negatives == 0.0 {
        return None;
    }
    let mut rank_sum = 0.0;
    let mut below = 0;
    for group in order.chunk_by(|&a, &b| scores[a] == scores[b]) {
        let mean_rank = below as f64 + (group.len() as f64 + 1.0) / 2.0;
        rank_sum += mean_rank * group.iter().filter(|&&i| classes[i] == 1).count() as f64;
        below += group.len();
    }
    Some((rank_sum - positives * (positives + 1.0) / 2.0) / (positives * negatives))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All pairs, one by one.
    fn naive(scores: &[f64], classes: &[u32]) -> f64 {
        let (mut won, mut pairs) = (0.0, 0.0);
        for (p, _) in scores.iter().zip(classes).filter(|(_, c)| **c == 1) {
            for (n, _) in scores.iter().zip(classes).filter(|(_, c)| **c == 0) {
                pairs += 1.0;
                won += if p > n {
                    1.0
                } else if p == n {
                    0.5
                } else {
                    0.0
                };
            }
        }
        won / pairs
    }

    #[test]
    fn ranks_agree_with_counting_all_pairs() {
        let mut stream = crate::random::Stream::new(1, &[]);
        for n in 2..60 {
            let scores: Vec<f64> = (0..n).map(|_| stream.below(9) as f64 - 4.0).collect();
            let mut classes: Vec<u32> = (0..n).map(|_| stream.below(2) as u32).collect();
            (classes[0], classes[1]) = (0, 1);
            let fast = auc(&scores, &classes).unwrap();
            assert!((fast - naive(&scores, &classes)).abs() < 1e-12);
        }
        assert_eq!(auc(&[1.0, 2.0], &[1, 1]), None);
    }
}
