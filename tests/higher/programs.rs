//! The same for simulations with state, for what is called in many ways, and for whole arrays.

use cotangent::{Differentiable, differentiable};
use ndarray::{Array1, Array2, Axis, s};

use super::agree::{Companions, agree};

#[derive(Differentiable, Clone)]
struct S {
    pos: [f64; 2],
    vel: Vec<f64>,
    k: f64,
    #[allow(dead_code)]
    log: Vec<String>,
}
impl S {
    #[differentiable(order = 2)]
    fn new(a: f64, b: f64) -> Self {
        S { pos: [a, b * a], vel: vec![b, a], k: a * b, log: vec![] }
    }
    #[differentiable(order = 2)]
    fn step(&mut self, dt: f64) -> f64 {
        for i in 0..2 {
            self.vel[i] -= dt * self.k * self.pos[i].sin();
            self.pos[i] += dt * self.vel[i];
        }
        self.vel[0] * self.vel[1]
    }
    #[differentiable(order = 2)]
    fn energy(&self) -> f64 {
        self.vel.iter().map(|v| v * v).sum::<f64>() * 0.5 + self.k * self.pos[0] * self.pos[1]
    }
    #[differentiable(order = 2)]
    fn kick(&mut self, by: &[f64]) {
        for (v, b) in self.vel.iter_mut().zip(by) {
            *v += b * self.k;
        }
    }
    #[differentiable(order = 2)]
    fn at(&self, i: usize, t: f64) -> f64 {
        self.pos[i] * t + self.vel[i] * t * t
    }
}
#[differentiable(order = 2, hvp, hessian, jacobian)]
fn perhaps(x: &[f64]) -> f64 {
    let mut s = S::new(x[0], x[1]);
    let mut e = 0.0;
    for i in 0..3 {
        e += s.step(x[2]) * s.at(i % 2, x[0]);
        s.kick(&x[..2]);
        let t = s.energy() * e;
        e += t;
        s.k *= 1.0 + x[2];
    }
    e + s.energy()
}
#[differentiable(order = 2, hvp, hessian, jacobian)]
fn vec_of_structs(x: &[f64]) -> f64 {
    let mut v: Vec<S> = Vec::new();
    for i in 0..3 {
        v.push(S::new(x[i], x[(i + 1) % 3]));
    }
    v[1].pos[0] *= v[0].k;
    let first = v[0].clone();
    let mut e = 0.0;
    for s in &v {
        e += s.energy() * first.pos[1];
    }
    e + v[2].at(1, x[0])
}
#[differentiable(order = 2)]
fn turbo<const N: usize>(a: &[f64; N], n: usize, k: f64) -> f64 {
    let mut s = 0.0;
    for i in 0..N {
        s += a[i] * k.powi((i + n) as i32);
    }
    s
}
#[differentiable(order = 2, hvp, hessian, jacobian)]
fn const_generics(x: &[f64]) -> f64 {
    turbo(&[x[0], x[1], x[0] * x[1]], 2, x[1]) + turbo(&[x[0]; 2], 1, x[0])
}
#[differentiable(order = 2)]
fn with_wrt_inner(a: f64, b: f64) -> f64 {
    a * b * b
}
#[differentiable(order = 2, wrt(b))]
fn with_wrt(a: f64, b: f64) -> f64 {
    a * b.exp()
}
#[differentiable(order = 2, hvp, hessian, jacobian)]
fn left_out(x: &[f64]) -> f64 {
    with_wrt(3.0, x[0] * x[1]) * with_wrt_inner(x[0], x[1])
}
#[differentiable(order = 2, hvp, hessian, jacobian)]
fn nested_items(x: &[f64]) -> f64 {
    const K: f64 = 2.0;
    #[differentiable(order = 2)]
    fn inner(t: f64, u: f64) -> f64 {
        t * t.sin() * K * u
    }
    let mut i = 0;
    let mut acc = vec![x[0]];
    'outer: loop {
        for j in 0..3 {
            i += 1;
            let last = acc[acc.len() - 1];
            acc.push(inner(last, x[1]) + j as f64 * x[0]);
            if i > 5 {
                break 'outer;
            }
            if j == 1 && i == 2 {
                continue 'outer;
            }
        }
    }
    while let Some(t) = acc.pop() {
        if acc.len() < 3 {
            return t * inner(x[0], t) + acc[0] * acc[1];
        }
    }
    0.0
}
fn checked(x: f64) {
    assert!(x.is_finite());
}
#[differentiable(order = 2, hvp, hessian, jacobian)]
fn verbatim(x: &[f64]) -> f64 {
    let mut names = std::collections::HashMap::new();
    names.insert("a", 2usize);
    let n = names["a"];
    checked(x[0]);
    assert!(x.len() == 2, "two");
    let mut s = x[0];
    for (k, v) in [("p", 1.5), ("q", 0.5)] {
        if k == "p" {
            s *= v * x[1];
        } else {
            s += v * s * s;
        }
    }
    s * n as f64
}
#[differentiable(order = 2, hvp, hessian, jacobian)]
fn arrays2(x: &[f64]) -> f64 {
    let mut m = Array2::<f64>::zeros((3, 3));
    for i in 0..3 {
        for j in 0..3 {
            m[[i, j]] = x[i] * x[j] + x[3];
        }
    }
    m[[1, 1]] *= x[0];
    let r = m.row(1).to_owned();
    let c = m.column(2).to_owned();
    let sl = m.slice(s![0..2, 1..3]).to_owned();
    let k = x[1];
    let q = sl.mapv(|t| (t * k).tanh());
    let d = r.dot(&c);
    let inv = m.map(|t| 1.0 / (1.0 + t * t));
    let mm = &m.dot(&inv) - &m.t();
    let mut o = Array1::<f64>::zeros(3);
    for (i, row) in mm.outer_iter().enumerate() {
        o[i] = row.sum() * k;
    }
    o += &(&r * 2.0);
    let e = (&o * &c).sum() / (1.0 + o.mapv(|t| t * t).sum().sqrt());
    q.sum() * d
        + e
        + mm.iter().map(|t| t * t).sum::<f64>()
        + m.sum_axis(Axis(1)).iter().zip(r.iter()).map(|(a, b)| a * b).sum::<f64>()
}
#[differentiable(order = 2)]
fn layer(w: &Array2<f64>, b: &Array1<f64>, h: &Array1<f64>) -> Array1<f64> {
    (w.dot(h) + b).mapv(|t| if t > 0.0 { t } else { 0.1 * t })
}
#[differentiable(order = 2, hvp, hessian, jacobian)]
fn network(x: &[f64]) -> f64 {
    let w = Array2::from_shape_fn((2, 2), |(i, j)| x[2 * i + j]);
    let b = Array1::from(vec![x[4], x[5]]);
    let mut h = Array1::from(vec![0.3, -0.7]);
    for _ in 0..3 {
        h = layer(&w, &b, &h);
    }
    let z = h.mapv(f64::exp);
    -(z[0] / z.sum()).ln() + w.iter().map(|t| t * t).sum::<f64>()
}
#[differentiable(order = 2)]
fn opt(o: Option<f64>, b: Box<f64>, t: (f64, usize, f64)) -> (f64, usize) {
    let v = match o {
        Some(v) => v * v,
        None => 1.0,
    };
    (v * *b * t.0 * t.2.sin(), t.1 + 1)
}
#[differentiable(order = 2, hvp, hessian, jacobian)]
fn containers(x: &[f64]) -> f64 {
    let (a, n) = opt(Some(x[0]), Box::new(x[1] * x[2]), (x[0], 2, x[2]));
    let (b, _) = opt(None, Box::new(a), (x[1], n, a));
    a * b * n as f64
}
#[differentiable(order = 2)]
fn integrate(f: &dyn Fn(f64) -> f64, a: f64, b: f64, n: usize) -> f64 {
    let h = (b - a) / n as f64;
    let mut s = 0.5 * (f(a) + f(b));
    for i in 1..n {
        s += f(a + i as f64 * h);
    }
    s * h
}
#[differentiable(order = 2)]
fn newton<F: Fn(f64) -> f64>(f: F, x0: f64) -> f64 {
    let mut x = x0;
    for _ in 0..3 {
        x -= 0.3 * f(x);
    }
    x
}
#[differentiable(order = 2)]
fn twice_over(f: impl Fn(f64) -> f64, x: f64) -> f64 {
    newton(|t| f(t) * x, x) + integrate(&|t| f(t) + t * x, 0.0, x, 3)
}
#[differentiable(order = 2, hvp, hessian, jacobian)]
fn functionals(x: &[f64]) -> f64 {
    let k = x[0];
    integrate(&|t| (k * t).sin() * x[1], x[0], x[1], 4) + newton(|t| t * t - k, x[1]) + twice_over(|t| t * k, x[1])
}
#[differentiable(order = 2)]
fn even(x: f64, n: u32) -> f64 {
    if n == 0 { x } else { odd(x * x * 0.5, n - 1) }
}
#[differentiable(order = 2)]
fn odd(x: f64, n: u32) -> f64 {
    if n == 0 { x.sin() } else { even(x.cos(), n - 1) * x }
}
#[differentiable(order = 2, hvp, hessian, jacobian)]
fn mutual(x: &[f64]) -> f64 {
    even(x[0], 4) * odd(x[1], 3)
}
#[differentiable(order = 2)]
fn hidden_order(x: &[f64], y: &mut [f64], scratch: &mut Vec<f64>) {
    scratch.clear();
    scratch.extend_from_slice(x);
    for i in 0..y.len() {
        y[i] += scratch[i] * x[0];
        scratch[i] *= y[i];
    }
}
#[differentiable(order = 2, hvp, hessian, jacobian)]
fn buffers(x: &[f64]) -> f64 {
    let mut y = [x[1]; 2];
    let mut sc = vec![0.0; 2];
    hidden_order(x, &mut y, &mut sc);
    hidden_order(&sc.clone(), &mut y, &mut sc);
    y[0] * y[1] + sc[0]
}

