//! A checker of certificates that shares no code with the finder: fractions, and the definitions.

use std::collections::BTreeSet;

use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;
use rosenblatt::certify::{Decision, MarginKind, Verdict};

/// What a certificate claims; examples from 0.
pub struct Claim {
    pub verdict: Verdict,
    pub hyperplane: Option<(Vec<RBig>, RBig)>,
    pub margin: Option<(MarginKind, RBig, RBig)>,
    pub support: Vec<(usize, RBig)>,
}

impl From<&Decision> for Claim {
    fn from(d: &Decision) -> Self {
        Claim {
            verdict: d.verdict,
            hyperplane: d.hyperplane.as_ref().map(|h| (h.weights.clone(), h.bias.clone())),
            margin: d.margin.as_ref().map(|m| (m.kind, m.lower.clone(), m.upper.clone())),
            support: d.support.clone(),
        }
    }
}

fn dot(a: &[RBig], b: &[RBig]) -> RBig {
    a.iter().zip(b).filter(|(a, _)| !a.is_zero()).fold(RBig::ZERO, |sum, (a, b)| sum + a * b)
}

pub fn rational(text: &str) -> RBig {
    let mut parts = text.split('/');
    let whole = |t: &str| IBig::from_str_radix(t, 10).unwrap();
    let n = whole(parts.next().unwrap());
    let q = RBig::from_parts(n, parts.next().map_or(UBig::ONE, |d| UBig::try_from(whole(d)).unwrap()));
    assert_eq!(q.to_string(), text, "not in lowest terms");
    q
}

/// Panics unless the claim holds for the rows x with signs y (0: left out).
pub fn check(claim: &Claim, rows: &[Vec<RBig>], signs: &[i8], bias: bool) {
    let features = rows[0].len();
    let sign = |i: usize| RBig::from(signs[i]);
    let members: Vec<usize> = (0..rows.len()).filter(|&i| signs[i] != 0).collect();
    let a = |i: usize| -> Vec<RBig> {
        rows[i].iter().cloned().chain(bias.then_some(RBig::ONE)).map(|v| v * sign(i)).collect()
    };
    let numbers: BTreeSet<usize> = claim.support.iter().map(|s| s.0).collect();
    assert_eq!(numbers.len(), claim.support.len(), "an example twice");
    assert!(claim.support.iter().all(|(i, p)| signs[*i] != 0 && *p > RBig::ZERO));
    let score = |i: usize| {
        let (w, b) = claim.hyperplane.as_ref().unwrap();
        assert_eq!(w.len(), features);
        assert!(bias || b.is_zero());
        (dot(&rows[i], w) + b) * sign(i)
    };
    let sum =
        |p: &dyn Fn(usize) -> bool| claim.support.iter().filter(|s| p(s.0)).fold(RBig::ZERO, |sum, (_, p)| sum + p);
    let total = |row: &dyn Fn(usize) -> Vec<RBig>, width: usize| {
        let mut total = vec![RBig::ZERO; width];
        for (i, p) in &claim.support {
            total.iter_mut().zip(row(*i)).filter(|(_, v)| !v.is_zero()).for_each(|(t, v)| *t += v * p);
        }
        total
    };
    match claim.verdict {
        Verdict::Separable => {
            let (kind, lower, upper) = claim.margin.as_ref().expect("a margin");
            let (w, _) = claim.hyperplane.as_ref().unwrap();
            let norm = dot(w, w);
            assert!(*lower >= RBig::ZERO && lower <= upper);
            for &i in &members {
                let s = score(i);
                assert!(s > RBig::ZERO, "example {i} is not on its side");
                assert!(&s * &s >= lower * lower * &norm, "example {i} is closer than the lower bound");
            }
            let x = |i: usize| rows[i].iter().map(|v| v * sign(i)).collect();
            let v = total(&x, features);
            let squared = dot(&v, &v);
            if bias {
                assert_eq!(*kind, MarginKind::Hull);
                assert_eq!(sum(&|i| signs[i] > 0), RBig::ONE);
                assert_eq!(sum(&|i| signs[i] < 0), RBig::ONE);
                assert!(squared <= upper * upper * RBig::from(4));
            } else {
                assert_eq!(*kind, MarginKind::Origin);
                assert_eq!(sum(&|_| true), RBig::ONE);
                assert!(squared <= upper * upper);
            }
        }
        Verdict::WeaklySeparable | Verdict::Inseparable | Verdict::NotSeparable => {
            assert!(claim.margin.is_none());
            assert_eq!(sum(&|_| true), RBig::ONE);
            assert!(total(&a, features + usize::from(bias)).iter().all(RBig::is_zero), "the sum is not zero");
            if claim.verdict == Verdict::WeaklySeparable {
                assert!(members.iter().all(|&i| score(i) >= RBig::ZERO));
                assert!(members.iter().any(|&i| score(i) > RBig::ZERO));
            } else {
                assert!(claim.hyperplane.is_none());
            }
            if claim.verdict == Verdict::Inseparable {
                let support: Vec<Vec<RBig>> = claim.support.iter().map(|s| a(s.0)).collect();
                let basis = echelon(support);
                let rank = basis.len();
                assert!(claim.support.len() <= (2 * rank).max(1), "{} rows of rank {rank}", claim.support.len());
                for i in members {
                    let left = reduced(a(i), &basis);
                    assert!(left.iter().all(RBig::is_zero), "example {i} is not in the span of the support");
                }
            }
        }
        Verdict::Undecided => panic!("undecided"),
    }
}

