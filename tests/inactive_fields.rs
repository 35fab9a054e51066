//! Fields without a derivative: enums, structs and options that are not differentiable themselves, and what is in them.

mod bodies;

use cotangent::{Differentiable, differentiable};

#[derive(Clone, Copy, PartialEq)]
enum Act {
    Tanh,
    Relu,
    Leaky(f64),
    Two { a: f64, b: f64 },
}

#[derive(Clone)]
struct Settings {
    rate: f64,
    n: usize,
    dims: (usize, f64),
}

#[derive(Clone, Differentiable)]
struct Layer {
    w: f64,
    #[inactive]
    act: Act,
    #[inactive]
    scale: Option<f64>,
    #[inactive]
    settings: Settings,
}

fn of(act: Act, scale: Option<f64>) -> Settings {
    let n = if act == Act::Relu { 2 } else { 3 };
    Settings { rate: 0.1, n, dims: (2, scale.unwrap_or(0.5)) }
}

#[differentiable]
impl Layer {
    fn by_match(&self, z: f64) -> f64 {
        match self.act {
            Act::Tanh => z.tanh() * self.w,
            Act::Relu => z.max(0.0),
            Act::Leaky(a) => {
                if z > 0.0 {
                    z
                } else {
                    a * z * self.w
                }
            }
            Act::Two { a, b } => a * z + b,
        }
    }

    fn by_reference(&self, z: f64) -> f64 {
        match &self.act {
            Act::Leaky(a) if z < 0.0 => a * z * self.w,
            Act::Two { a, .. } => *a * z,
            _ => z * z,
        }
    }

    fn by_let(&self, z: f64) -> f64 {
        if let Act::Leaky(a) = self.act { a * z * self.w } else { z }
    }

    fn by_option(&self, z: f64) -> f64 {
        match self.scale {
            Some(a) if a > 0.0 => a * z * self.w,
            Some(b) => b,
            None => z * self.w,
        }
    }

    fn by_default(&self, z: f64) -> f64 {
        self.scale.map_or(z, |s| s * z) * self.w * self.scale.unwrap_or(2.0)
    }

    fn by_fields(&self, z: f64) -> f64 {
        let Settings { rate, n, .. } = &self.settings;
        let (k, s) = self.settings.dims;
        self.w * z * rate * *n as f64 + s * k as f64 * self.settings.rate
    }
}

#[differentiable(wrt(z))]
fn through(acts: &[Act], z: f64) -> f64 {
    acts.iter().fold(z, |z, act| match act {
        Act::Tanh => z.tanh(),
        Act::Leaky(a) => {
            if z > 0.0 {
                z
            } else {
                a * z
            }
        }
        Act::Two { a, b } => a * z + b,
        Act::Relu => z.max(0.0),
    })
}

#[differentiable(wrt(z))]
fn applied(act: Act, z: f64) -> f64 {
    match act {
        Act::Tanh => z.tanh(),
        Act::Relu => z.max(0.0),
        Act::Leaky(a) => {
            let s = a * 2.0;
            if z > 0.0 { z } else { s * z }
        }
        Act::Two { a, b } => a * z + b,
    }
}

#[derive(Clone, Copy, Differentiable)]
struct Vector {
    v: [f64; 3],
    n: f64,
}

#[differentiable]
impl Vector {
    fn scaled(self, k: f64) -> Vector {
        Vector { v: self.v.map(|c| c * k), ..self }
    }

    fn norm(&self) -> f64 {
        self.v.map(|c| c * c).iter().sum::<f64>().sqrt()
    }

    fn negated(self) -> Vector {
        Vector { v: self.v.map(|c| -c), n: self.n }
    }
}

#[differentiable]
fn three(a: f64, b: f64) -> [f64; 3] {
    [a + b, a * b, a - b]
}

