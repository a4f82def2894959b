//! `rosenblatt plot boundary`: two features, the classes, and the boundary between them.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::Args;
use rosenblatt::fit::{Data, Until, With};
use rosenblatt::learn::Hypothesis;
use rosenblatt::read::NeedLabels;
use rosenblatt::rows::Table;
use rosenblatt::theory::{Plane, PlaneScorer};
use rosenblatt::{Evaluation, Model};
use rosenblatt_plot::{Band, Boundary};
use serde_json::json;

use super::{PictureArgs, made_by, plane, separating, short_name};
use crate::args::{DataArgs, KernelArgs, LearnArgs};
use crate::commands::{choose, open};
use crate::output::{Output, count, number, percent};

/// The most passes, unless it is said.
const EPOCHS: u32 = 100;

#[derive(Args)]
pub struct BoundaryArgs {
    /// The examples; `-` is standard input
    data: String,
    /// The model to draw. Without one: for two classes the line of maximum margin, or, if no line separates them, the
    /// hulls that meet; for more, a model trained for the picture
    model: Option<PathBuf>,
    /// The horizontal feature, by name or number; needed if there are more than two
    #[arg(long, value_name = "FEATURE")]
    x: Option<String>,
    /// The vertical feature
    #[arg(long, value_name = "FEATURE")]
    y: Option<String>,
    #[command(flatten)]
    picture: PictureArgs,
    /// Train this learner on the two features, and draw the result
    #[arg(long, value_name = "NAME", help_heading = "Learning", conflicts_with = "model")]
    learner: Option<String>,
    /// At most N passes [default: 100]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), help_heading = "Learning")]
    epochs: Option<u32>,
    /// shuffled, cyclic, or a file of example numbers [default: shuffled]
    #[arg(long, value_name = "ORDER", help_heading = "Learning")]
    order: Option<String>,
    #[command(flatten)]
    learn: LearnArgs,
    #[command(flatten)]
    space: KernelArgs,
    #[command(flatten)]
    read: DataArgs,
}

impl BoundaryArgs {
    /// Whether an option asks for what a learner finds: a curve, or the result of a training.
    fn asks_for_a_learner(&self) -> bool {
        let LearnArgs { set, keep, rate, schedule, epsilon, average_gradient, init, class_weight, prepare, .. } =
            &self.learn;
        let texts = [rate, schedule, epsilon, class_weight];
        self.learner.is_some()
            || self.space.kernel.is_some()
            || (prepare.degree > 1 || prepare.lift.is_some())
            || (self.epochs.is_some() || self.order.is_some() || *average_gradient)
            || (!set.is_empty() || keep.is_some() || init.is_some() || texts.iter().any(|text| text.is_some()))
    }
}

pub fn run(args: &BoundaryArgs, out: &mut Output) -> Result<()> {
    match &args.model {
        Some(path) => with_model(args, path, out),
        None => without_model(args, out),
    }
}

fn with_model(args: &BoundaryArgs, path: &Path, out: &mut Output) -> Result<()> {
    let form = args.picture.form(&[path, Path::new(&args.data)], out)?;
    let model = Model::load(path)?;
    let dataset = open::data_for(&model, &args.data, &args.read, NeedLabels::Yes)?;
    open::print_notes(&dataset, out.json);
    let plane = plane::choose(&model.schema, args.x.as_deref(), args.y.as_deref())?;
    let axes = (plane::axes(&model.schema, plane), model.schema.features());
    let title = format!("{} on {}", short_name(&path.display().to_string()), short_name(&dataset.name));
    draw(args, form, &model, &dataset.table, (plane, axes), title, out)
}

