//! The kernel perceptron, read aloud: one example, one update, one sum at a time.

/// One update: when, the example, and how far each output moved along it.
pub struct Update {
    pub time: usize,
    pub x: Vec<f64>,
    pub moves: Vec<(usize, f64)>,
}

/// Everything that happened.
pub struct Told {
    pub updates: Vec<Update>,
    /// By presented example: how many predictions were wrong.
    pub mistakes: Vec<u32>,
}

pub enum Machine {
    Binary,
    OneVsRest(usize),
    Single(usize),
}

pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sum = 0.0;
    for j in 0..a.len() {
        sum += a[j] * b[j];
    }
    sum
}

pub fn kernel(name: &str, bias: bool) -> impl Fn(&[f64], &[f64]) -> f64 {
    let words: Vec<String> = name.split(':').map(String::from).collect();
    let number = move |i: usize| words[i].parse::<f64>().unwrap();
    let name = name.split(':').next().unwrap().to_string();
    move |x, y| {
        let own = match name.as_str() {
            "linear" => dot(x, y),
            "poly" => (0..number(1) as usize).fold(1.0, |product, _| product * (number(2) + dot(x, y))),
            _ => (-number(1) * f64::max(0.0, dot(x, x) + dot(y, y) - 2.0 * dot(x, y))).exp(),
        };
        let constant = name == "poly" && number(2) > 0.0;
        own + if bias && !constant { 1.0 } else { 0.0 }
    }
}

/// The scores of x after so many updates, added up in order of time.
pub fn scores(updates: &[Update], outputs: usize, x: &[f64], k: &impl Fn(&[f64], &[f64]) -> f64) -> Vec<f64> {
    let mut scores = vec![0.0; outputs];
    for update in updates {
        let value = k(&update.x, x);
        for &(output, scale) in &update.moves {
            scores[output] += scale * value;
        }
    }
    scores
}

/// Presents the examples in order, and corrects every mistake by ±1; a score of zero is a mistake.
pub fn train(
    rows: &[Vec<f64>],
    classes: &[usize],
    order: &[usize],
    machine: &Machine,
    k: impl Fn(&[f64], &[f64]) -> f64,
) -> Told {
    let mut told = Told { updates: Vec::new(), mistakes: Vec::new() };
    for (t, &i) in order.iter().enumerate() {
        let (x, class) = (&rows[i], classes[i]);
        let outputs = match machine {
            Machine::Binary => 1,
            Machine::OneVsRest(n) | Machine::Single(n) => *n,
        };
        let s = scores(&told.updates, outputs, x, &k);
        let mut moves = Vec::new();
        match machine {
            Machine::Binary => {
                let y = if class == 1 { 1.0 } else { -1.0 };
                if y * s[0] <= 0.0 {
                    moves.push((0, y));
                }
            }
            Machine::OneVsRest(n) => {
                for (l, &score) in s.iter().enumerate().take(*n) {
                    let y = if class == l { 1.0 } else { -1.0 };
                    if y * score <= 0.0 {
                        moves.push((l, y));
                    }
                }
            }
            Machine::Single(n) => {
                let mut worst = usize::from(class == 0);
                for r in 0..*n {
                    if r != class && s[r] > s[worst] {
                        worst = r;
                    }
                }
                if s[class] <= s[worst] {
                    moves.extend([(class, 1.0), (worst, -1.0)]);
                }
            }
        }
        let wrong = if matches!(machine, Machine::Single(_)) { moves.len() / 2 } else { moves.len() };
        told.mistakes.push(wrong as u32);
        if !moves.is_empty() {
            told.updates.push(Update { time: t + 1, x: x.clone(), moves });
        }
    }
    told
}
