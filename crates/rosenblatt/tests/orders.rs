//! The order of the examples, as documented: cyclic, given, shuffled by blocks.

mod common;
mod naive;

use rosenblatt::fit::{BLOCK_ROWS, BLOCK_VALUES, FINE_VALUES, Order};
use rosenblatt::learn::Stop;
use rosenblatt::rows::{AnyRows, DenseRows, Examples};
use rosenblatt::{ErrorKind, Trainer};

use common::{Kind, Store, table};

/// Pass `epoch` of an order; the contents of the rows do not matter.
fn pass(order: &Order, epoch: u32, examples: Examples<'_>) -> Vec<u32> {
    let mut list = vec![7; 3]; // Old contents are cleared.
    order.fill(epoch, examples, &order.blocks(examples), &mut list);
    list
}

fn sorted(mut list: Vec<u32>) -> Vec<u32> {
    list.sort_unstable();
    list
}

#[test]
fn a_shuffled_pass_shows_each_example_exactly_once() {
    for n in [1, 2, 3, 50, 1000] {
        let store = Store::new(&vec![vec![1.0]; n]);
        let classes = vec![0; n];
        for kind in [Kind::DenseF64, Kind::SparseF64] {
            let examples = Examples::new(store.rows(kind), &classes, None).unwrap();
            for seed in [0, 1, u64::MAX] {
                for epoch in 0..5 {
                    let list = pass(&Order::Shuffled { seed }, epoch, examples);
                    assert_eq!(sorted(list), (0..n as u32).collect::<Vec<_>>());
                }
            }
        }
    }
}

#[test]
fn passes_and_seeds_shuffle_differently_and_repeatably() {
    let store = Store::new(&vec![vec![1.0]; 100]);
    let classes = [0; 100];
    let examples = Examples::new(store.rows(Kind::DenseF64), &classes, None).unwrap();
    let list = |seed, epoch| pass(&Order::Shuffled { seed }, epoch, examples);
    assert_ne!(list(1, 0), list(1, 1));
    assert_ne!(list(1, 0), list(2, 0));
    assert_eq!(list(1, 3), list(1, 3));
    assert_ne!(list(0, 0), (0..100).collect::<Vec<_>>(), "the first pass is shuffled too");
}

#[test]
fn more_than_65536_rows_make_blocks_that_the_first_pass_takes_in_order() {
    let n = BLOCK_ROWS + 5000;
    let values = vec![1u8; n];
    let rows = AnyRows::DenseU8(DenseRows::new(&values, 1).unwrap());
    let classes = vec![0; n];
    let examples = Examples::new(rows, &classes, None).unwrap();
    let (first, second): (Vec<u32>, Vec<u32>) =
        ((0..BLOCK_ROWS as u32).collect(), (BLOCK_ROWS as u32..n as u32).collect());

    for seed in 0..6 {
        let list = pass(&Order::Shuffled { seed }, 0, examples);
        assert_eq!(sorted(list[..BLOCK_ROWS].to_vec()), first, "the first block comes first");
        assert_eq!(sorted(list[BLOCK_ROWS..].to_vec()), second);
        assert_ne!(list[..BLOCK_ROWS], first, "and is shuffled within");
        assert_ne!(list[BLOCK_ROWS..], second);
    }

    let (mut in_order, mut swapped) = (0, 0);
    for epoch in 1..12 {
        let list = pass(&Order::Shuffled { seed: 3 }, epoch, examples);
        if (list[0] as usize) < BLOCK_ROWS {
            in_order += 1;
            assert_eq!(sorted(list[..BLOCK_ROWS].to_vec()), first, "blocks stay whole");
            assert_eq!(sorted(list[BLOCK_ROWS..].to_vec()), second);
        } else {
            swapped += 1;
            assert_eq!(sorted(list[..5000].to_vec()), second, "blocks stay whole");
            assert_eq!(sorted(list[5000..].to_vec()), first);
        }
    }
    assert!(in_order > 0 && swapped > 0, "later passes take the blocks in any order: {in_order}, {swapped}");
}

#[test]
fn exactly_65536_rows_are_one_block() {
    let values = vec![1u8; BLOCK_ROWS];
    let rows = AnyRows::DenseU8(DenseRows::new(&values, 1).unwrap());
    let classes = vec![0; BLOCK_ROWS];
    let examples = Examples::new(rows, &classes, None).unwrap();
    for epoch in 0..2 {
        let list = pass(&Order::Shuffled { seed: 1 }, epoch, examples);
        assert_eq!(sorted(list), (0..BLOCK_ROWS as u32).collect::<Vec<_>>());
    }
}

