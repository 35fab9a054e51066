//! Elementwise operations of adjoints that become one, shapes that are kept instead of arrays, and results in the place of
//! arrays that nobody needs any more: in every layout.

mod matrices;

mod callees {
    use cotangent::differentiable;
    use ndarray::Array2;

    #[differentiable]
    pub(crate) fn doubled(v: Array2<f64>) -> Array2<f64> {
        v * 2.0
    }
}

functions! {
    (x, m, a)
    chain {
        let wave = (-(x * x)).exp() * x.sin();
        (wave + x / 2.0).tanh().sum() * a + (m * m).exp().ln_1p().sum()
    }
    one_operand_of_several {
        let t = m.mapv(f64::tanh);
        let u = &t * m + &t / (m * m + 1.0);
        (&u * &t).sum() + u.mapv(|u| a * u.sin()).sum()
    }
    two_results_of_one_cotangent {
        let t = (m * a).sin();
        let (p, q) = (&t * m, &t + m);
        (p.dot(&q.t()) + q.dot(&p.t())).mapv(f64::tanh).sum()
    }
    rows_are_broadcast {
        let row = x.slice(s![..4]).to_owned();
        let column = x.slice(s![3..]).insert_axis(Axis(1)).to_owned();
        let z = (m + &row).tanh() * &column;
        let w = &row * (z + a).exp();
        (&w * &column).sum() + w.sum_axis(Axis(0)).dot(&row)
    }
    a_row_and_a_matrix_of_one_row {
        let one = m.slice(s![1..2, ..]).to_owned();
        let t = (m - &one).exp() + (&one * a).cos();
        let u = &one / (t.mapv(f64::cosh) + &one * &one);
        u.sum() + t.sum()
    }
    shapes_are_kept_over_iterations {
        let mut s = m.dot(&m.t());
        let mut total = 0.0;
        for k in 0..4 {
            s = (s.dot(&s) * 0.1 + x.slice(s![..3]) + a).tanh();
            if k % 2 == 0 { total += s.sum(); }
        }
        total + (&s * &s).sum()
    }
    sums_over_iterations {
        let mut total = 0.0;
        let w = m.dot(&m.t());
        for k in 0..3 {
            let z = w.dot(&x.slice(s![k..k + 3]));
            let y = (z * a).sin() + w.row(k);
            total += y.dot(&w.dot(&y)) + (&y * &y).mean().unwrap();
        }
        total
    }
    changed_in_place {
        let mut t = m * m;
        t += &x.slice(s![..4]);
        t *= m;
        t -= a;
        let u = &t * &t;
        t.mapv_inplace(f64::sin);
        t /= &(u + 1.0);
        t.sum() + t.mapv(f64::exp).sum_axis(Axis(1)).product()
    }
    branches {
        let t = (m * 3.0).tanh();
        let u = if t.sum() > 0.0 { (&t * a).exp() } else { &t / (&t * &t + 1.0) };
        (u * t).sum()
    }
    handed_over {
        let t = m * m + a;
        let u = doubled(t) + m;
        (&u * &u).mapv(f64::sqrt).sum() + doubled(u * m).sum()
    }
    products_are_added_up {
        let p = m.t().dot(m);
        let q = p.dot(&m.t()) + m.t();
        let v = x.slice(s![..4]).to_owned();
        let r = p.dot(&v) + q.dot(&x.slice(s![..3])) * a;
        r.dot(&p.dot(&r)) + v.dot(&q).sum()
    }
    not_in_memory_side_by_side {
        let t = m.slice(s![.., ..;2]).to_owned() + m.slice(s![.., 1..;2]);
        let mut u = m.mapv(f64::cos);
        u.invert_axis(Axis(0));
        let u = &u + &m.slice(s![..;-1, ..]);
        t.exp().sum() + (u.mapv(f64::tanh) * u).sum()
    }
    chains_over_views {
        let (v, w) = (m.slice(s![.., ..;2]), m.slice(s![..;-1, 1..;2]));
        let y = (-(&v * &w)).exp() + v.sin() / a;
        let z = 1.0 - (&m.t() * &m.t() * a).cos();
        let u = z.t().to_owned() * m.mapv(f64::tanh) - (m * m).sqrt();
        y.sum() + (&y * &y).mapv(f64::cos).sum() + u.sum() * z.sum()
    }
    what_is_read_changes_between {
        let mut u = x.clone();
        let y = &u * &u;
        let s = u.mapv(f64::sin);
        u[0] = a;
        u *= 2.0;
        let z = y.exp();
        let mut w = z * 0.1 + s;
        w += &u.mapv(f64::cos);
        w.sum() + (w * u).tanh().sum()
    }
    a_branch_changes_what_is_read {
        let mut u = x.clone();
        let mut v = m.clone();
        let y = &u * &u;
        let t = &v * 2.0;
        if a > 0.0 {
            u[0] = a;
            v *= a;
        }
        let z = y.exp() + &u;
        (z * &u).sum() + (t.sin() + v).sum()
    }
    squares_of_what_lies_otherwise {
        let (y, z) = (x.mapv(f64::sin), m.mapv(f64::exp));
        let u = &m.slice(s![..;-1, ..]) * a;
        (&y * &y).sum() + (&z * &z).sum() + (&u * &u).exp().sum() + (&z * a).sum()
    }
    constants_beside_an_operation {
        let mut table = [2.0, 3.0];
        let y = x.mapv(|v| v * table[0]);
        table[0] = 5.0;
        let z = y.mapv(|v| v.sin() * table[0]);
        z.sum() * a
    }
    many_operands {
        let (b, c, d) = (m.sin(), m.cos(), m.exp());
        let (e, f) = (m.tanh(), m.cosh());
        let t = &b * &c * &d * &e * &f + m * a;
        t.mapv(f64::tanh).sum() + (b * c).sum() + (d / f).sum() + e.sum()
    }
    nothing_but_the_shape {
        let t = m + a;
        let zeros = &t * 0.0;
        let u = zeros + x.slice(s![..4]);
        (u.exp() * m).sum()
    }
}

