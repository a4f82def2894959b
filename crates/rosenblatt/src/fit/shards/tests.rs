//! Mixing against a naive twin, against its theorem, and through bytes.

use std::ops::ControlFlow;

use proptest::prelude::*;

use super::{Delta, FAN, Mixing, Mixture, Rounds, Shards};
use crate::error::Result;
use crate::fit::{Fitted, Order, Trainer};
use crate::learn::Stop;
use crate::learn::keep::KeepKind;
use crate::learn::learners::{self, Multiclass};
use crate::random::Stream;
use crate::rows::{Matrix, Table};

/// Random rows of a plane with a margin for two classes, or of classes that overlap.
fn random_table(seed: u64, rows: usize, features: usize, classes: usize, margin: f64) -> Table {
    let mut stream = Stream::new(seed, &[]);
    let mut draw = || 2.0 * stream.unit() - 1.0;
    let planted: Vec<Vec<f64>> = (0..classes).map(|_| (0..features).map(|_| draw()).collect()).collect();
    let (mut points, mut labels): (Vec<Vec<f64>>, Vec<String>) = (Vec::new(), Vec::new());
    // Every class occurs: the last rows are drawn until they are of those that are missing.
    let is_missing = |labels: &[String]| (0..classes).find(|k| !labels.contains(&format!("c{k}")));
    let mut tries = 0;
    while points.len() < rows {
        tries += 1;
        if tries > 100 * rows {
            // A class that hardly ever wins.
            return random_table(seed + 1000, rows, features, classes, margin);
        }
        let x: Vec<f64> = (0..features).map(|_| draw()).collect();
        let scores: Vec<f64> = planted.iter().map(|u| u.iter().zip(&x).map(|(u, x)| u * x).sum()).collect();
        let best = (0..classes).max_by(|&a, &b| scores[a].total_cmp(&scores[b])).unwrap();
        let second = (0..classes).filter(|&k| k != best).map(|k| scores[k]).fold(f64::NEG_INFINITY, f64::max);
        let wanted = if rows - points.len() > classes { None } else { is_missing(&labels) };
        if scores[best] - second > margin && wanted.is_none_or(|class| class == best) {
            points.push(x);
            labels.push(format!("c{best}"));
        }
    }
    Table::dense(&points, &labels).unwrap()
}

fn fit(trainer: &Trainer, table: &Table, shards: u32, mixing: Mixing) -> Result<(Fitted, Rounds)> {
    let shards = Shards { mixing, ..Shards::new(shards) };
    trainer.fit_shards(&trainer.prepare(table)?, shards, &mut |_| Ok(ControlFlow::Continue(())))
}

/// The rows of each shard, as tables.
fn cut(table: &Table, shards: usize) -> Vec<Table> {
    let at = |i: usize| (i * table.classes.len() / shards) as u32;
    (0..shards).map(|i| table.select(&(at(i)..at(i + 1)).collect::<Vec<_>>())).collect()
}

fn begin(trainer: &Trainer, table: &Table, shards: u32, mixing: Mixing) -> Mixture {
    let mut counts = vec![0; table.labels.len()];
    table.classes.iter().for_each(|&class| counts[class as usize] += 1);
    Mixture::begin(trainer, mixing, shards, table.labels.clone(), table.schema.clone(), &counts).unwrap()
}

/// One round in memory.
fn round(mixture: &mut Mixture, parts: &[Table]) {
    let deltas = (0..).zip(parts).map(|(i, part)| mixture.local_round(i, part.examples().unwrap(), &mut ()).unwrap());
    let deltas: Vec<Delta> = deltas.collect();
    mixture.mix(deltas).unwrap();
}

const MIXED: [&str; 7] = ["perceptron", "averaged", "margin", "pa", "pa1", "pa2", "arow"];

#[test]
fn one_shard_is_a_training_without_shards() {
    for (classes, multiclass) in [(2, Multiclass::Single), (3, Multiclass::Single), (3, Multiclass::OneVsRest)] {
        let mut table = random_table(1, 200, 4, classes, 0.0);
        // Not separable, so that both end by the number of passes.
        (0..60).for_each(|i| table.classes[i] = (table.classes[i] + 1) % classes as u32);
        for learner in MIXED {
            for order in [Order::Cyclic, Order::Shuffled { seed: 5 }] {
                let trainer = Trainer::new(learner).epochs(4).order(order).multiclass(multiclass);
                let plain = trainer.fit(&table).unwrap();
                for &mixing in Mixing::ALL {
                    let (sharded, _) = fit(&trainer, &table, 1, mixing).unwrap();
                    assert_eq!(sharded.model.to_bytes(), plain.model.to_bytes(), "{learner} {classes} {multiclass:?}");
                    assert_eq!(sharded.report.train_error, plain.report.train_error);
                }
            }
        }
    }
}

