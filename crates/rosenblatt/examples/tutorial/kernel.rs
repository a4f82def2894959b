use rosenblatt::{Error, Kernel, Table, Trainer};

pub fn main() -> Result<(), Error> {
    let corners = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]];
    let xor = Table::dense(&corners, &["no", "yes", "yes", "no"])?;
    let fitted = Trainer::new("perceptron").kernel(Kernel::Rbf { gamma: 1.0 }).epochs(50).fit(&xor)?;

    println!("{} of 4 points are support vectors", fitted.report.support_vectors.unwrap_or(0));
    assert_eq!(fitted.model.predict_batch(&corners)?, ["no", "yes", "yes", "no"]);
    Ok(())
}
