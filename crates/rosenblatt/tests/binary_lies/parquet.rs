//! Parquet files that lie: the footer, the headers of pages, the pages.

use std::sync::Arc;

use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use rosenblatt::read::ReadOptions;
use rosenblatt::rows::Fill;

use crate::{each_cut, each_flip, outcome_with};

/// Four rows: a number that may be missing, a category, a label.
fn file(dictionary: bool) -> Vec<u8> {
    let schema = "message m { optional double age; required binary colour (UTF8); required int64 label; }";
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let properties = Arc::new(WriterProperties::builder().set_dictionary_enabled(dictionary).build());
    let mut writer = SerializedFileWriter::new(Vec::new(), schema, properties).unwrap();
    let mut group = writer.next_row_group().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    column.typed::<DoubleType>().write_batch(&[0.1, 7.0, -2.5], Some(&[1, 0, 1, 1]), None).unwrap();
    column.close().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    let colours = ["red", "blue", "red", "blue"].map(ByteArray::from);
    column.typed::<ByteArrayType>().write_batch(&colours, None, None).unwrap();
    column.close().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    column.typed::<Int64Type>().write_batch(&[1, 0, 1, 0], None, None).unwrap();
    column.close().unwrap();
    group.close().unwrap();
    writer.into_inner().unwrap()
}

fn options() -> ReadOptions {
    ReadOptions { missing: Some(Fill::Zero), ..ReadOptions::default() }
}

#[test]
fn cuts_and_flipped_bytes() {
    for dictionary in [false, true] {
        let whole = file(dictionary);
        assert_eq!(outcome_with(&whole, &options()).map(|found| found.0), Ok(4));
        each_cut(&whole, |cut| assert!(outcome_with(cut, &options()).is_err()));
        each_flip(&whole, |lie| {
            let _ = outcome_with(lie, &options());
        });
    }
}

/// The length of the footer stands before the last magic.
#[test]
fn the_length_of_the_footer() {
    let whole = file(true);
    let at = whole.len() - 8;
    let right = u32::from_le_bytes(whole[at..at + 4].try_into().unwrap());
    for length in [0, 1, right - 1, right + 1, whole.len() as u32, i32::MAX as u32, 1 << 31, u32::MAX] {
        let mut lie = whole.clone();
        lie[at..at + 4].copy_from_slice(&length.to_le_bytes());
        assert!(outcome_with(&lie, &options()).is_err(), "{length}");
    }
}
