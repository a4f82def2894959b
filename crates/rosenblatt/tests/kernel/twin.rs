//! The blocked learner makes the mistakes of its naive twin, one by one, and has its scores to the last bit.

use rosenblatt::fit::{Data, With};
use rosenblatt::learn::AnyLearner;
use rosenblatt::learn::keep::KeepKind;
use rosenblatt::learn::kernel::{Apart, Biased, Dual, Joint, Kernel, Reading};
use rosenblatt::learn::learners::{Multiclass, Perceptron};
use rosenblatt::learn::machine::{Binary, Single, Spread, Tie};
use rosenblatt::random::Stream;
use rosenblatt::rows::{AnyRows, DenseRows, Examples};
use rosenblatt::{Order, Trainer};

use crate::common::{KINDS, Store, same_bits, sparse_table, table};
use crate::naive::{self, Machine};
use crate::{circles, trainer};

const KERNELS: [&str; 6] = ["linear", "poly:1:1", "poly:2:1", "poly:4:1", "poly:2:0", "rbf:0.3"];

/// Passes of more than a block, each in another order, one of them with examples that come twice.
fn passes(n: usize) -> Vec<Vec<u32>> {
    let mut passes: Vec<Vec<u32>> = (0..3).map(|_| (0..n as u32).collect()).collect();
    Stream::new(5, &[]).shuffle(&mut passes[1]);
    passes[2].extend((0..n as u32).step_by(3));
    Stream::new(6, &[]).shuffle(&mut passes[2]);
    passes
}

/// The learner for two classes, or three in two ways.
fn learner(kernel: &str, bias: bool, machine: &Machine, features: usize) -> Box<dyn AnyLearner> {
    let k = Biased::new(kernel.parse().unwrap(), bias);
    let (rule, keep, tie) = (Box::new(Perceptron::new(1.0)), KeepKind::Last, Tie::Update);
    match *machine {
        Machine::Binary => Box::new(Dual::new(k, Joint::new(Binary::new(tie)), rule, keep, tie, features)),
        Machine::OneVsRest(n) => Box::new(Dual::new(k, Apart::new(n, tie), rule, keep, tie, features)),
        Machine::Single(n) => {
            let judge = Joint::new(Single::new(n, Spread::Worst, tie));
            Box::new(Dual::new(k, judge, rule, keep, tie, features))
        }
    }
}

