//! Small data sets in every text format, made of whole numbers, so that they are the same on every machine.

use std::fmt::Write;

/// Knuth's MMIX generator: any will do, as long as it never changes.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(2_862_933_555_777_941_757).wrapping_add(3_037_000_493))
    }

    /// A number below `limit`.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }

    pub fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len() as u64) as usize]
    }
}

/// Thousandths as a decimal number, without a float on the way.
pub fn decimal(thousandths: i64) -> String {
    let (sign, size) = (if thousandths < 0 { "-" } else { "" }, thousandths.unsigned_abs());
    match (size / 1000, size % 1000) {
        (whole, 0) => format!("{sign}{whole}"),
        (whole, part) => format!("{sign}{whole}.{}", format!("{part:03}").trim_end_matches('0')),
    }
}

/// The shape of a sparse data set.
pub struct Sparse {
    pub rows: u64,
    pub features: u64,
    /// Values in a row, at most.
    pub values: u64,
    pub classes: &'static [&'static str],
    /// One label in so many is random.
    pub noise: u64,
    pub seed: u64,
}

impl Sparse {
    /// The weight of a feature for a class in the rule behind the labels.
    fn weight(feature: u64, class: u64) -> i64 {
        (feature * 7 + class * (feature + 5) * 3) as i64 % 11 - 5
    }

    /// Calls `see` with the label and the values, in thousandths, of each row.
    fn each(&self, mut see: impl FnMut(u64, usize, &[(u64, i64)])) {
        let mut random = Random::new(self.seed);
        let (mut row, count) = (Vec::new(), self.classes.len() as u64);
        for number in 0..self.rows {
            row.clear();
            let mut feature = random.below(self.features / self.values + 1);
            while feature < self.features {
                row.push((feature, random.below(4000) as i64 - 1500));
                feature += 1 + random.below(2 * (self.features / self.values));
            }
            let score = |class| row.iter().map(|&(f, value)| value * Self::weight(f, class)).sum::<i64>();
            let best = (0..count).max_by_key(|&class| score(class)).unwrap_or(0);
            let label = if random.below(self.noise) == 0 { random.below(count) } else { best };
            see(number, label as usize, &row);
        }
    }

    /// As LIBSVM text, with features counted from `first`.
    pub fn libsvm(&self, first: u64) -> String {
        let mut text = String::new();
        self.each(|_, label, row| {
            text.push_str(self.classes[label]);
            for (feature, value) in row {
                write!(text, " {}:{}", feature + first, decimal(*value)).unwrap();
            }
            text.push('\n');
        });
        text
    }

    /// As a table of numbers, the label last.
    pub fn csv(&self, header: bool) -> String {
        let mut text = String::new();
        if header {
            (0..self.features).for_each(|f| write!(text, "f{f},").unwrap());
            text.push_str("label\n");
        }
        self.each(|_, label, row| {
            let mut values = vec![0; self.features as usize];
            row.iter().for_each(|&(feature, value)| values[feature as usize] = value);
            values.iter().for_each(|value| write!(text, "{},", decimal(*value)).unwrap());
            text.push_str(self.classes[label]);
            text.push('\n');
        });
        text
    }

    /// As Vowpal Wabbit text: two namespaces, tags in one row of five, importance weights in one of three if asked for.
    pub fn vw(&self, weighted: bool) -> String {
        let mut text = String::new();
        self.each(|number, label, row| {
            text.push_str(self.classes[label]);
            if weighted && number % 3 == 0 {
                write!(text, " {}", decimal(500 + 250 * (number % 4) as i64)).unwrap();
            }
            text.push_str(if number % 5 == 0 { " 'row" } else { " " });
            let (left, right): (Vec<_>, Vec<_>) = row.iter().partition(|(feature, _)| feature % 2 == 0);
            for (name, half) in [("|even", left), ("|odd:0.5", right)] {
                text.push_str(name);
                for (feature, value) in half {
                    match feature % 3 {
                        0 => write!(text, " w{feature}").unwrap(),
                        _ => write!(text, " {feature}:{}", decimal(value)).unwrap(),
                    }
                }
                text.push(' ');
            }
            text.push('\n');
        });
        text
    }
}

pub const TWO: &[&str] = &["-1", "+1"];
pub const FOUR: &[&str] = &["ant", "bee", "cat", "dog"];

/// Numbers in every notation, comments and query ids, features counted from 0.
pub fn odd_libsvm() -> String {
    let numbers = ["0.1234567890123456789", "1e-7", "-3E+2", "5e-324", "123456789012345678", "0", "-0", "2.50", "1E3"];
    let mut random = Random::new(71);
    let mut text = String::from("# numbers in every notation\n\n");
    for row in 0..200 {
        let label = random.pick(TWO);
        write!(text, "{label} qid:{} 0:{}", row / 10, decimal(random.below(900) as i64)).unwrap();
        for feature in [3, 4, 9, 200] {
            if random.below(3) > 0 {
                write!(text, " {feature}:{}", random.pick(&numbers)).unwrap();
            }
        }
        text.push_str(if row % 7 == 0 { " # a comment\n" } else { "\n" });
    }
    text
}