/// Independent rows with leading ones, each with the place of its one.
fn echelon(rows: Vec<Vec<RBig>>) -> Vec<(usize, Vec<RBig>)> {
    let mut kept: Vec<(usize, Vec<RBig>)> = Vec::new();
    for row in rows {
        let mut row = reduced(row, &kept);
        if let Some(lead) = row.iter().position(|v| !v.is_zero()) {
            let scale = row[lead].clone();
            row.iter_mut().for_each(|v| *v = &*v / &scale);
            kept.push((lead, row));
        }
    }
    kept
}

/// A row reduced by the basis.
fn reduced(mut row: Vec<RBig>, basis: &[(usize, Vec<RBig>)]) -> Vec<RBig> {
    for (lead, pivot) in basis {
        let factor = row[*lead].clone();
        if !factor.is_zero() {
            row.iter_mut().zip(pivot).for_each(|(v, p)| *v -= &factor * p);
        }
    }
    row
}

/// The verdict by enumeration. The non-negative dependences of the rows are generated by those with the smallest
/// supports, each of which has only one dependence. Rows in none of them can be made positive, all at once.
pub fn brute_force(rows: &[Vec<i64>]) -> Verdict {
    let n = rows.len();
    let width = rows[0].len();
    let mut covered = 0u32;
    for set in 1u32..1 << n {
        let members: Vec<usize> = (0..n).filter(|i| set >> i & 1 == 1).collect();
        if members.len() <= width + 1 && covered & set != set && cancels(&members, rows, width) {
            covered |= set;
        }
    }
    match covered {
        0 => Verdict::Separable,
        all if all == (1 << n) - 1 => Verdict::Inseparable,
        _ => Verdict::WeaklySeparable,
    }
}

/// Whether these rows have one dependence only, and all of its weights have one sign and are not 0.
fn cancels(members: &[usize], rows: &[Vec<i64>], width: usize) -> bool {
    // Columns are members; Gauss-Jordan without fractions in i128.
    let k = members.len();
    let mut m: Vec<Vec<i128>> = (0..width).map(|j| members.iter().map(|&i| i128::from(rows[i][j])).collect()).collect();
    let (mut r, mut leads) = (0, Vec::new());
    for c in 0..k {
        let Some(at) = (r..width).find(|&i| m[i][c] != 0) else { continue };
        m.swap(r, at);
        let pivot = m[r].clone();
        for (i, row) in m.iter_mut().enumerate() {
            if i != r && row[c] != 0 {
                let f = row[c];
                for (v, p) in row.iter_mut().zip(&pivot) {
                    *v = *v * pivot[c] - f * p;
                }
            }
        }
        leads.push(c);
        r += 1;
    }
    if r + 1 != k {
        return false;
    }
    let free = (0..k).find(|c| !leads.contains(c)).unwrap();
    leads.iter().enumerate().all(|(i, &c)| m[i][c].signum() * m[i][free].signum() == -1)
}