#[test]
fn perhaps_agree() {
    agree! {
        perhaps perhaps_grad perhaps_hessian perhaps_hvp perhaps_jvp_jvp perhaps_jvp_vjp perhaps_grad_jvp perhaps_grad_vjp perhaps_value_and_grad_vjp
        perhaps_jacobian at [0.7, 1.3, 0.2]
    }
}

#[test]
fn vec_of_structs_agree() {
    agree! {
        vec_of_structs vec_of_structs_grad vec_of_structs_hessian vec_of_structs_hvp vec_of_structs_jvp_jvp vec_of_structs_jvp_vjp vec_of_structs_grad_jvp vec_of_structs_grad_vjp vec_of_structs_value_and_grad_vjp
        vec_of_structs_jacobian at [0.7, 1.3, 0.2]
    }
}

#[test]
fn const_generics_agree() {
    agree! {
        const_generics const_generics_grad const_generics_hessian const_generics_hvp const_generics_jvp_jvp const_generics_jvp_vjp const_generics_grad_jvp const_generics_grad_vjp const_generics_value_and_grad_vjp
        const_generics_jacobian at [0.7, 1.3]
    }
}

#[test]
fn left_out_agree() {
    agree! {
        left_out left_out_grad left_out_hessian left_out_hvp left_out_jvp_jvp left_out_jvp_vjp left_out_grad_jvp left_out_grad_vjp left_out_value_and_grad_vjp
        left_out_jacobian at [0.7, 1.3]
    }
}

