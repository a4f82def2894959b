//! `rosenblatt`, `rosenblatt help`, `rosenblatt help learners` and `rosenblatt help templates`.

use std::process::ExitCode;

use anyhow::{Result, bail};
use rosenblatt::learn::learners as learner;
use serde_json::json;

use crate::output::Output;

/// What `rosenblatt help` describes beside commands.
pub const TOPICS: [&str; 2] = ["learners", "templates"];

const SHORT: &str = "  rosenblatt demo                                  examples on built-in data
  rosenblatt train data.svm -o model               train a classifier, or a tagger on sentences
  rosenblatt eval model test.svm                   evaluate it
  rosenblatt predict model new.csv                 predict, one label a line
  rosenblatt cv data.csv                           stratified cross-validation
  rosenblatt tune data.csv --grid epochs=5,20      choose settings, retrain, test once
  rosenblatt explain model new.csv                 why each row got its label
  rosenblatt trace points.csv --proof              every step, with its numbers
  rosenblatt separable data.csv                    does any hyperplane separate it? a proof
  rosenblatt audit data.csv                        the best any could do, and the rows in its way
  rosenblatt verify proof.json data.csv            check the proof with independent code
  rosenblatt plot boundary data.csv -o a.svg       a picture; also curve, margins, proof, confusion
  rosenblatt polyfit                               least-squares polynomials, over-fitting
  rosenblatt lab                                   see a perceptron think, in the browser
  rosenblatt serve --data models/                  a server that answers while it learns
  rosenblatt convert data.svm data.csv             the same data in another format
  rosenblatt inspect model                         what a model holds
  rosenblatt export model --to json model.json     a model for other programs
  rosenblatt completions bash                      completions for a shell; `man` has manual pages

Data: LIBSVM, CSV, TSV, JSONL, VW, fastText, IDX, NPY, Parquet, CoNLL(-U), CRFsuite; `-`: stdin.
More: rosenblatt help COMMAND, rosenblatt help learners, rosenblatt help templates";

pub fn run(topic: Option<&str>, out: &mut Output) -> Result<ExitCode> {
    match topic {
        None => {
            out.heading("rosenblatt: the perceptron, done right")?;
            out.line("")?;
            out.lines(SHORT)?;
        }
        Some("learners") => learners(out)?,
        Some("templates") => super::tag::describe_templates(out)?,
        Some(name) => {
            let mut cli = crate::args::command();
            // As --help shows it, with the global options.
            cli.build();
            let names: Vec<String> =
                cli.get_subcommands().filter(|c| !c.is_hide_set()).map(|c| c.get_name().to_string()).collect();
            let Some(command) = cli.find_subcommand_mut(name) else {
                bail!("there is no command \"{name}\": choose one of {}, or learners, templates", names.join(", "));
            };
            let help = command.render_help();
            out.styled(&help.to_string(), &help.ansi().to_string())?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn learners(out: &mut Output) -> Result<()> {
    if out.json {
        let all: Vec<_> = learner::all()
            .map(|e| {
                let params: Vec<_> = e
                    .params
                    .iter()
                    .map(|p| json!({ "name": p.name, "range": p.range_text(), "default": p.default_text(), "help": p.help }))
                    .collect();
                json!({ "name": e.name, "summary": e.summary, "guarantee": e.guarantee, "keeps": e.keep.name(),
                        "other_keeps": e.other_keeps, "parameters": params })
            })
            .collect();
        return out.object(&all);
    }
    for entry in learner::all() {
        let keeps = if entry.other_keeps { "; --keep for others" } else { "" };
        out.heading(entry.name)?;
        out.line(format!("  {} (keeps {}{keeps})", entry.summary, entry.keep.name()))?;
        out.line(format!("  guarantee: {}", entry.guarantee))?;
        for p in entry.params {
            out.line(format!(
                "  --set {:<14} {} [{}, default {}]",
                format!("{}=…", p.name),
                p.help,
                p.range_text(),
                p.default_text()
            ))?;
        }
        out.line("")?;
    }
    Ok(())
}
