//! NPY files that lie.

use crate::{each_cut, each_flip, outcome};

const HEADER: &str = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }";
const LABELS: &[u8] = b"a\nb\n";

fn values() -> Vec<u8> {
    [0.5f64, -1.0, 2.0, 3.0, 4.0, 1e300].iter().flat_map(|v| v.to_le_bytes()).collect()
}

fn file(version: u8, header: &str, data: &[u8]) -> Vec<u8> {
    let length = header.len() as u32;
    let length = if version == 1 { (length as u16).to_le_bytes().to_vec() } else { length.to_le_bytes().to_vec() };
    [b"\x93NUMPY", &[version, 0][..], &length, header.as_bytes(), data].concat()
}

fn refused(header: &str) {
    let message = outcome(&file(1, header, &values()), LABELS).unwrap_err();
    assert!(message.starts_with("data: ") && !message.contains('\n'), "{header}: {message}");
}

#[test]
fn the_frame() {
    for version in 1..=3 {
        assert_eq!(outcome(&file(version, HEADER, &values()), LABELS), Ok((2, 3)));
    }
    for version in [0, 4, 255] {
        assert!(outcome(&file(version, HEADER, &values()), LABELS).unwrap_err().contains("versions 1 to 3"));
    }
    // The length of the header.
    let whole = file(2, HEADER, &values());
    let right = HEADER.len() as u32;
    for length in [0, 1, right - 1, right + 1, right + 48, right + 49, 1 << 20, i32::MAX as u32, u32::MAX] {
        let mut lie = whole.clone();
        lie[8..12].copy_from_slice(&length.to_le_bytes());
        assert!(outcome(&lie, LABELS).is_err(), "{length}");
    }
    // Bytes after the data, or too few.
    for more in [1, 8, 47] {
        assert!(outcome(&file(1, HEADER, &[values(), vec![0; more]].concat()), LABELS).is_err());
        assert!(outcome(&file(1, HEADER, &values()[more..]), LABELS).is_err());
    }
}

#[test]
fn every_key_of_the_header() {
    for shape in [
        "(2, 4)",
        "(2, 2)",
        "(3, 3)",
        "(6,)",
        "()",
        "(0, 3)",
        "(2, 0)",
        "(-2, 3)",
        "(2.0, 3)",
        "2",
        "[2, 3]",
        "(2, 3",
        "(0, 9223372036854775807, 9223372036854775807)",
        "(18446744073709551615, 18446744073709551615)",
        "(9223372036854775808, 2)",
        "(2305843009213693952, 8)",
        "(99999999999999999999999,)",
        "None",
        "('2', 3)",
        "(2, 3) + ()",
        "(2, 3), 'shape': (3, 2)",
    ] {
        refused(&HEADER.replace("(2, 3)", shape));
    }
    refused(&HEADER.replace("(2, 3)", &format!("({}6)", "1, ".repeat(100))));
    for descr in [
        "'<f4'",
        "'<f16'",
        "'<c8'",
        "'|O'",
        "'O'",
        "'|V8'",
        "'<M8[ns]'",
        "'<U2'",
        "'|S8'",
        "'|S0'",
        "'|S1048576'",
        "''",
        "'f'",
        "'<f8x'",
        "'é8'",
        "[('a', '<f8')]",
        "8",
        "None",
        "'<f8', 'descr': '<i8'",
        "'|S99999999999999999999'",
    ] {
        refused(&HEADER.replace("'<f8'", descr));
    }
    for order in ["0", "None", "'False'", "Falsehood", "true", "False or True", "False, 'fortran_order': True", ""] {
        refused(&HEADER.replace("False", order));
    }
    for header in ["", "{", "}", "{}", "[]", "{'descr'}", "None", "{'descr': '<f8'", "\u{0}\u{0}"] {
        refused(header);
    }
    refused(&format!("{HEADER}.clear()"));
    refused(&HEADER.replace(", }", ", 'extra': 1}"));
}

#[test]
fn cuts_and_flipped_bytes() {
    for whole in [
        file(1, HEADER, &values()),
        file(3, &HEADER.replace("<f8", ">i8").replace("False", "True"), &values()),
        file(1, &HEADER.replace("<f8", "|u1"), &[1, 2, 3, 4, 5, 6]),
    ] {
        outcome(&whole, LABELS).unwrap();
        each_cut(&whole, |cut| assert!(outcome(cut, LABELS).is_err()));
        each_flip(&whole, |lie| {
            let _ = outcome(lie, LABELS);
        });
    }
}

/// The same lies in a file of labels.
#[test]
fn labels_that_lie() {
    let rows = file(1, HEADER, &values());
    for (descr, data) in [("<i8", 16), ("<U2", 16), ("|S3", 6), ("<f4", 8)] {
        let header = HEADER.replace("<f8", descr).replace("(2, 3)", "(2,)");
        let whole =
            file(1, &header, &(1..=data).map(|i| if descr == "<U2" && i % 4 > 1 { 0 } else { i }).collect::<Vec<u8>>());
        each_cut(&whole, |cut| assert!(outcome(&rows, cut).is_err()));
        each_flip(&whole, |lie| {
            let _ = outcome(&rows, lie);
        });
    }
}
