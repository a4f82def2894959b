//! Audits beside a naive twin that tries every hyperplane, and certificates that lie.

use rosenblatt::Table;
use rosenblatt::certify::{Arrays, Audit, AuditOptions, Costs, Files};
use rosenblatt_verify::verify_audit;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::support::Bench;

/// The twin: the least cost of rows with a·w ≤ 0, over all w.
///
/// Let r be the rank of the rows. Each cell of their arrangement has a ray on its border that is orthogonal to r − 1
/// independent rows. On that ray the other rows are decided; those with a·w = 0 are decided by an infinitely smaller step, which
/// is the same question about them alone. A row of zeros is always a mistake.
fn least(rows: &[(Vec<i64>, u64)]) -> u64 {
    let lost: u64 = rows.iter().filter(|r| r.0.iter().all(|v| *v == 0)).map(|r| r.1).sum();
    let rows: Vec<(Vec<i64>, u64)> = rows.iter().filter(|r| r.0.iter().any(|v| *v != 0)).cloned().collect();
    if rows.is_empty() {
        return lost;
    }
    let columns = independent_columns(&rows);
    let rank = columns.len();
    let short: Vec<Vec<i64>> = rows.iter().map(|r| columns.iter().map(|&j| r.0[j]).collect()).collect();
    let mut best = u64::MAX;
    for set in subsets(rows.len(), rank - 1) {
        let chosen: Vec<&Vec<i64>> = set.iter().map(|&i| &short[i]).collect();
        let normal: Vec<i64> = (0..rank).map(|j| cofactor(&chosen, j)).collect();
        if normal.iter().all(|v| *v == 0) {
            continue;
        }
        for sign in [1, -1] {
            let score = |i: usize| sign * short[i].iter().zip(&normal).map(|(a, b)| a * b).sum::<i64>();
            let wrong: u64 = (0..rows.len()).filter(|&i| score(i) < 0).map(|i| rows[i].1).sum();
            if wrong < best {
                let on: Vec<_> = (0..rows.len()).filter(|&i| score(i) == 0).map(|i| rows[i].clone()).collect();
                best = best.min(wrong + least(&on));
            }
        }
    }
    lost + best
}

/// The determinant of the chosen rows without column j, with its sign.
fn cofactor(rows: &[&Vec<i64>], j: usize) -> i64 {
    let minor: Vec<Vec<i64>> = rows.iter().map(|r| [&r[..j], &r[j + 1..]].concat()).collect();
    determinant(&minor) * if j.is_multiple_of(2) { 1 } else { -1 }
}

fn determinant(m: &[Vec<i64>]) -> i64 {
    let Some(first) = m.first() else { return 1 };
    let minor = |j: usize| m[1..].iter().map(|r| [&r[..j], &r[j + 1..]].concat()).collect::<Vec<_>>();
    let term = |j: usize| if first[j] == 0 { 0 } else { first[j] * determinant(&minor(j)) * (1 - 2 * (j as i64 % 2)) };
    (0..first.len()).map(term).sum()
}

/// Columns that span all columns: a set of them with a regular submatrix, of the greatest size.
fn independent_columns(rows: &[(Vec<i64>, u64)]) -> Vec<usize> {
    let width = rows[0].0.len();
    let mut columns: Vec<usize> = Vec::new();
    for j in 0..width {
        let with: Vec<usize> = columns.iter().copied().chain([j]).collect();
        let regular = |set: &Vec<usize>| {
            let m: Vec<Vec<i64>> = set.iter().map(|&i| with.iter().map(|&c| rows[i].0[c]).collect()).collect();
            determinant(&m) != 0
        };
        if subsets(rows.len(), with.len()).iter().any(regular) {
            columns = with;
        }
    }
    columns
}

