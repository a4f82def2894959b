//! Data sets in binary formats, and compressed ones.
//!
//! How well a text is compressed changes nothing that the program writes: it sees the bytes inside.

use std::io::Write;

use crate::data::Random;

/// An array of NumPy: the type of its numbers, its shape, its bytes.
fn npy(kind: &str, shape: &str, bytes: &[u8]) -> Vec<u8> {
    let mut header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}");
    while (10 + header.len() + 1) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend((header.len() as u16).to_le_bytes());
    file.extend(header.as_bytes());
    file.extend(bytes);
    file
}

const ROWS: usize = 240;
const WIDTH: usize = 9;

/// Rows of small whole numbers, and a class of three for each.
fn numbers(seed: u64) -> (Vec<i32>, Vec<u8>) {
    let mut random = Random::new(seed);
    let mut values = Vec::new();
    let mut classes = Vec::new();
    for _ in 0..ROWS {
        let row: Vec<i32> = (0..WIDTH).map(|_| random.below(200) as i32).collect();
        let sums = [0, 3, 6].map(|at| row[at..at + 3].iter().sum::<i32>() + random.below(30) as i32);
        classes.push((0..3u8).max_by_key(|&c| sums[usize::from(c)]).unwrap_or(0));
        values.extend(row);
    }
    (values, classes)
}

/// Eighths as 64-bit floats: exact in every base that matters.
pub fn npy_doubles() -> Vec<u8> {
    let (values, _) = numbers(40);
    let bytes: Vec<u8> = values.iter().flat_map(|&v| (f64::from(v) / 8.0 - 12.0).to_le_bytes()).collect();
    npy("<f8", &format!("({ROWS}, {WIDTH})"), &bytes)
}

pub fn npy_singles() -> Vec<u8> {
    let (values, _) = numbers(40);
    let bytes: Vec<u8> = values.iter().flat_map(|&v| (v as f32 / 8.0).to_le_bytes()).collect();
    npy("<f4", &format!("({ROWS}, {WIDTH})"), &bytes)
}

pub fn npy_classes() -> Vec<u8> {
    let (_, classes) = numbers(40);
    let bytes: Vec<u8> = classes.iter().flat_map(|&c| i64::from(c).to_le_bytes()).collect();
    npy("<i8", &format!("({ROWS},)"), &bytes)
}

/// The same classes with names, one on each line.
pub fn text_classes() -> String {
    let (_, classes) = numbers(40);
    classes.iter().map(|&c| ["left\n", "middle\n", "right\n"][usize::from(c)]).collect()
}

/// Pictures of 3 by 3 bytes.
pub fn idx_images() -> Vec<u8> {
    let (values, _) = numbers(41);
    let mut file = vec![0, 0, 8, 3];
    [ROWS, 3, 3].iter().for_each(|&n| file.extend((n as u32).to_be_bytes()));
    file.extend(values.iter().map(|&v| v as u8));
    file
}

pub fn idx_classes() -> Vec<u8> {
    let (_, classes) = numbers(41);
    let mut file = vec![0, 0, 8, 1];
    file.extend((ROWS as u32).to_be_bytes());
    file.extend(classes);
    file
}

/// A number that is missing where it is a multiple of `gaps`, a category, a label.
#[cfg(feature = "parquet")]
pub fn parquet(gaps: u64) -> Vec<u8> {
    use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int32Type};
    use parquet::file::writer::SerializedFileWriter;
    use parquet::schema::parser::parse_message_type;

    let schema = "message m { optional double age; required binary colour (UTF8); required int32 label; }";
    let schema = std::sync::Arc::new(parse_message_type(schema).unwrap());
    let mut writer = SerializedFileWriter::new(Vec::new(), schema, Default::default()).unwrap();
    let mut random = Random::new(42);
    for _ in 0..2 {
        let (mut ages, mut there, mut colours, mut labels) = (vec![], vec![], vec![], vec![]);
        for _ in 0..100 {
            let age = 1 + random.below(639);
            there.push(i16::from(!age.is_multiple_of(gaps)));
            if !age.is_multiple_of(gaps) {
                ages.push(age as f64 / 8.0);
            }
            colours.push(ByteArray::from(random.pick(&["red", "green", "blue"])));
            labels.push(i32::from(age + random.below(200) > 400));
        }
        let mut group = writer.next_row_group().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        column.typed::<DoubleType>().write_batch(&ages, Some(&there), None).unwrap();
        column.close().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        column.typed::<ByteArrayType>().write_batch(&colours, None, None).unwrap();
        column.close().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        column.typed::<Int32Type>().write_batch(&labels, None, None).unwrap();
        column.close().unwrap();
        group.close().unwrap();
    }
    writer.into_inner().unwrap()
}

pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    out.write_all(bytes).unwrap();
    out.finish().unwrap()
}

pub fn zstd(bytes: &[u8]) -> Vec<u8> {
    let mut out = ::zstd::Encoder::new(Vec::new(), 1).unwrap();
    out.write_all(bytes).unwrap();
    out.finish().unwrap()
}

pub fn bzip2(bytes: &[u8]) -> Vec<u8> {
    let mut out = ::bzip2::write::BzEncoder::new(Vec::new(), ::bzip2::Compression::fast());
    out.write_all(bytes).unwrap();
    out.finish().unwrap()
}

/// No encoder of xz is among our dependencies: a file that was made once.
pub const XZ: &[u8] = include_bytes!("tiny.svm.xz");
