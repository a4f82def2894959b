//! Labelled examples: rows, their classes, their weights.

use super::any::AnyRows;
use super::kinds::Rows;
use super::labels::{LabelCollector, Labels, list};
use super::matrix::{DenseMatrix, Matrix, SparseMatrix};
use super::row::Row;
use super::schema::{MAX_FEATURES, Schema};
use crate::error::{Error, Result};
use crate::message::Message;

/// Borrowed labelled examples, passed by value like a slice.
#[derive(Debug, Clone, Copy)]
pub struct Examples<'a> {
    /// The features.
    pub rows: AnyRows<'a>,
    /// The class of each row.
    pub classes: &'a [u32],
    /// The weight of each row; `None`: all 1.
    pub weights: Option<&'a [f64]>,
}

impl<'a> Examples<'a> {
    /// Checks that rows, classes and weights fit together.
    pub fn new(rows: AnyRows<'a>, classes: &'a [u32], weights: Option<&'a [f64]>) -> Result<Self> {
        if rows.len() != classes.len() {
            return Err(Error::bad_data(format!("{} rows beside {} labels", rows.len(), classes.len())));
        }
        if let Some(weights) = weights {
            if weights.len() != rows.len() {
                return Err(Error::bad_data(format!("{} rows beside {} weights", rows.len(), weights.len())));
            }
            if let Some(i) = weights.iter().position(|w| !(w.is_finite() && *w >= 0.0)) {
                let what = format!(": weight {} must be finite and not negative", weights[i]);
                return Err(Error::bad_data(Message::of_row(i).text(what)));
            }
        }
        Ok(Examples { rows, classes, weights })
    }

    /// How many examples.
    pub fn len(self) -> usize {
        self.classes.len()
    }

    /// Whether there is none.
    pub fn is_empty(self) -> bool {
        self.classes.is_empty()
    }

    /// The weight of one example.
    #[inline]
    pub fn weight(self, i: usize) -> f64 {
        self.weights.map_or(1.0, |w| w[i])
    }
}

/// Owned labelled examples: what a reader returns.
#[derive(Debug, Clone)]
pub struct Table {
    /// The features.
    pub matrix: Matrix,
    /// The class of each row; empty where the file had no labels.
    pub classes: Vec<u32>,
    /// The names of the classes.
    pub labels: Labels,
    /// The weight of each row, if the file had weights.
    pub weights: Option<Vec<f64>>,
    /// How raw columns became features.
    pub schema: Schema,
}

impl Table {
    /// Dense rows with a label each, from memory.
    ///
    /// ```
    /// let table = rosenblatt::Table::dense(&[[0.0, 1.0], [1.0, 0.0]], &["no", "yes"])?;
    /// assert_eq!(table.labels.names(), ["no", "yes"]);
    /// # Ok::<(), rosenblatt::Error>(())
    /// ```
    pub fn dense<R: AsRef<[f64]>, L: AsRef<str>>(rows: &[R], labels: &[L]) -> Result<Table> {
        if rows.len() != labels.len() {
            return Err(Error::bad_data(format!("{} rows beside {} labels", rows.len(), labels.len())));
        }
        let features = rows.first().map_or(0, |r| r.as_ref().len());
        let mut values = Vec::with_capacity(rows.len() * features);
        for (i, row) in rows.iter().enumerate() {
            if row.as_ref().len() != features {
                return Err(Error::bad_data(format!(
                    "row {}: {} values, where the first row has {features}",
                    i + 1,
                    row.as_ref().len()
                )));
            }
            values.extend_from_slice(row.as_ref());
        }
        Table::new(Matrix::Dense(DenseMatrix { values, features }), labels)
    }

