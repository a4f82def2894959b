//! Why a certificate is not believed: one sentence, and which kind of check it failed.

use std::fmt;

/// The kind of check that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Check {
    /// The certificate is not written as FORMAT.md says.
    Form,
    /// The certificate's own digest is not that of its bytes: it was changed after it was signed.
    Digest,
    /// The data are not the data that the certificate speaks of, or cannot be read as it says.
    Data,
    /// The numbers do not prove what the certificate claims.
    Proof,
    /// Checking would take more memory than this crate allows itself.
    Size,
    /// The caller stopped the check ([`until`](crate::until)): nothing is known of the certificate.
    Stopped,
}

/// A certificate that is refused, and why. `Display` is one sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    check: Check,
    told: String,
}

impl Refusal {
    /// The kind of check that failed.
    pub fn check(&self) -> Check {
        self.check
    }

    pub(crate) fn form(told: impl Into<String>) -> Self {
        Refusal { check: Check::Form, told: told.into() }
    }

    pub(crate) fn digest(told: impl Into<String>) -> Self {
        Refusal { check: Check::Digest, told: told.into() }
    }

    pub(crate) fn data(told: impl Into<String>) -> Self {
        Refusal { check: Check::Data, told: told.into() }
    }

    pub(crate) fn proof(told: impl Into<String>) -> Self {
        Refusal { check: Check::Proof, told: told.into() }
    }

    pub(crate) fn stopped() -> Self {
        Refusal { check: Check::Stopped, told: "the check was interrupted".into() }
    }

    pub(crate) fn size(told: impl Into<String>) -> Self {
        Refusal { check: Check::Size, told: told.into() }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = match self.check {
            Check::Form => "the certificate is malformed",
            Check::Digest => "the certificate was changed",
            Check::Data => "the data do not fit the certificate",
            Check::Proof => "the proof fails",
            Check::Size => "too large to check",
            Check::Stopped => "stopped",
        };
        write!(f, "{of}: {}", self.told)
    }
}

impl std::error::Error for Refusal {}

/// What every check returns.
pub(crate) type Checked<T> = Result<T, Refusal>;

/// Foreign text in a message: in quotes, without control characters, cut where it gets long.
pub(crate) fn show(text: &[u8]) -> String {
    const MOST: usize = 40;
    let whole = String::from_utf8_lossy(&text[..text.len().min(4 * MOST)]);
    let cut: String = whole.chars().take(MOST).collect();
    if cut.len() < text.len() && whole.chars().nth(MOST).is_some() { format!("{cut:?}…") } else { format!("{cut:?}") }
}
