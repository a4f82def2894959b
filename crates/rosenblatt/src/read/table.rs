//! Tables from files, in one call.

use std::path::Path;

use super::{NeedLabels, ReadOptions, read, read_for};
use crate::error::Result;
use crate::io::Input;
use crate::model::Model;
use crate::rows::Table;

impl Table {
    /// Reads a file of labelled examples: CSV, TSV, LIBSVM, Vowpal Wabbit, npy or idx, compressed or not. The format, the
    /// header and the label's column are guessed; [`read_with`](Self::read_with) takes them from you.
    ///
    /// ```
    /// use rosenblatt::Table;
    /// let path = std::env::temp_dir().join("rosenblatt-doc-read.csv");
    /// std::fs::write(&path, "weight,colour,class\n1,red,apple\n2,green,pear\n")?;
    /// let table = Table::read(&path)?;
    /// assert_eq!(table.labels.names(), ["apple", "pear"]);
    /// assert_eq!(table.schema.feature_names(), ["weight", "colour=green", "colour=red"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn read(path: impl AsRef<Path>) -> Result<Table> {
        Table::read_with(path, &ReadOptions::default())
    }

    /// Reads a file of labelled examples as the options say.
    ///
    /// ```
    /// use rosenblatt::{ReadOptions, Table};
    /// let path = std::env::temp_dir().join("rosenblatt-doc-read-with.csv");
    /// std::fs::write(&path, "kind,id,x\na,7,1.5\nb,8,-2\n")?;
    /// let options = ReadOptions { label: Some("kind".into()), drop: vec!["id".into()], ..ReadOptions::default() };
    /// assert_eq!(Table::read_with(&path, &options)?.schema.feature_names(), ["x"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn read_with(path: impl AsRef<Path>, options: &ReadOptions) -> Result<Table> {
        Ok(read(&Input::Path(path.as_ref().to_path_buf()), options)?.table)
    }

    /// Reads a file of labelled examples for a model: columns, categories and classes are numbered as the model numbers
    /// them, which [`read`](Self::read) cannot know.
    ///
    /// ```
    /// use rosenblatt::{Evaluation, Table, Trainer};
    /// let path = std::env::temp_dir().join("rosenblatt-doc-read-for.csv");
    /// std::fs::write(&path, "colour,class\nred,apple\ngreen,pear\nyellow,pear\n")?;
    /// let model = Trainer::new("averaged").fit(&Table::read(&path)?)?.model;
    /// std::fs::write(&path, "colour,class\nyellow,pear\n")?;
    /// let test = Table::read_for(&path, &model)?;
    /// assert_eq!(test.schema, model.schema);
    /// assert_eq!(Evaluation::new(&model, &test)?.error, 0.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn read_for(path: impl AsRef<Path>, model: &Model) -> Result<Table> {
        let input = Input::Path(path.as_ref().to_path_buf());
        Ok(read_for(&input, &ReadOptions::default(), &model.schema, &model.labels, NeedLabels::Yes)?.table)
    }
}
