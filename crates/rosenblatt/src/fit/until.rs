//! When data count as separated: the last weights separate them, or what is kept, too.
//!
//! A pass without mistakes shows that the last weights separate the examples. The average or the vote of all weights may
//! still err. If training goes on, nothing moves any more, and the average (S + n·w)/(t + n) approaches the last weights w.

use crate::named::named;

/// What has to separate the examples before training stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Until {
    /// The last weights.
    #[default]
    Last,
    /// What is kept, too: the average, or the vote, of weights that no longer move approaches the last.
    Kept,
}

named!(Until: Last = "last", Kept = "kept");

#[cfg(test)]
mod tests {
    use super::Until;
    use crate::fit::Trainer;
    use crate::learn::Stop;
    use crate::read::toy;
    use crate::rows::Table;

    /// Two clouds that a line separates, closely.
    fn close() -> Table {
        toy::street(60, 0.1, 5).unwrap()
    }

    #[test]
    fn a_rule_that_wants_a_margin_goes_on_until_nothing_moves() {
        // It stopped at the first pass without a mistake, with margins below 1.
        for learner in ["pa", "pa1", "pa2"] {
            let fitted = Trainer::new(learner).epochs(5000).fit(&close()).unwrap();
            assert_eq!(fitted.report.stopped, Stop::Separated, "{learner}");
            let table = close();
            let scores = fitted.model.score_all(table.matrix.rows().unwrap()).unwrap();
            for (score, &class) in scores.iter().zip(&table.classes) {
                let margin = if class == 1 { *score } else { -score };
                assert!(margin > 1.0 - 1e-6, "{learner}: {margin}");
            }
        }
    }

    #[test]
    fn what_is_kept_separates_if_asked_to() {
        // Streets whose last weights separate, but not their mean.
        let street = |seed| {
            let table = toy::street(40, 0.05, seed).unwrap();
            let last = Trainer::new("averaged").epochs(1000).fit(&table).unwrap();
            let errs = last.report.stopped == Stop::Separated && last.report.train_error > Some(0.0);
            errs.then_some((table, last))
        };
        let (table, last) = (0..200).find_map(street).expect("one of many");
        let kept = Trainer { until: Until::Kept, ..Trainer::new("averaged").epochs(10_000) }.fit(&table).unwrap();
        assert_eq!((kept.report.stopped, kept.report.train_error), (Stop::Separated, Some(0.0)));
        assert!(kept.report.epochs > last.report.epochs);
    }
}
