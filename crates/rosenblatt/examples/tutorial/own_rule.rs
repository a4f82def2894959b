use rosenblatt::{Error, Judgement, Keep, Rule, Table, Trainer};

/// Updates until the margin is 1, with a step of at most `most`.
#[derive(Clone)]
struct Careful {
    most: f64,
}

impl Rule for Careful {
    const WANTS_MARGIN: bool = true;

    fn tau(&self, seen: Judgement, _k: u64, sq_len: impl FnOnce() -> f64) -> f64 {
        let lacks = 1.0 - seen.margin;
        if lacks <= 0.0 {
            return 0.0;
        }
        (lacks / sq_len().max(f64::MIN_POSITIVE)).min(self.most)
    }
}

pub fn main() -> Result<(), Error> {
    let points = [[2.0, 1.0], [1.0, 3.0], [-1.0, -2.0], [-2.0, 0.5]];
    let table = Table::dense(&points, &["spam", "spam", "ham", "ham"])?;
    let trainer = Trainer::with_rule("careful", Careful { most: 0.5 }).param("most", 0.5).keep(Keep::Average);
    let fitted = trainer.fit(&table)?;

    println!("{}: {} updates", fitted.report.learner, fitted.report.updates);
    assert_eq!(fitted.model.predict(&[1.5, 1.0])?, "spam");
    Ok(())
}