/// Columns of every kind: numbers, categories, quoted fields, an importance weight; gaps if asked for.
pub fn mixed_csv(gaps: bool, separator: char) -> String {
    let mut random = Random::new(if gaps { 81 } else { 80 });
    let s = separator;
    let mut text = format!("age{s}height{s}colour{s}place{s}size{s}importance{s}class\n");
    for row in 0..300 {
        let (age, height) = (random.below(80) as i64, random.below(2000) as i64);
        let colour = random.pick(&["red", "green", "blue", "grey"]);
        let place = random.pick(&["\"Paris, France\"", "\"a \"\"big\"\" city\"", "Rome", "\"Köln\""]);
        let place = if separator == '\t' { place.trim_matches('"').replace('"', "") } else { place.to_string() };
        let size = random.below(3) + 1;
        let gap = |text: String, at: u64| match (gaps, (row * 7 + at * 5) % 13) {
            (true, 0) => "?".to_string(),
            (true, 1) => "NA".to_string(),
            (true, 2) => String::new(),
            _ => text,
        };
        let score = age - 40 + (height - 1000) / 40 + if colour == "red" { 15 } else { 0 } + random.below(8) as i64;
        let class = ["low", "mid", "high"][usize::from(score > -12) + usize::from(score > 12)];
        let weight = decimal(500 + 500 * random.below(3) as i64);
        let (age, height) = (gap(age.to_string(), 1), gap(decimal(height), 2));
        let colour = gap(colour.to_string(), 3);
        writeln!(text, "{age}{s}{height}{s}{colour}{s}{place}{s}{size}{s}{weight}{s}{class}").unwrap();
    }
    text
}

/// A category, gaps and a class that come only behind the 16,384 rows by which the reader judges the columns.
pub fn late_csv() -> String {
    let mut random = Random::new(62);
    let mut text = String::from("a,b,c,label\n");
    for row in 0..20_000 {
        let (a, b, c) = (random.below(100), random.below(1000), random.below(9));
        let c = if row > 17_000 && c == 0 { 9 } else { c };
        let b = if row > 18_000 && b < 50 { "?".to_string() } else { decimal(b as i64) };
        let late = row > 19_000 && a < 10;
        let label = if late { "late" } else { ["no", "yes"][usize::from(a + random.below(30) > 60)] };
        writeln!(text, "{a},{b},{c},{label}").unwrap();
    }
    text
}

/// y as a polynomial of x with noise.
pub fn curve() -> String {
    let mut random = Random::new(51);
    let mut text = String::from("x,y\n");
    for at in 0..40 {
        let x = 50 * at - 1000;
        let y = x * x * x / 1_000_000 - x / 2 + random.below(200) as i64;
        writeln!(text, "{},{}", decimal(x), decimal(y)).unwrap();
    }
    text
}

const WORDS: [&str; 24] = [
    "free", "win", "Prize", "call", "NOW", "offer", "cash", "urgent", "hello", "home", "dinner", "tonight", "mother",
    "train", "late", "sorry", "été", "naïve", "don't", "x2", "a", "the", "of", "and",
];

/// Messages: a label, a text, a number.
pub fn messages(rows: u64) -> String {
    let mut random = Random::new(90);
    let mut text = String::new();
    for _ in 0..rows {
        let spam = random.below(2) == 1;
        let words: Vec<&str> = (0..3 + random.below(9))
            .map(|_| match (random.below(5), spam) {
                (0 | 1, true) => WORDS[random.below(8) as usize],
                (0 | 1, false) => WORDS[8 + random.below(8) as usize],
                _ => random.pick(&WORDS),
            })
            .collect();
        let mark = random.pick(&["", "!", "...", ", ok?"]);
        writeln!(text, "{}\t{}{mark}\t{}", if spam { "spam" } else { "ham" }, words.join(" "), random.below(50))
            .unwrap();
    }
    text
}

/// Two blocks of the presentation; a third class and feature 0 come only in the second, so that a pass that is learned
/// while the file is read must be done again.
pub fn late_libsvm() -> String {
    let mut random = Random::new(60);
    let mut text = String::new();
    for row in 0..70_000 {
        let (x, y) = (random.below(100), random.below(100));
        let label = if row > 69_000 && random.below(2) == 0 { 3 } else { 1 + u64::from(x + random.below(20) > y + 10) };
        let first = if row == 69_500 { "0:1 " } else { "" };
        writeln!(text, "{label} {first}1:{x} 2:{y}").unwrap();
    }
    text
}

/// So many values that the first block ends by them, and every block is a finer one.
pub fn wide_libsvm() -> String {
    let mut random = Random::new(61);
    let mut text = String::with_capacity(13 << 20);
    for _ in 0..7200 {
        let score_at = text.len();
        text.push_str("+1");
        let mut score = 0;
        let mut feature = random.below(3);
        for _ in 0..300 {
            feature += 1 + random.below(3);
            score += (feature % 5) as i64 - 2;
            write!(text, " {feature}:1").unwrap();
        }
        if score < 0 {
            text.replace_range(score_at..score_at + 2, "-1");
        }
        text.push('\n');
    }
    text
}

/// Points of the plane for questions of separability.
pub fn points(kind: &str) -> String {
    let mut random = Random::new(50);
    let mut text = String::from("x,y,label\n");
    for _ in 0..60 {
        let (x, y) = (random.below(2001) as i64 - 1000, random.below(2001) as i64 - 1000);
        let score = match kind {
            "separable" | "weak" | "touch" => 3 * x - 2 * y + 100,
            "disc" => x * x + y * y - 500_000,
            _ => 3 * x - 2 * y + random.below(1200) as i64 - 600,
        };
        if kind == "separable" && score.abs() < 150 {
            continue;
        }
        writeln!(text, "{},{},{}", decimal(x), decimal(y), if score > 0 { "in" } else { "out" }).unwrap();
    }
    if kind == "weak" || kind == "touch" {
        // On the line between the classes, in turn.
        text.push_str("0,0.05,in\n0.2,0.35,out\n0.4,0.65,in\n");
    }
    if kind == "weak" {
        text.push_str("0,0.05,out\n");
    }
    text
}
