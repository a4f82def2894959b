//! Parquet tables, row by row: every value becomes the text that a csv file would hold, and nothing a missing value.
//!
//! A row is then read like one of csv, so that both mean the same. Columns of lists and records are refused.

use std::io::Write;

use parquet::errors::ParquetError;
use parquet::file::reader::FileReader;
use parquet::file::serialized_reader::SerializedFileReader;
use parquet::record::Field as Value;
use parquet::record::reader::RowIter;

use super::records::{Field, Record};
use crate::data::fault::show;
use crate::data::lines::Lines;
use crate::error::{Error, Place, Result};

/// Steps through the rows of a table.
pub(crate) struct Records {
    file: String,
    names: Vec<String>,
    rows: RowIter<'static>,
    fingerprint: u64,
    /// The row at hand, from 1.
    number: u64,
    text: Vec<u8>,
    fields: Vec<Field>,
}

impl std::fmt::Debug for Records {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Records").field("file", &self.file).field("names", &self.names).finish_non_exhaustive()
    }
}

fn damaged(error: &ParquetError) -> String {
    format!("the Parquet file is cut short or damaged: {error}")
}

impl Records {
    /// Opens a table: its bytes are kept in memory, since Parquet is read from its end.
    pub(crate) fn new(lines: Lines<'_>) -> Result<Self> {
        let file = lines.name().to_string();
        let (bytes, fingerprint) = lines.rest()?;
        let reader = SerializedFileReader::new(bytes::Bytes::from(bytes)).map_err(|e| Error::bad_data(damaged(&e)))?;
        let schema = reader.metadata().file_metadata().schema_descr();
        let columns = schema.root_schema().get_fields();
        if let Some(column) = columns.iter().find(|column| !column.is_primitive()) {
            let name = show(column.name().as_bytes());
            return Err(Error::bad_data(format!(
                "column {name} holds lists or records: keep columns of single values"
            )));
        }
        let names: Vec<String> = columns.iter().map(|column| column.name().to_string()).collect();
        if let Some(twice) = names.iter().enumerate().find(|(i, name)| names[..*i].contains(name)) {
            return Err(Error::bad_data(format!("two columns are called {}", show(twice.1.as_bytes()))));
        }
        let rows = RowIter::from_file_into(Box::new(reader));
        Ok(Records { file, names, rows, fingerprint, number: 0, text: Vec::new(), fields: Vec::new() })
    }

    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }

    pub(crate) fn name(&self) -> &str {
        &self.file
    }

    pub(crate) fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// The next row; its number stands in place of a line.
    pub(crate) fn next(&mut self) -> Result<Option<Record<'_>>> {
        let Some(row) = self.rows.next() else { return Ok(None) };
        self.number += 1;
        let place = || Place::line(&self.file, self.number);
        let row = row.map_err(|e| Error::data(place(), damaged(&e)))?;
        self.text.clear();
        self.fields.clear();
        for (i, (name, value)) in row.get_column_iter().enumerate() {
            let start = self.text.len();
            write(value, &mut self.text).map_err(|what| {
                Error::data(place(), format!("column {} holds {what}, which is not read", show(name.as_bytes())))
            })?;
            self.fields.push(Field::new(start..self.text.len(), self.number, i as u64 + 1));
        }
        Ok(Some(Record::new(&self.text, &self.fields, self.number)))
    }
}

/// A value as a csv file would hold it; nothing for one that is missing.
fn write(value: &Value, text: &mut Vec<u8>) -> std::result::Result<(), &'static str> {
    let done = match value {
        Value::Null => Ok(()),
        Value::Bool(v) => write!(text, "{v}"),
        Value::Byte(v) => write!(text, "{v}"),
        Value::Short(v) => write!(text, "{v}"),
        Value::Int(v) | Value::Date(v) | Value::TimeMillis(v) => write!(text, "{v}"),
        Value::Long(v) | Value::TimeMicros(v) | Value::TimestampMillis(v) | Value::TimestampMicros(v) => {
            write!(text, "{v}")
        }
        Value::UByte(v) => write!(text, "{v}"),
        Value::UShort(v) => write!(text, "{v}"),
        Value::UInt(v) => write!(text, "{v}"),
        Value::ULong(v) => write!(text, "{v}"),
        // As the f64 it is, not as the shortest text that would be read back as the same f32.
        Value::Float(v) => write!(text, "{}", f64::from(*v)),
        Value::Double(v) => write!(text, "{v}"),
        Value::Str(v) => text.write_all(v.as_bytes()),
        Value::Bytes(v) => text.write_all(v.data()),
        Value::Float16(_) => return Err("numbers of 16 bits"),
        Value::Decimal(_) => return Err("decimal numbers"),
        _ => return Err("lists or records"),
    };
    done.map_err(|_| "a value without a text")
}
