//! Parses templates. Every error has its line and column.

use super::function::Function;
use super::{Outside, Part, Template, Templates, View};
use crate::error::Result;
use crate::io::{Fault, Found, show};
use crate::message::Message;
use crate::structured::chain::Reach;

/// The names of columns where a set does not name them.
const COLUMNS: [&str; 2] = ["word", "pos"];
/// The farthest neighbour.
const FARTHEST: i32 = 100;
/// The most characters of a prefix or suffix.
const LONGEST: i32 = 100;
/// The most parts of a template.
const MOST_PARTS: usize = 8;
/// The most templates of one line.
const MOST_AT_ONCE: usize = 1000;

/// Reads a set of templates; `name` is what messages call it.
pub fn parse(name: &str, text: &str) -> Result<Templates> {
    let mut set = Templates { columns: COLUMNS.map(String::from).to_vec(), ..Templates::default() };
    for (line, number) in text.lines().zip(1..) {
        let content = line.split('#').next().unwrap_or("").trim_end();
        if !content.trim_start().is_empty() {
            Cursor { text: content, at: 0, line: number }.line(&mut set).map_err(|fault| fault.of(name))?;
        }
    }
    if set.emissions.is_empty() && set.reach() == Reach::None {
        return Err(Fault::line(1, "no template: expected lines such as word[0]").of(name));
    }
    Ok(set)
}

/// A part, expanded: a range of offsets or lengths gives several.
enum Piece {
    Tag(i32),
    Parts(Vec<Part>),
}

struct Cursor<'a> {
    text: &'a str,
    at: usize,
    line: u64,
}

impl<'a> Cursor<'a> {
    fn fault<T>(&self, at: usize, message: impl Into<Message>) -> Found<T> {
        Err(Fault::at(self.line, at as u64 + 1, message))
    }

    fn spaces(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
    }

    fn take(&mut self, wanted: char) -> bool {
        let found = self.text[self.at..].starts_with(wanted);
        self.at += if found { wanted.len_utf8() } else { 0 };
        found
    }

    fn expect(&mut self, wanted: char) -> Found<()> {
        self.spaces();
        if self.take(wanted) {
            return Ok(());
        }
        let rest = &self.text[self.at..];
        let found = rest.chars().next().map_or("the end of the line".to_string(), |c| format!("\"{c}\""));
        self.fault(self.at, format!("expected \"{wanted}\", found {found}"))
    }

