//! The second derivatives of functions of every form: the Hessian is that of differences of the gradient, it is symmetric,
//! and all companions agree on it.

use cotangent::{Differentiable, differentiable};
use ndarray::{Array1, Array2, Axis};

use super::agree::{Companions, agree};

#[differentiable(order = 2, hvp, hessian, jacobian)]
fn scalars(x: &[f64]) -> f64 {
    let (a, b, c) = (x[0], x[1], x[2]);
    let t = a.sin() * b.cos()
        + c.tan().atan()
        + (a * b).exp() / c.ln_1p()
        + a.asin().acos()
        + b.hypot(c).sqrt()
        + a.atan2(b);
    t * a.powf(b) + c.powi(3) - b.cbrt()
        + a.tanh().sinh().cosh()
        + b.log(c + 1.0)
        + c.log2() * a.log10()
        + a.asinh()
        + b.acosh()
        + (a * 0.5).atanh()
        + a.mul_add(b, c)
        + a.recip()
        + a.exp_m1()
        + b.exp2()
        + a.to_degrees() * 0.01
        + (a - b).abs() * c
        + a.max(b) * c.min(a)
        + a.clamp(0.1, 5.0) * b % 7.0
        + a.rem_euclid(b)
}
#[differentiable(order = 2)]
fn helper(a: f64, n: usize, b: f64) -> f64 {
    let mut s = a;
    for k in 0..n {
        s = s * b + (a * k as f64).sin();
    }
    s
}
#[differentiable(order = 2, hvp, hessian, jacobian)]
fn calls(x: &[f64]) -> f64 {
    let mut s = 0.0;
    for i in 0..x.len() {
        s += helper(x[i], i + 1, x[0]) * x[(i + 1) % 3];
    }
    s
}
#[differentiable(order = 2)]
fn fill(u: &mut [f64], k: f64) {
    for i in 0..u.len() {
        u[i] = u[i] * u[i] * k + (i as f64) * k * k;
    }
}
#[differentiable(order = 2)]
fn fill2(u: &mut Vec<f64>, k: f64) -> f64 {
    let mut t = 0.0;
    for v in u.iter_mut() {
        *v = *v * k;
        t += *v * *v;
    }
    u.push(t);
    t * k
}
#[differentiable(order = 2, hvp, hessian, jacobian)]
fn inplace(x: &[f64]) -> f64 {
    let mut u = x.to_vec();
    fill(&mut u, x[1]);
    let t = fill2(&mut u, x[0]);
    u[0] * u[1] * u[2] * u[3] + t
}
#[differentiable(order = 2)]
fn bump(a: &mut f64, k: f64) {
    *a = *a * *a * k;
}
#[differentiable(order = 2, hvp, hessian, jacobian)]
fn scalar_inplace(x: &[f64]) -> f64 {
    let mut a = x[0];
    bump(&mut a, x[1]);
    let k = a * x[0];
    bump(&mut a, k);
    a
}
#[derive(Differentiable, Clone)]
struct P {
    m: f64,
    q: [f64; 2],
    #[allow(dead_code)]
    tag: usize,
    v: Vec<f64>,
}
impl P {
    #[differentiable(order = 2)]
    fn energy(&self, k: f64) -> f64 {
        self.m * k * k + self.q[0] * self.q[1] * self.m + self.v.iter().map(|t| t * t * k).sum::<f64>()
    }
    #[differentiable(order = 2)]
    fn step(&mut self, dt: f64) {
        self.q[0] += dt * self.q[1] * self.m;
        self.v[0] *= self.q[0];
    }
}
#[differentiable(order = 2, hvp, hessian, jacobian)]
fn structs(x: &[f64]) -> f64 {
    let mut p = P { m: x[0], q: [x[1], x[2] * x[0]], tag: 3, v: x.to_vec() };
    p.m *= x[2];
    p.q[1] += x[1] * x[1];
    p.v[1] = p.m * p.q[0];
    p.step(x[0]);
    let p = p;
    p.energy(x[1]) + p.v[1] * p.v[0]
}
#[differentiable(order = 2)]
fn make(a: f64, b: f64) -> P {
    P { m: a * b, q: [a, b * b], tag: 1, v: vec![a; 2] }
}
#[differentiable(order = 2, hvp, hessian, jacobian)]
fn struct_results(x: &[f64]) -> f64 {
    let p = make(x[0], x[1]);
    let q = P { m: x[2], ..p.clone() };
    p.energy(x[2]) * q.energy(p.m) + q.q[1]
}
trait Pot: Differentiable {
    #[differentiable(order = 2)]
    fn pot(&self, t: f64) -> f64;
    #[differentiable(order = 2)]
    fn twice(&self, t: f64) -> f64
    where
        Self: Sized,
    {
        self.pot(t) * self.pot(t * t)
    }
}
#[derive(Differentiable, Clone)]
struct Q(f64);
#[differentiable(order = 2)]
impl Pot for Q {
    fn pot(&self, t: f64) -> f64 {
        (self.0 * t).sin()
    }
}
#[differentiable(order = 2)]
fn total<T: Pot + Differentiable>(p: &T, t: f64) -> f64 {
    p.pot(t) * p.twice(t)
}
#[differentiable(order = 2, hvp, hessian, jacobian)]
fn traits(x: &[f64]) -> f64 {
    let q = Q(x[0] * x[1]);
    q.pot(x[0]) + q.twice(x[1]) + total(&q, x[0] + x[1])
}
#[differentiable(order = 2)]
fn generic<T: num_traits::Float>(a: T, b: T, n: usize) -> T {
    let mut s = a;
    for _ in 0..n {
        s = s * b + (a * b).sin();
    }
    s
}
#[differentiable(order = 2)]
fn conster<const N: usize>(a: [f64; N], k: f64) -> [f64; N] {
    let mut r = a;
    for i in 0..N {
        r[i] = a[i] * a[(i + 1) % N] * k;
    }
    r
}
#[differentiable(order = 2, hvp, hessian, jacobian)]
fn generics(x: &[f64]) -> f64 {
    let r = conster([x[0], x[1], x[0] * x[1]], x[1]);
    generic(x[0], x[1], 3) * r[2] + r[0]
}
#[differentiable(order = 2, hvp, hessian, jacobian)]
fn closures(x: &[f64]) -> f64 {
    let k = x[0] * x[1];
    let f = |t: f64| k * t * t + x[2] * t;
    let mut acc = 0.0;
    let mut add = |t: f64| {
        acc += t * t * k;
    };
    for &t in x {
        add(f(t));
    }
    acc * f(x[1])
}
#[differentiable(order = 2)]
fn apply(f: impl Fn(f64) -> f64, t: f64) -> f64 {
    f(t) * f(t * t)
}
#[differentiable(order = 2)]
fn apply_n(f: &dyn Fn(f64, usize) -> f64, t: f64, n: usize) -> f64 {
    let mut s = 0.0;
    for i in 0..n {
        s += f(t, i) * s + f(s, i);
    }
    s
}
#[differentiable(order = 2)]
fn sq(t: f64) -> f64 {
    t * t * t.sin()
}
#[differentiable(order = 2, hvp, hessian, jacobian)]
fn higher_functions(x: &[f64]) -> f64 {
    let k = x[0] * x[1];
    apply(|t| k * t.sin(), x[0]) + apply(sq, x[1]) + apply_n(&|t, i| t * t * k * i as f64 * 0.1 + x[0], x[1], 3)
}
#[differentiable(order = 2, hvp, hessian, jacobian)]
fn iterators(x: &[f64]) -> f64 {
    let a: f64 = x.iter().zip(x.iter().skip(1)).map(|(a, b)| a * b * b).sum();
    let v: Vec<f64> =
        x.iter().rev().enumerate().filter(|(i, _)| i % 2 == 0).map(|(i, t)| t.powi(i as i32 + 1)).collect();
    let p: f64 = v.iter().product();
    let m = x.iter().fold(0.0, |s: f64, t| s * 0.5 + t * t * s.cos());
    let w: f64 = x.windows(2).map(|w| (w[1] - w[0]).powi(3)).sum();
    let c: f64 = x.chunks(2).map(|c| c[0] * c[1]).sum();
    a * p + m * w + c + v[0] * v[1]
}
#[differentiable(order = 2, hvp, hessian, jacobian)]
fn loops(x: &[f64]) -> f64 {
    let mut y = x[0];
    let mut n = 0;
    while y < 5.0 {
        y = y * x[1] + x[2] * x[2];
        n += 1;
        if n > 20 {
            break;
        }
    }
    let mut z = y;
    loop {
        z = z.sqrt() * x[1];
        if z < 2.5 {
            break;
        }
    }
    let mut a = vec![vec![0.0; 3]; 3];
    for i in 0..3 {
        for j in 0..3 {
            a[i][j] = x[i] * x[j] * z;
            if i > 0 {
                a[i][j] += a[i - 1][j] * a[i - 1][2 - j];
            }
        }
    }
    let mut s = 0.0;
    for r in &a {
        for t in r {
            if *t > 1.0 {
                s += t * t;
            } else {
                s -= t.sin() * x[0];
            }
        }
    }
    s.ln_1p() * y
}
#[differentiable(order = 2)]
fn rec(t: f64, n: u32) -> f64 {
    if n == 0 {
        t
    } else if n % 2 == 0 {
        rec(t * t, n - 1) + t
    } else {
        rec(t.sin(), n - 1) * t
    }
}
#[differentiable(order = 2, hvp, hessian, jacobian)]
fn recursion(x: &[f64]) -> f64 {
    rec(x[0] * x[1], 4) * x[1]
}
#[differentiable(order = 2, hvp, hessian, jacobian)]
fn arrays(x: &[f64]) -> f64 {
    let v = Array1::from(x.to_vec());
    let m = Array2::from_shape_vec((2, 2), x.to_vec()).unwrap();
    let p = m.dot(&m.t()) * x[0] + &m;
    let s = p.sum_axis(Axis(0)).mapv(|t| t * t * x[1]);
    let q = (&v * &v).mapv(f64::sin);
    let e = v.mapv(|t| if t > 1.0 { t * t } else { t.sin() });
    s.sum()
        + q.dot(&v)
        + p.mean().unwrap() * v.product()
        + v.var(0.0)
        + v.std(1.0) * e.sum()
        + (&v / v.sum()).mapv(|t| t.powi(2)).sum()
}
#[differentiable(order = 2, hvp, hessian, jacobian)]
fn options(x: &[f64]) -> f64 {
    let o = if x[0] > 0.5 { Some(x[1] * x[1]) } else { None };
    let t = if let Some(t) = o { t * x[2] } else { x[0] };
    let u = x.iter().copied().find(|t| *t < 0.5).map(|t| t * t).unwrap_or(x[0]);
    let m = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let r = match o {
        Some(v) if v > 1.0 => v * u * m,
        Some(v) => v,
        None => 0.0,
    };
    r + t * t
}
#[differentiable(order = 2, hvp, hessian, jacobian)]
fn tuples(x: &[f64]) -> f64 {
    let (mut a, b) = ((x[0] * x[1], x[2]), [x[0], x[1] * x[2]]);
    a.0 *= b[1];
    std::mem::swap(&mut a.0, &mut a.1);
    let mut v = b.to_vec();
    v.push(a.0);
    v.swap(0, 2);
    v[1..].fill(a.1);
    let l = v.len() as f64;
    let mut w = vec![0.0; 3];
    w.copy_from_slice(&v);
    w[0] *= v[1];
    w.pop().unwrap() * w[0] * l + a.0 * a.1
}
#[derive(Differentiable, Clone)]
enum Shape {
    Circle(f64),
    Rect { w: f64, h: f64 },
    Empty,
}
#[differentiable(order = 2)]
fn area(s: &Shape, k: f64) -> f64 {
    match s {
        Shape::Circle(r) => r * r * k,
        Shape::Rect { w, h } => w * h * k * k,
        Shape::Empty => 0.0,
    }
}
#[differentiable(order = 2, hvp, hessian, jacobian)]
fn enums(x: &[f64]) -> f64 {
    let mut s = 0.0;
    for i in 0..3 {
        let sh = if i == 0 {
            Shape::Circle(x[0] * x[1])
        } else if i == 1 {
            Shape::Rect { w: x[1], h: x[2] * x[0] }
        } else {
            Shape::Empty
        };
        s += area(&sh, x[i]) * x[0];
    }
    s
}

