//! `rosenblatt serve`: the learning server.

use std::io::ErrorKind;
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use rosenblatt::learn::keep::KeepKind;
use rosenblatt::learn::learners::Multiclass;
use rosenblatt::map::{Scaling, Tf};
use rosenblatt::rows::CharGrams;
use rosenblatt::{Preparation, Recipe};
use rosenblatt_server::{
    Catalogue, Durability, Hosts, Limits, ModelLimits, Serving, Settings, Texts, Tokens, journal, run as run_server,
    store::Disk, store::Sizes,
};
use serde::Serialize;

use crate::args::choice;
use crate::interrupt;
use crate::output::{Output, note};

pub const EXAMPLES: &str = "\
Examples:
  rosenblatt serve --data spam/ --learner arow
  curl localhost:8080/v1/models/mail/learn -d '{\"features\": {\"free\": 1, \"from\": \"bob\"}, \"label\": \"spam\"}'
  curl localhost:8080/v1/models/mail/predict -d '{\"features\": {\"free\": 1}}'
  curl localhost:8080/v1/models/mail/predict -d '{\"text\": \"a whole message\"}'
  curl localhost:8080/v1/models/mail/model -o mail.model";

#[derive(Args)]
pub struct ServeArgs {
    /// Finished models to serve, each by the name of its file: they predict, and do not learn
    #[arg(value_name = "MODEL")]
    pub models: Vec<PathBuf>,
    /// The folder of the models: a log and snapshots for each
    #[arg(long, value_name = "DIR")]
    pub data: PathBuf,
    /// The address to listen on; one that other machines reach needs --token-file
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:8080")]
    pub listen: SocketAddr,
    /// The learner of new models: one that keeps the last or the average weights
    #[arg(long, value_name = "NAME", default_value = "arow")]
    pub learner: String,
    /// The learner's own parameter; may be repeated (see `rosenblatt help learners`)
    #[arg(long, value_name = "NAME=VALUE")]
    pub set: Vec<String>,
    /// Which weights to keep: last or average [default: the learner's own]
    #[arg(long, value_name = "WHAT", hide_possible_values = true, value_parser = choice::<KeepKind>())]
    pub keep: Option<KeepKind>,
    /// Three or more classes: single, uniform or one-vs-rest
    #[arg(long, value_name = "HOW", default_value = "single", hide_possible_values = true, value_parser = choice::<Multiclass>())]
    pub multiclass: Multiclass,
    /// Learn no bias
    #[arg(long)]
    pub no_bias: bool,
    /// A feature whose words are counted, of new models; may be repeated. `"text"` beside the features always is one
    #[arg(long, value_name = "FIELD")]
    pub text: Vec<String>,
    /// Count n-grams of up to N words of texts
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=5))]
    pub ngrams: u32,
    /// Also count runs of A to B characters of a word, with its boundaries < and >
    #[arg(long, value_name = "A..B")]
    pub char_ngrams: Option<CharGrams>,
    /// The value of a count, for all features of new models: itself (count), 1 + ln(count) (log), or 1 (binary)
    #[arg(long, value_name = "HOW", default_value = "count", hide_possible_values = true, value_parser = choice::<Tf>())]
    pub tf: Tf,
    /// Hash the features of new models into 2^B buckets
    #[arg(long, value_name = "B", value_parser = clap::value_parser!(u32).range(1..=28))]
    pub hash_bits: Option<u32>,
    /// Scaling of the rows of new models: none, or each to length 1 (unit); others need all rows first
    #[arg(long, value_name = "HOW", default_value = "none", hide_possible_values = true, value_parser = choice::<Scaling>())]
    pub scale: Scaling,
    // These need all rows: they are here to be refused with the reason.
    #[arg(long, hide = true)]
    pub tf_idf: bool,
    #[arg(long, hide = true, default_value_t = 1)]
    pub min_count: u32,
    #[arg(long, hide = true, default_value_t = 1)]
    pub degree: u32,
    /// When an example is acknowledged: once it is on the disk (sync), or before, and synced every MS milliseconds
    /// (batch:MS) or when the system likes (none)
    #[arg(long, value_name = "WHEN", default_value = "sync")]
    pub durability: Durability,
    /// Lines of a role (predict, learn, admin) and a token; requests then need Authorization: Bearer TOKEN
    #[arg(long, value_name = "FILE")]
    pub token_file: Option<PathBuf>,
    /// Seconds for which a prediction is remembered, so that its label can be sent by its id; 0: none
    #[arg(long, value_name = "S", default_value_t = 3600)]
    pub feedback_window: u64,
    /// The most features of a model
    #[arg(long, value_name = "N", default_value_t = ModelLimits::default().features)]
    pub max_features: usize,
    /// The most classes of a model
    #[arg(long, value_name = "N", default_value_t = ModelLimits::default().classes)]
    pub max_classes: usize,
    /// The most models
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub max_models: usize,
    /// Examples between two snapshots: fewer make a restart faster
    #[arg(long, value_name = "N", default_value_t = ModelLimits::default().snapshot, value_parser = clap::value_parser!(u64).range(1..))]
    pub snapshot_every: u64,
    /// What is kept of the log: all of it (whole), or what two snapshots do not hold (compact): less disk and a faster start,
    /// but no replay to older examples, and no new classes then
    #[arg(long, value_name = "WHAT", default_value = "whole", value_parser = ["whole", "compact"], hide_possible_values = true)]
    pub log: String,
    /// What is logged on standard error: error, warn, info, or debug (also each refused request)
    #[arg(long, value_name = "LEVEL", default_value = "info", hide_possible_values = true,
        value_parser = ["error", "warn", "info", "debug"])]
    pub log_level: String,
    /// Bytes of a segment of the log
    #[arg(long, hide = true, value_name = "N", default_value_t = ModelLimits::default().log.segment)]
    pub segment: u64,
}

