//! The engine of the lab: one function, a JSON request in, a JSON answer out. No state, no files, no HTTP.
//!
//! The page in `web/` asks it for everything that it shows: natively behind `POST /lab`, as WebAssembly in a browser, or
//! from a notebook. A request is an object with the key `op`; an answer has the key `error` if the request was refused.
//!
//! | `op` | answers |
//! |---|---|
//! | `learners` | every learner of the registry with its parameters, and the other choices |
//! | `data` | built-in data and generators; with `name`, the examples as CSV |
//! | `read` | any text that the library reads, as CSV |
//! | `trace` | training step by step: the lines of `rosenblatt trace --json`, byte for byte, and what each step did |
//! | `regions` | the scores of the model over a plane, after any step |
//! | `separable` | the exact verdict, its proof, and the certificate, checked by independent code |
//! | `polyfit` | over-fitting: polynomials through noisy points |
//! | `lesson` | the lessons |
//!
//! ```
//! let answer = rosenblatt_lab::answer(r#"{"op": "data", "name": "xor"}"#);
//! assert!(answer.contains(r#""csv":"x1,x2,label\n0,0,-1\n0,1,+1\n1,0,+1\n1,1,-1\n""#), "{answer}");
//! ```

mod commands;
mod data;
mod generate;
mod learners;
mod lesson;
#[cfg(feature = "page")]
pub mod page;
mod polyfit;
mod read;
mod regions;
mod separable;
mod settings;
mod steps;
mod trace;
#[cfg(target_arch = "wasm32")]
mod wasm;
mod words;

use rosenblatt::limits::{self, Limits};
use rosenblatt::{Error, Input, ReadOptions, Result};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// The most bytes of a request.
pub const MOST_BYTES: usize = 16 << 20;
/// The most examples.
pub const MOST_EXAMPLES: usize = 100_000;
/// The most features, the monomials counted.
pub const MOST_FEATURES: usize = 2_000;
/// The most steps of one training: examples × passes.
pub const MOST_STEPS: u64 = 20_000_000;
/// The longest time of one request, in milliseconds, where there is a clock.
pub const MOST_MILLISECONDS: u64 = 10_000;
/// The most memory of one request, where it is counted.
const MOST_MEMORY: u64 = 1 << 30;

/// Answers a request. Never fails: an answer to a request that was refused is `{"error": {"kind": …, "message": …}}`.
pub fn answer(request: &str) -> String {
    answer_within(request, &limits())
}

/// The same within the caller's limits of memory and time.
pub fn answer_within(request: &str, limits: &Limits) -> String {
    limits::within(limits, || respond(request))
        .unwrap_or_else(|error| refusal(words::kind(&error), &words::error(&error)))
}

/// A file of any format that the library reads, as the CSV that the page shows.
pub fn read_file(input: &Input, options: &ReadOptions) -> Result<String> {
    let answer = read::read_any(input, options)?;
    Ok(answer["csv"].as_str().unwrap_or_default().to_string())
}

/// An answer that refuses, for front ends that must refuse before the engine is asked.
pub fn refusal(kind: &str, message: &str) -> String {
    json!({ "error": { "kind": kind, "message": message } }).to_string()
}

fn limits() -> Limits {
    #[cfg(feature = "clock")]
    let deadline = (std::time::Instant::now() + std::time::Duration::from_millis(MOST_MILLISECONDS)).into();
    #[cfg(not(feature = "clock"))]
    let deadline = limits::Deadline::NEVER;
    Limits { memory: MOST_MEMORY, deadline }
}

fn respond(request: &str) -> Result<String> {
    if request.len() > MOST_BYTES {
        let (found, most) = (limits::bytes(request.len() as u64), limits::bytes(MOST_BYTES as u64));
        return Err(Error::bad_data(format!("the request has {found}: at most {most} are answered")));
    }
    let mut object: Value =
        serde_json::from_str(request).map_err(|error| Error::bad_data(format!("the request is not JSON: {error}")))?;
    let op = object.as_object_mut().and_then(|map| map.remove("op"));
    let Some(Value::String(op)) = op else {
        return Err(Error::settings(
            "a request is an object with a text \"op\": learners, data, read, trace, regions, separable, polyfit or lesson",
        ));
    };
    match op.as_str() {
        "learners" => write(&learners::answer()),
        "data" => write(&data::answer(&parse(object)?)?),
        "read" => write(&read::answer(&parse(object)?)?),
        "trace" => write(&trace::answer(&parse(object)?)?),
        "regions" => write(&regions::answer(&parse(object)?)?),
        "separable" => write(&separable::answer(&parse(object)?)?),
        "polyfit" => write(&polyfit::answer(&parse(object)?)?),
        "lesson" => Ok(lesson::answer()),
        other => Err(Error::settings(format!(
            "there is no op \"{other}\": choose one of learners, data, read, trace, regions, separable, polyfit, lesson"
        ))),
    }
}

fn parse<T: DeserializeOwned>(object: Value) -> Result<T> {
    serde_json::from_value(object).map_err(|error| Error::settings(format!("the request: {error}")))
}

fn write(answer: &impl Serialize) -> Result<String> {
    let line = rosenblatt::escape::json_line(answer);
    let line = line.map_err(|error| Error::bad_data(format!("the answer cannot be written as JSON: {error}")))?;
    Ok(line.trim_end().to_string())
}