#[test]
fn scalars_agree() {
    agree! {
        scalars scalars_grad scalars_hessian scalars_hvp scalars_jvp_jvp scalars_jvp_vjp scalars_grad_jvp scalars_grad_vjp scalars_value_and_grad_vjp
        scalars_jacobian at [0.7, 1.3, 2.1]
    }
}

#[test]
fn calls_agree() {
    agree! {
        calls calls_grad calls_hessian calls_hvp calls_jvp_jvp calls_jvp_vjp calls_grad_jvp calls_grad_vjp calls_value_and_grad_vjp
        calls_jacobian at [0.7, 1.3, 2.1]
    }
}

#[test]
fn inplace_agree() {
    agree! {
        inplace inplace_grad inplace_hessian inplace_hvp inplace_jvp_jvp inplace_jvp_vjp inplace_grad_jvp inplace_grad_vjp inplace_value_and_grad_vjp
        inplace_jacobian at [0.7, 1.3, 2.1]
    }
}

#[test]
fn scalar_inplace_agree() {
    agree! {
        scalar_inplace scalar_inplace_grad scalar_inplace_hessian scalar_inplace_hvp scalar_inplace_jvp_jvp scalar_inplace_jvp_vjp scalar_inplace_grad_jvp scalar_inplace_grad_vjp scalar_inplace_value_and_grad_vjp
        scalar_inplace_jacobian at [0.7, 1.3]
    }
}

