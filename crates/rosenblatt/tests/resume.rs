//! Training that is paused anywhere and resumed gives the same model bytes.

mod common;
mod naive;

use std::ops::ControlFlow;

use rosenblatt::fit::{
    Borrowed, Checkpoint, ClassWeights, Data, Fitted, Now, Observer, OnlineTrainer, Order, Start, StopOnPlateau, With,
};
use rosenblatt::learn::keep::KeepKind;
use rosenblatt::learn::{AnyLearner, Progress, Stop};
use rosenblatt::rows::{Examples, Labels};
use rosenblatt::{ErrorKind, Model, Table, Trainer};

use common::{each_learner, nearly_separable, table, weights};
use naive::SplitMix64;

/// Breaks at the n-th call within passes, or at the n-th end of a pass.
struct Break {
    looks: usize,
    ends: usize,
}

impl Observer for Break {
    fn advanced(&mut self, now: &Now<'_>) -> ControlFlow<Stop> {
        assert!(now.progress.position <= now.total);
        self.looks = self.looks.saturating_sub(1);
        if self.looks == 0 { ControlFlow::Break(Stop::Interrupted) } else { ControlFlow::Continue(()) }
    }

    fn pass_ended(
        &mut self,
        progress: &Progress,
        _learner: &dyn AnyLearner,
        _failures: &[u32],
    ) -> rosenblatt::Result<ControlFlow<Stop>> {
        assert_eq!(progress.position, 0);
        self.ends = self.ends.saturating_sub(1);
        Ok(if self.ends == 0 { ControlFlow::Break(Stop::Interrupted) } else { ControlFlow::Continue(()) })
    }
}

/// The results of a training, as bytes and numbers.
fn whole(fitted: &Fitted) -> (Vec<u8>, Vec<u8>, &[u32]) {
    (fitted.model.to_bytes(), fitted.checkpoint.as_ref().unwrap().to_bytes(), &fitted.failures)
}

/// Stops where the observer breaks, resumes from the bytes of a checkpoint, and finishes.
fn paused(trainer: &Trainer, table: &Table, mut observer: Break) -> Fitted {
    let half = trainer.fit_with(Data::Table(table), With { observer: Some(&mut observer), ..With::default() }).unwrap();
    assert_eq!(half.report.stopped, Stop::Interrupted);
    let bytes = half.checkpoint.as_ref().unwrap().to_bytes();
    let checkpoint = Checkpoint::from_bytes("c", &bytes).unwrap();
    assert_eq!(checkpoint.to_bytes(), bytes);
    checkpoint
        .trainer(trainer.plan.epochs)
        .fit_with(Data::Table(table), With { resume: Some(&checkpoint), ..With::default() })
        .unwrap()
}

fn small(classes: usize) -> Table {
    let mut random = SplitMix64(11);
    let rows: Vec<Vec<f64>> = (0..40).map(|_| random.reals(5)).collect();
    let labels: Vec<usize> = (0..40).map(|i| if i < classes { i } else { random.below(classes) }).collect();
    table(&rows, &labels)
}

#[test]
fn training_3_passes_and_then_to_7_is_training_7_passes() {
    each_learner(|name, trainer, classes| {
        let table = small(classes);
        for order in [Order::Shuffled { seed: 4 }, Order::Cyclic, Order::Given(vec![3, 1, 4, 1, 5, 9, 2, 6])] {
            let trainer = trainer.clone().order(order);
            let at_once = trainer.clone().epochs(7).fit(&table).unwrap();
            let three = trainer.clone().epochs(3).fit(&table).unwrap();
            let checkpoint = Checkpoint::from_bytes("c", &three.checkpoint.as_ref().unwrap().to_bytes()).unwrap();
            assert_eq!(Some(&checkpoint), three.checkpoint.as_ref(), "{name}");
            let then = checkpoint
                .trainer(7)
                .fit_with(Data::Table(&table), With { resume: Some(&checkpoint), ..With::default() })
                .unwrap();
            assert_eq!(whole(&then), whole(&at_once), "{name}");
            assert_eq!(then.report, at_once.report, "{name}");
        }
    });
}

#[test]
fn stopping_within_a_pass_changes_nothing() {
    // Of 5,000 rows, calls come after 4,096 and 5,000: the second is at the end of the pass, before it is closed.
    let tables = [2, 3].map(|classes| {
        let (rows, labels) = nearly_separable(12, 5000, classes);
        table(&rows, &labels)
    });
    each_learner(|name, trainer, classes| {
        // Scoring thousands of rows by thousands of voters takes too long here: fewer learners, same code.
        let voted = trainer.recipe.keep().unwrap() == KeepKind::Vote;
        if voted && (trainer.recipe.learner != "voted" || classes == 3) {
            return;
        }
        let (table, trainer) = (&tables[classes - 2], trainer.order(Order::Shuffled { seed: 2 }).epochs(2));
        let at_once = trainer.fit(table).unwrap();
        for looks in [1, 2, 3] {
            let then = paused(&trainer, table, Break { looks, ends: usize::MAX });
            assert!(whole(&then) == whole(&at_once), "{name}, after look {looks}");
        }
    });
}

