//! Checks a certificate beside its data: `cargo run --release --example verify -- certificate.json data.csv`

#![allow(clippy::print_stdout)]

use std::process::ExitCode;

fn main() -> ExitCode {
    let files: Vec<String> = std::env::args().skip(1).collect();
    let [certificate, data] = files.as_slice() else {
        eprintln!("usage: verify certificate.json data");
        return ExitCode::from(2);
    };
    let read = |path: &String| std::fs::read(path).map_err(|e| format!("{path}: {e}"));
    let checked = read(certificate).and_then(|c| {
        let data = read(data)?;
        rosenblatt_verify::verify(&c, &data).map_err(|refusal| refusal.to_string())
    });
    match checked {
        Ok(verified) => {
            println!("proved: {verified:#?}");
            ExitCode::SUCCESS
        }
        Err(told) => {
            eprintln!("refused: {told}");
            ExitCode::FAILURE
        }
    }
}