fn row(table: &Table, i: usize) -> Vec<f64> {
    let Matrix::Dense(matrix) = &table.matrix else { unreachable!("made of dense rows") };
    matrix.values[i * matrix.features..][..matrix.features].to_vec()
}

/// The formulas as a textbook writes them: w of each shard on plain vectors, two classes, no bias, in the order of the rows.
/// Returns the mixed weights, the mean of the weights after every example, and Σμk of each round. With momentum a round starts
/// from w + (1 − 1/S)(w − w of the round before): the examples here are short of the bound.
fn naive(parts: &[Table], mixing: Mixing, rounds: usize) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
    let features = parts[0].matrix.features();
    let (mut mixed, mut sum, mut count) = (vec![0.0; features], vec![0.0; features], 0.0);
    let (mut weighted, mut before) = (Vec::new(), mixed.clone());
    let ahead = if mixing == Mixing::Momentum { 1.0 - 1.0 / parts.len() as f64 } else { 0.0 };
    for _ in 0..rounds {
        let mut ends = Vec::new();
        let start: Vec<f64> = mixed.iter().zip(&before).map(|(w, old)| w + ahead * (w - old)).collect();
        for part in parts {
            let (mut w, mut mistakes) = (start.clone(), 0.0);
            for (i, &class) in part.classes.iter().enumerate() {
                let x = row(part, i);
                let y = if class == 1 { 1.0 } else { -1.0 };
                if y * w.iter().zip(&x).map(|(w, x)| w * x).sum::<f64>() <= 0.0 {
                    mistakes += 1.0;
                    w.iter_mut().zip(&x).for_each(|(w, x)| *w += y * x);
                }
                sum.iter_mut().zip(&w).for_each(|(s, w)| *s += w);
                count += 1.0;
            }
            ends.push((w, mistakes));
        }
        let weight = |mistakes: f64| if mixing == Mixing::Errors { mistakes } else { 1.0 };
        let total: f64 = ends.iter().map(|(_, k)| weight(*k)).sum();
        if total > 0.0 {
            before = std::mem::take(&mut mixed);
            mixed = (0..features).map(|j| ends.iter().map(|(w, k)| weight(*k) / total * w[j]).sum()).collect();
        }
        let all = if total > 0.0 { ends.iter().map(|(_, k)| weight(*k) / total * k).sum() } else { 0.0 };
        weighted.push(all);
        if ends.iter().all(|(_, k)| *k == 0.0) {
            break;
        }
    }
    (mixed, sum.iter().map(|s| s / count).collect(), weighted)
}

