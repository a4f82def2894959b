//! Files: numbers as written, certificates as text.

use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;
use rosenblatt::certify::exact::Written;
use rosenblatt::certify::{Decision, MarginKind, Options, Question, Reading, Verdict, certificate, decide, signs};
use rosenblatt::io::Input;
use rosenblatt::read::{Dataset, ReadOptions, read};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::check::{Claim, check, rational};

/// All monomials of degree 1 to D, by degree, then by index tuples.
pub fn monomials(row: &[RBig], degree: u32) -> Vec<RBig> {
    let mut all = row.to_vec();
    let mut last: Vec<(usize, RBig)> = row.iter().cloned().enumerate().collect();
    for _ in 1..degree {
        let grow = |(i, v): &(usize, RBig)| (*i..row.len()).map(|j| (j, v * &row[j])).collect::<Vec<_>>();
        last = last.iter().flat_map(grow).collect();
        all.extend(last.iter().map(|(_, v)| v.clone()));
    }
    all
}

/// A decimal, by hand.
pub fn decimal(text: &str) -> RBig {
    let (mantissa, power) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let digits = RBig::from(IBig::from_str_radix(digits.trim_start_matches('+'), 10).unwrap());
    let power = power.parse::<i64>().unwrap() - fraction.len() as i64;
    let ten = RBig::from(UBig::from(10u8).pow(power.unsigned_abs() as usize));
    if power < 0 { digits / ten } else { digits * ten }
}

/// The file decided, with `positive` against all other labels if it is given; the certificate's text and what it was
/// checked against.
pub fn decided(input: &Input, dataset: &Dataset, positive: Option<&str>, options: &Options) -> (Decision, String) {
    let table = &dataset.table;
    let one = positive.map_or(1, |p| table.labels.find(p).unwrap());
    let question = Question {
        rows: table.matrix.rows().unwrap(),
        exact: Box::new(Written::new(input, dataset).unwrap()),
        signs: signs(&table.classes, |c| if c == one { 1 } else { -1 }),
    };
    let decision = decide(&question, options).unwrap();
    let names = table.labels.names();
    let (positive, negative) = names.iter().cloned().partition(|n| *n == names[one as usize]);
    let text = certificate(&decision, input, dataset, &Reading { positive, negative, labels: None }).unwrap();
    (decision, text)
}

/// The claim of a certificate, after its form has been checked.
pub fn claim(text: &str) -> (Claim, Value) {
    let json: Value = serde_json::from_str(text).unwrap();
    let digest = json["digest"].as_str().unwrap();
    let blank = text.replace(digest, &"0".repeat(64));
    let hash: String = Sha256::digest(blank.as_bytes()).iter().map(|b| format!("{b:02x}")).collect();
    assert_eq!(hash, digest);
    let verdict = match json["verdict"].as_str().unwrap() {
        "separable" => Verdict::Separable,
        "weakly-separable" => Verdict::WeaklySeparable,
        "inseparable" => Verdict::Inseparable,
        other => panic!("{other}"),
    };
    let mut keys: Vec<&str> = json.as_object().unwrap().keys().map(String::as_str).collect();
    keys.retain(|k| !["rosenblatt", "version", "data", "reading", "verdict", "support", "digest"].contains(k));
    let expected: &[&str] = match verdict {
        Verdict::Separable => &["hyperplane", "margin"],
        Verdict::WeaklySeparable => &["hyperplane"],
        _ => &[],
    };
    assert_eq!(keys, expected);
    let fraction = |v: &Value| rational(v.as_str().unwrap());
    let member = |v: &Value| (v["example"].as_u64().unwrap() as usize - 1, fraction(&v["weight"]));
    let plane = |h: &Value| (h["weights"].as_array().unwrap().iter().map(fraction).collect(), fraction(&h["bias"]));
    let margin = |m: &Value| {
        let kind = if m["kind"] == "hull" { MarginKind::Hull } else { MarginKind::Origin };
        (kind, fraction(&m["lower"]), fraction(&m["upper"]))
    };
    let claim = Claim {
        verdict,
        hyperplane: json.get("hyperplane").map(plane),
        margin: json.get("margin").map(margin),
        support: json["support"].as_array().unwrap().iter().map(member).collect(),
    };
    (claim, json)
}

