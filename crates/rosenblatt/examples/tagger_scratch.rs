//! scratch
#![allow(missing_docs, clippy::print_stdout)]
use rosenblatt::structured::read::{Batch, Input, SequenceOptions, Tags};
use rosenblatt::structured::template::Templates;
use rosenblatt::structured::{TaggerTrainer, Worker, scheme};
use std::ops::ControlFlow;
use std::time::Instant;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let t0 = Instant::now();
    let mut trainer = TaggerTrainer::default();
    trainer.templates = match args[3].as_str() { "auto" => None, n => Some(Templates::built_in(n).unwrap_or_else(|| rosenblatt::structured::template::parse(n, &std::fs::read_to_string(n).unwrap()).unwrap())) };
    let tag = args.get(4).filter(|t| *t != "-").cloned();
    if let Some(e) = args.get(5) { trainer.epochs = e.parse().unwrap(); }
    if let Some(e) = args.get(6) { if e != "-" { trainer.encode = scheme::Scheme::by_name(e); } }
    if let Some(e) = args.get(7) { trainer.order = rosenblatt::Order::Shuffled { seed: e.parse().unwrap() }; }
    let input = Input::new(&args[1]);
    let corpus = trainer.read(&input, &SequenceOptions { format: None, tag }).unwrap();
    let t1 = Instant::now();
    let tagger = trainer.fit(corpus, &mut |_| ControlFlow::Continue(())).unwrap();
    let t2 = Instant::now();
    println!("read {:.3} learn {:.3}; {:?}", (t1 - t0).as_secs_f64(), (t2 - t1).as_secs_f64(), tagger.facts.mistakes_by_epoch);
    println!("{} tags {} features {} edges", tagger.labels.len(), tagger.vocabulary.emissions.len(), tagger.vocabulary.edges.len());
    let input = Input::new(&args[2]);
    let t3 = Instant::now();
    let mut s = tagger.open(&input, Tags::Needed).unwrap();
    let (mut right, mut total, mut ok, mut gold_n, mut pred_n) = (0, 0, 0, 0, 0);
    let mut batch = Batch::default();
    let mut worker = Worker::new(&tagger);
    let mut spent = 0.0;
    while s.fill(&mut batch).unwrap() {
        let b = Instant::now();
        s.divide(&mut batch).unwrap();
        worker.tag(&batch);
        spent += b.elapsed().as_secs_f64();
        let mut at = 0;
        for k in 0..batch.sentences() {
            let toks = batch.sentence(k);
            let gold: Vec<&str> = toks.iter().map(|t| std::str::from_utf8(batch.tag(t).unwrap()).unwrap()).collect();
            let pred: Vec<&str> = worker.tags()[at..at + toks.len()].iter().map(|&t| worker.name(t)).collect();
            at += toks.len();
            right += gold.iter().zip(&pred).filter(|(a, b)| a == b).count();
            total += gold.len();
            let (g, p) = (scheme::chunks(&gold), scheme::chunks(&pred));
            ok += g.iter().filter(|c| p.contains(c)).count();
            gold_n += g.len();
            pred_n += p.len();
        }
    }
    println!("tag {:.3}s {:.0} tokens/s; whole {:.3}", spent, total as f64 / spent, t3.elapsed().as_secs_f64());
    let (p, r) = (ok as f64 / pred_n as f64, ok as f64 / gold_n as f64);
    println!("accuracy {:.3}% P {:.2} R {:.2} F1 {:.3}", 100.0 * right as f64 / total as f64, 100.0 * p, 100.0 * r, 200.0 * p * r / (p + r));
}