#[test]
fn mistake_by_mistake_and_bit_by_bit() {
    for (machine, classes) in [(Machine::Binary, 2), (Machine::OneVsRest(3), 3), (Machine::Single(3), 3)] {
        for whole in [true, false] {
            let (rows, labels) = circles(3, 700, 3, classes, whole);
            let store = Store::new(&rows);
            let class_numbers: Vec<u32> = labels.iter().map(|&c| c as u32).collect();
            let passes = passes(rows.len());
            let order: Vec<usize> = passes.concat().iter().map(|&i| i as usize).collect();
            for kernel in KERNELS {
                let told = naive::train(&rows, &labels, &order, &machine, naive::kernel(kernel, true));
                let expected: Vec<u32> = told.mistakes.clone();
                for kind in KINDS.into_iter().filter(|kind| store.holds(*kind)) {
                    let examples = Examples::new(store.rows(kind), &class_numbers, None).unwrap();
                    let mut learner = learner(kernel, true, &machine, 3);
                    learner.attend(examples).unwrap();
                    let mut found = Vec::new();
                    for pass in &passes {
                        // In pieces of many sizes: blocks must not show.
                        for some in pass.chunks(600) {
                            let mut failures = vec![0; rows.len()];
                            learner.run(examples, some, Some(&mut failures));
                            found.push(failures);
                        }
                    }
                    let mut at = 0;
                    for (some, failures) in passes.iter().flat_map(|p| p.chunks(600)).zip(found) {
                        let mut by_example = vec![0; rows.len()];
                        for &i in some {
                            by_example[i as usize] += u32::from(expected[at] > 0);
                            at += 1;
                        }
                        assert_eq!(failures, by_example, "{kernel} {kind:?} {classes} classes");
                    }
                    let outputs = if classes == 2 { 1 } else { classes };
                    let model = learner.hypothesis();
                    // The last vector as coefficients: sums by support vector, so bits only where nothing rounds.
                    if whole && !kernel.starts_with("rbf") {
                        let scores = model.score_all(store.rows(kind), Tie::Update).unwrap();
                        for (x, scores) in rows.iter().zip(scores.chunks(outputs)) {
                            let twin = naive::scores(&told.updates, outputs, x, &naive::kernel(kernel, true));
                            assert!(same_bits(scores, &twin), "{kernel} {kind:?}");
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn every_reading_is_what_its_table_says() {
    let (rows, labels) = circles(8, 150, 2, 3, true);
    let classes: Vec<u32> = labels.iter().map(|&c| c as u32).collect();
    let flat = rows.concat();
    let view = AnyRows::DenseF64(DenseRows::new(&flat, 2).unwrap());
    let examples = Examples::new(view, &classes, None).unwrap();
    let k = Biased::new("poly:2".parse().unwrap(), false);
    let mut learner =
        Dual::new(k, Apart::new(3, Tie::Update), Box::new(Perceptron::new(1.0)), KeepKind::Vote, Tie::Update, 2);
    learner.attend(examples).unwrap();
    let order: Vec<u32> = (0..150).collect();
    (0..2).for_each(|_| {
        learner.present(examples, &order, None);
    });
    let twice: Vec<usize> = (0..2).flat_map(|_| 0..150).collect();
    let told = naive::train(&rows, &labels, &twice, &Machine::OneVsRest(3), naive::kernel("poly:2:1", false));
    let readings = [
        Reading::Last { normalised: false },
        Reading::Last { normalised: true },
        Reading::Average { normalised: false },
        Reading::Average { normalised: true },
        Reading::Vote,
    ];
    let found = learner.reader().scores(view, &readings);
    let kernel = naive::kernel("poly:2:1", false);
    for (i, x) in rows.iter().enumerate().step_by(7) {
        for l in 0..3 {
            // Every vector of output l with its lifetime, length and score, the zero vector first.
            let mine: Vec<&naive::Update> = told.updates.iter().filter(|u| u.moves.iter().any(|m| m.0 == l)).collect();
            let (mut sums, mut total) = ([0.0; 5], 0.0);
            for j in 0..=mine.len() {
                let born = if j == 0 { 1 } else { mine[j - 1].time };
                let gone = mine.get(j).map_or(301, |u| u.time);
                let lived = (gone - born) as f64;
                let scale = |u: &naive::Update| u.moves.iter().find(|m| m.0 == l).unwrap().1;
                let s: f64 = mine[..j].iter().map(|u| scale(u) * kernel(&u.x, x)).sum();
                let mut sq = 0.0;
                for a in &mine[..j] {
                    for b in &mine[..j] {
                        sq += scale(a) * scale(b) * kernel(&a.x, &b.x);
                    }
                }
                let unit = if sq > 0.0 { s / sq.sqrt() } else { 0.0 };
                sums = [
                    s,
                    unit,
                    sums[2] + lived * s,
                    sums[3] + lived * unit,
                    sums[4] + lived * if s >= 0.0 { 1.0 } else { -1.0 },
                ];
                total += lived;
            }
            assert_eq!(total, 300.0);
            let expected = [sums[0], sums[1], sums[2] / 300.0, sums[3] / 300.0, sums[4]];
            for (r, expected) in expected.into_iter().enumerate() {
                let found = found[r][i * 3 + l];
                assert!(
                    (found - expected).abs() <= 1e-9 * expected.abs().max(1.0),
                    "{:?}: {found}, {expected}",
                    readings[r]
                );
            }
        }
    }
}

#[test]
fn a_random_vector_is_drawn_by_its_votes() {
    let rows = [vec![1.0], vec![-1.0]];
    let flat = rows.concat();
    let view = AnyRows::DenseF64(DenseRows::new(&flat, 1).unwrap());
    let examples = Examples::new(view, &[1, 0], None).unwrap();
    let k = Biased::new("linear".parse().unwrap(), false);
    let judge = Joint::new(Binary::new(Tie::Update));
    let mut learner = Dual::new(k, judge, Box::new(Perceptron::new(1.0)), KeepKind::Last, Tie::Update, 1);
    // One update at time 1: the vector 1 has all the votes, and every draw is it.
    learner.present(examples, &[0, 1, 0, 1], None);
    let many = vec![1.0; 500];
    let many = AnyRows::DenseF64(DenseRows::new(&many, 1).unwrap());
    let drawn = learner.reader().scores(many, &[Reading::Random { normalised: false, seed: 3 }]);
    assert!(drawn[0].iter().all(|&s| s == 1.0));
    // A second vector made by the last of eight examples has one vote of eight.
    let far = [1.0, 3.0];
    let rows = AnyRows::DenseF64(DenseRows::new(&far, 1).unwrap());
    let examples = Examples::new(rows, &[1, 0], None).unwrap();
    let mut learner = Dual::new(
        k,
        Joint::new(Binary::new(Tie::Update)),
        Box::new(Perceptron::new(1.0)),
        KeepKind::Last,
        Tie::Update,
        1,
    );
    learner.present(examples, &[0, 0, 0, 0, 0, 0, 0, 1], None);
    let drawn = learner.reader().scores(many, &[Reading::Random { normalised: false, seed: 3 }]);
    let last = drawn[0].iter().filter(|&&s| s == -2.0).count();
    assert!((40..90).contains(&last), "62 expected of 500, a standard deviation of 7: {last}");
}

#[test]
fn dense_and_sparse_and_any_number_of_threads_write_the_same_bytes() {
    let (rows, labels) = circles(4, 1500, 5, 3, false);
    for (learner, kernel) in [("voted", "poly:3"), ("averaged", "rbf:0.5"), ("perceptron", "linear"), ("pa1", "poly:2")]
    {
        for multiclass in [Multiclass::Single, Multiclass::OneVsRest] {
            let trainer = trainer(learner, kernel).multiclass(multiclass).epochs(3);
            let bytes = |threads: usize, table: &rosenblatt::Table| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| {
                    let fitted = trainer.fit(table).unwrap();
                    (fitted.model.to_bytes(), format!("{:?}", fitted.report))
                })
            };
            let one = bytes(1, &table(&rows, &labels));
            assert_eq!(one, bytes(2, &table(&rows, &labels)), "{learner} {kernel}");
            assert_eq!(one, bytes(7, &sparse_table(&rows, &labels)), "{learner} {kernel}");
        }
    }
}

#[test]
fn resuming_anywhere_gives_the_same_bytes() {
    let (rows, labels) = circles(9, 900, 4, 3, false);
    let table = table(&rows, &labels);
    for (learner, kernel) in [("voted", "poly:2"), ("averaged", "rbf:0.5")] {
        let long = |epochs| trainer(learner, kernel).order(Order::Shuffled { seed: 2 }).epochs(epochs);
        let whole = long(4).fit(&table).unwrap();
        let half: Trainer = long(2);
        let paused = half.fit(&table).unwrap().checkpoint.unwrap();
        let read = rosenblatt::fit::Checkpoint::from_bytes("paused", &paused.to_bytes()).unwrap();
        let resumed =
            read.trainer(4).fit_with(Data::Table(&table), With { resume: Some(&read), ..With::default() }).unwrap();
        assert_eq!(resumed.model.to_bytes(), whole.model.to_bytes(), "{learner} {kernel}");
    }
}

/// The kernel of the documentation: any function of product and lengths will do.
struct Cosine;

impl Kernel for Cosine {
    fn value(&self, dot: f64, sq_x: f64, sq_y: f64) -> f64 {
        if dot == 0.0 { 0.0 } else { dot / (sq_x * sq_y).sqrt() }
    }
}

#[test]
fn ones_own_kernel_learns() {
    let rows = [vec![1.0, 2.0], vec![30.0, 61.0], vec![-2.0, 1.0], vec![-50.0, 20.0]];
    let flat = rows.concat();
    let view = AnyRows::DenseF64(DenseRows::new(&flat, 2).unwrap());
    let examples = Examples::new(view, &[1, 1, 0, 0], None).unwrap();
    let judge = Joint::new(Binary::new(Tie::Update));
    let mut learner = Dual::new(Cosine, judge, Box::new(Perceptron::new(1.0)), KeepKind::Last, Tie::Update, 2);
    learner.attend(examples).unwrap();
    let order = [0, 1, 2, 3];
    while learner.present(examples, &order, None).mistakes > 0 {}
    let scores = learner.reader().scores(view, &[Reading::Last { normalised: false }]);
    assert!(scores[0][..2].iter().all(|&s| s > 0.0) && scores[0][2..].iter().all(|&s| s < 0.0));
}
