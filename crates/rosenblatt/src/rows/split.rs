//! Training and test examples: always stratified, always by a seed.
//!
//! Both splits begin with one list: the examples sorted by class, shuffled within a class. Assigning them to the folds
//! round-robin, continued from class to class, gives every fold the same number of each class and the same total, up to
//! one.

use super::labels::{Labels, list};
use super::table::Table;
use crate::error::{Error, Result};
use crate::message::{Message, Setting};
use crate::random::Stream;

/// The purpose of this random stream: "split" in ASCII. Passes use small numbers.
const SPLIT: u64 = 0x73_70_6c_69_74;

/// Examples in two parts, by number from 0, each in the order of the file.
///
/// ```
/// use rosenblatt::{Split, Table};
/// let table = Table::dense(&[[1.0], [2.0], [3.0], [4.0]], &["a", "a", "b", "b"])?;
/// let split = Split::holdout(&table, 0.5, 7)?; // half of each class
/// assert_eq!((split.train.len(), split.held.len()), (2, 2));
/// assert_eq!(table.select(&split.held).labels.names(), ["a", "b"]);
/// # Ok::<(), rosenblatt::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Split {
    /// The training examples.
    pub train: Vec<u32>,
    /// The held-out examples.
    pub held: Vec<u32>,
}

/// A partition into K parts, each held out once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folds {
    /// The fold of each example.
    fold: Vec<u32>,
    folds: u32,
}

impl Folds {
    /// Splits the examples of a table into `folds` parts. Refuses fewer than two, and more than the rarest class has examples.
    pub fn stratified(table: &Table, folds: u32, seed: u64) -> Result<Folds> {
        if folds < 2 {
            let why = "at least 2 are needed, one to learn from and one to be judged on";
            return Err(Error::setting(Setting::Folds, folds, why));
        }
        let by_class = by_class(table, seed)?;
        let rarest = (0..).zip(&by_class).filter(|(_, rows)| !rows.is_empty()).min_by_key(|(_, rows)| rows.len());
        if let Some((class, rows)) = rarest
            && rows.len() < folds as usize
        {
            let (label, n) = (list(&table.labels.names()[class..=class]), rows.len());
            let advice = match n {
                1 => Message::new("leave it out, or find more of them"),
                n => Message::new("use ").set(Setting::Folds, n).text(" or fewer, or leave the class out"),
            };
            let s = if n == 1 { "" } else { "s" };
            let why = format!("the class {label} has {n} example{s}, too few for one in each fold; ");
            return Err(Error::setting(Setting::Folds, folds, Message::new(why).then(advice)));
        }
        let mut fold = vec![0; table.classes.len()];
        for (turn, row) in (0..folds).cycle().zip(by_class.into_iter().flatten()) {
            fold[row as usize] = turn;
        }
        Ok(Folds { fold, folds })
    }

    /// How many folds.
    pub fn len(&self) -> u32 {
        self.folds
    }

    /// Whether there is none: never.
    pub fn is_empty(&self) -> bool {
        self.folds == 0
    }

    /// Fold `k`, from 0, held out from all others.
    pub fn split(&self, k: u32) -> Split {
        Split::by(&self.fold, |&fold| fold == k)
    }
}

impl Split {
    /// Holds out this share of each class. Every class keeps at least one training example.
    pub fn holdout(table: &Table, share: f64, seed: u64) -> Result<Split> {
        if !(share > 0.0 && share < 1.0) {
            let why = "expected a share of the examples between 0 and 1, say 0.2";
            return Err(Error::setting(Setting::Holdout, share, why));
        }
        let mut held = vec![false; table.classes.len()];
        let mut dealt = 0u64;
        for rows in by_class(table, seed)? {
            let mut taken = 0;
            for &row in &rows {
                dealt += 1;
                // Every 1/share-th example, counted on from class to class; each class keeps one for training.
                let due = (dealt as f64 * share).floor() > ((dealt - 1) as f64 * share).floor();
                if due && taken + 1 < rows.len() {
                    held[row as usize] = true;
                    taken += 1;
                }
            }
        }
        let split = Split::by(&held, |&held| held);
        if split.held.is_empty() {
            let examples = table.classes.len();
            let why = format!("of {examples} examples none would be held back; name a larger share");
            return Err(Error::setting(Setting::Holdout, share, why));
        }
        Ok(split)
    }

    fn by<T>(marks: &[T], held: impl Fn(&T) -> bool) -> Split {
        let (held, train) = (0..marks.len() as u32).partition(|&i| held(&marks[i as usize]));
        Split { train, held }
    }
}

