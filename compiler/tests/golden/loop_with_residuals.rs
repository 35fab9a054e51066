fn loop_with_residuals(x: f64, n: usize) -> f64 {
    let mut s = x;
    for _ in 0..n {
        s = s.sin() * x;
    }
    s
}
