//! Binary arrays, the labels beside them.

use rosenblatt_verify::{Check, Refusal, Verdict, Verified, verify, verify_with_labels};

use crate::cases::{Arrays, arrays, npy};
use crate::one_digit_changed;

fn check(case: &Arrays) -> Result<Verified, Refusal> {
    verify_with_labels(case.certificate.as_bytes(), &case.data, &case.labels)
}

fn refused(case: &Arrays, kind: Check, told: &str) {
    let refusal = check(case).expect_err(&case.certificate);
    assert_eq!(refusal.check(), kind, "{refusal}");
    assert!(refusal.to_string().contains(told), "{refusal}");
}

fn doubles(values: &[f64]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

const X: [f64; 6] = [0.1, 0.3, 0.2, 0.6, 0.3, 0.9];

#[test]
fn floats_are_what_their_bits_say() {
    let case = arrays();
    let got = check(&case).unwrap();
    assert_eq!((got.verdict, got.examples, got.positive, got.features), (Verdict::Separable, 3, 2, 2));
    // A bit more or less of one value, and the line is another: what is still accepted must still be true.
    let (mut accepted, mut refused_by_proof) = (0, 0);
    for at in 0..X.len() {
        for other in [X[at].next_up(), X[at].next_down()] {
            let mut x = X;
            x[at] = other;
            match check(&case.with(npy("<f8", "(3, 2)", &doubles(&x)), case.labels.clone())) {
                Ok(_) => accepted += 1,
                Err(refusal) if refusal.check() == Check::Proof => refused_by_proof += 1,
                Err(refusal) => panic!("{refusal}"),
            }
        }
    }
    assert!(accepted > 0 && refused_by_proof > 0, "{accepted} {refused_by_proof}");
    let on_a_line = [0.25, 0.75, 0.5, 1.5, 0.75, 2.25];
    let line = case.with(npy("<f8", "(3, 2)", &doubles(&on_a_line)), case.labels.clone());
    refused(&line, Check::Proof, "example 2 lies on the wrong side of the hyperplane");
}

#[test]
fn with_any_digit_or_byte_changed_it_is_refused() {
    let case = arrays();
    for (at, certificate) in one_digit_changed(&case.certificate) {
        assert!(check(&Arrays { certificate, ..case.clone() }).is_err(), "byte {at}");
    }
    for at in 0..case.data.len() {
        let mut data = case.data.clone();
        data[at] ^= 1;
        refused(&Arrays { data, ..case.clone() }, Check::Data, "their SHA-256 is");
    }
    for at in 0..case.labels.len() {
        let mut labels = case.labels.clone();
        labels[at] ^= 1;
        refused(&Arrays { labels, ..case.clone() }, Check::Data, "the labels' SHA-256 is");
    }
}

#[test]
fn forged_with_right_hashes_it_is_refused_by_the_mathematics() {
    let case = arrays();
    refused(&case.forge("\"3/72", "\"5/72"), Check::Proof, "example 2 lies on the wrong side of the hyperplane");
    refused(&case.forge("\"1/1000000000000000000\"", "\"1/100000000000000000\""), Check::Proof, "nearer");
    refused(&case.forge("\"1/10000000000000000\"", "\"1/100000000000000000\""), Check::Proof, "longer");
    refused(&case.forge("\"features\": 2", "\"features\": 3"), Check::Form, "2 entries for 3 features");
    let narrow = case.with(npy("<f8", "(3, 1)", &doubles(&X[..3])), case.labels.clone());
    refused(&narrow, Check::Data, "reading.features is 2, but there are 1");
    refused(&case.forge("\"examples\": 3", "\"examples\": 4"), Check::Data, "data.examples is 4, but there are 3");
    refused(&case.forge("[\"-1\"]", "[\"-1\", \"0\"]"), Check::Data, "no example has the label \"0\"");
    let turned = case.with(case.data.clone(), npy("<i8", "(3,)", &[-1i64, 1, -1].map(i64::to_le_bytes).concat()));
    refused(&turned, Check::Proof, "example 1 lies on the wrong side");
    let swapped = case.forge("\"npy\", \"features\": 2", "\"libsvm\", \"first\": 1, \"features\": 2");
    refused(&swapped, Check::Form, "data has an unknown key \"labels\"");
}

#[test]
fn labels_of_any_kind_and_in_a_text() {
    let case = arrays();
    let with = |labels: Vec<u8>| case.with(case.data.clone(), labels);
    assert!(check(&with(npy("<f8", "(3,)", &doubles(&[1.0, -1.0, 1.0])))).is_ok());
    assert!(check(&with(npy("|i1", "(3, 1)", &[1, 255, 1]))).is_ok());
    assert!(check(&with(npy("|S2", "(3,)", b"1\0-1+1"))).is_ok());
    assert!(check(&with(b"1\r\n-1\n 1.0\n".to_vec())).is_ok());
    assert!(check(&with(b"1\n-1\n1".to_vec())).is_ok());
    refused(&with(b"1\n-1\n\n1\n".to_vec()), Check::Data, "there are 4 labels for 3 rows");
    refused(&with(b"1\n\n1\n".to_vec()), Check::Data, "example 2 has no label");
    refused(&with(npy("<f8", "(3,)", &doubles(&[1.0, f64::NAN, 1.0]))), Check::Data, "example 2 has no label");
    refused(&with(npy("|i1", "(1, 3)", &[1, 255, 1])), Check::Data, "a matrix, not a list");
    refused(&with(Vec::new()), Check::Data, "there are 1 labels for 3 rows");
}

#[test]
fn what_is_given_must_be_what_is_needed() {
    let case = arrays();
    let told = verify(case.certificate.as_bytes(), &case.data).unwrap_err().to_string();
    assert!(told.ends_with("their labels are in a file of their own, which is not given"), "{told}");
    let xor = crate::cases::xor();
    let told = verify_with_labels(xor.certificate.as_bytes(), xor.data.as_bytes(), b"").unwrap_err().to_string();
    assert!(told.ends_with("they hold their labels themselves, but a file of labels is given"), "{told}");
    for (bad, told) in [(f64::NAN, "example 2, feature 1 is not a finite number"), (f64::INFINITY, "finite")] {
        let mut x = X;
        x[2] = bad;
        let case = case.with(npy("<f8", "(3, 2)", &doubles(&x)), case.labels.clone());
        refused(&case, Check::Data, told);
    }
    refused(&case.with(b"0.1,0.3\n".to_vec(), case.labels.clone()), Check::Data, "not an NPY file");
    refused(&case.with(case.data[..150].to_vec(), case.labels.clone()), Check::Data, "does not fit the 22 bytes");
}
