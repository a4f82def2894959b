//! Feature templates: the columns and neighbours of which a token's features are made.
//!
//! ```text
//! # One kind of feature per line; parts on one line are combined.
//! word[-2..2]                       # five kinds: the word and two neighbours on each side
//! word[-1] word[0]                  # a pair of words
//! suffix(word, 1..4)                # the last one, two, three, four characters
//! shape(word[0]) pos[1]
//! tag[-1]                           # transitions: the tag before
//! tag[-2] tag[-1]                   # transitions of second order
//! tag[-1] pos[0]                    # transitions with features
//! ```
//!
//! * **Columns**: `word` is the first, `pos` the second, `c3` the third and so on; a line `columns word pos lemma` names them
//!   as they are in your file, the tag's column not counted. `word` alone is `word[0]`.
//! * **Functions** of a column: `lower`, `shape` (`Xxxx-dd`), `outline` (a shape without repetitions: `Xx-d`), `digits` (every
//!   digit written as 0), `prefix(…, n)` and `suffix(…, n)` (only of words that have n characters), and `has-digit`,
//!   `has-hyphen`, `has-upper`, `is-upper`, `is-title`, `is-number` (a feature only where it is so).
//! * `first` and `last` are features of the first and the last token, `bias` of every token.
//! * A neighbour outside the sentence counts as a value of its own; after a line `outside skip`, there is no such feature.

mod function;
mod parse;

pub use function::Function;
pub use parse::parse;

use crate::structured::chain::Reach;

/// A function of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct View {
    /// The column, from 0, the tag's not counted.
    pub column: usize,
    /// The function.
    pub function: Function,
}

/// A part of a feature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// A view of a neighbour.
    View {
        /// Which of [`Templates::views`].
        view: usize,
        /// How many tokens further on; negative: back.
        offset: i32,
    },
    /// Present on the first token only.
    First,
    /// Present on the last token only.
    Last,
    /// Always present.
    Bias,
}

/// One kind of feature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    /// Its parts; tags are not among them.
    pub parts: Vec<Part>,
    /// Whether it scores a tag, or a pair of tags. (Second order has no parts.)
    pub reach: Reach,
}

/// How neighbours outside the sentence count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Outside {
    /// As a value of their own.
    #[default]
    Mark,
    /// Not at all: there is no such feature.
    Skip,
}

/// A set of templates.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Templates {
    /// The names of columns, in order.
    pub columns: Vec<String>,
    /// The views that the templates use.
    pub views: Vec<View>,
    /// Those that score a tag.
    pub emissions: Vec<Template>,
    /// Those that score a pair of tags.
    pub edges: Vec<Template>,
    /// Whether there are transitions of second order.
    pub second: bool,
    /// Whether there are transitions of first order.
    pub first: bool,
    /// How neighbours outside the sentence count.
    pub outside: Outside,
}

/// The built-in sets: name and text.
pub const BUILT_IN: [(&str, &str); 4] = [
    ("pos", include_str!("pos.txt")),
    ("chunk", include_str!("chunk.txt")),
    ("chunk19", include_str!("chunk19.txt")),
    ("entity", include_str!("entity.txt")),
];

impl Templates {
    /// The built-in set of this name.
    pub fn built_in(name: &str) -> Option<Templates> {
        let (_, text) = BUILT_IN.iter().find(|(known, _)| *known == name)?;
        Some(parse(name, text).expect("a built-in set is right"))
    }

    /// How far a tag looks back.
    pub fn reach(&self) -> Reach {
        match (self.second, self.first || !self.edges.is_empty()) {
            (true, _) => Reach::Second,
            (false, true) => Reach::First,
            (false, false) => Reach::None,
        }
    }

    /// How many columns the templates need.
    pub fn width(&self) -> usize {
        self.views.iter().map(|view| view.column + 1).max().unwrap_or(0)
    }

    /// The name of a column.
    pub fn column(&self, column: usize) -> String {
        self.columns.get(column).cloned().unwrap_or_else(|| format!("c{}", column + 1))
    }

    /// A part, as it would be typed.
    fn part(&self, part: Part) -> String {
        match part {
            Part::First => "first".into(),
            Part::Last => "last".into(),
            Part::Bias => "bias".into(),
            Part::View { view, offset } => {
                let View { column, function } = self.views[view];
                function.show(&format!("{}[{offset}]", self.column(column)))
            }
        }
    }

    /// The name of the feature of a template with these values, one for each view in it.
    pub fn feature_name<'a>(&self, template: &Template, mut values: impl Iterator<Item = &'a str>) -> String {
        let name = |part: &Part| match part {
            Part::View { .. } => format!("{}={}", self.part(*part), values.next().unwrap_or("")),
            other => self.part(*other),
        };
        let parts: Vec<String> = template.parts.iter().map(name).collect();
        parts.join(" ")
    }

    /// The set as text: what [`parse`] reads back as the same set.
    pub fn to_text(&self) -> String {
        let mut lines = Vec::new();
        if !self.columns.is_empty() {
            lines.push(format!("columns {}", self.columns.join(" ")));
        }
        if self.outside == Outside::Skip {
            lines.push("outside skip".into());
        }
        for template in self.emissions.iter().chain(&self.edges) {
            let tag = (template.reach == Reach::First).then(|| "tag[-1]".to_string());
            let parts: Vec<String> = tag.into_iter().chain(template.parts.iter().map(|p| self.part(*p))).collect();
            lines.push(parts.join(" "));
        }
        if self.first {
            lines.push("tag[-1]".into());
        }
        if self.second {
            lines.push("tag[-2] tag[-1]".into());
        }
        lines.join("\n") + "\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_is_its_text() {
        for (name, _) in BUILT_IN {
            let set = Templates::built_in(name).unwrap();
            assert_eq!(parse(name, &set.to_text()).unwrap(), set, "{name}");
        }
    }

    #[test]
    fn nineteen_attributes_are_those_of_crfsuite() {
        let set = Templates::built_in("chunk19").unwrap();
        let attributes = set.emissions.iter().filter(|t| matches!(t.parts[0], Part::View { .. }));
        assert_eq!(attributes.count(), 19);
        assert_eq!((set.outside, set.reach(), set.width()), (Outside::Skip, Reach::First, 2));
    }
}
