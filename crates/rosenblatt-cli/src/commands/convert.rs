//! `rosenblatt convert`: the same data in another format, digit by digit.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::Args;
use rosenblatt::convert::{Converted, convert};
use rosenblatt::io;
use rosenblatt::read::Format;
use serde_json::json;

use super::{open, outputs};
use crate::args::DataArgs;
use crate::output::{Output, count, note};
use crate::{show, words};

pub const EXAMPLES: &str = "\
Examples:
  rosenblatt convert data.svm data.csv
  rosenblatt convert table.csv.gz table.svm
  rosenblatt convert train-images-idx3-ubyte.gz digits.svm --labels train-labels-idx1-ubyte.gz
  rosenblatt convert data.csv data.npy             the labels go to data.labels.npy
  rosenblatt convert data.csv - --to tsv | head";

#[derive(Args)]
pub struct ConvertArgs {
    /// The data; `-` is standard input
    data: String,
    /// The file to write; its name gives the format; `-` is standard output
    out: String,
    /// libsvm, csv, tsv or npy [default: by the name]
    #[arg(long, value_name = "FORMAT")]
    to: Option<String>,
    #[command(flatten)]
    read: DataArgs,
}

pub fn run(args: &ConvertArgs, out: &mut Output) -> Result<ExitCode> {
    let to = target(args)?;
    if args.out == "-" && out.json {
        bail!("OUT - and --json both use standard output: name a file");
    }
    let labels_file = labels_file(args, to)?;
    let paths: Vec<&String> = std::iter::once(&args.out).chain(&labels_file).collect();
    let files = if args.out == "-" { None } else { Some(io::Outputs::create(&paths)?) };
    let input = open::rereadable_input(&args.data)?;
    let dataset = open::any_input(&input, &args.read)?;
    open::print_notes(&dataset, true);
    let Converted { bytes, labels, notes } = convert(&input, &dataset, to).map_err(|e| e.in_file(&dataset.name))?;
    notes.iter().for_each(|text| note(format!("{}: {}", args.out, words::message(text))));
    if args.out == "-" {
        if labels.is_some() {
            bail!("{to} needs two files, one for the labels: name the first");
        }
        out.bytes(&bytes)?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(files) = files {
        files.commit(&std::iter::once(&bytes[..]).chain(labels.as_deref()).collect::<Vec<_>>())?;
    }
    let (rows, features) = (dataset.table.matrix.len(), dataset.table.matrix.features());
    if out.json {
        out.object(&json!({ "data": dataset.name, "format": to.to_string(), "examples": rows, "features": features,
                            "bytes": bytes.len(), "file": args.out, "labels": labels_file }))?;
    } else {
        let examples = count(rows as u64, "example", "examples");
        let features = count(features as u64, "feature", "features");
        out.item("written", format!("{} [{to}]: {examples}, {features}", show::file(&args.out)))?;
        if let Some(file) = labels_file {
            out.item("labels", show::file(&file))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Checks the output, and the file of labels beside an array, which the user did not name: it replaces no file, unless
/// together with its array.
fn labels_file(args: &ConvertArgs, to: Format) -> Result<Option<String>> {
    if args.out == "-" {
        return Ok(None);
    }
    let reads = [Some(&args.data), args.read.labels.as_ref()];
    let reads: Vec<&Path> = reads.into_iter().flatten().map(Path::new).collect();
    let data = ("OUT", Path::new(&args.out));
    if to != Format::Npy {
        outputs::check(&reads, &[data])?;
        return Ok(None);
    }
    let labels = format!("{}.labels.npy", args.out.trim_end_matches(".npy"));
    outputs::check(&reads, &[data, ("the labels of OUT", Path::new(&labels))])?;
    if Path::new(&labels).exists() && !data.1.exists() {
        bail!("{}: the labels would replace this file: remove it, or name another OUT", show::file(&labels));
    }
    Ok(Some(labels))
}

/// The format given by `--to`, or by the name.
fn target(args: &ConvertArgs) -> Result<Format> {
    for packed in [".gz", ".zst", ".bz2", ".xz"] {
        if args.out.to_ascii_lowercase().ends_with(packed) {
            bail!("{}: convert does not compress: leave out {packed}, or write to `-` and pipe it", args.out);
        }
    }
    if let Some(name) = &args.to {
        return Ok(name.parse()?);
    }
    match Format::by_name(&args.out) {
        Some(format) => Ok(format),
        None => bail!("{}: the name does not give the format: choose --to libsvm, csv, tsv or npy", args.out),
    }
}
