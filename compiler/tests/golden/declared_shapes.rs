fn declared_shapes(w: &Array2<f64>, x: &Array2<f64>, b: &Array1<f64>) -> f64 {
    let z = x.dot(w) + b;
    (z.exp() * &z).sum()
}
