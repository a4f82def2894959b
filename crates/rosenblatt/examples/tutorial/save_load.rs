use rosenblatt::{Error, Model, Table, Trainer};

pub fn main() -> Result<(), Error> {
    let table = Table::dense(&[[2.0, 1.0], [-1.0, -2.0]], &["up", "down"])?;
    let model = Trainer::new("perceptron").fit(&table)?.model;

    let path = std::env::temp_dir().join("rosenblatt-tutorial.model"); // or .json, for eyes
    model.save(&path)?;
    let loaded = Model::load(&path)?;
    println!("{} bytes; trained by {}", model.to_bytes().len(), loaded.facts.recipe.learner);
    assert_eq!(loaded, model);
    Ok(())
}
