//! All sources against each other: the model has the same bytes through each.

use std::fmt::Write as _;
use std::path::Path;

use super::file::{FileData, Storage, fit_at};
use super::{Data, Fitted, Kept, Order, Report, Trainer, With};
use crate::error::Result;
use crate::io::{Input, Pace};
use crate::random::Stream;
use crate::read::{Header, ReadOptions, read};

/// Trains through a cache at this place.
fn cached(trainer: &Trainer, input: &Input, options: &ReadOptions, place: &Path, pace: Pace) -> Result<Fitted> {
    let storage = Storage::Cache(place.into());
    let fitted = fit_at(trainer, FileData::new(input, options, &storage), With::default(), pace, true)?;
    assert!(matches!(fitted.file.as_ref().unwrap().kept, Kept::Cache));
    Ok(fitted)
}

/// Trains in memory, the first pass while the file is read.
fn overlapped(trainer: &Trainer, input: &Input, pace: Pace) -> Fitted {
    let (options, storage) = (ReadOptions::default(), Storage::Memory);
    let fitted = fit_at(trainer, FileData::new(input, &options, &storage), With::default(), pace, true).unwrap();
    assert!(trainer.plan.epochs == 1 || matches!(fitted.file.as_ref().unwrap().kept, Kept::Memory(_)));
    fitted
}

/// Trains while the file is read; no rows are kept.
fn streamed(trainer: &Trainer, input: &Input, pace: Pace, skips_small: bool) -> Result<Fitted> {
    let (options, storage) = (ReadOptions::default(), Storage::Memory);
    let fitted = fit_at(trainer, FileData::new(input, &options, &storage), With::default(), pace, skips_small)?;
    assert!(matches!(fitted.file.as_ref().unwrap().kept, Kept::Nowhere));
    Ok(fitted)
}

/// More rows than two blocks of the presentation; a rare feature and a third label, if asked for, come late.
fn text(rows: usize, first: usize, late_label: bool) -> String {
    let mut stream = Stream::new(11, &[]);
    let mut text = String::new();
    for i in 0..rows {
        let (a, b) = (stream.below(9) as f64 / 4.0 - 1.0, stream.below(7) as f64 - 3.0);
        let label = if late_label && i == rows - 5 {
            "3"
        } else if a + b / 3.0 > 0.1 {
            "+1"
        } else {
            "-1"
        };
        write!(text, "{label} {}:{a:.2} {}:{b}", first + 1, first + 3).unwrap();
        if i % 1000 == 999 {
            write!(text, " {}:{}", first + 4 + i / 1000, 0.001 * i as f64).unwrap();
        }
        text.push('\n');
        if i == rows / 2 && first == 0 {
            text += "-1 0:0.5 3:1\n";
        }
    }
    text
}

fn whole(trainer: &Trainer, input: &Input) -> (Vec<u8>, Report) {
    let dataset = read(input, &ReadOptions::default()).unwrap();
    let mut fitted = trainer.fit(&dataset.table).unwrap();
    fitted.model.facts.data = Some(dataset.fingerprint);
    (fitted.model.to_bytes(), fitted.report)
}

#[test]
fn stream_cache_and_overlapped_first_pass_give_the_same_bytes_as_memory() {
    let dir = tempfile::tempdir().unwrap();
    for (case, (first, late_label)) in [(1, false), (0, false), (1, true)].into_iter().enumerate() {
        let input = Input::memory("m.svm", text(140_000, first, late_label));
        for (learner, order) in
            [("averaged", Order::Shuffled { seed: 5 }), ("arow", Order::Cyclic), ("voted", Order::Shuffled { seed: 0 })]
        {
            // A voted model of many updates is large: one pass is enough.
            let epochs = if learner == "voted" { 1 } else { 3 };
            let mut trainer = Trainer::new(learner).epochs(epochs).order(order);
            let place = dir.path().join(format!("{case}-{learner}"));
            let (bytes, report) = whole(&trainer, &input);
            for (chunk, threads) in [(1 << 18, 2), (1 << 14, 1)] {
                let pace = Pace { chunk, threads };
                let cached = cached(&trainer, &input, &ReadOptions::default(), &place, pace).unwrap();
                assert_eq!(cached.model.to_bytes(), bytes, "{learner} {case} {threads}");
                assert_eq!(cached.report, report);
                assert_eq!(cached.failures.iter().map(|&n| u64::from(n)).sum::<u64>(), report.mistakes);
                if epochs == 1 {
                    continue;
                }
                let fitted = overlapped(&trainer, &input, pace);
                assert_eq!(fitted.model.to_bytes(), bytes, "{learner} {case} {threads}");
                assert_eq!((&fitted.report, &fitted.failures), (&report, &cached.failures));
            }
            trainer.plan.epochs = 1;
            let (bytes, report) = whole(&trainer, &input);
            for (chunk, threads) in [(1 << 18, 2), (1 << 14, 1), (4096, 3)] {
                let pace = Pace { chunk, threads };
                let streamed = streamed(&trainer, &input, pace, true).unwrap();
                assert_eq!(streamed.model.to_bytes(), bytes, "{learner} {case} {threads}");
                assert_eq!(streamed.report.radius, report.radius);
                assert!(streamed.report.margin.is_none() && streamed.report.train_error.is_none());
            }
        }
    }
}

