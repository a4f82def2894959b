use rosenblatt::{Error, Table, Verdict, separable};

pub fn main() -> Result<(), Error> {
    let corners = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]];
    let and = Table::dense(&corners, &["no", "no", "no", "yes"])?;
    let answer = separable(&and)?;
    println!("and: {:?}, margin {:?}, at most {:?} mistakes", answer.verdict, answer.margin, answer.bound);

    let xor = Table::dense(&corners, &["no", "yes", "yes", "no"])?;
    let answer = separable(&xor)?;
    println!("xor: {:?}, because of rows {:?}", answer.verdict, answer.rows);
    println!("{} bytes of proof", answer.certificate()?.len());
    assert_eq!(answer.verdict, Verdict::Inseparable);
    Ok(())
}
