use rosenblatt::{Error, Input, SequenceOptions, TaggerTrainer};

pub fn main() -> Result<(), Error> {
    let text = "the D\ndog N\nbarks V\n\na D\ncat N\nruns V\n\nthe D\ncat N\nbarks V\n";
    let trainer = TaggerTrainer::default();
    let corpus = trainer.read(&Input::memory("toy.conll", text), &SequenceOptions::default())?;
    let tagger = trainer.fit(corpus, &mut ())?;

    let tags = tagger.tag(&[["a"], ["dog"], ["runs"]]);
    println!("{tags:?}");
    assert_eq!(tags, ["D", "N", "V"]);
    Ok(())
}
