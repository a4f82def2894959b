//! Steps that were computed by hand: averages, voters, the pocket, one step of each rule.

use crate::naive::*;
use crate::textbook::{XOR, boolean};
use crate::{close, cmu, rows, unit, vectors};

#[test]
fn e10_averages_of_the_cmu_points() {
    let data = cmu();
    let golden = [
        (1, [12.0, -4.0], [2.0, -2.0 / 3.0], [12.0 / 7.0, -4.0 / 7.0]),
        (2, [30.0, 2.0], [5.0 / 2.0, 1.0 / 6.0], [30.0 / 13.0, 2.0 / 13.0]),
    ];
    for (passes, s, mean, ciml) in golden {
        let order = cyclic(6, passes);
        let task = Task::new(&data, &order);
        let run = unit(&task);
        assert_eq!(last(&task, &run), [3.0, 1.0]);
        assert_eq!(stamped(&task, &run), [9.0, 11.0]);
        assert_eq!(sum(&run), s);
        assert_eq!(average(&run), mean);
        let t = order.len() as f64;
        let identity = plus(&times(t + 1.0, &last(&task, &run)), -1.0, &stamped(&task, &run));
        assert_eq!(identity, s);
        let scaled: Vec<f64> = identity.iter().map(|s| s / (t + 1.0)).collect();
        assert_eq!(scaled, ciml);
    }
}

#[test]
fn voters_of_the_cmu_points() {
    let (data, order) = (cmu(), cyclic(6, 2));
    let task = Task::new(&data, &order);
    let voters = votes(&task, &unit(&task));
    let lives: Vec<usize> = voters.iter().map(|v| v.1).collect();
    assert_eq!(lives, [0, 2, 2, 8]);
    // At (0, 1) the voters say −2, −1, +1; at (1, 2): −3, 0, 5.
    assert_eq!(voted_score(&voters, &[0.0, 1.0], false, Tie::Update), -2.0 - 2.0 + 8.0);
    assert_eq!(voted_score(&voters, &[1.0, 2.0], false, Tie::Update), -2.0 + 2.0 + 8.0);
    assert_eq!(voted_score(&voters, &[1.0, 2.0], false, Tie::Negative), -2.0 - 2.0 + 8.0);
    assert_eq!(voted_label(&voters, &[0.0, 0.0], false, Tie::Positive), 1.0);
    assert_eq!(voted_label(&voters, &[0.0, 0.0], false, Tie::Negative), -1.0);

    let task = Task { tie: Tie::Negative, ..task };
    let voters = votes(&task, &unit(&task));
    assert_eq!(voters, [(vec![0.0, 0.0], 1), (vec![1.0, 0.0], 11)], "the start survives example 1");
}

#[test]
fn pocket_by_hand() {
    // Rows 0 and 1 pull w to 1, row 2 is row 0 with the other label and pulls it back to 0.
    let data = rows(&[(&[1.0], 1.0), (&[2.0], 1.0), (&[1.0], -1.0)]);
    let order = [0, 0, 2, 0, 1, 1, 2];
    let task = Task::new(&data, &order);
    let run = unit(&task);
    assert_eq!(run.path.concat(), [1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 0.0]);
    let kept = pocket(&task, &run);
    // Start: 0 right, run 0. At position 1 run 1 > 0, w = 1 has 2 right: in. Later runs of 1 and 2: at position 5
    // the run 2 > 1, but that w (an equal one, of another update) has no more right: not in, and the run stays 1.
    assert_eq!(kept, Pocket { w: vec![1.0], correct: 2, run: 1, replaced: vec![1] });
    // Once in the pocket, a vector's run goes on counting.
    let task = Task { order: &[0, 0, 1], ..task };
    assert_eq!(pocket(&task, &unit(&task)), Pocket { w: vec![1.0], correct: 2, run: 2, replaced: vec![1] });
    // Under Tie::Negative the zero start has 1 right (the − row) and w = 1 has 2.
    let order = [2, 2, 0, 0, 1, 1];
    let task = Task { tie: Tie::Negative, ..Task::new(&data, &order) };
    let kept = pocket(&task, &unit(&task));
    // The start survives two examples, so its run is 2; w = 1 comes at position 2, its run is 3 at position 5.
    assert_eq!(kept, Pocket { w: vec![1.0], correct: 2, run: 3, replaced: vec![5] });
}

