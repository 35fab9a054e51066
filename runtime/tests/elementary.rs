//! The error of the fast elementary functions, measured against an arithmetic of 160 bits, and their ends.

#![cfg(feature = "ndarray")]

use cotangent_runtime::ops::{cos, exp, ln, sin, tanh};
use dashu_float::FBig;
use dashu_float::round::mode::HalfEven;
use ndarray::{Array1, array};

type Exact = FBig<HalfEven, 2>;

/// `n` numbers between 0 and 1, the same in every run.
fn unit(n: usize, seed: u64) -> impl Iterator<Item = f64> {
    let mut state = seed;
    (0..n).map(move |_| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    })
}

fn exact(x: f64) -> Exact {
    Exact::try_from(x).unwrap().with_precision(160).value()
}

/// The distance from the exact value in units of the last place.
fn ulps(y: f64, exact_value: &Exact) -> f64 {
    let rounded = exact_value.to_f64().value();
    let spacing = (rounded.abs().next_up() - rounded.abs()).max(f64::from_bits(1));
    ((exact(y) - exact_value).to_f64().value() / spacing).abs()
}

/// The largest error of a function and of that of `std` over some numbers.
fn errors(
    x: Vec<f64>,
    fast: impl Fn(&Array1<f64>) -> Array1<f64>,
    plain: impl Fn(f64) -> f64,
    oracle: impl Fn(Exact) -> Exact,
) -> (f64, f64) {
    let y = fast(&Array1::from_vec(x.clone()));
    let mut largest = (0.0_f64, 0.0_f64);
    for (x, y) in x.into_iter().zip(y) {
        let value = oracle(exact(x));
        largest = (largest.0.max(ulps(y, &value)), largest.1.max(ulps(plain(x), &value)));
    }
    largest
}

#[track_caller]
fn check(name: &str, (ours, std): (f64, f64), bound: f64) {
    println!("{name}: {ours:.3} ulp, std {std:.3} ulp");
    assert!(ours < bound && ours <= std + 0.5, "{name}: {ours} ulp, std {std} ulp");
}

#[test]
fn the_exponential() {
    let whole = unit(1500, 1).map(|t| -745.0 + 1454.7 * t);
    let near = unit(1500, 2).map(|t| 4.0 * t - 2.0);
    let subnormal = unit(1000, 3).map(|t| -745.1 + 37.0 * t);
    let tiny = unit(500, 4).map(|t| 10.0_f64.powf(-300.0 * t));
    let x = whole.chain(near).chain(subnormal).chain(tiny).collect();
    check("exp", errors(x, |x| exp(x), f64::exp, |x| x.exp()), 0.8);
}

#[test]
fn the_logarithm() {
    let whole = unit(1500, 1).map(|t| 10.0_f64.powf(-323.0 + 631.0 * t));
    let near = unit(1500, 2).map(|t| 0.5 + 1.5 * t);
    let at_one = unit(2000, 3).map(|t| 1.0 + 10.0_f64.powf(-15.0 * t) * if t > 0.5 { 0.3 } else { -0.3 });
    let x = whole.chain(near).chain(at_one).collect();
    check("ln", errors(x, |x| ln(x), f64::ln, |x| x.ln()), 0.8);
}

#[test]
fn the_hyperbolic_tangent() {
    let whole = unit(2000, 1).map(|t| 40.0 * t - 20.0);
    let near = unit(2000, 2).map(|t| 2.0 * t - 1.0);
    let tiny = unit(1000, 3).map(|t| -10.0_f64.powf(-30.0 * t));
    let x = whole.chain(near).chain(tiny).collect();
    // (exp 2x - 1)/(exp 2x + 1)
    let oracle = |x: Exact| {
        let t = (x.clone() + x).exp_m1();
        t.clone() / (t + Exact::ONE + Exact::ONE)
    };
    check("tanh", errors(x, |x| tanh(x), f64::tanh, oracle), 2.0);
}

#[test]
fn sine_and_cosine() {
    let near = unit(1000, 1).map(|t| 8.0 * t - 4.0);
    let far = unit(1000, 2).map(|t| 2e6 * t - 1e6);
    let at_zeros = unit(500, 3).map(|t| (6e5 * t).floor() * std::f64::consts::FRAC_PI_2);
    let tiny = unit(200, 4).map(|t| 10.0_f64.powf(-300.0 * t));
    let x: Vec<f64> = near.chain(far).chain(at_zeros).chain(tiny).collect();
    check("sin", errors(x.clone(), |x| sin(x), f64::sin, |x| x.sin()), 0.8);
    check("cos", errors(x, |x| cos(x), f64::cos, |x| x.cos()), 0.8);
    let beyond = array![1.1e6, -1e22, f64::MAX];
    assert_eq!((sin(&beyond), cos(&beyond)), (beyond.mapv(f64::sin), beyond.mapv(f64::cos)));
    let none = array![f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
    assert!(sin(&none).iter().chain(&cos(&none)).all(|y| y.is_nan()));
    assert!(sin(array![-0.0_f64])[0].is_sign_negative());
}

#[test]
fn the_ends() {
    let inf = f64::INFINITY;
    assert_eq!(exp(array![0.0, -0.0, inf, -inf, 709.8, -746.0]), array![1.0, 1.0, inf, 0.0, inf, 0.0]);
    assert_eq!(ln(array![1.0, 0.0, -0.0, inf]), array![0.0, -inf, -inf, inf]);
    assert_eq!(ln(array![f64::from_bits(1)]), array![f64::from_bits(1).ln()]);
    assert!(ln(array![-1.0, -inf, f64::NAN]).iter().all(|y| y.is_nan()));
    assert!(exp(array![f64::NAN])[0].is_nan() && tanh(array![f64::NAN])[0].is_nan());
    assert_eq!(tanh(array![0.0, inf, -inf, 1e-310, 30.0]), array![0.0, 1.0, -1.0, 1e-310, 1.0]);
    assert!(tanh(array![-0.0_f64])[0].is_sign_negative());
    assert_eq!(exp(Array1::<f32>::zeros(0)).len(), 0);
}

#[test]
fn single_precision_is_rounded_nearly_exactly() {
    let x: Array1<f32> = unit(2000, 5).map(|t| (8.0 * t - 4.0) as f32).collect();
    for (x, y) in x.iter().zip(&exp(&x)) {
        let near = f64::from(*x).exp() as f32;
        assert!(*y == near || y.next_up() == near || y.next_down() == near);
    }
}
