//! Declared shapes: what is checked when a companion is entered, and derivatives where sums are left out by them.

use cotangent::{check_forward, check_grad, differentiable};
use ndarray::{Array1, Array2, Array3, ArrayD, ArrayView2, Axis, IxDyn};
use std::panic::catch_unwind;

/// What a call panics with.
fn refusal<T>(call: impl FnOnce() -> T + std::panic::UnwindSafe) -> String {
    let payload = catch_unwind(call).err().expect("a panic");
    payload.downcast_ref::<String>().cloned().expect("a formatted message")
}

#[differentiable(shapes(w: [h, d], x: [d], b: [h]), into, hvp, hessian, jacobian)]
fn layer(w: &Array2<f64>, x: &Array1<f64>, b: &Array1<f64>) -> f64 {
    (w.dot(x) + b).tanh().sum()
}

#[test]
fn every_companion_checks_on_entry() {
    let (w, x, b) = (Array2::<f64>::ones((2, 3)), Array1::<f64>::ones(2), Array1::<f64>::ones(2));
    let told = "the argument `x` has the shape [2], but the declared shape is [d], where d is 3 as in `w`";
    let (dw, dx, db) = (w.clone(), x.clone(), b.clone());
    let expected = |companion: &str| format!("`{companion}`: {told}");
    assert_eq!(refusal(|| layer_grad(&w, &x, &b)), expected("layer"));
    assert_eq!(refusal(|| layer_value_and_grad(&w, &x, &b)), expected("layer"));
    assert_eq!(refusal(|| layer_vjp(&w, &x, &b).0), expected("layer"));
    assert_eq!(refusal(|| layer_jvp(&w, &x, &b, dw.clone(), dx.clone(), db.clone())), expected("layer"));
    assert_eq!(refusal(|| layer_hvp(&w, &x, &b, dw.clone(), dx.clone(), db.clone())), expected("layer"));
    assert_eq!(refusal(|| layer_hessian(&w, &x, &b)), expected("layer"));
    assert_eq!(refusal(|| layer_jacobian(&w, &x, &b)), expected("layer"));
    let mut grads = (dw.clone(), dx.clone(), db.clone());
    let into = std::panic::AssertUnwindSafe(|| layer_value_and_grad_into(&w, &x, &b, &mut grads));
    assert_eq!(refusal(into), expected("layer"));
    // the function itself is as it is written
    assert!(refusal(|| layer(&w, &x, &b)).contains("ndarray"));
}

#[differentiable(shapes(x: [n], rows: [n, 2], more: [m, n], labels: [n], view: [2, m], any: [n, m]), wrt(x, rows, more, view, any))]
#[allow(clippy::ptr_arg, reason = "vectors have a shape, too")]
fn kinds(
    x: &[f64],
    rows: &[[f64; 2]],
    more: &Vec<Vec<f64>>,
    labels: &[usize],
    view: ArrayView2<'_, f64>,
    any: &ArrayD<f64>,
) -> f64 {
    let mut total = view.sum() + any.sum();
    for i in 0..x.len() {
        total += x[i] * rows[i][labels[i]] * more[0][i];
    }
    total
}

#[test]
fn slices_vectors_and_views() {
    let (x, rows, labels) = ([1.0, 2.0], [[3.0, 4.0], [5.0, 6.0]], [1, 0]);
    let (more, view, any) = (vec![vec![0.5; 2]; 3], Array2::ones((2, 3)), ArrayD::ones(IxDyn(&[2, 3])));
    let (dx, ..) = kinds_grad(&x, &rows, &more, &labels, view.view(), &any);
    assert_eq!(dx, [2.0, 2.5]);

    let call = |x: &[f64], rows: &[[f64; 2]], more: &Vec<Vec<f64>>, labels: &[usize], any: &ArrayD<f64>| {
        refusal(|| kinds_grad(x, rows, more, labels, view.view(), any))
    };
    let message = call(&x, &rows[..1], &more, &labels, &any);
    assert_eq!(
        message,
        "`kinds`: the argument `rows` has the shape [1, 2], but the declared shape is [n, 2], where n is 2 as in `x`"
    );
    assert!(call(&x, &rows, &vec![vec![0.5; 2], vec![0.5; 1]], &labels, &any).contains("in rows of different lengths"));
    assert!(call(&x, &rows, &more, &[0], &any).contains("`labels` has the shape [1]"));
    assert!(call(&x, &rows, &vec![vec![0.5; 2]], &labels, &any).contains("`view` has the shape [2, 3]"));
    assert!(
        call(&x, &rows, &more, &labels, &ArrayD::ones(IxDyn(&[2, 3, 1]))).contains("`any` has the shape [2, 3, 1]")
    );
}

