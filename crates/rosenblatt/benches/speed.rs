//! Parse, dot, epoch: `cargo bench -p rosenblatt`.

use divan::counter::{BytesCount, ItemsCount};
use divan::{Bencher, black_box};
use rosenblatt::io::Input;
use rosenblatt::random::Stream;
use rosenblatt::read::{Dataset, ReadOptions, read};
use rosenblatt::rows::{Dense, Row, Sparse};
use rosenblatt::{Order, Trainer};

const ROWS: usize = 20_000;
const FEATURES: u64 = 40_000;

fn main() {
    divan::main();
}

/// About 75 entries a row, six decimals.
fn sparse() -> String {
    let mut stream = Stream::new(1, &[]);
    let mut text = String::new();
    for _ in 0..ROWS {
        text += if stream.below(2) == 0 { "+1" } else { "-1" };
        let mut index = 0;
        while index < FEATURES {
            index += 1 + stream.below(2 * FEATURES / 75);
            text += &format!(" {index}:{:.6}", stream.unit());
        }
        text.push('\n');
    }
    text
}

/// A hundred numbers a row, five decimals.
fn dense() -> String {
    let mut stream = Stream::new(2, &[]);
    let mut text = String::new();
    for _ in 0..ROWS {
        for _ in 0..100 {
            text += &format!("{:.5},", 4.0 * stream.unit() - 2.0);
        }
        text += if stream.below(2) == 0 { "a\n" } else { "b\n" };
    }
    text
}

fn table(name: &str, text: String) -> Dataset {
    read(&Input::memory(name, text), &ReadOptions::default()).expect("the text is sound")
}

#[divan::bench]
fn parse_libsvm(bencher: Bencher<'_, '_>) {
    let input = Input::memory("m.svm", sparse());
    let Input::Memory { bytes, .. } = &input else { return };
    bencher.counter(BytesCount::new(bytes.len())).bench(|| read(&input, &ReadOptions::default()));
}

#[divan::bench]
fn parse_csv(bencher: Bencher<'_, '_>) {
    let input = Input::memory("m.csv", dense());
    let Input::Memory { bytes, .. } = &input else { return };
    bencher.counter(BytesCount::new(bytes.len())).bench(|| read(&input, &ReadOptions::default()));
}

#[divan::bench(args = [16, 100, 784])]
fn dot_dense(bencher: Bencher<'_, '_>, length: usize) {
    let (x, w) = (vec![0.5; length], vec![0.25; length]);
    bencher.counter(ItemsCount::new(length)).bench(|| Dense(black_box(&x[..])).dot(black_box(&w)));
}

#[divan::bench(args = [14, 75])]
fn dot_sparse(bencher: Bencher<'_, '_>, length: usize) {
    let indices: Vec<u32> = (0..length as u32).map(|i| i * 500).collect();
    let (values, w) = (vec![0.5; length], vec![0.25; 40_000]);
    let x = Sparse { indices: &indices, values: &values[..] };
    bencher.counter(ItemsCount::new(length)).bench(|| black_box(x).dot(black_box(&w)));
}

#[divan::bench]
fn ten_epochs_sparse(bencher: Bencher<'_, '_>) {
    let dataset = table("m.svm", sparse());
    let trainer = Trainer::new("averaged").order(Order::Shuffled { seed: 0 });
    bencher.counter(ItemsCount::new(10 * ROWS)).bench(|| trainer.fit(&dataset.table));
}

#[divan::bench]
fn ten_epochs_dense(bencher: Bencher<'_, '_>) {
    let dataset = table("m.csv", dense());
    let trainer = Trainer::new("averaged").order(Order::Shuffled { seed: 0 });
    bencher.counter(ItemsCount::new(10 * ROWS)).bench(|| trainer.fit(&dataset.table));
}
