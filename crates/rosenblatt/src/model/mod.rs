//! Trained models and their files.

mod calibration;
pub(crate) mod check;
mod compact;
mod container;
mod file;
mod frame;
mod validation;

pub use calibration::{Calibration, Sigmoid};
pub(crate) use container::{pack, pack_json};
pub(crate) use file::{read_model, restore};
pub(crate) use frame::{Frame, Kind, MAPS, Versioned, version};
pub use validation::Validation;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::learn::machine::Tie;
use crate::learn::{Hypothesis, OrderKind, Recipe, Scratch, Stop, decide};
use crate::limits;
use crate::map::Chain;
use crate::rows::{AnyRows, DenseRows, HashedWords, IntoRows, Labels, Row, Schema};

/// A trained classifier with everything that prediction needs: weights, class names, feature layout and maps, tie rule.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    /// Computes the scores.
    pub hypothesis: Hypothesis,
    /// The names of the classes.
    pub labels: Labels,
    /// How raw columns become features.
    pub schema: Schema,
    /// The maps applied to features before scoring.
    pub chain: Chain,
    /// How it was trained.
    pub facts: Facts,
    /// Probabilities from scores, if calibrated.
    pub calibration: Option<Calibration>,
}

/// Rows that are prepared together before scoring.
const PREPARED_AT_ONCE: usize = 1 << 14;

/// How a model was trained: no clock, no machine, no path, so the same training writes the same bytes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Facts {
    /// The learner and its settings, complete.
    pub recipe: Recipe,
    /// Training examples.
    pub examples: u64,
    /// Examples presented, over all passes.
    pub presented: u64,
    /// Wrong predictions before the step.
    pub mistakes: u64,
    /// Times that the weights moved.
    pub updates: u64,
    /// Mistakes of each pass.
    pub mistakes_by_epoch: Vec<u64>,
    /// Why training stopped.
    pub stopped: Stop,
    /// The order of the examples.
    pub order: OrderKind,
    /// The seed of a shuffled order.
    pub seed: Option<u64>,
    /// XXH3-64 of the training file's (decompressed) bytes, if it came from a file.
    pub data: Option<u64>,
    /// Errors on held-out examples, pass by pass, if there were any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub validation: Option<Validation>,
}

impl Model {
    /// What a score of zero means to this model.
    pub fn tie(&self) -> Tie {
        self.facts.recipe.tie
    }

    /// The label of one dense row.
    ///
    /// ```
    /// use rosenblatt::{Table, Trainer};
    /// let table = Table::dense(&[[2.0, 1.0], [1.0, 3.0], [-1.0, -2.0]], &["up", "up", "down"])?;
    /// let model = Trainer::new("averaged").fit(&table)?.model;
    /// assert_eq!(model.predict(&[4.0, 4.0])?, "up");
    /// assert!(model.predict(&[4.0]).is_err());
    /// # Ok::<(), rosenblatt::Error>(())
    /// ```
    pub fn predict(&self, x: &[f64]) -> Result<&str> {
        if x.len() != self.schema.features() {
            return Err(Error::bad_data(format!(
                "a row of {} values: the model has {} features",
                x.len(),
                self.schema.features()
            )));
        }
        let row = AnyRows::DenseF64(DenseRows::new(x, x.len())?);
        match self.classify_all(row)?.first() {
            Some(&class) => Ok(self.labels.name(class)),
            None => Err(Error::bad_data("a row of no values")),
        }
    }

