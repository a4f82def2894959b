use rosenblatt::{Error, Table, Trainer};

pub fn main() -> Result<(), Error> {
    let points = [[2.0, 1.0], [1.0, 3.0], [-1.0, -2.0], [-2.0, 0.5]];
    let table = Table::dense(&points, &["spam", "spam", "ham", "ham"])?;
    let fitted = Trainer::new("averaged").epochs(10).fit(&table)?;

    println!("{} mistakes in {} passes", fitted.report.mistakes, fitted.report.epochs);
    println!("stopped because: {:?}", fitted.report.stopped);
    println!("margin {:?}, at most {:?} mistakes", fitted.report.margin, fitted.report.bound);
    assert_eq!(fitted.model.predict(&[1.5, 1.0])?, "spam");
    Ok(())
}
