//! IDX files that lie.

use crate::{each_cut, each_flip, outcome};

const IMAGES: &[u8] = &[0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 3, 1, 2, 3, 4, 5, 255];
const LABELS: &[u8] = &[0, 0, 8, 1, 0, 0, 0, 2, 7, 3];

#[test]
fn every_field_of_the_header() {
    assert_eq!(outcome(IMAGES, LABELS), Ok((2, 3)));
    let with = |at: usize, byte: u8| {
        let mut lie = IMAGES.to_vec();
        lie[at] = byte;
        outcome(&lie, LABELS)
    };
    for kind in (0..=255).filter(|kind| ![8, 9].contains(kind)) {
        assert!(with(2, kind).is_err(), "type {kind}");
    }
    for rank in (0..=255).filter(|rank| *rank != 3) {
        assert!(with(3, rank).is_err(), "rank {rank}");
    }
    for dimension in 0..3 {
        let right = [2u32, 1, 3][dimension];
        for size in [0, right + 1, right * 2, 1 << 16, i32::MAX as u32, 1 << 31, u32::MAX] {
            let mut lie = IMAGES.to_vec();
            lie[4 + 4 * dimension..][..4].copy_from_slice(&size.to_be_bytes());
            assert!(outcome(&lie, LABELS).is_err(), "dimension {dimension} of size {size}");
        }
    }
}

/// The product of these sizes overflowed, though there are no rows.
#[test]
fn no_rows_of_many_features() {
    let sizes = [0u32, u32::MAX, u32::MAX, u32::MAX].map(u32::to_be_bytes).concat();
    let message = outcome(&[&[0, 0, 8, 4][..], &sizes].concat(), LABELS).unwrap_err();
    assert!(message.contains("no examples"), "{message}");
}

#[test]
fn cuts_and_flipped_bytes() {
    each_cut(IMAGES, |cut| assert!(outcome(cut, LABELS).is_err()));
    each_cut(LABELS, |cut| assert!(outcome(IMAGES, cut).is_err()));
    each_flip(IMAGES, |lie| {
        let _ = outcome(lie, LABELS);
    });
    each_flip(LABELS, |lie| {
        let _ = outcome(IMAGES, lie);
    });
}
