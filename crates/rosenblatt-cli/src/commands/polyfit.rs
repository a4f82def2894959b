//! `rosenblatt polyfit`: polynomials of one variable, with their training and test errors.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::Args;
use rosenblatt::io::Input;
use rosenblatt::polyfit::{Misfit, Polynomial, noisy_sine, points};
use rosenblatt::random::Stream;
use serde::Serialize;
use serde_json::json;

use super::open;
use crate::args::DataArgs;
use crate::output::{Output, count, number};

pub const EXAMPLES: &str = "\
Examples:
  rosenblatt polyfit                                     sin(πx) with noise: over-fitting
  rosenblatt polyfit points.csv --degree 3
  rosenblatt polyfit points.csv --degrees 0..9 --test more.csv
  rosenblatt polyfit --degree 9 --ridge 0.001";

#[derive(Args)]
pub struct PolyfitArgs {
    /// A table of x and y (the label column); sin(πx) with noise if left out
    data: Option<String>,
    #[command(flatten)]
    pub fit: FitArgs,
    #[command(flatten)]
    read: DataArgs,
}

/// What to fit: shared with `plot polyfit`.
#[derive(Args, Clone)]
pub struct FitArgs {
    /// The degree of the polynomial
    #[arg(long, value_name = "M", conflicts_with = "degrees")]
    pub degree: Option<u32>,
    /// A range of degrees, both ends counted [default: 0..9]
    #[arg(long, value_name = "A..B", value_parser = degrees)]
    pub degrees: Option<(u32, u32)>,
    /// λ: the penalty on the squares of the coefficients
    #[arg(long, value_name = "L", default_value_t = 0.0)]
    pub ridge: f64,
    /// The feature that is x, by name or number; needed if there are several
    #[arg(long, value_name = "FEATURE")]
    pub x: Option<String>,
    /// Points to test on
    #[arg(long, value_name = "FILE", conflicts_with = "holdout")]
    pub test: Option<PathBuf>,
    /// The share of the points to hold out for testing
    #[arg(long, value_name = "F")]
    pub holdout: Option<f64>,
    /// The seed of all randomness
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
}

/// `0..9`, both ends counted.
fn degrees(text: &str) -> Result<(u32, u32), String> {
    let ends = text.split_once("..").and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
    ends.filter(|(a, b)| a <= b).ok_or_else(|| "expected two degrees, the lower first, say 0..9".to_string())
}

/// The points of one run.
pub struct Points {
    pub train: Vec<[f64; 2]>,
    pub test: Vec<[f64; 2]>,
    /// The names of x and y.
    pub axes: [String; 2],
    /// The name of the data.
    pub name: String,
    /// Whether they are the built-in example.
    pub built_in: bool,
}

/// One degree, fitted and evaluated.
#[derive(Serialize)]
pub struct Fitted {
    pub degree: u32,
    pub ridge: f64,
    pub coefficients: Vec<f64>,
    pub train: Misfit,
    pub test: Option<Misfit>,
    #[serde(skip)]
    pub polynomial: Polynomial,
}

pub fn run(args: &PolyfitArgs, out: &mut Output) -> Result<ExitCode> {
    let points = args.fit.points(args.data.as_deref(), &args.read)?;
    let fits = args.fit.fit_all(&points)?;
    let best = best(&fits);
    if out.json {
        out.object(&json!({ "data": points.name, "fits": fits, "best_degree": best }))?;
        return Ok(ExitCode::SUCCESS);
    }
    let test = match points.test.len() {
        0 => "none for testing (--test FILE or --holdout F)".to_string(),
        n => format!("{} for testing", count(n as u64, "point", "points")),
    };
    out.item("data", format!("{}: {}, {test}", points.name, count(points.train.len() as u64, "point", "points")))?;
    if args.fit.ridge > 0.0 {
        out.item("ridge", format!("λ = {}", number(args.fit.ridge)))?;
    }
    if let [fit] = &fits[..] {
        one(fit, out)?;
        return Ok(ExitCode::SUCCESS);
    }
    out.line("")?;
    out.heading(&format!("{:>6}  {:>12}  {:>12}  {:>12}", "degree", "train error", "test error", "largest |w|"))?;
    for fit in &fits {
        let largest = fit.coefficients.iter().fold(0.0, |most: f64, w| most.max(w.abs()));
        let test = fit.test.map_or("-".to_string(), |t| format!("{:.6}", t.rms));
        let mark = if Some(fit.degree) == best && fit.test.is_some() { "  least test error" } else { "" };
        out.line(format!("{:>6}  {:>12.6}  {test:>12}  {:>12}{mark}", fit.degree, fit.train.rms, number(largest)))?;
    }
    out.line("")?;
    out.line("Errors are root mean squares. A picture: rosenblatt plot polyfit -o fit.svg")?;
    Ok(ExitCode::SUCCESS)
}