struct Model(Array2<f64>);

impl Model {
    #[differentiable(shapes(x: [n, d], bias: [d]), wrt(x, bias))]
    fn score(&self, x: &Array2<f64>, bias: &[f64]) -> f64 {
        x.dot(&self.0).sum() + bias[0] * 2.0
    }
}

#[test]
fn methods_check_too() {
    let model = Model(Array2::ones((3, 1)));
    let x = Array2::ones((2, 3));
    assert_eq!(model.score_grad(&x, &[0.0; 3]), (Array2::ones((2, 3)), vec![2.0, 0.0, 0.0]));
    let model = std::panic::AssertUnwindSafe(model);
    let message = refusal(|| model.score_grad(&x, &[0.0; 2]));
    assert!(message.starts_with("`score`: the argument `bias` has the shape [2], but"), "{message}");
}

#[differentiable(shapes(w: [h, h], u: [d, h], c: [h], xs: [t, b, d]))]
fn recurrent(w: &Array2<f64>, u: &Array2<f64>, c: &Array1<f64>, xs: &Array3<f64>) -> f64 {
    let mut s = Array2::<f64>::zeros((xs.shape()[1], w.nrows()));
    for x in xs.outer_iter() {
        s = (s.dot(w) + x.dot(u) + c).tanh();
    }
    (&s * &s).sum()
}

#[differentiable(shapes(x: [n, d], m: [d], s: [n]))]
fn standardised(x: &Array2<f64>, m: &Array1<f64>, s: &Array1<f64>) -> f64 {
    let centred = x - m;
    let scaled = &centred / &s.to_shape((s.len(), 1)).unwrap();
    (&scaled * &scaled * x).sum()
}

fn entries(shape: (usize, usize), k: usize) -> Array2<f64> {
    Array2::from_shape_fn(shape, |(i, j)| (0.7 * (i * shape.1 + j) as f64 + k as f64).sin())
}

fn line(len: usize, k: usize) -> Array1<f64> {
    entries((1, len), k).remove_axis(Axis(0)).mapv(|t| t + 1.5)
}

#[test]
fn derivatives_without_the_sums() {
    // also sizes of one, and two names of the same size: a name is a size of its own, whatever it is
    for (h, d, b, t) in [(3, 2, 4, 3), (1, 2, 1, 2), (2, 1, 3, 1), (2, 2, 2, 2)] {
        let xs = entries((t * b, d), 4).into_shape_with_order((t, b, d)).unwrap();
        let at = (entries((h, h), 1), entries((d, h), 2), line(h, 3), xs);
        let gradient = recurrent_grad(&at.0, &at.1, &at.2, &at.3);
        type Point = (Array2<f64>, Array2<f64>, Array1<f64>, Array3<f64>);
        check_grad(|(w, u, c, xs): &Point| recurrent(w, u, c, xs), &at, &gradient).assert_within(1e-7);
        let forward = |(w, u, c, xs): &Point, dot: Point| recurrent_jvp(w, u, c, xs, dot.0, dot.1, dot.2, dot.3).1;
        check_forward(forward, &at, &gradient).assert_within(1e-12);

        let at = (entries((b, d), 7), line(d, 6), line(b, 5));
        let gradient = standardised_grad(&at.0, &at.1, &at.2);
        type Lines = (Array2<f64>, Array1<f64>, Array1<f64>);
        check_grad(|(x, m, s): &Lines| standardised(x, m, s), &at, &gradient).assert_within(1e-7);
        let forward = |(x, m, s): &Lines, dot: Lines| standardised_jvp(x, m, s, dot.0, dot.1, dot.2).1;
        check_forward(forward, &at, &gradient).assert_within(1e-12);
    }
}
