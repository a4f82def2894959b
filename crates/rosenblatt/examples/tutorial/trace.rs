use std::ops::ControlFlow;

use rosenblatt::{Error, Order, Table, Trainer, trace};

pub fn main() -> Result<(), Error> {
    let table = Table::dense(&[[2.0, 1.0], [-1.0, -2.0], [1.0, -1.0]], &["+", "-", "-"])?;
    let trainer = Trainer::new("perceptron").order(Order::Cyclic);
    let mut steps = 0;
    let traced = trace(&trainer, &table, None, &mut |step| {
        let sign = if step.mistake { "wrong" } else { "right" };
        println!(
            "{:>2}. row {} is {sign}, w = {:?}, b = {:?}",
            step.step,
            step.example,
            step.weights.values(),
            step.weights.bias()
        );
        steps += 1;
        ControlFlow::Continue(())
    })?;
    assert_eq!(steps, traced.fitted.model.facts.presented);
    Ok(())
}