fn without_model(args: &BoundaryArgs, out: &mut Output) -> Result<()> {
    let form = args.picture.form(&[Path::new(&args.data)], out)?;
    let learner = args.learner.clone().unwrap_or_else(|| rosenblatt::learn::Recipe::default().learner);
    let order = args.order.as_deref().unwrap_or("shuffled");
    let trainer = choose::trainer(&learner, args.epochs.unwrap_or(EPOCHS), order, &args.learn)?;
    let mut trainer = choose::in_space(trainer, &args.space, &args.learn)?;
    if args.learner.is_none() {
        // The picture shows what is kept: it goes on until that separates the classes, where something does.
        trainer.until = Until::Kept;
    }
    let input = open::rereadable_input(&args.data)?;
    let dataset = open::training_input(&input, &args.read)?;
    open::print_notes(&dataset, out.json);
    let schema = &dataset.table.schema;
    let plane = plane::choose(schema, args.x.as_deref(), args.y.as_deref())?;
    let axes = plane::axes(schema, plane);
    if !args.asks_for_a_learner() && dataset.table.labels.len() == 2 {
        if args.learn.no_bias || args.learn.bias.is_some() {
            let option = if args.learn.no_bias { "--no-bias" } else { "--bias" };
            bail!("{option} is for a learner: name one with --learner");
        }
        let shown = separating::Shown { plane, axes, features: schema.features(), picture: &args.picture, form };
        return separating::draw(&input, &dataset, &shown, "boundary", out);
    }
    let table = plane.table(&dataset.table)?;
    table.check_lengths().map_err(|e| e.in_file(&dataset.name))?;
    let here = |e: rosenblatt::Error| e.in_file(&dataset.name);
    let prepared = trainer.prepare(&table).map_err(here)?;
    let trainer = choose::begin(trainer, &args.learn, &prepared)?;
    let fitted = trainer.fit_with(Data::Prepared(&prepared), With::default()).map_err(here)?;
    let space = match (&args.space.kernel, args.learn.prepare.degree) {
        (Some(kernel), _) => format!(", {kernel}"),
        (None, 1) => String::new(),
        (None, degree) => format!(", degree {degree}"),
    };
    let title = format!("{learner}{space} on {}", short_name(&dataset.name));
    draw(args, form, &fitted.model, &table, (Plane { x: 0, y: 1 }, (axes, 2)), title, out)
}

fn draw(
    args: &BoundaryArgs,
    form: super::Form,
    model: &Model,
    table: &Table,
    (plane, (axes, features)): (Plane, ([String; 2], usize)),
    title: String,
    out: &mut Output,
) -> Result<()> {
    let rows = table.matrix.rows()?;
    let points = plane.points(rows);
    let predicted = model.classify_all(rows)?;
    let mistakes: Vec<usize> = (0..points.len()).filter(|&i| predicted[i] != table.classes[i]).collect();
    let evaluation = Evaluation::new(model, table)?;
    let scorer = PlaneScorer::new(model, plane, rows);
    let (class, score) = (|p: [f64; 2]| scorer.class(p), |p: [f64; 2]| scorer.score(p));
    let mut notes = vec![format!(
        "{}: {} of {} wrong ({})",
        made_by(model),
        mistakes.len(),
        count(points.len() as u64, "example", "examples"),
        percent(evaluation.error)
    )];
    if features > 2 {
        let others = count(features as u64 - 2, "other feature", "other features");
        notes.push(format!("{others} held at the mean; examples are where these two features put them"));
    }
    // The margin is a distance in the plane only if there are no other features.
    let straight = matches!(model.hypothesis, Hypothesis::Linear(_)) && model.chain.is_empty();
    let linear = features == 2 && table.labels.len() == 2 && straight;
    let signed = |i: usize| if table.classes[i] == 1 { score(points[i]) } else { -score(points[i]) };
    let least = (0..points.len()).map(signed).fold(f64::INFINITY, f64::min);
    let (mut support, mut band) = (Vec::new(), None);
    if linear && mistakes.is_empty() && least > 0.0 {
        support = (0..points.len()).filter(|&i| signed(i) <= least * (1.0 + 1e-9)).collect();
        let w = model.hypothesis.hyperplane();
        let width = least / w.values()[0].hypot(w.values()[1]);
        band = Some(Band { score: &score, level: least, name: format!("margin {}", number(width)) });
    }
    let boundary = Boundary {
        title: args.picture.title(title),
        notes,
        axes: axes.clone(),
        points: &points,
        classes: &table.classes,
        names: table.labels.names(),
        regions: Some(&class),
        band,
        mistakes: mistakes.clone(),
        support,
        support_name: "nearest".into(),
        crossing: None,
    };
    let facts = json!({ "examples": points.len(), "mistakes": mistakes.len(), "x": axes[0], "y": axes[1] });
    args.picture.save(form, &boundary.draw(), "boundary", facts, out)
}
