//! `rosenblatt plot polyfit`: polynomials through points, and the error by degree.

use std::path::Path;

use anyhow::Result;
use clap::Args;
use rosenblatt_plot::{Fit, Polyfit};
use serde_json::json;

use super::{PictureArgs, short_name};
use crate::args::DataArgs;
use crate::commands::polyfit::{FitArgs, Fitted, best};
use crate::output::{Output, number};

#[derive(Args)]
pub struct PolyfitPlotArgs {
    /// A table of x and y (the label column); sin(πx) with noise if left out
    data: Option<String>,
    #[command(flatten)]
    picture: PictureArgs,
    #[command(flatten)]
    fit: FitArgs,
    #[command(flatten)]
    read: DataArgs,
}

pub fn run(args: &PolyfitPlotArgs, out: &mut Output) -> Result<()> {
    let inputs: Vec<&Path> = args.data.iter().map(Path::new).chain(args.fit.test.as_deref()).collect();
    let form = args.picture.form(&inputs, out)?;
    let points = args.fit.points(args.data.as_deref(), &args.read)?;
    let fits = args.fit.fit_all(&points)?;
    let best = best(&fits);
    let values: Vec<_> = shown(&fits, best).into_iter().map(|f| (f, |x: f64| f.polynomial.value(x))).collect();
    let sine = |x: f64| (std::f64::consts::PI * x).sin();
    let ridge = if args.fit.ridge > 0.0 { format!(", ridge λ = {}", number(args.fit.ridge)) } else { String::new() };
    let mut notes = vec![format!("least squares{ridge}")];
    if let (Some(best), true) = (best, fits.len() > 1) {
        notes[0] = format!("{}; least test error at degree {best}", notes[0]);
    }
    let picture = Polyfit {
        title: args.picture.title(format!("Polynomials through {}", short_name(&points.name))),
        notes,
        axes: points.axes.clone(),
        train: &points.train,
        test: &points.test,
        truth: points.built_in.then_some((&sine, "sin(πx)".to_string())),
        fits: values.iter().map(|(f, value)| Fit { name: format!("M = {}", f.degree), value }).collect(),
        errors: fits.iter().map(|f| (f.degree, f.train.rms, f.test.map(|t| t.rms))).collect(),
    };
    let facts = json!({ "points": points.train.len(), "fits": fits, "best_degree": best });
    args.picture.save(form, &picture.draw(), "polyfit", facts, out)
}

/// The four fits to draw: the first two, the best (or the middle), the last.
fn shown(fits: &[Fitted], best: Option<u32>) -> Vec<&Fitted> {
    if fits.len() <= 4 {
        return fits.iter().collect();
    }
    let last = fits.len() - 1;
    let best = best.and_then(|degree| fits.iter().position(|f| f.degree == degree)).unwrap_or(last / 2);
    let mut chosen = vec![0, 1, best, last];
    // If the best is one of the others, the next degrees take its place.
    let more = (2..last).filter(|k| !chosen.contains(k)).collect::<Vec<_>>();
    chosen.sort_unstable();
    chosen.dedup();
    for k in more {
        if chosen.len() == 4 {
            break;
        }
        chosen.push(k);
    }
    chosen.sort_unstable();
    chosen.into_iter().map(|k| &fits[k]).collect()
}
