//! The trials of `tune`.
//!
//! A trial is a command line of `train`: the arguments given, with the setting in place of the same options. It goes
//! through the same parser, so every option of `train` can be tuned.

use std::collections::{BTreeMap, HashSet};

use anyhow::{Result, anyhow, bail};
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Args, FromArgMatches};
use rosenblatt::Trainer;
use rosenblatt::evaluate::{Setting, Space};
use rosenblatt::learn::learners as learner;
use rosenblatt::read::Dataset;
use rosenblatt::rows::Table;

use crate::args::{self, Cli, Command, DataArgs, Passes, TrainArgs, ValidationArgs};
use crate::commands::{choose, held, open};

/// One setting and the arguments of `train` for it.
pub struct Candidate {
    /// The setting.
    pub setting: Setting,
    /// The index of its data in the list of readings.
    pub reading: usize,
    /// The arguments of `train`.
    pub args: TrainArgs,
    /// The command line of `train`, as it is typed.
    pub words: Vec<String>,
    /// The reading options, as they were typed.
    read_as: Vec<(String, Vec<String>)>,
}

/// Data, read with the options of one or more candidates.
pub struct Reading {
    /// All examples but those for testing: training examples, then those of the validation file.
    pub dataset: Dataset,
    /// Where the validation examples begin, if there is a validation file.
    pub validation_from: Option<u32>,
}

/// The arguments given, by option of `train`: the values of each occurrence.
type Typed = BTreeMap<String, Vec<Vec<String>>>;

/// A candidate for each distinct setting. Learners ignore the parameters of other learners.
pub fn all(space: &Space, settings: &[Setting]) -> Result<Vec<Candidate>> {
    let mut cli = args::command();
    cli.build();
    let train = cli.find_subcommand("train").expect("the command train");
    check_keys(space, train)?;
    let matches = args::command().get_matches();
    let typed = typed(matches.subcommand_matches("tune").expect("this is tune"), train);
    let data_options: Vec<String> = ids::<DataArgs>();
    let (mut candidates, mut known) = (Vec::new(), HashSet::new());
    for setting in settings {
        let setting = own_parameters(setting, &typed);
        if !known.insert(setting.clone()) {
            continue;
        }
        let words = words(train, &typed, &setting);
        let refuse = |e: clap::Error| {
            let text = e.to_string();
            let first = text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_string();
            anyhow!("--grid {setting}: {first}")
        };
        let matches = args::command().try_get_matches_from(&words).map_err(refuse)?;
        let read_as = matches.subcommand_matches("train").map(|m| raw(m, &data_options)).unwrap_or_default();
        let Some(Command::Train(args)) = Cli::from_arg_matches(&matches).map_err(refuse)?.command else {
            bail!("--grid {setting}: not an option of train");
        };
        // Errors that do not depend on the data are reported before reading.
        if args.epochs == Passes::Auto {
            bail!("--epochs auto: to tune the number of passes, put epochs=5,10,20 in --grid");
        }
        let trainer = choose::trainer(&args.learner, args.epochs.most(), &args.order, &args.learn)
            .and_then(|trainer| choose::in_space(trainer, &args.space, &args.learn))
            .map_err(|e| anyhow!("--grid {setting}: {}", crate::words::any_error(&e)))?;
        held::refuse_given_order(&trainer.plan.order, "tune")?;
        candidates.push(Candidate { setting, args, words, read_as, reading: 0 });
    }
    let used = |key: &str| candidates.iter().any(|one| one.setting.0.iter().any(|(other, _)| other == key));
    if let Some(key) = space.keys().find(|key| !used(key)) {
        let has = |entry: &&learner::Entry| entry.params.iter().any(|p| p.name == key);
        let names: Vec<&str> = learner::all().filter(has).map(|entry| entry.name).collect();
        bail!("--grid {key}: none of the learners has this parameter; {} would", names.join(", "));
    }
    Ok(candidates)
}

/// Reads the data once for each set of reading options.
pub fn readings(train: &TrainArgs, candidates: &[Candidate]) -> Result<Vec<Reading>> {
    let input = open::rereadable(open::examples(train)?)?;
    let mut readings: Vec<Reading> = Vec::new();
    for one in candidates {
        if one.reading < readings.len() {
            continue;
        }
        let mut dataset = open::training_input(&input, &one.args.read)?;
        dataset.table.check_lengths().map_err(|e| e.in_file(&dataset.name))?;
        let mut validation_from = None;
        if let Some(file) = &train.validate.validation {
            let more = held::file_like(&dataset, file, &one.args)?;
            validation_from = Some(dataset.table.matrix.len() as u32);
            dataset.table = dataset.table.joined(&more.table)?;
        }
        readings.push(Reading { dataset, validation_from });
    }
    Ok(readings)
}

impl Candidate {
    /// The trainer, now that the shape of the data is known.
    pub fn trainer(&self, table: &Table) -> Result<Trainer> {
        let args = &self.args;
        let trainer = choose::trainer(&args.learner, args.epochs.most(), &args.order, &args.learn)?;
        let trainer = choose::in_space(trainer, &args.space, &args.learn)?;
        choose::begin_on(trainer, &args.learn, table)
    }
}