#[test]
fn nested_items_agree() {
    agree! {
        nested_items nested_items_grad nested_items_hessian nested_items_hvp nested_items_jvp_jvp nested_items_jvp_vjp nested_items_grad_jvp nested_items_grad_vjp nested_items_value_and_grad_vjp
        nested_items_jacobian at [0.7, 1.3]
    }
}

#[test]
fn verbatim_agree() {
    agree! {
        verbatim verbatim_grad verbatim_hessian verbatim_hvp verbatim_jvp_jvp verbatim_jvp_vjp verbatim_grad_jvp verbatim_grad_vjp verbatim_value_and_grad_vjp
        verbatim_jacobian at [0.7, 1.3]
    }
}

#[test]
fn arrays2_agree() {
    agree! {
        arrays2 arrays2_grad arrays2_hessian arrays2_hvp arrays2_jvp_jvp arrays2_jvp_vjp arrays2_grad_jvp arrays2_grad_vjp arrays2_value_and_grad_vjp
        arrays2_jacobian at [0.7, 1.3, 0.4, 0.9]
    }
}

#[test]
fn network_agree() {
    agree! {
        network network_grad network_hessian network_hvp network_jvp_jvp network_jvp_vjp network_grad_jvp network_grad_vjp network_value_and_grad_vjp
        network_jacobian at [0.7, 1.3, -0.4, 0.9, 0.1, -0.8]
    }
}

#[test]
fn containers_agree() {
    agree! {
        containers containers_grad containers_hessian containers_hvp containers_jvp_jvp containers_jvp_vjp containers_grad_jvp containers_grad_vjp containers_value_and_grad_vjp
        containers_jacobian at [0.7, 1.3, 0.4]
    }
}

#[test]
fn functionals_agree() {
    agree! {
        functionals functionals_grad functionals_hessian functionals_hvp functionals_jvp_jvp functionals_jvp_vjp functionals_grad_jvp functionals_grad_vjp functionals_value_and_grad_vjp
        functionals_jacobian at [0.7, 1.3]
    }
}

#[test]
fn mutual_agree() {
    agree! {
        mutual mutual_grad mutual_hessian mutual_hvp mutual_jvp_jvp mutual_jvp_vjp mutual_grad_jvp mutual_grad_vjp mutual_value_and_grad_vjp
        mutual_jacobian at [0.7, 1.3]
    }
}

#[test]
fn buffers_agree() {
    agree! {
        buffers buffers_grad buffers_hessian buffers_hvp buffers_jvp_jvp buffers_jvp_vjp buffers_grad_jvp buffers_grad_vjp buffers_value_and_grad_vjp
        buffers_jacobian at [0.7, 1.3]
    }
}
