use rosenblatt::{Error, Evaluation, Folds, Split, Table, Trainer, cross_validate};

pub fn main() -> Result<(), Error> {
    // A noisy line: every seventh label is wrong.
    let points: Vec<[f64; 2]> =
        (0..140).map(|i| [f64::from(i * 37 % 100) - 50.0, f64::from(i * 61 % 100) - 50.0]).collect();
    let label = |(i, p): (usize, &[f64; 2])| if (p[0] + p[1] > 0.0) != (i % 7 == 0) { "yes" } else { "no" };
    let labels: Vec<&str> = points.iter().enumerate().map(label).collect();
    let table = Table::dense(&points, &labels)?;
    let trainer = Trainer::new("averaged");

    // Hold back a quarter, with the classes in proportion, and never look at it while training.
    let split = Split::holdout(&table, 0.25, 1)?;
    let model = trainer.fit(&table.select(&split.train))?.model;
    let held = Evaluation::new(&model, &table.select(&split.held))?;
    println!("error {:.3}, F1 of yes {:.3}", held.error, held.score_of("yes").map_or(0.0, |score| score.f1));

    // Or every example once, in five folds.
    let folds = cross_validate(&trainer, &table, &Folds::stratified(&table, 5, 1)?)?;
    println!("error {:.3} ± {:.3}", folds.mean_error, folds.std_error.unwrap_or(0.0));
    assert!(folds.mean_error < 0.35);
    Ok(())
}
