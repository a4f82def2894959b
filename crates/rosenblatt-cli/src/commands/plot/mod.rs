//! `rosenblatt plot`: one file for each kind of picture collects the numbers; `rosenblatt-plot` draws them.

mod boundary;
mod confusion;
mod curve;
mod margins;
mod plane;
mod polyfit;
mod proof;
mod separating;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::{Args, Subcommand};
use rosenblatt::{Model, io};
use rosenblatt_plot::Picture;
use serde_json::{Value, json};

use super::outputs;
use crate::output::{Output, count};

pub const EXAMPLES: &str = "\
Examples:
  rosenblatt plot boundary points.csv -o boundary.svg
  rosenblatt plot boundary iris.csv model --x 'petal length' --y 'petal width' -o iris.png
  rosenblatt plot curve model -o curve.svg
  rosenblatt plot margins model test.svm -o margins.svg
  rosenblatt plot proof points.csv -o proof.svg
  rosenblatt plot confusion model test.svm -o confusion.png
  rosenblatt plot polyfit -o overfitting.svg";

#[derive(Args)]
pub struct PlotArgs {
    #[command(subcommand)]
    kind: Kind,
}

#[derive(Subcommand)]
enum Kind {
    /// Two features: the classes, the boundary, the margin, the mistakes
    Boundary(boundary::BoundaryArgs),
    /// Mistakes and errors by pass
    Curve(curve::CurveArgs),
    /// A histogram of the margins of the examples
    Margins(margins::MarginsArgs),
    /// The mistake bound at every update: kγ ≤ u·w ≤ ‖w‖ ≤ √k·R
    Proof(proof::ProofArgs),
    /// The confusion matrix
    Confusion(confusion::ConfusionArgs),
    /// Polynomials through points, and the error by degree
    Polyfit(polyfit::PolyfitPlotArgs),
}

pub fn run(args: &PlotArgs, out: &mut Output) -> Result<ExitCode> {
    match &args.kind {
        Kind::Boundary(args) => boundary::run(args, out),
        Kind::Curve(args) => curve::run(args, out),
        Kind::Margins(args) => margins::run(args, out),
        Kind::Proof(args) => proof::run(args, out),
        Kind::Confusion(args) => confusion::run(args, out),
        Kind::Polyfit(args) => polyfit::run(args, out),
    }?;
    Ok(ExitCode::SUCCESS)
}

/// Where a picture goes.
#[derive(Args)]
struct PictureArgs {
    /// The picture: a name that ends in .svg or .png; `-` is SVG on standard output
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// The title [default: what the picture shows]
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
}

#[derive(Clone, Copy)]
enum Form {
    Svg,
    Png,
}

impl PictureArgs {
    /// The form by the name. Refuses a wrong name, a missing folder and an input as output, before any work.
    fn form(&self, inputs: &[&Path], out: &Output) -> Result<Form> {
        let path = &self.output;
        if path == Path::new("-") {
            if out.json {
                bail!("-o - and --json both use standard output: name a file");
            }
            return Ok(Form::Svg);
        }
        let form = match path.extension().and_then(|e| e.to_str()).map(str::to_ascii_lowercase).as_deref() {
            Some("svg") => Form::Svg,
            Some("png") if cfg!(feature = "png") => Form::Png,
            Some("png") => bail!("{}: this program was built without PNG: name a .svg file", path.display()),
            _ => bail!("{}: a picture is SVG or PNG: name a file that ends in .svg or .png", path.display()),
        };
        outputs::check(inputs, &[("-o", path)])?;
        Ok(form)
    }

    fn title(&self, shown: String) -> String {
        self.title.clone().unwrap_or(shown)
    }

    /// Writes the picture and reports it; `facts` go to the JSON.
    fn save(&self, form: Form, picture: &Picture, kind: &str, facts: Value, out: &mut Output) -> Result<()> {
        let bytes = match form {
            Form::Svg => picture.to_svg().into_bytes(),
            #[cfg(feature = "png")]
            Form::Png => picture.to_png(),
            #[cfg(not(feature = "png"))]
            Form::Png => unreachable!("refused before"),
        };
        if self.output == Path::new("-") {
            out.bytes(&bytes)?;
            return Ok(());
        }
        io::write_file(&self.output, &bytes)?;
        let file = self.output.display().to_string();
        if out.json {
            let mut object = json!({ "kind": kind, "picture": file });
            if let (Value::Object(object), Value::Object(facts)) = (&mut object, facts) {
                object.extend(facts);
            }
            return out.object(&object);
        }
        out.item("picture", file)?;
        Ok(())
    }
}

/// `averaged, 10 passes`: how a model was trained.
fn made_by(model: &Model) -> String {
    let passes = count(model.facts.mistakes_by_epoch.len() as u64, "pass", "passes");
    format!("{}, {passes}", model.facts.recipe.learner)
}

/// The file's name without its folder, for a title.
fn short_name(path: &str) -> String {
    Path::new(path).file_name().map_or_else(|| path.to_string(), |name| name.to_string_lossy().into_owned())
}