#[test]
fn a_block_ends_with_the_row_that_fills_it() {
    // Rows of 2¹⁵ stored values: sixty-four bring a block to 2²¹, so that blocks end at 2¹⁹, which is sixteen; one row
    // less, and all are one block.
    let (features, n) = (1 << 15, 100);
    let (filled, fine) = (BLOCK_VALUES / features, FINE_VALUES / features);
    let values = vec![0u8; features * n];
    let rows = DenseRows::new(&values, features).unwrap();
    let classes = vec![0; n];
    let examples = |n| Examples::new(AnyRows::DenseU8(rows).slice(0..n), &classes[..n], None).unwrap();
    for seed in 0..4 {
        for n in [filled, filled + 1, n] {
            let list = pass(&Order::Shuffled { seed }, 0, examples(n));
            for (k, block) in list.chunks(fine).enumerate() {
                let own = (k * fine) as u32..(k * fine + block.len()) as u32;
                assert_eq!(sorted(block.to_vec()), own.collect::<Vec<_>>());
            }
        }
        let list = pass(&Order::Shuffled { seed }, 0, examples(filled - 1));
        assert_ne!(sorted(list[..fine].to_vec()), (0..fine as u32).collect::<Vec<_>>());
    }
    // Stored entries count, not features: the same rows without any are one block.
    let store = Store::new(&vec![vec![0.0; 30]; n]);
    let examples = Examples::new(store.rows(Kind::SparseF64), &classes, None).unwrap();
    let list = pass(&Order::Shuffled { seed: 0 }, 0, examples);
    assert_ne!(sorted(list[..fine].to_vec()), (0..fine as u32).collect::<Vec<_>>());
}

#[test]
fn cyclic_and_given_orders_are_the_same_in_every_pass() {
    let store = Store::new(&vec![vec![1.0]; 5]);
    let classes = [0; 5];
    let examples = Examples::new(store.rows(Kind::DenseF64), &classes, None).unwrap();
    for epoch in [0, 1, 9] {
        assert_eq!(pass(&Order::Cyclic, epoch, examples), [0, 1, 2, 3, 4]);
        assert_eq!(pass(&Order::Given(vec![4, 4, 0]), epoch, examples), [4, 4, 0]);
    }
}

#[test]
fn examples_of_weight_zero_are_skipped_in_every_order() {
    let store = Store::new(&vec![vec![1.0]; 5]);
    let weights = [1.0, 0.0, 2.0, 0.0, 0.5];
    let examples = Examples::new(store.rows(Kind::DenseF64), &[0; 5], Some(&weights)).unwrap();
    assert_eq!(pass(&Order::Cyclic, 0, examples), [0, 2, 4]);
    assert_eq!(pass(&Order::Given(vec![1, 4, 3, 0]), 0, examples), [4, 0]);
    assert_eq!(sorted(pass(&Order::Shuffled { seed: 1 }, 1, examples)), [0, 2, 4]);
}

#[test]
fn all_weights_zero_is_an_error_and_not_an_endless_loop() {
    let mut data = table(&[vec![1.0], vec![-1.0]], &[1, 0]);
    data.weights = Some(vec![0.0, 0.0]);
    let error = Trainer::new("perceptron").fit(&data).map(|_| ()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Data);
    assert!(error.to_string().contains("weight zero"), "{error}");
}

#[test]
fn a_given_order_must_name_existing_examples() {
    let data = table(&[vec![1.0], vec![-1.0]], &[1, 0]);
    let message = |list: Vec<u32>| {
        let error = Trainer::new("perceptron").order(Order::Given(list)).fit(&data).map(|_| ()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Settings);
        error.to_string()
    };
    assert_eq!(message(vec![0, 2]), "the given order names example 3: the data have 2");
    assert_eq!(message(vec![u32::MAX]), "the given order names example 4294967296: the data have 2");
    assert_eq!(message(vec![]), "the given order names no example");
}

#[test]
fn a_given_order_is_followed_exactly() {
    // E2's two points: in this order the tie rule decides the path, and in the other it does not.
    let data = table(&[vec![1.0, 1.0, 2.0], vec![1.0, 2.0, 1.0]], &[1, 0]);
    let fitted = Trainer::new("perceptron").bias(false).order(Order::Given(vec![1, 0])).fit(&data).unwrap();
    assert_eq!((fitted.report.stopped, fitted.report.epochs, fitted.report.mistakes), (Stop::Separated, 2, 2));
    assert_eq!(fitted.report.presented, 4);
    let once = Trainer::new("perceptron").bias(false).order(Order::Given(vec![1, 1, 1])).epochs(2).fit(&data).unwrap();
    assert_eq!((once.failures, once.report.presented), (vec![0, 1], 6));
}
