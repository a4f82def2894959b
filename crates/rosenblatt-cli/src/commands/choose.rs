//! Builds a trainer from the arguments.

use std::path::Path;

use anyhow::{Context, Result, bail};
use rosenblatt::fit::{ClassWeights, Start};
use rosenblatt::io::words;
use rosenblatt::learn::Weights;
use rosenblatt::learn::kernel::Choice;
use rosenblatt::learn::kernel::budget::{self, Budget, Way};
use rosenblatt::map::{Lift, Preparation, Prepared};
use rosenblatt::{Bias, Error, Model, Order, Place, Table, Trainer};

use crate::args::{AUTO, KernelArgs, LearnArgs, PrepareArgs, Scale, ScaleBy};
use crate::output::count;

/// The trainer, checked before any data are read; it starts at zero unless [`begin`] sets another start.
pub fn trainer(learner: &str, epochs: u32, order: &str, args: &LearnArgs) -> Result<Trainer> {
    let auto = learner == AUTO;
    let mut trainer = if auto { Trainer::auto() } else { Trainer::new(learner) }
        .preparation(preparation(&args.prepare, args.seed))
        .epochs(epochs)
        .order(self::order(order, args.seed)?)
        .tie(args.tie)
        .bias(bias(args)?)
        .multiclass(args.multiclass);
    trainer.recipe.keep = args.keep.or(trainer.recipe.keep);
    trainer.left_open.scale = args.prepare.scale == ScaleBy::Auto;
    for (name, value) in settings(args)? {
        trainer = trainer.set(&name, &value);
    }
    if let Some(text) = &args.class_weight {
        trainer = trainer.class_weights(class_weights(text)?);
    }
    trainer.left_open.margin &= !trainer.recipe.params.contains_key("margin");
    trainer.recipe.params()?;
    trainer.recipe.keep()?;
    Ok(trainer)
}

/// The trainer in the space of a kernel, if one was named.
pub fn in_space(mut trainer: Trainer, args: &KernelArgs, learn: &LearnArgs) -> Result<Trainer> {
    let budget = args.budget.map(|most| {
        let policy = args.policy.unwrap_or(Way::Projectron { eta: budget::ETA });
        Budget { most, policy, seed: learn.seed }
    });
    trainer.recipe.kernel = args.kernel.map(|function| Choice { function, budget });
    if args.kernel.is_some() && trainer.left_open.margin {
        // A machine that moves at every small margin keeps nearly every row.
        trainer.left_open.margin = false;
        (trainer.recipe.learner, trainer.recipe.keep) = (Trainer::default().recipe.learner, learn.keep);
    }
    trainer.recipe.kernel()?;
    if let (Some(kernel), Some(init)) = (args.kernel, &learn.init) {
        bail!("--init {}: with --kernel {kernel} there are no weights to start from", init.display());
    }
    Ok(trainer)
}

fn preparation(args: &PrepareArgs, seed: u64) -> Preparation {
    Preparation {
        min_count: args.min_count.max(1),
        tf: args.tf,
        tf_idf: args.tf_idf,
        degree: args.degree,
        hash_bits: args.hash_bits,
        scale: if let ScaleBy::Given(by) = args.scale { by } else { Scale::None },
        centre: false,
        lift: args.lift.map(|lift| Lift { seed, ..lift }),
    }
}

/// The same as [`begin`] for a table that is not prepared yet.
pub fn begin_on(trainer: Trainer, args: &LearnArgs, table: &Table) -> Result<Trainer> {
    if args.init.is_none() {
        return Ok(trainer);
    }
    let prepared = trainer.prepare(table)?;
    begin(trainer, args, &prepared)
}

/// The start vector: the weights that `--init` names, once the schema of the data is known.
pub fn start_at(args: &LearnArgs, prepared: &Prepared<'_>) -> rosenblatt::Result<Start> {
    let Some(path) = &args.init else { return Ok(Start::Zero) };
    let weights = bias(args).and_then(|bias| start(path, prepared, bias));
    weights.map(Start::At).map_err(known)
}

/// An error of the library, or of the settings.
pub fn known(error: anyhow::Error) -> Error {
    error.downcast().unwrap_or_else(|error: anyhow::Error| Error::settings(format!("{error:#}")))
}