    /// Sparse rows with a label each, from memory. A row lists (feature, value), features counted from 0 and increasing;
    /// what it does not list is 0. Every feature is below `features`.
    ///
    /// ```
    /// use rosenblatt::{Table, Trainer};
    /// let rows = [vec![(0, 1.0), (70_000, 2.0)], vec![(3, -1.0)], vec![]];
    /// let table = Table::sparse(100_000, &rows, &["spam", "ham", "ham"])?;
    /// assert_eq!((table.matrix.len(), table.matrix.features()), (3, 100_000));
    /// assert_eq!(Trainer::new("averaged").fit(&table)?.report.train_error, Some(0.0));
    ///
    /// let unsorted = Table::sparse(9, &[[(5, 1.0), (2, 1.0)]], &["spam"]).unwrap_err();
    /// assert_eq!(unsorted.to_string(), "row 1: feature 2 after 5: indices must increase");
    /// # Ok::<(), rosenblatt::Error>(())
    /// ```
    pub fn sparse<R: AsRef<[(u32, f64)]>, L: AsRef<str>>(features: usize, rows: &[R], labels: &[L]) -> Result<Table> {
        let mut matrix = SparseMatrix { features, ..SparseMatrix::default() };
        for row in rows {
            matrix.indices.extend(row.as_ref().iter().map(|(index, _)| *index));
            matrix.values.extend(row.as_ref().iter().map(|(_, value)| *value));
            matrix.end_row();
        }
        Table::new(Matrix::Sparse(matrix), labels)
    }

    /// Compressed sparse rows (CSR) with a label each, taken as they are: row `i` is `offsets[i]..offsets[i + 1]` of
    /// `indices` and `values`.
    ///
    /// ```
    /// use rosenblatt::Table;
    /// let table = Table::csr(4, vec![0, 2, 3], vec![0, 3, 1], vec![1.0, 2.0, -1.0], &["yes", "no"])?;
    /// assert_eq!((table.matrix.len(), table.matrix.features()), (2, 4));
    /// assert!(Table::csr(4, vec![0, 9], vec![0], vec![1.0], &["yes"]).is_err());
    /// # Ok::<(), rosenblatt::Error>(())
    /// ```
    pub fn csr<L: AsRef<str>>(
        features: usize,
        offsets: Vec<usize>,
        indices: Vec<u32>,
        values: Vec<f64>,
        labels: &[L],
    ) -> Result<Table> {
        Table::new(Matrix::Sparse(SparseMatrix { offsets, indices, values, features }), labels)
    }

    /// Rows with a label each.
    pub(crate) fn new<L: AsRef<str>>(matrix: Matrix, labels: &[L]) -> Result<Table> {
        let rows = matrix.rows()?;
        if rows.features() == 0 && !labels.is_empty() {
            return Err(Error::bad_data("no features: every row is empty"));
        }
        if rows.len() != labels.len() {
            return Err(Error::bad_data(format!("{} rows beside {} labels", rows.len(), labels.len())));
        }
        let features = rows.features();
        if features > MAX_FEATURES {
            return Err(Error::bad_data(format!("{features} features: at most {MAX_FEATURES} are possible")));
        }
        let mut collector = LabelCollector::default();
        let ids: Vec<u32> = labels.iter().map(|l| collector.collect(l.as_ref())).collect();
        let (labels, moved) = collector.finish(None)?;
        let classes = ids.iter().map(|&id| moved[id as usize]).collect();
        Ok(Table { matrix, classes, labels, weights: None, schema: Schema::Indexed { first: 1, features } })
    }

    /// About how many bytes it takes.
    pub(crate) fn bytes(&self) -> Result<u64> {
        /// An index and a number; the end of a row, its class and its weight.
        const ENTRY: u64 = 12;
        const ROW: u64 = 20;
        let rows = self.matrix.rows()?;
        let stored: u64 = (0..rows.len()).map(|i| rows.stored(i) as u64).sum();
        Ok(ENTRY * stored + ROW * rows.len() as u64 + self.schema.bytes())
    }

