//! Operators that users write for types of their own.

#![allow(clippy::all, clippy::pedantic)]

mod checked;

use cotangent::{Differentiable, differentiable};
use num_traits::Float;
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Rem, Sub, SubAssign};

#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
struct V2 {
    x: f64,
    y: f64,
}

#[differentiable]
impl V2 {
    fn new(x: f64, y: f64) -> Self {
        V2 { x, y }
    }

    fn norm2(&self) -> f64 {
        self.x * self.x + self.y * self.y
    }

    // what it is called does not matter
    fn mid(self, other: V2) -> V2 {
        (self + other) * 0.5
    }
}

#[differentiable]
impl Add for V2 {
    type Output = V2;

    fn add(self, o: V2) -> V2 {
        V2 { x: self.x + o.x, y: self.y + o.y }
    }
}

#[differentiable]
impl Sub for V2 {
    type Output = Self;

    fn sub(self, o: Self) -> Self::Output {
        Self { x: self.x - o.x, y: self.y - o.y }
    }
}

#[differentiable]
impl Mul<f64> for V2 {
    type Output = V2;

    fn mul(self, k: f64) -> V2 {
        V2::new(self.x * k, self.y * k)
    }
}

#[differentiable]
impl Mul<V2> for f64 {
    type Output = V2;

    fn mul(self, v: V2) -> V2 {
        V2 { x: self * v.x, y: self * v.y }
    }
}

// the product of complex numbers
#[differentiable]
impl Mul for V2 {
    type Output = V2;

    fn mul(self, o: V2) -> V2 {
        let (re, im) = (self.x * o.x - self.y * o.y, self.x * o.y + self.y * o.x);
        V2 { x: re, y: im }
    }
}

#[differentiable]
impl Div<f64> for V2 {
    type Output = V2;

    fn div(mut self, k: f64) -> V2 {
        self.x /= k;
        self.y /= k;
        self
    }
}

#[differentiable]
impl Div for V2 {
    type Output = V2;

    fn div(self, o: V2) -> V2 {
        self * V2 { x: o.x, y: -o.y } / o.norm2()
    }
}

// an inner product, which is a number
#[differentiable]
impl Rem for V2 {
    type Output = f64;

    fn rem(self, o: V2) -> f64 {
        self.x * o.x + self.y * o.y
    }
}

#[differentiable]
impl Neg for V2 {
    type Output = V2;

    fn neg(self) -> V2 {
        V2 { x: -self.x, y: -self.y }
    }
}

#[differentiable]
impl AddAssign for V2 {
    fn add_assign(&mut self, o: V2) {
        self.x += o.x;
        self.y += o.y;
    }
}

#[differentiable]
impl SubAssign<&V2> for V2 {
    fn sub_assign(&mut self, o: &V2) {
        *self = *self - *o;
    }
}

#[differentiable]
impl MulAssign<f64> for V2 {
    fn mul_assign(&mut self, k: f64) {
        *self = V2 { x: self.x * k, y: self.y * k };
    }
}

#[differentiable]
impl DivAssign<f64> for V2 {
    fn div_assign(&mut self, k: f64) {
        self.x /= k;
        self.y /= k;
    }
}

#[differentiable]
fn by_value(x: &[f64], a: f64) -> f64 {
    let (p, q) = (V2::new(x[0], a), V2 { x: x[1] * a, y: x[2] });
    let r = p + q * 2.0 - -p * a;
    let s = 3.0 * r + a * p * q / 2.0 - p / q;
    r % s + s.norm2()
}

#[differentiable]
fn in_place(x: &[f64], a: f64) -> f64 {
    let mut sum = V2 { x: 0.0, y: 1.0 };
    for w in x.windows(2) {
        let mut t = V2::new(w[0], w[1]);
        t *= a;
        t /= 1.0 + a * a;
        sum += t;
        sum -= &(t * sum);
    }
    sum % V2 { x: a, y: x[0] }
}

#[derive(Clone, Copy, Differentiable)]
struct Body {
    at: V2,
    speed: V2,
    mass: f64,
}

#[differentiable]
impl Body {
    fn pull(&self, other: &Body) -> V2 {
        let d = other.at - self.at;
        d * (other.mass / (0.1 + d.norm2()).powf(1.5))
    }
}

