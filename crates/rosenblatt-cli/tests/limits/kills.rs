//! SIGKILL at any moment: every file that a command writes is old, new or absent, and never half of either.
//!
//! `ROSENBLATT_KILLS=500` kills more often than a run of all tests does.

use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::support::Bench;

/// Commands, and the files that each writes together.
const WRITERS: [(&str, &[&str]); 9] = [
    ("train rows.svm --epochs 3 -o model", &["model"]),
    ("train rows.svm --epochs 3 -o model.json", &["model.json"]),
    ("train rows.svm --epochs 3 -o model --checkpoint kept", &["model", "kept"]),
    ("train rows.svm --epochs 3 -o model --cache stored", &["model", "stored"]),
    ("convert rows.svm out.csv", &["out.csv"]),
    ("convert rows.svm out.svm", &["out.svm"]),
    ("convert rows.svm out.tsv", &["out.tsv"]),
    ("convert rows.svm out.npy", &["out.npy", "out.labels.npy"]),
    ("separable small.svm --certificate proof", &["proof"]),
];

fn rows(count: usize) -> String {
    let value = |i: usize, j: usize| (i * 7919 + j * 104_729) % 1009;
    let row = |i: usize| (1..9).map(|j| format!(" {j}:{}", value(i, j))).collect::<String>();
    (0..count).map(|i| format!("{}{}\n", ["-1", "+1"][value(i, 0) % 2], row(i))).collect()
}

/// Writes the data with a time that depends on nothing else: a cache holds it.
fn put_rows(bench: &Bench, count: usize) {
    bench.file("rows.svm", rows(count));
    let file = std::fs::File::options().write(true).open(bench.path("rows.svm")).unwrap();
    file.set_modified(std::time::UNIX_EPOCH + Duration::from_secs(count as u64)).unwrap();
}

#[test]
fn what_is_killed_leaves_old_files_or_new_ones() {
    let kills: u64 = std::env::var("ROSENBLATT_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(54);
    for (line, outputs) in WRITERS {
        let bench = Bench::new();
        put_rows(&bench, 6000);
        bench.file("small.svm", "+1 1:1\n-1 2:1\n+1 1:2 2:1\n");
        let begin = Instant::now();
        assert!(matches!(bench.run(line).code, Some(0 | 1)));
        let whole = begin.elapsed();
        let new: Vec<Vec<u8>> = outputs.iter().map(|name| bench.read(name)).collect();
        // Another file of the same kind, so that a cache or a checkpoint may be replaced.
        put_rows(&bench, 5000);
        outputs.iter().for_each(|name| std::fs::remove_file(bench.path(name)).unwrap());
        assert!(matches!(bench.run(line).code, Some(0 | 1)));
        let old: Vec<Vec<u8>> = outputs.iter().map(|name| bench.read(name)).collect();
        put_rows(&bench, 6000);
        let each = kills.div_ceil(WRITERS.len() as u64);
        for kill in 0..each {
            outputs.iter().zip(&old).for_each(|(name, bytes)| bench.file(name, bytes));
            let mut command = bench.command(line);
            let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
            std::thread::sleep(whole.mul_f64((kill as f64 + 0.5) / each as f64).min(Duration::from_secs(5)));
            child.kill().unwrap();
            child.wait().unwrap();
            let found: Vec<&str> = outputs
                .iter()
                .zip(old.iter().zip(&new))
                .map(|(name, (old, new))| match std::fs::read(bench.path(name)) {
                    Err(_) => "absent",
                    Ok(bytes) if bytes == *old => "old",
                    // Checkpoints are written after each pass: one that can be read is whole.
                    Ok(bytes) if bytes == *new || (*name == "kept" && is_checkpoint(&bench)) => "new",
                    Ok(_) => panic!("{line}: {name} is neither old nor new"),
                })
                .collect();
            if line.starts_with("convert") {
                assert!(!(found.contains(&"old") && found.contains(&"new")), "{line}: {found:?}");
            }
        }
        // A run that is not killed removes what the others left, and ends well.
        assert!(matches!(bench.run(line).code, Some(0 | 1)));
        let left: Vec<String> = bench.names().into_iter().filter(|name| name.ends_with(".part")).collect();
        assert!(left.is_empty(), "{line}: {left:?}");
    }
}

fn is_checkpoint(bench: &Bench) -> bool {
    let ran = bench.run("train rows.svm --resume kept --epochs 3");
    ran.code == Some(0)
}
