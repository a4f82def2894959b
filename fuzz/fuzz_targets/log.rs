//! Any bytes as the files of a model of the learning server: its settings, its log and a snapshot, between lines of three
//! dashes. The server starts; the model is refused with a reason, or learns on, and is the same after another start.
//!
//! Checksums reject almost every mutation, so the bytes are tried as they are, and again with corrected ones.

#![no_main]

mod served;

use std::path::Path;
use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use rosenblatt_server::model::{Ask, LearnAsk};
use rosenblatt_server::rows::{Row, RowLimits};
use rosenblatt_server::store::{Disk, Request};
use rosenblatt_server::{Catalogue, Settings};
use tokio::sync::oneshot;

/// CRC-32C, bit by bit.
fn crc(parts: &[&[u8]]) -> u32 {
    let one =
        |sum: u32, byte: &u8| (0..8).fold(sum ^ u32::from(*byte), |sum, _| (sum >> 1) ^ (0x82f6_3b78 * (sum & 1)));
    !parts.iter().flat_map(|part| part.iter()).fold(!0, one)
}

/// The log with right checksums, as far as its lengths go.
fn signed_log(bytes: &[u8]) -> Vec<u8> {
    let (mut bytes, mut at) = (bytes.to_vec(), 0usize);
    while let Some(head) = bytes.get(at..at + 32) {
        let length = u32::from_le_bytes(head[4..8].try_into().unwrap()) as usize;
        let Some(end) = (at + 32).checked_add(length).filter(|end| *end <= bytes.len()) else { break };
        bytes[at..at + 4].copy_from_slice(b"RLOG");
        let sum = crc(&[&bytes[at + 4..at + 8], &bytes[at + 12..end]]);
        bytes[at + 8..at + 12].copy_from_slice(&sum.to_le_bytes());
        at = end;
    }
    bytes
}

fn signed_snapshot(bytes: &[u8]) -> Vec<u8> {
    let body = &bytes[..bytes.len().saturating_sub(4)];
    [body, &crc(&[body]).to_le_bytes()[..]].concat()
}

fn open(folder: &Path) -> Option<Catalogue> {
    let settings: Settings = served::settings();
    match Catalogue::open(Arc::new(Disk), folder.to_path_buf(), settings) {
        Ok(catalogue) => Some(catalogue),
        Err(error) => {
            let message = error.to_string();
            assert!(!message.contains(char::is_control), "{message:?}");
            None
        }
    }
}

/// Examples learned by the first model, and its file if it has one.
fn state(catalogue: &Catalogue, name: &str) -> Option<(u64, Option<Vec<u8>>)> {
    let handle = catalogue.get(name).ok()?;
    let (reply, answer) = oneshot::channel();
    handle.ask(Ask::Describe(reply)).ok()?;
    let seq = answer.blocking_recv().ok()?.ok()?.seq;
    let (reply, answer) = oneshot::channel();
    handle.ask(Ask::Model(reply)).ok()?;
    let model = answer.blocking_recv().ok()?.ok().map(|(model, _)| model.to_bytes());
    Some((seq, model))
}

fn learn(catalogue: &Catalogue, name: &str) -> Option<()> {
    let handle = catalogue.get(name).ok()?;
    let row = Row::new("a | x:2 y".into(), &RowLimits::default(), true).unwrap();
    let (reply, answer) = oneshot::channel();
    let request = Request { key: String::new(), digest: 0, rows: vec![row.line] };
    let ask = LearnAsk { request, examples: vec![row.example], single: false, reply, stream: None };
    handle.ask(Ask::Learn(ask)).ok()?;
    answer.blocking_recv().ok()?.ok().map(drop)
}

fn attempt(folder: &Path, [settings, log, snapshot]: [&[u8]; 3]) {
    let inside = folder.join("model-000001");
    std::fs::create_dir_all(&inside).unwrap();
    std::fs::write(inside.join("settings.json"), settings).unwrap();
    std::fs::write(inside.join(format!("log-{:020}.rlog", 0)), log).unwrap();
    if !snapshot.is_empty() {
        std::fs::write(inside.join(format!("snapshot-{:020}", 4)), snapshot).unwrap();
    }
    if let Some(catalogue) = open(folder) {
        let name = catalogue.names().into_iter().next().unwrap_or_default();
        learn(&catalogue, &name);
        let before = state(&catalogue, &name);
        catalogue.stop();
        drop(catalogue);
        let again = open(folder).expect("a folder that was opened can be opened again");
        assert_eq!(state(&again, &name), before, "another start gives another model");
        again.stop();
    }
    std::fs::remove_dir_all(&inside).unwrap();
}

fuzz_target!(|bytes: &[u8]| {
    thread_local!(static FOLDER: std::path::PathBuf = served::folder("log"));
    let parts = served::parts(bytes);
    let [settings, log, snapshot] = [0, 1, 2].map(|i| parts.get(i).copied().unwrap_or_default());
    FOLDER.with(|folder| {
        attempt(folder, [settings, log, snapshot]);
        attempt(folder, [settings, &signed_log(log), &signed_snapshot(snapshot)]);
    });
});
