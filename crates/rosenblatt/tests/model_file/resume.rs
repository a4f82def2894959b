//! Going on from a checkpoint that lies: an error, never a panic.

use rosenblatt::fit::{Checkpoint, Data, Order, With};
use rosenblatt::learn::Stop;
use rosenblatt::{Result, Table, Trainer};

use crate::make::{Parts, checkpoints, two_classes};

fn resume(checkpoint: &Checkpoint, table: &Table) -> Result<Vec<u8>> {
    let trainer = checkpoint.trainer(checkpoint.progress.epochs() + 3);
    trainer
        .fit_with(Data::Table(table), With { resume: Some(checkpoint), ..With::default() })
        .map(|fitted| fitted.model.to_bytes())
}

fn told(checkpoint: &Checkpoint, table: &Table) -> String {
    let error = resume(checkpoint, table).map(drop).expect_err("a lie was believed");
    assert_eq!(error.kind(), rosenblatt::ErrorKind::Model, "{error}");
    error.to_string()
}

#[test]
fn going_on_from_a_file_is_as_if_training_had_never_paused() {
    for (name, checkpoint, table) in checkpoints() {
        let read = Checkpoint::from_bytes(&name, &checkpoint.to_bytes()).unwrap();
        let whole = checkpoint.trainer(checkpoint.progress.epochs() + 3).fit(&table).unwrap();
        assert_eq!(resume(&read, &table).unwrap(), whole.model.to_bytes(), "{name}");
    }
}

#[test]
fn a_course_that_no_training_took() {
    for (name, sound, table) in checkpoints() {
        let mut sound = sound;
        sound.progress.ended = None;
        let lie = |change: fn(&mut Checkpoint)| {
            let mut checkpoint = sound.clone();
            change(&mut checkpoint);
            let text = told(&checkpoint, &table);
            assert!(!text.contains('\n'), "{name}: {text}");
        };
        lie(|c| c.progress.position = 1000);
        lie(|c| c.progress.position = u64::MAX);
        lie(|c| c.progress.position = 1);
        lie(|c| c.progress.presented += 1);
        lie(|c| c.progress.presented = u64::MAX);
        lie(|c| c.progress.mistakes = u64::MAX);
        lie(|c| c.progress.updates = u64::MAX);
        lie(|c| c.progress.pass_mistakes = u64::MAX);
        lie(|c| c.progress.pass_updates = u64::MAX);
        lie(|c| c.progress.mistakes_by_epoch = vec![u64::MAX; 9]);
        lie(|c| c.progress.mistakes_by_epoch = vec![0; 100_000]);
        lie(|c| c.failures.push(0));
        lie(|c| c.failures.truncate(1));
    }
}

#[test]
fn failures_at_their_greatest_do_not_overflow() {
    for (_, mut checkpoint, table) in checkpoints() {
        checkpoint.progress.ended = None;
        checkpoint.failures.fill(u32::MAX);
        let told = resume(&checkpoint, &table).map(drop).unwrap_err().to_string();
        assert!(told.contains("failures of examples"), "{told}");
    }
}

/// Every array of every learner, lied about in every way that still leaves it an array: refused on loading, or, if
/// nothing shows, harmless when training goes on.
#[test]
fn every_array_of_every_learner_lied_about() {
    let numbers = [0.0, 1.0, -1.0, 7.0, 1e6, 4294967295.0, 9007199254740992.0, 1e300, -1e300, 5e-324];
    for (name, checkpoint, table) in checkpoints() {
        let bytes = checkpoint.to_bytes();
        for i in 0..Parts::of(&bytes).arrays.len() {
            for number in numbers {
                let mut parts = Parts::of(&bytes);
                let (array, length) = (parts.arrays[i].name.clone(), parts.arrays[i].length as usize);
                parts.put(&array, &vec![number; length]);
                if let Ok(mut read) = Checkpoint::from_bytes(&name, &parts.sign()) {
                    read.progress.ended = None;
                    let outcome = std::panic::catch_unwind(|| resume(&read, &table).map(drop));
                    assert!(outcome.is_ok(), "{name}: {array} = {number} panics");
                }
            }
        }
    }
}

#[test]
fn what_a_lying_checkpoint_leads_to_can_be_saved_and_loaded() {
    // Numbers so large that the mean of the weights overflows although the last weights do not.
    let table = two_classes();
    let mut checkpoint =
        Trainer::new("averaged").epochs(1).order(Order::Cyclic).fit(&table).unwrap().checkpoint.unwrap();
    checkpoint.progress.ended = Some(Stop::Interrupted);
    let mut parts = Parts::of(&checkpoint.to_bytes());
    parts.put("learner.weights", &[1e308, 1e308]);
    let read = Checkpoint::from_bytes("m", &parts.sign()).unwrap();
    let error = resume(&read, &table).expect_err("an infinite mean");
    assert!(error.to_string().contains("overflowed"), "{error}");
}

#[test]
fn a_given_order_that_names_no_example_of_these_data() {
    let (_, mut checkpoint, table) = checkpoints().pop().unwrap();
    checkpoint.order = Order::Given(vec![u32::MAX]);
    assert!(told(&checkpoint, &table).contains("the order must name"));
}