/// Names are numbered as they appear while a file streams, and by their order in memory; rare names, weights and a third
/// label come late.
#[test]
fn vowpal_wabbit_text_streams_to_the_bytes_of_memory() {
    for late_label in [false, true] {
        let (mut stream, mut text, rows) = (Stream::new(7, &[]), String::new(), 30_000);
        for i in 0..rows {
            let label = if late_label && i == rows - 9 { "2" } else { ["1", "-1"][stream.below(2) as usize] };
            let weight = if i > rows / 2 && i % 3 == 0 { format!(" {}", i % 4) } else { String::new() };
            write!(text, "{label}{weight} |n").unwrap();
            for _ in 0..=stream.below(5) {
                let name = stream.below(40 + i as u64 / 100);
                write!(text, " w{name}:{:.7e}", stream.unit() - 0.5).unwrap();
            }
            text.push('\n');
        }
        let input = Input::memory("m.vw", text);
        for learner in ["averaged", "arow", "voted", "alma", "pa1"] {
            let trainer = Trainer::new(learner).epochs(1);
            let (bytes, report) = whole(&trainer, &input);
            for (chunk, threads) in [(1 << 18, 2), (4096, 3)] {
                let streamed = streamed(&trainer, &input, Pace { chunk, threads }, false).unwrap();
                assert!(streamed.model.to_bytes() == bytes, "{learner} {threads}");
                assert_eq!(streamed.report.radius, report.radius);
            }
        }
    }
}

/// Short decimals are stored in four bytes: the model must not depend on it.
#[test]
fn decimals_give_the_same_bytes_as_floats() {
    let (mut dense, mut sparse) = (String::from("x,y,z,label\n"), String::new());
    let mut stream = Stream::new(4, &[]);
    for _ in 0..5_000 {
        let (x, y, z) = (stream.unit() - 0.5, stream.unit() - 0.5, stream.below(9));
        let label = usize::from(x > y) + usize::from(z > 6);
        writeln!(dense, "{x:.5},{y:.3},{z},{}", ["a", "b", "c"][label]).unwrap();
        writeln!(sparse, "{label} {}:{x:.6} {}:{z}", z + 1, z + 3 + stream.below(40)).unwrap();
    }
    for input in [Input::memory("m.svm", sparse), Input::memory("m.csv", dense)] {
        let compact = read(&input, &ReadOptions { compact: true, ..ReadOptions::default() }).unwrap();
        let name = format!("{:?}", std::mem::discriminant(&compact.table.matrix));
        let floats = read(&input, &ReadOptions::default()).unwrap();
        assert_ne!(name, format!("{:?}", std::mem::discriminant(&floats.table.matrix)), "decimals are in use");
        for learner in ["averaged", "perceptron", "pa1", "arow", "batch", "voted", "pocket"] {
            let trainer = Trainer::new(learner).epochs(if learner == "pocket" { 1 } else { 2 });
            // The pocket scores all examples at each update: few examples are enough.
            let some: Vec<u32> = (0..if learner == "pocket" { 300 } else { 5_000 }).collect();
            let (a, b) = (compact.table.select(&some), floats.table.select(&some));
            let (a, b) = (trainer.fit(&a).unwrap(), trainer.fit(&b).unwrap());
            assert_eq!(a.model.to_bytes(), b.model.to_bytes(), "{learner}");
            assert_eq!(a.report, b.report);
        }
    }
}

