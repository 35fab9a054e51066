//! Second derivatives through the linear algebra of `cotangent::ops`.

mod hessians;

/// What the functions call, and matrices that are far from singular.
mod callees {
    use cotangent::differentiable;
    pub(crate) use cotangent::ops;
    use ndarray::{Array2, s};

    /// One that is not symmetric.
    #[differentiable(order = 2)]
    pub(crate) fn regular(m: &Array2<f64>, a: f64) -> Array2<f64> {
        &m.slice(s![.., ..3]) * a + Array2::<f64>::eye(3) * 3.0
    }

    #[differentiable(order = 2)]
    pub(crate) fn positive(m: &Array2<f64>, a: f64) -> Array2<f64> {
        m.dot(&m.t()) * a + Array2::<f64>::eye(3)
    }
}

hessians! {
    (x, m, a)
    solution {
        let y: Array1<f64> = ops::solve(regular(m, a), &x.slice(s![..3])).unwrap();
        y.dot(&y) * a + y[0]
    }
    solutions {
        let y: Array2<f64> = ops::solve(&regular(m, a).t(), m).unwrap();
        y.mapv(f64::sin).sum() * x[0] + (&y * m).sum()
    }
    of_unknown_type {
        ops::solve(&regular(m, a), x.slice(s![..3]).to_owned()).unwrap().sum() * ops::inv(regular(m, a)).unwrap().sum()
    }
    inverse {
        let y: Array2<f64> = ops::inv(regular(m, a)).unwrap();
        (&y * &y * a).sum() + y.dot(&x.slice(s![3..])).product()
    }
    determinant {
        ops::logdet(regular(m, a)) * ops::logdet(&positive(m, x[0])) + ops::logdet(-regular(m, x[1] * a))
    }
    factor {
        let l: Array2<f64> = ops::cholesky(positive(m, a)).unwrap();
        (&l * &l * &l).sum() + l.dot(&x.slice(s![..3])).product()
    }
    // only the lower triangle counts
    factor_of_a_triangle {
        let mut k: Array2<f64> = positive(m, a);
        k[[0, 2]] = x[0];
        let l: Array2<f64> = ops::cholesky(&k).unwrap();
        l.mapv(f64::sin).sum() * x[1]
    }
    triangles {
        let k: Array2<f64> = regular(m, a);
        let y: Array1<f64> = ops::solve_lower(&k, x.slice(s![..3]));
        let z: Array1<f64> = ops::solve_upper(&k, &(&y * a));
        let w: Array2<f64> = ops::solve_lower(k.t(), m);
        z.sum() * y.dot(&y) + (&w * &w).sum()
    }
    gaussian_process {
        let l: Array2<f64> = ops::cholesky(positive(m, a * a)).unwrap();
        let z: Array1<f64> = ops::solve_lower(&l, x.slice(s![..3]));
        let ends: f64 = l.diag().ln().sum();
        -0.5 * z.dot(&z) - ends
    }
    newton_step {
        let k = positive(m, a);
        let step: Array1<f64> = ops::solve(&k, &(x.slice(s![..3]).mapv(f64::sin) * a)).unwrap();
        let y = &x.slice(s![..3]) - &step;
        y.dot(&k.dot(&y))
    }
    of_what_does_not_exist {
        let singular: Array2<f64> = Array2::zeros((3, 3)) * a;
        let none = ops::solve(&singular, x.slice(s![..3])).is_none() && ops::cholesky(-&positive(m, a)).is_none();
        let y = match ops::inv(&singular) {
            Some(y) => y.sum(),
            None => a * a * x[0],
        };
        if none { y * a } else { 0.0 }
    }
}