fn subsets(n: usize, k: usize) -> Vec<Vec<usize>> {
    if k == 0 {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for last in k - 1..n {
        for mut set in subsets(last, k - 1) {
            set.push(last);
            all.push(set);
        }
    }
    all
}

/// A small generator: the cases are the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % n
    }
}

struct Small {
    points: Vec<Vec<f64>>,
    labels: Vec<&'static str>,
    options: AuditOptions,
    costs: [u64; 2],
}

fn small(random: &mut Random) -> Small {
    let (n, d) = (3 + random.below(10) as usize, 1 + random.below(3) as usize);
    let range = [2, 3, 5, 20][random.below(4) as usize];
    let mut labels: Vec<&str> = (0..n).map(|_| if random.below(2) == 0 { "a" } else { "b" }).collect();
    (labels[0], labels[1]) = ("a", "b");
    let mut points = vec![vec![0.0; d]; n];
    points.iter_mut().flatten().for_each(|v| *v = random.below(2 * range + 1) as f64 - range as f64);
    let costs = [[1, 1], [1, 1], [1, 1], [2, 3], [1, 4]][random.below(5) as usize];
    let bias = random.below(5) > 0;
    let costs_of = Costs::parse(&costs[1].to_string(), &costs[0].to_string()).unwrap();
    let options = AuditOptions { bias, costs: costs_of, time: None, ..AuditOptions::default() };
    Small { points, labels, options, costs }
}

impl Small {
    fn truth(&self) -> u64 {
        let row = |(x, label): (&Vec<f64>, &&str)| {
            let (sign, cost) = if *label == "b" { (1, self.costs[1]) } else { (-1, self.costs[0]) };
            let mut a: Vec<i64> = x.iter().map(|v| sign * *v as i64).collect();
            a.extend(self.options.bias.then_some(sign));
            (a, cost)
        };
        least(&self.points.iter().zip(&self.labels).map(row).collect::<Vec<_>>())
    }

    fn audited(&self) -> (Audit, String, Files) {
        let table = Table::dense(&self.points, &self.labels).unwrap();
        let arrays = Arrays::new(&table, Some("b")).unwrap();
        let audit = arrays.audit(&self.options, &mut |_, _| ()).unwrap();
        let certificate = arrays.audit_certificate(&audit).unwrap();
        (audit, certificate, arrays.files().unwrap())
    }
}

/// Of 2,000 random small sets the bracket always holds the truth, and is the truth.
#[test]
fn an_audit_of_a_small_set_is_what_every_hyperplane_says() {
    let mut random = Random(1);
    let mut exact = 0;
    for case in 0..2000 {
        let small = small(&mut random);
        let truth = small.truth();
        let (audit, certificate, files) = small.audited();
        let (low, high) = audit.bounds();
        assert!(low <= truth as f64 && truth as f64 <= high, "case {case}: {low} to {high}, but {truth}");
        exact += u32::from(audit.is_exact());
        let checked = verify_audit(certificate.as_bytes(), &files.data, files.labels.as_deref());
        let checked = checked.unwrap_or_else(|refusal| panic!("case {case}: {refusal}\n{certificate}"));
        assert_eq!((checked.at_least, checked.at_most), audit.fractions(), "case {case}");
        assert_eq!(checked.mistakes.len(), audit.mistakes.len());
    }
    assert_eq!(exact, 2000);
}

/// A certificate with another value somewhere and a right digest.
fn signed(mut value: Value) -> String {
    value["digest"] = json!("0".repeat(64));
    let text = value.to_string();
    let digest: String = Sha256::digest(text.as_bytes()).iter().map(|b| format!("{b:02x}")).collect();
    text.replacen(&"0".repeat(64), &digest, 1)
}

