//! Checkpoints as files: what FORMAT.md calls the content of kind `checkpoint`.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::checkpoint::Checkpoint;
use super::order::Order;
use super::trainer::{ClassWeights, Start};
use crate::error::{Error, Result};
use crate::io::write_file;
use crate::learn::{Array, Progress, Recipe, State};
use crate::map::{Chain, Map, Preparation};
use crate::message::{Message, Setting};
use crate::model::{Frame, Kind, MAPS, Versioned, check, pack, pack_json, read_model, version};
use crate::rows::{Labels, Schema};

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CheckpointContent {
    kind: Kind,
    labels: Labels,
    schema: Schema,
    #[serde(default, skip_serializing_if = "is_default")]
    preparation: Preparation,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    maps: Vec<Map>,
    recipe: Recipe,
    order: OrderContent,
    class_weights: ClassWeights,
    #[serde(rename = "course")]
    progress: Progress,
    started: Started,
    data: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    targets: Option<u64>,
}

/// The order of each pass; the list of a given one is the array `order`.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub(crate) enum OrderContent {
    Cyclic,
    Shuffled { seed: u64 },
    Given,
}

impl OrderContent {
    pub(crate) fn save(order: &Order, arrays: &mut State) -> Self {
        match order {
            Order::Cyclic => OrderContent::Cyclic,
            Order::Shuffled { seed } => OrderContent::Shuffled { seed: *seed },
            Order::Given(list) => {
                arrays.put("order", Array::U32(list.clone()));
                OrderContent::Given
            }
        }
    }

    pub(crate) fn restore(&self, arrays: &State) -> Result<Order> {
        Ok(match self {
            OrderContent::Cyclic => Order::Cyclic,
            OrderContent::Shuffled { seed } => Order::Shuffled { seed: *seed },
            OrderContent::Given => Order::Given(arrays.u32s("order")?.to_vec()),
        })
    }

    /// Whether there is an array `order`.
    pub(crate) fn is_given(&self) -> bool {
        matches!(self, OrderContent::Given)
    }
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Started {
    Zero,
    Given,
}

impl Versioned for CheckpointContent {
    fn version(&self) -> u32 {
        let plain = is_default(&self.preparation) && self.recipe.kernel.is_none();
        if self.targets.is_some() {
            3
        } else if plain {
            version(&self.schema, &self.maps)
        } else {
            2
        }
    }
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

pub(super) fn checkpoint_parts(checkpoint: &Checkpoint) -> (u32, CheckpointContent, State) {
    let c = checkpoint.clone();
    let mut arrays = State::default();
    c.chain.save(&mut arrays);
    for (name, array) in c.learner.arrays() {
        arrays.insert(format!("learner.{name}"), array.clone());
    }
    arrays.put("failures", Array::U32(c.failures));
    let order = OrderContent::save(&c.order, &mut arrays);
    let started = match &c.start {
        Start::Zero => Started::Zero,
        Start::At(weights) => {
            arrays.put_weights("start", weights);
            Started::Given
        }
    };
    let content = CheckpointContent {
        kind: Kind::Checkpoint,
        labels: c.labels,
        schema: c.schema,
        preparation: c.preparation,
        maps: c.chain.into_maps(),
        recipe: c.recipe,
        order,
        class_weights: c.class_weights,
        progress: c.progress,
        started,
        data: c.data,
        targets: c.targets,
    };
    (content.version(), content, arrays)
}

pub(super) fn restore(arrays: &State, c: CheckpointContent) -> Result<Checkpoint> {
    let (inputs, outputs) = check::shape(&c.labels, &c.schema, &c.recipe)?;
    let (given_order, given_start) = (c.order.is_given(), matches!(c.started, Started::Given));
    check::nothing_else(arrays, |name| match name {
        "failures" => true,
        "order" => given_order,
        "start" | "start.bias" => given_start,
        other => other.starts_with("learner.") || other.starts_with(MAPS),
    })?;
    let (chain, features) = Chain::restore(c.maps, arrays, inputs)?;
    let learner = arrays.below("learner");
    let held: usize = learner.arrays().map(|(_, a)| if let Array::F64(v) = a { v.len() } else { 0 }).sum();
    // Bounds what the learner allocates when it checks the rest against its own shape. (A kernel machine allocates
    // nothing as long as the features.)
    let needed = if c.recipe.kernel.is_some() { Some(outputs) } else { features.checked_mul(outputs) };
    if needed.is_none_or(|needed| needed > held) {
        return Err(Error::bad_model(format!("{held} numbers for {features} features and {} classes", c.labels.len())));
    }
    let order = c.order.restore(arrays)?;
    let start = match c.started {
        Started::Zero => Start::Zero,
        Started::Given => Start::At(check::weights(arrays, "start", (features, outputs), &c.recipe)?),
    };
    let checkpoint = Checkpoint {
        preparation: c.preparation,
        failures: arrays.u32s("failures")?.to_vec(),
        recipe: c.recipe,
        order,
        class_weights: c.class_weights,
        start,
        progress: c.progress,
        learner,
        labels: c.labels,
        schema: c.schema,
        chain,
        data: c.data,
        targets: c.targets,
    };
    checkpoint.check()?;
    checkpoint.check_learner()?;
    Ok(checkpoint)
}

impl Checkpoint {
    /// The bytes of a checkpoint file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let (version, content, arrays) = checkpoint_parts(self);
        pack(version, content, arrays)
    }

    /// The JSON form of a checkpoint: loss-free.
    pub fn to_json(&self) -> Vec<u8> {
        let (version, content, arrays) = checkpoint_parts(self);
        pack_json(version, content, arrays)
    }

    /// A checkpoint from the bytes of a file in either form; `name` is what errors call it.
    pub fn from_bytes(name: &str, bytes: &[u8]) -> Result<Checkpoint> {
        let frame = Frame::open(name, bytes)?;
        match frame.kind {
            Kind::Checkpoint => {}
            Kind::Mixture | Kind::Delta => {
                return Err(Error::model(name, "a training on shards: resume it with as many shards"));
            }
            Kind::TaggerCheckpoint => {
                return Err(Error::model(name, "a checkpoint of a tagger, not of a classifier"));
            }
            Kind::Linear | Kind::Voted | Kind::Kernel | Kind::Tagger => {
                let message = Message::new("a finished model: ").name(Setting::Resume);
                let message = message.text(" needs the checkpoint that ").open(Setting::Checkpoint).text(" wrote");
                return Err(Error::model(name, message));
            }
        }
        let content = frame.content().and_then(|c: CheckpointContent| frame.check_version(&c).map(|()| c));
        content.and_then(|c| restore(&frame.arrays, c)).map_err(|e| frame.fault(e))
    }

    /// Writes the checkpoint, whole or not at all.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        write_file(path.as_ref(), &self.to_bytes())
    }

    /// Reads a checkpoint.
    pub fn load(path: impl AsRef<Path>) -> Result<Checkpoint> {
        let path = path.as_ref();
        let bytes = read_model(path)?;
        Self::from_bytes(&path.display().to_string(), &bytes)
    }
}
