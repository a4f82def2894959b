//! Rows in the caller's memory, for example NumPy arrays. They are not copied, except a few at a time for prefetching
//! (`row_prefetch.rs`).

use crate::error::{Error, Result};
use crate::message::Message;
use crate::rows::{Examples, Labels, Schema, check_classes, check_lengths};

/// Labelled rows that the caller owns; the learner sees them unchanged.
///
/// ```
/// use rosenblatt::fit::{Borrowed, Data, With};
/// use rosenblatt::rows::{AnyRows, DenseRows, Examples, Labels, Schema};
///
/// let (values, classes) = ([2.0f32, 1.0, -1.0, -2.0], [1, 0]);
/// let labels = Labels::new(vec!["no".into(), "yes".into()]);
/// let examples = Examples::new(AnyRows::DenseF32(DenseRows::new(&values, 2)?), &classes, None)?;
/// let borrowed = Borrowed { examples, labels: &labels, schema: &Schema::Indexed { first: 1, features: 2 } };
/// let fitted = rosenblatt::Trainer::new("averaged").fit_with(Data::Borrowed(borrowed), With::default())?;
/// assert_eq!(fitted.model.predict(&[3.0, 3.0])?, "yes");
/// # Ok::<(), rosenblatt::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Borrowed<'a> {
    /// The rows, the class of each and its weight.
    pub examples: Examples<'a>,
    /// The names of the classes.
    pub labels: &'a Labels,
    /// What the features are called.
    pub schema: &'a Schema,
}

impl Borrowed<'_> {
    /// Refuses empty or inconsistent data, and rows whose squared norm overflows.
    pub fn check(&self) -> Result<()> {
        let Borrowed { examples, labels, schema } = self;
        if examples.is_empty() {
            return Err(Error::bad_data("no examples: there are no rows to learn from"));
        }
        if examples.rows.features() != schema.features() {
            return Err(Error::bad_data(format!(
                "rows of {} features, where {} are described",
                examples.rows.features(),
                schema.features()
            )));
        }
        check_classes(labels, examples.len() as u64)?;
        if let Some(i) = examples.classes.iter().position(|&c| c as usize >= labels.len()) {
            let class = examples.classes[i];
            return Err(Error::bad_data(Message::of_row(i).text(format!(": class {class} of {}", labels.len()))));
        }
        check_lengths(examples.rows)
    }
}
