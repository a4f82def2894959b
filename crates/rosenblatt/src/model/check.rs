//! Consistency checks of a model file: classes, columns, recipe, counts.
//!
//! Each function refuses what no training writes, so that the rest of the library can trust a loaded model.

use super::Facts;
use super::calibration::Calibration;
use crate::error::{Error, Result};
use crate::io::show;
use crate::learn::keep::KeepKind;
use crate::learn::kernel::Biased;
use crate::learn::learners::Multiclass;
use crate::learn::machine::Ballot;
use crate::learn::{MOST, Recipe, State, Weights};
use crate::map::MAX_NGRAMS;
use crate::message::Message;
use crate::rows::{Column, ColumnKind, HashedWords, Labels, Schema, canonical_label};

fn refuse<T>(why: impl Into<Message>) -> Result<T> {
    Err(Error::bad_model(why))
}

/// Checks labels, schema and recipe; returns the numbers of raw features and of outputs.
pub(crate) fn shape(labels: &Labels, schema: &Schema, recipe: &Recipe) -> Result<(usize, usize)> {
    check_labels(labels)?;
    check_schema(schema)?;
    recipe.params()?;
    recipe.keep()?;
    recipe.kernel()?;
    Ok((schema.features(), if labels.len() == 2 { 1 } else { labels.len() }))
}

/// At least two classes, no duplicate name, and no duplicate number: `1` and `+1` are one label.
fn check_labels(labels: &Labels) -> Result<()> {
    if labels.len() < 2 {
        return refuse(format!("{}: a model has at least two", count(labels.len(), "class", "classes")));
    }
    match (duplicate(labels.names().iter()), labels.repeated()) {
        (Some(name), _) => refuse(format!("the class {} is named twice", show(name.as_bytes()))),
        (None, Some(name)) => refuse(format!("two classes are the number {}", canonical_label(name))),
        (None, None) => Ok(()),
    }
}

/// Refuses a schema that no file has.
pub(crate) fn check_schema(schema: &Schema) -> Result<()> {
    match schema {
        Schema::Indexed { first: 0 | 1, .. } => Ok(()),
        Schema::Indexed { first, .. } => refuse(format!("the first feature has index {first}: it must be 0 or 1")),
        Schema::Named { names } if !names.is_sorted_by(|a, b| a < b) => {
            refuse("the names of the features must be sorted, each once")
        }
        Schema::Named { .. } => Ok(()),
        Schema::Columns { columns, label_at, width, hashed, .. } => {
            if let Some(hashed) = hashed {
                let bare = |column: &Column| {
                    matches!(&column.kind, ColumnKind::Text { words, .. } if words.is_empty())
                        && column.missing.is_none()
                };
                if !(1..=HashedWords::MAX_BITS).contains(&hashed.bits) || !columns.iter().all(bare) {
                    return refuse("words are hashed into 2 to 2^28 buckets, from texts, and have no names");
                }
            }
            let fits = |at: usize| at < *width && at != *label_at;
            if label_at >= width || !columns.iter().all(|c| fits(c.at)) || !columns.is_sorted_by(|a, b| a.at < b.at) {
                return refuse("the places of the columns contradict each other");
            }
            if let Some(name) = duplicate(columns.iter().map(|c| &c.name)) {
                return refuse(format!("two columns are called {}", show(name.as_bytes())));
            }
            columns.iter().try_for_each(check_column)
        }
    }
}

fn check_column(column: &Column) -> Result<()> {
    match &column.kind {
        ColumnKind::Category { values } if !values.is_sorted_by(|a, b| a < b) => {
            refuse(format!("the categories of column {} must be sorted, each once", show(column.name.as_bytes())))
        }
        ColumnKind::Text { ngrams, chars, words } => {
            let name = show(column.name.as_bytes());
            if !(1..=MAX_NGRAMS as u32).contains(ngrams) {
                return refuse(format!("runs of {ngrams} words in column {name}: from 1 to {MAX_NGRAMS} can be"));
            }
            if !words.is_sorted_by(|a, b| a < b) {
                return refuse(format!("the words of column {name} must be sorted, each once"));
            }
            // A member of a set is one word, whatever it holds; there are no runs of members.
            let part = |run: &String| chars.is_some_and(|chars| chars.names(run));
            let sound = |run: &String| match ngrams {
                _ if part(run) => true,
                1 => !run.is_empty(),
                n => run.split(' ').count() <= *n as usize && run.split(' ').all(|w| !w.is_empty()),
            };
            match words.iter().find(|run| !sound(run)) {
                Some(run) => {
                    refuse(format!("column {name}: {} is no run of {ngrams} words or fewer", show(run.as_bytes())))
                }
                None => Ok(()),
            }
        }
        _ => Ok(()),
    }
}

