//! Models and checkpoints as files: what FORMAT.md calls the content.

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::container::{MAGIC, pack, pack_json, unpack, unpack_json};
use super::updates::Updates;
use super::write::write_file;
use super::{Checkpoint, Facts, Hypothesis, Model, Voted};
use crate::base::machine::Ballot;
use crate::base::state::{Array, State};
use crate::base::weights::Weights;
use crate::data::{Labels, Schema};
use crate::error::{Error, Result};
use crate::fit::{ClassWeights, Course, Order, Recipe, Start};

#[derive(Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
enum Content {
    Linear(ModelContent),
    Voted(VotedContent),
    Checkpoint(Box<CheckpointContent>),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ModelContent {
    labels: Labels,
    schema: Schema,
    facts: Facts,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct VotedContent {
    labels: Labels,
    schema: Schema,
    facts: Facts,
    presented: u64,
    ballot: Ballot,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CheckpointContent {
    labels: Labels,
    schema: Schema,
    recipe: Recipe,
    order: OrderContent,
    class_weights: ClassWeights,
    course: Course,
    started: Started,
    data: Option<u64>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum OrderContent {
    Cyclic,
    Shuffled { seed: u64 },
    Given,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Started {
    Zero,
    Given,
}

/// A file that was loaded: the one thing or the other.
enum Loaded {
    Model(Model),
    Checkpoint(Checkpoint),
}

fn model_parts(model: &Model) -> (Value, State) {
    let Model { hypothesis, labels, schema, facts } = model.clone();
    let mut arrays = State::default();
    let content = match hypothesis {
        Hypothesis::Linear(weights) => {
            arrays.put_weights("weights", &weights);
            Content::Linear(ModelContent { labels, schema, facts })
        }
        Hypothesis::Voted(voted) => {
            arrays.put_weights("start", &voted.start);
            voted.updates.save(&mut arrays);
            let Voted { presented, ballot, .. } = voted;
            Content::Voted(VotedContent { labels, schema, facts, presented, ballot })
        }
    };
    (to_value(content), arrays)
}

fn checkpoint_parts(checkpoint: &Checkpoint) -> (Value, State) {
    let c = checkpoint.clone();
    let mut arrays = State::default();
    for (name, array) in c.learner.arrays() {
        arrays.insert(format!("learner.{name}"), array.clone());
    }
    arrays.put("failures", Array::U32(c.failures));
    let order = match c.order {
        Order::Cyclic => OrderContent::Cyclic,
        Order::Shuffled { seed } => OrderContent::Shuffled { seed },
        Order::Given(list) => {
            arrays.put("order", Array::U32(list));
            OrderContent::Given
        }
    };
    let started = match &c.start {
        Start::Zero => Started::Zero,
        Start::At(weights) => {
            arrays.put_weights("start", weights);
            Started::Given
        }
    };
    let content = CheckpointContent {
        labels: c.labels,
        schema: c.schema,
        recipe: c.recipe,
        order,
        class_weights: c.class_weights,
        course: c.course,
        started,
        data: c.data,
    };
    (to_value(Content::Checkpoint(Box::new(content))), arrays)
}

fn to_value(content: Content) -> Value {
    serde_json::to_value(content).expect("a header is plain data")
}

fn assemble(name: &str, content: Value, arrays: State) -> Result<Loaded> {
    let refuse = |why: String| Error::model(name, why);
    let content: Content =
        serde_json::from_value(content).map_err(|e| refuse(format!("the header is not what it should be: {e}")))?;
    let built = match content {
        Content::Linear(c) => weights(&arrays, "weights", &c.labels, &c.schema, &c.facts.recipe)
            .map(|w| (Hypothesis::Linear(w), c.labels, c.schema, c.facts)),
        Content::Voted(c) => voted(&arrays, &c).map(|h| (h, c.labels, c.schema, c.facts)),
        Content::Checkpoint(c) => {
            return checkpoint(arrays, *c).map(Loaded::Checkpoint).map_err(|e| e.in_file(name));
        }
    };
    let (hypothesis, labels, schema, facts) = built.map_err(|e| e.in_file(name))?;
    Ok(Loaded::Model(Model { hypothesis, labels, schema, facts }))
}

/// The shape that labels and features imply, checked before anything is made of it.
fn shape(labels: &Labels, schema: &Schema, recipe: &Recipe) -> Result<(usize, usize)> {
    if labels.len() < 2 {
        return Err(Error::bad_model(format!("{}: a model has at least two", count(labels.len(), "class", "classes"))));
    }
    schema.check()?;
    let mut names: Vec<&String> = labels.names().iter().collect();
    names.sort();
    if let Some(pair) = names.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(Error::bad_model(format!("the class \"{}\" is named twice", pair[0])));
    }
    recipe.params()?;
    recipe.keep()?;
    Ok((schema.features(), if labels.len() == 2 { 1 } else { labels.len() }))
}

/// `1 class`, `2 classes`.
fn count(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

fn weights(arrays: &State, name: &str, labels: &Labels, schema: &Schema, recipe: &Recipe) -> Result<Weights> {
    let (features, outputs) = shape(labels, schema, recipe)?;
    let values = arrays.f64s(name)?;
    let bias = arrays.f64s(&format!("{name}.bias"))?;
    if bias.len() != outputs || Some(values.len()) != features.checked_mul(outputs) {
        return Err(Error::bad_model(format!(
            "{} and {}, where {} and {} classes are named",
            count(values.len(), "weight", "weights"),
            count(bias.len(), "bias", "biases"),
            count(features, "feature", "features"),
            labels.len()
        )));
    }
    let weights = Weights::from_parts(values.to_vec(), bias.to_vec(), recipe.bias);
    if !weights.is_finite() {
        return Err(Error::bad_model("a weight is not a finite number"));
    }
    if !recipe.bias && bias.iter().any(|b| *b != 0.0) {
        return Err(Error::bad_model("a bias, where the recipe says that none was learned"));
    }
    Ok(weights)
}

fn voted(arrays: &State, c: &VotedContent) -> Result<Hypothesis> {
    let start = weights(arrays, "start", &c.labels, &c.schema, &c.facts.recipe)?;
    let updates = Updates::restore(arrays, start.features(), start.outputs())?;
    if updates.iter().last().is_some_and(|u| u.time > c.presented) || c.presented == u64::MAX {
        return Err(Error::bad_model("an update after the last example"));
    }
    if c.ballot == Ballot::ArgMax && start.outputs() == 1 {
        return Err(Error::bad_model("a ballot over classes, where there is one output"));
    }
    Ok(Hypothesis::Voted(Voted::new(start, updates, c.presented, c.ballot)))
}

fn checkpoint(arrays: State, c: CheckpointContent) -> Result<Checkpoint> {
    let (features, outputs) = shape(&c.labels, &c.schema, &c.recipe)?;
    let order = match c.order {
        OrderContent::Cyclic => Order::Cyclic,
        OrderContent::Shuffled { seed } => Order::Shuffled { seed },
        OrderContent::Given => Order::Given(arrays.u32s("order")?.to_vec()),
    };
    let start = match c.started {
        Started::Zero => Start::Zero,
        Started::Given => Start::At(weights(&arrays, "start", &c.labels, &c.schema, &c.recipe)?),
    };
    // The learner checks the rest against its own shape; this bounds what it will be asked to make.
    let learner = arrays.below("learner");
    let held: usize = learner.arrays().map(|(_, a)| if let Array::F64(v) = a { v.len() } else { 0 }).sum();
    if features.checked_mul(outputs).is_none_or(|needed| needed > held) {
        return Err(Error::bad_model(format!("{held} numbers for {features} features and {} classes", c.labels.len())));
    }
    let failures = arrays.u32s("failures")?.to_vec();
    check_counts(&c.course, &failures, &learner)?;
    c.class_weights.resolve(&c.labels, &[])?;
    Ok(Checkpoint {
        failures,
        recipe: c.recipe,
        order,
        class_weights: c.class_weights,
        start,
        course: c.course,
        learner,
        labels: c.labels,
        schema: c.schema,
        data: c.data,
    })
}

/// Refuses counts that cannot have come about, so that going on from them cannot overflow, and numbers that are none.
fn check_counts(course: &Course, failures: &[u32], learner: &State) -> Result<()> {
    /// As far as an `f64` counts exactly, and further than anybody trains.
    const MOST: u64 = 1 << 53;
    let failed: u64 = failures.iter().map(|&n| u64::from(n)).sum();
    let sound = course.presented <= MOST
        && course.updates <= MOST
        && course.mistakes <= MOST
        && course.position <= course.presented
        && course.pass_mistakes <= course.mistakes
        && course.pass_updates <= course.updates
        && failed <= course.mistakes;
    if !sound {
        return Err(Error::bad_model("the counts of the checkpoint contradict each other"));
    }
    for (name, array) in learner.arrays() {
        let last = name.rsplit('.').next().unwrap_or(name);
        let sound = match (array, last) {
            (Array::F64(values), _) => values.iter().all(|v| v.is_finite()),
            (Array::U64(counts), "presented" | "times") => counts.iter().all(|&n| n <= course.presented),
            (Array::U64(counts), _) => counts.iter().all(|&n| n <= MOST),
            (Array::U32(_), _) => true,
        };
        if !sound {
            return Err(Error::bad_model(format!("array \"learner.{name}\" holds a number that it cannot hold")));
        }
    }
    Ok(())
}

/// The bytes of a model file.
pub fn to_bytes(model: &Model) -> Vec<u8> {
    let (content, arrays) = model_parts(model);
    pack(content, &arrays)
}

/// The JSON form of a model: loss-free, read back by [`from_json`].
pub fn to_json(model: &Model) -> Vec<u8> {
    let (content, arrays) = model_parts(model);
    pack_json(content, &arrays)
}

/// A model from the bytes of a file in either form; `name` is what errors call it.
pub fn from_bytes(name: &str, bytes: &[u8]) -> Result<Model> {
    match open(name, bytes)? {
        Loaded::Model(model) => Ok(model),
        Loaded::Checkpoint(_) => {
            Err(Error::model(name, "a checkpoint, not a model: finish it with `rosenblatt train DATA --resume`"))
        }
    }
}

/// A model from its JSON form.
pub fn from_json(name: &str, bytes: &[u8]) -> Result<Model> {
    let (content, arrays) = unpack_json(name, bytes)?;
    match assemble(name, content, arrays)? {
        Loaded::Model(model) => Ok(model),
        Loaded::Checkpoint(_) => Err(Error::model(name, "a checkpoint, not a model")),
    }
}

fn open(name: &str, bytes: &[u8]) -> Result<Loaded> {
    let json = !bytes.starts_with(MAGIC) && bytes.trim_ascii_start().starts_with(b"{");
    let (content, arrays) = if json { unpack_json(name, bytes)? } else { unpack(name, bytes)? };
    assemble(name, content, arrays)
}

/// Writes a model: as JSON if the name ends in `.json`, else in the binary form.
pub fn save(model: &Model, path: impl AsRef<Path>) -> Result<()> {
    let path = path.as_ref();
    let json = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("json"));
    write_file(path, &if json { to_json(model) } else { to_bytes(model) })
}

/// Reads a model in either form.
pub fn load(path: impl AsRef<Path>) -> Result<Model> {
    let path = path.as_ref();
    let bytes = std::fs::read(path).map_err(|e| Error::io(path, e))?;
    from_bytes(&path.display().to_string(), &bytes)
}

impl Checkpoint {
    /// The bytes of a checkpoint file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let (content, arrays) = checkpoint_parts(self);
        pack(content, &arrays)
    }

    /// A checkpoint from the bytes of a file; `name` is what errors call it.
    pub fn from_bytes(name: &str, bytes: &[u8]) -> Result<Checkpoint> {
        match open(name, bytes)? {
            Loaded::Checkpoint(checkpoint) => Ok(checkpoint),
            Loaded::Model(_) => {
                Err(Error::model(name, "a finished model: --resume needs the checkpoint that --checkpoint FILE wrote"))
            }
        }
    }

    /// Writes the checkpoint, whole or not at all.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        write_file(path, &self.to_bytes())
    }

    /// Reads a checkpoint.
    pub fn load(path: impl AsRef<Path>) -> Result<Checkpoint> {
        let path = path.as_ref();
        let bytes = std::fs::read(path).map_err(|e| Error::io(path, e))?;
        Self::from_bytes(&path.display().to_string(), &bytes)
    }
}
