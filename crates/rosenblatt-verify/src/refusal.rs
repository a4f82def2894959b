//! Why a certificate is refused: one sentence, and the kind of check that failed.

use std::fmt;

/// The kind of check that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Check {
    /// The certificate is not written as FORMAT.md says.
    Form,
    /// The certificate's digest is not that of its bytes: it was changed after it was written.
    Digest,
    /// The data are not those of the certificate, or cannot be read as it specifies.
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
    message: String,
}

impl Refusal {
    /// The kind of check that failed.
    pub fn check(&self) -> Check {
        self.check
    }

    /// The same, with the part of the certificate that it is about.
    pub(crate) fn within(self, part: &str) -> Self {
        Refusal { message: format!("{part}: {}", self.message), ..self }
    }

    pub(crate) fn form(message: impl Into<String>) -> Self {
        Refusal { check: Check::Form, message: message.into() }
    }

    pub(crate) fn digest(message: impl Into<String>) -> Self {
        Refusal { check: Check::Digest, message: message.into() }
    }

    pub(crate) fn data(message: impl Into<String>) -> Self {
        Refusal { check: Check::Data, message: message.into() }
    }

    pub(crate) fn proof(message: impl Into<String>) -> Self {
        Refusal { check: Check::Proof, message: message.into() }
    }

    pub(crate) fn stopped() -> Self {
        Refusal { check: Check::Stopped, message: "the check was interrupted".into() }
    }

    pub(crate) fn size(message: impl Into<String>) -> Self {
        Refusal { check: Check::Size, message: message.into() }
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
        write!(f, "{of}: {}", self.message)
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
