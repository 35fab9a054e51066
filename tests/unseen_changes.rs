//! Values that are changed where nothing of their types is visible: by closures that are handed over, and by methods whose
//! values are used.

mod bodies;

use cotangent::{Differentiable, differentiable};

#[differentiable]
fn make(x: &[f64]) -> Vec<f64> {
    x.iter().map(|v| v * v).collect()
}

#[differentiable]
fn four(x: &[f64]) -> [f64; 4] {
    [x[0] * x[0], x[1] * x[1], x[2], x[3] * x[0]]
}

#[differentiable]
fn each(n: usize, mut f: impl FnMut(usize) -> f64) -> f64 {
    let mut s = 0.0;
    for k in 0..n {
        if k == 3 {
            break;
        }
        s += f(k) * (k as f64 + 1.0);
    }
    s
}

#[differentiable]
fn run(n: usize, mut f: impl FnMut(usize)) {
    for k in 0..n {
        f(k);
    }
}

#[derive(Clone, Differentiable)]
struct Path {
    v: Vec<f64>,
    n: usize,
    s: f64,
}

#[differentiable]
fn path(x: &[f64]) -> Path {
    Path { v: make(x), n: 0, s: x[0] * 3.0 }
}

#[derive(Clone, Differentiable)]
struct Acc {
    s: f64,
    n: usize,
}

#[differentiable]
impl Acc {
    fn new() -> Acc {
        Acc { s: 0.0, n: 0 }
    }

    fn add(&mut self, t: f64) {
        self.s += t;
        self.n += 1;
    }

    fn put(&mut self, t: f64) -> f64 {
        self.s += t * t;
        self.n += 1;
        self.s
    }

    fn get(&self) -> f64 {
        self.s * self.s
    }

    fn done(self) -> f64 {
        self.s * self.n as f64
    }
}

fn plain(n: usize) -> Vec<f64> {
    (0..n).map(|k| k as f64 + 0.5).collect()
}

fn plain_acc() -> Acc {
    Acc { s: 1.0, n: 2 }
}

#[derive(Clone, Differentiable)]
struct Count(u64);

#[differentiable]
impl Count {
    fn weigh(&mut self, x: f64) -> f64 {
        self.0 += 1;
        x * x * self.0 as f64
    }
}

#[differentiable]
fn shift(v: &mut [f64], t: f64) {
    for u in v.iter_mut() {
        *u += t * t;
    }
}

#[differentiable]
fn scale(v: &mut Vec<f64>, t: f64) {
    for u in v.iter_mut() {
        *u *= t;
    }
    v.push(t);
}

#[differentiable]
fn bump(v: &mut f64, t: f64) {
    *v += t * *v;
}

#[differentiable]
fn top(v: &mut f64, t: f64) -> f64 {
    *v += t * *v;
    *v * t
}

