//! The finder of certificates and their verifier read the same bytes: every number must be the same.

use std::io::Read as _;

use rosenblatt::certify::{Reading, exact_rows, reading_of};
use rosenblatt::io::Input;
use rosenblatt::read::{Format, ReadOptions, read};
use rosenblatt_verify::{Check, read_examples};

/// What became of some bytes.
#[derive(Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The finder refuses them, or they have no certificate.
    Refused,
    /// Both read so many numbers, and they are the same.
    Same(usize),
}

fn decompressed(input: &Input) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    input.open().ok()?.read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// Reads bytes with both; panics where they differ. Without a format and with two classes the reading must be the plain one.
pub fn compare(bytes: &[u8], format: Option<Format>, labels: Option<&[u8]>) -> Outcome {
    let input = Input::memory("data", bytes);
    let beside = labels.map(|labels| Input::memory("labels", labels));
    let options = ReadOptions { format, labels: beside.clone(), ..ReadOptions::default() };
    let Ok(dataset) = read(&input, &options) else { return Outcome::Refused };
    let names = dataset.table.labels.names();
    if names.len() < 2 {
        return Outcome::Refused;
    }
    let sides =
        Reading { positive: vec![names[1].clone()], negative: [&names[..1], &names[2..]].concat(), labels: beside };
    let Ok(reading) = reading_of(&input, &dataset, &sides, (true, 1)) else { return Outcome::Refused };
    let Ok(exact) = exact_rows(&input, &dataset) else { return Outcome::Refused };
    let all: Vec<usize> = (0..dataset.table.classes.len()).collect();
    let Ok(rows) = exact.fetch(&all) else { return Outcome::Refused };
    let Some(bytes) = &decompressed(&input) else { return Outcome::Refused };
    let (examples, departures) = match read_examples(reading.as_bytes(), bytes, labels) {
        Ok(read) => read,
        // The verifier has limits of its own.
        Err(refusal) if refusal.check() == Check::Size || refusal.to_string().contains("5,000") => {
            return Outcome::Refused;
        }
        Err(refusal) => panic!("{refusal}\n{reading}\n{:?}", String::from_utf8_lossy(bytes)),
    };
    let shown = || format!("{reading}\n{:?}", String::from_utf8_lossy(bytes));
    assert_eq!(examples.len(), rows.len(), "{}", shown());
    let mut numbers = 0;
    for ((ours, theirs), class) in rows.iter().zip(&examples).zip(&dataset.table.classes) {
        assert_eq!(*class == 1, theirs.positive, "example {} of {}", theirs.example, shown());
        let ours: Vec<(usize, String)> = ours.rationals().into_iter().map(|(j, v)| (j, v.to_string())).collect();
        assert_eq!(ours, theirs.features, "example {} of {}", theirs.example, shown());
        numbers += ours.len();
    }
    if format.is_none() && names.len() == 2 {
        assert!(departures.is_empty(), "{departures:?} in {}", shown());
    }
    Outcome::Same(numbers)
}
