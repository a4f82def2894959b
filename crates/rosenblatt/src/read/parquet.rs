//! Reads Parquet tables row by row: every value becomes the text of a csv file, and null an empty field.
//!
//! A row is then read like one of csv, so that both formats mean the same. Only the columns that are wanted are read; of these,
//! lists and records are refused.

use std::io::Write;

use parquet::errors::ParquetError;
use parquet::file::reader::FileReader;
use parquet::file::serialized_reader::SerializedFileReader;
use parquet::record::Field as Value;
use parquet::record::reader::RowIter;
use parquet::schema::types::Type;

use super::guard::catch_panic;
use super::records::{Field, Record};
use crate::error::{Error, Place, Result};
use crate::io::{Lines, show};
use crate::message::{Message, Setting};

/// Iterates over the rows of a table.
pub(crate) struct Records {
    file: String,
    names: Vec<String>,
    /// Which columns are read; the others are empty.
    wanted: Vec<bool>,
    /// The file, until the first row is read.
    reader: Option<Box<dyn FileReader>>,
    rows: Option<RowIter<'static>>,
    fingerprint: u64,
    /// The current row, from 1.
    number: u64,
    text: Vec<u8>,
    fields: Vec<Field>,
}

impl std::fmt::Debug for Records {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Records").field("file", &self.file).field("names", &self.names).finish_non_exhaustive()
    }
}

/// The decoder's result, or what is wrong with the file.
fn decode<T>(call: impl FnOnce() -> std::result::Result<T, ParquetError>) -> std::result::Result<T, String> {
    let damaged = |why: String| format!("the Parquet file is cut short or damaged: {why}");
    catch_panic(call).map_err(damaged)?.map_err(|error| damaged(error.to_string()))
}

impl Records {
    /// Opens a table. Parquet is read from its end: a file is opened again, and what is no plain file is kept in memory.
    pub(crate) fn new(lines: Lines<'_>) -> Result<Self> {
        let file = lines.name().to_string();
        let (reader, fingerprint): (Box<dyn FileReader>, u64) = match lines.into_file()? {
            Ok((plain, fingerprint)) => {
                let reader = decode(|| SerializedFileReader::new(plain)).map_err(Error::bad_data)?;
                (Box::new(reader), fingerprint)
            }
            Err(lines) => {
                let (bytes, fingerprint) = lines.rest()?;
                let bytes = bytes::Bytes::from(bytes);
                (Box::new(decode(|| SerializedFileReader::new(bytes)).map_err(Error::bad_data)?), fingerprint)
            }
        };
        let schema = reader.metadata().file_metadata().schema_descr();
        let columns = schema.root_schema().get_fields();
        let names: Vec<String> = columns.iter().map(|column| column.name().to_string()).collect();
        if let Some(twice) = names.iter().enumerate().find(|(i, name)| names[..*i].contains(name)) {
            return Err(Error::bad_data(format!("two columns are called {}", show(twice.1.as_bytes()))));
        }
        let (wanted, reader) = (vec![true; names.len()], Some(reader));
        Ok(Records {
            file,
            names,
            wanted,
            reader,
            rows: None,
            fingerprint,
            number: 0,
            text: Vec::new(),
            fields: Vec::new(),
        })
    }

    /// Reads only the columns that are wanted, by their place and name.
    pub(super) fn keep_only(&mut self, wanted: &dyn Fn(usize, &str) -> bool) {
        let each = self.names.iter().enumerate();
        self.wanted = each.map(|(at, name)| wanted(at, name)).collect();
    }

    /// Begins to read the wanted columns.
    fn begin(&self, reader: Box<dyn FileReader>) -> Result<RowIter<'static>> {
        let root = reader.metadata().file_metadata().schema_descr().root_schema().clone();
        let columns = root.get_fields().iter().zip(&self.wanted).filter(|(_, wanted)| **wanted);
        let columns: Vec<_> = columns.map(|(column, _)| column.clone()).collect();
        if let Some(column) = columns.iter().find(|column| !column.is_primitive()) {
            let message = Message::new(format!(
                "column {} holds lists or records: keep columns of single values, or ",
                show(column.name().as_bytes())
            ));
            let message = message.set(Setting::Drop, column.name());
            return Err(Error::bad_data(message).in_file(&self.file));
        }
        let rows = RowIter::from_file_into(reader);
        if columns.len() == self.wanted.len() {
            return Ok(rows);
        }
        let part = Type::group_type_builder(root.name()).with_fields(columns).build();
        let part = part.and_then(|part| rows.project(Some(part)));
        part.map_err(|error| Error::bad_data(error.to_string()).in_file(&self.file))
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

