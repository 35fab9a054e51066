//! Nothing that is generated raises a lint, whatever stands around it.

#![deny(warnings, clippy::all, unreachable_pub, trivial_casts, unused_qualifications, unused_lifetimes)]
#![forbid(unsafe_code)]

use cotangent::{Differentiable, differentiable};

#[derive(Clone, Differentiable)]
struct Gain {
    k: f64,
}

impl Gain {
    #[differentiable(into)]
    fn apply(&self, xs: &[f64]) -> f64 {
        let mut sum = 0.0;
        for x in xs {
            sum += self.k * x * x;
        }
        sum
    }

    #[differentiable]
    fn scaled(mut self, by: f64) -> f64 {
        self.k *= by;
        self.k
    }
}

#[differentiable]
trait Response {
    fn respond(&self, x: f64) -> f64;

    fn twice(&self, x: f64) -> f64 {
        self.respond(self.respond(x))
    }
}

#[differentiable]
impl Response for Gain {
    fn respond(&self, x: f64) -> f64 {
        self.k * x.sin()
    }
}

#[differentiable]
fn only_differentiated<T: num_traits::Float>(xs: &[T]) -> T {
    xs.iter().fold(T::zero(), |s, x| s + *x * *x)
}

#[differentiable]
fn advance<'a>(u: &mut [f64], v: &'a [f64], dt: f64) {
    for i in 0..u.len() {
        u[i] += dt * v[i];
    }
}

fn main() {
    let gain = Gain { k: 2.0 };
    let mut grads = (gain.zero_tangent(), vec![0.0; 2]);
    assert_eq!(gain.apply_value_and_grad_into(&[1.0, 2.0], &mut grads), 10.0);
    assert_eq!((grads.0.k, grads.1), (5.0, vec![4.0, 8.0]));
    assert_eq!(gain.twice_grad(0.0).1, 4.0);
    let response: &dyn Response = &gain;
    assert_eq!(response.respond(0.0), 0.0);
    assert_eq!(only_differentiated_grad(&[1.0_f32, 2.0]), [2.0, 4.0]);
    let mut u = [1.0, 2.0];
    let pullback = advance_vjp(&mut u, &[3.0, 4.0], 0.5).1;
    assert_eq!(u, [2.5, 4.0]);
    assert_eq!(pullback(vec![1.0, 1.0]).2, 7.0);
    assert_eq!(gain.scaled_grad(3.0).1, 2.0);
}
