//! Polynomial features and hashing against naive twins.

use std::collections::BTreeMap;

use proptest::prelude::*;
use rosenblatt::map::{Map, Preparation, murmur3};

use crate::common::{cases, close, table};
use crate::{prepared, sparse};

/// All products of up to `degree` of the values, by degree, then in order of the features; with their names.
fn expansion(row: &[f64], degree: usize) -> Vec<(Vec<usize>, f64)> {
    let mut all = Vec::new();
    let mut last: Vec<(Vec<usize>, f64)> = vec![(Vec::new(), 1.0)];
    for _ in 0..degree {
        let longer = |(factors, product): &(Vec<usize>, f64)| {
            let from = factors.last().copied().unwrap_or(0);
            (from..row.len()).map(|j| ([&factors[..], &[j]].concat(), product * row[j])).collect::<Vec<_>>()
        };
        last = last.iter().flat_map(longer).collect();
        all.extend(last.iter().cloned());
    }
    all
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn products_agree_with_the_twin(
        rows in prop::collection::vec(prop::collection::vec((-2i32..3).prop_map(f64::from), 3), 2..6),
        degree in 2u32..5,
    ) {
        let table = table(&rows, &(0..rows.len()).map(|i| i % 2).collect::<Vec<_>>());
        let preparation = Preparation { degree, ..Preparation::default() };
        let expanded: Vec<_> = rows.iter().map(|row| expansion(row, degree as usize)).collect();
        // Those that are zero in every row do not occur.
        let occurs: Vec<usize> =
            (0..expanded[0].len()).filter(|&p| expanded.iter().any(|row| row[p].1 != 0.0)).collect();
        let expected: Vec<Vec<f64>> =
            expanded.iter().map(|row| occurs.iter().map(|&p| row[p].1).collect()).collect();
        for table in [table.clone(), sparse(&table)] {
            let got = prepared(&preparation, &table);
            prop_assert!(got.iter().zip(&expected).all(|(a, b)| close(a, b, 1e-12)), "{:?} {:?}", got, expected);
            let fitted = preparation.fit(&table).unwrap();
            let name = |p: &usize| {
                let factors = &expanded[0][*p].0;
                let power = |same: &[usize]| match same.len() {
                    1 => format!("x{}", same[0] + 1),
                    n => format!("x{}^{n}", same[0] + 1),
                };
                factors.chunk_by(|a, b| a == b).map(power).collect::<Vec<_>>().join("*")
            };
            prop_assert_eq!(fitted.chain.feature_names(&table.schema).unwrap(), occurs.iter().map(name).collect::<Vec<_>>());
        }
    }

    #[test]
    fn hashing_agrees_with_the_twin(
        rows in prop::collection::vec(prop::collection::vec((-2i32..3).prop_map(f64::from), 6), 2..6),
        bits in 1u32..5,
    ) {
        let table = table(&rows, &(0..rows.len()).map(|i| i % 2).collect::<Vec<_>>());
        let expected = rows.iter().map(|row| {
            let mut buckets = vec![0.0; 1 << bits];
            for (j, v) in row.iter().enumerate() {
                let h = i64::from(murmur3(format!("x{}", j + 1).as_bytes(), 0) as i32);
                buckets[(h.abs() % (1 << bits)) as usize] += if h < 0 { -v } else { *v };
            }
            buckets
        });
        let preparation = Preparation { hash_bits: Some(bits), ..Preparation::default() };
        prop_assert_eq!(prepared(&preparation, &table), expected.collect::<Vec<_>>());
        let fitted = preparation.fit(&table).unwrap();
        let mut crowds: BTreeMap<i64, usize> = BTreeMap::new();
        (1..=6).for_each(|j| *crowds.entry(i64::from(murmur3(format!("x{j}").as_bytes(), 0) as i32).abs() % (1 << bits)).or_default() += 1);
        let Some(Map::Hashing(hashing)) = fitted.chain.maps().last() else { panic!("no hashing") };
        let report = hashing.collisions();
        prop_assert_eq!((report.features, report.buckets, report.used), (6, 1 << bits, crowds.len()));
        prop_assert_eq!(report.sharing, crowds.values().filter(|n| **n > 1).sum::<usize>());
        prop_assert_eq!(report.most, *crowds.values().max().unwrap());
        // Every name is still there, in its bucket, as far as a bucket shows them.
        let names = fitted.chain.feature_names(&table.schema).unwrap();
        for (bucket, count) in crowds {
            prop_assert_eq!(names[bucket as usize].split(" | ").count(), count.min(4));
        }
    }
}

#[test]
fn too_many_products_are_refused_before_they_are_made() {
    let rows: Vec<Vec<f64>> = (0..4).map(|i| vec![f64::from(i) + 1.0; 300]).collect();
    let told = Preparation { degree: 6, ..Preparation::default() }.fit(&table(&rows, &[0, 1, 0, 1])).unwrap_err();
    assert!(told.to_string().starts_with("degree 6: more than"), "{told}");
    let told = Preparation { degree: 0, ..Preparation::default() }.fit(&table(&rows, &[0, 1, 0, 1])).unwrap_err();
    assert_eq!(told.to_string(), "degree 0: expected 1 to 10");
}

#[test]
fn products_that_overflow_are_refused() {
    let rows = [vec![1e200, 1.0], vec![1.0, 0.0]];
    let told = Preparation { degree: 2, ..Preparation::default() }.fit(&table(&rows, &[0, 1])).unwrap_err();
    assert!(told.to_string().contains("after the preparation of the rows: row 1"), "{told}");
}
