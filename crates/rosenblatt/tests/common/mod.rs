//! What several test files share: rows of every kind, tables, weights as plain vectors, comparisons.
#![allow(dead_code, unreachable_pub)]

use rosenblatt::learn::Weights;
use rosenblatt::learn::keep::KeepKind;
use rosenblatt::learn::learners::{Entry, Multiclass};
use rosenblatt::rows::{AnyRows, DenseRows, Matrix, SparseMatrix, SparseRows};
use rosenblatt::{Table, Trainer};

/// The kinds of rows that the library knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    DenseF64,
    SparseF64,
    DenseF32,
    SparseF32,
    DenseU8,
}

/// Those that hold any number; bytes come last.
pub const KINDS: [Kind; 5] = [Kind::DenseF64, Kind::SparseF64, Kind::DenseF32, Kind::SparseF32, Kind::DenseU8];

/// The same rows in every kind of storage.
pub struct Store {
    features: usize,
    f64s: Vec<f64>,
    f32s: Vec<f32>,
    u8s: Vec<u8>,
    sparse: SparseMatrix,
    sparse_f32s: Vec<f32>,
}

impl Store {
    /// Stores rows whose numbers an `f32` can hold.
    pub fn new(rows: &[Vec<f64>]) -> Self {
        let f64s = rows.concat();
        let sparse = sparse_matrix(rows);
        Store {
            features: rows[0].len(),
            f32s: f64s.iter().map(|&v| v as f32).collect(),
            u8s: f64s.iter().map(|&v| v as u8).collect(),
            sparse_f32s: sparse.values.iter().map(|&v| v as f32).collect(),
            sparse,
            f64s,
        }
    }

    /// Whether every number is the same in storage of this kind.
    pub fn holds(&self, kind: Kind) -> bool {
        match kind {
            Kind::DenseF64 | Kind::SparseF64 => true,
            Kind::DenseF32 | Kind::SparseF32 => self.f64s.iter().zip(&self.f32s).all(|(a, b)| *a == f64::from(*b)),
            Kind::DenseU8 => self.f64s.iter().zip(&self.u8s).all(|(a, b)| *a == f64::from(*b)),
        }
    }

    /// The rows, in one kind.
    pub fn rows(&self, kind: Kind) -> AnyRows<'_> {
        assert!(self.holds(kind), "{kind:?} would change the numbers");
        let SparseMatrix { offsets, indices, values, features } = &self.sparse;
        match kind {
            Kind::DenseF64 => AnyRows::DenseF64(DenseRows::new(&self.f64s, self.features).unwrap()),
            Kind::DenseF32 => AnyRows::DenseF32(DenseRows::new(&self.f32s, self.features).unwrap()),
            Kind::DenseU8 => AnyRows::DenseU8(DenseRows::new(&self.u8s, self.features).unwrap()),
            Kind::SparseF64 => AnyRows::SparseF64(SparseRows::new(offsets, indices, values, *features).unwrap()),
            Kind::SparseF32 => {
                AnyRows::SparseF32(SparseRows::new(offsets, indices, &self.sparse_f32s, *features).unwrap())
            }
        }
    }
}

/// The entries that are not zero.
pub fn sparse_matrix(rows: &[Vec<f64>]) -> SparseMatrix {
    let mut sparse = SparseMatrix { features: rows[0].len(), ..SparseMatrix::default() };
    for row in rows {
        for (j, &v) in row.iter().enumerate().filter(|(_, v)| **v != 0.0) {
            sparse.indices.push(j as u32);
            sparse.values.push(v);
        }
        sparse.end_row();
    }
    sparse
}

/// A dense table; the classes are named by their numbers, except that of two classes 1 is "+" and 0 is "-".
pub fn table(rows: &[Vec<f64>], classes: &[usize]) -> Table {
    let many = classes.iter().any(|&c| c > 1);
    let name = |&c: &usize| if many { c.to_string() } else { ["-", "+"][c].to_string() };
    let labels: Vec<String> = classes.iter().map(name).collect();
    Table::dense(rows, &labels).unwrap()
}

/// The same table with sparse rows.
pub fn sparse_table(rows: &[Vec<f64>], classes: &[usize]) -> Table {
    Table { matrix: Matrix::Sparse(sparse_matrix(rows)), ..table(rows, classes) }
}

