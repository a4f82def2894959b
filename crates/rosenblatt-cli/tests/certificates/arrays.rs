//! Arrays, in files and in memory: floats are the dyadic rationals that they are.

use rosenblatt::Table;
use rosenblatt::certify::{Arrays, Options, Verdict};
use rosenblatt::rows::{DenseMatrix, Matrix, Schema, SparseMatrix};
use rosenblatt_verify::{Refusal, Verified, verify, verify_with_labels};

use crate::one_digit_changed;
use crate::support::Bench;

/// As decimals these lie on one line; as floats they do not.
const ROWS: [[f64; 2]; 3] = [[0.1, 0.3], [0.2, 0.6], [0.3, 0.9]];
const LABELS: [&str; 3] = ["1", "-1", "1"];

fn checked(arrays: &Arrays<'_>, proof: &str) -> Result<Verified, Refusal> {
    let files = arrays.files().unwrap();
    match &files.labels {
        Some(labels) => verify_with_labels(proof.as_bytes(), &files.data, labels),
        None => verify(proof.as_bytes(), &files.data),
    }
}

/// Decides, has the certificate checked, and returns both.
fn proved(table: &Table, options: &Options) -> (Verdict, String) {
    let arrays = Arrays::new(table, None).unwrap();
    let decision = arrays.decide(options).unwrap();
    let proof = arrays.certificate(&decision).unwrap();
    let told = checked(&arrays, &proof).unwrap_or_else(|refusal| panic!("{refusal}\n{proof}"));
    let verdict = match decision.verdict {
        Verdict::Separable => "separable",
        Verdict::WeaklySeparable => "weakly-separable",
        _ => "inseparable",
    };
    assert_eq!(told.verdict.to_string(), verdict);
    (decision.verdict, proof)
}

fn with_matrix(matrix: Matrix, labels: &[&str]) -> Table {
    let rows = vec![[0.0]; labels.len()];
    let features = matrix.features();
    Table { matrix, schema: Schema::Indexed { first: 1, features }, ..Table::dense(&rows, labels).unwrap() }
}

/// The same rows without their zeros.
fn sparse(rows: &[[f64; 2]], features: usize, labels: &[&str]) -> Table {
    let mut matrix = SparseMatrix { features, ..SparseMatrix::default() };
    for row in rows {
        for (j, &v) in row.iter().enumerate().filter(|(_, v)| **v != 0.0) {
            matrix.indices.push(j as u32);
            matrix.values.push(v);
        }
        matrix.end_row();
    }
    with_matrix(Matrix::Sparse(matrix), labels)
}

#[test]
fn floats_in_memory_are_fractions_of_two_not_of_ten() {
    let table = Table::dense(&ROWS, &LABELS).unwrap();
    let (verdict, proof) = proved(&table, &Options::default());
    assert_eq!(verdict, Verdict::Separable);
    let arrays = Arrays::new(&table, None).unwrap();
    for forged in one_digit_changed(&proof) {
        assert!(checked(&arrays, &String::from_utf8(forged).unwrap()).is_err());
    }
    for (at, other) in [(0, [0.1f64.next_up(), 0.3]), (2, [0.3, 0.9f64.next_down()])] {
        let mut rows = ROWS;
        rows[at] = other;
        let moved = Table::dense(&rows, &LABELS).unwrap();
        assert!(checked(&Arrays::new(&moved, None).unwrap(), &proof).is_err());
    }
    let turned = Table::dense(&ROWS, &["1", "-1", "-1"]).unwrap();
    assert!(checked(&Arrays::new(&turned, None).unwrap(), &proof).is_err());
    let quarters = [[0.25, 0.75], [0.5, 1.5], [0.75, 2.25]];
    assert_eq!(proved(&Table::dense(&quarters, &LABELS).unwrap(), &Options::default()).0, Verdict::Inseparable);
}