    /// Some of the rows, in the order given, with their classes and weights; a row may be named more than once.
    ///
    /// # Panics
    /// If a row number is out of bounds.
    pub fn select(&self, rows: &[u32]) -> Table {
        let pick = |i: &u32| *i as usize;
        Table {
            matrix: self.matrix.select(rows),
            classes: if self.classes.is_empty() {
                Vec::new()
            } else {
                rows.iter().map(|i| self.classes[pick(i)]).collect()
            },
            labels: self.labels.clone(),
            weights: self.weights.as_ref().map(|weights| rows.iter().map(|i| weights[pick(i)]).collect()),
            schema: self.schema.clone(),
        }
    }

    /// These rows, then those of a table with the same features and classes.
    pub fn joined(&self, more: &Table) -> Result<Table> {
        if (&self.schema, &self.labels) != (&more.schema, &more.labels) {
            return Err(Error::bad_data("tables with other features or classes cannot be joined"));
        }
        let mut all = self.clone();
        all.matrix = match (all.matrix.in_floats(), &more.matrix.clone().in_floats()) {
            (Matrix::Dense(mut m), Matrix::Dense(more)) => {
                m.values.extend_from_slice(&more.values);
                Matrix::Dense(m)
            }
            (Matrix::Sparse(mut m), Matrix::Sparse(more)) => {
                let before = m.indices.len();
                m.offsets.extend(more.offsets[1..].iter().map(|end| before + end));
                m.indices.extend_from_slice(&more.indices);
                m.values.extend_from_slice(&more.values);
                Matrix::Sparse(m)
            }
            _ => return Err(Error::bad_data("dense and sparse rows cannot be joined")),
        };
        if self.weights.is_some() || more.weights.is_some() {
            let weights = |t: &Table| t.weights.clone().unwrap_or_else(|| vec![1.0; t.classes.len()]);
            all.weights = Some([weights(self), weights(more)].concat());
        }
        all.classes.extend_from_slice(&more.classes);
        Ok(all)
    }

    /// A checked view of everything.
    pub fn examples(&self) -> Result<Examples<'_>> {
        Examples::new(self.matrix.rows()?, &self.classes, self.weights.as_deref())
    }

    /// Refuses rows whose length overflows: with those no score and no bound is a number.
    pub fn check_lengths(&self) -> Result<()> {
        check_lengths(self.matrix.rows()?)
    }

    /// Refuses tables that cannot be learned from: no example, a single class, or a class without a name.
    pub fn check_learnable(&self) -> Result<()> {
        if self.matrix.is_empty() {
            return Err(Error::bad_data("no examples: the file holds no data rows"));
        }
        check_classes(&self.labels, self.classes.len() as u64)?;
        let named = self.labels.len();
        match self.classes.iter().position(|&c| c as usize >= named) {
            Some(i) => Err(Error::bad_data(format!(
                "row {}: class {}, where {named} classes are named",
                i + 1,
                self.classes[i]
            ))),
            None => Ok(()),
        }
    }
}

/// Refuses rows whose squares overflow.
pub(crate) fn check_lengths(rows: AnyRows<'_>) -> Result<()> {
    if rows.is_bounded() || rows.sq_longest().is_finite() {
        return Ok(());
    }
    let first = (0..rows.len()).find(|&i| !rows.row(i).sq_norm().is_finite());
    first.map_or(Ok(()), |i| Err(too_long_row(i as u64)))
}

/// What memory is for, in a message.
pub(crate) fn the_rows() -> Message {
    "the rows of the file".into()
}

/// The error that the squares of a row overflow.
pub(crate) fn too_long_row(row: u64) -> Error {
    let why = ": the values are too large: their squares overflow; divide them by a common factor";
    Error::bad_data(Message::of_row(row as usize).text(why))
}

/// Refuses fewer classes than two.
pub(crate) fn check_classes(labels: &Labels, examples: u64) -> Result<()> {
    match labels.len() {
        0 => Err(Error::bad_data("no labels: a classifier needs the class of each row")),
        1 => {
            let label = list(labels.names());
            let all = match examples {
                1 => format!("the one example has the label {label}"),
                n => format!("all {n} examples have the label {label}"),
            };
            Err(Error::bad_data(format!("{all}: at least two classes are needed")))
        }
        _ => Ok(()),
    }
}