fn duplicate<T: Ord>(all: impl Iterator<Item = T>) -> Option<T> {
    let mut all: Vec<T> = all.collect();
    all.sort();
    let at = all.windows(2).position(|pair| pair[0] == pair[1])?;
    Some(all.swap_remove(at))
}

/// Refuses training facts that contradict each other.
pub(crate) fn facts(facts: &Facts, voted: bool) -> Result<()> {
    let counts = [facts.examples, facts.presented, facts.mistakes, facts.updates];
    let by_epoch: u128 = facts.mistakes_by_epoch.iter().map(|&m| u128::from(m)).sum();
    if counts.iter().any(|&c| c > MOST) || by_epoch > u128::from(facts.mistakes) {
        return refuse("the counts of examples, mistakes and updates contradict each other");
    }
    if !facts.order.suits(facts.seed) {
        return refuse("a shuffled order has a seed, and no other order has one");
    }
    if (facts.recipe.keep()? == KeepKind::Vote) != voted {
        return refuse("the kind of model is not what the recipe keeps");
    }
    facts
        .validation
        .as_ref()
        .map_or(Ok(()), |validation| validation.check(facts.examples, facts.mistakes_by_epoch.len()))
}

/// A sigmoid for each output, if probabilities were learned.
pub(crate) fn calibration(calibration: Option<&Calibration>, outputs: usize) -> Result<()> {
    calibration.map_or(Ok(()), |calibration| calibration.check(outputs))
}

/// The weights under `name`, of the shape that everything else implies.
pub(crate) fn weights(arrays: &State, name: &str, shape: (usize, usize), recipe: &Recipe) -> Result<Weights> {
    let (values, bias) = weight_arrays(arrays, name, shape, recipe)?;
    Ok(Weights::from_parts(values.to_vec(), bias.to_vec(), recipe.bias))
}

/// The same as arrays: values and biases.
pub(super) fn weight_arrays<'a>(
    arrays: &'a State,
    name: &str,
    shape: (usize, usize),
    recipe: &Recipe,
) -> Result<(&'a [f64], &'a [f64])> {
    let (features, outputs) = shape;
    let values = arrays.f64s(name)?;
    let bias = arrays.f64s(&format!("{name}.bias"))?;
    if bias.len() != outputs || Some(values.len()) != features.checked_mul(outputs) {
        return refuse(format!(
            "{} and {}, where {} and {} are named",
            count(values.len(), "weight", "weights"),
            count(bias.len(), "bias", "biases"),
            count(features, "feature", "features"),
            count(outputs, "output", "outputs")
        ));
    }
    if !recipe.bias.is_learned() && bias.iter().any(|b| *b != 0.0) {
        return refuse("a bias, where the recipe says that none was learned");
    }
    Ok((values, bias))
}

/// Refuses another ballot than the recipe's, and another number of votes than examples presented.
pub(crate) fn votes(presented: u64, ballot: Ballot, outputs: usize, facts: &Facts) -> Result<()> {
    let together = outputs > 1 && facts.recipe.multiclass != Multiclass::OneVsRest;
    if ballot != (if together { Ballot::ArgMax } else { Ballot::Sign }) {
        return refuse("the ballot is not the one that the recipe implies");
    }
    // With validation, the voters of an earlier pass may have been kept.
    let early =
        facts.validation.as_ref().is_some_and(|validation| (validation.kept as usize) < facts.mistakes_by_epoch.len());
    if presented != facts.presented && !(early && presented < facts.presented) {
        return refuse(format!("{presented} votes, where {} examples were presented", facts.presented));
    }
    Ok(())
}

/// The kernel of a kernel machine.
pub(crate) fn kernel(recipe: &Recipe) -> Result<Biased> {
    match recipe.kernel()? {
        Some(choice) => Ok(Biased::new(choice.function, recipe.bias.is_learned())),
        None => refuse("a kernel machine, whose recipe names no kernel"),
    }
}

/// Refuses more support vectors than the recipe allowed.
pub(crate) fn budget(recipe: &Recipe, support: usize) -> Result<()> {
    match recipe.kernel.as_ref().and_then(|choice| choice.budget) {
        Some(budget) if support > budget.most as usize => {
            refuse(format!("{support} support vectors, on a budget of {}", budget.most))
        }
        _ => Ok(()),
    }
}

/// Refuses a kernel where weights are stored.
pub(crate) fn linear(recipe: &Recipe) -> Result<()> {
    match &recipe.kernel {
        Some(_) => refuse("weights, where the recipe names a kernel"),
        None => Ok(()),
    }
}

/// Refuses unknown arrays.
pub(crate) fn nothing_else(arrays: &State, belongs: impl Fn(&str) -> bool) -> Result<()> {
    match arrays.arrays().find(|(name, _)| !belongs(name)) {
        Some((name, _)) => refuse(format!("array {} does not belong in this kind of file", show(name.as_bytes()))),
        None => Ok(()),
    }
}

/// `1 class`, `2 classes`.
fn count(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}
