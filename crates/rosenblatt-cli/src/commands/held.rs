//! Examples that are held back from learning, as the arguments say.

use anyhow::{Result, bail};
use rosenblatt::evaluate::{Split, calibrate};
use rosenblatt::fit::{Data, HeldBack, With};
use rosenblatt::io::Input;
use rosenblatt::map::Prepared;
use rosenblatt::read::{Dataset, NeedLabels};
use rosenblatt::rows::Table;
use rosenblatt::{Fitted, Order, Trainer};

use super::open;
use crate::args::{JudgeArgs, TrainArgs};

/// What is learned from in a fold, and what is held back of it.
pub struct Parts<'a> {
    whole: &'a Table,
    divided: Option<(Table, Table)>,
    patience: Option<u32>,
}

/// Refuses options that contradict each other, before any data are read.
pub fn check(args: &TrainArgs, trainer: &Trainer) -> Result<()> {
    let judge = &args.judge;
    if judge.holdout.is_some() || judge.calibrate {
        refuse_given_order(trainer, if judge.calibrate { "--calibrate" } else { "--holdout" })?;
    }
    if let Some(share) = judge.holdout
        && !(share > 0.0 && share < 1.0)
    {
        bail!("--holdout {share}: expected a share of the examples between 0 and 1, say 0.2");
    }
    let held = judge.holdout.is_some() || judge.validation.is_some();
    if let (Some(patience), false) = (judge.patience, held) {
        bail!("--patience {patience} needs examples that are not learned from: add --holdout 0.2 or --validation FILE");
    }
    if held && (args.resume.is_some() || args.checkpoint.is_some()) {
        bail!(
            "--holdout and --validation do not go with --resume and --checkpoint: a checkpoint does not hold the best pass"
        );
    }
    Ok(())
}

/// Refuses a list of example numbers where the examples are divided.
pub fn refuse_given_order(trainer: &Trainer, option: &str) -> Result<()> {
    if matches!(trainer.plan.order, Order::Given(_)) {
        bail!("--order FILE names examples by number, which {option} would change: leave one of them out");
    }
    Ok(())
}

/// A file of examples in the shape of others.
pub fn file_like(dataset: &Dataset, file: &str, args: &TrainArgs) -> Result<Dataset> {
    open::data_like(&dataset.table, &Input::new(file), &args.read, NeedLabels::Yes)
}

impl<'a> Parts<'a> {
    /// Divides a table that is a part itself: for a fold.
    pub fn of_fold(whole: &'a Table, judge: &JudgeArgs, seed: u64) -> rosenblatt::Result<Self> {
        let divided = judge.holdout.map(|share| divide(whole, share, seed)).transpose()?;
        Ok(Parts { whole, divided, patience: judge.patience })
    }

    /// Nothing is held back.
    pub fn whole(table: &'a Table) -> Self {
        Parts { whole: table, divided: None, patience: None }
    }

    /// What is learned from.
    pub fn train(&self) -> &Table {
        self.divided.as_ref().map_or(self.whole, |(train, _)| train)
    }

    /// Learns from the one part, prepared, and watches the other.
    pub fn fit(&self, trainer: &Trainer, prepared: &Prepared<'_>) -> rosenblatt::Result<Fitted> {
        let held = self.divided.as_ref().map(|(_, held)| HeldBack::Table(held));
        trainer.fit_with(Data::Prepared(prepared), With { held, patience: self.patience, ..With::default() })
    }

    /// Gives a fitted model its probabilities, by training like it on folds of what it learned from.
    pub fn calibrate(&self, trainer: &Trainer, fitted: &mut Fitted, seed: u64) -> rosenblatt::Result<()> {
        calibrate_like(trainer, self.train(), self.patience, fitted, seed)
    }
}

/// Gives a fitted model its probabilities, by training like it on folds of the rows that it learned from.
pub fn calibrate_like(
    trainer: &Trainer,
    train: &Table,
    patience: Option<u32>,
    fitted: &mut Fitted,
    seed: u64,
) -> rosenblatt::Result<()> {
    let mut alike = trainer.clone();
    if let (Some(said), Some(_)) = (&fitted.model.facts.validation, patience) {
        alike.plan.epochs = said.kept.max(1);
    }
    let calibration = calibrate(|table| alike.fit(table), train, seed)?;
    fitted.model.calibration = Some(calibration.scaled(fitted.model.hypothesis.scale()));
    Ok(())
}

fn divide(table: &Table, share: f64, seed: u64) -> rosenblatt::Result<(Table, Table)> {
    let Split { train, held } = Split::holdout(table, share, seed)?;
    Ok((table.select(&train), table.select(&held)))
}