#[differentiable]
fn in_fields_and_elements(x: &[f64], a: f64) -> f64 {
    let mut bodies = vec![
        Body { at: V2::new(x[0], x[1]), speed: V2::new(0.0, a), mass: 1.0 },
        Body { at: V2::new(x[2], 0.1), speed: V2::new(x[3], 0.0), mass: a },
        Body { at: V2::new(0.5, x[4]), speed: V2::new(0.1, 0.2), mass: x[4] },
    ];
    for _ in 0..3 {
        let mut pulls = vec![V2::new(0.0, 0.0); 3];
        for i in 0..3 {
            for j in 0..3 {
                if i != j {
                    pulls[i] += bodies[i].pull(&bodies[j]);
                }
            }
        }
        for (b, p) in bodies.iter_mut().zip(&pulls) {
            b.speed += *p * 0.1;
            b.at += b.speed * 0.1;
        }
    }
    let mut energy = 0.0;
    for b in &bodies {
        energy += 0.5 * b.mass * b.speed.norm2() + b.at % b.at;
    }
    energy
}

#[differentiable]
fn chosen(x: &[f64], a: f64) -> f64 {
    let (p, q) = (V2::new(x[0], x[1]), V2::new(a, x[2]));
    let r = if x[3] > a { p } else { p * q };
    let parts = [p, q, r];
    let t = parts.iter().fold(V2::new(1.0, 0.0), |s, v| s * *v + p.mid(q));
    let most = parts.iter().map(|v| v.norm2()).fold(0.0, f64::max);
    let opt = Some(q - p).map_or(1.0, |d| d % r);
    t.norm2() + most * opt
}

#[differentiable]
fn named_trait(x: &[f64], a: f64) -> f64 {
    let (p, q) = (V2::new(x[0], x[1]), V2::new(a, x[2]));
    let twice = |v: V2| v + v;
    let sum = [p, q, twice(p)].into_iter().fold(V2::new(0.0, a), Add::add);
    std::ops::Neg::neg(sum) % q
}

#[differentiable]
fn equal(x: &[f64], a: f64) -> f64 {
    let (p, q) = (V2::new(x[0], x[1]), V2::new(a, x[2]));
    if p == q { a } else { (p * q).x }
}

// by reference, not `Copy`, of any length
#[derive(Clone, Debug, Differentiable)]
struct Poly {
    c: Vec<f64>,
}

#[differentiable]
impl<'a> Mul<&'a Poly> for &Poly {
    type Output = Poly;

    fn mul(self, o: &'a Poly) -> Poly {
        let mut c = vec![0.0; self.c.len() + o.c.len() - 1];
        for i in 0..self.c.len() {
            for j in 0..o.c.len() {
                c[i + j] += self.c[i] * o.c[j];
            }
        }
        Poly { c }
    }
}

#[differentiable]
impl Add<Poly> for Poly {
    type Output = Poly;

    fn add(self, o: Poly) -> Poly {
        let n = self.c.len().max(o.c.len());
        let mut c = vec![0.0; n];
        for i in 0..n {
            c[i] = self.c.get(i).map_or(0.0, |t| *t) + o.c.get(i).map_or(0.0, |t| *t);
        }
        Poly { c }
    }
}

#[differentiable]
impl Poly {
    fn at(&self, x: f64) -> f64 {
        self.c.iter().rev().fold(0.0, |s, c| s * x + c)
    }
}

#[differentiable]
fn of_any_length(x: &[f64], a: f64) -> f64 {
    let p = Poly { c: vec![x[0], x[1], a] };
    let q = Poly { c: vec![x[2], 1.0] };
    let mut product = Poly { c: vec![1.0] };
    for _ in 0..3 {
        product = &product * &q;
        product = product.clone() + p.clone();
    }
    (&product * &p).at(a) + p.at(x[3])
}

#[derive(Clone, Differentiable)]
struct Pair {
    p: Poly,
    q: Poly,
}

#[differentiable]
fn of_any_length_in_fields(x: &[f64], a: f64) -> f64 {
    let mut pair = Pair { p: Poly { c: vec![x[0], x[1], a] }, q: Poly { c: vec![x[2], 1.0] } };
    for _ in 0..3 {
        pair.p = &pair.p * &pair.q;
        pair.q = pair.q.clone() + Poly { c: vec![x[3] * a] };
    }
    pair.p.at(a) + pair.q.at(x[4])
}

// generic over the number
#[derive(Clone, Copy, Differentiable)]
struct Dual<T> {
    re: T,
    eps: T,
}

