//! The search space: `rate=0.1,1 epochs=5,10,20 c=0.01..10`, as a grid or at random.
//!
//! An axis is a list, or a range from which numbers are drawn evenly on a logarithmic scale: between 0.01 and 0.1 as
//! often as between 1 and 10. If both ends of a range are whole numbers, so are the draws.

use std::collections::HashSet;
use std::fmt;

use crate::error::{Error, Result};
use crate::message::{self, Message};
use crate::random::Stream;

/// The purpose of the random numbers drawn here: "tune" in ASCII.
const TUNE: u64 = 0x74_75_6e_65;
/// The most combinations of a grid; a larger one is probably a typing error.
const MOST: usize = 100_000;

/// One value for each key, in the order of the axes.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Setting(pub Vec<(String, String)>);

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pairs: Vec<String> = self.0.iter().map(|(key, value)| format!("{key}={value}")).collect();
        f.write_str(&pairs.join(" "))
    }
}

/// All settings to choose from.
#[derive(Debug, Clone, PartialEq)]
pub struct Space {
    axes: Vec<(String, Values)>,
}

#[derive(Debug, Clone, PartialEq)]
enum Values {
    List(Vec<String>),
    Range { low: f64, high: f64, whole: bool },
}

impl Space {
    /// Parses texts such as `rate=0.1,1 epochs=5..50`.
    pub fn parse<T: AsRef<str>>(texts: &[T]) -> Result<Space> {
        let mut axes: Vec<(String, Values)> = Vec::new();
        for word in texts.iter().flat_map(|text| text.as_ref().split_whitespace()) {
            let refuse = |why: String| Err(Error::setting(message::Setting::Grid, word, why));
            let Some((key, values)) = word.split_once('=').filter(|(key, _)| !key.is_empty()) else {
                return refuse("expected KEY=VALUE,VALUE,… or KEY=LOW..HIGH, say rate=0.1,1 or c=0.01..10".into());
            };
            let key = key.trim_start_matches("--");
            if axes.iter().any(|(other, _)| other == key) {
                return refuse(format!("{key} is given twice; put all its values in one list"));
            }
            match Values::parse(values) {
                Ok(values) => axes.push((key.to_string(), values)),
                Err(why) => return refuse(why),
            }
        }
        if axes.is_empty() {
            let empty = " is empty: name what to try, say \"rate=0.1,1 epochs=5,10\"";
            return Err(Error::settings(message::Setting::Grid.named().text(empty)));
        }
        Ok(Space { axes })
    }

    /// The keys in order.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.axes.iter().map(|(key, _)| key.as_str())
    }

    /// Every combination, the last key changing fastest.
    pub fn grid(&self) -> Result<Vec<Setting>> {
        let mut lists = Vec::new();
        for (key, values) in &self.axes {
            match values {
                Values::List(list) => lists.push((key, list)),
                Values::Range { .. } => {
                    let why = Message::new("a range has infinitely many values; draw from it with ")
                        .open(message::Setting::Random)
                        .text(", or list some");
                    return Err(Error::setting(message::Setting::Grid, key, why));
                }
            }
        }
        let size = lists.iter().try_fold(1usize, |size, (_, list)| size.checked_mul(list.len()));
        if size.is_none_or(|size| size > MOST) {
            let why = format!(": more than {MOST} combinations; draw some of them with ");
            return Err(Error::settings(message::Setting::Grid.named().text(why).open(message::Setting::Random)));
        }
        let mut settings = vec![Setting(Vec::new())];
        for (key, list) in lists {
            let longer = |setting: Setting| {
                list.iter().map(move |value| {
                    let mut pairs = setting.0.clone();
                    pairs.push((key.clone(), value.clone()));
                    Setting(pairs)
                })
            };
            settings = settings.into_iter().flat_map(longer).collect();
        }
        Ok(settings)
    }

    /// `n` different combinations, each equally likely; fewer where there are no more.
    pub fn random(&self, n: usize, seed: u64) -> Vec<Setting> {
        // A small space of lists is drawn without replacement.
        if let Ok(mut all) = self.grid() {
            Stream::new(seed, &[TUNE]).shuffle(&mut all);
            all.truncate(n);
            return all;
        }
        let mut stream = Stream::new(seed, &[TUNE]);
        let (mut drawn, mut met) = (Vec::new(), HashSet::new());
        // Rounding can make two draws equal; whole numbers can run out.
        for _ in 0..n.saturating_mul(20) {
            if drawn.len() == n {
                break;
            }
            let pairs = self.axes.iter().map(|(key, values)| (key.clone(), values.draw(&mut stream)));
            let setting = Setting(pairs.collect());
            if met.insert(setting.clone()) {
                drawn.push(setting);
            }
        }
        drawn
    }
}

