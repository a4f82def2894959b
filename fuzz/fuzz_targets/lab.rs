//! Any text as a request to the lab: answered, or refused, in JSON, within its limits of memory and time.

#![no_main]

use std::time::{Duration, Instant};

use libfuzzer_sys::fuzz_target;
use rosenblatt::limits::{Counting, Limits};
use serde_json::Value;

/// The lab's limits hold where memory is counted.
#[global_allocator]
static MEMORY: Counting = Counting;

fuzz_target!(|request: &str| {
    let deadline = (Instant::now() + Duration::from_secs(1)).into();
    let answer = rosenblatt_lab::answer_within(request, &Limits { memory: 512 << 20, deadline });
    let answer: Value = serde_json::from_str(&answer).expect("an answer is JSON");
    if let Some(error) = answer.get("error") {
        assert!(error["kind"].is_string() && error["message"].is_string(), "{answer}");
        let message = error["message"].as_str().unwrap_or_default();
        assert!(!message.contains(|c: char| c.is_control() && c != '\n'), "{message:?}");
    }
});
