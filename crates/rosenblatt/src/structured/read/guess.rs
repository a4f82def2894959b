//! Format detection: by the name of the file, then by its first lines.

use super::SequenceFormat;
use super::conll::{fields, separator};

/// The format by the file's name, without the suffix of a compression.
pub fn by_name(name: &str) -> Option<SequenceFormat> {
    let name = name.to_ascii_lowercase();
    let plain = [".gz", ".zst", ".bz2", ".xz"].iter().find_map(|packed| name.strip_suffix(packed)).unwrap_or(&name);
    match plain.rsplit_once('.')?.1 {
        "conll" | "conll03" | "conll2000" | "conll2003" | "iob" | "iob2" | "bio" | "bioes" | "iobes" => {
            Some(SequenceFormat::Conll)
        }
        "conllu" | "conllup" => Some(SequenceFormat::Conllu),
        "crfsuite" | "crf" => Some(SequenceFormat::Crfsuite),
        _ => None,
    }
}

/// The format by the first bytes of a text, if they look like sentences. `whole`: they are the whole text.
///
/// A blank line between others is required: without it, one sentence could as well be a table.
pub fn by_content(head: &[u8], whole: bool) -> Option<SequenceFormat> {
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    let head = if whole { head } else { &head[..head.iter().rposition(|b| *b == b'\n')?] };
    let trim = |line: &'_ [u8]| line.strip_suffix(b"\r").map_or(line.len(), <[u8]>::len);
    let lines: Vec<&[u8]> = head.split(|b| *b == b'\n').map(|line| &line[..trim(line)]).take(2000).collect();
    let tokens: Vec<&[u8]> = lines.iter().copied().filter(|line| !line.trim_ascii().is_empty()).collect();
    if looks_like_conllu(&tokens) {
        return Some(SequenceFormat::Conllu);
    }
    let first = lines.iter().position(|line| !line.trim_ascii().is_empty())?;
    let last = lines.iter().rposition(|line| !line.trim_ascii().is_empty())?;
    if !lines[first..last].iter().any(|line| line.trim_ascii().is_empty()) {
        return None;
    }
    if looks_like_crfsuite(&tokens) {
        return Some(SequenceFormat::Crfsuite);
    }
    let separator = separator(head);
    let rows: Vec<Vec<&[u8]>> = tokens.iter().map(|line| fields(line, separator).map(|(_, f)| f).collect()).collect();
    let number = |field: &[u8]| crate::read::number(field).is_ok();
    let width = rows.first()?.len();
    let steady = width >= 2 && rows.iter().all(|row| row.len() == width);
    let tagged = rows.iter().all(|row| row.last().is_some_and(|tag| !number(tag) && !tag.contains(&b':')));
    let wordy = rows.iter().any(|row| !number(row[0]));
    (steady && tagged && wordy).then_some(SequenceFormat::Conll)
}

fn looks_like_conllu(tokens: &[&[u8]]) -> bool {
    let mut rows = tokens.iter().filter(|line| !line.starts_with(b"#")).take(50).peekable();
    rows.peek().is_some()
        && rows.all(|line| {
            let tabs = line.iter().filter(|b| **b == b'\t').count();
            tabs == 9 && line.first().is_some_and(u8::is_ascii_digit)
        })
}

/// Most attributes are `name=value`.
fn looks_like_crfsuite(tokens: &[&[u8]]) -> bool {
    let rows = || tokens.iter().map(|line| line.split(|b| *b == b'\t').collect::<Vec<_>>());
    let attributes: usize = rows().map(|row| row.len() - 1).sum();
    let named: usize = rows().map(|row| row[1..].iter().filter(|f| f.contains(&b'=')).count()).sum();
    rows().all(|row| row.len() >= 2) && 2 * named > attributes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        assert_eq!(by_name("a/train.conll.gz"), Some(SequenceFormat::Conll));
        assert_eq!(by_name("EN.CONLLU"), Some(SequenceFormat::Conllu));
        assert_eq!(by_name("x.crfsuite.zst"), Some(SequenceFormat::Crfsuite));
        assert_eq!(by_name("conll"), None);
        assert_eq!(by_name("data.csv"), None);
    }

    #[test]
    fn contents() {
        let guess = |text: &str| by_content(text.as_bytes(), true).map(SequenceFormat::name);
        assert_eq!(guess("He PRP B-NP\nran VBD B-VP\n\nShe PRP B-NP\n"), Some("conll"));
        assert_eq!(guess("a\tO\n\t\nb\tO\n"), Some("conll"), "a lone tab is a blank line");
        assert_eq!(guess("\u{feff}a O\r\n\r\nb O\r\n"), Some("conll"));
        assert_eq!(guess("He PRP B-NP\nran VBD B-VP\n"), None, "one sentence may as well be a table");
        assert_eq!(guess("x,y,label\n1,2,a\n\n2,3,b\n"), None);
        assert_eq!(guess("1 1:2 3:4\n\n-1 2:1\n"), None);
        assert_eq!(guess("1 2 3\n\n4 5 6\n"), None);
        assert_eq!(guess("# sent_id = 1\n1\ta\ta\tX\t_\t_\t0\troot\t_\t_\n"), Some("conllu"));
        assert_eq!(guess("O\tw[0]=a\tw[1]=b\n\nB-X\tw[0]=b\n"), Some("crfsuite"));
    }
}
