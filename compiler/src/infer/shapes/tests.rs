//! What contradicts the declared sizes and what does not, in whole functions.

use crate::diag::Diagnostics;
use crate::pipeline;
use crate::syntax::{options, signature};

/// The messages about sizes in a function.
fn faults(shapes: &str, source: &str) -> Vec<String> {
    let item: syn::ItemFn = syn::parse_str(source).expect("a function");
    let mut diags = Diagnostics::new();
    let options = options::parse(format!("shapes({shapes})").parse().expect("tokens"), &mut diags);
    let sig = signature::analyse(&item, &options, &mut diags);
    pipeline::run(&sig, &item.block, &mut diags);
    let faults = diags.iter().map(|d| (d.code.name, d.message.clone())).collect::<Vec<_>>();
    let _ = diags.finish();
    assert!(faults.iter().all(|(code, _)| *code == "shapes-differ"), "{source}: {faults:?}");
    faults.into_iter().map(|(_, message)| message).collect()
}

/// Bodies of functions of `w: [h, d]`, `v: [h, d]`, `x: [d]`, `b: [h]`, `t: [n, h, d]`, `s: [d]` (a slice), the sizes
/// that contradict each other in them, and what is said of the operands.
const CONTRADICTIONS: &[(&str, [&str; 2], &str)] = &[
    ("w.dot(b).sum()", ["d", "h"], "`w` has the shape [h, d], `b` has the shape [h]"),
    ("x.dot(w).sum()", ["d", "h"], "`x` has the shape [d]"),
    ("x.dot(b)", ["d", "h"], "`dot`"),
    ("w.dot(v).sum()", ["d", "h"], "`v` has the shape [h, d]"),
    ("w.t().dot(x).sum()", ["h", "d"], "`w.t()` has the shape [d, h]"),
    ("(w + b).sum()", ["d", "h"], "`+`"),
    ("(b * w).sum()", ["h", "d"], "`*`"),
    ("let mut w = w.clone(); w += b; w.sum()", ["d", "h"], "`+`"),
    ("(&w.sum_axis(Axis(0)) - b).sum()", ["d", "h"], "`w.sum_axis(0)` has the shape [d]"),
    ("(&w.sum_axis(Axis(1)) - x).sum()", ["h", "d"], "`-`"),
    ("(&w.mean_axis(Axis(0)).unwrap() - b).sum()", ["d", "h"], "`-`"),
    ("(&w.row(0) + b).sum()", ["d", "h"], "`w.row(…)` has the shape [d]"),
    ("w.column(0).dot(x)", ["h", "d"], "`w.column(…)`"),
    ("(&t.index_axis(Axis(0), 1).t() + w).sum()", ["d", "h"], "[d, h]"),
    ("let mut a = 0.0; for r in w.outer_iter() { a += r.dot(b); } a", ["d", "h"], "[d]"),
    ("let mut a = 0.0; for r in w.rows() { a += r.dot(b); } a", ["d", "h"], "[d]"),
    ("let mut a = 0.0; for r in t.axis_iter(Axis(2)) { a += (&r + w).sum(); } a", ["n", "h"], "[n, h]"),
    ("let mut a = x.clone(); for k in 0..3 { a = w.dot(&a); } a.sum()", ["d", "h"], "`w` has"),
    ("let mut a = x.clone(); while a.sum() < 1.0 { a += b; } a.sum()", ["d", "h"], "`a`"),
    ("(w.reversed_axes() + v).sum()", ["d", "h"], "`+`"),
    ("(w.clone().permuted_axes([1, 0]) + v).sum()", ["d", "h"], "`+`"),
    ("(w.view().insert_axis(Axis(1)) * t).sum()", ["h", "n"], "[h, 1, d]"),
    ("(Array2::<f64>::zeros((3, w.ncols())) + w).sum()", ["3", "h"], "[3, d]"),
    ("(Array1::<f64>::zeros(w.nrows()) + x).sum()", ["h", "d"], "[h]"),
    ("(Array2::from_elem(w.raw_dim(), x[0]) * &t.sum_axis(Axis(1))).sum()", ["h", "n"], "[n, d]"),
    ("let (p, q) = w.dim(); (Array1::from_elem(p, x[0]) + x).sum() + q as f64", ["h", "d"], "[h]"),
    ("let k = t.shape()[1]; (Array1::from_elem(k, x[0]) + x).sum()", ["h", "d"], "[h]"),
    ("(&w.broadcast((4, w.nrows(), 2)).unwrap() + t).sum()", ["4", "n"], "[4, h, 2]"),
    ("(&b.to_shape((w.nrows(), 1)).unwrap() * &x.to_shape((1, 4)).unwrap() + w).sum()", ["4", "d"], "[h, 4]"),
    ("(&Array1::from_vec(s.to_vec()) + b).sum()", ["d", "h"], "[d]"),
    ("let mut o = w.clone(); o.row_mut(0).assign(b); o.sum()", ["h", "d"], "`b` has"),
    ("let mut o = w.clone(); o.slice_mut(s![.., 0]).assign(x); o.sum()", ["d", "h"], "`x` has"),
    ("let mut o = w.clone(); Zip::from(&mut o).and(&w.t()).for_each(|p, &q| *p += q); o.sum()", ["h", "d"], "`w.t()`"),
    ("if x[0] > 0.0 { w.dot(b).sum() } else { x.sum() }", ["d", "h"], "`dot`"),
    ("let f = |a: &Array1<f64>| w.dot(a).sum(); f(b)", ["d", "h"], "`dot`"),
    ("let pair = (w.dot(x), x); pair.0.dot(pair.1)", ["h", "d"], "`dot`"),
    ("x.mapv(|e| e.exp()).dot(&b.tanh())", ["d", "h"], "`b.tanh()` has the shape [h]"),
];

