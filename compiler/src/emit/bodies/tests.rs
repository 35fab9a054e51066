//! Bodies as text. That they compile and compute the right numbers is tested with whole functions.

use super::*;
use crate::diag::Diagnostics;
use crate::syntax::{options, signature};

fn stages(item: &str) -> (crate::pipeline::Stages, Signature) {
    let mut diags = Diagnostics::new();
    let options = options::parse(TokenStream::new(), &mut diags);
    let item: syn::ItemFn = syn::parse_str(item).expect("a function");
    let sig = signature::analyse(&item, &options, &mut diags);
    let stages = crate::pipeline::run(&sig, &item.block, &mut diags);
    if let Err(errors) = diags.finish() {
        panic!("{errors}");
    }
    (stages.expect("there are no errors"), sig)
}

fn pretty(body: Result<TokenStream>) -> String {
    let body = body.unwrap_or_else(|e| panic!("{}", e.what));
    let file = syn::parse2(quote!(fn body() { #body })).unwrap_or_else(|e| panic!("{e}: {body}"));
    let text = prettyplease::unparse(&file);
    let lines: Vec<_> = text.lines().map(|l| l.strip_prefix("    ").unwrap_or(l)).collect();
    lines[1..lines.len() - 1].join("\n").replace("::cotangent::__private::", "")
}

/// The function itself, its `_vjp` and its `_jvp`.
fn bodies(item: &str) -> String {
    let (stages, sig) = stages(item);
    let items = &stages.lowered.items;
    let primal = pretty(primal_body(&stages.primal, &sig, items));
    let vjp = pretty(vjp_body(&stages.first.stored.expect("reverse mode"), &sig, items));
    let jvp = pretty(jvp_body(&stages.first.forward.expect("forward mode"), &sig, items));
    format!("{item}\n\n// primal\n{primal}\n\n// vjp\n{vjp}\n\n// jvp\n{jvp}\n")
}

macro_rules! snapshots {
    ($($name:ident: $item:literal;)*) => {$(
        #[test]
        fn $name() {
            insta::assert_snapshot!(bodies($item));
        }
    )*};
}

snapshots! {
    straight_line: "fn f(x: f64, y: f64, b: f64) -> f64 { let z = x * y.sin() + b; z - (x - (y - b)) / -2.0 }";
    literals: "fn f(x: f32) -> f32 { let k = 2.0; x * f32::sin(k) + (1.5_f32).sqrt() * (-x).exp() }";
    casts: "fn f(x: f64, n: usize) -> f64 { if (n as f64) < x && n > 1 || x == 0.0 { x } else { x * (n - 1) as f64 } }";
    branches: "fn f(x: f64, y: f64) -> f64 { let z = if x > y { x * 2.0 } else if y > 1.0 { let t = y * y; t + t.sin() } else { y }; z * x }";
    a_variable_changed_in_one_arm: "fn f(xs: &[f64], w: f64) -> f64 { let mut s = 0.0; for x in xs { if *x > 0.0 { s += x * w; } } s }";
    counted_loop: "fn f(x: f64, n: usize) -> f64 { let mut s = 1.0; for i in (1..n).rev() { s = s * x + i as f64; } s }";
    while_loop: "fn f(x: f64) -> f64 { let mut e = x; let mut k = 0; while e > 1e-3 && k < 50 { e = e * 0.5; k += 1; } e }";
    early_exit: "fn f(x: f64, n: usize) -> f64 { let mut s = x; for _ in 0..n { s *= x; if s > 9.0 { break; } } s }";
    in_place: "fn step(u: &mut [f64], dt: f64) { for i in 1..u.len() { u[i] = u[i] + dt * u[i - 1]; } }";
    scalar_in_place: "fn f(y: &mut f64, x: f64) -> f64 { *y = *y * x; *y + 1.0 }";
    swapped_buffers: "fn f(x: f64) -> f64 { let mut a = vec![x; 3]; let mut b = vec![0.0; 3]; for _ in 0..4 { for i in 0..3 { b[i] = a[(i + 1) % 3] * x; } std::mem::swap(&mut a, &mut b); } a[0] + b[1] }";
    rows: "fn f(rows: &[[f64; 3]], n: usize) -> f64 { let mut s = 0.0; for r in rows { s += r[0] * r[1] + r[2]; } s / n as f64 }";
    slices: "fn f(xs: &[f64]) -> f64 { let mut y = xs[1..].to_vec(); y[0] = xs[0]; let w = &y[..2]; let s = w[0] * w[1]; y[1] = 0.0; s + y[2] }";
    tuples: "fn f(p: (f64, f64), n: usize) -> (f64, usize) { let (a, b) = p; (a * b, n) }";
    growing_vector: "fn f(x: f64) -> f64 { let mut v = Vec::with_capacity(3); for i in 0..3 { v.push(x * i as f64); } v[0] * v[2] }";
    calls: "fn f(x: f64, xs: &[f64]) -> f64 { let mut u = vec![x, 1.0]; step(&mut u, 0.5); dot(xs, xs) * power(x, 3) + u[1] }";
    kept_pullbacks: "fn f(x: f64, n: usize) -> f64 { let mut s: f64 = x; for _ in 0..n { let t: f64 = power(s, 2); s = t * x; } s }";
    shadowed_names: "fn f(x: f64) -> f64 { let x = x * 2.0; let x = x.sin() + x; println!(\"x = {x}\"); let x_bar = x * x; x_bar }";
    kept_code: "fn f(x: f64, names: &[String]) -> f64 { let mut seen = std::collections::HashSet::new(); let mut s = x; for name in names.iter().skip(1) { if seen.insert(name.clone()) { s *= x; } } s }";
    arrays: "fn f(w: &Array2<f64>, x: &Array1<f64>, b: f64) -> f64 { let h = w.t().dot(x) + b; let t = h.mapv(|v| v.tanh()); (&t * &t).sum() }";
}
