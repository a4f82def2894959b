//! Values that a person reads as numbers and a program does not: they would become categories without a word.

use crate::message::{Message, Setting};

/// How such a value is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Almost {
    /// `1,5`
    DecimalComma,
    /// `1,234,567` or `1 234.5`
    Thousands,
    /// `−3`, with the sign of typography.
    UnicodeMinus,
    /// `12%`, `$4` or `4 €`
    Unit,
    /// `2026-11-18`, `18.11.2026` or `11/18/26`, with or without a time.
    Date,
}

impl Almost {
    pub(super) fn of(text: &str) -> Option<Self> {
        let plain = |text: &str| {
            let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
            digits.bytes().any(|b| b.is_ascii_digit()) && text.parse::<f64>().is_ok()
        };
        if is_date(text) {
            return Some(Almost::Date);
        }
        if let Some(rest) = text.strip_prefix(['\u{2212}', '\u{2013}']) {
            return plain(rest).then_some(Almost::UnicodeMinus);
        }
        let bare = text.trim_start_matches(['$', '€', '£']).trim_end_matches(['%', '€', '$', '£']).trim();
        if bare.len() < text.len() {
            let written = || matches!(Almost::of(bare), Some(Almost::Thousands | Almost::DecimalComma));
            return (plain(bare) || written()).then_some(Almost::Unit);
        }
        let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
        for mark in [',', '\'', ' ', '\u{a0}', '\u{202f}', '.'] {
            if is_grouped(digits, mark) {
                return Some(Almost::Thousands);
            }
        }
        let (whole, fraction) = text.split_once(',')?;
        let comma = plain(&format!("{whole}.{fraction}")) && !fraction.is_empty();
        comma.then_some(Almost::DecimalComma)
    }

    /// The same of one value: a comma before three digits may be of either kind.
    pub(super) fn described_as(self, text: &str) -> (&'static str, &'static str) {
        match self {
            Almost::DecimalComma if is_ambiguous(text) => AMBIGUOUS,
            almost => almost.described(),
        }
    }

    /// What the values are, and what to do.
    fn described(self) -> (&'static str, &'static str) {
        match self {
            Almost::DecimalComma => ("decimal commas", "write them with points, as 1.5"),
            Almost::Thousands => ("thousands separators", "write them without, as 1234567"),
            Almost::UnicodeMinus => ("the minus sign of typography", "write a hyphen, as in -3"),
            Almost::Unit => ("numbers with a unit", "leave the unit out"),
            Almost::Date => ("dates", "write what matters of them as numbers, such as the year or the weekday"),
        }
    }
}

/// 1,200 is a thousand to one half of the world, and little more than one to the other.
const AMBIGUOUS: (&str, &str) =
    ("commas before three digits, of thousands or of decimals", "write 1200 or 1.2, as it is meant");

/// Whether digits are in groups of three: one to three, and then at least one group. A comma or a point is taken for a
/// decimal mark if it comes once.
fn is_grouped(digits: &str, mark: char) -> bool {
    let mut groups = digits.split(mark);
    let first = groups.next().unwrap_or_default();
    let is_digits = |group: &str| !group.is_empty() && group.bytes().all(|b| b.is_ascii_digit());
    if !is_digits(first) || first.len() > 3 {
        return false;
    }
    let rest: Vec<&str> = groups.collect();
    let least = if matches!(mark, ',' | '.') { 2 } else { 1 };
    let Some((last, middle)) = rest.split_last() else { return false };
    // A fraction behind the last group.
    let (last, fraction) = last.split_once(if mark == '.' { ',' } else { '.' }).unwrap_or((last, "0"));
    let group = |group: &str| group.len() == 3 && is_digits(group);
    let least = if fraction == "0" { least } else { 1 };
    rest.len() >= least && middle.iter().all(|g| group(g)) && group(last) && is_digits(fraction)
}

/// Whether a comma stands before three digits, and behind one to three that do not begin with zero.
fn is_ambiguous(text: &str) -> bool {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let is_digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    digits.split_once(',').is_some_and(|(whole, rest)| {
        (1..=3).contains(&whole.len())
            && !whole.starts_with('0')
            && rest.len() == 3
            && is_digits(whole)
            && is_digits(rest)
    })
}

