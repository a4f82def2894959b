//! Functions of a column in templates.

/// A function of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Function {
    /// The text itself.
    Whole,
    /// In lower case.
    Lower,
    /// Its first characters, if it has so many.
    Prefix(u8),
    /// Its last characters, if it has so many.
    Suffix(u8),
    /// X for an upper-case letter, x for another letter, d for a digit.
    Shape,
    /// The shape without repetitions.
    Outline,
    /// Every digit written as 0.
    Digits,
    /// There is a digit.
    HasDigit,
    /// There is a hyphen.
    HasHyphen,
    /// There is an upper-case letter.
    HasUpper,
    /// Every letter is upper-case, and there is one.
    IsUpper,
    /// The first character is upper-case, and no other.
    IsTitle,
    /// Digits, and points and commas between them.
    IsNumber,
}

/// Functions of a text alone, by name.
const NAMED: [(&str, Function); 10] = [
    ("lower", Function::Lower),
    ("shape", Function::Shape),
    ("outline", Function::Outline),
    ("digits", Function::Digits),
    ("has-digit", Function::HasDigit),
    ("has-hyphen", Function::HasHyphen),
    ("has-upper", Function::HasUpper),
    ("is-upper", Function::IsUpper),
    ("is-title", Function::IsTitle),
    ("is-number", Function::IsNumber),
];

impl Function {
    /// The function of this name, without a number.
    pub(super) fn by_name(name: &str) -> Option<Function> {
        NAMED.iter().find(|(known, _)| *known == name).map(|(_, function)| *function)
    }

    /// All names, for messages.
    pub(super) fn names() -> String {
        let mut names: Vec<&str> = NAMED.iter().map(|(name, _)| *name).collect();
        names.extend(["prefix", "suffix"]);
        names.join(", ")
    }

    /// As it is typed, applied to `of`.
    pub(super) fn show(self, of: &str) -> String {
        match self {
            Function::Whole => of.to_string(),
            Function::Prefix(n) => format!("prefix({of},{n})"),
            Function::Suffix(n) => format!("suffix({of},{n})"),
            other => {
                let (name, _) = NAMED.iter().find(|(_, known)| *known == other).expect("every other has a name");
                format!("{name}({of})")
            }
        }
    }

    /// Writes its value into `out`; `false` if it has none.
    pub fn apply(self, text: &str, out: &mut String) -> bool {
        out.clear();
        let yes = |is: bool, out: &mut String| {
            out.push_str("yes");
            is
        };
        match self {
            Function::Whole => out.push_str(text),
            Function::Lower => out.extend(text.chars().flat_map(char::to_lowercase)),
            Function::Prefix(n) => match text.char_indices().nth(usize::from(n) - 1) {
                Some((at, c)) => out.push_str(&text[..at + c.len_utf8()]),
                None => return false,
            },
            Function::Suffix(n) => match text.char_indices().nth_back(usize::from(n) - 1) {
                Some((at, _)) => out.push_str(&text[at..]),
                None => return false,
            },
            Function::Shape => out.extend(text.chars().map(shape)),
            Function::Outline => {
                for c in text.chars().map(shape) {
                    if !out.ends_with(c) {
                        out.push(c);
                    }
                }
            }
            Function::Digits => out.extend(text.chars().map(|c| if c.is_ascii_digit() { '0' } else { c })),
            Function::HasDigit => return yes(text.chars().any(char::is_numeric), out),
            Function::HasHyphen => return yes(text.contains('-'), out),
            Function::HasUpper => return yes(text.chars().any(char::is_uppercase), out),
            Function::IsUpper => {
                let upper = text.chars().any(char::is_uppercase) && !text.chars().any(char::is_lowercase);
                return yes(upper, out);
            }
            Function::IsTitle => {
                let mut chars = text.chars();
                let first = chars.next().is_some_and(char::is_uppercase);
                return yes(first && !chars.any(char::is_uppercase), out);
            }
            Function::IsNumber => {
                let digit = |c: char| c.is_ascii_digit();
                let number = text.chars().any(digit) && text.chars().all(|c| digit(c) || matches!(c, '.' | ',' | '-'));
                return yes(number, out);
            }
        }
        true
    }
}

fn shape(c: char) -> char {
    if c.is_uppercase() {
        'X'
    } else if c.is_alphabetic() {
        'x'
    } else if c.is_numeric() {
        'd'
    } else {
        c
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values() {
        let value = |function: Function, text: &str| {
            let mut out = String::new();
            function.apply(text, &mut out).then_some(out)
        };
        let cases = [
            (Function::Whole, "Élan", Some("Élan")),
            (Function::Lower, "ÉLan", Some("élan")),
            (Function::Prefix(2), "Élan", Some("Él")),
            (Function::Prefix(4), "Élan", Some("Élan")),
            (Function::Prefix(5), "Élan", None),
            (Function::Suffix(1), "né", Some("é")),
            (Function::Suffix(3), "né", None),
            (Function::Shape, "McDonald's-42", Some("XxXxxxxx'x-dd")),
            (Function::Outline, "McDonald's-42", Some("XxXx'x-d")),
            (Function::Digits, "1,234th", Some("0,000th")),
            (Function::HasDigit, "a1", Some("yes")),
            (Function::HasDigit, "a", None),
            (Function::HasHyphen, "a-b", Some("yes")),
            (Function::HasUpper, "aB", Some("yes")),
            (Function::IsUpper, "U.S.", Some("yes")),
            (Function::IsUpper, "12", None),
            (Function::IsTitle, "Paris", Some("yes")),
            (Function::IsTitle, "PARIS", None),
            (Function::IsNumber, "-1,234.5", Some("yes")),
            (Function::IsNumber, "--", None),
        ];
        for (function, text, wanted) in cases {
            assert_eq!(value(function, text).as_deref(), wanted, "{function:?} of {text}");
        }
    }
}