    fn word(&mut self) -> &'a str {
        let rest = &self.text[self.at..];
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '-')).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    /// A number, or a range of numbers a..b, in limits.
    fn range(&mut self, least: i32, most: i32) -> Found<std::ops::RangeInclusive<i32>> {
        let first = self.number(least, most)?;
        let last = if self.text[self.at..].starts_with("..") {
            self.at += 2;
            let at = self.at;
            let last = self.number(least, most)?;
            if last < first {
                return self.fault(at, format!("the range {first}..{last} is empty: the smaller number comes first"));
            }
            last
        } else {
            first
        };
        Ok(first..=last)
    }

    fn number(&mut self, least: i32, most: i32) -> Found<i32> {
        self.spaces();
        let (at, rest) = (self.at, &self.text[self.at..]);
        let sign = usize::from(rest.starts_with(['-', '+']));
        let end = rest[sign..].find(|c: char| !c.is_ascii_digit()).map_or(rest.len(), |end| end + sign);
        match rest[..end].parse::<i32>() {
            Ok(number) if (least..=most).contains(&number) => {
                self.at += end;
                Ok(number)
            }
            Ok(number) => self.fault(at, format!("{number} is out of range: expected {least} to {most}")),
            Err(_) => self.fault(at, format!("expected a whole number from {least} to {most}")),
        }
    }

    fn line(&mut self, set: &mut Templates) -> Found<()> {
        self.spaces();
        match self.text[self.at..].split_whitespace().next() {
            Some("columns") => return self.columns(set),
            Some("outside") => return self.outside(set),
            _ => {}
        }
        let start = self.at;
        let (mut tags, mut pieces) = (Vec::new(), Vec::new());
        while self.at < self.text.len() {
            match self.piece(set)? {
                Piece::Tag(offset) => tags.push(offset),
                Piece::Parts(parts) => pieces.push(parts),
            }
            self.spaces();
        }
        tags.sort_unstable();
        let reach = match tags[..] {
            [] => Reach::None,
            [-1] => Reach::First,
            [-2, -1] if pieces.is_empty() => Reach::Second,
            [-2, -1] => {
                return self.fault(start, "tag[-2] tag[-1] cannot be combined: only tag[-1] takes other parts");
            }
            _ => return self.fault(start, "expected tag[-1], or tag[-2] tag[-1]"),
        };
        if pieces.len() > MOST_PARTS {
            return self.fault(start, format!("{} parts: a template has at most {MOST_PARTS}", pieces.len()));
        }
        let count = pieces.iter().map(Vec::len).try_fold(1usize, usize::checked_mul);
        if count.is_none_or(|count| count > MOST_AT_ONCE) {
            return self.fault(start, format!("the ranges give more than {MOST_AT_ONCE} templates"));
        }
        match reach {
            Reach::Second => set.second = true,
            Reach::First if pieces.is_empty() => set.first = true,
            reach => {
                let list = if reach == Reach::None { &mut set.emissions } else { &mut set.edges };
                for parts in product(&pieces) {
                    let template = Template { parts, reach };
                    if list.contains(&template) {
                        return Err(Fault::at(self.line, start as u64 + 1, "this template is a duplicate"));
                    }
                    list.push(template);
                }
            }
        }
        Ok(())
    }

    fn columns(&mut self, set: &mut Templates) -> Found<()> {
        if !set.views.is_empty() {
            return self.fault(self.at, "the line `columns` comes before the templates");
        }
        let names: Vec<&str> = self.text[self.at..].split_whitespace().skip(1).collect();
        for (i, name) in names.iter().enumerate() {
            let at = name.as_ptr() as usize - self.text.as_ptr() as usize;
            let odd = |c: char| !(c.is_alphanumeric() || c == '_' || c == '-');
            if name.contains(odd) || ["tag", "first", "last", "bias"].contains(name) {
                return self.fault(at, format!("a column cannot be called {}", show(name.as_bytes())));
            }
            if names[..i].contains(name) {
                return self.fault(at, format!("two columns are called {}", show(name.as_bytes())));
            }
        }
        if names.is_empty() {
            return self.fault(self.at, "expected the names of the columns, in order");
        }
        set.columns = names.iter().map(ToString::to_string).collect();
        Ok(())
    }

    fn outside(&mut self, set: &mut Templates) -> Found<()> {
        let words: Vec<&str> = self.text[self.at..].split_whitespace().skip(1).collect();
        set.outside = match words[..] {
            ["skip"] => Outside::Skip,
            ["mark"] => Outside::Mark,
            _ => return self.fault(self.at, "expected `outside skip` or `outside mark`"),
        };
        Ok(())
    }

    fn piece(&mut self, set: &mut Templates) -> Found<Piece> {
        let at = self.at;
        let name = self.word();
        if name.is_empty() {
            let found = self.text[at..].chars().next().unwrap_or(' ');
            return self.fault(at, format!("found \"{found}\" where a column or a function was expected"));
        }
        if self.text[self.at..].starts_with('(') {
            return self.call(name, at, set);
        }
        let lone = match name {
            "first" => Some(Part::First),
            "last" => Some(Part::Last),
            "bias" => Some(Part::Bias),
            _ => None,
        };
        if let Some(part) = lone {
            return Ok(Piece::Parts(vec![part]));
        }
        if name == "tag" {
            self.expect('[')?;
            let offset = self.number(-2, -1)?;
            self.expect(']')?;
            return Ok(Piece::Tag(offset));
        }
        let (column, offsets) = self.cell(name, at, set)?;
        Ok(Piece::Parts(offsets.map(|offset| part(set, column, Function::Whole, offset)).collect()))
    }

    /// A column and its offsets.
    fn cell(&mut self, name: &str, at: usize, set: &Templates) -> Found<(usize, std::ops::RangeInclusive<i32>)> {
        let numbered =
            || name.strip_prefix('c').and_then(|n| n.parse::<usize>().ok()).filter(|n| (1..=1000).contains(n));
        let column = set.columns.iter().position(|known| known == name).or_else(|| numbered().map(|n| n - 1));
        let Some(column) = column else {
            let names = set.columns.join(", ");
            return self
                .fault(at, format!("no column is called {}: there are {names}, and c1, c2 …", show(name.as_bytes())));
        };
        if !self.take('[') {
            return Ok((column, 0..=0));
        }
        let offsets = self.range(-FARTHEST, FARTHEST)?;
        self.expect(']')?;
        Ok((column, offsets))
    }

    fn call(&mut self, name: &str, at: usize, set: &mut Templates) -> Found<Piece> {
        self.expect('(')?;
        self.spaces();
        let inner = self.at;
        let column = self.word();
        let (column, offsets) = self.cell(column, inner, set)?;
        let functions: Vec<Function> = match name {
            "prefix" | "suffix" => {
                self.expect(',')?;
                let lengths = self.range(1, LONGEST)?;
                lengths
                    .map(|n| if name == "prefix" { Function::Prefix(n as u8) } else { Function::Suffix(n as u8) })
                    .collect()
            }
            _ => match Function::by_name(name) {
                Some(function) => vec![function],
                None => {
                    let message =
                        format!("no function is called {}: there are {}", show(name.as_bytes()), Function::names());
                    return self.fault(at, message);
                }
            },
        };
        self.expect(')')?;
        let parts = functions.iter().flat_map(|&f| offsets.clone().map(move |offset| (f, offset)));
        let parts: Vec<(Function, i32)> = parts.collect();
        Ok(Piece::Parts(parts.into_iter().map(|(f, offset)| part(set, column, f, offset)).collect()))
    }
}