/// Numbers the sets of reading options.
pub fn number_readings(candidates: &mut [Candidate]) {
    let mut known: Vec<Vec<(String, Vec<String>)>> = Vec::new();
    for one in candidates {
        one.reading = known.iter().position(|other| *other == one.read_as).unwrap_or_else(|| {
            known.push(one.read_as.clone());
            known.len() - 1
        });
    }
}

/// The options of a group.
fn ids<A: Args>() -> Vec<String> {
    A::augment_args(clap::Command::new("")).get_arguments().map(|arg| arg.get_id().to_string()).collect()
}

fn raw(matches: &ArgMatches, ids: &[String]) -> Vec<(String, Vec<String>)> {
    let values = |id: &String| {
        let raw = matches.get_raw(id)?;
        Some((id.clone(), raw.map(|v| v.to_string_lossy().into_owned()).collect()))
    };
    ids.iter().filter_map(values).collect()
}

fn is_parameter(key: &str) -> bool {
    learner::all().any(|entry| entry.params.iter().any(|p| p.name == key))
}

/// Whether an option changes how rows are read or learned from.
fn can_be_tuned(arg: &Arg) -> bool {
    let other = ["output", "resume", "checkpoint", "set", "help", "version"];
    let id = arg.get_id().as_str();
    !arg.is_positional()
        && !arg.is_global_set()
        && !other.contains(&id)
        && !ids::<ValidationArgs>().iter().any(|j| j == id)
}

fn option<'a>(train: &'a clap::Command, key: &str) -> Option<&'a Arg> {
    train.get_arguments().find(|arg| arg.get_long() == Some(key))
}

fn check_keys(space: &Space, train: &clap::Command) -> Result<()> {
    for key in space.keys() {
        match option(train, key) {
            _ if is_parameter(key) => {}
            Some(arg) if can_be_tuned(arg) => {}
            Some(_) => bail!("--grid {key}: this does not change what is learned, so it cannot be tuned"),
            None => bail!(
                "--grid {key}: neither an option of train nor a parameter of a learner; see `rosenblatt help train` and \
                 `rosenblatt help learners`"
            ),
        }
    }
    Ok(())
}

/// The arguments given for options of `train`, without defaults.
fn typed(tune: &ArgMatches, train: &clap::Command) -> Typed {
    let mut typed = Typed::new();
    for arg in train.get_arguments().filter(|arg| arg.is_positional() || can_be_tuned(arg) || arg.get_id() == "set") {
        let id = arg.get_id().as_str();
        if tune.value_source(id) == Some(ValueSource::CommandLine) {
            let occurrences = tune.get_raw_occurrences(id).into_iter().flatten();
            let texts = occurrences.map(|values| values.map(|v| v.to_string_lossy().into_owned()).collect());
            typed.insert(id.to_string(), texts.collect());
        }
    }
    typed
}

/// The setting without the parameters of other learners.
fn own_parameters(setting: &Setting, typed: &Typed) -> Setting {
    let named = setting.0.iter().find(|(key, _)| key == "learner").map(|(_, value)| value.clone());
    let named = named.or_else(|| typed.get("learner").and_then(|given| given.last()?.first().cloned()));
    let name = named.filter(|name| name != args::AUTO).unwrap_or_else(|| Trainer::auto().recipe.learner);
    let Ok(entry) = learner::find(&name) else { return setting.clone() };
    let has = |key: &str| entry.params.iter().any(|p| p.name == key);
    Setting(setting.0.iter().filter(|(key, _)| !is_parameter(key) || has(key)).cloned().collect())
}

/// The command line of `train` for one setting.
fn words(train: &clap::Command, typed: &Typed, setting: &Setting) -> Vec<String> {
    let mut words = vec!["rosenblatt".to_string(), "train".to_string()];
    let given = |key: &str| setting.0.iter().any(|(other, _)| other == key);
    let mut positional = Vec::new();
    for arg in train.get_arguments() {
        let Some(occurrences) = typed.get(arg.get_id().as_str()) else { continue };
        let Some(long) = arg.get_long() else {
            positional.extend(occurrences.iter().flatten().cloned());
            continue;
        };
        if given(long) {
            continue;
        }
        for values in occurrences {
            // --set NAME=VALUE gives way to a setting of the same name.
            if long == "set" && values.iter().any(|v| v.split_once('=').is_some_and(|(name, _)| given(name))) {
                continue;
            }
            if arg.get_action().takes_values() {
                words.extend(values.iter().map(|value| format!("--{long}={value}")));
            } else {
                words.push(format!("--{long}"));
            }
        }
    }
    for (key, value) in &setting.0 {
        match option(train, key) {
            _ if is_parameter(key) => words.push(format!("--set={key}={value}")),
            Some(arg) if !arg.get_action().takes_values() && value == "true" => words.push(format!("--{key}")),
            Some(arg) if !arg.get_action().takes_values() && value == "false" => {}
            _ => words.push(format!("--{key}={value}")),
        }
    }
    words.push("--".to_string());
    words.extend(positional);
    words
}