#[test]
fn one_step_of_each_rule_by_hand() {
    let data = rows(&[(&[3.0, 4.0], 1.0)]);
    let task = Task::new(&data, &[0]);
    close(&passive_aggressive(&task, Pa::Hard).path[0], &[3.0 / 25.0, 4.0 / 25.0]);
    close(&passive_aggressive(&task, Pa::Capped(0.01)).path[0], &[0.03, 0.04]);
    close(&passive_aggressive(&task, Pa::Soft(0.5)).path[0], &[3.0 / 26.0, 4.0 / 26.0]);
    close(&alma(&task, 0.9).path[0], &[0.6, 0.8]);
    // AROW, r = 1: v = 25, β = 1/26; with weight 2, r = 1/2.
    let (run, sigma) = arow(&task, 1.0);
    close(&run.path[0], &[3.0 / 26.0, 4.0 / 26.0]);
    close(&sigma, &[17.0 / 26.0, 10.0 / 26.0]);
    let heavy = Task { weights: Some(&[2.0]), ..task };
    close(&arow(&heavy, 1.0).0.path[0], &[3.0 / 25.5, 4.0 / 25.5]);
    close(&passive_aggressive(&heavy, Pa::Capped(0.01)).path[0], &[0.06, 0.08]);
    assert_eq!(unit(&heavy).path[0], [6.0, 8.0]);
    // With a bias: ‖(3, 4, 1)‖² = 26, and the bias has its own variance.
    let biased = Task { bias: true, ..task };
    close(&passive_aggressive(&biased, Pa::Hard).path[0], &[3.0 / 26.0, 4.0 / 26.0, 1.0 / 26.0]);
    let (run, sigma) = arow(&biased, 1.0);
    close(&run.path[0], &[3.0 / 27.0, 4.0 / 27.0, 1.0 / 27.0]);
    close(&sigma, &[18.0 / 27.0, 11.0 / 27.0, 26.0 / 27.0]);
    // Margin perceptron with b = 30: 0 → (3,4), 25 ≤ 30 → again with η₂, then 25(1 + η₂) > 30.
    let task = Task::new(&data, &[0, 0, 0]);
    let run = margin_perceptron(&task, 30.0, Rate::Inverse(1.0));
    assert_eq!(run.path, vectors(&[&[3.0, 4.0], &[4.5, 6.0], &[4.5, 6.0]]));
    assert_eq!((run.mistakes, run.updates), (vec![0], vec![0, 1]));
    let run = margin_perceptron(&task, 30.0, Rate::InverseSqrt(1.0));
    close(&run.path[1], &[3.0 + 3.0 / 2f64.sqrt(), 4.0 + 4.0 / 2f64.sqrt()]);
}

#[test]
fn alma_by_hand() {
    // α = 0.9: (1, 0), then (0, 1) has margin 0: w = (1, 0) + (√2/√2)(0, 1), projected; then both are far enough.
    let data = rows(&[(&[1.0, 0.0], 1.0), (&[0.0, 5.0], 1.0)]);
    let run = alma(&Task::new(&data, &[0, 1, 0, 1]), 0.9);
    assert_eq!((&run.mistakes[..], &run.updates[..]), (&[0, 1][..], &[0, 1][..]));
    close(&run.path[0], &[1.0, 0.0]);
    close(&run.path[3], &[0.5f64.sqrt(), 0.5f64.sqrt()]);
    // α = 0.6: margin 1 ≤ (2/3)√8/√k for k ≤ 3: three corrections, though the projection undoes the last two.
    let run = alma(&Task::new(&data, &[0; 6]), 0.6);
    assert_eq!((&run.mistakes[..], &run.updates[..]), (&[0][..], &[0, 1, 2][..]));
    close(&run.path[5], &[1.0, 0.0]);
}

#[test]
fn a_zero_row_moves_nothing() {
    let data = rows(&[(&[0.0, 0.0], 1.0), (&[1.0, 0.0], 1.0)]);
    let order = [0, 1, 0];
    let task = Task::new(&data, &order);
    let runs = [
        unit(&task),
        margin_perceptron(&task, 0.5, Rate::Constant(1.0)),
        passive_aggressive(&task, Pa::Hard),
        passive_aggressive(&task, Pa::Soft(1.0)),
        arow(&task, 1.0).0,
        alma(&task, 0.9),
    ];
    for run in runs {
        assert_eq!((run.mistakes, run.updates), (vec![0, 1, 2], vec![1]));
        assert!(run.path.concat().iter().all(|w| w.is_finite()));
    }
}

