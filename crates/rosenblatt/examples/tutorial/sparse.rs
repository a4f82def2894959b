use rosenblatt::{Error, SparseRows, Table, Trainer};

pub fn main() -> Result<(), Error> {
    // (feature, value), features counted from 0; what is not listed is 0.
    let rows = [vec![(3, 1.0), (90_000, 2.0)], vec![(3, 1.0)], vec![(90_000, 1.0)], vec![(3, 2.0), (17, 1.0)]];
    let table = Table::sparse(100_000, &rows, &["spam", "ham", "spam", "ham"])?;
    let model = Trainer::new("averaged").fit(&table)?.model;

    // Rows in CSR arrays of your own are predicted where they lie.
    let (offsets, indices, values) = ([0, 1, 3], [90_000, 3, 17], [1.0f32, 1.0, 1.0]);
    let asked = SparseRows::new(&offsets, &indices, &values, 100_000)?;
    println!("{:?}", model.predict_batch(asked)?);
    assert_eq!(model.predict_batch(asked)?, ["spam", "ham"]);
    Ok(())
}