/// Three numbers between hyphens, points or slashes, the first or the last a year.
fn is_date(text: &str) -> bool {
    let day = text.split(['T', ' ']).next().unwrap_or_default();
    ['-', '.', '/'].iter().any(|&mark| {
        let parts: Vec<&str> = day.split(mark).collect();
        let digits = |part: &&str| !part.is_empty() && part.len() <= 4 && part.bytes().all(|b| b.is_ascii_digit());
        let short = |part: &str| part.len() <= 2;
        match parts[..] {
            [a, b, c] => {
                parts.iter().all(digits)
                    && short(b)
                    && ((a.len() == 4 && short(c)) || (short(a) && matches!(c.len(), 2 | 4)))
            }
            _ => false,
        }
    })
}

/// The note on a column of categories of which nine in ten are almost numbers, all written in one way.
pub(super) fn almost_numbers(name: &str, values: &[String]) -> Option<Message> {
    let mut counts: Vec<(Almost, usize, &String)> = Vec::new();
    for value in values {
        if let Some(almost) = Almost::of(value) {
            match counts.iter_mut().find(|(known, ..)| *known == almost) {
                Some((_, count, _)) => *count += 1,
                None => counts.push((almost, 1, value)),
            }
        }
    }
    // Numbers without a sign or a thousand are written as usual.
    let usual = values.iter().filter(|value| value.parse::<f64>().is_ok()).count();
    let &(almost, count, example) = counts.iter().max_by_key(|(_, count, _)| *count)?;
    if (count + usual) * 10 < values.len() * 9 {
        return None;
    }
    let commas = || values.iter().filter(|value| Almost::of(value) == Some(Almost::DecimalComma));
    let (what, advice) = match almost {
        Almost::DecimalComma if commas().all(|value| is_ambiguous(value)) => AMBIGUOUS,
        almost => almost.described(),
    };
    let example = crate::io::show(example.as_bytes());
    let message = format!("column \"{name}\" holds {what} ({example}), which were read as categories: {advice}, or ");
    Some(Message::new(message).set(Setting::Drop, name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_person_reads_as_a_number() {
        for (text, almost) in [
            ("1,5", Almost::DecimalComma),
            ("-0,25", Almost::DecimalComma),
            ("1,234", Almost::DecimalComma),
            ("1,234,567", Almost::Thousands),
            ("1,234.5", Almost::Thousands),
            ("1 234", Almost::Thousands),
            ("1'234'567.25", Almost::Thousands),
            ("1.234.567", Almost::Thousands),
            ("1.234,5", Almost::Thousands),
            ("\u{2212}3", Almost::UnicodeMinus),
            ("12%", Almost::Unit),
            ("$4.50", Almost::Unit),
            ("$20,000", Almost::Unit),
            ("1.200,50 €", Almost::Unit),
            ("4 €", Almost::Unit),
            ("2026-11-18", Almost::Date),
            ("2026-11-18T10:00:00", Almost::Date),
            ("18.11.2026", Almost::Date),
            ("11/18/26", Almost::Date),
        ] {
            assert_eq!(Almost::of(text), Some(almost), "{text}");
        }
        for text in
            ["", "red", "5more", "1,", ",5x", "12 Main Street", "1-2-3-4", "192.168.0.1", "a,5", "%", "--3", "1 23"]
        {
            assert_eq!(Almost::of(text), None, "{text}");
        }
    }

    #[test]
    fn a_column_is_noted_if_nearly_all_of_it_is_so() {
        let values = |texts: &[&str]| texts.iter().map(ToString::to_string).collect::<Vec<_>>();
        let noted = |texts: &[&str]| almost_numbers("a", &values(texts)).map(|note| note.to_string());
        assert_eq!(
            noted(&["1,5", "2", "3,25"]).unwrap(),
            "column \"a\" holds decimal commas (\"1,5\"), which were read as categories: write them with points, as \
             1.5, or drop a"
        );
        assert!(noted(&["1,200", "3,500"]).unwrap().contains("of thousands or of decimals"));
        assert!(noted(&["1,200", "3,5"]).unwrap().contains("decimal commas"));
        assert_eq!(noted(&["1,5", "red", "blue"]), None);
        assert_eq!(noted(&["1", "2"]), None);
    }
}