#[test]
fn every_kind_of_matrix_every_verdict_and_degree() {
    let doubles = |rows: &[[f64; 2]]| Matrix::Dense(DenseMatrix { values: rows.concat(), features: 2 });
    let singles = |rows: &[[f64; 2]]| {
        let values = rows.concat().iter().map(|&v| v as f32).collect();
        Matrix::DenseF32(DenseMatrix { values, features: 2 })
    };
    let bytes = |rows: &[[f64; 2]]| {
        let values = rows.concat().iter().map(|&v| v as u8).collect();
        Matrix::DenseU8(DenseMatrix { values, features: 2 })
    };
    let square = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]];
    for (labels, verdict, squared) in [
        (["no", "no", "no", "yes"], Verdict::Separable, Verdict::Separable),
        (["no", "yes", "yes", "no"], Verdict::Inseparable, Verdict::Separable),
    ] {
        let tables = [doubles(&square), singles(&square), bytes(&square)].map(|matrix| with_matrix(matrix, &labels));
        // A third feature that no row has, and labels among the numbers.
        for table in tables.iter().chain([&sparse(&square, 3, &labels)]) {
            assert_eq!(proved(table, &Options::default()).0, verdict);
            assert_eq!(proved(table, &Options { degree: 2, ..Options::default() }).0, squared);
            proved(table, &Options { bias: false, ..Options::default() });
        }
    }
    let touching = [[0.1, 0.0], [0.3, 0.0], [0.3, 0.0], [0.4, 1.0]];
    for table in [Table::dense(&touching, &["a", "a", "b", "b"]).unwrap(), sparse(&touching, 2, &["a", "a", "b", "b"])]
    {
        assert_eq!(proved(&table, &Options::default()).0, Verdict::WeaklySeparable);
    }
    // 0.1 as a float of 32 bits is another number than as one of 64.
    let narrow = with_matrix(Matrix::DenseF32(DenseMatrix { values: vec![0.1, 0.2, 0.3], features: 1 }), &LABELS);
    assert_eq!(proved(&narrow, &Options::default()).0, Verdict::Inseparable);
}

#[test]
fn sparse_rows_are_proved_of_all_their_digits() {
    let (verdict, proof) = proved(&sparse(&ROWS, 2, &LABELS), &Options::default());
    assert_eq!(verdict, Verdict::Separable);
    assert!(proof.contains("\"libsvm\""), "{proof}");
    let table = sparse(&ROWS, 2, &["a b", "c", "a b"]);
    let arrays = Arrays::new(&table, None).unwrap();
    let told = arrays.certificate(&arrays.decide(&Options::default()).unwrap()).unwrap_err().to_string();
    assert!(told.contains("a label is one word"), "{told}");
}

#[test]
fn numbers_from_one_end_of_floats_to_the_other() {
    for rows in
        [[[1e300, 1e-300], [1e300, 2e-300], [-1e300, 5e-324]], [[f64::MAX, 5e-324], [f64::MAX, 1e-323], [0.0, 0.0]]]
    {
        for table in [Table::dense(&rows, &["a", "b", "a"]).unwrap(), sparse(&rows, 2, &["a", "b", "a"])] {
            assert_eq!(proved(&table, &Options::default()).0, Verdict::Separable);
        }
    }
}