/// A csv of decimals without a header, the label ±1 last: decided, certified, and checked from the text alone.
fn csv(text: &str, options: &Options) -> Decision {
    let input = Input::memory("m.csv", text);
    let dataset = read(&input, &ReadOptions::default()).unwrap();
    let (decision, certificate) = decided(&input, &dataset, None, options);
    let (claim, json) = claim(&certificate);
    let hash: String = Sha256::digest(text.as_bytes()).iter().map(|b| format!("{b:02x}")).collect();
    assert_eq!(json["data"]["sha256"], hash);
    let fields: Vec<Vec<&str>> = text.lines().map(|l| l.split(',').collect()).collect();
    let rows: Vec<Vec<RBig>> = fields
        .iter()
        .map(|f| monomials(&f[..f.len() - 1].iter().map(|t| decimal(t)).collect::<Vec<_>>(), options.degree))
        .collect();
    let signs: Vec<i8> = fields.iter().map(|f| f.last().unwrap().parse().unwrap()).collect();
    check(&claim, &rows, &signs, options.bias);
    decision
}

fn verdict(text: &str) -> Verdict {
    csv(text, &Options::default()).verdict
}

#[test]
fn a_tenth_is_a_tenth() {
    // Collinear and touching as written; their nearest floats are neither.
    assert_eq!(verdict("0.1,0.3,1\n0.2,0.6,-1\n0.3,0.9,1\n"), Verdict::Inseparable);
    assert_eq!(verdict("0.1,0.1,1\n0.3,0.3,1\n0.2,0.2,-1\n5,0,-1\n"), Verdict::WeaklySeparable);
    assert_eq!(verdict("0.1,0.1,1\n0.3,0.3,1\n0.2,0.200000000000000000001,-1\n5,0,-1\n"), Verdict::Inseparable);
    assert_eq!(verdict("0.1,0.1,1\n0.3,0.3,1\n0.2,0.199999999999999999999,-1\n5,0,-1\n"), Verdict::Separable);
}

#[test]
fn tiny_margins() {
    assert_eq!(verdict("0,0,1\n1,1,1\n1,1.000000000001,-1\n0,0.000000000001,-1\n"), Verdict::Separable);
    assert_eq!(verdict("1.000000000000000000000000000001,1\n1,-1\n"), Verdict::Separable);
    assert_eq!(verdict("1.000000000000000000000000000000,1\n1,-1\n"), Verdict::Inseparable);
}

#[test]
fn huge_and_tiny_values_in_one_file() {
    assert_eq!(verdict("1e300,1e-300,1\n1e300,2e-300,-1\n"), Verdict::Separable);
    assert_eq!(verdict("1e300,1e-300,1\n1e300,3e-300,1\n1e300,2e-300,-1\n"), Verdict::Inseparable);
    assert_eq!(verdict("1e300,1e-300,1\n1e300,3e-300,1\n1e300,2e-300,-1\n0,-1e-300,-1\n"), Verdict::WeaklySeparable);
    assert_eq!(verdict("1e-400,1\n0,-1\n"), Verdict::Separable);
    assert_eq!(verdict("1e300,1e-300,1\n-1e300,1e-300,-1\n1,-1e300,1\n1e-5,7,-1\n"), Verdict::Separable);
}

#[test]
fn duplicates_touching_and_few_examples() {
    assert_eq!(verdict("1,2,1\n1,2,1\n3,4,-1\n3,4,-1\n"), Verdict::Separable);
    let contradicted = csv("5,5,1\n1,2,1\n3,4,-1\n1.0,2.00,-1\n", &Options::default());
    assert_eq!(contradicted.verdict, Verdict::WeaklySeparable);
    assert_eq!(contradicted.contradiction, Some((1, 3)));
    // Two squares that share a corner, then two that share an edge's point.
    assert_eq!(verdict("0,0,1\n1,0,1\n0,1,1\n1,1,1\n1,1,-1\n2,1,-1\n1,2,-1\n2,2,-1\n"), Verdict::WeaklySeparable);
    assert_eq!(verdict("0,0,1\n2,0,1\n1,0,-1\n1,5,-1\n"), Verdict::WeaklySeparable);
    // Fewer examples than features.
    assert_eq!(verdict("1,2,3,4,5,1\n2,4,6,8,10.5,-1\n0,0,0,0,0,1\n"), Verdict::Separable);
    // All zeros.
    assert_eq!(verdict("0,0,1\n0,0,-1\n"), Verdict::Inseparable);
    let origin = Options { bias: false, ..Options::default() };
    assert_eq!(csv("0,0,1\n0,0,-1\n", &origin).verdict, Verdict::Inseparable);
    assert_eq!(csv("0,0,1\n1,0,-1\n", &origin).verdict, Verdict::WeaklySeparable);
    assert_eq!(csv("2,0,1\n1,0,-1\n", &origin).verdict, Verdict::Inseparable);
    assert_eq!(csv("2,0.5,1\n1,0,-1\n", &origin).verdict, Verdict::Separable);
}