/// The examples of each class in random order.
fn by_class(table: &Table, seed: u64) -> Result<Vec<Vec<u32>>> {
    table.check_learnable()?;
    let mut by_class = vec![Vec::new(); Labels::len(&table.labels)];
    for (row, &class) in (0..).zip(&table.classes) {
        by_class[class as usize].push(row);
    }
    for (class, rows) in (0..).zip(&mut by_class) {
        Stream::new(seed, &[SPLIT, class]).shuffle(rows);
    }
    Ok(by_class)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A table of so many examples of each class, the classes mixed.
    fn table(counts: &[usize]) -> Table {
        let mut labels: Vec<String> = counts.iter().enumerate().flat_map(|(k, &n)| vec![format!("c{k}"); n]).collect();
        Stream::new(9, &[]).shuffle(&mut labels);
        let rows: Vec<[f64; 1]> = (0..labels.len()).map(|i| [i as f64]).collect();
        Table::dense(&rows, &labels).unwrap()
    }

    fn counts(table: &Table, rows: &[u32]) -> Vec<usize> {
        let mut counts = vec![0; table.labels.len()];
        rows.iter().for_each(|&i| counts[table.classes[i as usize] as usize] += 1);
        counts
    }

    #[test]
    fn folds_are_a_partition_with_equal_shares_of_every_class() {
        let mut stream = Stream::new(4, &[]);
        for trial in 0..60 {
            let classes: Vec<usize> = (0..2 + stream.below(4)).map(|_| 12 + stream.below(40) as usize).collect();
            let table = table(&classes);
            let k = 2 + stream.below(10) as u32;
            let folds = Folds::stratified(&table, k, trial).unwrap();
            let splits: Vec<Split> = (0..k).map(|i| folds.split(i)).collect();
            let mut all: Vec<u32> = splits.iter().flat_map(|s| s.held.clone()).collect();
            all.sort_unstable();
            assert_eq!(all, (0..table.classes.len() as u32).collect::<Vec<_>>(), "each example is held back once");
            for split in &splits {
                let mut both = [split.train.clone(), split.held.clone()].concat();
                both.sort_unstable();
                assert_eq!(both, all, "what is not held back is learned from");
                assert!(split.train.is_sorted() && split.held.is_sorted());
            }
            let spread = |of: Vec<usize>| of.iter().max().unwrap() - of.iter().min().unwrap();
            for class in 0..classes.len() {
                assert!(spread(splits.iter().map(|s| counts(&table, &s.held)[class]).collect()) <= 1);
            }
            assert!(spread(splits.iter().map(|s| s.held.len()).collect()) <= 1);
        }
    }

    #[test]
    fn a_holdout_takes_its_share_of_every_class_and_never_all() {
        let mut stream = Stream::new(5, &[]);
        for trial in 0..200 {
            let classes: Vec<usize> = (0..2 + stream.below(4)).map(|_| 1 + stream.below(30) as usize).collect();
            let table = table(&classes);
            let share = 0.05 + 0.9 * stream.unit();
            let Ok(split) = Split::holdout(&table, share, trial) else { continue };
            let (train, held) = (counts(&table, &split.train), counts(&table, &split.held));
            for (class, &n) in classes.iter().enumerate() {
                assert_eq!(train[class] + held[class], n);
                assert!(train[class] >= 1);
                let wanted = n as f64 * share;
                assert!(held[class] as f64 <= wanted + 1.0 && held[class] as f64 >= wanted.min(n as f64 - 1.0) - 1.0);
            }
        }
    }

    #[test]
    fn another_seed_is_another_split_and_the_same_seed_the_same() {
        let table = table(&[40, 30]);
        let folds = |seed| Folds::stratified(&table, 5, seed).unwrap();
        assert_eq!(folds(1), folds(1));
        assert_ne!(folds(1), folds(2));
        assert_ne!(Split::holdout(&table, 0.3, 1).unwrap(), Split::holdout(&table, 0.3, 2).unwrap());
    }

    #[test]
    fn what_cannot_be_split_is_refused_in_words() {
        let table = table(&[9, 3]);
        let folds = |k| Folds::stratified(&table, k, 0).unwrap_err().to_string();
        assert!(folds(1).contains("at least 2 are needed"), "{}", folds(1));
        assert!(folds(4).contains("the class \"c1\" has 3 examples"), "{}", folds(4));
        for share in [0.0, 1.0, 1.5, -0.1, f64::NAN] {
            let message = Split::holdout(&table, share, 0).unwrap_err().to_string();
            assert!(message.contains("between 0 and 1"), "{message}");
        }
        let message = Split::holdout(&table, 0.01, 0).unwrap_err().to_string();
        assert!(message.contains("of 12 examples none would be held back"), "{message}");
    }
}