bodies! {
    by_match(x): {
        let (act, scale) = (Act::Leaky(0.1), Some(0.7));
        let l = Layer { w: x[0], act, scale, settings: of(act, scale) };
        let (act, scale) = (Act::Two { a: 0.5, b: 2.0 }, None);
        let m = Layer { w: x[1], act, scale, settings: of(act, scale) };
        l.by_match(x[1]) * l.by_match(x[2]) + m.by_match(x[3]) * m.by_match(-0.5 * x[0])
    }
    by_reference(x): {
        let (act, scale) = (Act::Leaky(0.1), Some(0.7));
        let l = Layer { w: x[0], act, scale, settings: of(act, scale) };
        let (act, scale) = (Act::Two { a: 0.5, b: 2.0 }, None);
        let m = Layer { w: x[1], act, scale, settings: of(act, scale) };
        l.by_reference(x[1]) * l.by_reference(x[2]) + m.by_reference(x[3]) * m.by_reference(-0.5 * x[0])
    }
    by_let(x): {
        let (act, scale) = (Act::Leaky(0.1), Some(0.7));
        let l = Layer { w: x[0], act, scale, settings: of(act, scale) };
        let (act, scale) = (Act::Two { a: 0.5, b: 2.0 }, None);
        let m = Layer { w: x[1], act, scale, settings: of(act, scale) };
        l.by_let(x[1]) * l.by_let(x[2]) + m.by_let(x[3]) * m.by_let(-0.5 * x[0])
    }
    by_option(x): {
        let (act, scale) = (Act::Leaky(0.1), Some(0.7));
        let l = Layer { w: x[0], act, scale, settings: of(act, scale) };
        let (act, scale) = (Act::Two { a: 0.5, b: 2.0 }, None);
        let m = Layer { w: x[1], act, scale, settings: of(act, scale) };
        l.by_option(x[1]) * l.by_option(x[2]) + m.by_option(x[3]) * m.by_option(-0.5 * x[0])
    }
    by_default(x): {
        let (act, scale) = (Act::Leaky(0.1), Some(0.7));
        let l = Layer { w: x[0], act, scale, settings: of(act, scale) };
        let (act, scale) = (Act::Two { a: 0.5, b: 2.0 }, None);
        let m = Layer { w: x[1], act, scale, settings: of(act, scale) };
        l.by_default(x[1]) * l.by_default(x[2]) + m.by_default(x[3]) * m.by_default(-0.5 * x[0])
    }
    by_fields(x): {
        let (act, scale) = (Act::Leaky(0.1), Some(0.7));
        let l = Layer { w: x[0], act, scale, settings: of(act, scale) };
        let (act, scale) = (Act::Two { a: 0.5, b: 2.0 }, None);
        let m = Layer { w: x[1], act, scale, settings: of(act, scale) };
        l.by_fields(x[1]) * l.by_fields(x[2]) + m.by_fields(x[3]) * m.by_fields(-0.5 * x[0])
    }
    handed_in_an_array(x): {
        through(&[Act::Leaky(0.1), Act::Tanh, Act::Two { a: 0.3, b: 1.0 }], x[1]) * x[0]
    }
    handed(x): {
        applied(Act::Leaky(0.1), x[2]) * applied(Act::Tanh, x[2]) + applied(Act::Two { a: 2.0, b: 1.0 }, x[0])
    }
    over_an_array(x): {
        let acts = [Act::Leaky(0.1), Act::Tanh, Act::Relu, Act::Two { a: 0.3, b: 1.0 }];
        let mut z = x[0] * x[1];
        for act in &acts {
            z = match act {
                Act::Tanh => z.tanh(),
                Act::Leaky(a) => if z > 0.0 { z } else { a * z },
                Act::Two { a, b } => a * z + b,
                Act::Relu => z.max(0.0),
            } + x[2];
        }
        z
    }
    mapped_fields(x): {
        let a = Vector { v: [x[0], x[1], x[2]], n: x[3] };
        let b = a.scaled(x[3]).negated();
        b.norm() + b.v[0] * a.n + a.v.map(f64::sin)[2]
    }
    mapped_result(x): {
        let t = three(x[0], x[1]);
        let m = t.map(|c| c * x[2]);
        m[0] * m[1] + t[2]
    }
}
