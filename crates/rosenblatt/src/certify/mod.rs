//! Is it linearly separable? A proof either way.
//!
//! With a = y·(x, 1) for each example (the 1 for the bias), exactly one of three things is true, and each has a
//! certificate that anyone can check with nothing but multiplication and addition of integers:
//!
//! * **separable**: some w has a·w > 0 for every example. Certificate: w, and two bounds of the best margin.
//! * **inseparable**: positive weights p of a few examples make Σ p·a = 0, and every example is in their span, so that
//!   no w has a·w ≥ 0 throughout except where all are 0. Certificate: p.
//! * **weakly separable**: Σ p·a = 0 as before, but some w has a·w ≥ 0 throughout and not only 0: the two classes
//!   touch. Certificate: p and w.
//!
//! The question is about the data as written: in a text `0.1` is one tenth, in a binary file or an array (see [`Arrays`])
//! a float is the exact fraction that its bits encode. Floating point proposes, integers decide:
//!
//! ```text
//!  rows ─► float: a proposal in seconds ─► exact: a certificate in integers ─► anyone: a check
//! ```
//!
//! ```
//! use rosenblatt::certify::{decide, Options, Question, Verdict};
//! let table = rosenblatt::read::toy::boolean(|a, b| a != b)?;
//! let question = Question::from_memory(table.examples()?)?;
//! assert_eq!(decide(&question, &Options::default())?.verdict, Verdict::Inseparable);
//! let squares = Options { degree: 2, ..Options::default() };
//! assert_eq!(decide(&question, &squares)?.verdict, Verdict::Separable);
//! # Ok::<(), rosenblatt::Error>(())
//! ```

mod arrays;
mod audit;
mod certificate;
mod decide;
mod decider;
#[doc(hidden)]
pub mod exact;
pub mod float;
mod floats;
mod kesler;
mod scope;
mod separable;
mod source;
mod wide;

pub use crate::limits::Deadline;
pub use arrays::{Arrays, Files};
pub use audit::{Audit, AuditOptions, Costs, Suspect, Witness, audit, audit_certificate, audit_jointly};
pub use certificate::{
    CertificateWriter, Reading, certificate, check_degree, check_provable, held, reading_of, save, sha256,
};
pub use decide::{Decision, Hyperplane, Margin, MarginKind, Options, Question, Verdict, decide, decide_telling, signs};
pub use kesler::decide_jointly;
pub use scope::{Numbers, contradiction};
pub use separable::{Separability, separable};
pub use source::exact_rows;
