//! What is accepted.

mod cases;

use rosenblatt_verify::{Refusal, Verdict, Verified, verify};

use cases::Case;

fn check(case: &Case) -> Result<Verified, Refusal> {
    verify(case.certificate.as_bytes(), case.data.as_bytes())
}

#[test]
fn every_case_is_proved() {
    for case in cases::all() {
        if let Err(refusal) = check(&case) {
            panic!("{}: {refusal}", case.name);
        }
    }
}
