//! The finder against the verifier: any small table is decided, and the proof is accepted by code that did not find it.

#![no_main]

use std::time::{Duration, Instant};

use libfuzzer_sys::fuzz_target;
use rosenblatt::ReadOptions;
use rosenblatt::certify::exact::Written;
use rosenblatt::certify::{Options, Question, Reading, Verdict, certificate, check_provable, decide, signs};
use rosenblatt::io::Input;
use rosenblatt::read::{Format, read};

/// Larger tables take long.
const MOST_ROWS: usize = 24;
const MOST_FEATURES: usize = 8;

fuzz_target!(|bytes: &[u8]| {
    let Some((first, data)) = bytes.split_first() else { return };
    let format = if first & 1 == 0 { Format::Libsvm } else { Format::Csv };
    attempt(data, format, first & 2 == 0, 1 + u32::from(first >> 2) % 2);
});

fn attempt(data: &[u8], format: Format, bias: bool, degree: u32) {
    let input = Input::memory("data", data);
    let Ok(dataset) = read(&input, &ReadOptions { format: Some(format), ..ReadOptions::default() }) else { return };
    let table = &dataset.table;
    let small = table.matrix.len() <= MOST_ROWS && table.matrix.features() <= MOST_FEATURES;
    if !small || table.labels.len() < 2 || check_provable(&dataset, None).is_err() {
        return;
    }
    let Ok(exact) = Written::new(&input, &dataset) else { return };
    let question = Question {
        rows: table.matrix.rows().expect("a reader makes valid rows"),
        exact: Box::new(exact),
        signs: signs(&table.classes, |class| if class == 1 { 1 } else { -1 }),
    };
    let deadline = (Instant::now() + Duration::from_secs(2)).into();
    let Ok(decision) = decide(&question, &Options { deadline, bias, degree, ..Options::default() }) else { return };
    if decision.verdict == Verdict::Undecided {
        return;
    }
    let names = table.labels.names();
    let (positive, negative) = names.iter().cloned().partition(|name| *name == names[1]);
    let text = certificate(&decision, &input, &dataset, &Reading { positive, negative, labels: None })
        .expect("a decision about provable data has a certificate");
    match rosenblatt_verify::verify(text.as_bytes(), data) {
        Ok(verified) => {
            let verdict = match decision.verdict {
                Verdict::Separable => rosenblatt_verify::Verdict::Separable,
                Verdict::WeaklySeparable => rosenblatt_verify::Verdict::WeaklySeparable,
                _ => rosenblatt_verify::Verdict::Inseparable,
            };
            assert_eq!(verified.verdict, verdict);
        }
        Err(refusal) => panic!("the verifier refuses what the finder proved: {refusal}\n{text}"),
    }
}