const FINE: &[&str] = &[
    "(w.dot(x) + b).sum()",
    "(w * x).sum()",
    "(w + &b.view().insert_axis(Axis(1))).sum()",
    "(w.t().dot(b) * x).sum()",
    "(w * &v.sum_axis(Axis(1)).insert_axis(Axis(1))).sum()",
    "let mut a = x.clone(); for k in 0..3 { a = w.t().dot(&w.dot(&a)); } a.dot(x)",
    // a size that is only found out in one branch is unknown in the other
    "let y = Array1::from_vec(vec![x[0]; w.len()]); if x[0] > 0.0 { y.dot(x) } else { y.dot(b) }",
    "let mut a = Array1::from_vec(vec![x[0]]); for k in 0..3 { a = if k > 1 { x.clone() } else { b.clone() }; } a.sum()",
    "(t * w).sum_axis(Axis(0)).dot(x).dot(b)",
    "let mut o = Array2::<f64>::zeros((w.nrows(), w.ncols())); o.assign(&(w * v)); (&o * w).sum()",
    "let mut a = 0.0; for (r, e) in w.outer_iter().zip(b) { a += r.dot(x) * e; } a",
    "(&w.slice(s![1.., ..]) * x).sum() + (&w.slice(s![..2, ..;-1]) * x).sum()",
    "(w.select(Axis(0), &[0, 0, 1]) * x).sum()",
    "(concatenate![Axis(0), w.view(), v.view()] * x).sum()",
    "(stack![Axis(0), w.view(), v.view()] * w).sum()",
    "let mut a = w.clone(); a = a.dot(&w.t()); a.sum()",
    "let mut a = x.clone(); if x[0] > 0.0 { a = b.clone(); } a.sum()",
    "(w.row(0).len() as f64) * w.sum()",
    "(Array2::<f64>::eye(w.nrows()).dot(w) + v).sum()",
    "w.outer_iter().map(|r| r.dot(x)).sum::<f64>()",
];

fn function(body: &str) -> String {
    format!(
        "fn f(w: &Array2<f64>, v: &Array2<f64>, x: &Array1<f64>, b: &Array1<f64>, t: &Array3<f64>, s: &[f64]) -> f64 {{ \
         {body} }}"
    )
}

const SHAPES: &str = "w: [h, d], v: [h, d], x: [d], b: [h], t: [n, h, d], s: [d]";

#[test]
fn contradictions() {
    let mut wrong = String::new();
    for (body, [a, b], words) in CONTRADICTIONS {
        let found = faults(SHAPES, &function(body));
        let sizes = [format!("{a} would have to be {b}"), format!("{b} would have to be {a}")];
        let told = found.len() == 1 && sizes.iter().any(|s| found[0].contains(s)) && found[0].contains(words);
        if !told {
            wrong += &format!("{body}\n    {found:?}\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn no_contradiction() {
    for body in FINE {
        assert_eq!(faults(SHAPES, &function(body)), [""; 0], "{body}");
    }
}

#[test]
fn numbers_and_slices() {
    let f = |body: &str| format!("fn f(x: &[[f64; 3]], y: &Array2<f64>, z: &Array1<f64>) -> f64 {{ {body} }}");
    let shapes = "x: [n, 3], y: [n, 3], z: [3]";
    assert_eq!(faults(shapes, &f("y.dot(z).sum() + x[0][0]")), [""; 0]);
    assert_eq!(faults(shapes, &f("y.dot(&y.row(0)).sum() * x[1][2]")), [""; 0]);
    assert_eq!(faults(shapes, &f("(y.t().dot(y) + z + x[0][0]).sum()")), [""; 0]);
    assert_eq!(faults(shapes, &f("(y.dot(&y.t()) + z).sum() + x[0][0]")).len(), 1);
}
