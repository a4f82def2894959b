//! Maps through the model file, through checkpoints, and around cross-validation.

use rosenblatt::fit::{Checkpoint, Data, With};
use rosenblatt::io::Input;
use rosenblatt::map::{Preparation, Scaling, Tf};
use rosenblatt::read::{NeedLabels, ReadOptions, read, read_for, toy};
use rosenblatt::rows::Fill;
use rosenblatt::{Evaluation, Model, Table, Trainer};

use crate::common::same_bits;
use crate::sparse;

/// A preparation of every kind, with a table that it is for.
fn each_preparation() -> Vec<(Preparation, Table)> {
    let mut all = Vec::new();
    let iris = toy::iris().unwrap();
    for scale in [Scaling::Ball, Scaling::Unit, Scaling::Standard, Scaling::MinMax] {
        for table in [iris.clone(), sparse(&iris)] {
            all.push((Preparation { scale, ..Preparation::default() }, table));
        }
    }
    let sparse_iris = sparse(&iris);
    for (table, preparation) in [
        (&iris, Preparation { degree: 2, ..Preparation::default() }),
        (&sparse_iris, Preparation { degree: 3, scale: Scaling::Standard, ..Preparation::default() }),
        (&iris, Preparation { hash_bits: Some(3), scale: Scaling::MinMax, ..Preparation::default() }),
        (&sparse_iris, Preparation { degree: 2, hash_bits: Some(2), ..Preparation::default() }),
    ] {
        all.push((preparation, table.clone()));
    }
    for missing in [Fill::Zero, Fill::Mean, Fill::Indicator] {
        let options =
            ReadOptions { text: vec!["note".into()], ngrams: 2, missing: Some(missing), ..ReadOptions::default() };
        let table = read(&Input::memory("mixed.csv", MIXED), &options).unwrap().table;
        all.push((Preparation::default(), table.clone()));
        let tf_idf = Preparation { tf_idf: true, tf: Tf::Log, min_count: 2, ..Preparation::default() };
        all.push((Preparation { scale: Scaling::Unit, ..tf_idf.clone() }, table.clone()));
        all.push((Preparation { degree: 2, scale: Scaling::Standard, ..tf_idf }, table));
    }
    all
}

/// Numbers, categories, text and gaps.
const MIXED: &str = "age,colour,note,label
3,red,\"Quick, quick fox\",a
,blue,lazy dog,b
5,?,quick dog,a
4,red,lazy lazy fox,b
NA,green,,a
7,red,fox and dog,b
";

#[test]
fn a_model_takes_its_maps_with_it() {
    for (preparation, table) in each_preparation() {
        for learner in ["averaged", "voted"] {
            let fitted = Trainer::new(learner).epochs(3).preparation(preparation.clone()).fit(&table).unwrap();
            let (model, rows) = (&fitted.model, table.matrix.rows().unwrap());
            let scores = model.score_all(rows).unwrap();
            // The report measured the rows as the learner saw them; the model prepares them itself.
            let evaluation = Evaluation::new(model, &table).unwrap();
            assert_eq!(Some(evaluation.error), fitted.report.train_error, "{preparation:?}");
            for loaded in
                [Model::from_bytes("m", &model.to_bytes()).unwrap(), Model::from_json("m", &model.to_json()).unwrap()]
            {
                assert_eq!(loaded, *model);
                assert!(same_bits(&loaded.score_all(rows).unwrap(), &scores), "{preparation:?}");
                assert_eq!(loaded.feature_names().unwrap().len(), model.hypothesis.features());
            }
        }
    }
}

#[test]
fn a_checkpoint_goes_on_with_the_same_maps() {
    for (preparation, table) in each_preparation() {
        let trainer = Trainer::new("averaged").preparation(preparation);
        let whole = trainer.clone().epochs(4).fit(&table).unwrap();
        let half = trainer.epochs(2).fit(&table).unwrap().checkpoint.unwrap();
        for saved in [half.to_bytes(), half.to_json()] {
            let checkpoint = Checkpoint::from_bytes("c", &saved).unwrap();
            assert_eq!(checkpoint, half);
            let resumed = checkpoint
                .trainer(4)
                .fit_with(Data::Table(&table), With { resume: Some(&checkpoint), ..With::default() })
                .unwrap();
            assert_eq!(resumed.model.to_bytes(), whole.model.to_bytes());
        }
    }
}