fn part(set: &mut Templates, column: usize, function: Function, offset: i32) -> Part {
    let wanted = View { column, function };
    let view = set.views.iter().position(|view| *view == wanted).unwrap_or_else(|| {
        set.views.push(wanted);
        set.views.len() - 1
    });
    Part::View { view, offset }
}

/// Every choice of one from each.
fn product(pieces: &[Vec<Part>]) -> Vec<Vec<Part>> {
    let begin = vec![Vec::new()];
    pieces.iter().fold(begin, |so_far, piece| {
        let with = |parts: &Vec<Part>| piece.iter().map(|p| [&parts[..], &[*p]].concat()).collect::<Vec<_>>();
        so_far.iter().flat_map(with).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_give_several_templates() {
        let set = parse("t", "word[-1..1] # three\nprefix(word, 1..2) pos[0..1]\n\ntag[-1]\ntag[-1] pos\n").unwrap();
        assert_eq!((set.emissions.len(), set.edges.len(), set.first, set.second), (3 + 4, 1, true, false));
        let text = set.to_text();
        assert!(text.contains("prefix(word[0],1) pos[1]\n") && text.ends_with("tag[-1] pos[0]\ntag[-1]\n"), "{text}");
    }

    #[test]
    fn each_error_has_its_place() {
        let cases = [
            ("word[0]\nwrod[1]", "t:2:1: no column is called \"wrod\": there are word, pos, and c1, c2 …"),
            ("columns form\npos", "t:2:1: no column is called \"pos\": there are form, and c1, c2 …"),
            ("word[x]", "t:1:6: expected a whole number from -100 to 100"),
            ("word[101]", "t:1:6: 101 is out of range: expected -100 to 100"),
            ("word[2..-2]", "t:1:9: the range 2..-2 is empty: the smaller number comes first"),
            ("word[0", "t:1:7: expected \"]\", found the end of the line"),
            ("  lower word", "t:1:3: no column is called \"lower\": there are word, pos, and c1, c2 …"),
            (
                "big(word)",
                "t:1:1: no function is called \"big\": there are lower, shape, outline, digits, has-digit, \
              has-hyphen, has-upper, is-upper, is-title, is-number, prefix, suffix",
            ),
            ("prefix(word)", "t:1:12: expected \",\", found \")\""),
            ("prefix(word, 0)", "t:1:14: 0 is out of range: expected 1 to 100"),
            ("word, pos", "t:1:5: found \",\" where a column or a function was expected"),
            ("tag[0]", "t:1:5: 0 is out of range: expected -2 to -1"),
            ("tag[-2]", "t:1:1: expected tag[-1], or tag[-2] tag[-1]"),
            ("tag[-2] tag[-1] word", "t:1:1: tag[-2] tag[-1] cannot be combined: only tag[-1] takes other parts"),
            ("word\nword[0]", "t:2:1: this template is a duplicate"),
            ("word\ncolumns a", "t:2:1: the line `columns` comes before the templates"),
            ("columns a tag", "t:1:11: a column cannot be called \"tag\""),
            ("outside in", "t:1:1: expected `outside skip` or `outside mark`"),
            ("# nothing", "t:1: no template: expected lines such as word[0]"),
            ("word[-50..50] word[-50..50]", "t:1:1: the ranges give more than 1000 templates"),
        ];
        for (text, message) in cases {
            assert_eq!(parse("t", text).unwrap_err().to_string(), message, "{text}");
        }
    }
}
