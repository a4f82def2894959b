//! With the linear kernel a kernel machine is the linear one, told another way.

use rosenblatt::learn::keep::KeepKind;
use rosenblatt::learn::learners::Multiclass;
use rosenblatt::{Order, Trainer};

use crate::common::{close, nearly_separable, same_bits, table};
use crate::trainer;

#[test]
fn the_linear_kernel_is_the_linear_learner() {
    for classes in [2, 3] {
        let (rows, labels) = nearly_separable(1, 800, classes);
        let table = table(&rows, &labels);
        let view = table.matrix.rows().unwrap();
        for (learner, bias) in
            [("perceptron", true), ("averaged", true), ("voted", false), ("margin", true), ("pa1", true)]
        {
            for multiclass in [Multiclass::Single, Multiclass::Uniform, Multiclass::OneVsRest] {
                let set = |t: Trainer| t.multiclass(multiclass).bias(bias).epochs(3).order(Order::Shuffled { seed: 4 });
                let plain = set(Trainer::new(learner)).fit(&table).unwrap();
                let dual = set(trainer(learner, "linear")).fit(&table).unwrap();
                let name = format!("{learner} {multiclass:?} {classes} classes");
                // On whole numbers with steps of one nothing rounds on either side.
                if learner != "pa1" && multiclass != Multiclass::Uniform {
                    assert_eq!(plain.report.mistakes_by_epoch, dual.report.mistakes_by_epoch, "{name}");
                    assert_eq!(plain.failures, dual.failures, "{name}");
                    assert_eq!(plain.report.radius, dual.report.radius, "{name}");
                    assert!(close(&[plain.report.margin.unwrap()], &[dual.report.margin.unwrap()], 1e-9), "{name}");
                    let scores = [plain.model.score_all(view).unwrap(), dual.model.score_all(view).unwrap()];
                    if plain.model.facts.recipe.keep == Some(KeepKind::Average) {
                        assert!(close(&scores[0], &scores[1], 1e-12), "{name}");
                    } else {
                        assert!(same_bits(&scores[0], &scores[1]), "{name}");
                    }
                } else {
                    let scores = [plain.model.score_all(view).unwrap(), dual.model.score_all(view).unwrap()];
                    assert!(close(&scores[0], &scores[1], 1e-6), "{name}");
                }
            }
        }
    }
}

#[test]
fn a_single_row_is_scored_as_one_of_many() {
    let (rows, labels) = nearly_separable(2, 300, 3);
    let table = table(&rows, &labels);
    for learner in ["voted", "averaged"] {
        let model = trainer(learner, "poly:2").epochs(2).fit(&table).unwrap().model;
        let all = model.classify_all(table.matrix.rows().unwrap()).unwrap();
        for (x, class) in rows.iter().zip(all) {
            assert_eq!(model.predict(x).unwrap(), model.labels.name(class));
        }
    }
}
