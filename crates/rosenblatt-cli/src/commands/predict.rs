//! `rosenblatt predict`: a label for each row.

use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use rosenblatt::Model;
use rosenblatt::escape::field;
use rosenblatt::io::{Growing, Input};
use rosenblatt::learn::decide;
use rosenblatt::structured::AnyModel;
use serde_json::{Map, Value, json};

use super::{open, outputs, tag};
use crate::args::PredictArgs;
use crate::output::{Output, json_line};

pub fn run(args: &PredictArgs, out: &mut Output) -> Result<ExitCode> {
    let path = args.output.as_deref().filter(|path| *path != Path::new("-"));
    if let Some(path) = path {
        let labels = args.read.labels.as_ref().map(Path::new);
        let reads: Vec<&Path> =
            [Some(args.model.as_path()), Some(Path::new(&args.data)), labels].into_iter().flatten().collect();
        outputs::check(&reads, &[("-o", path)])?;
    }
    let model = match AnyModel::load(&args.model)? {
        AnyModel::Classifier(model) => *model,
        AnyModel::Tagger(tagger) => return tag::predict::run(args, &tagger, out),
    };
    let (mut file, mut refused) = (path.map(Growing::create).transpose()?, None);
    let (json, input, options) = (out.json, Input::new(&args.data), open::options(&args.read)?);
    let shown = Shown::of(args);
    if args.names {
        write(&names(&model, shown), &mut file, out, &mut refused)?;
    }
    let format_row = |scores: &[f64], text: &mut String| answer(&model, scores, shown, json, text);
    let live = input.is_live();
    let answered = model.answer_all(&input, &options, format_row, |text| {
        write(text, &mut file, out, &mut refused)?;
        if live { flush(out, &mut refused) } else { Ok(()) }
    });
    if let Some(error) = refused {
        return Err(error.into());
    }
    let answered = answered?;
    open::print_notes_of(&answered.name, answered.format, answered.guessed, &answered.notes, true);
    if let Some(file) = file {
        file.finish()?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes answers to the file or to the terminal. What the terminal refuses is no error of the library, and may be nothing
/// but a closed pipe: it is kept in `refused`.
fn write(
    text: &str,
    file: &mut Option<Growing>,
    out: &mut Output,
    refused: &mut Option<std::io::Error>,
) -> rosenblatt::Result<()> {
    if let Some(file) = file {
        return file.write(text.as_bytes());
    }
    out.bytes(text.as_bytes()).map_err(|error| refuse(error, refused))
}

/// Hands the answers so far to whoever waits for them.
fn flush(out: &mut Output, refused: &mut Option<std::io::Error>) -> rosenblatt::Result<()> {
    out.flush().map_err(|error| refuse(error, refused))
}

fn refuse(error: std::io::Error, refused: &mut Option<std::io::Error>) -> rosenblatt::Error {
    let kind = error.kind();
    *refused = Some(error);
    rosenblatt::Error::io("<stdout>", kind.into())
}

/// The line that names the columns.
fn names(model: &Model, shown: Shown) -> String {
    let classes = || model.labels.names().iter().map(|name| field(name));
    let likely = model.calibration.is_some();
    let mut columns = vec!["label".to_string()];
    match shown {
        Shown::Label => {}
        Shown::Scores => {
            columns.extend(classes().map(|name| format!("score of {name}")));
            if likely {
                columns.extend(classes().map(|name| format!("probability of {name}")));
            }
        }
        Shown::Top(most) => {
            let each = |place: usize| {
                let label = if place == 1 { "label".to_string() } else { format!("label {place}") };
                [Some(label), Some(format!("score {place}")), likely.then(|| format!("probability {place}"))]
            };
            columns = (1..=most.min(model.labels.len())).flat_map(each).flatten().collect();
        }
    }
    columns.join("\t") + "\n"
}

/// The score of each class: a binary score is that of the positive class, its negative that of the other.
fn by_class(scores: &[f64]) -> Vec<f64> {
    match scores {
        [score] => vec![-score + 0.0, score + 0.0],
        many => many.to_vec(),
    }
}

/// What is shown of each row.
#[derive(Clone, Copy, PartialEq)]
enum Shown {
    Label,
    /// The label and the score of each class.
    Scores,
    /// The best labels and their scores.
    Top(usize),
}

impl Shown {
    fn of(args: &PredictArgs) -> Self {
        match args.top {
            Some(most) => Shown::Top(most as usize),
            None if args.scores => Shown::Scores,
            None => Shown::Label,
        }
    }
}

/// The best `most` classes, best first, equal ones in the order of classes; the predicted class is the first.
fn best(model: &Model, scores: &[f64], most: usize) -> Vec<usize> {
    let (each, predicted) = (by_class(scores), decide(scores, model.tie()) as usize);
    let mut order: Vec<usize> = (0..each.len()).collect();
    order.sort_by(|&a, &b| (b == predicted).cmp(&(a == predicted)).then(each[b].total_cmp(&each[a])));
    order.truncate(most);
    order
}

/// Adds the best labels with their scores, and their probabilities if the model has them.
fn answer_top(model: &Model, scores: &[f64], most: usize, json: bool, text: &mut String) {
    let (each, likely) = (by_class(scores), model.calibration.as_ref().map(|found| found.probabilities(scores)));
    let order = best(model, scores, most);
    if json {
        let object = |&class: &usize| {
            let mut object = json!({ "label": model.labels.name(class as u32), "score": each[class] });
            if let Some(likely) = &likely {
                object["probability"] = likely[class].into();
            }
            object
        };
        let label = model.labels.name(order[0] as u32);
        let object = json!({ "label": label, "top": order.iter().map(object).collect::<Vec<_>>() });
        text.push_str(&json_line(&object).unwrap_or_default());
        return;
    }
    for (place, &class) in order.iter().enumerate() {
        let gap = if place == 0 { "" } else { "\t" };
        text.push_str(&format!("{gap}{}\t{}", field(model.labels.name(class as u32)), each[class]));
        if let Some(likely) = &likely {
            text.push_str(&format!("\t{:.6}", likely[class]));
        }
    }
    text.push('\n');
}

fn answer(model: &Model, scores: &[f64], shown: Shown, json: bool, text: &mut String) {
    if let Shown::Top(most) = shown {
        return answer_top(model, scores, most, json, text);
    }
    let with_scores = shown == Shown::Scores;
    let label = model.labels.name(decide(scores, model.tie()));
    if json {
        let mut object = json!({ "label": label });
        if with_scores {
            let each = model.labels.names().iter().cloned().zip(by_class(scores).into_iter().map(Value::from));
            object["scores"] = Value::Object(each.collect::<Map<_, _>>());
            if let Some(calibration) = &model.calibration {
                let likely = calibration.probabilities(scores).into_iter().map(Value::from);
                let each = model.labels.names().iter().cloned().zip(likely);
                object["probabilities"] = Value::Object(each.collect::<Map<_, _>>());
            }
        }
        // A JSON value is always written.
        text.push_str(&json_line(&object).unwrap_or_default());
        return;
    }
    text.push_str(&field(label));
    if with_scores {
        for score in by_class(scores) {
            text.push_str(&format!("\t{score}"));
        }
        if let Some(calibration) = &model.calibration {
            calibration.probabilities(scores).iter().for_each(|p| text.push_str(&format!("\t{p:.6}")));
        }
    }
    text.push('\n');
}