#[test]
fn structs_agree() {
    agree! {
        structs structs_grad structs_hessian structs_hvp structs_jvp_jvp structs_jvp_vjp structs_grad_jvp structs_grad_vjp structs_value_and_grad_vjp
        structs_jacobian at [0.7, 1.3, 2.1]
    }
}

#[test]
fn struct_results_agree() {
    agree! {
        struct_results struct_results_grad struct_results_hessian struct_results_hvp struct_results_jvp_jvp struct_results_jvp_vjp struct_results_grad_jvp struct_results_grad_vjp struct_results_value_and_grad_vjp
        struct_results_jacobian at [0.7, 1.3, 2.1]
    }
}

#[test]
fn traits_agree() {
    agree! {
        traits traits_grad traits_hessian traits_hvp traits_jvp_jvp traits_jvp_vjp traits_grad_jvp traits_grad_vjp traits_value_and_grad_vjp
        traits_jacobian at [0.7, 1.3]
    }
}

#[test]
fn generics_agree() {
    agree! {
        generics generics_grad generics_hessian generics_hvp generics_jvp_jvp generics_jvp_vjp generics_grad_jvp generics_grad_vjp generics_value_and_grad_vjp
        generics_jacobian at [0.7, 1.3]
    }
}

#[test]
fn closures_agree() {
    agree! {
        closures closures_grad closures_hessian closures_hvp closures_jvp_jvp closures_jvp_vjp closures_grad_jvp closures_grad_vjp closures_value_and_grad_vjp
        closures_jacobian at [0.7, 1.3, 0.4]
    }
}