/// Every value that differs from this one in one number, text or list.
fn mutations(value: &Value) -> Vec<Value> {
    match value {
        Value::Number(n) => {
            let n = n.as_u64().unwrap();
            [n.checked_sub(1), Some(n + 1), Some(2 * n + 7)].into_iter().flatten().map(|n| json!(n)).collect()
        }
        Value::String(text) => match text.split_once('/') {
            Some((above, below)) => vec![json!(above), json!(below), json!(format!("{above}/{below}1"))],
            None => match text.parse::<i64>() {
                Ok(n) => {
                    vec![json!((n + 1).to_string()), json!((n - 1).to_string()), json!(format!("{}/3", 3 * n + 1))]
                }
                Err(_) => vec![json!(format!("{text}x"))],
            },
        },
        Value::Bool(flag) => vec![json!(!flag)],
        Value::Array(list) => {
            let mut all = Vec::new();
            for k in 0..list.len() {
                let mut without = list.clone();
                without.remove(k);
                let mut twice = list.clone();
                twice.insert(k, list[k].clone());
                all.extend([json!(without), json!(twice)]);
                for new in mutations(&list[k]) {
                    let mut other = list.clone();
                    other[k] = new;
                    all.push(json!(other));
                }
            }
            all
        }
        Value::Object(map) => {
            let mut all = Vec::new();
            for (key, old) in map {
                let mut without = map.clone();
                without.remove(key);
                all.push(json!(without));
                for new in mutations(old) {
                    let mut other = map.clone();
                    other[key] = new;
                    all.push(json!(other));
                }
            }
            all
        }
        Value::Null => Vec::new(),
    }
}

/// Whoever changes a certificate and makes its digest anew is refused, unless what it says stays true.
#[test]
fn a_certificate_of_an_audit_that_was_changed_does_not_prove_more() {
    let mut random = Random(7);
    let (mut tried, mut accepted) = (0, 0);
    for _ in 0..25 {
        let small = small(&mut random);
        let (_, certificate, files) = small.audited();
        let verify = |text: &str| verify_audit(text.as_bytes(), &files.data, files.labels.as_deref());
        let whole: Value = serde_json::from_str(&certificate).unwrap();
        assert!(verify(&signed(whole.clone())).is_ok(), "{certificate}");
        for forged in mutations(&whole) {
            tried += 1;
            let Ok(checked) = verify(&signed(forged.clone())) else { continue };
            accepted += 1;
            // Costs, the bias and the sides are part of the statement: with others it is another one.
            if ["costs", "reading"].iter().any(|part| forged[part] != whole[part]) {
                continue;
            }
            let number = |text: &str| {
                let (above, below) = text.split_once('/').unwrap_or((text, "1"));
                above.parse::<f64>().unwrap() / below.parse::<f64>().unwrap()
            };
            let truth = small.truth() as f64;
            assert!(number(&checked.at_least) <= truth && truth <= number(&checked.at_most), "{forged}");
        }
    }
    assert!(tried > 4000 && accepted < tried / 10, "{accepted} of {tried}");
}

#[test]
fn with_any_digit_changed_an_audit_is_refused() {
    let (_, certificate, files) = small(&mut Random(3)).audited();
    for (at, old) in certificate.bytes().enumerate().filter(|(_, b)| b.is_ascii_hexdigit()) {
        let mut bytes = certificate.clone().into_bytes();
        bytes[at] = if old == b'7' { b'3' } else { b'7' };
        assert!(verify_audit(&bytes, &files.data, files.labels.as_deref()).is_err(), "byte {at}");
    }
}

