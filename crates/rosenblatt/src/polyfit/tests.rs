//! The fit against a twin that solves the normal equations in fractions, and against certified values.

use dashu_ratio::RBig;
use proptest::prelude::*;

use super::data::noisy_sine;
use super::{HIGHEST, Polynomial};

fn exact(v: f64) -> RBig {
    RBig::try_from(v).unwrap()
}

/// The naive twin: (AᵀA + λ·1) w = Aᵀy in powers of x, by elimination, without any rounding.
fn twin(points: &[[f64; 2]], degree: u32, ridge: f64) -> Vec<RBig> {
    let n = degree as usize + 1;
    let mut system = vec![vec![RBig::ZERO; n + 1]; n];
    for &[x, y] in points {
        let mut powers = vec![RBig::ONE];
        (1..n).for_each(|j| powers.push(&powers[j - 1] * exact(x)));
        for i in 0..n {
            for j in 0..n {
                system[i][j] += &powers[i] * &powers[j];
            }
            system[i][n] += &powers[i] * exact(y);
        }
    }
    (0..n).for_each(|i| system[i][i] += exact(ridge));
    for k in 0..n {
        let pivot = (k..n).find(|&i| system[i][k] != RBig::ZERO).expect("as many different x as unknowns");
        system.swap(k, pivot);
        let row = system[k].clone();
        for other in system.iter_mut().enumerate().filter(|(i, _)| *i != k).map(|(_, other)| other) {
            let times = &other[k] / &row[k];
            other.iter_mut().zip(&row).skip(k).for_each(|(a, b)| *a -= &times * b);
        }
    }
    (0..n).map(|k| &system[k][n] / &system[k][k]).collect()
}

fn value(w: &[RBig], x: f64) -> f64 {
    w.iter().rev().fold(RBig::ZERO, |sum, w| sum * exact(x) + w).to_f64().value()
}

fn close(a: f64, b: f64, relative: f64) -> bool {
    (a - b).abs() <= relative * a.abs().max(b.abs()).max(1.0)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn agrees_with_the_twin(places in proptest::collection::btree_set(-40i32..40, 10..16), degree in 0u32..9,
                            ridge in prop_oneof![Just(0.0), Just(1e-6), Just(0.01), Just(3.0)],
                            ys in proptest::collection::vec(-100i32..100, 16), shift in -3i32..3) {
        let points: Vec<[f64; 2]> =
            places.iter().zip(&ys).map(|(x, y)| [f64::from(*x) / 8.0 + f64::from(shift), f64::from(*y) / 16.0]).collect();
        let fit = Polynomial::fit(&points, degree, ridge).unwrap();
        let w = twin(&points, degree, ridge);
        for [x, _] in &points {
            prop_assert!(close(fit.value(*x), value(&w, *x), 1e-8), "{} {}", fit.value(*x), value(&w, *x));
        }
    }
}

#[test]
fn a_polynomial_of_degree_n_less_one_interpolates_n_points() {
    let points = noisy_sine(10, 0.25, 7);
    let fit = Polynomial::fit(&points, 9, 0.0).unwrap();
    assert!(fit.misfit(&points).rms < 1e-12, "{:?}", fit.misfit(&points));
    assert!(Polynomial::fit(&points, 10, 0.0).is_err());
    assert!(Polynomial::fit(&points, 10, 1e-9).is_ok(), "a ridge makes the polynomial unique");
}

#[test]
fn more_degrees_never_fit_worse_and_a_ridge_never_fits_better() {
    let points = noisy_sine(30, 0.3, 1);
    let errors: Vec<f64> = (0..20).map(|m| Polynomial::fit(&points, m, 0.0).unwrap().misfit(&points).rms).collect();
    assert!(errors.windows(2).all(|e| e[1] <= e[0] * (1.0 + 1e-12)), "{errors:?}");
    let ridges = [0.0, 1e-6, 1e-3, 1.0, 1e3];
    let errors = ridges.map(|l| Polynomial::fit(&points, 9, l).unwrap().misfit(&points).rms);
    assert!(errors.windows(2).all(|e| e[0] <= e[1] * (1.0 + 1e-12)), "{errors:?}");
    let sizes =
        ridges.map(|l| Polynomial::fit(&points, 9, l).unwrap().coefficients().iter().map(|w| w * w).sum::<f64>());
    assert!(sizes.windows(2).all(|s| s[1] < s[0]), "{sizes:?}");
}

/// Wampler (1970): x from 0 to 20 and whole coefficients; many programs of his time had no digit right.
#[test]
fn wamplers_coefficients_are_recovered() {
    for base in [1.0f64, 0.1] {
        let of = |x: f64| (0..6).map(|j| (base * x).powi(j)).sum::<f64>();
        let points: Vec<[f64; 2]> = (0..=20).map(f64::from).map(|x| [x, of(x)]).collect();
        for (j, w) in Polynomial::fit(&points, 5, 0.0).unwrap().coefficients().into_iter().enumerate() {
            let expected = base.powi(j as i32);
            assert!((w - expected).abs() < 1e-8 * expected, "{j}: {w}");
        }
    }
}