impl Values {
    fn parse(text: &str) -> std::result::Result<Values, String> {
        let ends = text.split_once("..").and_then(|(low, high)| {
            let whole = low.parse::<u64>().is_ok() && high.parse::<u64>().is_ok();
            Some(Values::Range { low: low.parse().ok()?, high: high.parse().ok()?, whole })
        });
        if let (None, Some((low, high))) = (&ends, text.split_once(".."))
            && (low.parse::<f64>().is_ok() || high.parse::<f64>().is_ok())
        {
            return Err("a range has a number at both ends, say 0.01..10".into());
        }
        match ends {
            Some(Values::Range { low, high, .. }) if !(low > 0.0 && high.is_finite()) => {
                Err("a range is drawn on a logarithmic scale, so both ends must be greater than zero".into())
            }
            Some(Values::Range { low, high, .. }) if low >= high => {
                Err("the first end of a range must be less than the second".into())
            }
            Some(range) => Ok(range),
            None => {
                let mut list: Vec<String> = text.split(',').map(str::to_string).collect();
                if list.iter().any(String::is_empty) {
                    return Err("a value is missing".into());
                }
                let mut met = HashSet::new();
                list.retain(|value| met.insert(value.clone()));
                Ok(Values::List(list))
            }
        }
    }

    fn draw(&self, stream: &mut Stream) -> String {
        match self {
            Values::List(list) => list[stream.below(list.len() as u64) as usize].clone(),
            Values::Range { low, high, whole } => {
                // A whole number n stands for everything from n to n + 1.
                let high = if *whole { high + 1.0 } else { *high };
                let value = (low.ln() + stream.unit() * (high.ln() - low.ln())).exp();
                if *whole {
                    (value.floor() as u64).clamp(*low as u64, high as u64 - 1).to_string()
                } else {
                    // Three digits are precise enough, and easy to retype.
                    let short: f64 = format!("{value:.2e}").parse().expect("a number that was just written");
                    short.clamp(*low, high).to_string()
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(settings: &[Setting]) -> Vec<String> {
        settings.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_grid_is_every_combination_in_order() {
        let space = Space::parse(&["rate=0.1,1  learner=averaged,pa1", "epochs=5"]).unwrap();
        assert_eq!(
            texts(&space.grid().unwrap()),
            [
                "rate=0.1 learner=averaged epochs=5",
                "rate=0.1 learner=pa1 epochs=5",
                "rate=1 learner=averaged epochs=5",
                "rate=1 learner=pa1 epochs=5"
            ]
        );
    }

    #[test]
    fn random_draws_from_lists_are_different_and_seeded() {
        let space = Space::parse(&["a=1,2,3,4 b=x,y,z"]).unwrap();
        let some = space.random(7, 3);
        assert_eq!(some.len(), 7);
        assert_eq!(some.iter().collect::<HashSet<_>>().len(), 7);
        assert_eq!(some, space.random(7, 3));
        assert_ne!(some, space.random(7, 4));
        let mut all = space.random(100, 3);
        let mut grid = space.grid().unwrap();
        all.sort();
        grid.sort();
        assert_eq!(all, grid);
    }

    #[test]
    fn a_range_is_even_on_a_logarithmic_scale() {
        let space = Space::parse(&["c=0.01..100 n=2..20"]).unwrap();
        let drawn = space.random(4000, 0);
        let of = |key: usize| drawn.iter().map(move |s| s.0[key].1.parse::<f64>().unwrap());
        assert!(of(0).all(|c| (0.01..=100.0).contains(&c)) && of(1).all(|n| (2.0..=20.0).contains(&n)));
        for decade in [0.01, 0.1, 1.0, 10.0] {
            let share = of(0).filter(|&c| c >= decade && c < 10.0 * decade).count();
            // 1,000 expected, a standard deviation of 27.
            assert!((870..1130).contains(&share), "{decade}: {share}");
        }
        assert!(drawn.iter().all(|s| s.0[1].1.parse::<u64>().is_ok()));
        assert!(of(1).any(|n| n == 2.0) && of(1).any(|n| n == 20.0), "both ends are drawn");
    }

    #[test]
    fn fewer_whole_numbers_than_draws_are_accepted() {
        let drawn = Space::parse(&["n=1..3"]).unwrap().random(50, 0);
        assert_eq!(drawn.len(), 3);
    }

    #[test]
    fn invalid_spaces_are_refused() {
        let message = |text: &str| Space::parse(&[text]).unwrap_err().to_string();
        assert!(message("rate").contains("expected KEY=VALUE"), "{}", message("rate"));
        assert!(message("").contains("empty"));
        assert!(message("c=0..10").contains("greater than zero"));
        assert!(message("c=1..x").contains("a number at both ends"));
        assert!(Space::parse(&["order=../list,cyclic"]).is_ok(), "a path is not a range");
        assert!(message("c=10..1").contains("less than the second"));
        assert!(message("c=1,,2").contains("missing"));
        assert!(message("c=1 c=2").contains("twice"));
        let range = Space::parse(&["c=0.1..1"]).unwrap().grid().unwrap_err().to_string();
        assert!(range.contains("draw from it with `random`, or list some"), "{range}");
    }
}