/// What is printed with --json.
#[derive(Serialize)]
struct Started<'a> {
    address: &'a str,
    models: Vec<String>,
}

pub fn run(args: &ServeArgs, out: &mut Output) -> Result<ExitCode> {
    journal::install(args.log_level.parse()?);
    let tokens = match &args.token_file {
        Some(path) => {
            let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
            Tokens::parse(&text).map_err(|why| anyhow!("{}: {why}", path.display()))?
        }
        None => Tokens::default(),
    };
    let loopback = args.listen.ip().is_loopback();
    if !loopback && tokens.is_empty() {
        bail!(
            "--listen {}: other machines reach this address; give a --token-file, or listen on 127.0.0.1",
            args.listen
        );
    }
    let listener = TcpListener::bind(args.listen).map_err(|error| match error.kind() {
        ErrorKind::AddrInUse => anyhow!("--listen {}: another program listens there: take another port", args.listen),
        _ => anyhow::Error::new(error).context(format!("--listen {}", args.listen)),
    })?;
    let address = listener.local_addr()?;
    let stop = interrupt::flag();
    keep_running_at_limits();
    let catalogue = Catalogue::open(Arc::new(Disk), args.data.clone(), settings(args)?)?;
    for path in &args.models {
        let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
        let bytes = std::fs::read(path).with_context(|| path.display().to_string())?;
        catalogue.put(name, &bytes).map_err(|problem| anyhow!("{}: {}", path.display(), problem.message))?;
    }
    let models = catalogue.names();
    let others = others(&catalogue, args);
    // Where requests carry tokens, a name of another site leads to nothing; and a proxy may pass on the name it was called by.
    let hosts = if loopback && tokens.is_empty() { Hosts::Loopback } else { Hosts::Any };
    let serving = Arc::new(Serving::new(catalogue, tokens, Duration::from_secs(args.feedback_window)));
    interrupt::wait_for_save();
    let url = format!("http://{address}/");
    if out.json {
        out.object(&Started { address: &url, models })?;
    } else {
        out.line(&url)?;
        note(format!("{} models in {}; Ctrl-C ends in order", models.len(), args.data.display()));
        for other in others {
            note(other);
        }
    }
    out.flush()?;
    let limits = Limits::default();
    allow_files(limits.connections as u64 + OWN_FILES);
    tell_system("READY=1");
    let telling = tell_when_stopping(&stop);
    let served = run_server(listener, serving.clone().router(), hosts, &limits, stop);
    if let (Ok(()), Some(telling)) = (&served, telling) {
        let _ = telling.join();
    }
    serving.stop();
    served?;
    interrupt::ended_in_order();
    Ok(ExitCode::SUCCESS)
}