#[test]
fn stopping_between_passes_changes_nothing() {
    each_learner(|name, trainer, classes| {
        let (table, trainer) = (small(classes), trainer.epochs(5));
        let at_once = trainer.fit(&table).unwrap();
        assert_eq!(at_once.report.stopped, Stop::MaxEpochs, "{name}: the data are noisy");
        for ends in [1, 2, 4] {
            let then = paused(&trainer, &table, Break { looks: usize::MAX, ends });
            assert_eq!(whole(&then), whole(&at_once), "{name}, after pass {ends}");
        }
    });
}

#[test]
fn a_checkpoint_remembers_start_weights_ties_and_order() {
    let mut data = small(2);
    data.weights = Some((0..40).map(|i| [1.0, 2.0, 0.5, 0.0][i % 4]).collect());
    let start = weights(&[vec![1.0, -2.0, 0.5, 0.0, 3.0, -1.0]], true);
    let trainer = Trainer::new("averaged")
        .start(Start::At(start))
        .class_weights(ClassWeights::Given([("+".to_string(), 0.1), ("-".to_string(), 1.7)].into()))
        .tie(rosenblatt::learn::machine::Tie::Negative)
        .order(Order::Given((0..40).rev().collect()))
        .set("rate", "0.3")
        .epochs(6);
    let at_once = trainer.fit(&data).unwrap();
    let then = paused(&trainer, &data, Break { looks: usize::MAX, ends: 2 });
    assert_eq!(whole(&then), whole(&at_once));
    let balanced = trainer.class_weights(ClassWeights::Balanced).start(Start::Zero);
    let then = paused(&balanced, &data, Break { looks: 2, ends: usize::MAX });
    assert_eq!(whole(&then), whole(&balanced.fit(&data).unwrap()));
}

#[test]
fn a_finished_training_stays_finished() {
    let data = table(&[vec![1.0], vec![-1.0]], &[1, 0]);
    let done = Trainer::new("perceptron").epochs(5).fit(&data).unwrap();
    assert_eq!(done.report.stopped, Stop::Separated);
    let more = done
        .checkpoint
        .as_ref()
        .unwrap()
        .trainer(50)
        .fit_with(Data::Table(&data), With { resume: done.checkpoint.as_ref(), ..With::default() })
        .unwrap();
    assert_eq!(whole(&more), whole(&done));
}

#[test]
fn resuming_with_fewer_passes_than_done_does_nothing() {
    let data = small(2);
    let five = Trainer::new("averaged").epochs(5).fit(&data).unwrap();
    let three = five
        .checkpoint
        .as_ref()
        .unwrap()
        .trainer(3)
        .fit_with(Data::Table(&data), With { resume: five.checkpoint.as_ref(), ..With::default() })
        .unwrap();
    assert_eq!((three.report.epochs, three.report.stopped), (5, Stop::MaxEpochs));
    assert_eq!(whole(&three), whole(&five));
}

#[test]
fn a_checkpoint_is_refused_on_other_data() {
    let half = Trainer::new("averaged").epochs(2).fit(&small(2)).unwrap().checkpoint.unwrap();
    let fewer = table(&[vec![1.0; 5], vec![2.0; 5]], &[1, 0]);
    for other in [small(3), fewer] {
        let error = half
            .trainer(4)
            .fit_with(Data::Table(&other), With { resume: Some(&half), ..With::default() })
            .map(|_| ())
            .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Model);
        assert!(error.to_string().contains("other data"), "{error}");
    }
}

#[test]
fn models_and_checkpoints_are_distinguished() {
    let fitted = Trainer::new("averaged").epochs(2).fit(&small(2)).unwrap();
    let error = Checkpoint::from_bytes("file", &fitted.model.to_bytes()).map(|_| ()).unwrap_err();
    assert!(error.to_string().contains("finished model"), "{error}");
    let error = Model::from_bytes("file", &fitted.checkpoint.as_ref().unwrap().to_bytes()).map(|_| ()).unwrap_err();
    assert!(error.to_string().contains("a checkpoint, not a model"), "{error}");
    assert_eq!(error.place().map(|p| p.file.as_str()), Some("file"));
}

/// The rows of a table from `from` to before `to`.
fn part(table: &Table, from: usize, to: usize) -> Examples<'_> {
    Examples::new(table.matrix.rows().unwrap().slice(from..to), &table.classes[from..to], None).unwrap()
}

/// An online trainer, restored from the bytes of its checkpoint.
fn again(online: &OnlineTrainer, trainer: &Trainer) -> OnlineTrainer {
    let checkpoint = Checkpoint::from_bytes("c", &online.checkpoint().to_bytes()).unwrap();
    let (batches, counts) = online.history();
    OnlineTrainer::resume(trainer.clone(), &checkpoint, batches, counts).unwrap()
}

