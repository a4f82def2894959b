//! Any bytes as a certificate of fixed data: refused, or a proof of what is true of them.
//!
//! The digest rejects almost every mutation, so the bytes are tried as they are, and again with the digests that they should
//! have.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rosenblatt_verify::{Verdict, kind, verify, verify_audit};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

/// Separable data, and inseparable ones.
const DATA: [(&str, Verdict); 2] = [
    ("+1 1:1 2:2\n-1 1:-1 2:0.5\n+1 1:3 2:1\n-1 1:-2 2:-1\n", Verdict::Separable),
    ("+1 1:1 2:1\n-1 1:1 2:-1\n+1 1:-1 2:-1\n-1 1:-1 2:1\n", Verdict::Inseparable),
];

fn hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The same certificate, of this data and with a right digest.
fn signed(text: &str, data: &str) -> Option<String> {
    let certificate: Value = serde_json::from_str(text).ok()?;
    let of = certificate["data"]["sha256"].as_str().filter(|of| of.len() == 64)?;
    let text = text.replace(of, &hex(data.as_bytes()));
    let digest = certificate["digest"].as_str().filter(|digest| digest.len() == 64)?;
    let blank = text.replace(digest, &"0".repeat(64));
    Some(text.replace(digest, &hex(blank.as_bytes())))
}

fuzz_target!(|bytes: &[u8]| {
    let _ = kind(bytes);
    for (data, truth) in DATA {
        let attempt = |certificate: &[u8]| {
            if let Ok(verified) = verify(certificate, data.as_bytes()) {
                // With fewer labels on a side, or without a bias, another verdict is true of the same rows.
                let all = verified.positive == 2 && verified.negative == 2;
                let usual = verified.bias && verified.degree == 1;
                assert!(!(all && usual) || verified.verdict == truth, "{}", String::from_utf8_lossy(certificate));
            }
            if let Ok(verified) = verify_audit(certificate, data.as_bytes(), None) {
                drop(verified);
            }
        };
        attempt(bytes);
        if let Some(signed) = std::str::from_utf8(bytes).ok().and_then(|text| signed(text, data)) {
            attempt(signed.as_bytes());
        }
    }
});