#[test]
fn what_arrays_must_be() {
    let told = |table: &Table, positive| Arrays::new(table, positive).map(|_| ()).unwrap_err().to_string();
    let three = Table::dense(&[[1.0], [2.0], [3.0]], &["a", "b", "c"]).unwrap();
    assert!(told(&three, None).contains("3 classes: name the one to separate"));
    assert!(told(&three, Some("d")).contains("no example has this label"));
    let arrays = Arrays::new(&three, Some("b")).unwrap();
    let decision = arrays.decide(&Options::default()).unwrap();
    assert_eq!(decision.verdict, Verdict::Inseparable);
    assert!(checked(&arrays, &arrays.certificate(&decision).unwrap()).is_ok());
    assert!(told(&Table::dense(&[[1.0], [2.0]], &["a", "a"]).unwrap(), None).contains("two classes"));
    let zero = Table::dense(&[[1.0], [2.0]], &["a\0", "b"]).unwrap();
    let arrays = Arrays::new(&zero, None).unwrap();
    let told = arrays.certificate(&arrays.decide(&Options::default()).unwrap()).unwrap_err().to_string();
    assert!(told.contains("holds a zero byte"), "{told}");
    let late = Options { deadline: std::time::Instant::now().into(), ..Options::default() };
    let square = Table::dense(&[[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], &["n", "y", "y", "n"]).unwrap();
    let arrays = Arrays::new(&square, None).unwrap();
    let undecided = arrays.decide(&late).unwrap();
    assert_eq!(undecided.verdict, Verdict::Undecided);
    assert!(arrays.certificate(&undecided).is_err());
}

#[test]
fn the_command_line_proves_and_checks_arrays() {
    let table = Table::dense(&ROWS, &LABELS).unwrap();
    let arrays = Arrays::new(&table, None).unwrap();
    let files = arrays.files().unwrap();
    let bench = Bench::with("X.npy", &files.data);
    bench.file("y.npy", files.labels.unwrap());
    bench.file("y.txt", "1\n-1\n1\n");
    for labels in ["y.npy", "y.txt"] {
        let said = bench.run(&format!("separable X.npy --labels {labels} --certificate proof.json --json"));
        assert_eq!((said.code, said.json()["verdict"].as_str()), (Some(0), Some("separable")));
        assert_eq!(bench.run(&format!("verify proof.json X.npy --labels {labels}")).code, Some(0));
    }
    // The certificate of the file is that of the arrays.
    assert_eq!(bench.run("separable X.npy --labels y.npy --certificate proof.json").code, Some(0));
    let decision = arrays.decide(&Options::default()).unwrap();
    assert_eq!(bench.text("proof.json"), arrays.certificate(&decision).unwrap());
    let refused = bench.run("verify proof.json X.npy");
    assert_eq!(refused.code, Some(1));
    assert!(refused.out.contains("in a file of their own, which is not given"), "{}", refused.out);
    bench.file("other.txt", "1\n-1\n-1\n");
    assert_eq!(bench.run("verify proof.json X.npy --labels other.txt").code, Some(1));
    bench.file("t.csv", "0.1,0.3,1\n0.2,0.6,-1\n0.3,0.9,1\n");
    assert_eq!(bench.run("separable t.csv").code, Some(1), "as decimals they are on one line");
}

#[test]
fn whole_numbers_that_floats_round_are_refused() {
    let npy = |kind: &str, shape: &str, values: &[u8]| {
        let header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}\n");
        [b"\x93NUMPY\x01\x00", &(header.len() as u16).to_le_bytes()[..], header.as_bytes(), values].concat()
    };
    let wide = [1i64 << 53, (1 << 53) + 1].map(i64::to_le_bytes).concat();
    let bench = Bench::with("X.npy", npy("<i8", "(2, 1)", &wide));
    bench.file("y.txt", "a\nb\n");
    let refused = bench.run("separable X.npy --labels y.txt");
    assert_eq!(refused.code, Some(2));
    assert!(refused.err.contains("beyond 2^53 were rounded"), "{}", refused.err);
    // As labels they are compared digit by digit, here and by the verifier.
    bench.file("small.npy", npy("<i8", "(2, 1)", &[3i64, -4].map(i64::to_le_bytes).concat()));
    bench.file("y.npy", npy("<i8", "(2,)", &[1i64 << 53, 7].map(i64::to_le_bytes).concat()));
    assert_eq!(bench.run("separable small.npy --labels y.npy").code, Some(0));
    assert_eq!(bench.run("separable small.npy --labels y.npy --certificate proof.json").code, Some(0));
    assert_eq!(bench.run("verify proof.json small.npy --labels y.npy").code, Some(0));
    assert_eq!(bench.run("separable small.npy --labels y.txt --certificate proof.json").code, Some(0));
    assert_eq!(bench.run("verify proof.json small.npy --labels y.txt").code, Some(0));
}
