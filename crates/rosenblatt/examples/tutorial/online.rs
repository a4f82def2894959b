use rosenblatt::{Error, OnlineTrainer, Order, Table, Trainer};

pub fn main() -> Result<(), Error> {
    let monday = Table::dense(&[[2.0, 1.0], [-1.0, -2.0]], &["spam", "ham"])?;
    let tuesday = Table::dense(&[[1.0, 3.0], [-2.0, 0.5]], &["spam", "ham"])?;
    let trainer = Trainer::new("averaged").order(Order::Cyclic);

    let mut online = OnlineTrainer::new(trainer, monday.labels.clone(), monday.schema.clone())?;
    for day in [&monday, &tuesday] {
        online.learn(day.examples()?, &mut ())?;
        println!("{:?}", online.model()?.predict(&[1.0, 1.0])?); // a model at any time
    }
    assert_eq!(online.model()?.predict(&[1.0, 1.0])?, "spam");
    Ok(())
}