/// Filippelli's data with the values that NIST certifies (Statistical Reference Datasets, Filip): degree 10, where the
/// normal equations in double precision have no digit right.
#[test]
fn filippellis_certified_coefficients_are_recovered() {
    let points = FILIP.map(|(y, x)| [x, y]);
    let fit = Polynomial::fit(&points, 10, 0.0).unwrap();
    for (w, expected) in fit.coefficients().iter().zip(CERTIFIED) {
        assert!((w / expected - 1.0).abs() < 1e-7, "{w} {expected}");
    }
    let deviation = (fit.misfit(&points).sum_of_squares / 71.0).sqrt();
    assert!((deviation / 0.334801051324544e-2 - 1.0).abs() < 1e-10, "{deviation}");
}

#[test]
fn what_cannot_be_fitted_is_refused_with_the_reason() {
    let refused = |points: &[[f64; 2]], degree, ridge| Polynomial::fit(points, degree, ridge).unwrap_err().to_string();
    assert!(refused(&[], 0, 0.0).contains("no points"));
    assert!(refused(&[[1.0, 2.0], [1.0, 3.0]], 1, 0.0).contains("2 points with different x, and there are 1"));
    assert!(refused(&[[1.0, 2.0]], 0, -1.0).contains("not negative"));
    assert!(refused(&[[1.0, 2.0]], HIGHEST + 1, 0.0).contains("at most"));
    let flat = Polynomial::fit(&[[1.0, 2.0], [1.0, 3.0]], 0, 0.0).unwrap();
    assert!((flat.value(9.0) - 2.5).abs() < 1e-15);
    let huge = [[-1e300, 1.0], [1e300, 2.0], [0.0, 5.0]];
    assert!((Polynomial::fit(&huge, 2, 0.0).unwrap().value(1e300) - 2.0).abs() < 1e-12);
}

const CERTIFIED: [f64; 11] = [
    -1467.48961422980,
    -2772.17959193342,
    -2316.37108160893,
    -1127.97394098372,
    -354.478233703349,
    -75.1242017393757,
    -10.8753180355343,
    -1.06221498588947,
    -0.670191154593408e-1,
    -0.246781078275479e-2,
    -0.402962525080404e-4,
];

/// y, then x.
#[rustfmt::skip]
const FILIP: [(f64, f64); 82] = [
    (0.8116, -6.860120914), (0.9072, -4.324130045), (0.9052, -4.358625055), (0.9039, -4.358426747), (0.8053, -6.955852379),
    (0.8377, -6.661145254), (0.8667, -6.355462942), (0.8809, -6.118102026), (0.7975, -7.115148017), (0.8162, -6.815308569),
    (0.8515, -6.519993057), (0.8766, -6.204119983), (0.8885, -5.853871964), (0.8859, -6.109523091), (0.8959, -5.79832982),
    (0.8913, -5.482672118), (0.8959, -5.171791386), (0.8971, -4.851705903), (0.9021, -4.517126416), (0.909, -4.143573228),
    (0.9139, -3.709075441), (0.9199, -3.499489089), (0.8692, -6.300769497), (0.8872, -5.953504836), (0.89, -5.642065153),
    (0.891, -5.031376979), (0.8977, -4.680685696), (0.9035, -4.329846955), (0.9078, -3.928486195), (0.7675, -8.56735134),
    (0.7705, -8.363211311), (0.7713, -8.107682739), (0.7736, -7.823908741), (0.7775, -7.522878745), (0.7841, -7.218819279),
    (0.7971, -6.920818754), (0.8329, -6.628932138), (0.8641, -6.323946875), (0.8804, -5.991399828), (0.7668, -8.781464495),
    (0.7633, -8.663140179), (0.7678, -8.473531488), (0.7697, -8.247337057), (0.77, -7.971428747), (0.7749, -7.676129393),
    (0.7796, -7.352812702), (0.7897, -7.072065318), (0.8131, -6.774174009), (0.8498, -6.478861916), (0.8741, -6.159517513),
    (0.8061, -6.835647144), (0.846, -6.53165267), (0.8751, -6.224098421), (0.8856, -5.910094889), (0.8919, -5.598599459),
    (0.8934, -5.290645224), (0.894, -4.974284616), (0.8957, -4.64454848), (0.9047, -4.290560426), (0.9129, -3.885055584),
    (0.9209, -3.408378962), (0.9219, -3.13200249), (0.7739, -8.726767166), (0.7681, -8.66695597), (0.7665, -8.511026475),
    (0.7703, -8.165388579), (0.7702, -7.886056648), (0.7761, -7.588043762), (0.7809, -7.283412422), (0.7961, -6.995678626),
    (0.8253, -6.691862621), (0.8602, -6.392544977), (0.8809, -6.067374056), (0.8301, -6.684029655), (0.8664, -6.378719832),
    (0.8834, -6.065855188), (0.8898, -5.752272167), (0.8964, -5.132414673), (0.8963, -4.811352704), (0.9074, -4.098269308),
    (0.9119, -3.66174277), (0.9228, -3.2644011),
];
