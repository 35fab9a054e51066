fn array(w: &Array2<f64>, x: &Array1<f64>, b: &Array1<f64>) -> f64 {
    let hidden = (w.dot(x) + b).mapv(|t| t.tanh());
    (&hidden * &hidden).sum()
}