#[test]
fn polynomial_features() {
    let circle = "0.1,0.2,1\n-0.2,0.1,1\n1,0,-1\n0,1,-1\n-1,0,-1\n0,-1,-1\n";
    assert_eq!(verdict(circle), Verdict::Inseparable);
    assert_eq!(csv(circle, &Options { degree: 2, ..Options::default() }).verdict, Verdict::Separable);
    let far = "1e200,1,1\n-1e200,1,1\n0,1,-1\n1e-200,1,-1\n";
    assert_eq!(csv(far, &Options { degree: 2, ..Options::default() }).verdict, Verdict::Separable);
}

#[test]
fn one_class_is_no_question() {
    let input = Input::memory("m.csv", "1,2,1\n");
    let dataset = read(&input, &ReadOptions::default()).unwrap();
    let question = Question {
        rows: dataset.table.matrix.rows().unwrap(),
        exact: Box::new(Written::new(&input, &dataset).unwrap()),
        signs: vec![1],
    };
    let message = decide(&question, &Options::default()).unwrap_err().to_string();
    assert_eq!(message, "no negative example: with one class there is nothing to separate");
}

#[test]
fn a_deadline_leaves_it_undecided() {
    let input = Input::memory("m.csv", "0,0,1\n1,1,1\n0,1,-1\n1,0,-1\n");
    let dataset = read(&input, &ReadOptions::default()).unwrap();
    let question = Question {
        rows: dataset.table.matrix.rows().unwrap(),
        exact: Box::new(Written::new(&input, &dataset).unwrap()),
        signs: vec![1, 1, -1, -1],
    };
    let options = Options { deadline: std::time::Instant::now().into(), ..Options::default() };
    let decision = decide(&question, &options).unwrap();
    assert_eq!(decision.verdict, Verdict::Undecided);
    assert!(decision.margin.is_some_and(|m| m.lower < m.upper));
}

/// Even with no time left it prices the nearest examples: the bound is better than that of any two.
#[test]
fn without_any_time_the_bound_is_better_than_none() {
    let rows = (0..2000).map(|i| {
        let (angle, turned) = (f64::from(i) * 0.7, i % 97 == 0);
        let (x, y) = (1000.0 * angle.cos(), 1000.0 * angle.sin());
        format!("{x:.3},{y:.3},{}\n", if (x + y > 0.0) != turned { 1 } else { -1 })
    });
    let input = Input::memory("m.csv", rows.collect::<String>());
    let dataset = read(&input, &ReadOptions::default()).unwrap();
    let question = Question {
        rows: dataset.table.matrix.rows().unwrap(),
        exact: Box::new(Written::new(&input, &dataset).unwrap()),
        signs: signs(&dataset.table.classes, |c| if c == 1 { 1 } else { -1 }),
    };
    let options = Options { deadline: std::time::Instant::now().into(), ..Options::default() };
    let decision = decide(&question, &options).unwrap();
    assert_eq!(decision.verdict, Verdict::Undecided);
    let (lower, upper) = decision.margin.unwrap().floats();
    assert!(lower == 0.0 && upper < 100.0, "{upper}");
    // The weights that bound it are those of a certificate: they sum to 1 in each class.
    for sign in [1, -1] {
        let side = decision.support.iter().filter(|(i, _)| question.signs[*i] == sign);
        assert_eq!(side.fold(RBig::ZERO, |sum, (_, p)| sum + p), RBig::ONE);
    }
}