/// A table of rows with labels ±1.
pub fn signed_table(examples: &[(Vec<f64>, f64)]) -> Table {
    let rows: Vec<Vec<f64>> = examples.iter().map(|(x, _)| x.clone()).collect();
    let classes: Vec<usize> = examples.iter().map(|(_, y)| usize::from(*y > 0.0)).collect();
    table(&rows, &classes)
}

/// A table of rows with class numbers.
pub fn classed_table(examples: &[(Vec<f64>, usize)]) -> Table {
    let rows: Vec<Vec<f64>> = examples.iter().map(|(x, _)| x.clone()).collect();
    let classes: Vec<usize> = examples.iter().map(|(_, y)| *y).collect();
    table(&rows, &classes)
}

/// Many rows of four integers whose class is told by the greatest of the first ones, one in a hundred lying: few
/// mistakes, so that voters stay few. With two classes, the greater of two.
pub fn nearly_separable(seed: u64, n: usize, classes: usize) -> (Vec<Vec<f64>>, Vec<usize>) {
    let mut state = seed;
    let mut below = |m: u64| {
        // Knuth's MMIX generator: good enough for rows.
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % m
    };
    let rows: Vec<Vec<f64>> = (0..n).map(|_| (0..4).map(|_| below(61) as f64 - 30.0).collect()).collect();
    let greatest = |x: &Vec<f64>| (0..classes).max_by(|&a, &b| x[a].total_cmp(&x[b])).expect("two classes or more");
    let labels = rows.iter().map(|x| if below(100) == 0 { below(classes as u64) as usize } else { greatest(x) });
    let labels: Vec<usize> = labels.collect();
    (rows, labels)
}

/// One vector for each output, the bias at its end if there is one: as the naive twins write them.
pub fn vectors(weights: &Weights) -> Vec<Vec<f64>> {
    let bias = |k: usize| weights.biased().then(|| weights.bias()[k]);
    (0..weights.outputs()).map(|k| weights.column(k).chain(bias(k)).collect()).collect()
}

/// The vector of the only output.
pub fn vector(weights: &Weights) -> Vec<f64> {
    let [one] = vectors(weights).try_into().expect("one output");
    one
}

/// Weights from one vector for each output, the bias at its end if there is one.
pub fn weights(vectors: &[Vec<f64>], bias: bool) -> Weights {
    let features = vectors[0].len() - usize::from(bias);
    let values = (0..features).flat_map(|j| vectors.iter().map(move |w| w[j])).collect();
    let biases = vectors.iter().map(|w| if bias { w[features] } else { 0.0 }).collect();
    Weights::from_parts(values, biases, bias)
}

/// Whether all numbers agree up to `tolerance`, relative to the greatest (and at least 1).
pub fn close(a: &[f64], b: &[f64], tolerance: f64) -> bool {
    let size = a.iter().chain(b).fold(1.0, |m: f64, v| m.max(v.abs()));
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() <= tolerance * size)
}

/// Whether all numbers agree to the last bit.
pub fn same_bits(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits())
}

/// The ways to keep that a learner allows.
pub fn keeps(entry: &Entry) -> Vec<KeepKind> {
    KeepKind::ALL.iter().copied().filter(|k| entry.other_keeps || *k == entry.keep).collect()
}

/// All ways to tell more than two classes apart.
pub const MULTICLASS: [Multiclass; 3] = [Multiclass::Single, Multiclass::Uniform, Multiclass::OneVsRest];

/// Calls `check` for every learner of the registry with every way to keep, for two classes and for three in each of
/// the ways to tell them apart.
pub fn each_learner(mut check: impl FnMut(&str, Trainer, usize)) {
    for entry in rosenblatt::learn::learners::all() {
        for keep in keeps(entry) {
            let trainer = Trainer::new(entry.name).keep(keep);
            check(&format!("{}, {}, 2 classes", entry.name, keep.name()), trainer.clone(), 2);
            for multiclass in MULTICLASS {
                let name = format!("{}, {}, 3 classes {multiclass:?}", entry.name, keep.name());
                check(&name, trainer.clone().multiclass(multiclass), 3);
            }
        }
    }
}

/// So many cases of a property; .cargo/config.toml has the seed.
pub fn cases(count: u32) -> proptest::test_runner::Config {
    proptest::test_runner::Config { cases: count, failure_persistence: None, ..Default::default() }
}
