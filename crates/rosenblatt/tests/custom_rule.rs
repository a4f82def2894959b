//! A custom rule trains wherever the registry's rules do, and gives ordinary models.

use rosenblatt::fit::Checkpoint;
use rosenblatt::io::Input;
use rosenblatt::learn::keep::KeepKind;
use rosenblatt::learn::kernel::{Choice, Function};
use rosenblatt::learn::learners::Multiclass;
use rosenblatt::{Data, Judgement, Model, ParamValue, Rule, Table, Trainer, With};

/// The perceptron at rate 0.5 as a custom rule: it must equal the registry's, bit for bit.
#[derive(Clone)]
struct Mine {
    rate: f64,
}

impl Rule for Mine {
    fn tau(&self, seen: Judgement, _k: u64, _sq_len: impl FnOnce() -> f64) -> f64 {
        if seen.mistake { self.rate } else { 0.0 }
    }
}

fn rings(classes: usize) -> Table {
    let angle = |i: usize| i as f64 * 0.7;
    let rows: Vec<[f64; 3]> =
        (0..60).map(|i| [angle(i).sin(), (angle(i) * 1.3).cos(), (i % classes) as f64 - 0.8]).collect();
    let labels: Vec<String> = (0..60).map(|i| format!("c{}", (i * i + i / 7) % classes)).collect();
    Table::dense(&rows, &labels).unwrap()
}

#[test]
fn the_same_rule_gives_the_same_model_for_every_machine_and_keep() {
    for (classes, multiclass) in
        [(2, Multiclass::Single), (3, Multiclass::Single), (3, Multiclass::Uniform), (3, Multiclass::OneVsRest)]
    {
        for &keep in KeepKind::ALL {
            let table = rings(classes);
            let set = |trainer: Trainer| trainer.keep(keep).multiclass(multiclass).epochs(4).fit(&table).unwrap();
            let theirs = set(Trainer::new("perceptron").param("rate", 0.5));
            let mine = set(Trainer::with_rule("mine", Mine { rate: 0.5 }));
            assert_eq!(mine.model.hypothesis, theirs.model.hypothesis, "{classes} {multiclass:?} {keep:?}");
            assert_eq!(mine.model.facts.mistakes_by_epoch, theirs.model.facts.mistakes_by_epoch);
            assert_eq!(mine.model.facts.recipe.learner, "custom:mine");
            assert_eq!(mine.model.facts.recipe.keep, Some(keep));
            let read = |bytes: &[u8]| Model::from_bytes("mine", bytes).unwrap();
            assert_eq!(read(&mine.model.to_bytes()), mine.model);
        }
    }
}

#[test]
fn a_kernel_takes_a_custom_rule() {
    let table = rings(2);
    let with = |mut trainer: Trainer| {
        trainer.recipe.kernel = Some(Choice::new(Function::Rbf { gamma: 0.5 }));
        trainer.epochs(3).fit(&table).unwrap().model
    };
    let (mine, theirs) = (with(Trainer::with_rule("mine", Mine { rate: 1.0 })), with(Trainer::new("perceptron")));
    assert_eq!(mine.hypothesis, theirs.hypothesis);
    assert_eq!(Model::from_bytes("mine", &mine.to_bytes()).unwrap(), mine);
}

#[test]
fn a_checkpoint_resumes_with_the_rule_and_not_without_it() {
    let table = rings(3);
    let trainer = |epochs| Trainer::with_rule("mine", Mine { rate: 0.5 }).epochs(epochs);
    let paused = trainer(2).fit(&table).unwrap().checkpoint.unwrap();
    let paused = Checkpoint::from_bytes("paused", &paused.to_bytes()).unwrap();
    let resume = || With { resume: Some(&paused), ..With::default() };
    let resumed = trainer(5).fit_with(Data::Table(&table), resume()).unwrap();
    assert_eq!(resumed.model, trainer(5).fit(&table).unwrap().model);

    let without = paused.trainer(5).fit_with(Data::Table(&table), resume()).err().unwrap().to_string();
    assert_eq!(without, "\"custom:mine\" is a rule of the program that trained with it: only that one trains with it");
}

#[test]
fn parameters_of_a_custom_rule_are_stored_as_they_are() {
    let trainer = Trainer::with_rule("mine", Mine { rate: 0.1 }).param("rate", 0.1).param("why", "because");
    let model = trainer.fit(&rings(2)).unwrap().model;
    let params: Vec<_> = model.facts.recipe.params.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
    assert_eq!(params, [("rate", "0.1"), ("why", "because")]);
    assert_eq!(Model::from_bytes("mine", &model.to_bytes()).unwrap(), model);
}

#[test]
fn names_and_contradictions_are_refused() {
    let told = |trainer: Trainer| trainer.fit(&rings(2)).err().unwrap().to_string();
    for name in ["", "a b", "a\nb", &"x".repeat(65)] {
        let said = told(Trainer::with_rule(name, Mine { rate: 1.0 }));
        assert!(said.ends_with("a rule's name has 1 to 64 letters, digits, \"-\", \"_\" and \".\""), "{said}");
    }
    let mut both = Trainer::with_rule("mine", Mine { rate: 1.0 });
    both.recipe.learner = "averaged".into();
    assert_eq!(told(both), "a rule of your own and the learner \"averaged\": choose one");
    assert!(told(Trainer::new("custom:mine")).contains("only that one trains with it"));
}

#[test]
fn a_trainer_equals_its_clones_only() {
    let trainer = Trainer::with_rule("mine", Mine { rate: 1.0 });
    assert_eq!(trainer, trainer.clone());
    assert_ne!(trainer, Trainer::with_rule("mine", Mine { rate: 1.0 }));
    assert_ne!(trainer.clone().epochs(3), trainer);
}

#[test]
fn typed_parameters_are_written_so_that_they_read_back() {
    for value in [0.1, 1e-300, 12345.678, f64::MAX, 3.0] {
        assert_eq!(ParamValue::from(value).to_string().parse::<f64>().unwrap(), value);
    }
    assert_eq!(ParamValue::from(true).to_string(), "true");
    let refused = Trainer::new("perceptron").param("rate", -1).fit(&rings(2)).err().unwrap().to_string();
    assert_eq!(refused, "rate=-1: perceptron takes above 0 here (default 1)");
}

#[test]
fn a_step_of_nan_is_skipped() {
    #[derive(Clone)]
    struct Wild(f64);
    impl Rule for Wild {
        fn tau(&self, _seen: Judgement, _k: u64, _sq_len: impl FnOnce() -> f64) -> f64 {
            self.0
        }
    }
    for tau in [f64::NAN, -1.0] {
        let fitted = Trainer::with_rule("wild", Wild(tau)).epochs(2).fit(&rings(2)).unwrap();
        assert_eq!(fitted.report.updates, 0);
    }
    assert!(Trainer::with_rule("wild", Wild(f64::INFINITY)).fit(&rings(2)).is_err());
}

#[test]
fn a_file_is_trained_on_as_a_table_is() {
    let text = "x,y,label\n1,2,a\n-1,0.5,b\n2,1,a\n-2,-1,b\n";
    let read = rosenblatt::read::read(&Input::memory("t.csv", text), &Default::default()).unwrap();
    let fitted = Trainer::with_rule("mine", Mine { rate: 1.0 }).fit(&read.table).unwrap();
    assert_eq!(fitted.model.predict(&[3.0, 3.0]).unwrap(), "a");
}