/// Starts from the weights that `--init` names, once the schema of the data is known.
pub fn begin(trainer: Trainer, args: &LearnArgs, prepared: &Prepared<'_>) -> Result<Trainer> {
    match &args.init {
        Some(path) => Ok(trainer.start(Start::At(start(path, prepared, bias(args)?)?))),
        None => Ok(trainer),
    }
}

fn bias(args: &LearnArgs) -> Result<Bias> {
    Ok(if args.no_bias { Bias::NONE } else { args.bias.map_or(Ok(Bias::ONE), Bias::new)? })
}

/// `--set` and the options that stand for one.
fn settings(args: &LearnArgs) -> Result<Vec<(String, String)>> {
    let mut settings = Vec::new();
    for text in &args.set {
        let Some((name, value)) = text.split_once('=') else {
            bail!("--set {text}: expected NAME=VALUE, say --set c=0.1");
        };
        settings.push((name.to_string(), value.to_string()));
    }
    let named = [("rate", &args.rate), ("schedule", &args.schedule), ("epsilon", &args.epsilon)];
    settings.extend(named.iter().filter_map(|(name, value)| Some((name.to_string(), (*value).clone()?))));
    if args.average_gradient {
        settings.push(("step".into(), "mean".into()));
    }
    Ok(settings)
}

/// The order of the examples in each pass.
pub fn order(text: &str, seed: u64) -> Result<Order> {
    match text {
        "shuffled" => Ok(Order::Shuffled { seed }),
        "cyclic" => Ok(Order::Cyclic),
        path => {
            let numbers = std::fs::read_to_string(path)
                .with_context(|| format!("--order {path}: not shuffled, not cyclic, and no such file"))?;
            Ok(Order::from_text(path, &numbers)?)
        }
    }
}

fn class_weights(text: &str) -> Result<ClassWeights> {
    if text == "balanced" {
        return Ok(ClassWeights::Balanced);
    }
    let pair = |part: &str| {
        let (label, weight) = part.rsplit_once('=')?;
        Some((label.to_string(), weight.parse().ok()?))
    };
    let pairs: Option<_> = text.split(',').map(pair).collect();
    match pairs {
        Some(pairs) => Ok(ClassWeights::Given(pairs)),
        None => bail!("--class-weight {text}: expected balanced, or LABEL=WEIGHT,LABEL=WEIGHT"),
    }
}

/// The weights of a model, or the numbers of a text file: one for each feature, then the bias if there is one.
fn start(path: &Path, prepared: &Prepared<'_>, constant: Bias) -> Result<Weights> {
    let table = prepared.raw;
    let bytes = std::fs::read(path).map_err(|e| Error::io(path, e))?;
    let name = path.display().to_string();
    if bytes.starts_with(b"RSNBLATT") || bytes.trim_ascii_start().starts_with(b"{") {
        let model = Model::from_bytes(&name, &bytes)?;
        if model.labels != table.labels {
            bail!("--init {name}: the model's classes are not those of the data, in the same order");
        }
        if model.chain != prepared.chain {
            bail!("--init {name}: the model prepares its rows in another way, so its weights do not fit");
        }
        let Some(w) = model.hypothesis.linear() else {
            bail!("--init {name}: a kernel machine has no weights to start from");
        };
        return Ok(Weights::from_parts(w.values().to_vec(), w.bias().to_vec(), constant));
    }
    let text = String::from_utf8(bytes).with_context(|| format!("--init {name}: neither a model nor text"))?;
    let mut numbers = Vec::new();
    for (line, column, word) in words(&text) {
        match word.parse::<f64>() {
            Ok(number) if number.is_finite() => numbers.push(number),
            _ => {
                let message = format!("\"{word}\": expected a number");
                return Err(Error::data(Place::at(name, line, column), message).into());
            }
        }
    }
    let (features, biased) = (prepared.features(), constant.is_learned());
    if table.labels.len() != 2 {
        bail!("--init {name}: numbers in a text are for two classes; start from a model instead");
    }
    if numbers.len() != features + usize::from(biased) {
        let bias = if biased { " and a bias" } else { "" };
        let numbers = count(numbers.len() as u64, "number", "numbers");
        let weights = count(features as u64, "weight", "weights");
        bail!("--init {name}: {numbers}, where {weights}{bias} are needed");
    }
    let bias = if biased { numbers.pop().unwrap_or(0.0) } else { 0.0 };
    Ok(Weights::from_parts(numbers, vec![bias], constant))
}