#[test]
fn a_table_of_numbers_streams_too() {
    let mut stream = Stream::new(3, &[]);
    let mut text = String::from("x,y,label\n");
    for _ in 0..70_000 {
        let (x, y) = (stream.unit() - 0.5, stream.unit() - 0.5);
        writeln!(text, "{x:.5},{y:.5},{}", if x > y { "up" } else { "down" }).unwrap();
    }
    let input = Input::memory("m.csv", text);
    let trainer = Trainer::new("averaged").epochs(1);
    let streamed = streamed(&trainer, &input, Pace::default(), true).unwrap();
    assert_eq!(streamed.model.to_bytes(), whole(&trainer, &input).0);
}

/// Around the 2048 rows of 1024 values where blocks become smaller.
#[test]
fn wide_rows_have_smaller_blocks_and_give_the_same_bytes() {
    let dir = tempfile::tempdir().unwrap();
    let mut random = Stream::new(2, &[]);
    let mut row = || {
        let digits: Vec<u64> = (0..1024).map(|_| 1 + random.below(9)).collect();
        let label = if digits.iter().sum::<u64>() + random.below(60) > 5150 { "+1" } else { "-1" };
        let entries: String = (1..).zip(&digits).map(|(j, v)| format!(" {j}:{v}")).collect();
        format!("{label}{entries}\n")
    };
    let rows: Vec<String> = (0..2700).map(|_| row()).collect();
    for count in [2047, 2048, 2049, 2700] {
        let input = Input::memory("m.svm", rows[..count].concat());
        let mut trainer = Trainer::new("averaged").epochs(2);
        let place = dir.path().join(count.to_string());
        let (pace, options) = (Pace { chunk: 1 << 18, threads: 2 }, ReadOptions::default());
        let cached = cached(&trainer, &input, &options, &place, pace).unwrap();
        assert!(cached.model.to_bytes() == whole(&trainer, &input).0, "{count}");
        trainer.plan.epochs = 1;
        for (chunk, threads) in [(1 << 18, 2), (1 << 20, 1), (1 << 22, 2)] {
            let pace = Pace { chunk, threads };
            let streamed = streamed(&trainer, &input, pace, false).unwrap();
            assert!(streamed.model.to_bytes() == whole(&trainer, &input).0, "{count} {chunk} {threads}");
        }
    }
}

/// A cache is reused only with the same reading options. Label, header and dropped columns were not compared, and a second
/// training with another label learned the first one's.
#[test]
fn a_cache_is_reused_only_with_the_same_options() {
    let dir = tempfile::tempdir().unwrap();
    let (data, place) = (dir.path().join("m.csv"), dir.path().join("cache"));
    let mut random = Stream::new(5, &[]);
    let rows: String = (0..3000).map(|i| format!("{},{},{}\n", i % 2, random.below(3), i % 3 / 2)).collect();
    std::fs::write(&data, format!("1,2,0\n{rows}")).unwrap();
    let input = Input::Path(data);
    let trainer = Trainer::new("averaged").epochs(2);
    let long_ago = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000);
    let run = |options: &ReadOptions| {
        if let Ok(file) = std::fs::File::options().write(true).open(&place) {
            file.set_modified(long_ago).unwrap();
        }
        let cached = cached(&trainer, &input, options, &place, Pace::default()).unwrap();
        let made = place.metadata().unwrap().modified().unwrap() != long_ago;
        let dataset = read(&input, options).unwrap();
        let mut whole = trainer.fit(&dataset.table).unwrap();
        whole.model.facts.data = Some(dataset.fingerprint);
        assert!(cached.model.to_bytes() == whole.model.to_bytes(), "{options:?}");
        made
    };
    let plain = ReadOptions { header: Header::No, ..ReadOptions::default() };
    assert!(run(&plain), "there was none");
    for same in [plain.clone(), ReadOptions { positive: Some("0".into()), ..plain.clone() }] {
        assert!(!run(&same), "{same:?}");
    }
    for other in [
        ReadOptions { label: Some("1".into()), ..plain.clone() },
        ReadOptions { drop: vec!["2".into()], ..plain.clone() },
        ReadOptions { header: Header::Yes, ..plain.clone() },
    ] {
        assert!(run(&other), "{other:?}");
        assert!(!run(&other), "{other:?}");
    }
}