#[differentiable]
impl<T: Float> Mul for Dual<T> {
    type Output = Dual<T>;

    fn mul(self, o: Self) -> Dual<T> {
        Self { re: self.re * o.re, eps: self.re * o.eps + self.eps * o.re }
    }
}

#[differentiable]
impl<T> Add<T> for Dual<T>
where
    T: Float,
{
    type Output = Self;

    fn add(self, k: T) -> Self {
        Dual { re: self.re + k, eps: self.eps }
    }
}

#[differentiable]
fn of_a_generic_type(x: &[f64], a: f64) -> f64 {
    let d = Dual { re: x[0], eps: 1.0 };
    let e = d * d * Dual { re: a, eps: x[1] } + x[2];
    e.re * x[3] + e.eps
}

#[differentiable]
fn square<T: Float>(d: Dual<T>, k: T) -> Dual<T> {
    d * d + k
}

#[differentiable]
fn in_a_generic_function(x: &[f64], a: f64) -> f64 {
    let d = square(Dual { re: x[0], eps: a }, x[1]);
    d.re * d.eps
}

// const generics
#[derive(Clone, Copy, Differentiable)]
struct Vector<const N: usize>([f64; N]);

#[differentiable]
impl<const N: usize> Sub for Vector<N> {
    type Output = Self;

    fn sub(self, o: Self) -> Self {
        let mut c = self;
        for i in 0..N {
            c.0[i] -= o.0[i];
        }
        c
    }
}

#[differentiable]
impl<const N: usize> Mul for &Vector<N> {
    type Output = f64;

    fn mul(self, o: Self) -> f64 {
        self.0.iter().zip(&o.0).map(|(a, b)| a * b).sum()
    }
}

#[differentiable]
fn of_a_size(x: &[f64], a: f64) -> f64 {
    let (p, q) = (Vector([x[0], a, x[1]]), Vector([x[2], x[3], 1.0]));
    let d = p - q;
    &d * &p
}

// with a whole number
#[derive(Clone, Copy, Differentiable)]
struct Length(f64);

#[differentiable]
impl Mul<u32> for Length {
    type Output = Length;

    fn mul(self, n: u32) -> Length {
        Length(self.0 * n as f64)
    }
}

#[differentiable]
fn with_a_whole_number(x: &[f64], a: f64) -> f64 {
    let n = 3u32;
    let l = Length(x[0] * a) * n;
    (l * 2).0 * x[1]
}

// of a module, with all that is in it
#[differentiable]
mod inner {
    use cotangent::Differentiable;
    use std::ops::Add;

    #[derive(Clone, Copy, Differentiable)]
    pub(super) struct Weight(pub(super) f64);

    impl Add for Weight {
        type Output = Weight;

        fn add(self, o: Weight) -> Weight {
            let add = |a: f64, b: f64| a + b * a;
            Weight(add(self.0, o.0))
        }
    }

    impl Add<&Weight> for &Weight {
        type Output = Weight;

        fn add(self, o: &Weight) -> Weight {
            *self + *o
        }
    }

    pub(super) fn total(a: Weight, b: Weight) -> f64 {
        (a + b).0 + (&a + &b).0
    }
}

#[differentiable]
fn in_a_module(x: &[f64], a: f64) -> f64 {
    inner::total(inner::Weight(x[0] * a), inner::Weight(x[1])) * x[2]
}

checked! {
    by_value by_value_value_and_grad by_value_jvp;
    in_place in_place_value_and_grad in_place_jvp;
    in_fields_and_elements in_fields_and_elements_value_and_grad in_fields_and_elements_jvp;
    chosen chosen_value_and_grad chosen_jvp;
    named_trait named_trait_value_and_grad named_trait_jvp;
    equal equal_value_and_grad equal_jvp;
    of_any_length of_any_length_value_and_grad of_any_length_jvp;
    of_any_length_in_fields of_any_length_in_fields_value_and_grad of_any_length_in_fields_jvp;
    of_a_generic_type of_a_generic_type_value_and_grad of_a_generic_type_jvp;
    in_a_generic_function in_a_generic_function_value_and_grad in_a_generic_function_jvp;
    of_a_size of_a_size_value_and_grad of_a_size_jvp;
    with_a_whole_number with_a_whole_number_value_and_grad with_a_whole_number_jvp;
    in_a_module in_a_module_value_and_grad in_a_module_jvp;
}
