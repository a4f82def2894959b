//! `rosenblatt demo spam`: a spam filter and the reasons for its predictions.

use anyhow::Result;
use rosenblatt::evaluate::{ClassStrengths, Explainer, Strength};
use rosenblatt::map::{Preparation, Scaling};
use rosenblatt::read::toy;
use rosenblatt::{Evaluation, Trainer};
use serde_json::json;

use crate::output::{Output, count, number};

/// Every fifth message is held out for testing.
const HELD: u32 = 5;
const STRONGEST: usize = 6;

pub fn run(out: &mut Output) -> Result<()> {
    let messages = toy::messages()?;
    let all = 0..messages.matrix.len() as u32;
    let train = messages.select(&all.clone().filter(|i| i % HELD != 0).collect::<Vec<_>>());
    let test = messages.select(&all.filter(|i| i % HELD == 0).collect::<Vec<_>>());
    // Unit length: long messages count no more than short ones.
    let preparation = Preparation { tf_idf: true, scale: Scaling::Unit, ..Preparation::default() };
    let fitted = Trainer::new("averaged").preparation(preparation).fit(&train)?;
    let evaluation = Evaluation::new(&fitted.model, &test)?;
    let explainer = Explainer::new(&fitted.model)?;
    let words = explainer.strongest(STRONGEST);
    let why = explainer.explain(test.matrix.rows()?, 1)?;
    if out.json {
        return out.object(&json!({
            "demo": "spam", "report": fitted.report, "test": evaluation, "words": words, "example": why,
        }));
    }
    let r = &fitted.report;
    out.item(
        "learned",
        format!(
            "from {}, {}: {} after {}",
            count(r.examples, "message", "messages"),
            count(r.features as u64, "word", "words"),
            r.stopped.name(),
            count(r.epochs.into(), "pass", "passes")
        ),
    )?;
    let right = evaluation.confusion.right();
    out.item(
        "tested",
        format!(
            "{right} of {} correct, none of them used in training",
            count(test.classes.len() as u64, "message", "messages")
        ),
    )?;
    words.iter().try_for_each(|class| side_by_side(out, class))?;
    let terms: Vec<String> =
        why.terms.iter().take(STRONGEST).map(|t| format!("{} {:+.2}", t.feature, t.contribution)).collect();
    out.item(
        "why",
        format!(
            "{} for a message: {} … with the bias {:+.2} the score is {}",
            why.label,
            terms.join(", "),
            why.bias,
            number(why.score)
        ),
    )?;
    out.line("")?;
    out.line(
        "Your own: rosenblatt train messages.tsv --text 2 --tf-idf --scale unit -o filter; rosenblatt explain filter",
    )?;
    Ok(())
}

fn side_by_side(out: &mut Output, class: &ClassStrengths) -> Result<()> {
    let list = |side: &[Strength]| {
        side.iter().map(|s| format!("{} {:+.2}", s.feature, s.weight)).collect::<Vec<_>>().join(", ")
    };
    out.item(&format!("for {}", class.class), list(&class.supports))?;
    out.item("against", list(&class.opposes))?;
    Ok(())
}