#[test]
fn strong_zeros_stay_in_one_loop() {
    use ndarray::{Array1, array};
    #[cotangent::differentiable]
    fn f(x: &Array1<f64>, on: &Array1<f64>) -> f64 {
        ((x.ln() * 0.5).exp() * on).sum() + x.mapv(|t| t.powi(2)).sum()
    }
    let (x, on) = (array![4.0, 0.0, 9.0], array![1.0, 0.0, 1.0]);
    let gradient = f_grad(&x, &on).0;
    assert_eq!(gradient[1], 0.0);
    // d√x = 1/(2√x), and 2x
    assert!((gradient[0] - 8.25).abs() < 1e-14 && (gradient[2] - (18.0 + 1.0 / 6.0)).abs() < 1e-14);
    let (_, pullback) = f_vjp(&x, &on);
    assert_eq!(pullback(0.0).0, array![0.0, 0.0, 0.0]);
}

#[test]
fn products_with_infinite_factors_and_zero_cotangents() {
    use ndarray::{Array2, array};
    #[cotangent::differentiable(wrt(w))]
    fn f(w: &Array2<f64>, xs: &[Array2<f64>], on: &[f64]) -> f64 {
        let mut total = 0.0;
        for k in 0..xs.len() {
            total += xs[k].dot(w).sum() * on[k];
        }
        total
    }
    let xs = [array![[1.0, 2.0]], array![[f64::INFINITY, f64::NAN]], array![[3.0, 4.0]]];
    let w = array![[1.0], [1.0]];
    assert_eq!(f_grad(&w, &xs, &[1.0, 0.0, 2.0]), array![[7.0], [10.0]]);
}

#[test]
fn empty_arrays() {
    use ndarray::Array2;
    #[cotangent::differentiable]
    fn f(m: &Array2<f64>, b: f64) -> f64 {
        let t = (m * m + b).exp() * m;
        (t.dot(&m.t()) + b).tanh().sum() + t.sum()
    }
    for shape in [(0, 3), (3, 0), (0, 0)] {
        let (y, (m_bar, _)) = f_value_and_grad(&Array2::zeros(shape), 0.5);
        assert_eq!((y.to_bits(), m_bar.dim()), (f(&Array2::zeros(shape), 0.5).to_bits(), shape));
    }
}
