//! Maps of rows that come one by one: the model and its answers are those of `train` with the same preparation.

use std::path::Path;
use std::sync::Arc;

use rosenblatt::map::{Scaling, Tf};
use rosenblatt::read::{NeedLabels, ReadOptions, read_for};
use rosenblatt::{Data, FileData, Input, Preparation, Storage, Trainer, With};

use super::tests::{FOLDER, learn, model, rows, seq, trainer};
use super::*;
use crate::store::simulated::Simulated;

fn preparations() -> Vec<Preparation> {
    let plain = Preparation::default;
    vec![
        Preparation { hash_bits: Some(3), ..plain() },
        Preparation { scale: Scaling::Unit, ..plain() },
        Preparation { tf: Tf::Log, ..plain() },
        Preparation { tf: Tf::Binary, hash_bits: Some(2), scale: Scaling::Unit, ..plain() },
        Preparation { tf: Tf::Log, hash_bits: Some(12), scale: Scaling::Unit, ..plain() },
    ]
}

/// The bytes of the model that the library makes of a file with these lines; `None` if it refuses.
fn trained(trainer: &Trainer, lines: &[String]) -> Option<Vec<u8>> {
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let (input, options) = (Input::memory("log.vw", text), ReadOptions::default());
    let data = FileData::new(&input, &options, &Storage::Memory);
    trainer.clone().fit_with(Data::File(data), With::default()).ok().map(|fitted| fitted.model.to_bytes())
}

fn open(files: &Simulated, trainer: &Trainer) -> Handle {
    let limits = ModelLimits { snapshot: 23, log: Sizes { segment: 700, ahead: 0 }, ..ModelLimits::default() };
    Handle::open("m", Arc::new(files.clone()), Path::new(FOLDER), trainer.clone(), Durability::Sync, limits).unwrap()
}

#[test]
fn a_model_with_maps_is_what_train_makes_of_the_same_rows() {
    for (case, preparation) in (0u64..).zip(preparations()) {
        for learner in ["arow", "averaged", "pa1"] {
            let (files, all) = (Simulated::default(), rows(150, 20 + case));
            let trainer = trainer(learner).preparation(preparation.clone());
            let handle = open(&files, &trainer);
            for (n, some) in all.chunks(7).enumerate() {
                learn(&handle, some).unwrap();
                if n % 5 == 0 {
                    let at = seq(&handle) as usize;
                    assert_eq!(model(&handle), trained(&trainer, &all[..at]), "{learner} {case} {at}");
                }
            }
            let whole = trained(&trainer, &all);
            assert!(whole.is_some() && model(&handle) == whole, "{learner} {case}");
            handle.stop();
            // From the snapshot, and from the log alone.
            for _ in 0..2 {
                let again = open(&files, &trainer);
                assert_eq!(model(&again), whole, "{learner} {case}");
                again.stop();
                for name in files.list(Path::new(FOLDER)).unwrap() {
                    if name.starts_with("snapshot") {
                        files.remove(&Path::new(FOLDER).join(name)).unwrap();
                    }
                }
            }
        }
    }
}

/// Every answer is that of the model file of its seq, for rows with names that are not known yet, too.
#[test]
fn answers_behind_maps_are_those_of_the_model_file() {
    let all = rows(60, 9);
    for (case, preparation) in preparations().into_iter().enumerate() {
        let trainer = trainer("averaged").preparation(preparation);
        let mut engine = Engine::new(trainer.clone()).unwrap();
        for (n, line) in all.iter().enumerate() {
            let example = history::parse(line).unwrap();
            let predicted = engine.predict(&example);
            if let Some(bytes) = trained(&trainer, &all[..n]) {
                let model = rosenblatt::Model::from_bytes("m", &bytes).unwrap();
                let input = Input::memory("row.vw", format!("{line}\n"));
                let row = read_for(&input, &ReadOptions::default(), &model.schema, &model.labels, NeedLabels::No);
                let scores = model.score_all(row.unwrap().table.matrix.rows().unwrap()).unwrap();
                let bits = |scores: &[f64]| scores.iter().map(|s| (s + 0.0).to_bits()).collect::<Vec<_>>();
                assert_eq!(bits(&predicted.scores), bits(&scores), "{case} {n}");
                // The terms of an explanation add up to the scores.
                let (entries, weights) = engine.explain(&example).unwrap();
                let outputs = weights.outputs();
                for (k, score) in predicted.scores.iter().enumerate() {
                    let terms = entries.iter().zip(weights.values().chunks(outputs)).map(|((_, v), w)| v * w[k]);
                    let sum: f64 = terms.sum::<f64>() + weights.bias()[k];
                    assert!((sum - score).abs() <= 1e-9 * (1.0 + score.abs()), "{case} {n}: {sum} {score}");
                }
                assert!(entries.iter().all(|(name, _)| !name.is_empty()));
            }
            engine
                .learn_next(line, &example, &mut |to, each| {
                    all[..to as usize].iter().try_for_each(|line| each(&history::parse(line)?))
                })
                .unwrap();
        }
    }
}

#[test]
fn maps_that_need_all_rows_are_refused_with_the_reason() {
    let plain = Preparation::default;
    let refused = [
        (Preparation { tf_idf: true, ..plain() }, "tf-idf"),
        (Preparation { min_count: 2, ..plain() }, "min-count"),
        (Preparation { degree: 2, ..plain() }, "degree"),
        (Preparation { scale: Scaling::Standard, ..plain() }, "scale standard"),
        (Preparation { scale: Scaling::Ball, ..plain() }, "scale ball"),
        (Preparation { scale: Scaling::MinMax, ..plain() }, "scale minmax"),
        (Preparation { hash_bits: Some(40), ..plain() }, "hash-bits 40"),
    ];
    for (preparation, setting) in refused {
        let error = Engine::new(trainer("arow").preparation(preparation)).err().map(|error| error.to_string());
        assert!(error.as_ref().is_some_and(|error| error.contains(setting)), "{setting}: {error:?}");
    }
}
