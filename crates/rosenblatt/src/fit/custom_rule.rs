//! Training with the caller's own rule, and typed parameters.

use super::trainer::Trainer;
use crate::error::{Error, Result};
use crate::learn::learners::Blueprint;
use crate::learn::{AnyLearner, CUSTOM, CustomRule, ParamValue, Recipe, Rule, custom_name, kernel};

impl Trainer {
    /// A trainer for a rule of your own.
    ///
    /// The rule says how far to move; the rest is as with every learner: two classes or many, every
    /// [`keep`](Self::keep), every kernel, maps, checkpoints. The last weights are kept unless you say otherwise.
    ///
    /// The model's recipe names the learner `custom:NAME`; it loads and predicts everywhere, also where the rule is not
    /// known. The name has 1 to 64 letters, digits, `-`, `_` and `.`; [`fit`](Self::fit) refuses others. What
    /// [`set`](Self::set) and [`param`](Self::param) say is stored in the model and is otherwise without effect: a rule
    /// carries its parameters itself.
    ///
    /// ```
    /// use rosenblatt::{Judgement, Rule, Table, Trainer};
    ///
    /// /// Normalised steps: move by 1/‖z‖ on each mistake.
    /// #[derive(Clone)]
    /// struct Normalised;
    ///
    /// impl Rule for Normalised {
    ///     fn tau(&self, seen: Judgement, _k: u64, sq_len: impl FnOnce() -> f64) -> f64 {
    ///         let sq_len = if seen.mistake { sq_len() } else { 0.0 };
    ///         if sq_len > 0.0 { 1.0 / sq_len.sqrt() } else { 0.0 }
    ///     }
    /// }
    ///
    /// let table = Table::dense(&[[2.0, 1.0], [1.0, 3.0], [-1.0, -2.0]], &["up", "up", "down"])?;
    /// let fitted = Trainer::with_rule("normalised", Normalised).epochs(5).fit(&table)?;
    /// assert_eq!(fitted.model.predict(&[4.0, 4.0])?, "up");
    /// assert_eq!(fitted.report.learner, "custom:normalised");
    /// # Ok::<(), rosenblatt::Error>(())
    /// ```
    pub fn with_rule(name: &str, rule: impl Rule) -> Self {
        let recipe = Recipe { learner: format!("{CUSTOM}{name}"), ..Recipe::default() };
        Trainer { recipe, rule: Some(CustomRule::new(rule)), ..Trainer::default() }
    }

    /// One of the learner's own parameters, as a number or a word.
    ///
    /// ```
    /// use rosenblatt::Trainer;
    /// let typed = Trainer::new("perceptron").param("rate", 0.5).param("schedule", "inverse");
    /// assert_eq!(typed, Trainer::new("perceptron").set("rate", "0.5").set("schedule", "inverse"));
    /// ```
    pub fn param(self, name: &str, value: impl Into<ParamValue>) -> Self {
        self.set(name, &value.into().to_string())
    }

    /// The kernel, for data that no hyperplane in the features separates.
    ///
    /// ```
    /// use rosenblatt::{Kernel, Table, Trainer};
    /// let corners = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]];
    /// let xor = Table::dense(&corners, &["no", "yes", "yes", "no"])?;
    /// let fitted = Trainer::new("perceptron").kernel(Kernel::Rbf { gamma: 1.0 }).epochs(50).fit(&xor)?;
    /// assert_eq!(fitted.report.train_error, Some(0.0));
    /// # Ok::<(), rosenblatt::Error>(())
    /// ```
    pub fn kernel(mut self, kernel: impl Into<kernel::Choice>) -> Self {
        self.recipe.kernel = Some(kernel.into());
        self
    }

    /// Builds the learner: by the registry's constructor, or with the caller's rule if the recipe names one.
    pub(super) fn build(&self, plan: &Blueprint) -> Result<Box<dyn AnyLearner>> {
        match (&self.rule, custom_name(&self.recipe.learner)) {
            (Some(rule), Some(_)) => Ok(rule.build(plan)),
            (Some(_), None) if !self.recipe.learner.starts_with(CUSTOM) => Err(Error::settings(format!(
                "a rule of your own and the learner \"{}\": choose one",
                self.recipe.learner
            ))),
            _ => Ok((self.recipe.entry()?.build)(plan)),
        }
    }
}