bodies! {
    counter_read_before(x): {
        let mut p = path(x);
        let n = p.n;
        each(4, |k| { p.n += n + 1; p.v[k] * p.n as f64 }) * p.s
    }
    length_read_before(x): {
        let mut v = make(x);
        let n = v.len();
        each(n, |k| { v[k] *= x[k]; v[k] }) * v[1]
    }
    element_read_before(x): {
        let mut v = make(x);
        let n = v[0];
        run(4, |k| { v[k] *= n; });
        v[1] * v[2]
    }
    element_read_before_and_given(x): {
        let mut v = make(x);
        let n = v[0];
        each(4, |k| { v[k] *= n; v[k] }) * v[1] * v[2]
    }
    index_read_before(x): {
        let mut v = make(x);
        let n = v[0].floor() as usize;
        each(4, |k| { v[(k + n) % 4] *= x[0]; v[k] }) * v[1] * v[2]
    }
    counters_of_a_path(x): {
        let mut p = path(x);
        let n = p.n + 2;
        let m = p.v.len() - n;
        run(m, |k| { p.v[k] *= p.s; p.n += n; });
        p.v[0] * p.v[1] * p.n as f64
    }
    field_read_before(x): {
        let mut p = path(x);
        let s = p.s;
        run(3, |k| { p.s *= s * 0.5; p.v[k] += p.s; });
        p.v[0] * p.v[1] * p.s
    }
    index_of_constants(x): {
        let mut v = plain(4);
        let n = v[1] as usize;
        each(4, |k| { v[k] *= x[n]; v[k] }) * v[n]
    }
    last_place_read_before(x): {
        let mut v = make(x);
        let last = v.len() - 1;
        let mut i = 0;
        run(last, |k| { if i < last { v[i] += v[last] * x[k]; i += 1; } });
        v[0] * v[1] * v[3]
    }
    struct_of_constants(x): {
        let mut a = Acc { s: 0.0, n: 0 };
        run(4, |k| a.add(x[k]));
        a.s * a.s * a.n as f64
    }
    struct_of_constants_in_a_block(x): {
        let mut a = Acc { s: 0.0, n: 0 };
        run(4, |k| { a.add(x[k] * x[0]); });
        a.get()
    }
    struct_of_constants_gives(x): {
        let mut a = Acc { s: 0.0, n: 0 };
        each(4, |k| a.put(x[k])) * a.get()
    }
    struct_made_by_its_type(x): {
        let mut a = Acc::new();
        run(4, |k| a.add(x[k]));
        a.s * a.s * a.n as f64
    }
    struct_made_by_its_type_gives(x): {
        let mut a = Acc::new();
        each(4, |k| a.put(x[k])) * a.done()
    }
    struct_in_a_local_closure(x): {
        let mut a = Acc { s: 1.0, n: 0 };
        let mut go = |t: f64| a.add(t * x[0]);
        go(x[1]);
        go(x[2]);
        a.get()
    }
    struct_in_a_local_closure_gives(x): {
        let mut a = Acc { s: 1.0, n: 0 };
        let mut go = |t: f64| a.put(t * x[0]);
        let r = go(x[1]) * go(x[2]);
        r + a.s
    }
    struct_in_a_chain(x): {
        let mut a = Acc { s: 1.0, n: 0 };
        let y: Vec<f64> = x.iter().map(|t| a.put(t * t)).collect();
        y[0] * y[3] * a.s
    }
    struct_as_an_argument(x): {
        let mut a = Acc { s: 1.0, n: 0 };
        let go = |a: &mut Acc, t: f64| a.add(t * t);
        go(&mut a, x[0]);
        go(&mut a, x[1]);
        a.get()
    }
    array_of_structs(x): {
        let mut a = [Acc { s: 1.0, n: 0 }, Acc::new()];
        run(4, |k| a[k % 2].add(x[k]));
        a[0].get() * a[1].get()
    }
    vector_of_structs(x): {
        let mut a = vec![Acc { s: 1.0, n: 0 }; 2];
        run(4, |k| a[k % 2].add(x[k]));
        a[0].get() * a[1].get()
    }
    tuple_with_a_struct(x): {
        let mut a = (Acc { s: 1.0, n: 0 }, 2.0);
        run(4, |k| a.0.add(x[k]));
        a.0.get() * a.1
    }
    struct_by_reference(x): {
        let mut a = Acc { s: 1.0, n: 0 };
        run(4, |k| { let b = &mut a; b.s += x[k] * b.s; b.n += 1; });
        a.get()
    }
    struct_in_a_branch(x): {
        let mut a = Acc { s: 1.0, n: 0 };
        run(4, |k| { if k > 1 { a.add(x[k]); } else { a.put(x[k]); } });
        a.get()
    }
    constants_given_first(x): {
        let mut a = Acc { s: 0.0, n: 0 };
        let y = a.put(x[0]);
        y * a.s
    }
    constants_given_in_a_loop(x): {
        let mut a = Acc { s: 0.0, n: 0 };
        let mut y = 0.0;
        for t in x {
            y += a.put(*t);
        }
        y * a.s
    }
    constants_given_twice(x): {
        let mut a = Acc::new();
        let y = a.put(x[0]) + a.put(x[1]);
        y * a.s
    }
    constants_given_in_a_while(x): {
        let mut a = Acc { s: 0.0, n: 0 };
        let mut y = 0.0;
        let mut k = 0;
        while k < 4 {
            y += a.put(x[k]) * y;
            k += 1;
            if k == 2 {
                a.add(2.0);
            }
        }
        y * a.s + y
    }
    constants_given_in_a_branch(x): {
        let mut a = Acc { s: 0.0, n: 0 };
        if x[0] > 0.0 { a.put(x[1]) * x[0] } else { 0.0 }
    }
    constants_changed_first(x): {
        let mut a = Acc { s: 0.0, n: 0 };
        a.n = 3;
        let r = a.get();
        let y = a.put(x[0]);
        r + y * a.n as f64
    }
    constants_in_a_match(x): {
        let mut a = Acc { s: 0.0, n: 0 };
        match a.put(x[0]) { t if t > 0.0 => t * x[1], t => t }
    }
    of_a_call(x): {
        let mut a = plain_acc();
        a.n = 3;
        let y = a.put(x[0]);
        y * a.n as f64
    }
    no_floats_inside(x): {
        let mut t = Count(0);
        let y = t.weigh(x[0]) + t.weigh(x[1]);
        y * x[1]
    }
    no_floats_inside_a_loop(x): {
        let mut t = Count(0);
        let mut y = 0.0;
        for u in x {
            y += t.weigh(*u);
        }
        y * x[1]
    }
    by_its_path(x): {
        let mut a = Acc::new();
        run(4, |k| Acc::add(&mut a, x[k]));
        a.get()
    }
    slice_at_the_end(x): {
        let mut v = x.to_vec();
        run(4, |k| shift(&mut v, x[k]));
        v[0] * v[2]
    }
    vector_at_the_end(x): {
        let mut v = x.to_vec();
        run(4, |k| scale(&mut v, x[k]));
        v[0] * v[2] + v[5]
    }
    number_at_the_end(x): {
        let mut s = x[0];
        run(4, |k| bump(&mut s, x[k]));
        s * s
    }
    branches_at_the_end(x): {
        let mut s = x[0];
        for k in 0..4 { if k > 2 { bump(&mut s, x[1]) } else { bump(&mut s, x[3]) } }
        s * s
    }
    value_at_the_end(x): {
        let mut s = x[0];
        each(4, |k| top(&mut s, x[k])) * s
    }
    constant_at_the_end(x): {
        let mut s = 1.0;
        run(4, |k| bump(&mut s, x[k]));
        s * s
    }
    arms_at_the_end(x): {
        let mut s = 1.0;
        run(4, |k| match k { 0 => {}, 1 => bump(&mut s, x[k]), _ => s *= x[k] });
        s * s
    }
    arms_of_both_kinds(x): {
        let mut a = Acc::new();
        run(4, |k| match k { 0 => {}, 1 => a.add(x[k]), _ => Acc::add(&mut a, x[k] * x[0]) });
        a.get()
    }
}