/// Models that go on with a learner that is not the one of the command line: it is for new models.
fn others(catalogue: &Catalogue, args: &ServeArgs) -> Vec<String> {
    let mut notes = Vec::new();
    for name in catalogue.names() {
        let Ok(handle) = catalogue.get(&name) else { continue };
        if let Some(trainer) = handle.trainer().filter(|trainer| trainer.recipe.learner != args.learner) {
            let (name, learner) = (rosenblatt::escape::escaped(&name), &trainer.recipe.learner);
            notes.push(format!(
                "{name} was made with {learner} and goes on with it; {} is for new models",
                args.learner
            ));
        }
    }
    notes
}

/// Files that are open beside connections.
const OWN_FILES: u64 = 512;

/// Each connection is an open file, and a shell allows fewer than a server serves.
fn allow_files(wanted: u64) {
    #[cfg(unix)]
    {
        use nix::sys::resource::{Resource, getrlimit, setrlimit};
        if let Ok((now, most)) = getrlimit(Resource::RLIMIT_NOFILE)
            && now < wanted
        {
            // Without them, connections beyond the limit wait.
            let _ = setrlimit(Resource::RLIMIT_NOFILE, wanted.min(most), most);
        }
    }
    let _ = wanted;
}

/// A file that may not grow further (`ulimit -f`) is an error of its write, and no end of the process: this thread and those
/// that it starts do not take the signal.
fn keep_running_at_limits() {
    #[cfg(unix)]
    {
        use nix::sys::signal::{SigSet, Signal};
        let mut one = SigSet::empty();
        one.add(Signal::SIGXFSZ);
        let _ = one.thread_block();
    }
}

/// Tells systemd that the server was asked to end, before requests end.
fn tell_when_stopping(stop: &Arc<AtomicBool>) -> Option<std::thread::JoinHandle<()>> {
    std::env::var_os("NOTIFY_SOCKET")?;
    let stop = stop.clone();
    Some(std::thread::spawn(move || {
        while !stop.load(Ordering::SeqCst) {
            std::thread::sleep(Duration::from_millis(25));
        }
        tell_system("STOPPING=1");
    }))
}

/// Tells systemd how far it is, where it has asked by `Type=notify`.
fn tell_system(state: &str) {
    #[cfg(target_os = "linux")]
    if let Some(name) = std::env::var_os("NOTIFY_SOCKET") {
        use std::os::linux::net::SocketAddrExt;
        use std::os::unix::{ffi::OsStrExt, net::SocketAddr, net::UnixDatagram};
        let address = match name.as_bytes() {
            [b'@', name @ ..] => SocketAddr::from_abstract_name(name),
            _ => SocketAddr::from_pathname(&name),
        };
        // Nobody waits for it elsewhere.
        let _ = address.and_then(|address| UnixDatagram::unbound()?.send_to_addr(state.as_bytes(), &address));
    }
    let _ = state;
}

fn settings(args: &ServeArgs) -> Result<Settings> {
    let mut recipe =
        Recipe { learner: args.learner.clone(), keep: args.keep, multiclass: args.multiclass, ..Recipe::default() };
    if args.no_bias {
        recipe.bias = rosenblatt::Bias::NONE;
    }
    for pair in &args.set {
        let Some((name, value)) = pair.split_once('=') else { bail!("--set {pair}: expected NAME=VALUE") };
        recipe.params.insert(name.to_string(), value.to_string());
    }
    recipe.params()?;
    let limits = ModelLimits {
        features: args.max_features,
        classes: args.max_classes,
        snapshot: args.snapshot_every,
        log: Sizes {
            segment: args.segment,
            ahead: args.segment.saturating_mul(16).min(ModelLimits::default().log.ahead),
        },
        compact: args.log == "compact",
        memory: rosenblatt::limits::current().memory,
        ..ModelLimits::default()
    };
    let &ServeArgs { tf, tf_idf, min_count, degree, hash_bits, scale, ngrams, char_ngrams: chars, .. } = args;
    let preparation = Preparation { tf, tf_idf, min_count, degree, hash_bits, scale, ..Preparation::default() };
    let texts = Arc::new(Texts { fields: args.text.clone(), ngrams, chars });
    Ok(Settings { recipe, preparation, texts, durability: args.durability, limits, models: args.max_models })
}
