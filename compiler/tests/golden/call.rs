fn call(x: &[f64], k: f64) -> f64 {
    let mut s = 0.0;
    for v in x {
        s += potential(*v, k, 2);
    }
    s
}