fn close(a: &[f64], b: &[f64]) -> bool {
    let scale = b.iter().fold(1.0f64, |m, v| m.max(v.abs()));
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-9 * scale)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn mixing_is_what_the_paper_says(seed in 0u64..1000, shards in 2usize..12, rounds in 1usize..6, how in 0usize..3) {
        let mixing = Mixing::ALL[how];
        let table = random_table(seed, 60, 3, 2, 0.0);
        let (last, mean, weighted) = naive(&cut(&table, shards), mixing, rounds);
        for (keep, expected) in [(KeepKind::Last, &last), (KeepKind::Average, &mean)] {
            let trainer = Trainer::new("perceptron").keep(keep).bias(false).order(Order::Cyclic).epochs(rounds as u32);
            let (fitted, report) = fit(&trainer, &table, shards as u32, mixing).unwrap();
            let w = fitted.model.hypothesis.summed();
            prop_assert!(close(w.values(), expected), "{:?} {expected:?}", w.values());
            prop_assert!(close(&report.mixed_mistakes, &weighted));
        }
    }

    /// Σₙ Σᵢ μᵢₙkᵢₙ ≤ R²/γ², and what follows from it, with the margin of a planted vector and that of the report.
    #[test]
    fn the_theorem_holds(seed in 0u64..1000, shards in 1u32..10, classes in 2usize..4, how in 0usize..3,
                         rate in 0usize..2) {
        let mixing = Mixing::ALL[how];
        let table = random_table(seed, 80, 3, classes, 0.1);
        let trainer = Trainer::new("perceptron").epochs(50_000).set("rate", ["1", "0.125"][rate]);
        let mut progress = 0.0;
        let (fitted, rounds) = trainer
            .fit_shards(&trainer.prepare(&table).unwrap(), Shards { mixing, ..Shards::new(shards) }, &mut |mixture| {
                progress = mixture.momentum.as_ref().map_or(0.0, |momentum| momentum.progress);
                Ok(ControlFlow::Continue(()))
            })
            .unwrap();
        prop_assert_eq!(fitted.report.stopped, Stop::Separated);
        prop_assert_eq!(fitted.report.train_error, Some(0.0));
        let bound = rounds.bound.unwrap();
        let exact = 1.0 + 1e-9;
        prop_assert!(rounds.mixed_mistakes_in_all <= bound * exact, "{rounds:?}");
        let mistakes: u64 = rounds.mistakes.iter().flatten().sum();
        let with_mistakes = rounds.mistakes.iter().filter(|each| each.iter().any(|&k| k > 0)).count();
        prop_assert!(progress <= bound * exact, "P = {progress}, {rounds:?}");
        match mixing {
            Mixing::Momentum | Mixing::Uniform => prop_assert!(mistakes as f64 <= f64::from(shards) * bound * exact),
            Mixing::Errors => prop_assert!(with_mistakes as f64 <= bound * exact),
        }
    }

    /// Through bytes, from a state read back, in any order of the shards, with sums made by others: the same bytes.
    #[test]
    fn bytes_and_trees_change_nothing(seed in 0u64..1000, shards in 1usize..20, how in 0usize..3, learner in 0usize..7,
                                      classes in 2usize..4) {
        let mixing = Mixing::ALL[how];
        let table = random_table(seed, 90, 3, classes, 0.0);
        let (parts, trainer) = (cut(&table, shards), Trainer::new(MIXED[learner]).epochs(3));
        let mut here = begin(&trainer, &table, shards as u32, mixing);
        let mut bytes = here.to_bytes();
        for _ in 0..3 {
            round(&mut here, &parts);
            let driver = Mixture::from_bytes("state", &bytes).unwrap();
            let there = Mixture::from_bytes("state", &driver.to_task_bytes()).unwrap();
            let mut reports: Vec<(usize, Vec<u8>)> = (0..shards).rev().map(|i| {
                let examples = parts[i].examples().unwrap();
                (i, there.local_round(i as u32, examples, &mut ()).unwrap().to_bytes())
            }).collect();
            reports.sort();
            let deltas: Vec<Delta> = reports.iter().map(|(_, b)| Delta::from_bytes("report", b).unwrap()).collect();
            let sums = deltas.chunks(FAN).map(|some| {
                let sum = Delta::sum(some.to_vec()).unwrap();
                Delta::from_bytes("sum", &sum.to_bytes()).unwrap()
            });
            let sums: Vec<Delta> = sums.collect();
            let mut again = Mixture::from_bytes("state", &bytes).unwrap();
            again.mix(sums).unwrap();
            bytes = again.to_bytes();
            prop_assert!(bytes == here.to_bytes());
            prop_assert_eq!(again.model().unwrap().to_bytes(), here.model().unwrap().to_bytes());
        }
    }

    #[test]
    fn broken_bytes_are_refused(at in 0usize..10_000, flip in 1u8..=255) {
        let table = random_table(2, 30, 3, 3, 0.0);
        let mut mixture = begin(&Trainer::new("averaged"), &table, 2, Mixing::Momentum);
        let parts = cut(&table, 2);
        let delta = mixture.local_round(0, parts[0].examples().unwrap(), &mut ()).unwrap().to_bytes();
        round(&mut mixture, &parts);
        for good in [mixture.to_bytes(), delta] {
            let mut bytes = good.clone();
            let at = at % bytes.len();
            bytes[at] ^= flip;
            prop_assert!(Mixture::from_bytes("broken", &bytes).is_err());
            prop_assert!(Delta::from_bytes("broken", &bytes).is_err());
            prop_assert!(Mixture::from_bytes("cut", &good[..at]).is_err());
        }
    }
}

