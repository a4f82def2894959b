//! The options of reading in a stable form, to compare what was read with what is to be read.

use serde_json::json;

use super::{Format, ReadOptions};
use crate::error::Result;
use crate::io::Input;

/// All options that decide which rows come out of a file, field by field. The same options give the same text in every
/// version, unless their meaning changes.
///
/// Left out are `positive`, which every training chooses itself, and `compact`, which concerns memory only. A file of
/// labels counts by its contents. The order of presentation and the initial weights belong to a training, not to the rows:
/// a cache serves all of them, and a checkpoint holds its own.
pub(crate) fn options_key(format: Format, options: &ReadOptions) -> Result<String> {
    let ReadOptions {
        format: _,
        header,
        label,
        drop,
        category,
        text,
        ngrams,
        chars,
        dialect,
        missing,
        weight,
        positive: _,
        labels,
        hashed,
        compact: _,
    } = options;
    let labels = labels.as_ref().map(fingerprint).transpose()?;
    let mut key = json!({
        "format": format.name(),
        "header": header.name(),
        "label": label,
        "drop": drop,
        "category": category,
        "text": text,
        "ngrams": ngrams,
        "missing": missing.map(|fill| fill.name()),
        "weight": weight,
        "labels": labels.map(|print| format!("{print:016x}")),
    });
    // Left out where there are none, so that older caches serve on.
    if let Some(chars) = chars {
        key["chars"] = json!(chars);
    }
    if !dialect.is_plain() {
        key["dialect"] = json!(dialect);
    }
    if let Some(hashed) = hashed {
        key["hashed"] = json!(hashed);
    }
    Ok(key.to_string())
}

/// XXH3-64 of the decompressed bytes of an input.
pub(crate) fn fingerprint(input: &Input) -> Result<u64> {
    let mut source = input.open()?;
    let mut buffer = vec![0; 1 << 18];
    while source.fill(&mut buffer)? > 0 {
        crate::limits::check()?;
    }
    Ok(source.fingerprint())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::Header;
    use crate::rows::{Dialect, Fill, HashedWords, Tf};

    /// The key was the options' `Debug` form, which changed whenever a field was renamed, and held the name of the file
    /// of labels but not its contents.
    #[test]
    fn the_key_is_stable_and_depends_on_every_option() {
        let plain = ReadOptions::default();
        let key = |options: &ReadOptions| options_key(Format::Csv, options).unwrap();
        let expected = r#"{"category":[],"drop":[],"format":"csv","header":"auto","label":null,"labels":null,"missing":null,"ngrams":1,"text":[],"weight":null}"#;
        assert_eq!(key(&plain), expected);
        let one = || vec!["a".to_string()];
        let labels = |text: &str| Some(Input::memory("labels", text));
        let others = [
            ReadOptions { header: Header::Yes, ..plain.clone() },
            ReadOptions { label: Some("a".into()), ..plain.clone() },
            ReadOptions { drop: one(), ..plain.clone() },
            ReadOptions { category: one(), ..plain.clone() },
            ReadOptions { text: one(), ..plain.clone() },
            ReadOptions { ngrams: 2, ..plain.clone() },
            ReadOptions { chars: "3..6".parse().ok(), ..plain.clone() },
            ReadOptions { dialect: Dialect { delimiter: "|".parse().ok(), na: Vec::new() }, ..plain.clone() },
            ReadOptions { dialect: Dialect { delimiter: None, na: one() }, ..plain.clone() },
            ReadOptions { hashed: Some(HashedWords { bits: 9, tf: Tf::Log, unit: true }), ..plain.clone() },
            ReadOptions { missing: Some(Fill::Zero), ..plain.clone() },
            ReadOptions { weight: Some("a".into()), ..plain.clone() },
            ReadOptions { labels: labels("a\n"), ..plain.clone() },
            ReadOptions { labels: labels("b\n"), ..plain.clone() },
        ];
        let mut keys: Vec<String> = others.iter().map(key).collect();
        keys.push(options_key(Format::Tsv, &plain).unwrap());
        keys.push(expected.to_string());
        keys.sort();
        keys.dedup();
        assert_eq!(keys.len(), others.len() + 2);
        let same = ReadOptions { positive: Some("a".into()), compact: true, ..plain.clone() };
        assert_eq!(key(&same), expected);
    }
}
