use rosenblatt::{Error, Table, Trainer};

pub fn main() -> Result<(), Error> {
    let points = [[0.0, 2.0], [0.5, 3.0], [2.0, -1.0], [3.0, -1.5], [-2.0, -1.0], [-3.0, -1.0]];
    let table = Table::dense(&points, &["north", "north", "east", "east", "west", "west"])?;
    let model = Trainer::new("averaged").fit(&table)?.model;

    let asked = [[0.1, 5.0], [4.0, -1.0]];
    println!("{:?}", model.predict_batch(&asked)?);
    let scores = model.scores(&asked)?; // one for each class, row by row
    println!("{:?}: {:?}", model.labels.names(), &scores[..3]);
    assert_eq!(model.predict_batch(&asked)?, ["north", "east"]);
    Ok(())
}