#[test]
fn batch_steps_by_hand() {
    let data = cmu();
    let task = Task::new(&data, &[]);
    // At 0 all six are wrong: Σ y x = (6, 0); at (6, 0) all six are right.
    let run = batch_perceptron(&task, 9, 1.0, Batch::Sum, 0.0);
    assert_eq!(run.path, vectors(&[&[6.0, 0.0], &[6.0, 0.0]]));
    assert_eq!(run.mistakes, [vec![0, 1, 2, 3, 4, 5], vec![]]);
    assert_eq!(run.stop, BatchStop::Separated);
    let run = batch_perceptron(&task, 9, 0.5, Batch::Mean, 0.0);
    assert_eq!(run.path, vectors(&[&[0.5, 0.0], &[0.5, 0.0]]));
    assert_eq!(batch_perceptron(&task, 9, 0.5, Batch::Mean, 0.6).stop, BatchStop::SmallStep);
    assert_eq!(batch_perceptron(&task, 1, 0.5, Batch::Mean, 0.0).stop, BatchStop::Passes);
    // XOR in ±1 coding: all wrong at 0, Σ y x = 0, no step at all.
    let xor = boolean(-1.0, XOR, false);
    let run = batch_perceptron(&Task::new(&xor, &[]), 5, 1.0, Batch::Sum, 1e-9);
    assert_eq!((run.path, run.stop), (vectors(&[&[0.0, 0.0, 0.0]]), BatchStop::SmallStep));
}

#[test]
fn multi_class_steps_by_hand() {
    let data = vec![(vec![1.0, 2.0], 1)];
    let task = MultiTask::new(&data, 3, &[0]);
    // All scores 0: the worst wrong class is 0, the lowest index.
    let max = vectors(&[&[-1.0, -2.0], &[1.0, 2.0], &[0.0, 0.0]]);
    let all = vectors(&[&[-0.5, -1.0], &[1.0, 2.0], &[-0.5, -1.0]]);
    for tie in TIES {
        let task = MultiTask { tie, ..task };
        assert_eq!(multi_perceptron(&task, Rate::Constant(1.0)).path[0], max);
        assert_eq!(multi_uniform(&task, Rate::Constant(1.0)).path[0], all);
    }
    assert_eq!(multi_passive_aggressive(&task, Pa::Hard).path[0].concat(), times(0.1, &max.concat()));
    let (run, sigma) = multi_arow(&task, 1.0);
    close(&run.path[0].concat(), &times(1.0 / 11.0, &max.concat()));
    close(&sigma.concat(), &[10.0 / 11.0, 7.0 / 11.0, 10.0 / 11.0, 7.0 / 11.0, 1.0, 1.0]);
    let heavy = MultiTask { weights: Some(&[2.0]), ..task };
    close(&multi_arow(&heavy, 1.0).0.path[0].concat(), &times(1.0 / 10.5, &max.concat()));
    // Class 0 wins ties: at W = 0 an example of class 0 is a mistake under Tie::Update only.
    let data = vec![(vec![1.0, 2.0], 0)];
    for tie in TIES {
        let task = MultiTask { tie, ..MultiTask::new(&data, 3, &[0]) };
        let run = multi_perceptron(&task, Rate::Constant(1.0));
        assert_eq!(run.mistakes.len(), usize::from(tie == Tie::Update));
    }
    assert_eq!(kesler(&[1.0, 2.0], 3, 2, 0), [-1.0, -2.0, 0.0, 0.0, 1.0, 2.0]);
    let task = MultiTask { bias: true, ..MultiTask::new(&data, 3, &[0]) };
    let runs = one_vs_rest(&task, unit);
    let ends: Vec<Vec<f64>> = runs.iter().map(|run| run.path[0].clone()).collect();
    assert_eq!(ends, vectors(&[&[1.0, 2.0, 1.0], &[-1.0, -2.0, -1.0], &[-1.0, -2.0, -1.0]]));
}

#[test]
fn split_mix_64_gives_its_published_numbers() {
    let mut random = SplitMix64(1_234_567);
    let first: Vec<u64> = (0..5).map(|_| random.next()).collect();
    let known = [
        6_457_827_717_110_365_317,
        3_203_168_211_198_807_973,
        9_817_491_932_198_370_423,
        4_593_380_528_125_082_431,
        16_408_922_859_458_223_821,
    ];
    assert_eq!(first, known);
}