    /// The label of each row.
    ///
    /// ```
    /// use rosenblatt::{Table, Trainer};
    /// let table = Table::dense(&[[2.0, 1.0], [1.0, 3.0], [-1.0, -2.0]], &["up", "up", "down"])?;
    /// let model = Trainer::new("averaged").fit(&table)?.model;
    /// assert_eq!(model.predict_batch(&[[4.0, 4.0], [-3.0, -1.0]])?, ["up", "down"]);
    /// assert_eq!(model.predict_batch(&table)?, ["up", "up", "down"]);
    /// # Ok::<(), rosenblatt::Error>(())
    /// ```
    pub fn predict_batch<'a>(&self, rows: impl IntoRows<'a>) -> Result<Vec<&str>> {
        let classes = self.classify_all(rows.into_rows()?)?;
        Ok(classes.into_iter().map(|class| self.labels.name(class)).collect())
    }

    /// The scores of each row, one after the other: one number for two classes, which is positive for the second of
    /// them; else one for each class, of which the greatest wins.
    ///
    /// ```
    /// use rosenblatt::{Table, Trainer};
    /// let table = Table::dense(&[[2.0, 1.0], [1.0, 3.0], [-1.0, -2.0]], &["down", "down", "up"])?;
    /// let model = Trainer::new("averaged").fit(&table)?.model;
    /// let scores = model.scores(&[[4.0, 4.0], [-3.0, -1.0]])?;
    /// assert!(scores[0] < 0.0 && scores[1] > 0.0);
    /// # Ok::<(), rosenblatt::Error>(())
    /// ```
    pub fn scores<'a>(&self, rows: impl IntoRows<'a>) -> Result<Vec<f64>> {
        self.score_all(rows.into_rows()?)
    }

    /// The class of one row after preparation by the chain.
    pub fn classify<X: Row>(&self, x: X, scratch: &mut Scratch) -> u32 {
        self.hypothesis.scores(x, self.tie(), scratch);
        decide(&scratch.scores, self.tie())
    }

    /// The class of every row, on all threads.
    pub fn classify_all(&self, rows: AnyRows<'_>) -> Result<Vec<u32>> {
        let (outputs, tie) = (self.hypothesis.outputs(), self.tie());
        let mut classes = Vec::with_capacity(rows.len());
        self.score_blocks(rows, &mut |_, scores| {
            classes.extend(scores.chunks(outputs).map(|scores| decide(scores, tie)));
            Ok(())
        })?;
        Ok(classes)
    }

    /// The scores of every row, row by row: one for two classes, else one for each. An error if they do not fit in memory:
    /// see [`score_blocks`](Self::score_blocks).
    pub fn score_all(&self, rows: AnyRows<'_>) -> Result<Vec<f64>> {
        let (count, outputs) = (rows.len(), self.hypothesis.outputs());
        let what = || format!("the scores of {count} rows × {outputs} classes").into();
        let mut all = limits::with_capacity(count.saturating_mul(outputs), what)?;
        self.score_blocks(rows, &mut |_, scores| {
            all.extend_from_slice(scores);
            Ok(())
        })?;
        Ok(all)
    }

    /// Calls `each` with the scores of one block of rows after the other: the number of its first row, and one score for
    /// each row of two classes, else one for each class. Bounded memory, whatever the number of rows and classes.
    pub fn score_blocks(&self, rows: AnyRows<'_>, each: &mut dyn FnMut(usize, &[f64]) -> Result<()>) -> Result<()> {
        if rows.features() != self.schema.features() {
            return Err(Error::bad_data(format!(
                "rows of {} features: the model has {}",
                rows.features(),
                self.schema.features()
            )));
        }
        if self.chain.is_empty() {
            return self.hypothesis.score_blocks(rows, self.tie(), each);
        }
        // In blocks, to bound the memory of prepared rows.
        for from in (0..rows.len()).step_by(PREPARED_AT_ONCE) {
            let to = rows.len().min(from + PREPARED_AT_ONCE);
            let prepared = self.chain.matrix(rows.slice(from..to))?;
            self.hypothesis
                .score_blocks(prepared.rows()?, self.tie(), &mut |first, scores| each(from + first, scores))?;
        }
        Ok(())
    }

    /// What happens to a row before it is scored, step by step, in words.
    pub fn preparation(&self) -> Vec<String> {
        self.schema.hashed().map(HashedWords::describe).into_iter().chain(self.chain.describe()).collect()
    }

    /// The names of the features that have weights, in order.
    pub fn feature_names(&self) -> Result<Vec<String>> {
        self.chain.feature_names(&self.schema)
    }
}
