//! Settings that are left to the data, and decided from their first rows: the preparation, and the margin of the learner.
//!
//! The averaged margin perceptron with margin b and rate 1 is stochastic gradient descent on the hinge loss with the step
//! 1/b, averaged. The step that suits rows x is a fixed share of 1/‖x‖², so b = [`MARGIN`] · mean ‖x‖² over the first
//! (prepared) rows, to two digits. RESULTS.md shows where the factor comes from.

use std::borrow::Cow;

use super::{Data, HeldBack, Trainer, With};
use crate::error::Result;
use crate::learn::keep::KeepKind;
use crate::map::{self, LOOK, Need};
use crate::rows::{AnyRows, Row, Rows, Split, Table};

/// The margin in units of the mean ‖x‖².
const MARGIN: f64 = 0.7;
/// The learner whose margin is left open, and its parameter.
const LEARNER: &str = "margin";
/// The most passes that [`Trainer::passes`] tries.
pub const MOST_PASSES: u32 = 100;
/// The share of examples on which it tries them, and the passes without fewer errors after which it gives up.
const TENTH: f64 = 0.1;
const PATIENCE: u32 = 5;

/// Which settings of a trainer the first rows decide. The default: none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LeftOpen {
    /// How words are weighed, rows or columns scaled.
    pub scale: bool,
    /// The margin of the learner `margin`.
    pub margin: bool,
}

/// A trainer without open settings.
#[derive(Debug, Clone, PartialEq)]
pub struct Settled {
    /// The trainer.
    pub trainer: Trainer,
    /// Why rows are prepared, or not; `None` if that was not left open.
    pub need: Option<Need>,
}

impl Trainer {
    /// The default of the command line: the averaged margin perceptron, with a margin and a preparation that suit the
    /// first rows.
    ///
    /// ```
    /// use rosenblatt::{Table, Trainer};
    /// let houses = [[52.0, 910_000.0], [48.0, 250_000.0], [61.0, 880_000.0], [55.0, 310_000.0]];
    /// let table = Table::dense(&houses, &["city", "country", "city", "country"])?;
    /// let fitted = Trainer::auto().fit(&table)?;
    /// assert_eq!(fitted.report.train_error, Some(0.0)); // each column to mean 0 and deviation 1
    /// # Ok::<(), rosenblatt::Error>(())
    /// ```
    pub fn auto() -> Self {
        let open = LeftOpen { scale: true, margin: true };
        Trainer { left_open: open, ..Trainer::new(LEARNER).keep(KeepKind::Average) }
    }

    /// Whether no setting is left to the data.
    pub fn is_settled(&self) -> bool {
        self.left_open == LeftOpen::default()
    }

    /// The trainer for this table: what was left open is decided from its first rows.
    pub fn settle(&self, table: &Table) -> Result<Settled> {
        let mut trainer = Trainer { left_open: LeftOpen::default(), ..self.clone() };
        if self.is_settled() {
            return Ok(Settled { trainer, need: None });
        }
        let first = if table.matrix.len() <= LOOK {
            Cow::Borrowed(table)
        } else {
            Cow::Owned(table.select(&(0..LOOK as u32).collect::<Vec<_>>()))
        };
        let mut need = None;
        if self.left_open.scale {
            let (preparation, why) = map::needed(&first, &self.preparation)?;
            (trainer.preparation, need) = (preparation, Some(why));
        }
        if self.left_open.margin {
            // A map that cannot be fitted on few rows decides nothing; one that cannot be fitted at all is reported later.
            let mean = match trainer.preparation.fit(&first) {
                Ok(prepared) => mean_square(prepared.matrix.rows()?),
                Err(_) => mean_square(first.matrix.rows()?),
            };
            trainer = trainer.set("margin", &margin(mean));
        }
        Ok(Settled { trainer, need })
    }
}

impl Trainer {
    /// The number of passes, at most [`MOST_PASSES`], after which a tenth of the examples, held out by `seed`, has the
    /// fewest errors; the trainer's own number where the examples are too few to hold some out.
    pub fn passes(&self, table: &Table, seed: u64) -> Result<u32> {
        let Ok(Split { train, held }) = Split::holdout(table, TENTH, seed) else { return Ok(self.plan.epochs) };
        let (train, held) = (table.select(&train), table.select(&held));
        let with = With { held: Some(HeldBack::Table(&held)), patience: Some(PATIENCE), ..With::default() };
        let fitted = self.clone().epochs(MOST_PASSES).fit_with(Data::Table(&train), with)?;
        let kept = fitted.model.facts.validation.map_or(0, |validation| validation.kept);
        Ok(if kept > 0 { kept } else { self.plan.epochs })
    }
}

/// The mean ‖x‖² of some rows.
pub fn mean_square(rows: AnyRows<'_>) -> f64 {
    let sum: f64 = (0..rows.len()).map(|i| rows.row(i).sq_norm()).sum();
    sum / rows.len().max(1) as f64
}

/// The margin for rows of this mean ‖x‖², to two digits.
fn margin(mean: f64) -> String {
    let margin: f64 = format!("{:.1e}", MARGIN * mean).parse().unwrap_or(1.0);
    if margin > 0.0 && margin.is_finite() { margin.to_string() } else { "1".to_string() }
}