    /// The next row; its number serves as line number.
    pub(crate) fn next(&mut self) -> Result<Option<Record<'_>>> {
        if let Some(reader) = self.reader.take() {
            self.rows = Some(self.begin(reader)?);
        }
        let Some(rows) = &mut self.rows else { return Ok(None) };
        let row = decode(|| rows.next().transpose());
        self.number += 1;
        let place = || Place::line(&self.file, self.number);
        let Some(row) = row.map_err(|why| Error::data(place(), why))? else { return Ok(None) };
        self.text.clear();
        self.fields.clear();
        let mut values = row.get_column_iter();
        for (at, wanted) in self.wanted.iter().enumerate() {
            let start = self.text.len();
            if let Some((name, value)) = if *wanted { values.next() } else { None } {
                write(value, &mut self.text).map_err(|what| {
                    Error::data(place(), format!("column {} holds {what}, which is not read", show(name.as_bytes())))
                })?;
            }
            self.fields.push(Field::new(start..self.text.len(), self.number, at as u64 + 1));
        }
        Ok(Some(Record::new(&self.text, &self.fields, self.number)))
    }
}

/// Writes a value as csv text; nothing if it is null.
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
        // The exact f64, not the shortest text that reads back as the same f32.
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use parquet::data_type::{
        ByteArray, ByteArrayType, DoubleType, FixedLenByteArray, FixedLenByteArrayType, Int32Type, Int64Type,
    };
    use parquet::file::writer::SerializedFileWriter;
    use parquet::schema::parser::parse_message_type;

    use crate::io::Input;
    use crate::read::{NeedLabels, ReadOptions, read, read_for};

    /// Four rows: a number that may be missing, a category, a label.
    fn file() -> Vec<u8> {
        let schema = "message m { optional double age; required binary colour (UTF8); required int32 label; }";
        let schema = Arc::new(parse_message_type(schema).unwrap());
        let mut writer = SerializedFileWriter::new(Vec::new(), schema, Default::default()).unwrap();
        let mut group = writer.next_row_group().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        column.typed::<DoubleType>().write_batch(&[0.1, 7.0, -2.5], Some(&[1, 0, 1, 1]), None).unwrap();
        column.close().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        let colours = ["red", "blue", "red", "blue"].map(ByteArray::from);
        column.typed::<ByteArrayType>().write_batch(&colours, None, None).unwrap();
        column.close().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        column.typed::<Int32Type>().write_batch(&[1, 0, 1, 0], None, None).unwrap();
        column.close().unwrap();
        group.close().unwrap();
        writer.into_inner().unwrap()
    }

    fn message(bytes: Vec<u8>, options: &ReadOptions) -> String {
        read(&Input::memory("t.parquet", bytes), options).unwrap_err().to_string()
    }

    #[test]
    fn a_table_reads_like_the_same_one_in_csv() {
        let options = ReadOptions { missing: Some(crate::rows::Fill::Indicator), ..ReadOptions::default() };
        let data = read(&Input::memory("t.parquet", file()), &options).unwrap();
        let csv = "age,colour,label\n0.1,red,1\n,blue,0\n7,red,1\n-2.5,blue,0\n";
        let same = read(&Input::memory("t.csv", csv), &options).unwrap();
        assert_eq!(data.format, crate::read::sniff::Format::Parquet);
        assert_eq!(data.table.schema, same.table.schema);
        assert_eq!(format!("{:?}", data.table.matrix), format!("{:?}", same.table.matrix));
        assert_eq!((data.table.classes, data.table.labels), (same.table.classes, same.table.labels.clone()));
        // A model of the one takes the other.
        let rows = Input::memory("t.parquet", file());
        let again = read_for(&rows, &ReadOptions::default(), &same.table.schema, &same.table.labels, NeedLabels::Yes);
        assert_eq!(format!("{:?}", again.unwrap().table.matrix), format!("{:?}", same.table.matrix));
    }

    /// Integers beyond 2⁵³ were converted to the floats nearest to them.
    #[test]
    fn integers_keep_their_digits_when_converted() {
        let schema = Arc::new(parse_message_type("message m { required int64 n; required int64 label; }").unwrap());
        let mut writer = SerializedFileWriter::new(Vec::new(), schema, Default::default()).unwrap();
        let mut group = writer.next_row_group().unwrap();
        for values in [[9_007_199_254_740_993i64, i64::MIN, 5], [1, 2, 1]] {
            let mut column = group.next_column().unwrap().unwrap();
            column.typed::<Int64Type>().write_batch(&values, None, None).unwrap();
            column.close().unwrap();
        }
        group.close().unwrap();
        let input = Input::memory("t.parquet", writer.into_inner().unwrap());
        let dataset = read(&input, &ReadOptions::default()).unwrap();
        let csv = crate::convert::convert(&input, &dataset, crate::read::Format::Csv).unwrap().bytes;
        let expected = "n,label\n9007199254740993,1\n-9223372036854775808,2\n5,1\n";
        assert_eq!(String::from_utf8(csv).unwrap(), expected);
        let refused = crate::convert::convert(&input, &dataset, crate::read::Format::Npy).unwrap_err().to_string();
        assert!(refused.contains("row 1: npy is written as floats"), "{refused}");
    }

    /// Lists were refused though they were dropped, and all columns were decoded.
    #[test]
    fn columns_that_are_not_wanted_are_not_read() {
        let schema =
            "message m { required int32 n; optional group l (LIST) { repeated group list { required double element; } }
                      required fixed_len_byte_array(2) half (FLOAT16); required binary label (UTF8); }";
        let schema = Arc::new(parse_message_type(schema).unwrap());
        let mut writer = SerializedFileWriter::new(Vec::new(), schema, Default::default()).unwrap();
        let mut group = writer.next_row_group().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        column.typed::<Int32Type>().write_batch(&[1, 2, 3], None, None).unwrap();
        column.close().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        column.typed::<DoubleType>().write_batch(&[0.5, 1.5], Some(&[2, 2, 0]), Some(&[0, 0, 0])).unwrap();
        column.close().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        let halves = [[0u8, 60]; 3].map(|bytes| FixedLenByteArray::from(bytes.to_vec()));
        column.typed::<FixedLenByteArrayType>().write_batch(&halves, None, None).unwrap();
        column.close().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        column.typed::<ByteArrayType>().write_batch(&["a", "b", "a"].map(ByteArray::from), None, None).unwrap();
        column.close().unwrap();
        group.close().unwrap();
        let bytes = writer.into_inner().unwrap();
        let dropping = |drop: &[&str]| ReadOptions {
            drop: drop.iter().map(ToString::to_string).collect(),
            ..ReadOptions::default()
        };
        let refused = message(bytes.clone(), &dropping(&[]));
        assert_eq!(refused, "t.parquet: column \"l\" holds lists or records: keep columns of single values, or drop l");
        assert!(message(bytes.clone(), &dropping(&["l"])).contains("column \"half\" holds numbers of 16 bits"));
        for drop in [["l", "half"], ["2", "3"]] {
            let data = read(&Input::memory("t.parquet", bytes.clone()), &dropping(&drop)).unwrap();
            assert_eq!((data.table.schema.feature_names(), data.table.matrix.len()), (vec!["n".to_string()], 3));
            let input = Input::memory("t.parquet", bytes.clone());
            for need in [NeedLabels::Yes, NeedLabels::No] {
                let again =
                    read_for(&input, &ReadOptions::default(), &data.table.schema, &data.table.labels, need).unwrap();
                assert_eq!(
                    format!("{:?}", again.table.matrix),
                    format!("{:?}", data.table.matrix),
                    "a model needs no more"
                );
            }
            let csv = crate::convert::convert(&input, &data, crate::read::Format::Csv).unwrap().bytes;
            assert_eq!(String::from_utf8(csv).unwrap(), "n,label\n1,a\n2,b\n3,a\n");
        }
    }

    #[test]
    fn what_is_missing_is_said() {
        let label = ReadOptions { label: Some("class".into()), ..ReadOptions::default() };
        let expected = "t.parquet: label class: no column has this name; the file has \"age\", \"colour\", \"label\"";
        assert_eq!(message(file(), &label), expected);
        let gap = message(file(), &ReadOptions::default());
        assert!(gap.starts_with("t.parquet:2:1: column \"age\" has no value here"), "{gap}");
    }

    #[test]
    fn damaged_files_are_refused_and_nothing_panics() {
        let whole = file();
        let options = ReadOptions { missing: Some(crate::rows::Fill::Zero), ..ReadOptions::default() };
        for cut in 4..whole.len() {
            assert!(read(&Input::memory("t", &whole[..cut]), &options).is_err(), "{cut}");
        }
        for at in 4..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 0xff;
            // Some damage goes unnoticed; none may cause a panic.
            let _ = read(&Input::memory("t", bytes), &options);
        }
    }
}