#[test]
fn higher_functions_agree() {
    agree! {
        higher_functions higher_functions_grad higher_functions_hessian higher_functions_hvp higher_functions_jvp_jvp higher_functions_jvp_vjp higher_functions_grad_jvp higher_functions_grad_vjp higher_functions_value_and_grad_vjp
        higher_functions_jacobian at [0.7, 1.3]
    }
}

#[test]
fn iterators_agree() {
    agree! {
        iterators iterators_grad iterators_hessian iterators_hvp iterators_jvp_jvp iterators_jvp_vjp iterators_grad_jvp iterators_grad_vjp iterators_value_and_grad_vjp
        iterators_jacobian at [0.7, 1.3, 0.4, 2.0]
    }
}

#[test]
fn loops_agree() {
    agree! {
        loops loops_grad loops_hessian loops_hvp loops_jvp_jvp loops_jvp_vjp loops_grad_jvp loops_grad_vjp loops_value_and_grad_vjp
        loops_jacobian at [0.7, 1.3, 0.4]
    }
}

#[test]
fn recursion_agree() {
    agree! {
        recursion recursion_grad recursion_hessian recursion_hvp recursion_jvp_jvp recursion_jvp_vjp recursion_grad_jvp recursion_grad_vjp recursion_value_and_grad_vjp
        recursion_jacobian at [0.7, 1.3]
    }
}

#[test]
fn arrays_agree() {
    agree! {
        arrays arrays_grad arrays_hessian arrays_hvp arrays_jvp_jvp arrays_jvp_vjp arrays_grad_jvp arrays_grad_vjp arrays_value_and_grad_vjp
        arrays_jacobian at [0.7, 1.3, 0.4, 0.9]
    }
}

#[test]
fn options_agree() {
    agree! {
        options options_grad options_hessian options_hvp options_jvp_jvp options_jvp_vjp options_grad_jvp options_grad_vjp options_value_and_grad_vjp
        options_jacobian at [0.7, 1.3, 0.4]
    }
}

#[test]
fn tuples_agree() {
    agree! {
        tuples tuples_grad tuples_hessian tuples_hvp tuples_jvp_jvp tuples_jvp_vjp tuples_grad_jvp tuples_grad_vjp tuples_value_and_grad_vjp
        tuples_jacobian at [0.7, 1.3, 0.4]
    }
}

#[test]
fn enums_agree() {
    agree! {
        enums enums_grad enums_hessian enums_hvp enums_jvp_jvp enums_jvp_vjp enums_grad_jvp enums_grad_vjp enums_value_and_grad_vjp
        enums_jacobian at [0.7, 1.3, 0.4]
    }
}
