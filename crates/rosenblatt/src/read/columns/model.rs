//! The columns of a schema, found in the training file or in another.

use super::{Columns, FeatureColumn, Kind, Weights};
use crate::error::{Error, Place, Result};
use crate::io::{count, show};
use crate::message::{Message, Setting};
use crate::read::body::Body;
use crate::read::json::Hint;
use crate::read::texts::{KnownWords, Units};
use crate::read::{Header, NeedLabels, ReadOptions};
use crate::rows::{Column, ColumnKind, Dialect, HashedWords, Schema, list, with_features};

/// The training table, as described by a schema.
#[derive(Debug, Clone, Copy)]
pub(in crate::read) struct TrainedTable<'a> {
    pub(in crate::read) columns: &'a [Column],
    pub(in crate::read) label: Option<&'a str>,
    label_at: usize,
    pub(in crate::read) width: usize,
    pub(in crate::read) header: bool,
    pub(in crate::read) dialect: &'a Dialect,
    pub(in crate::read) hashed: Option<HashedWords>,
}

impl<'a> TrainedTable<'a> {
    /// The table of a schema; `None` if its features do not come from columns.
    pub(in crate::read) fn of(schema: &'a Schema) -> Option<Self> {
        match schema {
            Schema::Indexed { .. } | Schema::Named { .. } => None,
            Schema::Columns { columns, label, label_at, width, header, dialect, hashed } => Some(TrainedTable {
                columns,
                label: label.as_deref(),
                label_at: *label_at,
                width: *width,
                header: *header,
                dialect,
                hashed: *hashed,
            }),
        }
    }

    /// The label's position in the training file, from 0.
    pub(in crate::read) fn label_at(self) -> usize {
        self.label_at
    }

    /// Whether the training file had a header.
    pub(in crate::read) fn had_header(self) -> Header {
        if self.header { Header::Yes } else { Header::No }
    }

    /// The columns in the training file; `words` converts a column's words to the reader's form.
    pub(in crate::read) fn columns<T>(
        self,
        words: impl Fn(Units, &'a [String]) -> Result<T>,
    ) -> Result<Columns<&'a [String], T>> {
        let kind = |kind: &'a ColumnKind| {
            Ok(match kind {
                ColumnKind::Number => Kind::Number,
                ColumnKind::Category { values } => Kind::Category(values.as_slice()),
                ColumnKind::Text { ngrams, chars, words: known } => {
                    Kind::Text(words(Units { ngrams: *ngrams, chars: *chars }, known)?)
                }
            })
        };
        let column = |(column, features): (&'a Column, std::ops::Range<usize>)| {
            Ok(FeatureColumn {
                name: column.name.clone(),
                at: column.at,
                kind: kind(&column.kind)?,
                missing: column.missing,
                first: features.start,
            })
        };
        Ok(Columns {
            width: self.width,
            header: self.header,
            label: Some(self.label_at),
            weight: None,
            na: self.dialect.na.clone(),
            features: with_features(self.columns).map(column).collect::<Result<_>>()?,
        })
    }

    /// The position of each column and of the label, by name.
    fn by_names(self, body: &Body<'_>) -> Result<(Vec<usize>, Option<usize>)> {
        let place = |name: &str| body.names.iter().position(|n| n == name);
        if let (true, [Column { kind: ColumnKind::Text { .. }, .. }]) = (body.is_label_and_text(), self.columns) {
            // A model of one text reads such lines, whatever its column is called.
            return Ok((vec![1], Some(0)));
        }
        let lacking: Vec<String> =
            self.columns.iter().filter(|c| place(&c.name).is_none()).map(|c| c.name.clone()).collect();
        if !lacking.is_empty() {
            let message = format!(
                "the model needs {} that the file has not: {}; the file has {}",
                count(lacking.len() as u64, "column"),
                list(&lacking),
                list(&body.names)
            );
            return Err(Error::bad_data(message).in_file(&body.file));
        }
        Ok((self.columns.iter().filter_map(|c| place(&c.name)).collect(), self.label.and_then(place)))
    }

    /// The position of each column, for a file like the training file, without the label, or with features alone.
    fn by_places(self, body: &Body<'_>, need: NeedLabels) -> Result<(Vec<usize>, Option<usize>)> {
        let found = body.width();
        let places = self.columns.iter().map(|c| c.at);
        if found == self.width {
            return Ok((places.collect(), Some(self.label_at)));
        }
        if need == NeedLabels::No && found == self.columns.len() {
            return Ok(((0..found).collect(), None));
        }
        if need == NeedLabels::No && found + 1 == self.width {
            return Ok((places.map(|at| at - usize::from(at > self.label_at)).collect(), None));
        }
        let alone = match need {
            NeedLabels::Yes => String::new(),
            NeedLabels::No => format!(", or its {} alone", count(self.columns.len() as u64, "feature column")),
        };
        let message = format!(
            "{}, where the model expects the {} of its training file{alone}",
            count(found as u64, "column"),
            count(self.width as u64, "column")
        );
        Err(Error::data(Place::line(&body.file, body.first_line()), message))
    }
}

impl<'a> Columns<&'a [String], KnownWords> {
    /// The columns of a model, found in another file.
    pub(in crate::read) fn for_model(
        body: &Body<'_>,
        options: &ReadOptions,
        table: TrainedTable<'a>,
        need: NeedLabels,
        notes: &mut Vec<Message>,
    ) -> Result<Self> {
        let weight = Weights::find(body, options)?;
        let given = options.label.as_ref().map(|l| body.find(Setting::Label, l)).transpose();
        let by_name = body.header && (table.header || body.hints.is_some());
        let (places, label) = if by_name { table.by_names(body)? } else { table.by_places(body, need)? };
        if !body.header && table.header {
            notes.push("the file has no header: its columns were taken by their place".into());
        }
        let label = match (need, given) {
            (NeedLabels::No, _) => label,
            (NeedLabels::Yes, Ok(Some(at))) => Some(at),
            (NeedLabels::Yes, Err(error)) => return Err(error),
            (NeedLabels::Yes, Ok(None)) if label.is_none() => {
                let message = format!(
                    "no column is called {}, which held the labels: name the label column with ",
                    show(table.label.unwrap_or_default().as_bytes())
                );
                return Err(Error::bad_data(Message::new(message).with(Setting::Label)).in_file(&body.file));
            }
            (NeedLabels::Yes, Ok(None)) => label,
        };
        if by_name {
            let extra = |at: &usize| !places.contains(at) && label != Some(*at) && weight != Some(*at);
            let extra: Vec<String> = (0..body.width()).filter(extra).map(|at| body.names[at].clone()).collect();
            if !extra.is_empty() {
                let message = count(extra.len() as u64, "column");
                notes.push(format!("ignored {message} that the model does not use: {}", list(&extra)).into());
            }
        }
        let Columns { mut features, mut na, .. } = table.columns(KnownWords::new)?;
        na.extend_from_slice(&options.dialect.na);
        for (column, at) in features.iter_mut().zip(places) {
            column.at = at;
            if body.hint(at) == Hint::Sets {
                column.kind = match std::mem::replace(&mut column.kind, Kind::Number) {
                    Kind::Text(words) => Kind::Set(words),
                    other => other,
                };
            }
        }
        let label = label.filter(|_| need == NeedLabels::Yes);
        Ok(Columns { width: body.width(), header: body.header, label, weight, na, features })
    }
}
