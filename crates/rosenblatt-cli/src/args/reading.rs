//! How to read a data file.

use clap::Args;
use rosenblatt::read::Header;
use rosenblatt::rows::{CharGrams, Delimiter, Fill};

use super::choice;

/// How to read a data file.
#[derive(Args, Clone)]
#[command(next_help_heading = "Reading")]
pub struct DataArgs {
    /// auto, libsvm, csv, tsv, jsonl, fasttext, vw, idx, npy or parquet; of sentences: conll, conllu or crfsuite
    #[arg(long, value_name = "FORMAT", default_value = "auto")]
    pub format: String,
    /// Whether the first row names the columns
    #[arg(long, value_name = "WHEN", default_value = "auto", value_parser = choice::<Header>())]
    pub header: Header,
    /// The label column, by name or number [default: label, class, target or y, else the last]
    #[arg(long, value_name = "COLUMN")]
    pub label: Option<String>,
    /// Drop a column; may be repeated
    #[arg(long, value_name = "COLUMN")]
    pub drop: Vec<String>,
    /// Treat a column of numbers as categories; may be repeated
    #[arg(long, value_name = "COLUMN")]
    pub category: Vec<String>,
    /// Read a column as text, a bag of words; may be repeated
    #[arg(long, value_name = "COLUMN")]
    pub text: Vec<String>,
    /// Count n-grams of up to N words
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=5))]
    pub ngrams: u32,
    /// Also count runs of A to B characters of a word, with its boundaries < and >
    #[arg(long, value_name = "A..B")]
    pub char_ngrams: Option<CharGrams>,
    /// What divides the fields of csv and tsv, if it is not seen: one character, or tab [default: , ; tab or |, by the
    /// first lines]
    #[arg(long, value_name = "C")]
    pub delimiter: Option<Delimiter>,
    /// A text that stands for a missing value, as it is written in the file, beside those of --missing; may be repeated
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub na: Vec<String>,
    /// Replace missing values (empty, NA, ? or nan; where numbers are, also N/A, null, none or -) by zero, by the column's mean, or by zero with an indicator feature
    /// (indicator) [default: an error]
    #[arg(long, value_name = "HOW", hide_possible_values = true, value_parser = choice::<Fill>())]
    pub missing: Option<Fill>,
    /// The column with the weight of each example
    #[arg(long, value_name = "COLUMN")]
    pub weight: Option<String>,
    /// The labels of an idx or npy file: a file in either format, or a text with one label a line
    #[arg(long, value_name = "FILE")]
    pub labels: Option<String>,
    /// Which of two labels is the positive one
    #[arg(long, value_name = "LABEL", allow_hyphen_values = true)]
    pub positive: Option<String>,
}

impl DataArgs {
    /// The options that differ from their defaults, as they were typed.
    pub fn typed(&self) -> Vec<String> {
        let header = Some(self.header.to_string()).filter(|_| self.header != Header::Auto);
        let format = Some(self.format.clone()).filter(|format| format != "auto");
        let one = [
            ("--format", format),
            ("--header", header),
            ("--label", self.label.clone()),
            ("--ngrams", Some(self.ngrams.to_string()).filter(|_| self.ngrams > 1)),
            ("--char-ngrams", self.char_ngrams.map(|chars| chars.to_string())),
            ("--delimiter", self.delimiter.map(|delimiter| delimiter.to_string())),
            ("--missing", self.missing.map(|fill| fill.to_string())),
            ("--weight", self.weight.clone()),
            ("--labels", self.labels.clone()),
            ("--positive", self.positive.clone()),
        ];
        let one = one.into_iter().filter_map(|(option, value)| Some((option, value?)));
        let drop = self.drop.iter().map(|column| ("--drop", column.clone()));
        let category = self.category.iter().map(|column| ("--category", column.clone()));
        let text = self.text.iter().map(|column| ("--text", column.clone()));
        let na = self.na.iter().map(|text| ("--na", text.clone()));
        one.chain(drop)
            .chain(category)
            .chain(text)
            .chain(na)
            .flat_map(|(option, value)| [option.to_string(), value])
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Alone {
        #[command(flatten)]
        read: DataArgs,
    }

    fn typed(words: &[&str]) -> Vec<String> {
        let alone = Alone::try_parse_from([&["test"], words].concat()).unwrap_or_else(|e| panic!("{e}"));
        alone.read.typed()
    }

    #[test]
    fn what_differs_from_the_defaults_is_typed_again() {
        assert!(typed(&[]).is_empty());
        assert!(typed(&["--header", "auto", "--format", "auto", "--ngrams", "1"]).is_empty());
        let words = [
            "--format",
            "csv",
            "--header",
            "no",
            "--ngrams",
            "2",
            "--char-ngrams",
            "3..6",
            "--delimiter",
            "|",
            "--missing",
            "mean",
            "--drop",
            "a",
            "--drop",
            "b",
            "--na",
            "-999",
        ];
        assert_eq!(typed(&words), words);
    }
}