#[test]
fn a_stream_reports_the_same_errors_as_reading_the_whole_file() {
    let trainer = Trainer::new("averaged").epochs(1);
    let good = "+1 1:1\n".repeat(70_000);
    let cases = [
        good.clone(),
        format!("{good}-1 1:2 1:3\n{good}"),
        format!("{good}-1 2:1e300\n+1 3:1\n"),
        format!("{good}-1\n+1 3:x\n"),
    ];
    for text in cases {
        let input = Input::memory("m.svm", text);
        let twin = read(&input, &ReadOptions::default()).and_then(|dataset| {
            dataset.table.check_learnable()?;
            dataset.table.check_lengths()?;
            Ok(())
        });
        let twin = twin.unwrap_err().in_file("m.svm").to_string();
        for (chunk, threads) in [(1 << 18, 2), (100, 1), (1000, 3)] {
            let pace = Pace { chunk, threads };
            let error = streamed(&trainer, &input, pace, true).err().unwrap();
            assert_eq!(error.to_string(), twin);
        }
    }
}

#[test]
fn a_damaged_or_stale_cache_is_rebuilt_and_another_file_is_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let (data, place) = (dir.path().join("m.svm"), dir.path().join("cache"));
    std::fs::write(&data, text(70_000, 1, false)).unwrap();
    let input = Input::Path(data.clone());
    let trainer = Trainer::new("averaged").epochs(2);
    let run = || cached(&trainer, &input, &ReadOptions::default(), &place, Pace::default());
    let model = |fitted: Result<Fitted>| fitted.unwrap().model.to_bytes();
    let bytes = whole(&trainer, &input).0;
    assert!(model(run()) == bytes);
    let cache = std::fs::read(&place).unwrap();
    // The rows are stored as the file has them: one cache serves every order.
    for order in [Order::Cyclic, Order::Shuffled { seed: 7 }] {
        let mut other = trainer.clone();
        other.plan.order = order;
        let fitted = cached(&other, &input, &ReadOptions::default(), &place, Pace::default());
        assert!(model(fitted) == whole(&other, &input).0);
        assert!(std::fs::read(&place).unwrap() == cache);
    }
    for at in [12, 20, cache.len() / 2, cache.len() - 30, cache.len() - 1] {
        let mut damaged = cache.clone();
        damaged[at] ^= 0x10;
        std::fs::write(&place, &damaged).unwrap();
        assert!(model(run()) == bytes, "byte {at}");
        assert!(std::fs::read(&place).unwrap() == cache, "byte {at}");
    }
    std::fs::write(&place, &cache[..cache.len() / 2]).unwrap();
    assert_eq!(model(run()), bytes);
    // The same size and the same time, but other bytes.
    let time = data.metadata().unwrap().modified().unwrap();
    let other = text(70_000, 1, false).replacen("+1 ", "-1 ", 1);
    std::fs::write(&data, other).unwrap();
    std::fs::File::options().write(true).open(&data).unwrap().set_modified(time).unwrap();
    assert_eq!(model(run()), whole(&trainer, &input).0);
    assert_ne!(whole(&trainer, &input).0, bytes);
    std::fs::write(&place, "precious").unwrap();
    let message = run().err().unwrap().to_string();
    assert!(
        message.ends_with("this is not a cache, and would be overwritten: name another file with `cache`"),
        "{message}"
    );
    assert_eq!(std::fs::read(&place).unwrap(), b"precious");
    let left: Vec<_> = std::fs::read_dir(dir.path()).unwrap().collect();
    assert_eq!(left.len(), 2, "nothing half-written is left: {left:?}");
    // A private cache has no name, and leaves nothing behind.
    let through = Storage::Either { memory: 0, folder: dir.path().to_path_buf() };
    let options = ReadOptions::default();
    let run = || trainer.fit_with(Data::File(FileData::new(&input, &options, &through)), With::default());
    assert_eq!(model(run()), whole(&trainer, &input).0);
    let left: Vec<_> = std::fs::read_dir(dir.path()).unwrap().collect();
    assert_eq!(left.len(), 2, "{left:?}");
}