fn one(fit: &Fitted, out: &mut Output) -> Result<()> {
    let terms = fit.coefficients.iter().enumerate().map(|(j, w)| match j {
        0 => number(*w),
        1 => format!("{} x", number(*w)),
        _ => format!("{} x^{j}", number(*w)),
    });
    out.item("degree", fit.degree)?;
    out.item("polynomial", terms.collect::<Vec<_>>().join(" + ").replace("+ -", "- "))?;
    let misfit = |m: &Misfit| format!("{} (sum of squares {})", number(m.rms), number(m.sum_of_squares));
    out.item("train error", misfit(&fit.train))?;
    if let Some(test) = &fit.test {
        out.item("test error", misfit(test))?;
    }
    Ok(())
}

/// The degree with the least test error.
pub fn best(fits: &[Fitted]) -> Option<u32> {
    let tested = fits.iter().filter_map(|f| Some((f.degree, f.test?.rms)));
    tested.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(degree, _)| degree)
}

impl FitArgs {
    /// The points of the file, or the built-in ones.
    pub fn points(&self, data: Option<&str>, read: &DataArgs) -> Result<Points> {
        let Some(data) = data else { return self.built_in() };
        let dataset = open::any_input(&Input::new(data), read)?;
        let schema = &dataset.table.schema;
        let feature = match (&self.x, schema.features()) {
            (None, 1) => 0,
            (None, n) => bail!("{}: {n} features: choose the one that is x with --x NAME", dataset.name),
            (Some(name), n) => {
                let number = name.parse::<usize>().ok().filter(|k| (1..=n).contains(k)).map(|k| k - 1);
                match schema.feature_named(name).or(number) {
                    Some(at) => at,
                    None => bail!("--x {name}: {} has no such feature", dataset.name),
                }
            }
        };
        let mut train = points(&dataset.table, feature).map_err(|e| e.in_file(&dataset.name))?;
        let mut test = Vec::new();
        if let Some(path) = &self.test {
            let more = open::any_input(&Input::new(&path.display().to_string()), read)?;
            test = points(&more.table, feature).map_err(|e| e.in_file(&more.name))?;
        }
        if let Some(share) = self.holdout {
            if !(share > 0.0 && share < 1.0) {
                bail!("--holdout {share}: expected a share between 0 and 1, both excluded");
            }
            Stream::new(self.seed, &[0x686f_6c64]).shuffle(&mut train);
            test = train.split_off(train.len() - (train.len() as f64 * share).round() as usize);
        }
        let label = match &dataset.table.schema {
            rosenblatt::rows::Schema::Columns { label: Some(label), .. } => label.clone(),
            _ => "y".to_string(),
        };
        Ok(Points {
            train,
            test,
            axes: [dataset.table.schema.feature_name(feature), label],
            name: dataset.name,
            built_in: false,
        })
    }

    fn built_in(&self) -> Result<Points> {
        if self.x.is_some() || self.test.is_some() || self.holdout.is_some() {
            bail!("--x, --test and --holdout need a file of points: name one");
        }
        const NOISE: f64 = 0.25;
        Ok(Points {
            train: noisy_sine(10, NOISE, self.seed),
            test: noisy_sine(100, NOISE, self.seed.wrapping_add(1)),
            axes: ["x".into(), "y".into()],
            name: "sin(πx) with noise".into(),
            built_in: true,
        })
    }

    /// Fits every degree requested.
    pub fn fit_all(&self, points: &Points) -> Result<Vec<Fitted>> {
        let (first, last) = match (self.degree, self.degrees) {
            (Some(degree), _) => (degree, degree),
            (None, Some(ends)) => ends,
            (None, None) => (0, 9.min(points.train.len().saturating_sub(1) as u32)),
        };
        let fit = |degree: u32| -> Result<Fitted> {
            let here = |e: rosenblatt::Error| if points.built_in { e } else { e.in_file(&points.name) };
            let polynomial = Polynomial::fit(&points.train, degree, self.ridge).map_err(here)?;
            let test = (!points.test.is_empty()).then(|| polynomial.misfit(&points.test));
            let train = polynomial.misfit(&points.train);
            Ok(Fitted { degree, ridge: self.ridge, coefficients: polynomial.coefficients(), train, test, polynomial })
        };
        (first..=last).map(fit).collect()
    }
}
