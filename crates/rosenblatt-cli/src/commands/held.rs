//! Held-out examples and calibration.

use anyhow::{Result, bail};
use rosenblatt::evaluate::{Split, calibrate};
use rosenblatt::fit::{Data, HeldBack, With};
use rosenblatt::io::Input;
use rosenblatt::map::Prepared;
use rosenblatt::read::{Dataset, NeedLabels};
use rosenblatt::rows::Table;
use rosenblatt::{Fitted, Order, Trainer};

use super::open;
use crate::args::{TrainArgs, ValidationArgs};

/// A table of training rows, and the part of it that is held out.
pub struct Parts<'a> {
    whole: &'a Table,
    divided: Option<(Table, Table)>,
    patience: Option<u32>,
}

/// Refuses contradictory options before any data are read.
pub fn check(args: &TrainArgs, order: &Order) -> Result<()> {
    let validate = &args.validate;
    if validate.holdout.is_some() || validate.calibrate {
        refuse_given_order(order, if validate.calibrate { "--calibrate" } else { "--holdout" })?;
    }
    if let Some(share) = validate.holdout
        && !(share > 0.0 && share < 1.0)
    {
        bail!("--holdout {share}: expected a share of the examples between 0 and 1, say 0.2");
    }
    let held = validate.holdout.is_some() || validate.validation.is_some();
    if let (Some(patience), false) = (validate.patience, held) {
        bail!("--patience {patience} needs held-out examples: add --holdout 0.2 or --validation FILE");
    }
    if held && (args.resume.is_some() || args.checkpoint.is_some()) {
        bail!(
            "--holdout and --validation cannot be combined with --resume and --checkpoint: a checkpoint does not hold the best pass"
        );
    }
    Ok(())
}

/// Refuses a list of example numbers where the examples are split.
pub fn refuse_given_order(order: &Order, option: &str) -> Result<()> {
    if matches!(order, Order::Given(_)) {
        bail!("--order FILE names examples by number, which {option} would change: leave one of them out");
    }
    Ok(())
}

/// Examples of a file in the schema of a data set.
pub fn file_like(dataset: &Dataset, file: &str, args: &TrainArgs) -> Result<Dataset> {
    open::data_like(&dataset.table, &Input::new(file), &args.read, NeedLabels::Yes)
}

impl<'a> Parts<'a> {
    /// Splits the training rows of a fold.
    pub fn of_fold(whole: &'a Table, validate: &ValidationArgs, seed: u64) -> rosenblatt::Result<Self> {
        let divided = validate.holdout.map(|share| divide(whole, share, seed)).transpose()?;
        Ok(Parts { whole, divided, patience: validate.patience })
    }

    /// Nothing is held out.
    pub fn whole(table: &'a Table) -> Self {
        Parts { whole: table, divided: None, patience: None }
    }

    /// The rows to train on.
    pub fn train(&self) -> &Table {
        self.divided.as_ref().map_or(self.whole, |(train, _)| train)
    }

    /// Trains on the prepared rows and validates on the held-out ones.
    pub fn fit(&self, trainer: &Trainer, prepared: &Prepared<'_>) -> rosenblatt::Result<Fitted> {
        let held = self.divided.as_ref().map(|(_, held)| HeldBack::Table(held));
        trainer.fit_with(Data::Prepared(prepared), With { held, patience: self.patience, ..With::default() })
    }

    /// Calibrates a fitted model on folds of its training rows.
    pub fn calibrate(&self, trainer: &Trainer, fitted: &mut Fitted, seed: u64) -> rosenblatt::Result<()> {
        calibrate_like(trainer, self.train(), self.patience, fitted, seed)
    }
}

/// Calibrates a fitted model: the same training on folds of its rows gives out-of-fold scores.
pub fn calibrate_like(
    trainer: &Trainer,
    train: &Table,
    patience: Option<u32>,
    fitted: &mut Fitted,
    seed: u64,
) -> rosenblatt::Result<()> {
    let mut same = trainer.clone();
    if let (Some(validation), Some(_)) = (&fitted.model.facts.validation, patience) {
        same.plan.epochs = validation.kept.max(1);
    }
    let calibration = calibrate(|table| same.fit(table), train, seed)?;
    fitted.model.calibration = Some(calibration.scaled(fitted.model.hypothesis.scale()?));
    Ok(())
}

fn divide(table: &Table, share: f64, seed: u64) -> rosenblatt::Result<(Table, Table)> {
    let Split { train, held } = Split::holdout(table, share, seed)?;
    Ok((table.select(&train), table.select(&held)))
}