#[test]
fn batches_equal_one_pass_wherever_they_are_cut() {
    each_learner(|name, trainer, classes| {
        // A pocket scores all examples, and a batch perceptron steps after all of them.
        if trainer.recipe.keep().unwrap() == KeepKind::Pocket || trainer.recipe.learner == "batch" {
            return;
        }
        let (table, trainer) = (small(classes), trainer.order(Order::Cyclic).epochs(1));
        let whole = trainer.fit(&table).unwrap();
        let mut online = OnlineTrainer::new(trainer.clone(), table.labels.clone(), table.schema.clone()).unwrap();
        for (from, to) in [(0, 1), (1, 17), (17, 18), (18, 40)] {
            assert_eq!(online.learn(part(&table, from, to), &mut ()).unwrap(), None);
            online = again(&online, &trainer);
        }
        assert!(online.model().unwrap().to_bytes() == whole.model.to_bytes(), "{name}");
    });
}

#[test]
fn borrowed_rows_equal_a_table() {
    each_learner(|name, trainer, classes| {
        let table = small(classes);
        let borrowed = Borrowed { examples: table.examples().unwrap(), labels: &table.labels, schema: &table.schema };
        let there = trainer.fit_with(Data::Borrowed(borrowed), With::default()).unwrap();
        assert!(whole(&there) == whole(&trainer.fit(&table).unwrap()), "{name}");
    });
}

#[test]
fn a_new_class_keeps_the_differences_of_the_others() {
    each_learner(|name, trainer, classes| {
        let (table, trainer) = (small(classes), trainer.order(Order::Cyclic));
        let rows = table.matrix.rows().unwrap();
        let mut online = OnlineTrainer::new(trainer.clone(), table.labels.clone(), table.schema.clone()).unwrap();
        online.learn(part(&table, 0, 40), &mut ()).unwrap();
        let before = online.model().unwrap();
        // It is inserted between the others: class k becomes class k or k + 1.
        let mut names = table.labels.names().to_vec();
        names.insert(1, "late".into());
        if let Err(error) = online.admit(Labels::new(names)) {
            // A learner that is no rule may refuse, with its reason; these two must not.
            let may_refuse =
                !trainer.recipe.entry().unwrap().other_keeps && !name.contains("arow") && !name.contains("batch");
            assert!(
                may_refuse && error.to_string().contains("needs all classes before its first example"),
                "{name}: {error}"
            );
            return;
        }
        let after = online.model().unwrap();
        assert_eq!((after.labels.len(), after.hypothesis.outputs()), (classes + 1, classes + 1), "{name}");
        let place = |class: usize| class + usize::from(class > 0);
        let scores = after.score_all(rows).unwrap();
        let voted = trainer.recipe.keep().unwrap() == KeepKind::Vote;
        let old = before.score_all(rows).unwrap();
        for (new, old) in scores.chunks(classes + 1).zip(old.chunks(before.hypothesis.outputs())) {
            match *old {
                // Votes are counted differently for two classes: only the winner stays.
                [w] if voted => assert_eq!(new[place(1)] > new[place(0)], w > 0.0, "{name}"),
                [w] => {
                    let apart = trainer.recipe.multiclass == rosenblatt::learn::learners::Multiclass::OneVsRest;
                    let difference = (new[place(1)] - new[place(0)]) / if apart { 2.0 } else { 1.0 };
                    assert!((difference - w).abs() <= 1e-12 * (1.0 + w.abs()), "{name}: {difference} {w}");
                }
                _ => (0..classes).for_each(|k| assert_eq!(new[place(k)], old[k], "{name}")),
            }
        }
        // It can be learned: its own rows are predicted in the end.
        let late = Table { classes: vec![1; 40], ..small(classes) };
        let mut online = again(&online, &trainer);
        for _ in 0..50 {
            online.learn(part(&late, 0, 40), &mut ()).unwrap();
        }
        let answers = online.model().unwrap().classify_all(rows).unwrap();
        assert!(trainer.recipe.keep().unwrap() == KeepKind::Pocket || answers.iter().all(|&c| c == 1), "{name}");
    });
}

#[test]
fn training_stops_on_a_plateau() {
    let data = small(2);
    let trainer = Trainer::new("perceptron").epochs(1000);
    let (mut nobody, mut also) = ((), ());
    let mut settle = StopOnPlateau::new(0.0, 4, &mut nobody);
    let settled =
        trainer.fit_with(Data::Table(&data), With { observer: Some(&mut settle), ..With::default() }).unwrap().report;
    assert_eq!(settled.stopped, Stop::NoProgress);
    // Naively: the first pass after which four in a row were no better than the best before.
    let by_pass = trainer
        .fit_with(Data::Table(&data), With { observer: Some(&mut also), ..With::default() })
        .unwrap()
        .report
        .mistakes_by_epoch;
    let (mut best, mut waited, mut passes) = (u64::MAX, 0, 0);
    while waited < 4 {
        waited = if by_pass[passes] > best { waited + 1 } else { 0 };
        best = best.min(by_pass[passes]);
        passes += 1;
    }
    assert_eq!(settled.epochs as usize, passes);
}