/// The command from the data to the check, with costs, copies and a repaired file.
#[test]
fn the_command_audits_certifies_and_repairs() {
    let bench = Bench::new();
    let mut text = String::from("x,z,label\n");
    for k in 0..12 {
        text.push_str(&format!("{k}.5,0.1,{}\n", if k < 6 { "no" } else { "yes" }));
    }
    // Two wrong labels, one of them twice.
    text.push_str("1.5,0.1,yes\n1.5,0.1,yes\n9.5,0.1,no\n");
    bench.file("data.csv", &text);
    let json = bench.json("audit data.csv --certificate a.json --fix clean.csv --json");
    assert_eq!((&json["at_least"], &json["at_most"], &json["exact"]), (&json!(3), &json!(3), &json!(true)));
    assert_eq!(json["examples"], 15);
    let suspects = json["suspects"].as_array().unwrap()[..3].iter().map(|s| s["example"].as_u64().unwrap());
    assert!(suspects.clone().all(|example| [13, 14, 15].contains(&example)), "{json}");
    assert_eq!(json["mistakes"], json!([13, 14, 15]));
    let checked = bench.json("verify a.json data.csv --json");
    assert_eq!((&checked["verified"], &checked["at_least"]), (&json!(true), &json!("3")));
    assert_eq!(bench.json("separable clean.csv --json")["verdict"], "separable");
    // A mistake on `yes` costs five times as much: then all from 1.5 on are `yes`, and six `no` are wrong.
    assert_eq!(bench.json("audit data.csv --class-weight yes=5,no=1 --certificate b.json --json")["at_most"], 6);
    assert_eq!(bench.json("verify b.json data.csv --json")["costs"]["positive"], "5");
    bench.file("data.csv", text.replace("9.5,0.1,no", "9.5,0.1,yes"));
    assert_eq!(bench.run("verify a.json data.csv").code, Some(1));
}

/// With `ham=0` the hyperplane that calls everything spam costs nothing, and the report said that it errs on no row.
#[test]
fn what_costs_nothing_may_still_err() {
    let bench = Bench::with("data.csv", "x,label\n1,ham\n2,ham\n1,spam\n3,spam\n");
    let ran = bench.run("audit data.csv --class-weight ham=0,spam=1");
    assert!(ran.out.contains("a hyperplane costs nothing: its mistakes are on rows that cost 0"), "{ran}");
    assert!(!ran.out.contains("strictly on their side"), "{ran}");
    // The last of two costs was taken.
    let twice = bench.run("audit data.csv --class-weight ham=1,ham=2");
    assert_eq!((twice.code, twice.err.contains("ham has two costs")), (Some(2), true), "{twice}");
}

/// Words and missing values are not numbers that could be converted: `--fix` was refused after the audit, and its result lost.
#[test]
fn a_table_of_words_is_repaired_as_it_is() {
    let bench = Bench::with(
        "words.csv",
        "text,n,label\r\n\"good, and\ngood\",1,pos\r\n\r\nbad,,neg\r\ngood,1,pos\r\nbad,,pos\r\nawful,2,neg\r\n",
    );
    let line = "audit words.csv --text text --missing zero --fix left.csv --json";
    assert_eq!(bench.json(line)["mistakes"].as_array().map(Vec::len), Some(1));
    let left = String::from_utf8(bench.read("left.csv")).unwrap();
    let starts = "text,n,label\r\n\"good, and\ngood\",1,pos\r\n";
    assert!(left.starts_with(starts) && left.matches("bad,,").count() == 1, "{left}");
    assert_eq!(bench.run("separable left.csv --text text --missing zero").code, Some(0));
    // What cannot be written is said before the work begins.
    let early = bench.run("audit words.csv --text text --missing zero --fix left.svm --time-limit 0");
    assert!(early.code == Some(2) && early.err.contains("leave out --text and --missing"), "{early}");
}

/// A quote is a letter of a LIBSVM label, and joined the rows from one to the next.
#[test]
fn labels_with_quotes_are_repaired() {
    let bench = Bench::with("inches.svm", "5\" 1:1\n6 1:1\n5\" 1:2\n6 1:3\n5\" 1:1.5\n");
    assert_eq!(bench.json("audit inches.svm --fix left.svm --json")["mistakes"], json!([2]));
    assert_eq!(String::from_utf8(bench.read("left.svm")).unwrap(), "5\" 1:1\n5\" 1:2\n6 1:3\n5\" 1:1.5\n");
}