/// By hand, with one feature: the next round starts ahead of the mean, and the model is the mean.
#[test]
fn momentum_starts_ahead_and_shows_the_mixed_weights() {
    let table = Table::dense(&[[3.0], [-1.0], [-4.0], [-1.0], [9.0]], &["b", "b", "b", "b", "a"]).unwrap();
    let parts = [table.select(&[0, 1]), table.select(&[2, 3])];
    let trainer = Trainer::new("perceptron").bias(false).order(Order::Cyclic);
    let mut mixture = begin(&trainer, &table, 2, Mixing::Momentum);
    // From 0: 3 and then 3 − 1 = 2; −4 and then −4. The mean is −1, and half of this change more is where round 2 starts.
    round(&mut mixture, &parts);
    assert_eq!(mixture.model().unwrap().hypothesis.summed().values(), [-1.0]);
    assert_eq!(mixture.checkpoint.learner.f64s("weights").unwrap(), [-1.5]);
    // From −1.5: 1.5 and then 0.5; −1.5 and then −1.5. The mean is −0.5, so v = 0.5.
    round(&mut mixture, &parts);
    assert_eq!(mixture.model().unwrap().hypothesis.summed().values(), [-0.5]);
    assert_eq!(mixture.checkpoint.learner.f64s("weights").unwrap(), [-0.25]);
    let mut sent = Mixture::from_bytes("state", &mixture.to_task_bytes()).unwrap();
    let deltas = (0..).zip(&parts).map(|(i, part)| sent.local_round(i, part.examples().unwrap(), &mut ()).unwrap());
    let deltas: Vec<Delta> = deltas.collect();
    assert!(sent.mix(deltas.clone()).unwrap_err().to_string().contains("only its driver can mix"));
    mixture.mix(deltas).unwrap();
}

#[test]
fn arow_is_mixed_uniformly() {
    let table = random_table(8, 60, 3, 2, 0.0);
    for learner in MIXED {
        let (_, rounds) = fit(&Trainer::new(learner).epochs(2), &table, 3, Mixing::Momentum).unwrap();
        assert_eq!(rounds.mixing == Mixing::Uniform, learner == "arow", "{learner}");
    }
}

/// Examples that point almost against each other: the mean of the shards is short and repeats itself, and without a check the
/// weights would become longer than the proof allows.
#[test]
fn momentum_is_less_where_the_bound_would_break() {
    let mut less = 0;
    for seed in 0..40 {
        let table = random_table(seed, 40, 2, 2, 0.01);
        let trainer = Trainer::new("perceptron").epochs(400).bias(false);
        let shards = Shards { mixing: Mixing::Momentum, ..Shards::new(20) };
        let done = trainer.fit_shards(&trainer.prepare(&table).unwrap(), shards, &mut |mixture| {
            let momentum = mixture.momentum.as_ref().unwrap();
            let sq_length: f64 = mixture.checkpoint.learner.f64s("weights")?.iter().map(|w| w * w).sum();
            assert!(sq_length <= mixture.sq_radius * momentum.progress * (1.0 + 1e-12), "{momentum:?}");
            less += usize::from(momentum.ahead < 0.95 && mixture.ended().is_none());
            Ok(ControlFlow::Continue(()))
        });
        done.unwrap();
    }
    assert!(less > 0, "no case needs the check");
}

#[test]
fn threads_change_nothing() {
    let table = random_table(3, 300, 5, 3, 0.0);
    let trainer = Trainer::new("averaged").epochs(3);
    let models: Vec<Vec<u8>> = [1, 2, 4]
        .map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| fit(&trainer, &table, 11, Mixing::Errors).unwrap().0.model.to_bytes())
        })
        .into();
    assert!(models[0] == models[1] && models[1] == models[2]);
}

#[test]
fn shards_without_examples_or_with_one_class_are_normal() {
    let table = random_table(4, 40, 3, 2, 0.2);
    let of = |class: u32| (0..40).filter(|&i| table.classes[i as usize] == class).collect::<Vec<u32>>();
    let (none, some) = (table.select(&[]), [table.select(&of(0)), table.select(&of(1))]);
    let trainer = Trainer::new("averaged");
    let mut two = begin(&trainer, &table, 2, Mixing::Momentum);
    let mut with_empty = begin(&trainer, &table, 3, Mixing::Momentum);
    for _ in 0..5 {
        round(&mut two, &some);
        round(&mut with_empty, &[some[0].clone(), some[1].clone(), none.clone()]);
    }
    assert_eq!(two.model().unwrap().to_bytes(), with_empty.model().unwrap().to_bytes(), "an empty shard has no weight");
    let mut nothing = begin(&trainer, &table, 2, Mixing::Uniform);
    let deltas = (0..2).map(|i| nothing.local_round(i, none.examples().unwrap(), &mut ()).unwrap()).collect();
    assert!(nothing.mix(deltas).unwrap_err().to_string().contains("weight zero"));
}

