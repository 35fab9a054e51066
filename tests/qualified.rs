//! Functions and constants of traits by their full paths.

#![allow(unused, clippy::all)]

mod agree;

/// A point near the one that the programs are written for.
#[cotangent::differentiable]
pub(crate) fn near(x: &[f64], a: f64) -> Vec<f64> {
    vec![0.4 + 0.1 * x[0], 1.3 + 0.1 * x[1], -0.7 + 0.1 * a, 0.9 + 0.1 * x[2]]
}

/// `<S as T>::f(x)`, `<S as T>::N`, also as a function that is handed over.
mod paths {
    use cotangent::{Differentiable, differentiable};
    #[differentiable]
    trait Area {
        fn area(&self) -> f64;
        fn unit(k: f64) -> f64;
        const N: f64;
    }
    #[derive(Clone, Differentiable)]
    struct Sq {
        s: f64,
    }
    #[differentiable]
    impl Area for Sq {
        fn area(&self) -> f64 {
            self.s * self.s
        }
        fn unit(k: f64) -> f64 {
            k * 2.0
        }
        const N: f64 = 3.0;
    }
    #[differentiable]
    fn g<A: Area + Differentiable>(a: &A, k: f64) -> f64 {
        a.area() * A::unit(k) * A::N + <A as Area>::unit(k) * <A as Area>::N + A::N * k
    }
    #[differentiable]
    fn program(x: &[f64]) -> f64 {
        let s = Sq { s: x[0] };
        let fs = x.iter().map(|t| <Sq as Area>::unit(*t)).map(<Sq as Area>::unit).sum::<f64>();
        <Sq as Area>::unit(x[1])
            + Area::area(&s) * <Sq as Area>::area(&s)
            + <Sq as Area>::N * x[2]
            + Sq::N * x[3]
            + g(&s, x[1])
            + fs * fs
    }

    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        program(&super::near(x, a))
    }
}

agree! {
    paths
}
