//! Two classes by two features: the line of maximum margin, or the hulls that meet.

use anyhow::{Result, bail};
use rosenblatt::ErrorKind;
use rosenblatt::certify::exact::{Chosen, ExactRows, Memory, Written};
use rosenblatt::certify::{Audit, AuditOptions, Decision, Options, Question, Verdict, audit, decide, signs};
use rosenblatt::io::Input;
use rosenblatt::read::Dataset;
use rosenblatt::theory::Plane;
use rosenblatt_plot::{Band, Boundary, Crossing};
use serde_json::json;

use super::{Form, PictureArgs, short_name};
use crate::commands::separable::between;
use crate::output::{Output, count, number};

/// What is drawn, and where it goes.
pub struct Shown<'a> {
    pub plane: Plane,
    /// The names of the two features, and how many there are in all.
    pub axes: [String; 2],
    pub features: usize,
    pub picture: &'a PictureArgs,
    pub form: Form,
}

pub fn draw(input: &Input, dataset: &Dataset, shown: &Shown<'_>, kind: &str, out: &mut Output) -> Result<()> {
    let table = shown.plane.table(&dataset.table)?;
    // The numbers as written in a text; other files have floats only.
    let written = match Written::new(input, dataset) {
        Ok(written) => Some(written),
        Err(e) if e.kind() == ErrorKind::Settings => None,
        Err(e) => return Err(e.into()),
    };
    let rows = table.matrix.rows()?;
    let exact: Box<dyn ExactRows + '_> = match &written {
        Some(written) => Box::new(Chosen { of: written, features: vec![shown.plane.x, shown.plane.y] }),
        None => Box::new(Memory(rows)),
    };
    let sides = signs(&table.classes, |class| if class == 1 { 1 } else { -1 });
    let question = Question { rows, exact, signs: sides };
    let decision = decide(&question, &Options::default()).map_err(|e| e.in_file(&dataset.name))?;
    let points = shown.plane.points(dataset.table.matrix.rows()?);
    let file = short_name(&dataset.name);
    let axes = shown.axes.clone();
    let mut notes = Vec::new();
    if shown.features > 2 {
        notes.push(format!("{} and {} alone, of {} features", axes[0], axes[1], shown.features));
    }
    let mut boundary = Boundary {
        title: String::new(),
        notes,
        axes,
        points: &points,
        classes: &table.classes,
        names: table.labels.names(),
        regions: None,
        band: None,
        mistakes: Vec::new(),
        support: decision.support.iter().map(|s| s.0).collect(),
        support_name: String::new(),
        crossing: None,
    };
    // The digits of the file may be more than those of the floats, which is all that some formats give.
    let checked = if written.is_some() { "checked exactly" } else { "checked exactly, as floats" };
    let facts = json!({ "examples": points.len(), "verdict": decision.verdict,
                        "support": decision.support.iter().map(|s| s.0 + 1).collect::<Vec<_>>() });
    let save = |boundary: &Boundary<'_>, out: &mut Output| {
        shown.picture.save(shown.form, &boundary.draw(), kind, facts.clone(), out)
    };
    if decision.verdict == Verdict::Separable {
        let Some(hyperplane) = &decision.hyperplane else { bail!("a separating line without numbers") };
        let (w, b) = hyperplane.floats();
        let score = |[x, y]: [f64; 2]| w[0] * x + w[1] * y + b;
        let class = |p: [f64; 2]| u32::from(score(p) >= 0.0);
        let level = decision.margin.as_ref().map_or(0.0, |m| m.floats().0) * w[0].hypot(w[1]);
        let (title, note) = separated(&decision, checked);
        boundary.title = shown.picture.title(format!("{file}: {title}"));
        boundary.notes.insert(0, note);
        boundary.regions = Some(&class);
        boundary.band = Some(Band { score: &score, level, name: "margin".into() });
        boundary.support_name = "support".into();
        return save(&boundary, out);
    }
    boundary.title = shown.picture.title(format!("{file}: no line separates the classes"));
    boundary.notes.insert(0, reason(&decision, checked));
    let best = best_line(&question).map_err(|e| e.in_file(&dataset.name))?;
    let plane = best.as_ref().and_then(|audit| audit.hyperplane.as_ref()).map(|plane| plane.floats());
    let line = |[x, y]: [f64; 2]| u32::from(plane.as_ref().is_some_and(|(w, b)| w[0] * x + w[1] * y + b >= 0.0));
    if let Some(audit) = &best {
        boundary.notes.insert(1, crate::commands::audit::sentence(audit).replace("hyperplane", "line"));
        boundary.mistakes = audit.mistakes.clone();
        boundary.regions = Some(&line);
    }
    boundary.support_name = "examples that prove it".into();
    if let Some(at) = decision.meeting_point(question.rows, &question.signs) {
        let of = |sign: i8| decision.support.iter().map(|s| s.0).filter(|&i| question.signs[i] == sign).collect();
        boundary.crossing = Some(Crossing { at: [at[0], at[1]], between: [of(-1), of(1)] });
    }
    save(&boundary, out)
}

/// What the line is, and its margin.
fn separated(decision: &Decision, checked: &str) -> (&'static str, String) {
    let (margin, most) = decision.margin.as_ref().map_or((0.0, 0.0), |m| m.floats());
    // Numbers of more digits than floats have leave the bounds apart: then this line is one of many.
    let (line, margin) = match most - margin <= WIDEST * most {
        true => ("the maximum margin between the classes", format!("γ = {}", number(margin))),
        false => ("a line between the classes", between(margin, most)),
    };
    let bound = decision.bound.filter(|b| b.is_finite()).map(|b| {
        let (most, margin) = (crate::output::at_most(b), number(decision.radius / b.sqrt()));
        format!("; with the bias γ′ = {margin}: at most (R/γ′)² = {most} mistakes")
    });
    (line, format!("separable, {checked}; margin {margin}{}", bound.unwrap_or_default()))
}

/// Bounds of the margin this close, as a share, are one number in a picture.
const WIDEST: f64 = 1e-5;

/// The most points that are audited for a picture.
const AUDITED: usize = 300;

/// The line of fewest mistakes and the witnesses against a better one; `None` if there are too many points. Steps alone are
/// counted, not time, so that a picture is always the same.
fn best_line(question: &Question<'_>) -> rosenblatt::Result<Option<Audit>> {
    if question.signs.len() > AUDITED {
        return Ok(None);
    }
    let options = AuditOptions { time: None, ..AuditOptions::default() };
    audit(question, &options, &mut |_, _| ()).map(Some)
}

fn reason(decision: &Decision, checked: &str) -> String {
    if let Some((a, b)) = decision.contradiction {
        let (a, b) = (a + 1, b + 1);
        return format!("inseparable: examples {a} and {b} are one point with two labels, {checked}");
    }
    let examples = count(decision.support.len() as u64, "example", "examples");
    let how = match decision.verdict {
        Verdict::WeaklySeparable => "weakly separable: the hulls of the classes touch",
        _ => "inseparable: the hulls of the classes cross",
    };
    format!("{how}; {examples} prove it, {checked}")
}