#[test]
fn weights_are_those_of_all_shards() {
    let mut table = random_table(5, 60, 3, 3, 0.0);
    table.weights = Some((0..60).map(|i| f64::from(i % 4)).collect());
    let trainer = Trainer::new("averaged").class_weights(crate::fit::ClassWeights::Balanced).epochs(2);
    let plain = trainer.fit(&table).unwrap();
    let (one, rounds) = fit(&trainer, &table, 1, Mixing::Uniform).unwrap();
    assert_eq!(one.model.to_bytes(), plain.model.to_bytes());
    assert_eq!(rounds.bound, None, "the theorem knows no weights");
    assert!(fit(&trainer, &table, 4, Mixing::Uniform).unwrap().0.report.presented == 90);
}

#[test]
fn wide_and_sparse_states_are_small() {
    const FEATURES: usize = 1 << 20;
    let rows: Vec<Vec<(u32, f64)>> = (0..64).map(|i| vec![(i * 16_001, 1.0), (i * 16_001 + 7, -2.0)]).collect();
    let labels: Vec<&str> = (0..64).map(|i| if i % 3 == 0 { "a" } else { "b" }).collect();
    let table = Table::sparse(FEATURES, &rows, &labels).unwrap();
    for learner in ["averaged", "arow"] {
        let mut mixture = begin(&Trainer::new(learner), &table, 4, Mixing::Momentum);
        let parts = cut(&table, 4);
        let delta = mixture.local_round(2, parts[2].examples().unwrap(), &mut ()).unwrap().to_bytes();
        round(&mut mixture, &parts);
        let state = mixture.to_bytes();
        assert!(delta.len() < 4_000 && state.len() < 8_000, "{learner}: {} {}", delta.len(), state.len());
        assert_eq!(Mixture::from_bytes("state", &state).unwrap(), mixture);
    }
}

#[test]
fn what_cannot_be_mixed_is_refused_with_a_reason() {
    let table = random_table(6, 20, 2, 2, 0.0);
    let refused = |trainer: Trainer| fit(&trainer, &table, 2, Mixing::Uniform).err().map(|e| e.to_string());
    for entry in learners::all() {
        let mixes = MIXED.contains(&entry.name);
        let said = refused(Trainer::new(entry.name));
        assert_eq!(said.is_none(), mixes, "{}: {said:?}", entry.name);
        assert!(said.is_none_or(|said| said.ends_with(": shards cannot be mixed") && said.len() > 40));
    }
    let reasons = [
        (Trainer::new("perceptron").set("schedule", "inverse"), "a rate that falls"),
        (Trainer::new("perceptron").keep(KeepKind::Vote), "have not survived the same examples"),
        (Trainer::new("averaged").keep(KeepKind::Pocket), "counts on all examples"),
        (Trainer::new("perceptron").order(Order::Given(vec![0])), "an order of all examples"),
    ];
    for (trainer, why) in reasons {
        let said = refused(trainer).unwrap();
        assert!(said.contains(why), "{said}");
    }
    assert!(fit(&Trainer::new("averaged"), &table, 21, Mixing::Uniform).is_err(), "more shards than examples");
}

/// Reports must be those of all shards in this round, once each and in order.
#[test]
fn reports_that_do_not_belong_are_refused() {
    let table = random_table(7, 40, 2, 2, 0.0);
    let (parts, mut mixture) = (cut(&table, 3), begin(&Trainer::new("averaged"), &table, 3, Mixing::Uniform));
    let made: Vec<Delta> =
        (0..).zip(&parts).map(|(i, p)| mixture.local_round(i, p.examples().unwrap(), &mut ()).unwrap()).collect();
    let pick = |which: &[usize]| which.iter().map(|&i| made[i].clone()).collect::<Vec<_>>();
    for wrong in [&[0, 1][..], &[0, 2, 1], &[0, 1, 1], &[0, 1, 2, 2], &[]] {
        assert!(mixture.clone().mix(pick(wrong)).is_err(), "{wrong:?}");
    }
    mixture.mix(pick(&[0, 1, 2])).unwrap();
    assert!(mixture.mix(pick(&[0, 1, 2])).is_err(), "a report of the round before");
    assert!(mixture.local_round(3, parts[0].examples().unwrap(), &mut ()).is_err(), "no such shard");
    let other = random_table(7, 40, 3, 2, 0.0);
    assert!(mixture.local_round(0, other.examples().unwrap(), &mut ()).is_err(), "rows of other features");
}
