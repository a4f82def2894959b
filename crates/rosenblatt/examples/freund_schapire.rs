//! Freund and Schapire's experiment on handwritten digits (1999, §5), beside the published figures.
//!
//! Ten kernel perceptrons (1 + x·y)^d, one against the rest each, on raw pixels in a random order; an update whenever
//! y·s ≤ 0. After T passes: the test error of each way to answer, the number of distinct training images that made an
//! update (support vectors), and of updates over all ten (mistakes). T = 0.1 is the first tenth of the first pass.
//!
//! Usage: bench/freund-schapire [DATA] [--degrees 1,2] [--passes 0.1,1,2] [--seeds 3] [--quick]

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Instant;

use rosenblatt::Order;
use rosenblatt::base::keep::KeepKind;
use rosenblatt::base::machine::Tie;
use rosenblatt::data::{AnyRows, DenseRows, Examples, Input};
use rosenblatt::kernel::{Apart, Biased, Dual, Function, Reading};
use rosenblatt::learner::perceptron::Perceptron;
use rosenblatt::model::decide;

type Failure = Box<dyn std::error::Error>;

const PIXELS: usize = 28 * 28;
const READINGS: [(&str, Reading); 7] = [
    ("vote", Reading::Vote),
    ("avg (unnorm)", Reading::Average { normalised: false }),
    ("avg (norm)", Reading::Average { normalised: true }),
    ("last (unnorm)", Reading::Last { normalised: false }),
    ("last (norm)", Reading::Last { normalised: true }),
    ("random (unnorm)", Reading::Random { normalised: false, seed: 1 }),
    ("random (norm)", Reading::Random { normalised: true, seed: 2 }),
];
/// Rows of a block below which a row is a count and not an error in per cent.
const COUNTS: [&str; 2] = ["SupVec", "Mistake"];

/// What was asked for.
struct Wanted {
    data: PathBuf,
    degrees: Vec<u32>,
    passes: Vec<f64>,
    seeds: u64,
}

fn wanted() -> Result<Wanted, Failure> {
    let default = std::env::var_os("ROSENBLATT_DATA").map_or_else(|| PathBuf::from("../shared/data"), PathBuf::from);
    let mut wanted = Wanted {
        data: default,
        degrees: (1..=6).collect(),
        passes: vec![0.1, 1.0, 2.0, 3.0, 4.0, 10.0, 30.0],
        seeds: 1,
    };
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or(format!("{arg} needs a value"));
        match arg.as_str() {
            "--degrees" => wanted.degrees = value()?.split(',').map(str::parse).collect::<Result<_, _>>()?,
            "--passes" => wanted.passes = value()?.split(',').map(str::parse).collect::<Result<_, _>>()?,
            "--seeds" => wanted.seeds = value()?.parse()?,
            "--quick" => (wanted.degrees, wanted.passes) = (vec![2, 4], vec![0.1, 1.0]),
            option if option.starts_with('-') => return Err(format!("{option}: no such option").into()),
            path => wanted.data = path.into(),
        }
    }
    wanted.passes.sort_by(f64::total_cmp);
    Ok(wanted)
}

/// The numbers of an IDX file: four bytes of magic, a length for each dimension, then bytes.
fn idx(path: &Path, dimensions: usize) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    Input::new(&path.display().to_string()).open()?.read_to_end(&mut bytes)?;
    if bytes.len() < 4 + 4 * dimensions || bytes[..4] != [0, 0, 8, dimensions as u8] {
        return Err(format!("{}: not an IDX file of bytes in {dimensions} dimensions", path.display()).into());
    }
    Ok(bytes.split_off(4 + 4 * dimensions))
}

/// Images and their digits.
struct Digits {
    pixels: Vec<u8>,
    classes: Vec<u32>,
}

impl Digits {
    fn read(folder: &Path, name: &str) -> Result<Digits, Failure> {
        let pixels = idx(&folder.join(format!("mnist/{name}-images-idx3-ubyte.gz")), 3)?;
        let classes = idx(&folder.join(format!("mnist/{name}-labels-idx1-ubyte.gz")), 1)?;
        Ok(Digits { pixels, classes: classes.into_iter().map(u32::from).collect() })
    }

    fn examples(&self) -> Result<Examples<'_>, Failure> {
        let rows = AnyRows::DenseU8(DenseRows::new(&self.pixels, PIXELS)?);
        Ok(Examples::new(rows, &self.classes, None)?)
    }
}

/// Row by name, then the value at each T.
type Table = BTreeMap<String, Vec<f64>>;

fn run(degree: u32, seed: u64, passes: &[f64], train: Examples<'_>, test: Examples<'_>) -> Result<Table, Failure> {
    let kernel = Biased::new(Function::Polynomial { degree, constant: 1.0 }, false);
    let mut learner =
        Dual::new(kernel, Apart::new(10, Tie::Update), Perceptron::new(1.0), KeepKind::Vote, Tie::Update, PIXELS);
    learner.attend(train);
    let mut table = Table::new();
    let (mut order, mut epoch, mut at) = (Vec::new(), 0, 0);
    let mut mistakes = 0;
    for &pass in passes {
        let goal = (pass * train.len() as f64).round() as usize;
        while at < goal {
            let position = at % train.len();
            if position == 0 {
                Order::Shuffled { seed }.fill(epoch, train, &mut order);
                epoch += 1;
            }
            let end = train.len().min(position + goal - at);
            mistakes += learner.present(train, &order[position..end], None).mistakes;
            at += end - position;
        }
        let readings: Vec<Reading> = READINGS.iter().map(|(_, reading)| *reading).collect();
        let scores = learner.story().scores(test.rows, &readings);
        for ((name, _), scores) in READINGS.iter().zip(scores) {
            let wrong = scores.chunks(10).zip(test.classes).filter(|(s, c)| decide(s, Tie::Update) != **c).count();
            table.entry(name.to_string()).or_default().push(100.0 * wrong as f64 / test.len() as f64);
        }
        table.entry(COUNTS[0].into()).or_default().push(learner.support().len() as f64);
        table.entry(COUNTS[1].into()).or_default().push(mistakes as f64);
    }
    Ok(table)
}

fn main() -> Result<(), Failure> {
    let Wanted { data, degrees, passes, seeds } = wanted()?;
    let (train, test) = (Digits::read(&data, "train")?, Digits::read(&data, "t10k")?);
    for &degree in &degrees {
        for seed in 0..seeds {
            let begin = Instant::now();
            let table = run(degree, seed, &passes, train.examples()?, test.examples()?)?;
            for (name, values) in &table {
                println!("{degree} {seed} {name} {values:?}");
            }
            println!("{:.1} s", begin.elapsed().as_secs_f64());
        }
    }
    Ok(())
}
