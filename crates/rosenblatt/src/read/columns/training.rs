//! The columns of a training file: the label, the features, the dropped ones.

use super::{Columns, FeatureColumn, Kind, Weights};
use crate::error::{Error, Place, Result};
use crate::message::{Message, Setting};
use crate::read::ReadOptions;
use crate::read::body::Body;
use crate::read::categories::Categories;
use crate::read::json::Hint;
use crate::read::texts::{Texts, Units};

/// Usual names of label columns, the likeliest first.
const LABEL_NAMES: [&str; 4] = ["label", "class", "target", "y"];

/// The positions of the columns that options name.
struct Chosen {
    dropped: Vec<usize>,
    forced: Vec<usize>,
    texts: Vec<usize>,
    weight: Option<usize>,
}

impl Columns<Categories, Texts> {
    /// The columns, the position of the label, and the columns that options make categories. A column that no option
    /// names holds numbers until a row shows otherwise.
    pub(in crate::read) fn to_train(body: &Body<'_>, options: &ReadOptions) -> Result<(Self, usize, Vec<usize>)> {
        let all = |option: Setting, wanted: &[String]| -> Result<Vec<usize>> {
            wanted.iter().map(|w| body.find(option, w)).collect()
        };
        let chosen = Chosen {
            dropped: all(Setting::Drop, &options.drop)?,
            forced: all(Setting::Category, &options.category)?,
            texts: all(Setting::Text, &options.text)?,
            weight: Weights::find(body, options)?,
        };
        let label = chosen.label(body, options)?;
        chosen.check(body, label)?;
        let units = Units { ngrams: options.ngrams, chars: options.chars };
        let column = |at: usize| {
            let (kind, missing) = match chosen.texts.contains(&at) {
                true => (Kind::Text(Texts::new(units)), None),
                false if body.hint(at) == Hint::Text => (Kind::Text(Texts::new(units)), None),
                false if body.hint(at) == Hint::Sets => (Kind::Set(Texts::new(Units::WORDS)), None),
                false => (Kind::Number, options.missing),
            };
            FeatureColumn { name: body.names[at].clone(), at, kind, missing, first: 0 }
        };
        let features: Vec<_> = (0..body.width()).filter(|&at| at != label && chosen.is_used(at)).map(column).collect();
        if features.is_empty() {
            let message = match body.width() {
                1 => Message::new(
                    "no feature columns: each row is one field; if something else stands between the fields, name \
                     the format with ",
                )
                .with(Setting::Format),
                _ => format!("no feature columns: the label \"{}\" is all that is left", body.names[label]).into(),
            };
            return Err(Error::data(Place::file(&body.file), message));
        }
        let Chosen { forced, weight, .. } = chosen;
        let na = options.dialect.na.clone();
        let columns = Columns { width: body.width(), header: body.header, label: Some(label), weight, na, features };
        Ok((columns, label, forced))
    }
}

impl Chosen {
    fn is_used(&self, at: usize) -> bool {
        !self.dropped.contains(&at) && self.weight != Some(at)
    }

    /// The label column: the one named, one with a usual name, or the last.
    fn label(&self, body: &Body<'_>, options: &ReadOptions) -> Result<usize> {
        if let Some(wanted) = &options.label {
            return body.find(Setting::Label, wanted);
        }
        // A text column is never the label.
        let likely = |at: usize| self.is_used(at) && !self.texts.contains(&at) && body.hint(at) != Hint::Sets;
        let usual = |usual: &&str| {
            let is = |at: &usize| body.names[*at].eq_ignore_ascii_case(usual) && likely(*at);
            (0..body.width()).find(is).filter(|_| body.header)
        };
        let named = LABEL_NAMES.iter().find_map(usual);
        if named.is_none() && body.hints.is_some() {
            let message = format!("no field is called {}: name the one with the labels with ", LABEL_NAMES.join(", "));
            return Err(Error::bad_data(Message::new(message).with(Setting::Label)).in_file(&body.file));
        }
        named
            .or_else(|| (0..body.width()).rev().find(|&at| likely(at)))
            .ok_or_else(|| Error::settings("no column is left for the label").in_file(&body.file))
    }

    /// Refuses options that claim the same column.
    fn check(&self, body: &Body<'_>, label: usize) -> Result<()> {
        let settings = |message: Message| Err(Error::settings(message).in_file(&body.file));
        let (name, chosen) = (&body.names[label], [Setting::Drop, Setting::Category, Setting::Text]);
        for (option, columns) in chosen.into_iter().zip([&self.dropped, &self.forced, &self.texts]) {
            if columns.contains(&label) {
                let message = option.given(name).text(": this is the label column (name another with ");
                return settings(message.with(Setting::Label).text(")"));
            }
        }
        if self.weight == Some(label) {
            return settings(Setting::Weight.given(name).text(": this is the label column"));
        }
        if let Some(at) = self.texts.iter().find(|at| self.forced.contains(at) || !self.is_used(**at)) {
            return settings(Setting::Text.given(&body.names[*at]).text(": another option takes this column"));
        }
        Ok(())
    }
}
