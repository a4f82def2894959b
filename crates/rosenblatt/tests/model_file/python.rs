//! The twenty lines of FORMAT.md, run: they read what we write, and answer as we do.

use std::path::Path;
use std::process::Command;

use rosenblatt::io::Input;
use rosenblatt::map::{Preparation, Scaling, Tf};
use rosenblatt::read::{ReadOptions, read};
use rosenblatt::rows::Fill;
use rosenblatt::{Model, Trainer};

use crate::make::{three_classes, two_classes};

/// The labels that the Python reader gives to rows, or what it says instead.
fn ask_python(path: &Path, rows: &[Vec<f64>]) -> Result<Vec<String>, String> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/read_model.py");
    let written = |row: &Vec<f64>| row.iter().map(f64::to_string).collect::<Vec<_>>().join(",");
    let output = Command::new("python3").arg(script).arg(path).args(rows.iter().map(written)).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    if output.status.success() {
        Ok(text.lines().map(str::to_string).collect())
    } else {
        Err(String::from_utf8(output.stderr).unwrap())
    }
}

fn no_python() -> bool {
    let missing = !Command::new("python3").arg("--version").output().is_ok_and(|o| o.status.success());
    if missing {
        eprintln!("SKIPPED: no python3, so examples/read_model.py was NOT tested");
    }
    missing
}

#[test]
fn python_reads_what_we_write_and_answers_as_we_do() {
    if no_python() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model");
    let mut models: Vec<(Model, usize)> = Vec::new();
    for learner in ["averaged", "perceptron", "arow", "pa1"] {
        for bias in [true, false] {
            models.push((Trainer::new(learner).bias(bias).fit(&two_classes()).unwrap().model, 2));
            models.push((Trainer::new(learner).bias(bias).fit(&three_classes()).unwrap().model, 4));
        }
    }
    for scale in [Scaling::Ball, Scaling::Unit, Scaling::Standard, Scaling::MinMax] {
        let preparation = Preparation { scale, ..Preparation::default() };
        let trainer = Trainer::new("averaged").preparation(preparation);
        models.push((trainer.fit(&three_classes()).unwrap().model, 4));
    }
    for preparation in [
        Preparation { degree: 3, scale: Scaling::Standard, ..Preparation::default() },
        Preparation { hash_bits: Some(2), scale: Scaling::Ball, ..Preparation::default() },
    ] {
        models.push((Trainer::new("averaged").preparation(preparation).fit(&three_classes()).unwrap().model, 4));
    }
    for (model, features) in models {
        model.save(&path).unwrap();
        assert_eq!(Model::load(&path).unwrap(), model);
        let row = |i: usize| (0..features).map(|j| ((i * 31 + j * 17) % 23) as f64 - 9.5).collect();
        let mut rows: Vec<Vec<f64>> = (0..40).map(row).collect();
        rows.push(vec![0.0; features]);
        let ours: Vec<&str> = rows.iter().map(|row| model.predict(row).unwrap()).collect();
        assert_eq!(ask_python(&path, &rows).unwrap(), ours, "{:?}", model.facts.recipe);
    }
}

#[test]
fn python_prepares_words_and_gaps_as_we_do() {
    if no_python() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model");
    let file =
        "age,colour,note,label\n3,red,quick quick fox,a\n,blue,lazy dog,b\n5,?,quick dog,a\n4,red,lazy lazy fox,b\n";
    let options = ReadOptions { text: vec!["note".into()], missing: Some(Fill::Mean), ..ReadOptions::default() };
    let table = read(&Input::memory("mixed.csv", file), &options).unwrap().table;
    for tf in [Tf::Count, Tf::Log, Tf::Binary] {
        let preparation = Preparation { min_count: 2, tf, tf_idf: true, degree: 2, ..Preparation::default() };
        let model = Trainer::new("perceptron").preparation(preparation).fit(&table).unwrap().model;
        model.save(&path).unwrap();
        let row = |i: usize| (0..table.matrix.features()).map(|j| ((i * 5 + j * 3) % 4) as f64).collect();
        let rows: Vec<Vec<f64>> = (0..20).map(row).collect();
        let ours: Vec<&str> = rows.iter().map(|row| model.predict(row).unwrap()).collect();
        assert_eq!(ask_python(&path, &rows).unwrap(), ours, "{tf:?}");
    }
}

#[test]
fn python_refuses_a_damaged_file() {
    if no_python() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model");
    Trainer::new("averaged").fit(&two_classes()).unwrap().model.save(&path).unwrap();
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[40] ^= 1;
    std::fs::write(&path, bytes).unwrap();
    assert!(ask_python(&path, &[vec![0.0, 0.0]]).unwrap_err().contains("damaged"));
}

#[test]
fn format_md_shows_the_very_script() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = std::fs::read_to_string(root.join("FORMAT.md")).unwrap();
    let script = std::fs::read_to_string(root.join("examples/read_model.py")).unwrap();
    assert!(text.contains(&format!("```python\n{script}```")), "FORMAT.md and examples/read_model.py have parted");
}
