//! Closures without types at their parameters, handed to functions that give them references: every companion against
//! differences.

mod agree;

/// Slices.
mod slices {
    use cotangent::differentiable;
    #[differentiable]
    fn each(f: impl Fn(&[f64]) -> f64, x: &[f64]) -> f64 {
        f(x) + f(&x[1..])
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        each(|v| v[0] * a + v[1], x)
    }
}

/// References to numbers, and what a pattern finds behind them.
mod numbers {
    use cotangent::differentiable;
    #[differentiable]
    fn each(f: impl Fn(&f64) -> f64, x: &[f64]) -> f64 {
        f(&x[0]) + f(&x[1])
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        each(|v| *v * a + v.sin(), x) + each(|&v| v * v * a, x)
    }
}

/// A struct.
mod structs {
    use cotangent::{Differentiable, differentiable};
    #[derive(Differentiable, Clone)]
    pub(crate) struct P {
        u: f64,
        v: f64,
    }
    #[differentiable]
    fn each(f: impl Fn(&P) -> f64, p: &P) -> f64 {
        f(p) * 2.0
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let p = P { u: x[0], v: x[1] };
        each(|q| q.u * a * q.v, &p)
    }
}

/// A slice beside a number, and vectors as results.
mod beside_values {
    use cotangent::differentiable;
    #[differentiable]
    fn each(f: impl Fn(&[f64], f64) -> Vec<f64>, x: &[f64]) -> f64 {
        let v = f(x, 1.0);
        v[0] * v[1]
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        each(|v, t| vec![v[0] * a + t, v[1]], x)
    }
}

/// A slice that is changed.
mod changed_slices {
    use cotangent::differentiable;
    #[differentiable]
    fn each<F>(f: F, x: &[f64]) -> f64
    where
        F: Fn(&mut [f64], &[f64]),
    {
        let mut o = vec![0.0; 2];
        f(&mut o, x);
        o[0] * o[1]
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        each(
            |o, v| {
                o[0] = v[0] * a;
                o[1] = v[1] * v[0];
            },
            x,
        )
    }
}

/// Arrays.
mod arrays {
    use cotangent::differentiable;
    #[differentiable]
    fn each(f: impl Fn(&[f64; 2]) -> f64, x: [f64; 2]) -> f64 {
        f(&x) * 2.0
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        each(|v| v[0] * a + v[1], [x[0], x[1] * a]) + each(|[p, q]| p * q * a, [x[0], x[1] * a])
    }
}

/// A trait object.
mod objects {
    use cotangent::differentiable;
    #[differentiable]
    fn each(f: &dyn Fn(&[f64]) -> f64, x: &[f64]) -> f64 {
        f(x) * 2.0
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        each(&|v| v.iter().map(|t| t * a).sum(), x)
    }
}

/// A vector.
mod vectors {
    use cotangent::differentiable;
    #[differentiable]
    fn each(f: impl Fn(&Vec<f64>) -> f64, x: &Vec<f64>) -> f64 {
        f(x) * 2.0
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let v = x.to_vec();
        each(|v| v.iter().map(|t| t * a).sum::<f64>(), &v)
    }
}

/// A tuple by value.
mod tuples {
    use cotangent::differentiable;
    #[differentiable]
    fn each(f: impl Fn((f64, f64)) -> f64, x: &[f64]) -> f64 {
        f((x[0], x[1])) * 2.0
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        each(|(p, q)| p * q * a, x)
    }
}

/// A number that is changed.
mod changed_numbers {
    use cotangent::differentiable;
    #[differentiable]
    fn each(f: impl Fn(&mut f64, usize), x: &[f64]) -> f64 {
        let mut s = x[0];
        for i in 0..3 {
            f(&mut s, i);
        }
        s
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        each(|s, i| *s += x[i] * a * *s, x)
    }
}

/// The right-hand side of a differential equation.
mod systems {
    use cotangent::differentiable;
    #[differentiable]
    fn euler(f: impl Fn(f64, &[f64], &mut [f64]), u0: &[f64], h: f64, n: usize) -> Vec<f64> {
        let mut u = u0.to_vec();
        let mut d = vec![0.0; u.len()];
        for k in 0..n {
            f(k as f64 * h, &u, &mut d);
            for i in 0..u.len() {
                u[i] += h * d[i];
            }
        }
        u
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let u = euler(
            |t, u, du| {
                du[0] = u[1] * a + t;
                du[1] = -u[0] * x[2];
            },
            &x[..2],
            0.1,
            4,
        );
        u[0] * u[1]
    }
}

/// Branches on what the references are to.
mod branches {
    use cotangent::differentiable;
    #[differentiable]
    fn zip(f: impl Fn(&f64, &f64) -> f64, x: &[f64]) -> f64 {
        let mut s = 0.0;
        for i in 1..x.len() {
            s += f(&x[i - 1], &x[i]);
        }
        s
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        zip(|p, q| (p - q).powi(2) * a + p.max(*q), x) + zip(|p, q| if p > q { p * q } else { *p }, x)
    }
}

/// A fold.
mod folds {
    use cotangent::differentiable;
    #[differentiable]
    fn fold<F>(x: &[f64], init: f64, f: F) -> f64
    where
        F: Fn(f64, &f64) -> f64,
    {
        let mut s = init;
        for v in x {
            s = f(s, v);
        }
        s
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        fold(x, a, |s, v| s * 0.5 + v * a)
    }
}

/// Rows.
mod rows {
    use cotangent::differentiable;
    #[differentiable]
    fn pairs(f: impl Fn(&[[f64; 2]]) -> f64, x: &[f64]) -> f64 {
        let m = [[x[0], x[1]], [x[2], x[3]]];
        f(&m)
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        pairs(|m| m.iter().map(|r| r[0] * r[1] * a).sum(), x) + pairs(|m| m[0][0] * m[1][1], x)
    }
}

/// Options.
mod options {
    use cotangent::differentiable;
    #[differentiable]
    fn opt(f: impl Fn(Option<f64>) -> f64, x: f64) -> f64 {
        f(Some(x)) + f(None)
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        opt(|o| o.map_or(a, |t| t * a), x[0])
    }
}

agree! {
    slices
    numbers
    structs
    beside_values
    changed_slices
    arrays
    objects
    vectors
    tuples
    changed_numbers
    systems
    branches
    folds
    rows
    options
}
