//! Kernel machines: against a naive twin, against the linear learners, on a budget, on data, and through the file.

#[path = "../common/mod.rs"]
mod common;

mod budget;
mod data;
mod file;
mod linear;
mod naive;
#[path = "../common/real_file.rs"]
mod real_file;
mod theorem;
mod twin;

use rosenblatt::Trainer;
use rosenblatt::learn::kernel::Choice;
use rosenblatt::random::Stream;

/// A trainer with a kernel.
fn trainer(learner: &str, kernel: &str) -> Trainer {
    let mut trainer = Trainer::new(learner);
    trainer.recipe.kernel = Some(Choice::new(kernel.parse().unwrap()));
    trainer
}

/// Rows of whole numbers from −4 to 4, some zero, or of reals; their classes follow a circle, with noise.
fn circles(seed: u64, n: usize, features: usize, classes: usize, whole: bool) -> (Vec<Vec<f64>>, Vec<usize>) {
    let mut stream = Stream::new(seed, &[]);
    let mut number = || if whole { stream.below(9) as f64 - 4.0 } else { stream.unit() * 2.0 - 1.0 };
    let rows: Vec<Vec<f64>> = (0..n).map(|_| (0..features).map(|_| number()).collect()).collect();
    let mut noise = Stream::new(seed, &[1]);
    let sq = |x: &Vec<f64>| x.iter().map(|v| v * v).sum::<f64>();
    let greatest = rows.iter().map(sq).fold(0.0, f64::max);
    let class = |x: &Vec<f64>| ((sq(x) / greatest * classes as f64) as usize).min(classes - 1);
    let labels = rows.iter().enumerate().map(|(i, x)| {
        if i < classes {
            i
        } else if noise.below(20) == 0 {
            noise.below(classes as u64) as usize
        } else {
            class(x)
        }
    });
    (rows.clone(), labels.collect())
}
