//! Sources of exact rows: the decimals of a text, the dyadic rationals of a binary array.

use crate::certify::exact::{ExactRows, Memory, Written};
use crate::error::Result;
use crate::io::Input;
use crate::read::{Dataset, Format, refuse_rounded, refuse_stream};
use crate::rows::{Row, Rows};

/// The exact rows of a file that was read. Numbers in a text are decimals; those of npy and idx are what their bits
/// encode. Refused, with the reason: formats that are too complex for a simple checker, and features that are not in the
/// file.
pub fn exact_rows<'a>(input: &'a Input, dataset: &'a Dataset) -> Result<Box<dyn ExactRows + 'a>> {
    match dataset.format {
        Format::Npy | Format::Idx => {
            refuse_stream(input)?;
            let rows = dataset.table.matrix.rows()?;
            refuse_rounded(
                input,
                (0..rows.len()).map(|i| {
                    let mut most = 0f64;
                    rows.row(i).each(|_, v| most = most.max(v.abs()));
                    most
                }),
            )?;
            Ok(Box::new(Memory(rows)))
        }
        _ => Ok(Box::new(Written::new(input, dataset)?)),
    }
}