#[test]
fn a_compact_model_gives_the_same_answers_to_the_same_file() {
    let file = Input::memory("mixed.csv", MIXED);
    let vw = Input::memory("a.vw", "a |n x y\nb |n x z\na |n x |m x\n");
    let mixed =
        ReadOptions { text: vec!["note".into()], missing: Some(Fill::Zero), ngrams: 2, ..ReadOptions::default() };
    for (file, options) in [(file, mixed), (vw, ReadOptions::default())] {
        for min_count in [2, 3] {
            let table = read(&file, &options).unwrap().table;
            let preparation = Preparation { min_count, tf_idf: true, ..Preparation::default() };
            let model = Trainer::new("averaged").preparation(preparation).fit(&table).unwrap().model;
            let small = model.clone().compact();
            assert!(small.schema.features() < model.schema.features());
            assert_eq!(small.feature_names().unwrap(), model.feature_names().unwrap());
            let scores = |model: &rosenblatt::Model| {
                let options = ReadOptions::default();
                let rows = read_for(&file, &options, &model.schema, &model.labels, NeedLabels::Yes).unwrap().table;
                model.score_all(rows.matrix.rows().unwrap()).unwrap()
            };
            assert!(same_bits(&scores(&small), &scores(&model)));
            assert_eq!(Model::from_bytes("m", &small.to_bytes()).unwrap(), small);
        }
    }
}

#[test]
fn maps_see_the_training_rows_alone() {
    let table = toy::iris().unwrap();
    let trainer =
        Trainer::new("perceptron").preparation(Preparation { scale: Scaling::Standard, ..Preparation::default() });
    let some: Vec<u32> = (0..150).filter(|i| i % 3 != 0).collect();
    let alone = trainer.fit(&table.select(&some)).unwrap().model;
    let mut spoiled = table.clone();
    if let rosenblatt::rows::Matrix::Dense(m) = &mut spoiled.matrix {
        (0..150).filter(|i| i % 3 == 0).for_each(|i| m.values[i * 4] = 1e9);
    }
    assert_eq!(trainer.fit(&spoiled.select(&some)).unwrap().model, alone);
}

#[test]
fn a_file_says_the_version_that_it_needs() {
    let table = toy::iris().unwrap();
    let plain = Trainer::new("averaged").fit(&table).unwrap().model;
    let scaled = Trainer::new("averaged").preparation(Preparation { scale: Scaling::Unit, ..Preparation::default() });
    let scaled = scaled.fit(&table).unwrap().model;
    let version = |bytes: Vec<u8>| u32::from_le_bytes(bytes[8..12].try_into().unwrap());
    assert_eq!((version(plain.to_bytes()), version(scaled.to_bytes())), (1, 2));
    for (model, other) in [(plain, 2), (scaled, 1)] {
        let text = String::from_utf8(model.to_json()).unwrap();
        let lie = text.replacen(&format!("\"rosenblatt\":{}", 3 - other), &format!("\"rosenblatt\":{other}"), 1);
        let told = Model::from_json("m", lie.as_bytes()).unwrap_err().to_string();
        assert_eq!(told, format!("m: what the file holds is version {}, but it says {other}", 3 - other));
    }
}

#[test]
fn select_picks_rows_classes_and_weights() {
    let mut table = toy::iris().unwrap();
    table.weights = Some((0..150).map(f64::from).collect());
    for table in [table.clone(), sparse(&table)] {
        let some = table.select(&[149, 0, 0]);
        let rows = crate::dense(&table.matrix);
        assert_eq!(crate::dense(&some.matrix), [&rows[149], &rows[0], &rows[0]].map(Clone::clone));
        assert_eq!(some.classes, [2, 0, 0]);
        assert_eq!(some.weights, Some(vec![149.0, 0.0, 0.0]));
        assert_eq!(some.schema, table.schema);
        assert!(table.select(&[]).matrix.is_empty());
    }
}
