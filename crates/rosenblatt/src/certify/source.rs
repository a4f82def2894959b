//! Where exact rows come from: a text as it is written, a binary array as the dyadic rationals that it holds.

use crate::certify::exact::{ExactRows, Memory, Written};
use crate::error::Result;
use crate::io::Input;
use crate::read::{Dataset, Format, refuse_rounded, refuse_stream};
use crate::rows::{Row, Rows, each_kind};

/// The rows of a file that was read, exactly. Numbers in a text are decimals; those of npy and idx are what their bits
/// say. Refused, with the reason: formats that nobody could check with a few lines of code, and features that do not
/// stand in the file.
pub fn exact_rows<'a>(input: &'a Input, dataset: &'a Dataset) -> Result<Box<dyn ExactRows + 'a>> {
    match dataset.format {
        Format::Npy | Format::Idx => {
            refuse_stream(input)?;
            let rows = dataset.table.matrix.rows()?;
            each_kind!(rows, rows => refuse_rounded(input, (0..rows.len()).map(|i| {
                let mut most = 0f64;
                rows.row(i).each(|_, v| most = most.max(v.abs()));
                most
            })))?;
            Ok(Box::new(Memory(rows)))
        }
        _ => Ok(Box::new(Written::new(input, dataset)?)),
    }
}
